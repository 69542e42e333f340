"""Constant-Q and variable-Q transforms, and their inverses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from .. import _native
from .._engine import _args
from .._engine.backend import by_the_way
from ..util._evaluate import value_of
from ..util._expressions import ask, expression_of, of_lengths, then
from .._native import DeviceArray
from ..util._public import public
from ..util._rules import array, either, number, sequence
from ..util._types import (
    Array, ArrayLike, BasisNorm, BelowOne, ComplexDtype, DTypeLike, DoubleOrSingle, Int,
    NonNegative, NonNegativeInt, Number, Numbers, PadMode, Placed, Positive, PositiveInt, RealArray,
    RealDtype, Seed, Window,
)
from ..util._declared import Frames, Samples, as_feature, centred, has_kernels
from ..util._keywords import native_names
from ..util._warnings import warn
from ..util._wording import turned
from ..util.deprecation import Deprecated
from ..util._checks import POSITIVES, require, require_finite
from ..util.exceptions import ParameterError
from ..util.utils import dtype_c2r, dtype_r2c, fix_length, is_positive_int, tiny
from . import _framing, _octaves
from .audio import resample
from .convert import note_to_hz
from .pitch import estimate_tuning
from .spectrum import check_iteration, generator

__all__ = ["cqt", "griffinlim_cqt", "hybrid_cqt", "icqt", "pseudo_cqt", "vqt"]

# Of kernels.
_LIMITS = (
    '`res_type="soxr_hq"`, the default; not where the whole transform fits below an eighth of the sampling '
    "rate, since librosa then divides the rate by more than two at once"
)


@has_kernels(_LIMITS)
@as_feature(Frames("n_bins", numbers=complex, at=centred))
@public(expression=True, composed=True)
def cqt(
    y: Annotated[Placed, either(array("..., n", values="float32 or float64"), DeviceArray)],
    *,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    fmin: Positive | None = None,
    n_bins: PositiveInt | None = 84,
    bins_per_octave: PositiveInt = 12,
    tuning: Number | None = 0.0,
    filter_scale: Positive = 1,
    norm: BasisNorm = 1,
    sparsity: BelowOne = 0.01,
    window: Window = "hann",
    scale: bool = True,
    pad_mode: str = "constant",
    res_type: str = "soxr_hq",
    dtype: ComplexDtype | None = None,
) -> Placed:
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
        Factor on the lengths of the filters. Below 1 they resolve time better and pitch worse.
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
        How to pad both ends: ``constant`` (zeros), ``edge``, ``linear_ramp``, ``reflect``,
        ``symmetric`` or ``empty``.
    res_type : str
        How to resample, as in `resample`.
    dtype : complex dtype, optional
        Data type of the result, by default the complex one of the precision of `y`.

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
    The transform is computed in the precision of `y`. Real dtypes are refused: librosa drops the
    imaginary parts of filters and spectra for them before it multiplies.

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
    return expression_of(vqt)(
        y, sr=sr, hop_length=hop_length, fmin=fmin, n_bins=n_bins, gamma=0, bins_per_octave=bins_per_octave,
        tuning=tuning, filter_scale=filter_scale, norm=norm, sparsity=sparsity, window=window, scale=scale,
        pad_mode=pad_mode, res_type=res_type, dtype=dtype,
    )  # fmt: skip


@has_kernels(
    _LIMITS, lambda of: {"y": of.y, "bins_per_octave": 24, "n_bins": 168, "pad_mode": "reflect"}
)
@as_feature(Frames("n_bins", numbers=complex, at=centred))
@public(expression=True, composed=True)
def vqt(
    y: Annotated[Placed, either(array("..., n", values="float32 or float64"), DeviceArray)],
    *,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    fmin: Positive | None = None,
    n_bins: PositiveInt | None = 84,
    intervals: str | Annotated[Sequence[Number] | Numbers, sequence(number(above=0))] = "equal",
    gamma: NonNegative | None = None,
    bins_per_octave: PositiveInt = 12,
    tuning: Number | None = 0.0,
    filter_scale: Positive = 1,
    norm: BasisNorm = 1,
    sparsity: BelowOne = 0.01,
    window: Window = "hann",
    scale: bool = True,
    pad_mode: str = "constant",
    res_type: str = "soxr_hq",
    dtype: ComplexDtype | None = None,
) -> Placed:
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
        Bins of an octave, if `intervals` is a name.
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
    dtype, y = dtype_of(y, dtype)
    hop_length = valid_hop(hop_length)
    if not isinstance(intervals, str):
        intervals = ratios_of(intervals)
        bins_per_octave = len(intervals)
    f = resolve_filters(
        y, sr, fmin, n_bins, bins_per_octave, tuning, intervals=intervals, gamma=gamma,
        filter_scale=filter_scale, norm=norm, sparsity=sparsity, window=window,
    )  # fmt: skip
    return then(transform, y, f, hop_length, scale, pad_mode, res_type, dtype)


@as_feature(Frames("n_bins", at=centred))
@native_names(n_fft="the filters' n_fft")
@public(expression=True, composed=True)
def pseudo_cqt(
    y: Annotated[Placed, either(array("..., n", values="float32 or float64"), DeviceArray)],
    *,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    fmin: Positive | None = None,
    n_bins: PositiveInt | None = 84,
    bins_per_octave: PositiveInt = 12,
    tuning: Number | None = 0.0,
    filter_scale: Positive = 1,
    norm: BasisNorm = 1,
    sparsity: BelowOne = 0.01,
    window: Window = "hann",
    scale: bool = True,
    pad_mode: str = "constant",
    dtype: ComplexDtype | None = None,
) -> Placed:
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
    dtype, y = dtype_of(y, dtype)
    hop_length = valid_hop(hop_length)
    f = resolve_filters(
        y, sr, fmin, n_bins, bins_per_octave, tuning,
        filter_scale=filter_scale, norm=norm, sparsity=sparsity, window=window,
    )  # fmt: skip
    return then(_pseudo_cqt, y, f, hop_length, scale, pad_mode, dtype)


def _pseudo_cqt(
    y: Any, f: _octaves.Filters, hop_length: int, scale: bool, pad_mode: PadMode, dtype: np.dtype[Any]
) -> Any:
    basis, n_fft = _octaves.magnitude_basis(f, hop_length, bool(scale))
    y, arguments = _framing.frames(y, _framing.Framing(n_fft, hop_length, pad_mode=pad_mode))
    with by_the_way(y):  # frames are as long as the filters
        magnitudes = _native.filterbank_spectrogram(y=y, basis=basis, power=1.0, **arguments)
    return magnitudes.astype(dtype_c2r(dtype), copy=False)


@as_feature(Frames("n_bins", at=centred))
@public(expression=True, composed=True)
def hybrid_cqt(
    y: DoubleOrSingle | DeviceArray,
    *,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    fmin: Positive | None = None,
    n_bins: PositiveInt | None = 84,
    bins_per_octave: PositiveInt = 12,
    tuning: Number | None = 0.0,
    filter_scale: Positive = 1,
    norm: BasisNorm = 1,
    sparsity: BelowOne = 0.01,
    window: Window = "hann",
    scale: bool = True,
    pad_mode: str = "constant",
    res_type: str = "soxr_hq",
    dtype: ComplexDtype | None = None,
) -> RealArray:
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
    dtype, y = dtype_of(y, dtype)
    hop_length = valid_hop(hop_length)
    f = resolve_filters(
        y, sr, fmin, n_bins, bins_per_octave, tuning,
        filter_scale=filter_scale, norm=norm, sparsity=sparsity, window=window,
    )  # fmt: skip
    return then(_hybrid_cqt, y, f, hop_length, scale, pad_mode, res_type, dtype)


def _hybrid_cqt(
    y: Any, f: _octaves.Filters, hop_length: Any, scale: bool, pad_mode: PadMode, res_type: str,
    dtype: np.dtype[Any],
) -> Array:
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
        high = f._replace(fmin=float(bins.freqs[n_long]), n_bins=n_short)
        parts.append(_pseudo_cqt(y, high, hop_length, scale, pad_mode, dtype))
    n_frames = min(part.shape[-1] for part in parts)
    result = np.empty((*y.shape[:-1], n_frames, f.n_bins), dtype=parts[-1].dtype).swapaxes(-1, -2)
    np.concatenate([part[..., :n_frames] for part in parts], axis=-2, out=result)
    return result


# Arguments of the constant-Q family, and the transform that several of its functions share.

_LOWEST = note_to_hz("C1")
# Bins of an octave: their filters are twice as many periods long.
_MOST_BINS = 1 << 16


def dtype_of(y: Any, dtype: DTypeLike | None) -> tuple[np.dtype[Any], Any]:
    """The complex dtype of a result, and audio in its precision."""
    y = _args.floating(_args.audio(y), "y")
    dtype = dtype_r2c(y.dtype) if dtype is None else np.dtype(dtype)
    require(dtype.kind == "c", "dtype", dtype, "complex")
    if dtype == np.complex128 and _args.precision_of(y.dtype) is np.float32:
        y = _args.as_type(y, np.float64)
    return dtype, y


def resolve_filters(
    y: Any, sr: Number, fmin: Number | None, n_bins: Int | None, bins_per_octave: Int, tuning: Number | None,
    **others: Any,
) -> Any:
    """The `Filters` of a call, or their node, with the tuning estimated where it is not given."""
    require(sr > 0 and math.isfinite(sr), "sr", sr, "a positive number")
    if fmin is None:
        fmin = _LOWEST
    require(0 < fmin < sr / 2, "fmin", fmin, f"positive and less than sr/2={sr / 2}")
    for name, value in (("n_bins", n_bins), ("bins_per_octave", bins_per_octave)):
        if not (is_positive_int(value) or name == "n_bins" and value is None):
            raise ParameterError(name, value, "a positive integer")
    octaves = math.log2(sr / 2 / fmin) + 16  # 16 octaves more than that, for ratios below 1
    if n_bins is not None and n_bins > octaves * bins_per_octave:
        raise ParameterError("n_bins", n_bins, f"fit below the Nyquist frequency, {sr / 2}", verb="must")
    require(bins_per_octave <= _MOST_BINS, "bins_per_octave", bins_per_octave, f"at most {_MOST_BINS}")
    if tuning is None:
        tuning = expression_of(estimate_tuning)(y=y, sr=sr, bins_per_octave=bins_per_octave)
    scalars = {name: value.item() for name, value in others.items() if isinstance(value, np.ndarray) and not value.ndim}
    return then(_filters, sr, fmin, n_bins, bins_per_octave, tuning, **others | scalars)


def _filters(
    sr: Number, fmin: Number, n_bins: Int | None, bins_per_octave: Int, tuning: Number, **others: Any
) -> _octaves.Filters:
    require(math.isfinite(tuning), "tuning", tuning, "a number")
    try:
        hash(others["window"])
    except TypeError:
        raise ParameterError("window", others["window"], "hashable") from None
    f = _octaves.Filters(
        sr=float(sr), fmin=float(float(fmin) * 2.0 ** (float(tuning) / bins_per_octave)),
        n_bins=1 if n_bins is None else int(n_bins), bins_per_octave=int(bins_per_octave), **others,
    )  # fmt: skip
    if n_bins is None:
        f = f._replace(n_bins=_octaves.most_bins(f))
    bins = _octaves.bins_of(f)
    if bins.cutoff > f.sr / 2:
        raise ParameterError(
            "n_bins", f.n_bins,
            f"fewer: the filter at {bins.freqs[-1]:.1f} Hz would reach up to {bins.cutoff:.1f} Hz, "
            f"beyond the Nyquist frequency, {f.sr / 2}",
        )
    return f


def valid_hop(hop_length: Int) -> int:
    if not is_positive_int(hop_length) or hop_length >= 2**47:
        raise ParameterError("hop_length", hop_length, "a positive integer below 2**47")
    return int(hop_length)


def _halve(y: Any, times: int, res_type: str) -> Any:
    factor = 2**times
    return resample(y, orig_sr=factor, target_sr=1, res_type=res_type)


def _octave_by_octave(y: Any, bank: _octaves.Bank, n_bins: int, pad_mode: PadMode, res_type: str) -> Any:
    """The octaves one by one, resampled by other packages: the engine resamples by libsoxr alone."""
    parts = []
    done = 0
    for octave in bank.octaves:
        if octave.halvings > done:
            y = _halve(y, octave.halvings - done, res_type)
            done = octave.halvings
        here = n_bins - octave.first_bin
        n_bins = octave.first_bin
        parts.append(_native.constant_q(y=y, bank=octave.bank(here), pad_mode=pad_mode))
    n_frames = min(part.shape[-1] for part in parts)
    return np.concatenate([part[..., :n_frames] for part in reversed(parts)], axis=-2)


@of_lengths
def transform(
    y: Any, f: _octaves.Filters, hop_length: Any, scale: bool, pad_mode: PadMode, res_type: str,
    dtype: DTypeLike,
) -> Any:
    """The transform with the filters `f` of valid audio, as a node."""
    early = _octaves.early_halvings(f, hop_length)
    if early:
        factor = 2**early
        if y.shape[-1] < factor:
            raise ParameterError("y.shape[-1]", y.shape[-1], f"at least {factor} for {f.n_octaves} octave(s)")
        f, hop_length = f._replace(sr=f.sr / factor), hop_length // factor
    bank = _octaves.analysis_bank(f, hop_length, bool(scale), early)
    hint = turned("y", y)
    for octave in bank.octaves:
        length = -(-y.shape[-1] // 2 ** (early + octave.halvings))
        if octave.n_fft > length:
            warn(f"n_fft={octave.n_fft} is too large for input signal of length={length}{hint}")
            hint = ""  # once is enough
    if str(res_type).startswith("soxr"):
        spectrum = ask(
            "constant_q", y=y, bank=bank.native, pad_mode=pad_mode, res_type=res_type, early_halvings=early
        )
    else:
        _args.refuse_argument("y", y, "res_type", res_type)
        y = _halve(y, early, res_type) if early else y
        spectrum = _octave_by_octave(y, bank, f.n_bins, pad_mode, res_type)
    return then(_args.as_type, spectrum, dtype)


def ratios_of(intervals: Sequence[Number] | Array) -> tuple[float, ...]:
    """A sequence of intervals as a tuple, which can be compared and kept."""
    try:
        ratios = np.asarray(intervals, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("intervals", intervals, "a name or ratios") from None
    if ratios.ndim != 1 or ratios.size == 0:
        raise ParameterError("intervals", intervals, "a name or at least one ratio")
    require(np.all((ratios > 0) & np.isfinite(ratios)), "intervals", intervals, f"finite {POSITIVES}")
    return tuple(ratios.tolist())


# Audio from constant-Q transforms.

def _valid_transform(C: ArrayLike) -> Array:
    C = np.asarray(C)
    require(C.dtype.kind in "cbfiu", "C.dtype", C.dtype, "numeric")
    require(C.ndim >= 2, "C.shape", C.shape, "(..., bins, frames)")
    require(C.shape[-1] >= 1, "C.shape[-1]", C.shape[-1], "at least 1")
    require_finite("C", C)
    return C


def _inverse_octave_by_octave(C: Array, bank: _octaves.Bank, res_type: str) -> Any:
    """The octaves one by one, resampled by other packages: the engine resamples by libsoxr alone."""
    total = None
    ends = [octave.first_bin for octave in bank.octaves[1:]] + [C.shape[-2]]
    for octave, end in zip(bank.octaves, ends):
        alone = octave.bank(end - octave.first_bin, synthesis=True)
        y = _native.constant_q_inverse(spectrum=C[..., octave.first_bin : end, :], bank=alone)
        if octave.halvings:
            target = 2**octave.halvings
            y = resample(y, orig_sr=1, target_sr=target, res_type=res_type, fix=False)
        if total is None:
            total = y
        else:
            total[..., : y.shape[-1]] += y[..., : total.shape[-1]]
    return total


@as_feature(Samples(times=lambda given: given.hop_length), listed=False)
@native_names(n_bins="C.shape[-2]")
@public(composed=True)
def icqt(
    C: Annotated[Array, array("..., n_bins, t")],
    *,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    fmin: Positive | None = None,
    bins_per_octave: PositiveInt = 12,
    tuning: Number = 0.0,
    filter_scale: Positive = 1,
    norm: BasisNorm = 1,
    sparsity: BelowOne = 0.01,
    window: Window = "hann",
    scale: bool = True,
    length: PositiveInt | None = None,
    res_type: str = "soxr_hq",
    dtype: RealDtype | None = None,
) -> RealArray:
    """Audio from a constant-Q transform, approximately.

    Frames of each octave are overlapped and added at the octave's rate, then resampled and summed.
    Good where the filters cover the signal's frequencies and the hop is short against them.

    Parameters
    ----------
    C : np.ndarray [shape=(..., n_bins, t)]
        What `cqt` gave, finite everywhere.
    sr, hop_length, fmin, bins_per_octave, filter_scale, norm, sparsity, window, scale, res_type
        As given to `cqt`.
    tuning : number
        As given to `cqt`.
    length : int > 0, optional
        Samples of the result.
    dtype : real dtype, optional
        Data type of the result; by default float64 with `scale`, and otherwise of the precision of `C`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real
        Audio.

    Raises
    ------
    ParameterError
        For values not listed, and filters that reach beyond the Nyquist frequency.

    Notes
    -----
    Calculated in the precision of `C`. Where `n_bins` is not a multiple of `bins_per_octave`,
    halving the rate for each octave from the lowest bin up could leave filters beyond the Nyquist
    frequency of their octave, and librosa's answer is noise then; such octaves keep their rate here.

    Examples
    --------
    >>> y = metalmom.tone(440.0, length=22050)
    >>> C = metalmom.cqt(y)
    >>> metalmom.icqt(C, length=22050).shape
    (22050,)
    """
    C = _valid_transform(C)
    hop_length = valid_hop(hop_length)
    if length is not None and not is_positive_int(length):
        raise ParameterError("length", length, "a positive integer")
    if dtype is None:
        dtype = np.float64 if scale else dtype_c2r(dtype_r2c(C.dtype))
    elif np.dtype(dtype) not in (np.float32, np.float64):
        raise ParameterError("dtype", dtype, "float32 or float64")
    if tuning is None:
        raise ParameterError("tuning", None, "a number")
    f = resolve_filters(
        None, sr, fmin, C.shape[-2], bins_per_octave, tuning,
        filter_scale=filter_scale, norm=norm, sparsity=sparsity, window=window,
    )  # fmt: skip
    if length is not None:
        reach = length + np.max(_octaves.bins_of(f).lengths)
        C = C[..., : int(np.ceil(reach / hop_length))]
    elif C.shape[-1] == 1:  # a single centred frame covers no sample
        return np.zeros((*C.shape[:-2], 0), dtype=dtype)
    bank = _octaves.synthesis_bank(f, hop_length, bool(scale))
    if C.dtype.kind != "c":
        C = C.astype(dtype_r2c(C.dtype))
    if str(res_type).startswith("soxr"):
        y = _native.constant_q_inverse(
            spectrum=C, bank=bank.native, res_type=res_type, length=length or 0
        )
    elif C.shape[-1] == 1:
        y = np.zeros((*C.shape[:-2], 0))
    else:
        y = _inverse_octave_by_octave(C, bank, res_type)
    if length is not None:
        y = fix_length(y, size=length)
    return y.astype(dtype, copy=False)


@as_feature(Samples(times=lambda given: given.hop_length), listed=False)
@native_names(n_bins="C.shape[-2]", y="length or C")
@public(composed=True)
def griffinlim_cqt(
    C: Annotated[Numbers, array("..., n_bins, t", values="real")],
    *,
    n_iter: NonNegativeInt = 32,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    fmin: Positive | None = None,
    bins_per_octave: PositiveInt = 12,
    tuning: Number | None = 0.0,
    filter_scale: Positive = 1,
    norm: BasisNorm = 1,
    sparsity: BelowOne = 0.01,
    window: Window = "hann",
    scale: bool = True,
    pad_mode: str = "constant",
    res_type: str = "soxr_hq",
    dtype: RealDtype | None = None,
    length: PositiveInt | None = None,
    momentum: NonNegative = 0.99,
    init: Literal["random"] | None = "random",
    rng: Seed = None,
    random_state: Seed | Deprecated = Deprecated(),
) -> RealArray:
    """Estimate audio from constant-Q magnitudes with the fast Griffin-Lim algorithm.

    Transforms back and forth with `icqt` and `cqt`, keeps the phases and restores the magnitudes.

    Parameters
    ----------
    C : np.ndarray [shape=(..., n_bins, t)], real
        Constant-Q magnitudes, finite everywhere.
    n_iter : int >= 0
        Iterations.
    sr, hop_length, fmin, bins_per_octave, tuning, filter_scale, norm, sparsity, window, scale
        As given to `cqt`.
    pad_mode, res_type
        As in `cqt`.
    dtype, length
        As in `icqt`.
    momentum : number >= 0
        0 is the original algorithm, 0.99 converges faster, above 1 it may not.
    init : {"random", None}
        Random phases first, or zero phase.
    rng : None, int, np.random.Generator or np.random.RandomState
        Source or seed of the random phases.
    random_state
        Deprecated name of `rng`.

    Returns
    -------
    np.ndarray [shape=(..., n)], real
        Audio.

    Raises
    ------
    ParameterError
        For values not listed.

    Notes
    -----
    Where `length` leaves fewer frames than `C` has, those that are left take part in the iteration;
    librosa then fails.

    References
    ----------
    N. Perraudin, P. Balazs and P. L. Sondergaard, "A fast Griffin-Lim algorithm", WASPAA 2013.

    Examples
    --------
    >>> y = metalmom.tone(440.0, length=22050)
    >>> C = np.abs(metalmom.cqt(y, fmin=110.0, n_bins=36))
    >>> metalmom.griffinlim_cqt(C, fmin=110.0, n_iter=2, rng=0).shape
    (22016,)
    """
    rng = generator(rng, random_state)
    check_iteration(momentum, init)
    C = _valid_transform(C)
    require(is_positive_int(n_iter) or n_iter in (-1, 0), "n_iter", n_iter, "a non-negative integer")
    filters: dict[str, Any]
    filters = {"filter_scale": filter_scale, "norm": norm, "sparsity": sparsity, "window": window}
    back: dict[str, Any] = {
        "sr": sr, "hop_length": hop_length, "fmin": fmin, "bins_per_octave": bins_per_octave,
        "tuning": tuning, "scale": scale, "length": length, "res_type": res_type, "dtype": dtype, **filters,
    }  # fmt: skip
    phases = np.ones(C.shape, dtype=dtype_r2c(C.dtype), order="F" if C.ndim == 2 else "C")
    if init == "random":
        turns = 2 * np.pi * rng.random(size=C.shape)
        phases.real, phases.imag = np.cos(turns), np.sin(turns)
    f = None
    previous = None
    for _ in range(n_iter):
        y = icqt(C * phases, **back)
        if f is None:
            bins = C.shape[-2], bins_per_octave
            f = value_of(resolve_filters(y, sr, fmin, *bins, tuning, **filters))
        with by_the_way(y):
            rebuilt = value_of(transform(y, f, hop_length, scale, pad_mode, res_type, dtype_r2c(y.dtype)))
        n_frames = min(rebuilt.shape[-1], phases.shape[-1])
        C, phases, rebuilt = (array[..., :n_frames] for array in (C, phases, rebuilt))
        phases[...] = rebuilt
        if previous is not None:
            phases -= (momentum / (1 + momentum)) * previous[..., :n_frames]
        phases /= np.abs(phases) + tiny(phases)
        previous = rebuilt
    return icqt(C * phases, **back)
