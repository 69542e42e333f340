"""Reassigned spectrograms; part of `core.spectrum`."""

import numpy as np

from .. import _args, _native
from .._declared import Frames, as_feature, bins
from .._spans import composed
from ..util.exceptions import ParameterError
from ..util.utils import cyclic_gradient, dtype_c2r, pad_center
from .convert import fft_frequencies, frames_to_time

__all__ = ["reassigned_spectrogram"]


@as_feature(tuple(Frames(bins, name=name) for name in ("frequencies", "times", "magnitudes")))
@composed
def reassigned_spectrogram(
    y,
    *,
    sr=22050,
    S=None,
    n_fft=2048,
    hop_length=None,
    win_length=None,
    window="hann",
    center=True,
    reassign_frequencies=True,
    reassign_times=True,
    ref_power=1e-6,
    fill_nan=False,
    clip=True,
    dtype=None,
    pad_mode="constant",
):
    """Spectrogram whose bins are moved in time and frequency to where their energy lies.

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
        What is to be moved, one at least.
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
        raise ParameterError(f"ref_power={ref_power} must be non-negative or callable")
    if not reassign_frequencies and not reassign_times:
        raise ParameterError("reassign_times=False must not be given with reassign_frequencies=False")
    n_samples = np.shape(y)[-1:]
    framing = _args.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    y, arguments = _args.frames(y, framing)
    samples = pad_center(arguments["window"], size=n_fft)
    y, spectra = _in_precision(y, S, dtype)
    if callable(ref_power):
        if S is None:
            spectra = _native.stft(y=y, **arguments)
        ref_power = ref_power(np.abs(spectra.swapaxes(-1, -2)) ** 2)
    times_from_middle = np.arange(n_fft) - (n_fft - 1) / 2
    nothing = np.empty(0)
    freqs, times, mags = _native.reassign(
        y=y,
        S=spectra,
        slope=cyclic_gradient(samples) if reassign_frequencies else nothing,
        weighted=samples * times_from_middle if reassign_times else nothing,
        sr=sr,
        ref_power=ref_power,
        fill_nan=fill_nan,
        clip=clip,
        start=0 if center else (n_fft // 2) / sr,
        duration=n_samples[0] / sr,
        **{**arguments, "window": samples},
    )
    mags = mags.swapaxes(-1, -2)
    if reassign_frequencies:
        freqs = freqs.swapaxes(-1, -2)
    else:
        own = fft_frequencies(sr=sr, n_fft=n_fft)[:, np.newaxis]
        freqs = np.broadcast_to(own, mags.shape)
    if reassign_times:
        times = times.swapaxes(-1, -2)
    else:
        own = frames_to_time(
            np.arange(mags.shape[-1]),
            sr=sr,
            hop_length=arguments["hop_length"],
            n_fft=None if center else n_fft,
        )
        times = np.broadcast_to(own, mags.shape)
    return freqs, times, mags


def _in_precision(y, S, dtype):
    """Audio and spectrogram (..., frames, bins) in the precision asked for."""
    if S is not None and (not isinstance(S, np.ndarray) or S.ndim < 2 or S.dtype.kind != "c"):
        raise ParameterError(f"S={type(S).__name__} must be a complex array of two axes or more")
    if dtype is None:
        real = y.dtype if S is None else dtype_c2r(S.dtype)
    else:
        real = dtype_c2r(dtype)
    real = np.float64 if real == np.float64 else np.float32
    y = y.astype(real, copy=False)
    if S is None:
        return y, None
    return y, S.astype(np.result_type(real, np.complex64), copy=False).swapaxes(-1, -2)
