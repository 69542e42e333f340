"""Chroma of constant-Q and variable-Q spectra, and what is made of chroma.

Part of `feature.spectral`.
"""

import numpy as np

from .. import _args, _native, filters, util
from .._expressions import expression, then
from .._declared import Frames, as_feature, centred
from .._kept import kept
from .._keywords import takes
from .._spans import composed
from ..util._checks import is_one_of
from ..util.exceptions import ParameterError

__all__ = ["chroma_cens", "chroma_cqt", "chroma_vqt", "tonnetz"]


def _fold(spectrum, classes):
    """Bins to pitch classes by a matrix (classes, bins); frames lie one after another."""
    lying, frames_major = _args.planes(_args.factor(spectrum))
    basis = _native.basis_from_dense(classes)
    chroma = _native.filterbank_product(S=lying, basis=basis, frames_major=frames_major)
    return np.ascontiguousarray(chroma.swapaxes(-1, -2)).swapaxes(-1, -2)


def _finish(chroma, threshold, norm):
    """Drop what is below the threshold, and scale each frame."""
    if threshold is not None:
        chroma[chroma < threshold] = 0.0
    return util.normalize(chroma, norm=norm, axis=-2)


@as_feature(Frames("n_chroma", at=centred))
@composed
@expression
def chroma_cqt(
    *,
    y=None,
    sr=22050,
    C=None,
    hop_length=512,
    fmin=None,
    norm=np.inf,
    threshold=0.0,
    tuning=None,
    n_chroma=12,
    n_octaves=7,
    window=None,
    bins_per_octave=36,
    cqt_mode="full",
):
    """Chromagram of a constant-Q transform.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `C` is needed.
    sr : number > 0
        Sampling rate in Hz.
    C : np.ndarray [shape=(..., d, t)], optional
        Magnitudes of a constant-Q transform.
    hop_length : int > 0
        Samples from a frame to the next.
    fmin : number > 0, optional
        Frequency of the lowest bin, by default C1 (32.7 Hz).
    norm : number or None
        Norm of each frame's column, as in `metalmom.util.normalize`.
    threshold : number or None
        What is below it before the normalisation becomes 0.
    tuning : number, optional
        Deviation from A440 in fractions of a bin; by default it is estimated.
    n_chroma : int > 0
        Pitch classes.
    n_octaves : int > 0
        Octaves from `fmin`.
    window : np.ndarray, optional
        As in `metalmom.filters.cq_to_chroma`.
    bins_per_octave : int > 0 or None
        Bins of the transform, a multiple of `n_chroma`; None for as many.
    cqt_mode : {"full", "hybrid"}
        `metalmom.cqt` or `metalmom.hybrid_cqt`.

    Returns
    -------
    np.ndarray [shape=(..., n_chroma, t)], real
        Energy of each pitch class; of the dtype of the input.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `C` is given.

    Examples
    --------
    >>> C = np.zeros((84, 1))
    >>> C[[9, 21]] = 1  # A1 and A2
    >>> chroma = metalmom.feature.chroma_cqt(C=C, bins_per_octave=12)
    >>> int(chroma.argmax())
    9
    """
    if bins_per_octave is None:
        bins_per_octave = n_chroma
    elif np.remainder(bins_per_octave, n_chroma) != 0:
        raise ParameterError(
            f"bins_per_octave={bins_per_octave} must be a multiple of n_chroma={n_chroma}"
        )
    if C is None:
        if y is None:
            raise ParameterError("y=None must be audio if there is no C")
        C = _transform(cqt_mode).expression(
            y,
            sr=sr,
            hop_length=hop_length,
            fmin=fmin,
            n_bins=n_octaves * bins_per_octave,
            bins_per_octave=bins_per_octave,
            tuning=tuning,
        )
        C = then(_magnitudes, C)
    return then(_chroma, C, n_chroma, bins_per_octave, fmin, window, threshold, norm)


def _magnitudes(C):
    return np.abs(_args.host(C))


def _chroma(C, n_chroma, bins_per_octave, fmin, window, threshold, norm):
    classes = filters.cq_to_chroma(
        C.shape[-2], bins_per_octave=bins_per_octave, n_chroma=n_chroma, fmin=fmin, window=window
    )
    return _finish(_fold(C, classes), threshold, norm)


