"""Spectra: the short-time Fourier transform, its inverse, magnitudes and levels."""

import numpy as np

from .. import _args, _native
from .._boundary import native_names
from .._declared import Frames, Like, Samples, Streamed, as_feature, bins, hops, typed
from .._homes import adopt
from .._keywords import takes
from .._spans import composed
from .._expressions import ask, expression, then
from .._warnings import warn
from ..util._checks import require_inexact
from ..util.exceptions import ParameterError
from ..util.utils import dtype_c2r, dtype_r2c
from . import _griffinlim, _mellin, _pcen, _reassigned, _semitones, _vocoder
from ._griffinlim import griffinlim
from ._mellin import fmt
from ._pcen import pcen
from ._reassigned import reassigned_spectrogram
from ._semitones import iirt
from ._vocoder import phase_vocoder
from ._weightings import frequency_weighting

__all__ = [
    "amplitude_to_db",
    "db_to_amplitude",
    "db_to_power",
    "fmt",
    "griffinlim",
    "iirt",
    "istft",
    "magphase",
    "pcen",
    "perceptual_weighting",
    "phase_vocoder",
    "power_to_db",
    "reassigned_spectrogram",
    "stft",
]

adopt(__name__, _griffinlim, _mellin, _pcen, _reassigned, _semitones, _vocoder)


@as_feature(
    Frames(bins, numbers=typed(complex)),
    streams=Streamed("STFT", "Short-time Fourier transform", "n_fft=1024", (513, 15), without=("out",)),
)
@expression
def stft(
    y,
    *,
    n_fft=2048,
    hop_length=None,
    win_length=None,
    window="hann",
    center=True,
    dtype=None,
    pad_mode="constant",
    out=None,
):
    """Short-time Fourier transform.

    Windows and transforms in double precision whatever the dtype of `y`, and rounds once: the
    phase and level of near-empty bins need it. (The GPU transforms in float32; it agrees to about
    1e-6 of the largest magnitude.)

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    n_fft : int > 0
        Samples of a frame; the transform has ``1 + n_fft // 2`` bins.
    hop_length : int > 0, optional
        Samples from a frame to the next, by default ``win_length // 4``.
    win_length : int in 1 .. n_fft, optional
        Samples of the window, by default `n_fft`; it sits in the middle of the frame.
    window : str, tuple, number, callable or np.ndarray
        As in `metalmom.filters.get_window`.
    center : bool
        Whether frame t is centred at sample ``t * hop_length`` (the signal is padded by
        ``n_fft // 2`` on both sides) or begins there.
    dtype : complex dtype, optional
        Of the result; by default complex64 for float32 audio, complex128 for float64.
    pad_mode : str or callable
        What lies beyond the ends, as in `numpy.pad`, if `center`. ``wrap``, ``maximum``, ``mean``,
        ``median`` and ``minimum`` are refused.
    out : np.ndarray, optional
        Complex array to fill, of the result's shape or with more frames than needed.

    Returns
    -------
    np.ndarray [shape=(..., 1 + n_fft // 2, t)], complex, or DeviceArray
        Frame after frame in memory (Fortran order for one signal).

    Raises
    ------
    ParameterError
        For wrong values, audio that is not finite, or fewer than `n_fft` samples if not `center`.

    References
    ----------
    J. B. Allen, "Short term spectral analysis, synthesis, and modification by discrete Fourier
    transform", IEEE Trans. ASSP 25(3), 1977.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> D = metalmom.stft(y)
    >>> D.shape
    (1025, 44)
    """
    framing = _args.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    y, arguments = _args.frames(y, framing)
    if dtype is None and not _args.is_engine_type(y.dtype):
        dtype = dtype_r2c(y.dtype)
    if out is not None:
        _args.refuse_argument("out", "y", y)
    if dtype is not None and np.dtype(dtype).itemsize > 8 and y.dtype == np.float32:
        # complex128 of float32 audio: shows the transform in double unrounded
        y = _args.as_type(y, np.float64)
    if out is None:
        D = then(_args.swapped, ask("stft", y=y, **arguments))
        return D if dtype is None else then(_args.as_type, D, dtype)
    return _stft_into(out, y, arguments)


