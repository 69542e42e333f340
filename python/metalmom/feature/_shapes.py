"""Single numbers that describe the shape of a spectrum; part of `feature.spectral`."""

import numpy as np

from .. import _args, _native
from .._backend import ON_CPU
from .._boundary import native_names
from .._expressions import ask, expression, then
from .._keywords import takes
from .._declared import Frames, Refusal, Streamed, as_feature
from .._spans import composed
from ..core.convert import fft_frequencies
from ..core.spectrum import power_to_db
from .._warnings import warn
from ..util.exceptions import ParameterError

__all__ = [
    "spectral_bandwidth",
    "spectral_centroid",
    "spectral_contrast",
    "spectral_flatness",
    "spectral_rolloff",
    "zero_crossing_rate",
]


def _source(what, y, S, framing):
    """Resolve audio or a magnitude spectrogram; returns native arguments and n_fft."""
    n_fft = framing.n_fft
    if S is None:
        if y is None:
            raise ParameterError("y=None must be audio if there is no S")
        if n_fft is None:
            raise ParameterError(f"n_fft={n_fft} must be a positive integer")
        y, arguments = _args.frames(y, framing)
        return {"y": y, **arguments}, n_fft
    if not np.isrealobj(S):
        raise ParameterError(f"S.dtype={S.dtype} must be real for spectral {what}")
    if n_fft is None or n_fft // 2 + 1 != S.shape[-2]:
        n_fft = 2 * (S.shape[-2] - 1)
    return _stored(S), n_fft


def _stored(S):
    """Native arguments of a stored spectrogram."""
    _args.refuse_on_device(S)  # the kernels take audio
    lying, frames_major = _args.planes(_args.floating(S))
    return {"S": lying, "window": _NO_VALUES, "frames_major": frames_major}


_NO_VALUES = np.empty(0)


def _frequencies(freq, sr, n_fft):
    if freq is not None:
        return np.asarray(freq)
    if n_fft == 0:  # of a spectrogram with one bin
        raise ParameterError("freq=None must be given where S.shape[-2]=1")
    return fft_frequencies(sr=sr, n_fft=n_fft)


def _shape(shape, arguments, freq, *, centroid=_NO_VALUES, **params):
    """One shape of each frame."""
    if freq.ndim > 1:
        return then(_shape_by_frame, shape, freq, centroid=centroid, params=params, **arguments)
    call = {"shape": shape, "freq": freq, "centroid": centroid, **params, **arguments}
    if "S" in arguments:
        with ON_CPU:  # kernels take audio only
            return _args.one_row(_native.spectral_shape(**call))
    return then(_args.one_row, ask("spectral_shape", **call))


def _shape_by_frame(shape, freq, *, centroid, params, y=None, S=None, **arguments):
    """Take shapes over frequencies that change from frame to frame (a reassigned spectrogram's).

    The engine takes one frequency for each bin, so each frame is a call of its own.
    """
    if y is not None:
        S = np.abs(_args.host(_native.stft(y=y, **arguments))).swapaxes(-1, -2)
    else:
        S = S.swapaxes(-1, -2) if arguments["frames_major"] else S
    S, freq = np.broadcast_arrays(S, freq)
    centroid = np.asarray(_args.host(centroid)).reshape(*S.shape[:-2], -1)
    values = np.empty((*S.shape[:-2], 1, S.shape[-1]))
    for at in np.ndindex(*S.shape[:-2], S.shape[-1]):
        *lead, t = at
        own = centroid[(*lead, slice(t, t + 1))] if centroid.size else _NO_VALUES
        column = (*lead, slice(None), slice(t, t + 1))
        values[(*lead, 0, t)] = _native.spectral_shape(
            shape=shape, freq=freq[(*lead, slice(None), t)], centroid=own, **params,
            **_stored(S[column]),
        )[0]
    return values


_OF_ALL_FRAMES = Refusal(
    "freq", lambda freq: np.ndim(freq) > 1, "{name}.ndim must be 1 in a stream: it is the same for all frames"
)


