"""Filter-bank features of Kaldi, and those of the Audio Spectrogram Transformer, which are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _native
from ..util._checks import require
from ..util._declared import Fitted, Frames, Refusal, Step, Streamed, Windows, as_feature
from ..util._expressions import expression_of, of_audio, then
from ..util._kept_results import kept
from ..util._memory import refuse_beyond_memory
from ..util._public import public, strict
from ..util._types import (
    Array, Audio, Float64Array, Fraction, NDArray, NonNegative, Number, Positive, PositiveInt,
)  # fmt: skip
from . import _steps

if TYPE_CHECKING:
    from types import SimpleNamespace

__all__ = ["ast", "kaldi_fbank"]

_EPSILON = 2.0**-23  # of float32, the least energy there

_WINDOWS = ("povey", "hamming", "hanning", "hann", "sine", "blackman", "rectangular")


def _samples(sr: Number, milliseconds: Number) -> int:
    """Whole samples, as the product of floats of 32 bits there."""
    return int(np.float32(sr) * np.float32(0.001) * np.float32(milliseconds))


def _kaldi_frames(given: SimpleNamespace) -> tuple[Step, ...]:
    size, shift = _samples(given.sr, given.frame_length_ms), _samples(given.sr, given.frame_shift_ms)
    return (Windows(size if given.snip_edges else shift - shift // 2, shift),)


@as_feature(
    Frames(lambda given: given.num_bins + bool(given.use_energy), axis=-2, at=_kaldi_frames),
    streams=Streamed(
        "KaldiFbank", "Filter banks of Kaldi", "num_bins=80", (24, 80), without=(),
        refuses=(
            Refusal("snip_edges", lambda value: not value, "True in a stream: else audio is mirrored at its end"),
            Refusal("use_energy", bool, "False in a stream, which makes bands alone"),
        ),
        note="Frames are the last axis but one, as offline.",
    ),
)
@public(expression=True)
@strict
def kaldi_fbank(
    y: Audio,
    *,
    sr: Positive = 16000,
    frame_length_ms: Positive = 25.0,
    frame_shift_ms: Positive = 10.0,
    num_bins: PositiveInt = 23,
    low_freq: NonNegative = 20.0,
    high_freq: Number = 0.0,
    preemph_coeff: Fraction = 0.97,
    remove_dc_offset: bool = True,
    window_type: Literal["povey", "hamming", "hanning", "hann", "sine", "blackman", "rectangular"] = "povey",
    blackman_coeff: Number = 0.42,
    round_to_power_of_two: bool = True,
    snip_edges: bool = True,
    use_energy: bool = False,
    raw_energy: bool = True,
    energy_floor: NonNegative = 0.0,
    htk_compat: bool = False,
    use_log_fbank: bool = True,
    use_power: bool = True,
    dither: Number = 0.0,
) -> NDArray[np.float32]:
    """Filter-bank features of Kaldi, with the arguments and defaults of kaldi-native-fbank.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point
        Audio, mono: axes before time are clips. Models trained on Kaldi's 16-bit samples need ``32768 * y``.
    sr : number > 0
        Sampling rate in Hz (`samp_freq`).
    frame_length_ms, frame_shift_ms : number > 0
        Length of a frame, and time from a frame to the next, in milliseconds.
    num_bins : int > 0
        Mel bands; 80 in most recipes.
    low_freq : number >= 0
    high_freq : number
        Edges of the filters in Hz; a `high_freq` of 0 or less is counted from ``sr / 2``.
    preemph_coeff : number from 0 to 1
        How much of each sample's predecessor is taken away, within a frame.
    remove_dc_offset : bool
        Whether the mean of each frame is taken away first.
    window_type : {"povey", "hamming", "hanning", "hann", "sine", "blackman", "rectangular"}
        All but "hann" are symmetric. "povey" is Hann's to the power of 0.85.
    blackman_coeff : number
        Of "blackman".
    round_to_power_of_two : bool
        Whether transforms have the next power of two of samples, else those of a frame.
    snip_edges : bool
        Whether frames lie within the audio; otherwise there are ``n / shift``, rounded, and audio is mirrored
        at its ends.
    use_energy : bool
        Whether the logarithm of a frame's energy is another value, the first.
    raw_energy : bool
        Whether that is measured before pre-emphasis and window.
    energy_floor : number >= 0
        The least energy; 0 for none.
    htk_compat : bool
        Whether the energy comes last.
    use_log_fbank, use_power : bool
        Whether bands are logarithms, and of powers, else magnitudes.
    dither : number
        0 alone: results are the same every time.

    Returns
    -------
    np.ndarray [shape=(..., t, num_bins)], float32
        Natural logarithms of bands of 2**-23 at least; with ``use_log_fbank=False`` the bands. With
        `use_energy` the last axis has one value more. Frames come before bands, as in Kaldi. Audio that is
        shorter than a frame has no frames.

    Raises
    ------
    ParameterError
        For wrong values.

    Notes
    -----
    Constants are those of feature-window.h, mel-computations.h and feature-fbank.h of kaldi-native-fbank
    1.23, which are Kaldi's; but for `dither`, which is 3e-5 there. Filters are triangles on HTK's mel axis,
    ``1127 * log(1 + f / 700)``, without the last bin; those without any bin, which Kaldi refuses, give the least
    energy. Results equal these formulas in double precision within 1e-6 of the maximum; kaldi-native-fbank,
    in float32, is within 1e-4.

    References
    ----------
    D. Povey et al., "The Kaldi speech recognition toolkit", ASRU 2011.

    Examples
    --------
    >>> y = metalmom.tone(440, sr=16000, duration=1).astype(np.float32)
    >>> metalmom.frontend.kaldi_fbank(32768 * y, num_bins=80).shape
    (98, 80)
    """
    y = _steps.host_audio(y)
    require(dither == 0, "dither", dither, "0")
    _steps.require_one_of("window_type", window_type, _WINDOWS)
    size, shift = _samples(sr, frame_length_ms), _samples(sr, frame_shift_ms)
    require(size >= 2, "frame_length_ms", frame_length_ms, f"two samples at least, at sr={sr:g}")
    require(shift >= 1, "frame_shift_ms", frame_shift_ms, f"a sample at least, at sr={sr:g}")
    n_fft = 1 << (size - 1).bit_length() if round_to_power_of_two else size
    nyquist = float(sr) / 2
    high = float(high_freq) if high_freq > 0 else nyquist + float(high_freq)
    require(0 <= low_freq < nyquist, "low_freq", low_freq, f"from 0 to less than sr / 2 = {nyquist:g}")
    rule = f"above low_freq={low_freq:g}, and at most sr / 2 = {nyquist:g}"
    require(low_freq < high <= nyquist, "high_freq", high_freq, rule)
    num_bins = int(num_bins)
    refuse_beyond_memory("frame_length_ms", frame_length_ms, 32 * n_fft)
    refuse_beyond_memory("num_bins", num_bins, 32 * n_fft * num_bins)
    basis = _steps.mel_triangles(float(sr), n_fft, num_bins, float(low_freq), high)
    window = _window(window_type, size, float(blackman_coeff), n_fft)
    if not snip_edges:
        y = of_audio(_mirrored, y, size, shift)
    frames: dict[str, Any] = {"frame_length": size, "remove_mean": bool(remove_dc_offset)}
    preemphasis = float(preemph_coeff)
    bands = _steps.levels(
        y, basis, window, shift, power=2.0 if use_power else 1.0, logarithm=bool(use_log_fbank),
        amin=_EPSILON, preemphasis=preemphasis, **frames,
    )  # fmt: skip
    if not use_energy:
        return then(_by_frame, bands)
    if raw_energy:
        window, preemphasis = _window("rectangular", size, 0.0, n_fft), 0.0
    energy = _steps.levels(
        y, _energy_basis(n_fft), window, shift, amin=max(_EPSILON, float(energy_floor)),
        preemphasis=preemphasis, **frames,
    )  # fmt: skip
    return then(_by_frame, *((bands, energy) if htk_compat else (energy, bands)))


def _by_frame(*parts: Array) -> Array:
    values = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-2)
    return _steps.single(np.swapaxes(values, -1, -2))


@kept(16)
def _energy_basis(n_fft: int) -> Any:
    """The sum of the squares of a frame, of its spectrum's squares."""
    bins = np.arange(n_fft // 2 + 1)
    is_alone = bins == -bins % n_fft  # the first, and the last of an even size
    return _native.basis_from_dense(np.where(is_alone, 1 / n_fft, 2 / n_fft)[np.newaxis])


@kept(16, "window")
def _window(kind: str, size: int, blackman_coeff: float, n_fft: int) -> Float64Array:
    """A window, and zeros up to the length of a transform."""
    turns = 2 * np.pi * np.arange(size) / (size if kind == "hann" else size - 1)
    samples = {
        "sine": np.sin(turns / 2),
        "rectangular": np.ones(size),
        "hamming": 0.54 - 0.46 * np.cos(turns),
        "blackman": blackman_coeff - 0.5 * np.cos(turns) + (0.5 - blackman_coeff) * np.cos(2 * turns),
    }.get(kind, 0.5 - 0.5 * np.cos(turns))
    return _steps.ended(samples**0.85 if kind == "povey" else samples, n_fft)


def _mirrored(y: Array, size: int, shift: int) -> Array:
    """Audio of ``n / shift`` frames, rounded, of which the first has its middle at ``shift / 2``.

    Beyond the ends is a mirror image.
    """
    n, count, before = y.shape[-1], (y.shape[-1] + shift // 2) // shift, size // 2 - shift // 2
    if not count:
        return y[..., :0]
    after = (count - 1) * shift + size - before - n
    ends = [(0, 0)] * (y.ndim - 1) + [(max(before, 0), max(after, 0))]
    return np.pad(y[..., max(-before, 0) :], ends, mode="symmetric")


@as_feature(
    Frames("num_mel_bins", axis=-2, at=lambda given: (Fitted(given.max_length, given.max_length),)),
    whole="the model takes a clip of max_length frames at once",
)
@public(expression=True)
@strict
def ast(
    y: Audio,
    *,
    sr: Positive = 16000,
    num_mel_bins: PositiveInt = 128,
    max_length: PositiveInt = 1024,
    do_normalize: bool = True,
    mean: Number = -4.2677393,
    std: Positive = 4.5689974,
) -> NDArray[np.float32]:
    """Filter-bank features of the Audio Spectrogram Transformer: `kaldi_fbank`, of a fixed number of frames.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point
        Audio from -1 to 1, mono: axes before time are clips.
    sr : number > 0
        Sampling rate in Hz; 16000 alone.
    num_mel_bins : int > 0
        Mel bands.
    max_length : int > 0
        Frames: later ones are cut off, and zeros stand for missing ones, before they are normalised.
    do_normalize : bool
        Whether the result is ``(features - mean) / (2 * std)``.
    mean, std : number
        Of the features of the training set, by default AudioSet's.

    Returns
    -------
    np.ndarray [shape=(..., max_length, num_mel_bins)], float32
        Frames come before bands, as in the model.

    Raises
    ------
    ParameterError
        For wrong values, and for any other rate.

    Notes
    -----
    As ``ASTFeatureExtractor`` of transformers 5.24, whose defaults these are: `kaldi_fbank` with
    ``window_type="hanning"`` and samples as they are. Results equal these formulas in double precision within
    1e-6 of the maximum.

    References
    ----------
    Y. Gong, Y.-A. Chung and J. Glass, "AST: audio spectrogram transformer", Interspeech 2021.

    Examples
    --------
    >>> y = metalmom.tone(440, sr=16000, duration=1).astype(np.float32)
    >>> metalmom.frontend.ast(y).shape
    (1024, 128)
    """
    y = _steps.audio(y, sr, _steps.RATE)
    n_samples = _steps.WINDOW + (int(max_length) - 1) * _steps.HOP
    refuse_beyond_memory("max_length", max_length, 8 * int(max_length))
    refuse_beyond_memory("num_mel_bins", num_mel_bins, 8 * int(max_length) * int(num_mel_bins))
    first = of_audio(_first, y, n_samples)
    features = expression_of(kaldi_fbank)(first, num_bins=num_mel_bins, window_type="hanning")
    shift, scale = (float(mean), 1 / (2 * float(std))) if do_normalize else (0.0, 1.0)
    require(scale < 1e30, "std", std, "above 5e-31, so that results are finite in float32")
    return then(_ast_values, features, int(max_length), shift, scale)


def _first(y: Array, n: int) -> Array:
    return y[..., :n]


def _ast_values(features: Array, n_frames: int, mean: float, scale: float) -> Array:
    values = np.full((*features.shape[:-2], n_frames, features.shape[-1]), 0.0 - mean, np.float32)
    np.subtract(features, np.float32(mean), out=values[..., : features.shape[-2], :])
    values *= np.float32(scale)
    return values
