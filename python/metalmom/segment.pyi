# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable
from typing import Any, Literal, overload
import numpy as np
import numpy.typing as npt
import scipy.sparse
from ._types import Int, Number, SparseArray

__all__ = [
    "agglomerative",
    "cross_similarity",
    "lag_to_recurrence",
    "path_enhance",
    "recurrence_matrix",
    "recurrence_to_lag",
    "subsegment",
    "timelag_filter",
]

def agglomerative(
    data: npt.NDArray[Any],
    k: Int,
    *,
    clusterer: object | None = None,
    axis: Int = -1,
) -> npt.NDArray[np.integer[Any]]: ...
@overload
def cross_similarity(
    data: npt.NDArray[Any],
    data_ref: npt.NDArray[Any],
    *,
    k: Int | None = None,
    metric: str | Callable[..., Any] = "euclidean",
    sparse: Literal[False] = False,
    mode: Literal["connectivity", "distance", "affinity"] = "connectivity",
    bandwidth: Number | str | npt.NDArray[Any] | None = None,
    full: bool = False,
) -> npt.NDArray[Any]: ...
@overload
def cross_similarity(
    data: npt.NDArray[Any],
    data_ref: npt.NDArray[Any],
    *,
    k: Int | None = None,
    metric: str | Callable[..., Any] = "euclidean",
    sparse: Literal[True],
    mode: Literal["connectivity", "distance", "affinity"] = "connectivity",
    bandwidth: Number | str | npt.NDArray[Any] | None = None,
    full: bool = False,
) -> scipy.sparse.csc_array: ...
@overload
def cross_similarity(
    data: npt.NDArray[Any],
    data_ref: npt.NDArray[Any],
    *,
    k: Int | None = None,
    metric: str | Callable[..., Any] = "euclidean",
    sparse: bool = False,
    mode: Literal["connectivity", "distance", "affinity"] = "connectivity",
    bandwidth: Number | str | npt.NDArray[Any] | None = None,
    full: bool = False,
) -> npt.NDArray[Any] | scipy.sparse.csc_array: ...
def lag_to_recurrence(
    lag: npt.NDArray[Any] | SparseArray,
    *,
    axis: Int = -1,
) -> npt.NDArray[Any] | SparseArray: ...
def path_enhance(
    R: npt.NDArray[Any],
    n: Int,
    *,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    max_ratio: Number = 2.0,
    min_ratio: Number | None = None,
    n_filters: Int = 7,
    zero_mean: bool = False,
    clip: bool = True,
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def recurrence_matrix(
    data: npt.NDArray[Any],
    *,
    k: Int | None = None,
    width: Int = 1,
    metric: str | Callable[..., Any] = "euclidean",
    sym: bool = False,
    sparse: Literal[False] = False,
    mode: Literal["connectivity", "distance", "affinity"] = "connectivity",
    bandwidth: Number | str | npt.NDArray[Any] | None = None,
    self: bool = False,
    axis: Int = -1,
    full: bool = False,
) -> npt.NDArray[Any]: ...
@overload
def recurrence_matrix(
    data: npt.NDArray[Any],
    *,
    k: Int | None = None,
    width: Int = 1,
    metric: str | Callable[..., Any] = "euclidean",
    sym: bool = False,
    sparse: Literal[True],
    mode: Literal["connectivity", "distance", "affinity"] = "connectivity",
    bandwidth: Number | str | npt.NDArray[Any] | None = None,
    self: bool = False,
    axis: Int = -1,
    full: bool = False,
) -> scipy.sparse.csc_array: ...
@overload
def recurrence_matrix(
    data: npt.NDArray[Any],
    *,
    k: Int | None = None,
    width: Int = 1,
    metric: str | Callable[..., Any] = "euclidean",
    sym: bool = False,
    sparse: bool = False,
    mode: Literal["connectivity", "distance", "affinity"] = "connectivity",
    bandwidth: Number | str | npt.NDArray[Any] | None = None,
    self: bool = False,
    axis: Int = -1,
    full: bool = False,
) -> npt.NDArray[Any] | scipy.sparse.csc_array: ...
def recurrence_to_lag(
    rec: npt.NDArray[Any] | SparseArray,
    *,
    pad: bool = True,
    axis: Int = -1,
) -> npt.NDArray[Any] | SparseArray: ...
def subsegment(
    data: npt.NDArray[Any],
    frames: npt.NDArray[np.integer[Any]],
    *,
    n_segments: Int = 4,
    axis: Int = -1,
) -> npt.NDArray[np.integer[Any]]: ...
def timelag_filter(
    function: Callable[..., Any],
    pad: bool = True,
    index: Int = 0,
) -> Callable[..., Any]: ...
