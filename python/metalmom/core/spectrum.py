"""Spectra: the short-time Fourier transform, its inverse, magnitudes and levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, Unpack, overload

import numpy as np

from .. import _native, filters
from .._engine import _args
from .._engine.backend import ON_CPU
from ..util._expressions import ask, then
from ..util._public import elementwise, public
from ..util._rules import array, array_like, either, integer, number
from ..util._types import (
    Array, ArrayLike, Audio, ComplexArray, ComplexDtype, DTypeLike, DeviceArray, DoubleOrSingle,
    Float64Array, Fraction, Int, NDArray, NonNegative, NonNegativeInt, Number, PadMode, Placed,
    Positive, PositiveInt, RealArray, RealDtype, RealNumbers, Seed, WinLength, WindowSpec,
)
from ..util._checks import (
    is_one_of, require, require_audio, require_count, require_finite, require_inexact, require_positive,
)
from ..util._declared import (
    as_feature, bins, Frames, has_kernels, hops, Like, Samples, Streamed, typed, Value, windows,
)
from ..util._kept_results import kept
from ..util._keywords import native_names, takes
from ..util._packages import required
from ..util._warnings import warn
from ..util.deprecation import Deprecated
from ..util._wording import as_array
from ..util.exceptions import Argument, ParameterError, ParameterTypeError, TypeOf
from ..util.utils import cyclic_gradient, dtype_c2r, dtype_r2c, is_positive_int, pad_center
from . import _framing
from ._interpolation import interpolation
from .audio import resample
from .convert import fft_frequencies, frames_to_time, frequency_weighting

__all__ = [
    "amplitude_to_db", "db_to_amplitude", "db_to_power", "fmt", "griffinlim", "iirt", "istft",
    "magphase", "pcen", "perceptual_weighting", "phase_vocoder", "power_to_db",
    "reassigned_spectrogram", "stft",
]


@has_kernels("audio")
@as_feature(
    Frames(bins, numbers=typed(complex)),
    streams=Streamed("STFT", "Short-time Fourier transform", "n_fft=1024", (513, 15), without=("out",)),
)
@public(expression=True)
def stft(
    y: Placed,
    *,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt | None = None,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    dtype: ComplexDtype | None = None,
    pad_mode: PadMode = "constant",
    out: Array | None = None,
) -> Placed:
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
        Samples of the window, by default `n_fft`. A shorter window is centred in the frame.
    window : str, tuple, number, callable or np.ndarray
        As in `metalmom.filters.get_window`.
    center : bool
        Whether frame t is centred at sample ``t * hop_length`` (the signal is padded by
        ``n_fft // 2`` on both sides) or begins there.
    dtype : complex dtype, optional
        Data type of the result; by default complex64 for float32 audio, complex128 for float64.
    pad_mode : str or callable
        How to pad both ends if `center`: a mode of `numpy.pad`. ``wrap``, ``maximum``, ``mean``,
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
    framing = _framing.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    y, arguments = _framing.frames(y, framing)
    if dtype is None and not _args.is_engine_type(y.dtype):
        dtype = dtype_r2c(y.dtype)
    if out is not None:
        _args.refuse_argument("y", y, "out")
    if dtype is not None and np.dtype(dtype).itemsize > 8 and _args.precision_of(y.dtype) is np.float32:
        # complex128 of float32 audio: shows the transform in double unrounded
        y = _args.as_type(y, np.float64)
    if out is None:
        D = ask("stft", y=y, **arguments)
        return D if dtype is None else then(_args.as_type, D, dtype)
    return _stft_into(out, y, arguments)


def _stft_into(out: Any, y: Any, arguments: dict[str, Any]) -> Any:
    pad = arguments["n_fft"] // 2 if arguments["center"] else 0
    n_frames = 1 + (y.shape[-1] + 2 * pad - arguments["n_fft"]) // arguments["hop_length"]
    shape = (*y.shape[:-1], 1 + arguments["n_fft"] // 2, n_frames)
    if out.shape[:-1] != shape[:-1] or out.shape[-1] < n_frames:
        raise ParameterError("out.shape", out.shape, f"{shape}, or with more frames")
    require(np.iscomplexobj(out), "out.dtype", out.dtype, "complex")
    target = out[..., :n_frames]
    # Computed straight into `out` only if the memory fits: `out` may be a view of `y` itself.
    frames = target.swapaxes(-1, -2)
    fits = frames.flags.c_contiguous and frames.flags.writeable and frames.flags.aligned
    if fits and out.dtype == dtype_r2c(y.dtype) and not np.may_share_memory(frames, y):
        _native.stft(y=y, out=target, **arguments)
    else:
        target[...] = _native.stft(y=y, **arguments)
    return out if out.shape == shape else target


@has_kernels("spectra as `stft` leaves them", lambda of: {"stft_matrix": of.spectrum})
@as_feature(Samples(numbers=typed(float), times=hops), listed=False)
@native_names(spectrum="stft_matrix")
@public
def istft(
    stft_matrix: Annotated[Placed, either(array("..., 1 + n_fft // 2, t", values="complex"), DeviceArray)],
    *,
    hop_length: PositiveInt | None = None,
    win_length: WinLength | None = None,
    n_fft: PositiveInt | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    dtype: RealDtype | None = None,
    length: PositiveInt | None = None,
    out: Array | None = None,
) -> Placed:
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
        Data type of the result; by default float32 for complex64, float64 for complex128.
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
        _args.refuse_argument("stft_matrix", D, "out")
    require(D.ndim >= 2, "stft_matrix.ndim", D.ndim, "at least 2")
    n_fft, win_length, hop_length = _framing.sizes_of(D, n_fft, win_length, hop_length, "stft_matrix")
    samples = _framing.window(window, win_length)
    if dtype is None:
        dtype = dtype_c2r(D.dtype)
    require_inexact("dtype", dtype)
    n_bins = 1 + n_fft // 2
    if D.shape[-2] != n_bins:  # as numpy.fft.irfft does: cut off, or filled with zeros
        fitted = np.zeros(D.shape[:-2] + (n_bins, D.shape[-1]), dtype=D.dtype)
        n_kept = min(n_bins, D.shape[-2])
        fitted[..., :n_kept, :] = D[..., :n_kept, :]
        D = fitted
    if not np.iscomplexobj(D):
        D = D.astype(dtype_r2c(D.dtype))
    y: Any = _native.istft(
        spectrum=D, window=samples, n_fft=n_fft, hop_length=hop_length, center=bool(center),
        length=length or 0,
    )  # fmt: skip
    if out is None:
        return y if y.dtype == dtype else y.astype(dtype)
    require(out.shape == y.shape, "out.shape", out.shape, f"{y.shape}")
    out[...] = y
    return out  # type: ignore[return-value]  # a host array, as is what it is made of


@as_feature((Like(numbers=float), Like(numbers=complex)), listed=False)
@public
def magphase(
    D: Annotated[ComplexArray, array(values="complex")],
    *,
    power: Positive = 1,
) -> tuple[RealArray, ComplexArray]:
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


def _group_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Resolve the axes over which `ref` and `top_db` take a maximum; None: all of them."""
    if isinstance(axes, str):
        require(axes == "auto", "axes", axes, "'auto', an int, a tuple or None")
        axes = tuple(range(-min(ndim, 2), 0))
    elif axes is None:
        axes = tuple(range(-ndim, 0))
    elif isinstance(axes, (int, np.integer)):
        axes = (axes,)
    return tuple(sorted({axis - ndim if axis >= 0 else axis for axis in axes}))


