"""Normalising, peaks, dtypes; framing, segments and checks come from their own modules."""

import numpy as np

from .._declared import Events, Like, as_feature, typed
from .._homes import adopt
from . import _checks, _masks, _matrices, _phases, _segments, _sequences, _shapes, _sparse
from ._checks import is_one_of, is_positive_int, valid_audio, valid_int, valid_intervals
from ._masks import softmask
from ._matrices import axis_sort, fill_off_diagonal, shear, stack
from ._phases import phasor
from ._segments import fix_frames, index_to_slice, sync
from ._sequences import (
    buf_to_float,
    count_unique,
    cyclic_gradient,
    interp_broadcast,
    is_unique,
)
from ._shapes import expand_to, fix_length, frame, pad_center
from ._sparse import sparsify_rows
from .exceptions import ParameterError

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

adopt(__name__, _checks, _masks, _matrices, _phases, _segments, _sequences, _shapes, _sparse)

# Bytes that a function may use for a temporary array. Programs written for librosa read this name.
MAX_MEM_BLOCK = 2**18


@as_feature(Like(), listed=False)
def normalize(S, *, norm=np.inf, axis=0, threshold=None, fill=None):
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
        What becomes of slices of zero norm: left alone, set to 0, or set to a constant of unit
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
        raise ParameterError(f"threshold={threshold} must be strictly positive")
    if fill not in (None, False, True):
        raise ParameterError(f"fill={fill} must be None, False or True")
    if not np.all(np.isfinite(S)):
        raise ParameterError("S must be finite everywhere")
    if norm is None:
        return S

    length, unit = _norms(np.abs(S).astype(float), norm, axis, fill)
    small = length < threshold
    if fill is None:
        length = np.where(small, 1.0, length)
    else:
        length = np.where(small, np.inf, length)
    scaled = np.empty_like(S)
    np.divide(S, length, out=scaled, casting="unsafe")
    if fill:
        np.copyto(scaled, unit, where=small, casting="unsafe")
    return scaled


def _norms(magnitude, norm, axis, fill):
    """Norms along `axis` (kept), and the constant whose slice has norm 1."""
    if norm == np.inf:
        return np.max(magnitude, axis=axis, keepdims=True), 1.0
    if norm == -np.inf:
        return np.min(magnitude, axis=axis, keepdims=True), 1.0
    if norm == 0:
        if fill is True:
            raise ParameterError("fill=True must not be used with norm=0")
        return np.sum(magnitude > 0, axis=axis, keepdims=True, dtype=float), 1.0
    if np.issubdtype(type(norm), np.number) and norm > 0:
        length = np.sum(magnitude**norm, axis=axis, keepdims=True) ** (1.0 / norm)
        size = magnitude.size if axis is None else magnitude.shape[axis]
        return length, size ** (-1.0 / norm)
    raise ParameterError(f"norm={norm!r} must be inf, -inf, 0, None or a positive number")


def _local_peaks(x, axis, above, not_below):
    """Where x is `above` its left and `not_below` its right neighbour; the first never is."""
    peaks = np.zeros_like(x, dtype=bool)
    values, found = x.swapaxes(-1, axis), peaks.swapaxes(-1, axis)
    above(values[..., 1:], values[..., :-1], out=found[..., 1:])
    found[..., 1:-1] &= not_below(values[..., 1:-1], values[..., 2:])
    return peaks


@as_feature(Like(numbers=bool), listed=False)
def localmax(x, *, axis=0):
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


@as_feature(Like(numbers=bool), listed=False)
def localmin(x, *, axis=0):
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


@as_feature(lambda given: Events(numbers=int) if given.sparse else Like(numbers=bool), listed=False)
def peak_pick(
    x,
    *,
    pre_max,
    post_max,
    pre_avg,
    post_avg,
    delta,
    wait,
    sparse=True,
    method="greedy",
    axis=-1,
):
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
        if value < 0:
            raise ParameterError(f"{name}={value} must be non-negative")
    for name, value in (("post_max", post_max), ("post_avg", post_avg)):
        if value <= 0:
            raise ParameterError(f"{name}={value} must be strictly positive")
    if sparse and x.ndim != 1:
        raise ParameterError(f"sparse=True must have x.ndim={x.ndim} equal to 1")
    if not is_one_of(method, ("greedy", "dp_count", "dp_value")):
        raise ParameterError(f"method={method!r} must be 'greedy', 'dp_count' or 'dp_value'")
    mask = _native.peak_pick(
        x=np.ascontiguousarray(x.swapaxes(axis, -1)),
        pre_max=valid_int(pre_max, cast=np.ceil),
        post_max=valid_int(post_max, cast=np.ceil),
        pre_avg=valid_int(pre_avg, cast=np.ceil),
        post_avg=valid_int(post_avg, cast=np.ceil),
        delta=delta,
        wait=valid_int(wait, cast=np.ceil),
        method=method,
    )
    if sparse:
        return np.flatnonzero(mask)
    peaks = np.empty_like(x, dtype=bool)
    peaks.swapaxes(axis, -1)[...] = mask
    return peaks


def tiny(x):
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
    return np.finfo(dtype if dtype.kind in "fc" else np.float32).tiny


def dtype_r2c(d, *, default=np.complex64):
    """The complex dtype of the same precision as a real one.

    Parameters
    ----------
    d : dtype_like
        A dtype; complex ones are returned.
    default : dtype_like
        Answer for what is neither float32 nor float64.

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


def dtype_c2r(d, *, default=np.float32):
    """The real dtype of the same precision as a complex one.

    Parameters
    ----------
    d : dtype_like
        A dtype; floating ones are returned.
    default : dtype_like
        Answer for what is neither complex64 nor complex128.

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


@as_feature(Like(numbers=typed(float)), listed=False)
def abs2(x, dtype=None):
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
            raise ParameterError(f"dtype={dtype} must hold squares of {given}")
    if not np.iscomplexobj(x):
        return np.square(x, dtype=dtype)
    x = np.asanyarray(x)
    if dtype is None:
        power = np.square(x.real)
        power += np.square(x.imag)
        return power
    power = np.empty_like(x, dtype=dtype)
    return np.add(np.square(x.real), np.square(x.imag), out=power, casting="unsafe")
