"""Transforms with filters of constant or variable Q, and back."""

import numpy as np

from .. import _args, _native
from .._backend import by_the_way
from .._boundary import native_names
from .._expressions import expression, then, value_of
from .._declared import Frames, as_feature, centred
from .._homes import adopt
from .._spans import composed
from ..util.utils import dtype_c2r
from . import _constantq_inverse, _octaves
from ._constantq_arguments import dtype_of, ratios_of, resolve_filters, transform, valid_hop
from ._constantq_inverse import *  # noqa: F403

__all__ = ["cqt", "hybrid_cqt", "pseudo_cqt", "vqt", *_constantq_inverse.__all__]

adopt(__name__, _constantq_inverse)


@as_feature(Frames("n_bins", numbers=complex, at=centred))
@composed
@expression
def cqt(
    y,
    *,
    sr=22050,
    hop_length=512,
    fmin=None,
    n_bins=84,
    bins_per_octave=12,
    tuning=0.0,
    filter_scale=1,
    norm=1,
    sparsity=0.01,
    window="hann",
    scale=True,
    pad_mode="constant",
    res_type="soxr_hq",
    dtype=None,
):
    """The constant-Q transform: frequencies in equal steps of pitch, all of the same selectivity.

    The filters of an octave see the signal at half the rate of the octave above.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], float32 or float64, or DeviceArray
        Audio, finite everywhere.
    sr : number > 0
        Its sampling rate in Hz.
    hop_length : int > 0
        Samples between frames. An octave is computed at half the rate where the hop is even there,
        so each factor of two saves time.
    fmin : number > 0, optional
        Frequency of the first bin in Hz, by default that of C1, 32.7.
    n_bins : int > 0 or None
        Number of bins; None: as many as fit below the Nyquist frequency.
    bins_per_octave : int > 0
        Bins of an octave.
    tuning : number or None
        Deviation from A440 in bins; None estimates it from `y`.
    filter_scale : number > 0
        Factor on the lengths of the filters: below 1 they resolve time better, pitch worse.
    norm : {number >= 0, inf, None}
        Norm that each filter is scaled to, as by `metalmom.util.normalize`.
    sparsity : number in [0, 1)
        Share of the magnitude of each filter's spectrum that may be dropped.
    window : str, tuple, number or callable
        Window of the filters, as `metalmom.filters.get_window` takes it.
    scale : bool
        Divide each bin by the root of its filter's length: noise is then level, as in `stft`
        divided by the root of `n_fft`.
    pad_mode : str
        What lies beyond the ends: ``constant`` (zeros), ``edge``, ``linear_ramp``, ``reflect``,
        ``symmetric`` or ``empty``.
    res_type : str
        How to resample, as in `resample`.
    dtype : complex dtype, optional
        Of the result, by default the complex one of the precision of `y`.

    Returns
    -------
    np.ndarray [shape=(..., n_bins, t)], complex, or DeviceArray
        The transform, one frame after the other in memory.

    Raises
    ------
    ParameterError
        For values not listed, filters that reach beyond the Nyquist frequency, and signals too
        short to be halved as often as it takes.

    Warns
    -----
    UserWarning
        If a frame is longer than the signal, at the rate of some octave.

    See Also
    --------
    vqt : Filters that are shorter at low frequencies.
    icqt : The way back.

    Notes
    -----
    Calculated in the precision of `y`. Real dtypes, for which librosa drops the imaginary parts of
    filters and spectra before it multiplies them, are refused.

    References
    ----------
    C. Schoerkhuber and A. Klapuri, "Constant-Q transform toolbox for music processing", Sound and
    Music Computing 2010.

    Examples
    --------
    >>> y = metalmom.tone(440.0, length=22050)
    >>> C = np.abs(metalmom.cqt(y))
    >>> C.shape, int(C[:, 20].argmax())
    ((84, 44), 45)
    """
    return vqt.expression(
        y,
        sr=sr,
        hop_length=hop_length,
        fmin=fmin,
        n_bins=n_bins,
        gamma=0,
        bins_per_octave=bins_per_octave,
        tuning=tuning,
        filter_scale=filter_scale,
        norm=norm,
        sparsity=sparsity,
        window=window,
        scale=scale,
        pad_mode=pad_mode,
        res_type=res_type,
        dtype=dtype,
    )


