# Written by scripts/make_stubs.py from the docstrings.

from typing import Any, Literal
import numpy as np
import numpy.typing as npt
from .._types import Int

__all__ = [
    "delta",
    "stack_memory",
]

def delta(
    data: npt.ArrayLike,
    *,
    width: Int = 9,
    order: Int = 1,
    axis: Int = -1,
    mode: Literal["interp", "nearest", "mirror", "constant", "wrap"] = "interp",
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
def stack_memory(
    data: npt.ArrayLike,
    *,
    n_steps: Int = 2,
    delay: Int = 1,
    **kwargs: Any,
) -> npt.NDArray[Any]: ...
