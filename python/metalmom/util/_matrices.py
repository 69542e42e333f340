"""Sorting, stacking, banding and shearing of matrices; part of `util.utils`."""

import numpy as np

from .exceptions import ParameterError

__all__ = ["axis_sort", "fill_off_diagonal", "shear", "stack"]


def _matrix_axis(axis):
    if axis not in (-2, -1, 0, 1):
        raise ParameterError(f"axis={axis} must be an axis of a matrix: 0, 1, -1 or -2")
    return axis % 2


def axis_sort(S, *, axis=-1, index=False, value=None):
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
    if np.ndim(S) != 2 or S.size == 0:
        raise ParameterError(f"S.shape={np.shape(S)} must be a matrix that is not empty")
    if not (value is None or callable(value)):
        raise ParameterError(f"value={value!r} must be callable")
    axis = _matrix_axis(axis)
    places = (np.argmax if value is None else value)(S, axis=1 - axis)
    if np.shape(places) != (S.shape[axis],):
        raise ParameterError(f"value must give {S.shape[axis]} numbers, not {places!r}")
    order = np.argsort(places, kind="stable")
    ordered = S[:, order] if axis else S[order]
    return (ordered, order) if index else ordered


def stack(arrays, *, axis=0):
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
    if not arrays:
        raise ParameterError("arrays=[] must be at least one array")
    shapes = {array.shape for array in arrays}
    if len(shapes) != 1:
        raise ParameterError(f"arrays of shapes {sorted(shapes)} must have the same shape")
    ndim = arrays[0].ndim
    if not -ndim - 1 <= axis <= ndim:
        raise ParameterError(f"axis={axis} must be from {-ndim - 1} to {ndim}")
    if axis != 0:
        return np.stack(arrays, axis=axis)
    stacked = np.empty((len(arrays), *arrays[0].shape), dtype=np.result_type(*arrays), order="F")
    return np.stack(arrays, axis=0, out=stacked)


def fill_off_diagonal(x, *, radius, value=0):
    """Set what lies outside of a band around the diagonal, in place (a Sakoe-Chiba band).

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
    if not isinstance(x, np.ndarray) or x.ndim != 2:
        raise ParameterError(f"x of shape {np.shape(x)} must be a matrix, a numpy.ndarray")
    if not 0 <= radius < np.inf:
        raise ParameterError(f"radius={radius} must be non-negative")
    n, m = x.shape
    band = int(np.round(radius * min(n, m)))
    above, below = band + max(m - n, 0), band + max(n - m, 0)
    for i, row in enumerate(x):
        row[: max(i - below + 1, 0)] = value
        row[max(i + above, 0) :] = value


def shear(X, *, factor=1, axis=-1):
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
        If `factor` is no integer or `X` no matrix.

    Examples
    --------
    >>> metalmom.util.shear(np.eye(3, dtype=int), factor=-1)
    array([[1, 1, 1],
           [0, 0, 0],
           [0, 0, 0]])
    """
    if not isinstance(factor, (int, np.integer)):
        raise ParameterError(f"factor={factor!r} must be an integer")
    axis = _matrix_axis(axis)
    is_sparse = hasattr(X, "tocoo")
    shape = X.shape if is_sparse else np.shape(X)
    if len(shape) != 2:
        raise ParameterError(f"X.shape={shape} must be that of a matrix")
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


def _shear_sparse(X, factor, axis):
    entries = X.tocoo()
    places = [entries.row, entries.col]
    # A sparse format's indices are as narrow as its shape allows; the product may need 64 bits.
    moved = places[1 - axis] + factor * places[axis].astype(np.int64)
    places[1 - axis] = moved % X.shape[1 - axis]
    coordinates = (entries.data, tuple(places))
    return type(entries)(coordinates, shape=X.shape).asformat(X.format)