@as_feature(
    Frames(1, unit="Hz"),
    streams=Streamed("SpectralCentroid", "Spectral centroid", "sr=22050", (1, 7), refuses=(_OF_ALL_FRAMES,)),
)
@composed
@expression
def spectral_centroid(
    *,
    y=None,
    sr=22050,
    S=None,
    n_fft=2048,
    hop_length=512,
    freq=None,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
):
    """Mean frequency of each frame, weighted by magnitude.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., d, t)], optional
        Magnitudes, real and non-negative.
    n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.stft`.
    freq : np.ndarray [shape=(d,)], optional
        Frequencies of the bins in Hz, by default those of the transform.

    Returns
    -------
    np.ndarray of float64 [shape=(..., 1, t)], or DeviceArray
        Centroids in Hz; 0 for silence.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    A. Klapuri and M. Davy (eds.), "Signal Processing Methods for Music Transcription", chapter 5,
    Springer, 2007.

    Examples
    --------
    >>> y = metalmom.tone(1000.0, sr=22050, duration=1.0)
    >>> c = metalmom.feature.spectral_centroid(y=y, sr=22050)
    >>> bool(abs(np.median(c) - 1000) < 20)
    True
    """
    framing = _args.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    arguments, n_fft = _source("centroid", y, S, framing)
    return _shape("centroid", arguments, _frequencies(freq, sr, n_fft))


@as_feature(
    Frames(1, unit="Hz"),
    streams=Streamed(
        "SpectralBandwidth", "Spectral bandwidth", "sr=22050", (1, 7),
        without=("S", "centroid"), refuses=(_OF_ALL_FRAMES,),
    ),
)
@composed
@expression
def spectral_bandwidth(
    *,
    y=None,
    sr=22050,
    S=None,
    n_fft=2048,
    hop_length=512,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
    freq=None,
    centroid=None,
    norm=True,
    p=2,
):
    """Spread of each frame around its centroid: ``sum(S * |freq - centroid|**p) ** (1 / p)``.

    Parameters
    ----------
    y, sr, S, n_fft, hop_length, win_length, window, center, pad_mode, freq
        As in `spectral_centroid`.
    centroid : np.ndarray [shape=(..., 1, t)], optional
        Centroids in Hz, by default those of the spectrum.
    norm : bool
        Whether each frame is scaled to unit sum first.
    p : number > 0
        Exponent of the deviation.

    Returns
    -------
    np.ndarray of float64 [shape=(..., 1, t)], or DeviceArray
        Bandwidths, in Hz if `norm`.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    A. Klapuri and M. Davy (eds.), "Signal Processing Methods for Music Transcription", chapter 5,
    Springer, 2007.

    Examples
    --------
    >>> S = np.array([[0.0], [1.0], [0.0], [1.0], [0.0]])
    >>> freq = np.arange(5.0)
    >>> metalmom.feature.spectral_bandwidth(S=S, freq=freq)
    array([[1.]])
    """
    framing = _args.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    arguments, n_fft = _source("bandwidth", y, S, framing)
    return _shape(
        "bandwidth",
        arguments,
        _frequencies(freq, sr, n_fft),
        centroid=_NO_VALUES if centroid is None else np.ravel(centroid),
        norm=bool(norm),
        p=p,
    )


@as_feature(
    Frames(1, unit="Hz"),
    streams=Streamed("SpectralRolloff", "Spectral rolloff", "sr=22050", (1, 7), refuses=(_OF_ALL_FRAMES,)),
)
@composed
@expression
def spectral_rolloff(
    *,
    y=None,
    sr=22050,
    S=None,
    n_fft=2048,
    hop_length=512,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
    freq=None,
    roll_percent=0.85,
):
    """Frequency below which a given share of each frame's magnitude lies.

    Parameters
    ----------
    y, sr, S, n_fft, hop_length, win_length, window, center, pad_mode, freq
        As in `spectral_centroid`.
    roll_percent : number between 0 and 1
        The share.

    Returns
    -------
    np.ndarray of float64 [shape=(..., 1, t)], or DeviceArray
        Frequencies in Hz, each one of `freq`.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    G. Tzanetakis and P. Cook, "Musical genre classification of audio signals", IEEE Trans. Speech
    and Audio Processing 10(5), 2002.

    Examples
    --------
    >>> S = np.ones((5, 1))
    >>> metalmom.feature.spectral_rolloff(S=S, freq=np.arange(5.0), roll_percent=0.5)
    array([[2.]])
    """
    framing = _args.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    arguments, n_fft = _source("rolloff", y, S, framing)
    freq = _frequencies(freq, sr, n_fft)
    return _shape("rolloff", arguments, freq, roll_percent=roll_percent)


