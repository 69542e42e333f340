"""Audio: reading, resampling and synthesising signals."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Annotated, Any, TypeGuard, cast, overload

import numpy as np

from .. import _native
from .._engine import _args
from .._native import DeviceArray
from ..util._public import elementwise, public
from ..util._rules import array, either, integer
from ..util._types import (
    Array, ArrayLike, Audio, AudioFile, BoolArray, DTypeLike, DataType, Float, Float64Array,
    Function, InexactArray, Int, Ints, NDArray, NonNegative, Number, Numbers, Placed, Positive,
    PositiveFloat, PositiveInt, RealArray, RealValues, Signal, Spectrogram, Times, UnitValues,
    Vector,
)
from ..util._checks import is_one_of, number, require, require_count, require_positive
from ..util._declared import as_feature, has_kernels, Like, Samples, Value
from ..util._keywords import native_names, takes
from ..util._packages import required
from ..util._warnings import warn
from ..util._wording import did_you_mean
from ..util.exceptions import Argument, DeviceError, ParameterError
from ..util.files import example, expanded
from ..util.utils import fix_length, valid_audio
from .convert import frames_to_samples, time_to_samples

__all__ = [
    "autocorrelate", "chirp", "clicks", "get_duration", "get_samplerate", "load", "loadx", "lpc",
    "mu_compress", "mu_expand", "resample", "stream", "to_mono", "to_multi", "to_stereo", "tone",
    "zero_crossings",
]

_SAMPLERATE_TYPES = ("linear", "zero_order_hold", "sinc_best", "sinc_fastest", "sinc_medium")
_METHODS = (
    *("soxr_vhq", "soxr_hq", "soxr_mq", "soxr_lq", "soxr_qq", "scipy", "fft", "polyphase"),
    *_SAMPLERATE_TYPES,
    *("kaiser_best", "kaiser_fast", "sinc_window"),
)


def _is_soundfile(path: object) -> TypeGuard[Any]:
    """Whether a value is a soundfile.SoundFile, without importing soundfile to find out."""
    soundfile = sys.modules.get("soundfile")
    return soundfile is not None and isinstance(path, soundfile.SoundFile)


def _sample_type(dtype: DTypeLike) -> str:
    name = np.dtype(dtype).name
    if name not in ("float32", "float64", "int16", "int32"):
        raise ParameterError("dtype", np.dtype(dtype), "float32, float64, int16 or int32")
    return name


_RATE = "a positive number or None"


def _rate(sr: Number | None) -> float | None:
    """A sampling rate, or None; not a text that reads like one."""
    if sr is not None and not (number("sr", sr, _RATE) > 0):
        raise ParameterError("sr", sr, _RATE)
    return None if sr is None else float(sr)


def _duration(duration: Number | None) -> float | None:
    return None if duration is None else number("duration", duration, "seconds or None")


def _read_soundfile(file: Any, offset: Number, duration: Number | None, dtype: str) -> Array:
    """The samples of an open SoundFile, from where it is if there is no offset."""
    rate = file.samplerate
    if offset > 0:
        file.seek(int(offset * rate))
    elif offset < 0:
        file.seek(-int(abs(offset) * rate), whence=2)
    return file.read(frames=-1 if duration is None else int(duration * rate), dtype=dtype).T


@public
def load(
    path: AudioFile,
    *,
    sr: Positive | None = 22050,
    mono: bool = True,
    offset: Float = 0.0,
    duration: Float | None = None,
    dtype: DataType = np.float32,
    res_type: str = "soxr_hq",
) -> tuple[RealArray, float]:
    """Read audio, mixed to one channel and resampled unless told otherwise.

    What libsndfile reads (WAVE, FLAC, Ogg Vorbis and Opus, MP3, AIFF ...) is decoded in the
    process. Everything else (AAC in .m4a, WebM, WMA ...) is decoded by ``ffmpeg``, if it is on the
    PATH. Decoding, mixing and resampling go block by block, so that no copy of the whole file at
    its own rate is ever in memory.

    Parameters
    ----------
    path : str, os.PathLike, int, file object, bytes or soundfile.SoundFile
        A path (``~`` is the home directory); an open descriptor or SoundFile (which is closed at the end, as
        in librosa); a binary file object, read from its position on, and to its end where it cannot seek (a
        pipe); or encoded audio in memory (``bytes`` without a zero byte are a path).
    sr : number > 0 or None
        Sampling rate of the result; None keeps the file's own.
    mono : bool
        Mix the channels by their mean.
    offset : float
        Where to start, in seconds, sample-exact. Negative: counted from the end.
    duration : float, optional
        How much to read, in seconds; to the end if None, or (as in librosa) below 0.
    dtype : data type
        float32 or float64; int16 and int32 with ``mono=False, sr=None``.
    res_type : str
        How to resample; see `resample`. Some ways need SciPy or another package.

    Returns
    -------
    y : np.ndarray [shape=(n,) or (channels, n)], real
        The samples.
    sr : number
        Their sampling rate.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no file at the path.
    AudioError
        If the file is empty, damaged, incomplete or in no format that can be decoded here.
    ParameterError
        If a value is out of range, or the audio is not finite.

    Examples
    --------
    >>> y, sr = metalmom.load("song.ogg", offset=10, duration=5)
    >>> y.shape, sr
    ((110250,), 22050)
    """
    rate_wanted = _rate(sr)
    in_engine = sr is not None and str(res_type).startswith("soxr")
    if _is_soundfile(path):
        with path:  # librosa closes it, too
            y, rate = _read_soundfile(path, offset, duration, _sample_type(dtype)), path.samplerate
        if mono:
            y = to_mono(y)
    else:
        y, rate = _native.load(
            expanded(path), sr=rate_wanted if in_engine else None, mono=bool(mono),
            offset=number("offset", offset, "seconds"), duration=_duration(duration),
            dtype=_sample_type(dtype), quality=res_type if in_engine else "soxr_hq",
        )  # fmt: skip
        if in_engine:
            return y, sr  # type: ignore[return-value]
    if sr is None:
        return y, rate
    return resample(y, orig_sr=rate, target_sr=sr, res_type=res_type), sr  # type: ignore[return-value]


@takes(of="load", but=("path",))
@public
def loadx(key: str, *, hq: bool | None = None, **kwargs: Any) -> tuple[RealArray, float]:
    """Load an example recording.

    Parameters
    ----------
    key : str
        Its name (see `metalmom.util.list_examples`).
    hq : bool, optional
        Whether to take the version of high quality; if not given, this is so for ``mono=False``,
        ``sr=None`` and rates above 22,050 Hz.
    **kwargs
        Passed to `load`.

    Returns
    -------
    y : np.ndarray [shape=(n,) or (..., n)], real
        The recording.
    sr : number
        Its sampling rate in Hz.

    Raises
    ------
    ParameterError
        If there is no such recording.
    FileNotFoundError
        If it is in no folder and cannot be fetched (see `metalmom.example`).

    Examples
    --------
    >>> y, sr = metalmom.loadx("demo", duration=2)
    >>> y.shape, sr
    ((44100,), 22050)
    """
    if hq is None:
        sr = kwargs.get("sr", 22050)
        hq = sr is None or sr > 22050 or not kwargs.get("mono", True)
    return load(example(key, hq=hq), **kwargs)



class _SoundFileStream:
    """An open SoundFile behind the interface of _native.AudioStream; it stays open."""

    def __init__(
        self, file: Any, *, sr: Number | None, mono: bool, offset: Number, duration: Number | None,
        dtype: str, quality: str,
    ) -> None:
        self.rate = file.samplerate
        file.seek(0)
        self._samples = _read_soundfile(file, offset, duration, dtype)
        if mono and self._samples.ndim > 1:
            self._samples = to_mono(self._samples)
        if sr is not None and sr != self.rate:
            self._samples = resample(
                self._samples, orig_sr=self.rate, target_sr=sr, res_type=quality, fix=False
            )
        self._place = 0

    def read(self, count: int) -> Array:
        samples: Array = self._samples[..., self._place : self._place + count]
        self._place += count
        return samples


def _warn_of_future_rate(function: Function) -> Function:
    """librosa 1.1 will change the default of `sr`, and says so to whoever leaves it out."""

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if "sr" not in kwargs:
            warn(
                "The default value of 'sr' will change from None to 22050 in librosa version "
                "1.1.0. To suppress this warning, explicitly pass 'sr=None'.",
                FutureWarning,
            )
        return function(*args, **kwargs)

    return cast("Function", wrapper)


@_warn_of_future_rate
@public
def stream(
    path: AudioFile,
    *,
    block_length: PositiveInt,
    frame_length: PositiveInt,
    hop_length: PositiveInt,
    sr: Positive | None = None,
    mono: bool = True,
    offset: Float = 0.0,
    duration: Float | None = None,
    fill_value: Float | None = None,
    res_type: str = "soxr_hq",
    dtype: DataType = np.float32,
) -> Iterator[RealArray]:
    """Read audio block by block, each block a number of overlapping frames.

    A block holds ``(block_length - 1) * hop_length + frame_length`` samples and starts
    ``block_length * hop_length`` samples after the one before: framing the blocks with
    ``center=False`` gives the frames of the whole signal. Resampling runs on across blocks.

    Parameters
    ----------
    path : str, os.PathLike, int, file object, bytes or soundfile.SoundFile
        As for `load`; a SoundFile stays open.
    block_length, frame_length, hop_length : int > 0
        Frames in a block, samples in a frame, samples between frames.
    sr : number > 0, optional
        Sampling rate of the blocks; the file's own if not given. A block's advance must be a whole
        number of samples at the file's rate.
    mono, offset, duration, dtype
        As for `load`.
    fill_value : float, optional
        What fills the last blocks up to full length; they are shorter if not given.
    res_type : str
        ``soxr_vhq``, ``soxr_hq``, ``soxr_mq``, ``soxr_lq`` or ``soxr_qq``.

    Yields
    ------
    np.ndarray [shape=(n,) or (channels, n)], real
        A block.

    Raises
    ------
    ParameterError, AudioError, FileNotFoundError
        As `load`, when the first block is asked for.

    Examples
    --------
    >>> for y in metalmom.stream("song.ogg", block_length=256, frame_length=2048, hop_length=512,
    ...                          sr=None):
    ...     S = metalmom.stft(y, center=False)
    """
    sizes = {"block_length": block_length, "frame_length": frame_length, "hop_length": hop_length}
    for name, value in sizes.items():
        require_count(name, value)
    if sr is not None and not (np.isfinite(sr) and sr > 0):
        raise ParameterError("sr", sr, "a positive number")
    opened = (_SoundFileStream if _is_soundfile(path) else _native.AudioStream)(
        expanded(path), sr=_rate(sr), mono=bool(mono), offset=number("offset", offset, "seconds"),
        duration=_duration(duration), dtype=_sample_type(dtype), quality=res_type,
    )  # fmt: skip
    size = (block_length - 1) * hop_length + frame_length
    advance = block_length * hop_length
    own = advance if sr is None else advance * opened.rate / sr  # samples at the file's own rate
    if not np.isclose(own, np.round(own), rtol=1e-7, atol=1e-5):
        raise ParameterError(
            f"block_length * hop_length={advance} at sr={sr} must be a whole number of samples "
            f"at the file's rate of {opened.rate}, which is {own}",
            argument="block_length",
        )

    waiting = opened.read(size)
    while waiting.shape[-1] > 0:
        block = waiting[..., :size]
        missing = size - block.shape[-1]
        if missing and fill_value is not None:
            widths = [(0, 0)] * (block.ndim - 1) + [(0, missing)]
            block = np.pad(block, widths, constant_values=fill_value)
        yield block.copy()
        rest = waiting[..., advance:]
        skip = max(advance - waiting.shape[-1], 0)
        more = opened.read(size + skip - rest.shape[-1])[..., skip:]
        waiting = np.concatenate([rest, more], axis=-1)


def _resample_soxr(y: Any, orig_sr: Number, target_sr: Number, res_type: str, axis: Int, size: int) -> Any:
    require(y.dtype.char in "fd", "y.dtype", y.dtype, f"float32 or float64 for {res_type}")
    on_device = _args.on_device(y)
    result = _native.resample(
        y=y if on_device else np.moveaxis(y, axis, -1), orig_sr=float(orig_sr), target_sr=float(target_sr),
        res_type=res_type, size=size,
    )  # fmt: skip
    return result if on_device else np.moveaxis(result, -1, axis)


def _resample_elsewhere(
    y: Any, orig_sr: Number, target_sr: Number, res_type: str, axis: Int, size: int
) -> Array:
    """The methods of other packages, which are imported when they are asked for."""
    argument = Argument("res_type", res_type)
    if res_type in ("scipy", "fft"):
        return required("scipy.signal", argument).resample(y, size, axis=axis)
    if res_type == "polyphase":
        for name, rate in (("orig_sr", orig_sr), ("target_sr", target_sr)):
            require(int(rate) == rate, name, rate, "an integer for polyphase resampling")
        resample_poly = required("scipy.signal", argument).resample_poly
        common = np.gcd(int(orig_sr), int(target_sr))
        return resample_poly(y, int(target_sr) // common, int(orig_sr) // common, axis=axis)
    if res_type in _SAMPLERATE_TYPES:
        convert = required("samplerate", argument).resample
        ratio = float(target_sr) / orig_sr
        return np.apply_along_axis(convert, axis, y, ratio=ratio, converter_type=res_type)
    return required("resampy", argument).resample(y, orig_sr, target_sr, filter=res_type, axis=axis)


def _refuse_on_device(y: Any, *, axis: Int, **others: Any) -> None:
    """Refuse what the kernel cannot do."""
    others = {"axis": axis, **others}
    fits = {
        "axis": axis in (-1, y.ndim - 1), "res_type": others["res_type"].startswith("soxr"),
        "scale": not others["scale"],
    }  # fmt: skip
    for name, value in others.items():
        if not fits.get(name, False):
            raise DeviceError(
                name, value, "no kernel", verb="has", kind="argument", op="resample", arrays=("y",)
            )


@has_kernels(
    "libsoxr's methods, between whole rates whose ratio is a fraction of numbers up to 1,024 (at most 126 "
    "where the rate becomes a whole part of it); not where libsoxr begins with many results of their own, as "
    "from 44,100 to 8,000 Hz",
    lambda of: {"y": of.y, "orig_sr": 22050, "target_sr": 16000},
)
@as_feature(Samples(times=lambda given: given.target_sr / given.orig_sr), listed=False)
@takes(of="util.fix_length", but=("data", "size"))
@public
def resample(
    y: Annotated[Placed, either(array("..., n, ..."), DeviceArray)],
    *,
    orig_sr: Positive,
    target_sr: Positive,
    res_type: str = "soxr_hq",
    fix: bool = True,
    scale: bool = False,
    axis: Int = -1,
    **kwargs: Any,
) -> Placed:
    """Change the sampling rate of a signal.

    A DeviceArray is resampled on its device: along its last axis, by libsoxr's methods, without `scale`.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n, ...)], or DeviceArray
        Audio. Each channel is resampled by itself, on the engine's threads.
    orig_sr, target_sr : number > 0
        The rate it has and the rate wanted.
    res_type : str
        - ``soxr_vhq``, ``soxr_hq``, ``soxr_mq``, ``soxr_lq``: band-limited, of very high to low
          quality; ``soxr_qq``: cubic, not band-limited. All by libsoxr, in the engine.
        - ``fft`` or ``scipy``, ``polyphase`` (whole rates): by SciPy.
        - ``linear``, ``zero_order_hold``, ``sinc_best``, ``sinc_medium``, ``sinc_fastest``: by
          the samplerate package; ``kaiser_best``, ``kaiser_fast``: by resampy. Where installed.
    fix : bool
        Cut or pad the result to ``ceil(n * target_sr / orig_sr)`` samples.
    scale : bool
        Divide by the square root of the ratio of rates, which keeps the energy.
    axis : int
        The axis of time.
    **kwargs
        With `fix`, for `metalmom.util.fix_length`.

    Returns
    -------
    np.ndarray, dtype of `y`, or DeviceArray
        The resampled signal, of the data type of `y`; `y` itself where the rates are equal.

    Raises
    ------
    ParameterError
        If `y` is not audio, or a rate or method cannot be used.
    ImportError
        If the method's package is not installed.

    Examples
    --------
    >>> metalmom.resample(np.zeros(22050), orig_sr=22050, target_sr=8000).shape
    (8000,)
    """
    if not isinstance(y, DeviceArray):
        valid_audio(y)
        if axis in (-1, y.ndim - 1):
            _args.warn_of_turned(y)
    if orig_sr == target_sr:
        return y
    for name, rate in (("orig_sr", orig_sr), ("target_sr", target_sr)):
        require(rate > 0 and np.isfinite(rate), name, rate, "a positive number")
    ratio = float(target_sr) / orig_sr
    if not is_one_of(res_type, _METHODS):
        rule = f"a known method{did_you_mean(res_type, _METHODS)}"
        raise ParameterError("res_type", res_type, rule)
    n_samples = int(np.ceil(y.shape[axis] * ratio))
    if isinstance(y, DeviceArray):
        _refuse_on_device(y, axis=axis, res_type=res_type, scale=scale, **kwargs)
        return _resample_soxr(y, orig_sr, target_sr, res_type, -1, n_samples if fix else -1)
    if res_type.startswith("soxr"):
        size = n_samples if fix and not kwargs else -1
        y_hat = _resample_soxr(y, orig_sr, target_sr, res_type, axis, size)
    else:
        y_hat = _resample_elsewhere(y, orig_sr, target_sr, res_type, axis, n_samples)
    if fix:
        y_hat = fix_length(y_hat, size=n_samples, axis=axis, **kwargs)
    if scale:
        y_hat /= np.sqrt(ratio)
    return np.asarray(y_hat, dtype=y.dtype)


@public
def get_duration(
    *,
    y: Signal | DeviceArray | None = None,
    sr: Positive = 22050,
    S: Spectrogram | DeviceArray | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    center: bool = True,
    path: AudioFile | None = None,
) -> float:
    """The duration of a file, a spectrogram or a signal, in seconds.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], or DeviceArray, optional
        A signal.
    sr : number > 0
        Its sampling rate.
    S : np.ndarray [shape=(..., d, t)], or DeviceArray, optional
        A spectrogram or features of one, of frames of `n_fft` samples every `hop_length`, `center`
        as in its computation; exact to a frame. Used if `y` is not given.
    n_fft, hop_length : int > 0
        Frame length and step of `S`, in samples.
    center : bool
        Whether the frames of `S` are centred.
    path : str, os.PathLike, int, file object, bytes or soundfile.SoundFile, optional
        A file, as for `load`; goes before everything else. Only its header is read where that says
        how long the file is.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    ParameterError
        If there is neither a file, nor a signal, nor a spectrogram.

    Examples
    --------
    >>> metalmom.get_duration(y=np.zeros(44100), sr=22050)
    2.0
    """
    if _is_soundfile(path):
        return float(path.frames) / path.samplerate
    if path is not None:
        rate, _, frames = _native.probe(expanded(path), count=True)
        return float(frames) / rate
    if y is not None:
        n_samples = _args.warn_of_turned(y).shape[-1]
    elif S is not None:
        n_samples = n_fft + hop_length * (S.shape[-1] - 1)
        if center:
            n_samples -= 2 * int(n_fft // 2)
    else:
        raise ParameterError("one of y, S and path must be given", argument="y")
    return float(n_samples) / sr  # type: ignore[return-value]


@public
def get_samplerate(path: AudioFile) -> int:
    """The sampling rate of a file.

    Parameters
    ----------
    path : str, os.PathLike, int, file object, bytes or soundfile.SoundFile
        As for `load`.

    Returns
    -------
    int
        Its rate in Hz.

    Raises
    ------
    AudioError, FileNotFoundError
        As `load`.

    Examples
    --------
    >>> metalmom.get_samplerate("song.ogg")
    44100
    """
    if _is_soundfile(path):
        return path.samplerate
    result, _, _ = _native.probe(expanded(path), count=False)
    return result


@as_feature(lambda given: Like() if given.max_size is None else Value(given.max_size), listed=False)
@public
def autocorrelate(y: Array, *, max_size: PositiveInt | None = None, axis: Int = -1) -> InexactArray:
    """The autocorrelation of a signal, by its power spectrum (Wiener-Khinchin theorem).

    Parameters
    ----------
    y : np.ndarray
        A signal or several, real or complex; complex ones need SciPy.
    max_size : int > 0, optional
        Number of lags; all if not given.
    axis : int
        The axis of time.

    Returns
    -------
    np.ndarray, real or complex
        ``sum(y[n] * y[n + lag])`` for lags from 0, along `axis`; float32 for float32 audio,
        transformed in that precision as in librosa.

    Examples
    --------
    >>> metalmom.autocorrelate(np.array([1.0, 2.0, 3.0])).round(6)
    array([14.,  8.,  3.])
    """
    size = y.shape[axis] if max_size is None else int(min(max_size, y.shape[axis]))
    if np.iscomplexobj(y):
        fft = required("scipy.fft", Argument("y.dtype", y.dtype))
        spectrum = fft.fft(y, n=fft.next_fast_len(2 * y.shape[axis] - 1), axis=axis)
        lags = fft.ifft(spectrum.real**2 + spectrum.imag**2, axis=axis)
        return np.take(lags, np.arange(size), axis=axis)
    rows = np.moveaxis(_args.floating(y, "y"), axis, -1)
    lags = _native.autocorrelate(y=rows, max_size=size)
    return np.ascontiguousarray(np.moveaxis(lags, -1, axis))


# Signals mixed to one channel, to one each, or to two.

def _common(signals: Sequence[Array], pad: bool, names: Sequence[str] = ()) -> tuple[np.dtype[Any], int]:
    """Data type and length of what holds all signals, which are checked; `names` are their arguments."""
    require(signals, "signals", (), "at least one signal")
    for name, y in zip(names or [f"signals[{i}]" for i in range(len(signals))], signals, strict=True):
        try:
            valid_audio(y)
        except ParameterError as error:
            raise error.but(name=name + error.name.removeprefix("y")) from error.__cause__
    lengths = [y.shape[-1] for y in signals]
    return np.result_type(*(y.dtype for y in signals)), max(lengths) if pad else min(lengths)


def _apart(signals: Sequence[Array], out: Array | None) -> Sequence[Array]:
    """The signals, copied where writing `out` would change them."""
    if out is None:
        return signals
    return [y.copy() if np.may_share_memory(out, y) else y for y in signals]


def _target(out: Array | None, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    """`out`, if it can hold the result, or a new array; filled with zeros."""
    if out is None:
        return np.zeros(shape, dtype=dtype)
    require(out.shape == shape, "out.shape", out.shape, f"{shape}")
    require(np.promote_types(out.dtype, dtype) == out.dtype, "out.dtype", out.dtype, f"able to hold {dtype}")
    out[...] = 0
    return out


def _mixed(y: Array, norm: bool) -> Array:
    """A signal with its channels averaged, or added."""
    combine = np.mean if norm else np.sum
    return combine(y, axis=tuple(range(y.ndim - 1)))


def _add(out: Array, signals: Sequence[Array], norm: bool = False) -> Array:
    """Add signals of the same channels, or of one, each from the start, or average them."""
    for y in signals:
        length = min(y.shape[-1], out.shape[-1])
        out[..., :length] += y[..., :length]
    if norm and len(signals) > 1:
        out /= len(signals)
    return out


@public
def to_mono(
    *signals: Signal,
    pad: bool = True,
    norm: bool = True,
    out: Vector | None = None,
) -> RealArray:
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
    for y in signals:
        _args.warn_of_turned(y)
    dtype, length = _common(signals, pad)
    mixed = [_mixed(y, norm) for y in _apart(signals, out)]
    return _add(_target(out, (length,), dtype), mixed, norm)


@public
def to_multi(
    *signals: Signal,
    downmix: bool = True,
    pad: bool = True,
    norm: bool = True,
    out: Array | None = None,
) -> RealArray:
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
    apart = _apart(signals, out)
    if downmix:
        out = _target(out, (len(signals), length), dtype)
        for channel, y in zip(out, apart):
            _add(channel, [_mixed(y, norm)])
        return out
    channels = signals[0].shape[:-1]
    for y in signals:
        if y.shape[:-1] != channels:
            raise ParameterError(
                f"signals of shape {y.shape} and {signals[0].shape} must have the same channels "
                "with downmix=False",
                argument="signals",
            )
    return _add(_target(out, (*channels, length), dtype), apart, norm)


@public
def to_stereo(
    *,
    left: Signal | None,
    right: Signal | None,
    downmix: bool = True,
    pad: bool = True,
    norm: bool = True,
    out: Annotated[Array, array("2, n")] | None = None,
) -> RealArray:
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
        raise ParameterError("left=None and right=None must not be missing both", argument="left")
    dtype, length = _common([y for _, y in sides], pad, [("left", "right")[side] for side, _ in sides])
    sides = [(side, _apart([y], out)[0]) for side, y in sides]
    for side, y in sides:
        if not downmix and y.shape[:-1] not in ((), (2,)):
            name = ("left", "right")[side]
            raise ParameterError(f"{name}.shape", y.shape, "(n,) or (2, n) with downmix=False")
    out = _target(out, (2, length), dtype)
    for side, y in sides:
        if downmix:
            _add(out[side], [_mixed(y, norm)])
        else:
            _add(out if y.ndim == 2 else out[side], [y])
    if norm and not downmix and len(sides) == 2:
        out /= 2
    return out


# Speech coding: linear prediction and mu-law companding.

@as_feature(Value(lambda given: given.order + 1))
@public
def lpc(y: Audio, *, order: Annotated[Int, integer(least=1, most="n - 1")], axis: Int = -1) -> RealArray:
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
        For an order that is not a positive integer or not below the number of samples.

    References
    ----------
    L. Marple, "A new autoregressive spectrum analysis algorithm", IEEE Trans. ASSP 28(4), 1980.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=0.5)
    >>> metalmom.lpc(y, order=2).round(3)
    array([ 1.   , -1.984,  1.   ])
    """
    require_count("order", order)
    y = _args.audio(y)
    require(-y.ndim <= axis < y.ndim, "axis", axis, f"an axis of y.shape={y.shape}")
    moved = _args.floating(y).swapaxes(axis, -1)
    found = _native.lpc(y=moved, order=order).swapaxes(axis, -1).astype(y.dtype, copy=False)
    # In memory the axis of coefficients comes first, as in librosa's result.
    return np.ascontiguousarray(found.swapaxes(axis, 0)).swapaxes(axis, 0)


