"""Every public function with arguments in and out of their declared kinds.

The rules of a signature say what is drawn: values that a rule accepts, mostly, and others. What may come out is a
result, or an error that names an argument. Arguments stay as they were, the same call gives the same bits, and
arrays that lie otherwise in memory give the same numbers.
"""

import functools
import inspect
import itertools
import os
import typing
import warnings

import hostile_calls
import metalmom
import numpy as np
from metalmom.util import _signatures

from .draw import expect, lasting_at_most, limit_memory, storm

SECONDS = 2.0
MOST_WARNINGS = 100
# The draws that end a call by themselves, and what writes where a name says, or waits for the world.
LEFT_OUT = {
    "separate",
    "extract",
    "verify_features",
    "open_features",
    "cite",
    "example",
    "util.list_examples",
}


class Subclass(np.ndarray):
    """An array of a class that NumPy does not know."""


@functools.cache
def functions():
    return {name: function for name, function in hostile_calls.functions() if name not in LEFT_OUT}


@functools.cache
def words():
    """All words that any function takes, and some that none does."""
    found = {
        "",
        "nope",
        "C4",
        "hann",
        "constant",
        "reflect",
        "linear_ramp",
        "C:maj",
        "A#-1",
        "kafi",
        "float32",
        "é",
    }

    def collect(hint):
        if typing.get_origin(hint) is typing.Literal:
            found.update(each for each in typing.get_args(hint) if isinstance(each, str))
        else:
            for each in typing.get_args(hint):
                collect(each)

    for function in functions().values():
        for hint in _signatures.hints_of(function).values():
            collect(hint)
    return sorted(found)


DTYPES = [
    "f4",
    "f8",
    ">f4",
    ">f8",
    "f2",
    "g",
    "i1",
    "u1",
    "i2",
    ">i4",
    "i8",
    "u8",
    "?",
    "c8",
    "c16",
    ">c8",
    "O",
    "U3",
    "M8[s]",
]
SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 1e-310, 3e38, -1.0, 0.0, 1e-20]


def size(draw):
    return draw.one([0, 1, 2, 3, 7, 16, 33, 64, 100, 257, 511, 1024, 2500])


def numbers(draw, shape):
    """An array of a shape: of a kind, of a scale, and with some special values."""
    dtype = np.dtype(draw.one(["f4", "f8"] if draw.chance(0.6) else DTYPES))
    if dtype.kind in "OUM":
        return np.zeros(shape, "i4").astype(dtype)
    values = draw.random.standard_normal(shape) * draw.one([1, 1, 1, 1e-6, 100, 0])
    if draw.chance(0.4):
        values = np.abs(values)
    if dtype.kind == "c":
        values = values + 1j * draw.random.standard_normal(shape)
    values = np.asarray(values)
    if draw.chance(0.15) and values.size:
        values.flat[draw.below(values.size)] = draw.one(SPECIAL)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return values.astype(dtype)


def laid_otherwise(draw, array):
    """The same numbers in an array that lies otherwise in memory, or is of another class."""
    array = np.asarray(array)
    if not array.ndim:
        return array.copy()
    how = draw.below(8)
    if how == 0:
        twice = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        twice[..., ::2] = array
        return twice[..., ::2]
    if how == 1:
        return np.ascontiguousarray(array[..., ::-1])[..., ::-1]
    if how == 2:
        return np.asfortranarray(array)
    if how == 3:
        array = array.copy()
        array.flags.writeable = False
        return array
    if how == 4:
        return array.view(Subclass)
    if how == 5 and array.dtype.kind in "iufc":
        return array.astype(array.dtype.newbyteorder())
    if how == 6 and array.size and array.dtype != object:
        bytes_ = np.zeros(array.nbytes + 1, np.uint8)[1:]
        unaligned = bytes_.view(array.dtype).reshape(array.shape)
        unaligned[...] = array
        return unaligned
    if array.ndim > 1:
        return np.ascontiguousarray(array.T).T
    return array.copy()


def any_array(draw):
    shape = draw.one(
        [
            (size(draw),),
            (size(draw),),
            (2, size(draw)),
            (size(draw) % 65, size(draw) % 65),
            (),
            (1, 2, size(draw)),
        ]
    )
    array = numbers(draw, shape)
    return laid_otherwise(draw, array) if draw.chance(0.3) else array


