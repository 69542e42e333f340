"""Reading, resampling and synthesising audio signals."""

import sys
from functools import wraps

import numpy as np

from .. import _args, _native
from .._boundary.nearest import did_you_mean
from .._declared import Like, Samples, Value, as_feature
from .._homes import adopt
from .._keywords import takes
from .._warnings import warn
from ..util._checks import is_one_of, number
from ..util._packages import required
from ..util.exceptions import DeviceError, ParameterError
from ..util.files import example, expanded
from ..util.utils import fix_length, is_positive_int, valid_audio
from . import _channels, _coding, _crossings, _synthesis
from ._channels import to_mono, to_multi, to_stereo
from ._coding import lpc, mu_compress, mu_expand
from ._crossings import zero_crossings
from ._synthesis import chirp, clicks, tone

__all__ = [
    "load",
    "loadx",
    "stream",
    "to_mono",
    "to_multi",
    "to_stereo",
    "resample",
    "get_duration",
    "get_samplerate",
    "autocorrelate",
    "lpc",
    "mu_compress",
    "mu_expand",
    "clicks",
    "tone",
    "chirp",
    "zero_crossings",
]

adopt(__name__, _channels, _coding, _crossings, _synthesis)

_SAMPLERATE_TYPES = ("linear", "zero_order_hold", "sinc_best", "sinc_fastest", "sinc_medium")
_METHODS = (
    *("soxr_vhq", "soxr_hq", "soxr_mq", "soxr_lq", "soxr_qq", "scipy", "fft", "polyphase"),
    *_SAMPLERATE_TYPES,
    *("kaiser_best", "kaiser_fast", "sinc_window"),
)


def _is_soundfile(path):
    """Whether a value is a soundfile.SoundFile, without importing soundfile to find out."""
    soundfile = sys.modules.get("soundfile")
    return soundfile is not None and isinstance(path, soundfile.SoundFile)


def _sample_type(dtype):
    name = np.dtype(dtype).name
    if name not in ("float32", "float64", "int16", "int32"):
        raise ParameterError(f"dtype={name} must be float32, float64, int16 or int32")
    return name


_RATE = "a positive number or None"


def _rate(sr):
    """A sampling rate, or None; not a text that reads like one."""
    if sr is not None and not (number("sr", sr, _RATE) > 0):
        raise ParameterError(f"sr={sr!r} must be {_RATE}")
    return None if sr is None else float(sr)


def _duration(duration):
    return None if duration is None else number("duration", duration, "seconds or None")


def _read_soundfile(file, offset, duration, dtype):
    """The samples and rate of an open SoundFile, which librosa closes afterwards."""
    with file:
        rate = file.samplerate
        if offset > 0:
            file.seek(int(offset * rate))
        elif offset < 0:
            file.seek(-int(abs(offset) * rate), whence=2)
        frames = -1 if duration is None else int(duration * rate)
        return file.read(frames=frames, dtype=_sample_type(dtype)).T, rate


