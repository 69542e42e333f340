"""Svara names of numbers, frequencies and notes; `metalmom.core.convert` exports them."""

import numpy as np

from ..util.exceptions import ParameterError
from ._note_units import hz_to_midi, note_to_midi
from ._notes import numbers, spelled
from ._ragas import mela_to_svara

__all__ = [
    "hz_to_svara_c",
    "hz_to_svara_h",
    "midi_to_svara_c",
    "midi_to_svara_h",
    "note_to_svara_c",
    "note_to_svara_h",
]

_HINDUSTANI = "Sa re Re ga Ga ma Ma Pa dha Dha ni Ni".split()
# How an octave below, or above, is marked: by a dot under or over the first letter, or by a sign at
# the end.
_DOTS = {-1: "\N{COMBINING DOT BELOW}", 1: "\N{COMBINING DOT ABOVE}"}
_SIGNS = {-1: ",", 1: "'"}


def _svara(midi, Sa, names, octave, unicode):
    """Names of MIDI numbers by their distance from `Sa`."""

    def text(values):
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


def _hindustani(abbr):
    return [name[0] for name in _HINDUSTANI] if abbr else _HINDUSTANI


def _finite(Sa):
    if np.ndim(Sa) or np.asarray(Sa).dtype.kind not in "iuf" or not np.isfinite(Sa):
        raise ParameterError(f"Sa={Sa!r} must be a finite number")
    return Sa


def _positive(Sa):
    if not _finite(Sa) > 0:
        raise ParameterError(f"Sa={Sa} must be strictly positive")
    return hz_to_midi(Sa)


def _note(Sa):
    """MIDI number of a note, to the semitone; those of the notes to name keep their cents."""
    if isinstance(Sa, str) and not Sa:
        raise ParameterError("Sa='' must be a note")
    return note_to_midi(Sa)


def _midi_of_notes(notes):
    midi = note_to_midi(notes, round_midi=False)
    if np.size(midi) == 0:
        raise ParameterError("notes must not be empty")
    return midi


def midi_to_svara_h(midi, *, Sa, abbr=True, octave=True, unicode=True):
    """Name MIDI numbers as Hindustani svara.

    The nearest semitone counts; small letters are the lower (komal) forms, and ma the pure one.

    Parameters
    ----------
    midi : number or array_like
        MIDI numbers, fractions included.
    Sa : number
        MIDI number of Sa.
    abbr : bool
        Write S, r, R, g ... in place of Sa, re, Re, ga ...
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
    names = _hindustani(abbr)
    return _svara(midi, _finite(Sa), names, octave, unicode)


def midi_to_svara_c(midi, *, Sa, mela, abbr=True, octave=True, unicode=True):
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
        Write S, R₁, R₂ ... in place of Sa, Ri₁, Ri₂ ...
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


def hz_to_svara_h(frequencies, *, Sa, abbr=True, octave=True, unicode=True):
    """Name frequencies as Hindustani svara.

    Twelve equal semitones to the octave; small letters are the lower (komal) forms, and ma the pure one.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    Sa : number
        Frequency of Sa in Hz.
    abbr : bool
        Write S, r, R, g ... in place of Sa, re, Re, ga ...
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
    names = _hindustani(abbr)
    return _svara(hz_to_midi(frequencies), _positive(Sa), names, octave, unicode)


def hz_to_svara_c(frequencies, *, Sa, mela, abbr=True, octave=True, unicode=True):
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
        Write S, R₁, R₂ ... in place of Sa, Ri₁, Ri₂ ...
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
    return _svara(hz_to_midi(frequencies), _positive(Sa), names, octave, unicode)


def note_to_svara_h(notes, *, Sa, abbr=True, octave=True, unicode=True):
    """Name Western notes as Hindustani svara.

    Twelve equal semitones to the octave; small letters are the lower (komal) forms, and ma the pure one.

    Parameters
    ----------
    notes : str or iterable of str
        Western note names, as `metalmom.note_to_midi` reads them.
    Sa : str
        The note that is Sa; in octave 0 if it has none.
    abbr : bool
        Write S, r, R, g ... in place of Sa, re, Re, ga ...
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
        If a text is no note name, or `Sa` cannot be used.

    Examples
    --------
    >>> metalmom.note_to_svara_h(["C4", "Db4"], Sa="C4")
    array(['S', 'r'], dtype='<U1')
    """
    names = _hindustani(abbr)
    return _svara(_midi_of_notes(notes), _note(Sa), names, octave, unicode)


def note_to_svara_c(notes, *, Sa, mela, abbr=True, octave=True, unicode=True):
    """Name Western notes as Carnatic svara of a melakarta raga.

    Twelve equal semitones to the octave; the raga decides how they are spelled.

    Parameters
    ----------
    notes : str or iterable of str
        Western note names, as `metalmom.note_to_midi` reads them.
    Sa : str
        The note that is Sa; in octave 0 if it has none.
    mela : str or int
        The raga: its name (see `metalmom.list_mela`) or its number from 1 to 72.
    abbr : bool
        Write S, R₁, R₂ ... in place of Sa, Ri₁, Ri₂ ...
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
        If a text is no note name, or `Sa` or `mela` cannot be used.

    Examples
    --------
    >>> metalmom.note_to_svara_c(["C4", "Db4"], Sa="C4", mela=36, unicode=False)
    array(['S', 'R1'], dtype='<U2')
    """
    names = mela_to_svara(mela, abbr=abbr, unicode=unicode)
    return _svara(_midi_of_notes(notes), _note(Sa), names, octave, unicode)
