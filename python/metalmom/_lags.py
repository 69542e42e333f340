"""Recurrence matrices by lag; `metalmom.segment` exports them."""

import functools

import numpy as np

from ._declared import as_feature
from .util._matrices import shear
from .util.exceptions import ParameterError

__all__ = ["lag_to_recurrence", "recurrence_to_lag", "timelag_filter"]


def as_matrix(value, name):
    """A matrix as it is, if it is one of SciPy's sparse ones, else as an array."""
    if hasattr(value, "tocoo"):
        return value
    value = np.asarray(value)
    if value.ndim != 2:
        raise ParameterError(f"{name}.ndim={value.ndim} must be 2")
    return value


def _axis(axis):
    if axis not in (-1, 0, 1):
        raise ParameterError(f"axis={axis} must be 0, 1 or -1")
    return abs(axis)


def _widened(rec, axis):
    """A recurrence matrix with as many zeros behind it, along the axis of lags."""
    shape = list(rec.shape)
    shape[1 - axis] *= 2
    if isinstance(rec, np.ndarray):
        widened = np.zeros(shape, dtype=rec.dtype)
        widened[: rec.shape[0], : rec.shape[1]] = rec
        return widened
    entries = rec.tocoo()
    places = (entries.data, (entries.row, entries.col))
    return type(entries)(places, shape=tuple(shape)).asformat(rec.format)


@as_feature(listed=False)
def recurrence_to_lag(rec, *, pad=True, axis=-1):
    """Turn a recurrence matrix into one of lags: repetitions become straight lines.

    Parameters
    ----------
    rec : np.ndarray or scipy.sparse array [shape=(n, n)]
        Recurrence, frame by frame.
    pad : bool
        Whether to double the lags, so that positive and negative ones stay apart.
    axis : int
        The axis of time; the other becomes that of lags.

    Returns
    -------
    np.ndarray or scipy.sparse array [shape=(2 * n, n), or (n, n) without `pad`]
        Lag i and frame j hold the recurrence of frame j with frame ``(i + j) mod 2 n``; transposed
        for ``axis=0``. Sparse arrays keep their format.

    Raises
    ------
    ParameterError
        If `rec` is not square or `axis` is not its own.

    Examples
    --------
    >>> metalmom.segment.recurrence_to_lag(np.eye(3, dtype=int))[0]
    array([1, 1, 1])
    """
    axis, rec = _axis(axis), as_matrix(rec, "rec")
    if rec.shape[0] != rec.shape[1]:
        raise ParameterError(f"rec.shape={rec.shape} must be square")
    return shear(_widened(rec, axis) if pad else rec, factor=-1, axis=axis)


@as_feature(listed=False)
def lag_to_recurrence(lag, *, axis=-1):
    """Turn a matrix of lags back into a recurrence matrix.

    Parameters
    ----------
    lag : np.ndarray or scipy.sparse array [shape=(2 * n, n) or (n, n)]
        What `recurrence_to_lag` returns.
    axis : int
        The axis of time.

    Returns
    -------
    np.ndarray or scipy.sparse array [shape=(n, n)]
        Recurrence, frame by frame. Sparse arrays keep their format.

    Raises
    ------
    ParameterError
        If the shape of `lag` is not as above, or `axis` is not its own.

    Examples
    --------
    >>> rec = np.arange(9).reshape(3, 3)
    >>> lag = metalmom.segment.recurrence_to_lag(rec)
    >>> bool((metalmom.segment.lag_to_recurrence(lag) == rec).all())
    True
    """
    axis, lag = _axis(axis), as_matrix(lag, "lag")
    shape = lag.shape
    if shape[1 - axis] not in (shape[axis], 2 * shape[axis]):
        raise ParameterError(
            f"lag.shape={shape} must have as many lags as frames, or twice as many"
        )
    rec = shear(lag, factor=1, axis=axis)
    n = shape[axis]
    return rec[:n] if axis == 1 else rec[:, :n]


def timelag_filter(function, pad=True, index=0):
    """Make a filter of images one that works on lags: along diagonals of a recurrence matrix.

    Parameters
    ----------
    function : callable
        The filter, which takes a matrix and returns one of its shape.
    pad : bool
        As for `recurrence_to_lag`.
    index : int
        Which positional argument is the matrix.

    Returns
    -------
    callable
        The same function on recurrence matrices.

    Examples
    --------
    >>> smooth = metalmom.segment.timelag_filter(lambda lag: lag.cumsum(axis=1))
    >>> np.diag(smooth(np.eye(4, dtype=int)))
    array([1, 2, 3, 4])
    """

    @functools.wraps(function)
    def filtered(*args, **kwargs):
        args = list(args)
        if not -len(args) <= index < len(args):
            raise ParameterError(f"index={index} must be that of a positional argument")
        args[index] = recurrence_to_lag(args[index], pad=pad)
        return lag_to_recurrence(function(*args, **kwargs))

    return filtered
