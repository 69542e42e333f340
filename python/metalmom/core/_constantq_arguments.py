"""Arguments of the constant-Q family, and the transform that several of its functions share."""

import math

import numpy as np

from .. import _args, _native
from .._expressions import ask, then
from .._boundary.meant import turned
from .._warnings import warn
from ..util._checks import is_positive_int
from ..util.exceptions import ParameterError
from ..util.utils import dtype_r2c
from . import _octaves
from .audio import resample
from .convert import note_to_hz
from .pitch import estimate_tuning


_LOWEST = note_to_hz("C1")
# Bins of an octave: their filters are twice as many periods long.
_MOST_BINS = 1 << 16


def dtype_of(y, dtype):
    """The complex dtype of a result, and audio in its precision."""
    y = _args.floating(_args.audio(y), "y")
    dtype = dtype_r2c(y.dtype) if dtype is None else np.dtype(dtype)
    if dtype.kind != "c":
        raise ParameterError(f"dtype={dtype} must be complex")
    if dtype == np.complex128 and y.dtype == np.float32:
        y = _args.as_type(y, np.float64)
    return dtype, y


def resolve_filters(y, sr, fmin, n_bins, bins_per_octave, tuning, **others):
    """The `Filters` of a call, or their node, with the tuning estimated where it is not given."""
    if not (sr > 0 and math.isfinite(sr)):
        raise ParameterError(f"sr={sr} must be a positive number")
    if fmin is None:
        fmin = _LOWEST
    if not 0 < fmin < sr / 2:
        raise ParameterError(f"fmin={fmin} must be positive and less than sr/2={sr / 2}")
    for name, value in (("n_bins", n_bins), ("bins_per_octave", bins_per_octave)):
        if not (is_positive_int(value) or name == "n_bins" and value is None):
            raise ParameterError(f"{name}={value} must be a positive integer")
    octaves = math.log2(sr / 2 / fmin) + 16  # 16 octaves more than that, for ratios below 1
    if n_bins is not None and n_bins > octaves * bins_per_octave:
        raise ParameterError(f"n_bins={n_bins} must fit below the Nyquist frequency, {sr / 2}")
    if bins_per_octave > _MOST_BINS:
        raise ParameterError(f"bins_per_octave={bins_per_octave} must be at most {_MOST_BINS}")
    if tuning is None:
        tuning = estimate_tuning.expression(y=y, sr=sr, bins_per_octave=bins_per_octave)
    return then(_filters, sr, fmin, n_bins, bins_per_octave, tuning, **others)


def _filters(sr, fmin, n_bins, bins_per_octave, tuning, **others):
    if not math.isfinite(tuning):
        raise ParameterError(f"tuning={tuning} must be a number")
    try:
        hash(others["window"])
    except TypeError:
        raise ParameterError(f"window={others['window']} must be hashable") from None
    f = _octaves.Filters(
        sr=float(sr),
        fmin=float(fmin) * 2.0 ** (float(tuning) / bins_per_octave),
        n_bins=1 if n_bins is None else int(n_bins),
        bins_per_octave=int(bins_per_octave),
        **others,
    )
    if n_bins is None:
        f = f._replace(n_bins=_octaves.most_bins(f))
    bins = _octaves.bins_of(f)
    if bins.cutoff > f.sr / 2:
        raise ParameterError(
            f"n_bins={f.n_bins} must be fewer: the filter at {bins.freqs[-1]:.1f} Hz would reach "
            f"up to {bins.cutoff:.1f} Hz, beyond the Nyquist frequency, {f.sr / 2}"
        )
    return f


def valid_hop(hop_length):
    if not is_positive_int(hop_length) or hop_length >= 2**47:
        raise ParameterError(f"hop_length={hop_length} must be a positive integer below 2**47")
    return int(hop_length)


def _halve(y, times, res_type):
    factor = 2**times
    return resample(y, orig_sr=factor, target_sr=1, res_type=res_type)


def _octave_by_octave(y, bank, n_bins, pad_mode, res_type):
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
    n_frames = min(part.shape[-2] for part in parts)
    return np.concatenate([part[..., :n_frames, :] for part in reversed(parts)], axis=-1)


def transform(y, f, hop_length, scale, pad_mode, res_type, dtype):
    """The transform with the filters `f` of valid audio, as a node."""
    early = _octaves.early_halvings(f, hop_length)
    if early:
        factor = 2**early
        if y.shape[-1] < factor:
            raise ParameterError(
                f"y.shape[-1]={y.shape[-1]} must be at least {factor} for {f.n_octaves} octave(s)"
            )
        f, hop_length = f._replace(sr=f.sr / factor), hop_length // factor
    bank = _octaves.analysis_bank(f, hop_length, bool(scale), early)
    for octave in bank.octaves:
        length = -(-y.shape[-1] // 2 ** (early + octave.halvings))
        if octave.n_fft > length:
            warn(f"n_fft={octave.n_fft} is too large for input signal of length={length}{turned('y', y)}")
    if str(res_type).startswith("soxr"):
        spectrum = ask(
            "constant_q",
            y=y,
            bank=bank.native,
            pad_mode=pad_mode,
            res_type=res_type,
            early_halvings=early,
        )
    else:
        _args.refuse_argument(f"res_type={res_type!r}", "y", y)
        y = _halve(y, early, res_type) if early else y
        spectrum = _octave_by_octave(y, bank, f.n_bins, pad_mode, res_type)
    return then(_args.swapped, then(_args.as_type, spectrum, dtype))


def ratios_of(intervals):
    """A sequence of intervals as a tuple, which can be compared and kept."""
    try:
        ratios = np.asarray(intervals, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"intervals={intervals!r} must be a name or ratios") from None
    if ratios.ndim != 1 or ratios.size == 0:
        raise ParameterError(f"intervals={intervals!r} must be a name or at least one ratio")
    if not np.all((ratios > 0) & np.isfinite(ratios)):
        raise ParameterError(f"intervals={intervals!r} must be strictly positive")
    return tuple(ratios.tolist())
