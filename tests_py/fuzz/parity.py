"""Reference cases with other arguments, by librosa too, where it is installed: its numbers, or an error that says why.

A case of the reference table is called with some of its arguments changed: other sizes and choices that the
declarations accept, other types, lengths and channels of arrays, values that are not numbers. What librosa answers,
metalmom answers with the same shapes, types and numbers; it may refuse in a sentence what librosa computes.
"""

import functools
import importlib.util
import operator

import metalmom
import numpy as np
import reference_cases
from metalmom.util import _signatures
from reference_signals import Signal, resolve

from .draw import Lasted, expect, lasting_at_most, limit_memory
from .functions import accepted, shown, silent

SECONDS = 20.0
ABSOLUTE = 2e-6  # of float32: a difference of decibels that is 0 has an error
LEAST, MOST = 1e-30, 1e6  # subnormal numbers are zeros here (docs/parity.md); what is larger overflows in places
# Files, pictures, what starts at random, and where librosa reads outside of its arrays.
LEFT_OUT = (
    *("cite", "example", "show_versions", "util.find_files", "util.list_examples", "display."),
    *("decompose.decompose", "sequence.rqa", "sequence.dtw_backtracking", "util.match_events"),
)


@functools.cache
def librosa():
    if importlib.util.find_spec("librosa") is None:
        return None
    limit_memory()
    return importlib.import_module("librosa")


@functools.cache
def cases():
    def reads_a_file(case):
        given = (*case.args, *case.kwargs.values())
        return any(isinstance(each, Signal) and each.form != "array" for each in given)

    every = reference_cases.all_cases()
    return [case for case in every if not case.function.startswith(LEFT_OUT) and not reads_a_file(case)]


def other_array(draw, given):
    """An array with another length, type, number of channels, scale or a value that is not one."""
    how = draw.below(9)
    if how == 0 and given.shape[-1:] > (1,):
        return given[..., : 1 + draw.below(given.shape[-1])]
    if how == 1 and given.ndim:
        return np.stack([given, given[..., ::-1]])
    if how == 2 and given.dtype.kind in "fc":
        return given.astype(given.real.dtype.char.replace("f", "d") if given.dtype.kind == "f" else "c16")
    if how == 3 and given.dtype.kind == "f":
        return given.astype("f4")
    if how == 4 and given.ndim:
        return np.ascontiguousarray(given[..., ::-1])[..., ::-1]
    if how == 5 and given.dtype.kind in "fc":
        return given * given.dtype.type(draw.one([1e-4, 100, -1, 0]))
    if how == 6 and given.dtype.kind in "fc" and given.size:
        given = given.copy()
        given.flat[draw.below(given.size)] = draw.one([np.nan, np.inf, 0])
        return given
    if how == 7:
        return np.asfortranarray(given)
    return given[..., ::2]


