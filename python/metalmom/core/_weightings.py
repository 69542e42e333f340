"""Perceptual frequency weightings in decibels; `metalmom.core.convert` exports them.

A, B and C are the curves of IEC 61672-1 (B: IEC 651), D is that of IEC 537: the response of an
analogue filter, given by its corner frequencies.
"""

import numpy as np

from .._keywords import takes
from .._warnings import warn
from .._boundary import native_names
from ..util.exceptions import ParameterError, ParameterKeyError, ParameterTypeError

__all__ = [
    "A_weighting",
    "B_weighting",
    "C_weighting",
    "D_weighting",
    "Z_weighting",
    "frequency_weighting",
    "multi_frequency_weighting",
]


# Squares of corner frequencies in Hz: those common to A, B and C, and each one's own. They are
# NumPy scalars, so that float32 frequencies become float64, as in librosa.
_ENDS = np.square((12194.217, 20.598997))
_OF_A = np.square((107.65265, 737.86223))
_OF_B = np.square((158.48932,))


def _poles(frequencies, gain_db, zeros_at_0, double, single):
    """Response in dB of zeros at 0 Hz and of double and single poles at squares of frequencies.

    The first double pole is the upper one; its square normalises the response.
    """
    squared = np.asanyarray(frequencies)[()] ** 2.0
    with np.errstate(divide="ignore"):
        levels = np.log10(double[0]) + zeros_at_0 / 2 * np.log10(squared)
        for pole in double:
            levels = levels - np.log10(squared + pole)
        for pole in single:
            levels = levels - 0.5 * np.log10(squared + pole)
    return gain_db + 20.0 * levels


def _clip(levels, min_db, name):
    if min_db is not None:
        return np.maximum(min_db, levels)
    if not np.all(np.isfinite(levels)):
        warn(
            f"{name}-weighting returned non-finite values. "
            "This is likely due to low (~0 Hz) frequencies.",
        )
    return levels


def A_weighting(frequencies, *, min_db=-80.0):
    """A-weighting of frequencies in dB.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    min_db : float or None
        The least value of the result. With None, 0 Hz gives -inf and a warning.

    Returns
    -------
    float or np.ndarray of float64
        Weights in dB; about 0 at 1 kHz.

    Examples
    --------
    >>> metalmom.A_weighting([100.0, 1000.0, 10000.0]).round(1)
    array([-19.1,   0. ,  -2.5])
    """
    levels = _poles(frequencies, 2.0, 4, _ENDS, _OF_A)
    return _clip(levels, min_db, "A")


def B_weighting(frequencies, *, min_db=-80.0):
    """B-weighting of frequencies in dB (IEC 651).

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    min_db : float or None
        The least value of the result. With None, 0 Hz gives -inf and a warning.

    Returns
    -------
    float or np.ndarray of float64
        Weights in dB; about 0 at 1 kHz.

    Examples
    --------
    >>> metalmom.B_weighting([100.0, 1000.0, 10000.0]).round(1)
    array([-5.6,  0. , -4.3])
    """
    levels = _poles(frequencies, 0.17, 3, _ENDS, _OF_B)
    return _clip(levels, min_db, "B")


def C_weighting(frequencies, *, min_db=-80.0):
    """C-weighting of frequencies in dB (IEC 61672-1).

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    min_db : float or None
        The least value of the result. With None, 0 Hz gives -inf and a warning.

    Returns
    -------
    float or np.ndarray of float64
        Weights in dB; about 0 at 1 kHz.

    Examples
    --------
    >>> metalmom.C_weighting([100.0, 1000.0, 10000.0]).round(1)
    array([-0.3,  0. , -4.4])
    """
    levels = _poles(frequencies, 0.062, 2, _ENDS, ())
    return _clip(levels, min_db, "C")


