"""Onsets, tempo and beats of a stream."""

from __future__ import annotations

import array
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import _native, beat, feature, onset
from ..util._types import (
    Array, Float64Array, NDArray, NonNegative, Number, Positive, PositiveInt, RealDtype, Vector,
)
from ..util import valid_int
from ..util._checks import number, require_positive
from ..util.exceptions import ParameterError
from ._by_blocks import Step
from ._features import Framed
from ._requests import Request
from ._stream import flag, size

__all__ = ["BeatTrack", "BeatsAt", "OnsetDetect", "Tempo", "TempoAt"]


class TempoAt(NamedTuple):
    """The answer of a `Tempo` at a time in seconds: beats per minute, as in `metalmom.feature.tempo`.

    `tempo` is empty where no answer is due.
    """

    time: float
    tempo: Float64Array


class BeatsAt(NamedTuple):
    """The answer of a `BeatTrack` at a time in seconds: tempo and beats, as in `metalmom.beat.beat_track`.

    `tempo` and `beats` are empty where no answer is due.
    """

    time: float
    tempo: Float64Array
    beats: NDArray[np.integer[Any] | np.floating[Any]]


class _OfEnvelope(Framed):
    """What follows the onset strength of one channel of audio."""

    # The offline function, and how `OnsetStrength` makes bands one number for it.
    _function: Any = None
    _aggregate: Any = None

    def _begin(self, follower: Step, levels: dict[str, Any]) -> None:
        """Begin with what follows the envelope."""
        strength = {"sr": self._sr, "hop_length": self._hop_length, "aggregate": self._aggregate, **levels}
        self._open([Request(onset.onset_strength, strength, self._lead, self._dtype, follower)])

    def _take(self, y: Vector, last: bool) -> Any:
        """What follows the envelope of a block."""
        if self._process_block is not None and last is False:
            result = self._answer(self._process_block, y)
            if result is not None:
                return result
        return self._process(y, last, None)[0]

    @classmethod
    def _request(cls, arguments: dict[str, Any], lead: tuple[int, ...], sample_dtype: np.dtype[Any]) -> Request:
        """What it asks of the engine as a part of an `Extractor`."""
        if lead:
            raise ParameterError("channels", lead[0], f"1 for {cls._function.__name__}, which is of one signal")
        requests: list[Request] = cls(sample_dtype=sample_dtype, **arguments)._requests
        return requests[0]

    def __init__(self, sr: Positive, hop_length: PositiveInt, sample_dtype: RealDtype) -> None:
        super().__init__(1, sample_dtype)
        self._sr, self._hop_length = _positive("sr", sr), size("hop_length", hop_length)


def _positive(name: str, value: Any) -> Any:
    """Check a positive number, which is left of its type: rates may be integers."""
    rule = "a positive number"
    if not 0 < number(name, value, rule) < np.inf:
        raise ParameterError(name, value, rule)
    return value


class _Peaks(Step):
    """Onsets of an envelope."""

    def __init__(self, rule: dict[str, Any], dtype: np.dtype[Any], in_units: Callable[[Array], Array]) -> None:
        super().__init__(in_units, ())
        self._rule = rule
        self._made = getattr(_native, f"PeakStream_{dtype}")

    def join(self, turns: Any) -> None:
        names = ("pre_max", "post_max", "pre_avg", "post_avg", "delta", "wait")
        self._peaks = self._made(turns, *map(self._rule.__getitem__, names))

    def reset(self) -> None:
        self._peaks.reset()

    def taken(self, values: Any, last: bool) -> tuple[Any, Any]:
        return self.function(self._peaks.process(values, last)), None

    @property
    def delay(self) -> int:
        return max(self._rule["post_max"], self._rule["post_avg"]) - 1  # the windows begin with the frame itself


