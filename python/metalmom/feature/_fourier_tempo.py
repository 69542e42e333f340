"""The Fourier tempogram, and its mean with the autocorrelation's; part of `feature.rhythm`."""

import math

import numpy as np

from .. import _args, util
from .._backend import ON_CPU, is_for_host
from .._boundary import native_names
from .._expressions import expression, then
from .._keywords import takes
from .._declared import Frames, as_feature, centred, windows
from .._spans import composed
from ..core import convert
from ..core.spectrum import stft
from ..util._checks import is_number, is_one_of, require_finite
from ..util._memory import refuse_beyond_memory
from ..util._packages import required
from ..util.exceptions import ParameterError
from ._tempo import _envelope, tempogram, windows_within

__all__ = ["fourier_tempogram", "hybrid_tempogram"]


def _tempi(given):
    return 1 + given.win_length // 2


def _windows(given):
    return windows(given.win_length, 1, given.center)


@as_feature(Frames(_tempi, numbers=complex, at=centred, then=_windows))
@native_names(n_fft="win_length")
@composed
@expression
def fourier_tempogram(
    *,
    y=None,
    sr=22050,
    onset_envelope=None,
    hop_length=512,
    win_length=384,
    center=True,
    window="hann",
):
    """Fourier tempogram: the short-time Fourier transform of onset strength.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `onset_envelope` is needed.
    sr : number > 0
        Sampling rate in Hz.
    onset_envelope : np.ndarray [shape=(..., m)], real floating-point, or DeviceArray, optional
        Onset strength.
    hop_length : int > 0
        Samples from a frame to the next, for `y`.
    win_length : int > 0
        Frames of the window; 384 are 8.9 s by default.
    center : bool
        Whether windows are centred on their frames or begin there.
    window : str, tuple, number, callable or np.ndarray [shape=(win_length,)]
        As in `metalmom.filters.get_window`.

    Returns
    -------
    np.ndarray [shape=(..., 1 + win_length // 2, m + 1)], complex, or DeviceArray
        Spectrum of the envelope around each frame; its frequencies in beats per minute are
        `metalmom.fourier_tempo_frequencies`.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `onset_envelope` is given.

    References
    ----------
    P. Grosche, M. Mueller and F. Kurth, "Cyclic tempogram: a mid-level tempo representation for
    music signals", ICASSP 2010.

    Examples
    --------
    >>> envelope = np.tile([1.0, 0.0, 0.0, 0.0], 100)
    >>> F = metalmom.feature.fourier_tempogram(onset_envelope=envelope, win_length=64)
    >>> int(np.abs(F[8:, 200]).argmax()) + 8  # 16 of 64 bins: the period of four frames
    16
    """
    if not util.is_positive_int(win_length):
        raise ParameterError(f"win_length={win_length} must be a positive integer")
    if onset_envelope is None:
        if y is None:
            raise ParameterError("y=None must be audio if there is no onset_envelope")
        from .. import onset

        onset_envelope = onset.onset_strength.expression(y=y, sr=sr, hop_length=hop_length)
    return then(_fourier_tempogram, onset_envelope, win_length, center, window)


