"""Western note names of numbers and frequencies; `metalmom.core.convert` exports them."""

import numpy as np

from .._keywords import takes
from ..util.exceptions import ParameterError
from ._fjs import interval_to_fjs
from ._note_units import hz_to_midi
from ._notes import numbers, spelled
from .notation import key_to_notes

__all__ = ["hz_to_fjs", "hz_to_note", "midi_to_note"]


def midi_to_note(midi, *, octave=True, cents=False, key="C:maj", unicode=True):
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
        If `cents` is asked for without `octave`, `key` is no key, or there are no real numbers.

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
    if cents and not octave:
        raise ParameterError("cents=True must not be used with octave=False")
    names = key_to_notes(key, unicode=unicode)

    def text(values):
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


@takes(of="midi_to_note", but=("midi",))
def hz_to_note(frequencies, **kwargs):
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
    return midi_to_note(hz_to_midi(frequencies), **kwargs)


def hz_to_fjs(frequencies, *, fmin=None, unison=None, unicode=False):
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
    if not np.all(hertz > 0):
        raise ParameterError(f"frequencies={frequencies} must be strictly positive")
    if fmin is None:
        fmin = np.min(hertz)
    elif not 0 < fmin < np.inf:
        raise ParameterError(f"fmin={fmin} must be strictly positive")
    if unison is None:
        unison = hz_to_note(fmin, octave=False, unicode=False)
    ratios = hertz / fmin
    ratios = ratios[()] if np.isscalar(frequencies) else ratios
    return interval_to_fjs(ratios, unison=unison, unicode=unicode)
