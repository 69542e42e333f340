"""What a docstring says a value is, as a type.

Docstrings are the one declaration of what arguments and results are ("np.ndarray [shape=(..., n)],
real", "int > 0 or None"); metalmom._boundary explains errors by the same words. A word that is not
known here is an error: it is to be added, or the docstring to be made plainer.
"""

import re

__all__ = ["NOT_ONE", "SHARED", "Unknown", "members", "of_argument", "of_result", "split_condition", "union"]

# Arguments that are the same everywhere, for docstrings that only hand them on.
SHARED = {
    "sr": "number > 0", "hop_length": "int > 0", "n_fft": "int > 0", "win_length": "int > 0",
    "fmin": "number", "fmax": "number", "tuning": "number", "bins_per_octave": "int > 0",
    "htk": "bool", "intervals": "str or array_like", "key": "str", "Sa": "number", "mela": "str or int",
    "thaat": "str", "unicode": "bool", "channels": "int > 0", "sample_dtype": "real dtype",
}  # fmt: skip

ANY_ARRAY = "npt.NDArray[Any]"

# The scalar type of an array, by the words that follow its shape. The first that is found holds.
_KINDS = (
    (r"\bfloat32 or complex64\b", "np.float32 | np.complex64"),
    (r"\bfloat32 or float64\b", "np.float32 | np.float64"),
    (r"\b(float32|float64|complex64|complex128|u?int(?:8|16|32|64))\b", r"np.\1"),
    (r"\bbool\b", "np.bool_"),
    (r"\bof str\b", "np.str_"),
    (r"\bint or float\b", "np.integer[Any] | np.floating[Any]"),
    (r"\bof object\b", "np.object_"),
    (r"\breal or complex\b|\bcomplex or real\b|\bfloating-point or complex\b", "np.inexact[Any]"),
    (r"\bfloating-point\b", "np.floating[Any]"),
    (r"\bcomplex\b", "np.complexfloating[Any, Any]"),
    (r"\buint\b", "np.unsignedinteger[Any]"),
    (r"\bint\b", "np.integer[Any]"),
    (r"\breal\b|\bnon-negative\b|\bin \[", "np.floating[Any] "),
)

_SCALARS = {
    "int": "Int", "float": "Number", "number": "Number", "bool": "bool", "str": "str",
    "np.floating": "np.floating[Any]", "np.integer": "np.integer[Any]", "complex": "complex",
}  # fmt: skip
_RESULT_SCALARS = {**_SCALARS, "int": "int", "float": "float", "number": "float"}

_WORDS = {
    "None": "None",
    "callable": "Callable[..., Any]",
    "object": "object",
    "bytes": "bytes",
    "bytes-like": "bytes",
    "tuple": "tuple[Any, ...]",
    "tuple of int": "tuple[int, ...]",
    "list": "list[Any]",
    "slice": "slice",
    "dict": "dict[str, Any]",
    "dict of str": "dict[str, str]",
    "False": "Literal[False]",
    "True": "Literal[True]",
    "np.dtype": "np.dtype[Any]",
    "os.PathLike": "os.PathLike[str]",
    "file object": "Readable",
    "soundfile.SoundFile": "Readable",
    "np.random.Generator": "np.random.Generator",
    "np.random.RandomState": "np.random.RandomState",
    "color": "str | tuple[float, ...]",
    "BeatsAt": "BeatsAt",
    "DeviceArray": "DeviceArray",
    "Extractor": "Extractor",
    "Features": "Features",
    "FileFeatures": "FileFeatures",
    "Graph": "Graph",
    "Summary": "Summary",
    "TempoAt": "TempoAt",
    "Trace": "Trace",
    "metalmom.display.AdaptiveWaveplot": "AdaptiveWaveplot",
    "iterable of pairs (start, end)": "Iterable[Sequence[Number]] | npt.NDArray[np.integer[Any]]",
    "distribution with a method `logpdf`": "Distribution",
    "array of them": "npt.NDArray[np.object_]",
    "array on the device": "DlpackArray | CudaArray",
    "these": "Any",
    "several": "Sequence[Any] | npt.NDArray[np.object_]",
    "one np.ndarray [shape=(clips, n)]": "npt.NDArray[np.floating[Any]]",
}  # fmt: skip