def _transform(cqt_mode):
    if not is_one_of(cqt_mode, ("full", "hybrid")):
        raise ParameterError(f"cqt_mode={cqt_mode!r} must be 'full' or 'hybrid'")
    from ..core import constantq

    return constantq.cqt if cqt_mode == "full" else constantq.hybrid_cqt


@as_feature(Frames("n_chroma", at=centred))
@composed
@expression
def chroma_cens(
    *,
    y=None,
    sr=22050,
    C=None,
    hop_length=512,
    fmin=None,
    tuning=None,
    n_chroma=12,
    n_octaves=7,
    bins_per_octave=36,
    cqt_mode="full",
    window=None,
    norm=2,
    win_len_smooth=41,
    smoothing_window="hann",
):
    """Chroma energy normalised statistics (CENS): chroma that does not hear dynamics and timbre.

    `chroma_cqt` with each frame's sum scaled to 1, quantised in steps that double (a quarter for
    each of 0.05, 0.1, 0.2 and 0.4 that is exceeded), smoothed over time, and scaled.

    Parameters
    ----------
    y, sr, C, hop_length, fmin, tuning, n_chroma, n_octaves, bins_per_octave, cqt_mode, window
        As in `chroma_cqt`.
    norm : number or None
        Norm of each frame's column, as in `metalmom.util.normalize`.
    win_len_smooth : int > 0 or None
        Frames of the smoothing window; None for no smoothing.
    smoothing_window : str, float or tuple
        Its shape, as in `metalmom.filters.get_window`.

    Returns
    -------
    np.ndarray [shape=(..., n_chroma, t)], real
        CENS features; of the dtype of the input.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `C` is given.

    References
    ----------
    M. Mueller and S. Ewert, "Chroma toolbox: MATLAB implementations for extracting variants of
    chroma-based audio features", ISMIR 2011.

    Examples
    --------
    >>> C = np.ones((84, 4))
    >>> cens = metalmom.feature.chroma_cens(C=C, bins_per_octave=12, norm=np.inf)
    >>> cens.shape, cens.max()
    ((12, 4), 1.0)
    """
    if win_len_smooth is not None and not util.is_positive_int(win_len_smooth):
        raise ParameterError(f"win_len_smooth={win_len_smooth} must be a positive integer or None")
    chroma = chroma_cqt.expression(
        y=y,
        C=C,
        sr=sr,
        hop_length=hop_length,
        fmin=fmin,
        bins_per_octave=bins_per_octave,
        tuning=tuning,
        norm=None,
        n_chroma=n_chroma,
        n_octaves=n_octaves,
        cqt_mode=cqt_mode,
        window=window,
    )
    return then(_cens, chroma, smoothing_window, win_len_smooth, norm)


def _cens(chroma, smoothing_window, win_len_smooth, norm):
    chroma = util.normalize(chroma, norm=1, axis=-2)
    cens = np.zeros_like(chroma)
    for step in (0.4, 0.2, 0.1, 0.05):
        cens += (chroma > step) * cens.dtype.type(0.25)
    if win_len_smooth is not None:
        cens = _smoothed(cens, smoothing_window, win_len_smooth)
    return util.normalize(cens, norm=norm, axis=-2)


def _smoothed(cens, shape, n_frames):
    """Means weighted by a window around each frame, over silence beyond the ends."""
    window = filters.get_window(shape, n_frames + 2, fftbins=False)
    before = (window.size - 1) // 2
    margins = [(0, 0)] * (cens.ndim - 1) + [(before, window.size - 1 - before)]
    padded = np.pad(cens, margins)
    return _native.sliding_sums(x=padded, weights=window[::-1] / np.sum(window))


def _intervals(given):
    return given.bins_per_octave if isinstance(given.intervals, str) else len(given.intervals)


