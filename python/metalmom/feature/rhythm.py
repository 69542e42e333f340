"""Rhythm: tempograms and tempo."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from .. import onset
from .._engine import _args
from .._engine.backend import ON_CPU, is_for_host
from ..util._expressions import ask, expression_of, then
from .._native import DeviceArray
from ..util._public import public
from ..util._rules import array, either, number, sequence
from ..util._types import (
    Array, Audio, Bands, BoolArray, Envelope, Float64Array, Frequencies, Harmonics, InexactArray, Int,
    IntArray, NDArray, Number, Numbers, Placed, Positive, PositiveInt, Prior, RealArray,
    RealEnvelope, VectorNorm, WindowOfLength, WindowSpec,
)
from ..core import _framing, convert
from ..core.spectrum import stft
from ..util._checks import is_number, is_one_of, positive_int
from ..util._checks import require_count, require_finite, require_positive
from ..util._declared import as_feature, centred, Frames, has_kernels, Like, Value, windows
from ..util._keywords import made_of, native_names, takes
from ..util._memory import refuse_beyond_memory
from ..util._packages import required
from ..util.exceptions import ParameterError

__all__ = [
    "fourier_tempogram", "hybrid_tempogram", "metrogram", "tempo", "tempogram", "tempogram_ratio",
]

# Tempograms and tempo.

def _tempogram_arguments(
    onset_envelope: Any, win_length: Int, center: bool, window: WindowSpec
) -> dict[str, Any]:
    """The native arguments that the tempogram and its mean share."""
    samples = _framing.window(window, win_length)
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


def windows_within(given: Any) -> Any:
    """Windows of an envelope's frames: where they are not centred, as many as fit in."""
    return () if given.center else windows(given.win_length, 1, False)


@has_kernels(
    "audio or an onset envelope; windows of at most 4,096 frames, norms from 1 up",
    lambda of: {"y": of.y, "win_length": 200},
)
@as_feature(Frames("win_length", at=centred, then=windows_within))
@made_of(onset_envelope="y")
@public(expression=True, composed=True)
def tempogram(
    *,
    y: Placed | None = None,
    sr: Positive = 22050,
    onset_envelope: Annotated[Placed, either(array("..., m"), DeviceArray)] | None = None,
    hop_length: PositiveInt = 512,
    win_length: PositiveInt = 384,
    center: bool = True,
    window: WindowOfLength = "hann",
    norm: VectorNorm = np.inf,
) -> Placed:
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
        normalization: dict[str, Any] = {"normalize": False}
    elif isinstance(norm, (int, float, np.number)):
        normalization = {"norm": norm}
    else:
        raise ParameterError("norm", norm, "a number or None")
    if onset_envelope is None:
        onset_envelope = onset.strength_of(y, sr, hop_length)
    return then(_tempogram, onset_envelope, win_length, center, window, **normalization)


def _tempogram(
    onset_envelope: Any, win_length: Int, center: bool, window: WindowSpec, **normalization: Any
) -> Any:
    refuse_beyond_memory("win_length", win_length, 8 * int(win_length) * math.prod(np.shape(onset_envelope)))
    arguments = _tempogram_arguments(onset_envelope, win_length, center, window)
    return ask("tempogram", **arguments, **normalization)