def any_number(draw):
    kind = draw.below(8)
    whole = draw.one([-1, 0, 1, 2, 3, 5, 12, 40, 64, 100, 512, 2048, 22050])
    if kind < 3:
        return whole
    if kind == 3:
        return float(draw.one([0.0, 0.5, 1.0, 2.0, -0.5, 110.0, 440.0, 8000.0, 1e-9]))
    if kind == 4:
        return draw.one([np.int8, np.int64, np.float32, np.float64, np.uint16, np.float16])(abs(whole) % 100)
    if kind == 5:
        return np.array(draw.one([whole, float(whole)]))
    if kind == 6:
        return float(draw.random.uniform(-2, 2))
    return draw.one([np.nan, np.inf, -np.inf, 10**9, 2**31, 2**63, 10**30, 1e300, -(10**18), True, -0.0])


def value(draw, depth=0):
    """A value of any kind that callers may give."""
    kind = draw.below(12)
    if kind < 4:
        return any_number(draw)
    if kind < 7:
        return any_array(draw)
    if kind == 7:
        return draw.one(words())
    if kind == 8 and depth < 2:
        several = [value(draw, depth + 1) for _ in range(draw.below(4))]
        return draw.one([list, tuple])(several)
    if kind == 9:
        return [any_number(draw) for _ in range(draw.below(6))]
    if kind == 10:
        return draw.one([None, True, False, {}, b"x", object(), slice(0, 9), 1j, {"a": 1}, "x" * 5000])
    return draw.one(
        [
            np.mean,
            np.max,
            np.median,
            len,
            np.hanning,
            lambda *_, **__: None,
            np.float32,
            "c8",
            np.dtype(">f8"),
            float,
        ]
    )


def accepted(draw, rule):
    """A value that a rule accepts, if one is found soon."""
    for _ in range(40):
        drawn = value(draw)
        if rule.accepts(drawn):
            return drawn
    return None


def drawn_arguments(draw, name, function):
    """Arguments of a call: ordinary ones, some of which are drawn."""
    ordinary, names = hostile_calls.arguments_of(name, function)
    rules = _signatures.rules(function)
    for key, given in ordinary.items():
        if isinstance(given, np.ndarray) and draw.chance(0.3):
            ordinary[key] = laid_otherwise(draw, given)
    chosen = (
        [each for each in draw.some(names, 4) if (name, each) not in hostile_calls.ENDLESS] if names else []
    )
    for key in chosen:
        rule = rules.get(key)
        if rule is not None and draw.chance(0.65):
            ordinary[key] = accepted(draw, rule)
        else:
            ordinary[key] = value(draw)
        if key in ("path",) and isinstance(ordinary[key], (int, np.integer, str, bytes)):
            ordinary[key] = "short.wav"  # no descriptor of this process, and no other file
    if "y" in names and chosen and draw.chance(0.5):
        for key in ("S", "onset_envelope", "tg", "path"):
            if key in chosen:
                ordinary["y"] = None
    return ordinary


def shown(arguments):
    with np.printoptions(threshold=12):
        return ", ".join(f"{key}={_shown(each)}" for key, each in arguments.items())


def _shown(each):
    if isinstance(each, np.ndarray) and each.size > 4:
        names = {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "W": "WRITEABLE", "A": "ALIGNED"}
        flags = "".join(letter for letter, name in names.items() if each.flags[name])
        return f"<{type(each).__name__} {each.dtype.str} {each.shape} {flags}>"
    return repr(each)[:200]


def bits_of(given):
    """The bits of all arrays in a value, which a call may not change."""
    if isinstance(given, np.ndarray):
        return [given.tobytes() if given.dtype != object else repr(given)]
    if isinstance(given, (list, tuple)):
        return list(itertools.chain.from_iterable(map(bits_of, given)))
    return []


def called(function, positional, arguments):
    """The result of a call and its error; of a generator what it gives first."""
    try:
        result = function(*positional, **arguments)
        if inspect.isgenerator(result):
            result = list(itertools.islice(result, 2))
    except Exception as error:  # noqa: BLE001
        return None, error
    return result, None


