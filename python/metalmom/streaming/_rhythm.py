"""Onsets, tempo and beats of a stream."""

from __future__ import annotations

import array
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import _native, beat, feature, onset
from ..util._types import Array, Float64Array, NDArray, Positive, PositiveInt, RealDtype, Vector
from ..util import valid_int
from ..util._checks import number, require_positive
from ..util.exceptions import ParameterError
from ._features import OnsetStrength
from ._stream import Stream, flag, in_turn, size

__all__ = ["BeatTrack", "BeatsAt", "OnsetDetect", "Tempo", "TempoAt"]


class TempoAt(NamedTuple):
    """The answer of a `Tempo` at a time in seconds: beats per minute, as in `metalmom.feature.tempo`."""

    time: float
    tempo: Float64Array


class BeatsAt(NamedTuple):
    """The answer of a `BeatTrack` at a time in seconds: tempo and beats, as in `metalmom.beat.beat_track`."""

    time: float
    tempo: float | Float64Array
    beats: NDArray[np.integer[Any] | np.floating[Any]]


class _OfEnvelope(Stream):
    """What reads the onset strength of one channel of audio."""

    _forget: Callable[..., None]  # what a class here says

    def __init__(self, sr: Positive, hop_length: PositiveInt, sample_dtype: RealDtype, aggregate: Any = None) -> None:
        super().__init__(1, sample_dtype)
        sr, hop_length = _positive("sr", sr), size("hop_length", hop_length)
        self._sr, self._hop_length = sr, hop_length
        self._strength = OnsetStrength(
            sr=sr, hop_length=hop_length, sample_dtype=sample_dtype, aggregate=aggregate
        )
        self._native = self._strength._native
        self._share(self._strength._turns)
        self._turns.rename(type(self).__name__)
        # of the offline answer the end of the signal; of a frame this
        self._latency = self._strength.latency

    @in_turn
    def warmup(self) -> None:
        """Do the work once on silence, so that the first block costs what every block does."""
        self._strength.warmup()

    @in_turn
    def reset(self) -> None:
        """Begin another signal, with the same configuration."""
        self._strength.reset()
        self._forget()


def _positive(name: str, value: Any) -> Any:
    """Check a positive number, which is left of its type: rates may be integers."""
    rule = "a positive number"
    if not 0 < number(name, value, rule) < np.inf:
        raise ParameterError(name, value, rule)
    return value


