# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Sequence
from typing import Any, Literal, overload
import numpy.typing as npt
from ._native import DeviceArray

__all__ = [
    "convolve",
]

@overload
def convolve(
    x: Sequence[Any] | npt.NDArray[Any],
    h: Sequence[Any] | npt.NDArray[Any],
    *,
    mode: Literal["full", "same", "valid"] = "full",
    method: Literal["auto", "direct", "fft", "overlap_save", "partitioned"] = "auto",
) -> npt.NDArray[Any]: ...
@overload
def convolve(
    x: DeviceArray,
    h: npt.ArrayLike | DeviceArray,
    *,
    mode: Literal["full", "same", "valid"] = "full",
    method: Literal["auto", "direct", "fft", "overlap_save", "partitioned"] = "auto",
) -> DeviceArray: ...
@overload
def convolve(
    x: npt.ArrayLike | DeviceArray,
    h: DeviceArray,
    *,
    mode: Literal["full", "same", "valid"] = "full",
    method: Literal["auto", "direct", "fft", "overlap_save", "partitioned"] = "auto",
) -> DeviceArray: ...
