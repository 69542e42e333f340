"""Notation: names of notes in keys, along the circle of fifths and in just intonation; ragas and thaats.

A note name is a place on the line of fifths ... Bb F C G D A E B F# C# ...: every seven places the
letters come again, with a sharp more. C is place 0.
"""

from __future__ import annotations

import functools
import re
from typing import Any, TypedDict, Unpack, overload

import numpy as np
from ..util._public import public
from ..util._types import Array, ArrayLike, Int, IntArray, Number, Several, StrArray

from ..util._checks import require
from ..util.exceptions import ParameterError, ParameterKeyError
from ._interval_lattice import grow
from ._note_names import fifths_of, note_at, parse_note

__all__ = [
    "fifths_to_note", "interval_to_fjs", "key_to_degrees", "key_to_notes", "list_mela",
    "list_thaat", "mela_to_degrees", "mela_to_svara", "thaat_to_degrees",
]

# For each mode: by how many fifths its tonic lies above that of the major key with the same notes.
_MODES = "lydian ionian mixolydian dorian aeolian phrygian locrian".split()
_MODES_BY_NAME = {"maj": 0, "major": 0, "min": 3, "minor": 3} | {
    name: place
    for place, mode in enumerate(_MODES, start=-1)
    for name in (mode, mode[:3], mode.removesuffix("ian"))
}
_KEY = r"(?P<letter>[A-Ga-g])(?P<accidentals>[#♯𝄪b!♭𝄫♮n]*):(?P<mode>[a-z]+)"
# The first of the twelve neighbouring fifths that spell notes outside of a scale: with flats Gb ...
# B, with sharps F ... A#.
_FLATS, _SHARPS = -6, -1


def _parse_key(key: str) -> tuple[int, int, int]:
    """Place of the tonic of a key, of its mode, and of the tonic that decides its spelling."""
    match = re.fullmatch(_KEY, key) if isinstance(key, str) else None
    if match is None or match["mode"] not in _MODES_BY_NAME:
        raise ParameterError("key", key, "a tonic and a mode, such as 'C:maj' or 'Eb:dor'")
    tonic, mode = fifths_of(match["letter"], match["accidentals"]), _MODES_BY_NAME[match["mode"]]
    # Major and minor keys are spelled by their own tonic, other modes by the tonic of the major
    # key.
    return tonic, mode, tonic if match["mode"] in ("min", "minor") else tonic - mode


@functools.lru_cache(maxsize=256)
def _key_notes(key: str, unicode: bool, natural: bool) -> tuple[str, ...]:
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
        note_at(place + 7 * moved, unicode=unicode, single_first=True, natural=natural and place not in scale)
        for place in (places[(pitch - moved) % 12] for pitch in range(12))
    )


@public
def key_to_notes(key: str, *, unicode: bool = True, natural: bool = False) -> list[str]:
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
        If `key` is not a key.

    Examples
    --------
    >>> " ".join(metalmom.key_to_notes("F:min", unicode=False))
    'C Db D Eb E F Gb G Ab A Bb B'
    """
    if not isinstance(key, str):
        _parse_key(key)  # refuses it by name
    return list(_key_notes(key, bool(unicode), bool(natural)))


@public
def key_to_degrees(key: str) -> IntArray:
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
        If `key` is not a key.

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


@public
def fifths_to_note(*, unison: str, fifths: Int, unicode: bool = True) -> str:
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
        If `unison` is not a note or `fifths` is not an integer.

    Examples
    --------
    >>> metalmom.fifths_to_note(unison="C", fifths=-2, unicode=False)
    'Bb'
    """
    require(isinstance(fifths, (int, np.integer)), "fifths", fifths, "an integer")
    return note_at(fifths_of(*parse_note(unison, "unison")[:2]) + int(fifths), unicode=unicode)


# Functional Just System: names of just intervals (https://misotanni.github.io/fjs/en/).
#
# `metalmom.core.notation` exports `interval_to_fjs`.

