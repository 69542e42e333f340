"""Names of notes in keys, along the circle of fifths and in just intonation; ragas and thaats.

A note name is a place on the line of fifths ... Bb F C G D A E B F# C# ...: every seven places the
letters come again, with a sharp more. C is place 0.
"""

import functools
import re

import numpy as np

from .._homes import adopt
from ..util.exceptions import ParameterError
from . import _fjs, _ragas
from ._fjs import interval_to_fjs
from ._notes import fifths_of, note_at, parse_note
from ._ragas import list_mela, list_thaat, mela_to_degrees, mela_to_svara, thaat_to_degrees

__all__ = [
    "fifths_to_note",
    "interval_to_fjs",
    "key_to_degrees",
    "key_to_notes",
    "list_mela",
    "list_thaat",
    "mela_to_degrees",
    "mela_to_svara",
    "thaat_to_degrees",
]

adopt(__name__, _fjs, _ragas)

# For each mode: by how many fifths its tonic lies above that of the major key with the same notes.
_MODES = {
    "lydian": -1,
    "ionian": 0,
    "mixolydian": 1,
    "dorian": 2,
    "aeolian": 3,
    "phrygian": 4,
    "locrian": 5,
}
_MODES_BY_NAME = {"maj": 0, "major": 0, "min": 3, "minor": 3} | {
    name: place
    for mode, place in _MODES.items()
    for name in (mode, mode[:3], mode.removesuffix("ian"))
}
_KEY = r"(?P<letter>[A-Ga-g])(?P<accidentals>[#♯𝄪b!♭𝄫♮n]*):(?P<mode>[a-z]+)"
# The first of the twelve neighbouring fifths that spell notes outside of a scale: with flats Gb ...
# B, with sharps F ... A#.
_FLATS, _SHARPS = -6, -1


def _parse_key(key):
    """Place of the tonic of a key, of its mode, and of the tonic that decides its spelling."""
    match = re.fullmatch(_KEY, key) if isinstance(key, str) else None
    if match is None or match["mode"] not in _MODES_BY_NAME:
        raise ParameterError(f"key={key!r} must be a tonic and a mode, such as 'C:maj' or 'Eb:dor'")
    tonic, mode = fifths_of(match["letter"], match["accidentals"]), _MODES_BY_NAME[match["mode"]]
    # Major and minor keys are spelled by their own tonic, other modes by the tonic of the major
    # key.
    return tonic, mode, tonic if match["mode"] in ("min", "minor") else tonic - mode


@functools.lru_cache(maxsize=256)
def _key_notes(key, unicode, natural):
    tonic, mode, home = _parse_key(key)
    # A key with several accidentals is spelled as the one with a single accidental, with all notes
    # moved.
    accidentals = (home + 1) // 7
    moved = accidentals - max(-1, min(accidentals, 1))
    signature = tonic - mode - 7 * moved
    first = _SHARPS if signature >= 0 else _FLATS
    scale = range(signature - 1, signature + 6)
    places = {7 * place % 12: place for place in (*range(first, first + 12), *scale)}
    return tuple(
        note_at(
            place + 7 * moved,
            unicode=unicode,
            single_first=True,
            natural=natural and place not in scale,
        )
        for place in (places[(pitch - moved) % 12] for pitch in range(12))
    )


def key_to_notes(key, *, unicode=True, natural=False):
    """Names of the twelve pitch classes as a key spells them.

    The notes of the scale have a letter each. The others have sharps in keys of sharps and in
    those without a signature, flats in keys of flats.

    Parameters
    ----------
    key : str
        A tonic, with any number of accidentals (``#``, ``b``, ``!`` for flat, or the Unicode
        signs), and a mode: ``"C:maj"``, ``"Bb:minor"``, ``"F♯:dorian"``. Modes are major, minor
        and the seven of the diatonic scale; their first three letters or the name without "ian"
        will do.
    unicode : bool
        Write ♯ 𝄪 ♭ 𝄫 ♮, otherwise # ## b bb n.
    natural : bool
        Mark notes without an accidental that the scale does not contain by a natural sign.

    Returns
    -------
    list of str
        Twelve names, from pitch class C on.

    Raises
    ------
    ParameterError
        If `key` is no key.

    Examples
    --------
    >>> " ".join(metalmom.key_to_notes("F:min", unicode=False))
    'C Db D Eb E F Gb G Ab A Bb B'
    """
    if not isinstance(key, str):
        _parse_key(key)  # refuses it by name
    return list(_key_notes(key, bool(unicode), bool(natural)))


def key_to_degrees(key):
    """Pitch classes of the scale of a key, from its tonic up.

    Parameters
    ----------
    key : str
        A tonic and a mode, as `key_to_notes` takes them.

    Returns
    -------
    np.ndarray of int, shape (7,)
        Semitones above C, 0 to 11.

    Raises
    ------
    ParameterError
        If `key` is no key.

    Examples
    --------
    >>> metalmom.key_to_degrees("A:min")
    array([ 9, 11,  0,  2,  4,  5,  7])
    """
    tonic, mode, _ = _parse_key(key)
    # A scale is seven neighbours on the line of fifths; the mode says how many of them are below
    # the tonic.
    steps = np.sort(7 * np.arange(-1 - mode, 6 - mode) % 12)
    return (7 * tonic + steps) % 12


def fifths_to_note(*, unison, fifths, unicode=True):
    """Name of the note that lies some perfect fifths above another.

    Parameters
    ----------
    unison : str
        The note to start from: a letter with accidentals.
    fifths : int
        How many fifths up, or down if negative. Twelve of them give another name, B♯ above C.
    unicode : bool
        Write ♯ 𝄪 ♭ 𝄫, otherwise # ## b bb.

    Returns
    -------
    str
        The name, without an octave.

    Raises
    ------
    ParameterError
        If `unison` is no note or `fifths` no integer.

    Examples
    --------
    >>> metalmom.fifths_to_note(unison="C", fifths=-2, unicode=False)
    'Bb'
    """
    if not isinstance(fifths, (int, np.integer)):
        raise ParameterError(f"fifths={fifths!r} must be an integer")
    return note_at(fifths_of(*parse_note(unison, "unison")[:2]) + int(fifths), unicode=unicode)
