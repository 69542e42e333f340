"""Windows, their bandwidth and their overlap; `metalmom.filters` exports them."""

import numpy as np

from . import _native
from ._boundary import native_names
from ._boundary.nearest import did_you_mean
from .util._checks import positive_int, require_inexact
from .util._packages import required
from .util.exceptions import ParameterError
from .util.utils import normalize, pad_center, tiny

__all__ = ["get_window", "window_bandwidth", "window_sumsquare"]

# Equivalent noise bandwidths in bins, by SciPy's names of windows. Others are computed when needed
# and added.
WINDOW_BANDWIDTHS = {
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


def get_window(window, Nx, *, fftbins=True):
    """Samples of a window function.

    Parameters
    ----------
    window : str, tuple, number, callable or array_like
        The name of a window; a name with its parameters, ``("kaiser", 4.0)``; the beta of a
        Kaiser window; a function of the length; or the samples themselves. Names are those of
        `scipy.signal.get_window`; the common windows do without SciPy.
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
        return window(Nx)
    if isinstance(window, (str, tuple)) or np.isscalar(window):
        return _named_window(window, Nx, bool(fftbins))
    if isinstance(window, (np.ndarray, list)):
        if len(window) != Nx:
            raise ParameterError(f"window of {len(window)} samples must have {Nx}")
        return np.asarray(window)
    raise ParameterError(f"window={window!r} must be a name, a tuple, a number, or samples")


# Further names in SciPy, for suggestions when a name is not known.
_OTHER_WINDOWS = (
    "chebwin dpss exponential gaussian general_cosine general_gaussian general_hamming kaiser "
    "kaiser_bessel_derived lanczos poisson sinc taylor tukey"
).split()
_KNOWN_WINDOWS = (*WINDOW_BANDWIDTHS, *_OTHER_WINDOWS)


def _named_window(window, length, periodic):
    positive_int("Nx", length)
    if isinstance(window, tuple):
        spec = window
    else:
        spec = (window,) if isinstance(window, str) else ("kaiser", window)
    try:
        name, *parameters = spec
        for suffix, is_periodic in (("_periodic", True), ("_symmetric", False)):
            if name.endswith(suffix):
                name, periodic = name.removesuffix(suffix), is_periodic
        parameter = parameters[0] if parameters else np.nan
        if len(parameters) < 2 and isinstance(parameter, (int, float, np.number)):
            samples = _native.window(name, float(parameter), length, periodic)
            if samples is not None:
                return samples
        signal = required("scipy.signal", f"window={window!r}")
        return signal.get_window((name, *parameters), length, fftbins=periodic)
    except (AttributeError, TypeError, ValueError) as error:
        if spec and spec[0] in _OTHER_WINDOWS:  # the name is known, so its parameters are wrong
            rule = f"a window with its parameters: {error}"
        else:
            rule = f"a known window{did_you_mean(spec[0] if spec else None, _KNOWN_WINDOWS)}"
        raise ParameterError(f"window={window!r} must be {rule}") from error


def window_bandwidth(window, n=1000):
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
    is_name = isinstance(key, (str, tuple)) or np.isscalar(key)
    if is_name and key in WINDOW_BANDWIDTHS:
        return WINDOW_BANDWIDTHS[key]
    samples = get_window(window, n)
    bandwidth = n * np.sum(samples**2) / (np.sum(samples) ** 2 + tiny(samples))
    # Not for functions, since many share a name, such as '<lambda>'.
    if is_name and not callable(window):
        WINDOW_BANDWIDTHS[key] = bandwidth
    return bandwidth


@native_names(size="n_fft")
def window_sumsquare(
    *,
    window,
    n_frames,
    hop_length=512,
    win_length=None,
    n_fft=2048,
    dtype=np.float32,
    norm=None,
):
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