@as_feature(Frames("n_bins", numbers=complex, at=centred))
@composed
@expression
def vqt(
    y,
    *,
    sr=22050,
    hop_length=512,
    fmin=None,
    n_bins=84,
    intervals="equal",
    gamma=None,
    bins_per_octave=12,
    tuning=0.0,
    filter_scale=1,
    norm=1,
    sparsity=0.01,
    window="hann",
    scale=True,
    pad_mode="constant",
    res_type="soxr_hq",
    dtype=None,
):
    """The variable-Q transform: `cqt` with wider filters at low frequencies, or other intervals.

    A filter at frequency f has the bandwidth ``alpha f + gamma``, with alpha from the distance of
    neighbouring bins.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], float32 or float64, or DeviceArray
        Audio, finite everywhere.
    sr, hop_length, fmin, n_bins
        As in `cqt`.
    intervals : str or sequence of numbers > 0
        ``equal``, ``pythagorean``, ``ji3``, ``ji5`` or ``ji7``, or the ratios of an octave's bins
        to its first, whose number is then that of the bins per octave.
    gamma : number >= 0 or None
        Offset of the bandwidths in Hz; 0 is constant Q, None proportional to the equivalent
        rectangular bandwidths of hearing.
    bins_per_octave : int > 0
        Bins of an octave, where `intervals` is a name.
    tuning, filter_scale, norm, sparsity, window, scale, pad_mode, res_type, dtype
        As in `cqt`.

    Returns
    -------
    np.ndarray [shape=(..., n_bins, t)], complex, or DeviceArray
        The transform, one frame after the other in memory.

    Raises
    ------
    ParameterError
        As `cqt`.

    Warns
    -----
    UserWarning
        If a frame is longer than the signal, at the rate of some octave.

    References
    ----------
    C. Schoerkhuber, A. Klapuri, N. Holighaus and M. Doerfler, "A Matlab toolbox for efficient
    perfect reconstruction time-frequency transforms with log-frequency resolution", AES 2014.

    Examples
    --------
    >>> y = metalmom.tone(440.0, length=22050)
    >>> metalmom.vqt(y, intervals=[1, 1.25, 1.5], n_bins=15).shape
    (15, 44)
    """
    _args.audio(y)
    dtype, y = dtype_of(y, dtype)
    hop_length = valid_hop(hop_length)
    if not isinstance(intervals, str):
        intervals = ratios_of(intervals)
        bins_per_octave = len(intervals)
    f = resolve_filters(
        y,
        sr,
        fmin,
        n_bins,
        bins_per_octave,
        tuning,
        intervals=intervals,
        gamma=gamma,
        filter_scale=filter_scale,
        norm=norm,
        sparsity=sparsity,
        window=window,
    )
    return then(transform, y, f, hop_length, scale, pad_mode, res_type, dtype)


@as_feature(Frames("n_bins", at=centred))
@native_names(n_fft="the filters' n_fft")
@composed
@expression
def pseudo_cqt(
    y,
    *,
    sr=22050,
    hop_length=512,
    fmin=None,
    n_bins=84,
    bins_per_octave=12,
    tuning=0.0,
    filter_scale=1,
    norm=1,
    sparsity=0.01,
    window="hann",
    scale=True,
    pad_mode="constant",
    dtype=None,
):
    """Magnitudes of constant-Q filters over a magnitude spectrogram, without phases.

    One transform at the signal's own rate, as long as the lowest filter: good for high pitches,
    whose filters are short. Sums of magnitudes, not magnitudes of sums: larger than those of `cqt`.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], float32 or float64, or DeviceArray
        Audio, finite everywhere.
    sr, hop_length, fmin, n_bins, bins_per_octave, tuning, filter_scale, norm, sparsity
        As in `cqt`.
    window : str, tuple, number or callable
        Window of the filters; frames have a Hann window.
    scale : bool
        Divide by the root of the length of a frame; otherwise multiply each bin by the root of
        its filter's share of a frame.
    pad_mode, dtype
        As in `cqt`; the result has the real dtype of the precision of `dtype`.

    Returns
    -------
    np.ndarray [shape=(..., n_bins, t)], real, or DeviceArray
        Magnitudes.

    Raises
    ------
    ParameterError
        As `cqt`.

    Warns
    -----
    UserWarning
        If a frame is longer than the signal.

    Examples
    --------
    >>> y = metalmom.tone(440.0, length=22050)
    >>> metalmom.pseudo_cqt(y, fmin=220.0, n_bins=24).shape
    (24, 44)
    """
    _args.audio(y)
    dtype, y = dtype_of(y, dtype)
    hop_length = valid_hop(hop_length)
    f = resolve_filters(
        y,
        sr,
        fmin,
        n_bins,
        bins_per_octave,
        tuning,
        filter_scale=filter_scale,
        norm=norm,
        sparsity=sparsity,
        window=window,
    )
    return then(_pseudo_cqt, y, f, hop_length, scale, pad_mode, dtype)


