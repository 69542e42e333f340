"""Energies at multiples of a tempo; part of `feature.rhythm`."""

import numpy as np

from .. import _args
from .._boundary import native_names
from .._declared import Frames, Like, Value, as_feature, centred
from .._spans import composed
from ..core import convert
from ..util.exceptions import ParameterError
from ._tempo import tempo, tempogram, windows_within

__all__ = ["metrogram", "tempogram_ratio"]

# Note values around the quarter note (Prockup et al. 2015): sixteenth, dotted sixteenth, eighth
# triplet, eighth, dotted eighth, quarter triplet, quarter, dotted quarter, half triplet, half,
# dotted half, whole triplet, whole.
_NOTE_VALUES = (4, 8 / 3, 3, 2, 4 / 3, 3 / 2, 1, 2 / 3, 3 / 4, 1 / 2, 1 / 3, 3 / 8, 1 / 4)
# Beats of a bar (Abimbola et al. 2023): of 3, 4, 5 and 7.
_METERS = (1 / 3, 1 / 4, 1 / 5, 1 / 7)


def _numbers(factors):
    try:
        return np.asarray(factors, dtype=float)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"factors={factors!r} must be numbers") from error



def _meters(given):
    n_factors = len(_METERS if given.factors is None else given.factors)
    return (n_factors, *given.source.rows) if given.aggregate is None else n_factors


@as_feature(Like(_meters, numbers=float), listed=False)
@composed
def metrogram(*, tg, freqs, factors=None, aggregate=np.sum, kind="linear", fill_value=0):
    """Metrogram: how strongly pairs of tempi in given ratios, such as bar and beat, occur together.

    Of each tempo the strength is multiplied with that of its multiple, and aggregated.

    Parameters
    ----------
    tg : np.ndarray [shape=(..., d, t)], real or complex
        A tempogram.
    freqs : np.ndarray [shape=(d,)]
        Its tempi in beats per minute.
    factors : sequence of number > 0, optional
        The ratios; by default 1/3, 1/4, 1/5 and 1/7 (bars of 3, 4, 5 and 7 beats).
    aggregate : callable or None
        Combines tempi, along `axis`; None leaves them apart.
    kind : str
        Interpolation between tempi, as in `scipy.interpolate.interp1d`; all but ``linear`` need
        SciPy.
    fill_value : number
        Strength of what lies beyond the tempi.

    Returns
    -------
    np.ndarray [shape=(..., len(factors), t) or (..., len(factors), d, t)], real
        Strength of each ratio by frame, or of each ratio and tempo.

    Raises
    ------
    ParameterError
        If `freqs` does not fit `tg`.

    References
    ----------
    J. Cozens and S. Godsill, "Dynamic time signature recognition, tempo inference, and beat
    tracking through the metrogram transform", IEEE Open Journal of Signal Processing 5, 2024.

    Examples
    --------
    >>> tg = np.zeros((200, 1))
    >>> tg[[30, 90]] = 1  # bars at 30, beats at 90
    >>> metalmom.feature.metrogram(tg=tg, freqs=np.arange(200.0))[:, 0].round(1)
    array([1., 0., 0., 0.])
    """
    freqs = np.asarray(freqs)
    if freqs.shape not in ((tg.shape[-2],), tg.shape):
        raise ParameterError(f"freqs.shape={freqs.shape} must be ({tg.shape[-2]},) or {tg.shape}")
    factors = _numbers(_METERS if factors is None else factors)
    from ..core.harmonic import interp_harmonics

    def multiples_of(part):
        return interp_harmonics(
            part, freqs=freqs, harmonics=factors, kind=kind, fill_value=fill_value, axis=-2
        )

    if np.iscomplexobj(tg):
        multiples = multiples_of(tg.real) + 1j * multiples_of(tg.imag)
    else:
        multiples = multiples_of(tg)
    products = multiples * tg[..., np.newaxis, :, :]
    return products if aggregate is None else aggregate(products, axis=-2)


def _note_values(given):
    n_factors = len(_NOTE_VALUES if given.factors is None else given.factors)
    return Value(n_factors) if given.aggregate else Frames(n_factors, at=centred, then=windows_within)


