"""Intervals of the octave: Pythagorean, just and equal sets, and their frequencies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import numpy as np
from ..util._public import public
from ..util._types import Array, ArrayLike, Float, Float64Array, Indices, Int, Number

from ..util._checks import natural_int, require, require_count
from ..util.exceptions import ParameterError
from ._interval_lattice import grow
from .convert import cqt_frequencies

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["interval_frequencies", "plimit_intervals", "pythagorean_intervals"]

# Tables of just intonation by their largest prime.
_LIMITS = {"ji3": (3,), "ji5": (3, 5), "ji7": (3, 5, 7)}


class _Which(TypedDict, total=False):
    bins_per_octave: Int
    sort: bool


@public
def interval_frequencies(
    n_bins: Int,
    *,
    fmin: Number,
    intervals: Literal["equal", "pythagorean", "ji3", "ji5", "ji7"] | ArrayLike,
    bins_per_octave: Int = 12,
    tuning: Float = 0.0,
    sort: bool = True,
) -> Float64Array:
    """Frequencies that repeat a set of intervals in every octave.

    Parameters
    ----------
    n_bins : int
        Number of frequencies.
    fmin : number
        Lowest frequency in Hz.
    intervals : {'equal', 'pythagorean', 'ji3', 'ji5', 'ji7'} or array_like
        Equal temperament, `pythagorean_intervals`, `plimit_intervals` of the primes up to 3, 5 or
        7; or ratios to the lowest frequency, from 1 to below 2.
    bins_per_octave : int
        Size of the set, if it is named.
    tuning : float
        Deviation in bins, for ``intervals="equal"``.
    sort : bool
        In ascending order; otherwise as the set is constructed.

    Returns
    -------
    np.ndarray of float64, shape (n_bins,)
        Frequencies in Hz.

    Raises
    ------
    ParameterError
        If there is no such set, or a number is out of range.

    Examples
    --------
    >>> metalmom.interval_frequencies(4, fmin=100, intervals=[1, 1.5])
    array([100., 150., 200., 300.])
    """
    natural_int("n_bins", n_bins)
    require(0 < fmin < np.inf, "fmin", fmin, "a number > 0")
    if not isinstance(intervals, str):
        ratios: Array = np.asarray(intervals, dtype=np.float64).ravel()
        require(ratios.size and np.all(ratios > 0), "intervals", intervals, "positive ratios")
    elif intervals == "equal":
        require_count("bins_per_octave", bins_per_octave)
        ratios = cqt_frequencies(bins_per_octave, fmin=1.0, bins_per_octave=bins_per_octave, tuning=tuning)
    elif intervals == "pythagorean":
        ratios = pythagorean_intervals(bins_per_octave=bins_per_octave, sort=sort)
    elif intervals in _LIMITS:
        primes = _LIMITS[intervals]
        ratios = plimit_intervals(primes=primes, bins_per_octave=bins_per_octave, sort=sort)
    else:
        names = ", ".join(["equal", "pythagorean", *_LIMITS])
        raise ParameterError("intervals", intervals, f"one of {names}, or ratios")
    octaves = 2.0 ** np.arange(-(-n_bins // len(ratios)))
    frequencies: Float64Array = np.multiply.outer(octaves, ratios).ravel()[:n_bins]
    return fmin * (np.sort(frequencies) if sort else frequencies)


def _factors(pairs: Iterable[tuple[int, int]]) -> dict[Any, int]:
    """Prime factors as a dict, those that do not occur left out."""
    return {prime: power for prime, power in pairs if power}


@overload
def pythagorean_intervals(
    *, return_factors: Literal[False] = ..., **which: Unpack[_Which]
) -> Float64Array: ...
@overload
def pythagorean_intervals(
    *, return_factors: Literal[True], **which: Unpack[_Which]
) -> list[dict[int, int]]: ...
@overload
def pythagorean_intervals(
    *, return_factors: bool = ..., **which: Unpack[_Which]
) -> Float64Array | list[dict[int, int]]: ...
@public
def pythagorean_intervals(
    *,
    bins_per_octave: Int = 12,
    sort: bool = True,
    return_factors: bool = False,
) -> Float64Array | list[dict[int, int]]:
    """Intervals of stacked perfect fifths (3/2), reduced to one octave.

    Parameters
    ----------
    bins_per_octave : int
        Number of intervals.
    sort : bool
        In ascending order, otherwise in the order of fifths.
    return_factors : bool
        Return prime factors instead of ratios.

    Returns
    -------
    np.ndarray of float64, or list of dict if `return_factors`
        Ratios from 1 to below 2; or their factors, ``{2: -1, 3: 1}`` for 3/2.

    Raises
    ------
    ParameterError
        If `bins_per_octave` is not a positive integer.

    Examples
    --------
    >>> metalmom.pythagorean_intervals(bins_per_octave=5)
    array([1.      , 1.125   , 1.265625, 1.5     , 1.6875  ])
    """
    require_count("bins_per_octave", bins_per_octave)
    threes = np.arange(bins_per_octave)
    logs = threes * np.log2(3)
    twos = -np.floor(logs).astype(int)
    order = np.argsort(logs + twos, kind="stable") if sort else threes
    if return_factors:
        return [{2: int(twos[i]), 3: int(threes[i])} for i in order]
    return (2.0 ** (logs + twos))[order]


# Every new interval is compared with all others: beyond this number a call would take too long.
_MOST_INTERVALS = 4096


@overload
def plimit_intervals(
    *, primes: Indices, return_factors: Literal[False] = ..., **which: Unpack[_Which]
) -> Float64Array: ...
@overload
def plimit_intervals(
    *, primes: Indices, return_factors: Literal[True], **which: Unpack[_Which]
) -> list[dict[int, int]]: ...
@overload
def plimit_intervals(
    *, primes: Indices, return_factors: bool = ..., **which: Unpack[_Which]
) -> Float64Array | list[dict[int, int]]: ...
@public
def plimit_intervals(
    *,
    primes: Indices,
    bins_per_octave: Int = 12,
    sort: bool = True,
    return_factors: bool = False,
) -> Float64Array | list[dict[int, int]]:
    """Just intervals of some primes: those nearest to each other in harmonic space.

    The set grows from the unison like a crystal: of all intervals a prime away from it, the one
    whose harmonic distances to it (``log2(a b)`` of a ratio a/b without its factors 2) have the
    least sum joins it next.

    Parameters
    ----------
    primes : array_like of int
        Odd primes.
    bins_per_octave : int
        Number of intervals.
    sort : bool
        In ascending order, otherwise as they grow.
    return_factors : bool
        Return prime factors instead of ratios.

    Returns
    -------
    np.ndarray of float64, or list of dict if `return_factors`
        Ratios from 1 to below 2; or their factors, ``{2: -2, 5: 1}`` for 5/4.

    Raises
    ------
    ParameterError
        If `primes` are not odd integers above 1, each given once, or `bins_per_octave` is not a
        positive integer.

    Notes
    -----
    J. Tenney, "On 'Crystal Growth' in harmonic space (1993-1998)" (Contemporary Music Review 27:1,
    2008). Even numbers and repeated primes, for which librosa repeats intervals, are refused.

    Examples
    --------
    >>> metalmom.plimit_intervals(primes=[3, 5], bins_per_octave=5)
    array([1.        , 1.125     , 1.25      , 1.33333333, 1.5       ])
    """
    given = np.atleast_1d(primes)
    is_odd = given.ndim == 1 and given.size > 0 and given.dtype.kind in "iuf"
    if not (is_odd and np.all((given > 1) & (given % 2 == 1)) and _all_differ(given)):
        raise ParameterError("primes", primes, "odd primes, each given once")
    require_count("bins_per_octave", bins_per_octave)
    if bins_per_octave > _MOST_INTERVALS:
        raise ParameterError("bins_per_octave", bins_per_octave, f"at most {_MOST_INTERVALS}")
    points = grow(given, bins_per_octave)
    logs = points @ np.log2(given.astype(np.float64))
    twos = -np.floor(logs).astype(int)
    order = np.argsort(logs + twos, kind="stable") if sort else np.arange(len(points))
    if return_factors:
        names = [2, *given.astype(int).tolist()]
        rows = np.column_stack([twos, points])[order].tolist()
        return [_factors(zip(names, row)) for row in rows]
    return (2.0 ** (logs + twos))[order]


def _all_differ(values: Array) -> bool:
    return len(set(values.tolist())) == len(values)
