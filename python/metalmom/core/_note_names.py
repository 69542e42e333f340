"""Note names: what they are made of, how they are read and written."""

from __future__ import annotations

import re
from typing import Any, TYPE_CHECKING

import numpy as np

from ..util._checks import require, wide
from ..util.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from ..util._types import Array, ArrayLike, StrArray

# Semitones above C, and the order of fifths.
LETTERS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_FIFTHS = "FCGDAEB"
ACCIDENTALS = {"#": 1, "♯": 1, "𝄪": 2, "b": -1, "!": -1, "♭": -1, "𝄫": -2, "♮": 0, "n": 0}
_ASCII = str.maketrans({"♯": "#", "𝄪": "##", "♭": "b", "𝄫": "bb", "♮": "n"})

# Compiled when a name is first read, not on import.
_NOTE = (
    r"(?P<letter>[A-Ga-g])(?P<accidentals>[#♯𝄪b!♭𝄫♮n]*)"
    r"(?P<octave>[+-]?\d+)?(?P<cents>[+-]\d+)?$"
)


def parse_note(note: object, argument: str = "note") -> tuple[str | Any, ...]:
    """Letter, accidentals, octave and cents of a name, the last two None where they are missing."""
    match = re.match(_NOTE, note) if isinstance(note, str) else None
    if match is None:
        raise ParameterError(argument, note, "the name of a note, like 'C', 'F#3' or 'Bb-1+20'")
    return match.groups()


def fifths_of(letter: str, accidentals: str = "") -> int:
    """Fifths from C to a note."""
    sharps = sum(ACCIDENTALS[sign] for sign in accidentals)
    return _FIFTHS.index(letter.upper()) - 1 + 7 * sharps


def note_at(fifths: int, *, unicode: bool = True, single_first: bool = False, natural: bool = False) -> str:
    """Name of the note so many fifths from C."""
    sharps, place = divmod(fifths + 1, 7)
    if sharps:
        double, single = ("𝄪", "♯") if sharps > 0 else ("𝄫", "♭")
        written = [double] * (abs(sharps) // 2) + [single] * (abs(sharps) % 2)
        signs = "".join(reversed(written) if single_first else written)
    else:
        signs = "♮" if natural else ""
    return _FIFTHS[place] + (signs if unicode else signs.translate(_ASCII))


def numbers(values: object, name: str) -> Array:
    """Numbers that are to be named, as an array of at least one."""
    array = np.asarray(values)
    require(array.dtype.kind in "biuf", name, values, "real numbers")
    if array.size == 0:
        raise ParameterError(f"{name} of shape {array.shape} must not be empty", argument=name)
    return array


def spelled(values: ArrayLike, text: Callable[[Array], Iterable[str]]) -> str | StrArray:
    """Names of numbers: ``text`` of a 1-d array of finite ones is their list; others are empty.

    A scalar gives a str, an array one of the same shape.
    """
    flat = np.ravel(wide(values))
    finite = np.isfinite(flat)
    texts = iter(text(flat[finite]))
    names = [next(texts) if known else "" for known in finite.tolist()]
    return names[0] if np.isscalar(values) else np.array(names).reshape(np.shape(values))
