"""Windows and filter banks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from . import _native
from .util._public import public
from .util._types import (
    Array, ArrayLike, ComplexArray, DTypeLike, Float, Float64Array, FrequenciesLike, Int,
    NonNegativeInt, Norm, Number, Positive, PositiveInt, RealArray, Window, WindowLike,
)
from .util._checks import POSITIVES, natural_int, positive_int, require, require_count, require_inexact
from .util._equal_temperament import hz_of_midi, midi_of_hz
from .util._keywords import native_names, takes
from .util._memory import refuse_beyond_memory
from .util._packages import required
from .util._warnings import warn
from .util._wording import as_array, did_you_mean
from .util.exceptions import Argument, ParameterError, Shown
from .util.utils import is_positive_int, normalize, pad_center, phasor, tiny

__all__ = [
    "chroma", "cq_to_chroma", "diagonal_filter", "get_window", "mel", "mr_frequencies",
    "semitone_filterbank", "wavelet", "wavelet_lengths", "window_bandwidth", "window_sumsquare",
]
__dir__ = __all__.copy


def _integer(n_fft: Int) -> Int:
    require(isinstance(n_fft, (int, np.integer)), "n_fft", n_fft, "an integer")
    return n_fft


@public
def mel(
    *,
    sr: Positive,
    n_fft: PositiveInt,
    n_mels: PositiveInt = 128,
    fmin: Number = 0.0,
    fmax: Number | None = None,
    htk: bool = False,
    norm: Literal["slaney"] | Number | None = "slaney",
    dtype: DTypeLike = np.float32,
) -> RealArray:
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
        Use HTK's mel scale instead of Slaney's (see `metalmom.hz_to_mel`).
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
    weights = _mel(_native.mel_filters, sr, n_fft, n_mels, fmin, fmax, htk, norm, dtype)
    return weights.astype(dtype, copy=False)


def _mel_basis(
    *, sr: Positive, n_fft: PositiveInt, n_mels: PositiveInt = 128, fmin: Number = 0.0,
    fmax: Number | None = None, htk: bool = False, norm: Literal["slaney"] | Number | None = "slaney",
    dtype: DTypeLike = np.float32,
) -> _native.Basis:
    """The filter bank of `mel` as a handle that the engine keeps."""
    return _mel(_native.mel_basis, sr, n_fft, n_mels, fmin, fmax, htk, norm, dtype)


def _mel(
    make: Callable[..., Any], sr: Number, n_fft: Int, n_mels: Int, fmin: Number, fmax: Number | None,
    *others: Any,
) -> Any:
    """What the engine makes of the filters, with a warning of empty ones."""
    made, has_empty = make(sr, _integer(n_fft), int(n_mels), fmin, fmax, *others)
    if has_empty:
        warn(
            "Empty filters detected in mel frequency basis. Some channels will produce empty responses. "
            "Try increasing your sampling rate (and fmax) or reducing n_mels."
        )
    return made


@public
def chroma(
    *,
    sr: Positive,
    n_fft: PositiveInt,
    n_chroma: PositiveInt = 12,
    tuning: Float = 0.0,
    ctroct: Float = 5.0,
    octwidth: Float | None = 2,
    norm: Norm = 2,
    base_c: bool = True,
    dtype: DTypeLike = np.float32,
) -> RealArray:
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
    given = sr, _integer(n_fft), n_chroma, tuning, ctroct, octwidth, norm, base_c, dtype
    return _native.chroma_filters(*given).astype(dtype, copy=False)


def _chroma_basis(
    *, sr: Positive, n_fft: PositiveInt, n_chroma: PositiveInt = 12, tuning: Float = 0.0, ctroct: Float = 5.0,
    octwidth: Float | None = 2, norm: Norm = 2, base_c: bool = True, dtype: DTypeLike = np.float32,
) -> _native.Basis:
    """The filter bank of `chroma` as a handle that the engine keeps."""
    return _native.chroma_basis(sr, _integer(n_fft), n_chroma, tuning, ctroct, octwidth, norm, base_c, dtype)


@native_names(Nx="n")
@public
def diagonal_filter(
    window: WindowLike,
    n: Int,
    *,
    slope: Number = 1.0,
    angle: Float | None = None,
    zero_mean: bool = False,
) -> Float64Array:
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
        Its angle in radians, instead of `slope`.
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
    given = Argument("slope", slope) if angle is None else Argument("angle", angle)
    if angle is None:
        require(not np.isnan(slope), "slope", slope, "a number")
        angle = np.arctan(slope)
    elif not np.isfinite(angle):
        raise ParameterError("angle", angle, "finite")
    if is_positive_int(n):
        refuse_beyond_memory("n", n, 8 * int(n) ** 2)
    kernel: Float64Array = np.diag(get_window(window, n, fftbins=False))
    if not np.isclose(angle, np.pi / 4):
        rotate = required("scipy.ndimage", given).rotate
        # Without the spline's prefilter: the window is smoothed a little instead of ringing.
        kernel = rotate(kernel, 45 - np.rad2deg(angle), order=5, prefilter=False)
    kernel = np.maximum(kernel, 0)
    total = kernel.sum()
    if not total > 0:
        raise ParameterError(f"window={window!r} with n={n} must have a positive sum", argument="window")
    kernel = kernel / total
    return kernel - kernel.mean() if zero_mean else kernel


# Windows, their bandwidth and their overlap.

# Equivalent noise bandwidths in bins, by SciPy's names of windows; others are computed when needed.
WINDOW_BANDWIDTHS: dict[Any, float] = {
    name: bandwidth
    for bandwidth, names in (
        (1.0, "box boxcar ones rect rectangular"),
        (1.2337005350199792, "cosine halfcosine"),
        (1.3331706523555851, "tri triang triangle"),
        (1.3334961334912805, "bart bartlett brt"),
        (1.3629455320350348, "ham hamm hamming"),
        (1.4560255965133932, "barthann brthan bth"),
        (1.50018310546875, "han hann"),
        (1.7269681554262326, "black blackman blk"),
        (1.7859588613860062, "bman bmn bohman"),
        (1.9174603174603191, "par parz parzen"),
        (1.9763500280946082, "nut nutl nuttall"),
        (2.0045975283585014, "bkh blackharr blackmanharris"),
        (2.7762255046484143, "flat flattop flt"),
    )
    for name in names.split()
}


@public
def get_window(window: WindowLike, Nx: PositiveInt, *, fftbins: bool = True) -> Float64Array:
    """Samples of a window function.

    Parameters
    ----------
    window : str, tuple, number, callable or array_like
        The name of a window; a name with its parameters, ``("kaiser", 4.0)``; the beta of a
        Kaiser window; a function of the length; or the samples themselves. Names are those of
        `scipy.signal.get_window`. ``chebwin``, ``dpss``, ``kaiser_bessel_derived`` and ``taylor`` need SciPy.
    Nx : int > 0
        Number of samples.
    fftbins : bool
        Periodic (for spectra) or symmetric (for filter design).

    Returns
    -------
    np.ndarray of float64, shape (Nx,)
        The window; samples and results of functions are passed on in their own dtype.

    Raises
    ------
    ParameterError
        If there is no such window, or the samples are not `Nx`.

    Examples
    --------
    >>> metalmom.filters.get_window("hann", 4)
    array([0. , 0.5, 1. , 0.5])
    """
    if callable(window):
        samples = window(Nx)
        require(np.shape(samples) == (Nx,), "window", window, f"a function that gives {Nx} samples")
        return samples
    if isinstance(window, (str, tuple)) or np.isscalar(window):
        return _named_window(window, Nx, bool(fftbins))
    if isinstance(window, (np.ndarray, list)):
        if len(window) != Nx:
            raise ParameterError(f"window of {len(window)} samples must have {Nx}", argument="window")
        samples = np.asarray(window)
        require(samples.ndim == 1, "window.ndim", samples.ndim, "1")
        return samples
    raise ParameterError("window", window, "a name, a tuple, a number, or samples")


# Further names in SciPy, for suggestions when a name is not known.
_OTHER_WINDOWS = (
    "chebwin dpss exponential gaussian general_cosine general_gaussian general_hamming kaiser "
    "kaiser_bessel_derived lanczos poisson sinc taylor tukey"
).split()
_KNOWN_WINDOWS = (*WINDOW_BANDWIDTHS, *_OTHER_WINDOWS)


def _sum_of_cosines(n: Int, weights: Sequence[float]) -> Float64Array:
    angles = np.linspace(-np.pi, np.pi, n)
    return sum((weight * np.cos(k * angles) for k, weight in enumerate(weights)), np.zeros(n))


def _generalized_gaussian(n: Int, power: float, sigma: float) -> Float64Array:
    return np.exp(-0.5 * np.abs((np.arange(n) - (n - 1) / 2) / sigma) ** (2 * power))


def _exponential(n: Int, tau: float = 1.0) -> Float64Array:
    return np.exp(-np.abs(np.arange(n) - (n - 1) / 2) / tau)


def _tukey(n: Int, tapered: float = 0.5) -> Float64Array:
    """One in the middle, with halves of a Hann window that make up a share of it at the ends."""
    if tapered <= 0:
        return np.ones(n)
    if tapered >= 1:
        return _sum_of_cosines(n, [0.5, 0.5])
    k, last = np.arange(n), int(np.floor(tapered * (n - 1) / 2))
    weights = np.ones(n)
    weights[: last + 1] = 0.5 * (1 + np.cos(np.pi * (-1 + 2.0 * k[: last + 1] / tapered / (n - 1))))
    end = k[n - last - 1 :]
    weights[n - last - 1 :] = 0.5 * (1 + np.cos(np.pi * (-2.0 / tapered + 1 + 2.0 * end / tapered / (n - 1))))
    return weights


def _lanczos(n: Int) -> Float64Array:
    """The middle of a sinc, the same bits on both sides."""
    half = np.sinc(2.0 * np.arange(n // 2, n) / (n - 1) - 1)
    return np.concatenate([half[n % 2 :][::-1], half])


# Windows beside the engine's that are a formula, by their names and numbers of parameters; SciPy has others.
_FORMULAS: dict[tuple[str, int], Callable[..., Float64Array]] = {
    **dict.fromkeys([("tukey", 0), ("tukey", 1), ("tuk", 0), ("tuk", 1)], _tukey),
    **dict.fromkeys([("exponential", 0), ("poisson", 0)], _exponential),
    **dict.fromkeys([("lanczos", 0), ("sinc", 0)], _lanczos),
    **dict.fromkeys([(f"general{_}gaussian", 2) for _ in " _"] + [("ggs", 2)], _generalized_gaussian),
    **dict.fromkeys([(f"general{_}cosine", 1) for _ in " _"], _sum_of_cosines),
    **dict.fromkeys([(f"general{_}hamming", 1) for _ in " _"], lambda n, a: _sum_of_cosines(n, [a, 1 - a])),
}


def _named_window(window: Any, length: PositiveInt, periodic: bool) -> Float64Array:
    positive_int("Nx", length)
    spec = window if isinstance(window, tuple) else ("kaiser", window)
    if isinstance(window, str):
        spec = (window,)
    try:
        name, *parameters = spec
        for suffix, is_periodic in (("_periodic", True), ("_symmetric", False)):
            if name.endswith(suffix):
                name, periodic = name.removesuffix(suffix), is_periodic
        parameter = parameters[0] if parameters else np.nan
        if len(parameters) < 2 and isinstance(parameter, (int, float, np.number)):
            samples: Float64Array | None = _native.window(name, float(parameter), int(length), periodic)
            if samples is not None:
                return samples
        if formula := _FORMULAS.get((name, len(parameters))):
            return formula(length + periodic, *parameters)[:length] if length > 1 else np.ones(1)
        signal = required("scipy.signal", Argument("window", window))
        return signal.get_window((name, *parameters), length, fftbins=periodic)
    except (AttributeError, TypeError, ValueError) as error:
        name = spec[0] if spec and isinstance(spec[0], str) else None
        if name in _OTHER_WINDOWS:  # so its parameters are wrong
            rule = f"a window with its parameters: {error}"
        else:
            rule = f"a known window{did_you_mean(name, _KNOWN_WINDOWS)}"
        raise ParameterError("window", window, rule) from error


@native_names(Nx="n")
@public
def window_bandwidth(window: WindowLike, n: Int = 1000) -> float:
    """Equivalent noise bandwidth of a window, in FFT bins.

    Parameters
    ----------
    window : str, tuple, number, callable or array_like
        A window, as `get_window` takes it.
    n : int
        Number of samples to compute it from; those of common windows are known.

    Returns
    -------
    float
        Bandwidth in bins; 1 for the rectangular window.

    Examples
    --------
    >>> round(float(metalmom.filters.window_bandwidth("hann")), 3)
    1.5
    """
    key = getattr(window, "__name__", window)
    if isinstance(key, (str, tuple)) or np.isscalar(key):
        with contextlib.suppress(TypeError):  # of a tuple that cannot be looked up
            if key in WINDOW_BANDWIDTHS:
                return WINDOW_BANDWIDTHS[key]
    samples = get_window(window, n)
    return n * np.sum(samples**2) / (np.sum(samples) ** 2 + tiny(samples))


@native_names(size="n_fft")
@public
def window_sumsquare(
    *,
    window: WindowLike,
    n_frames: NonNegativeInt,
    hop_length: PositiveInt = 512,
    win_length: Int | None = None,
    n_fft: PositiveInt = 2048,
    dtype: DTypeLike = np.float32,
    norm: Norm = None,
) -> RealArray:
    """Sum of the squared windows of all frames, at every sample: what overlapping adds up to.

    Parameters
    ----------
    window : str, tuple, number, callable or array_like
        A window, as `get_window` takes it.
    n_frames : int >= 0
        Number of frames.
    hop_length : int > 0
        Samples from one frame to the next.
    win_length : int or None
        Length of the window, `n_fft` if None; a shorter window is centred in its frame.
    n_fft : int > 0
        Length of a frame.
    dtype : dtype_like
        Dtype of the result.
    norm : {None, number, inf}
        Norm that the window is scaled to first, as by `metalmom.util.normalize`.

    Returns
    -------
    np.ndarray, shape (n_fft + hop_length * (n_frames - 1),), real
        The sum.

    Examples
    --------
    >>> metalmom.filters.window_sumsquare(window="hann", n_frames=3, hop_length=2, n_fft=4)
    array([0.  , 0.25, 1.  , 0.5 , 1.  , 0.5 , 1.  , 0.25], dtype=float32)
    """
    positive_int("n_fft", n_fft)
    require_inexact("dtype", dtype)
    win_length = n_fft if win_length is None else positive_int("win_length", win_length)
    samples = get_window(window, win_length)
    squared = pad_center(normalize(samples, norm=norm) ** 2, size=n_fft)
    # The engine adds in float32 or float64; for other dtypes the result is converted.
    single = np.dtype(dtype) == np.float32
    sums = np.zeros(n_fft + hop_length * (n_frames - 1), np.float32 if single else np.float64)
    _native.add_windows(sums, squared, n_frames, hop_length)
    return sums.astype(dtype, copy=False)


# Windowed complex sinusoids of constant relative bandwidth.
#
# C. Schoerkhuber et al., "A Matlab Toolbox for Efficient Perfect Reconstruction Time-Frequency
# Transforms with Log-Frequency Resolution" (AES 2014), describes the bandwidths.

# Equivalent rectangular bandwidth of hearing, 24.7 + 0.108 f Hz (Glasberg and Moore, 1990).
_ERB_OFFSET = 24.7
_ERB_SLOPE = 0.108


def relative_bandwidth(freqs: Array) -> Array:
    """Bandwidth over centre frequency: ``(f[k + 1] - f[k - 1]) / (f[k + 1] + f[k - 1])``.

    At the ends the frequencies are continued geometrically.
    """
    if len(freqs) < 2:
        raise ParameterError("freqs", Shown(f"{freqs}"), "at least two where alpha is None")
    ratio: Array = 2.0 ** (2 * np.gradient(np.log2(freqs)))
    return (ratio - 1) / (ratio + 1)


def _require_positives(name: str, values: Array) -> None:
    if not (values.min() > 0 and values.max() < np.inf):  # the text of the values takes milliseconds
        raise ParameterError(name, Shown(f"{values}"), f"finite {POSITIVES}")


def _valid_frequencies(freqs: ArrayLike, strictly: bool) -> Array:
    centers = np.asarray(freqs)
    if centers.dtype.kind in "iu":
        centers = centers.astype(np.float64)
    if centers.ndim != 1 or len(centers) == 0:
        raise ParameterError("freqs.shape", centers.shape, "(n,), with n at least 1")
    _require_positives("freqs", centers)
    ascends = np.less if strictly else np.less_equal
    if not ascends(centers[:-1], centers[1:]).all():
        raise ParameterError("freqs", Shown(f"{centers}"), "in strictly ascending order")
    return centers


@public
def wavelet_lengths(
    *,
    freqs: FrequenciesLike,
    sr: Number = 22050,
    window: Window = "hann",
    filter_scale: Number = 1,
    gamma: Number | None = 0,
    alpha: Number | FrequenciesLike | None = None,
) -> tuple[RealArray, float]:
    """Lengths of the filters of `wavelet`, and the frequency above which all have decayed.

    A filter at frequency f has the bandwidth ``alpha f + gamma`` in Hz: constant Q with gamma 0,
    and with a greater gamma the better resolution in time at low frequencies.

    Parameters
    ----------
    freqs : array_like, shape (n,)
        Centre frequencies in Hz, ascending.
    sr : number
        Sampling rate in Hz.
    window : str, tuple, number or callable
        Window of the filters, as `get_window` takes it.
    filter_scale : number
        Factor on all lengths.
    gamma : number or None
        Offset of the bandwidths in Hz; None makes them proportional to the equivalent
        rectangular bandwidths of hearing.
    alpha : number or array_like of shape (n,), optional
        Relative bandwidths; from the neighbours of each frequency if not given.

    Returns
    -------
    lengths : np.ndarray, shape (n,), real
        Lengths in samples, with their fractions.
    f_cutoff : float
        Frequency in Hz above which the main lobes of all filters have fallen by 3 dB.

    Raises
    ------
    ParameterError
        If an argument is out of range, `freqs` do not ascend, or there is a single one and no
        `alpha`.

    Notes
    -----
    Integers are frequencies like others here; librosa rounds their bins per octave to integers.

    Examples
    --------
    >>> lengths, f_cutoff = metalmom.filters.wavelet_lengths(freqs=[110.0, 220.0, 440.0])
    >>> lengths.round(1), round(float(f_cutoff), 1)
    (array([334.1, 167. ,  83.5]), 638.0)
    """
    for name, value in (("filter_scale", filter_scale), ("sr", sr)):
        require(0 < value < np.inf, name, value, "positive")
    if gamma is not None and not (np.ndim(gamma) == 0 and 0 <= gamma < np.inf):
        raise ParameterError("gamma", gamma, "non-negative")
    centers = _valid_frequencies(freqs, strictly=alpha is None)
    if alpha is None:
        relative = relative_bandwidth(centers)
    else:
        relative = np.asarray(alpha)
        if relative.shape not in ((), (1,), centers.shape):
            raise ParameterError("alpha.shape", relative.shape, f"() or {centers.shape}")
        _require_positives("alpha", relative)
    offset: Any = relative * _ERB_OFFSET / _ERB_SLOPE if gamma is None else gamma
    Q = float(filter_scale) / relative
    f_cutoff = np.max(centers * (1 + 0.5 * window_bandwidth(window) / Q) + 0.5 * offset)
    return Q * sr / (centers + offset / relative), f_cutoff


@takes(of="util.pad_center", but=("data", "size"))
@public
def wavelet(
    *,
    freqs: FrequenciesLike,
    sr: Number = 22050,
    window: Window = "hann",
    filter_scale: Number = 1,
    pad_fft: bool = True,
    norm: Norm = 1,
    dtype: DTypeLike = np.complex64,
    gamma: Number | None = 0,
    alpha: Number | FrequenciesLike | None = None,
    **kwargs: Any,
) -> tuple[ComplexArray, RealArray]:
    """Filters in time, each a windowed complex sinusoid: the basis of a constant-Q transform.

    Parameters
    ----------
    freqs : array_like, shape (n,)
        Centre frequencies in Hz, ascending.
    sr : number
        Sampling rate in Hz.
    window : str, tuple, number or callable
        Window of the filters, as `get_window` takes it.
    filter_scale : number
        Factor on all lengths.
    pad_fft : bool
        Make all as long as the next power of two of the longest, otherwise as the longest.
    norm : {number, inf, None}
        Norm that each filter is scaled to, as by `metalmom.util.normalize`.
    dtype : dtype_like
        Dtype of the filters.
    gamma : number or None
        Offset of the bandwidths in Hz (see `wavelet_lengths`).
    alpha : number or array_like of shape (n,), optional
        Relative bandwidths (see `wavelet_lengths`).
    **kwargs
        How to pad, as `metalmom.util.pad_center` takes it; zeros if not given.

    Returns
    -------
    filters : np.ndarray, shape (n, length), complex
        The filters, each centred.
    lengths : np.ndarray, shape (n,), real
        Their lengths in samples before padding, with fractions.

    Raises
    ------
    ParameterError
        As `wavelet_lengths`; and if a filter would have no sample.

    Examples
    --------
    >>> filters, lengths = metalmom.filters.wavelet(freqs=[110.0, 220.0, 440.0])
    >>> filters.shape, lengths.astype(int)
    ((3, 512), array([334, 167,  83]))
    """
    lengths, _ = wavelet_lengths(
        freqs=freqs, sr=sr, window=window, filter_scale=filter_scale, gamma=gamma, alpha=alpha
    )
    if not np.all(lengths > 0):
        raise ParameterError(
            f"freqs={str(freqs)} with alpha={str(alpha)} must give filters of some length", argument="freqs"
        )
    longest = max(lengths)
    size = int(2.0 ** np.ceil(np.log2(longest)) if pad_fft else np.ceil(longest))
    filters = np.empty((len(lengths), size), dtype=np.complex128 if dtype is None else dtype)
    for row, length, frequency in zip(filters, lengths, np.asarray(freqs)):
        samples = np.arange(-length // 2, length // 2, dtype=float)
        wave = phasor(samples * 2 * np.pi * frequency / sr) * get_window(window, len(samples))
        row[:] = pad_center(normalize(wave, norm=norm), size=size, **kwargs)
    return filters, lengths


# Filters per semitone and the folding of octaves.

# Rates of the pitch filter bank, and the MIDI number up to which (exclusive) each is used
# (M. Mueller, Information Retrieval for Music and Motion, 2007; extended down to C1).
_RATES = ((882, 60), (4410, 94), (22050, 109))
_FIRST_MIDI = 24
_RATE_OF_PITCH = np.repeat(
    [float(rate) for rate, _ in _RATES], np.diff([_FIRST_MIDI, *(end for _, end in _RATES)])
)


@public
def mr_frequencies(tuning: Float) -> tuple[Float64Array, Float64Array]:
    """Centre frequencies and sampling rates of a multirate filter bank: semitones from C1 to C8.

    Parameters
    ----------
    tuning : float
        Deviation from A4 = 440 Hz, in semitones.

    Returns
    -------
    center_freqs : np.ndarray of float64, shape (85,)
        Frequencies in Hz.
    sample_rates : np.ndarray of float64, shape (85,)
        882, 4410 or 22050 Hz: low filters need few samples.

    Notes
    -----
    M. Mueller, *Information Retrieval for Music and Motion* (Springer, 2007), section 3.1.

    Examples
    --------
    >>> center_freqs, sample_rates = metalmom.filters.mr_frequencies(0.0)
    >>> center_freqs[45].round(1), sample_rates[45]
    (440.0, 4410.0)
    """
    first, last = _FIRST_MIDI + tuning, _RATES[-1][1] + tuning
    return hz_of_midi(np.arange(first, last)), _RATE_OF_PITCH.copy()


@takes("Q", "passband_ripple", "stopband_attenuation", "ftype")
@public
def semitone_filterbank(
    *,
    center_freqs: FrequenciesLike | None = None,
    tuning: Float = 0.0,
    sample_rates: FrequenciesLike | None = None,
    flayout: Literal["ba", "sos", "zpk"] = "ba",
    **kwargs: Any,
) -> tuple[list[Any], RealArray]:
    """Band-pass filters (IIR), one per pitch, each at a sampling rate of its own.

    Parameters
    ----------
    center_freqs : array_like, shape (n,), optional
        Centre frequencies in Hz; those of `mr_frequencies` if neither these nor `sample_rates`
        are given.
    tuning : float
        Deviation from A4 = 440 Hz of those frequencies, in semitones.
    sample_rates : array_like, shape (n,), optional
        Sampling rate of each filter in Hz.
    flayout : {'ba', 'sos', 'zpk'}
        Numerator and denominator, second-order sections (rounding hurts them least), or zeros,
        poles and gain.
    **kwargs
        ``Q=25.0`` (centre frequency over bandwidth), ``passband_ripple=1`` and
        ``stopband_attenuation=50`` in dB, ``ftype='ellip'`` or another design of
        `scipy.signal.iirdesign`.

    Returns
    -------
    filterbank : list
        What `flayout` says, for each filter.
    sample_rates : np.ndarray, shape (n,), real
        Sampling rate of each filter in Hz.

    Raises
    ------
    ParameterError
        If one of `center_freqs` and `sample_rates` is missing or their lengths differ, if a band
        does not lie between 0 and half its sampling rate, or SciPy knows no such design.

    Notes
    -----
    Needs SciPy. M. Mueller, *Information Retrieval for Music and Motion* (Springer, 2007),
    section 3.1.

    Examples
    --------
    >>> filterbank, sample_rates = metalmom.filters.semitone_filterbank(
    ...     center_freqs=[220.0, 440.0], sample_rates=[4410.0, 4410.0], flayout="sos")
    >>> len(filterbank), filterbank[0].shape
    (2, (4, 6))
    """
    if center_freqs is None and sample_rates is None:
        center_freqs, sample_rates = mr_frequencies(tuning)
    for name, value in (("center_freqs", center_freqs), ("sample_rates", sample_rates)):
        if value is None:
            raise ParameterError(name, None, "given beside the other")
    center_freqs, sample_rates = np.asarray(center_freqs), np.asarray(sample_rates)
    if center_freqs.ndim != 1 or center_freqs.shape != sample_rates.shape:
        raise ParameterError(
            "center_freqs.shape", center_freqs.shape,
            f"(n,), and sample_rates.shape={sample_rates.shape} the same",
        )
    filters = _band_passes(center_freqs, sample_rates, output=flayout, **kwargs)
    return filters, sample_rates


def _band_passes(
    centers: Array, rates: Array, *, output: str, Q: Number = 25.0, passband_ripple: Number = 1,
    stopband_attenuation: Number = 50, ftype: str = "ellip",
) -> list[Any]:
    """A filter around each centre: half a bandwidth passes on either side, a whole one stops."""
    iirdesign = required("scipy.signal").iirdesign
    sides = 1 + np.array([[-0.5, 0.5], [-1.0, 1.0]]) / float(Q)
    edges = (centers / (rates / 2))[:, np.newaxis, np.newaxis] * sides
    outside = np.flatnonzero(~np.all((edges > 0) & (edges < 1), axis=(1, 2)))
    if outside.size:
        raise ParameterError(
            f"center_freqs of {centers[outside[0]]} Hz with Q={Q} must lie between 0 and half of "
            f"sample_rates of {rates[outside[0]]} Hz",
            argument="center_freqs",
        )
    try:
        return [
            iirdesign(*each, passband_ripple, stopband_attenuation, ftype=ftype, output=output)
            for each in edges
        ]
    except (IndexError, KeyError, ValueError) as error:
        raise ParameterError(
            f"passband_ripple={passband_ripple}, stopband_attenuation={stopband_attenuation}, "
            f"ftype={ftype!r} and flayout={output!r} must be a design of "
            f"scipy.signal.iirdesign: {error}",
            argument="passband_ripple",
        ) from error


@public
def cq_to_chroma(
    n_input: Int,
    *,
    bins_per_octave: Int = 12,
    n_chroma: Int = 12,
    fmin: Number | None = None,
    window: ArrayLike | None = None,
    base_c: bool = True,
    dtype: DTypeLike = np.float32,
) -> RealArray:
    """Matrix that folds the bins of a constant-Q transform into pitch classes.

    Parameters
    ----------
    n_input : int
        Number of constant-Q bins.
    bins_per_octave : int
        Bins per octave, a multiple of `n_chroma`.
    n_chroma : int
        Number of pitch classes.
    fmin : number, optional
        Frequency of the first bin in Hz; C1 (32.7 Hz) if not given.
    window : array_like, optional
        Kernel that the matrix is convolved with, along the bins if it has one dimension.
    base_c : bool
        Whether the first row is C, otherwise A.
    dtype : dtype_like
        Dtype of the result; a `window` may widen it.

    Returns
    -------
    np.ndarray, shape (n_chroma, n_input), real
        The matrix: ``chroma = matrix @ np.abs(C)``.

    Raises
    ------
    ParameterError
        If an argument is out of range, or `bins_per_octave` is not a multiple of `n_chroma`.

    Notes
    -----
    A `window` needs SciPy.

    Examples
    --------
    >>> metalmom.filters.cq_to_chroma(8, bins_per_octave=4, n_chroma=4).astype(int)
    array([[1, 0, 0, 0, 1, 0, 0, 0],
           [0, 1, 0, 0, 0, 1, 0, 0],
           [0, 0, 1, 0, 0, 0, 1, 0],
           [0, 0, 0, 1, 0, 0, 0, 1]])
    """
    require_count("n_chroma", n_chroma)
    natural_int("n_input", n_input)
    merged, rest = bins_per_octave // n_chroma, bins_per_octave % n_chroma
    if rest or merged < 1:
        raise ParameterError("bins_per_octave", bins_per_octave, f"a multiple of n_chroma={n_chroma}")
    if fmin is None:
        fmin = hz_of_midi(_FIRST_MIDI)
    elif not (fmin > 0 and np.isfinite(fmin)):
        raise ParameterError("fmin", fmin, "a number > 0")
    semitone = midi_of_hz(fmin) % 12 - (0 if base_c else 9)
    first = int(np.round(semitone * n_chroma / 12))
    # Half of the bins of a pitch class lie below its pitch, half above.
    classes = (np.arange(n_input) + merged // 2) // merged + first
    matrix: RealArray = (np.arange(n_chroma)[:, None] == classes % n_chroma).astype(dtype)
    if window is None:
        return matrix
    weights = np.atleast_2d(window)
    # with arrays of objects SciPy's convolution would read addresses
    require(matrix.dtype.kind in "biufc", "dtype", matrix.dtype, "a type of numbers")
    if weights.dtype.kind not in "biufc":
        raise ParameterError("window", window, "an array of numbers", hint=as_array("window", window))
    return required("scipy.signal", "a window").convolve(matrix, weights, mode="same")
