"""Arrays: framing, padding, normalising, segments, peaks, dtypes, checks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, get_args, overload

import numpy as np
from numpy.lib.stride_tricks import as_strided
from ._public import elementwise, public
from ._rules import array, either, sequence
from ._types import (
    Array, ArrayLike, BelowOne, BoolArray, ComplexArray, DTypeLike, DeviceArray, Float, Indices,
    InexactArray, Int, IntArray, Ints, NDArray, NonNegativeArray, Number, Placed, Positive,
    RealArray, Scalar, Several, Slices, SparseArray, VectorNorm, csr_array,
)

from ._checks import is_count, is_number, is_one_of, require, require_finite, require_positive
from ._declared import Events, Like, as_feature, typed
from ._keywords import native_names, takes
from ._packages import required
from ._wording import as_array, as_floating, no_array
from .exceptions import ParameterError

__all__ = [
    "MAX_MEM_BLOCK", "abs2", "axis_sort", "buf_to_float", "count_unique", "cyclic_gradient",
    "dtype_c2r", "dtype_r2c", "expand_to", "fill_off_diagonal", "fix_frames", "fix_length", "frame",
    "index_to_slice", "interp_broadcast", "is_positive_int", "is_unique", "localmax", "localmin",
    "normalize", "pad_center", "peak_pick", "phasor", "shear", "softmask", "sparsify_rows", "stack",
    "sync", "tiny", "valid_audio", "valid_int", "valid_intervals",
]

# Bytes that a function may use for a temporary array. Programs written for librosa read this name.
MAX_MEM_BLOCK = 2**18

_PickMethod = Literal["greedy", "dp_count", "dp_value"]
_Function = Callable[..., Any] | None


@as_feature(Like(), listed=False)
@public
def normalize(
    S: ArrayLike,
    *,
    norm: VectorNorm = np.inf,
    axis: Int | None = 0,
    threshold: Positive | None = None,
    fill: Literal[False, True] | None = None,
) -> Array:
    """Scale the slices of an array along an axis to unit norm.

    Parameters
    ----------
    S : array_like
        Real or complex array, finite.
    norm : {inf, -inf, 0, number > 0, None}
        Greatest or least magnitude, number of non-zeros, l_p norm; None changes nothing.
    axis : int or None
        Axis to take the norm along; None takes the whole array.
    threshold : number > 0, optional
        Norms below it count as zero; the smallest normal number of the dtype if not given.
    fill : {None, False, True}
        What to do with slices of zero norm: leave them unchanged, set them to 0, or to a constant of unit
        norm.

    Returns
    -------
    np.ndarray, shape and dtype of `S`
        Same shape, dtype and memory order as `S`.

    Raises
    ------
    ParameterError
        For values not listed, for NaN or infinity in `S`, and for ``fill=True`` with ``norm=0``.

    Examples
    --------
    >>> metalmom.util.normalize(np.array([[1.0, 0.0], [4.0, 0.0]]), norm=1)
    array([[0.2, 0. ],
           [0.8, 0. ]])
    """
    if threshold is None:
        threshold = tiny(S)
    elif threshold <= 0:
        raise ParameterError("threshold", threshold, "a number > 0")
    require(fill in (None, False, True), "fill", fill, "None, False or True")
    if not np.all(np.isfinite(S)):
        raise ParameterError("S", rule="finite everywhere")
    if norm is None:
        return S  # type: ignore[return-value]

    length, unit = _norms(np.abs(S).astype(float), norm, axis, fill)
    small = length < threshold
    length = np.where(small, 1.0 if fill is None else np.inf, length)
    scaled = np.empty_like(S)
    np.divide(S, length, out=scaled, casting="unsafe")
    if fill:
        np.copyto(scaled, unit, where=small, casting="unsafe")
    return scaled


def _norms(magnitude: Array, norm: Number, axis: Int | None, fill: bool | None) -> tuple[Array, float]:
    """Norms along `axis` (kept), and the constant whose slice has norm 1."""
    if norm == np.inf:
        return np.max(magnitude, axis=axis, keepdims=True), 1.0
    if norm == -np.inf:
        return np.min(magnitude, axis=axis, keepdims=True), 1.0
    if norm == 0:
        require(fill is not True, "fill", True, "used with norm=0", verb="must not be")
        return np.sum(magnitude > 0, axis=axis, keepdims=True, dtype=float), 1.0
    if np.issubdtype(type(norm), np.number) and norm > 0:
        length = np.sum(magnitude**norm, axis=axis, keepdims=True) ** (1.0 / norm)
        size = magnitude.size if axis is None else magnitude.shape[axis]
        return length, float(size ** (-1.0 / norm))
    raise ParameterError("norm", norm, "inf, -inf, 0, None or a positive number")


def _local_peaks(x: Array, axis: Int, above: np.ufunc, not_below: np.ufunc) -> BoolArray:
    """Where x is `above` its left and `not_below` its right neighbour; the first never is."""
    peaks = np.zeros_like(x, dtype=bool)
    values, found = x.swapaxes(-1, axis), peaks.swapaxes(-1, axis)
    above(values[..., 1:], values[..., :-1], out=found[..., 1:])
    found[..., 1:-1] &= not_below(values[..., 1:-1], values[..., 2:])
    return peaks


@elementwise(bool)
def localmax(x: Array, *, axis: Int = 0) -> BoolArray:
    """Local maxima: greater than the element before and not less than the one after.

    Parameters
    ----------
    x : np.ndarray
        The array.
    axis : int
        Axis along which neighbours are compared.

    Returns
    -------
    np.ndarray of bool
        Same shape. The first element is never a maximum; the last one is if it exceeds the one
        before.

    Examples
    --------
    >>> metalmom.util.localmax(np.array([1, 0, 1, 2, -1, 0, -2, 1]))
    array([False, False, False,  True, False,  True, False,  True])
    """
    return _local_peaks(x, axis, np.greater, np.greater_equal)


@elementwise(bool)
def localmin(x: Array, *, axis: Int = 0) -> BoolArray:
    """Local minima: less than the element before and not greater than the one after.

    Parameters
    ----------
    x : np.ndarray
        The array.
    axis : int
        Axis along which neighbours are compared.

    Returns
    -------
    np.ndarray of bool
        Same shape. The first element is never a minimum; the last one is if it is less than the
        one before.

    Examples
    --------
    >>> metalmom.util.localmin(np.array([1, 0, 1, 2, -1, 0, -2, 1]))
    array([False,  True, False, False,  True, False,  True, False])
    """
    return _local_peaks(x, axis, np.less, np.less_equal)


@overload
def peak_pick(
    x: Array, *, pre_max: Number, post_max: Number, pre_avg: Number, post_avg: Number,
    delta: Float, wait: Number, sparse: Literal[True] = ..., method: _PickMethod = ..., axis: Int = ...,
) -> IntArray: ...  # fmt: skip
@overload
def peak_pick(
    x: Array, *, pre_max: Number, post_max: Number, pre_avg: Number, post_avg: Number,
    delta: Float, wait: Number, sparse: Literal[False], method: _PickMethod = ..., axis: Int = ...,
) -> BoolArray: ...  # fmt: skip
@overload
def peak_pick(
    x: Array, *, pre_max: Number, post_max: Number, pre_avg: Number, post_avg: Number,
    delta: Float, wait: Number, sparse: bool = ..., method: _PickMethod = ..., axis: Int = ...,
) -> IntArray | BoolArray: ...  # fmt: skip
@as_feature(lambda given: Events(numbers=int) if given.sparse else Like(numbers=bool), listed=False)
@public
def peak_pick(
    x: Array,
    *,
    pre_max: Number,
    post_max: Number,
    pre_avg: Number,
    post_avg: Number,
    delta: Float,
    wait: Number,
    sparse: bool = True,
    method: _PickMethod = "greedy",
    axis: Int = -1,
) -> IntArray | BoolArray:
    """Pick peaks that are local maxima, exceed a local mean, and keep a distance.

    Sample n can be a peak if it is the maximum of ``x[n - pre_max : n + post_max]`` and at least
    `delta` above the mean of ``x[n - pre_avg : n + post_avg]``; peaks are more than `wait` apart
    (Boeck, Krebs, Schedl: Evaluating the online capabilities of onset detection methods, ISMIR
    2012).

    Parameters
    ----------
    x : np.ndarray
        The signal, for example an onset strength.
    pre_max, post_max, pre_avg, post_avg : number
        Extents in samples, rounded up; pre >= 0, post > 0.
    delta : float
        Least height above the mean, >= 0.
    wait : number
        Samples to wait after a peak, rounded up, >= 0.
    sparse : bool
        Whether to return indices (of a signal with one dimension) or a mask.
    method : {'greedy', 'dp_count', 'dp_value'}
        Take each candidate as soon as the wait is over, or choose the candidates whose number
        (or sum of values) is greatest.
    axis : int
        Axis of time.

    Returns
    -------
    np.ndarray of int, or np.ndarray of bool if not `sparse`
        Indices of the peaks (int), or a mask of the shape of `x` (bool).

    Raises
    ------
    ParameterError
        If an argument is out of range, or `sparse` is asked for more than one dimension.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 3.0, 0.0])
    >>> metalmom.util.peak_pick(x, pre_max=1, post_max=2, pre_avg=2, post_avg=3, delta=0.1, wait=2)
    array([1, 4])
    """
    from .. import _native

    for name, value in (("pre_max", pre_max), ("pre_avg", pre_avg), ("delta", delta), ("wait", wait)):
        require(not value < 0, name, value, "non-negative")
    for name, value in (("post_max", post_max), ("post_avg", post_avg)):
        require(not value <= 0, name, value, "a number > 0")
    require(x.ndim == 1 or not sparse, "sparse", True, f"have x.ndim={x.ndim} equal to 1", verb="must")
    if not is_one_of(method, get_args(_PickMethod)):
        raise ParameterError("method", method, choices=get_args(_PickMethod))
    extents = {"pre_max": pre_max, "post_max": post_max, "pre_avg": pre_avg, "post_avg": post_avg}
    counts: Any = {name: valid_int(n, cast=np.ceil) for name, n in {**extents, "wait": wait}.items()}
    mask = _native.peak_pick(
        x=np.ascontiguousarray(x.swapaxes(axis, -1)), delta=delta, method=method, **counts
    )
    if sparse:
        return np.flatnonzero(mask)
    peaks = np.empty_like(x, dtype=bool)
    peaks.swapaxes(axis, -1)[...] = mask
    return peaks


@public
def tiny(x: ArrayLike | Number) -> float:
    """The smallest normal positive number of a value's dtype.

    Parameters
    ----------
    x : array_like or number
        The value; for integers float32 counts.

    Returns
    -------
    float
        As a NumPy scalar of that dtype.

    Examples
    --------
    >>> bool(metalmom.util.tiny(np.zeros(3)) == np.finfo(np.float64).tiny)
    True
    """
    dtype = np.asarray(x).dtype
    return np.finfo(dtype if dtype.kind in "fc" else np.float32).tiny  # type: ignore[return-value]


@public
def dtype_r2c(d: DTypeLike, *, default: DTypeLike = np.complex64) -> np.dtype[Any]:
    """The complex dtype of the same precision as a real one.

    Parameters
    ----------
    d : dtype_like
        A dtype; complex ones are returned.
    default : dtype_like
        The result for dtypes other than float32 and float64.

    Returns
    -------
    np.dtype

    Examples
    --------
    >>> metalmom.util.dtype_r2c(np.float64)
    dtype('complex128')
    """
    d = np.dtype(d)
    if d.kind == "c":
        return d
    return np.dtype({np.dtype("f4"): np.complex64, np.dtype("f8"): np.complex128}.get(d, default))


@public
def dtype_c2r(d: DTypeLike, *, default: DTypeLike = np.float32) -> np.dtype[Any]:
    """The real dtype of the same precision as a complex one.

    Parameters
    ----------
    d : dtype_like
        A dtype; floating ones are returned.
    default : dtype_like
        The result for dtypes other than complex64 and complex128.

    Returns
    -------
    np.dtype

    Examples
    --------
    >>> metalmom.util.dtype_c2r(np.complex64)
    dtype('float32')
    """
    d = np.dtype(d)
    if d.kind == "f":
        return d
    return np.dtype({np.dtype("c8"): np.float32, np.dtype("c16"): np.float64}.get(d, default))


@overload
def abs2(x: Number, dtype: DTypeLike | None = ...) -> float: ...
@overload
def abs2(x: Several, dtype: DTypeLike | None = ...) -> Array: ...
@as_feature(Like(numbers=typed(float)), listed=False)
@public
def abs2(x: ArrayLike | Number, dtype: DTypeLike | None = None) -> float | Array:
    """Squared magnitude, without the square root of `numpy.abs`.

    Parameters
    ----------
    x : array_like or number
        Real or complex values.
    dtype : dtype_like, optional
        Dtype of the result; that of the real part if not given.

    Returns
    -------
    np.ndarray or number
        Real, same shape and memory order.

    Examples
    --------
    >>> metalmom.util.abs2(np.array([3 + 4j, 1j]))
    array([25.,  1.])
    """
    given = np.asanyarray(x).dtype
    if dtype is not None and not np.can_cast(given, dtype, "same_kind"):
        if not (given.kind == "c" and np.dtype(dtype).kind in "fO"):
            raise ParameterError("dtype", dtype, f"hold squares of {given}", verb="must")
    if not np.iscomplexobj(x):
        return np.square(x, dtype=dtype)
    x = np.asanyarray(x)
    if dtype is None:
        power: Array = np.square(x.real)
        power += np.square(x.imag)
        return power
    power = np.empty_like(x, dtype=dtype)
    return np.add(np.square(x.real), np.square(x.imag), out=power, casting="unsafe")


# Views, padding and cutting of arrays.

# What numpy.pad takes beside an array and widths.
PAD_KEYWORDS = ("mode", "constant_values", "end_values", "stat_length", "reflect_type")


@public
def frame(
    x: ArrayLike,
    *,
    frame_length: Int,
    hop_length: Int,
    axis: Int = -1,
    writeable: bool = False,
    subok: bool = False,
) -> Array:
    """View an array as overlapping frames, without a copy.

    Parameters
    ----------
    x : array_like
        Array to cut.
    frame_length : int
        Elements of a frame.
    hop_length : int
        Elements from the start of one frame to the next.
    axis : int
        Axis to cut. From the end (negative), the result has ``(..., frame_length, n_frames)``
        in its place; from the front, ``(n_frames, frame_length, ...)``.
    writeable : bool
        Whether the view may be written to; frames share their elements.
    subok : bool
        Keep subclasses of ndarray.

    Returns
    -------
    np.ndarray
        A view with one dimension more.

    Raises
    ------
    ParameterError
        If `x` is shorter than a frame or the hop is not positive.

    Examples
    --------
    >>> metalmom.util.frame(np.arange(7), frame_length=3, hop_length=2)
    array([[0, 2, 4],
           [1, 3, 5],
           [2, 4, 6]])
    """
    x = np.asanyarray(x) if subok else np.asarray(x)
    require(x.ndim != 0, "x.ndim", 0, "at least 1")
    n = x.shape[axis]
    require(not frame_length < 1, "frame_length", frame_length, "a positive integer")
    require(n >= frame_length, "frame_length", frame_length, f"at most the length of x, {n}")
    require(not hop_length < 1, "hop_length", hop_length, "a positive integer")

    place, step = axis % x.ndim, x.strides[axis]
    sizes = [(frame_length, step), (1 + (n - frame_length) // hop_length, hop_length * step)]
    if axis >= 0:
        sizes.reverse()
    shape, strides = zip(*sizes, strict=True)
    return as_strided(
        x, shape=x.shape[:place] + shape + x.shape[place + 1 :],
        strides=x.strides[:place] + strides + x.strides[place + 1 :], subok=subok, writeable=writeable,
    )  # fmt: skip


@takes(*PAD_KEYWORDS)
@public
def pad_center(
    data: NDArray[Scalar],
    *,
    size: Int,
    axis: Int = -1,
    **kwargs: Any,
) -> NDArray[Scalar]:
    """Pad an array on both sides to a size; if the difference is odd, the end gets one more.

    Parameters
    ----------
    data : np.ndarray
        Array to pad.
    size : int
        Wanted size of `axis`.
    axis : int
        Axis to pad.
    **kwargs
        Passed to `numpy.pad`; ``mode="constant"`` (zeros) if not given.

    Returns
    -------
    np.ndarray, dtype of `data`
        The padded array.

    Raises
    ------
    ParameterError
        If `data` is longer than `size`.

    Examples
    --------
    >>> metalmom.util.pad_center(np.ones(3), size=6)
    array([0., 1., 1., 1., 0., 0.])
    """
    missing = size - data.shape[axis]
    require(missing >= 0, "size", size, f"at least the size of data, {data.shape[axis]}")
    before = int(missing // 2)
    return _padded(data, axis, before, int(missing - before), kwargs)


def _padded(data: Array, axis: Int, before: int, after: int, kwargs: dict[str, Any]) -> Array:
    widths = [(0, 0)] * data.ndim
    widths[axis] = (before, after)
    return np.pad(data, widths, **{"mode": "constant", **kwargs})


@public
def expand_to(
    x: Annotated[Placed, either(array(), DeviceArray)],
    *,
    ndim: Int,
    axes: Int | Ints,
) -> Placed:
    """Give an array more dimensions, of size 1.

    Parameters
    ----------
    x : np.ndarray or DeviceArray
        The array.
    ndim : int
        Wanted number of dimensions.
    axes : int or sequence of int
        For each axis of `x` its place in the result.

    Returns
    -------
    np.ndarray, dtype of `x`, or DeviceArray
        A reshaped view.

    Raises
    ------
    ParameterError
        If there are not as many axes as `x` has, or `ndim` is less.

    Examples
    --------
    >>> metalmom.util.expand_to(np.ones((3, 4)), ndim=4, axes=[1, 2]).shape
    (1, 3, 4, 1)
    """
    try:
        places = tuple(axes)  # type: ignore[arg-type]
    except TypeError:
        places = (axes,)
    require(len(places) == x.ndim, "axes", places, f"as many as x.shape={x.shape} has")
    require(ndim >= x.ndim, "ndim", ndim, f"at least x.ndim={x.ndim}")
    if len({place % ndim for place in places if -ndim <= place < ndim}) < len(places):
        raise ParameterError("axes", places, f"different axes of ndim={ndim}")
    shape = [1] * ndim
    for place, size in zip(places, x.shape, strict=True):
        shape[place] = size
    try:
        return x.reshape(shape)
    except ValueError as error:
        raise ParameterError("ndim", ndim, f"fewer: {error}") from error


@takes(*PAD_KEYWORDS)
@public
def fix_length(
    data: NDArray[Scalar],
    *,
    size: Int,
    axis: Int = -1,
    **kwargs: Any,
) -> NDArray[Scalar]:
    """Cut or pad the end of an array to a size.

    Parameters
    ----------
    data : np.ndarray
        The array.
    size : int
        Wanted size of `axis`.
    axis : int
        Axis to cut or pad.
    **kwargs
        Passed to `numpy.pad`; ``mode="constant"`` (zeros) if not given.

    Returns
    -------
    np.ndarray, dtype of `data`
        `data` itself if it has the size, a view of it if it is longer, else a padded copy.

    Examples
    --------
    >>> metalmom.util.fix_length(np.arange(4), size=6)
    array([0, 1, 2, 3, 0, 0])
    """
    n = data.shape[axis]
    if n == size:
        return data
    if n > size:
        return data[(slice(None),) * (axis % data.ndim) + (slice(0, size),)]
    return _padded(data, axis, 0, size - n, kwargs)


# Frame indices, slices between them, and aggregation.

@public
def fix_frames(
    frames: Indices,
    *,
    x_min: Int | None = 0,
    x_max: Int | None = None,
    pad: bool = True,
) -> IntArray:
    """Make frame indices a sorted list without repetition, inside bounds.

    Parameters
    ----------
    frames : array_like of int
        Frame indices, none negative.
    x_min, x_max : int or None
        Bounds. With `pad` they are added as first and last frame and frames outside are moved to
        them; otherwise frames outside are dropped.
    pad : bool
        Whether the list shall begin and end with the bounds.

    Returns
    -------
    np.ndarray of int
        Frame indices.

    Raises
    ------
    ParameterError
        If an index is negative.

    Examples
    --------
    >>> metalmom.util.fix_frames([30, 10, 70], x_max=60)
    array([ 0, 10, 30, 60])
    """
    frames = np.asarray(frames)
    if np.any(frames < 0):
        raise ParameterError(f"frames with minimum {frames.min()} must be non-negative", argument="frames")
    for name, bound in (("x_min", x_min), ("x_max", x_max)):
        require(bound is None or is_number(bound), name, bound, "int")
    bounds = [bound for bound in (x_min, x_max) if bound is not None]
    within: Array = np.ravel(frames)
    if pad and bounds:
        within = np.concatenate((np.asarray(bounds), np.clip(within, x_min, x_max)))
    # Padding may have moved a bound beyond the other end of the range; such bounds are dropped.
    if x_min is not None:
        within = within[within >= x_min]
    if x_max is not None:
        within = within[within <= x_max]
    return np.unique(within).astype(int)


@native_names(frames="idx")
@public
def index_to_slice(
    idx: Indices,
    *,
    idx_min: Int | None = None,
    idx_max: Int | None = None,
    step: Int | None = None,
    pad: bool = True,
) -> list[slice]:
    """Slices between the successive bounds of an index list.

    Parameters
    ----------
    idx : array_like of int
        Bounds, in any order.
    idx_min, idx_max : int or None
        Least and greatest bound, applied as by `fix_frames`.
    step : int or None
        Step of each slice.
    pad : bool
        Whether to add `idx_min` and `idx_max` to the bounds.

    Returns
    -------
    list of slice
        One fewer than there are bounds.

    Raises
    ------
    ParameterError
        If a bound is negative.

    Examples
    --------
    >>> [np.arange(9)[s].tolist() for s in metalmom.util.index_to_slice([2, 5], idx_min=0, idx_max=9)]
    [[0, 1], [2, 3, 4], [5, 6, 7, 8]]
    """
    bounds = fix_frames(idx, x_min=idx_min, x_max=idx_max, pad=pad)
    return [slice(start, end, step) for start, end in itertools.pairwise(bounds)]


@as_feature(listed=False)
@native_names(frames="idx")
@public
def sync(
    data: NDArray[Scalar],
    idx: Ints | Slices,
    *,
    aggregate: Callable[..., Any] | None = None,
    pad: bool = True,
    axis: Int = -1,
) -> NDArray[Scalar]:
    """Aggregate a feature between bounds, such as beats.

    Parameters
    ----------
    data : np.ndarray
        The feature.
    idx : sequence of int or of slice
        Bounds along `axis`, or the segments themselves.
    aggregate : callable, optional
        Called as ``aggregate(segment, axis=axis)``; `numpy.mean` if not given.
    pad : bool
        Whether the segments before the first bound and after the last one count.
    axis : int
        Axis to aggregate.

    Returns
    -------
    np.ndarray, dtype of `data`
        `data` with one entry per segment along `axis`; same dtype and memory order.

    Raises
    ------
    ParameterError
        If `idx` is neither integers nor slices.

    Examples
    --------
    >>> metalmom.util.sync(np.arange(6.0), [2, 4])
    array([0.5, 2.5, 4.5])
    """
    reduce: Callable[..., Any] = np.mean if aggregate is None else aggregate
    if all(isinstance(each, slice) for each in idx):
        slices = idx
    elif all(np.issubdtype(type(each), np.integer) for each in idx):
        slices = index_to_slice(np.asarray(idx), idx_min=0, idx_max=data.shape[axis], pad=pad)
    else:
        raise ParameterError("idx", idx, "all integers or all slices")

    shape = list(data.shape)
    shape[axis] = len(slices)
    result = np.empty(shape, order="F" if np.isfortran(data) else "C", dtype=data.dtype)
    lead = (slice(None),) * (axis % data.ndim)
    for i, segment in enumerate(slices):
        result[(*lead, i)] = reduce(data[(*lead, segment)], axis=axis)
    return result


# Gradients, interpolation, uniqueness, integer samples.

def _array_with_axis(data: ArrayLike, axis: Int, name: str = "data") -> Array:
    array = np.asanyarray(data)
    require(-array.ndim <= axis < array.ndim, "axis", axis, f"an axis of {name} of shape {array.shape}")
    return array


@public
def cyclic_gradient(
    data: ArrayLike,
    *,
    edge_order: Literal[1, 2] = 1,
    axis: Int = -1,
) -> InexactArray:
    """Gradient of values on a circle: central differences, the ends being neighbours.

    Parameters
    ----------
    data : array_like
        Values at even distances over one period.
    edge_order : {1, 2}
        As in `numpy.gradient`; with periodic values both are the same.
    axis : int
        Axis along which the values lie.

    Returns
    -------
    np.ndarray, real or complex
        Half the difference of the two neighbours, of the same shape; float64 for integers.

    Raises
    ------
    ParameterError
        If there are no values, they are not numbers, or `edge_order` is not 1 or 2.

    Examples
    --------
    >>> metalmom.util.cyclic_gradient(np.array([0, 1, 4, 1]))
    array([ 0.,  2.,  0., -2.])
    """
    require(edge_order in (1, 2), "edge_order", edge_order, "1 or 2")
    values = _array_with_axis(data, axis)
    if values.dtype.kind not in "iufc" or values.shape[axis] == 0:
        raise ParameterError(
            f"data of dtype {values.dtype} and shape {values.shape} must be numbers along axis={axis}",
            argument="data",
        )
    if values.dtype.kind in "iu":
        values = values.astype(np.float64)
    gradient = np.empty_like(values)
    v, g = np.moveaxis(values, axis, 0), np.moveaxis(gradient, axis, 0)
    np.subtract(v[2:], v[:-2], out=g[1:-1])
    np.subtract(v[1 % len(v)], v[-1], out=g[0, ...])
    np.subtract(v[0], v[-2 % len(v)], out=g[-1, ...])
    gradient /= 2
    return gradient


@public
def interp_broadcast(
    *,
    x1: Array,
    x1_pos: ArrayLike,
    x2: Array,
    x2_pos: ArrayLike,
    interp_pos: ArrayLike | None = None,
    op: Callable[..., Any] | None = np.multiply,
    kind: str = "linear",
    fill_value: Number | Literal["extrapolate"] = 0,
    axis: Int = -2,
) -> Array | tuple[Any, ...]:
    """Interpolate two arrays to the same positions, and combine them.

    Such as the product of a spectrum and an autocorrelation over frequency (G. Peeters, 2011).

    Parameters
    ----------
    x1, x2 : np.ndarray
        Arrays whose shapes broadcast, but for `axis`.
    x1_pos, x2_pos : array_like
        Where their values lie along `axis`, in any order.
    interp_pos : array_like, optional
        Where values are wanted; `x1_pos` if not given.
    op : callable or None
        Function of the two interpolated arrays.
    kind : str
        Kind of interpolation, as by `scipy.interpolate.interp1d`.
    fill_value : number or "extrapolate"
        Value outside of the positions given.
    axis : int
        Axis to interpolate along.

    Returns
    -------
    np.ndarray or tuple
        What `op` makes of both; with ``op=None`` both.

    Raises
    ------
    ParameterError
        If `axis` does not exist, positions and values differ in number, the interpolated shapes
        do not broadcast, or SciPy cannot interpolate so.

    Notes
    -----
    Needs SciPy.

    Examples
    --------
    >>> metalmom.util.interp_broadcast(x1=np.ones(3), x1_pos=[0, 0.5, 1],
    ...                                x2=np.array([5, 10]), x2_pos=[0, 1], axis=0)
    array([ 5. ,  7.5, 10. ])
    """
    if not (op is None or callable(op)):
        raise ParameterError("op", op, "callable or None")
    interp1d = required("scipy.interpolate").interp1d
    wanted = x1_pos if interp_pos is None else interp_pos
    found = []
    for name, values, positions in (("x1", x1, x1_pos), ("x2", x2, x2_pos)):
        values = _array_with_axis(values, axis, name)
        try:
            curve = interp1d(
                positions, values, kind=kind, axis=axis, copy=False, bounds_error=False, fill_value=fill_value
            )
            found.append(curve(wanted))
        except (NotImplementedError, ValueError) as error:
            raise ParameterError(
                f"{name}.shape={values.shape}, {name}_pos of {np.size(positions)}, kind={kind!r} and "
                f"axis={axis} must be what scipy.interpolate.interp1d can use: {error}",
                argument=name,
            ) from error
    try:
        np.broadcast_shapes(found[0].shape, found[1].shape)
    except ValueError as error:
        raise ParameterError(
            f"x1.shape={np.shape(x1)} and x2.shape={np.shape(x2)} must broadcast but for axis={axis}",
            argument="x1",
        ) from error
    return tuple(found) if op is None else op(*found)


@public
def count_unique(data: ArrayLike, *, axis: Int = -1) -> IntArray:
    """Count the different values along an axis.

    Parameters
    ----------
    data : array_like
        The values; NaN is one value.
    axis : int
        Axis to count along.

    Returns
    -------
    np.ndarray of int
        The counts, without `axis`.

    Raises
    ------
    ParameterError
        If there is no such axis.

    Examples
    --------
    >>> metalmom.util.count_unique(np.array([[1, 2, 2], [3, 3, 3]]))
    array([2, 1])
    """
    values = np.moveaxis(_array_with_axis(data, axis), axis, -1)
    if values.shape[-1] == 0:
        return np.zeros(values.shape[:-1], dtype=int)
    ordered = np.sort(values, axis=-1)
    before, after = ordered[..., :-1], ordered[..., 1:]
    # NaNs lie together at the end and differ from themselves.
    differs = (after != before) & ((after == after) | (before == before))
    return np.asarray(1 + np.count_nonzero(differs, axis=-1))


@public
def is_unique(data: ArrayLike, *, axis: Int = -1) -> BoolArray:
    """Whether all values along an axis differ.

    Parameters
    ----------
    data : array_like
        The values; NaN is one value.
    axis : int
        Axis to look along.

    Returns
    -------
    np.ndarray of bool
        The answers, without `axis`.

    Raises
    ------
    ParameterError
        If there is no such axis.

    Examples
    --------
    >>> metalmom.util.is_unique(np.array([[1, 2, 2], [1, 2, 3]]))
    array([False,  True])
    """
    counts = count_unique(data, axis=axis)
    return np.asarray(counts == np.shape(data)[axis])


@public
def buf_to_float(
    x: Array | bytes,
    *,
    n_bytes: Literal[1, 2, 4, 8] = 2,
    dtype: DTypeLike = np.float32,
) -> RealArray:
    """Turn a buffer of integer samples (little-endian, signed) into numbers from -1 to 1.

    Parameters
    ----------
    x : np.ndarray or bytes-like
        The samples, as integers of `n_bytes` or as bytes.
    n_bytes : {1, 2, 4, 8}
        Bytes per sample.
    dtype : dtype_like
        Dtype of the result.

    Returns
    -------
    np.ndarray, shape (n,), real
        The samples.

    Raises
    ------
    ParameterError
        If there are no samples of `n_bytes` in `x`.

    Examples
    --------
    >>> metalmom.util.buf_to_float(np.array([0, 16384, -32768], dtype=np.int16))
    array([ 0. ,  0.5, -1. ], dtype=float32)
    """
    require(n_bytes in (1, 2, 4, 8), "n_bytes", n_bytes, "1, 2, 4 or 8")
    if isinstance(x, np.ndarray):
        if x.dtype.kind not in "iu" or x.dtype.itemsize not in (1, n_bytes):
            raise ParameterError("x.dtype", x.dtype, f"bytes, or integers of n_bytes={n_bytes}")
        x = np.ascontiguousarray(x)
    try:
        samples = np.frombuffer(x, dtype=f"<i{n_bytes}")
    except (TypeError, ValueError) as error:
        raise ParameterError("x", rule=f"a buffer of samples of n_bytes={n_bytes}: {error}") from error
    return samples.astype(dtype) * (1.0 / (1 << (8 * n_bytes - 1)))


# Sorting, stacking, banding and shearing of matrices.

def _matrix_axis(axis: Int) -> Int:
    require(axis in (-2, -1, 0, 1), "axis", axis, "an axis of a matrix: 0, 1, -1 or -2")
    return axis % 2


@overload
def axis_sort(
    S: NDArray[Scalar], *, axis: Int = ..., index: Literal[False] = ..., value: _Function = ...,
) -> NDArray[Scalar]: ...  # fmt: skip
@overload
def axis_sort(
    S: NDArray[Scalar], *, axis: Int = ..., index: Literal[True], value: _Function = ...,
) -> tuple[NDArray[Scalar], IntArray]: ...  # fmt: skip
@overload
def axis_sort(
    S: NDArray[Scalar], *, axis: Int = ..., index: bool = ..., value: _Function = ...,
) -> NDArray[Scalar] | tuple[NDArray[Scalar], IntArray]: ...  # fmt: skip
@public
def axis_sort(
    S: Annotated[NDArray[Scalar], array("d, n")],
    *,
    axis: Int = -1,
    index: bool = False,
    value: Callable[..., Any] | None = None,
) -> NDArray[Scalar] | tuple[NDArray[Scalar], IntArray]:
    """Sort the columns of a matrix by where they peak, or its rows.

    Parameters
    ----------
    S : np.ndarray, shape (d, n)
        The matrix.
    axis : int
        1 or -1 sorts columns, 0 or -2 rows.
    index : bool
        Return the order, too.
    value : callable, optional
        Function of the matrix and the `axis` to look along, which gives a number to sort by for
        each column (row); `numpy.argmax` if not given.

    Returns
    -------
    S_sort : np.ndarray, shape (d, n), dtype of `S`
        The matrix in its new order; of equal values the first stays first.
    idx : np.ndarray of int, if `index`
        With `index`: the order, ``S_sort = S[:, idx]``.

    Raises
    ------
    ParameterError
        If `S` is not a matrix with elements, or `value` does not give a number for each.

    Examples
    --------
    >>> metalmom.util.axis_sort(np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]]))
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1]])
    """
    require(np.ndim(S) == 2 and S.size, "S.shape", np.shape(S), "a matrix that is not empty")
    if not (value is None or callable(value)):
        raise ParameterError("value", value, "callable")
    axis = _matrix_axis(axis)
    places = (np.argmax if value is None else value)(S, axis=1 - axis)
    if np.shape(places) != (S.shape[axis],):
        raise ParameterError("value", rule=f"give {S.shape[axis]} numbers, not {places!r}", verb="must")
    order = np.argsort(places, kind="stable")
    ordered = S[:, order] if axis else S[order]
    return (ordered, order) if index else ordered


@public
def stack(
    arrays: Annotated[Sequence[RealArray], sequence(array())],
    *,
    axis: Int = 0,
) -> Array:
    """Stack arrays along a new axis; along the first, so that channels lie together in memory.

    Parameters
    ----------
    arrays : sequence of np.ndarray
        At least one, all of the same shape.
    axis : int
        The new axis.

    Returns
    -------
    np.ndarray
        For ``axis=0`` Fortran-ordered, the arrays' elements interleaved, otherwise as
        `numpy.stack` gives it.

    Raises
    ------
    ParameterError
        If there is no array, shapes differ, or there can be no such axis.

    Examples
    --------
    >>> stereo = metalmom.util.stack([np.zeros(3), np.ones(3)])
    >>> stereo.shape, stereo.flags.f_contiguous
    ((2, 3), True)
    """
    arrays = [np.asanyarray(array) for array in arrays]
    require(arrays, "arrays", [], "at least one array")
    shapes = {array.shape for array in arrays}
    if len(shapes) != 1:
        raise ParameterError(f"arrays of shapes {sorted(shapes)} must have the same shape", argument="arrays")
    ndim = arrays[0].ndim
    require(-ndim - 1 <= axis <= ndim, "axis", axis, f"from {-ndim - 1} to {ndim}")
    if axis != 0:
        return np.stack(arrays, axis=axis)
    stacked = np.empty((len(arrays), *arrays[0].shape), dtype=np.result_type(*arrays), order="F")
    return np.stack(arrays, axis=0, out=stacked)


@public
def fill_off_diagonal(
    x: Annotated[Array, array("n, m")],
    *,
    radius: Number,
    value: Number = 0,
) -> None:
    """Set the values outside a band around the diagonal, in place (a Sakoe-Chiba band).

    Parameters
    ----------
    x : np.ndarray, shape (n, m)
        The matrix, which is written. In one that is not square the band is widened on the longer
        side, by the difference of `n` and `m`.
    radius : number
        Half the width of the band, relative to the shorter side: ``x[i, i + k]`` is kept if k is
        less than ``round(radius * min(n, m))``.
    value : number
        What is written outside.

    Raises
    ------
    ParameterError
        If `x` is not a matrix or `radius` is negative.

    Notes
    -----
    H. Sakoe and S. Chiba, "Dynamic programming algorithm optimization for spoken word recognition"
    (IEEE Transactions on Acoustics, Speech, and Signal Processing, 1978).

    Examples
    --------
    >>> x = np.ones((4, 4), dtype=int)
    >>> metalmom.util.fill_off_diagonal(x, radius=0.5)
    >>> x
    array([[1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1],
           [0, 0, 1, 1]])
    """
    if isinstance(x, DeviceArray):
        raise no_array("x", x)
    if not isinstance(x, np.ndarray) or x.ndim != 2:
        raise ParameterError(
            f"x of shape {np.shape(x)}", rule="a matrix, a numpy.ndarray", argument="x", hint=as_array("x", x)
        )
    require(x.flags.writeable, "x.flags.writeable", False, "True")
    require(0 <= radius < np.inf, "radius", radius, "non-negative")
    n, m = x.shape
    band = int(np.round(radius * min(n, m)))
    above, below = band + max(m - n, 0), band + max(n - m, 0)
    for i, row in enumerate(x):
        row[: max(i - below + 1, 0)] = value
        row[max(i + above, 0) :] = value


@public
def shear(X: Array | SparseArray, *, factor: Int = 1, axis: Int = -1) -> Array | SparseArray:
    """Shear a matrix: roll column `n` by ``factor * n``.

    With ``factor=-1`` a recurrence matrix becomes one of lags, with 1 it comes back.

    Parameters
    ----------
    X : np.ndarray or SciPy sparse matrix or array, shape (n, m)
        The matrix.
    factor : int
        How far each column is rolled beyond the one before.
    axis : int
        -1 or 1 rolls columns, 0 or -2 rows.

    Returns
    -------
    np.ndarray, or sparse matrix or array
        The sheared matrix, of the same type, dtype and sparse format.

    Raises
    ------
    ParameterError
        If `factor` is not an integer or `X` is not a matrix.

    Examples
    --------
    >>> metalmom.util.shear(np.eye(3, dtype=int), factor=-1)
    array([[1, 1, 1],
           [0, 0, 0],
           [0, 0, 0]])
    """
    require(isinstance(factor, (int, np.integer)), "factor", factor, "an integer")
    axis = _matrix_axis(axis)
    is_sparse = hasattr(X, "tocoo")
    shape = X.shape if is_sparse else np.shape(X)
    require(len(shape) == 2, "X.shape", shape, "that of a matrix")
    if is_sparse:
        return _shear_sparse(X, factor, axis)
    columns = np.asarray(X) if axis else np.transpose(X)
    length = columns.shape[0]
    sheared = np.empty(columns.shape, dtype=columns.dtype)
    for n, (source, target) in enumerate(zip(columns.T, sheared.T)):
        by = factor * n % length if length else 0
        target[by:] = source[: length - by]
        target[:by] = source[length - by :]
    return sheared if axis else sheared.T


def _shear_sparse(X: SparseArray, factor: Int, axis: Int) -> SparseArray:
    entries = X.tocoo()
    places = [entries.row, entries.col]
    # A sparse format's indices are as narrow as its shape allows; the product may need 64 bits.
    moved = places[1 - axis] + factor * places[axis].astype(np.int64)
    places[1 - axis] = moved % X.shape[1 - axis]
    coordinates = (entries.data, tuple(places))
    return type(entries)(coordinates, shape=X.shape).asformat(X.format)


# Sparse approximations.

@public
def sparsify_rows(
    x: Annotated[Array, array("n", "m, n")],
    *,
    quantile: BelowOne = 0.01,
    dtype: DTypeLike | None = None,
) -> csr_array:
    """Sparse array without the least magnitudes of each row.

    Of a row go the least magnitudes that add up to less than `quantile` of its sum. Sums are in
    double precision (librosa: in that of `x`), so that a value at the bound may fall to either
    side; rows of zeros are empty, without NumPy's warning.

    Parameters
    ----------
    x : np.ndarray [shape=(n,) or (m, n)]
        Real or complex, finite everywhere.
    quantile : number in [0, 1)
        The share of each row's sum of magnitudes that may go.
    dtype : dtype_like, optional
        Data type of the result; by default that of `x`.

    Returns
    -------
    scipy.sparse.csr_array [shape=(m, n)]
        A vector is a row.

    Raises
    ------
    ParameterError
        For more than two dimensions, values that are not finite, and a share not in [0, 1).

    Notes
    -----
    Needs SciPy.

    Examples
    --------
    >>> x = np.array([[1.0, 2.0, 1000.0], [5.0, 5.0, 5.0]])
    >>> metalmom.util.sparsify_rows(x, quantile=0.01).toarray()
    array([[   0.,    0., 1000.],
           [   5.,    5.,    5.]])
    """
    from .. import _native

    if not isinstance(x, np.ndarray) or x.dtype.kind not in "biufc":
        raise no_array("x", x, "an array of numbers")
    require(1 <= x.ndim <= 2 and x.size, "x.shape", x.shape, "(n,) or (m, n), without a zero")
    require(0 <= quantile < 1, "quantile", quantile, "in [0, 1)")
    name, held = ("x.dtype", x.dtype) if dtype is None else ("dtype", np.dtype(dtype))
    if held.kind not in "biufc" or held == np.float16:
        raise ParameterError(name, held, "a type that a sparse matrix holds")
    x = _row_after_row(np.atleast_2d(x))
    magnitudes = np.abs(x)
    if magnitudes.dtype not in (np.float32, np.float64):
        magnitudes = magnitudes.astype(np.float64)
    require_finite("x", magnitudes)
    columns, ends = _native.sparse_rows(magnitudes=magnitudes, quantile=quantile)
    columns = columns[: ends[-1]].copy()
    counts = np.diff(ends)
    values = x.ravel()[columns + np.repeat(np.arange(len(x)) * x.shape[1], counts)]
    values = values.astype(x.dtype if dtype is None else dtype, copy=False)
    return required("scipy.sparse").csr_array((values, columns, ends), shape=x.shape)


def _row_after_row(x: Array) -> Array:
    """A matrix whose rows follow one another in memory.

    Of columns that do (a spectrogram's frames), some are copied at a time: those that stay in cache.
    """
    if x.flags.c_contiguous:
        return x
    rows = np.empty(x.shape, dtype=x.dtype)
    for first in range(0, x.shape[1], 64):
        rows[:, first : first + 64] = x[:, first : first + 64]
    return rows


# Masks that share a spectrogram out.

@as_feature(lambda given: Like(numbers=bool if given.power == np.inf else float), listed=False)
@public
def softmask(
    X: NonNegativeArray,
    X_ref: NonNegativeArray,
    *,
    power: Positive = 1,
    split_zeros: bool = False,
) -> RealArray:
    """Share of `X` in ``X ** power + X_ref ** power``.

    Parameters
    ----------
    X : np.ndarray, non-negative
        The values for which the mask is computed.
    X_ref : np.ndarray, non-negative
        The reference values, with the same shape.
    power : number > 0
        Exponent of both; ``np.inf`` makes a hard mask, True where `X` is greater.
    split_zeros : bool
        Whether the mask is 1/2 instead of 0 where both are zero (below the smallest normal
        number).

    Returns
    -------
    np.ndarray, real
        Mask in 0 .. 1 of the shape of `X`; bool for an infinite `power`.

    Raises
    ------
    ParameterError
        For different shapes, negative values, or a `power` that is not positive.

    Examples
    --------
    >>> metalmom.util.softmask(np.array([2.0, 1.0, 0.0]), np.array([1.0, 1.0, 1.0]), power=2)
    array([0.8, 0.5, 0. ])
    """
    require(X.shape == X_ref.shape, "X.shape", X.shape, f"X_ref.shape={X_ref.shape}")
    if np.any(X < 0) or np.any(X_ref < 0):
        raise ParameterError("X and X_ref must be non-negative", argument="X")
    require_positive("power", power)
    if not np.isfinite(power):
        return X > X_ref  # type: ignore[return-value]
    dtype: np.dtype[Any] = X.dtype if np.issubdtype(X.dtype, np.floating) else np.dtype(np.float32)
    # Divided by the larger of both, so that their powers can neither overflow nor both vanish.
    scale = np.maximum(X, X_ref).astype(dtype)
    silent = scale < np.finfo(dtype).tiny
    scale[silent] = 1
    own, other = (X / scale) ** power, (X_ref / scale) ** power
    total = own + other
    total[silent] = 1
    mask: RealArray = np.divide(own, total, out=own, casting="same_kind")  # as precise as X, whatever X_ref is
    mask[silent] = 0.5 if split_zeros else 0.0
    return mask


# Complex numbers from angles.

@overload
def phasor(angles: Number, *, mag: Number | ArrayLike | None = ...) -> complex: ...
@overload
def phasor(angles: Several, *, mag: Number | ArrayLike | None = ...) -> ComplexArray: ...
@public
def phasor(
    angles: Number | ArrayLike,
    *,
    mag: Number | ArrayLike | None = None,
) -> complex | ComplexArray:
    """Complex numbers ``mag * exp(i * angles)``.

    Parameters
    ----------
    angles : number or array_like
        Angles in radians, real.
    mag : number or array_like, optional
        Magnitudes, of a shape that broadcasts with `angles`; 1 if not given.

    Returns
    -------
    complex or np.ndarray, complex
        complex128 for float64 angles, complex64 for others.

    Raises
    ------
    ParameterError
        If the angles are not real, or `mag` does not broadcast to them.

    Examples
    --------
    >>> metalmom.util.phasor(np.array([0, np.pi / 2]), mag=2).round(6)
    array([2.+0.j, 0.+2.j])
    """
    angles = np.asarray(angles)
    require(angles.dtype.kind in "biuf", "angles.dtype", angles.dtype, "real")
    if angles.dtype.itemsize == 1:  # of which NumPy's cosine is in half precision
        angles = angles.astype(np.float32)
    # As in librosa integers give single precision.
    wide = angles.dtype.kind == "f" and angles.dtype.itemsize > 4
    points: Array = np.empty_like(angles, dtype=np.complex128 if wide else np.complex64)
    np.cos(angles, out=points.real, casting="same_kind")
    np.sin(angles, out=points.imag, casting="same_kind")
    if mag is not None:
        try:
            np.multiply(points, mag, out=points, casting="same_kind")
        except (TypeError, ValueError) as error:
            shapes = f"mag of shape {np.shape(mag)} must broadcast to that of angles, {angles.shape}"
            raise ParameterError(shapes, argument="mag") from error
    return points[()]


# Checks that users call, too.

@public
def valid_audio(y: Array) -> bool:
    """Check that a value is audio: a finite floating-point array with at least one dimension.

    Parameters
    ----------
    y : np.ndarray
        The value to check.

    Returns
    -------
    bool
        True.

    Raises
    ------
    ParameterError
        If it is not.

    Examples
    --------
    >>> metalmom.util.valid_audio(np.zeros(8))
    True
    """
    if isinstance(y, DeviceArray):
        raise no_array("y", y)
    if not isinstance(y, np.ndarray):
        raise ParameterError(
            f"y of type {type(y).__name__}", rule="a numpy.ndarray", argument="y", hint=as_array("y", y)
        )
    if not np.issubdtype(y.dtype, np.floating):
        raise ParameterError("y.dtype", y.dtype, "floating-point", hint=as_floating("y", y.dtype))
    require(y.ndim != 0, "y.ndim", 0, "at least 1")
    require_finite("y", y)
    return True


@public
def valid_int(x: Number, *, cast: Callable[..., Any] | None = None) -> int:
    """Turn a number into an integer.

    Parameters
    ----------
    x : number
        The number.
    cast : callable, optional
        How to round; `numpy.floor` if not given.

    Returns
    -------
    int
        ``int(cast(x))``.

    Raises
    ------
    ParameterError
        If `cast` cannot be called.

    Examples
    --------
    >>> metalmom.util.valid_int(2.7), metalmom.util.valid_int(2.2, cast=np.ceil)
    (2, 3)
    """
    if cast is None:
        cast = np.floor
    require(callable(cast), "cast", cast, "callable")
    return int(cast(x))


@public
def is_positive_int(x: object) -> bool:
    """Whether a value is an integer (of Python or NumPy) of at least 1.

    Parameters
    ----------
    x : object
        The value.

    Returns
    -------
    bool

    Examples
    --------
    >>> metalmom.util.is_positive_int(3), metalmom.util.is_positive_int(3.0)
    (True, False)
    """
    return is_count(x)


@public
def valid_intervals(intervals: Array) -> bool:
    """Check that an array holds intervals: shape (n, 2), no end before its start.

    Parameters
    ----------
    intervals : np.ndarray
        The array to check.

    Returns
    -------
    bool
        True.

    Raises
    ------
    ParameterError
        If it does not.

    Examples
    --------
    >>> metalmom.util.valid_intervals(np.array([[0.0, 1.5], [2.0, 2.0]]))
    True
    """
    require_intervals("intervals", intervals)
    return True


def require_intervals(name: str, intervals: Array) -> None:
    """Refuse an argument that does not hold intervals."""
    require(intervals.ndim == 2 and intervals.shape[-1] == 2, f"{name}.shape", intervals.shape, "(n, 2)")
    in_order = np.all(intervals[:, 0] <= intervals[:, 1])
    require(in_order, name, intervals, "not end before they start", verb="must")