def D_weighting(frequencies, *, min_db=-80.0):
    """D-weighting of frequencies in dB (IEC 537).

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    min_db : float or None
        The least value of the result. With None, 0 Hz gives -inf and a warning.

    Returns
    -------
    float or np.ndarray of float64
        Weights in dB; about 0 at 1 kHz.

    Examples
    --------
    >>> metalmom.D_weighting([100.0, 1000.0, 10000.0]).round(1)
    array([-7.2, -0. ,  3.4])
    """
    squared = np.asanyarray(frequencies)[()] ** 2.0
    corner = np.square([1018.7, 1039.6, 3136.5, 3424.0, 282.7, 1160.0])
    with np.errstate(divide="ignore"):
        resonance = np.log10((corner[0] - squared) ** 2 + corner[1] * squared)
        damping = np.log10((corner[2] - squared) ** 2 + corner[3] * squared)
        poles = np.log10(corner[4] + squared) + np.log10(corner[5] + squared)
        slope = 0.5 * np.log10(squared) - np.log10(8.3046305e-3**2)
    return _clip(20.0 * (slope + 0.5 * (resonance - damping - poles)), min_db, "D")


def Z_weighting(frequencies, *, min_db=None):
    """No weighting: 0 dB for each of a sequence of frequencies.

    Parameters
    ----------
    frequencies : sequence
        Frequencies in Hz; only their number counts.
    min_db : float or None
        The least value of the result.

    Returns
    -------
    np.ndarray of float64
        As many zeros (or `min_db`, if that is more).

    Examples
    --------
    >>> metalmom.Z_weighting([100.0, 1000.0])
    array([0., 0.])
    """
    if np.isscalar(frequencies) or getattr(frequencies, "ndim", 1) == 0:
        raise ParameterTypeError(f"frequencies={frequencies!r} must be a sequence for kind 'Z'")
    levels = np.zeros(len(frequencies))
    return levels if min_db is None else np.maximum(min_db, levels)


_KINDS = {
    "A": A_weighting,
    "B": B_weighting,
    "C": C_weighting,
    "D": D_weighting,
    "Z": Z_weighting,
    None: Z_weighting,
}


@takes("min_db")
def frequency_weighting(frequencies, *, kind="A", **kwargs):
    """Weighting of frequencies in dB by the name of its curve.

    Parameters
    ----------
    frequencies : number or array_like
        Frequencies in Hz.
    kind : str or None
        ``"A"``, ``"B"``, ``"C"``, ``"D"``, ``"Z"`` in either case; None is ``"Z"``.
    **kwargs
        `min_db`: as in `A_weighting`.

    Returns
    -------
    float or np.ndarray of float64
        Weights in dB.

    Raises
    ------
    ParameterError
        If `kind` is no known curve.

    Examples
    --------
    >>> metalmom.frequency_weighting([1000.0, 10000.0], kind="c").round(1)
    array([ 0. , -4.4])
    """
    name = kind.upper() if isinstance(kind, str) else kind
    if name not in _KINDS:
        raise ParameterKeyError(f"kind={kind!r} must be one of 'A', 'B', 'C', 'D', 'Z', None")
    return _KINDS[name](frequencies, **kwargs)


@takes("min_db")
@native_names(kind="kinds")
def multi_frequency_weighting(frequencies, *, kinds="ZAC", **kwargs):
    """Several weightings of the same frequencies, one row each.

    Parameters
    ----------
    frequencies : sequence
        Frequencies in Hz.
    kinds : iterable of str
        Curves, as `frequency_weighting` names them.
    **kwargs
        `min_db`: as in `A_weighting`.

    Returns
    -------
    np.ndarray, shape (len(kinds), len(frequencies)), real
        Weights in dB.

    Examples
    --------
    >>> metalmom.multi_frequency_weighting([1000.0, 10000.0], kinds="ZC").round(1)
    array([[ 0. ,  0. ],
           [ 0. , -4.4]])
    """
    weights = [frequency_weighting(frequencies, kind=kind, **kwargs) for kind in kinds]
    if len({each.shape for each in weights}) > 1:  # Z has one weight for each row
        raise ParameterError(f"frequencies.ndim={np.ndim(frequencies)} must be 1 for kinds with 'Z'")
    return np.stack(weights)
