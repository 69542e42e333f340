"""Pitch tracking from spectral peaks, and the tuning that pitches agree on."""

import numpy as np

from .. import _args, _native
from .._declared import Frames, Value, as_feature, bins
from .._homes import adopt
from .._keywords import takes
from .._spans import composed
from .._expressions import ask, expression, then
from .._warnings import warn
from ..util.exceptions import ParameterError
from . import _yin
from ._yin import pyin, yin
from .spectrum import _spectrogram

__all__ = ["estimate_tuning", "piptrack", "pitch_tuning", "pyin", "yin"]

adopt(__name__, _yin)

_PEAK_DEFAULTS = {"fmin": 150.0, "fmax": 4000.0, "threshold": 0.1}


def _peak_arguments(*, sr, n_fft, fmin, fmax, threshold):
    """Native arguments that say where peaks are looked for and what a bin is in Hz."""
    if not sr >= 1e-300:  # the inverse of a smaller rate overflows
        raise ParameterError(f"sr={sr} must be a positive number")
    if n_fft < 1:
        raise ParameterError("S.shape[-2]=1 must be at least 2, bins of a transform")
    return {
        "bin_spacing": 1.0 / (n_fft * (1.0 / sr)),
        "fmin": max(fmin, 0.0),
        "fmax": min(fmax, float(sr) / 2),
        "threshold": threshold,
    }


def _stored_peaks(S, *, sr, n_fft, fmin, fmax, threshold, ref):
    """Native arguments for the peaks of a stored spectrogram (..., bins, frames)."""
    S = np.abs(S) if np.iscomplexobj(S) else _args.floating(S)
    lying, frames_major = _args.planes(S)
    if not frames_major:
        lying = np.ascontiguousarray(S.swapaxes(-1, -2))
    if lying.size and lying.min() < 0:
        lying = np.abs(lying)
    limit = np.empty(0, dtype=lying.dtype)
    if ref is not None:
        limit = threshold * ref(S, axis=-2) if callable(ref) else np.abs(ref)
        if not callable(ref) and np.ndim(limit) > 1:
            limit = np.squeeze(limit, axis=-2)  # one value for each frame
        limit = np.ascontiguousarray(np.broadcast_to(limit, lying.shape[:-1]), dtype=lying.dtype)
    where = _peak_arguments(sr=sr, n_fft=n_fft, fmin=fmin, fmax=fmax, threshold=threshold)
    return {"S": lying, "limit": limit, **where}


@as_feature((Frames(bins, name="pitches"), Frames(bins, name="magnitudes")))
@composed
def piptrack(
    *,
    y=None,
    sr=22050,
    S=None,
    n_fft=2048,
    hop_length=None,
    fmin=150.0,
    fmax=4000.0,
    threshold=0.1,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
    ref=None,
):
    """Pitch tracking on spectral peaks, refined by parabolic interpolation.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, optional
        Audio. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., d, t)], optional
        Magnitude or power spectrogram; the magnitude of complex or negative values is taken.
    n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.stft`, which makes the spectrogram of `y`, in double precision.
    fmin, fmax : number
        Peaks lie in [fmin, fmax), in Hz.
    threshold : number in (0, 1)
        A peak is larger than this fraction of `ref(S)`.
    ref : number, callable or None
        A function of `S` that takes `axis` (by default the maximum of each frame), or the value
        itself that peaks must exceed.

    Returns
    -------
    pitches, magnitudes : np.ndarray [shape=(..., d, t)], real
        Frequency in Hz and magnitude of each peak, in the bin where it is; 0 elsewhere. Real, in
        the precision of the input.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    J. O. Smith, "Spectral audio signal processing", section on sinusoidal peak interpolation.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=1.0)
    >>> pitches, magnitudes = metalmom.piptrack(y=y, sr=22050)
    >>> round(float(pitches[magnitudes[:, 20].argmax(), 20]))
    440
    """
    c_order = S is not None and S.flags.c_contiguous
    S, n_fft = _spectrogram(
        y=y,
        S=S,
        n_fft=n_fft,
        hop_length=hop_length,
        win_length=win_length,
        window=window,
        center=center,
        pad_mode=pad_mode,
    )
    peaks = _native.piptrack(
        **_stored_peaks(
            S, sr=sr, n_fft=n_fft, fmin=fmin, fmax=fmax, threshold=threshold, ref=ref
        )
    )
    pitches, magnitudes = (found.swapaxes(-1, -2) for found in peaks)
    if c_order:
        return np.ascontiguousarray(pitches), np.ascontiguousarray(magnitudes)
    return pitches, magnitudes