def _values(x: ArrayLike) -> RealArray:
    """Anything real as an array of float32 or float64."""
    values = np.asarray(x)
    require(values.dtype.kind in "biuf", "x", x, "real")
    return _args.floating(values)


def _like(result: Array, x: ArrayLike) -> Any:
    """A result of the engine in the form of what was given: an array or a scalar."""
    return result.reshape(np.shape(x))[()]


def _companded(step: Callable[..., Any], x: ArrayLike, values: Array, **others: Any) -> Any:
    """What the engine makes of values in [-1, 1]; its error has no value, since it sees some at a time."""
    try:
        return step(x=values.reshape(-1), **others)
    except ParameterError as error:
        raise (error.but(value=x) if error.name == "x" else error) from None


@overload
def mu_compress(x: Number, *, mu: Positive = ..., quantize: bool = ...) -> float: ...
@overload
def mu_compress(
    x: Numbers, *, mu: Positive = ..., quantize: bool = ...,
) -> NDArray[np.integer[Any] | np.floating[Any]]: ...  # fmt: skip
@as_feature(lambda given: Like(numbers=int if given.quantize else float), listed=False)
@public
def mu_compress(
    x: UnitValues,
    *,
    mu: Positive = 255,
    quantize: bool = True,
) -> float | NDArray[np.integer[Any] | np.floating[Any]]:
    """Mu-law compression of values in [-1, 1].

    Parameters
    ----------
    x : np.ndarray or number, real in [-1, 1]
        The values to compress.
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
    require_positive("mu", mu)
    values = _values(x)
    if not quantize:
        return _like(_companded(_native.mu_compress, x, values, mu=mu), x)
    edges = np.linspace(-1, 1, num=int(1 + mu), endpoint=True)
    if len(edges) < 2:  # with one edge there are two codes: -1 and the others
        return _like(np.sign(values + 1).astype(np.int64) - int(mu + 1) // 2, x)
    return _like(_companded(_native.mu_quantize, x, values, edges=edges, mu=mu), x)


# The most codes that are decoded by a table: those of 16 bits.
_MOST_CODES = 2**16


@overload
def mu_expand(x: Number, *, mu: Positive = ..., quantize: bool = ...) -> float: ...
@overload
def mu_expand(x: Numbers, *, mu: Positive = ..., quantize: bool = ...) -> Array: ...
@elementwise(float)
def mu_expand(
    x: RealValues,
    *,
    mu: Positive = 255.0,
    quantize: bool = True,
) -> float | Array:
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
    require_positive("mu", mu)
    given = np.asarray(x)
    if quantize and given.dtype.kind in "iu" and given.size > _MOST_CODES:
        lowest, highest = int(given.min()), int(given.max())
        if highest - lowest < _MOST_CODES:
            table = mu_expand(np.arange(lowest, highest + 1), mu=mu)
            return table[given - lowest if lowest else given]
    values = _values(x)
    if quantize:
        values = values * 2.0 / (1 + mu)
    expanded = _companded(_native.mu_expand, x, values, mu=mu)
    return _like(_args.as_precise_as(given.dtype, expanded), x)


# Where a signal changes its sign; `metalmom.core.audio` exports it.

@elementwise(bool)
def zero_crossings(
    y: Array,
    *,
    threshold: NonNegative = 1e-10,
    ref_magnitude: Number | Callable[..., Any] | None = None,
    pad: bool = True,
    zero_pos: bool = True,
    axis: Int = -1,
) -> BoolArray:
    """Mark the samples whose sign differs from that of the sample before.

    Parameters
    ----------
    y : np.ndarray
        A signal or several, real.
    threshold : number >= 0
        Magnitudes up to it count as zero.
    ref_magnitude : number or callable, optional
        A unit for `threshold`, or a function of the magnitudes that gives it (`numpy.mean`).
    pad : bool
        What the first sample is said to be.
    zero_pos : bool
        Zero has a positive sign; else a sign of its own, so that reaching and leaving it count.
    axis : int
        The axis of time.

    Returns
    -------
    np.ndarray of bool, shape of `y`
        True where the sign changes.

    Examples
    --------
    >>> metalmom.zero_crossings(np.array([0.5, -0.5, -0.1, 0.2]))
    array([ True,  True, False,  True])
    """
    magnitude = np.abs(y)
    if callable(ref_magnitude):
        threshold = threshold * ref_magnitude(magnitude)
    elif ref_magnitude is not None:
        threshold = threshold * ref_magnitude
    silent = magnitude <= threshold
    sign = np.signbit(y) > silent if zero_pos else np.sign(np.where(silent, 0, y))
    sign = sign.swapaxes(-1, axis)
    crossings = np.empty_like(y, dtype=bool)
    along = crossings.swapaxes(-1, axis)
    np.not_equal(sign[..., 1:], sign[..., :-1], out=along[..., 1:])
    along[..., 0] = pad
    return crossings


# Test signals.

_BLOCK = 1 << 16


def _in_blocks(length: Number, wave: Callable[[Array], Array]) -> Float64Array:
    """The values of `wave` at the samples from 0 to below `length`.

    Block by block, so that a long signal takes no memory but its own, and can be interrupted.
    """
    signal = np.empty(max(int(np.ceil(length)), 0))
    for first in range(0, signal.size, _BLOCK):
        block = signal[first : first + _BLOCK]
        values = wave(np.arange(first, first + block.size))
        if np.iscomplexobj(values):
            raise TypeError("complex samples")  # of an argument that is no real number
        block[:] = values
    return signal


def _length(length: Number | None, duration: Number | None, sr: Number) -> Number:
    if length is not None:
        return length
    return int(_given(duration) * sr)


def _given(duration: Number | None) -> Number:
    if duration is None:
        raise ParameterError("length or duration must be given", argument="length")
    return duration


@public
def tone(
    frequency: PositiveFloat,
    *,
    sr: Positive = 22050,
    length: PositiveInt | None = None,
    duration: PositiveFloat | None = None,
    phi: Float | None = None,
) -> Float64Array:
    """A cosine of constant frequency.

    Parameters
    ----------
    frequency : float > 0
        Its frequency in Hz.
    sr : number > 0
        Sampling rate.
    length : int > 0, optional
        Samples.
    duration : float > 0, optional
        Seconds; used where there is no `length`.
    phi : float, optional
        Phase at the start in radians; ``-pi / 2`` (a sine) if not given.

    Returns
    -------
    np.ndarray [shape=(length,), dtype=float64]
        The signal.

    Raises
    ------
    ParameterError
        If there is no frequency, or neither `length` nor `duration`.

    Examples
    --------
    >>> metalmom.tone(440, sr=22050, length=4).round(3)
    array([0.   , 0.125, 0.248, 0.367])
    """
    if frequency is None:
        raise ParameterError("frequency", rule="given")
    n_samples = _length(length, duration, sr)
    phase = -np.pi * 0.5 if phi is None else phi
    return _in_blocks(n_samples, lambda samples: np.cos(2 * np.pi * frequency * samples / sr + phase))


@public
def chirp(
    *,
    fmin: PositiveFloat,
    fmax: PositiveFloat,
    sr: Positive = 22050,
    length: PositiveInt | None = None,
    duration: PositiveFloat | None = None,
    linear: bool = False,
    phi: Float | None = None,
) -> Float64Array:
    """A cosine that sweeps from one frequency to another.

    Parameters
    ----------
    fmin, fmax : float > 0
        The frequencies at the start and at the end, in Hz.
    sr : number > 0
        Sampling rate.
    length : int > 0, optional
        Samples.
    duration : float > 0, optional
        Seconds; used where there is no `length`.
    linear : bool
        Sweep by equal steps of frequency; by equal ratios otherwise.
    phi : float, optional
        Phase at the start in radians; ``-pi / 2`` if not given.

    Returns
    -------
    np.ndarray [shape=(length,), dtype=float64]
        The signal.

    Raises
    ------
    ParameterError
        If a frequency or the length is missing, or a ratio of frequencies does not exist.

    Examples
    --------
    >>> metalmom.chirp(fmin=110, fmax=880, sr=22050, duration=1).shape
    (22050,)
    """
    if fmin is None or fmax is None:
        raise ParameterError("fmin and fmax must be given", argument="fmin")
    duration = _given(duration) if length is None else length * (1.0 / sr)
    if not linear and fmin * fmax <= 0:
        raise ParameterError(
            f"fmin={fmin} and fmax={fmax} must have the same sign, and not be 0", argument="fmin"
        )
    start = -np.pi * 0.5 if phi is None else phi

    # The integral of the frequency over time, times 2 pi, is the phase.
    def wave(samples: Array) -> Array:
        t = samples / sr
        if linear:
            phase = 2 * np.pi * (fmin * t + 0.5 * ((fmax - fmin) / duration) * t * t)
        elif fmin == fmax:
            phase = 2 * np.pi * fmin * t
        else:
            beta = duration / np.log(fmax / fmin)
            phase = 2 * np.pi * beta * fmin * (np.power(fmax / fmin, t / duration) - 1.0)
        return np.cos(phase + start)

    return _in_blocks(int(duration * sr), wave)


@native_names(y="click")
@public
def clicks(
    *,
    times: Times | None = None,
    frames: Ints | None = None,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    click_freq: PositiveFloat = 1000.0,
    click_duration: PositiveFloat = 0.1,
    click: Signal | None = None,
    length: PositiveInt | None = None,
) -> NDArray[np.float32]:
    """A signal of clicks at given times.

    Parameters
    ----------
    times : sequence of float, optional
        Where the clicks start, in seconds.
    frames : sequence of int, optional
        Where the clicks start, in frames; used if `times` is not given.
    sr : number > 0
        Sampling rate.
    hop_length : int > 0
        Samples between frames.
    click_freq, click_duration : float > 0
        Frequency (Hz) and duration (seconds) of the click: a decaying sine.
    click : np.ndarray [shape=(..., n)], optional
        Another sound for the click.
    length : int > 0, optional
        Samples of the signal; up to the end of the last click if not given.

    Returns
    -------
    np.ndarray [shape=(..., length), dtype=float32]
        The signal, with the channels of `click`.

    Raises
    ------
    ParameterError
        If neither `times` nor `frames` is given, or a value is out of range.

    Examples
    --------
    >>> metalmom.clicks(times=[0, 0.5], sr=22050, length=22050).shape
    (22050,)
    """
    if times is not None:
        starts = time_to_samples(times, sr=sr)
    elif frames is not None:
        starts = frames_to_samples(frames, hop_length=hop_length)
    else:
        raise ParameterError("times or frames must be given", argument="times")
    if click is not None:
        valid_audio(click)
    else:
        for name, value in (("click_duration", click_duration), ("click_freq", click_freq)):
            require(not value <= 0, name, value, "positive")
        # A click halves ten times over its duration, which is a decay of 60 dB.
        click = np.logspace(0, -10, num=int(sr * click_duration), base=2.0)
        click *= np.sin(2 * np.pi * click_freq / float(sr) * np.arange(len(click)))
    if length is None:
        length = starts.max() + click.shape[-1]
    elif length < 1:
        raise ParameterError("length", length, "a positive integer")
    signal = np.zeros((*click.shape[:-1], length), dtype=np.float32)
    for start in starts[starts < length]:
        part = signal[..., start : start + click.shape[-1]]
        part += click[..., : part.shape[-1]]
    return signal
