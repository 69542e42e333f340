"""Energy in the bands of a filter bank; part of `core.spectrum`."""

from typing import NamedTuple

import numpy as np

from .. import _args, _native, filters
from .._backend import ON_CPU
from .._declared import Frames, as_feature, windows
from .._kept import kept
from .._keywords import takes
from .._spans import composed
from ..util._checks import is_one_of, is_positive_int
from ..util._packages import required
from ..util.exceptions import ParameterError
from .audio import resample

__all__ = ["iirt"]


@kept(8)
def _kept_bank(tuning, flayout, others):
    return filters.semitone_filterbank(tuning=tuning, flayout=flayout, **dict(others))


def _bank(tuning, flayout, others):
    """Filters and their rates; designing 85 takes longer than a second of audio."""
    try:
        return _kept_bank(tuning, flayout, tuple(sorted(others.items())))
    except TypeError:  # an array among the arguments cannot be a key
        return filters.semitone_filterbank(tuning=tuning, flayout=flayout, **others)


class _TooShort(Exception):
    """A filter is longer than the signal."""


class _Frames(NamedTuple):
    """Frames of a signal at a lower rate, where the hop may be a fraction of a sample."""

    length: int
    hop_length: float
    count: int


def _alike(bank, rates):
    """Yield (indices, rate, filters) of filters of one rate and as many sections."""
    groups = {}
    for band, (rate, design) in enumerate(zip(rates, bank)):
        groups.setdefault((rate, len(design)), []).append(band)
    for (rate, _), bands in groups.items():
        yield bands, rate, [bank[band] for band in bands]


def _section_energies(designs, y, frames, factor):
    """Energies after filters of second-order sections; shape (..., bands, frames)."""
    sections = np.asarray(designs)
    # As in SciPy's sosfiltfilt, a signal is continued by three times the number of a filter's
    # coefficients, without those that are zero at the end of sections.
    zeros = (sections[:, :, [2, 5]] == 0).sum(axis=1).min(axis=1)
    edges = 3 * (2 * sections.shape[1] + 1 - zeros)
    if edges.max() >= y.shape[-1]:
        raise _TooShort
    energies = np.empty((*y.shape[:-1], len(designs), frames.count), dtype=y.dtype)
    for edge in np.unique(edges):
        some = edges == edge
        energies[..., some, :] = _native.band_energies(
            y=y,
            sections=sections[some].ravel(),
            n_sections=sections.shape[1],
            edge=int(edge),
            frame_length=frames.length,
            hop_length=frames.hop_length,
            n_frames=frames.count,
            factor=factor,
        )
    return energies


def _fraction_energies(designs, y, frames, factor):
    """The same after filters that are fractions of polynomials, by SciPy."""
    filtfilt = required("scipy.signal").filtfilt
    energies = np.empty((*y.shape[:-1], len(designs), frames.count), dtype=y.dtype)
    starts = np.round(np.arange(frames.count) * frames.hop_length).astype(int)
    n = y.shape[-1]
    for band, (numerator, denominator) in enumerate(designs):
        try:
            filtered = filtfilt(numerator, denominator, y)
        except ValueError as error:
            raise _TooShort from error
        running = np.zeros((*y.shape[:-1], n + 1))
        np.cumsum(np.square(filtered), axis=-1, out=running[..., 1:])
        ends = np.minimum(starts + frames.length, n)
        energies[..., band, :] = factor * (
            running[..., ends] - running[..., np.minimum(starts, n)]
        )
    return energies


def _frames(given):
    return windows(given.win_length, given.hop_length or given.win_length // 4, given.center)


def _bands(given):
    return len(filters.mr_frequencies(0.0)[0] if given.center_freqs is None else given.center_freqs)


@as_feature(Frames(_bands, at=_frames))
@takes(of="filters.semitone_filterbank")
@composed
def iirt(
    y,
    *,
    sr=22050,
    win_length=2048,
    hop_length=None,
    center=True,
    tuning=0.0,
    pad_mode="constant",
    flayout="sos",
    res_type="soxr_hq",
    **kwargs,
):
    """Energy of a signal in bands of a semitone, by recursive filters at several sampling rates.

    Filters run forwards and backwards, so that they do not delay.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], float32 or float64
        Audio, finite everywhere.
    sr : number > 0
        Its sampling rate in Hz.
    win_length : int > 0
        Samples of a frame, at the rate of `y`.
    hop_length : int > 0, optional
        Samples between frames, by default a quarter of a frame.
    center : bool
        Whether frame t is centred at sample ``t * hop_length``.
    tuning : number
        Deviation from A440 in semitones.
    pad_mode : str or callable
        With `center`, how the ends are padded, as `numpy.pad` takes it.
    flayout : {"sos", "ba"}
        Filters as second-order sections or as fractions of polynomials, which round worse.
    res_type : str
        How to resample, as in `resample`.
    **kwargs
        Further arguments of `metalmom.filters.semitone_filterbank`.

    Returns
    -------
    np.ndarray [shape=(..., n_bands, t)], real
        Energy of each band and frame, of the data type of `y`.

    Raises
    ------
    ParameterError
        For values not listed, and filters longer than the signal.

    Notes
    -----
    Needs SciPy.

    References
    ----------
    M. Mueller, "Information Retrieval for Music and Motion", Springer 2007, section 3.1.

    Examples
    --------
    >>> y = metalmom.tone(440.0, length=8192)
    >>> bands = metalmom.iirt(y)
    >>> bands.shape, int(bands[:, 8].argmax())
    ((85, 17), 45)
    """
    _args.audio(y)
    if y.dtype != np.float32 and y.dtype != np.float64:
        raise ParameterError(f"y.dtype={y.dtype} must be float32 or float64")
    if not np.all(np.isfinite(y)):
        raise ParameterError("Audio buffer is not finite everywhere")
    if not is_one_of(flayout, ("sos", "ba")):
        raise ParameterError(f"flayout={flayout!r} must be 'sos' or 'ba'")
    if not is_positive_int(win_length):
        raise ParameterError(f"win_length={win_length} must be a positive integer")
    hop_length = int(win_length // 4) if hop_length is None else hop_length
    if not is_positive_int(hop_length):
        raise ParameterError(f"hop_length={hop_length} must be a positive integer")
    bank, rates = _bank(tuning, flayout, kwargs)
    if center:
        y = _args.pad(y, win_length // 2, pad_mode)
    n_frames = 1 + (y.shape[-1] - win_length) // hop_length
    if n_frames < 1:
        raise ParameterError(f"win_length={win_length} must be at most {y.shape[-1]}, the samples")
    energies = np.empty((*y.shape[:-1], len(rates), n_frames), dtype=y.dtype)
    with ON_CPU:  # where what follows runs
        at_rate = {
            rate: resample(y, orig_sr=sr, target_sr=rate, res_type=res_type)
            for rate in np.unique(rates)
        }
    energies_of = _section_energies if flayout == "sos" else _fraction_energies
    for bands, rate, designs in _alike(bank, rates):
        factor = sr / rate
        frames = _Frames(int(round(win_length / factor)), hop_length / factor, n_frames)
        try:
            energies[..., bands, :] = energies_of(designs, at_rate[rate], frames, factor)
        except _TooShort as error:
            raise ParameterError(
                f"y.shape[-1]={y.shape[-1]} must be more: at {rate} Hz a filter is longer"
            ) from error
    return energies
