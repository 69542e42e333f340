"""Filter-bank features of Kaldi, and the front-end of the Audio Spectrogram Transformer, which is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ..util._checks import is_one_of, number, positive_int, require, require_positive
from ..util._declared import Fitted, Frames, Step, Windows, as_feature
from ..util._expressions import expression_of, of_audio, then
from ..util._kept_results import kept
from ..util._public import public
from ..util._types import Array, Audio, Float64Array, Fraction, NDArray, NonNegative, Number, Positive, PositiveInt
from . import _steps

if TYPE_CHECKING:
    from types import SimpleNamespace

__all__ = ["ast", "kaldi_fbank"]

_EPSILON = 2.0**-23  # of float32, the least energy there
_WINDOWS = ("povey", "hamming", "hanning", "hann", "sine", "blackman", "rectangular")

# Frames that are prepared at a time: what is read and written stays in cache.
_BLOCK = 128


def _samples(sr: Number, milliseconds: Number) -> int:
    """Whole samples, as the product of floats of 32 bits there."""
    return int(np.float32(sr) * np.float32(0.001) * np.float32(milliseconds))


def _kaldi_frames(given: SimpleNamespace) -> tuple[Step, ...]:
    size, shift = _samples(given.sr, given.frame_length_ms), _samples(given.sr, given.frame_shift_ms)
    return (Windows(size if given.snip_edges else shift - shift // 2, shift),)


@as_feature(Frames(lambda given: given.num_bins + bool(given.use_energy), axis=-2, at=_kaldi_frames))
@public(expression=True)
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
    low_freq, high_freq : number
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
        Whether frames lie within the audio; otherwise there are ``n / shift``, rounded, and audio is mirrored at its ends.
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
        Natural logarithms of energies of 2**-23 at least: frames come before bands, as there. Audio that is shorter than a
        frame has none.

    Raises
    ------
    ParameterError
        For wrong values.

    Notes
    -----
    Constants are those of feature-window.h, mel-computations.h and feature-fbank.h of kaldi-native-fbank 1.23, which are
    Kaldi's; but for `dither`, which is 3e-5 there. Filters are triangles on HTK's mel axis, ``1127 * log(1 + f / 700)``, without the
    last bin. Equal to it within 1e-5 of the maximum.

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
    require(is_one_of(window_type, _WINDOWS), "window_type", window_type, f"one of {', '.join(map(repr, _WINDOWS))}")
    size, shift = _samples(sr, frame_length_ms), _samples(sr, frame_shift_ms)
    require(size >= 2, "frame_length_ms", frame_length_ms, "two samples at least")
    require(shift >= 1, "frame_shift_ms", frame_shift_ms, "a sample at least")
    n_fft = 1 << (size - 1).bit_length() if round_to_power_of_two else size
    nyquist = float(sr) / 2
    high = float(high_freq) if high_freq > 0 else nyquist + float(high_freq)
    require(0 <= low_freq < nyquist, "low_freq", low_freq, f"from 0 to less than sr / 2 = {nyquist:g}")
    require(low_freq < high <= nyquist, "high_freq", high_freq, f"above low_freq={low_freq:g}, and at most sr / 2 = {nyquist:g}")
    basis = _steps.mel_triangles(float(sr), n_fft, int(positive_int("num_bins", num_bins)), float(low_freq), high)
    window = _window(window_type, size, float(blackman_coeff))
    framing = size, shift, bool(snip_edges)
    steps: tuple[bool, float, Float64Array | None] = bool(remove_dc_offset), float(preemph_coeff), window
    frames = of_audio(_frames, y, *framing, *steps, n_fft)
    values = _steps.bands(frames, basis, _ones(n_fft), n_fft, power=2.0 if use_power else 1.0)
    values = then(_levels, values, y, *framing, bool(use_log_fbank))
    if not use_energy:
        return values
    measured = (bool(remove_dc_offset), 0.0, None) if raw_energy else steps
    return then(_with_energy, values, y, *framing, *measured, float(energy_floor), bool(htk_compat))


@kept(16)
def _window(kind: str, size: int, blackman_coeff: float) -> Float64Array:
    turns = 2 * np.pi * np.arange(size) / (size if kind == "hann" else size - 1)
    if kind == "sine":
        return np.sin(turns / 2)
    if kind == "rectangular":
        return np.ones(size)
    if kind == "blackman":
        return blackman_coeff - 0.5 * np.cos(turns) + (0.5 - blackman_coeff) * np.cos(2 * turns)
    constant = 0.54 if kind == "hamming" else 0.5
    window = constant - (1 - constant) * np.cos(turns)
    return window**0.85 if kind == "povey" else window


@kept(16)
def _ones(size: int) -> Float64Array:
    return np.ones(size)


def _n_frames(n: int, size: int, shift: int, snip_edges: bool) -> int:
    return max(1 + (n - size) // shift, 0) if snip_edges else (n + shift // 2) // shift


def _cut(y: Array, size: int, shift: int, snip_edges: bool) -> Array:
    """Frames of each signal (signals, frames, size), as a view of it or of the mirrored signal."""
    signals = y.reshape(-1, y.shape[-1])
    count = _n_frames(y.shape[-1], size, shift, snip_edges)
    if not count:
        return np.empty((len(signals), 0, size), y.dtype)
    if not snip_edges:
        before = size // 2 - shift // 2
        after = (count - 1) * shift - before + size - y.shape[-1]
        signals = signals[:, max(-before, 0) :]
        signals = np.pad(signals, [(0, 0), (max(before, 0), max(after, 0))], mode="symmetric")
    return np.lib.stride_tricks.sliding_window_view(signals, size, axis=-1)[:, ::shift][:, :count]


def _prepared(
    frames: Array, remove_dc_offset: bool, preemph_coeff: float, window: Array | None, out: Array
) -> None:
    """Frames (frames, size) without their means, pre-emphasised and windowed, into `out`."""
    samples = frames - frames.mean(axis=-1, keepdims=True) if remove_dc_offset else frames
    if preemph_coeff:
        np.multiply(samples[:, :1], 1 - preemph_coeff, out=out[:, :1])
        np.multiply(samples[:, :-1], -preemph_coeff, out=out[:, 1:])
        out[:, 1:] += samples[:, 1:]
    else:
        out[...] = samples
    if window is not None:
        out *= window


def _frames(
    y: Array, size: int, shift: int, snip_edges: bool, remove_dc_offset: bool, preemph_coeff: float,
    window: Float64Array, n_fft: int,
) -> Array:  # fmt: skip
    """Audio of prepared frames side by side, of `n_fft` samples each; of one of zeros where there is none."""
    cut = _cut(y, size, shift, snip_edges)
    frames = np.zeros((len(cut), max(cut.shape[1], 1), n_fft), y.dtype)
    own_window = window.astype(y.dtype)
    for signal, prepared in zip(cut, frames, strict=True):
        for first in range(0, len(signal), _BLOCK):
            block = slice(first, first + _BLOCK)
            _prepared(signal[block], remove_dc_offset, preemph_coeff, own_window, prepared[block, :size][: len(signal) - first])
    return frames.reshape(*y.shape[:-1], -1)


def _levels(bands: Array, y: Array, size: int, shift: int, snip_edges: bool, use_log: bool) -> Array:
    count = _n_frames(y.shape[-1], size, shift, snip_edges)
    values = np.ascontiguousarray(bands[..., :count].swapaxes(-1, -2))
    if use_log:
        np.maximum(values, values.dtype.type(_EPSILON), out=values)
        np.log(values, out=values)
    return _steps.single(values)


def _with_energy(
    values: Array, y: Array, size: int, shift: int, snip_edges: bool, remove_dc_offset: bool, preemph_coeff: float,
    window: Float64Array | None, energy_floor: float, htk_compat: bool,
) -> Array:  # fmt: skip
    cut = _cut(y, size, shift, snip_edges)
    energies = np.empty(cut.shape[:-1], y.dtype)
    own_window = None if window is None else window.astype(y.dtype)
    for signal, row in zip(cut, energies, strict=True):
        for first in range(0, len(signal), _BLOCK):
            block = signal[first : first + _BLOCK]
            prepared = np.empty(block.shape, y.dtype)
            _prepared(block, remove_dc_offset, preemph_coeff, own_window, prepared)
            row[first : first + _BLOCK] = np.einsum("ij,ij->i", prepared, prepared)
    levels = np.log(np.maximum(energies, _EPSILON)).reshape(*values.shape[:-1], 1)
    if energy_floor > 0:
        np.maximum(levels, np.log(energy_floor), out=levels)
    return _steps.single(np.concatenate([values, levels] if htk_compat else [levels, values], axis=-1))


@as_feature(Frames("num_mel_bins", axis=-2, at=lambda given: (Fitted(given.max_length, given.max_length),)))
@public(expression=True)
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
    As ``ASTFeatureExtractor`` of transformers 5.24, whose defaults these are: `kaldi_fbank` with ``window_type="hanning"`` and samples
    as they are. Equal to kaldi-native-fbank, so normalised, within 1e-5 of the maximum.

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
    positive_int("max_length", max_length)
    require_positive("std", std)
    n_samples = _steps.WINDOW + (int(max_length) - 1) * _steps.HOP
    features = expression_of(kaldi_fbank)(of_audio(_first, y, n_samples), num_bins=num_mel_bins, window_type="hanning")
    shift, scale = (number("mean", mean), 1 / (2 * number("std", std))) if do_normalize else (0.0, 1.0)
    return then(_ast_values, features, int(max_length), shift, scale)


def _first(y: Array, n: int) -> Array:
    return y[..., :n]


def _ast_values(features: Array, n_frames: int, mean: float, scale: float) -> Array:
    values = np.full((*features.shape[:-2], n_frames, features.shape[-1]), -mean, np.float32)
    np.subtract(features, np.float32(mean), out=values[..., : features.shape[-2], :])
    values *= np.float32(scale)
    return values
