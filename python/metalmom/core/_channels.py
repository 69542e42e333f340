"""Signals mixed to one channel, to one each, or to two; `metalmom.core.audio` exports them."""

import numpy as np

from ..util.exceptions import ParameterError
from ..util.utils import valid_audio

__all__ = ["to_mono", "to_multi", "to_stereo"]


def _common(signals, pad):
    """Data type and length of what holds all signals, which are checked."""
    if not signals:
        raise ParameterError("signals=() must be at least one signal")
    for y in signals:
        valid_audio(y)
    lengths = [y.shape[-1] for y in signals]
    return np.result_type(*(y.dtype for y in signals)), max(lengths) if pad else min(lengths)


def _apart(signals, out):
    """The signals, copied where writing `out` would change them."""
    if out is None:
        return signals
    return [y.copy() if np.may_share_memory(out, y) else y for y in signals]


def _target(out, shape, dtype):
    """`out`, if it can hold the result, or a new array; filled with zeros."""
    if out is None:
        return np.zeros(shape, dtype=dtype)
    if out.shape != shape:
        raise ParameterError(f"out.shape={out.shape} must be {shape}")
    if np.promote_types(out.dtype, dtype) != out.dtype:
        raise ParameterError(f"out.dtype={out.dtype} must be able to hold {dtype}")
    out[...] = 0
    return out


def _mixed(y, norm):
    """A signal with its channels averaged, or added."""
    combine = np.mean if norm else np.sum
    return combine(y, axis=tuple(range(y.ndim - 1)))


def _add(out, signals):
    """Add signals of the same channels, or of one, each from the start."""
    for y in signals:
        length = min(y.shape[-1], out.shape[-1])
        out[..., :length] += y[..., :length]


def to_mono(*signals, pad=True, norm=True, out=None):
    """Mix signals to one channel: the mean over each one's channels, then over the signals.

    Parameters
    ----------
    *signals : np.ndarray [shape=(..., n)]
        One or more signals, of any length each.
    pad : bool
        As long as the longest signal, the others followed by zeros; False: as the shortest.
    norm : bool
        Means; False: sums.
    out : np.ndarray [shape=(n,)], optional
        Where to write the result, at least as precise as its data type.

    Returns
    -------
    np.ndarray [shape=(n,)], real
        The mixture, of the signals' common data type; `out` if given.

    Raises
    ------
    ParameterError
        If there is no signal, one is not audio, or `out` does not fit.

    Examples
    --------
    >>> metalmom.to_mono(np.array([[0.0, 1.0], [1.0, 1.0]]))
    array([0.5, 1. ])
    """
    dtype, length = _common(signals, pad)
    signals = _apart(signals, out)
    out = _target(out, (length,), dtype)
    _add(out, (_mixed(y, norm) for y in signals))
    if norm and len(signals) > 1:
        out /= len(signals)
    return out


def to_multi(*signals, downmix=True, pad=True, norm=True, out=None):
    """Combine signals: one channel for each, or added up channel by channel.

    Parameters
    ----------
    *signals : np.ndarray [shape=(..., n)]
        One or more signals, of any length each.
    downmix : bool
        Mix each signal to one channel of the result; False: all signals have the same channels,
        and these are combined.
    pad : bool
        As long as the longest signal, the others followed by zeros; False: as the shortest.
    norm : bool
        Means; False: sums.
    out : np.ndarray, optional
        Where to write the result, at least as precise as its data type.

    Returns
    -------
    np.ndarray [shape=(signals, n) or (..., n)], real
        The channels, of the signals' common data type; `out` if given.

    Raises
    ------
    ParameterError
        If there is no signal, one is not audio, `out` does not fit, or with ``downmix=False`` the
        channels differ.

    Examples
    --------
    >>> metalmom.to_multi(np.array([1.0, 2.0]), np.array([3.0]))
    array([[1., 2.],
           [3., 0.]])
    """
    dtype, length = _common(signals, pad)
    signals = _apart(signals, out)
    if downmix:
        out = _target(out, (len(signals), length), dtype)
        for channel, y in zip(out, signals):
            _add(channel, [_mixed(y, norm)])
        return out
    channels = signals[0].shape[:-1]
    for y in signals:
        if y.shape[:-1] != channels:
            raise ParameterError(
                f"signals of shape {y.shape} and {signals[0].shape} must have the same channels "
                "with downmix=False"
            )
    out = _target(out, (*channels, length), dtype)
    _add(out, signals)
    if norm and len(signals) > 1:
        out /= len(signals)
    return out


def to_stereo(*, left, right, downmix=True, pad=True, norm=True, out=None):
    """Combine two signals into a stereo signal.

    Parameters
    ----------
    left, right : np.ndarray [shape=(..., n)] or None
        The signals; a missing one is silence.
    downmix : bool
        Mix each signal to its channel; False: a signal of one channel goes to its side and one of
        two channels to both, and the two are combined.
    pad : bool
        As long as the longer signal, the other followed by zeros; False: as the shorter.
    norm : bool
        Means; False: sums.
    out : np.ndarray [shape=(2, n)], optional
        Where to write the result, at least as precise as its data type.

    Returns
    -------
    np.ndarray [shape=(2, n)], real
        The left and the right channel, of the signals' common data type; `out` if given.

    Raises
    ------
    ParameterError
        If both signals are missing, one is not audio, `out` does not fit, or with
        ``downmix=False`` one has neither one channel nor two.

    Examples
    --------
    >>> metalmom.to_stereo(left=np.array([1.0, 2.0]), right=np.array([3.0]))
    array([[1., 2.],
           [3., 0.]])
    """
    sides = [(side, y) for side, y in enumerate((left, right)) if y is not None]
    if not sides:
        raise ParameterError("left=None and right=None must not be missing both")
    dtype, length = _common([y for _, y in sides], pad)
    sides = [(side, *_apart([y], out)) for side, y in sides]
    for side, y in sides:
        if not downmix and y.shape[:-1] not in ((), (2,)):
            name = ("left", "right")[side]
            raise ParameterError(f"{name}.shape={y.shape} must be (n,) or (2, n) with downmix=False")
    out = _target(out, (2, length), dtype)
    for side, y in sides:
        if downmix:
            _add(out[side], [_mixed(y, norm)])
        else:
            _add(out if y.ndim == 2 else out[side], [y])
    if norm and not downmix and len(sides) == 2:
        out /= 2
    return out