@as_feature(_note_values)
@native_names(x="tg")
@composed
def tempogram_ratio(
    *,
    y=None,
    sr=22050,
    onset_envelope=None,
    tg=None,
    bpm=None,
    hop_length=512,
    win_length=384,
    start_bpm=120,
    std_bpm=1.0,
    max_tempo=320.0,
    freqs=None,
    factors=None,
    aggregate=None,
    prior=None,
    center=True,
    window="hann",
    kind="linear",
    fill_value=0,
    norm=np.inf,
):
    """Tempogram ratios: the strength of each note value relative to the tempo.

    The tempogram of each frame at multiples of its tempo: rhythm without the tempo itself.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y`, `onset_envelope` and `tg` is needed.
    sr : number > 0
        Sampling rate in Hz.
    onset_envelope : np.ndarray [shape=(..., m)], or DeviceArray, optional
        Onset strength.
    tg : np.ndarray [shape=(..., d, m)], optional
        A tempogram; the other inputs are then not used.
    bpm : number or np.ndarray [shape=(..., m)], optional
        The tempo, of all frames or of each; by default that of `metalmom.feature.tempo`.
    hop_length : int > 0
        Samples from a frame to the next.
    win_length, center, window, norm
        As in `metalmom.feature.tempogram`.
    start_bpm, std_bpm, max_tempo, prior
        As in `metalmom.feature.tempo`.
    freqs : np.ndarray [shape=(d,)], optional
        Tempi of the rows of `tg` in beats per minute; by default those of lags.
    factors : sequence of number, optional
        Multiples of the tempo; by default 13 note values from the sixteenth (4) to the whole note
        (1/4), with their dotted forms and triplets, if the tempo counts quarters.
    aggregate : callable, optional
        Combines frames, along `axis`.
    kind : str
        Interpolation between tempi, as in `scipy.interpolate.interp1d`; all but ``linear`` need
        SciPy.
    fill_value : number
        Strength of what lies beyond the tempi.

    Returns
    -------
    np.ndarray [shape=(..., len(factors), m), or (..., len(factors)) with `aggregate`], real
        Strength by note value and frame.

    Raises
    ------
    ParameterError
        For wrong values, or if there is no input.

    References
    ----------
    G. Peeters, "Rhythm classification using spectral rhythm patterns", ISMIR 2005.
    M. Prockup, A. F. Ehmann, F. Gouyon, E. M. Schmidt and Y. E. Kim, "Modeling musical rhythm at
    scale with the Music Genome project", WASPAA 2015.

    Examples
    --------
    >>> envelope = np.tile([1.0] + [0.0] * 19, 40)  # quarters, and nothing between them
    >>> ratios = metalmom.feature.tempogram_ratio(onset_envelope=envelope, aggregate=np.mean)
    >>> [round(float(ratios[i]), 1) for i in (3, 6, 9)]  # eighth, quarter, half
    [0.1, 0.9, 0.9]
    """
    from ..core.harmonic import f0_harmonics

    if tg is None:
        tg = _args.host(
            tempogram(
                y=y,
                sr=sr,
                onset_envelope=onset_envelope,
                hop_length=hop_length,
                win_length=win_length,
                center=center,
                window=window,
                norm=norm,
            )
        )
    if freqs is None:
        freqs = convert.tempo_frequencies(tg.shape[-2], hop_length=hop_length, sr=sr)
    if bpm is None:
        bpm = tempo(
            tg=tg,
            sr=sr,
            hop_length=hop_length,
            start_bpm=start_bpm,
            std_bpm=std_bpm,
            max_tempo=max_tempo,
            aggregate=None,
            prior=prior,
        )
    try:
        bpm = np.broadcast_to(bpm, (*tg.shape[:-2], tg.shape[-1]))
    except ValueError:
        raise ParameterError(f"bpm.shape={np.shape(bpm)} must fit tg.shape={tg.shape}") from None
    ratios = f0_harmonics(
        tg,
        freqs=np.asarray(freqs),
        f0=bpm,
        harmonics=_numbers(_NOTE_VALUES if factors is None else factors),
        kind=kind,
        fill_value=fill_value,
    )
    return ratios if aggregate is None else aggregate(ratios, axis=-1)
