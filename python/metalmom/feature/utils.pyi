# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Sequence
from typing import Any, Literal, overload
import numpy as np
import numpy.typing as npt
from .._native import DeviceArray
from .._types import Int

__all__ = [
    "delta",
    "stack_memory",
]

@overload
def delta(
    data: Sequence[Any] | npt.NDArray[Any],
    *,
    width: Int = 9,
    order: Int = 1,
    axis: Int = -1,
    mode: Literal["interp", "nearest", "mirror", "constant", "wrap"] = "interp",
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def delta(
    data: DeviceArray,
    *,
    width: Int = 9,
    order: Int = 1,
    axis: Int = -1,
    mode: Literal["interp", "nearest", "mirror", "constant", "wrap"] = "interp",
    **kwargs: Any,
) -> DeviceArray: ...
def stack_memory(
    data: npt.ArrayLike,
    *,
    n_steps: Int = 2,
    delay: Int = 1,
    **kwargs: Any,
) -> npt.NDArray[Any]: ...
