"""The words by which annotations say what an argument may be, as checks of values.

"number > 0 or None", "np.ndarray [shape=(..., n)], real floating-point", "{'frames', 'time'}":
a phrase is a list of alternatives. A word that is not known here accepts everything.
"""

import functools
import math
import re
from ast import literal_eval

import numpy as np

from .._native import DeviceArray
from ..util._checks import is_number

__all__ = ["accepts"]

_LARGEST = float(2**63)  # the largest integer that the engine counts with


def _is_int(value):
    return isinstance(value, (int, np.integer)) and abs(int(value)) < _LARGEST


def _has_truth(value):
    return not hasattr(value, "__len__") or isinstance(value, str) or np.ndim(value) == 0


def _is_dtype(value, kinds):
    try:
        return np.dtype(value).kind in kinds
    except TypeError:
        return False


def _has_method(name):
    return lambda value: callable(getattr(value, name, None))


_WORDS = {
    "bool": _has_truth,
    "callable": callable,
    "str": lambda value: isinstance(value, str),
    "bytes": lambda value: isinstance(value, (bytes, bytearray, memoryview)),
    "os.PathLike": _has_method("__fspath__"),
    "file object": _has_method("read"),
    "soundfile.SoundFile": _has_method("read"),
    "np.random.Generator": _has_method("integers"),
    "np.random.RandomState": _has_method("randint"),
    "DeviceArray": lambda value: isinstance(value, DeviceArray),
    "object": lambda value: True,
    "tuple": lambda value: isinstance(value, tuple),
    "tuple of int": lambda value: isinstance(value, tuple) and all(map(_is_int, value)),
    "list": lambda value: isinstance(value, list),
    "dtype": lambda value: _is_dtype(value, "biufc"),
    "data type": lambda value: _is_dtype(value, "biufc"),
    "dtype_like": lambda value: _is_dtype(value, "biufc"),
    "real dtype": lambda value: _is_dtype(value, "biuf"),
    "complex dtype": lambda value: _is_dtype(value, "c"),
}

_LIMITS = (
    (r"> (\S+)", lambda x, low: x > low),
    (r">= (\S+)", lambda x, low: x >= low),
    (r"< (\S+)", lambda x, high: x < high),
    (r"(?:in|from) (\S+) (?:\.\.|to) (\S+)", lambda x, low, high: low <= x <= high),
    (r"in \[(\S+), (\S+)\]", lambda x, low, high: low <= x <= high),
    (r"in \((\S+), (\S+)\)", lambda x, low, high: low < x < high),
    (r"between (\S+) and (\S+)", lambda x, low, high: low < x < high),
)


def _number_check(phrase):
    """A number with limits; a limit that is no number (`n_fft`) is none here."""
    kind, _, limit = phrase.partition(" ")
    fits = _is_int if kind == "int" else is_number
    for pattern, holds in _LIMITS:
        match = re.fullmatch(pattern, limit)
        if match:
            low, *high = match.groups()
            ends = [_as_limit(low, -math.inf), *(_as_limit(end, math.inf) for end in high)]
            return lambda value: fits(value) and bool(holds(value, *ends))
    return fits


def _as_limit(text, otherwise):
    try:
        return float(text)
    except ValueError:
        return otherwise


def _array_check(phrase):
    words = set(re.findall(r"[a-z-]+", phrase.partition("]")[2] or phrase))
    kinds = "biufc"
    if "floating-point" in words:
        kinds = "f"
    elif "complex" in words:
        kinds = "biufc" if "real" in words else "c"
    elif words & {"real", "non-negative"}:
        kinds = "biuf"
    elif "int" in words:
        kinds = "biu"
    shape = re.search(r"shape[= ]\(([^)]*)\)(?!,? ?\()", phrase)
    sizes = [size.strip() for size in shape[1].split(",") if size.strip()] if shape else ["..."]
    is_exact = phrase.startswith("np.ndarray")

    def fits(value):
        if is_exact and not (hasattr(value, "dtype") and hasattr(value, "shape")):
            return False
        try:
            array = value if is_exact else np.asarray(value)
        except Exception:
            return False
        if array.dtype.kind not in kinds and not (array.ndim and 0 in array.shape):
            return False
        if "..." in sizes:
            return array.ndim >= max(len(sizes) - sizes.count("..."), " of " in phrase)
        return array.ndim == len(sizes) and all(
            not size.isdigit() or int(size) == n for size, n in zip(sizes, array.shape, strict=True)
        )

    return fits


def _items_check(phrase):
    """A sequence or iterable, of what else is said of its items."""
    items = _WORDS.get(phrase.partition(" of ")[2])
    kinds = {"int": "biu", "float": "biuf", "number": "biuf"}.get(phrase.partition(" of ")[2])

    def fits(value):
        if not hasattr(value, "__iter__") or getattr(value, "ndim", 1) == 0:
            return False
        if kinds and len(value):
            return np.asarray(value).dtype.kind in kinds
        return items is None or all(items(each) for each in value)

    return fits


def _check(alternative):
    """The check of one alternative, or None where a word of it is not known."""
    if alternative in _WORDS:
        return _WORDS[alternative]
    kind = re.match(r"[\w.]*", alternative)[0]
    if kind in ("int", "float", "number"):
        return _number_check(alternative)
    if kind in ("np.ndarray", "array_like"):
        return _array_check(alternative)
    if kind in ("sequence", "iterable"):
        return _items_check(alternative)
    if method := re.search(r"with a method `(\w+)`", alternative):
        return _has_method(method[1])
    if re.fullmatch(r"\(\w+, \w+\)", alternative):  # a value for each of two things
        return lambda value: isinstance(value, (tuple, list)) and len(value) == 2
    try:
        wanted = literal_eval(re.sub(r"(np\.)?inf", "1e999", alternative))
    except (ValueError, SyntaxError):
        return None
    return lambda value: _is_equal(value, wanted)


def _is_equal(value, wanted):
    if is_number(wanted) and not isinstance(wanted, bool):
        return is_number(value) and bool(value == wanted)
    return type(value) is type(wanted) and value == wanted


# Phrases that only qualify the alternative before them: "np.ndarray, real", "array_like, shape
# (n,)".
_QUALITIES = re.compile(r"real|complex|non-negative|floating-point|finite|shape\b|of ")
_SEPARATOR = re.compile(r",\s+or\s+|\s+or\s+|,\s+")


def _alternatives(phrase):
    """The parts between commas and `or` that no bracket encloses, each with its qualities."""
    phrase = re.sub(r"[{}]", "", phrase)
    parts, begin = [], 0
    for found in _SEPARATOR.finditer(phrase):
        before = phrase[: found.start()]
        if before.count("(") + before.count("[") == before.count(")") + before.count("]"):
            parts.append(phrase[begin : found.start()])
            begin = found.end()
    parts.append(phrase[begin:])
    joined = []
    for part in parts:
        if joined and _QUALITIES.match(part):
            joined[-1] += " " + part
        # "optional" allows None only if that is the default, which is checked elsewhere
        elif part != "optional":
            joined.append(part)
    return joined


@functools.lru_cache(maxsize=None)
def _checks(phrase):
    return tuple(_check(alternative) for alternative in _alternatives(phrase))


def accepts(phrase, value):
    """Whether a value is what a phrase says, as far as the phrase is understood."""
    checks = _checks(phrase)
    return None in checks or any(check(value) for check in checks)
