"""Energy in the bands of a filter bank; part of `core.spectrum`."""

import numpy as np

from .. import _args, filters
from .._kept import kept
from .._spans import composed
from ..util._checks import is_positive_int
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
    except TypeError:  # an array among the arguments
        return filters.semitone_filterbank(tuning=tuning, flayout=flayout, **others)


def _framed_energy(filtered, frame_length, hop_length, n_frames):
    """Energy of frames whose hop may be a fraction of a sample; shape (..., n_frames)."""
    missing = int(np.ceil((n_frames - 1) * hop_length)) + frame_length + 1 - filtered.shape[-1]
    if missing > 0:
        filtered = np.pad(filtered, [(0, 0)] * (filtered.ndim - 1) + [(0, missing)])
    running = np.zeros((*filtered.shape[:-1], filtered.shape[-1] + 1))
    np.cumsum(np.square(filtered, dtype=np.float64), axis=-1, out=running[..., 1:])
    starts = np.round(np.arange(n_frames) * hop_length).astype(int)
    return running[..., starts + frame_length] - running[..., starts]


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
    from scipy.signal import filtfilt, sosfiltfilt

    _args.audio(y)
    if y.dtype != np.float32 and y.dtype != np.float64:
        raise ParameterError(f"y.dtype={y.dtype} must be float32 or float64")
    if not np.all(np.isfinite(y)):
        raise ParameterError("Audio buffer is not finite everywhere")
    if flayout not in ("sos", "ba"):
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
    at_rate = {
        rate: resample(y, orig_sr=sr, target_sr=rate, res_type=res_type)
        for rate in np.unique(rates)
    }
    for band, (rate, design) in enumerate(zip(rates, bank)):
        factor = sr / rate
        try:
            if flayout == "sos":
                filtered = sosfiltfilt(design, at_rate[rate])
            else:
                filtered = filtfilt(design[0], design[1], at_rate[rate])
        except ValueError as error:
            raise ParameterError(
                f"y.shape[-1]={y.shape[-1]} must be more: at {rate} Hz a filter is longer"
            ) from error
        energies[..., band, :] = factor * _framed_energy(
            filtered, int(round(win_length / factor)), hop_length / factor, n_frames
        )
    return energies
