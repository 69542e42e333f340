"""Test signals; `metalmom.core.audio` exports them."""

import numpy as np

from ..util.exceptions import ParameterError
from ..util.utils import valid_audio
from .convert import frames_to_samples, time_to_samples

__all__ = ["chirp", "clicks", "tone"]


_BLOCK = 1 << 16


def _in_blocks(length, wave):
    """The values of `wave` at the samples from 0 to below `length`.

    Block by block, so that a long signal takes no memory but its own, and can be interrupted.
    """
    signal = np.empty(max(int(np.ceil(length)), 0))
    for first in range(0, signal.size, _BLOCK):
        block = signal[first : first + _BLOCK]
        values = wave(np.arange(first, first + block.size))
        if np.iscomplexobj(values):
            raise TypeError("complex samples")  # of an argument that is no real number
        block[:] = values
    return signal


def _length(length, duration, sr):
    if length is not None:
        return length
    if duration is None:
        raise ParameterError("length or duration must be given")
    return int(duration * sr)


def tone(frequency, *, sr=22050, length=None, duration=None, phi=None):
    """A cosine of constant frequency.

    Parameters
    ----------
    frequency : float > 0
        Its frequency in Hz.
    sr : number > 0
        Sampling rate.
    length : int > 0, optional
        Samples.
    duration : float > 0, optional
        Seconds; used where there is no `length`.
    phi : float, optional
        Phase at the start in radians; ``-pi / 2`` (a sine) if not given.

    Returns
    -------
    np.ndarray [shape=(length,), dtype=float64]
        The signal.

    Raises
    ------
    ParameterError
        If there is no frequency, or neither `length` nor `duration`.

    Examples
    --------
    >>> metalmom.tone(440, sr=22050, length=4).round(3)
    array([0.   , 0.125, 0.248, 0.367])
    """
    if frequency is None:
        raise ParameterError("frequency must be given")
    length = _length(length, duration, sr)
    phase = -np.pi * 0.5 if phi is None else phi
    return _in_blocks(length, lambda samples: np.cos(2 * np.pi * frequency * samples / sr + phase))


def chirp(*, fmin, fmax, sr=22050, length=None, duration=None, linear=False, phi=None):
    """A cosine that sweeps from one frequency to another.

    Parameters
    ----------
    fmin, fmax : float > 0
        The frequencies at the start and at the end, in Hz.
    sr : number > 0
        Sampling rate.
    length : int > 0, optional
        Samples.
    duration : float > 0, optional
        Seconds; used where there is no `length`.
    linear : bool
        Sweep by equal steps of frequency; by equal ratios otherwise.
    phi : float, optional
        Phase at the start in radians; ``-pi / 2`` if not given.

    Returns
    -------
    np.ndarray [shape=(length,), dtype=float64]
        The signal.

    Raises
    ------
    ParameterError
        If a frequency or the length is missing, or a ratio of frequencies does not exist.

    Examples
    --------
    >>> metalmom.chirp(fmin=110, fmax=880, sr=22050, duration=1).shape
    (22050,)
    """
    if fmin is None or fmax is None:
        raise ParameterError("fmin and fmax must be given")
    if length is not None:
        duration = length * (1.0 / sr)
    elif duration is None:
        raise ParameterError("length or duration must be given")
    if not linear and fmin * fmax <= 0:
        raise ParameterError(f"fmin={fmin} and fmax={fmax} must have the same sign, and not be 0")
    start = -np.pi * 0.5 if phi is None else phi

    # The integral of the frequency over time, times 2 pi, is the phase.
    def wave(samples):
        t = samples / sr
        if linear:
            phase = 2 * np.pi * (fmin * t + 0.5 * ((fmax - fmin) / duration) * t * t)
        elif fmin == fmax:
            phase = 2 * np.pi * fmin * t
        else:
            beta = duration / np.log(fmax / fmin)
            phase = 2 * np.pi * beta * fmin * (np.power(fmax / fmin, t / duration) - 1.0)
        return np.cos(phase + start)

    return _in_blocks(int(duration * sr), wave)


def clicks(
    *,
    times=None,
    frames=None,
    sr=22050,
    hop_length=512,
    click_freq=1000.0,
    click_duration=0.1,
    click=None,
    length=None,
):
    """A signal of clicks at given times.

    Parameters
    ----------
    times : sequence of float, optional
        Where the clicks start, in seconds.
    frames : sequence of int, optional
        Where they start, in frames; used where there are no `times`.
    sr : number > 0
        Sampling rate.
    hop_length : int > 0
        Samples between frames.
    click_freq, click_duration : float > 0
        Frequency (Hz) and duration (seconds) of the click: a decaying sine.
    click : np.ndarray [shape=(..., n)], optional
        Another sound for the click.
    length : int > 0, optional
        Samples of the signal; up to the end of the last click if not given.

    Returns
    -------
    np.ndarray [shape=(..., length), dtype=float32]
        The signal, with the channels of `click`.

    Raises
    ------
    ParameterError
        If there are neither times nor frames, or a value is out of range.

    Examples
    --------
    >>> metalmom.clicks(times=[0, 0.5], sr=22050, length=22050).shape
    (22050,)
    """
    if times is not None:
        starts = time_to_samples(times, sr=sr)
    elif frames is not None:
        starts = frames_to_samples(frames, hop_length=hop_length)
    else:
        raise ParameterError("times or frames must be given")
    if click is not None:
        valid_audio(click)
    else:
        for name, value in (("click_duration", click_duration), ("click_freq", click_freq)):
            if value <= 0:
                raise ParameterError(f"{name}={value} must be positive")
        # A click halves ten times over its duration, which is a decay of 60 dB.
        click = np.logspace(0, -10, num=int(sr * click_duration), base=2.0)
        click *= np.sin(2 * np.pi * click_freq / float(sr) * np.arange(len(click)))
    if length is None:
        length = starts.max() + click.shape[-1]
    elif length < 1:
        raise ParameterError(f"length={length} must be a positive integer")
    signal = np.zeros((*click.shape[:-1], length), dtype=np.float32)
    for start in starts[starts < length]:
        part = signal[..., start : start + click.shape[-1]]
        part += click[..., : part.shape[-1]]
    return signal