def _without_phase(S: Any, function: str, instead: str) -> Any:
    """The magnitude of complex input, with a warning; other input as it is."""
    if not np.iscomplexobj(S):
        return S
    warn(
        f"{function} was called on complex input: its phase is discarded. "
        f"Call {function}({instead}) to say so."
    )
    return np.abs(S)


def _to_db(S: Any, *, ref: Any, amin: Any, top_db: Any, axes: Any, amplitude: bool) -> Any:
    """Power or amplitude in decibels, for what the two public functions have in common."""
    require_positive("amin", amin)
    if top_db is not None and not top_db >= 0:
        raise ParameterError("top_db", top_db, "non-negative")
    given = S.dtype
    S = _args.floating(S)
    require(S.size != 0, "S.shape", S.shape, "empty", verb="must not be")
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
                "ref", ref, "a number, or a function that takes axis and keepdims"
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
        S=lying.reshape(*lead, -1), ref=np.asarray(reference, dtype=np.float64).reshape(-1), amin=amin,
        top_db=np.inf if top_db is None else top_db, amplitude=amplitude,
    ).reshape(lying.shape)  # fmt: skip
    if swapped:
        level = level.swapaxes(-1, -2)
    if _args.on_device(level):
        return level
    if grouped is not S or (len(axes) == 1 and not S.flags.c_contiguous):
        moved = np.moveaxis(level, range(-len(axes), 0), axes)
        level = np.empty_like(S)  # an array with the memory order of S
        level[...] = moved
    return _args.as_precise_as(given, level) if level.ndim else level[()]


class _Levels(TypedDict, total=False):
    ref: Number | Callable[..., Any]
    amin: Positive
    top_db: NonNegative | None
    axes: Literal["auto"] | Int | tuple[int, ...] | None


@overload
def power_to_db(S: Number, **levels: Unpack[_Levels]) -> np.floating[Any]: ...
@overload
def power_to_db(S: Placed | Sequence[Any], **levels: Unpack[_Levels]) -> Placed: ...
@has_kernels("real spectra", lambda of: {"S": of.power})
@as_feature(Like(numbers=float))
@public
def power_to_db(
    S: Annotated[Number | Placed | Sequence[Any], either(number(), array_like(), DeviceArray)],
    *,
    ref: Number | Callable[..., Any] = 1.0,
    amin: Positive = 1e-10,
    top_db: NonNegative | None = 80.0,
    axes: Literal["auto"] | Int | tuple[int, ...] | None = "auto",
) -> np.floating[Any] | Placed:
    """Convert power to decibels: ``10 * log10(max(S, amin) / max(ref, amin))``.

    Parameters
    ----------
    S : number, array_like or DeviceArray
        Power; the magnitude of complex input is taken, with a warning.
    ref : number or callable
        The power at 0 dB, or a function of `S` that takes `axis` and `keepdims` (`numpy.max`).
    amin : number > 0
        Smallest power; smaller values count as this.
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
    power = _without_phase(_args.array(S), "power_to_db", "np.abs(D)**2")
    return _to_db(power, ref=ref, amin=amin, top_db=top_db, axes=axes, amplitude=False)


@overload
def amplitude_to_db(S: Number, **levels: Unpack[_Levels]) -> np.floating[Any]: ...
@overload
def amplitude_to_db(S: Placed | Sequence[Any], **levels: Unpack[_Levels]) -> Placed: ...
@has_kernels("real spectra", lambda of: {"S": of.power})
@as_feature(Like(numbers=float))
@public
def amplitude_to_db(
    S: Annotated[Number | Placed | Sequence[Any], either(number(), array_like(), DeviceArray)],
    *,
    ref: Number | Callable[..., Any] = 1.0,
    amin: Positive = 1e-5,
    top_db: NonNegative | None = 80.0,
    axes: Literal["auto"] | Int | tuple[int, ...] | None = "auto",
) -> np.floating[Any] | Placed:
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
    magnitude = _without_phase(_args.array(S), "amplitude_to_db", "np.abs(D)")
    magnitude = magnitude if _args.on_device(magnitude) else np.abs(magnitude)
    return _to_db(magnitude, ref=ref, amin=amin, top_db=top_db, axes=axes, amplitude=True)


@overload
def db_to_power(S_db: Number, *, ref: Number = ...) -> np.floating[Any]: ...
@overload
def db_to_power(S_db: Array, *, ref: Number = ...) -> RealArray: ...
@elementwise(float)
def db_to_power(S_db: Number | Array, *, ref: Number = 1.0) -> np.floating[Any] | RealArray:
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
    linear: Any = np.power(10.0, S_db * 0.1)
    return ref * linear


@overload
def db_to_amplitude(S_db: Number, *, ref: Number = ...) -> np.floating[Any]: ...
@overload
def db_to_amplitude(S_db: Array, *, ref: Number = ...) -> RealArray: ...
@elementwise(float)
def db_to_amplitude(S_db: Number | Array, *, ref: Number = 1.0) -> np.floating[Any] | RealArray:
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
    *, y: Any = None, S: Any = None, n_fft: Any = 2048, hop_length: Any = 512, power: Any = 1,
    win_length: Any = None, window: Any = "hann", center: bool = True, pad_mode: PadMode = "constant",
) -> tuple[Any, int]:
    """Take a magnitude spectrogram, or make one of audio; returns it and its n_fft."""
    if S is not None:
        if n_fft is None or n_fft // 2 + 1 != S.shape[-2]:
            n_fft = 2 * (S.shape[-2] - 1)
        return S, n_fft
    if n_fft is None:
        raise ParameterError("n_fft", n_fft, "a positive integer to make a spectrogram")
    require_audio(y, "S")
    S = np.abs(stft(
        y, n_fft=n_fft, hop_length=hop_length, win_length=win_length, window=window, center=center,
        pad_mode=pad_mode,
    ))  # fmt: skip
    return (S if power == 1 else S**power), n_fft


@as_feature(Like(numbers=float), listed=False)
@takes(of="power_to_db")
@public(composed=True)
def perceptual_weighting(
    S: Annotated[ArrayLike, array_like("..., d, t")],
    frequencies: Annotated[ArrayLike, array_like("d")] | Number,
    *,
    kind: str | None = "A",
    **kwargs: Any,
) -> Float64Array:
    """A power spectrogram in decibels, weighted by the sensitivity of hearing.

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
    require(S.ndim >= 2, "S.shape", S.shape, "(..., bins, frames)")
    if frequencies.shape not in ((), (1,), (S.shape[-2],)):
        raise ParameterError("frequencies.shape", frequencies.shape, f"({S.shape[-2]},)")
    offset = np.reshape(frequency_weighting(frequencies, kind=kind), (-1, 1))
    return offset + power_to_db(S, **kwargs)


