"""Spectral features: mel bands, cepstra, chroma, level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from .. import _native, filters, util
from .._engine import _args
from .._engine.backend import ON_CPU
from ..util._expressions import ask, expression_of, of_audio, then
from .._native import DeviceArray
from ..util._public import public
from ..util._rules import array, either
from ..util._types import (
    Array, ArrayLike, Audio, DTypeLike, Float, Float64Array, Frequencies, FrequencySpectrogram, Int,
    NDArray, NonNegative, NonNegativeInt, Number, OctaveIntervals, PadMode, Placed, Positive,
    PositiveInt, Quantile, RealArray, RealDtype, Spectrogram, WindowSpec, WinLength,
)
from ..core import _framing
from ..core.convert import fft_frequencies
from ..core.spectrum import _spectrogram, power_to_db
from ..util._checks import is_one_of, natural_int, number, require_audio
from ..util._checks import require_finite, require_inexact, require_magnitudes
from ..util._declared import as_feature, centred, Frames, has_kernels, Refusal, Streamed, typed
from ..util._kept_results import kept
from ..util._keywords import native_names, takes
from ..util._memory import refuse_beyond_memory
from ..util._warnings import warn
from ..util.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "chroma_cens", "chroma_cqt", "chroma_stft", "chroma_vqt", "melspectrogram", "mfcc",
    "poly_features", "rms", "spectral_bandwidth", "spectral_centroid", "spectral_contrast",
    "spectral_flatness", "spectral_rolloff", "spectral_slope", "tonnetz", "zero_crossing_rate",
]


def _product(S: Any, basis: Any, dtype: DTypeLike) -> Any:
    """Bands of a stored spectrogram."""
    return _native.filterbank_product(S=_args.factor(S, dtype), basis=basis)


def _n_fft(S: Any, n_fft: Any) -> Any:
    """Samples of the transforms behind a stored spectrogram: what is said of them, where it fits the bins."""
    fits = n_fft is not None and n_fft // 2 + 1 == S.shape[-2]
    return n_fft if fits else _framing.n_fft_of(S)


@has_kernels("audio")
@as_feature(
    Frames("n_mels", unit="power"),
    streams=Streamed("MelSpectrogram", "Mel spectrogram", "sr=22050, n_mels=64", (64, 7)),
)
@takes(of="filters.mel")
@public(expression=True)
def melspectrogram(
    *,
    y: Placed | None = None,
    sr: Positive = 22050,
    S: FrequencySpectrogram | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
    power: Positive = 2.0,
    **kwargs: Any,
) -> Placed:
    """Mel-scaled spectrogram.

    From audio it is computed in blocks of frames, in the precision of `y`, without holding a
    spectrogram.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., 1 + n_fft // 2, t)], optional
        A spectrogram, taken as it is (`power` is not applied).
    n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.stft`.
    power : number > 0
        Exponent of the magnitude: 1 for amplitude, 2 for power.
    **kwargs
        `n_mels`, `fmin`, `fmax`, `htk`, `norm`, `dtype`: as in `metalmom.filters.mel`.

    Returns
    -------
    np.ndarray [shape=(..., n_mels, t)], real, or DeviceArray
        Energy per band and frame; float32 for float32 input, float64 for float64.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    S. S. Stevens, J. Volkmann and E. B. Newman, "A scale for the measurement of the psychological
    magnitude pitch", JASA 8(3), 1937.

    Examples
    --------
    >>> y = metalmom.chirp(fmin=110, fmax=8000, sr=22050, duration=1.0)
    >>> metalmom.feature.melspectrogram(y=y, sr=22050, n_mels=64).shape
    (64, 44)
    """
    if S is not None:
        n_fft = _n_fft(S, n_fft)
        basis = filters._mel_basis(sr=sr, n_fft=n_fft, **kwargs)
        return _product(S, basis, kwargs.get("dtype", np.float32))
    arguments = _framing.mel_bands(
        y, sr, power=power, n_fft=n_fft, hop_length=hop_length, win_length=win_length, window=window,
        center=center, pad_mode=pad_mode, **kwargs,
    )
    return ask("filterbank_spectrogram", **arguments)


@has_kernels("audio, or a mel spectrogram in decibels", lambda of: {"y": of.y}, lambda of: {"S": of.levels})
@as_feature(
    Frames("n_mfcc"),
    streams=Streamed(
        "MFCC", "Cepstra", "sr=22050, n_mfcc=13, top_db=None", (13, 7),
        levels=("n_mfcc", "dct_type", "norm", "lifter"),
        note="""
        **It differs from the offline default**: the loudest level of the whole signal is not known while it
        lasts, so `top_db` is None, where `metalmom.feature.mfcc` has 80. The result is what
        `metalmom.feature.mfcc` makes of ``S=power_to_db(melspectrogram(...), top_db=None)``. If you know the
        loudest level, pass it as `peak`, in dB: then no level is more than `top_db` (80) below it, and the
        result is that of the offline call for the audio, bit for bit.
        """,
    ),
)
@takes(of="feature.melspectrogram")
@public(expression=True)
def mfcc(
    *,
    y: Placed | None = None,
    sr: Positive = 22050,
    S: Annotated[Placed, either(array("..., d, t"), DeviceArray)] | None = None,
    n_mfcc: PositiveInt = 20,
    dct_type: Literal[1, 2, 3, 4] = 2,
    norm: Literal["ortho"] | None = "ortho",
    lifter: NonNegative = 0,
    mel_norm: Literal["slaney"] | Number | None = "slaney",
    **kwargs: Any,
) -> Placed:
    """Mel-frequency cepstral coefficients.

    Bands, decibels (80 dB below each signal's maximum) and DCT are one pass over blocks of frames,
    in the precision of `y`.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., d, t)], or DeviceArray, optional
        Band levels in decibels, such as a mel spectrogram after `metalmom.power_to_db`.
    n_mfcc : int > 0
        Coefficients to keep, at most the number of bands.
    dct_type : {1, 2, 3, 4}
        Type of the cosine transform.
    norm : {"ortho", None}
        "ortho" makes the transform orthonormal.
    lifter : number >= 0
        If positive, coefficient n is scaled by
        ``1 + lifter / 2 * sin(pi * (n + 1) / lifter)``.
    mel_norm : {"slaney", None} or number
        `norm` of `metalmom.filters.mel`.
    **kwargs
        Further arguments of `melspectrogram`.

    Returns
    -------
    np.ndarray [shape=(..., n_mfcc, t)], real, or DeviceArray
        Cepstra; float32 for float32 input, float64 for float64.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    S. B. Davis and P. Mermelstein, "Comparison of parametric representations for monosyllabic word
    recognition in continuously spoken sentences", IEEE Trans. ASSP 28(4), 1980.

    Examples
    --------
    >>> y = metalmom.chirp(fmin=110, fmax=8000, sr=22050, duration=1.0)
    >>> metalmom.feature.mfcc(y=y, sr=22050, n_mfcc=13).shape
    (13, 44)
    """
    kind = "backward" if norm is None else norm
    dct = {"n_mfcc": n_mfcc, "dct_type": dct_type, "norm": kind, "lifter": lifter}
    if S is not None:
        return _native.dct(S=_args.floating(S), **dct)
    return ask("cepstrum", **_framing.mel_bands(y, sr, norm=mel_norm, **kwargs), **dct)


@has_kernels("audio, with its tuning", lambda of: {"y": of.y, "tuning": 0.0})
@as_feature(
    Frames("n_chroma"),
    streams=Streamed(
        "ChromaSTFT", "Chroma", "sr=22050, tuning=0.0", (12, 7),
        refuses=(Refusal(
            "tuning", lambda tuning: tuning is None,
            "a number in a stream, because it is estimated from the whole signal: "
            "pass tuning=0.0, or what metalmom.estimate_tuning says of a part"),),
    ),
)
@takes(of="filters.chroma")
@public(expression=True, composed=True)
def chroma_stft(
    *,
    y: Placed | None = None,
    sr: Positive = 22050,
    S: FrequencySpectrogram | None = None,
    norm: Number | None = np.inf,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
    tuning: Number | None = None,
    n_chroma: PositiveInt = 12,
    **kwargs: Any,
) -> Placed:
    """Chromagram: the energy of each pitch class in each frame.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., 1 + n_fft // 2, t)], optional
        A power spectrogram.
    norm : number or None
        Norm of each frame's column, as in `metalmom.util.normalize`.
    n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.stft`.
    tuning : number, optional
        Deviation from A440 in fractions of a bin. By default it is estimated, from all channels
        together.
    n_chroma : int > 0
        Pitch classes.
    **kwargs
        `ctroct`, `octwidth`, `norm` of the filters, `base_c`, `dtype`: as in
        `metalmom.filters.chroma`.

    Returns
    -------
    np.ndarray [shape=(..., n_chroma, t)], real, or DeviceArray
        Normalised energy; float32 for float32 input, float64 for float64.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    D. P. W. Ellis, "Chroma feature analysis and synthesis", 2007.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=1.0)
    >>> C = metalmom.feature.chroma_stft(y=y, sr=22050)
    >>> int(C.mean(axis=1).argmax())  # A
    9
    """
    from ..core import pitch

    dtype = kwargs.get("dtype", np.float32)
    if S is not None:
        n_fft = _n_fft(S, n_fft)
        if tuning is None:
            tuning = pitch.estimate_tuning(S=S, sr=sr, bins_per_octave=n_chroma)
        basis = filters._chroma_basis(sr=sr, n_fft=n_fft, tuning=tuning, n_chroma=n_chroma, **kwargs)
        return _folded(S, basis, norm, dtype)
    framing = _framing.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    arguments = _framing.frames_and_basis(y, None, framing, dtype)
    if tuning is None:
        tuning = pitch._tuning_of_audio(arguments, sr=sr, power=2.0, bins_per_octave=n_chroma)
    arguments["basis"] = then(
        filters._chroma_basis, sr=sr, n_fft=n_fft, tuning=tuning, n_chroma=n_chroma, **kwargs
    )
    normalize = {"normalize": False} if norm is None else {"norm": norm}
    return ask("chroma_spectrogram", power=2.0, **normalize, **arguments)


def _folded(S: Any, basis: Any, norm: Any, dtype: DTypeLike, threshold: Number | None = None) -> Any:
    """Bins to pitch classes: of each frame what is below the threshold is 0, and the rest is scaled."""
    chroma = np.ascontiguousarray(_product(S, basis, dtype).swapaxes(-1, -2)).swapaxes(-1, -2)
    if threshold is not None:
        chroma[chroma < threshold] = 0.0
    return util.normalize(chroma, norm=norm, axis=-2)


def _within(y: Array, dtype: DTypeLike) -> Array:
    """Audio in the type of the result, or as it is where samples are beyond that type's range."""
    with np.errstate(over="ignore"):
        samples = y.astype(dtype)
    is_within = samples.size == 0 or np.isfinite([samples.min(), samples.max()]).all()
    return samples if is_within else y


