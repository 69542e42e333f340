# Written by scripts/make_stubs.py from the docstrings.

from typing import Any, Literal
import numpy.typing as npt

__all__ = [
    "convolve",
]

def convolve(
    x: npt.ArrayLike,
    h: npt.ArrayLike,
    *,
    mode: Literal["full", "same", "valid"] = "full",
    method: Literal["auto", "direct", "fft", "overlap_save", "partitioned"] = "auto",
) -> npt.NDArray[Any]: ...
