"""Front-ends of models of speech."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import filters
from .._engine import _args
from ..core import _framing
from ..util._checks import require, require_finite
from ..util._declared import Fitted, Frames, Like, Refusal, Step, Streamed, Windows, as_feature, has_kernels
from ..util._expressions import Ending, Past, by_blocks, of_audio, then
from ..util._kept_results import kept
from ..util._memory import refuse_beyond_memory
from ..util._public import public, strict
from ..util._types import Array, Audio, Float64Array, Fraction, NDArray, Placed, Positive, PositiveInt
from . import _steps

if TYPE_CHECKING:
    from types import SimpleNamespace

__all__ = ["nemo", "wav2vec2", "whisper"]


def _whisper_frames(given: SimpleNamespace) -> tuple[Step, ...]:
    n_samples = given.chunk_length * _steps.RATE
    return Fitted(n_samples if given.pad else 0, n_samples), Windows(_steps.HOP, _steps.HOP)


@has_kernels(
    "audio of `chunk_length`; with `pad=False` shorter audio, too",
    lambda of: {"y": of.y, "chunk_length": 2, "pad": False},
)
@as_feature(Frames("n_mels", at=_whisper_frames), whole="levels end 80 dB below its loudest one")
@public(expression=True)
@strict
def whisper(
    y: Placed,
    *,
    sr: Positive = 16000,
    n_mels: PositiveInt = 80,
    chunk_length: PositiveInt = 30,
    pad: bool = True,
) -> Placed:
    """Log-mel spectrogram of OpenAI's Whisper, and of models that share its front-end.

    Audio is cut to `chunk_length` seconds, or filled with silence. Frames of this silence are not
    transformed. For 5 s of audio, only a sixth of the frames is computed.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Mono audio from -1 to 1. Axes before time are separate clips, each with its own maximum. On a device
        nothing is cut off or filled: `n` is ``16000 * chunk_length``, or less with ``pad=False``.
    sr : number > 0
        Sampling rate in Hz. It must be 16000.
    n_mels : int > 0
        Number of mel bands: 80, or 128 for `whisper-large-v3` and later.
    chunk_length : int > 0
        Seconds of audio that the model reads at a time.
    pad : bool
        Whether the result has all frames of `chunk_length`. Otherwise it has ``n // 160``, and the audio is
        reflected at its end.

    Returns
    -------
    np.ndarray [shape=(..., n_mels, 100 * chunk_length)], float32, or DeviceArray
        ``(log10(power) + 4) / 4``, at least the maximum of the clip minus 2.

    Raises
    ------
    ParameterError
        For wrong values or another rate.

    Notes
    -----
    Frames of 25 ms every 10 ms (``N_FFT = 400``, ``HOP_LENGTH = 160`` of whisper/audio.py), a periodic Hann
    window, audio reflected at both ends, the last frame dropped; Slaney's mel filters of 0 to 8000 Hz
    (`metalmom.filters.mel`); powers of at least 1e-10, levels of at least the maximum minus 8 (80 dB). This
    is what that file and ``WhisperFeatureExtractor`` of transformers 5.24 do. Results equal those of the
    latter in double precision within 1e-6 of the maximum. A GPU transforms in float32, as torch does: bands
    that are nearly empty beside the loudest of their frame are within 1e-4 there.

    References
    ----------
    A. Radford et al., "Robust speech recognition via large-scale weak supervision", 2022.

    Examples
    --------
    >>> y = metalmom.tone(440, sr=16000, duration=2).astype(np.float32)
    >>> metalmom.frontend.whisper(y).shape
    (80, 3000)
    >>> metalmom.frontend.whisper(y, pad=False).shape
    (80, 200)
    """
    y = _steps.audio(y, sr, _steps.RATE)
    n_samples = int(chunk_length) * _steps.RATE
    refuse_beyond_memory("chunk_length", chunk_length, 800 * int(chunk_length))
    refuse_beyond_memory("n_mels", n_mels, 800 * int(chunk_length) * int(n_mels))
    basis = filters._mel_basis(sr=_steps.RATE, n_fft=_steps.WINDOW, n_mels=n_mels)
    window = _framing.window("hann", _steps.WINDOW)
    chunk = of_audio(_chunk, y, n_samples, bool(pad))
    levels = _steps.levels(
        chunk, basis, window, _steps.HOP, op="log_bands", pad_mode="reflect", amin=1e-10,
        scale=0.25 / math.log(10), shift=1.0, range=2.0, drop_last=True,
    )  # fmt: skip
    return then(_whisper_values, levels, n_samples // _steps.HOP if pad else 0)


def _chunk(y: Any, n_samples: int, pad: bool) -> Any:
    """At most `n_samples`, and of the silence after them what the last frames reach, and two hops more.

    They are for the silent frame that is repeated, and for the last one, which is left out.
    """
    if _args.on_device(y):
        return _steps.fitting(y, n_samples if pad else 0, n_samples)
    y = y[..., :n_samples]
    return _steps.ended(y, min(n_samples, y.shape[-1] + _steps.WINDOW + 2 * _steps.HOP)) if pad else y


def _whisper_values(levels: Any, n_frames: int) -> Any:
    """Levels in float32; up to a number of frames the last one is repeated, which is silent."""
    if _args.on_device(levels):
        return levels
    # A clip of one infinite value has no other: none may be 80 dB below it.
    _steps.finite(levels[..., :1, :1])
    heard = levels.shape[-1]
    if heard >= n_frames:
        return np.ascontiguousarray(levels, np.float32)
    values = np.empty((*levels.shape[:-1], n_frames), np.float32)
    values[..., :heard] = levels
    values[..., heard:] = levels[..., -1:]
    return values


@as_feature(
    Frames("n_mels", at=lambda given: (Windows(0, _steps.HOP),)),
    streams=Streamed(
        "NeMo", "Log-mel spectrogram of NeMo's models", "normalize=None", (80, 25), without=(),
        refuses=(Refusal("normalize", bool, "None in a stream: means and deviations are of the whole signal"),),
    ),
)
@public(expression=True)
@strict
def nemo(
    y: Audio,
    *,
    sr: Positive = 16000,
    n_mels: PositiveInt = 80,
    preemph: Fraction = 0.97,
    normalize: Literal["per_feature", "all_features"] | None = "per_feature",
) -> NDArray[np.float32]:
    """Log-mel spectrogram of NVIDIA NeMo's speech models (Conformer, FastConformer, Parakeet, Canary).

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point
        Mono audio from -1 to 1. Axes before time are separate clips.
    sr : number > 0
        Sampling rate in Hz. It must be 16000.
    n_mels : int > 0
        Number of mel bands (`features`).
    preemph : number from 0 to 1
        Coefficient of the pre-emphasis: the previous sample times this is subtracted.
    normalize : {"per_feature", "all_features", None}
        Whether to give each band, or all bands together, a mean of 0 and a standard deviation of 1.

    Returns
    -------
    np.ndarray [shape=(..., n_mels, 1 + n // 160)], float32
        Normalised logarithms. The last frame is 0, because the model has ``n // 160`` frames and masks the
        rest.

    Raises
    ------
    ParameterError
        For wrong values or another rate.

    Notes
    -----
    This is ``FilterbankFeatures`` of nemo/collections/asr/parts/preprocessing/features.py (2.x) with the
    configurations of these models: frames of 25 ms every 10 ms, a symmetric Hann window in the middle of 512
    samples, zeros around the audio (`center`, ``pad_mode="constant"``), powers, Slaney's mel filters of 0 to
    8000 Hz, ``log(power + 2**-24)`` (``log_zero_guard_value``), deviations of ``n - 1`` to which 1e-5
    (``CONSTANT``) is added; no dither, as in inference. ``pad_to`` is 0, as there. For a model with
    ``pad_to=16``, append frames of zeros until their number is a multiple of 16. NeMo 1.x counts the last
    frame, too. Results equal these formulas in double precision within 1e-6 of the maximum.

    References
    ----------
    O. Kuchaiev et al., "NeMo: a toolkit for building AI applications using neural modules", 2019.

    Examples
    --------
    >>> y = metalmom.tone(440, sr=16000, duration=1).astype(np.float32)
    >>> metalmom.frontend.nemo(y).shape
    (80, 101)
    """
    # bands of little deviation are divided by that, so that their logarithms need double precision, too
    on_host = "means and deviations of its logarithms are taken in double precision"
    y = _args.as_type(_steps.audio(y, sr, _steps.RATE, on_host), np.dtype(np.float64))
    _steps.require_one_of("normalize", normalize, ("per_feature", "all_features", None))
    basis = filters._mel_basis(sr=_steps.RATE, n_fft=_steps.N_FFT, n_mels=n_mels)
    raised = of_audio(_preemphasis, y, float(preemph))
    levels = _steps.levels(
        raised, basis, _symmetric_hann(), _steps.HOP, op="log_bands_in_double", pad_mode="constant",
        offset=2.0**-24,
    )
    return then(_without_last, then(_nemo_values, levels, normalize))


@kept(1)
def _symmetric_hann() -> Float64Array:
    """Of 400 samples, in the middle of a transform."""
    window = np.zeros(_steps.N_FFT)
    before = (_steps.N_FFT - _steps.WINDOW) // 2
    window[before : before + _steps.WINDOW] = np.hanning(_steps.WINDOW)
    return window


@by_blocks(Past(1))
def _preemphasis(y: Array, amount: float) -> Array:
    raised = np.empty_like(y)
    raised[..., :1] = y[..., :1]
    np.multiply(y[..., :-1], -amount, out=raised[..., 1:])
    raised[..., 1:] += y[..., 1:]
    return raised


def _nemo_values(levels: Array, normalize: str | None) -> Array:
    if not normalize or levels.shape[-1] < 2:
        return _steps.single(levels)
    values = np.zeros(levels.shape, np.float32)
    heard, variance = _centred(levels[..., :-1], (-1,) if normalize == "per_feature" else (-2, -1), 1)
    np.multiply(heard, 1 / (np.sqrt(variance) + 1e-5), out=values[..., :-1], casting="same_kind")
    return _steps.finite(values)


@by_blocks(Ending())
def _without_last(levels: Array, before: int = 0) -> Array:
    return np.concatenate([levels[..., :-1], np.zeros_like(levels[..., -1:])], axis=-1)


def _centred(values: Array, axes: tuple[int, ...], ddof: int) -> tuple[Array, Array]:
    """Values without their mean, and their variance; that of one value is 0.

    The mean is taken away twice: what is left of a constant is 0, and not a rounding that a division makes
    large. Rows lie side by side, so that sums have one order whatever the batch.
    """
    values = np.ascontiguousarray(values)
    centred = values - values.mean(axis=axes, keepdims=True)
    centred -= centred.mean(axis=axes, keepdims=True)
    count = math.prod(values.shape[axis] for axis in axes)
    return centred, np.square(centred).sum(axis=axes, keepdims=True) / values.dtype.type(max(count - ddof, 1))


@as_feature(Like(numbers=float), listed=False, whole="mean and variance are those of all samples")
@public(expression=True)
@strict
def wav2vec2(y: Audio, *, sr: Positive = 16000, do_normalize: bool = True) -> NDArray[np.float32]:
    """Samples for wav2vec 2.0, HuBERT, WavLM and similar models: with mean 0 and variance 1.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point
        Mono audio. Axes before time are separate clips, each with its own mean and variance.
    sr : number > 0
        Sampling rate in Hz. It must be 16000.
    do_normalize : bool
        Whether to normalise. Models with False in their configuration read the samples unchanged.

    Returns
    -------
    np.ndarray [shape=(..., n)], float32
        ``(y - mean) / sqrt(variance + 1e-7)``.

    Raises
    ------
    ParameterError
        For wrong values or another rate.

    Notes
    -----
    The 1e-7 is that of ``zero_mean_unit_var_norm`` in ``Wav2Vec2FeatureExtractor`` of transformers 5.24.
    Results equal those of that class within 1e-6 of the maximum for float64 audio, and within 1e-5 for
    float32 audio. There is no padding, which is the default there: pad clips of different lengths yourself.

    References
    ----------
    A. Baevski et al., "wav2vec 2.0: a framework for self-supervised learning of speech representations",
    NeurIPS 2020.

    Examples
    --------
    >>> y = metalmom.tone(440, sr=16000, duration=1).astype(np.float32)
    >>> float(metalmom.frontend.wav2vec2(y).std().round(3))
    1.0
    """
    y = _steps.audio(y, sr, _steps.RATE, "it is not a feature of frames")
    return then(_normalized if do_normalize else _checked, y)


def _checked(y: Array) -> Array:
    require_finite("y", y)
    return _steps.single(y)


def _normalized(y: Array) -> Array:
    require(y.shape[-1], "y.shape", y.shape, "empty", verb="must not be")
    require_finite("y", y)
    samples, variance = _centred(y, (-1,), 0)
    samples *= 1 / np.sqrt(_steps.finite(variance) + y.dtype.type(1e-7))
    return _steps.single(samples)