def _stft_into(out, y, arguments):
    pad = arguments["n_fft"] // 2 if arguments["center"] else 0
    n_frames = 1 + (y.shape[-1] + 2 * pad - arguments["n_fft"]) // arguments["hop_length"]
    shape = (*y.shape[:-1], 1 + arguments["n_fft"] // 2, n_frames)
    if out.shape[:-1] != shape[:-1] or out.shape[-1] < n_frames:
        raise ParameterError(f"out.shape={out.shape} must be {shape}, or with more frames")
    if not np.iscomplexobj(out):
        raise ParameterError(f"out.dtype={out.dtype} must be complex")
    target = out[..., :n_frames]
    # Computed straight into `out` only if the memory fits: `out` may be a view of `y` itself.
    frames = target.swapaxes(-1, -2)
    fits = frames.flags.c_contiguous and frames.flags.writeable and frames.flags.aligned
    if fits and out.dtype == dtype_r2c(y.dtype) and not np.may_share_memory(frames, y):
        _native.stft(y=y, out=frames, **arguments)
    else:
        target[...] = _native.stft(y=y, **arguments).swapaxes(-1, -2)
    return out if out.shape == shape else target


@as_feature(Samples(numbers=typed(float), times=hops), listed=False)
@native_names(spectrum="stft_matrix")
def istft(
    stft_matrix,
    *,
    hop_length=None,
    win_length=None,
    n_fft=None,
    window="hann",
    center=True,
    dtype=None,
    length=None,
    out=None,
):
    """Inverse short-time Fourier transform, by least squares over overlapping frames.

    Transforms in the precision of `stft_matrix`.

    Parameters
    ----------
    stft_matrix : np.ndarray [shape=(..., 1 + n_fft // 2, t)], complex, or DeviceArray
        As `stft` gives it.
    hop_length, win_length, n_fft, window, center
        As given to `stft`. `n_fft` defaults to twice the number of bins less one (an even size),
        `hop_length` to ``win_length // 4``.
    dtype : real dtype, optional
        Of the result; by default float32 for complex64, float64 for complex128.
    length : int > 0, optional
        Samples of the result: cut, or filled with zeros.
    out : np.ndarray, optional
        Real array to fill, of the result's shape.

    Returns
    -------
    np.ndarray [shape=(..., n)], real, or DeviceArray
        Audio. Samples that no window reaches are zero.

    Raises
    ------
    ParameterError
        For wrong values, or an `out` of another shape.

    References
    ----------
    D. W. Griffin and J. S. Lim, "Signal estimation from modified short-time Fourier transform",
    IEEE Trans. ASSP 32(2), 1984.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> np.allclose(metalmom.istft(metalmom.stft(y), length=len(y)), y, atol=1e-5)
    True
    """
    D = _args.array(stft_matrix)
    if out is not None:
        _args.refuse_argument("out", "stft_matrix", D)
    if D.ndim < 2:
        raise ParameterError(f"stft_matrix.ndim={D.ndim} must be at least 2")
    if n_fft is None:
        n_fft = _args.n_fft_of(D, "stft_matrix")
    if win_length is None:
        win_length = n_fft
    if hop_length is None:
        hop_length = _args.hop_of(win_length)
    samples = _args.window(window, win_length)
    if dtype is None:
        dtype = dtype_c2r(D.dtype)
    require_inexact("dtype", dtype)
    n_bins = 1 + n_fft // 2
    if D.shape[-2] != n_bins:  # as numpy.fft.irfft does: cut off, or filled with zeros
        fitted = np.zeros((*D.shape[:-2], n_bins, D.shape[-1]), dtype=D.dtype)
        n_kept = min(n_bins, D.shape[-2])
        fitted[..., :n_kept, :] = D[..., :n_kept, :]
        D = fitted
    if not np.iscomplexobj(D):
        D = D.astype(dtype_r2c(D.dtype))
    arguments = {
        "spectrum": D.swapaxes(-1, -2),
        "window": samples,
        "n_fft": n_fft,
        "hop_length": hop_length,
        "center": bool(center),
        "length": length or 0,
    }
    y = _native.istft(**arguments)
    if out is None:
        return y if y.dtype == dtype else y.astype(dtype)
    if out.shape != y.shape:
        raise ParameterError(f"out.shape={out.shape} must be {y.shape}")
    out[...] = y
    return out


@as_feature((Like(numbers=float), Like(numbers=complex)), listed=False)
def magphase(D, *, power=1):
    """Split a complex spectrogram into magnitude and phase: ``D = S * P``.

    Parameters
    ----------
    D : np.ndarray, complex
        A spectrogram.
    power : number > 0
        Exponent of the magnitude.

    Returns
    -------
    S : np.ndarray, real, same shape
        ``|D| ** power``.
    P : np.ndarray, complex, same shape
        Phase factors of magnitude 1; 1 where `D` is zero.

    Examples
    --------
    >>> S, P = metalmom.magphase(np.array([[3 + 4j, 0]]))
    >>> S
    array([[5., 0.]])
    >>> P
    array([[0.6+0.8j, 1. +0.j ]])
    """
    magnitude = np.abs(D)
    silent = magnitude == 0
    divisor = np.where(silent, magnitude.dtype.type(1), magnitude)
    phase = np.empty_like(D, dtype=dtype_r2c(D.dtype))
    # Real and imaginary parts separately: NumPy's complex division turns denormal numbers into NaN.
    np.divide(D.real, divisor, out=phase.real)
    np.divide(D.imag, divisor, out=phase.imag)
    phase[silent] = 1
    if power != 1:
        magnitude **= power
    return magnitude, phase


def _group_axes(axes, ndim):
    """Resolve the axes over which `ref` and `top_db` take a maximum; None: all of them."""
    if isinstance(axes, str):
        if axes != "auto":
            raise ParameterError(f"axes='{axes}' must be 'auto', an int, a tuple or None")
        axes = tuple(range(-min(ndim, 2), 0))
    elif axes is None:
        axes = tuple(range(-ndim, 0))
    elif isinstance(axes, (int, np.integer)):
        axes = (axes,)
    return tuple(sorted({axis - ndim if axis >= 0 else axis for axis in axes}))


def _to_db(S, *, ref, amin, top_db, axes, amplitude):
    """Power or amplitude in decibels, for what the two public functions have in common."""
    if not amin > 0:
        raise ParameterError(f"amin={amin} must be strictly positive")
    if top_db is not None and not top_db >= 0:
        raise ParameterError(f"top_db={top_db} must be non-negative")
    given = S.dtype
    S = _args.floating(S)
    if S.size == 0:
        raise ParameterError(f"S.shape={S.shape} must not be empty")
    if S.ndim == 0:  # decibels of a scalar are float64, by NumPy's promotion
        S, axes = S.astype(np.float64), ()
    else:
        axes = _group_axes(axes, S.ndim)
    if callable(ref):
        try:
            # of a DeviceArray a copy: a function of NumPy's runs on the host
            reference = ref(_args.host(S), axis=axes or None, keepdims=True)
        except TypeError as error:
            raise ParameterError(
                f"ref={ref!r} must be a number, or a function that takes axis and keepdims"
            ) from error
    else:
        reference = np.abs(ref)
    if amplitude:
        reference, amin = np.square(reference), amin**2

    # The engine needs the values of a group as neighbours in memory, so grouped axes go last.
    # Within a group their order does not matter: a Fortran-ordered spectrogram is taken as it is.
    grouped = S
    if axes != tuple(range(-len(axes), 0)):
        grouped = np.moveaxis(S, axes, range(-len(axes), 0))
    lying, swapped = _args.planes(grouped) if len(axes) >= 2 else (grouped, False)
    lead = lying.shape[: S.ndim - len(axes)]
    level = _native.decibel(
        S=lying.reshape(*lead, -1),
        ref=np.asarray(reference, dtype=np.float64).reshape(-1),
        amin=amin,
        top_db=np.inf if top_db is None else top_db,
        amplitude=amplitude,
    ).reshape(lying.shape)
    if swapped:
        level = level.swapaxes(-1, -2)
    if _args.on_device(level):
        return level
    if grouped is not S or (len(axes) == 1 and not S.flags.c_contiguous):
        moved = np.moveaxis(level, range(-len(axes), 0), axes)
        level = np.empty_like(S)  # an array with the memory order of S
        level[...] = moved
    return _args.as_precise_as(given, level) if level.ndim else level[()]


@as_feature(Like(numbers=float))
def power_to_db(S, *, ref=1.0, amin=1e-10, top_db=80.0, axes="auto"):
    """Convert power to decibels: ``10 * log10(max(S, amin) / max(ref, amin))``.

    Parameters
    ----------
    S : number, array_like or DeviceArray
        Power; the magnitude of complex input is taken, with a warning.
    ref : number or callable
        The power at 0 dB, or a function of `S` that takes `axis` and `keepdims` (`numpy.max`).
    amin : number > 0
        Smallest power; what lies below counts as this.
    top_db : number >= 0 or None
        Largest distance in dB from the maximum over `axes`; None for no limit.
    axes : "auto", int, tuple of int or None
        Axes that share a maximum and a reference. "auto": the last two, so that every channel has
        its own; None: all.

    Returns
    -------
    np.floating or np.ndarray, real, same shape, or DeviceArray
        Decibels, in float16 or float32 for such input and in float64 for everything else.

    Raises
    ------
    ParameterError
        For values not listed.

    Examples
    --------
    >>> metalmom.power_to_db(np.array([1.0, 0.1, 1e-12]))
    array([  0., -10., -80.])
    """
    S = _args.array(S)
    if np.iscomplexobj(S):
        warn(
            "power_to_db was called on complex input: its phase is discarded. "
            "Call power_to_db(np.abs(D)**2) to say so.",
        )
        S = np.abs(S)
    return _to_db(S, ref=ref, amin=amin, top_db=top_db, axes=axes, amplitude=False)


@as_feature(Like(numbers=float))
def amplitude_to_db(S, *, ref=1.0, amin=1e-5, top_db=80.0, axes="auto"):
    """Convert amplitude to decibels: `power_to_db` of the squared magnitude.

    Parameters
    ----------
    S : number, array_like or DeviceArray
        Amplitude; the magnitude of complex input is taken, with a warning.
    ref : number or callable
        The amplitude at 0 dB, or a function of the magnitude that takes `axis` and `keepdims`.
    amin : number > 0
        Smallest amplitude.
    top_db : number >= 0 or None
        As in `power_to_db`.
    axes : "auto", int, tuple of int or None
        As in `power_to_db`.

    Returns
    -------
    np.floating or np.ndarray, real, same shape, or DeviceArray
        Decibels.

    Raises
    ------
    ParameterError
        For values not listed.

    Examples
    --------
    >>> metalmom.amplitude_to_db(np.array([1.0, 0.1]))
    array([  0., -20.])
    """
    S = _args.array(S)
    if np.iscomplexobj(S):
        warn(
            "amplitude_to_db was called on complex input: its phase is discarded. "
            "Call amplitude_to_db(np.abs(D)) to say so.",
        )
    S = S if _args.on_device(S) else np.abs(S)
    return _to_db(S, ref=ref, amin=amin, top_db=top_db, axes=axes, amplitude=True)


@as_feature(Like(numbers=float), listed=False)
def db_to_power(S_db, *, ref=1.0):
    """Convert decibels to power: ``ref * 10 ** (S_db / 10)``.

    Parameters
    ----------
    S_db : number or np.ndarray
        Decibels.
    ref : number
        The power at 0 dB.

    Returns
    -------
    np.floating or np.ndarray, real, same shape
        Power.

    Examples
    --------
    >>> float(metalmom.db_to_power(20.0))
    100.0
    """
    return ref * np.power(10.0, S_db * 0.1)


@as_feature(Like(numbers=float), listed=False)
def db_to_amplitude(S_db, *, ref=1.0):
    """Convert decibels to amplitude: ``ref * 10 ** (S_db / 20)``.

    Parameters
    ----------
    S_db : number or np.ndarray
        Decibels.
    ref : number
        The amplitude at 0 dB.

    Returns
    -------
    np.floating or np.ndarray, real, same shape
        Amplitude.

    Examples
    --------
    >>> float(metalmom.db_to_amplitude(-20.0))
    0.1
    """
    return db_to_power(S_db, ref=ref**2) ** 0.5


def _spectrogram(
    *,
    y=None,
    S=None,
    n_fft=2048,
    hop_length=512,
    power=1,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
):
    """Take a magnitude spectrogram, or make one of audio; returns it and its n_fft."""
    if S is not None:
        if n_fft is None or n_fft // 2 + 1 != S.shape[-2]:
            n_fft = 2 * (S.shape[-2] - 1)
        return S, n_fft
    if n_fft is None:
        raise ParameterError(f"n_fft={n_fft} must be a positive integer to make a spectrogram")
    if y is None:
        raise ParameterError("y=None must be audio if there is no S")
    D = stft(
        y,
        n_fft=n_fft,
        hop_length=hop_length,
        win_length=win_length,
        window=window,
        center=center,
        pad_mode=pad_mode,
    )
    S = np.abs(D)
    return (S if power == 1 else S**power), n_fft


@as_feature(Like(numbers=float), listed=False)
@takes(of="power_to_db")
@composed
def perceptual_weighting(S, frequencies, *, kind="A", **kwargs):
    """A power spectrogram in decibels, weighted as hearing is sensitive.

    Parameters
    ----------
    S : array_like [shape=(..., d, t)]
        Power spectrogram.
    frequencies : array_like [shape=(d,)] or number
        Frequency of each bin in Hz.
    kind : str or None
        Weighting, as in `frequency_weighting`.
    **kwargs
        Further arguments of `power_to_db`.

    Returns
    -------
    np.ndarray [shape=(..., d, t)], float64
        Weighted levels in dB.

    Raises
    ------
    ParameterError
        If shapes do not fit, there is no such weighting, or `power_to_db` refuses its arguments.

    Examples
    --------
    >>> S = np.ones((3, 2))
    >>> metalmom.perceptual_weighting(S, [100.0, 1000.0, 10000.0]).round(1)
    array([[-19.1, -19.1],
           [  0. ,   0. ],
           [ -2.5,  -2.5]])
    """
    S, frequencies = np.asarray(S), np.asarray(frequencies)
    if S.ndim < 2:
        raise ParameterError(f"S.shape={S.shape} must be (..., bins, frames)")
    if frequencies.shape not in ((), (1,), (S.shape[-2],)):
        raise ParameterError(f"frequencies.shape={frequencies.shape} must be ({S.shape[-2]},)")
    offset = np.reshape(frequency_weighting(frequencies, kind=kind), (-1, 1))
    return offset + power_to_db(S, **kwargs)
