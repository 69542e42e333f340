# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable
from typing import Any, TypeVar, overload
import numpy as np
import numpy.typing as npt
from ._native import DeviceArray
from ._types import Int, Number, SparseArray

_Scalar = TypeVar("_Scalar", bound=np.generic)

__all__ = [
    "decompose",
    "hpss",
    "nn_filter",
]

def decompose(
    S: npt.NDArray[Any],
    *,
    n_components: Int | None = None,
    transformer: object | None = None,
    sort: bool = False,
    fit: bool = True,
    **kwargs: Any,
) -> tuple[npt.NDArray[np.floating[Any]], npt.NDArray[np.floating[Any]]]: ...
@overload
def hpss(
    S: npt.NDArray[np.inexact[Any]],
    *,
    kernel_size: Int | tuple[Int, Int] = 31,
    power: Number = 2.0,
    mask: bool = False,
    margin: Number | tuple[Number, Number] = 1.0,
) -> tuple[npt.NDArray[np.inexact[Any]], npt.NDArray[np.inexact[Any]]]: ...
@overload
def hpss(
    S: DeviceArray,
    *,
    kernel_size: Int | tuple[Int, Int] = 31,
    power: Number = 2.0,
    mask: bool = False,
    margin: Number | tuple[Number, Number] = 1.0,
) -> tuple[DeviceArray, DeviceArray]: ...
def nn_filter(
    S: npt.NDArray[_Scalar],
    *,
    rec: npt.NDArray[Any] | SparseArray | None = None,
    aggregate: Callable[..., Any] | None = None,
    axis: Int = -1,
    **kwargs: Any,
) -> npt.NDArray[_Scalar]: ...
