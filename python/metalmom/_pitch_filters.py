"""Filters per semitone and the folding of octaves; `metalmom.filters` exports them."""

import numpy as np

from ._keywords import takes
from .util._checks import is_positive_int, natural_int
from .util._packages import required
from .util.exceptions import ParameterError

__all__ = ["cq_to_chroma", "mr_frequencies", "semitone_filterbank"]

# Rates of the pitch filter bank, and the MIDI number up to which (exclusive) each is used
# (M. Mueller, Information Retrieval for Music and Motion, 2007; extended down to C1).
_RATES = ((882, 60), (4410, 94), (22050, 109))
_FIRST_MIDI = 24
_RATE_OF_PITCH = np.repeat(
    [float(rate) for rate, _ in _RATES], np.diff([_FIRST_MIDI, *(end for _, end in _RATES)])
)


def mr_frequencies(tuning):
    """Centre frequencies and sampling rates of a multirate filter bank: semitones from C1 to C8.

    Parameters
    ----------
    tuning : float
        Deviation from A4 = 440 Hz, in semitones.

    Returns
    -------
    center_freqs : np.ndarray of float64, shape (85,)
        Frequencies in Hz.
    sample_rates : np.ndarray of float64, shape (85,)
        882, 4410 or 22050 Hz: low filters need few samples.

    Notes
    -----
    M. Mueller, *Information Retrieval for Music and Motion* (Springer, 2007), section 3.1.

    Examples
    --------
    >>> center_freqs, sample_rates = metalmom.filters.mr_frequencies(0.0)
    >>> center_freqs[45].round(1), sample_rates[45]
    (440.0, 4410.0)
    """
    from .core.convert import midi_to_hz

    first, last = _FIRST_MIDI + tuning, _RATES[-1][1] + tuning
    return midi_to_hz(np.arange(first, last)), _RATE_OF_PITCH.copy()


@takes("Q", "passband_ripple", "stopband_attenuation", "ftype")
def semitone_filterbank(
    *, center_freqs=None, tuning=0.0, sample_rates=None, flayout="ba", **kwargs
):
    """Band-pass filters (IIR), one per pitch, each at a sampling rate of its own.

    Parameters
    ----------
    center_freqs : array_like, shape (n,), optional
        Centre frequencies in Hz; those of `mr_frequencies` if neither these nor `sample_rates`
        are given.
    tuning : float
        Deviation from A4 = 440 Hz of those frequencies, in semitones.
    sample_rates : array_like, shape (n,), optional
        Sampling rate of each filter in Hz.
    flayout : {'ba', 'sos', 'zpk'}
        Numerator and denominator, second-order sections (rounding hurts them least), or zeros,
        poles and gain.
    **kwargs
        ``Q=25.0`` (centre frequency over bandwidth), ``passband_ripple=1`` and
        ``stopband_attenuation=50`` in dB, ``ftype='ellip'`` or another design of
        `scipy.signal.iirdesign`.

    Returns
    -------
    filterbank : list
        What `flayout` says, for each filter.
    sample_rates : np.ndarray, shape (n,), real
        Sampling rate of each filter in Hz.

    Raises
    ------
    ParameterError
        If one of `center_freqs` and `sample_rates` is missing or their lengths differ, if a band
        does not lie between 0 and half its sampling rate, or SciPy knows no such design.

    Notes
    -----
    Needs SciPy. M. Mueller, *Information Retrieval for Music and Motion* (Springer, 2007),
    section 3.1.

    Examples
    --------
    >>> filterbank, sample_rates = metalmom.filters.semitone_filterbank(
    ...     center_freqs=[220.0, 440.0], sample_rates=[4410.0, 4410.0], flayout="sos")
    >>> len(filterbank), filterbank[0].shape
    (2, (4, 6))
    """
    if center_freqs is None and sample_rates is None:
        center_freqs, sample_rates = mr_frequencies(tuning)
    for name, value in (("center_freqs", center_freqs), ("sample_rates", sample_rates)):
        if value is None:
            raise ParameterError(f"{name}=None must be given beside the other")
    center_freqs, sample_rates = np.asarray(center_freqs), np.asarray(sample_rates)
    if center_freqs.ndim != 1 or center_freqs.shape != sample_rates.shape:
        raise ParameterError(
            f"center_freqs.shape={center_freqs.shape} must be (n,), "
            f"and sample_rates.shape={sample_rates.shape} the same"
        )
    filters = _band_passes(center_freqs, sample_rates, output=flayout, **kwargs)
    return filters, sample_rates


