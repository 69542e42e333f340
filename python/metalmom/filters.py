"""Windows and filter banks."""

import numpy as np

from . import _native, _pitch_filters, _wavelets, _windows
from ._boundary import native_names
from ._homes import adopt
from ._pitch_filters import cq_to_chroma, mr_frequencies, semitone_filterbank
from ._warnings import warn
from ._wavelets import wavelet, wavelet_lengths
from ._windows import get_window, window_bandwidth, window_sumsquare
from .util._checks import is_positive_int
from .util._memory import refuse_beyond_memory
from .util._packages import required
from .util.exceptions import ParameterError

__all__ = [
    "chroma",
    "cq_to_chroma",
    "diagonal_filter",
    "get_window",
    "mel",
    "mr_frequencies",
    "semitone_filterbank",
    "wavelet",
    "wavelet_lengths",
    "window_bandwidth",
    "window_sumsquare",
]

adopt(__name__, _pitch_filters, _wavelets, _windows)


def _integer(n_fft):
    if not isinstance(n_fft, (int, np.integer)):
        raise ParameterError(f"n_fft={n_fft!r} must be an integer")
    return n_fft


def mel(
    *,
    sr,
    n_fft,
    n_mels=128,
    fmin=0.0,
    fmax=None,
    htk=False,
    norm="slaney",
    dtype=np.float32,
):
    """Mel filter bank: triangles between frequencies that are evenly spaced in mels.

    Parameters
    ----------
    sr : number > 0
        Sampling rate in Hz.
    n_fft : int > 0
        Length of the transform.
    n_mels : int > 0
        Number of filters.
    fmin : number
        Lower edge of the first filter in Hz.
    fmax : number or None
        Upper edge of the last filter in Hz; ``sr / 2`` if None.
    htk : bool
        Use HTK's mel scale in place of Slaney's (see `metalmom.hz_to_mel`).
    norm : {'slaney', None, number}
        Unit area per filter, peaks of about 1, or unit norm as by `metalmom.util.normalize`.
    dtype : dtype_like
        Dtype of the result.

    Returns
    -------
    np.ndarray, shape (n_mels, 1 + n_fft // 2), real
        The filters.

    Raises
    ------
    ParameterError
        If an argument is out of range.

    Warns
    -----
    UserWarning
        If a filter contains no bin.

    Examples
    --------
    >>> metalmom.filters.mel(sr=8000, n_fft=8, n_mels=2, norm=None).round(2)
    array([[0.  , 0.78, 0.  , 0.  , 0.  ],
           [0.  , 0.22, 0.9 , 0.45, 0.  ]], dtype=float32)
    """
    weights, has_empty = _native.mel_filters(
        sr, _integer(n_fft), int(n_mels), fmin, fmax, htk, norm, dtype
    )
    if has_empty:
        _warn_of_empty_filters()
    return weights.astype(dtype, copy=False)


def _mel_basis(
    *,
    sr,
    n_fft,
    n_mels=128,
    fmin=0.0,
    fmax=None,
    htk=False,
    norm="slaney",
    dtype=np.float32,
):
    """The filter bank of `mel` as a handle that the engine keeps."""
    basis, has_empty = _native.mel_basis(
        sr, _integer(n_fft), int(n_mels), fmin, fmax, htk, norm, dtype
    )
    if has_empty:
        _warn_of_empty_filters()
    return basis


def _warn_of_empty_filters():
    warn(
        "Empty filters detected in mel frequency basis. "
        "Some channels will produce empty responses. "
        "Try increasing your sampling rate (and fmax) or "
        "reducing n_mels.",
    )