def same(one, other):
    """Whether two results are of the same bits."""
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and one.dtype.char in "gG":  # whose bytes are not all of their numbers
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
    if isinstance(one, np.ndarray) and one.dtype != object:
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    return True


def close(one, other):
    """Whether two results are of the same shapes, and of numbers as near as sums in another order are."""
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(close, one, other))
    if isinstance(one, np.ndarray) and one.dtype.kind in "fc" and one.size:
        if one.dtype.kind != other.dtype.kind or one.shape != other.shape:
            return (
                False  # the precision may be less: of a foreign byte order complex64 is made, as by librosa
            )
        finite = np.isfinite(one)
        peak = max(1e-30, float(np.abs(one[finite]).max(initial=0)))
        return np.allclose(one, other, rtol=1e-3, atol=1e-4 * peak, equal_nan=True)
    if isinstance(one, np.ndarray):
        return one.shape == np.shape(other)
    return True


@functools.cache
def prepared():
    """What calls find in the folder that they run in."""
    metalmom.demo.write_wav("short.wav", 0.02)
    metalmom.set_config(threads=2)
    limit_memory()
    np.random.seed(0)
    os.environ["MPLBACKEND"] = "agg"


RANDOM = {"random_state", "rng", "seed"}


def attempt(draw):
    prepared()
    name = draw.one(sorted(functions()))
    function = functions()[name]
    arguments = drawn_arguments(draw, name, function)
    takes_any = any(
        each.kind is each.VAR_POSITIONAL for each in inspect.signature(function).parameters.values()
    )
    positional = [hostile_calls.SIGNAL if draw.chance(0.7) else value(draw)] if takes_any else []
    draw.say(f"{name}({shown(arguments)})" + (f" of {_shown(positional[0])}" if positional else ""))
    before = [bits_of(each) for each in (*positional, *arguments.values())]
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        result, error = lasting_at_most(SECONDS, lambda: called(function, positional, arguments))
    expect(len(given) <= MOST_WARNINGS, f"{len(given)} warnings")
    for each in given:
        if each.category is UserWarning or " encountered in " in str(
            each.message
        ):  # ours, and NumPy's of arithmetic
            expect(
                "/metalmom/" not in each.filename,
                f"a warning names {each.filename}:{each.lineno}: {each.message}",
            )
    outs = {"out", "x"} if name == "util.fill_off_diagonal" else {"out"}  # which are written
    keys = ["*"] * len(positional) + [*arguments]
    for key, old, each in zip(keys, before, (*positional, *arguments.values()), strict=True):
        expect(key in outs or bits_of(each) == old, f"the call has changed {key}")
    if error is not None:
        if isinstance(error, (ImportError, OSError, MemoryError)):
            return
        from_user = any(callable(each) for each in arguments.values())
        names = [*hostile_calls.arguments_of(name, function)[1], *arguments]
        is_told = getattr(error, "argument", None) in names or hostile_calls.is_told_well(
            error, function, names
        )
        if not is_told and not from_user:
            raise error
        return
    if RANDOM & inspect.signature(function).parameters.keys() or name.startswith(("demo.", "set_")):
        return
    if draw.chance(0.1):
        draw.say("a storm of it")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            storm(draw, lambda: called(function, positional, arguments))
    again, failed = lasting_at_most(SECONDS, lambda: silent(function, positional, arguments))
    if isinstance(failed, MemoryError):
        return
    expect(failed is None, f"the same call fails the second time: {failed!r}")
    expect(same(result, again), "the same call gives other bits")
    otherwise = {key: laid_otherwise(draw, each) if isinstance(each, np.ndarray) and key not in outs else each
                 for key, each in arguments.items()}  # fmt: skip
    draw.say(f"again, laid otherwise: {shown(otherwise)}")
    other, failed = lasting_at_most(SECONDS, lambda: silent(function, positional, otherwise))
    if isinstance(failed, MemoryError):
        return
    expect(failed is None, f"arrays that lie otherwise are refused: {failed!r}")
    expect(close(result, other), f"arrays that lie otherwise give {other!r} and not {result!r}")


def silent(function, positional, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return called(function, positional, arguments)
