"""Effects: audio in, audio out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal, TypedDict, Unpack, overload

import numpy as np

from . import _native, core, decompose, feature, util
from ._engine import _args
from ._engine.backend import ON_CPU
from ._native import DeviceArray
from .util._public import public
from .util._rules import array, iterable
from .util._types import (
    Array, Audio, BoolArray, FilterState, HarmonicPercussive, HarmonicPercussiveInt, IntArray,
    NDArray, Number, PadMode, Placed, Positive, PositiveInt, Scalar, WindowSpec, WinLength,
)
from .core import _framing, audio, spectrum
from .util._checks import is_number, require_count
from .util._declared import as_feature, has_kernels, Like, Samples, Value
from .util._keywords import native_names, takes
from .util._memory import refuse_beyond_memory
from .util._wording import no_array
from .util.exceptions import ParameterError

__all__ = [
    "deemphasis", "harmonic", "hpss", "percussive", "pitch_shift", "preemphasis", "remix", "split",
    "time_stretch", "trim",
]
__dir__ = __all__.copy


@has_kernels("audio; medians of at most 31 values")
@as_feature((Like(name="harmonic"), Like(name="percussive")), listed=False)
@native_names(**decompose.MEDIAN_NAMES)
@public(composed=True)
def hpss(
    y: Placed,
    *,
    kernel_size: HarmonicPercussiveInt = 31,
    power: Positive = 2.0,
    mask: bool = False,
    margin: HarmonicPercussive = 1.0,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt | None = None,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
) -> tuple[Placed, Placed]:
    """Separate audio into harmonic and percussive parts.

    `stft`, `metalmom.decompose.hpss` and `istft` in one pass over the frames: no spectrogram is
    ever stored.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    kernel_size, power, margin
        As in `metalmom.decompose.hpss`.
    mask : bool
        Whether to invert the masks themselves instead of the parts of the spectrogram.
    n_fft, hop_length, win_length, center, pad_mode
        As in `metalmom.stft`.
    window : str, tuple, number, callable or np.ndarray
        Without effect, as in librosa 1.0.0: both transforms use a Hann window.

    Returns
    -------
    harmonic, percussive : np.ndarray [shape=(..., n)], real, or DeviceArray
        With the shape and dtype of `y`.

    Raises
    ------
    ParameterError
        For wrong values, or audio that is not finite.

    References
    ----------
    D. FitzGerald, "Harmonic/percussive separation using median filtering", DAFx-10, 2010.
    J. Driedger, M. Mueller and S. Disch, "Extending harmonic-percussive separation of audio
    signals", ISMIR 2014.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> harmonic, percussive = metalmom.effects.hpss(y)
    >>> bool(np.abs(percussive[6000:16000]).max() < 0.01)
    True
    """
    framing = _framing.Framing(n_fft, hop_length, win_length, "hann", center, pad_mode)
    return _parts(y, framing, mask, kernel_size=kernel_size, power=power, margin=margin)


@has_kernels("audio; medians of at most 31 values")
@as_feature(Like(), listed=False)
@native_names(**decompose.MEDIAN_NAMES)
@public(composed=True)
def harmonic(
    y: Placed,
    *,
    kernel_size: HarmonicPercussiveInt = 31,
    power: Positive = 2.0,
    mask: bool = False,
    margin: HarmonicPercussive = 1.0,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt | None = None,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
) -> Placed:
    """Keep the harmonic part of audio: the first result of `metalmom.effects.hpss`.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    kernel_size, power, mask, margin, n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.effects.hpss`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real, or DeviceArray
        With the shape and dtype of `y`.

    Raises
    ------
    ParameterError
        For wrong values, or audio that is not finite.

    References
    ----------
    D. FitzGerald, "Harmonic/percussive separation using median filtering", DAFx-10, 2010.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> part = metalmom.effects.harmonic(y)
    >>> bool(np.abs(part - y)[6000:16000].max() < 0.01)
    True
    """
    framing = _framing.Framing(n_fft, hop_length, win_length, "hann", center, pad_mode)
    return _parts(y, framing, mask, kernel_size=kernel_size, power=power, margin=margin)[0]


@has_kernels("audio; medians of at most 31 values")
@as_feature(Like(), listed=False)
@native_names(**decompose.MEDIAN_NAMES)
@public(composed=True)
def percussive(
    y: Placed,
    *,
    kernel_size: HarmonicPercussiveInt = 31,
    power: Positive = 2.0,
    mask: bool = False,
    margin: HarmonicPercussive = 1.0,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt | None = None,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
) -> Placed:
    """Keep the percussive part of audio: the second result of `metalmom.effects.hpss`.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    kernel_size, power, mask, margin, n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.effects.hpss`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real, or DeviceArray
        With the shape and dtype of `y`.

    Raises
    ------
    ParameterError
        For wrong values, or audio that is not finite.

    References
    ----------
    D. FitzGerald, "Harmonic/percussive separation using median filtering", DAFx-10, 2010.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> bool(np.abs(metalmom.effects.percussive(y)[6000:16000]).max() < 0.01)
    True
    """
    framing = _framing.Framing(n_fft, hop_length, win_length, "hann", center, pad_mode)
    return _parts(y, framing, mask, kernel_size=kernel_size, power=power, margin=margin)[1]


def _parts(y: Any, framing: _framing.Framing, mask: bool, **medians: Any) -> tuple[Any, Any]:
    """The harmonic and the percussive part of audio."""
    padded, frames = _framing.frames(y, framing)
    if y.shape[-1] == 0:
        return (y, y) if _args.on_device(y) else (np.zeros_like(y), np.zeros_like(y))
    row_size = 3 * (1 + frames["n_fft"] // 2)
    arguments = decompose.median_arguments(**medians, frames_major=True, row_size=row_size)
    if not mask and padded is y:
        parts = _native.hpss_audio(y=y, **frames, **arguments)
        first, second = (part.astype(y.dtype, copy=False) for part in parts)
        return first, second
    # Masks are spectrograms, and a signal that NumPy has padded is longer than its parts should be:
    # in these cases spectrograms are made and separated.
    D = _native.stft(y=padded, **frames)
    first, second = (
        spectrum.istft(
            part, dtype=y.dtype, n_fft=framing.n_fft, hop_length=framing.hop_length,
            win_length=framing.win_length, center=framing.center, length=y.shape[-1],
        )
        for part in decompose.hpss(D, mask=mask, **medians)
    )
    return first, second


# First-order filters that raise or lower high frequencies.

def _signal(y: object, fewest: int) -> Array:
    """What a filter runs over: floating-point samples, real or complex, in double precision at most."""
    if not isinstance(y, np.ndarray) or y.dtype.char not in "fdgFDG":
        raise no_array("y", y, "an array of float32, float64 or their complex")
    if y.dtype.char in "gG":
        y = y.astype(y.dtype.char.replace("g", "d").replace("G", "D"))
    if y.ndim == 0 or y.shape[-1] < fewest:
        raise ParameterError("y.shape", y.shape, f"have at least {fewest} samples", verb="must")
    return y


def _coefficient(coef: Any) -> float:
    if np.ndim(coef) or not np.isreal(coef) or not np.isfinite(coef):
        raise ParameterError("coef", coef, "a finite number")
    return float(coef)


def _state(zi: Any, y: Array) -> Array:
    """The state before the first sample as an array (..., 1) that fits `y`."""
    zi = np.atleast_1d(zi).astype(y.dtype)
    if zi.ndim not in (1, y.ndim) or zi.shape[-1] != 1:
        raise ParameterError("zi.shape", zi.shape, f"(1,) or {(*y.shape[:-1], 1)}")
    try:
        return np.broadcast_to(zi, (*y.shape[:-1], 1))
    except ValueError:
        raise ParameterError("zi.shape", zi.shape, f"(1,) or {(*y.shape[:-1], 1)}") from None


class _Filtering(TypedDict, total=False):
    coef: Number
    zi: Number | FilterState | None


@overload
def preemphasis(
    y: Annotated[NDArray[Scalar], array("..., n", values="floating-point or complex")], *,
    return_zf: Literal[False] = ..., **filtering: Unpack[_Filtering]
) -> NDArray[Scalar]: ...
@overload
def preemphasis(
    y: Annotated[NDArray[Scalar], array("..., n", values="floating-point or complex")], *,
    return_zf: Literal[True], **filtering: Unpack[_Filtering]
) -> tuple[NDArray[Scalar], NDArray[Scalar]]: ...
@overload
def preemphasis(
    y: Annotated[NDArray[Scalar], array("..., n", values="floating-point or complex")], *,
    return_zf: bool = ..., **filtering: Unpack[_Filtering]
) -> NDArray[Scalar] | tuple[NDArray[Scalar], NDArray[Scalar]]: ...
@as_feature(lambda given: (Like(), Value(1)) if given.return_zf else Like(), listed=False)
@public
def preemphasis(
    y: Annotated[NDArray[Scalar], array("..., n", values="floating-point or complex")],
    *,
    coef: Number = 0.97,
    zi: Number | FilterState | None = None,
    return_zf: bool = False,
) -> NDArray[Scalar] | tuple[NDArray[Scalar], NDArray[Scalar]]:
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
    samples = _signal(y, 2 if zi is None else 1)
    factor = samples.dtype.type(_coefficient(coef))
    state = 2 * samples[..., :1] - samples[..., 1:2] if zi is None else _state(zi, samples)
    # The result's axes have the same order in memory as the input's, as with librosa's filter.
    filtered = np.empty_like(samples)
    np.multiply(samples[..., :-1], -factor, out=filtered[..., 1:])
    filtered[..., 1:] += samples[..., 1:]
    filtered[..., :1] = samples[..., :1] + state
    return (filtered, -factor * samples[..., -1:]) if return_zf else filtered


@overload
def deemphasis(
    y: Annotated[NDArray[Scalar], array("..., n", values="floating-point or complex")], *,
    return_zf: Literal[False] = ..., **filtering: Unpack[_Filtering]
) -> NDArray[Scalar]: ...
@overload
def deemphasis(
    y: Annotated[NDArray[Scalar], array("..., n", values="floating-point or complex")], *,
    return_zf: Literal[True], **filtering: Unpack[_Filtering]
) -> tuple[NDArray[Scalar], NDArray[Scalar]]: ...
@overload
def deemphasis(
    y: Annotated[NDArray[Scalar], array("..., n", values="floating-point or complex")], *,
    return_zf: bool = ..., **filtering: Unpack[_Filtering]
) -> NDArray[Scalar] | tuple[NDArray[Scalar], NDArray[Scalar]]: ...
@as_feature(lambda given: (Like(), Value(1)) if given.return_zf else Like(), listed=False)
@public(composed=True)
def deemphasis(
    y: Annotated[NDArray[Scalar], array("..., n", values="floating-point or complex")],
    *,
    coef: Number = 0.97,
    zi: Number | FilterState | None = None,
    return_zf: bool = False,
) -> NDArray[Scalar] | tuple[NDArray[Scalar], NDArray[Scalar]]:
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
    samples, factor = _signal(y, 2 if zi is None else 0), _coefficient(coef)
    if zi is None:
        start = ((factor - 2) * samples[..., :1] + samples[..., 1:2]) / (3 - factor)
    else:
        start = _state(zi, samples)
    filtered = _one_pole(samples, factor, start)
    if not return_zf:
        return filtered
    end = filtered[..., -1:] if samples.shape[-1] else start
    if zi is None:
        end = end - start * np.float64(factor) ** (samples.shape[-1] - 1)
    return filtered, (factor * end if samples.shape[-1] else end).astype(samples.dtype)


def _one_pole(y: Array, coef: float, start: Array) -> Array:
    """The recurrence over the last axis; real and imaginary part do not meet."""
    if np.iscomplexobj(y):
        parts = np.stack([y.real, y.imag]), np.stack([start.real, start.imag])
        real, imaginary = _one_pole(parts[0], coef, parts[1])
        joined = np.empty(y.shape, y.dtype)
        joined.real, joined.imag = real, imaginary
        return joined
    return _native.one_pole(
        y=np.ascontiguousarray(y), start=np.ascontiguousarray(start, np.float64), coef=coef
    )


# Cutting and stretching audio.

# Phases of the softest bins of a transform in float32 add up over the frames.
@has_kernels("audio", lambda of: {"y": of.y, "rate": 0.8}, tolerance=2e-3)
@as_feature(Samples(times=lambda given: 1 / given.rate), listed=False)
@takes(of="stft", but=("dtype", "out"))
@public(composed=True)
def time_stretch(
    y: Placed,
    *,
    rate: Positive,
    **kwargs: Any,
) -> Placed:
    """Change the speed of audio but not its pitch, by a phase vocoder.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    rate : number > 0
        Above 1 the result is shorter and faster, below 1 longer and slower.
    **kwargs
        `n_fft`, `hop_length`, `win_length`, `window`, `center`, `pad_mode`: as in `metalmom.stft`.

    Returns
    -------
    np.ndarray [shape=(..., round(n / rate))], dtype of `y`, or DeviceArray
        With the dtype of `y`.

    Raises
    ------
    ParameterError
        For wrong values, audio that is not finite, and a result that needs more memory than this
        machine has.

    References
    ----------
    J. Laroche and M. Dolson, "Improved phase vocoder time-scale modification of audio", IEEE Trans.
    Speech and Audio Processing 7(3), 1999.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> metalmom.effects.time_stretch(y, rate=2.0).shape
    (11025,)
    """
    if not is_number(rate) or not 0 < rate < np.inf:
        raise ParameterError("rate", rate, "a positive number")
    _args.audio(y)
    _refuse_long_result(y, rate, "rate", rate, "larger")
    length = int(round(y.shape[-1] / rate))
    D = core.stft(y, **kwargs)
    if D.shape[-1] < 2:
        raise ParameterError("y.shape[-1]", y.shape[-1], "enough samples for two frames")
    if length == 0:
        # on the host, also where `y` is on a device
        return np.empty((*y.shape[:-1], 0), dtype=y.dtype)  # type: ignore[return-value]
    # Under one name, so that the first spectrogram is free before the samples need memory.
    D = core.phase_vocoder(D, rate=rate)
    kwargs.pop("pad_mode", None)
    return core.istft(D, dtype=y.dtype, length=length, **kwargs)


def _refuse_long_result(y: Array | DeviceArray, rate: Number, name: str, value: object, rule: str) -> None:
    """Refuse the argument NAME by which `y`, stretched by `rate`, needs more memory than there is."""
    # A spectrogram of four overlapping frames takes some 32 bytes a sample.
    refuse_beyond_memory(name, value, 32 * y.size / rate, rule)


@as_feature(Like(), listed=False)
@takes(of="effects.time_stretch", but=("rate",))
@public(composed=True)
def pitch_shift(
    y: Annotated[NDArray[Scalar], array("..., n", values="real floating-point")] | DeviceArray,
    *,
    sr: Positive,
    n_steps: Number,
    bins_per_octave: PositiveInt = 12,
    res_type: str = "soxr_hq",
    scale: bool = False,
    **kwargs: Any,
) -> NDArray[Scalar]:
    """Change the pitch of audio but not its speed, by stretching it in time and resampling it.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    sr : number > 0
        Sampling rate in Hz.
    n_steps : number
        Steps upwards, or downwards if negative; fractions are allowed.
    bins_per_octave : int > 0
        Steps of an octave.
    res_type : str
        How it is resampled, as in `metalmom.resample`.
    scale : bool
        Whether to scale the resampled signal to the energy of the stretched one.
    **kwargs
        As in `time_stretch`.

    Returns
    -------
    np.ndarray, shape and dtype of `y`
        The shifted signal.

    Raises
    ------
    ParameterError
        For wrong values, audio that is not finite, and steps whose stretched signal needs more
        memory than this machine has.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> shifted = metalmom.effects.pitch_shift(y, sr=22050, n_steps=12)
    >>> int(np.abs(np.fft.rfft(shifted)).argmax())  # an octave up: 880 Hz
    880
    """
    require_count("bins_per_octave", bins_per_octave)
    if not is_number(n_steps) or not np.isfinite(n_steps):
        raise ParameterError("n_steps", n_steps, "a finite number")
    if not np.isreal(sr) or not 0 < sr < np.inf:
        raise ParameterError("sr", sr, "a positive number")
    rate = 2.0 ** (-float(n_steps) / bins_per_octave)
    if not 0 < rate < np.inf:
        raise ParameterError("n_steps", n_steps, "a shift of fewer octaves")
    _refuse_long_result(_args.audio(y), rate, "n_steps", n_steps, "smaller")
    given: Any = y  # a type variable stands for one of two types, not for either
    stretched = _args.host(time_stretch(given, rate=rate, **kwargs))
    with ON_CPU:  # rates whose ratio is no fraction have no kernel
        shifted = core.resample(
            stretched, orig_sr=float(sr) / rate, target_sr=sr, res_type=res_type, scale=scale
        )
    return util.fix_length(shifted, size=y.shape[-1])


def _loud_frames(
    y: Any, frame_length: PositiveInt, hop_length: PositiveInt, top_db: Number, ref: Any,
    aggregate: Callable[..., Any],
) -> BoolArray:
    """Which frames are within `top_db` of the reference in the loudest channel (bool, (t,))."""
    if np.ndim(top_db) or not np.isreal(top_db) or np.isnan(top_db):
        raise ParameterError("top_db", top_db, "a number")
    require_count("frame_length", frame_length)
    is_scalar = np.isscalar(ref)
    if not callable(ref) and not (is_scalar and np.isreal(ref)):
        raise ParameterError("ref", ref, "a number or a function")
    if y.shape[-1] == 0:
        return np.zeros(1, dtype=bool)
    level = _args.host(feature.rms(y=y, frame_length=frame_length, hop_length=hop_length))[..., 0, :]
    decibels = core.amplitude_to_db(level, ref=ref, top_db=None)
    if decibels.ndim > 1:
        decibels = np.apply_over_axes(aggregate, decibels, range(decibels.ndim - 1))
    return decibels.reshape(-1) > -top_db


@as_feature((Samples(name="audio"), Value(2, name="interval", numbers=int)), listed=False)
@public(composed=True)
def trim(
    y: Annotated[NDArray[Scalar], array("..., n", values="real floating-point")],
    *,
    top_db: Number = 60,
    ref: Number | Callable[..., Any] = np.max,
    frame_length: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    aggregate: Callable[..., Any] = np.max,
) -> tuple[NDArray[Scalar], IntArray]:
    """Cut silence off the beginning and the end of audio.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point
        Audio, finite everywhere.
    top_db : number
        Frames this far below the reference are silent.
    ref : number or callable
        The amplitude to compare with, or a function that takes it from the levels of the frames;
        by default their maximum. Silence then is never trimmed: it is as loud as its maximum.
    frame_length, hop_length : int > 0
        Length and hop of the frames of the level, in samples.
    aggregate : callable
        Combines the decibels of channels, along `axis`.

    Returns
    -------
    trimmed : np.ndarray [shape=(..., m)], dtype of `y`
        The rest of `y`: a view.
    index : np.ndarray of int [shape=(2,)]
        Its first sample, and the sample after its last.

    Raises
    ------
    ParameterError
        For wrong values, or audio that is not finite.

    Examples
    --------
    >>> y = np.zeros(22050, dtype=np.float32)
    >>> y[8192:12288] = 1
    >>> metalmom.effects.trim(y)[1]
    array([ 7680, 13312])
    """
    loud = np.flatnonzero(_loud_frames(y, frame_length, hop_length, top_db, ref, aggregate))
    if loud.size:
        start, end = (int(core.frames_to_samples(i, hop_length=hop_length)) for i in loud[[0, -1]])
        end = min(y.shape[-1], end + hop_length)
    else:
        start, end = 0, 0
    return y[..., start:end], np.asarray([start, end])


@as_feature(listed=False)
@public(composed=True)
def split(
    y: Audio | DeviceArray,
    *,
    top_db: Number = 60,
    ref: Number | Callable[..., Any] = np.max,
    frame_length: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    aggregate: Callable[..., Any] = np.max,
) -> IntArray:
    """Find the parts of audio that are not silent.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    top_db, ref, frame_length, hop_length, aggregate
        As in `trim`.

    Returns
    -------
    np.ndarray of int [shape=(m, 2)]
        First sample of each part and the one behind its last.

    Raises
    ------
    ParameterError
        For wrong values, or audio that is not finite.

    Examples
    --------
    >>> y = np.zeros(44100, dtype=np.float32)
    >>> y[8192:12288] = y[30000:34000] = 1
    >>> metalmom.effects.split(y)
    array([[ 7680, 13312],
           [29184, 35328]])
    """
    loud = _loud_frames(y, frame_length, hop_length, top_db, ref, aggregate)
    edges = np.flatnonzero(np.diff(loud, prepend=False, append=False))
    bounds = core.frames_to_samples(edges, hop_length=hop_length)
    return np.minimum(bounds, y.shape[-1]).reshape(-1, 2)


@as_feature(Samples(), listed=False)
@public(composed=True)
def remix(
    y: Annotated[NDArray[Scalar], array("..., n", values="real floating-point")],
    intervals: Annotated[
        Iterable[Sequence[Number]] | IntArray, iterable().called("iterable of pairs (start, end)")
    ],
    *,
    align_zeros: bool = True,
) -> NDArray[Scalar]:
    """Put intervals of audio together in a new order.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point
        Audio.
    intervals : iterable of pairs (start, end)
        In samples.
    align_zeros : bool
        Whether to move boundaries to the nearest zero crossing (of the mean of channels).

    Returns
    -------
    np.ndarray [shape=(..., m)], dtype of `y`
        The intervals, one after another.

    Raises
    ------
    ParameterError
        If there are no intervals, or one is not a pair.

    Examples
    --------
    >>> y = np.array([0.0, 1.0, 0.0, -1.0, 0.0, 2.0])
    >>> metalmom.effects.remix(y, [(3, 6), (0, 2)], align_zeros=False)
    array([-1.,  0.,  2.,  0.,  1.])
    """
    # copied, since those of a generator may be one list, filled again
    intervals = [copy.copy(each) for each in intervals]
    try:
        intervals = np.asarray(intervals)
    except ValueError:  # of different lengths
        raise ParameterError("intervals", intervals, "pairs") from None
    if intervals.ndim != 2 or intervals.shape[-1] != 2 or intervals.dtype.kind not in "iuf":
        raise ParameterError("intervals.shape", intervals.shape, "(n, 2), n at least 1")
    if not np.isfinite(intervals).all():
        raise ParameterError("intervals", intervals, "finite")
    if align_zeros:
        util.valid_audio(y)
        zeros = np.flatnonzero(audio.zero_crossings(core.to_mono(y)))
        zeros = np.append(zeros, y.shape[-1])  # the end of the signal is a boundary too
        intervals = zeros[util.match_events(intervals.ravel(), zeros)].reshape(-1, 2)
    return np.concatenate([y[..., int(start) : int(end)] for start, end in intervals], axis=-1)
