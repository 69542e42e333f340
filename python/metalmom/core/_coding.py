"""Speech coding: linear prediction and mu-law companding; part of `core.audio`."""

import numpy as np

from .. import _args, _native
from .._declared import Like, Value, as_feature
from ..util._checks import is_positive_int
from ..util.exceptions import ParameterError

__all__ = ["lpc", "mu_compress", "mu_expand"]


@as_feature(Value(lambda given: given.order + 1))
def lpc(y, *, order, axis=-1):
    """Linear prediction coefficients, by Burg's method.

    Prediction errors are kept in the precision of `y`; their energies are summed in double
    precision (librosa: in that of `y`), and anew where little is left: of a signal that is nearly
    predicted the coefficients are closer to the exact ones than librosa's.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point
        Audio, finite everywhere.
    order : int in 1 .. n - 1
        Order of the filter.
    axis : int
        Axis of time.

    Returns
    -------
    np.ndarray [shape=(..., order + 1)], real
        Coefficients in the dtype of `y`, along `axis`; the first is 1. The filter with these as
        numerator whitens `y`.

    Raises
    ------
    ParameterError
        For an order that is no positive integer or not below the number of samples.

    References
    ----------
    L. Marple, "A new autoregressive spectrum analysis algorithm", IEEE Trans. ASSP 28(4), 1980.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=0.5)
    >>> metalmom.lpc(y, order=2).round(3)
    array([ 1.   , -1.984,  1.   ])
    """
    if not is_positive_int(order):
        raise ParameterError(f"order={order} must be a positive integer")
    y = _args.audio(y)
    if not -y.ndim <= axis < y.ndim:
        raise ParameterError(f"axis={axis} must be an axis of y.shape={y.shape}")
    moved = _args.floating(y).swapaxes(axis, -1)
    found = _native.lpc(y=moved, order=order).swapaxes(axis, -1).astype(y.dtype, copy=False)
    # In memory the axis of coefficients comes first, as in librosa's result.
    return np.ascontiguousarray(found.swapaxes(axis, 0)).swapaxes(axis, 0)


def _values(x):
    """Anything real as an array of float32 or float64."""
    values = np.asarray(x)
    if values.dtype.kind not in "biuf":
        raise ParameterError(f"x={x!r} must be real")
    return _args.floating(values)


def _like(result, x):
    """A result of the engine in the form of what was given: an array or a scalar."""
    return result.reshape(np.shape(x))[()]


@as_feature(lambda given: Like(numbers=int if given.quantize else float), listed=False)
def mu_compress(x, *, mu=255, quantize=True):
    """Mu-law compression of values in [-1, 1].

    Parameters
    ----------
    x : np.ndarray or number, real in [-1, 1]
        What is to be compressed.
    mu : number > 0
        Strength; with `quantize`, one less than the number of codes (2**bits - 1).
    quantize : bool
        Whether to return codes.

    Returns
    -------
    np.ndarray or number, int or float
        With `quantize` codes around 0 (int), else ``sign(x) * log(1 + mu |x|) / log(1 + mu)``
        (float64).

    Raises
    ------
    ParameterError
        For values outside [-1, 1], NaN among them, and a `mu` that is not positive.

    References
    ----------
    ITU-T Recommendation G.711, "Pulse code modulation (PCM) of voice frequencies".

    Examples
    --------
    >>> metalmom.mu_compress(np.array([-1.0, -0.1, 0.0, 0.1, 1.0]))
    array([-128,  -75,    0,   75,  127])
    """
    if not mu > 0:
        raise ParameterError(f"mu={mu} must be strictly positive")
    values = _values(x)
    if not quantize:
        return _like(_native.mu_compress(x=values.reshape(-1), mu=mu), x)
    edges = np.linspace(-1, 1, num=int(1 + mu), endpoint=True)
    if len(edges) < 2:  # with one edge there are two codes: -1 and the others
        return _like(np.sign(values + 1).astype(np.int64) - int(mu + 1) // 2, x)
    return _like(_native.mu_quantize(x=values.reshape(-1), edges=edges, mu=mu), x)


# The most codes that are decoded by a table: those of 16 bits.
_MOST_CODES = 2**16


@as_feature(Like(numbers=float), listed=False)
def mu_expand(x, *, mu=255.0, quantize=True):
    """Mu-law expansion: the inverse of `mu_compress`.

    Parameters
    ----------
    x : np.ndarray or number, real
        Codes or compressed values.
    mu : number > 0
        As given to `mu_compress`.
    quantize : bool
        Whether `x` are codes, from ``-(1 + mu) / 2`` to ``(1 + mu) / 2``, or values in [-1, 1].

    Returns
    -------
    np.ndarray or number
        Values in [-1, 1]; float64 for codes, else in the precision of `x`.

    Raises
    ------
    ParameterError
        For values out of range, NaN among them, and a `mu` that is not positive.

    References
    ----------
    ITU-T Recommendation G.711, "Pulse code modulation (PCM) of voice frequencies".

    Examples
    --------
    >>> metalmom.mu_expand(np.array([-128, 0, 64])).round(3)
    array([-1.   ,  0.   ,  0.059])
    """
    if not mu > 0:
        raise ParameterError(f"mu={mu} must be strictly positive")
    given = np.asarray(x)
    if quantize and given.dtype.kind in "iu" and given.size > _MOST_CODES:
        lowest, highest = int(given.min()), int(given.max())
        if highest - lowest < _MOST_CODES:
            table = mu_expand(np.arange(lowest, highest + 1), mu=mu)
            return table[given - lowest if lowest else given]
    values = _values(x)
    if quantize:
        values = values * 2.0 / (1 + mu)
    expanded = _native.mu_expand(x=values.reshape(-1), mu=mu)
    return _like(_args.as_precise_as(given.dtype, expanded), x)
