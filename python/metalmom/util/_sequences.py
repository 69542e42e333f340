"""Gradients, interpolation, uniqueness, integer samples; part of `util.utils`."""

import numpy as np

from ._packages import required
from .exceptions import ParameterError

__all__ = ["buf_to_float", "count_unique", "cyclic_gradient", "interp_broadcast", "is_unique"]


def _array_with_axis(data, axis, name="data"):
    array = np.asanyarray(data)
    if not -array.ndim <= axis < array.ndim:
        raise ParameterError(f"axis={axis} must be an axis of {name} of shape {array.shape}")
    return array


def cyclic_gradient(data, *, edge_order=1, axis=-1):
    """Gradient of values on a circle: central differences, the ends being neighbours.

    Parameters
    ----------
    data : array_like
        Values at even distances over one period.
    edge_order : {1, 2}
        As of `numpy.gradient`; with periodic values both are the same.
    axis : int
        Axis along which the values lie.

    Returns
    -------
    np.ndarray, real or complex
        Half the difference of the two neighbours, of the same shape; float64 for integers.

    Raises
    ------
    ParameterError
        If there are no values, they are no numbers, or `edge_order` is not 1 or 2.

    Examples
    --------
    >>> metalmom.util.cyclic_gradient(np.array([0, 1, 4, 1]))
    array([ 0.,  2.,  0., -2.])
    """
    if edge_order not in (1, 2):
        raise ParameterError(f"edge_order={edge_order} must be 1 or 2")
    values = _array_with_axis(data, axis)
    if values.dtype.kind not in "iufc" or values.shape[axis] == 0:
        raise ParameterError(
            f"data of dtype {values.dtype} and shape {values.shape} must be numbers along axis={axis}"
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


def interp_broadcast(
    *,
    x1,
    x1_pos,
    x2,
    x2_pos,
    interp_pos=None,
    op=np.multiply,
    kind="linear",
    fill_value=0,
    axis=-2,
):
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
        raise ParameterError(f"op={op!r} must be callable or None")
    interp1d = required("scipy.interpolate").interp1d
    wanted = x1_pos if interp_pos is None else interp_pos
    found = []
    for name, values, positions in (("x1", x1, x1_pos), ("x2", x2, x2_pos)):
        values = _array_with_axis(values, axis, name)
        try:
            curve = interp1d(
                positions,
                values,
                kind=kind,
                axis=axis,
                copy=False,
                bounds_error=False,
                fill_value=fill_value,
            )
            found.append(curve(wanted))
        except (NotImplementedError, ValueError) as error:
            raise ParameterError(
                f"{name}.shape={values.shape}, {name}_pos of {np.size(positions)}, kind={kind!r} and "
                f"axis={axis} must be what scipy.interpolate.interp1d can use: {error}"
            ) from error
    try:
        np.broadcast_shapes(found[0].shape, found[1].shape)
    except ValueError as error:
        raise ParameterError(
            f"x1.shape={np.shape(x1)} and x2.shape={np.shape(x2)} must broadcast but for axis={axis}"
        ) from error
    return tuple(found) if op is None else op(*found)


def count_unique(data, *, axis=-1):
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


def is_unique(data, *, axis=-1):
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


def buf_to_float(x, *, n_bytes=2, dtype=np.float32):
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
    if n_bytes not in (1, 2, 4, 8):
        raise ParameterError(f"n_bytes={n_bytes} must be 1, 2, 4 or 8")
    if isinstance(x, np.ndarray):
        if x.dtype.kind not in "iu" or x.dtype.itemsize not in (1, n_bytes):
            raise ParameterError(f"x.dtype={x.dtype} must be bytes, or integers of n_bytes={n_bytes}")
        x = np.ascontiguousarray(x)
    try:
        samples = np.frombuffer(x, dtype=f"<i{n_bytes}")
    except (TypeError, ValueError) as error:
        raise ParameterError(f"x must be a buffer of samples of n_bytes={n_bytes}: {error}") from error
    return samples.astype(dtype) * (1.0 / (1 << (8 * n_bytes - 1)))
