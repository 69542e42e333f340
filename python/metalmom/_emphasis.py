"""First-order filters that raise or lower high frequencies; part of `effects`."""

import numpy as np

from . import _native
from ._declared import Like, Value, as_feature
from ._spans import composed
from .util.exceptions import ParameterError

__all__ = ["deemphasis", "preemphasis"]


def _signal(y, fewest):
    """What a filter runs over: floating-point samples, real or complex, in double precision at most."""
    if not isinstance(y, np.ndarray) or y.dtype.char not in "fdgFDG":
        kind = getattr(y, "dtype", type(y).__name__)
        raise ParameterError(f"y={kind} must be an array of float32, float64 or their complex")
    if y.dtype.char in "gG":
        y = y.astype(y.dtype.char.replace("g", "d").replace("G", "D"))
    if y.ndim == 0 or y.shape[-1] < fewest:
        raise ParameterError(f"y.shape={y.shape} must have at least {fewest} samples")
    return y


def _coefficient(coef):
    if not np.isscalar(coef) or not np.isreal(coef) or not np.isfinite(coef):
        raise ParameterError(f"coef={coef!r} must be a finite number")
    return float(coef)


def _state(zi, y):
    """The state before the first sample as an array (..., 1) that fits `y`."""
    zi = np.atleast_1d(zi).astype(y.dtype)
    if zi.ndim not in (1, y.ndim) or zi.shape[-1] != 1:
        raise ParameterError(f"zi.shape={zi.shape} must be (1,) or {(*y.shape[:-1], 1)}")
    try:
        return np.broadcast_to(zi, (*y.shape[:-1], 1))
    except ValueError:
        raise ParameterError(
            f"zi.shape={zi.shape} must be (1,) or {(*y.shape[:-1], 1)}"
        ) from None


@as_feature(lambda given: (Like(), Value(1)) if given.return_zf else Like(), listed=False)
def preemphasis(y, *, coef=0.97, zi=None, return_zf=False):
    """Raise high frequencies: ``y[n] - coef * y[n - 1]``.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], floating-point or complex
        Audio, at least two samples (one if `zi` is given).
    coef : number
        0 leaves the signal as it is, 1 is the difference of neighbours; 0.97 is HTK's.
    zi : number or np.ndarray [shape=(1,) or (..., 1)], optional
        State of the filter, which is added to the first sample: the `zf` of the block before. By
        default ``2 * y[0] - y[1]``, the line through the first two samples.
    return_zf : bool
        Whether to return the state after the last sample, too.

    Returns
    -------
    y_out : np.ndarray, shape and dtype of `y`
        The filtered signal.
    zf : np.ndarray [shape=(..., 1)], if `return_zf`
        The state after the last sample.

    Raises
    ------
    ParameterError
        For values not listed.

    References
    ----------
    S. Young et al., "The HTK book", section "Speech input/output", Cambridge University, 2006.

    Examples
    --------
    >>> metalmom.effects.preemphasis(np.array([1.0, 1.0, 2.0]), coef=0.5)
    array([2. , 0.5, 1.5])
    """
    y = _signal(y, 2 if zi is None else 1)
    coef = y.dtype.type(_coefficient(coef))
    zi = 2 * y[..., :1] - y[..., 1:2] if zi is None else _state(zi, y)
    # The result's axes have the same order in memory as the input's, as with librosa's filter.
    filtered = np.empty_like(y)
    np.multiply(y[..., :-1], -coef, out=filtered[..., 1:])
    filtered[..., 1:] += y[..., 1:]
    filtered[..., :1] = y[..., :1] + zi
    return (filtered, -coef * y[..., -1:]) if return_zf else filtered


@as_feature(lambda given: (Like(), Value(1)) if given.return_zf else Like(), listed=False)
@composed
def deemphasis(y, *, coef=0.97, zi=None, return_zf=False):
    """Undo `preemphasis`: ``x[n] = y[n] + coef * x[n - 1]``.

    The recurrence runs in double precision and is rounded once.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], floating-point or complex
        Audio, at least two samples (any number if `zi` is given).
    coef : number
        As in `preemphasis`.
    zi : number or np.ndarray [shape=(1,) or (..., 1)], optional
        State of the filter, which is added to the first sample. By default the one that undoes
        `preemphasis` with its own default: ``-((2 - coef) * y[0] - y[1]) / (3 - coef)``. Of a
        state `zi` that was given to `preemphasis`, give ``-zi``.
    return_zf : bool
        Whether to return the state after the last sample, too: with the default `zi`, as in
        librosa, that of a filter that began at rest.

    Returns
    -------
    y_out : np.ndarray, shape and dtype of `y`
        The filtered signal.
    zf : np.ndarray [shape=(..., 1)], if `return_zf`
        The state after the last sample.

    Raises
    ------
    ParameterError
        For values not listed.

    Examples
    --------
    >>> y = np.array([1.0, 1.0, 2.0, 0.5])
    >>> metalmom.effects.deemphasis(metalmom.effects.preemphasis(y))
    array([1. , 1. , 2. , 0.5])
    """
    y = _signal(y, 2 if zi is None else 0)
    coef = _coefficient(coef)
    if zi is None:
        start = ((coef - 2) * y[..., :1] + y[..., 1:2]) / (3 - coef)
    else:
        start = _state(zi, y)
    filtered = _one_pole(y, coef, start)
    if not return_zf:
        return filtered
    end = filtered[..., -1:] if y.shape[-1] else start
    if zi is None:
        end = end - start * np.float64(coef) ** (y.shape[-1] - 1)
    return filtered, (coef * end if y.shape[-1] else end).astype(y.dtype)


def _one_pole(y, coef, start):
    """The recurrence over the last axis; real and imaginary part do not meet."""
    if np.iscomplexobj(y):
        parts = np.stack([y.real, y.imag]), np.stack([start.real, start.imag])
        real, imaginary = _one_pole(parts[0], coef, parts[1])
        filtered = np.empty(y.shape, y.dtype)
        filtered.real, filtered.imag = real, imaginary
        return filtered
    return _native.one_pole(
        y=np.ascontiguousarray(y), start=np.ascontiguousarray(start, np.float64), coef=coef
    )
