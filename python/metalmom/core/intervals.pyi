# Written by scripts/make_stubs.py from the docstrings.

from typing import Any, Literal, overload
import numpy as np
import numpy.typing as npt
from .._types import Int, Number

__all__ = [
    "interval_frequencies",
    "plimit_intervals",
    "pythagorean_intervals",
]

def interval_frequencies(
    n_bins: Int,
    *,
    fmin: Number,
    intervals: Literal["equal", "pythagorean", "ji3", "ji5", "ji7"] | npt.ArrayLike,
    bins_per_octave: Int = 12,
    tuning: Number = 0.0,
    sort: bool = True,
) -> npt.NDArray[np.float64]: ...
@overload
def plimit_intervals(
    *,
    primes: npt.ArrayLike,
    bins_per_octave: Int = 12,
    sort: bool = True,
    return_factors: Literal[False] = False,
) -> npt.NDArray[np.float64]: ...
@overload
def plimit_intervals(
    *,
    primes: npt.ArrayLike,
    bins_per_octave: Int = 12,
    sort: bool = True,
    return_factors: Literal[True],
) -> list[dict[str, Any]]: ...
@overload
def plimit_intervals(
    *,
    primes: npt.ArrayLike,
    bins_per_octave: Int = 12,
    sort: bool = True,
    return_factors: bool = False,
) -> npt.NDArray[np.float64] | list[dict[str, Any]]: ...
@overload
def pythagorean_intervals(
    *,
    bins_per_octave: Int = 12,
    sort: bool = True,
    return_factors: Literal[False] = False,
) -> npt.NDArray[np.float64]: ...
@overload
def pythagorean_intervals(
    *,
    bins_per_octave: Int = 12,
    sort: bool = True,
    return_factors: Literal[True],
) -> list[dict[str, Any]]: ...
@overload
def pythagorean_intervals(
    *,
    bins_per_octave: Int = 12,
    sort: bool = True,
    return_factors: bool = False,
) -> npt.NDArray[np.float64] | list[dict[str, Any]]: ...