def other(draw, given, rule):
    """Another value in place of an argument."""
    if isinstance(given, np.ndarray) and given.ndim:
        return other_array(draw, given)
    if isinstance(given, bool):
        return not given
    if isinstance(given, (int, np.integer)) and draw.chance(0.8):
        return draw.one([given + 1, max(given - 1, 0), 2 * given, given // 2, given // 3 + 1, 1, float(given)])
    if isinstance(given, (float, np.floating)) and draw.chance(0.8):
        return draw.one([given * 1.1, given / 3, -given, 0.0, np.rint(given), np.float32(given)])
    return accepted(draw, rule) if rule is not None else given


def arguments_of(draw, case, function):
    positional, keywords = list(resolve(case.args)), resolve(case.kwargs)
    rules = _signatures.rules(function)
    for _ in range(1 + draw.below(3)):
        names = sorted(rules.keys() | keywords.keys())
        if not positional and not names:
            break
        at = draw.below(len(positional) + len(names))
        if at < len(positional):
            positional[at] = other(draw, positional[at], None)
            continue
        name = names[at - len(positional)]
        if name in keywords:
            keywords[name] = other(draw, keywords[name], rules.get(name))
        elif draw.chance(0.4) and name not in list(rules)[: len(positional)]:
            keywords[name] = accepted(draw, rules[name])
    return positional, keywords


def like(ours, theirs, tolerance):
    """What tells two results apart, or None."""
    try:
        ours, theirs = reference_cases.arrays_of(ours), reference_cases.arrays_of(theirs)
    except ValueError:  # rows of several lengths
        return None if repr(ours) == repr(theirs) else f"{ours!r} and not {theirs!r}"
    if len(ours) != len(theirs):
        return f"{len(ours)} arrays and not {len(theirs)}"
    for one, other in zip(ours, theirs):
        if one.shape != other.shape or one.dtype != other.dtype:
            return f"{one.dtype} {one.shape} and not {other.dtype} {other.shape}"
        if one.dtype.kind not in "fc":
            different = np.mean(one != other) if one.size else 0
            if different > (0.02 if one.dtype.kind in "iub" else 0):
                return f"{different:.0%} of the values differ: {one!r} and not {other!r}"
            continue
        finite = np.isfinite(other)
        peak = max(np.abs(other[finite]).max(initial=0), LEAST)
        if peak > 1e30 or np.isinf(other).any():  # it overflows, sooner or later
            continue
        if not np.array_equal(np.isfinite(one), finite):
            return f"{(np.isfinite(one) != finite).sum()} of {one.size} are finite on one side alone"
        error = np.abs(one[finite].astype("c16") - other[finite]).max(initial=0)
        if error > max(tolerance * peak, ABSOLUTE if tolerance > 1e-6 else 0):
            return f"{error:.2e} apart, with {peak:.2e} at most"
    return None


def is_ordinary(given):
    """Whether both must give the same numbers: NaN and infinity spread otherwise, NumPy's scalars change types."""
    if isinstance(given, np.ndarray):
        of_engine = given.dtype.kind in "fc" and given.real.dtype.itemsize <= 8
        return given.ndim > 0 and of_engine and bool(np.isfinite(given).all())
    if isinstance(given, np.generic):
        return False
    return not isinstance(given, (int, float)) or abs(given) < MOST


def is_beyond(case, keywords):
    """SciPy's medians are wrong where a window is many times as long as the data; great powers over- and underflow."""
    exponents = [each for name in ("norm", "power") if isinstance(each := keywords.get(name), (int, float))]
    medians = case.function.endswith(("hpss", "harmonic", "percussive"))
    is_random = None in (keywords.get("rng", 0), keywords.get("random_state", 0))
    is_kaiser = isinstance(keywords.get("window"), (int, float))
    return medians or is_random or is_kaiser or max(exponents, default=0) > 50


def attempt(draw):
    if librosa() is None:
        raise Lasted
    case = draw.one(cases())
    function, theirs = (operator.attrgetter(case.function)(library) for library in (metalmom, librosa()))
    positional, keywords = arguments_of(draw, case, function)
    given = (*positional, *keywords.values())
    if not all(map(is_ordinary, given)) or is_beyond(case, keywords):
        return
    draw.say(f"{case.id}: {case.function}({shown({**dict(enumerate(positional)), **keywords})})")
    expected, failed = lasting_at_most(SECONDS, lambda: silent(theirs, positional, keywords))
    result, error = lasting_at_most(SECONDS, lambda: silent(function, positional, keywords))
    if failed is not None:
        return  # what librosa does not compute, the machine `functions` looks at
    if error is not None:
        if getattr(error, "argument", None) is None and not isinstance(error, MemoryError):
            raise error
        return
    arrays = [each for each in given if isinstance(each, np.ndarray)]
    is_double = all(each.real.dtype.itemsize >= 8 for each in arrays)
    difference = like(result, expected, 1e-6 if is_double else 1e-3)
    expect(difference is None, difference)
