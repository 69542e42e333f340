"""Windowed complex sinusoids of constant relative bandwidth; `metalmom.filters` exports them.

C. Schoerkhuber et al., "A Matlab Toolbox for Efficient Perfect Reconstruction Time-Frequency
Transforms with Log-Frequency Resolution" (AES 2014), describes the bandwidths.
"""

import numpy as np

from ._keywords import takes
from ._windows import get_window, window_bandwidth
from .util.exceptions import ParameterError
from .util.utils import normalize, pad_center, phasor

__all__ = ["wavelet", "wavelet_lengths"]

# Equivalent rectangular bandwidth of hearing, 24.7 + 0.108 f Hz (Glasberg and Moore, 1990).
_ERB_OFFSET = 24.7
_ERB_SLOPE = 0.108


def _relative_bandwidth(freqs):
    """Bandwidth over centre frequency: ``(f[k + 1] - f[k - 1]) / (f[k + 1] + f[k - 1])``.

    At the ends the frequencies are continued geometrically.
    """
    if len(freqs) < 2:
        raise ParameterError(f"freqs={freqs} must be at least two where alpha is None")
    octaves = np.log2(freqs)
    across = np.empty_like(octaves)
    across[1:-1] = octaves[2:] - octaves[:-2]
    across[0] = 2 * (octaves[1] - octaves[0])
    across[-1] = 2 * (octaves[-1] - octaves[-2])
    ratio = 2.0**across
    return (ratio - 1) / (ratio + 1)


def _valid_frequencies(freqs, strictly):
    freqs = np.asarray(freqs)
    if freqs.dtype.kind in "iu":
        freqs = freqs.astype(np.float64)
    if freqs.ndim != 1 or len(freqs) == 0:
        raise ParameterError(f"freqs.shape={freqs.shape} must be (n,), with n at least 1")
    if not (freqs.min() > 0 and freqs.max() < np.inf):
        raise ParameterError(f"freqs={freqs} must be strictly positive")
    ascends = np.less if strictly else np.less_equal
    if not ascends(freqs[:-1], freqs[1:]).all():
        raise ParameterError(f"freqs={freqs} must be in strictly ascending order")
    return freqs


def wavelet_lengths(*, freqs, sr=22050, window="hann", filter_scale=1, gamma=0, alpha=None):
    """Lengths of the filters of `wavelet`, and the frequency above which all have decayed.

    A filter at frequency f has the bandwidth ``alpha f + gamma`` in Hz: constant Q with gamma 0,
    and with a greater gamma the better resolution in time at low frequencies.

    Parameters
    ----------
    freqs : array_like, shape (n,)
        Centre frequencies in Hz, ascending.
    sr : number
        Sampling rate in Hz.
    window : str, tuple, number or callable
        Window of the filters, as `get_window` takes it.
    filter_scale : number
        Factor on all lengths.
    gamma : number or None
        Offset of the bandwidths in Hz; None makes them proportional to the equivalent
        rectangular bandwidths of hearing.
    alpha : number or array_like of shape (n,), optional
        Relative bandwidths; from the neighbours of each frequency if not given.

    Returns
    -------
    lengths : np.ndarray, shape (n,), real
        Lengths in samples, with their fractions.
    f_cutoff : float
        Frequency in Hz above which the main lobes of all filters have fallen by 3 dB.

    Raises
    ------
    ParameterError
        If an argument is out of range, `freqs` do not ascend, or there is a single one and no
        `alpha`.

    Notes
    -----
    Integers are frequencies like others here; librosa rounds their bins per octave to integers.

    Examples
    --------
    >>> lengths, f_cutoff = metalmom.filters.wavelet_lengths(freqs=[110.0, 220.0, 440.0])
    >>> lengths.round(1), round(float(f_cutoff), 1)
    (array([334.1, 167. ,  83.5]), 638.0)
    """
    for name, value in (("filter_scale", filter_scale), ("sr", sr)):
        if not 0 < value < np.inf:
            raise ParameterError(f"{name}={value} must be positive")
    if gamma is not None and not (np.ndim(gamma) == 0 and 0 <= gamma < np.inf):
        raise ParameterError(f"gamma={gamma} must be non-negative")
    freqs = _valid_frequencies(freqs, strictly=alpha is None)
    if alpha is None:
        alpha = _relative_bandwidth(freqs)
    else:
        alpha = np.asarray(alpha)
        if alpha.shape not in ((), (1,), freqs.shape):
            raise ParameterError(f"alpha.shape={alpha.shape} must be () or {freqs.shape}")
        if not (alpha.min() > 0 and alpha.max() < np.inf):
            raise ParameterError(f"alpha={alpha} must be strictly positive")
    if gamma is None:
        gamma = alpha * _ERB_OFFSET / _ERB_SLOPE
    Q = float(filter_scale) / alpha
    f_cutoff = np.max(freqs * (1 + 0.5 * window_bandwidth(window) / Q) + 0.5 * gamma)
    return Q * sr / (freqs + gamma / alpha), f_cutoff


@takes(of="util.pad_center", but=("data", "size"))
def wavelet(
    *,
    freqs,
    sr=22050,
    window="hann",
    filter_scale=1,
    pad_fft=True,
    norm=1,
    dtype=np.complex64,
    gamma=0,
    alpha=None,
    **kwargs,
):
    """Filters in time, each a windowed complex sinusoid: the basis of a constant-Q transform.

    Parameters
    ----------
    freqs : array_like, shape (n,)
        Centre frequencies in Hz, ascending.
    sr : number
        Sampling rate in Hz.
    window : str, tuple, number or callable
        Window of the filters, as `get_window` takes it.
    filter_scale : number
        Factor on all lengths.
    pad_fft : bool
        Make all as long as the next power of two of the longest, otherwise as the longest.
    norm : {number, inf, None}
        Norm that each filter is scaled to, as by `metalmom.util.normalize`.
    dtype : dtype_like
        Dtype of the filters.
    gamma : number or None
        Offset of the bandwidths in Hz (see `wavelet_lengths`).
    alpha : number or array_like of shape (n,), optional
        Relative bandwidths (see `wavelet_lengths`).
    **kwargs
        How to pad, as `metalmom.util.pad_center` takes it; zeros if not given.

    Returns
    -------
    filters : np.ndarray, shape (n, length), complex
        The filters, each centred.
    lengths : np.ndarray, shape (n,), real
        Their lengths in samples before padding, with fractions.

    Raises
    ------
    ParameterError
        As `wavelet_lengths`; and if a filter would have no sample.

    Examples
    --------
    >>> filters, lengths = metalmom.filters.wavelet(freqs=[110.0, 220.0, 440.0])
    >>> filters.shape, lengths.astype(int)
    ((3, 512), array([334, 167,  83]))
    """
    lengths, _ = wavelet_lengths(
        freqs=freqs, sr=sr, window=window, filter_scale=filter_scale, gamma=gamma, alpha=alpha
    )
    if not np.all(lengths > 0):
        raise ParameterError(f"freqs={freqs} with alpha={alpha} must give filters of some length")
    longest = max(lengths)
    size = int(2.0 ** np.ceil(np.log2(longest)) if pad_fft else np.ceil(longest))
    filters = np.empty((len(lengths), size), dtype=np.complex128 if dtype is None else dtype)
    for row, length, frequency in zip(filters, lengths, freqs):
        samples = np.arange(-length // 2, length // 2, dtype=float)
        wave = phasor(samples * 2 * np.pi * frequency / sr) * get_window(window, len(samples))
        row[:] = pad_center(normalize(wave, norm=norm), size=size, **kwargs)
    return filters, lengths