@as_feature(Frames(1), streams=Streamed("SpectralFlatness", "Spectral flatness", "", (1, 7)))
@expression
def spectral_flatness(
    *,
    y=None,
    S=None,
    n_fft=2048,
    hop_length=512,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
    amin=1e-10,
    power=2.0,
):
    """Geometric over arithmetic mean of each frame's power: 1 for noise, near 0 for tones.

    Audio is transformed in double precision: near-empty bins count as much as loud ones.

    Parameters
    ----------
    y, S, n_fft, hop_length, win_length, window, center, pad_mode
        As in `spectral_centroid`.
    amin : number > 0
        Floor of the power.
    power : number > 0
        Exponent of the magnitude.

    Returns
    -------
    np.ndarray [shape=(..., 1, t)], real, or DeviceArray
        Flatness from 0 to 1; float32 for float32 input, float64 for float64.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    S. Dubnov, "Generalization of spectral flatness measure for non-Gaussian linear processes",
    IEEE Signal Processing Letters 11(8), 2004.

    Examples
    --------
    >>> metalmom.feature.spectral_flatness(S=np.ones((5, 1)))
    array([[1.]])
    """
    framing = _args.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    arguments, n_fft = _source("flatness", y, S, framing)
    values = arguments.get("y", arguments.get("S"))
    n_bins = 1 + n_fft // 2 if "y" in arguments else S.shape[-2]
    flatness = _shape("flatness", arguments, np.zeros(n_bins), amin=amin, power=power)
    return then(_args.as_type, flatness, _args.precision_of(values.dtype))


def _octave_bands(freq, sr, fmin, n_bands, quantile):
    """First bin, last bin (exclusive) and tail length of each band of `spectral_contrast`.

    Bands are octaves from `fmin` up, after one below it. Each but the first begins a bin early, the
    last reaches to the end, and the others leave their topmost bin to the next.
    """
    edges = np.concatenate([[0.0], fmin * 2.0 ** np.arange(n_bands + 1)])
    if np.any(edges[:-1] >= 0.5 * sr):
        raise ParameterError(
            f"n_bands={n_bands} octaves above fmin={fmin} must begin below sr / 2 = {0.5 * sr}"
        )
    bands = []
    for k in range(n_bands + 1):
        inside = np.flatnonzero((freq >= edges[k]) & (freq <= edges[k + 1]))
        if inside.size == 0:
            raise ParameterError(f"freq must have a bin between {edges[k]} and {edges[k + 1]} Hz")
        first = max(inside[0] - (k > 0), 0)
        last = len(freq) if k == n_bands else inside[-1] + 1
        n_tail = max(int(np.rint(quantile * (last - first))), 1)
        bands.append((first, last - (k < n_bands), n_tail))
    return np.array(bands, dtype=np.float64)


@as_feature(
    Frames(lambda given: given.n_bands + 1),
    streams=Streamed(
        "SpectralContrast", "Spectral contrast", "sr=22050, linear=True", (7, 7),
        refuses=(Refusal(
            "linear", lambda linear: not linear,
            "{name}=False must be True in a stream: the levels of spectral_contrast end 80 dB below the "
            "loudest of the whole signal"),),
        note="With ``linear=True`` alone: levels are bounded 80 dB below the loudest of the whole signal.",
    ),
)
@composed
@expression
def spectral_contrast(
    *,
    y=None,
    sr=22050,
    S=None,
    n_fft=2048,
    hop_length=512,
    win_length=None,
    window="hann",
    center=True,
    pad_mode="constant",
    freq=None,
    fmin=200.0,
    n_bands=6,
    quantile=0.02,
    linear=False,
):
    """Contrast of peaks and valleys in octave bands.

    Audio is transformed in double precision: valleys are near-empty bins.

    Parameters
    ----------
    y, sr, S, n_fft, hop_length, win_length, window, center, pad_mode, freq
        As in `spectral_centroid`.
    fmin : number > 0
        Upper edge of the lowest band in Hz.
    n_bands : int > 0
        Octaves above it.
    quantile : number between 0 and 1
        Share of a band's bins that make its valley, and its peak.
    linear : bool
        Difference of magnitudes instead of levels.

    Returns
    -------
    np.ndarray [shape=(..., n_bands + 1, t)], float32 or float64
        Peak minus valley, in dB unless `linear`.

    Raises
    ------
    ParameterError
        For wrong values, bands above ``sr / 2``, or if neither `y` nor `S` is given.

    References
    ----------
    D.-N. Jiang, L. Lu, H.-J. Zhang, J.-H. Tao and L.-H. Cai, "Music type classification by
    spectral contrast feature", ICME 2002.

    Examples
    --------
    >>> y = metalmom.tone(1000.0, sr=22050, duration=1.0)
    >>> metalmom.feature.spectral_contrast(y=y, sr=22050).shape
    (7, 44)
    """
    if n_bands < 1 or not isinstance(n_bands, (int, np.integer)):
        raise ParameterError(f"n_bands={n_bands} must be a positive integer")
    if not 0.0 < quantile < 1.0:
        raise ParameterError(f"quantile={quantile} must be between 0 and 1")
    if not fmin > 0:
        raise ParameterError(f"fmin={fmin} must be a positive number")
    if S is not None and np.iscomplexobj(S):
        # warns as NumPy does when it drops imaginary parts; librosa also sorts by real parts
        S = S.astype(S.real.dtype)
    framing = _args.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
    arguments, n_fft = _source("contrast", y, S, framing)
    freq = np.atleast_1d(_frequencies(freq, sr, n_fft))
    n_bins = 1 + n_fft // 2 if S is None else S.shape[-2]
    if len(freq) != n_bins:
        raise ParameterError(f"freq.shape={freq.shape} must be ({n_bins},)")
    bands = _octave_bands(freq, sr, fmin, n_bands, quantile)
    if np.any(bands[:, 0] == bands[:, 1]):
        warn(
            "Mean of empty slice: a band of spectral_contrast has no bins and is NaN",
            RuntimeWarning,
        )
    call = {"bands": bands, **arguments}
    if "S" in arguments:
        with ON_CPU:  # kernels take audio only
            return _contrast(_native.spectral_contrast(**call), linear)
    return then(_contrast, ask("spectral_contrast", **call), linear)


