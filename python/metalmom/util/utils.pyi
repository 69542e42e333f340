# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload
import numpy as np
import numpy.typing as npt
import scipy.sparse
from .._native import DeviceArray
from .._types import Int, Number, SparseArray

_Scalar = TypeVar("_Scalar", bound=np.generic)

__all__ = [
    "MAX_MEM_BLOCK",
    "abs2",
    "axis_sort",
    "buf_to_float",
    "count_unique",
    "cyclic_gradient",
    "dtype_c2r",
    "dtype_r2c",
    "expand_to",
    "fill_off_diagonal",
    "fix_frames",
    "fix_length",
    "frame",
    "index_to_slice",
    "interp_broadcast",
    "is_positive_int",
    "is_unique",
    "localmax",
    "localmin",
    "normalize",
    "pad_center",
    "peak_pick",
    "phasor",
    "shear",
    "softmask",
    "sparsify_rows",
    "stack",
    "sync",
    "tiny",
    "valid_audio",
    "valid_int",
    "valid_intervals",
]

MAX_MEM_BLOCK: int
@overload
def abs2(x: Number, dtype: npt.DTypeLike | None = None) -> float: ...
@overload
def abs2(
    x: Sequence[Any] | npt.NDArray[Any],
    dtype: npt.DTypeLike | None = None,
) -> npt.NDArray[Any]: ...
@overload
def axis_sort(
    S: npt.NDArray[_Scalar],
    *,
    axis: Int = -1,
    index: Literal[False] = False,
    value: Callable[..., Any] | None = None,
) -> npt.NDArray[_Scalar]: ...
@overload
def axis_sort(
    S: npt.NDArray[_Scalar],
    *,
    axis: Int = -1,
    index: Literal[True],
    value: Callable[..., Any] | None = None,
) -> tuple[npt.NDArray[_Scalar], npt.NDArray[np.integer[Any]]]: ...
@overload
def axis_sort(
    S: npt.NDArray[_Scalar],
    *,
    axis: Int = -1,
    index: bool = False,
    value: Callable[..., Any] | None = None,
) -> npt.NDArray[_Scalar] | tuple[npt.NDArray[_Scalar], npt.NDArray[np.integer[Any]]]: ...
def buf_to_float(
    x: npt.NDArray[Any] | bytes,
    *,
    n_bytes: Literal[1, 2, 4, 8] = 2,
    dtype: npt.DTypeLike = ...,
) -> npt.NDArray[np.floating[Any]]: ...
def count_unique(data: npt.ArrayLike, *, axis: Int = -1) -> npt.NDArray[np.integer[Any]]: ...
def cyclic_gradient(
    data: npt.ArrayLike,
    *,
    edge_order: Literal[1, 2] = 1,
    axis: Int = -1,
) -> npt.NDArray[np.inexact[Any]]: ...
def dtype_c2r(d: npt.DTypeLike, *, default: npt.DTypeLike = ...) -> np.dtype[Any]: ...
def dtype_r2c(d: npt.DTypeLike, *, default: npt.DTypeLike = ...) -> np.dtype[Any]: ...
@overload
def expand_to(
    x: npt.NDArray[_Scalar],
    *,
    ndim: Int,
    axes: Int | Sequence[Int] | npt.NDArray[np.integer[Any]],
) -> npt.NDArray[_Scalar]: ...
@overload
def expand_to(
    x: DeviceArray,
    *,
    ndim: Int,
    axes: Int | Sequence[Int] | npt.NDArray[np.integer[Any]],
) -> DeviceArray: ...
def fill_off_diagonal(x: npt.NDArray[Any], *, radius: Number, value: Number = 0) -> None: ...
def fix_frames(
    frames: npt.ArrayLike,
    *,
    x_min: Int | None = 0,
    x_max: Int | None = None,
    pad: bool = True,
) -> npt.NDArray[np.integer[Any]]: ...
def fix_length(
    data: npt.NDArray[_Scalar],
    *,
    size: Int,
    axis: Int = -1,
    **kwargs: Any,
) -> npt.NDArray[_Scalar]: ...
def frame(
    x: npt.ArrayLike,
    *,
    frame_length: Int,
    hop_length: Int,
    axis: Int = -1,
    writeable: bool = False,
    subok: bool = False,
) -> npt.NDArray[Any]: ...
def index_to_slice(
    idx: npt.ArrayLike,
    *,
    idx_min: Int | None = None,
    idx_max: Int | None = None,
    step: Int | None = None,
    pad: bool = True,
) -> list[slice]: ...
def interp_broadcast(
    *,
    x1: npt.NDArray[Any],
    x1_pos: npt.ArrayLike,
    x2: npt.NDArray[Any],
    x2_pos: npt.ArrayLike,
    interp_pos: npt.ArrayLike | None = None,
    op: Callable[..., Any] | None = ...,
    kind: str = "linear",
    fill_value: Number | Literal["extrapolate"] = 0,
    axis: Int = -2,
) -> npt.NDArray[Any] | tuple[Any, ...]: ...
def is_positive_int(x: object) -> bool: ...
def is_unique(data: npt.ArrayLike, *, axis: Int = -1) -> npt.NDArray[np.bool_]: ...
def localmax(x: npt.NDArray[Any], *, axis: Int = 0) -> npt.NDArray[np.bool_]: ...
def localmin(x: npt.NDArray[Any], *, axis: Int = 0) -> npt.NDArray[np.bool_]: ...
def normalize(
    S: npt.ArrayLike,
    *,
    norm: Number | None = ...,
    axis: Int | None = 0,
    threshold: Number | None = None,
    fill: Literal[False, True] | None = None,
) -> npt.NDArray[Any]: ...
def pad_center(
    data: npt.NDArray[_Scalar],
    *,
    size: Int,
    axis: Int = -1,
    **kwargs: Any,
) -> npt.NDArray[_Scalar]: ...
@overload
def peak_pick(
    x: npt.NDArray[Any],
    *,
    pre_max: Number,
    post_max: Number,
    pre_avg: Number,
    post_avg: Number,
    delta: Number,
    wait: Number,
    sparse: Literal[True] = True,
    method: Literal["greedy", "dp_count", "dp_value"] = "greedy",
    axis: Int = -1,
) -> npt.NDArray[np.integer[Any]]: ...
@overload
def peak_pick(
    x: npt.NDArray[Any],
    *,
    pre_max: Number,
    post_max: Number,
    pre_avg: Number,
    post_avg: Number,
    delta: Number,
    wait: Number,
    sparse: Literal[False],
    method: Literal["greedy", "dp_count", "dp_value"] = "greedy",
    axis: Int = -1,
) -> npt.NDArray[np.bool_]: ...
@overload
def peak_pick(
    x: npt.NDArray[Any],
    *,
    pre_max: Number,
    post_max: Number,
    pre_avg: Number,
    post_avg: Number,
    delta: Number,
    wait: Number,
    sparse: bool = True,
    method: Literal["greedy", "dp_count", "dp_value"] = "greedy",
    axis: Int = -1,
) -> npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]: ...
@overload
def phasor(angles: Number, *, mag: Number | npt.ArrayLike | None = None) -> complex: ...
@overload
def phasor(
    angles: Sequence[Any] | npt.NDArray[Any],
    *,
    mag: Number | npt.ArrayLike | None = None,
) -> npt.NDArray[np.complexfloating[Any, Any]]: ...
def shear(
    X: npt.NDArray[Any] | SparseArray,
    *,
    factor: Int = 1,
    axis: Int = -1,
) -> npt.NDArray[Any] | SparseArray: ...
def softmask(
    X: npt.NDArray[np.floating[Any] | np.integer[Any]],
    X_ref: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    power: Number = 1,
    split_zeros: bool = False,
) -> npt.NDArray[np.floating[Any]]: ...
def sparsify_rows(
    x: npt.NDArray[Any],
    *,
    quantile: Number = 0.01,
    dtype: npt.DTypeLike | None = None,
) -> scipy.sparse.csr_array: ...
def stack(
    arrays: Sequence[npt.NDArray[np.floating[Any]]],
    *,
    axis: Int = 0,
) -> npt.NDArray[Any]: ...
def sync(
    data: npt.NDArray[_Scalar],
    idx: Sequence[Int] | npt.NDArray[np.integer[Any]] | Sequence[slice],
    *,
    aggregate: Callable[..., Any] | None = None,
    pad: bool = True,
    axis: Int = -1,
) -> npt.NDArray[_Scalar]: ...
def tiny(x: npt.ArrayLike | Number) -> float: ...
def valid_audio(y: npt.NDArray[Any]) -> bool: ...
def valid_int(x: Number, *, cast: Callable[..., Any] | None = None) -> int: ...
def valid_intervals(intervals: npt.NDArray[Any]) -> bool: ...