class Unknown(ValueError):
    """Words that are not known here."""


# What says more of the array before it, after a comma, and the next of several such words.
_QUALITY = re.compile(
    r"u?int\d*$|bool$|(float|complex)\d+|same shape|shape\b|dtype\b|in \[|\[|real|complex|"
    r"non-negative|floating|finite"
)
_KIND = re.compile(r"(real|complex|int|float|bool)\d*$|\[")
_LIMIT = re.compile(r"odd|at least|not \d")


def split(phrase):
    """(separator, words) of each part between commas and `or` that no bracket encloses."""
    parts, depth, begin, before = [], 0, 0, ""
    for found in re.finditer(r"[(\[{}\])]|,?\s+or\s+|,\s+", phrase):
        mark = found[0]
        if mark in "([":
            depth += 1
        elif mark in ")]":
            depth -= 1
        elif mark not in "{}" and not depth:
            parts.append((before, phrase[begin : found.start()]))
            before, begin = mark.strip(), found.end()
    return [*parts, (before, phrase[begin:])]


def alternatives(phrase):
    """The alternatives of a phrase, each with what is said of it."""
    joined, arrays = [], []
    for separator, part in split(re.sub("[{}]", "", phrase)):
        so_far = [i for i, each in enumerate(joined) if "array" in each]
        if so_far and separator != "or" and _QUALITY.match(part):
            arrays = so_far
            for i in arrays:
                joined[i] += f", {part}"
        elif part.startswith("[shape"):  # another shape of the same array
            continue
        elif arrays and separator == "or" and _KIND.match(part):  # "np.ndarray, float32 or float64"
            for i in arrays:
                joined[i] += f" or {part}"
        elif joined and separator == "or" and part.startswith("of "):  # "sequence of int or of slice"
            joined.append(joined[-1].partition(" of ")[0] + " " + part)
        elif part != "optional" and not _LIMIT.match(part):
            joined.append(part)
    return joined


def _array(words, loosest):
    after = re.sub(r"\[shape=[^\]]*?(, dtype=(\w+))?\]", r" \2", words)
    for pattern, kind in _KINDS:
        found = re.search(pattern, after)
        if found:
            return f"npt.NDArray[{found.expand(kind)}]"
    return loosest


def _real_argument(kind):
    """Arguments that are real may be whole numbers, too."""
    return kind.replace("np.floating[Any] ]", "np.floating[Any] | np.integer[Any]]")


def _many(words, scalars):
    """A sequence or an iterable; arrays are none to type checkers, and are both to Python."""
    kind, _, item = words.partition(" of ")
    of = {"Sequence": "Sequence", "Iterable": "Iterable"}[kind.capitalize()]
    item = re.split(r"[ ,]", item)[0].rstrip("s") if "np.ndarray" not in item else item
    if not item:
        return f"{of}[Any] | {ANY_ARRAY}"
    if "np.ndarray" in item:
        return f"{of}[npt.NDArray[np.floating[Any]]]"
    if item in ("float", "number"):
        return f"{of}[{scalars[item]}] | npt.NDArray[np.floating[Any] | np.integer[Any]]"
    if item == "int":
        return f"{of}[{scalars[item]}] | npt.NDArray[np.integer[Any]]"
    return f"{of}[{_WORDS.get(item, item)}]"