def load(
    path,
    *,
    sr=22050,
    mono=True,
    offset=0.0,
    duration=None,
    dtype=np.float32,
    res_type="soxr_hq",
):
    """Read audio, mixed to one channel and resampled unless told otherwise.

    What libsndfile reads (WAVE, FLAC, Ogg Vorbis and Opus, MP3, AIFF ...) is decoded in the
    process. Everything else (AAC in .m4a, WebM, WMA ...) is decoded by ``ffmpeg``, if it is on the
    PATH. Decoding, mixing and resampling go block by block, so that no copy of the whole file at
    its own rate is ever in memory.

    Parameters
    ----------
    path : str, os.PathLike, int, file object, bytes or soundfile.SoundFile
        A path (``~`` is the home directory); an open descriptor or SoundFile (which is closed at the end, as in librosa); a
        binary file object, read from its position on, and to its end where it cannot seek (a
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
        y, rate = _read_soundfile(path, offset, duration, dtype)
        if mono:
            y = to_mono(y)
    else:
        y, rate = _native.load(
            expanded(path),
            sr=rate_wanted if in_engine else None,
            mono=bool(mono),
            offset=number("offset", offset, "seconds"),
            duration=_duration(duration),
            dtype=_sample_type(dtype),
            quality=res_type if in_engine else "soxr_hq",
        )
        if in_engine:
            return y, sr
    if sr is None:
        return y, rate
    return resample(y, orig_sr=rate, target_sr=sr, res_type=res_type), sr


@takes(of="load", but=("path",))
def loadx(key, *, hq=None, **kwargs):
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



def _native_step(step, sr, rate):
    """Samples at the file's own rate of one block's advance; they must be whole."""
    exact = step * rate / sr
    whole = np.round(exact)
    if not np.isclose(exact, whole, rtol=1e-7, atol=1e-5):
        raise ParameterError(
            f"block_length * hop_length={step} at sr={sr} must be a whole number of samples "
            f"at the file's rate of {rate}, which is {exact}"
        )
    return int(whole)


class _SoundFileStream:
    """An open SoundFile behind the interface of _native.AudioStream; it stays open."""

    def __init__(self, file, *, sr, mono, offset, duration, dtype, quality):
        self.rate = file.samplerate
        if offset >= 0:
            file.seek(int(offset * self.rate))
        else:
            file.seek(-int(abs(offset) * self.rate), whence=2)
        frames = -1 if duration is None else int(duration * self.rate)
        self._samples = file.read(frames=frames, dtype=dtype).T
        if mono and self._samples.ndim > 1:
            self._samples = to_mono(self._samples)
        if sr is not None and sr != self.rate:
            self._samples = resample(
                self._samples, orig_sr=self.rate, target_sr=sr, res_type=quality, fix=False
            )
        self._place = 0

    def read(self, count):
        samples = self._samples[..., self._place : self._place + count]
        self._place += count
        return samples


def _warn_of_future_rate(function):
    """librosa 1.1 will change the default of `sr`, and says so to whoever leaves it out."""

    @wraps(function)
    def wrapper(*args, **kwargs):
        if "sr" not in kwargs:
            warn(
                "The default value of 'sr' will change from None to 22050 in librosa version "
                "1.1.0. To suppress this warning, explicitly pass 'sr=None'.",
                FutureWarning,
            )
        return function(*args, **kwargs)

    return wrapper


@_warn_of_future_rate
def stream(
    path,
    *,
    block_length,
    frame_length,
    hop_length,
    sr=None,
    mono=True,
    offset=0.0,
    duration=None,
    fill_value=None,
    res_type="soxr_hq",
    dtype=np.float32,
):
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
        if not is_positive_int(value):
            raise ParameterError(f"{name}={value} must be a positive integer")
    if sr is not None and not (np.isfinite(sr) and sr > 0):
        raise ParameterError(f"sr={sr} must be a positive number")
    opened = (_SoundFileStream if _is_soundfile(path) else _native.AudioStream)(
        expanded(path),
        sr=_rate(sr),
        mono=bool(mono),
        offset=number("offset", offset, "seconds"),
        duration=_duration(duration),
        dtype=_sample_type(dtype),
        quality=res_type,
    )
    size = (block_length - 1) * hop_length + frame_length
    advance = block_length * hop_length
    if sr is not None:
        _native_step(advance, sr, opened.rate)

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


def _resample_soxr(y, orig_sr, target_sr, res_type, axis, size):
    if y.dtype not in (np.float32, np.float64):
        raise ParameterError(f"y.dtype={y.dtype} must be float32 or float64 for {res_type}")
    on_device = _args.on_device(y)
    result = _native.resample(
        y=y if on_device else np.moveaxis(y, axis, -1),
        orig_sr=float(orig_sr),
        target_sr=float(target_sr),
        res_type=res_type,
        size=size,
    )
    return result if on_device else np.moveaxis(result, -1, axis)


def _resample_elsewhere(y, orig_sr, target_sr, res_type, axis, size):
    """The methods of other packages, which are imported when they are asked for."""
    argument = f"res_type={res_type!r}"
    if res_type in ("scipy", "fft"):
        return required("scipy.signal", argument).resample(y, size, axis=axis)
    if res_type == "polyphase":
        for name, rate in (("orig_sr", orig_sr), ("target_sr", target_sr)):
            if int(rate) != rate:
                raise ParameterError(f"{name}={rate} must be an integer for polyphase resampling")
        resample_poly = required("scipy.signal", argument).resample_poly
        common = np.gcd(int(orig_sr), int(target_sr))
        return resample_poly(y, int(target_sr) // common, int(orig_sr) // common, axis=axis)
    if res_type in _SAMPLERATE_TYPES:
        convert = required("samplerate", argument).resample
        ratio = float(target_sr) / orig_sr
        return np.apply_along_axis(convert, axis, y, ratio=ratio, converter_type=res_type)
    return required("resampy", argument).resample(y, orig_sr, target_sr, filter=res_type, axis=axis)


def _refuse_on_device(y, *, axis, **others):
    """Refuse what the kernel cannot do."""
    others = {"axis": axis, **others}
    fits = {
        "axis": axis in (-1, y.ndim - 1),
        "res_type": others["res_type"].startswith("soxr"),
        "scale": not others["scale"],
    }
    for name, value in others.items():
        if not fits.get(name, False):
            raise DeviceError(f"resample: {name}={value!r} has no kernel: pass y.numpy()")


@as_feature(Samples(times=lambda given: given.target_sr / given.orig_sr), listed=False)
@takes(of="util.fix_length", but=("data", "size"))
def resample(
    y, *, orig_sr, target_sr, res_type="soxr_hq", fix=True, scale=False, axis=-1, **kwargs
):
    """Change the sampling rate of a signal.

    A DeviceArray is resampled on its device: along its last axis, by libsoxr's methods, without `scale`.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n, ...)], or DeviceArray
        Audio; every channel is resampled as if alone, on the engine's threads.
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
    if not _args.on_device(y):
        valid_audio(y)
    if orig_sr == target_sr:
        return y
    for name, rate in (("orig_sr", orig_sr), ("target_sr", target_sr)):
        if not (rate > 0 and np.isfinite(rate)):
            raise ParameterError(f"{name}={rate} must be a positive number")
    ratio = float(target_sr) / orig_sr
    if not is_one_of(res_type, _METHODS):
        rule = f"a known method{did_you_mean(res_type, _METHODS)}"
        raise ParameterError(f"res_type={res_type!r} must be {rule}")
    by_soxr = res_type.startswith("soxr")
    n_samples = int(np.ceil(y.shape[axis] * ratio))
    if _args.on_device(y):
        _refuse_on_device(y, axis=axis, res_type=res_type, scale=scale, **kwargs)
        return _resample_soxr(y, orig_sr, target_sr, res_type, -1, n_samples if fix else -1)
    if by_soxr:
        size = n_samples if fix and not kwargs else -1
        y_hat = _resample_soxr(y, orig_sr, target_sr, res_type, axis, size)
    else:
        y_hat = _resample_elsewhere(y, orig_sr, target_sr, res_type, axis, n_samples)
    if fix:
        y_hat = fix_length(y_hat, size=n_samples, axis=axis, **kwargs)
    if scale:
        y_hat /= np.sqrt(ratio)
    return np.asarray(y_hat, dtype=y.dtype)


