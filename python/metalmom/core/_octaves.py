"""Filters of the constant-Q family, kept from call to call.

Everything follows from a `Filters`: centre frequencies, relative bandwidths, lengths, and for each
octave the filters as the engine applies them. C. Schoerkhuber and A. Klapuri, "Constant-Q transform
toolbox for music processing" (Sound and Music Computing 2010), describes the octaves; J. C. Brown
and M. Puckette, "An efficient algorithm for the calculation of a constant Q transform" (JASA 1992),
the sparse spectra of filters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _native, filters
from ..util._kept_results import kept
from ..util._checks import require
from ..util.exceptions import ParameterError
from .intervals import interval_frequencies

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ..util._types import Array


class Filters(NamedTuple):
    """What determines the filters of a transform; hashable, so that they are kept by it."""

    sr: float
    fmin: float  # of the first filter, tuning included
    n_bins: int
    bins_per_octave: int
    intervals: Any = "equal"  # or a tuple of ratios
    gamma: Any = 0
    filter_scale: float = 1
    norm: Any = 1
    sparsity: float = 0.01
    window: Any = "hann"

    @property
    def n_octaves(self) -> int:
        return -(-self.n_bins // self.bins_per_octave)


class Bins(NamedTuple):
    """Centre frequencies, relative bandwidths, lengths in samples, and where the last one ends."""

    freqs: Array
    alpha: Array
    lengths: Array
    cutoff: float


class Octave(NamedTuple):
    """Filters of an octave as the engine takes them, at the signal's rate over 2**halvings."""

    filters: list[_native.Basis]  # the filters cut along the frame, one piece after the other
    halvings: int
    hop_length: int
    first_bin: int
    n_fft: int

    def bank(self, n_bins: int, synthesis: bool = False) -> _native.OctaveBank:
        """A bank of this octave alone, for a signal at its rate."""
        octave = (self.filters, 0, self.hop_length, 0)
        return _native.OctaveBank([octave], n_bins, synthesis=synthesis)


class Bank(NamedTuple):
    """All octaves, and the same as one object of the engine."""

    octaves: tuple[Octave, ...]
    native: object


@kept(64, "constant-Q bins")
def bins_of(f: Filters) -> Bins:
    """The `Bins` of a `Filters`."""
    freqs = interval_frequencies(
        f.n_bins, fmin=f.fmin, intervals=f.intervals, bins_per_octave=f.bins_per_octave, sort=True
    )
    if len(freqs) > 1:
        alpha = filters.relative_bandwidth(freqs)
    else:
        ratio = 2.0 ** (2 / f.bins_per_octave)
        alpha = np.array([(ratio - 1) / (ratio + 1)])
    lengths, cutoff = filters.wavelet_lengths(sr=f.sr, **_design(f, freqs, alpha))
    return Bins(freqs, alpha, lengths, float(cutoff))


def _design(f: Filters, freqs: Array, alpha: Array) -> dict[str, Any]:
    """Arguments of `metalmom.filters` for some of the filters."""
    return {
        "freqs": freqs, "alpha": alpha, "window": f.window, "filter_scale": f.filter_scale, "gamma": f.gamma,
    }  # fmt: skip


def most_bins(f: Filters) -> int:
    """How many bins from `fmin` up have filters that end below the Nyquist frequency."""
    count = int(np.ceil(f.bins_per_octave * np.log2(f.sr / 2 / f.fmin))) + 1
    while count > 1 and bins_of(f._replace(n_bins=count)).cutoff > f.sr / 2:
        count -= 1
    return count


def _without_small(spectra: Array, share: float) -> Array:
    """Zero the smallest values of each row that together are less than `share` of its sum."""
    require(0 <= share < 1, "sparsity", share, "in [0, 1)")
    sizes = np.abs(spectra)
    ascending = np.sort(sizes, axis=1)
    running = np.cumsum(ascending, axis=1)
    first_kept = np.argmin(running < share * running[:, -1:], axis=1)
    spectra[sizes < np.take_along_axis(ascending, first_kept[:, None], axis=1)] = 0
    return spectra


