"""Pitch and tuning: spectral peaks, YIN and pYIN, and the tuning of recordings."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from .. import _native
from .._engine import _args
from ..filters import get_window
from ..util._expressions import ask, of_audio, then
from .._native import DeviceArray
from ..util._public import public
from ..util._checks import require, require_count, require_positive
from ..util._rules import Rule
from ..util._types import (
    Array, ArrayLike, Audio, BoolArray, Float64Array, InsideUnit, Int, NonNegative, Number, PadMode,
    Placed, Positive, PositiveInt, Probability, RealArray, Spectrogram, WindowSpec, WinLength,
)
from ..util._declared import Frames, Value, as_feature, bins, has_kernels
from ..util._kept_results import kept
from ..util._keywords import takes
from ..util._transitions import nearby, require_states
from ..util._warnings import warn
from ..util.exceptions import ParameterError
from . import _framing
from .spectrum import _spectrogram

__all__ = ["estimate_tuning", "piptrack", "pitch_tuning", "pyin", "yin"]

_PEAK_DEFAULTS = {"fmin": 150.0, "fmax": 4000.0, "threshold": 0.1}


def _peak_arguments(
    *, sr: Number, n_fft: Number, fmin: Number, fmax: Number, threshold: Number
) -> dict[str, Any]:
    """Native arguments that say where peaks are looked for and what a bin is in Hz."""
    if not sr >= 1e-300:  # the inverse of a smaller rate overflows
        raise ParameterError("sr", sr, "a positive number")
    return {
        "bin_spacing": 1.0 / (n_fft * (1.0 / sr)), "fmin": max(fmin, 0.0), "fmax": min(fmax, float(sr) / 2),
        "threshold": threshold,
    }  # fmt: skip


def _stored_peaks(
    S: Array, *, sr: Number, n_fft: Number, fmin: Number, fmax: Number, threshold: Number, ref: Any
) -> dict[str, Any]:
    """Native arguments for the peaks of a stored spectrogram (..., bins, frames)."""
    _framing.require_bins(S)
    S = np.abs(S) if np.iscomplexobj(S) else _args.floating(S)
    magnitudes = np.abs(S) if S.size and S.min() < 0 else S
    limit = np.empty(0, dtype=S.dtype)
    if ref is not None:
        limit = threshold * ref(S, axis=-2) if callable(ref) else np.abs(ref)
        if not callable(ref) and np.ndim(limit) > 1:
            limit = np.squeeze(limit, axis=-2)  # one value for each frame
        limit = np.ascontiguousarray(np.broadcast_to(limit, (*S.shape[:-2], S.shape[-1])), dtype=S.dtype)
    where = _peak_arguments(sr=sr, n_fft=n_fft, fmin=fmin, fmax=fmax, threshold=threshold)
    return {"S": magnitudes, "limit": limit, **where}


@as_feature((Frames(bins, name="pitches"), Frames(bins, name="magnitudes")))
@public(composed=True)
def piptrack(
    *,
    y: Audio | None = None,
    sr: Positive = 22050,
    S: Spectrogram | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt | None = None,
    fmin: Number = 150.0,
    fmax: Number = 4000.0,
    threshold: InsideUnit = 0.1,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
    ref: Number | Callable[..., Any] | None = None,
) -> tuple[RealArray, RealArray]:
    """Pitch tracking on spectral peaks, refined by parabolic interpolation.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, optional
        Audio. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., d, t)], optional
        Magnitude or power spectrogram; the magnitude of complex or negative values is taken.
    n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.stft`, which makes the spectrogram of `y`, in double precision.
    fmin, fmax : number
        Peaks lie in [fmin, fmax), in Hz.
    threshold : number in (0, 1)
        A peak is larger than this fraction of `ref(S)`.
    ref : number, callable or None
        A function of `S` that takes `axis` (by default the maximum of each frame), or the value
        itself that peaks must exceed.

    Returns
    -------
    pitches, magnitudes : np.ndarray [shape=(..., d, t)], real
        Frequency in Hz and magnitude of each peak, in the bin where it is; 0 elsewhere. Real, in
        the precision of the input.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    J. O. Smith, "Spectral audio signal processing", section on sinusoidal peak interpolation.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=1.0)
    >>> pitches, magnitudes = metalmom.piptrack(y=y, sr=22050)
    >>> round(float(pitches[magnitudes[:, 20].argmax(), 20]))
    440
    """
    c_order = S is not None and S.flags.c_contiguous
    S, n_fft = _spectrogram(
        y=y, S=S, n_fft=n_fft, hop_length=hop_length, win_length=win_length, window=window, center=center,
        pad_mode=pad_mode,
    )  # fmt: skip
    peaks = _stored_peaks(S, sr=sr, n_fft=n_fft, fmin=fmin, fmax=fmax, threshold=threshold, ref=ref)
    pitches, magnitudes = _native.piptrack(**peaks)
    if c_order:
        return np.ascontiguousarray(pitches), np.ascontiguousarray(magnitudes)
    return pitches, magnitudes


def _tuning(found: tuple[Array, Array]) -> float:
    """The value of a native tuning estimate, with a warning if nothing voted for it."""
    tuning, heard = found
    if not heard.flat[0]:
        warn("Trying to estimate tuning from empty frequency set.")
        return 0.0
    return tuning.flat[0]


@as_feature(Value(), listed=False)
@public
def pitch_tuning(
    frequencies: ArrayLike,
    *,
    resolution: InsideUnit = 0.01,
    bins_per_octave: PositiveInt = 12,
) -> float:
    """Estimate how far frequencies deviate, on the whole, from a scale on A440.

    Parameters
    ----------
    frequencies : array_like
        Frequencies in Hz; those that are not positive are left out.
    resolution : number in (0, 1)
        Resolution in fractions of a bin: 0.01 is a cent for twelve bins.
    bins_per_octave : int > 0
        Bins of an octave.

    Returns
    -------
    float in [-0.5, 0.5)
        The most frequent deviation, in fractions of a bin; 0 with a warning for no frequencies.

    Raises
    ------
    ParameterError
        For values that are not positive.

    Examples
    --------
    >>> float(metalmom.pitch_tuning([440 * 2 ** (0.25 / 12), 880 * 2 ** (0.25 / 12)]).round(2))
    0.25
    """
    each = np.atleast_1d(_args.floating(frequencies, "frequencies")).ravel()
    return _tuning(
        _native.pitch_tuning(frequencies=each, resolution=resolution, bins_per_octave=bins_per_octave)
    )


def _tuning_of_audio(
    arguments: dict[str, Any], *, sr: Number, n_fft: Number | None = None, power: float = 1.0,
    resolution: Number = 0.01, bins_per_octave: Int = 12, peaks: dict[str, Any] = _PEAK_DEFAULTS,
) -> Any:
    """The tuning of audio whose frames are resolved (`_framing.frames`).

    `n_fft` says what a bin is in Hz where that is not the length of the transform.
    """
    arguments = {name: value for name, value in arguments.items() if name != "basis"}
    n_fft = arguments["n_fft"] if n_fft is None else n_fft
    where = _peak_arguments(sr=sr, n_fft=n_fft, **peaks)
    histogram = {"resolution": resolution, "bins_per_octave": bins_per_octave}
    return then(_tuning, ask("tuning_estimate", power=power, **histogram, **where, **arguments))


def _tuning_of_y(
    y: Any, *, sr: Number, n_fft: Int, resolution: Number, bins_per_octave: Int, **others: Any
) -> Any:
    framing = _framing.Framing.taken_from({"hop_length": None, **others, "n_fft": n_fft})
    peaks = {name: value for name, value in others.items() if name not in framing._fields}
    y, arguments = _framing.frames(y, framing)
    return _tuning_of_audio(
        {"y": y, **arguments}, sr=sr, resolution=resolution, bins_per_octave=bins_per_octave,
        peaks={**_PEAK_DEFAULTS, **peaks},
    )  # fmt: skip


@has_kernels("audio", lambda of: {"y": of.tone})
@as_feature(Value(unit="fractions of a bin"))
@takes(of="piptrack")
@public(expression=True, composed=True)
def estimate_tuning(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    S: Spectrogram | None = None,
    n_fft: PositiveInt | None = 2048,
    resolution: InsideUnit = 0.01,
    bins_per_octave: PositiveInt = 12,
    **kwargs: Any,
) -> float:
    """Estimate the tuning of audio or of a spectrogram, from all channels together.

    Peaks (as in `piptrack`) of at least the median magnitude vote. From audio, frames are
    transformed in blocks in the precision of `y` and only peaks are kept.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., d, t)], optional
        Magnitude or power spectrogram.
    n_fft : int > 0 or None
        Length of a frame; with `S`, only used if it fits the number of bins.
    resolution : number in (0, 1)
        Resolution in fractions of a bin.
    bins_per_octave : int > 0
        Bins of an octave.
    **kwargs
        Further arguments of `piptrack`.

    Returns
    -------
    float in [-0.5, 0.5)
        Deviation from A440 in fractions of a bin; 0 with a warning if there are no peaks.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    Examples
    --------
    >>> y = metalmom.tone(445.0, sr=22050, duration=1.0)
    >>> float(metalmom.estimate_tuning(y=y, sr=22050).round(1))
    0.2
    """
    histogram: dict[str, Any] = {"resolution": resolution, "bins_per_octave": bins_per_octave}
    ref = kwargs.pop("ref", None)
    if S is None and ref is None and y is not None and n_fft is not None:
        return _tuning_of_y(y, sr=sr, n_fft=n_fft, **histogram, **kwargs)
    peaks = {name: kwargs.pop(name, default) for name, default in _PEAK_DEFAULTS.items()}
    return then(_tuning_of_spectrogram, y, S, n_fft, kwargs, histogram, sr=sr, ref=ref, **peaks)


def _tuning_of_spectrogram(
    y: Array | None, S: Array | None, n_fft: Int, framing: dict[str, Any], histogram: dict[str, Any],
    **peaks: Any,
) -> float:
    S, n_fft = _spectrogram(y=y, S=S, n_fft=n_fft, **{"hop_length": None, **framing})
    return _tuning(_native.spectrum_tuning(**_stored_peaks(S, n_fft=n_fft, **peaks), **histogram))


# Fundamental frequencies by YIN and its probabilistic variant.

def _frames(
    y: Any, frame_length: Int, hop_length: Int | None, center: bool, pad_mode: PadMode
) -> tuple[Any, dict[str, Any]]:
    """The audio and native arguments that say how it is cut into frames."""
    y = _args.signal(y)
    if hop_length is None:
        hop_length = frame_length // 4
    require_count("hop_length", hop_length)
    if center and (not isinstance(pad_mode, str) or pad_mode not in _framing.ENGINE_PAD_MODES):
        y, center = of_audio(_framing.pad, y, frame_length // 2, pad_mode), False
    pad_mode = pad_mode if center else "constant"
    return y, {"n_fft": frame_length, "hop_length": hop_length, "center": bool(center), "pad_mode": pad_mode}


def _periods(*, sr: Number, fmin: Number, fmax: Number, frame_length: Int) -> dict[str, Any]:
    """Native arguments for the periods between two frequencies that frames can show."""
    for name, value in (("fmin", fmin), ("fmax", fmax)):
        if value is None:
            raise ParameterError(name, value, "a frequency in Hz")
    require_count("frame_length", frame_length)
    require_positive("sr", sr)
    require(fmax <= sr / 2, "fmax", fmax, f"at most sr / 2 = {sr / 2}")
    require(fmin < fmax, "fmin", fmin, f"less than fmax={fmax}")
    require_positive("fmin", fmin)
    if sr / fmin >= frame_length - 1:
        raise ParameterError(
            "fmin", fmin,
            f"more than {sr / max(frame_length - 1, 1):.3f}, so that a period fits into "
            f"frame_length={frame_length} samples at sr={sr}",
        )
    if sr / fmin >= frame_length // 2:
        warn(
            f"fewer than two periods of fmin={fmin} fit into frame_length={frame_length} samples at"
            f" sr={sr}: pitch may be inaccurate; at least {int(np.ceil(sr / fmin)) * 2 + 1} would do"
        )
    return {
        "sr": sr, "min_period": int(np.floor(sr / fmax)),
        "max_period": min(int(np.ceil(sr / fmin)), frame_length - 1),
    }  # fmt: skip


@has_kernels(
    "a frame and its longest period of at most 8,192 samples", lambda of: {"y": of.tone, "fmin": 65, "fmax": 2000}
)
@as_feature(Frames(unit="Hz"))
@public(expression=True)
def yin(
    y: Placed,
    *,
    fmin: Positive,
    fmax: Positive,
    sr: Positive = 22050,
    frame_length: PositiveInt = 2048,
    hop_length: PositiveInt | None = None,
    trough_threshold: Number = 0.1,
    center: bool = True,
    pad_mode: PadMode = "constant",
) -> Placed:
    """Fundamental frequency of each frame, by the YIN algorithm.

    Transforms in the precision of `y`; energies, differences and their means are summed up in
    double precision (librosa: in that of `y`), so that another trough may be chosen if one is at the
    threshold to the last bit.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    fmin, fmax : number > 0
        Least and greatest frequency in Hz. A period of `fmin` must fit into a frame; two should.
    sr : number > 0
        Sampling rate in Hz.
    frame_length : int > 0
        Samples of a frame.
    hop_length : int > 0, optional
        Samples from a frame to the next, by default ``frame_length // 4``.
    trough_threshold : number
        The first trough of the normalized difference below this is the period. If there is none,
        the least value is.
    center : bool
        Whether frame t is centred at sample ``t * hop_length`` or begins there.
    pad_mode : str or callable
        How to pad both ends if `center`: a mode of `numpy.pad`.

    Returns
    -------
    np.ndarray [shape=(..., t)], float64, or DeviceArray
        Frequency of each frame in Hz, refined by a parabola through the trough. There is one for
        frames without pitch, too.

    Raises
    ------
    ParameterError
        For values out of range, and audio that is not finite or shorter than a frame.

    References
    ----------
    A. de Cheveigne and H. Kawahara, "YIN, a fundamental frequency estimator for speech and music",
    Journal of the Acoustical Society of America 111(4), 2002.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=0.5)
    >>> f0 = metalmom.yin(y, fmin=100, fmax=1000, sr=22050)
    >>> round(float(np.median(f0)))
    440
    """
    periods = _periods(sr=sr, fmin=fmin, fmax=fmax, frame_length=frame_length)
    y, frames = _frames(y, frame_length, hop_length, center, pad_mode)
    return ask("yin", y=y, trough_threshold=trough_threshold, **periods, **frames)


@kept(4, "pitch thresholds")
def _thresholds(n_thresholds: Int, a: Number, b: Number) -> tuple[Float64Array, Float64Array]:
    """Thresholds in [0, 1], and how likely each but the first is in a beta distribution."""
    thresholds = np.linspace(0, 1, n_thresholds + 1)
    return thresholds, np.diff(_beta_distribution(thresholds, float(a), float(b)))


def _beta_distribution(x: Float64Array, first: float, second: float) -> Float64Array:
    """How likely a number below `x` is, of a beta distribution: the continued fraction of DLMF 8.17.22.

    The terms that it needs grow with the root of the larger parameter. Beyond a million it is inexact near
    the mean.
    """
    # where the fraction converges slowly, it is taken from the other end
    upper = x > (first + 1) / (first + second + 2)
    x, a, b = np.where(upper, 1 - x, x), np.where(upper, second, first), np.where(upper, first, second)
    fraction: Any = 1.0
    for m in range(int(64 + 8 * min(max(first, second), 1e6) ** 0.5), 0, -1):
        k = m - 1  # taken from a, m could round it to zero
        even, odd = m * (b - m) / (a + 2 * m), (a + k) * (a + b + k) / (a + 2 * k)
        fraction = 1 - odd * x / (a + 2 * m - 1) / (1 + even * x / (a + 2 * m - 1) / fraction)
    log_beta = math.lgamma(first) + math.lgamma(second) - math.lgamma(first + second)
    with np.errstate(divide="ignore"):
        below = np.exp(a * np.log(x) + b * np.log1p(-x) - log_beta) / (a * fraction)
    distribution: Float64Array = np.where(upper, 1 - below, below)
    return distribution


@kept(2, "pitch transitions")
def _log_transition(n_pitch_bins: int, width: int, switch_prob: Number) -> Float64Array:
    """Logarithms of transitions between pitch bins, voiced and unvoiced."""
    require_states(n_pitch_bins)
    stay = np.float64(1 - switch_prob)
    voicing = np.array([[stay, 1 - stay], [1 - stay, stay]])
    triangle = functools.partial(get_window, "triangle", fftbins=False)
    near = nearby(n_pitch_bins, [width] * n_pitch_bins, triangle)
    transition = np.kron(voicing, near / near.sum(axis=1, keepdims=True))
    return np.log(transition + np.finfo(np.float64).tiny)


@as_feature(
    (Frames(name="f0", unit="Hz"), Frames(name="voiced", numbers=bool), Frames(name="voiced_probability"))
)
@public(composed=True)
def pyin(
    y: Audio,
    *,
    fmin: Positive,
    fmax: Positive,
    sr: Positive = 22050,
    frame_length: PositiveInt = 2048,
    hop_length: PositiveInt | None = None,
    n_thresholds: PositiveInt = 100,
    beta_parameters: Annotated[tuple[Number, Number], Rule("pair of numbers > 0")] = (2, 18),
    boltzmann_parameter: Positive = 2,
    resolution: InsideUnit = 0.1,
    max_transition_rate: Positive = 35.92,
    switch_prob: Probability = 0.01,
    no_trough_prob: Probability = 0.01,
    fill_na: Number | None = np.nan,
    center: bool = True,
    pad_mode: PadMode = "constant",
    transition_min_prob: NonNegative = 0.0001,
) -> tuple[Float64Array, BoolArray, Float64Array]:
    """Fundamental frequency and voicing of each frame, by probabilistic YIN.

    Every trough of YIN's difference function is a candidate, as likely as the thresholds that
    would choose it; the most likely path through candidates and voicing is the result.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point
        Audio, finite everywhere.
    fmin, fmax, sr, frame_length, hop_length, center, pad_mode
        As in `yin`.
    n_thresholds : int > 0
        How many thresholds between 0 and 1 are weighed.
    beta_parameters : pair of numbers > 0
        Shape of the beta distribution of thresholds.
    boltzmann_parameter : number > 0
        The larger, the likelier is an earlier trough below a threshold.
    resolution : number in (0, 1)
        Pitch bins in semitones.
    max_transition_rate : number > 0
        Most octaves of pitch change in a second.
    switch_prob : number in [0, 1]
        Probability to go from voiced to unvoiced or back.
    no_trough_prob : number in [0, 1]
        Share of the least trough in thresholds that no trough is below.
    fill_na : number or None
        Frequency of unvoiced frames; None: the best guess.
    transition_min_prob : number >= 0, optional
        Transitions of a smaller probability are not taken.

    Returns
    -------
    f0 : np.ndarray [shape=(..., t)], float64
        Frequency in Hz, a pitch bin's.
    voiced_flag : np.ndarray [shape=(..., t)], bool
        Whether the frame is voiced.
    voiced_prob : np.ndarray [shape=(..., t)], float64
        Probability that it is, from the frame alone.

    Raises
    ------
    ParameterError
        For values out of range, and audio that is not finite or shorter than a frame.

    References
    ----------
    M. Mauch and S. Dixon, "pYIN: a fundamental frequency estimator using probabilistic threshold
    distributions", ICASSP 2014.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=0.5)
    >>> f0, voiced, _ = metalmom.pyin(y, fmin=100, fmax=1000, sr=22050)
    >>> round(float(np.nanmedian(f0))), bool(voiced[10])
    (441, True)
    """
    periods = _periods(sr=sr, fmin=fmin, fmax=fmax, frame_length=frame_length)
    y, frames = _frames(y, frame_length, hop_length, center, pad_mode)
    require_count("n_thresholds", n_thresholds)
    require(0 < resolution < 1, "resolution", resolution, "in (0, 1)")
    for name, value in (("switch_prob", switch_prob), ("no_trough_prob", no_trough_prob)):
        require(0 <= value <= 1, name, value, "in [0, 1]")
    require_positive("max_transition_rate", max_transition_rate)
    if transition_min_prob is not None and not transition_min_prob >= 0:
        raise ParameterError("transition_min_prob", transition_min_prob, "None or at least 0")
    if len(beta_parameters) != 2 or not all(p > 0 for p in beta_parameters):
        raise ParameterError("beta_parameters", beta_parameters, "two positive numbers")

    bins_per_semitone = int(np.ceil(1.0 / resolution))
    n_pitch_bins = int(np.floor(12 * bins_per_semitone * np.log2(fmax / fmin))) + 1
    semitones_per_frame = round(max_transition_rate * 12 * frames["hop_length"] / sr)
    log_transition = _log_transition(n_pitch_bins, semitones_per_frame * bins_per_semitone + 1, switch_prob)
    thresholds, weights = _thresholds(n_thresholds, *beta_parameters)
    log_prob, voiced_prob = _native.pyin_observations(
        y=y, thresholds=thresholds, weights=weights, fmin=fmin, n_pitch_bins=n_pitch_bins,
        bins_per_octave=12 * bins_per_semitone, boltzmann_parameter=boltzmann_parameter,
        no_trough_prob=no_trough_prob, **periods, **frames,
    )  # fmt: skip
    tiny = np.finfo(np.float64).tiny
    states, _ = _native.viterbi(
        log_prob=log_prob,
        initial=np.ascontiguousarray(log_prob[..., 0] + np.log(0.5 / n_pitch_bins + tiny)),
        log_transition=log_transition,
        log_threshold=np.log(transition_min_prob + tiny) if transition_min_prob else -np.inf,
    )
    voiced = states < n_pitch_bins
    pitches = fmin * 2 ** (np.arange(n_pitch_bins) / (12 * bins_per_semitone))
    f0 = pitches[states % n_pitch_bins]
    if fill_na is not None:
        f0[~voiced] = fill_na
    return f0, voiced, voiced_prob
