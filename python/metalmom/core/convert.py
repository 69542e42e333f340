"""Conversions: units of time, frequency and pitch, and frequency weightings.

Every function is vectorised: a number gives a NumPy scalar, anything array-like an array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypedDict, Unpack, overload

import numpy as np
from ..util._public import elementwise, public
from ..util._rules import sequence
from ..util._types import (
    Array, ArrayLike, DeviceArray, Float, Float64Array, Int, IntArray, NonNegativeInt, Number,
    Positive, PositiveInt, RealArray, Several, StrArray, Strings,
)

from ..util._checks import POSITIVES, require, wide
from ..util._equal_temperament import hz_of_midi, midi_of_hz
from ..util._keywords import native_names, takes
from ..util._warnings import warn
from ..util.exceptions import ParameterError, ParameterKeyError, ParameterTypeError, Shown
from ._note_names import ACCIDENTALS, LETTERS, numbers, parse_note, spelled
from .notation import interval_to_fjs, key_to_notes, mela_to_svara

__all__ = [
    "A4_to_tuning", "A_weighting", "B_weighting", "C_weighting", "D_weighting", "Z_weighting",
    "blocks_to_frames", "blocks_to_samples", "blocks_to_time", "cqt_frequencies", "fft_frequencies",
    "fourier_tempo_frequencies", "frames_to_samples", "frames_to_time", "frequency_weighting",
    "hz_to_fjs", "hz_to_mel", "hz_to_midi", "hz_to_note", "hz_to_octs", "hz_to_svara_c",
    "hz_to_svara_h", "mel_frequencies", "mel_to_hz", "midi_to_hz", "midi_to_note",
    "midi_to_svara_c", "midi_to_svara_h", "multi_frequency_weighting", "note_to_hz", "note_to_midi",
    "note_to_svara_c", "note_to_svara_h", "octs_to_hz", "samples_like", "samples_to_frames",
    "samples_to_time", "tempo_frequencies", "time_to_frames", "time_to_samples", "times_like",
    "tuning_to_A4",
]

# Slaney's mel scale (Auditory Toolbox, 1998): 3 mels per 200 Hz up to 1 kHz, and from there
# 27 mels for each factor of 6.4. The step stays a NumPy scalar: it lifts float32 to float64.
_MEL_HZ = 200.0 / 3
_BREAK_HZ = 1000.0
_BREAK_MEL = _BREAK_HZ / _MEL_HZ
_LOG_STEP = np.log(6.4) / 27.0

# What overloads take: several notes, and the keywords that several functions have.
_Notes = list[str] | tuple[str, ...] | StrArray


class _Tuned(TypedDict, total=False):
    tuning: Float
    bins_per_octave: PositiveInt


class _Hops(TypedDict, total=False):
    hop_length: PositiveInt
    n_fft: PositiveInt | None


class _TimedHops(_Hops, total=False):
    sr: Positive


class _Blocks(TypedDict):
    block_length: PositiveInt
    hop_length: PositiveInt


class _TimedBlocks(_Blocks):
    sr: Positive


class _Svara(TypedDict, total=False):
    abbr: bool
    octave: bool
    unicode: bool


class _Carnatic(_Svara):
    mela: str | Int


@overload
def hz_to_mel(frequencies: Number, *, htk: bool = ...) -> float: ...
@overload
def hz_to_mel(frequencies: Several, *, htk: bool = ...) -> Float64Array: ...
@elementwise(float)
def hz_to_mel(frequencies: Number | ArrayLike, *, htk: bool = False) -> float | Float64Array:
    """Convert frequencies in Hz to mels.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    htk : bool
        Use ``2595 log10(1 + f / 700)`` (The HTK Book) instead of Slaney's scale, which is linear
        below 1 kHz and logarithmic above (Auditory Toolbox, 1998).

    Returns
    -------
    float or np.ndarray of float64
        Mels.

    Examples
    --------
    >>> metalmom.hz_to_mel([0, 500, 1000])
    array([ 0. ,  7.5, 15. ])
    """
    hz = np.asanyarray(frequencies)[()]
    if htk:
        return 2595.0 * np.log10(1.0 + hz / 700.0)
    mels = hz / _MEL_HZ
    upper = hz >= _BREAK_HZ
    if hz.ndim:
        mels[upper] = _BREAK_MEL + np.log(hz[upper] / _BREAK_HZ) / _LOG_STEP
    elif upper:
        mels = _BREAK_MEL + np.log(hz / _BREAK_HZ) / _LOG_STEP
    return mels


@overload
def mel_to_hz(mels: Number, *, htk: bool = ...) -> float: ...
@overload
def mel_to_hz(mels: Several, *, htk: bool = ...) -> Float64Array: ...
@elementwise(float)
def mel_to_hz(mels: Number | ArrayLike, *, htk: bool = False) -> float | Float64Array:
    """Convert mels to frequencies in Hz; the inverse of `hz_to_mel`.

    Parameters
    ----------
    mels : number or array_like
        Mels.
    htk : bool
        Use HTK's scale instead of Slaney's.

    Returns
    -------
    float or np.ndarray of float64
        Frequencies in Hz.

    Examples
    --------
    >>> metalmom.mel_to_hz([0.0, 7.5, 15.0])
    array([   0.,  500., 1000.])
    """
    mels = np.asanyarray(mels)[()]
    if htk:
        return 700.0 * (10.0 ** (mels / 2595.0) - 1.0)
    hz = _MEL_HZ * mels
    upper = mels >= _BREAK_MEL
    if mels.ndim:
        hz[upper] = _BREAK_HZ * np.exp(_LOG_STEP * (mels[upper] - _BREAK_MEL))
    elif upper:
        hz = _BREAK_HZ * np.exp(_LOG_STEP * (mels - _BREAK_MEL))
    return hz


def _octave_0(tuning: Number, bins_per_octave: Number) -> float:
    """The A four octaves below A4, in Hz."""
    return float(440.0 * 2.0 ** (tuning / bins_per_octave)) / 16


@overload
def hz_to_octs(frequencies: Number, **tuned: Unpack[_Tuned]) -> float: ...
@overload
def hz_to_octs(frequencies: Several, **tuned: Unpack[_Tuned]) -> Float64Array: ...
@elementwise(float)
def hz_to_octs(
    frequencies: Number | ArrayLike,
    *,
    tuning: Float = 0.0,
    bins_per_octave: PositiveInt = 12,
) -> float | Float64Array:
    """Convert frequencies in Hz to fractional octaves above A0 (27.5 Hz).

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz, positive.
    tuning : float
        Deviation from A4 = 440 Hz, in bins.
    bins_per_octave : int > 0
        Bins that `tuning` counts in.

    Returns
    -------
    float or np.ndarray of float64
        Octaves; A4 is 4.

    Examples
    --------
    >>> metalmom.hz_to_octs([27.5, 440.0])
    array([0., 4.])
    """
    return np.log2(np.asanyarray(frequencies) / _octave_0(tuning, bins_per_octave))[()]


@overload
def octs_to_hz(octs: Number, **tuned: Unpack[_Tuned]) -> float: ...
@overload
def octs_to_hz(octs: Several, **tuned: Unpack[_Tuned]) -> Float64Array: ...
@elementwise(float)
def octs_to_hz(
    octs: Number | ArrayLike,
    *,
    tuning: Float = 0.0,
    bins_per_octave: PositiveInt = 12,
) -> float | Float64Array:
    """Convert octaves above A0 to frequencies in Hz; the inverse of `hz_to_octs`.

    Parameters
    ----------
    octs : number or array_like
        Octaves; A4 is 4.
    tuning : float
        Deviation from A4 = 440 Hz, in bins.
    bins_per_octave : int > 0
        Bins that `tuning` counts in.

    Returns
    -------
    float or np.ndarray of float64
        Frequencies in Hz.

    Examples
    --------
    >>> metalmom.octs_to_hz([0, 4])
    array([ 27.5, 440. ])
    """
    return _octave_0(tuning, bins_per_octave) * 2.0 ** np.asanyarray(octs)[()]


@overload
def A4_to_tuning(A4: Number, *, bins_per_octave: PositiveInt = ...) -> float: ...
@overload
def A4_to_tuning(A4: Several, *, bins_per_octave: PositiveInt = ...) -> Float64Array: ...
@public
def A4_to_tuning(
    A4: Number | ArrayLike,
    *,
    bins_per_octave: PositiveInt = 12,
) -> float | Float64Array:
    """Convert a frequency of A4 to its deviation from 440 Hz in bins.

    Parameters
    ----------
    A4 : number or array_like
        Frequencies in Hz, positive.
    bins_per_octave : int > 0
        Bins per octave.

    Returns
    -------
    float or np.ndarray of float64
        Deviations in bins.

    Examples
    --------
    >>> metalmom.A4_to_tuning([440.0, 432.0]).round(3)
    array([ 0.   , -0.318])
    """
    return (bins_per_octave * (np.log2(np.asanyarray(A4)) - np.log2(440.0)))[()]


@overload
def tuning_to_A4(tuning: Number, *, bins_per_octave: PositiveInt = ...) -> float: ...
@overload
def tuning_to_A4(tuning: Several, *, bins_per_octave: PositiveInt = ...) -> Float64Array: ...
@public
def tuning_to_A4(
    tuning: Number | ArrayLike,
    *,
    bins_per_octave: PositiveInt = 12,
) -> float | Float64Array:
    """Convert a deviation in bins to the frequency of A4; the inverse of `A4_to_tuning`.

    Parameters
    ----------
    tuning : number or array_like
        Deviations from 440 Hz, in bins.
    bins_per_octave : int > 0
        Bins per octave.

    Returns
    -------
    float or np.ndarray of float64
        Frequencies in Hz.

    Examples
    --------
    >>> metalmom.tuning_to_A4([0.0, -12.0])
    array([440., 220.])
    """
    return 440.0 * 2.0 ** (np.asanyarray(tuning)[()] / bins_per_octave)


@public
def fft_frequencies(*, sr: Positive = 22050, n_fft: PositiveInt = 2048) -> Float64Array:
    """Frequencies in Hz of the bins of a real FFT.

    Parameters
    ----------
    sr : number > 0
        Sampling rate in Hz.
    n_fft : int > 0
        Length of the transform.

    Returns
    -------
    np.ndarray of float64, shape (1 + n_fft // 2,)
        From 0 to ``sr / 2`` (a bin less for odd `n_fft`).

    Examples
    --------
    >>> metalmom.fft_frequencies(sr=8000, n_fft=8)
    array([   0., 1000., 2000., 3000., 4000.])
    """
    if not isinstance(n_fft, (int, np.integer)):
        raise ValueError(f"n_fft={n_fft} must be an integer")
    # What np.fft.rfftfreq computes; importing np.fft would cost a first call 2 ms.
    return np.arange(n_fft // 2 + 1) * (1.0 / (n_fft * (1.0 / sr)))


@public
def cqt_frequencies(
    n_bins: NonNegativeInt,
    *,
    fmin: Float,
    bins_per_octave: PositiveInt = 12,
    tuning: Float = 0.0,
) -> Float64Array:
    """Centre frequencies in Hz of constant-Q bins.

    Parameters
    ----------
    n_bins : int >= 0
        Number of bins.
    fmin : float
        Frequency of the first bin in Hz, before tuning.
    bins_per_octave : int > 0
        Bins per octave.
    tuning : float
        Deviation from A4 = 440 Hz, in bins.

    Returns
    -------
    np.ndarray of float64, shape (n_bins,)
        Geometrically spaced frequencies.

    Examples
    --------
    >>> metalmom.cqt_frequencies(3, fmin=110.0, bins_per_octave=1)
    array([110., 220., 440.])
    """
    correction = 2.0 ** (float(tuning) / bins_per_octave)
    return correction * fmin * 2.0 ** (np.arange(0, n_bins, dtype=float) / bins_per_octave)


@public
def mel_frequencies(
    n_mels: PositiveInt = 128,
    *,
    fmin: Float = 0.0,
    fmax: Float = 11025.0,
    htk: bool = False,
) -> Float64Array:
    """Frequencies in Hz that are evenly spaced in mels.

    Parameters
    ----------
    n_mels : int > 0
        Number of frequencies.
    fmin, fmax : float
        First and last frequency in Hz.
    htk : bool
        Use HTK's mel scale instead of Slaney's (see `hz_to_mel`).

    Returns
    -------
    np.ndarray of float64, shape (n_mels,)
        Frequencies in Hz.

    Examples
    --------
    >>> metalmom.mel_frequencies(4, fmax=1000.0).round(1)
    array([   0. ,  333.3,  666.7, 1000. ])
    """
    mels = np.linspace(hz_to_mel(fmin, htk=htk), hz_to_mel(fmax, htk=htk), n_mels)
    return mel_to_hz(mels, htk=htk)


@public
def tempo_frequencies(
    n_bins: NonNegativeInt,
    *,
    hop_length: PositiveInt = 512,
    sr: Positive = 22050,
) -> Float64Array:
    """Tempi in beats per minute of the lags of a tempogram.

    Parameters
    ----------
    n_bins : int >= 0
        Number of lags, in frames from 0.
    hop_length : int > 0
        Samples from one frame to the next.
    sr : number > 0
        Sampling rate in Hz.

    Returns
    -------
    np.ndarray of float64, shape (n_bins,)
        Beats per minute; lag 0 gives infinity.

    Examples
    --------
    >>> metalmom.tempo_frequencies(3, hop_length=500, sr=1000)
    array([ inf, 120.,  60.])
    """
    lags = np.arange(int(n_bins), dtype=np.float64)
    with np.errstate(divide="ignore"):
        return 60.0 * sr / (hop_length * lags)


@native_names(n_fft="win_length")
@public
def fourier_tempo_frequencies(
    *,
    sr: Positive = 22050,
    win_length: PositiveInt = 384,
    hop_length: PositiveInt = 512,
) -> Float64Array:
    """Tempi in beats per minute of the bins of a Fourier tempogram.

    Parameters
    ----------
    sr : number > 0
        Sampling rate in Hz.
    win_length : int > 0
        Frames per window.
    hop_length : int > 0
        Samples from one frame to the next.

    Returns
    -------
    np.ndarray of float64, shape (1 + win_length // 2,)
        Beats per minute.

    Examples
    --------
    >>> metalmom.fourier_tempo_frequencies(sr=1024, win_length=4, hop_length=512)
    array([ 0., 30., 60.])
    """
    return fft_frequencies(sr=sr * 60 / float(hop_length), n_fft=win_length)


# Conversions between frames, samples, blocks and seconds.

def _centre(n_fft: Int | None) -> int:
    """Samples from the start of an uncentred frame to its middle."""
    return 0 if n_fft is None else int(n_fft // 2)


# Conversions that several public functions need. These call them and not each other, because every
# public function is wrapped to explain errors.


def _samples_of_frames(frames: ArrayLike, hop_length: Number, n_fft: Int | None = None) -> Any:
    return (wide(frames) * hop_length + _centre(n_fft)).astype(int)[()]


def _frames_of_samples(samples: ArrayLike, hop_length: Number, n_fft: Int | None) -> Any:
    hops = (wide(samples) - _centre(n_fft)) // hop_length
    return np.asarray(hops).astype(int)[()]


def _samples_of_time(times: ArrayLike, sr: Number) -> Any:
    return (wide(times) * sr).astype(int)[()]


def _time_of_samples(samples: ArrayLike, sr: Number) -> Any:
    return np.asanyarray(samples)[()] / float(sr)


def _samples_of_blocks(blocks: ArrayLike, block_length: Number, hop_length: Number) -> Any:
    return _samples_of_frames(block_length * wide(blocks), hop_length)


def _samples_like(X: Any, hop_length: Number, n_fft: Int | None, axis: Int) -> Any:
    n_frames: Any = X if np.isscalar(X) else X.shape[axis]
    return _samples_of_frames(np.arange(n_frames), hop_length, n_fft)


@overload
def frames_to_samples(frames: Number, **hops: Unpack[_Hops]) -> np.integer[Any]: ...
@overload
def frames_to_samples(frames: Several, **hops: Unpack[_Hops]) -> IntArray: ...
@elementwise(int)
def frames_to_samples(
    frames: Number | ArrayLike,
    *,
    hop_length: PositiveInt = 512,
    n_fft: PositiveInt | None = None,
) -> np.integer[Any] | IntArray:
    """Convert frame indices to sample indices.

    Parameters
    ----------
    frames : number or array_like
        Frame indices.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; adds ``n_fft // 2``, the middle of frames that are not centred.

    Returns
    -------
    np.integer or np.ndarray of int
        ``frames * hop_length``, truncated to integers.

    Examples
    --------
    >>> metalmom.frames_to_samples([0, 1, 10], hop_length=256)
    array([   0,  256, 2560])
    """
    return _samples_of_frames(frames, hop_length, n_fft)


@overload
def samples_to_frames(samples: Number, **hops: Unpack[_Hops]) -> np.integer[Any]: ...
@overload
def samples_to_frames(samples: Several, **hops: Unpack[_Hops]) -> IntArray: ...
@elementwise(int)
def samples_to_frames(
    samples: Number | ArrayLike,
    *,
    hop_length: PositiveInt = 512,
    n_fft: PositiveInt | None = None,
) -> np.integer[Any] | IntArray:
    """Convert sample indices to the frames they fall in.

    Parameters
    ----------
    samples : number or array_like
        Sample indices.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; subtracts ``n_fft // 2`` first, so early samples give negative frames.

    Returns
    -------
    np.integer or np.ndarray of int
        ``floor(samples / hop_length)``.

    Examples
    --------
    >>> metalmom.samples_to_frames([0, 511, 512, 1500])
    array([0, 0, 1, 2])
    """
    return _frames_of_samples(samples, hop_length, n_fft)


@overload
def frames_to_time(frames: Number, **hops: Unpack[_TimedHops]) -> float: ...
@overload
def frames_to_time(frames: Several, **hops: Unpack[_TimedHops]) -> Float64Array: ...
@elementwise(float)
def frames_to_time(
    frames: Number | ArrayLike,
    *,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    n_fft: PositiveInt | None = None,
) -> float | Float64Array:
    """Convert frame indices to seconds.

    Parameters
    ----------
    frames : number or array_like
        Frame indices.
    sr : number > 0
        Sampling rate in Hz.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; adds ``n_fft // 2`` samples, the middle of frames that are not centred.

    Returns
    -------
    float or np.ndarray of float64
        Times in seconds.

    Examples
    --------
    >>> metalmom.frames_to_time([0, 100], sr=51200)
    array([0., 1.])
    """
    return _time_of_samples(_samples_of_frames(frames, hop_length, n_fft), sr)


@overload
def time_to_frames(times: Number, **hops: Unpack[_TimedHops]) -> np.integer[Any]: ...
@overload
def time_to_frames(times: Several, **hops: Unpack[_TimedHops]) -> IntArray: ...
@elementwise(int)
def time_to_frames(
    times: Number | ArrayLike,
    *,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    n_fft: PositiveInt | None = None,
) -> np.integer[Any] | IntArray:
    """Convert seconds to the frames they fall in.

    Parameters
    ----------
    times : number or array_like
        Times in seconds.
    sr : number > 0
        Sampling rate in Hz.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; subtracts ``n_fft // 2`` samples, so early times give negative frames.

    Returns
    -------
    np.integer or np.ndarray of int
        Frame indices, rounded down.

    Examples
    --------
    >>> metalmom.time_to_frames([0.0, 0.5, 1.0])
    array([ 0, 21, 43])
    """
    return _frames_of_samples(_samples_of_time(times, sr), hop_length, n_fft)


@overload
def time_to_samples(times: Number, *, sr: Positive = ...) -> np.integer[Any]: ...
@overload
def time_to_samples(times: Several, *, sr: Positive = ...) -> IntArray: ...
@elementwise(int)
def time_to_samples(
    times: Number | ArrayLike,
    *,
    sr: Positive = 22050,
) -> np.integer[Any] | IntArray:
    """Convert seconds to sample indices.

    Parameters
    ----------
    times : number or array_like
        Times in seconds.
    sr : number > 0
        Sampling rate in Hz.

    Returns
    -------
    np.integer or np.ndarray of int
        ``times * sr``, truncated towards zero.

    Examples
    --------
    >>> metalmom.time_to_samples([0.0, 0.5, 1.0])
    array([    0, 11025, 22050])
    """
    return _samples_of_time(times, sr)


@overload
def samples_to_time(samples: Number, *, sr: Positive = ...) -> float: ...
@overload
def samples_to_time(samples: Several, *, sr: Positive = ...) -> Float64Array: ...
@elementwise(float)
def samples_to_time(samples: Number | ArrayLike, *, sr: Positive = 22050) -> float | Float64Array:
    """Convert sample indices to seconds.

    Parameters
    ----------
    samples : number or array_like
        Sample indices.
    sr : number > 0
        Sampling rate in Hz.

    Returns
    -------
    float or np.ndarray of float64
        ``samples / sr``.

    Examples
    --------
    >>> metalmom.samples_to_time([0, 11025])
    array([0. , 0.5])
    """
    return _time_of_samples(samples, sr)


@overload
def blocks_to_frames(blocks: Number, *, block_length: PositiveInt) -> np.integer[Any]: ...
@overload
def blocks_to_frames(blocks: Several, *, block_length: PositiveInt) -> IntArray: ...
@public
def blocks_to_frames(blocks: Number | ArrayLike, *, block_length: PositiveInt) -> np.integer[Any] | IntArray:
    """Convert block indices, as `stream` yields them, to their first frames.

    Parameters
    ----------
    blocks : number or array_like
        Block indices.
    block_length : int > 0
        Frames per block.

    Returns
    -------
    np.integer or np.ndarray of int
        ``blocks * block_length``.

    Examples
    --------
    >>> metalmom.blocks_to_frames([0, 1, 2], block_length=16)
    array([ 0, 16, 32])
    """
    return block_length * wide(blocks)[()]


@overload
def blocks_to_samples(blocks: Number, **sizes: Unpack[_Blocks]) -> np.integer[Any]: ...
@overload
def blocks_to_samples(blocks: Several, **sizes: Unpack[_Blocks]) -> IntArray: ...
@public
def blocks_to_samples(
    blocks: Number | ArrayLike,
    *,
    block_length: PositiveInt,
    hop_length: PositiveInt,
) -> np.integer[Any] | IntArray:
    """Convert block indices, as `stream` yields them, to their first samples.

    Parameters
    ----------
    blocks : number or array_like
        Block indices.
    block_length : int > 0
        Frames per block.
    hop_length : int > 0
        Samples from one frame to the next.

    Returns
    -------
    np.integer or np.ndarray of int
        Sample indices.

    Examples
    --------
    >>> metalmom.blocks_to_samples([0, 1, 2], block_length=16, hop_length=512)
    array([    0,  8192, 16384])
    """
    return _samples_of_blocks(blocks, block_length, hop_length)


@overload
def blocks_to_time(blocks: Number, **sizes: Unpack[_TimedBlocks]) -> float: ...
@overload
def blocks_to_time(blocks: Several, **sizes: Unpack[_TimedBlocks]) -> Float64Array: ...
@public
def blocks_to_time(
    blocks: Number | ArrayLike,
    *,
    block_length: PositiveInt,
    hop_length: PositiveInt,
    sr: Positive,
) -> float | Float64Array:
    """Convert block indices, as `stream` yields them, to their start in seconds.

    Parameters
    ----------
    blocks : number or array_like
        Block indices.
    block_length : int > 0
        Frames per block.
    hop_length : int > 0
        Samples from one frame to the next.
    sr : number > 0
        Sampling rate in Hz.

    Returns
    -------
    float or np.ndarray of float64
        Times in seconds.

    Examples
    --------
    >>> metalmom.blocks_to_time([0, 1], block_length=16, hop_length=512, sr=16384)
    array([0. , 0.5])
    """
    return _time_of_samples(_samples_of_blocks(blocks, block_length, hop_length), sr)


@public
def samples_like(
    X: Array | DeviceArray | Int,
    *,
    hop_length: PositiveInt = 512,
    n_fft: PositiveInt | None = None,
    axis: Int = -1,
) -> IntArray:
    """Sample indices of the frames of a feature.

    Parameters
    ----------
    X : np.ndarray, DeviceArray or int
        A feature with its frames along `axis`, or a number of frames.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; adds ``n_fft // 2``, the middle of frames that are not centred.
    axis : int
        The axis of `X` that counts frames.

    Returns
    -------
    np.ndarray of int, shape (n_frames,)
        A sample index for each frame.

    Examples
    --------
    >>> metalmom.samples_like(np.zeros((13, 4)))
    array([   0,  512, 1024, 1536])
    """
    return _samples_like(X, hop_length, n_fft, axis)


@public
def times_like(
    X: Array | DeviceArray | Int,
    *,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    n_fft: PositiveInt | None = None,
    axis: Int = -1,
) -> Float64Array:
    """Times in seconds of the frames of a feature.

    Parameters
    ----------
    X : np.ndarray, DeviceArray or int
        A feature with its frames along `axis`, or a number of frames.
    sr : number > 0
        Sampling rate in Hz.
    hop_length : int > 0
        Samples from one frame to the next.
    n_fft : int > 0, optional
        Frame length; adds ``n_fft // 2`` samples, the middle of frames that are not centred.
    axis : int
        The axis of `X` that counts frames.

    Returns
    -------
    np.ndarray of float64, shape (n_frames,)
        A time for each frame.

    Examples
    --------
    >>> metalmom.times_like(np.zeros((13, 3)), sr=51200)
    array([0.  , 0.01, 0.02])
    """
    return _samples_like(X, hop_length, n_fft, axis) / float(sr)


# Conversions between note names, MIDI numbers and Hz.

@overload
def note_to_hz(note: str, *, round_midi: bool = ...) -> float: ...
@overload
def note_to_hz(note: _Notes, *, round_midi: bool = ...) -> Float64Array: ...
@public
def note_to_hz(
    note: str | Strings,
    *,
    round_midi: bool = False,
) -> float | Float64Array:
    """Convert note names to frequencies in Hz.

    Parameters
    ----------
    note : str or iterable of str
        Note names, as `note_to_midi` reads them.
    round_midi : bool
        Round to the nearest semitone first; otherwise cents count.

    Returns
    -------
    float or np.ndarray of float64
        Frequencies in Hz, from A4 = 440 Hz.

    Raises
    ------
    ParameterError
        If a text is not a note name.

    Examples
    --------
    >>> metalmom.note_to_hz(["A3", "A4", "A4+1200"])
    array([220., 440., 880.])
    """
    return midi_to_hz(note_to_midi(note, round_midi=round_midi))  # type: ignore[arg-type]


@overload
def note_to_midi(note: str, *, round_midi: bool = ...) -> float: ...
@overload
def note_to_midi(note: _Notes, *, round_midi: bool = ...) -> Array: ...
@public
def note_to_midi(
    note: str | Strings,
    *,
    round_midi: bool = True,
) -> float | Array:
    """Convert note names to MIDI numbers.

    Parameters
    ----------
    note : str or iterable of str
        A letter in either case, accidentals (``#``, ``b``, ``!`` for flat, or the Unicode signs),
        an octave (0 if missing) and cents: ``"C"``, ``"Eb4"``, ``"C#-1"``, ``"A4+25"``.
        The empty text gives NaN.
    round_midi : bool
        Round to integers.

    Returns
    -------
    number or np.ndarray
        MIDI numbers; C4 is 60.

    Raises
    ------
    ParameterError
        If a text is not a note name.

    Examples
    --------
    >>> metalmom.note_to_midi(["C4", "C#4", "Db4"])
    array([60, 61, 61])
    """
    if not isinstance(note, str):
        return np.array([note_to_midi(each, round_midi=round_midi) for each in note])
    if not note:
        return np.nan
    letter, accidentals, octave, cents = parse_note(note)
    # As in librosa, notes without an accidental and cents give a float.
    alteration = sum(ACCIDENTALS[sign] for sign in accidentals) if accidentals else 0.0
    cents = int(cents) * 0.01 if cents else 0
    midi = 12 * (int(octave or 0) + 1) + LETTERS[letter.upper()] + alteration + cents
    return round(midi) if round_midi else midi


@overload
def midi_to_hz(notes: Number) -> float: ...
@overload
def midi_to_hz(notes: Several) -> Float64Array: ...
@elementwise(float)
def midi_to_hz(notes: Number | ArrayLike) -> float | Float64Array:
    """Convert MIDI numbers to frequencies in Hz, from A4 = 69 = 440 Hz.

    Parameters
    ----------
    notes : number or array_like
        MIDI numbers, fractions included.

    Returns
    -------
    float or np.ndarray of float64
        Frequencies in Hz.

    Examples
    --------
    >>> metalmom.midi_to_hz([57, 69, 81])
    array([220., 440., 880.])
    """
    return hz_of_midi(notes)


@overload
def hz_to_midi(frequencies: Number) -> float: ...
@overload
def hz_to_midi(frequencies: Several) -> Float64Array: ...
@elementwise(float)
def hz_to_midi(frequencies: Number | ArrayLike) -> float | Float64Array:
    """Convert frequencies in Hz to fractional MIDI numbers, from A4 = 69 = 440 Hz.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz; 0 gives -inf with NumPy's warning.

    Returns
    -------
    float or np.ndarray of float64
        MIDI numbers.

    Examples
    --------
    >>> metalmom.hz_to_midi([220.0, 440.0, 880.0])
    array([57., 69., 81.])
    """
    return midi_of_hz(frequencies)


# Western note names of numbers and frequencies.

@overload
def midi_to_note(
    midi: Number, *, octave: bool = ..., cents: bool = ..., key: str = ..., unicode: bool = ...,
) -> str: ...  # fmt: skip
@overload
def midi_to_note(
    midi: Several, *, octave: bool = ..., cents: bool = ..., key: str = ..., unicode: bool = ...,
) -> StrArray: ...  # fmt: skip
@public
def midi_to_note(
    midi: Number | ArrayLike,
    *,
    octave: bool = True,
    cents: bool = False,
    key: str = "C:maj",
    unicode: bool = True,
) -> str | StrArray:
    """Name the nearest notes of MIDI numbers.

    Parameters
    ----------
    midi : number or array_like
        MIDI numbers, fractions included.
    octave : bool
        Append the octave; C4 is 60.
    cents : bool
        Append the deviation in cents, ``"A4-30"``.
    key : str
        The key whose spelling is used, as `metalmom.key_to_notes` takes it.
    unicode : bool
        Write ♯ 𝄪 ♭ 𝄫, otherwise # ## b bb.

    Returns
    -------
    str or np.ndarray of str
        The names, in the shape of `midi`; of NaN and infinities the empty text.

    Raises
    ------
    ParameterError
        If `cents` is asked for without `octave`, `key` is not a key, or there are no real numbers.

    Notes
    -----
    Octaves are librosa's also below MIDI 0 (its -1 to -11 are in octave -1, as 0 to 11 are) and
    where the spelling crosses into the next octave (B♯4 is 60).

    Examples
    --------
    >>> metalmom.midi_to_note([60, 61.25], cents=True, unicode=False)
    array(['C4+0', 'C#4+25'], dtype='<U6')
    """
    numbers(midi, "midi")
    require(octave or not cents, "cents", True, "used with octave=False", verb="must not be")
    names = key_to_notes(key, unicode=unicode)

    def text(values: Array) -> list[str]:
        nearest = np.round(values)
        notes = [int(n) for n in nearest.tolist()]
        labels = [names[n % 12] for n in notes]
        if octave:
            labels = [f"{label}{int(n / 12) - 1}" for label, n in zip(labels, notes)]
        if cents:
            off = 100 * np.round(values - nearest, 2)
            labels = [f"{label}{int(c):+d}" for label, c in zip(labels, off.tolist())]
        return labels

    return spelled(midi, text)


@overload
def hz_to_note(frequencies: Number, **kwargs: Any) -> str: ...
@overload
def hz_to_note(frequencies: Several, **kwargs: Any) -> StrArray: ...
@takes(of="midi_to_note", but=("midi",))
@public
def hz_to_note(frequencies: Number | ArrayLike, **kwargs: Any) -> str | StrArray:
    """Name the nearest notes of frequencies.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    **kwargs
        Passed to `midi_to_note`.

    Returns
    -------
    str or np.ndarray of str
        The names; of frequencies that are not positive the empty text.

    Raises
    ------
    ParameterError
        As `midi_to_note`.

    Examples
    --------
    >>> metalmom.hz_to_note([32, 440], cents=True)
    array(['C1-38', 'A4+0'], dtype='<U5')
    """
    numbers(frequencies, "frequencies")
    return midi_to_note(midi_of_hz(frequencies), **kwargs)


@overload
def hz_to_fjs(
    frequencies: Number, *, fmin: Number | None = ..., unison: str | None = ..., unicode: bool = ...,
) -> str: ...  # fmt: skip
@overload
def hz_to_fjs(
    frequencies: Several, *, fmin: Number | None = ..., unison: str | None = ..., unicode: bool = ...,
) -> StrArray: ...  # fmt: skip
@public
def hz_to_fjs(
    frequencies: Number | ArrayLike,
    *,
    fmin: Number | None = None,
    unison: str | None = None,
    unicode: bool = False,
) -> str | StrArray:
    """Name frequencies of a just scale in the Functional Just System.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    fmin : number, optional
        Frequency of the unison; the lowest one if not given.
    unison : str, optional
        Its name; that of the note nearest to `fmin` if not given.
    unicode : bool
        Write ♯ 𝄪 ♭ 𝄫 and small numbers, otherwise # ## b bb and ``^5_7``.

    Returns
    -------
    str or np.ndarray of str
        The names (see `metalmom.interval_to_fjs`).

    Raises
    ------
    ParameterError
        If a frequency is not positive, or its ratio to `fmin` not known.

    Examples
    --------
    >>> metalmom.hz_to_fjs([55, 66, 82.5], unicode=False)
    array(['A', 'C_5', 'E'], dtype='<U3')
    """
    hertz = numbers(frequencies, "frequencies")
    require(np.all(hertz > 0), "frequencies", Shown(format(frequencies)), POSITIVES)
    if fmin is None:
        fmin = np.min(hertz)
    elif not 0 < fmin < np.inf:
        raise ParameterError("fmin", fmin, "a number > 0")
    if unison is None:
        unison = hz_to_note(fmin, octave=False, unicode=False)
    ratios = hertz / fmin
    ratios = ratios[()] if np.isscalar(frequencies) else ratios
    try:
        return interval_to_fjs(ratios, unison=unison, unicode=unicode)
    except ParameterError as error:
        if error.argument != "interval":
            raise
        rule = f"at intervals from fmin={fmin} that have names: {error}"
        raise ParameterError("frequencies", rule=rule) from error


# Svara names of numbers, frequencies and notes.

_HINDUSTANI = "Sa re Re ga Ga ma Ma Pa dha Dha ni Ni".split()
# How an octave below, or above, is marked: by a dot under or over the first letter, or by a sign at
# the end.
_DOTS = {-1: "\N{COMBINING DOT BELOW}", 1: "\N{COMBINING DOT ABOVE}"}
_SIGNS = {-1: ",", 1: "'"}


def _svara(midi: ArrayLike, Sa: Number, names: Sequence[str], octave: bool, unicode: bool) -> str | StrArray:
    """Names of MIDI numbers by their distance from `Sa`."""

    def text(values: Array) -> list[str]:
        labels = []
        for n in np.round(values - Sa).tolist():
            above, degree = divmod(int(n), 12)
            label = names[degree]
            if octave and unicode:
                label = label[0] + _DOTS.get(above, "") + label[1:]
            elif octave:
                label += _SIGNS.get(above, "")
            labels.append(label)
        return labels

    return spelled(midi, text)


def _hindustani(abbr: bool) -> Sequence[str]:
    return [name[0] for name in _HINDUSTANI] if abbr else _HINDUSTANI


def _finite(Sa: Number) -> Number:
    if np.ndim(Sa) or np.asarray(Sa).dtype.kind not in "iuf" or not np.isfinite(Sa):
        raise ParameterError("Sa", Sa, "a finite number")
    return Sa


def _positive(Sa: Number) -> Any:
    require(_finite(Sa) > 0, "Sa", Sa, "a number > 0")
    return hz_to_midi(Sa)


def _note(Sa: Any) -> Any:
    """MIDI number of a note, to the semitone; those of the notes to name keep their cents."""
    if isinstance(Sa, str) and not Sa:
        raise ParameterError("Sa", "", "a note")
    return note_to_midi(Sa)


def _midi_of_notes(notes: Any) -> Any:
    midi = note_to_midi(notes, round_midi=False)
    if np.size(midi) == 0:
        raise ParameterError("notes", rule="empty", verb="must not be")
    return midi


@overload
def midi_to_svara_h(midi: Number, *, Sa: Number, **written: Unpack[_Svara]) -> str: ...
@overload
def midi_to_svara_h(midi: Several, *, Sa: Number, **written: Unpack[_Svara]) -> StrArray: ...
@public
def midi_to_svara_h(
    midi: Number | ArrayLike,
    *,
    Sa: Number,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str | StrArray:
    """Name MIDI numbers as Hindustani svara.

    The nearest semitone counts; small letters are the lower (komal) forms, and ma the pure one.

    Parameters
    ----------
    midi : number or array_like
        MIDI numbers, fractions included.
    Sa : number
        MIDI number of Sa.
    abbr : bool
        Write S, r, R, g ... instead of Sa, re, Re, ga ...
    octave : bool
        Mark the octave below Sa and the one that starts an octave above it; those beyond have no
        mark.
    unicode : bool
        Mark octaves by dots, otherwise by ``,`` and ``'``.

    Returns
    -------
    str or np.ndarray of str
        The names, in the shape of `midi`; of NaN and infinities the empty text.

    Raises
    ------
    ParameterError
        If there are no real numbers, or `Sa` cannot be used.

    Examples
    --------
    >>> metalmom.midi_to_svara_h([60, 61, 62, 72], Sa=60, unicode=False)
    array(['S', 'r', 'R', "S'"], dtype='<U2')
    """
    numbers(midi, "midi")
    return _svara(midi, _finite(Sa), _hindustani(abbr), octave, unicode)


@overload
def midi_to_svara_c(midi: Number, *, Sa: Number, **written: Unpack[_Carnatic]) -> str: ...
@overload
def midi_to_svara_c(midi: Several, *, Sa: Number, **written: Unpack[_Carnatic]) -> StrArray: ...
@public
def midi_to_svara_c(
    midi: Number | ArrayLike,
    *,
    Sa: Number,
    mela: str | Int,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str | StrArray:
    """Name MIDI numbers as Carnatic svara of a melakarta raga.

    The nearest semitone counts; the raga decides how they are spelled.

    Parameters
    ----------
    midi : number or array_like
        MIDI numbers, fractions included.
    Sa : number
        MIDI number of Sa.
    mela : str or int
        The raga: its name (see `metalmom.list_mela`) or its number from 1 to 72.
    abbr : bool
        Write S, R₁, R₂ ... instead of Sa, Ri₁, Ri₂ ...
    octave : bool
        Mark the octave below Sa and the one that starts an octave above it; those beyond have no
        mark.
    unicode : bool
        Mark octaves by dots and write numbers as subscripts, otherwise by ``,`` and ``'``.

    Returns
    -------
    str or np.ndarray of str
        The names, in the shape of `midi`; of NaN and infinities the empty text.

    Raises
    ------
    ParameterError
        If there are no real numbers, or `Sa` or `mela` cannot be used.

    Examples
    --------
    >>> metalmom.midi_to_svara_c([60, 61, 62, 48], Sa=60, mela=1, unicode=False)
    array(['S', 'R1', 'G1', 'S,'], dtype='<U2')
    """
    numbers(midi, "midi")
    names = mela_to_svara(mela, abbr=abbr, unicode=unicode)
    return _svara(midi, _finite(Sa), names, octave, unicode)


@overload
def hz_to_svara_h(frequencies: Number, *, Sa: Number, **written: Unpack[_Svara]) -> str: ...
@overload
def hz_to_svara_h(frequencies: Several, *, Sa: Number, **written: Unpack[_Svara]) -> StrArray: ...
@public
def hz_to_svara_h(
    frequencies: Number | ArrayLike,
    *,
    Sa: Number,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str | StrArray:
    """Name frequencies as Hindustani svara.

    Twelve equal semitones to the octave; small letters are the lower (komal) forms, and ma the pure one.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    Sa : number
        Frequency of Sa in Hz.
    abbr : bool
        Write S, r, R, g ... instead of Sa, re, Re, ga ...
    octave : bool
        Mark the octave below Sa and the one that starts an octave above it; those beyond have no
        mark.
    unicode : bool
        Mark octaves by dots, otherwise by ``,`` and ``'``.

    Returns
    -------
    str or np.ndarray of str
        The names; of frequencies that are not positive the empty text.

    Raises
    ------
    ParameterError
        If there are no real numbers, or `Sa` cannot be used.

    Examples
    --------
    >>> metalmom.hz_to_svara_h([261, 391.5], Sa=261, abbr=False)
    array(['Sa', 'Pa'], dtype='<U2')
    """
    numbers(frequencies, "frequencies")
    return _svara(midi_of_hz(frequencies), _positive(Sa), _hindustani(abbr), octave, unicode)


@overload
def hz_to_svara_c(frequencies: Number, *, Sa: Number, **written: Unpack[_Carnatic]) -> str: ...
@overload
def hz_to_svara_c(frequencies: Several, *, Sa: Number, **written: Unpack[_Carnatic]) -> StrArray: ...
@public
def hz_to_svara_c(
    frequencies: Number | ArrayLike,
    *,
    Sa: Number,
    mela: str | Int,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str | StrArray:
    """Name frequencies as Carnatic svara of a melakarta raga.

    Twelve equal semitones to the octave; the raga decides how they are spelled.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    Sa : number
        Frequency of Sa in Hz.
    mela : str or int
        The raga: its name (see `metalmom.list_mela`) or its number from 1 to 72.
    abbr : bool
        Write S, R₁, R₂ ... instead of Sa, Ri₁, Ri₂ ...
    octave : bool
        Mark the octave below Sa and the one that starts an octave above it; those beyond have no
        mark.
    unicode : bool
        Mark octaves by dots and write numbers as subscripts, otherwise by ``,`` and ``'``.

    Returns
    -------
    str or np.ndarray of str
        The names; of frequencies that are not positive the empty text.

    Raises
    ------
    ParameterError
        If there are no real numbers, or `Sa` or `mela` cannot be used.

    Examples
    --------
    >>> metalmom.hz_to_svara_c([261, 391.5], Sa=261, mela="kanakangi")
    array(['S', 'P'], dtype='<U1')
    """
    numbers(frequencies, "frequencies")
    names = mela_to_svara(mela, abbr=abbr, unicode=unicode)
    return _svara(midi_of_hz(frequencies), _positive(Sa), names, octave, unicode)


@overload
def note_to_svara_h(notes: str, *, Sa: str, **written: Unpack[_Svara]) -> str: ...
@overload
def note_to_svara_h(notes: _Notes, *, Sa: str, **written: Unpack[_Svara]) -> StrArray: ...
@public
def note_to_svara_h(
    notes: str | Strings,
    *,
    Sa: str,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str | StrArray:
    """Name Western notes as Hindustani svara.

    Twelve equal semitones to the octave; small letters are the lower (komal) forms, and ma the pure one.

    Parameters
    ----------
    notes : str or iterable of str
        Western note names, as `metalmom.note_to_midi` reads them.
    Sa : str
        The note that is Sa; in octave 0 if it names no octave.
    abbr : bool
        Write S, r, R, g ... instead of Sa, re, Re, ga ...
    octave : bool
        Mark the octave below Sa and the one that starts an octave above it; those beyond have no
        mark.
    unicode : bool
        Mark octaves by dots, otherwise by ``,`` and ``'``.

    Returns
    -------
    str or np.ndarray of str
        The names; of the empty text the empty text.

    Raises
    ------
    ParameterError
        If a text is not a note name, or `Sa` cannot be used.

    Examples
    --------
    >>> metalmom.note_to_svara_h(["C4", "Db4"], Sa="C4")
    array(['S', 'r'], dtype='<U1')
    """
    return _svara(_midi_of_notes(notes), _note(Sa), _hindustani(abbr), octave, unicode)


@overload
def note_to_svara_c(notes: str, *, Sa: str, **written: Unpack[_Carnatic]) -> str: ...
@overload
def note_to_svara_c(notes: _Notes, *, Sa: str, **written: Unpack[_Carnatic]) -> StrArray: ...
@public
def note_to_svara_c(
    notes: str | Strings,
    *,
    Sa: str,
    mela: str | Int,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str | StrArray:
    """Name Western notes as Carnatic svara of a melakarta raga.

    Twelve equal semitones to the octave; the raga decides how they are spelled.

    Parameters
    ----------
    notes : str or iterable of str
        Western note names, as `metalmom.note_to_midi` reads them.
    Sa : str
        The note that is Sa; in octave 0 if it names no octave.
    mela : str or int
        The raga: its name (see `metalmom.list_mela`) or its number from 1 to 72.
    abbr : bool
        Write S, R₁, R₂ ... instead of Sa, Ri₁, Ri₂ ...
    octave : bool
        Mark the octave below Sa and the one that starts an octave above it; those beyond have no
        mark.
    unicode : bool
        Mark octaves by dots and write numbers as subscripts, otherwise by ``,`` and ``'``.

    Returns
    -------
    str or np.ndarray of str
        The names; of the empty text the empty text.

    Raises
    ------
    ParameterError
        If a text is not a note name, or `Sa` or `mela` cannot be used.

    Examples
    --------
    >>> metalmom.note_to_svara_c(["C4", "Db4"], Sa="C4", mela=36, unicode=False)
    array(['S', 'R1'], dtype='<U2')
    """
    names = mela_to_svara(mela, abbr=abbr, unicode=unicode)
    return _svara(_midi_of_notes(notes), _note(Sa), names, octave, unicode)


# Perceptual frequency weightings in decibels.
#
# A, B and C are the curves of IEC 61672-1 (B: IEC 651), D is that of IEC 537: the response of an
# analogue filter, given by its corner frequencies.

# Squares of corner frequencies in Hz: those common to A, B and C, and each one's own. They are
# NumPy scalars, so that float32 frequencies become float64, as in librosa.
_ENDS = np.square((12194.217, 20.598997))
_OF_A = np.square((107.65265, 737.86223))
_OF_B = np.square((158.48932,))


# Gain in dB, zeros at 0 Hz, and the squares of single poles; the ends are double poles.
_CURVES: dict[str, tuple[float, int, Any]]
_CURVES = {"A": (2.0, 4, _OF_A), "B": (0.17, 3, _OF_B), "C": (0.062, 2, ())}


def _weights(name: str, frequencies: ArrayLike, min_db: Number | None) -> Any:
    """Response in dB of a curve of zeros and poles; the square of the upper end normalises it."""
    gain_db, zeros_at_0, single = _CURVES[name]
    squared = np.asanyarray(frequencies)[()] ** 2.0
    with np.errstate(divide="ignore"):
        levels = np.log10(_ENDS[0]) + zeros_at_0 / 2 * np.log10(squared)
        for pole in _ENDS:
            levels = levels - np.log10(squared + pole)
        for pole in single:
            levels = levels - 0.5 * np.log10(squared + pole)
    return _clip(gain_db + 20.0 * levels, min_db, name)


def _clip(levels: Any, min_db: Number | None, name: str) -> Any:
    if min_db is not None:
        return np.maximum(min_db, levels)
    if not np.all(np.isfinite(levels)):
        warn(
            f"{name}-weighting returned non-finite values. "
            "This is likely due to low (~0 Hz) frequencies.",
        )
    return levels


@overload
def A_weighting(frequencies: Number, *, min_db: Float | None = ...) -> float: ...
@overload
def A_weighting(frequencies: Several, *, min_db: Float | None = ...) -> Float64Array: ...
@public
def A_weighting(
    frequencies: Number | ArrayLike,
    *,
    min_db: Float | None = -80.0,
) -> float | Float64Array:
    """A-weighting of frequencies in dB.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    min_db : float or None
        The least value of the result. With None, 0 Hz gives -inf and a warning.

    Returns
    -------
    float or np.ndarray of float64
        Weights in dB; about 0 at 1 kHz.

    Examples
    --------
    >>> metalmom.A_weighting([100.0, 1000.0, 10000.0]).round(1)
    array([-19.1,   0. ,  -2.5])
    """
    return _weights("A", frequencies, min_db)


@overload
def B_weighting(frequencies: Number, *, min_db: Float | None = ...) -> float: ...
@overload
def B_weighting(frequencies: Several, *, min_db: Float | None = ...) -> Float64Array: ...
@public
def B_weighting(
    frequencies: Number | ArrayLike,
    *,
    min_db: Float | None = -80.0,
) -> float | Float64Array:
    """B-weighting of frequencies in dB (IEC 651).

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    min_db : float or None
        The least value of the result. With None, 0 Hz gives -inf and a warning.

    Returns
    -------
    float or np.ndarray of float64
        Weights in dB; about 0 at 1 kHz.

    Examples
    --------
    >>> metalmom.B_weighting([100.0, 1000.0, 10000.0]).round(1)
    array([-5.6,  0. , -4.3])
    """
    return _weights("B", frequencies, min_db)


@overload
def C_weighting(frequencies: Number, *, min_db: Float | None = ...) -> float: ...
@overload
def C_weighting(frequencies: Several, *, min_db: Float | None = ...) -> Float64Array: ...
@public
def C_weighting(
    frequencies: Number | ArrayLike,
    *,
    min_db: Float | None = -80.0,
) -> float | Float64Array:
    """C-weighting of frequencies in dB (IEC 61672-1).

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    min_db : float or None
        The least value of the result. With None, 0 Hz gives -inf and a warning.

    Returns
    -------
    float or np.ndarray of float64
        Weights in dB; about 0 at 1 kHz.

    Examples
    --------
    >>> metalmom.C_weighting([100.0, 1000.0, 10000.0]).round(1)
    array([-0.3,  0. , -4.4])
    """
    return _weights("C", frequencies, min_db)


@overload
def D_weighting(frequencies: Number, *, min_db: Float | None = ...) -> float: ...
@overload
def D_weighting(frequencies: Several, *, min_db: Float | None = ...) -> Float64Array: ...
@public
def D_weighting(
    frequencies: Number | ArrayLike,
    *,
    min_db: Float | None = -80.0,
) -> float | Float64Array:
    """D-weighting of frequencies in dB (IEC 537).

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    min_db : float or None
        The least value of the result. With None, 0 Hz gives -inf and a warning.

    Returns
    -------
    float or np.ndarray of float64
        Weights in dB; about 0 at 1 kHz.

    Examples
    --------
    >>> metalmom.D_weighting([100.0, 1000.0, 10000.0]).round(1)
    array([-7.2, -0. ,  3.4])
    """
    squared = np.asanyarray(frequencies)[()] ** 2.0
    corner = np.square([1018.7, 1039.6, 3136.5, 3424.0, 282.7, 1160.0])
    with np.errstate(divide="ignore"):
        resonance = np.log10((corner[0] - squared) ** 2 + corner[1] * squared)
        damping = np.log10((corner[2] - squared) ** 2 + corner[3] * squared)
        poles = np.log10(corner[4] + squared) + np.log10(corner[5] + squared)
        slope = 0.5 * np.log10(squared) - np.log10(8.3046305e-3**2)
    return _clip(20.0 * (slope + 0.5 * (resonance - damping - poles)), min_db, "D")


@public
def Z_weighting(
    frequencies: Annotated[Sequence[Any] | Array, sequence()],
    *,
    min_db: Float | None = None,
) -> Float64Array:
    """No weighting: 0 dB for each of a sequence of frequencies.

    Parameters
    ----------
    frequencies : sequence
        Frequencies in Hz; only their number counts.
    min_db : float or None
        The least value of the result.

    Returns
    -------
    np.ndarray of float64
        As many zeros (or `min_db`, if that is more).

    Examples
    --------
    >>> metalmom.Z_weighting([100.0, 1000.0])
    array([0., 0.])
    """
    if np.isscalar(frequencies) or getattr(frequencies, "ndim", 1) == 0:
        raise ParameterTypeError("frequencies", frequencies, "a sequence for kind 'Z'")
    levels = np.zeros(len(frequencies))
    return levels if min_db is None else np.maximum(min_db, levels)


_KINDS: dict[Any, Callable[..., Any]] = {
    "A": A_weighting, "B": B_weighting, "C": C_weighting, "D": D_weighting,
    "Z": Z_weighting, None: Z_weighting,
}  # fmt: skip


@overload
def frequency_weighting(frequencies: Number, *, kind: str | None = ..., **kwargs: Any) -> float: ...
@overload
def frequency_weighting(frequencies: Several, *, kind: str | None = ..., **kwargs: Any) -> Float64Array: ...
@takes("min_db")
@public
def frequency_weighting(
    frequencies: Number | ArrayLike,
    *,
    kind: str | None = "A",
    **kwargs: Any,
) -> float | Float64Array:
    """Weighting of frequencies in dB by the name of its curve.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    kind : str or None
        ``"A"``, ``"B"``, ``"C"``, ``"D"``, ``"Z"`` in either case; None is ``"Z"``.
    **kwargs
        `min_db`: as in `A_weighting`.

    Returns
    -------
    float or np.ndarray of float64
        Weights in dB.

    Raises
    ------
    ParameterError
        If `kind` is not a known curve.

    Examples
    --------
    >>> metalmom.frequency_weighting([1000.0, 10000.0], kind="c").round(1)
    array([ 0. , -4.4])
    """
    name = kind.upper() if isinstance(kind, str) else kind
    if name not in _KINDS:
        raise ParameterKeyError("kind", kind, f"one of {', '.join(map(repr, _KINDS))}", choices=tuple(_KINDS))
    return _KINDS[name](frequencies, **kwargs)


@takes("min_db")
@native_names(kind="kinds")
@public
def multi_frequency_weighting(
    frequencies: Annotated[Sequence[Any] | Array, sequence()],
    *,
    kinds: Strings = "ZAC",
    **kwargs: Any,
) -> RealArray:
    """Several weightings of the same frequencies, one row each.

    Parameters
    ----------
    frequencies : sequence
        Frequencies in Hz.
    kinds : iterable of str
        Curves, as `frequency_weighting` names them.
    **kwargs
        `min_db`: as in `A_weighting`.

    Returns
    -------
    np.ndarray, shape (len(kinds), len(frequencies)), real
        Weights in dB.

    Examples
    --------
    >>> metalmom.multi_frequency_weighting([1000.0, 10000.0], kinds="ZC").round(1)
    array([[ 0. ,  0. ],
           [ 0. , -4.4]])
    """
    weights = [frequency_weighting(frequencies, kind=kind, **kwargs) for kind in kinds]
    if len({each.shape for each in weights}) > 1:  # Z has one weight for each row
        raise ParameterError("frequencies.ndim", np.ndim(frequencies), "1 for kinds with 'Z'")
    return np.stack(weights)
