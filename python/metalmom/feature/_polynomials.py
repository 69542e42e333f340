"""Polynomials fitted to spectra; part of `feature.spectral`."""

import numpy as np

from .. import _args, _native
from .._backend import ON_CPU
from .._declared import Frames, as_feature
from .._kept import kept
from .._spans import composed
from .._warnings import warn
from ..core.convert import fft_frequencies
from ..util._checks import natural_int, require_finite
from ..util._memory import refuse_beyond_memory
from ..util.exceptions import ParameterError

__all__ = ["poly_features"]


@as_feature(Frames(lambda given: given.order + 1, numbers=lambda given: given.source.numbers))
@composed
def poly_features(
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
    order=1,
    freq=None,
):
    """Coefficients of the polynomial in frequency that fits each frame of a spectrum best.

    A fit is a sum over bins, so from audio it is computed like a filter bank: in blocks of frames,
    in double precision, without holding a spectrogram.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., d, t)], optional
        Magnitudes.
    n_fft, hop_length, win_length, window, center, pad_mode
        As in `metalmom.stft`.
    order : int >= 0
        Degree of the polynomial.
    freq : np.ndarray [shape=(d,) or (..., d, t)], optional
        Frequencies of bins, of all frames or of each; by default those of the transform.

    Returns
    -------
    np.ndarray [shape=(..., order + 1, t)], float64
        Coefficients, that of the highest power first.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    Examples
    --------
    >>> S = np.linspace(1.0, 0.0, 513)[:, np.newaxis]
    >>> metalmom.feature.poly_features(S=S, sr=1024)[:, 0].round(4)
    array([-0.002,  1.   ])
    """
    natural_int("order", order)
    if freq is not None:
        freq = np.asarray(freq, dtype=np.float64)
    if S is None and (freq is None or freq.ndim == 1):
        framing = _args.Framing(n_fft, hop_length, win_length, window, center, pad_mode)
        return _of_audio(y, sr, order, freq, framing)
    from ..core.spectrum import _spectrogram

    S, n_fft = _spectrogram(
        y=y, S=S, n_fft=n_fft, hop_length=hop_length, win_length=win_length, window=window,
        center=center, pad_mode=pad_mode,
    )  # fmt: skip
    if np.ndim(S) < 2:
        raise ParameterError(f"S.shape={np.shape(S)} must be (..., d, t)")
    if freq is not None and freq.ndim > 1:
        return _fit_by_frame(S, freq, order)
    return _product(_checked_fit(sr, n_fft, freq, order, S.shape[-2]), np.asarray(S))


def _product(fit, S):
    """``fit @ S`` in double, some frames at a time: what float32 becomes stays in cache."""
    if S.dtype != np.float32:
        return fit @ S
    frames = max(1, 2**16 // S.shape[-2])
    result = np.empty((*S.shape[:-2], len(fit), S.shape[-1]))
    for first in range(0, S.shape[-1], frames):
        part = slice(first, first + frames)
        result[..., part] = fit @ S[..., part].astype(np.float64)
    return result


def _of_audio(y, sr, order, freq, framing):
    if y is None:
        raise ParameterError("y=None must be audio if there is no S")
    n_fft = framing.n_fft
    y, arguments = _args.frames(y, framing)
    basis = _native.basis_from_dense(_checked_fit(sr, n_fft, freq, order, n_fft // 2 + 1))
    _args.refuse_on_device(y)
    y = y.astype(np.float64, copy=False)
    with ON_CPU:  # products of doubles, for which there is no kernel
        return _native.filterbank_spectrogram(y=y, basis=basis, power=1.0, **arguments)


def _checked_fit(sr, n_fft, freq, order, n_bins):
    """The matrix of a fit, with NumPy's warning where bins do not determine the polynomial."""
    if freq is None:
        fit, rank = _default_fit(float(sr), int(n_fft), int(order))
    elif freq.shape != (n_bins,):
        raise ParameterError(f"freq.shape={freq.shape} must be ({n_bins},) or the shape of S")
    else:
        fit, rank = _fit(freq, int(order))
    if rank <= order:
        warn(f"order={order} is more than the frequencies can tell apart", _rank_warning())
    return fit


def _rank_warning():
    return getattr(np, "exceptions", np).RankWarning  # in a module of its own since NumPy 1.25


@kept(16)
def _default_fit(sr, n_fft, order):
    return _fit(fft_frequencies(sr=sr, n_fft=n_fft), order)


def _fit(freq, order):
    """Spectra to coefficients by least squares (order + 1, bins), and the rank of the problem.

    Powers of frequencies are scaled to columns of one norm: in Hz they differ by orders of
    magnitude.
    """
    powers = _powers(freq, order)
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    scale[scale == 0] = 1
    left, values, right = np.linalg.svd(powers / scale, full_matrices=False)
    kept = values > freq.size * np.finfo(np.float64).eps * values[0]
    inverse = np.divide(1, values, out=np.zeros_like(values), where=kept)
    return (right.T * inverse) @ left.T / scale[:, np.newaxis], np.count_nonzero(kept)


def _powers(freq, order):
    """Powers of frequencies from `order` down to 0 (bins, order + 1), all of them finite."""
    require_finite("freq", freq)
    largest = np.abs(freq).max(initial=1)
    if order * np.log(largest) > np.log(np.finfo(np.float64).max):
        raise ParameterError(
            f"order={order} must be lower: {largest:.6g} Hz to this power is no finite number"
        )
    # the powers, and their decomposition
    refuse_beyond_memory("order", order, 32 * freq.size * (order + 1))
    return np.vander(freq, order + 1)


def _fit_by_frame(S, freq, order):
    """Fits over frequencies that change from frame to frame (a reassigned spectrogram's)."""
    try:
        freq = np.broadcast_to(freq, S.shape)
    except ValueError:
        raise ParameterError(
            f"freq.shape={freq.shape} must be ({S.shape[-2]},) or {S.shape}"
        ) from None
    # In memory the axis of frames comes before that of coefficients, as in librosa's result.
    found = np.empty((*S.shape[:-2], S.shape[-1], order + 1), np.result_type(S, np.float64))
    for at in np.ndindex(*S.shape[:-2], S.shape[-1]):
        *lead, t = at
        column = (*lead, slice(None), t)
        found[at] = _fit(freq[column], order)[0] @ S[column]
    return found.swapaxes(-1, -2)