def _contrast(found, linear):
    """The difference of peaks and valleys, in decibels unless `linear`."""
    valley, peak = map(_args.host, found)
    if linear:
        return peak - valley
    with ON_CPU:  # levels of doubles, for which there is no kernel
        return power_to_db(peak) - power_to_db(valley)


@as_feature(
    Frames(1),
    streams=Streamed(
        "ZeroCrossingRate", "Rate of zero crossings", "", (1, 7),
        without=(),
        refuses=(Refusal(
            "ref_magnitude", callable, "{name} must be a number in a stream: a function of it sees all samples"),),
    ),
)
@takes("threshold", "ref_magnitude", "zero_pos", "pad")
@native_names(n_fft="frame_length")
@expression
def zero_crossing_rate(y, *, frame_length=2048, hop_length=512, center=True, **kwargs):
    """Share of samples of each frame at which the signal changes its sign.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    frame_length : int > 0
        Samples of a frame.
    hop_length : int > 0
        Samples from a frame to the next.
    center : bool
        Whether `y` is extended by half a frame of its end values on both sides.
    **kwargs
        `threshold` (magnitudes up to it count as zero, by default 1e-10), `ref_magnitude` (a
        factor of it, or a function of the magnitudes), `zero_pos` (whether zero has a positive
        sign, by default True), `pad` (whether the first sample of a frame counts as a crossing, by
        default False): as in `metalmom.zero_crossings`.

    Returns
    -------
    np.ndarray of float64 [shape=(..., 1, t)], or DeviceArray
        Crossings per sample.

    Raises
    ------
    ParameterError
        For wrong values.

    Examples
    --------
    >>> y = metalmom.tone(1000.0, sr=22050, duration=1.0)
    >>> z = metalmom.feature.zero_crossing_rate(y)
    >>> bool(abs(z[0, 2:-2].mean() * 22050 / 2 - 1000) < 5)
    True
    """
    _args.audio(y)
    threshold = kwargs.pop("threshold", 1e-10)
    reference = kwargs.pop("ref_magnitude", None)
    if callable(reference):
        threshold = then(_threshold, threshold, reference, y)
    elif reference is not None:
        threshold = threshold * reference
    kwargs.pop("axis", None)  # frames have an axis of their own
    pad, zero_pos = kwargs.pop("pad", False), kwargs.pop("zero_pos", True)
    if kwargs:
        raise TypeError(f"zero_crossing_rate() got an unexpected keyword argument {next(iter(kwargs))!r}")
    rate = ask(
        "zero_crossing_rate",
        y=y,
        n_fft=frame_length,
        hop_length=hop_length,
        center=bool(center),
        pad_mode="edge" if center else "constant",
        threshold=threshold,
        pad=pad,
        zero_pos=zero_pos,
    )
    return then(_args.one_row, rate)


def _threshold(threshold, reference, y):
    return threshold * reference(np.abs(y))