def _pseudo_cqt(y, f, hop_length, scale, pad_mode, dtype):
    basis, n_fft = _octaves.magnitude_basis(f, hop_length, bool(scale))
    y, arguments = _args.frames(y, _args.Framing(n_fft, hop_length, pad_mode=pad_mode))
    with by_the_way(y):  # frames are as long as the filters
        magnitudes = _native.filterbank_spectrogram(y=y, basis=basis, power=1.0, **arguments)
    return magnitudes.astype(dtype_c2r(dtype), copy=False)


@as_feature(Frames("n_bins", at=centred))
@composed
@expression
def hybrid_cqt(
    y,
    *,
    sr=22050,
    hop_length=512,
    fmin=None,
    n_bins=84,
    bins_per_octave=12,
    tuning=0.0,
    filter_scale=1,
    norm=1,
    sparsity=0.01,
    window="hann",
    scale=True,
    pad_mode="constant",
    res_type="soxr_hq",
    dtype=None,
):
    """Constant-Q magnitudes: of `cqt` for low pitches, of `pseudo_cqt` for high ones.

    A filter that fits into twice the hop (its length taken up to a power of two) is among the
    high ones.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], float32 or float64, or DeviceArray
        Audio, finite everywhere.
    sr, hop_length, fmin, n_bins, bins_per_octave, tuning, filter_scale, norm, sparsity
        As in `cqt`.
    window, scale, pad_mode, res_type
        As in `cqt`.
    dtype : complex dtype, optional
        As in `cqt`; the result has the real dtype of its precision.

    Returns
    -------
    np.ndarray [shape=(..., n_bins, t)], real
        Magnitudes, one frame after the other in memory.

    Raises
    ------
    ParameterError
        As `cqt`.

    Warns
    -----
    UserWarning
        If a frame is longer than the signal, at the rate of some octave.

    Examples
    --------
    >>> y = metalmom.tone(440.0, length=22050)
    >>> metalmom.hybrid_cqt(y).shape
    (84, 44)
    """
    _args.audio(y)
    dtype, y = dtype_of(y, dtype)
    hop_length = valid_hop(hop_length)
    given = {
        "filter_scale": filter_scale,
        "norm": norm,
        "sparsity": sparsity,
        "window": window,
    }
    f = resolve_filters(y, sr, fmin, n_bins, bins_per_octave, tuning, **given)
    return then(_hybrid_cqt, y, f, hop_length, scale, pad_mode, res_type, dtype)


def _hybrid_cqt(y, f, hop_length, scale, pad_mode, res_type, dtype):
    bins = _octaves.bins_of(f)
    short = 2.0 ** np.ceil(np.log2(bins.lengths)) < 2 * hop_length
    n_short = int(short.sum())
    n_long = f.n_bins - n_short
    parts = []
    if n_long:
        low = f._replace(n_bins=n_long)
        with by_the_way(y):
            long = value_of(transform(y, low, hop_length, scale, pad_mode, res_type, dtype))
            parts.append(np.abs(_args.host(long)))
    if n_short:
        high = resolve_filters(
            y,
            f.sr,
            bins.freqs[n_long],
            n_short,
            f.bins_per_octave,
            0.0,
            filter_scale=f.filter_scale,
            norm=f.norm,
            sparsity=f.sparsity,
            window=f.window,
        )
        parts.append(_pseudo_cqt(y, high, hop_length, scale, pad_mode, dtype))
    n_frames = min(part.shape[-1] for part in parts)
    result = np.empty(
        (*y.shape[:-1], n_frames, f.n_bins), dtype=parts[-1].dtype
    ).swapaxes(-1, -2)
    np.concatenate([part[..., :n_frames] for part in parts], axis=-2, out=result)
    return result