_PRIMES = (3, 5, 7, 11, 13, 17, 19, 23)
# The sets of intervals that are looked up, simple ones first: number of primes (none: Pythagorean
# tuning) and number of intervals.
_KNOWN = ((0, 72), (1, 72), (2, 72), (3, 72), (8, 190))
# Intervals that differ by less count as the same.
_CLOSE = 5e-7
# The order in which notes are tried for an interval: 0, 1, -1, 2 ... fifths from the unison.
_PLACES = np.column_stack([np.arange(32), -np.arange(32)]).ravel()

_ABOVE = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class _Naming(TypedDict, total=False):
    unison: str
    tolerance: Number
    unicode: bool


@overload
def interval_to_fjs(interval: Number, **naming: Unpack[_Naming]) -> str: ...
@overload
def interval_to_fjs(interval: Several, **naming: Unpack[_Naming]) -> StrArray: ...
@public
def interval_to_fjs(
    interval: Number | ArrayLike,
    *,
    unison: str = "C",
    tolerance: Number = 65.0 / 63,
    unicode: bool = True,
) -> str | StrArray:
    """Name just intervals in the Functional Just System.

    The note is the first within the tolerance among those 0, 1, -1, 2, -2 ... fifths from the
    unison. The primes above 3 of the interval stand beside it: those of its numerator (otonal)
    above, those of its denominator (utonal) below.

    Parameters
    ----------
    interval : number or array_like
        Ratios to the unison, in any octave. Known are those of Pythagorean tuning and of just
        intonation: 72 an octave with primes up to 3, 5 and 7, and 190 with primes up to 23.
    unison : str
        Name of the note with ratio 1.
    tolerance : number
        How far, as a ratio, an interval may be from its note.
    unicode : bool
        Write ♯ 𝄪 ♭ 𝄫 and small numbers, otherwise # ## b bb and ``^5_7``.

    Returns
    -------
    str or np.ndarray of str
        The names.

    Raises
    ------
    ParameterError
        If an interval is not positive or not known, `unison` is not a note, or no note lies within
        `tolerance`.

    Notes
    -----
    As in librosa, the note is that of the whole interval; the system as published adds up the
    notes of its primes, which gives complex intervals (25/14) other names.

    Examples
    --------
    >>> metalmom.interval_to_fjs([1, 6 / 5, 3 / 2], unison="A", unicode=False)
    array(['A', 'C_5', 'E'], dtype='<U3')
    """
    ratios = np.asarray(interval)
    require(ratios.dtype.kind in "iuf", "interval", interval, "numbers")
    require(0 < tolerance < np.inf, "tolerance", tolerance, "a number > 0")
    first = fifths_of(*parse_note(unison, "unison")[:2])
    names = [_name(ratio, first, tolerance, unicode) for ratio in ratios.ravel().tolist()]
    return names[0] if np.isscalar(interval) else np.array(names, dtype=str).reshape(ratios.shape)


def _name(ratio: float, first: int, tolerance: Number, unicode: bool) -> str:
    require(not ratio <= 0, "interval", ratio, "a number > 0")
    otonal = utonal = 1
    for prime, power in zip(_PRIMES, _powers(ratio)):
        if prime > 3:
            otonal *= prime ** max(power, 0)
            utonal *= prime ** max(-power, 0)
    above = "" if otonal == 1 else str(otonal).translate(_ABOVE) if unicode else f"^{otonal}"
    below = "" if utonal == 1 else str(utonal).translate(_BELOW) if unicode else f"_{utonal}"
    note = note_at(first + _nearest_fifth(ratio, tolerance), unicode=unicode)
    return note + above + below


def _powers(ratio: float) -> list[int]:
    """Exponents of the primes of a known interval, in the first set that contains it."""
    if np.isfinite(ratio):
        reduced = ratio / 2.0 ** np.floor(np.log2(ratio))
        for n_primes, count in _KNOWN:
            ratios, powers = _known(n_primes, count)
            nearest = int(np.argmin(np.abs(ratios - reduced)))
            if abs(ratios[nearest] - reduced) < _CLOSE:
                return powers[nearest]
    raise ParameterError("interval", ratio, f"Pythagorean, or just with primes up to {_PRIMES[-1]}")


