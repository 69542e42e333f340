"""Per-channel energy normalisation; part of `core.spectrum`."""

import numpy as np

from .. import _args, _native
from .._declared import Like, Value, as_feature
from .._warnings import warn
from ..util._checks import is_positive_int
from ..util._packages import required
from ..util.exceptions import ParameterError

__all__ = ["pcen"]


@as_feature(
    lambda given: (Like(numbers=float), Value((*given.source.rows[-1:], 1))) if given.return_zf else Like(numbers=float)
)
def pcen(
    S,
    *,
    sr=22050,
    hop_length=512,
    gain=0.98,
    bias=2,
    power=0.5,
    time_constant=0.400,
    eps=1e-6,
    b=None,
    max_size=1,
    ref=None,
    axis=-1,
    max_axis=None,
    zi=None,
    return_zf=False,
):
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
        Of the smoothing, in seconds.
    eps : number > 0
        Floor of the smoothed energy.
    b : number from 0 to 1, optional
        Coefficient of the smoothing filter, by default derived from `time_constant`.
    max_size : int > 0
        Width of a maximum filter over frequency before the smoothing (needs SciPy above 1).
    ref : np.ndarray of S's shape, or DeviceArray, optional
        What is smoothed instead of `S`.
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
    Quiet channels are lifted to the level of loud ones, and their errors with them. Bands of float32
    audio have errors of about 1e-7 of the frame's loudest: where bands 100 dB below it count, make `S`
    from float64 audio.

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
    if not is_positive_int(max_size):
        raise ParameterError(f"max_size={max_size} must be a positive integer")
    on_device = _args.on_device(S) and S.dtype == np.float32 and max_size == 1
    if on_device and not S.swapped and axis in (-1, S.ndim - 1):
        return _on_device(S, ref, zi, b, return_zf, gain=gain, bias=bias, power=power, eps=eps)
    S = _magnitude(np.asarray(S))
    if ref is None and max_size > 1:
        ref = _max_filtered(S, max_size, axis, max_axis)

    S = _args.floating(S)
    _warn_of_zeros(S, bias, power)
    rows = np.moveaxis(S, axis, -1)
    state = _first_state(zi, b, axis, rows.shape)
    energy, state = _native.pcen(
        S=rows,
        ref=None if ref is None else np.moveaxis(_args.floating(ref, "ref"), axis, -1),
        state=state,
        b=b,
        gain=gain,
        bias=bias,
        power=power,
        eps=eps,
    )
    # C order whatever the axis, as SciPy's filter returns it.
    energy = np.ascontiguousarray(np.moveaxis(energy, -1, axis))
    if return_zf:
        return energy, np.moveaxis(state[..., np.newaxis], -1, axis)
    return energy


def _magnitude(S):
    """The magnitude of complex input, with a warning; other input as it is."""
    if not np.iscomplexobj(S):
        return S
    warn(
        "pcen was called on complex input: its phase is discarded. "
        "Call pcen(np.abs(D)) to say so.",
    )
    return np.abs(S)


def _warn_of_zeros(S, bias, power):
    if bias == 0 and power != 0 and np.any(S == 0):
        warn("pcen without bias takes the logarithm of zero", RuntimeWarning)


def _coefficient(b, sr, hop_length, time_constant):
    """The smoothing filter's coefficient, derived from the time constant where none is given."""
    if not time_constant > 0:
        raise ParameterError(f"time_constant={time_constant} must be strictly positive")
    if b is not None:
        return b
    # The filter's squared response falls to half within the time constant:
    # b^2 t^2 + b - 1 = 0 for t in frames.
    frames = time_constant * sr / float(hop_length)
    return (np.sqrt(1 + 4 * frames**2) - 1) / (2 * frames**2)


def _first_state(zi, b, axis, shape):
    """The filter before the first frame: one for all rows, or one for each."""
    if zi is None:
        return np.array([1.0 - b])  # the state after a long input of ones
    states = np.moveaxis(np.asarray(zi, dtype=float), axis, -1)[..., 0]
    try:
        return np.ravel(np.broadcast_to(states, shape[:-1]))
    except ValueError:
        raise ParameterError(f"zi.shape={np.shape(zi)} must fit the rows of S, {shape[:-1]}") from None


def _on_device(S, ref, zi, b, return_zf, **params):
    """The same of a DeviceArray whose last axis is time; nobody looks at its values."""
    _args.refuse_other_device("zi", zi, S)
    energy, state = _native.pcen(
        # one number a row, which the host hands over with the parameters
        S=S, ref=ref, state=_first_state(_args.host(zi), b, -1, S.shape), b=b, **params
    )
    return (energy, state.reshape(*S.shape[:-1], 1)) if return_zf else energy


def _max_filtered(S, max_size, axis, max_axis):
    if S.ndim == 1:
        raise ParameterError(f"max_size={max_size} must be 1 for a single channel")
    if max_axis is None:
        if S.ndim != 2:
            raise ParameterError(f"max_axis=None must be an axis of S, which has {S.ndim}")
        max_axis = np.mod(1 - axis, 2)
    maximum_filter1d = required("scipy.ndimage", f"max_size={max_size}").maximum_filter1d
    return maximum_filter1d(S, max_size, axis=max_axis)
