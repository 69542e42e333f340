"""Convolution of whole signals."""

import numpy as np

from . import _native
from .util._checks import is_one_of
from .util.exceptions import ParameterError

__all__ = ["convolve"]

_METHODS = ("auto", "direct", "fft", "overlap_save", "partitioned")


def samples_of(values, name):
    """Values as float32, or as float64 where that holds them."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise ParameterError(f"{name}.dtype={array.dtype} must be a type of real numbers")
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ParameterError(f"{name}.shape={array.shape} must have at least one sample")
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def convolve(x, h, *, mode="full", method="auto"):
    """Convolve signals with impulse responses along the last axis.

    The result is not normalised, and as long as `mode` says. float32 is transformed in float32: it
    agrees with the exact result to about 1e-6 of its maximum.

    Parameters
    ----------
    x : array_like [shape=(..., n)], real
        Signals, finite everywhere.
    h : array_like [shape=(m,) or (..., m)], real
        One response for all signals, or one for each.
    mode : {"full", "same", "valid"}
        All n + m - 1 samples; those around the middle, as many as `x` has; or those for which no
        sample is missing.
    method : {"auto", "direct", "fft", "overlap_save", "partitioned"}
        Sums of products; one transform as long as the result; blocks of transforms at least as long
        as the response; blocks with the response in partitions. By default what is expected to be
        fastest.

    Returns
    -------
    np.ndarray [shape=(..., k)]
        float32 if both are, else float64.

    Raises
    ------
    ParameterError
        For values that are not real or not finite, and shapes that do not fit.

    References
    ----------
    T. G. Stockham, "High-speed convolution and correlation", AFIPS 1966. W. G. Gardner, "Efficient
    convolution without input-output delay", JAES 43(3), 1995.

    Examples
    --------
    >>> metalmom.convolve(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.5]))
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    x, h = samples_of(x, "x"), samples_of(h, "h")
    if h.ndim > 1 and x.shape[:-1] != h.shape[:-1]:
        raise ParameterError(
            f"h.shape={h.shape} must be (m,), or begin with the axes of x.shape={x.shape}"
        )
    if not is_one_of(method, _METHODS):
        raise ParameterError(f"method={method!r} must be one of {', '.join(map(repr, _METHODS))}")
    n, m = x.shape[-1], h.shape[-1]
    if mode == "full":
        first, count = 0, n + m - 1
    elif mode == "same":
        first, count = (m - 1) // 2, n
    elif mode == "valid":
        first, count = min(n, m) - 1, abs(n - m) + 1
    else:
        raise ParameterError(f"mode={mode!r} must be 'full', 'same' or 'valid'")
    dtype = np.result_type(x, h)
    native = _native.convolve_float32 if dtype == np.float32 else _native.convolve_float64
    return native(x.astype(dtype, copy=False), h.astype(dtype, copy=False), first, count, method)