@as_feature(Frames(_intervals, at=centred))
@composed
@expression
def chroma_vqt(
    *,
    y=None,
    sr=22050,
    V=None,
    hop_length=512,
    fmin=None,
    intervals,
    norm=np.inf,
    threshold=0.0,
    n_octaves=7,
    bins_per_octave=12,
    gamma=0,
):
    """Chromagram of a variable-Q transform, in tunings that need not be equal.

    The energy of each interval of the octave: neighbouring bins are not combined.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `V` is needed.
    sr : number > 0
        Sampling rate in Hz.
    V : np.ndarray [shape=(..., d, t)], optional
        Magnitudes of a variable-Q transform.
    hop_length : int > 0
        Samples from a frame to the next.
    fmin : number > 0, optional
        Frequency of the lowest bin, by default C1 (32.7 Hz).
    intervals : str or array_like of numbers from 1 to 2
        Of the octave, as in `metalmom.interval_frequencies`: "equal", "pythagorean", "ji3" ..., or
        ratios, whose number is then that of bins per octave.
    norm, threshold
        As in `chroma_cqt`.
    n_octaves : int > 0
        Octaves from `fmin`.
    bins_per_octave : int > 0
        Intervals of the octave, where `intervals` is a name.
    gamma : number >= 0 or None
        As in `metalmom.vqt`.

    Returns
    -------
    np.ndarray [shape=(..., bins_per_octave, t)], real
        Energy of each interval; of the dtype of the input.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `V` is given.

    Examples
    --------
    >>> V = np.zeros((84, 1))
    >>> V[[7, 19]] = 1  # fifths
    >>> chroma = metalmom.feature.chroma_vqt(V=V, intervals="ji5")
    >>> int(chroma.argmax())
    7
    """
    if not isinstance(intervals, str):
        if intervals is None or np.ndim(intervals) != 1 or len(intervals) == 0:
            raise ParameterError(f"intervals={intervals!r} must be a name or a list of ratios")
        bins_per_octave = len(intervals)
    if V is None:
        if y is None:
            raise ParameterError("y=None must be audio if there is no V")
        from ..core.constantq import vqt

        V = vqt.expression(
            y,
            sr=sr,
            hop_length=hop_length,
            fmin=fmin,
            intervals=intervals,
            n_bins=n_octaves * bins_per_octave,
            bins_per_octave=bins_per_octave,
            gamma=gamma,
        )
        V = then(_magnitudes, V)
    return then(_chroma, V, bins_per_octave, bins_per_octave, fmin, None, threshold, norm)


@kept(16)
def _tonal_centroids(n_chroma):
    """Pitch classes to coordinates on the circles of fifths, minor and major thirds (6, n_chroma).

    Steps along the circles turn by 7/6, 3/2 and 2/3 of pi a semitone; the first coordinate of each
    circle is a sine, the second a cosine, and the circle of major thirds has half the radius.
    """
    turns = np.repeat([7 / 6, 3 / 2, 2 / 3], 2)[:, np.newaxis]
    angles = turns * np.linspace(0, 12, num=n_chroma, endpoint=False)
    angles[::2] -= 0.5
    radii = np.repeat([1.0, 1.0, 0.5], 2)[:, np.newaxis]
    return radii * np.cos(np.pi * angles)


@as_feature(Frames(6, at=centred))
@takes(of="feature.chroma_cqt")
@composed
@expression
def tonnetz(*, y=None, sr=22050, chroma=None, **kwargs):
    """Tonal centroids: chords as places on the circles of fifths, minor thirds and major thirds.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `chroma` is needed.
    sr : number > 0
        Sampling rate in Hz.
    chroma : np.ndarray [shape=(..., n_chroma, t)], optional
        A chromagram; by default `chroma_cqt`.
    **kwargs
        Arguments of `chroma_cqt`.

    Returns
    -------
    np.ndarray [shape=(..., 6, t)], float64
        Two coordinates each for fifths, minor thirds and major thirds.

    Raises
    ------
    ParameterError
        If neither `y` nor `chroma` is given.

    References
    ----------
    C. Harte, M. Sandler and M. Gasser, "Detecting harmonic change in musical audio", ACM Workshop
    on Audio and Music Computing Multimedia, 2006.

    Examples
    --------
    >>> chroma = np.zeros((12, 1))
    >>> chroma[0] = 1  # C
    >>> metalmom.feature.tonnetz(chroma=chroma)[:, 0].round(1) + 0.0
    array([0. , 1. , 0. , 1. , 0. , 0.5])
    """
    if chroma is None:
        if y is None:
            raise ParameterError("y=None must be audio if there is no chroma")
        chroma = chroma_cqt.expression(y=y, sr=sr, **kwargs)
    return then(_centroids, chroma)


def _centroids(chroma):
    chroma = np.asarray(chroma)
    if np.iscomplexobj(chroma):
        raise ParameterError(f"chroma.dtype={chroma.dtype} must be real")
    chroma = util.normalize(chroma, norm=1, axis=-2)
    frames = chroma.swapaxes(-1, -2).astype(np.float64)
    return (frames @ _tonal_centroids(chroma.shape[-2]).T).swapaxes(-1, -2)
