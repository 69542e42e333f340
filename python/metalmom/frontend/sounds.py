"""Front-ends of models of sounds and of music, and the mel spectrogram of torchaudio."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import filters
from .._engine import _args
from ..core import _framing
from ..util._checks import require
from ..util._declared import Fitted, Frames, Refusal, Step, Streamed, Windows, as_feature, has_kernels
from ..util._expressions import Ending, ask, by_blocks, of_audio, then
from ..util._public import public, strict
from ..util._types import (
    Array, NonNegative, NonNegativeInt, Placed, Positive, PositiveInt, WindowSpec, WinLength,
)  # fmt: skip
from . import _steps

if TYPE_CHECKING:
    from types import SimpleNamespace

__all__ = ["clap", "musicnn", "torchaudio_mel", "vggish", "yamnet"]

# The names that torch and NumPy have for the same padding.
_PAD_MODES = {"reflect": "reflect", "constant": "constant", "replicate": "edge"}


def _torchaudio_frames(given: SimpleNamespace) -> tuple[Step, ...]:
    hop_length = given.hop_length or (given.win_length or given.n_fft) // 2
    size = given.n_fft % 2 if given.center else given.n_fft
    return (Windows(size - 2 * given.pad, hop_length),)


@has_kernels("audio, without `pad` and `normalized`", lambda of: {"y": of.y, "n_mels": 40})
@as_feature(
    Frames("n_mels", unit="power", at=_torchaudio_frames),
    streams=Streamed(
        "TorchaudioMel", "Mel spectrogram of torchaudio", "n_fft=512, n_mels=64", (64, 16), without=(),
        pad_modes=tuple(_PAD_MODES),
        refuses=(Refusal("pad", bool, "0 in a stream: give it the zeros before and after the signal"),),
    ),
)
@public(expression=True)
@strict
def torchaudio_mel(
    y: Placed,
    *,
    sr: Positive = 16000,
    n_fft: PositiveInt = 400,
    win_length: WinLength | None = None,
    hop_length: PositiveInt | None = None,
    f_min: NonNegative = 0.0,
    f_max: Positive | None = None,
    pad: NonNegativeInt = 0,
    n_mels: PositiveInt = 128,
    window: WindowSpec = "hann",
    power: Positive = 2.0,
    normalized: bool | Literal["window", "frame_length"] = False,
    center: bool = True,
    pad_mode: Literal["reflect", "constant", "replicate"] = "reflect",
    norm: Literal["slaney"] | None = None,
    mel_scale: Literal["htk", "slaney"] = "htk",
) -> Placed:
    """Mel spectrogram with the arguments and defaults of ``torchaudio.transforms.MelSpectrogram``.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio. Axes before time are separate signals.
    sr : number > 0
        Sampling rate in Hz (`sample_rate`).
    n_fft : int > 0
        Size of the transform in samples.
    win_length : int > 0, optional
        Length of the window in samples, in the middle of the transform; by default `n_fft`.
    hop_length : int > 0, optional
        Samples between the beginnings of two frames; by default ``win_length // 2``.
    f_min : number >= 0
    f_max : number > 0, optional
        Lowest and highest frequency of the filters in Hz; by default 0 and ``sr // 2``.
    pad : int >= 0
        Number of zeros to add at both ends, before the padding of `center`.
    n_mels : int > 0
        Number of mel bands. With the default `n_fft` and 128 bands, some filters have no bin, as in
        torchaudio.
    window : str, tuple, number, function, or np.ndarray [shape=(win_length,)]
        As in `metalmom.filters.get_window` (`window_fn`).
    power : number > 0
        Exponent of the magnitude.
    normalized : bool or {"window", "frame_length"}
        Whether to divide magnitudes by the root of the sum of the squares of the window (True, "window"), or
        by the root of `n_fft` ("frame_length").
    center : bool
        Whether to pad the audio by ``n_fft // 2`` samples at both ends.
    pad_mode : {"reflect", "constant", "replicate"}
        How to pad it.
    norm : {"slaney", None}
        Whether the filters have unit area.
    mel_scale : {"htk", "slaney"}
        The mel scale of the filters.

    Returns
    -------
    np.ndarray [shape=(..., n_mels, t)], real, or DeviceArray
        Energies of the bands; float32 for float32 audio, float64 for float64 audio.

    Raises
    ------
    ParameterError
        For wrong values, and for audio that is too short to reflect: it needs ``n_fft // 2 + 1`` samples.

    Notes
    -----
    Defaults are those of torchaudio 2.x (transforms/_transforms.py, functional ``melscale_fbanks``), whose
    HTK mel scale is ``2595 * log10(1 + f / 700)``. Results equal these formulas in double precision within
    1e-6 of the maximum for float64 audio, and within 1e-5 for float32 audio.

    References
    ----------
    Y.-Y. Yang et al., "TorchAudio: building blocks for audio and speech processing", ICASSP 2022.

    Examples
    --------
    >>> y = metalmom.tone(440, sr=16000, duration=1).astype(np.float32)
    >>> metalmom.frontend.torchaudio_mel(y, n_fft=512, n_mels=64).shape
    (64, 63)
    """
    y = _steps.floating_audio(y)
    win_length = n_fft if win_length is None else win_length
    hop_length = win_length // 2 if hop_length is None else hop_length
    _steps.require_one_of("pad_mode", pad_mode, tuple(_PAD_MODES))
    _steps.require_one_of("mel_scale", mel_scale, ("htk", "slaney"))
    _steps.require_one_of("norm", norm, ("slaney", None))
    _steps.require_one_of("normalized", normalized, (False, True, "window", "frame_length"))
    _steps.require_band("f_min", f_min, "f_max", sr / 2 if f_max is None else f_max)
    if pad:
        _args.refuse_argument("y", y, "pad", pad)
        y = of_audio(_framing.pad, y, int(pad), "constant")
    if center and pad_mode == "reflect":
        y = of_audio(_require_reflectable, y, int(n_fft))
    even_rate = 2 * (int(sr) // 2)  # whose half is the frequency of the last bin there
    arguments = _framing.mel_bands(
        y, even_rate, power=power, n_fft=n_fft, hop_length=hop_length, win_length=win_length, window=window,
        center=center, pad_mode=_PAD_MODES[pad_mode], n_mels=n_mels, fmin=f_min, fmax=f_max,
        htk=mel_scale == "htk", norm=norm,
    )  # fmt: skip
    require(np.isfinite(arguments["window"]).all(), "window", window, "of finite weights")
    bands = ask("filterbank_spectrogram", **arguments)
    if not normalized:
        return bands
    _args.refuse_argument("y", y, "normalized", normalized)
    total = n_fft if normalized == "frame_length" else np.sum(arguments["window"] ** 2)
    return then(_scaled, bands, float(total) ** (-power / 2))


@by_blocks(Ending())
def _require_reflectable(y: Any, n_fft: int, before: int = 0) -> Any:
    least, n = n_fft // 2 + 1, before + y.shape[-1]
    require(n >= least, "y.shape[-1]", n, f"at least {least} to be reflected by n_fft // 2")
    return y


def _scaled(bands: Array, factor: float) -> Array:
    return bands * bands.dtype.type(factor)


# Of CLAP: 10 s at 48 kHz, in 1001 frames.
_CLAP_RATE, _CLAP_SAMPLES, _CLAP_N_FFT, _CLAP_HOP = 48000, 480000, 1024, 480
_CLAP_FRAMES = 1 + _CLAP_SAMPLES // _CLAP_HOP


@has_kernels(
    'audio of 10 s, with `truncation="rand_trunc"`',
    lambda of: {"y": of.of_length(_CLAP_SAMPLES), "truncation": "rand_trunc"},
)
@as_feature(Frames(
    lambda given: (4 if given.truncation == "fusion" else 1, 64), unit="dB", axis=-2,
    at=lambda given: (Fitted(_CLAP_SAMPLES, _CLAP_SAMPLES), Windows(0, _CLAP_HOP)),
), whole="a clip is repeated, filled or cut to 10 s")  # fmt: skip
@public(expression=True)
@strict
def clap(
    y: Placed,
    *,
    sr: Positive = 48000,
    truncation: Literal["fusion", "rand_trunc"] = "fusion",
    padding: Literal["repeatpad", "repeat", "pad"] = "repeatpad",
    frequency_min: NonNegative = 0.0,
    frequency_max: Positive = 14000.0,
) -> Placed:
    """Log-mel spectrogram of LAION's CLAP, of 10 s.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Mono audio from -1 to 1. Axes before time are separate clips. On a device they have 10 s (480000
        samples), and `truncation` is "rand_trunc".
    sr : number > 0
        Sampling rate in Hz. It must be 48000.
    truncation : {"fusion", "rand_trunc"}
        "fusion" is for ``clap-htsat-fused``: HTK's mel scale and four spectrograms. They are equal for audio
        of 10 s or less. For longer audio the first is the whole spectrogram, shortened by linear
        interpolation, and the others are 10 s from the front, the middle and the back. "rand_trunc" is for
        ``clap-htsat-unfused``: Slaney's mel filters and one spectrogram, of the first 10 s.
    padding : {"repeatpad", "repeat", "pad"}
        How to make short audio 10 s long: repeat it as often as it fits, and add zeros; repeat it and cut it;
        add zeros.
    frequency_min : number >= 0
    frequency_max : number > 0
        Lowest and highest frequency of the filters in Hz. Published checkpoints have 50 and 14000.

    Returns
    -------
    np.ndarray [shape=(..., 4 or 1, 1001, 64)], float32, or DeviceArray
        Decibels of powers, which are at least 1e-10. Frames come before bands, as in the model.

    Raises
    ------
    ParameterError
        For wrong values, another rate, or empty audio.

    Notes
    -----
    64 bands, transforms of 1024 samples (periodic Hann) every 480, reflected at both ends: the defaults of
    ``ClapFeatureExtractor`` of transformers 5.24. That class chooses the place of a crop at random. Here
    "rand_trunc" begins at 0, and each crop of "fusion" at the first of its possible places: pass
    ``y[..., start:]`` for another place. Results equal those of that class within 1e-6 of the maximum.

    References
    ----------
    Y. Wu et al., "Large-scale contrastive language-audio pretraining with feature fusion and
    keyword-to-caption augmentation", ICASSP 2023.

    Examples
    --------
    >>> y = metalmom.tone(440, sr=48000, duration=1).astype(np.float32)
    >>> metalmom.frontend.clap(y, truncation="rand_trunc").shape
    (1, 1001, 64)
    """
    y = _steps.audio(y, sr, _CLAP_RATE)
    _steps.require_one_of("truncation", truncation, ("fusion", "rand_trunc"))
    _steps.require_one_of("padding", padding, ("repeatpad", "repeat", "pad"))
    _steps.require_band("frequency_min", frequency_min, "frequency_max", frequency_max)
    is_fused = truncation == "fusion"
    if is_fused:
        _args.refuse_argument("y", y, "truncation", truncation)
    basis = filters._mel_basis(
        sr=_CLAP_RATE, n_fft=_CLAP_N_FFT, n_mels=64, fmin=frequency_min, fmax=frequency_max, htk=is_fused,
        norm=None if is_fused else "slaney",
    )  # fmt: skip
    clip = of_audio(_of_ten_seconds, y, padding, is_fused)
    window = _framing.window("hann", _CLAP_N_FFT)
    levels = _steps.levels(
        clip, basis, window, _CLAP_HOP, pad_mode="reflect", amin=1e-10, scale=10 / math.log(10)
    )
    return then(_clap_spectrograms, levels, is_fused)


def _of_ten_seconds(y: Any, padding: str, is_fused: bool) -> Any:
    if _args.on_device(y):
        return _steps.fitting(y, _CLAP_SAMPLES, _CLAP_SAMPLES)
    n = y.shape[-1]
    require(n, "y.shape", y.shape, "empty", verb="must not be")
    if n >= _CLAP_SAMPLES:
        return y if is_fused else y[..., :_CLAP_SAMPLES]
    if padding != "pad":
        times = -(-_CLAP_SAMPLES // n) if padding == "repeat" else _CLAP_SAMPLES // n
        y = np.tile(y, times)[..., :_CLAP_SAMPLES]
    return _steps.ended(y, _CLAP_SAMPLES)


def _clap_spectrograms(levels: Any, is_fused: bool) -> Any:
    levels = levels.swapaxes(-1, -2)
    if _args.on_device(levels):
        return levels.reshape(*levels.shape[:-2], 1, *levels.shape[-2:])
    n_frames = levels.shape[-2]
    if n_frames > _CLAP_FRAMES:
        parts = np.array_split(np.arange(n_frames - _CLAP_FRAMES + 1), 3)
        starts = [part[0] if len(part) else 0 for part in parts]
        crops = [levels[..., start : start + _CLAP_FRAMES, :] for start in starts]
        return _steps.single(np.stack([_shrunk(levels, _CLAP_FRAMES), *crops], axis=-3))
    return _steps.single(np.stack([levels] * (4 if is_fused else 1), axis=-3))


def _shrunk(levels: Array, n_frames: int) -> Array:
    """Fewer frames, by linear interpolation at the middles of equal parts of the time."""
    whole = levels.shape[-2]
    places = np.clip((np.arange(n_frames) + 0.5) * (whole / n_frames) - 0.5, 0, None)
    before = places.astype(np.int64)
    share = (places - before).astype(levels.dtype)[:, np.newaxis]
    after = np.minimum(before + 1, whole - 1)
    return levels[..., before, :] * (1 - share) + levels[..., after, :] * share


_PATCHES = "A patch is returned when its last frame is complete. Patches are the third axis from the end."

# Of AudioSet's models: patches of 96 frames (0.96 s) of 64 bands.
_PATCH, _YAMNET_HOP = 96, 48
_YAMNET_LEAST = (_PATCH - 1) * _steps.HOP + _steps.WINDOW


@has_kernels("audio", lambda of: {"y": of.y})
@as_feature(Frames(
    (_PATCH, 64), axis=-3,
    at=lambda given: (
        Fitted(_YAMNET_LEAST),
        Windows(_YAMNET_LEAST - _YAMNET_HOP * _steps.HOP + 1, _YAMNET_HOP * _steps.HOP),
    ),
), streams=Streamed("YAMNet", "Patches of YAMNet", "", (0, 96, 64), without=(), note=_PATCHES))  # fmt: skip
@public(expression=True)
@strict
def yamnet(y: Placed, *, sr: Positive = 16000) -> Placed:
    """Patches of the log-mel spectrogram of YAMNet.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Mono audio from -1 to 1. Axes before time are separate clips.
    sr : number > 0
        Sampling rate in Hz. It must be 16000.

    Returns
    -------
    np.ndarray [shape=(..., patches, 96, 64)], float32, or DeviceArray
        ``log(magnitude + 0.001)`` of 64 bands, in patches of 0.96 s, one every 0.48 s. Zeros are added until
        the last patch is complete. There is at least one patch.

    Raises
    ------
    ParameterError
        For wrong values or another rate.

    Notes
    -----
    From params.py and features.py of YAMNet (research/audioset/yamnet of tensorflow/models): frames of 25 ms
    every 10 ms from the first sample on, a periodic Hann window, transforms of 512 samples, magnitudes, 64
    bands of 125 to 7500 Hz, `log_offset` 0.001. Their filters (``tf.signal.linear_to_mel_weight_matrix``) are
    triangles on HTK's mel axis, ``1127 * log(1 + f / 700)``, and not over Hz. Results equal these formulas in
    double precision within 1e-6 of the maximum.

    References
    ----------
    S. Hershey et al., "CNN architectures for large-scale audio classification", ICASSP 2017.

    Examples
    --------
    >>> y = metalmom.tone(440, sr=16000, duration=1).astype(np.float32)
    >>> metalmom.frontend.yamnet(y).shape
    (2, 96, 64)
    """
    y = _steps.audio(y, sr, _steps.RATE)
    steps = _steps.whole_patches(y, _PATCH, _YAMNET_HOP, filled=True)
    levels = _audioset_levels(of_audio(_of_whole_patches, y), 0.001, **steps)
    return then(_steps.patches, levels, _PATCH, _YAMNET_HOP)


@by_blocks(Ending())
def _of_whole_patches(y: Any, before: int = 0) -> Any:
    if _args.on_device(y):
        return y
    hop = _YAMNET_HOP * _steps.HOP
    more = -(-max(before + y.shape[-1] - _YAMNET_LEAST, 0) // hop)
    return _steps.ended(y, _YAMNET_LEAST + more * hop - before)


@has_kernels("audio of a patch at least", lambda of: {"y": of.y})
@as_feature(Frames((_PATCH, 64), axis=-3, at=lambda given: (
    Windows(_steps.WINDOW, _steps.HOP), Windows(_PATCH, _PATCH),
)), streams=Streamed("VGGish", "Patches of VGGish", "", (0, 96, 64), without=(), note=_PATCHES))  # fmt: skip
@public(expression=True)
@strict
def vggish(y: Placed, *, sr: Positive = 16000) -> Placed:
    """Patches of the log-mel spectrogram of VGGish.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Mono audio from -1 to 1. Axes before time are separate clips. (The reference averages channels.)
    sr : number > 0
        Sampling rate in Hz. It must be 16000.

    Returns
    -------
    np.ndarray [shape=(..., patches, 96, 64)], float32, or DeviceArray
        ``log(magnitude + 0.01)`` of 64 bands, in patches of 0.96 s side by side. An incomplete last patch is
        left out, so audio of less than 15600 samples has no patch.

    Raises
    ------
    ParameterError
        For wrong values or another rate.

    Notes
    -----
    From vggish_params.py and mel_features.py of VGGish (research/audioset/vggish of tensorflow/models): as
    `yamnet`, with an offset of 0.01 and without padding. Results equal these formulas in
    double precision within 1e-6 of the maximum.

    References
    ----------
    S. Hershey et al., "CNN architectures for large-scale audio classification", ICASSP 2017.

    Examples
    --------
    >>> y = metalmom.tone(440, sr=16000, duration=2).astype(np.float32)
    >>> metalmom.frontend.vggish(y).shape
    (2, 96, 64)
    """
    y = _steps.audio(y, sr, _steps.RATE)
    levels = _audioset_levels(y, 0.01, **_steps.whole_patches(y, _PATCH, _PATCH))
    return then(_steps.patches, levels, _PATCH, _PATCH)


def _audioset_levels(y: Any, offset: float, **steps: Any) -> Any:
    basis = _steps.mel_triangles(_steps.RATE, _steps.N_FFT, 64, 125.0, 7500.0)
    window = _steps.ended(_framing.window("hann", _steps.WINDOW), _steps.N_FFT)
    return _steps.levels(
        y, basis, window, _steps.HOP, frame_length=_steps.WINDOW, power=1.0, offset=offset, **steps
    )


# Of musicnn: 3 s in 187 frames.
_MUSICNN_N_FFT, _MUSICNN_HOP, _MUSICNN_PATCH = 512, 256, 187


@has_kernels("audio of a patch (3 s) at least", lambda of: {"y": of.of_length(3 * 16000)})
@as_feature(Frames((_MUSICNN_PATCH, 96), axis=-3, at=lambda given: (
    Windows(0, _MUSICNN_HOP), Windows(_MUSICNN_PATCH, given.overlap or _MUSICNN_PATCH),
)), streams=Streamed("MusiCNN", "Patches of musicnn", "", (0, 187, 96), without=(), note=_PATCHES))  # fmt: skip
@public(expression=True)
@strict
def musicnn(y: Placed, *, sr: Positive = 16000, overlap: PositiveInt | None = None) -> Placed:
    """Patches of the log-mel spectrogram of musicnn.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Mono audio from -1 to 1. Axes before time are separate clips.
    sr : number > 0
        Sampling rate in Hz. It must be 16000.
    overlap : int > 0, optional
        Frames between the beginnings of two patches, as the argument of ``batch_data``. By default 187:
        patches lie side by side.

    Returns
    -------
    np.ndarray [shape=(..., patches, 187, 96)], float32, or DeviceArray
        ``log10(10000 * power + 1)`` of 96 bands, in patches of 3 s. An incomplete last patch is left out.

    Raises
    ------
    ParameterError
        For wrong values or another rate.

    Notes
    -----
    From configuration.py and extractor.py of musicnn 0.1: librosa's mel spectrogram of 96 bands at 16 kHz,
    transforms of 512 samples every 256, ``time_to_frames(3) + 1`` frames a patch. musicnn rounds powers to
    float16 before the logarithm, so that powers from 6.55 on become infinite; this function does not round.
    Results equal the formulas in double precision within 1e-6 of the maximum.

    References
    ----------
    J. Pons and X. Serra, "musicnn: pre-trained convolutional neural networks for music audio tagging", ISMIR
    2019.

    Examples
    --------
    >>> y = metalmom.tone(440, sr=16000, duration=7).astype(np.float32)
    >>> metalmom.frontend.musicnn(y).shape
    (2, 187, 96)
    """
    y = _steps.audio(y, sr, _steps.RATE)
    overlap = _MUSICNN_PATCH if overlap is None else int(overlap)
    basis = filters._mel_basis(sr=_steps.RATE, n_fft=_MUSICNN_N_FFT, n_mels=96)
    window = 100 * _framing.window("hann", _MUSICNN_N_FFT)  # powers are ten thousand times as large
    levels = _steps.levels(
        y, basis, window, _MUSICNN_HOP, pad_mode="constant", offset=1.0, scale=1 / math.log(10),
        **_steps.whole_patches(y, _MUSICNN_PATCH, overlap),
    )  # fmt: skip
    return then(_steps.patches, levels, _MUSICNN_PATCH, overlap)