class OnsetDetect(_OfEnvelope, of="util.peak_pick", but=("x", "sparse", "method", "axis")):
    """Onsets of a stream: `metalmom.onset.onset_detect` block by block.

    The envelope is that of `OnsetStrength`, in dB. It is not normalised, because its largest value is not
    known yet, so `delta` is in dB. The default, 1 dB, gives nearly the onsets of the offline call: their
    F-measure within 50 ms is 0.89 to 1 for four recordings (a song, an orchestra, speech and a trumpet), and
    0.94 on average, as for 0.8 to 1.2 dB (``benchmarks/onset_threshold.py FILE...``). If the envelope's
    range is known, `delta` of 0.07 times this range is what the offline call uses.

    Parameters
    ----------
    sr, hop_length, units
        As in `metalmom.onset.onset_detect`.
    normalize : bool
        False.
    delta : number > 0
        Least height of an onset above the mean around it, in dB.
    top_db, peak
        As in `OnsetStrength`.
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
    >>> s = metalmom.streaming.OnsetDetect(sr=22050, delta=10, units="time")
    >>> np.concatenate([s.process(y[:15000]), s.process(y[15000:]), s.flush()]).round(1)
    array([0.5, 1. ])
    """

    _function = staticmethod(onset.onset_detect)

    def __init__(
        self, *, sr: Positive = 22050, hop_length: PositiveInt = 512, normalize: bool = False,
        delta: Positive = 1.0, units: Literal["frames", "samples", "time"] = "frames",
        top_db: NonNegative | None = None, peak: Number | None = None,
        sample_dtype: RealDtype = np.float32, **kwargs: Any,
    ) -> None:
        if flag("normalize", normalize):
            raise ParameterError(
                "normalize", True,
                "False in a stream, which does not know the strongest onset; delta is in dB then",
            )
        number("delta", delta)
        require_positive("delta", delta)
        super().__init__(sr, hop_length, sample_dtype)
        rule = {**onset._default_rule(sr, hop_length), **kwargs}
        # wrong arguments are refused when the stream is made
        onset.onset_detect(onset_envelope=np.arange(4.0), normalize=False, units=units, **rule, delta=delta)
        rule = {name: valid_int(value, cast=np.ceil) for name, value in rule.items()}
        self._delta = delta
        peaks = _Peaks({**rule, "delta": delta}, self._dtype, self._in(units))
        self._begin(peaks, {"top_db": top_db, "peak": peak})

    def _in(self, units: str) -> Callable[[Array], Array]:
        sr, hop_length = self._sr, self._hop_length
        return lambda frames: onset._in_units(frames, units, sr, hop_length)

    def __repr__(self) -> str:
        return f"OnsetDetect(sr={self._sr}, hop_length={self._hop_length}, delta={self._delta})"

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
        np.ndarray [shape=(n_onsets,)], int or float
            Positions in `units` (float for "time"), possibly none.

        Raises
        ------
        ParameterError
            For wrong samples (the stream stays as it was), and after the end of the signal.
        """
        return self._take(y, last)

    def flush(self) -> Array:
        """End the signal and return the rest. After that only `reset` is possible.

        Returns
        -------
        np.ndarray [shape=(n_onsets,)], int or float
            Positions in `units` (float for "time"), possibly none.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return OnsetDetect.process(self, self._no_block(), True)


class _Answers(Step):
    """Answers from the last seconds of an envelope that is kept; in the end the one of all of it.

    Parameters
    ----------
    estimate : callable
        Makes what an answer says of an envelope that begins at a frame.
    nothing : tuple
        What it says where none is due.
    sr, hop_length : number
        Of the envelope.
    update, window : int
        Frames between answers, and those that an answer looks back.
    dtype : np.dtype
        Of the envelope.
    """

    def __init__(
        self, answer: Any, estimate: Callable[[Array, int], tuple[Any, ...]], nothing: tuple[Any, ...],
        sr: Any, hop_length: Any, update: int, window: int, dtype: np.dtype[Any],
    ) -> None:
        super().__init__(estimate, ())
        self._answer, self._nothing = answer, nothing
        self._sr, self._hop_length = sr, hop_length
        self._update, self._window, self._dtype = update, window, dtype
        self.reset()

    def reset(self) -> None:
        self._kept = array.array(self._dtype.char)
        self._answered = 0

    def taken(self, values: Any, last: bool) -> tuple[Any, Any]:
        kept = self._kept
        kept.frombytes(values.tobytes())
        if last:
            said = self.function(np.array(kept), 0)
        elif len(kept) - self._answered < self._update:
            said = self._nothing
        else:
            self._answered = len(kept)
            first = max(len(kept) - self._window, 0)
            said = self.function(np.array(kept[first:]), first)
        return self._answer(len(kept) * self._hop_length / self._sr, *said), None


