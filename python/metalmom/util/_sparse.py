"""Sparse approximations; part of `util.utils`."""

import numpy as np

from ._packages import required
from .exceptions import ParameterError

__all__ = ["sparsify_rows"]


def sparsify_rows(x, *, quantile=0.01, dtype=None):
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
        Of the result; by default that of `x`.

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
        kind = x.dtype if isinstance(x, np.ndarray) else type(x).__name__
        raise ParameterError(f"x={kind} must be an array of numbers")
    if not 1 <= x.ndim <= 2 or x.size == 0:
        raise ParameterError(f"x.shape={x.shape} must be (n,) or (m, n), without a zero")
    if not 0 <= quantile < 1:
        raise ParameterError(f"quantile={quantile} must be in [0, 1)")
    name, held = ("x.dtype", x.dtype) if dtype is None else ("dtype", np.dtype(dtype))
    if held.kind not in "biufc" or held == np.float16:
        raise ParameterError(f"{name}={held} must be a type that a sparse matrix holds")
    x = _row_after_row(np.atleast_2d(x))
    magnitudes = np.abs(x)
    if magnitudes.dtype not in (np.float32, np.float64):
        magnitudes = magnitudes.astype(np.float64)
    if not np.isfinite(magnitudes).all():
        raise ParameterError("x must be finite everywhere")
    columns, ends = _native.sparse_rows(magnitudes=magnitudes, quantile=quantile)
    columns = columns[: ends[-1]].copy()
    counts = np.diff(ends)
    values = x.ravel()[columns + np.repeat(np.arange(len(x)) * x.shape[1], counts)]
    values = values.astype(x.dtype if dtype is None else dtype, copy=False)
    return required("scipy.sparse").csr_array((values, columns, ends), shape=x.shape)


def _row_after_row(x):
    """A matrix whose rows follow one another in memory.

    Of columns that do (a spectrogram's frames), some are copied at a time: those that stay in cache.
    """
    if x.flags.c_contiguous:
        return x
    rows = np.empty(x.shape, dtype=x.dtype)
    for first in range(0, x.shape[1], 64):
        rows[:, first : first + 64] = x[:, first : first + 64]
    return rows