def _one(words, scalars, before, *, is_result):
    """The type of one alternative."""
    words = words.strip()
    if words in _WORDS:
        return _WORDS[words]
    if words.startswith("DeviceArray"):
        return "DeviceArray"
    kind = re.match(r"[\w.]*", words)[0]
    if words.endswith("dtype") or words in ("data type", "dtype_like"):
        return "npt.DTypeLike"
    if kind in scalars:
        return scalars[kind]
    if kind in ("np.ndarray", "array") or words.startswith(("[shape", "(")) and is_result:
        found = _array(words, ANY_ARRAY)
        return found.replace(" ]", "]") if is_result else _real_argument(found)
    if kind == "array_like":
        return "npt.ArrayLike"
    if kind in ("sequence", "iterable"):
        return _many(words, scalars)
    if words.startswith("list of "):
        return f"list[{_one(words[8:], scalars, None, is_result=is_result)}]"
    if words.startswith("dict of "):
        key, _, value = words[8:].partition(" to ")
        value = {"np.ndarray": "Any", "dict": "dict[str, Any]"}.get(value, value) or "Any"
        return f"dict[{key}, {value}]" if is_result else f"Mapping[{key}, {value}]"
    if words.startswith("pair of numbers"):
        return f"tuple[{scalars['number']}, {scalars['number']}]"
    if words.startswith(("matplotlib.", "scipy.", "cycler.", "distributed.")):
        if words == "scipy.sparse array" or words.startswith("scipy.sparse array "):
            return "SparseArray"
        return re.match(r"[\w.]+", words)[0]
    if words.startswith("SciPy sparse") or words.startswith("sparse matrix"):
        return "SparseArray"
    if re.fullmatch(r"\((\w+), (\w+)\)", words) and before:  # a value for each of two
        return f"tuple[{before}, {before}]"
    if re.fullmatch(r"""(["']).*\1""", words):
        return f"Literal[{words[1:-1]!r}]".replace("'", '"')
    if re.fullmatch(r"-?(np\.)?inf", words):
        return scalars["number"]
    if re.fullmatch(r"-?\d+", words):
        return f"Literal[{words}]"
    raise Unknown(words)


def members(type_):
    """The types of a union; those inside of brackets belong together."""
    depth, begin = 0, 0
    for i, mark in enumerate(type_):
        depth += (mark == "[") - (mark == "]")
        if mark == "|" and not depth:
            yield type_[begin:i].strip()
            begin = i + 1
    yield type_[begin:].strip()


def union(types):
    """One type of several: literals together, none twice, None last."""
    parts = []
    for each in types:
        for part in members(each):
            if part not in parts:
                parts.append(part)
    literals = [part[8:-1] for part in parts if part.startswith("Literal[")]
    if literals:
        first = next(i for i, part in enumerate(parts) if part.startswith("Literal["))
        parts = [part for part in parts if not part.startswith("Literal[")]
        if "str" not in parts:
            numbers = all(re.fullmatch(r"-?\d+", literal) for literal in literals)
            if not (numbers and {"Number", "Int"} & set(parts)):
                parts.insert(first, f"Literal[{', '.join(literals)}]")
    if "Number" in parts:
        parts = [part for part in parts if part != "Int"]
    return " | ".join([part for part in parts if part != "None"] + ["None"] * ("None" in parts))


def split_condition(words):
    """A phrase without its last words "if `flag`", and the flag: ("flag", True) or None."""
    found = re.search(r",? if (not )?`(\w+)`$", words)
    if not found:
        return words, None
    return words[: found.start()], (found[2], not found[1])


def _types(phrase, scalars, *, is_result):
    """The type of each alternative."""
    found = []
    for words in alternatives(phrase):
        found.append(_one(words, scalars, found[-1] if found else None, is_result=is_result))
    return found


# Types that hold what is one, too (a str is an iterable of str), without it.
NOT_ONE = {
    "npt.ArrayLike": f"Sequence[Any] | {ANY_ARRAY}",
    "Iterable[str]": "list[str] | tuple[str, ...] | npt.NDArray[np.str_]",
}


def of_argument(phrase, *, only=None):
    """The type that a phrase of the section Parameters means.

    `only`, "one" or "many", leaves out arrays and sequences, or leaves out scalars.
    """
    types = _types(phrase, _SCALARS, is_result=False)
    if only:
        types = [each for each in types if _is_scalar(each) == (only == "one")]
        if only == "many":
            types = [NOT_ONE.get(each, each) for each in types]
    return union(types)


def of_result(phrase, *, only=None):
    """The type that a phrase of the section Returns means; `only` as in `of_argument`."""
    types = _types(phrase, _RESULT_SCALARS, is_result=True)
    if only:
        types = [each for each in types if _is_scalar(each) == (only == "one")]
    return union(types)


def _is_scalar(type_):
    return type_ in {*_SCALARS.values(), *_RESULT_SCALARS.values()}
