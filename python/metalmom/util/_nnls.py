"""Non-negative least squares for many right-hand sides."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from ._public import public
from ._types import Float64Array, Numbers, RealArray
from ._rules import array

from ._keywords import takes
from ._packages import required
from ._wording import no_array
from ._checks import require, require_finite
from .exceptions import Argument, ParameterError
from .utils import MAX_MEM_BLOCK

__all__ = ["nnls"]

# Singular values below this share of the largest count as zero.
_RANK_TOLERANCE = 1e-15
# If the smallest eigenvalue of a Gram matrix is above this share of the largest, inverting the Gram
# matrix is as accurate as inverting the matrix itself.
_WELL_CONDITIONED = 1e-6
# Arguments of scipy.optimize.fmin_l_bfgs_b that have no meaning here and are ignored.
_IGNORED = frozenset(
    ["m", "factr", "epsilon", "iprint", "maxfun", "disp", "callback", "maxls", "approx_grad"]
)


@takes("pgtol", "maxiter", *_IGNORED)
@public
def nnls(
    A: Annotated[Numbers, array("m, n", values="real")],
    B: Annotated[Numbers, array("..., m, N", "m", values="real")],
    **kwargs: Any,
) -> RealArray:
    """Non-negative least squares: X >= 0 with the least ``|A X - B|``.

    Begins where librosa does, at the least-squares solution with its negative values put to zero,
    and ends under the same condition, the projected gradient; in between it descends by
    accelerated projected gradients, each column for itself, in double precision. librosa's L-BFGS-B
    stops early: from where depends on the number of columns, and the residual is often far from the
    least. Ours is as small or smaller. Where many solutions are equally good, as for a mel
    spectrogram, X is librosa's if that stops where it begins, and otherwise another one.

    Parameters
    ----------
    A : np.ndarray [shape=(m, n)], real
        The basis.
    B : np.ndarray [shape=(..., m, N)] or [shape=(m,)], real
        The values to approximate. A single vector is solved exactly by `scipy.optimize.nnls`,
        which needs SciPy.
    **kwargs
        Arguments of `scipy.optimize.fmin_l_bfgs_b`: ``pgtol`` (by default 1e-5), the largest
        element of the projected gradient of ``sum((A X - B)**2) / (2 B.size)``, and ``maxiter``
        (15000); its others change nothing.

    Returns
    -------
    np.ndarray [shape=(..., n, N)] or [shape=(n,)], real
        Non-negative, in the dtype of `A`.

    Raises
    ------
    ParameterError
        For arrays that are not real numbers, not finite, empty or do not fit.

    References
    ----------
    A. Beck and M. Teboulle, "A fast iterative shrinkage-thresholding algorithm for linear inverse
    problems", SIAM J. Imaging Sciences 2(1), 2009.

    Examples
    --------
    >>> A = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> metalmom.util.nnls(A, np.array([[1.0, 2.0], [3.0, 1.0]])).round(2)
    array([[1. , 1.5],
           [2. , 0. ]])
    """
    for name, value in (("A", A), ("B", B)):
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
            raise no_array(name, value, "an array of real numbers")
        require_finite(name, value)
    require(A.ndim == 2 and A.size, "A.shape", A.shape, "that of a matrix")
    if B.ndim == 0 or B.shape[-2 if B.ndim > 1 else 0] != A.shape[0] or B.size == 0:
        raise ParameterError("B.shape", B.shape, f"(..., {A.shape[0]}, columns)")
    if B.ndim == 1:
        return required("scipy.optimize", Argument("B.ndim", 1)).nnls(A, B)[0]
    return _descended(A, B, **kwargs)


def _descended(
    A: Numbers, B: Numbers, *, pgtol: float = 1e-5, maxiter: int = 15000, **others: Any
) -> RealArray:
    from .. import _native

    unknown = sorted(set(others) - _IGNORED)
    if unknown:
        raise TypeError(f"nnls() got an unexpected keyword argument '{unknown[0]}'")
    # Columns that librosa solves together: the descent is made for all of a block or for none.
    block_columns = max(1, MAX_MEM_BLOCK // (int(np.prod(B.shape[:-1])) * A.itemsize))
    one_block = B.shape[-1] <= block_columns
    # The dtype of several blocks is that of A and B together, as in librosa; that of one block is
    # A's.
    dtype = A.dtype if one_block else np.result_type(A, B)
    real = np.float32 if dtype == np.float32 else np.float64
    basis = np.ascontiguousarray(A, dtype=np.float64)
    start, curvature = _start(basis)
    X = _native.nnls(
        B=np.ascontiguousarray(B, dtype=real), A=basis, start=start, curvature=curvature,
        block_columns=block_columns, pgtol=pgtol, maxiter=maxiter,
    ).swapaxes(-1, -2)  # fmt: skip
    return X.astype(dtype, order="C" if one_block else "K", copy=False)


def _start(A: Float64Array) -> tuple[Float64Array, float]:
    """The transposed pseudo-inverse of A, and the largest eigenvalue of its Gram matrix."""
    wide = A.shape[0] <= A.shape[1]
    gram = A @ A.T if wide else A.T @ A
    values, vectors = np.linalg.eigh(gram)
    if values[0] > _WELL_CONDITIONED * values[-1]:
        inverse = (vectors / values) @ vectors.T
        return np.ascontiguousarray(inverse @ A if wide else A @ inverse), float(values[-1])
    left, strengths, right = np.linalg.svd(A, full_matrices=False)
    kept = strengths > _RANK_TOLERANCE * strengths[0]
    start = (left[:, kept] / strengths[kept]) @ right[kept]
    # For a basis of zeros any positive curvature is right.
    return np.ascontiguousarray(start), float(strengths[0] ** 2) or 1.0
