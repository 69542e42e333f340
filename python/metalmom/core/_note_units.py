"""Conversions between note names, MIDI numbers and Hz; `metalmom.core.convert` exports them."""

import numpy as np

from .._declared import Like, as_feature
from ._notes import ACCIDENTALS, LETTERS, parse_note

__all__ = ["hz_to_midi", "midi_to_hz", "note_to_hz", "note_to_midi"]


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
    letter, accidentals, octave, cents = parse_note(note)
    # As in librosa, notes without an accidental and cents give a float.
    alteration = sum(ACCIDENTALS[sign] for sign in accidentals) if accidentals else 0.0
    cents = int(cents) * 0.01 if cents else 0
    midi = 12 * (int(octave or 0) + 1) + LETTERS[letter.upper()] + alteration + cents
    return round(midi) if round_midi else midi


@as_feature(Like(numbers=float), listed=False)
def midi_to_hz(notes):
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
    return 440.0 * 2.0 ** ((np.asanyarray(notes)[()] - 69.0) / 12.0)


@as_feature(Like(numbers=float), listed=False)
def hz_to_midi(frequencies):
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
    octaves = np.log2(np.asanyarray(frequencies)) - np.log2(440.0)
    return (12 * octaves + 69)[()]