def _tuning(found):
    """The value of a native tuning estimate, with a warning if nothing voted for it."""
    tuning, heard = found
    if not heard.flat[0]:
        warn("Trying to estimate tuning from empty frequency set.")
        return 0.0
    return tuning.flat[0]


@as_feature(Value(), listed=False)
def pitch_tuning(frequencies, *, resolution=0.01, bins_per_octave=12):
    """Estimate how far frequencies deviate, on the whole, from a scale on A440.

    Parameters
    ----------
    frequencies : array_like
        Frequencies in Hz; those that are not positive are left out.
    resolution : number in (0, 1)
        Resolution in fractions of a bin: 0.01 is a cent for twelve bins.
    bins_per_octave : int > 0
        Bins of an octave.

    Returns
    -------
    float in [-0.5, 0.5)
        The most frequent deviation, in fractions of a bin; 0 with a warning for no frequencies.

    Raises
    ------
    ParameterError
        For values that are not positive.

    Examples
    --------
    >>> float(metalmom.pitch_tuning([440 * 2 ** (0.25 / 12), 880 * 2 ** (0.25 / 12)]).round(2))
    0.25
    """
    found = _native.pitch_tuning(
        frequencies=np.atleast_1d(_args.floating(frequencies, "frequencies")).ravel(),
        resolution=resolution,
        bins_per_octave=bins_per_octave,
    )
    return _tuning(found)


def _tuning_of_audio(
    arguments, *, sr, n_fft=None, power=1.0, resolution=0.01, bins_per_octave=12, peaks=_PEAK_DEFAULTS
):
    """The tuning of audio whose frames are resolved (`_args.frames`).

    `n_fft` says what a bin is in Hz where that is not the length of the transform.
    """
    arguments = {name: value for name, value in arguments.items() if name != "basis"}
    n_fft = arguments["n_fft"] if n_fft is None else n_fft
    found = ask(
        "tuning_estimate",
        power=power,
        resolution=resolution,
        bins_per_octave=bins_per_octave,
        **_peak_arguments(sr=sr, n_fft=n_fft, **peaks),
        **arguments,
    )
    return then(_tuning, found)


def _tuning_of_y(
    y,
    *,
    sr,
    n_fft,
    resolution,
    bins_per_octave,
    hop_length=None,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
    **peaks,
):
    framing = _args.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    y, arguments = _args.frames(y, framing)
    return _tuning_of_audio(
        {"y": y, **arguments},
        sr=sr,
        resolution=resolution,
        bins_per_octave=bins_per_octave,
        peaks={**_PEAK_DEFAULTS, **peaks},
    )


@as_feature(Value(unit="fractions of a bin"))
@takes(of="piptrack")
@composed
@expression
def estimate_tuning(
    *, y=None, sr=22050, S=None, n_fft=2048, resolution=0.01, bins_per_octave=12, **kwargs
):
    """Estimate the tuning of audio or of a spectrogram, from all channels together.

    Peaks (as in `piptrack`) of at least the median magnitude vote. From audio, frames are
    transformed in blocks in the precision of `y` and only peaks are kept.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., d, t)], optional
        Magnitude or power spectrogram.
    n_fft : int > 0 or None
        Length of a frame; with `S`, only used if it fits the number of bins.
    resolution : number in (0, 1)
        Resolution in fractions of a bin.
    bins_per_octave : int > 0
        Bins of an octave.
    **kwargs
        Further arguments of `piptrack`.

    Returns
    -------
    float in [-0.5, 0.5)
        Deviation from A440 in fractions of a bin; 0 with a warning if there are no peaks.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    Examples
    --------
    >>> y = metalmom.tone(445.0, sr=22050, duration=1.0)
    >>> float(metalmom.estimate_tuning(y=y, sr=22050).round(1))
    0.2
    """
    histogram = {"resolution": resolution, "bins_per_octave": bins_per_octave}
    ref = kwargs.pop("ref", None)
    if S is None and ref is None and y is not None and n_fft is not None:
        return _tuning_of_y(y, sr=sr, n_fft=n_fft, **histogram, **kwargs)
    peaks = {name: kwargs.pop(name, default) for name, default in _PEAK_DEFAULTS.items()}
    return then(_tuning_of_spectrogram, y, S, n_fft, kwargs, histogram, sr=sr, ref=ref, **peaks)


def _tuning_of_spectrogram(y, S, n_fft, framing, histogram, **peaks):
    S, n_fft = _spectrogram(y=y, S=S, n_fft=n_fft, **{"hop_length": None, **framing})
    return _tuning(
        _native.spectrum_tuning(**_stored_peaks(S, n_fft=n_fft, **peaks), **histogram)
    )