def _fourier_tempogram(onset_envelope, win_length, center, window):
    require_finite("onset_envelope", onset_envelope)
    n_values = (1 + int(win_length) // 2) * math.prod(np.shape(onset_envelope))
    refuse_beyond_memory("win_length", win_length, 8 * n_values)
    framing = {"n_fft": win_length, "hop_length": 1, "center": center, "window": window}
    if is_for_host(onset_envelope):
        with ON_CPU:
            return stft(onset_envelope, **framing)
    return stft.expression(onset_envelope, **framing)


@as_feature(Frames(_tempi, at=centred, then=windows_within))
@takes("kind", "fill_value", "bounds_error", "copy", "assume_sorted")
@native_names(n_fft="win_length")
@composed
@expression
def hybrid_tempogram(
    *,
    y=None,
    sr=22050,
    onset_envelope=None,
    hop_length=512,
    win_length=384,
    center=True,
    window="hann",
    **kwargs,
):
    """Hybrid tempogram: the geometric mean of the Fourier and the autocorrelation tempogram.

    A tempo has harmonics in one and subharmonics in the other; only the tempo itself is in both.

    Parameters
    ----------
    y, sr, onset_envelope, hop_length, win_length, center, window
        As in `fourier_tempogram`.
    **kwargs
        `kind` and further arguments of `scipy.interpolate.interp1d`, by which the lags of the
        autocorrelation are brought to the frequencies of the Fourier tempogram; by default linear,
        and 0 beyond them. All but these need SciPy.

    Returns
    -------
    np.ndarray [shape=(..., 1 + win_length // 2, m)], float32 or float64
        Strength by tempo (`metalmom.fourier_tempo_frequencies`) and frame.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `onset_envelope` is given.

    References
    ----------
    G. Peeters, "Rhythm classification using spectral rhythm patterns", ISMIR 2005.

    Examples
    --------
    >>> envelope = np.tile([1.0] + [0.0] * 21, 40)
    >>> H = metalmom.feature.hybrid_tempogram(onset_envelope=envelope)
    >>> tempi = metalmom.fourier_tempo_frequencies(win_length=384)
    >>> tempi[H[:, 400].argmax()].round()
    114.0
    """
    onset_envelope = _envelope(y, sr, onset_envelope, hop_length)
    common = {"onset_envelope": onset_envelope, "sr": sr, "hop_length": hop_length,
              "win_length": win_length, "center": center, "window": window}  # fmt: skip
    fourier, lags = fourier_tempogram.expression(**common), tempogram.expression(**common)
    return then(_geometric_mean, fourier, lags, sr, hop_length, win_length, **kwargs)


def _geometric_mean(fourier, lags, sr, hop_length, win_length, **kwargs):
    fourier, lags = _args.host(fourier), _args.host(lags)
    n_frames = min(lags.shape[-1], fourier.shape[-1])
    tempi = convert.tempo_frequencies(lags.shape[-2], hop_length=hop_length, sr=sr)
    targets = convert.fourier_tempo_frequencies(
        sr=sr, hop_length=hop_length, win_length=win_length
    )
    if win_length < 2:
        raise ParameterError(f"win_length={win_length} must be at least 2, for a lag beside 0")
    # Lag 0 is left out: an infinite tempo has no place on the axis.
    strength = _along_tempo(lags[..., 1:, :n_frames], tempi[1:], targets, **kwargs)
    np.abs(strength, out=strength)
    fourier = np.abs(fourier[..., :n_frames])
    if fourier.dtype == strength.dtype:
        strength = strength * fourier  # NumPy chooses the memory order, as it does in librosa
    else:
        # The two have different memory orders; one of them is copied.
        strength *= np.ascontiguousarray(fourier)
    return np.sqrt(strength, out=strength)


def _along_tempo(tg, tempi, targets, *, kind="linear", fill_value=0, **kwargs):
    """Interpolate rows of a tempogram at `targets` [shape=(n,)]; beyond its tempi, `fill_value`."""
    if not is_one_of(kind, ("linear",)) or kwargs or not is_number(fill_value):
        interp1d = required("scipy.interpolate", "this interpolation").interp1d
        kwargs.setdefault("bounds_error", False)
        try:
            place = interp1d(tempi, tg, kind=kind, fill_value=fill_value, axis=-2, **kwargs)
        except (NotImplementedError, ValueError) as error:
            raise ParameterError(
                f"kind={kind!r} and fill_value={fill_value!r} must be those of interp1d: {error}"
            ) from error
        return place(targets)
    order = np.argsort(tempi)
    below, share, outside = _places(tempi[order], targets)
    rows = np.empty((*tg.shape[:-2], targets.size, tg.shape[-1]), dtype=tg.dtype)
    above = np.empty_like(rows[..., 0, :])
    # Row by row, so that the row that is added to is in cache.
    for i, (low, high, weight) in enumerate(zip(order[below], order[below + 1], share)):
        np.multiply(tg[..., low, :], 1 - weight, out=rows[..., i, :])
        np.multiply(tg[..., high, :], weight, out=above)
        rows[..., i, :] += above
    rows[..., outside, :] = fill_value
    return rows


def _places(ascending, targets):
    """Where targets lie between values: the index below, the share of the one above, and which
    targets lie outside."""
    below = np.clip(np.searchsorted(ascending, targets, side="right") - 1, 0, ascending.size - 2)
    with np.errstate(invalid="ignore"):
        share = (targets - ascending[below]) / (ascending[below + 1] - ascending[below])
    outside = ~((targets >= ascending[0]) & (targets <= ascending[-1]))
    return below, np.where(outside, 0, share), outside
