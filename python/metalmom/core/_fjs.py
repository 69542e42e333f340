"""Functional Just System: names of just intervals (https://misotanni.github.io/fjs/en/).

`metalmom.core.notation` exports `interval_to_fjs`.
"""

import functools

import numpy as np

from ..util.exceptions import ParameterError
from ._crystal import grow
from ._notes import fifths_of, note_at, parse_note

__all__ = ["interval_to_fjs"]

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


def interval_to_fjs(interval, *, unison="C", tolerance=65.0 / 63, unicode=True):
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
        If an interval is not positive or not known, `unison` is no note, or no note lies within
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
    if ratios.dtype.kind not in "iuf":
        raise ParameterError(f"interval={interval!r} must be numbers")
    if not 0 < tolerance < np.inf:
        raise ParameterError(f"tolerance={tolerance} must be strictly positive")
    first = fifths_of(*parse_note(unison, "unison")[:2])
    names = [_name(ratio, first, tolerance, unicode) for ratio in ratios.ravel().tolist()]
    return names[0] if np.isscalar(interval) else np.array(names, dtype=str).reshape(ratios.shape)


def _name(ratio, first, tolerance, unicode):
    if ratio <= 0:
        raise ParameterError(f"interval={ratio} must be strictly positive")
    otonal = utonal = 1
    for prime, power in zip(_PRIMES, _powers(ratio)):
        if prime > 3:
            otonal *= prime ** max(power, 0)
            utonal *= prime ** max(-power, 0)
    above = "" if otonal == 1 else str(otonal).translate(_ABOVE) if unicode else f"^{otonal}"
    below = "" if utonal == 1 else str(utonal).translate(_BELOW) if unicode else f"_{utonal}"
    note = note_at(first + _nearest_fifth(ratio, tolerance), unicode=unicode)
    return note + above + below


def _powers(ratio):
    """Exponents of the primes of a known interval, in the first set that contains it."""
    if np.isfinite(ratio):
        reduced = ratio / 2.0 ** np.floor(np.log2(ratio))
        for n_primes, count in _KNOWN:
            ratios, powers = _known(n_primes, count)
            nearest = int(np.argmin(np.abs(ratios - reduced)))
            if abs(ratios[nearest] - reduced) < _CLOSE:
                return powers[nearest]
    raise ParameterError(
        f"interval={ratio} must be Pythagorean, or just with primes up to {_PRIMES[-1]}"
    )


@functools.cache
def _known(n_primes, count):
    """Ratios and exponents of a set of intervals."""
    powers = grow(_PRIMES[:n_primes], count) if n_primes else np.arange(count)[:, None]
    logs = powers @ np.log2(_PRIMES[: powers.shape[1]])
    return 2.0 ** (logs - np.floor(logs)), powers.tolist()


def _nearest_fifth(ratio, tolerance):
    """Fifths from the unison to the note of a ratio: the fewest within the tolerance."""
    octaves = np.log2(ratio) - _PLACES * np.log2(3)
    near = np.abs(octaves - np.round(octaves)) <= abs(np.log2(tolerance))
    if not near.any():
        raise ParameterError(f"tolerance={tolerance} must let a note near interval={ratio} be found")
    return int(_PLACES[np.argmax(near)])