class _Provisional(_OfEnvelope):
    """Answers while it listens, from the last seconds; in the end the one of the whole envelope."""

    _answer_type: Any = None

    def __init__(
        self, *, sr: Positive = 22050, hop_length: PositiveInt = 512, update: Positive = 1.0,
        window: Positive = 12.0, top_db: NonNegative | None = None, peak: Number | None = None,
        sample_dtype: RealDtype = np.float32, **arguments: Any,
    ) -> None:
        super().__init__(sr, hop_length, sample_dtype)
        self._arguments = {"sr": sr, "hop_length": hop_length, **arguments}
        every = max(int(_positive("update", update) * sr / hop_length), 1)
        back = max(int(_positive("window", window) * sr / hop_length), 1)
        # wrong arguments are refused when the stream is made
        nothing = tuple(each[:0] for each in self._estimate(np.arange(64, dtype=np.float32) % 16, 0))
        self._begin(
            _Answers(self._answer_type, self._estimate, nothing, sr, hop_length, every, back, self._dtype),
            {"top_db": top_db, "peak": peak},
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(sr={self._sr}, hop_length={self._hop_length})"

    def _estimate(self, envelope: Array, first: int) -> tuple[Any, ...]:
        """What an answer says of an envelope that begins at frame `first`."""
        raise NotImplementedError


class Tempo(_Provisional, of="feature.tempo", but=("y", "onset_envelope", "tg")):
    """Tempo of a stream: provisional at first, `metalmom.feature.tempo` at the end.

    `flush` gives exactly ``tempo(onset_envelope=...)`` for the envelope of `OnsetStrength`. The
    envelope is kept: 4 bytes a frame, or 8 for float64.

    Parameters
    ----------
    sr, hop_length, start_bpm, std_bpm, ac_size, max_tempo, aggregate, prior
        As in `metalmom.feature.tempo`.
    update : number > 0
        Seconds between provisional answers.
    window : number > 0
        Seconds that a provisional answer looks back.
    top_db, peak
        As in `OnsetStrength`; with `peak` the last answer is that of the offline call for the audio.
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
    >>> s.process(y[200000:], last=True).tempo.round()
    array([117.])
    """

    _function = staticmethod(feature.tempo)
    _answer_type = TempoAt

    def process(self, y: Vector, last: bool = False) -> TempoAt:
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
        TempoAt
            Its `tempo` has the shape (1,), or (0,) where no answer is due; float64.

        Raises
        ------
        ParameterError
            For wrong samples (the stream stays as it was), and after the end of the signal.
        """
        return self._take(y, last)

    def flush(self) -> TempoAt:
        """End the signal and return its tempo. After that only `reset` is possible.

        Returns
        -------
        TempoAt
            Its `tempo` [shape=(1,)], float64, is exactly what `metalmom.feature.tempo` gives.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return Tempo.process(self, self._no_block(), True)

    def _estimate(self, envelope: Array, first: int) -> tuple[Any, ...]:
        return (self._function(onset_envelope=envelope, **self._arguments),)


class BeatTrack(_Provisional, of="beat.beat_track", but=("y", "onset_envelope", "sparse")):
    """Beats of a stream: provisional at first, `metalmom.beat.beat_track` at the end.

    `flush` gives exactly ``beat_track(onset_envelope=...)`` for the envelope of `OnsetStrength` with
    ``aggregate=np.median``. The envelope is kept: 4 bytes a frame, or 8 for float64.

    Parameters
    ----------
    sr, hop_length, start_bpm, tightness, trim, bpm, prior, units
        As in `metalmom.beat.beat_track`.
    update : number > 0
        Seconds between provisional answers.
    window : number > 0
        Seconds that a provisional answer looks back.
    top_db, peak
        As in `OnsetStrength`; with `peak` the last answer is that of the offline call for the audio.
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
    >>> np.diff(s.process(y[200000:], last=True).beats).round(1).max()
    0.5
    """

    _function = staticmethod(beat.beat_track)
    _aggregate = staticmethod(np.median)
    _answer_type = BeatsAt

    def process(self, y: Vector, last: bool = False) -> BeatsAt:
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
        BeatsAt
            Its `tempo` has the shape (1,), float64; `beats` are positions in `units` (float for "time",
            else int). Both are empty where no answer is due.

        Raises
        ------
        ParameterError
            For wrong samples (the stream stays as it was), and after the end of the signal.
        """
        return self._take(y, last)

    def flush(self) -> BeatsAt:
        """End the signal and return its tempo and beats. After that only `reset` is possible.

        Returns
        -------
        BeatsAt
            Its `tempo` [shape=(1,)], float64, and its `beats` [shape=(n_beats,)], int or float, are exactly
            what `metalmom.beat.beat_track` gives.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return BeatTrack.process(self, self._no_block(), True)

    def _estimate(self, envelope: Array, first: int) -> tuple[Any, ...]:
        tempo, beats = self._function(onset_envelope=envelope, **{**self._arguments, "units": "frames"})
        units = self._arguments.get("units", "frames")
        return (
            np.atleast_1d(np.asarray(tempo, dtype=np.float64)),
            onset._in_units(beats + first, units, self._sr, self._hop_length),
        )