def _band_passes(
    centers,
    rates,
    *,
    output,
    Q=25.0,
    passband_ripple=1,
    stopband_attenuation=50,
    ftype="ellip",
):
    """A filter around each centre: half a bandwidth passes on either side, a whole one stops."""
    iirdesign = required("scipy.signal").iirdesign
    sides = 1 + np.array([[-0.5, 0.5], [-1.0, 1.0]]) / float(Q)
    edges = (centers / (rates / 2))[:, np.newaxis, np.newaxis] * sides
    outside = np.flatnonzero(~np.all((edges > 0) & (edges < 1), axis=(1, 2)))
    if outside.size:
        raise ParameterError(
            f"center_freqs of {centers[outside[0]]} Hz with Q={Q} must lie between 0 and half of "
            f"sample_rates of {rates[outside[0]]} Hz"
        )
    try:
        return [
            iirdesign(*each, passband_ripple, stopband_attenuation, ftype=ftype, output=output)
            for each in edges
        ]
    except (IndexError, KeyError, ValueError) as error:
        raise ParameterError(
            f"passband_ripple={passband_ripple}, stopband_attenuation={stopband_attenuation}, "
            f"ftype={ftype!r} and flayout={output!r} must be a design of "
            f"scipy.signal.iirdesign: {error}"
        ) from error


def cq_to_chroma(
    n_input,
    *,
    bins_per_octave=12,
    n_chroma=12,
    fmin=None,
    window=None,
    base_c=True,
    dtype=np.float32,
):
    """Matrix that folds the bins of a constant-Q transform into pitch classes.

    Parameters
    ----------
    n_input : int
        Number of constant-Q bins.
    bins_per_octave : int
        Bins per octave, a multiple of `n_chroma`.
    n_chroma : int
        Number of pitch classes.
    fmin : number, optional
        Frequency of the first bin in Hz; C1 (32.7 Hz) if not given.
    window : array_like, optional
        Kernel that the matrix is convolved with, along the bins if it has one dimension.
    base_c : bool
        Whether the first row is C, otherwise A.
    dtype : dtype_like
        Dtype of the result; a `window` may widen it.

    Returns
    -------
    np.ndarray, shape (n_chroma, n_input), real
        The matrix: ``chroma = matrix @ np.abs(C)``.

    Raises
    ------
    ParameterError
        If an argument is out of range, or `bins_per_octave` is no multiple of `n_chroma`.

    Notes
    -----
    A `window` needs SciPy.

    Examples
    --------
    >>> metalmom.filters.cq_to_chroma(8, bins_per_octave=4, n_chroma=4).astype(int)
    array([[1, 0, 0, 0, 1, 0, 0, 0],
           [0, 1, 0, 0, 0, 1, 0, 0],
           [0, 0, 1, 0, 0, 0, 1, 0],
           [0, 0, 0, 1, 0, 0, 0, 1]])
    """
    from .core.convert import hz_to_midi, note_to_hz

    if not is_positive_int(n_chroma):
        raise ParameterError(f"n_chroma={n_chroma} must be a positive integer")
    natural_int("n_input", n_input)
    merged, rest = divmod(bins_per_octave, n_chroma)
    if rest or merged < 1:
        raise ParameterError(
            f"bins_per_octave={bins_per_octave} must be a multiple of n_chroma={n_chroma}"
        )
    if fmin is None:
        fmin = note_to_hz("C1")
    elif not (fmin > 0 and np.isfinite(fmin)):
        raise ParameterError(f"fmin={fmin} must be strictly positive")
    semitone = hz_to_midi(fmin) % 12 - (0 if base_c else 9)
    first = int(np.round(semitone * n_chroma / 12))
    # Half of the bins of a pitch class lie below its pitch, half above.
    classes = (np.arange(n_input) + merged // 2) // merged + first
    matrix = (np.arange(n_chroma)[:, None] == classes % n_chroma).astype(dtype)
    if window is None:
        return matrix
    weights = np.atleast_2d(window)
    # with an array of objects SciPy's convolution would read addresses
    if weights.dtype.kind not in "biufc":
        raise ParameterError(f"window={window!r} must be an array of numbers")
    return required("scipy.signal", "a window").convolve(matrix, weights, mode="same")
