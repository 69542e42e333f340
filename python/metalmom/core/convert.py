"""Conversions between units of time, frequency and pitch, and frequency weightings.

Every function is vectorised: a number gives a NumPy scalar, anything array-like an array.
"""

import re

import numpy as np

from .._homes import adopt
from ..util.exceptions import ParameterError
from . import _time_units, _weightings
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
    "hz_to_mel",
    "hz_to_midi",
    "hz_to_octs",
    "mel_frequencies",
    "mel_to_hz",
    "midi_to_hz",
    "multi_frequency_weighting",
    "note_to_hz",
    "note_to_midi",
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

adopt(__name__, _time_units, _weightings)

# Slaney's mel scale (Auditory Toolbox, 1998): 3 mels per 200 Hz up to 1 kHz, and from there
# 27 mels for each factor of 6.4. The step stays a NumPy scalar: it lifts float32 to float64.
_MEL_HZ = 200.0 / 3
_BREAK_HZ = 1000.0
_BREAK_MEL = _BREAK_HZ / _MEL_HZ
_LOG_STEP = np.log(6.4) / 27.0

# Compiled when a name is first read, not on import.
_NOTE = (
    r"(?P<letter>[A-Ga-g])(?P<accidentals>[#♯𝄪b!♭𝄫♮n]*)"
    r"(?P<octave>[+-]?\d+)?(?P<cents>[+-]\d+)?$"
)
_LETTERS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_ACCIDENTALS = {"#": 1, "♯": 1, "𝄪": 2, "b": -1, "!": -1, "♭": -1, "𝄫": -2, "♮": 0, "n": 0}


def note_to_hz(note, *, round_midi=False):
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
        If a text is no note name.

    Examples
    --------
    >>> metalmom.note_to_hz(["A3", "A4", "A4+1200"])
    array([220., 440., 880.])
    """
    return midi_to_hz(note_to_midi(note, round_midi=round_midi))


def note_to_midi(note, *, round_midi=True):
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
        If a text is no note name.

    Examples
    --------
    >>> metalmom.note_to_midi(["C4", "C#4", "Db4"])
    array([60, 61, 61])
    """
    if not isinstance(note, str):
        return np.array([note_to_midi(each, round_midi=round_midi) for each in note])
    if not note:
        return np.nan
    match = re.match(_NOTE, note)
    if match is None:
        raise ParameterError(f"note={note!r} must be a letter A-G with accidentals, octave, cents")

    # np.sum of nothing is a float: a natural note has a float value even before cents.
    alteration = np.sum([_ACCIDENTALS[sign] for sign in match["accidentals"]])
    cents = int(match["cents"]) * 0.01 if match["cents"] else 0
    octave = int(match["octave"] or 0)
    midi = 12 * (octave + 1) + _LETTERS[match["letter"].upper()] + alteration + cents
    return int(np.round(midi)) if round_midi else midi


def midi_to_hz(notes):
    """Convert MIDI numbers to frequencies in Hz, from A4 = 69 = 440 Hz.

    Parameters
    ----------
    notes : number or array_like
        MIDI numbers, fractions included.

    Returns
    -------
    float or np.ndarray
        Frequencies in Hz.

    Examples
    --------
    >>> metalmom.midi_to_hz([57, 69, 81])
    array([220., 440., 880.])
    """
    return 440.0 * 2.0 ** ((np.asanyarray(notes)[()] - 69.0) / 12.0)


def hz_to_midi(frequencies):
    """Convert frequencies in Hz to fractional MIDI numbers, from A4 = 69 = 440 Hz.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz; 0 gives -inf with NumPy's warning.

    Returns
    -------
    float or np.ndarray
        MIDI numbers.

    Examples
    --------
    >>> metalmom.hz_to_midi([220.0, 440.0, 880.0])
    array([57., 69., 81.])
    """
    octaves = np.log2(np.asanyarray(frequencies)) - np.log2(440.0)
    return (12 * octaves + 69)[()]


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
    float or np.ndarray
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
    float or np.ndarray
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


def hz_to_octs(frequencies, *, tuning=0.0, bins_per_octave=12):
    """Convert frequencies in Hz to fractional octaves above A0 (27.5 Hz).

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz, positive.
    tuning : float
        Deviation from A4 = 440 Hz, in bins.
    bins_per_octave : int
        Bins that `tuning` counts in.

    Returns
    -------
    float or np.ndarray
        Octaves; A4 is 4.

    Examples
    --------
    >>> metalmom.hz_to_octs([27.5, 440.0])
    array([0., 4.])
    """
    return np.log2(np.asanyarray(frequencies) / _octave_0(tuning, bins_per_octave))[()]


def octs_to_hz(octs, *, tuning=0.0, bins_per_octave=12):
    """Convert octaves above A0 to frequencies in Hz; the inverse of `hz_to_octs`.

    Parameters
    ----------
    octs : number or array_like
        Octaves; A4 is 4.
    tuning : float
        Deviation from A4 = 440 Hz, in bins.
    bins_per_octave : int
        Bins that `tuning` counts in.

    Returns
    -------
    float or np.ndarray
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
    bins_per_octave : int
        Bins per octave.

    Returns
    -------
    float or np.ndarray
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
    bins_per_octave : int
        Bins per octave.

    Returns
    -------
    float or np.ndarray
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
    sr : number
        Sampling rate in Hz.
    n_fft : int
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
    n_bins : int
        Number of bins.
    fmin : float
        Frequency of the first bin in Hz, before tuning.
    bins_per_octave : int
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
    n_mels : int
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
    n_bins : int
        Number of lags, in frames from 0.
    hop_length : int
        Samples from one frame to the next.
    sr : number
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


def fourier_tempo_frequencies(*, sr=22050, win_length=384, hop_length=512):
    """Tempi in beats per minute of the bins of a Fourier tempogram.

    Parameters
    ----------
    sr : number
        Sampling rate in Hz.
    win_length : int
        Frames per window.
    hop_length : int
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
