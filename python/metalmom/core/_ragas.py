"""Scales of Indian music: the 72 melakarta of Carnatic music, the ten thaats of Hindustani music.

`metalmom.core.notation` exports the functions.
"""

import functools

import numpy as np

from ..util.exceptions import ParameterError, ParameterKeyError

__all__ = ["list_mela", "list_thaat", "mela_to_degrees", "mela_to_svara", "thaat_to_degrees"]

_THAATS = {
    "bilaval": (0, 2, 4, 5, 7, 9, 11),
    "khamaj": (0, 2, 4, 5, 7, 9, 10),
    "kafi": (0, 2, 3, 5, 7, 9, 10),
    "asavari": (0, 2, 3, 5, 7, 8, 10),
    "bhairavi": (0, 1, 3, 5, 7, 8, 10),
    "kalyan": (0, 2, 4, 6, 7, 9, 11),
    "marva": (0, 1, 4, 6, 7, 9, 11),
    "poorvi": (0, 1, 4, 6, 7, 8, 11),
    "todi": (0, 1, 3, 6, 7, 8, 11),
    "bhairav": (0, 1, 4, 5, 7, 8, 11),
}

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


def list_mela():
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


def list_thaat():
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


def thaat_to_degrees(thaat):
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
    degrees = _THAATS.get(thaat.lower()) if isinstance(thaat, str) else None
    if degrees is None:
        raise ParameterKeyError(f"thaat={thaat!r} must be one of {', '.join(_THAATS)}")
    return np.array(degrees)


def _chakra_and_raga(mela):
    """Of a melakarta: whether it has the sharp Ma, and the pairs of its lower and upper half."""
    if isinstance(mela, str):
        number = _MELAKARTA.get(mela.lower())
        if number is None:
            raise ParameterKeyError(f"mela={mela!r} must be a name that list_mela() knows")
    elif isinstance(mela, (int, float, np.number)) and mela in range(1, 73):
        number = int(mela)
    else:
        raise ParameterError(f"mela={mela!r} must be a name, or an integer in range [1, 72]")
    sharp, rest = divmod(number - 1, 36)
    return bool(sharp), _PAIRS[rest // 6], _PAIRS[rest % 6]


def mela_to_degrees(mela):
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


def mela_to_svara(mela, *, abbr=True, unicode=True):
    """Names of the twelve semitones as a melakarta raga spells them.

    Three of four neighbours have two names, Ri or Ga (Dha or Ni): the raga's own notes decide, and
    outside of them every Ri stands before every Ga.

    Parameters
    ----------
    mela : str or int
        Its name, in any case (see `list_mela`), or its number from 1 to 72.
    abbr : bool
        Write S, R, G ... in place of Sa, Ri, Ga ...
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
def _svaras(lower, upper, abbr, unicode):
    names = ["Sa", *_four("Ri", "Ga", lower), "Ma1", "Ma2", "Pa", *_four("Dha", "Ni", upper)]
    if abbr:
        names = [name[0] + (name[-1] if name[-1].isdigit() else "") for name in names]
    return [name.translate(_SUBSCRIPTS) for name in names] if unicode else names


def _four(first, second, pair):
    """Names of four semitones of which a raga takes a `pair`, the lower one as `first`."""
    last = max(pair[0], min(pair[1] - 1, 1))
    return [f"{first}{i + 1}" if i <= last else f"{second}{i}" for i in range(4)]