@as_feature(
    lambda given: Value(1, unit="beats per minute") if given.aggregate
    else Frames(unit="beats per minute", at=centred)
)
@made_of(onset_envelope="y")
@public(expression=True, composed=True)
def tempo(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    onset_envelope: Envelope | None = None,
    tg: Annotated[Array, array("..., win_length, m")] | None = None,
    hop_length: PositiveInt = 512,
    start_bpm: Positive = 120,
    std_bpm: Positive = 1.0,
    ac_size: Positive = 8.0,
    max_tempo: Positive | None = 320.0,
    aggregate: Callable[..., Any] | None = np.mean,
    prior: Prior | None = None,
) -> Float64Array:
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
        require_positive("hop_length", hop_length)
        win_length = convert.time_to_frames(ac_size, sr=sr, hop_length=hop_length).item()
        if win_length < 1:
            raise ParameterError(
                "sr", sr, f"give hop_length={hop_length} a frame in {ac_size} s", verb="must"
            )
    log_prior = np.empty(0)
    if prior is not None:
        bpms = convert.tempo_frequencies(win_length, hop_length=hop_length, sr=sr)
        log_prior = np.asarray(prior.logpdf(bpms), dtype=np.float64)
    choice = {
        "log_prior": log_prior, "start_bpm": start_bpm, "std_bpm": std_bpm, "sr": sr, "hop_length": hop_length,
        "max_tempo": np.inf if max_tempo is None else max_tempo,
    }
    if tg is not None:
        return _tempo_of_tempogram(tg, aggregate, choice)
    if onset_envelope is None:
        onset_envelope = then(_args.host, onset.strength_of(y, sr, hop_length))
    return then(_tempo_of_envelope, onset_envelope, ac_size, win_length, aggregate, choice)


def _tempo_of_envelope(
    onset_envelope: Array, ac_size: Number, win_length: Int, aggregate: Callable[..., Any] | None,
    choice: dict[str, Any],
) -> Any:
    refuse_beyond_memory("ac_size", ac_size, 8 * int(win_length) * math.prod(np.shape(onset_envelope)))
    if aggregate is np.mean:
        arguments = _tempogram_arguments(onset_envelope, win_length, True, "hann")
        return ask("global_tempo", **arguments, **choice)
    tg = expression_of(tempogram)(onset_envelope=onset_envelope, win_length=win_length)
    return then(_tempo_of_tempogram, tg, aggregate, choice)


def _tempo_of_tempogram(tg: Array, aggregate: Callable[..., Any] | None, choice: dict[str, Any]) -> Any:
    if aggregate is not None:
        tg = aggregate(tg, axis=-1, keepdims=True)
    return ask("tempo", tg=_args.floating(tg, "tg"), **choice)


# The Fourier tempogram, and its mean with the autocorrelation's.

def _tempi(given: Any) -> Any:
    return 1 + given.win_length // 2


def _windows(given: Any) -> Any:
    return windows(given.win_length, 1, given.center)


@as_feature(Frames(_tempi, numbers=complex, at=centred, then=_windows))
@native_names(n_fft="win_length")
@made_of(onset_envelope="y")
@public(expression=True, composed=True)
def fourier_tempogram(
    *,
    y: Placed | None = None,
    sr: Positive = 22050,
    onset_envelope: Annotated[
        Placed, either(array("..., m", values="real floating-point"), DeviceArray)
    ] | None = None,
    hop_length: PositiveInt = 512,
    win_length: PositiveInt = 384,
    center: bool = True,
    window: WindowOfLength = "hann",
) -> Placed:
    """Fourier tempogram: the short-time Fourier transform of onset strength.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `onset_envelope` is needed.
    sr : number > 0
        Sampling rate in Hz.
    onset_envelope : np.ndarray [shape=(..., m)], real floating-point, or DeviceArray, optional
        Onset strength.
    hop_length : int > 0
        Samples from a frame to the next, for `y`.
    win_length : int > 0
        Frames of the window; 384 are 8.9 s by default.
    center : bool
        Whether windows are centred on their frames or begin there.
    window : str, tuple, number, callable or np.ndarray [shape=(win_length,)]
        As in `metalmom.filters.get_window`.

    Returns
    -------
    np.ndarray [shape=(..., 1 + win_length // 2, m + 1)], complex, or DeviceArray
        Spectrum of the envelope around each frame; its frequencies in beats per minute are
        `metalmom.fourier_tempo_frequencies`.

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
    >>> F = metalmom.feature.fourier_tempogram(onset_envelope=envelope, win_length=64)
    >>> int(np.abs(F[8:, 200]).argmax()) + 8  # 16 of 64 bins: the period of four frames
    16
    """
    require_count("win_length", win_length)
    if onset_envelope is None:
        onset_envelope = onset.strength_of(y, sr, hop_length)
    return then(_fourier_tempogram, onset_envelope, win_length, center, window)