# Audio from magnitudes.

def generator(rng: Any, random_state: Any) -> np.random.Generator | np.random.RandomState:
    """The source of random numbers that `rng`, or its old name, asks for."""
    name = "rng"
    if not isinstance(random_state, Deprecated):
        if rng is not None:
            raise ParameterError(
                "random_state", random_state, f"given beside rng={rng!r}", verb="must not be"
            )
        warn("random_state was renamed to 'rng' in 1.0.0 and will be removed in 1.2.0", FutureWarning)
        name, rng = "random_state", random_state
    if isinstance(rng, np.random.RandomState):
        return rng
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        kind = ParameterTypeError if isinstance(error, TypeError) else ParameterError
        raise kind(f"{name}={rng!r} must be a seed, {error}") from error


def check_iteration(momentum: Number, init: object) -> None:
    """Check what all variants of the iteration take."""
    require(0 <= momentum < np.inf, "momentum", momentum, "non-negative and finite")
    if momentum > 1:
        warn(f"Griffin-Lim with momentum={momentum} > 1 can be unstable. Proceed with caution!")
    require(is_one_of(init, (None, "random")), "init", init, "None or 'random'")


@has_kernels("magnitudes", lambda of: {"S": of.magnitudes, "n_iter": 2, "init": None})
@as_feature(Samples(times=hops), listed=False)
@public(composed=True)
def griffinlim(
    S: Annotated[Placed, either(array("..., 1 + n_fft // 2, t", values="real"), DeviceArray)],
    *,
    n_iter: NonNegativeInt = 32,
    hop_length: PositiveInt | None = None,
    win_length: WinLength | None = None,
    n_fft: PositiveInt | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    dtype: RealDtype | None = None,
    length: PositiveInt | None = None,
    pad_mode: PadMode = "constant",
    momentum: NonNegative = 0.99,
    init: Literal["random"] | None = "random",
    rng: Seed = None,
    random_state: Seed | Deprecated = Deprecated(),
) -> Placed:
    """Estimate audio from a magnitude spectrogram with the fast Griffin-Lim algorithm.

    Transforms as `istft` and `stft` do, all iterations in one call of the engine.

    Parameters
    ----------
    S : np.ndarray [shape=(..., 1 + n_fft // 2, t)], real, or DeviceArray
        Magnitudes.
    n_iter : int >= 0
        Iterations.
    hop_length, win_length, n_fft, window, center, pad_mode
        As in `stft` and `istft`.
    dtype : real dtype, optional
        Data type of the result, by default that of `S`; float32 for whole numbers.
    length : int > 0, optional
        Samples of the result.
    momentum : number >= 0
        0 is the original algorithm, 0.99 converges faster, above 1 it may not.
    init : {"random", None}
        Random phases first, or zero phase.
    rng : None, int >= 0, np.random.Generator or np.random.RandomState
        Source or seed of the random phases.
    random_state
        Deprecated name of `rng`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real, or DeviceArray
        Audio.

    Raises
    ------
    ParameterError
        For values not listed.

    References
    ----------
    N. Perraudin, P. Balazs and P. L. Sondergaard, "A fast Griffin-Lim algorithm", WASPAA 2013.
    D. W. Griffin and J. S. Lim, "Signal estimation from modified short-time Fourier transform",
    IEEE Trans. ASSP 32(2), 1984.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=8192)
    >>> S = np.abs(metalmom.stft(y))
    >>> metalmom.griffinlim(S, n_iter=4, rng=0).shape
    (8192,)
    """
    rng = generator(rng, random_state)
    check_iteration(momentum, init)
    if dtype is not None and np.dtype(dtype) not in (np.float32, np.float64):
        raise ParameterError("dtype", dtype, "float32 or float64")
    if dtype is None and _args.array(S).dtype.kind in "biu":
        dtype = np.float32  # for integers, as for spectrograms of float32 audio; computed in double
    S = _args.floating(S)
    n_fft, win_length, hop_length = _framing.sizes_of(S, n_fft, win_length, hop_length)
    frames = S.swapaxes(-1, -2)
    magnitudes = _args.host(frames)  # random numbers come from NumPy, so this runs on the CPU
    if n_iter:
        require_finite("S", magnitudes)
    if init == "random":
        start = _native.phasors(S=magnitudes, turns=rng.random(size=S.shape))
    else:
        start = magnitudes.astype(dtype_r2c(S.dtype), order="C")
    if _args.on_device(S):
        start = _native.to_device(start, beside=S)  # type: ignore[arg-type]  # it is a DeviceArray
    y: Any = _native.griffinlim(
        S=frames, start=start, window=_framing.window(window, win_length), n_fft=n_fft, hop_length=hop_length,
        center=bool(center), pad_mode=pad_mode if center else "constant", length=length or 0, n_iter=n_iter,
        momentum=momentum,
    )  # fmt: skip
    if n_iter and n_fft > y.shape[-1]:
        warn(f"n_fft={n_fft} is too large for input signal of length={y.shape[-1]}")
    if dtype is not None:
        y = y.astype(dtype, copy=False)
    if n_iter and not (_args.on_device(y) or np.isfinite(y).all()):
        raise ParameterError("S", rule=f"small enough for audio in {y.dtype}")
    return y


