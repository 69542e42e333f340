# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable, Sequence
from typing import Any
import numpy as np
import numpy.typing as npt
from .._types import Int, Number

__all__ = [
    "f0_harmonics",
    "interp_harmonics",
    "salience",
]

def f0_harmonics(
    x: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    f0: npt.NDArray[Any],
    freqs: npt.NDArray[Any],
    harmonics: Sequence[Number] | npt.NDArray[np.floating[Any] | np.integer[Any]],
    kind: str | Int = "linear",
    fill_value: Number = 0,
    axis: Int = -2,
) -> npt.NDArray[np.float64]: ...
def interp_harmonics(
    x: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    freqs: npt.NDArray[Any],
    harmonics: Sequence[Number] | npt.NDArray[np.floating[Any] | np.integer[Any]],
    kind: str | Int = "linear",
    fill_value: Number = 0,
    axis: Int = -2,
) -> npt.NDArray[np.float64]: ...
def salience(
    S: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    freqs: npt.NDArray[Any],
    harmonics: Sequence[Number] | npt.NDArray[np.floating[Any] | np.integer[Any]],
    weights: Sequence[Number] | npt.NDArray[np.floating[Any] | np.integer[Any]] | None = None,
    aggregate: Callable[..., Any] | None = None,
    filter_peaks: bool = True,
    fill_value: Number = ...,
    kind: str | Int = "linear",
    axis: Int = -2,
) -> npt.NDArray[np.float64]: ...
