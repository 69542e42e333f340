"""Tempograms and tempo; part of `feature.rhythm`."""

import math

import numpy as np

from .. import _args
from .._expressions import ask, expression, then
from .._declared import Frames, Value, as_feature, centred, windows
from .._spans import composed
from ..core import convert
from ..util._checks import positive_int
from ..util._memory import refuse_beyond_memory
from ..util.exceptions import ParameterError

__all__ = ["tempo", "tempogram"]


def _envelope(y, sr, onset_envelope, hop_length):
    """The onset envelope, computed from audio where it is not given."""
    if onset_envelope is not None:
        return _args.floating(onset_envelope, "onset_envelope")
    if y is None:
        raise ParameterError("y=None must be audio if there is no onset_envelope")
    from .. import onset  # imported here, since onset imports the features

    return onset.onset_strength.expression(y=y, sr=sr, hop_length=hop_length)


def _tempogram_arguments(onset_envelope, win_length, center, window):
    """The native arguments that the tempogram and its mean share."""
    samples = _args.window(window, win_length)
    if center and _args.array(onset_envelope).dtype.kind in "iu":
        # Ramps of integers are rounded to integers; only numpy.pad does that.
        margins = [(0, 0)] * (onset_envelope.ndim - 1) + [(win_length // 2, win_length // 2)]
        end = onset_envelope.shape[-1] + win_length - 1
        onset_envelope = np.pad(onset_envelope, margins, mode="linear_ramp")[..., :end]
        center = False
    return {
        "onset_envelope": _args.floating(onset_envelope, "onset_envelope"),
        "window": samples,
        "center": bool(center),
    }


def _refuse_large_tempogram(name, value, win_length, onset_envelope):
    """Refuse the argument NAME by which a tempogram is larger than what memory there is."""
    refuse_beyond_memory(name, value, 8 * int(win_length) * math.prod(np.shape(onset_envelope)))


def windows_within(given):
    """Windows of an envelope's frames: where they are not centred, as many as fit in."""
    return () if given.center else windows(given.win_length, 1, False)


@as_feature(Frames("win_length", at=centred, then=windows_within))
@composed
@expression
def tempogram(
    *,
    y=None,
    sr=22050,
    onset_envelope=None,
    hop_length=512,
    win_length=384,
    center=True,
    window="hann",
    norm=np.inf,
):
    """Tempogram: the autocorrelation of onset strength in a window around each frame.

    In double precision; of a DeviceArray in single.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `onset_envelope` is needed.
    sr : number > 0
        Sampling rate in Hz.
    onset_envelope : np.ndarray [shape=(..., m)], or DeviceArray, optional
        Onset strength, as `metalmom.onset.onset_strength` gives it.
    hop_length : int > 0
        Samples from a frame to the next, for `y`.
    win_length : int > 0
        Frames of the window; 384 are 8.9 s by default.
    center : bool
        Whether windows are centred on their frames (the envelope then falls to zero in a ramp
        beyond its ends) or begin there.
    window : str, tuple, number, callable or np.ndarray [shape=(win_length,)]
        As in `metalmom.filters.get_window`.
    norm : {np.inf, -np.inf, 0, number > 0, None}
        Norm that each frame is scaled to, as in `metalmom.util.normalize`.

    Returns
    -------
    np.ndarray [shape=(..., win_length, m)], float64, or DeviceArray
        Autocorrelation by lag (in frames) and frame; ``m - win_length + 1`` frames if not centred.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `onset_envelope` is given.

    References
    ----------
    P. Grosche, M. Mueller and F. Kurth, "Cyclic tempogram: a mid-level tempo representation for
    music signals", ICASSP 2010.

    Examples
    --------
    >>> envelope = np.tile([1.0, 0.0, 0.0, 0.0], 100)
    >>> T = metalmom.feature.tempogram(onset_envelope=envelope, win_length=64)
    >>> int(T[1:, 200].argmax()) + 1  # the period of four frames
    4
    """
    positive_int("win_length", win_length)
    if norm is None:
        normalization = {"normalize": False}
    elif isinstance(norm, (int, float, np.number)):
        normalization = {"norm": norm}
    else:
        raise ParameterError(f"norm={norm!r} must be a number or None")
    if onset_envelope is None:
        onset_envelope = _envelope(y, sr, None, hop_length)
    return then(_tempogram, onset_envelope, win_length, center, window, **normalization)


def _tempogram(onset_envelope, win_length, center, window, **normalization):
    _refuse_large_tempogram("win_length", win_length, win_length, onset_envelope)
    arguments = _tempogram_arguments(onset_envelope, win_length, center, window)
    return ask("tempogram", **arguments, **normalization)


@as_feature(
    lambda given: Value(1, unit="beats per minute") if given.aggregate else Frames(unit="beats per minute", at=centred)
)
@composed
@expression
def tempo(
    *,
    y=None,
    sr=22050,
    onset_envelope=None,
    tg=None,
    hop_length=512,
    start_bpm=120,
    std_bpm=1.0,
    ac_size=8.0,
    max_tempo=320.0,
    aggregate=np.mean,
    prior=None,
):
    """Estimate the tempo: the strongest period of a tempogram, weighted by a prior.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y`, `onset_envelope` and `tg` is needed.
    sr : number > 0
        Sampling rate in Hz.
    onset_envelope : np.ndarray [shape=(..., m)], optional
        Onset strength.
    tg : np.ndarray [shape=(..., win_length, m)], optional
        A tempogram; the other inputs are then not used.
    hop_length : int > 0
        Samples from a frame to the next.
    start_bpm : number > 0
        Centre of the prior, in beats per minute.
    std_bpm : number > 0
        Its standard deviation, in octaves.
    ac_size : number > 0
        Length of the tempogram's window in seconds.
    max_tempo : number > 0 or None
        Tempi from here on are not considered.
    aggregate : callable or None
        Combines the frames of the tempogram, along `axis`; None estimates each frame.
    prior : distribution with a method `logpdf`, optional
        Prior of the tempo instead of the log-normal one of `start_bpm` and `std_bpm`.

    Returns
    -------
    np.ndarray [shape=(..., 1) or (..., m)], float64
        Tempo in beats per minute, of each signal or of each frame.

    Raises
    ------
    ParameterError
        For wrong values, or if there is no input.

    Examples
    --------
    >>> envelope = np.tile([1.0] + [0.0] * 21, 40)
    >>> metalmom.feature.tempo(onset_envelope=envelope).round(1)
    array([117.5])
    """
    if tg is not None:
        win_length = tg.shape[-2]
    else:
        win_length = convert.time_to_frames(ac_size, sr=sr, hop_length=hop_length).item()
        if win_length < 1:
            raise ParameterError(f"sr={sr} must give hop_length={hop_length} a frame in {ac_size} s")
    if prior is None:
        log_prior = _NO_VALUES
    else:
        bpms = convert.tempo_frequencies(win_length, hop_length=hop_length, sr=sr)
        log_prior = np.asarray(prior.logpdf(bpms), dtype=np.float64)
    choice = {
        "log_prior": log_prior,
        "start_bpm": start_bpm,
        "std_bpm": std_bpm,
        "sr": sr,
        "hop_length": hop_length,
        "max_tempo": np.inf if max_tempo is None else max_tempo,
    }
    if tg is not None:
        return _tempo_of_tempogram(tg, aggregate, choice)
    if onset_envelope is None:
        onset_envelope = then(_args.host, _envelope(y, sr, None, hop_length))
    return then(_tempo_of_envelope, onset_envelope, ac_size, win_length, aggregate, choice)


def _tempo_of_envelope(onset_envelope, ac_size, win_length, aggregate, choice):
    _refuse_large_tempogram("ac_size", ac_size, win_length, onset_envelope)
    if aggregate is np.mean:
        arguments = _tempogram_arguments(onset_envelope, win_length, True, "hann")
        return ask("global_tempo", **arguments, **choice)
    tg = tempogram.expression(onset_envelope=onset_envelope, win_length=win_length)
    return then(_tempo_of_tempogram, tg, aggregate, choice)


def _tempo_of_tempogram(tg, aggregate, choice):
    if aggregate is not None:
        tg = aggregate(tg, axis=-1, keepdims=True)
    return ask("tempo", tg=_args.floating(tg, "tg"), **choice)


_NO_VALUES = np.empty(0)