def chroma(
    *,
    sr,
    n_fft,
    n_chroma=12,
    tuning=0.0,
    ctroct=5.0,
    octwidth=2,
    norm=2,
    base_c=True,
    dtype=np.float32,
):
    """Chroma filter bank: a Gaussian bump around each pitch class in every octave.

    Parameters
    ----------
    sr : number > 0
        Sampling rate in Hz.
    n_fft : int > 0
        Length of the transform.
    n_chroma : int > 0
        Number of pitch classes.
    tuning : float
        Deviation from A4 = 440 Hz, in pitch classes.
    ctroct : float
        Centre of the Gaussian that weighs the octaves, in octaves above A0 (27.5 Hz).
    octwidth : float or None
        Its half-width in octaves; None weighs all the same.
    norm : {number, inf, None}
        Norm that each bin's column is scaled to, as by `metalmom.util.normalize`.
    base_c : bool
        Whether the first row is C, otherwise A.
    dtype : dtype_like
        Dtype of the result.

    Returns
    -------
    np.ndarray, shape (n_chroma, 1 + n_fft // 2), real
        The filters.

    Raises
    ------
    ParameterError
        If an argument is out of range.

    Examples
    --------
    >>> filters = metalmom.filters.chroma(sr=22050, n_fft=4096)
    >>> int(filters[:, round(440 * 4096 / 22050)].argmax())  # A
    9
    """
    weights = _native.chroma_filters(
        sr, _integer(n_fft), n_chroma, tuning, ctroct, octwidth, norm, base_c, dtype
    )
    return weights.astype(dtype, copy=False)


def _chroma_basis(
    *,
    sr,
    n_fft,
    n_chroma=12,
    tuning=0.0,
    ctroct=5.0,
    octwidth=2,
    norm=2,
    base_c=True,
    dtype=np.float32,
):
    """The filter bank of `chroma` as a handle that the engine keeps."""
    return _native.chroma_basis(
        sr, _integer(n_fft), n_chroma, tuning, ctroct, octwidth, norm, base_c, dtype
    )


@native_names(Nx="n")
def diagonal_filter(window, n, *, slope=1.0, angle=None, zero_mean=False):
    """Two-dimensional filter that averages along a diagonal, for recurrence matrices.

    A window laid on the main diagonal of a matrix and rotated from 45 degrees to the angle wanted.

    Parameters
    ----------
    window : str, tuple, number, callable or array_like
        A non-negative window, as `get_window` takes it; it is made symmetric.
    n : int
        Length of the window.
    slope : number
        Rows per column of the diagonal.
    angle : float, optional
        Its angle in radians, in place of `slope`.
    zero_mean : bool
        Subtract the mean, so that blocks are suppressed and paths stay.

    Returns
    -------
    np.ndarray of float64, shape (m, m)
        The kernel, of sum 1 (0 with `zero_mean`); `m` is `n` on the main diagonals, and up to
        about ``1.4 n`` elsewhere.

    Raises
    ------
    ParameterError
        If there is no such window, `slope` or `angle` is NaN, or the window has no sum to scale by.

    Notes
    -----
    Slopes other than 1 need SciPy.

    Examples
    --------
    >>> metalmom.filters.diagonal_filter("boxcar", 2)
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    given = f"slope={slope}" if angle is None else f"angle={angle}"
    if angle is None:
        if np.isnan(slope):
            raise ParameterError(f"slope={slope} must be a number")
        angle = np.arctan(slope)
    elif not np.isfinite(angle):
        raise ParameterError(f"angle={angle} must be finite")
    if is_positive_int(n):
        refuse_beyond_memory("n", n, 8 * int(n) ** 2)
    kernel = np.diag(get_window(window, n, fftbins=False))
    if not np.isclose(angle, np.pi / 4):
        rotate = required("scipy.ndimage", given).rotate
        # Without the spline's prefilter: the window is smoothed a little instead of ringing.
        kernel = rotate(kernel, 45 - np.rad2deg(angle), order=5, prefilter=False)
    kernel = np.maximum(kernel, 0)
    total = kernel.sum()
    if not total > 0:
        raise ParameterError(f"window={window!r} with n={n} must have a positive sum")
    kernel = kernel / total
    return kernel - kernel.mean() if zero_mean else kernel