def get_duration(
    *, y=None, sr=22050, S=None, n_fft=2048, hop_length=512, center=True, path=None
):
    """The duration of a file, a spectrogram or a signal, in seconds.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], or DeviceArray, optional
        A signal.
    sr : number > 0
        Its sampling rate.
    S : np.ndarray [shape=(..., d, t)], or DeviceArray, optional
        A spectrogram or features of one, of frames of `n_fft` samples every `hop_length`, `center`
        as it was computed; exact to a frame. Used where there is no `y`.
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
        n_samples = y.shape[-1]
    elif S is not None:
        n_samples = n_fft + hop_length * (S.shape[-1] - 1)
        if center:
            n_samples -= 2 * int(n_fft // 2)
    else:
        raise ParameterError("one of y, S and path must be given")
    return float(n_samples) / sr


def get_samplerate(path):
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
    rate, _, _ = _native.probe(expanded(path), count=False)
    return rate


@as_feature(lambda given: Like() if given.max_size is None else Value(given.max_size), listed=False)
def autocorrelate(y, *, max_size=None, axis=-1):
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
        fft = required("scipy.fft", f"y.dtype={y.dtype}")
        spectrum = fft.fft(y, n=fft.next_fast_len(2 * y.shape[axis] - 1), axis=axis)
        lags = fft.ifft(spectrum.real**2 + spectrum.imag**2, axis=axis)
        return np.take(lags, np.arange(size), axis=axis)
    rows = np.moveaxis(_args.floating(y, "y"), axis, -1)
    lags = _native.autocorrelate(y=rows, max_size=size)
    return np.ascontiguousarray(np.moveaxis(lags, -1, axis))
