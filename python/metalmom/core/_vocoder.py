"""Spectra at other times; part of `core.spectrum`."""

import numpy as np

from .. import _args, _native
from .._declared import Like, as_feature
from .._warnings import warn
from ..util.deprecation import Deprecated
from ..util._checks import is_one_of
from ..util._packages import required
from ..util.exceptions import ParameterError

__all__ = ["phase_vocoder"]


@as_feature(Like(numbers=complex, times=lambda given: 1 / (given.rate or 1)), listed=False)
def phase_vocoder(
    D, *, rate=None, t_out=None, kind="linear", hop_length=Deprecated(), n_fft=Deprecated()
):
    """Spectra at other times than they were taken at, with phases that go on as they did.

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
        How magnitudes lie between frames, as in `scipy.interpolate.interp1d`; beyond the last
        frame they are extrapolated. Kinds other than ``linear`` need SciPy.
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
                f"phase_vocoder does not use it: the `{name}` parameter is deprecated since 1.0.0 "
                "and will go in 1.1.0",
                FutureWarning,
            )
    is_linear = is_one_of(kind, ("linear", "slinear", 1))
    if _args.on_device(D) and is_linear and D.dtype.kind == "c" and D.ndim > 1:
        spectra = D.swapaxes(-1, -2)
        if not spectra.swapped:  # so that frames follow one another in memory
            times = _times(rate, t_out, D.shape[-1])
            return _native.phase_vocoder(D=spectra, t_out=times).swapaxes(-1, -2)
    if not isinstance(D, np.ndarray) or D.dtype.kind not in "biufc":
        raise ParameterError(f"D={type(D).__name__} must be an array of numbers")
    if D.ndim == 0 or D.shape[-1] == 0:
        raise ParameterError(f"D.shape={D.shape} must have frames")
    spectra = D[np.newaxis] if D.ndim == 1 else D
    single = _args.precision_of(D.real.dtype) == np.float32
    spectra = spectra.astype(np.complex64 if single else np.complex128, copy=False).swapaxes(-1, -2)
    t_out = _times(rate, t_out, D.shape[-1])
    arguments = {"D": spectra, "t_out": t_out}
    if not is_linear:
        arguments["magnitudes"] = _magnitudes(spectra, t_out, kind)
    result = _native.phase_vocoder(**arguments).swapaxes(-1, -2)
    return result[0] if D.ndim == 1 else result


def _times(rate, t_out, n_frames):
    """The times of the result in frames, from the one of `rate` and `t_out` that is given."""
    if (rate is None) == (t_out is None):
        raise ParameterError(f"rate={rate} must be given, or t_out, and not both")
    if t_out is None:
        if not rate > 0:
            raise ParameterError(f"rate={rate} must be a positive number")
        return np.arange(0.0, n_frames, rate)
    t_out = np.asarray(t_out, dtype=np.float64)
    if t_out.ndim != 1:
        raise ParameterError(f"t_out.ndim={t_out.ndim} must be 1")
    if np.any(np.diff(t_out) < 0):
        warn("t_out is not monotonic; phase estimation may be unstable")
    return t_out


def _magnitudes(spectra, t_out, kind):
    """Magnitudes (..., frames, bins) at other times, by SciPy's interpolation of this kind."""
    interp1d = required("scipy.interpolate", f"kind={kind!r}").interp1d
    n_frames = spectra.shape[-2]
    try:
        between = interp1d(
            np.arange(n_frames),
            np.abs(spectra),
            kind=kind,
            axis=-2,
            fill_value="extrapolate",
            assume_sorted=True,
        )
    except (NotImplementedError, ValueError) as error:
        raise ParameterError(
            f"kind={kind!r} must be a kind of scipy.interpolate.interp1d that"
            f" {n_frames} frames suffice for: {error}"
        ) from error
    return np.ascontiguousarray(between(t_out), dtype=np.float64)
