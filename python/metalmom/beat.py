"""Beats, by dynamic programming."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np

from . import onset, util
from ._engine import _args
from ._engine.backend import by_the_way
from .util._expressions import ask, expression_of, then
from ._native import DeviceArray
from .util._public import public
from .util._checks import require_positive
from .util._types import (
    Array, Audio, BoolArray, Envelope, Float64Array, Int, NDArray, Number, Positive, PositiveInt,
    Prior, RealArray, RealEnvelope, Tempi,
)
from .core import convert, spectrum
from .feature import rhythm
from .util._declared import Frames, Value, as_feature, centred
from .util._keywords import made_of
from .util.exceptions import ParameterError

__all__ = ["beat_track", "plp"]
__dir__ = __all__.copy


def _answers(given: Any) -> tuple[Value, Any]:
    rows = 1 if given.bpm is None else np.shape(given.bpm)
    numbers = int if isinstance(given.bpm, int) else float
    tempo = Value(rows, name="tempo", unit="beats per minute", numbers=numbers)
    return tempo, dataclasses.replace(onset.positions(given), name="beats")


class _Tracking(TypedDict, total=False):
    y: Audio | DeviceArray | None
    sr: Positive
    onset_envelope: Envelope | None
    hop_length: PositiveInt
    start_bpm: Positive
    tightness: Positive
    trim: bool
    bpm: Number | Tempi | None
    prior: Prior | None
    units: Literal["frames", "samples", "time"]


@overload
def beat_track(
    *, sparse: Literal[True] = ..., **tracking: Unpack[_Tracking]
) -> tuple[float | Float64Array, NDArray[np.integer[Any] | np.floating[Any]]]: ...
@overload
def beat_track(
    *, sparse: Literal[False], **tracking: Unpack[_Tracking]
) -> tuple[float | Float64Array, BoolArray]: ...
@overload
def beat_track(
    *, sparse: bool = ..., **tracking: Unpack[_Tracking]
) -> tuple[float | Float64Array, NDArray[np.integer[Any] | np.floating[Any]] | BoolArray]: ...
@as_feature(_answers)
@made_of(onset_envelope="y")
@public(expression=True, composed=True)
def beat_track(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    onset_envelope: Envelope | None = None,
    hop_length: PositiveInt = 512,
    start_bpm: Positive = 120.0,
    tightness: Positive = 100,
    trim: bool = True,
    bpm: Number | Tempi | None = None,
    prior: Prior | None = None,
    units: Literal["frames", "samples", "time"] = "frames",
    sparse: bool = True,
) -> tuple[float | Float64Array, NDArray[np.integer[Any] | np.floating[Any]]] | tuple[float | Float64Array, BoolArray]:
    """Track beats: find the tempo, and the best sequence of beats at about that tempo.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `onset_envelope` is needed.
    sr : number > 0
        Sampling rate in Hz.
    onset_envelope : np.ndarray [shape=(..., m)], optional
        Onset strength; by default `metalmom.onset.onset_strength` with the median over bands.
    hop_length : int > 0
        Samples from a frame to the next.
    start_bpm : number > 0
        The tempo around which to look for the estimate, in beats per minute.
    tightness : number > 0
        How strongly beats keep to the tempo.
    trim : bool
        Whether to drop leading and trailing beats on weak onsets.
    bpm : number or np.ndarray [shape=(...), (..., 1) or (..., m)], optional
        The tempo, for all signals, for each, or for each frame, instead of an estimate.
    prior : distribution with a method `logpdf`, optional
        Prior of the tempo, instead of `start_bpm`.
    units : {"frames", "samples", "time"}
        The unit of positions.
    sparse : bool
        Whether to return positions, for one signal, or a mask of all frames.

    Returns
    -------
    tempo : float or np.ndarray of float64
        `bpm` as given, or the estimate [shape=(..., 1)], float64; 0 if the strength never rises.
    beats : np.ndarray [shape=(n_beats,)], int or float, or np.ndarray of bool if not `sparse`
        Positions in `units` (int, for "time" float in seconds), or where beats are
        [shape=(..., m)].

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `onset_envelope` is given.

    References
    ----------
    D. P. W. Ellis, "Beat tracking by dynamic programming", Journal of New Music Research 36(1),
    2007.

    Examples
    --------
    >>> y = metalmom.clicks(times=np.arange(20) / 2, sr=22050, length=220500).astype(np.float32)
    >>> tempo, beats = metalmom.beat.beat_track(y=y, sr=22050, units="time")
    >>> np.diff(beats).round(1).max()
    0.5
    """
    if onset_envelope is None:
        onset_envelope = _strength(y, sr, hop_length)
    source = "onset_envelope" if y is None else "y"
    rules = {"start_bpm": start_bpm, "tightness": tightness, "trim": trim, "bpm": bpm, "prior": prior}
    return then(_tempo_and_beats, onset_envelope, source, sr, hop_length, units, sparse, **rules)


def _strength(y: Any, sr: Number, hop_length: Int) -> Any:
    return then(_args.host, onset.strength_of(y, sr, hop_length, aggregate=np.median))


def _tempo_and_beats(
    onset_envelope: Any, source: str, sr: Number, hop_length: Int, units: str, sparse: bool, *, bpm: Any,
    start_bpm: Number, prior: Prior | None, **rules: Any,
) -> Any:
    onset_envelope = _args.one_signal(onset_envelope, sparse, source)
    if not onset_envelope.any():
        if sparse:
            return 0.0, np.array([], dtype=int)
        return np.zeros(onset_envelope.shape[:-1]), np.zeros_like(onset_envelope, dtype=bool)
    if bpm is None:
        bpm = expression_of(rhythm.tempo)(
            onset_envelope=onset_envelope, sr=sr, hop_length=hop_length, start_bpm=start_bpm, prior=prior,
        )
    beats = ask(
        "beat_track", onset_envelope=_args.floating(onset_envelope, "onset_envelope"),
        bpm=then(_tempo_of_each, bpm, onset_envelope.shape), frame_rate=float(sr) / hop_length, **rules,
    )
    if sparse:
        beats = then(onset._in_units, then(np.flatnonzero, beats), units, sr, hop_length)
    return then(_both, bpm, beats)


def _both(bpm: Any, beats: Any) -> tuple[Any, Any]:
    return bpm, beats


def _tempo_of_each(bpm: Any, shape: tuple[int, ...]) -> Float64Array:
    """One tempo for each signal, or for each of its frames."""
    bpm = np.atleast_1d(bpm)
    tempi = util.expand_to(bpm, ndim=len(shape), axes=range(bpm.ndim))
    if tempi.shape[-1] not in (1, shape[-1]):
        raise ParameterError("bpm.shape", bpm.shape, f"fit onset_envelope.shape={shape}", verb="must")
    return np.broadcast_to(tempi, (*shape[:-1], tempi.shape[-1])).astype(np.float64)


@as_feature(Frames(at=centred))
@made_of(onset_envelope="y")
@public(expression=True, composed=True)
def plp(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    onset_envelope: RealEnvelope | None = None,
    hop_length: PositiveInt = 512,
    win_length: PositiveInt = 384,
    tempo_min: Number | None = 30,
    tempo_max: Number | None = 300,
    prior: Prior | None = None,
) -> RealArray:
    """Predominant local pulse: the periodic part of onset strength, with a tempo of its own in
    each frame.

    Each frame of the Fourier tempogram keeps only its strongest tempo, with its phase. These pulses are
    added up, and negative values are cut. The local maxima are beat candidates.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `onset_envelope` is needed.
    sr : number > 0
        Sampling rate in Hz.
    onset_envelope : np.ndarray [shape=(..., m)], real floating-point, optional
        Onset strength; by default `metalmom.onset.onset_strength` with the median over bands.
    hop_length : int > 0
        Samples from a frame to the next.
    win_length : int > 0
        Frames of the window of the tempogram.
    tempo_min, tempo_max : number or None
        The range of tempi, in beats per minute; None for no bound.
    prior : distribution with a method `logpdf`, optional
        Prior of the tempo.

    Returns
    -------
    np.ndarray [shape=(..., m)], real
        The pulse, from 0 to 1; of the dtype of the onset strength.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `onset_envelope` is given.

    References
    ----------
    P. Grosche and M. Mueller, "Extracting predominant local pulse information from music
    recordings", IEEE Trans. Audio, Speech and Language Processing 19(6), 2011.

    Examples
    --------
    >>> envelope = np.tile([1.0] + [0.0] * 21, 40)
    >>> pulse = metalmom.beat.plp(onset_envelope=envelope, tempo_max=200)
    >>> np.flatnonzero(metalmom.util.localmax(pulse))[10:14]
    array([242, 264, 286, 308])
    """
    if tempo_min is not None and tempo_max is not None and tempo_max <= tempo_min:
        raise ParameterError("tempo_max", tempo_max, f"above tempo_min={tempo_min}")
    if onset_envelope is None:
        onset_envelope = _strength(y, sr, hop_length)
    return then(_pulse, onset_envelope, sr, hop_length, win_length, tempo_min, tempo_max, prior)


def _pulse(
    onset_envelope: Array, sr: Number, hop_length: Int, win_length: Int, tempo_min: Number | None,
    tempo_max: Number | None, prior: Prior | None,
) -> Array:
    tempogram = rhythm.fourier_tempogram(
        onset_envelope=onset_envelope, sr=sr, hop_length=hop_length, win_length=win_length
    )
    tempi = convert.fourier_tempo_frequencies(sr=sr, hop_length=hop_length, win_length=win_length)
    first = 0 if tempo_min is None else int(np.searchsorted(tempi, tempo_min))
    last = tempi.size if tempo_max is None else int(np.searchsorted(tempi, tempo_max, "right"))
    # Only the allowed tempi are transformed back; all others are zero in the result anyway.
    allowed = tempogram[..., first:last, :]
    if allowed.shape[-2] == 0:
        require_positive("hop_length", hop_length)
        raise ParameterError(
            f"tempo_min={tempo_min} and tempo_max={tempo_max} must have a bin between them: "
            f"bins are {60 * sr / (hop_length * win_length):.2f} apart",
            argument="tempo_min",
        )
    strength = np.log1p(1e6 * np.abs(allowed))
    if prior is not None:
        strength = strength + prior.logpdf(tempi[first:last])[:, np.newaxis]
    strongest = strength >= strength.max(axis=-2, keepdims=True)
    pulses = np.zeros_like(tempogram)
    kept = pulses[..., first:last, :]
    np.copyto(kept, allowed, where=strongest)
    # The greatest by its real part, which is the 0 of another bin where the strongest has a negative one.
    kept /= np.sqrt(util.tiny(kept)) + np.abs(pulses.max(axis=-2, keepdims=True))
    with by_the_way(pulses):  # frames are as long as the tempogram's windows
        pulse = spectrum.istft(pulses, hop_length=1, n_fft=win_length, length=onset_envelope.shape[-1])
    return util.normalize(np.maximum(pulse, 0, out=pulse), axis=-1)
