"""Fundamental frequencies by YIN and its probabilistic variant; part of `core.pitch`."""

import numpy as np

from .. import _args, _native
from .._declared import Frames, as_feature
from .._kept import kept
from .._spans import composed
from .._warnings import warn
from ..util._checks import is_positive_int
from ..util._packages import required
from ..util.exceptions import ParameterError

__all__ = ["pyin", "yin"]


def _frames(y, *, frame_length, hop_length, center, pad_mode):
    """The audio and native arguments that say how it is cut into frames."""
    _args.audio(y)
    if hop_length is None:
        hop_length = frame_length // 4
    if not is_positive_int(hop_length):
        raise ParameterError(f"hop_length={hop_length} must be a positive integer")
    if center and (not isinstance(pad_mode, str) or pad_mode not in _args.ENGINE_PAD_MODES):
        y, center = _args.pad(y, frame_length // 2, pad_mode), False
    return y, {
        "n_fft": frame_length,
        "hop_length": hop_length,
        "center": bool(center),
        "pad_mode": pad_mode if center else "constant",
    }


def _periods(*, sr, fmin, fmax, frame_length):
    """Native arguments for the periods between two frequencies that frames can show."""
    for name, value in (("fmin", fmin), ("fmax", fmax)):
        if value is None:
            raise ParameterError(f"{name}={value} must be a frequency in Hz")
    if not is_positive_int(frame_length):
        raise ParameterError(f"frame_length={frame_length} must be a positive integer")
    if not sr > 0:
        raise ParameterError(f"sr={sr} must be strictly positive")
    if not fmax <= sr / 2:
        raise ParameterError(f"fmax={fmax} must be at most sr / 2 = {sr / 2}")
    if not fmin < fmax:
        raise ParameterError(f"fmin={fmin} must be less than fmax={fmax}")
    if not fmin > 0:
        raise ParameterError(f"fmin={fmin} must be strictly positive")
    if sr / fmin >= frame_length - 1:
        raise ParameterError(
            f"fmin={fmin} must be more than {sr / max(frame_length - 1, 1):.3f}, so that a period"
            f" fits into frame_length={frame_length} samples at sr={sr}"
        )
    if sr / fmin >= frame_length // 2:
        warn(
            f"fewer than two periods of fmin={fmin} fit into frame_length={frame_length} samples at"
            f" sr={sr}: pitch may be inaccurate; at least {int(np.ceil(sr / fmin)) * 2 + 1} would do"
        )
    return {
        "sr": sr,
        "min_period": int(np.floor(sr / fmax)),
        "max_period": min(int(np.ceil(sr / fmin)), frame_length - 1),
    }


@as_feature(Frames(unit="Hz"))
def yin(
    y,
    *,
    fmin,
    fmax,
    sr=22050,
    frame_length=2048,
    hop_length=None,
    trough_threshold=0.1,
    center=True,
    pad_mode="constant",
):
    """Fundamental frequency of each frame, by the YIN algorithm.

    Transforms in the precision of `y`; energies, differences and their means are summed up in
    double precision (librosa: in that of `y`), so that where a trough lies at the threshold to
    the last bit another one may be chosen.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
        Audio, finite everywhere.
    fmin, fmax : number > 0
        Least and greatest frequency in Hz. A period of `fmin` must fit into a frame; two should.
    sr : number > 0
        Sampling rate in Hz.
    frame_length : int > 0
        Samples of a frame.
    hop_length : int > 0, optional
        Samples from a frame to the next, by default ``frame_length // 4``.
    trough_threshold : number
        The first trough of the normalized difference below this is the period; where there is
        none, its least value is.
    center : bool
        Whether frame t is centred at sample ``t * hop_length`` or begins there.
    pad_mode : str or callable
        What lies beyond the ends, as in `numpy.pad`, if `center`.

    Returns
    -------
    np.ndarray [shape=(..., t)], float64, or DeviceArray
        Frequency of each frame in Hz, refined by a parabola through the trough. There is one for
        frames without pitch, too.

    Raises
    ------
    ParameterError
        For values out of range, and audio that is not finite or shorter than a frame.

    References
    ----------
    A. de Cheveigne and H. Kawahara, "YIN, a fundamental frequency estimator for speech and music",
    Journal of the Acoustical Society of America 111(4), 2002.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=0.5)
    >>> f0 = metalmom.yin(y, fmin=100, fmax=1000, sr=22050)
    >>> round(float(np.median(f0)))
    440
    """
    periods = _periods(sr=sr, fmin=fmin, fmax=fmax, frame_length=frame_length)
    y, frames = _frames(
        y, frame_length=frame_length, hop_length=hop_length, center=center, pad_mode=pad_mode
    )
    return _native.yin(y=y, trough_threshold=trough_threshold, **periods, **frames)


@kept(4)
def _thresholds(n_thresholds, a, b):
    """Thresholds in [0, 1], and how likely each but the first is in a beta distribution."""
    betainc = required("scipy.special").betainc
    thresholds = np.linspace(0, 1, n_thresholds + 1)
    return thresholds, np.diff(betainc(a, b, thresholds))


@kept(2)
def _log_transition(n_pitch_bins, width, switch_prob):
    """Logarithms of transitions between pitch bins, voiced and unvoiced."""
    from ..sequence import transition_local, transition_loop

    local = transition_local(n_pitch_bins, width, window="triangle", wrap=False)
    transition = np.kron(transition_loop(2, 1 - switch_prob), local)
    return np.log(transition + np.finfo(np.float64).tiny)


@as_feature(
    (Frames(name="f0", unit="Hz"), Frames(name="voiced", numbers=bool), Frames(name="voiced_probability"))
)
@composed
def pyin(
    y,
    *,
    fmin,
    fmax,
    sr=22050,
    frame_length=2048,
    hop_length=None,
    n_thresholds=100,
    beta_parameters=(2, 18),
    boltzmann_parameter=2,
    resolution=0.1,
    max_transition_rate=35.92,
    switch_prob=0.01,
    no_trough_prob=0.01,
    fill_na=np.nan,
    center=True,
    pad_mode="constant",
    transition_min_prob=0.0001,
):
    """Fundamental frequency and voicing of each frame, by probabilistic YIN.

    Every trough of YIN's difference function is a candidate, as likely as the thresholds that
    would choose it; the most likely path through candidates and voicing is the result.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point
        Audio, finite everywhere.
    fmin, fmax, sr, frame_length, hop_length, center, pad_mode
        As in `yin`.
    n_thresholds : int > 0
        How many thresholds between 0 and 1 are weighed.
    beta_parameters : pair of numbers > 0
        Shape of the beta distribution of thresholds.
    boltzmann_parameter : number > 0
        The larger, the likelier is an earlier trough below a threshold.
    resolution : number in (0, 1)
        Pitch bins in semitones.
    max_transition_rate : number > 0
        Most octaves of pitch change in a second.
    switch_prob : number in [0, 1]
        Probability to go from voiced to unvoiced or back.
    no_trough_prob : number in [0, 1]
        Share of the least trough in thresholds that no trough is below.
    fill_na : number or None
        Frequency of unvoiced frames; None: the best guess.
    transition_min_prob : number >= 0, optional
        Transitions of a smaller probability are not taken.

    Returns
    -------
    f0 : np.ndarray [shape=(..., t)], float64
        Frequency in Hz, a pitch bin's.
    voiced_flag : np.ndarray [shape=(..., t)], bool
        Whether the frame is voiced.
    voiced_prob : np.ndarray [shape=(..., t)], float64
        Probability that it is, from the frame alone.

    Raises
    ------
    ParameterError
        For values out of range, and audio that is not finite or shorter than a frame.

    Notes
    -----
    Needs SciPy.

    References
    ----------
    M. Mauch and S. Dixon, "pYIN: a fundamental frequency estimator using probabilistic threshold
    distributions", ICASSP 2014.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=0.5)
    >>> f0, voiced, _ = metalmom.pyin(y, fmin=100, fmax=1000, sr=22050)
    >>> round(float(np.nanmedian(f0))), bool(voiced[10])
    (441, True)
    """
    periods = _periods(sr=sr, fmin=fmin, fmax=fmax, frame_length=frame_length)
    y, frames = _frames(
        y, frame_length=frame_length, hop_length=hop_length, center=center, pad_mode=pad_mode
    )
    if not is_positive_int(n_thresholds):
        raise ParameterError(f"n_thresholds={n_thresholds} must be a positive integer")
    if not 0 < resolution < 1:
        raise ParameterError(f"resolution={resolution} must be in (0, 1)")
    for name, value in (("switch_prob", switch_prob), ("no_trough_prob", no_trough_prob)):
        if not 0 <= value <= 1:
            raise ParameterError(f"{name}={value} must be in [0, 1]")
    if not max_transition_rate > 0:
        raise ParameterError(f"max_transition_rate={max_transition_rate} must be strictly positive")
    if transition_min_prob is not None and not transition_min_prob >= 0:
        raise ParameterError(f"transition_min_prob={transition_min_prob} must be None or at least 0")
    if len(beta_parameters) != 2 or not all(p > 0 for p in beta_parameters):
        raise ParameterError(f"beta_parameters={beta_parameters} must be two positive numbers")

    bins_per_semitone = int(np.ceil(1.0 / resolution))
    n_pitch_bins = int(np.floor(12 * bins_per_semitone * np.log2(fmax / fmin))) + 1
    semitones_per_frame = round(max_transition_rate * 12 * frames["hop_length"] / sr)
    log_transition = _log_transition(
        n_pitch_bins, semitones_per_frame * bins_per_semitone + 1, switch_prob
    )
    thresholds, weights = _thresholds(n_thresholds, *beta_parameters)
    log_prob, voiced_prob = _native.pyin_observations(
        y=y,
        thresholds=thresholds,
        weights=weights,
        fmin=fmin,
        n_pitch_bins=n_pitch_bins,
        bins_per_octave=12 * bins_per_semitone,
        boltzmann_parameter=boltzmann_parameter,
        no_trough_prob=no_trough_prob,
        **periods,
        **frames,
    )
    tiny = np.finfo(np.float64).tiny
    states, _ = _native.viterbi(
        log_prob=log_prob,
        initial=np.ascontiguousarray(log_prob[..., 0] + np.log(0.5 / n_pitch_bins + tiny)),
        log_transition=log_transition,
        log_threshold=np.log(transition_min_prob + tiny) if transition_min_prob else -np.inf,
    )
    voiced = states < n_pitch_bins
    pitches = fmin * 2 ** (np.arange(n_pitch_bins) / (12 * bins_per_semitone))
    f0 = pitches[states % n_pitch_bins]
    if fill_na is not None:
        f0[~voiced] = fill_na
    return f0, voiced, voiced_prob
