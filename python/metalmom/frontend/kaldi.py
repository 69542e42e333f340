"""Filter-bank features of Kaldi, and those of the Audio Spectrogram Transformer, which are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _native
from .._engine import _args
from ..util._checks import require
from ..util._declared import Fitted, Frames, Refusal, Step, Streamed, Windows, as_feature, has_kernels
from ..util._expressions import of_audio, then
from ..util._kept_results import kept
from ..util._memory import refuse_beyond_memory
from ..util._public import public, strict
from ..util._types import Array, Float64Array, Fraction, NonNegative, Number, Placed, Positive, PositiveInt
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


@has_kernels("audio, without `use_energy` and with `snip_edges`", lambda of: {"y": of.y})
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
    y: Placed,
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
    scale: Positive = 1.0,
) -> Placed:
    """Filter-bank features of Kaldi, with the arguments and defaults of kaldi-native-fbank.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Mono audio. Axes before time are separate clips.
    sr : number > 0
        Sampling rate in Hz (`samp_freq`).
    frame_length_ms, frame_shift_ms : number > 0
        Length of a frame, and time between the beginnings of two frames, in milliseconds.
    num_bins : int > 0
        Number of mel bands. Most recipes have 80.
    low_freq : number >= 0
    high_freq : number
        Lowest and highest frequency of the filters in Hz. If `high_freq` is 0 or less, ``sr / 2`` is added to
        it.
    preemph_coeff : number from 0 to 1
        Coefficient of the pre-emphasis within a frame: the previous sample times this is subtracted.
    remove_dc_offset : bool
        Whether to subtract the mean of each frame first.
    window_type : {"povey", "hamming", "hanning", "hann", "sine", "blackman", "rectangular"}
        Window. All but "hann" are symmetric. "povey" is a Hann window to the power of 0.85.
    blackman_coeff : number
        Coefficient of the window "blackman".
    round_to_power_of_two : bool
        Whether the size of the transform is the next power of two. Otherwise it is the length of a frame.
    snip_edges : bool
        Whether all frames lie within the audio. Otherwise there are ``n / shift`` frames, rounded, and the
        audio is mirrored at its ends.
    use_energy : bool
        Whether to add the logarithm of the energy of the frame, as the first value.
    raw_energy : bool
        Whether to measure this energy before pre-emphasis and window.
    energy_floor : number >= 0
        Lower bound of the energy; 0 means no bound.
    htk_compat : bool
        Whether the energy is the last value instead of the first.
    use_log_fbank, use_power : bool
        Whether bands are logarithms, and whether they are computed from powers. Otherwise they are linear,
        and computed from magnitudes.
    dither : number
        Must be 0, so that results are the same every time.
    scale : number > 0
        Factor of the samples, which Kaldi does not have: 32768 for models that were trained on its 16-bit
        samples.

    Returns
    -------
    np.ndarray [shape=(..., t, num_bins)], float32, or DeviceArray
        Natural logarithms of the bands, which are at least 2**-23; with ``use_log_fbank=False`` the bands.
        With `use_energy` the last axis has one more value. Frames come before bands, as in Kaldi. Audio
        shorter than a frame has no frames.

    Raises
    ------
    ParameterError
        For wrong values.

    Notes
    -----
    Constants are those of feature-window.h, mel-computations.h and feature-fbank.h of kaldi-native-fbank
    1.23, which are Kaldi's. Only `dither` differs, which is 3e-5 there. Filters are triangles on HTK's mel
    axis, ``1127 * log(1 + f / 700)``, without the last bin. Kaldi refuses filters without any bin; here they
    give the lowest energy. Results equal these formulas in double precision within 1e-6 of the maximum;
    kaldi-native-fbank, in float32, is within 1e-4. So are 999 of 1,000 values of a GPU; bands that are nearly
    empty beside the loudest of their frame are within 1e-3 there.

    References
    ----------
    D. Povey et al., "The Kaldi speech recognition toolkit", ASRU 2011.

    Examples
    --------
    >>> y = metalmom.tone(440, sr=16000, duration=1).astype(np.float32)
    >>> metalmom.frontend.kaldi_fbank(y, num_bins=80, scale=32768).shape
    (98, 80)
    """
    y = _steps.floating_audio(y)
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
    scale = float(scale)
    window = _window(window_type, size, float(blackman_coeff), n_fft, scale)
    if use_energy:
        _args.refuse_argument("y", y, "use_energy", use_energy)
    if not snip_edges:
        _args.refuse_argument("y", y, "snip_edges", snip_edges)
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
        window, preemphasis = _window("rectangular", size, 0.0, n_fft, scale), 0.0
    energy = _steps.levels(
        y, _energy_basis(n_fft), window, shift, amin=max(_EPSILON, float(energy_floor)),
        preemphasis=preemphasis, **frames,
    )  # fmt: skip
    return then(_by_frame, *((bands, energy) if htk_compat else (energy, bands)))


def _by_frame(*parts: Any) -> Any:
    values = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-2)
    return _steps.single(values.swapaxes(-1, -2))


@kept(16)
def _energy_basis(n_fft: int) -> Any:
    """The sum of the squares of a frame, of its spectrum's squares."""
    bins = np.arange(n_fft // 2 + 1)
    is_alone = bins == -bins % n_fft  # the first, and the last of an even size
    return _native.basis_from_dense(np.where(is_alone, 1 / n_fft, 2 / n_fft)[np.newaxis])


@kept(16, "window")
def _window(kind: str, size: int, blackman_coeff: float, n_fft: int, scale: float) -> Float64Array:
    """A window of scaled samples, and zeros up to the length of a transform."""
    turns = 2 * np.pi * np.arange(size) / (size if kind == "hann" else size - 1)
    samples = {
        "sine": np.sin(turns / 2),
        "rectangular": np.ones(size),
        "hamming": 0.54 - 0.46 * np.cos(turns),
        "blackman": blackman_coeff - 0.5 * np.cos(turns) + (0.5 - blackman_coeff) * np.cos(2 * turns),
    }.get(kind, 0.5 - 0.5 * np.cos(turns))
    return _steps.ended(scale * (samples**0.85 if kind == "povey" else samples), n_fft)


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


@has_kernels("audio", lambda of: {"y": of.y, "max_length": 128})
@as_feature(
    Frames("num_mel_bins", axis=-2, at=lambda given: (Fitted(given.max_length, given.max_length),)),
    whole="the model takes a clip of max_length frames at once",
)
@public(expression=True)
@strict
def ast(
    y: Placed,
    *,
    sr: Positive = 16000,
    num_mel_bins: PositiveInt = 128,
    max_length: PositiveInt = 1024,
    do_normalize: bool = True,
    mean: Number = -4.2677393,
    std: Positive = 4.5689974,
) -> Placed:
    """Filter-bank features of the Audio Spectrogram Transformer: `kaldi_fbank` with a fixed number of frames.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Mono audio from -1 to 1. Axes before time are separate clips.
    sr : number > 0
        Sampling rate in Hz. It must be 16000.
    num_mel_bins : int > 0
        Number of mel bands.
    max_length : int > 0
        Number of frames. Later frames are cut off, and missing ones are zeros, before normalisation.
    do_normalize : bool
        Whether the result is ``(features - mean) / (2 * std)``.
    mean, std : number
        Mean and standard deviation of the features of the training set, by default of AudioSet.

    Returns
    -------
    np.ndarray [shape=(..., max_length, num_mel_bins)], float32, or DeviceArray
        Frames come before bands, as in the model.

    Raises
    ------
    ParameterError
        For wrong values or another rate.

    Notes
    -----
    This is ``ASTFeatureExtractor`` of transformers 5.24, with its defaults: `kaldi_fbank` with
    ``window_type="hanning"`` and unscaled samples. Results equal these formulas in double precision within
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
    refuse_beyond_memory("max_length", max_length, 8 * int(max_length))
    refuse_beyond_memory("num_mel_bins", num_mel_bins, 8 * int(max_length) * int(num_mel_bins))
    shift, scale = (float(mean), 1 / (2 * float(std))) if do_normalize else (0.0, 1.0)
    require(scale < 1e30, "std", std, "above 5e-31, so that results are finite in float32")
    basis = _steps.mel_triangles(_steps.RATE, _steps.N_FFT, int(num_mel_bins), 20.0, _steps.RATE / 2)
    window = _window("hanning", _steps.WINDOW, 0.0, _steps.N_FFT, 1.0)
    first = of_audio(_first, y, _steps.WINDOW + (int(max_length) - 1) * _steps.HOP)
    frames = _steps.levels(
        first, basis, window, _steps.HOP, frame_length=_steps.WINDOW, remove_mean=True, preemphasis=0.97,
        amin=_EPSILON, scale=scale, shift=0.0 - shift * scale, n_rows=int(max_length),
    )  # fmt: skip
    return then(_by_frame, frames)


def _first(y: Any, n: int) -> Any:
    return y if _args.on_device(y) else y[..., :n]