@functools.cache
def _known(n_primes: int, count: int) -> tuple[Array, list[list[int]]]:
    """Ratios and exponents of a set of intervals."""
    powers = grow(_PRIMES[:n_primes], count) if n_primes else np.arange(count)[:, None]
    logs = powers @ np.log2(_PRIMES[: powers.shape[1]])
    return 2.0 ** (logs - np.floor(logs)), powers.tolist()


def _nearest_fifth(ratio: float, tolerance: Number) -> int:
    """Fifths from the unison to the note of a ratio: the fewest within the tolerance."""
    octaves = np.log2(ratio) - _PLACES * np.log2(3)
    near = np.abs(octaves - np.round(octaves)) <= abs(np.log2(tolerance))
    require(near.any(), "tolerance", tolerance, f"let a note near interval={ratio} be found", verb="must")
    return int(_PLACES[np.argmax(near)])


# Scales of Indian music: the 72 melakarta of Carnatic music, the ten thaats of Hindustani music.
#
# `metalmom.core.notation` exports the functions.

# By their svaras, of which small letters are the lower forms, and m the pure one.
_SVARA_LETTERS = "SrRgGmMPdDnN"
_THAATS = {
    "bilaval": "SRGmPDN", "khamaj": "SRGmPDn", "kafi": "SRgmPDn", "asavari": "SRgmPdn", "bhairavi": "SrgmPdn",
    "kalyan": "SRGMPDN", "marva": "SrGMPDN", "poorvi": "SrGMPdN", "todi": "SrgMPdN", "bhairav": "SrGmPdN",
}  # fmt: skip

# The melakarta in their order, six to a chakra, as S. Bhagyalekshmy (Ragas in Carnatic Music,
# 1990) writes them.
_MELAKARTA = {
    name: number
    for number, name in enumerate(
        """
        kanakangi ratnangi ganamurthi vanaspathi manavathi tanarupi
        senavathi hanumathodi dhenuka natakapriya kokilapriya rupavathi
        gayakapriya vakulabharanam mayamalavagaula chakravakom suryakantham hatakambari
        jhankaradhwani natabhairavi keeravani kharaharapriya gaurimanohari varunapriya
        mararanjini charukesi sarasangi harikambhoji dheerasankarabharanam naganandini
        yagapriya ragavardhini gangeyabhushani vagadheeswari sulini chalanatta
        salagam jalarnavam jhalavarali navaneetham pavani raghupriya
        gavambodhi bhavapriya subhapanthuvarali shadvidhamargini suvarnangi divyamani
        dhavalambari namanarayani kamavardhini ramapriya gamanasrama viswambhari
        syamalangi shanmukhapriya simhendramadhyamam hemavathi dharmavathi neethimathi
        kanthamani rishabhapriya latangi vachaspathi mechakalyani chitrambari
        sucharitra jyotisvarupini dhatuvardhini nasikabhushani kosalam rasikapriya
        """.split(),
        start=1,
    )
}

# A chakra fixes which two of four neighbouring notes Ri and Ga are; a raga in it fixes Dha and Ni.
_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
_SUBSCRIPTS = str.maketrans("123", "₁₂₃")


@public
def list_mela() -> dict[str, Any]:
    """Names and numbers of the melakarta ragas.

    Returns
    -------
    dict
        Name -> number, from 1 to 72.

    Examples
    --------
    >>> metalmom.list_mela()["kanakangi"]
    1
    """
    return dict(_MELAKARTA)


@public
def list_thaat() -> list[str]:
    """Names of the thaats.

    Returns
    -------
    list of str

    Examples
    --------
    >>> metalmom.list_thaat()[:3]
    ['bilaval', 'khamaj', 'kafi']
    """
    return list(_THAATS)