class OnsetDetect(_OfEnvelope, of="util.peak_pick", but=("x", "sparse", "method", "axis")):
    """Onsets of a stream: `metalmom.onset.onset_detect` block by block.

    The envelope is that of `OnsetStrength`, without `top_db`. It is not normalised to its largest value,
    which is not known yet: pass ``normalize=False``, and `delta` in the unit of the envelope, dB.

    Parameters
    ----------
    sr, hop_length, units
        As in `metalmom.onset.onset_detect`.
    normalize : bool
        False.
    delta : number > 0
        Least height of an onset above the mean around it.
    sample_dtype : real dtype
        Data type of the blocks: float32 or float64.
    **kwargs
        `pre_max`, `post_max`, `pre_avg`, `post_avg`, `wait`, as in `metalmom.util.peak_pick`.

    Raises
    ------
    ParameterError
        As `metalmom.onset.onset_detect` does, and for arguments that need the whole signal.

    Examples
    --------
    >>> y = metalmom.clicks(times=[0.5, 1.0], sr=22050, length=44100).astype(np.float32)
    >>> s = metalmom.streaming.OnsetDetect(sr=22050, normalize=False, delta=10, units="time")
    >>> np.concatenate([s.process(y[:15000]), s.process(y[15000:]), s.flush()]).round(1)
    array([0.5, 1. ])
    """

    def __init__(
        self, *, sr: Positive = 22050, hop_length: PositiveInt = 512, normalize: bool = True,
        delta: Positive = 0.07, units: Literal["frames", "samples", "time"] = "frames",
        sample_dtype: RealDtype = np.float32, **kwargs: Any,
    ) -> None:
        if normalize:
            raise ParameterError(
                "normalize", True,
                "False in a stream, which does not know the strongest onset: pass normalize=False and "
                "a delta in dB",
            )
        number("delta", delta)
        require_positive("delta", delta)
        super().__init__(sr, hop_length, sample_dtype)
        rule = {**onset._default_rule(sr, hop_length), **kwargs}
        # wrong arguments are refused when the stream is made
        onset.onset_detect(onset_envelope=np.arange(4.0), normalize=False, units=units, **rule, delta=delta)
        rule = {name: valid_int(value, cast=np.ceil) for name, value in rule.items()}
        self._peaks = getattr(_native, f"PeakStream_{self._strength._requests[0].dtype}")(
            self._turns, rule["pre_max"], rule["post_max"], rule["pre_avg"], rule["post_avg"], delta, rule["wait"]
        )
        self._delta, self._units = delta, units
        self._forget = self._peaks.reset
        self._latency += max(rule["post_max"], rule["post_avg"]) * hop_length

    def __repr__(self) -> str:
        return f"OnsetDetect(sr={self._sr}, hop_length={self._hop_length}, delta={self._delta})"

    @in_turn
    def process(self, y: Vector, last: bool = False) -> Array:
        """Take a block of samples; give the onsets that are certain now.

        There is no `out`, because their number is not known before.

        Parameters
        ----------
        y : np.ndarray [shape=(n,)]
            Any number of samples, also none.
        last : bool
            Whether the signal ends here.

        Returns
        -------
        np.ndarray
            Positions in `units`.

        Raises
        ------
        ParameterError
            For wrong samples (the stream stays as it was), and after the end of the signal.
        """
        last = flag("last", last)
        found = self._peaks.process(self._strength.process(y, last), last)
        return onset._in_units(found, self._units, self._sr, self._hop_length)

    def flush(self) -> Array:
        """End the signal and return the rest. After that only `reset` is possible.

        Returns
        -------
        np.ndarray
            Positions in `units`.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return OnsetDetect.process(self, self._no_block(), True)


class _Provisional(_OfEnvelope):
    """Answers while it listens, from the last seconds; in the end the one of the whole envelope."""

    # The offline function, and how `OnsetStrength` makes bands one number for it.
    _function: Any = None
    _aggregate: Any = None
    _provisional: Callable[..., Any]

    def __init__(
        self, *, sr: Positive = 22050, hop_length: PositiveInt = 512, update: Positive = 1.0,
        window: Positive = 12.0, sample_dtype: RealDtype = np.float32, **arguments: Any,
    ) -> None:
        super().__init__(sr, hop_length, sample_dtype, self._aggregate)
        self._arguments = {"sr": sr, "hop_length": hop_length, **arguments}
        self._update = max(int(_positive("update", update) * sr / hop_length), 1)
        self._window = max(int(_positive("window", window) * sr / hop_length), 1)
        self._envelope = array.array(self._strength._requests[0].dtype.char)
        self._answered = 0
        # wrong arguments are refused when the stream is made
        self._estimate(np.arange(64, dtype=np.float32) % 16)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(sr={self._sr}, hop_length={self._hop_length})"

    def _estimate(self, envelope: Array, **others: Any) -> Any:
        return self._function(onset_envelope=envelope, **{**self._arguments, **others})

    def _forget(self) -> None:
        del self._envelope[:]
        self._answered = 0

    @in_turn
    def _taken(self, y: Array, last: bool) -> Any:
        """Take a block of samples; give the answer that is due, or None."""
        last, kept = flag("last", last), self._envelope
        kept.frombytes(self._strength.process(y, last).tobytes())
        if last:
            return self._estimate(np.array(kept))
        if len(kept) - self._answered < self._update:
            return None
        self._answered = len(kept)
        first = max(len(kept) - self._window, 0)
        return self._provisional(len(kept) * self._hop_length / self._sr, np.array(kept[first:]), first)


class Tempo(_Provisional, of="feature.tempo", but=("y", "onset_envelope", "tg")):
    """Tempo of a stream: provisional while it listens, `metalmom.feature.tempo` at the end.

    `flush` returns exactly ``tempo(onset_envelope=...)`` for the envelope of `OnsetStrength`. The
    envelope is kept: 4 bytes a frame, or 8 for float64.

    Parameters
    ----------
    sr, hop_length, start_bpm, std_bpm, ac_size, max_tempo, aggregate, prior
        As in `metalmom.feature.tempo`.
    update : number > 0
        Seconds between provisional answers.
    window : number > 0
        Seconds that a provisional answer looks back.
    sample_dtype : real dtype
        Data type of the blocks: float32 or float64.

    Raises
    ------
    ParameterError
        As `metalmom.feature.tempo` does.

    Examples
    --------
    >>> y = metalmom.clicks(times=np.arange(20) / 2, sr=22050, length=220500).astype(np.float32)
    >>> s = metalmom.streaming.Tempo(sr=22050, update=5.0)
    >>> s.process(y[:200000]).tempo.round()
    array([117.])
    >>> s.process(y[200000:], last=True).round()
    array([117.])
    """

    _function = staticmethod(feature.tempo)

    def process(self, y: Vector, last: bool = False) -> TempoAt | Float64Array | None:
        """Take a block of samples; give the tempo where an answer is due.

        There is no `out`, because it is not known before whether an answer is due.

        Parameters
        ----------
        y : np.ndarray [shape=(n,)]
            Any number of samples, also none.
        last : bool
            Whether the signal ends here: then the answer is the offline one.

        Returns
        -------
        TempoAt, np.ndarray [shape=(1,)], float64, or None
            The first where a provisional answer is due, the second with `last`, else None.

        Raises
        ------
        ParameterError
            For wrong samples (the stream stays as it was), and after the end of the signal.
        """
        return self._taken(y, last)

    def flush(self) -> Float64Array:
        """End the signal and return its tempo. After that only `reset` is possible.

        Returns
        -------
        np.ndarray [shape=(1,)], float64
            Exactly what `metalmom.feature.tempo` gives.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return self._taken(self._no_block(), True)

    def _provisional(self, time: float, recent: Array, first: int) -> TempoAt:
        return TempoAt(time, self._estimate(recent))