def _fourier_tempogram(onset_envelope: Any, win_length: Int, center: bool, window: WindowSpec) -> Any:
    require_finite("onset_envelope", _args.audio(onset_envelope, "onset_envelope"))
    n_values = (1 + int(win_length) // 2) * math.prod(np.shape(onset_envelope))
    refuse_beyond_memory("win_length", win_length, 8 * n_values)
    framing: dict[str, Any] = {"n_fft": win_length, "hop_length": 1, "center": center, "window": window}
    if is_for_host(onset_envelope):
        with ON_CPU:
            return stft(onset_envelope, **framing)
    return expression_of(stft)(onset_envelope, **framing)


@as_feature(Frames(_tempi, at=centred, then=windows_within))
@takes("kind", "fill_value", "bounds_error", "copy", "assume_sorted")
@native_names(n_fft="win_length")
@made_of(onset_envelope="y")
@public(expression=True, composed=True)
def hybrid_tempogram(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    onset_envelope: RealEnvelope | DeviceArray | None = None,
    hop_length: PositiveInt = 512,
    win_length: PositiveInt = 384,
    center: bool = True,
    window: WindowOfLength = "hann",
    **kwargs: Any,
) -> NDArray[np.float32 | np.float64]:
    """Hybrid tempogram: the geometric mean of the Fourier and the autocorrelation tempogram.

    A tempo has harmonics in one and subharmonics in the other; only the tempo itself is in both.

    Parameters
    ----------
    y, sr, onset_envelope, hop_length, win_length, center, window
        As in `fourier_tempogram`.
    **kwargs
        `kind` and further arguments of `scipy.interpolate.interp1d`, which maps the lags of the
        autocorrelation to the frequencies of the Fourier tempogram; by default linear, and 0 beyond
        them. Other arguments need SciPy.

    Returns
    -------
    np.ndarray [shape=(..., 1 + win_length // 2, m)], float32 or float64
        Strength by tempo (`metalmom.fourier_tempo_frequencies`) and frame.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `onset_envelope` is given.

    References
    ----------
    G. Peeters, "Rhythm classification using spectral rhythm patterns", ISMIR 2005.

    Examples
    --------
    >>> envelope = np.tile([1.0] + [0.0] * 21, 40)
    >>> H = metalmom.feature.hybrid_tempogram(onset_envelope=envelope)
    >>> tempi = metalmom.fourier_tempo_frequencies(win_length=384)
    >>> tempi[H[:, 400].argmax()].round()
    114.0
    """
    if onset_envelope is None:
        onset_envelope = onset.strength_of(y, sr, hop_length)
    else:
        onset_envelope = _args.floating(onset_envelope, "onset_envelope")
    common: dict[str, Any] = {"onset_envelope": onset_envelope, "sr": sr, "hop_length": hop_length,
              "win_length": win_length, "center": center, "window": window}  # fmt: skip
    fourier, lags = expression_of(fourier_tempogram)(**common), expression_of(tempogram)(**common)
    return then(_geometric_mean, fourier, lags, sr, hop_length, win_length, **kwargs)


def _geometric_mean(
    fourier: Any, lags: Any, sr: Number, hop_length: Int, win_length: Int, **kwargs: Any
) -> Array:
    fourier, lags = _args.host(fourier), _args.host(lags)
    n_frames = min(lags.shape[-1], fourier.shape[-1])
    tempi = convert.tempo_frequencies(lags.shape[-2], hop_length=hop_length, sr=sr)
    targets = convert.fourier_tempo_frequencies(sr=sr, hop_length=hop_length, win_length=win_length)
    if win_length < 2:
        raise ParameterError("win_length", win_length, "at least 2, for a lag beside 0")
    # Lag 0 is left out: an infinite tempo has no place on the axis.
    strength = _along_tempo(lags[..., 1:, :n_frames], tempi[1:], targets, **kwargs)
    np.abs(strength, out=strength)
    fourier = np.abs(fourier[..., :n_frames])
    if fourier.dtype == strength.dtype:
        strength = strength * fourier  # NumPy chooses the memory order, as it does in librosa
    else:
        # The two have different memory orders; one of them is copied.
        strength *= np.ascontiguousarray(fourier)
    return np.sqrt(strength, out=strength)


def _along_tempo(
    tg: Array, tempi: Array, targets: Array, *, kind: str = "linear", fill_value: Any = 0, **kwargs: Any
) -> Array:
    """Interpolate rows of a tempogram at `targets` [shape=(n,)]; beyond its tempi, `fill_value`."""
    if not is_one_of(kind, ("linear",)) or kwargs or not is_number(fill_value):
        interp1d = required("scipy.interpolate", "this interpolation").interp1d
        kwargs.setdefault("bounds_error", False)
        try:
            place = interp1d(tempi, tg, kind=kind, fill_value=fill_value, axis=-2, **kwargs)
        except (NotImplementedError, ValueError) as error:
            raise ParameterError(
                f"kind={kind!r} and fill_value={fill_value!r} must be those of interp1d: {error}",
                argument="kind",
            ) from error
        return place(targets)
    order = np.argsort(tempi)
    below, share, outside = _places(tempi[order], targets)
    rows = np.empty((*tg.shape[:-2], targets.size, tg.shape[-1]), dtype=tg.dtype)
    above = np.empty_like(rows[..., 0, :])
    # Row by row, so that the row that is added to is in cache.
    for i, (low, high, weight) in enumerate(zip(order[below], order[below + 1], share)):
        np.multiply(tg[..., low, :], 1 - weight, out=rows[..., i, :])
        np.multiply(tg[..., high, :], weight, out=above)
        rows[..., i, :] += above
    rows[..., outside, :] = fill_value
    return rows


def _places(ascending: Array, targets: Array) -> tuple[IntArray, Float64Array, BoolArray]:
    """Where targets lie between values: the index below, the share of the one above, and which
    targets lie outside."""
    below = np.clip(np.searchsorted(ascending, targets, side="right") - 1, 0, ascending.size - 2)
    with np.errstate(invalid="ignore"):
        share = (targets - ascending[below]) / (ascending[below + 1] - ascending[below])
    outside = ~((targets >= ascending[0]) & (targets <= ascending[-1]))
    return below, np.where(outside, 0, share), outside


# Energies at multiples of a tempo.

# Note values around the quarter note (Prockup et al. 2015): sixteenth, dotted sixteenth, eighth
# triplet, eighth, dotted eighth, quarter triplet, quarter, dotted quarter, half triplet, half,
# dotted half, whole triplet, whole.
_NOTE_VALUES = (4, 8 / 3, 3, 2, 4 / 3, 3 / 2, 1, 2 / 3, 3 / 4, 1 / 2, 1 / 3, 3 / 8, 1 / 4)
# Beats of a bar (Abimbola et al. 2023): of 3, 4, 5 and 7.
_METERS = (1 / 3, 1 / 4, 1 / 5, 1 / 7)


def _numbers(factors: object) -> Float64Array:
    try:
        return np.asarray(factors, dtype=float)
    except (TypeError, ValueError) as error:
        raise ParameterError("factors", factors, "numbers") from error



def _meters(given: Any) -> int | tuple[int, ...]:
    n_factors = len(_METERS if given.factors is None else given.factors)
    return (n_factors, *given.source.rows) if given.aggregate is None else n_factors


@as_feature(Like(_meters, numbers=float), listed=False)
@public(composed=True)
def metrogram(
    *,
    tg: Annotated[InexactArray, array("..., d, t", values="real or complex")],
    freqs: Frequencies,
    factors: Annotated[Sequence[Number] | Numbers, sequence(number(above=0))] | None = None,
    aggregate: Callable[..., Any] | None = np.sum,
    kind: str = "linear",
    fill_value: Number = 0,
) -> RealArray:
    """Metrogram: how strongly pairs of tempi in given ratios, such as bar and beat, occur together.

    The strength of each tempo is multiplied by that of its multiple, and the products are aggregated.

    Parameters
    ----------
    tg : np.ndarray [shape=(..., d, t)], real or complex
        A tempogram.
    freqs : np.ndarray [shape=(d,)]
        Its tempi in beats per minute.
    factors : sequence of number > 0, optional
        The ratios; by default 1/3, 1/4, 1/5 and 1/7 (bars of 3, 4, 5 and 7 beats).
    aggregate : callable or None
        Combines tempi, along `axis`; None leaves them apart.
    kind : str
        Interpolation between tempi, as in `scipy.interpolate.interp1d`; all but ``linear`` need
        SciPy.
    fill_value : number
        Strength beyond the range of the tempi.

    Returns
    -------
    np.ndarray [shape=(..., len(factors), t) or (..., len(factors), d, t)], real
        Strength of each ratio by frame, or of each ratio and tempo.

    Raises
    ------
    ParameterError
        If `freqs` does not fit `tg`.

    References
    ----------
    J. Cozens and S. Godsill, "Dynamic time signature recognition, tempo inference, and beat
    tracking through the metrogram transform", IEEE Open Journal of Signal Processing 5, 2024.

    Examples
    --------
    >>> tg = np.zeros((200, 1))
    >>> tg[[30, 90]] = 1  # bars at 30, beats at 90
    >>> metalmom.feature.metrogram(tg=tg, freqs=np.arange(200.0))[:, 0].round(1)
    array([1., 0., 0., 0.])
    """
    freqs = np.asarray(freqs)
    if freqs.shape not in ((tg.shape[-2],), tg.shape):
        raise ParameterError("freqs.shape", freqs.shape, f"({tg.shape[-2]},) or {tg.shape}")
    factors = _numbers(_METERS if factors is None else factors)
    from ..core.harmonic import interp_harmonics

    def multiples_of(part: Array, fill_value: Number) -> Array:
        return interp_harmonics(
            part, freqs=freqs, harmonics=factors, kind=kind, fill_value=fill_value, axis=-2
        )

    multiples = multiples_of(tg.real, fill_value)
    if np.iscomplexobj(tg):
        multiples = multiples + 1j * multiples_of(tg.imag, 0)
    products = multiples * tg[..., np.newaxis, :, :]
    return products if aggregate is None else aggregate(products, axis=-2)


def _note_values(given: Any) -> Value | Frames:
    n_factors = len(_NOTE_VALUES if given.factors is None else given.factors)
    return Value(n_factors) if given.aggregate else Frames(n_factors, at=centred, then=windows_within)


@as_feature(_note_values)
@native_names(x="tg")
@made_of(onset_envelope="y")
@public(composed=True)
def tempogram_ratio(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    onset_envelope: Envelope | DeviceArray | None = None,
    tg: Bands | None = None,
    bpm: Number | Envelope | None = None,
    hop_length: PositiveInt = 512,
    win_length: PositiveInt = 384,
    start_bpm: Positive = 120,
    std_bpm: Positive = 1.0,
    max_tempo: Positive | None = 320.0,
    freqs: Frequencies | None = None,
    factors: Harmonics | None = None,
    aggregate: Callable[..., Any] | None = None,
    prior: Prior | None = None,
    center: bool = True,
    window: WindowOfLength = "hann",
    kind: str = "linear",
    fill_value: Number = 0,
    norm: VectorNorm = np.inf,
) -> RealArray:
    """Tempogram ratios: the strength of each note value relative to the tempo.

    The tempogram of each frame at multiples of its tempo: rhythm without the tempo itself.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y`, `onset_envelope` and `tg` is needed.
    sr : number > 0
        Sampling rate in Hz.
    onset_envelope : np.ndarray [shape=(..., m)], or DeviceArray, optional
        Onset strength.
    tg : np.ndarray [shape=(..., d, m)], optional
        A tempogram; the other inputs are then not used.
    bpm : number or np.ndarray [shape=(..., m)], optional
        The tempo, of all frames or of each; by default that of `metalmom.feature.tempo`.
    hop_length : int > 0
        Samples from a frame to the next.
    win_length, center, window, norm
        As in `metalmom.feature.tempogram`.
    start_bpm, std_bpm, max_tempo, prior
        As in `metalmom.feature.tempo`.
    freqs : np.ndarray [shape=(d,)], optional
        Tempi of the rows of `tg` in beats per minute; by default those of lags.
    factors : sequence of numbers >= 0, optional
        Multiples of the tempo; by default 13 note values from the sixteenth (4) to the whole note
        (1/4), with their dotted forms and triplets, if the tempo counts quarters.
    aggregate : callable, optional
        Combines frames, along `axis`.
    kind : str
        Interpolation between tempi, as in `scipy.interpolate.interp1d`; all but ``linear`` need
        SciPy.
    fill_value : number
        Strength beyond the range of the tempi.

    Returns
    -------
    np.ndarray [shape=(..., len(factors), m), or (..., len(factors)) with `aggregate`], real
        Strength by note value and frame.

    Raises
    ------
    ParameterError
        For wrong values, or if there is no input.

    References
    ----------
    G. Peeters, "Rhythm classification using spectral rhythm patterns", ISMIR 2005.
    M. Prockup, A. F. Ehmann, F. Gouyon, E. M. Schmidt and Y. E. Kim, "Modeling musical rhythm at
    scale with the Music Genome project", WASPAA 2015.

    Examples
    --------
    >>> envelope = np.tile([1.0] + [0.0] * 19, 40)  # quarters, and nothing between them
    >>> ratios = metalmom.feature.tempogram_ratio(onset_envelope=envelope, aggregate=np.mean)
    >>> [round(float(ratios[i]), 1) for i in (3, 6, 9)]  # eighth, quarter, half
    [0.1, 0.9, 0.9]
    """
    from ..core.harmonic import f0_harmonics

    if tg is None:
        source: dict[str, Any] = {"y": y, "onset_envelope": onset_envelope}
        tg = _args.host(
            tempogram(
                **source, sr=sr, hop_length=hop_length, win_length=win_length, center=center, window=window,
                norm=norm,
            )
        )
    if freqs is None:
        freqs = convert.tempo_frequencies(tg.shape[-2], hop_length=hop_length, sr=sr)
    if bpm is None:
        bpm = tempo(
            tg=tg, sr=sr, hop_length=hop_length, start_bpm=start_bpm, std_bpm=std_bpm, max_tempo=max_tempo,
            aggregate=None, prior=prior,
        )
    try:
        bpm = np.broadcast_to(bpm, (*tg.shape[:-2], tg.shape[-1]))
    except ValueError:
        raise ParameterError("bpm.shape", np.shape(bpm), f"fit tg.shape={tg.shape}", verb="must") from None
    ratios = f0_harmonics(
        tg, freqs=np.asarray(freqs), f0=bpm,
        harmonics=_numbers(_NOTE_VALUES if factors is None else factors), kind=kind, fill_value=fill_value,
    )
    return ratios if aggregate is None else aggregate(ratios, axis=-1)
