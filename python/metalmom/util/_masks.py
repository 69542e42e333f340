"""Masks that share a spectrogram out; part of `util.utils`."""

import numpy as np

from .._declared import Like, as_feature
from .exceptions import ParameterError

__all__ = ["softmask"]


@as_feature(lambda given: Like(numbers=bool if given.power == np.inf else float), listed=False)
def softmask(X, X_ref, *, power=1, split_zeros=False):
    """Share of `X` in ``X ** power + X_ref ** power``.

    Parameters
    ----------
    X : np.ndarray, non-negative
        What the mask is for.
    X_ref : np.ndarray, non-negative
        What it is weighed against, of the same shape.
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
    if X.shape != X_ref.shape:
        raise ParameterError(f"X.shape={X.shape} must be X_ref.shape={X_ref.shape}")
    if np.any(X < 0) or np.any(X_ref < 0):
        raise ParameterError("X and X_ref must be non-negative")
    if not power > 0:
        raise ParameterError(f"power={power} must be strictly positive")
    if not np.isfinite(power):
        return X > X_ref
    dtype = X.dtype if np.issubdtype(X.dtype, np.floating) else np.dtype(np.float32)
    # Divided by the larger of both, so that their powers can neither overflow nor both vanish.
    scale = np.maximum(X, X_ref).astype(dtype)
    silent = scale < np.finfo(dtype).tiny
    scale[silent] = 1
    own, other = (X / scale) ** power, (X_ref / scale) ** power
    total = own + other
    total[silent] = 1
    mask = np.divide(own, total, out=own, casting="same_kind")  # as precise as X, whatever X_ref is
    mask[silent] = 0.5 if split_zeros else 0.0
    return mask