def _rounds_samples(dtype: DTypeLike | None) -> bool:
    try:
        return dtype is not None and not _args.is_engine_type(np.dtype(dtype))
    except TypeError:  # which the function refuses
        return False


@has_kernels("audio")
@as_feature(
    Frames(1, unit="amplitude", numbers=typed(float)),
    streams=Streamed(
        "RMS", "Level of frames", "", (1, 7),
        refuses=(Refusal(
            "dtype", _rounds_samples,
            "float32 or float64 in a stream: samples are not rounded to others"),),
    ),
)
@native_names(n_fft="frame_length")
@public(expression=True)
def rms(
    *,
    y: Placed | None = None,
    S: Annotated[Array, array("..., 1 + frame_length // 2, t")] | None = None,
    frame_length: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    center: bool = True,
    pad_mode: PadMode = "constant",
    dtype: RealDtype = np.float32,
) -> Placed:
    """Root-mean-square level of each frame, of samples or of a magnitude spectrogram.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed; `y` is more accurate.
    S : np.ndarray [shape=(..., 1 + frame_length // 2, t)], optional
        Magnitudes of a transform with a rectangular window.
    frame_length : int > 0
        Samples of a frame.
    hop_length : int > 0
        Samples from a frame to the next.
    center : bool
        Whether `y` is padded by half a frame on both sides.
    pad_mode : str or callable
        As in `numpy.pad`.
    dtype : real dtype
        Data type of the result.

    Returns
    -------
    np.ndarray [shape=(..., 1, t)], real, or DeviceArray
        Level, in the unit of the samples.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    Examples
    --------
    >>> metalmom.feature.rms(y=np.ones(4096, dtype=np.float32), center=False)[0, 0]
    1.0
    """
    if y is not None:
        y = _args.signal(y)
        dtype = y.dtype if dtype is None else dtype
        require_inexact("dtype", dtype)
        if center and pad_mode not in _framing.ENGINE_PAD_MODES:
            y = of_audio(_framing.pad, y, frame_length // 2, pad_mode)
            center, pad_mode = False, "constant"
        is_of_type = y.dtype == dtype
        level = ask(
            "rms", y=y if is_of_type else of_audio(_within, y, dtype, dtype=dtype), n_fft=frame_length,
            hop_length=hop_length, center=bool(center), pad_mode=pad_mode if center else "constant",
        )
        level = then(_args.one_row, level)
        if is_of_type and _args.is_engine_type(dtype):
            return level
        return then(_args.as_type, level, dtype)
    if S is None:
        raise ParameterError("y", None, "audio, or S a spectrogram")
    _args.refuse_on_device(S)
    if S.shape[-2] != frame_length // 2 + 1:
        raise ParameterError("S.shape[-2]", S.shape[-2], f"1 + frame_length // 2 = {frame_length // 2 + 1}")
    if dtype is not None:
        require_inexact("dtype", dtype)
    power = util.abs2(S, dtype=dtype)
    # Every bin but the first and the last also stands for its mirror image.
    power[..., 0, :] *= 0.5
    if frame_length % 2 == 0:
        power[..., -1, :] *= 0.5
    scale = power.dtype.type(2 / frame_length**2)
    return np.sqrt(scale * np.sum(power, axis=-2, keepdims=True))


# Single numbers that describe the shape of a spectrum.

def _source(what: str, y: Any, S: Any, n_fft: Any, *framing: Any) -> tuple[dict[str, Any], int]:
    """Resolve audio or a magnitude spectrogram; returns native arguments and n_fft."""
    if S is None:
        require_audio(y, "S")
        y, arguments = _framing.frames(y, _framing.Framing(n_fft, *framing))
        return {"y": y, **arguments}, n_fft
    if not np.isrealobj(S):
        raise ParameterError("S.dtype", S.dtype, f"real for spectral {what}")
    if n_fft is None or n_fft // 2 + 1 != S.shape[-2]:
        n_fft = 2 * (S.shape[-2] - 1)
    return _stored(S), n_fft


def _stored(S: Array) -> dict[str, Any]:
    """Native arguments of a stored spectrogram."""
    _args.refuse_on_device(S)  # the kernels take audio
    return {"S": _args.floating(S), "window": _NO_VALUES}


_NO_VALUES = np.empty(0)


def _frequencies(freq: ArrayLike | None, sr: Number, n_fft: int) -> Array:
    if freq is not None:
        return np.asarray(freq)
    if n_fft == 0:  # of a spectrogram with one bin
        raise ParameterError("freq", None, "given where S.shape[-2]=1")
    return fft_frequencies(sr=sr, n_fft=n_fft)


def _shape(
    shape: str, arguments: dict[str, Any], freq: Array, *, centroid: Array = _NO_VALUES, **params: Any
) -> Any:
    """One shape of each frame."""
    if freq.ndim > 1:
        return then(_shape_by_frame, shape, freq, centroid=centroid, params=params, **arguments)
    call = {"shape": shape, "freq": freq, "centroid": centroid, **params, **arguments}
    return then(_args.one_row, _asked("spectral_shape", call))


def _asked(op: str, call: dict[str, Any]) -> Any:
    """The answer of an op of audio or of a stored spectrogram."""
    if "S" not in call:
        return ask(op, **call)
    with ON_CPU:  # kernels take audio only
        return getattr(_native, op)(**call)


def _shape_by_frame(
    shape: str, freq: Array, *, centroid: Any, params: dict[str, Any], y: Any = None, S: Any = None,
    **arguments: Any,
) -> Float64Array:
    """Take shapes over frequencies that change from frame to frame (a reassigned spectrogram's).

    The engine takes one frequency for each bin, so each frame is a call of its own.
    """
    if y is not None:
        S = np.abs(_args.host(_native.stft(y=y, **arguments)))
    spectra, freq = (each.swapaxes(-1, -2) for each in np.broadcast_arrays(S, freq))
    centroid = np.asarray(_args.host(centroid)).reshape(*spectra.shape[:-2], -1)
    values = np.empty(spectra.shape[:-1])
    for at in np.ndindex(values.shape):
        own = centroid[at].reshape(1) if centroid.size else _NO_VALUES
        column = _stored(spectra[at][:, np.newaxis])
        values[at] = _native.spectral_shape(shape=shape, freq=freq[at], centroid=own, **params, **column)[0]
    return _args.one_row(values)


_OF_ALL_FRAMES = Refusal(
    "freq", lambda freq: np.ndim(freq) > 1, "1 in a stream: it is the same for all frames", ".ndim", False
)


@has_kernels("audio")
@as_feature(
    Frames(1, unit="Hz"),
    streams=Streamed("SpectralCentroid", "Spectral centroid", "sr=22050", (1, 7), refuses=(_OF_ALL_FRAMES,)),
)
@public(expression=True, composed=True)
def spectral_centroid(
    *,
    y: Placed | None = None,
    sr: Positive = 22050,
    S: Spectrogram | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    freq: Frequencies | None = None,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
) -> Placed:
    """Mean frequency of each frame, weighted by magnitude.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., d, t)], optional
        Magnitudes, real and non-negative.
    n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.stft`.
    freq : np.ndarray [shape=(d,)], optional
        Frequencies of the bins in Hz, by default those of the transform.

    Returns
    -------
    np.ndarray of float64 [shape=(..., 1, t)], or DeviceArray
        Centroids in Hz; 0 for silence.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    A. Klapuri and M. Davy (eds.), "Signal Processing Methods for Music Transcription", chapter 5,
    Springer, 2007.

    Examples
    --------
    >>> y = metalmom.tone(1000.0, sr=22050, duration=1.0)
    >>> c = metalmom.feature.spectral_centroid(y=y, sr=22050)
    >>> bool(abs(np.median(c) - 1000) < 20)
    True
    """
    arguments, n_fft = _source("centroid", y, S, n_fft, hop_length, win_length, window, center, pad_mode)
    return _shape("centroid", arguments, _frequencies(freq, sr, n_fft))


@has_kernels("audio")
@as_feature(
    Frames(1, unit="Hz"),
    streams=Streamed(
        "SpectralBandwidth", "Spectral bandwidth", "sr=22050", (1, 7),
        without=("S", "centroid"), refuses=(_OF_ALL_FRAMES,),
    ),
)
@public(expression=True, composed=True)
def spectral_bandwidth(
    *,
    y: Placed | None = None,
    sr: Positive = 22050,
    S: Spectrogram | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
    freq: Frequencies | None = None,
    centroid: Annotated[Array, array("..., 1, t")] | None = None,
    norm: bool = True,
    p: Positive = 2,
) -> Placed:
    """Spread of each frame around its centroid: ``sum(S * |freq - centroid|**p) ** (1 / p)``.

    Parameters
    ----------
    y, sr, S, n_fft, hop_length, win_length, window, center, pad_mode, freq
        As in `spectral_centroid`.
    centroid : np.ndarray [shape=(..., 1, t)], optional
        Centroids in Hz, by default those of the spectrum.
    norm : bool
        Whether each frame is scaled to unit sum first.
    p : number > 0
        Exponent of the deviation.

    Returns
    -------
    np.ndarray of float64 [shape=(..., 1, t)], or DeviceArray
        Bandwidths, in Hz if `norm`.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    A. Klapuri and M. Davy (eds.), "Signal Processing Methods for Music Transcription", chapter 5,
    Springer, 2007.

    Examples
    --------
    >>> S = np.array([[0.0], [1.0], [0.0], [1.0], [0.0]])
    >>> freq = np.arange(5.0)
    >>> metalmom.feature.spectral_bandwidth(S=S, freq=freq)
    array([[1.]])
    """
    arguments, n_fft = _source("bandwidth", y, S, n_fft, hop_length, win_length, window, center, pad_mode)
    return _shape(
        "bandwidth", arguments, _frequencies(freq, sr, n_fft),
        centroid=_NO_VALUES if centroid is None else np.ravel(centroid), norm=bool(norm), p=p,
    )


@has_kernels("audio", tolerance=1 / 1024)  # the next bin
@as_feature(
    Frames(1, unit="Hz"),
    streams=Streamed("SpectralRolloff", "Spectral rolloff", "sr=22050", (1, 7), refuses=(_OF_ALL_FRAMES,)),
)
@public(expression=True, composed=True)
def spectral_rolloff(
    *,
    y: Placed | None = None,
    sr: Positive = 22050,
    S: Spectrogram | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
    freq: Frequencies | None = None,
    roll_percent: Quantile = 0.85,
) -> Placed:
    """Frequency below which a given share of each frame's magnitude lies.

    Parameters
    ----------
    y, sr, S, n_fft, hop_length, win_length, window, center, pad_mode, freq
        As in `spectral_centroid`.
    roll_percent : number between 0 and 1
        The share.

    Returns
    -------
    np.ndarray of float64 [shape=(..., 1, t)], or DeviceArray
        Frequencies in Hz, each one of `freq`.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    G. Tzanetakis and P. Cook, "Musical genre classification of audio signals", IEEE Trans. Speech
    and Audio Processing 10(5), 2002.

    Examples
    --------
    >>> S = np.ones((5, 1))
    >>> metalmom.feature.spectral_rolloff(S=S, freq=np.arange(5.0), roll_percent=0.5)
    array([[2.]])
    """
    arguments, n_fft = _source("rolloff", y, S, n_fft, hop_length, win_length, window, center, pad_mode)
    freq = _frequencies(freq, sr, n_fft)
    return _shape("rolloff", arguments, freq, roll_percent=roll_percent)


@has_kernels("audio")
@as_feature(Frames(1), streams=Streamed("SpectralFlatness", "Spectral flatness", "", (1, 7)))
@public(expression=True)
def spectral_flatness(
    *,
    y: Placed | None = None,
    S: Spectrogram | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
    amin: Positive = 1e-10,
    power: Positive = 2.0,
) -> Placed:
    """Geometric over arithmetic mean of each frame's power: 1 for noise, near 0 for tones.

    Audio is transformed in double precision: near-empty bins count as much as loud ones.

    Parameters
    ----------
    y, S, n_fft, hop_length, win_length, window, center, pad_mode
        As in `spectral_centroid`.
    amin : number > 0
        Floor of the power.
    power : number > 0
        Exponent of the magnitude.

    Returns
    -------
    np.ndarray [shape=(..., 1, t)], real, or DeviceArray
        Flatness from 0 to 1; float32 for float32 input, float64 for float64.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    S. Dubnov, "Generalization of spectral flatness measure for non-Gaussian linear processes",
    IEEE Signal Processing Letters 11(8), 2004.

    Examples
    --------
    >>> metalmom.feature.spectral_flatness(S=np.ones((5, 1)))
    array([[1.]])
    """
    arguments, n_fft = _source("flatness", y, S, n_fft, hop_length, win_length, window, center, pad_mode)
    values = arguments["y" if "y" in arguments else "S"]
    n_bins = 1 + n_fft // 2 if S is None else S.shape[-2]
    flatness = _shape("flatness", arguments, np.zeros(n_bins), amin=amin, power=power)
    return then(_args.as_type, flatness, _args.precision_of(values.dtype))


def _octave_bands(freq: Array, sr: Number, fmin: Number, n_bands: Int, quantile: Number) -> Float64Array:
    """First bin, last bin (exclusive) and tail length of each band of `spectral_contrast`.

    Bands are octaves from `fmin` up, after one below it. Each but the first begins a bin early, the
    last reaches to the end, and the others leave their topmost bin to the next.
    """
    edges = np.concatenate([[0.0], fmin * 2.0 ** np.arange(n_bands + 1)])
    if np.any(edges[:-1] >= 0.5 * sr):
        raise ParameterError(
            f"n_bands={n_bands} octaves above fmin={fmin} must begin below sr / 2 = {0.5 * sr}",
            argument="n_bands",
        )
    bands = []
    for k in range(n_bands + 1):
        inside = np.flatnonzero((freq >= edges[k]) & (freq <= edges[k + 1]))
        if inside.size == 0:
            raise ParameterError(
                "freq", rule=f"have a bin between {edges[k]} and {edges[k + 1]} Hz", verb="must"
            )
        first = max(inside[0] - (k > 0), 0)
        last = len(freq) if k == n_bands else inside[-1] + 1
        n_tail = max(int(np.rint(quantile * (last - first))), 1)
        bands.append((first, last - (k < n_bands), n_tail))
    return np.array(bands, dtype=np.float64)


@has_kernels(
    "audio: its valleys and peaks, whose decibels are the CPU's", lambda of: {"y": of.y, "linear": True}
)
@as_feature(
    Frames(lambda given: given.n_bands + 1),
    streams=Streamed(
        "SpectralContrast", "Spectral contrast", "sr=22050, linear=True", (7, 7),
        refuses=(Refusal(
            "linear", lambda linear: not linear,
            "True in a stream: the levels of spectral_contrast end 80 dB below the "
            "loudest of the whole signal"),),
    ),
)
@public(expression=True, composed=True)
def spectral_contrast(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    S: Spectrogram | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
    freq: Frequencies | None = None,
    fmin: Positive = 200.0,
    n_bands: PositiveInt = 6,
    quantile: Quantile = 0.02,
    linear: bool = False,
) -> NDArray[np.float32 | np.float64]:
    """Contrast of peaks and valleys in octave bands.

    Audio is transformed in double precision: valleys are near-empty bins.

    Parameters
    ----------
    y, sr, S, n_fft, hop_length, win_length, window, center, pad_mode, freq
        As in `spectral_centroid`.
    fmin : number > 0
        Upper edge of the lowest band in Hz.
    n_bands : int > 0
        Octaves above it.
    quantile : number between 0 and 1
        Share of a band's bins that make its valley, and its peak.
    linear : bool
        Difference of magnitudes instead of levels.

    Returns
    -------
    np.ndarray [shape=(..., n_bands + 1, t)], float32 or float64
        Peak minus valley, in dB unless `linear`.

    Raises
    ------
    ParameterError
        For wrong values, bands above ``sr / 2``, or if neither `y` nor `S` is given.

    References
    ----------
    D.-N. Jiang, L. Lu, H.-J. Zhang, J.-H. Tao and L.-H. Cai, "Music type classification by
    spectral contrast feature", ICME 2002.

    Examples
    --------
    >>> y = metalmom.tone(1000.0, sr=22050, duration=1.0)
    >>> metalmom.feature.spectral_contrast(y=y, sr=22050).shape
    (7, 44)
    """
    if n_bands < 1 or not isinstance(n_bands, (int, np.integer)):
        raise ParameterError("n_bands", n_bands, "a positive integer")
    if not 0.0 < quantile < 1.0:
        raise ParameterError("quantile", quantile, "between 0 and 1")
    if not fmin > 0:
        raise ParameterError("fmin", fmin, "a positive number")
    if S is not None and np.iscomplexobj(S):
        # warns as NumPy does when it drops imaginary parts; librosa also sorts by real parts
        S = S.astype(S.real.dtype)
    arguments, n_fft = _source("contrast", y, S, n_fft, hop_length, win_length, window, center, pad_mode)
    freq = np.atleast_1d(_frequencies(freq, sr, n_fft))
    n_bins = 1 + n_fft // 2 if S is None else S.shape[-2]
    if len(freq) != n_bins:
        raise ParameterError("freq.shape", freq.shape, f"({n_bins},)")
    bands = _octave_bands(freq, sr, fmin, n_bands, quantile)
    if np.any(bands[:, 0] == bands[:, 1]):
        warn("Mean of empty slice: a band of spectral_contrast has no bins and is NaN", RuntimeWarning)
    return then(_contrast, _asked("spectral_contrast", {"bands": bands, **arguments}), linear)


def _contrast(found: tuple[Any, Any], linear: bool) -> Any:
    """The difference of peaks and valleys, in decibels unless `linear`."""
    valley, peak = map(_args.host, found)
    if linear:
        return peak - valley
    with ON_CPU:  # levels of doubles, for which there is no kernel
        return power_to_db(peak) - power_to_db(valley)


@has_kernels("audio")
@as_feature(
    Frames(1),
    streams=Streamed(
        "ZeroCrossingRate", "Rate of zero crossings", "", (1, 7),
        without=(),
        refuses=(Refusal(
            "ref_magnitude", callable, "a number in a stream: a function of it sees all samples",
            is_shown=False),),
    ),
)
@takes("threshold", "ref_magnitude", "zero_pos", "pad")
@native_names(n_fft="frame_length")
@public(expression=True)
def zero_crossing_rate(
    y: Placed,
    *,
    frame_length: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    center: bool = True,
    **kwargs: Any,
) -> Placed:
    """Share of samples of each frame at which the signal changes its sign.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    frame_length : int > 0
        Samples of a frame.
    hop_length : int > 0
        Samples from a frame to the next.
    center : bool
        Whether `y` is extended by half a frame of its end values on both sides.
    **kwargs
        `threshold` (magnitudes up to it count as zero, by default 1e-10), `ref_magnitude` (a
        factor of it, or a function of the magnitudes), `zero_pos` (whether zero has a positive
        sign, by default True), `pad` (whether the first sample of a frame counts as a crossing, by
        default False): as in `metalmom.zero_crossings`.

    Returns
    -------
    np.ndarray of float64 [shape=(..., 1, t)], or DeviceArray
        Crossings per sample.

    Raises
    ------
    ParameterError
        For wrong values.

    Examples
    --------
    >>> y = metalmom.tone(1000.0, sr=22050, duration=1.0)
    >>> z = metalmom.feature.zero_crossing_rate(y)
    >>> bool(abs(z[0, 2:-2].mean() * 22050 / 2 - 1000) < 5)
    True
    """
    y = _args.signal(y)
    threshold = kwargs.pop("threshold", 1e-10)
    reference = kwargs.pop("ref_magnitude", None)
    if callable(reference):
        threshold = then(_threshold, threshold, reference, y)
    elif reference is not None:
        threshold = threshold * reference
    kwargs.pop("axis", None)  # frames have an axis of their own
    pad, zero_pos = kwargs.pop("pad", False), kwargs.pop("zero_pos", True)
    if kwargs:
        raise TypeError(f"zero_crossing_rate() got an unexpected keyword argument {next(iter(kwargs))!r}")
    rate = ask(
        "zero_crossing_rate", y=y, n_fft=frame_length, hop_length=hop_length, center=bool(center),
        pad_mode="edge" if center else "constant", threshold=threshold, pad=pad, zero_pos=zero_pos,
    )
    return then(_args.one_row, rate)


def _threshold(threshold: Number, reference: Callable[[Array], Any], y: Array) -> Any:
    return threshold * reference(np.abs(y))


# Chroma of constant-Q and variable-Q spectra, and what is made of chroma.

@as_feature(Frames("n_chroma", at=centred))
@native_names(n_bins="n_octaves")
@public(expression=True, composed=True)
def chroma_cqt(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    C: Spectrogram | None = None,
    hop_length: PositiveInt = 512,
    fmin: Positive | None = None,
    norm: Number | None = np.inf,
    threshold: Number | None = 0.0,
    tuning: Number | None = None,
    n_chroma: PositiveInt = 12,
    n_octaves: PositiveInt = 7,
    window: Array | None = None,
    bins_per_octave: PositiveInt | None = 36,
    cqt_mode: Literal["full", "hybrid"] = "full",
) -> RealArray:
    """Chromagram of a constant-Q transform.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `C` is needed.
    sr : number > 0
        Sampling rate in Hz.
    C : np.ndarray [shape=(..., d, t)], optional
        Magnitudes of a constant-Q transform.
    hop_length : int > 0
        Samples from a frame to the next.
    fmin : number > 0, optional
        Frequency of the lowest bin, by default C1 (32.7 Hz).
    norm : number or None
        Norm of each frame's column, as in `metalmom.util.normalize`.
    threshold : number or None
        Values below it become 0 before the normalisation.
    tuning : number, optional
        Deviation from A440 in fractions of a bin; by default it is estimated.
    n_chroma : int > 0
        Pitch classes.
    n_octaves : int > 0
        Octaves from `fmin`.
    window : np.ndarray, optional
        As in `metalmom.filters.cq_to_chroma`.
    bins_per_octave : int > 0 or None
        Bins of the transform, a multiple of `n_chroma`; None for as many.
    cqt_mode : {"full", "hybrid"}
        `metalmom.cqt` or `metalmom.hybrid_cqt`.

    Returns
    -------
    np.ndarray [shape=(..., n_chroma, t)], real
        Energy of each pitch class; of the dtype of the input.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `C` is given.

    Examples
    --------
    >>> C = np.zeros((84, 1))
    >>> C[[9, 21]] = 1  # A1 and A2
    >>> chroma = metalmom.feature.chroma_cqt(C=C, bins_per_octave=12)
    >>> int(chroma.argmax())
    9
    """
    if bins_per_octave is None:
        bins_per_octave = n_chroma
    elif np.remainder(bins_per_octave, n_chroma) != 0:
        raise ParameterError("bins_per_octave", bins_per_octave, f"a multiple of n_chroma={n_chroma}")
    if C is None:
        require_audio(y, "C")
        C = expression_of(_transform(cqt_mode))(
            y, sr=sr, hop_length=hop_length, fmin=fmin, n_bins=n_octaves * bins_per_octave,
            bins_per_octave=bins_per_octave, tuning=tuning,
        )
        C = then(_magnitudes, C)
    return then(_chroma, C, n_chroma, bins_per_octave, fmin, window, threshold, norm)


def _magnitudes(C: Any) -> Any:
    return np.abs(_args.host(C))


def _chroma(
    C: Array, n_chroma: Int, bins_per_octave: Int, fmin: Number | None, window: Any, threshold: Number | None,
    norm: Number | None,
) -> Array:
    classes = filters.cq_to_chroma(
        C.shape[-2], bins_per_octave=bins_per_octave, n_chroma=n_chroma, fmin=fmin, window=window
    )
    return _folded(C, _native.basis_from_dense(classes), norm, _args.precision_of(classes.dtype), threshold)


def _transform(cqt_mode: str) -> Any:
    if not is_one_of(cqt_mode, ("full", "hybrid")):
        raise ParameterError("cqt_mode", cqt_mode, choices=("full", "hybrid"))
    from ..core import constantq

    return constantq.cqt if cqt_mode == "full" else constantq.hybrid_cqt


@as_feature(Frames("n_chroma", at=centred))
@native_names(n_bins="n_octaves")
@public(expression=True, composed=True)
def chroma_cens(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    C: Spectrogram | None = None,
    hop_length: PositiveInt = 512,
    fmin: Positive | None = None,
    tuning: Number | None = None,
    n_chroma: PositiveInt = 12,
    n_octaves: PositiveInt = 7,
    bins_per_octave: PositiveInt | None = 36,
    cqt_mode: Literal["full", "hybrid"] = "full",
    window: Array | None = None,
    norm: Number | None = 2,
    win_len_smooth: PositiveInt | None = 41,
    smoothing_window: str | Float | tuple[Any, ...] = "hann",
) -> RealArray:
    """Chroma energy normalised statistics (CENS): chroma that ignores dynamics and timbre.

    `chroma_cqt` with each frame's sum scaled to 1, quantised in steps that double (a quarter for
    each of 0.05, 0.1, 0.2 and 0.4 that is exceeded), smoothed over time, and scaled.

    Parameters
    ----------
    y, sr, C, hop_length, fmin, tuning, n_chroma, n_octaves, bins_per_octave, cqt_mode, window
        As in `chroma_cqt`.
    norm : number or None
        Norm of each frame's column, as in `metalmom.util.normalize`.
    win_len_smooth : int > 0 or None
        Frames of the smoothing window; None for no smoothing.
    smoothing_window : str, float or tuple
        Its shape, as in `metalmom.filters.get_window`.

    Returns
    -------
    np.ndarray [shape=(..., n_chroma, t)], real
        CENS features; of the dtype of the input.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `C` is given.

    References
    ----------
    M. Mueller and S. Ewert, "Chroma toolbox: MATLAB implementations for extracting variants of
    chroma-based audio features", ISMIR 2011.

    Examples
    --------
    >>> C = np.ones((84, 4))
    >>> cens = metalmom.feature.chroma_cens(C=C, bins_per_octave=12, norm=np.inf)
    >>> cens.shape, cens.max()
    ((12, 4), 1.0)
    """
    if win_len_smooth is not None and not util.is_positive_int(win_len_smooth):
        raise ParameterError("win_len_smooth", win_len_smooth, "a positive integer or None")
    refuse_beyond_memory("win_len_smooth", win_len_smooth, 16 * int(win_len_smooth or 0))
    chroma = expression_of(chroma_cqt)(
        y=y, C=C, sr=sr, hop_length=hop_length, fmin=fmin, bins_per_octave=bins_per_octave, tuning=tuning,
        norm=None, n_chroma=n_chroma, n_octaves=n_octaves, cqt_mode=cqt_mode, window=window,
    )
    return then(_cens, chroma, smoothing_window, win_len_smooth, norm)


def _cens(chroma: Array, smoothing_window: Any, win_len_smooth: Int | None, norm: Number | None) -> Array:
    chroma = util.normalize(chroma, norm=1, axis=-2)
    cens = np.zeros_like(chroma)
    for step in (0.4, 0.2, 0.1, 0.05):
        cens += (chroma > step) * cens.dtype.type(0.25)
    if win_len_smooth is not None:
        cens = _smoothed(cens, smoothing_window, win_len_smooth)
    return util.normalize(cens, norm=norm, axis=-2)


def _smoothed(cens: Array, shape: Any, n_frames: Int) -> Array:
    """Means weighted by a window around each frame, over silence beyond the ends."""
    window = filters.get_window(shape, n_frames + 2, fftbins=False)
    before = (window.size - 1) // 2
    margins = [(0, 0)] * (cens.ndim - 1) + [(before, window.size - 1 - before)]
    padded = np.pad(cens, margins)
    return _native.sliding_sums(x=padded, weights=window[::-1] / np.sum(window))


def _intervals(given: Any) -> int:
    return given.bins_per_octave if isinstance(given.intervals, str) else len(given.intervals)


@as_feature(Frames(_intervals, at=centred))
@native_names(n_bins="n_octaves")
@public(expression=True, composed=True)
def chroma_vqt(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    V: Spectrogram | None = None,
    hop_length: PositiveInt = 512,
    fmin: Positive | None = None,
    intervals: str | OctaveIntervals,
    norm: Number | None = np.inf,
    threshold: Number | None = 0.0,
    n_octaves: PositiveInt = 7,
    bins_per_octave: PositiveInt = 12,
    gamma: NonNegative | None = 0,
) -> RealArray:
    """Chromagram of a variable-Q transform, in tunings that need not be equal.

    The energy of each interval of the octave: neighbouring bins are not combined.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `V` is needed.
    sr : number > 0
        Sampling rate in Hz.
    V : np.ndarray [shape=(..., d, t)], optional
        Magnitudes of a variable-Q transform.
    hop_length : int > 0
        Samples from a frame to the next.
    fmin : number > 0, optional
        Frequency of the lowest bin, by default C1 (32.7 Hz).
    intervals : str or array_like of numbers from 1 to 2
        Intervals of the octave, as in `metalmom.interval_frequencies`: "equal", "pythagorean", "ji3" ..., or
        ratios, whose number is then that of bins per octave.
    norm, threshold
        As in `chroma_cqt`.
    n_octaves : int > 0
        Octaves from `fmin`.
    bins_per_octave : int > 0
        Number of intervals in an octave, if `intervals` is a name.
    gamma : number >= 0 or None
        As in `metalmom.vqt`.

    Returns
    -------
    np.ndarray [shape=(..., bins_per_octave, t)], real
        Energy of each interval; of the dtype of the input.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `V` is given.

    Examples
    --------
    >>> V = np.zeros((84, 1))
    >>> V[[7, 19]] = 1  # fifths
    >>> chroma = metalmom.feature.chroma_vqt(V=V, intervals="ji5")
    >>> int(chroma.argmax())
    7
    """
    if not isinstance(intervals, str):
        if intervals is None or np.ndim(intervals) != 1 or np.size(intervals) == 0:
            raise ParameterError("intervals", intervals, "a name or a list of ratios")
        bins_per_octave = np.size(intervals)
    if V is None:
        require_audio(y, "V")
        from ..core.constantq import vqt

        V = expression_of(vqt)(
            y, sr=sr, hop_length=hop_length, fmin=fmin, intervals=intervals,
            n_bins=n_octaves * bins_per_octave, bins_per_octave=bins_per_octave, gamma=gamma,
        )
        V = then(_magnitudes, V)
    return then(_chroma, V, bins_per_octave, bins_per_octave, fmin, None, threshold, norm)


@kept(16, "tonal centroids")
def _tonal_centroids(n_chroma: int) -> Float64Array:
    """Pitch classes to coordinates on the circles of fifths, minor and major thirds (6, n_chroma).

    Steps along the circles turn by 7/6, 3/2 and 2/3 of pi a semitone; the first coordinate of each
    circle is a sine, the second a cosine, and the circle of major thirds has half the radius.
    """
    turns = np.repeat([7 / 6, 3 / 2, 2 / 3], 2)[:, np.newaxis]
    angles = turns * np.linspace(0, 12, num=n_chroma, endpoint=False)
    angles[::2] -= 0.5
    radii = np.repeat([1.0, 1.0, 0.5], 2)[:, np.newaxis]
    return radii * np.cos(np.pi * angles)


@as_feature(Frames(6, at=centred))
@takes(of="feature.chroma_cqt")
@native_names(n_bins="n_octaves")
@public(expression=True, composed=True)
def tonnetz(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    chroma: Annotated[Array, array("..., n_chroma, t")] | None = None,
    **kwargs: Any,
) -> Float64Array:
    """Tonal centroids: chords as places on the circles of fifths, minor thirds and major thirds.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `chroma` is needed.
    sr : number > 0
        Sampling rate in Hz.
    chroma : np.ndarray [shape=(..., n_chroma, t)], optional
        A chromagram; by default `chroma_cqt`.
    **kwargs
        Arguments of `chroma_cqt`.

    Returns
    -------
    np.ndarray [shape=(..., 6, t)], float64
        Two coordinates each for fifths, minor thirds and major thirds.

    Raises
    ------
    ParameterError
        If neither `y` nor `chroma` is given.

    References
    ----------
    C. Harte, M. Sandler and M. Gasser, "Detecting harmonic change in musical audio", ACM Workshop
    on Audio and Music Computing Multimedia, 2006.

    Examples
    --------
    >>> chroma = np.zeros((12, 1))
    >>> chroma[0] = 1  # C
    >>> metalmom.feature.tonnetz(chroma=chroma)[:, 0].round(1) + 0.0
    array([0. , 1. , 0. , 1. , 0. , 0.5])
    """
    if chroma is None:
        require_audio(y, "chroma")
        chroma = expression_of(chroma_cqt)(y=y, sr=sr, **kwargs)
    return then(_centroids, chroma)


def _centroids(chroma: ArrayLike) -> Float64Array:
    chroma = np.asarray(chroma)
    if np.iscomplexobj(chroma):
        raise ParameterError("chroma.dtype", chroma.dtype, "real")
    chroma = util.normalize(chroma, norm=1, axis=-2)
    frames = chroma.swapaxes(-1, -2).astype(np.float64)
    return (frames @ _tonal_centroids(chroma.shape[-2]).T).swapaxes(-1, -2)


# Lines and polynomials fitted to spectra.

# The slope of noise is next to nothing, a small difference of large sums; that of a tone is not.
@has_kernels("audio: its sums over bins, whose ratio is the CPU's", lambda of: {"y": of.tone})
@as_feature(Frames(1, unit="1/Hz"), streams=Streamed("SpectralSlope", "Spectral slope", "sr=22050", (1, 7)))
@public(expression=True, composed=True)
def spectral_slope(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    S: Spectrogram | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
) -> RealArray:
    """Slope of the line that fits each frame's magnitudes over frequency best, relative to their sum.

    Parameters
    ----------
    y, sr, S, n_fft, hop_length, win_length, window, center, pad_mode
        As in `spectral_centroid`; of two bins or more.

    Returns
    -------
    np.ndarray [shape=(..., 1, t)], real
        Slope in 1/Hz, negative where low frequencies are louder; 0 in silence. float32 for float32
        audio, else float64.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    G. Peeters, "A large set of audio features for sound description (similarity and classification)
    in the CUIDADO project", Ircam, 2004.

    Examples
    --------
    >>> S = np.array([[3.0], [2.0], [1.0]])  # at 0, 250 and 500 Hz
    >>> metalmom.feature.spectral_slope(S=S, sr=1000).round(6)
    array([[-0.000667]])
    """
    arguments, n_fft = _source("slope", y, S, n_fft, hop_length, win_length, window, center, pad_mode)
    if n_fft < 2:
        name, value = ("n_fft", n_fft) if S is None else ("S.shape[-2]", S.shape[-2])
        raise ParameterError(name, value, "at least 2: a line needs two frequencies")
    sr = number("sr", sr)
    if S is not None:
        require_magnitudes("S", S)
        return _shares(_product(S, _slope_and_sum(sr, n_fft, np.float64), np.float64))
    basis = _slope_and_sum(sr, int(n_fft), _args.precision_of(arguments["y"].dtype))
    return then(_shares, ask("filterbank_spectrogram", basis=basis, power=1.0, **arguments))


@kept(16)
def _slope_and_sum(sr: float, n_fft: int, dtype: DTypeLike) -> Any:
    """Two bands of bins: the slope of magnitudes, and their sum."""
    fit, _ = _default_fit(sr, n_fft, 1)
    return _native.basis_from_dense(np.stack([fit[0], np.ones(len(fit[0]))]).astype(dtype))


def _shares(sums: Any) -> Any:
    sums = _args.host(sums)
    slope, whole = sums[..., :1, :], sums[..., 1:, :]
    return np.divide(slope, whole, out=np.zeros_like(slope), where=whole > 0)


@as_feature(Frames(lambda given: given.order + 1, numbers=lambda given: given.source.numbers))
@public(composed=True)
def poly_features(
    *,
    y: Audio | None = None,
    sr: Positive = 22050,
    S: Spectrogram | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
    order: NonNegativeInt = 1,
    freq: Annotated[Array, array("d", "..., d, t")] | None = None,
) -> Float64Array:
    """Coefficients of the polynomial in frequency that fits each frame of a spectrum best.

    A fit is a sum over bins, so from audio it is computed like a filter bank: in blocks of frames,
    in double precision, without holding a spectrogram.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., d, t)], optional
        Magnitudes.
    n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.stft`.
    order : int >= 0
        Degree of the polynomial.
    freq : np.ndarray [shape=(d,) or (..., d, t)], optional
        Frequencies of bins, of all frames or of each; by default those of the transform.

    Returns
    -------
    np.ndarray [shape=(..., order + 1, t)], float64
        Coefficients, that of the highest power first.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    Examples
    --------
    >>> S = np.linspace(1.0, 0.0, 513)[:, np.newaxis]
    >>> metalmom.feature.poly_features(S=S, sr=1024)[:, 0].round(4)
    array([-0.002,  1.   ])
    """
    natural_int("order", order)
    if freq is not None:
        freq = np.asarray(freq, dtype=np.float64)
    framing = _framing.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    if S is None and (freq is None or freq.ndim == 1):
        arguments, n_fft = _source("fits", y, S, *framing)
        basis = _native.basis_from_dense(_checked_fit(sr, n_fft, freq, order, n_fft // 2 + 1))
        _args.refuse_on_device(y)
        arguments["y"] = arguments["y"].astype(np.float64, copy=False)
        with ON_CPU:  # products of doubles, for which there is no kernel
            return _native.filterbank_spectrogram(basis=basis, power=1.0, **arguments)
    S, n_fft = _spectrogram(y=y, S=S, **framing._asdict())
    if freq is not None and freq.ndim > 1:
        return _fit_by_frame(S, freq, order)
    return _product_with_fit(_checked_fit(sr, n_fft, freq, order, S.shape[-2]), np.asarray(S))


def _product_with_fit(fit: Float64Array, S: Array) -> Array:
    """``fit @ S`` in double, some frames at a time: what float32 becomes stays in cache."""
    if S.dtype != np.float32:
        return fit @ S
    frames = max(1, 2**16 // S.shape[-2])
    result = np.empty((*S.shape[:-2], len(fit), S.shape[-1]))
    for first in range(0, S.shape[-1], frames):
        part = slice(first, first + frames)
        result[..., part] = fit @ S[..., part].astype(np.float64)
    return result


def _checked_fit(sr: Number, n_fft: Int, freq: Float64Array | None, order: Int, n_bins: int) -> Float64Array:
    """The matrix of a fit, with NumPy's warning where bins do not determine the polynomial."""
    if freq is None:
        fit, rank = _default_fit(float(sr), int(n_fft), int(order))
    elif freq.shape != (n_bins,):
        raise ParameterError("freq.shape", freq.shape, f"({n_bins},) or the shape of S")
    else:
        fit, rank = _fit(freq, int(order))
    if rank <= order:
        kind = getattr(np, "exceptions", np).RankWarning  # in a module of its own since NumPy 1.25
        warn(f"order={order} is more than the frequencies can tell apart", kind)
    return fit


@kept(16, "polynomial fit")
def _default_fit(sr: float, n_fft: int, order: int) -> tuple[Float64Array, int]:
    return _fit(_frequencies(None, sr, n_fft), order)


def _fit(freq: Float64Array, order: int) -> tuple[Float64Array, int]:
    """Spectra to coefficients by least squares (order + 1, bins), and the rank of the problem.

    Powers of frequencies are scaled to columns of one norm: in Hz they differ by orders of
    magnitude.
    """
    powers = _powers(freq, order)
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    scale[scale == 0] = 1
    left, values, right = np.linalg.svd(powers / scale, full_matrices=False)
    kept = values > freq.size * np.finfo(np.float64).eps * values[0]
    inverse = np.divide(1, values, out=np.zeros_like(values), where=kept)
    return (right.T * inverse) @ left.T / scale[:, np.newaxis], np.count_nonzero(kept)


def _powers(freq: Float64Array, order: int) -> Float64Array:
    """Powers of frequencies from `order` down to 0 (bins, order + 1), all of them finite."""
    require_finite("freq", freq)
    largest = np.abs(freq).max(initial=1)
    if order * np.log(largest) > np.log(np.finfo(np.float64).max):
        raise ParameterError("order", order, f"lower: {largest:.6g} Hz to this power is not a finite number")
    # the powers, and their decomposition
    refuse_beyond_memory("order", order, 32 * freq.size * (order + 1))
    return np.vander(freq, order + 1)


def _fit_by_frame(S: Array, freq: Float64Array, order: Int) -> Array:
    """Fits over frequencies that change from frame to frame (a reassigned spectrogram's)."""
    try:
        freq = np.broadcast_to(freq, S.shape)
    except ValueError:
        raise ParameterError("freq.shape", freq.shape, f"({S.shape[-2]},) or {S.shape}") from None
    spectra, freq = S.swapaxes(-1, -2), freq.swapaxes(-1, -2)
    # In memory the axis of frames comes before that of coefficients, as in librosa's result.
    found = np.empty((*spectra.shape[:-1], order + 1), np.result_type(S, np.float64))
    for at in np.ndindex(spectra.shape[:-1]):
        found[at] = _fit(freq[at], int(order))[0] @ spectra[at]
    return found.swapaxes(-1, -2)