def _spectra(f: Filters, sr: float, part: slice, hop_length: int | None = None) -> tuple[Array, int]:
    """Sparse spectra of the filters `part`, a slice, at the rate `sr`; shape (filters, bins)."""
    bins = bins_of(f)
    longest = sr / f.sr * np.max(bins.lengths[part])
    if longest * len(bins.freqs[part]) > _MOST_SAMPLES:
        raise ParameterError(
            "filter_scale", f.filter_scale,
            f"lower, or bins_per_octave={f.bins_per_octave} fewer: filters would be {longest:.0f} "
            "samples long",
        )
    if hop_length is not None and hop_length * len(bins.freqs[part]) > _MOST_SAMPLES:
        raise ParameterError("hop_length", hop_length, "shorter: frames are twice as long")
    design = _design(f, bins.freqs[part], bins.alpha[part])
    waves, lengths = filters.wavelet(sr=sr, norm=f.norm, dtype=np.complex128, **design)
    n_fft = waves.shape[1]
    if hop_length is not None:
        n_fft = max(n_fft, int(2.0 ** (1 + np.ceil(np.log2(hop_length)))))
    waves *= lengths[:, None] / n_fft
    spectra = np.fft.fft(waves, n=n_fft)[:, : n_fft // 2 + 1]
    return _without_small(spectra, f.sparsity), n_fft


def _paired(real: Array, imaginary: Array) -> Array:
    """Rows of real and imaginary parts in turn."""
    return np.stack([real, imaginary], axis=1).reshape(2 * len(real), -1)


# The most samples that the filters of an octave may have together: a gigabyte of complex numbers.
_MOST_SAMPLES = 1 << 26
# Samples of a frame in one product. Longer frames are sums of products, which are rounded less, and
# whose filters stay in cache.
_PIECE = 1024
# The rate is halved below an octave that ends under this share of the Nyquist frequency, so that
# the low-pass filter of the halving does not touch the octave.
_CLEAR_OF_NYQUIST = 0.8


def octaves_of(f: Filters, hop_length: int) -> Iterator[tuple[slice, int, int]]:
    """Yield (bins as a slice, halvings of the rate, hop length) of each octave, the highest first.

    Rates are halved as long as the hop is even.
    """
    freqs = bins_of(f).freqs
    halvings = 0
    for last in range(f.n_bins, 0, -f.bins_per_octave):
        part = slice(max(last - f.bins_per_octave, 0), last)
        yield part, halvings, hop_length
        nyquist = f.sr / 2**halvings / 2
        if hop_length % 2 == 0 and np.max(freqs[part]) < _CLEAR_OF_NYQUIST * nyquist:
            hop_length //= 2
            halvings += 1


@kept(16, "constant-Q filters")
def analysis_bank(f: Filters, hop_length: int, scale: bool, early: int = 0) -> Bank:
    """The `Bank` that transforms audio, the highest octave first.

    Bins grow by the square root of two at each halving, and again by that to make up for the
    samples that decimation drops; with `scale` they are over the root of the filter's length.
    `early`: halvings that the audio has gone through before, whose samples the length counts, too.
    """
    octaves: list[Octave] = []
    for part, halvings, hop in octaves_of(f, hop_length):
        spectra, n_fft = _spectra(f, f.sr / 2**halvings, part)
        gain = np.full(part.stop - part.start, 2.0 ** (early + halvings))
        if scale:
            gain /= np.sqrt(2.0**early * bins_of(f).lengths[part])
        # A product with the spectrum of a frame becomes one with its samples: the transform is a
        # matrix.
        waves = np.fft.fft(spectra * gain[:, None], n=n_fft)
        rows = _paired(waves.real, waves.imag)
        pieces = (rows[:, first : first + _PIECE] for first in range(0, n_fft, _PIECE))
        bases = [_native.basis_from_dense(piece) for piece in pieces]
        octaves.append(Octave(bases, halvings, hop, part.start, n_fft))
    native = _native.OctaveBank([each[:4] for each in octaves], f.n_bins)
    return Bank(tuple(octaves), native)


@kept(16, "constant-Q filters")
def magnitude_basis(f: Filters, hop_length: int, scale: bool) -> tuple[_native.Basis, int]:
    """Magnitudes of the filters' spectra at the signal's own rate, and the length of a frame."""
    spectra, n_fft = _spectra(f, f.sr, slice(None), hop_length)
    gain = 1 / np.sqrt(n_fft) if scale else np.sqrt(bins_of(f).lengths / n_fft)[:, None]
    return _native.basis_from_dense(np.abs(spectra) * gain), n_fft


@kept(64)
def early_halvings(f: Filters, hop_length: int) -> int:
    """How often the rate can be halved before the first octave, at no loss.

    As long as the filters stay below half the Nyquist frequency (with a margin), and the hop
    remains even for each octave that is halved later. At most by what a signal is resampled at once.
    """
    room = int(np.ceil(np.log2(f.sr / 2 / bins_of(f).cutoff))) - 2
    twos = (hop_length & -hop_length).bit_length() - 1
    return max(0, min(room, twos - f.n_octaves + 1, 15))


@kept(16, "constant-Q filters")
def synthesis_bank(f: Filters, hop_length: int, scale: bool) -> Bank:
    """The `Bank` that makes audio, the lowest octave first.

    Octaves are counted from the lowest bin here, so that the highest one may be a part of one. The
    conjugate of each filter is scaled by its power, and to the number of its samples in a frame.
    """
    bins = bins_of(f)
    octaves: list[Octave] = []
    halvings, hop = 0, hop_length
    for first in reversed(range(0, f.n_bins, f.bins_per_octave)):
        part = slice(first, min(first + f.bins_per_octave, f.n_bins))
        design = _design(f, bins.freqs[part], bins.alpha[part])
        _, cutoff = filters.wavelet_lengths(sr=f.sr, **design)
        if octaves and hop % 2 == 0 and cutoff <= f.sr / 2 ** (halvings + 1) / 2:
            halvings, hop = halvings + 1, hop // 2
        spectra, n_fft = _spectra(f, f.sr / 2**halvings, part)
        gain = n_fft / bins.lengths[part] / np.sum(np.abs(spectra) ** 2, axis=1)
        if scale:
            gain *= np.sqrt(bins.lengths[part])
        spectra = np.conj(spectra) * gain[:, None]
        waves = _paired(np.fft.irfft(spectra, n=n_fft), np.fft.irfft(1j * spectra, n=n_fft))
        bases = [_native.basis_from_dense(np.ascontiguousarray(waves.T))]
        octaves.append(Octave(bases, halvings, hop, first, n_fft))
    octaves.reverse()
    native = _native.OctaveBank([each[:4] for each in octaves], f.n_bins, synthesis=True)
    return Bank(tuple(octaves), native)