# Reassigned spectrograms.

@as_feature(tuple(Frames(bins, name=name) for name in ("frequencies", "times", "magnitudes")))
@public(composed=True)
def reassigned_spectrogram(
    y: Audio,
    *,
    sr: Positive = 22050,
    S: Annotated[ComplexArray, array("..., 1 + n_fft // 2, t", values="complex")] | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt | None = None,
    win_length: WinLength | None = None,
    window: WindowSpec = "hann",
    center: bool = True,
    reassign_frequencies: bool = True,
    reassign_times: bool = True,
    ref_power: NonNegative | Callable[..., Any] = 1e-6,
    fill_nan: bool = False,
    clip: bool = True,
    dtype: ComplexDtype | None = None,
    pad_mode: PadMode = "constant",
) -> tuple[Float64Array, Float64Array, RealArray]:
    """Spectrogram whose bins are moved to the times and frequencies of their energy.

    Two more spectra tell how the phase of a bin moves: one with the window's derivative, one with
    the window times the time from its middle. All three are transformed in double precision and
    rounded once, in one pass over the frames.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point
        Audio, finite everywhere.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., 1 + n_fft // 2, t)], complex, optional
        Spectrogram of `y` with the same arguments, where there is one.
    n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.stft`.
    reassign_frequencies, reassign_times : bool
        Which of them to reassign, at least one.
    ref_power : number >= 0 or callable
        Bins of less power have no place: NaN. A callable makes the number of ``abs(S)**2``.
    fill_nan : bool
        Whether those bins have their own frequency and their frame's time instead.
    clip : bool
        Whether places outside the audio are moved to its bounds.
    dtype : complex dtype, optional
        Precision of the spectra; by default that of `y` (or of `S`).

    Returns
    -------
    freqs : np.ndarray [shape=(..., 1 + n_fft // 2, t)], float64
        Frequency of each bin in Hz.
    times : np.ndarray [shape=(..., 1 + n_fft // 2, t)], float64
        Time of each bin in seconds.
    mags : np.ndarray [shape=(..., 1 + n_fft // 2, t)], real
        Magnitudes.

    Raises
    ------
    ParameterError
        For wrong values, audio that is not finite, and an `S` of another shape.

    References
    ----------
    F. Auger and P. Flandrin, "Improving the readability of time-frequency and time-scale
    representations by the reassignment method", IEEE Trans. Signal Processing 43(5), 1995.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=1.0)
    >>> freqs, times, mags = metalmom.reassigned_spectrogram(y, sr=22050)
    >>> round(float(freqs[mags[:, 20].argmax(), 20]))
    440
    """
    if not callable(ref_power) and not ref_power >= 0:
        raise ParameterError("ref_power", ref_power, "non-negative or callable")
    if not reassign_frequencies and not reassign_times:
        raise ParameterError(
            "reassign_times", False, "given with reassign_frequencies=False", verb="must not be"
        )
    n_samples = np.shape(y)[-1:]
    framing = _framing.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    y, arguments = _framing.frames(y, framing)
    samples = pad_center(arguments["window"], size=n_fft)
    y, spectra = _in_precision(y, S, dtype)
    if callable(ref_power):
        if S is None:
            spectra = _native.stft(y=y, **arguments)
        ref_power = ref_power(np.abs(spectra) ** 2)
    times_from_middle = np.arange(n_fft) - (n_fft - 1) / 2
    nothing = np.empty(0)
    freqs, times, mags = _native.reassign(
        y=y, S=spectra, slope=cyclic_gradient(samples) if reassign_frequencies else nothing,
        weighted=samples * times_from_middle if reassign_times else nothing, sr=sr, ref_power=ref_power,
        fill_nan=fill_nan, clip=clip, start=0 if center else (n_fft // 2) / sr, duration=n_samples[0] / sr,
        **{**arguments, "window": samples},
    )  # fmt: skip
    if not reassign_frequencies:
        own = fft_frequencies(sr=sr, n_fft=n_fft)[:, np.newaxis]
        freqs = np.broadcast_to(own, mags.shape)
    if not reassign_times:
        hops: Any = {"hop_length": arguments["hop_length"], "n_fft": None if center else n_fft}
        times = np.broadcast_to(frames_to_time(np.arange(mags.shape[-1]), sr=sr, **hops), mags.shape)
    return freqs, times, mags


def _in_precision(y: Any, S: Any, dtype: DTypeLike | None) -> tuple[Any, Any]:
    """Audio and spectrogram in the precision asked for."""
    if S is not None and (not isinstance(S, np.ndarray) or S.ndim < 2 or S.dtype.kind != "c"):
        raise ParameterError("S", TypeOf(S), "a complex array of two axes or more")
    asked = (y if S is None else S).dtype if dtype is None else dtype
    real = np.float64 if dtype_c2r(asked) == np.float64 else np.float32
    y = y.astype(real, copy=False)
    return y, None if S is None else S.astype(np.result_type(real, np.complex64), copy=False)


# Spectra at other times.

@has_kernels("linear interpolation", lambda of: {"D": of.spectrum, "rate": 0.8})
@as_feature(Like(numbers=complex, times=lambda given: 1 / (given.rate or 1)), listed=False)
@public
def phase_vocoder(
    D: Annotated[Placed, either(array("..., bins, frames", values="complex"), DeviceArray)],
    *,
    rate: Positive | None = None,
    t_out: Annotated[ArrayLike, array_like("t")] | None = None,
    kind: str | Int = "linear",
    hop_length: PositiveInt | Deprecated = Deprecated(),
    n_fft: PositiveInt | Deprecated = Deprecated(),
) -> Placed:
    """Change the speed of a spectrogram: spectra at other times, with phases that advance as before.

    The first phase is that of the frame at or before the first time. From one time to the next it
    advances by what it gains from the frame at or before the former to the frame after that.
    Phases are multiplied as unit vectors in double precision instead of added as angles: librosa
    adds the angles of complex64 spectra in float32, whose rounding errors our result lacks (they
    reach 1e-4 of the largest magnitude in 30 s of music).

    Parameters
    ----------
    D : np.ndarray [shape=(..., bins, frames)], complex, or DeviceArray
        As `metalmom.stft` gives it.
    rate : number > 0, optional
        Frames of `D` from a frame of the result to the next: 2 is twice as fast. One of `rate` and
        `t_out` is needed.
    t_out : array_like [shape=(t,)], optional
        Times of the result in frames of `D`, each in ``[0, frames)``.
    kind : str or int
        How to interpolate magnitudes between frames, as in `scipy.interpolate.interp1d`. They are
        extrapolated beyond the last frame. Kinds other than ``linear`` need SciPy.
    hop_length, n_fft
        Not used; deprecated since 1.0.0.

    Returns
    -------
    np.ndarray [shape=(..., bins, t)], complex, or DeviceArray
        complex64 for single precision, else complex128. Frame after frame in memory.

    Raises
    ------
    ParameterError
        For none or both of `rate` and `t_out`, for values out of range, and for fewer than two
        frames (librosa: NaN).

    References
    ----------
    J. L. Flanagan and R. M. Golden, "Phase vocoder", Bell System Technical Journal 45, 1966.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> D = metalmom.stft(y)
    >>> metalmom.phase_vocoder(D, rate=2.0).shape
    (1025, 22)
    """
    for name, value in (("hop_length", hop_length), ("n_fft", n_fft)):
        if not isinstance(value, Deprecated):
            warn(
                f"phase_vocoder ignores `{name}`: the parameter is deprecated since 1.0.0 "
                "and will be removed in 1.1.0",
                FutureWarning,
            )
    is_linear = is_one_of(kind, ("linear", "slinear", 1))
    if _args.on_device(D) and is_linear and D.dtype.kind == "c" and D.ndim > 1:
        spectra: Any = D.swapaxes(-1, -2)
        if not spectra.swapped:  # so that frames follow one another in memory
            times = _times(rate, t_out, D.shape[-1])
            return _native.phase_vocoder(D=spectra, t_out=times)
    if not isinstance(D, np.ndarray) or D.dtype.kind not in "biufc":
        raise ParameterError("D", TypeOf(D), "an array of numbers", hint=as_array("D", D))
    require(D.ndim and D.shape[-1], "D.shape", D.shape, "have frames", verb="must")
    spectra = D[np.newaxis] if D.ndim == 1 else D
    single = _args.precision_of(D.real.dtype) == np.float32
    spectra = spectra.astype(np.complex64 if single else np.complex128, copy=False).swapaxes(-1, -2)
    t_out = _times(rate, t_out, D.shape[-1])
    arguments = {"D": spectra, "t_out": t_out}
    if not is_linear:
        arguments["magnitudes"] = _magnitudes(spectra, t_out, kind)
    moved = _native.phase_vocoder(**arguments)
    return moved[0] if D.ndim == 1 else moved


def _times(rate: Any, t_out: ArrayLike | None, n_frames: int) -> Float64Array:
    """The times of the result in frames, from the one of `rate` and `t_out` that is given."""
    if (rate is None) == (t_out is None):
        raise ParameterError("rate", rate, "given, or t_out, and not both")
    if t_out is None:
        require(rate > 0, "rate", rate, "a positive number")
        return np.arange(0.0, n_frames, rate)
    t_out = np.asarray(t_out, dtype=np.float64)
    require(t_out.ndim == 1, "t_out.ndim", t_out.ndim, "1")
    if np.any(np.diff(t_out) < 0):
        warn("t_out is not monotonic; phase estimation may be unstable")
    return t_out


def _magnitudes(spectra: Array, t_out: Float64Array, kind: str | Int) -> Float64Array:
    """Magnitudes (..., frames, bins) at other times, by SciPy's interpolation of this kind."""
    between = interpolation(
        np.arange(spectra.shape[-2]), np.abs(spectra), "frames", Argument("kind", kind),
        kind=kind, axis=-2, fill_value="extrapolate", assume_sorted=True,
    )  # fmt: skip
    return np.ascontiguousarray(between(t_out), dtype=np.float64)


# Per-channel energy normalisation.

@overload
def pcen(
    S: Placed, *, sr: Positive = ..., hop_length: PositiveInt = ..., gain: NonNegative = ...,
    bias: NonNegative = ..., power: NonNegative = ..., time_constant: Positive = ..., eps: Positive = ...,
    b: Fraction | None = ..., max_size: PositiveInt = ..., ref: Placed | None = ..., axis: Int = ...,
    max_axis: Int | None = ..., zi: Placed | None = ..., return_zf: Literal[False] = ...,
) -> Placed: ...  # fmt: skip
@overload
def pcen(
    S: Placed, *, sr: Positive = ..., hop_length: PositiveInt = ..., gain: NonNegative = ...,
    bias: NonNegative = ..., power: NonNegative = ..., time_constant: Positive = ..., eps: Positive = ...,
    b: Fraction | None = ..., max_size: PositiveInt = ..., ref: Placed | None = ..., axis: Int = ...,
    max_axis: Int | None = ..., zi: Placed | None = ..., return_zf: Literal[True],
) -> tuple[Placed, Placed]: ...  # fmt: skip
@overload
def pcen(
    S: Placed, *, sr: Positive = ..., hop_length: PositiveInt = ..., gain: NonNegative = ...,
    bias: NonNegative = ..., power: NonNegative = ..., time_constant: Positive = ..., eps: Positive = ...,
    b: Fraction | None = ..., max_size: PositiveInt = ..., ref: Placed | None = ..., axis: Int = ...,
    max_axis: Int | None = ..., zi: Placed | None = ..., return_zf: bool = ...,
) -> Placed | tuple[Placed, Placed]: ...  # fmt: skip
@has_kernels("real spectra", lambda of: {"S": of.power})
@as_feature(
    lambda given: (Like(numbers=float), Value((*given.source.rows[-1:], 1))) if given.return_zf else Like(numbers=float)
)
@public
def pcen(
    S: Annotated[Placed, either(array(values="real and non-negative"), DeviceArray)],
    *,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    gain: NonNegative = 0.98,
    bias: NonNegative = 2,
    power: NonNegative = 0.5,
    time_constant: Positive = 0.400,
    eps: Positive = 1e-6,
    b: Fraction | None = None,
    max_size: PositiveInt = 1,
    ref: Annotated[Placed, either(array().called("np.ndarray of S's shape"), DeviceArray)] | None = None,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: Annotated[Placed, either(array(), DeviceArray)] | None = None,
    return_zf: bool = False,
) -> Placed | tuple[Placed, Placed]:
    """Per-channel energy normalisation: gain control, then compression of the range.

    ``(S / (eps + M) ** gain + bias) ** power - bias ** power``, where M is `S` smoothed over time
    by a one-pole filter. All in double precision; of a DeviceArray in single.

    Parameters
    ----------
    S : np.ndarray, real and non-negative, or DeviceArray
        Energy, such as a mel spectrogram; the magnitude of complex input is taken, with a warning.
    sr : number > 0
        Sampling rate in Hz.
    hop_length : int > 0
        Samples from a frame to the next.
    gain : number >= 0
        Strength of the gain control.
    bias : number >= 0
        Offset of the compression.
    power : number >= 0
        Exponent of the compression; 0 is a logarithm.
    time_constant : number > 0
        Time constant of the smoothing, in seconds.
    eps : number > 0
        Floor of the smoothed energy.
    b : number from 0 to 1, optional
        Coefficient of the smoothing filter, by default derived from `time_constant`.
    max_size : int > 0
        Width of a maximum filter over frequency before the smoothing (needs SciPy above 1).
    ref : np.ndarray of S's shape, or DeviceArray, optional
        The values to smooth instead of `S`.
    axis : int
        The axis of time.
    max_axis : int, optional
        The axis of frequency; needed for `max_size` above 1 unless `S` has two axes.
    zi : np.ndarray or DeviceArray, optional
        State of the smoothing filter before the first frame.
    return_zf : bool
        Whether to return the state after the last frame, too.

    Returns
    -------
    P : np.ndarray of float64, shape of `S`, or DeviceArray
        Normalised energy.
    zf : np.ndarray of float64, or DeviceArray, if `return_zf`
        State of the filter after the last frame.

    Raises
    ------
    ParameterError
        For values not listed.

    Notes
    -----
    Quiet channels are raised to the level of loud ones, together with their errors. Bands of float32
    audio have errors of about 1e-7 of the loudest band of the frame. If bands 100 dB below it matter,
    make `S` from float64 audio.

    References
    ----------
    Y. Wang, P. Getreuer, T. Hughes, R. F. Lyon and R. A. Saurous, "Trainable frontend for robust
    and far-field keyword spotting", ICASSP 2017.

    Examples
    --------
    >>> S = np.ones((2, 100))
    >>> P = metalmom.pcen(S, gain=1.0, bias=0.0, power=1.0)
    >>> bool(np.allclose(P, 1.0, atol=1e-6))
    True
    """
    b = _coefficient(b, sr, hop_length, time_constant)
    require_count("max_size", max_size)
    spectra: Any = S
    reference: Any = ref
    on_device = _args.on_device(S) and S.dtype == np.float32 and max_size == 1
    if on_device and not spectra.swapped and axis in (-1, S.ndim - 1):
        return _on_device(spectra, reference, zi, b, return_zf, gain=gain, bias=bias, power=power, eps=eps)
    spectra = _without_phase(np.asarray(S), "pcen", "np.abs(D)")
    if reference is None and max_size > 1:
        reference = _max_filtered(spectra, max_size, axis, max_axis)

    spectra = _args.floating(spectra)
    _warn_of_zeros(spectra, bias, power)
    rows: Array = np.moveaxis(spectra, axis, -1)
    state = _first_state(zi, b, axis, rows.shape)
    beside = None if reference is None else np.moveaxis(_args.floating(reference, "ref"), axis, -1)
    energy, state = _native.pcen(
        S=rows, ref=beside, state=state, b=b, gain=gain, bias=bias, power=power, eps=eps
    )
    # C order whatever the axis, as SciPy's filter returns it.
    laid: Any = np.ascontiguousarray(np.moveaxis(energy, -1, axis))
    last: Any = np.moveaxis(state[..., np.newaxis], -1, axis) if return_zf else None
    return (laid, last) if return_zf else laid


def _warn_of_zeros(S: Array, bias: Number, power: Number) -> None:
    if bias == 0 and power != 0 and np.any(S == 0):
        warn("pcen without bias takes the logarithm of zero", RuntimeWarning)


def _coefficient(b: Number | None, sr: Number, hop_length: Int, time_constant: Number) -> Number:
    """The smoothing filter's coefficient, derived from the time constant where none is given."""
    require_positive("time_constant", time_constant)
    if b is not None:
        return b
    # The filter's squared response falls to half within the time constant:
    # b^2 t^2 + b - 1 = 0 for t in frames.
    frames = time_constant * sr / float(hop_length)
    return (np.sqrt(1 + 4 * frames**2) - 1) / (2 * frames**2)


def _first_state(zi: ArrayLike | None, b: Number, axis: Int, shape: tuple[int, ...]) -> Array:
    """The filter before the first frame: one for all rows, or one for each."""
    if zi is None:
        return np.array([1.0 - b])  # the state after a long input of ones
    states = np.moveaxis(np.asarray(zi, dtype=float), axis, -1)[..., 0]
    try:
        return np.ravel(np.broadcast_to(states, shape[:-1]))
    except ValueError:
        raise ParameterError(
            "zi.shape", np.shape(zi), f"fit the rows of S, {shape[:-1]}", verb="must"
        ) from None


def _on_device(
    S: DeviceArray, ref: DeviceArray | None, zi: Any, b: Number, return_zf: bool, **params: Any
) -> Any:
    """The same of a DeviceArray whose last axis is time; nobody looks at its values."""
    _args.refuse_other_device("zi", zi, S)
    energy, state = _native.pcen(
        # one number a row, which the host hands over with the parameters
        S=S, ref=ref, state=_first_state(_args.host(zi), b, -1, S.shape), b=b, **params
    )
    return (energy, state.reshape(*S.shape[:-1], 1)) if return_zf else energy


def _max_filtered(S: Array, max_size: Int, axis: Int, max_axis: Int | None) -> Array:
    require(S.ndim != 1, "max_size", max_size, "1 for a single channel")
    if max_axis is None:
        require(S.ndim == 2, "max_axis", None, f"an axis of S, which has {S.ndim}")
        max_axis = np.mod(1 - axis, 2)
    maximum_filter1d = required("scipy.ndimage", Argument("max_size", max_size)).maximum_filter1d
    return maximum_filter1d(S, max_size, axis=max_axis)


# Energy in the bands of a filter bank.

@kept(8, "semitone filters")
def _kept_bank(
    tuning: Number, flayout: Any, others: tuple[tuple[str, Any], ...]
) -> tuple[list[Any], Float64Array]:
    return filters.semitone_filterbank(tuning=tuning, flayout=flayout, **dict(others))


def _bank(tuning: Number, flayout: Any, others: dict[str, Any]) -> tuple[list[Any], Float64Array]:
    """Filters and their rates; designing 85 takes longer than a second of audio."""
    try:
        return _kept_bank(tuning, flayout, tuple(sorted(others.items())))
    except TypeError:  # an array among the arguments cannot be a key
        return filters.semitone_filterbank(tuning=tuning, flayout=flayout, **others)


class _TooShort(Exception):
    """A filter is longer than the signal."""


class _Frames(NamedTuple):
    """Frames of a signal at a lower rate, where the hop may be a fraction of a sample."""

    length: int
    hop_length: float
    n_frames: int


def _alike(bank: list[Any], rates: Float64Array) -> Iterator[tuple[list[int], float, list[Any]]]:
    """Yield (indices, rate, filters) of filters of one rate and as many sections."""
    groups: dict[tuple[float, int], list[int]] = {}
    for band, (rate, design) in enumerate(zip(rates, bank)):
        groups.setdefault((rate, len(design)), []).append(band)
    for (rate, _), bands in groups.items():
        yield bands, rate, [bank[band] for band in bands]


def _section_energies(designs: list[Any], y: Array, frames: _Frames, factor: float) -> Array:
    """Energies after filters of second-order sections; shape (..., bands, frames)."""
    sections = np.asarray(designs)
    # As in SciPy's sosfiltfilt, a signal is continued by three times the number of a filter's
    # coefficients, without those that are zero at the end of sections.
    zeros = (sections[:, :, [2, 5]] == 0).sum(axis=1).min(axis=1)
    edges = 3 * (2 * sections.shape[1] + 1 - zeros)
    if edges.max() >= y.shape[-1]:
        raise _TooShort
    energies = np.empty((*y.shape[:-1], len(designs), frames.n_frames), dtype=y.dtype)
    for edge in np.unique(edges):
        some = edges == edge
        energies[..., some, :] = _native.band_energies(
            y=y, sections=sections[some].ravel(), n_sections=sections.shape[1], edge=int(edge),
            frame_length=frames.length, hop_length=frames.hop_length, n_frames=frames.n_frames, factor=factor,
        )  # fmt: skip
    return energies


def _fraction_energies(designs: list[Any], y: Array, frames: _Frames, factor: float) -> Array:
    """The same after filters that are fractions of polynomials, by SciPy."""
    filtfilt = required("scipy.signal").filtfilt
    energies = np.empty((*y.shape[:-1], len(designs), frames.n_frames), dtype=y.dtype)
    starts = np.round(np.arange(frames.n_frames) * frames.hop_length).astype(int)
    n = y.shape[-1]
    for band, (numerator, denominator) in enumerate(designs):
        try:
            filtered = filtfilt(numerator, denominator, y)
        except ValueError as error:
            raise _TooShort from error
        running = np.zeros((*y.shape[:-1], n + 1))
        np.cumsum(np.square(filtered), axis=-1, out=running[..., 1:])
        ends = np.minimum(starts + frames.length, n)
        energies[..., band, :] = factor * (running[..., ends] - running[..., np.minimum(starts, n)])
    return energies


def _frames(given: Any) -> Any:
    return windows(given.win_length, given.hop_length or given.win_length // 4, given.center)


def _bands(given: Any) -> int:
    return len(filters.mr_frequencies(0.0)[0] if given.center_freqs is None else given.center_freqs)


@as_feature(Frames(_bands, at=_frames))
@takes(of="filters.semitone_filterbank")
@public(composed=True)
def iirt(
    y: DoubleOrSingle,
    *,
    sr: Positive = 22050,
    win_length: PositiveInt = 2048,
    hop_length: PositiveInt | None = None,
    center: bool = True,
    tuning: Number = 0.0,
    pad_mode: PadMode = "constant",
    flayout: Literal["sos", "ba"] = "sos",
    res_type: str = "soxr_hq",
    **kwargs: Any,
) -> RealArray:
    """Energy of a signal in bands of a semitone, by recursive filters at several sampling rates.

    Filters run forwards and backwards, so that they do not delay.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], float32 or float64
        Audio, finite everywhere.
    sr : number > 0
        Its sampling rate in Hz.
    win_length : int > 0
        Samples of a frame, at the rate of `y`.
    hop_length : int > 0, optional
        Samples between frames, by default a quarter of a frame.
    center : bool
        Whether frame t is centred at sample ``t * hop_length``.
    tuning : number
        Deviation from A440 in semitones.
    pad_mode : str or callable
        With `center`, how the ends are padded, as `numpy.pad` takes it.
    flayout : {"sos", "ba"}
        Filters as second-order sections or as fractions of polynomials, which round worse.
    res_type : str
        How to resample, as in `resample`.
    **kwargs
        Further arguments of `metalmom.filters.semitone_filterbank`.

    Returns
    -------
    np.ndarray [shape=(..., n_bands, t)], real
        Energy of each band and frame, of the data type of `y`.

    Raises
    ------
    ParameterError
        For values not listed, and filters longer than the signal.

    Notes
    -----
    Needs SciPy.

    References
    ----------
    M. Mueller, "Information Retrieval for Music and Motion", Springer 2007, section 3.1.

    Examples
    --------
    >>> y = metalmom.tone(440.0, length=8192)
    >>> bands = metalmom.iirt(y)
    >>> bands.shape, int(bands[:, 8].argmax())
    ((85, 17), 45)
    """
    _args.audio(y)
    require(y.dtype.char in "fd", "y.dtype", y.dtype, "float32 or float64")
    require_finite("y", y)
    if not is_one_of(flayout, ("sos", "ba")):
        raise ParameterError("flayout", flayout, choices=("sos", "ba"))
    require_count("win_length", win_length)
    hop_length = int(win_length // 4) if hop_length is None else hop_length
    require_count("hop_length", hop_length)
    bank, rates = _bank(tuning, flayout, kwargs)
    if center:
        y = _framing.pad(y, win_length // 2, pad_mode)
    n_frames = 1 + (y.shape[-1] - win_length) // hop_length
    require(n_frames >= 1, "win_length", win_length, f"at most {y.shape[-1]}, the samples")
    energies = np.empty((*y.shape[:-1], len(rates), n_frames), dtype=y.dtype)
    with ON_CPU:  # where what follows runs
        ways: Any = {"orig_sr": sr, "res_type": res_type}
        at_rate = {rate: resample(y, target_sr=rate, **ways) for rate in np.unique(rates)}
    energies_of = _section_energies if flayout == "sos" else _fraction_energies
    for bands, rate, designs in _alike(bank, rates):
        factor = float(sr / rate)
        frames = _Frames(int(round(win_length / factor)), float(hop_length / factor), n_frames)
        try:
            energies[..., bands, :] = energies_of(designs, at_rate[rate], frames, factor)
        except _TooShort as error:
            raise ParameterError(
                "y.shape[-1]", y.shape[-1], f"more: at {rate} Hz a filter is longer"
            ) from error
    return energies


# The fast Mellin transform.

@as_feature(
    lambda given: None if given.n_fmt is None else Value(1 + given.n_fmt // 2, numbers=complex), listed=False
)
@public
def fmt(
    y: RealNumbers,
    *,
    t_min: Positive = 0.5,
    n_fmt: Annotated[Int, integer(least=3)] | None = None,
    kind: str | Int = "cubic",
    beta: Number = 0.5,
    over_sample: Annotated[Number, number(least=1)] = 1,
    axis: Int = -1,
) -> NDArray[np.complex128]:
    """The fast Mellin transform: like a Fourier transform, but its magnitude ignores stretching.

    The signal is sampled anew at exponentially growing times, weighted and Fourier transformed.
    With ``beta=0.5`` it is the scale transform.

    Parameters
    ----------
    y : np.ndarray, real
        Signals along `axis`, of at least 3 samples, finite everywhere.
    t_min : number > 0
        Time of the first new sample, in samples of `y`.
    n_fmt : int >= 3, optional
        Number of new samples; by default as many as keep the distance at the end of `y`.
    kind : str or int
        How to interpolate, as `scipy.interpolate.interp1d` takes it.
    beta : number
        Exponent of the weights, ``time ** beta``.
    over_sample : number >= 1
        Factor on the number of new samples.
    axis : int
        Axis of the signals.

    Returns
    -------
    np.ndarray [shape=(..., 1 + n_fmt // 2, ...)], complex128
        The transform along `axis`.

    Raises
    ------
    ParameterError
        If an argument is out of range, or signals are too short for this interpolation.

    Notes
    -----
    Needs SciPy where `kind` is not "cubic".

    References
    ----------
    A. De Sena and D. Rocchesso, "A fast Mellin and scale transform", EURASIP Journal on Advances in
    Signal Processing, 2007.

    Examples
    --------
    >>> y = np.sin(np.linspace(0, 20, 256)) ** 2
    >>> metalmom.fmt(y, n_fmt=64).shape
    (33,)
    """
    if not isinstance(y, np.ndarray) or y.dtype.kind not in "bfiu":
        raise ParameterError("y", TypeOf(y), "a real numpy.ndarray", hint=as_array("y", y))
    require(-y.ndim <= axis < y.ndim, "axis", axis, f"an axis of y, whose shape is {y.shape}")
    n = y.shape[axis]
    require(n >= 3, f"y.shape[{axis}]", n, "at least 3")
    require(0 < t_min < n - 1, "t_min", t_min, f"positive and less than {n - 1}")
    require(over_sample >= 1, "over_sample", over_sample, "at least 1")
    if n_fmt is None:
        step = (np.log(n - 1) - np.log(n - 2)) / over_sample
        n_fmt = int(np.ceil((np.log(n - 1) - np.log(t_min)) / step))
    elif not is_positive_int(n_fmt) or n_fmt < 3:
        raise ParameterError("n_fmt", n_fmt, "an integer of at least 3")
    else:
        step = (np.log(n_fmt - 1) - np.log(n_fmt - 2)) / over_sample
    require_finite("y", y)
    beyond = int(np.ceil(over_sample))
    first = (np.log(t_min) - np.log(n)) / step
    times = np.logspace(first, 0, num=n_fmt + beyond, endpoint=False, base=np.exp(step))[:-beyond]
    times = np.clip(times, t_min / n, (n - 1) / n)
    require(np.all(np.diff(times) > 0), "n_fmt", n_fmt, "fewer: new samples fall on one another")
    weights = (times**beta).reshape([-1 if k == axis % y.ndim else 1 for k in range(y.ndim)])
    result = np.fft.rfft(_sampled(y, times, kind, axis) * weights, axis=int(axis))
    return np.ascontiguousarray(result * (np.sqrt(n) / n_fmt))


def _sampled(y: Array, times: Float64Array, kind: str | Int, axis: Int) -> Array:
    """Values between samples, whose times are 0, 1/n, 2/n ... along `axis`."""
    n = y.shape[axis]
    if is_one_of(kind, ("cubic", 3)) and n >= 4:
        rows = np.moveaxis(y.astype(np.float64, copy=False), axis, -1)
        between = _native.spline(y=rows, positions=np.minimum(times * n, n - 1))
        return np.moveaxis(between, -1, axis)
    interp1d = required("scipy.interpolate", Argument("kind", kind)).interp1d
    try:
        at = interp1d(np.linspace(0, 1, num=n, endpoint=False), y, kind=kind, axis=axis)
    except (NotImplementedError, ValueError) as error:
        raise ParameterError("kind", kind, f"able to interpolate: {error}") from error
    return at(times)
