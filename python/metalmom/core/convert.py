"""Conversions between units of time, frequency and pitch, and frequency weightings.

Every function is vectorised: a number gives a NumPy scalar, anything array-like an array.
"""

import numpy as np

from .._boundary import native_names
from .._declared import Like, as_feature
from .._homes import adopt
from . import _labels, _note_units, _svara, _time_units, _weightings
from ._labels import hz_to_fjs, hz_to_note, midi_to_note
from ._note_units import hz_to_midi, midi_to_hz, note_to_hz, note_to_midi
from ._svara import (
    hz_to_svara_c,
    hz_to_svara_h,
    midi_to_svara_c,
    midi_to_svara_h,
    note_to_svara_c,
    note_to_svara_h,
)
from ._time_units import (
    blocks_to_frames,
    blocks_to_samples,
    blocks_to_time,
    frames_to_samples,
    frames_to_time,
    samples_like,
    samples_to_frames,
    samples_to_time,
    time_to_frames,
    time_to_samples,
    times_like,
)
from ._weightings import (
    A_weighting,
    B_weighting,
    C_weighting,
    D_weighting,
    Z_weighting,
    frequency_weighting,
    multi_frequency_weighting,
)

__all__ = [
    "A4_to_tuning",
    "A_weighting",
    "B_weighting",
    "C_weighting",
    "D_weighting",
    "Z_weighting",
    "blocks_to_frames",
    "blocks_to_samples",
    "blocks_to_time",
    "cqt_frequencies",
    "fft_frequencies",
    "fourier_tempo_frequencies",
    "frames_to_samples",
    "frames_to_time",
    "frequency_weighting",
    "hz_to_fjs",
    "hz_to_mel",
    "hz_to_midi",
    "hz_to_note",
    "hz_to_octs",
    "hz_to_svara_c",
    "hz_to_svara_h",
    "mel_frequencies",
    "mel_to_hz",
    "midi_to_hz",
    "midi_to_note",
    "midi_to_svara_c",
    "midi_to_svara_h",
    "multi_frequency_weighting",
    "note_to_hz",
    "note_to_midi",
    "note_to_svara_c",
    "note_to_svara_h",
    "octs_to_hz",
    "samples_like",
    "samples_to_frames",
    "samples_to_time",
    "tempo_frequencies",
    "time_to_frames",
    "time_to_samples",
    "times_like",
    "tuning_to_A4",
]

adopt(__name__, _labels, _note_units, _svara, _time_units, _weightings)

# Slaney's mel scale (Auditory Toolbox, 1998): 3 mels per 200 Hz up to 1 kHz, and from there
# 27 mels for each factor of 6.4. The step stays a NumPy scalar: it lifts float32 to float64.
_MEL_HZ = 200.0 / 3
_BREAK_HZ = 1000.0
_BREAK_MEL = _BREAK_HZ / _MEL_HZ
_LOG_STEP = np.log(6.4) / 27.0


@as_feature(Like(numbers=float), listed=False)
def hz_to_mel(frequencies, *, htk=False):
    """Convert frequencies in Hz to mels.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    htk : bool
        Use ``2595 log10(1 + f / 700)`` (The HTK Book) in place of Slaney's scale, which is linear
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


@as_feature(Like(numbers=float), listed=False)
def mel_to_hz(mels, *, htk=False):
    """Convert mels to frequencies in Hz; the inverse of `hz_to_mel`.

    Parameters
    ----------
    mels : number or array_like
        Mels.
    htk : bool
        Use HTK's scale in place of Slaney's.

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


def _octave_0(tuning, bins_per_octave):
    """The A four octaves below A4, in Hz."""
    return float(440.0 * 2.0 ** (tuning / bins_per_octave)) / 16


@as_feature(Like(numbers=float), listed=False)
def hz_to_octs(frequencies, *, tuning=0.0, bins_per_octave=12):
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


@as_feature(Like(numbers=float), listed=False)
def octs_to_hz(octs, *, tuning=0.0, bins_per_octave=12):
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


def A4_to_tuning(A4, *, bins_per_octave=12):
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


def tuning_to_A4(tuning, *, bins_per_octave=12):
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


def fft_frequencies(*, sr=22050, n_fft=2048):
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


def cqt_frequencies(n_bins, *, fmin, bins_per_octave=12, tuning=0.0):
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


def mel_frequencies(n_mels=128, *, fmin=0.0, fmax=11025.0, htk=False):
    """Frequencies in Hz that are evenly spaced in mels.

    Parameters
    ----------
    n_mels : int > 0
        Number of frequencies.
    fmin, fmax : float
        First and last frequency in Hz.
    htk : bool
        Use HTK's mel scale in place of Slaney's (see `hz_to_mel`).

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


def tempo_frequencies(n_bins, *, hop_length=512, sr=22050):
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
def fourier_tempo_frequencies(*, sr=22050, win_length=384, hop_length=512):
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
