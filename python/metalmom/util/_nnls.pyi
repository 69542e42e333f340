# Written by scripts/make_stubs.py from the docstrings.

from typing import Any
import numpy as np
import numpy.typing as npt

__all__ = [
    "nnls",
]

def nnls(
    A: npt.NDArray[np.floating[Any] | np.integer[Any]],
    B: npt.NDArray[np.floating[Any] | np.integer[Any]],
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