class BeatTrack(_Provisional, of="beat.beat_track", but=("y", "onset_envelope", "sparse")):
    """Beats of a stream: provisional while it listens, `metalmom.beat.beat_track` at the end.

    `flush` returns exactly ``beat_track(onset_envelope=...)`` for the envelope of `OnsetStrength` with
    ``aggregate=np.median``. The envelope is kept: 4 bytes a frame, or 8 for float64.

    Parameters
    ----------
    sr, hop_length, start_bpm, tightness, trim, bpm, prior, units
        As in `metalmom.beat.beat_track`.
    update : number > 0
        Seconds between provisional answers.
    window : number > 0
        Seconds that a provisional answer looks back.
    sample_dtype : real dtype
        Data type of the blocks: float32 or float64.

    Raises
    ------
    ParameterError
        As `metalmom.beat.beat_track` does.

    Examples
    --------
    >>> y = metalmom.clicks(times=np.arange(20) / 2, sr=22050, length=220500).astype(np.float32)
    >>> s = metalmom.streaming.BeatTrack(sr=22050, units="time", update=5.0)
    >>> s.process(y[:200000]).beats[-2:].round(1)
    array([8.5, 9. ])
    >>> tempo, beats = s.process(y[200000:], last=True)
    >>> np.diff(beats).round(1).max()
    0.5
    """

    _function = staticmethod(beat.beat_track)
    _aggregate = staticmethod(np.median)

    def process(self, y: Vector, last: bool = False) -> BeatsAt | tuple[Any, ...] | None:
        """Take a block of samples; give the beats where an answer is due.

        There is no `out`, because their number is not known before.

        Parameters
        ----------
        y : np.ndarray [shape=(n,)]
            Any number of samples, also none.
        last : bool
            Whether the signal ends here: then the answer is the offline one.

        Returns
        -------
        BeatsAt, tuple, or None
            The first where a provisional answer is due, with `last` what `flush` returns, else None.

        Raises
        ------
        ParameterError
            For wrong samples (the stream stays as it was), and after the end of the signal.
        """
        return self._taken(y, last)

    def flush(self) -> tuple[float | Float64Array, NDArray[np.integer[Any] | np.floating[Any]]]:
        """End the signal and return its tempo and beats. After that only `reset` is possible.

        They are exactly what `metalmom.beat.beat_track` gives.

        Returns
        -------
        tempo : float or np.ndarray of float64
            Beats per minute.
        beats : np.ndarray [shape=(n_beats,)], int or float
            Positions in `units`.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        tempo, beats = self._taken(self._no_block(), True)
        return tempo, beats

    def _provisional(self, time: float, recent: Array, first: int) -> BeatsAt:
        tempo, beats = self._estimate(recent, units="frames")
        units = self._arguments.get("units", "frames")
        beats = onset._in_units(beats + first, units, self._sr, self._hop_length)
        return BeatsAt(time, tempo, beats)