@public
def thaat_to_degrees(thaat: str) -> IntArray:
    """Semitones of a thaat.

    Parameters
    ----------
    thaat : str
        Its name, in any case (see `list_thaat`).

    Returns
    -------
    np.ndarray of int, shape (7,)
        Semitones above Sa.

    Raises
    ------
    ParameterError
        If there is no such thaat.

    Examples
    --------
    >>> metalmom.thaat_to_degrees("bilaval")
    array([ 0,  2,  4,  5,  7,  9, 11])
    """
    letters = _THAATS.get(thaat.lower()) if isinstance(thaat, str) else None
    if letters is None:
        raise ParameterKeyError("thaat", thaat, f"one of {', '.join(_THAATS)}")
    return np.array([_SVARA_LETTERS.index(letter) for letter in letters])


def _chakra_and_raga(mela: str | Int) -> tuple[bool, tuple[int, int], tuple[int, int]]:
    """Of a melakarta: whether it has the sharp Ma, and the pairs of its lower and upper half."""
    if isinstance(mela, str):
        number = _MELAKARTA.get(mela.lower())
        if number is None:
            raise ParameterKeyError("mela", mela, "a name that list_mela() knows")
    elif isinstance(mela, (int, float, np.number)) and mela in range(1, 73):
        number = int(mela)
    else:
        raise ParameterError("mela", mela, "a name, or an integer in range [1, 72]")
    sharp, rest = divmod(number - 1, 36)
    return bool(sharp), _PAIRS[rest // 6], _PAIRS[rest % 6]


@public
def mela_to_degrees(mela: str | Int) -> IntArray:
    """Semitones of a melakarta raga.

    Parameters
    ----------
    mela : str or int
        Its name, in any case (see `list_mela`), or its number from 1 to 72.

    Returns
    -------
    np.ndarray of int, shape (7,)
        Semitones above Sa.

    Raises
    ------
    ParameterError
        If there is no such raga.

    Examples
    --------
    >>> metalmom.mela_to_degrees("kanakangi")
    array([0, 1, 2, 5, 7, 8, 9])
    """
    sharp, lower, upper = _chakra_and_raga(mela)
    return np.array([0, *(1 + i for i in lower), 5 + sharp, 7, *(8 + i for i in upper)])


@public
def mela_to_svara(mela: str | Int, *, abbr: bool = True, unicode: bool = True) -> list[str]:
    """Names of the twelve semitones as a melakarta raga spells them.

    Three of four neighbours have two names, Ri or Ga (Dha or Ni): the raga's own notes decide, and
    outside of them every Ri stands before every Ga.

    Parameters
    ----------
    mela : str or int
        Its name, in any case (see `list_mela`), or its number from 1 to 72.
    abbr : bool
        Write S, R, G ... instead of Sa, Ri, Ga ...
    unicode : bool
        Write numbers as subscripts.

    Returns
    -------
    list of str
        Twelve names, from Sa on.

    Raises
    ------
    ParameterError
        If there is no such raga.

    Examples
    --------
    >>> " ".join(metalmom.mela_to_svara(36, unicode=False))
    'S R1 R2 R3 G3 M1 M2 P D1 D2 D3 N3'
    """
    _, lower, upper = _chakra_and_raga(mela)
    return list(_svaras(lower, upper, bool(abbr), bool(unicode)))


@functools.cache  # there are 144 different calls at most
def _svaras(lower: tuple[int, int], upper: tuple[int, int], abbr: bool, unicode: bool) -> list[str]:
    names = ["Sa", *_four("Ri", "Ga", lower), "Ma1", "Ma2", "Pa", *_four("Dha", "Ni", upper)]
    if abbr:
        names = [name[0] + (name[-1] if name[-1].isdigit() else "") for name in names]
    return [name.translate(_SUBSCRIPTS) for name in names] if unicode else names


def _four(first: str, second: str, pair: tuple[int, int]) -> list[str]:
    """Names of four semitones of which a raga takes a `pair`, the lower one as `first`."""
    last = max(pair[0], min(pair[1] - 1, 1))
    return [f"{first}{i + 1}" if i <= last else f"{second}{i}" for i in range(4)]
