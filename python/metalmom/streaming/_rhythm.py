"""Onsets, tempo and beats of a stream."""

import collections

import numpy as np

from .. import beat, feature, onset
from ..util import valid_int
from ..util.exceptions import ParameterError
from ._features import OnsetStrength
from ._setting import check_setting

__all__ = ["BeatTrack", "OnsetDetect", "Tempo"]

TempoAt = collections.namedtuple("TempoAt", ["time", "tempo"])
BeatsAt = collections.namedtuple("BeatsAt", ["time", "tempo", "beats"])


class _OfEnvelope:
    """What reads the onset strength of one channel of audio."""

    def __init__(self, *, sr, hop_length, sample_dtype, aggregate=None):
        check_setting(1, sample_dtype)
        self._sr, self._hop_length = sr, hop_length
        self._strength = OnsetStrength(
            sr=sr, hop_length=hop_length, sample_dtype=sample_dtype, aggregate=aggregate
        )

    @property
    def channels(self) -> int:
        """Channels of a block: one."""
        return 1

    @property
    def position(self) -> int:
        """Samples taken since the beginning of the signal."""
        return self._strength.position

    def warmup(self) -> None:
        """Do the work once on silence, so that the first block costs what every block does."""
        self._strength.warmup()


class OnsetDetect(_OfEnvelope):
    """Onsets of a stream: `metalmom.onset.onset_detect` block by block.

    The envelope is that of `OnsetStrength`, without `top_db`, and is not normalised to its largest
    value, which nobody knows yet: ``normalize=False`` has to be said, and `delta` is in its unit, dB.

    Parameters
    ----------
    sr, hop_length, units
        As in `metalmom.onset.onset_detect`.
    normalize : bool
        False.
    delta : number > 0
        Least height of an onset above the mean around it.
    sample_dtype : real dtype
        Of the blocks: float32 or float64.
    **kwargs
        `pre_max`, `post_max`, `pre_avg`, `post_avg`, `wait`, as in `metalmom.util.peak_pick`.

    Raises
    ------
    ParameterError
        As `metalmom.onset.onset_detect` does, and for what only a whole signal tells.

    Examples
    --------
    >>> y = metalmom.clicks(times=[0.5, 1.0], sr=22050, length=44100).astype(np.float32)
    >>> s = metalmom.streaming.OnsetDetect(sr=22050, normalize=False, delta=10, units="time")
    >>> np.concatenate([s.process(y[:15000]), s.process(y[15000:]), s.flush()]).round(1)
    array([0.5, 1. ])
    """

    def __init__(
        self,
        *,
        sr=22050,
        hop_length=512,
        normalize=True,
        delta=0.07,
        units="frames",
        sample_dtype=np.float32,
        **kwargs,
    ):
        if normalize:
            raise ParameterError(
                "normalize=True must be False in a stream, which does not know the strongest onset: "
                "pass normalize=False and a delta in dB"
            )
        if not delta > 0:
            raise ParameterError(f"delta={delta} must be strictly positive in a stream")
        super().__init__(sr=sr, hop_length=hop_length, sample_dtype=sample_dtype)
        rule = onset._default_rule(sr, hop_length)
        for name, value in kwargs.items():
            if name not in rule:
                raise ParameterError(f"{name}={value!r} is no parameter of a stream of onset_detect")
        rule |= kwargs
        silence = np.zeros(4)
        onset.onset_detect(onset_envelope=silence + np.arange(4), normalize=False, units=units,
                           # wrong arguments are refused when the stream is made
                           **rule, delta=delta)
        self._rule = {name: valid_int(value, cast=np.ceil) for name, value in rule.items()}
        self._delta, self._units = delta, units
        self._begin()

    def _begin(self):
        self._kept = np.empty(0, dtype=np.float32)  # the envelope from frame `_first` on
        self._first = self._next = 0

    def __repr__(self):
        return f"OnsetDetect(sr={self._sr}, hop_length={self._hop_length}, delta={self._delta})"

    @property
    def latency(self) -> int:
        """Samples from an onset to when it is told."""
        ahead = max(self._rule["post_max"], self._rule["post_avg"]) - 1
        return self._strength.latency + (1 + ahead) * self._hop_length

    def process(self, y, last=False):
        """Take a block of samples; give the onsets that are certain now.

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
            For wrong samples, which leave the stream as it was, and after the end of the signal.
        """
        envelope = self._strength.process(y, last)
        self._kept = np.concatenate([self._kept, envelope]) if len(envelope) else self._kept
        found = self._pick(bool(last))
        return onset._in_units(np.array(found, dtype=int), self._units, self._sr, self._hop_length)

    def flush(self):
        """End the signal: give the onsets that are left. Then only `reset` goes on.

        Returns
        -------
        np.ndarray

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return self.process(np.empty(0, dtype=self._strength._dtype), True)

    def reset(self) -> None:
        """Begin another signal, with the same configuration."""
        self._strength.reset()
        self._begin()

    def _pick(self, last):
        """The greedy rule of `metalmom.util.peak_pick`, as far as the frames it looks at are there."""
        rule, kept, first = self._rule, self._kept, self._first
        end = first + len(kept)
        ahead = max(rule["post_max"], rule["post_avg"])
        found = []
        n = self._next
        while n < end and (last or n + ahead <= end):
            around = kept[max(n - rule["pre_max"] - first, 0) : n + rule["post_max"] - first]
            value = kept[n - first]
            if value == around.max():
                near = kept[max(n - rule["pre_avg"] - first, 0) : n + rule["post_avg"] - first]
                # Summed one by one, in the engine's order, because rounding decides ties.
                total = np.add.accumulate(near)[-1]
                mean = near.dtype.type(float(total) / len(near))
                if value >= float(mean) + self._delta:
                    found.append(n)
                    n += rule["wait"]
            n += 1
        self._next = n
        drop = min(max(n - max(rule["pre_max"], rule["pre_avg"]), first), end) - first
        if drop > 1024:
            self._kept, self._first = kept[drop:].copy(), first + drop
        return found


class _Provisional(_OfEnvelope):
    """Answers while it listens, from the last seconds; in the end the one of the whole envelope."""

    def __init__(self, *, sr, hop_length, sample_dtype, update, window, aggregate):
        super().__init__(
            sr=sr, hop_length=hop_length, sample_dtype=sample_dtype, aggregate=aggregate
        )
        for name, value in (("update", update), ("window", window)):
            if not value > 0:
                raise ParameterError(f"{name}={value} must be strictly positive")
        self._update = max(int(update * sr / hop_length), 1)
        self._window = max(int(window * sr / hop_length), 1)
        self._begin()

    def _begin(self):
        self._parts, self._n_frames, self._answered = [], 0, 0
        self._joined = np.empty(0, dtype=np.float32)

    def _envelope(self):
        """All of it. Pieces are joined now and then, so that they cost their values alone."""
        self._joined = np.concatenate([self._joined, *self._parts])
        self._parts.clear()
        return self._joined

    @property
    def latency(self) -> int:
        """Samples from a frame to when it counts."""
        return self._strength.latency

    def process(self, y, last=False):
        """Take a block of samples; give an answer where one is due.

        Parameters
        ----------
        y : np.ndarray [shape=(n,)]
            Any number of samples, also none.
        last : bool
            Whether the signal ends here: then the answer is the offline one.

        Returns
        -------
        tuple or None
            A provisional answer, with the time in seconds for which it holds; None between them.

        Raises
        ------
        ParameterError
            For wrong samples, which leave the stream as it was, and after the end of the signal.
        """
        envelope = self._strength.process(y, last)
        if len(envelope):
            self._parts.append(envelope)
            self._n_frames += len(envelope)
        if last:
            return self._answer(self._envelope())
        if self._n_frames - self._answered < self._update:
            return None
        self._answered = self._n_frames
        recent = self._envelope()[-self._window :]
        time = self._n_frames * self._hop_length / self._sr
        return self._provisional(time, recent, self._n_frames - len(recent))

    def flush(self):
        """End the signal: give the offline answer. Then only `reset` goes on.

        Returns
        -------
        tuple

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return self.process(np.empty(0, dtype=self._strength._dtype), True)

    def reset(self) -> None:
        """Begin another signal, with the same configuration."""
        self._strength.reset()
        self._begin()


class Tempo(_Provisional):
    """Tempo of a stream: provisional while it listens, `metalmom.feature.tempo` in the end.

    `flush` returns exactly ``tempo(onset_envelope=...)`` of the envelope that `OnsetStrength` gives,
    of which 4 bytes a frame are kept.

    Parameters
    ----------
    sr, hop_length, start_bpm, std_bpm, ac_size, max_tempo, aggregate, prior
        As in `metalmom.feature.tempo`.
    update : number > 0
        Seconds between provisional answers.
    window : number > 0
        Seconds that a provisional answer looks back.
    sample_dtype : real dtype
        Of the blocks: float32 or float64.

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

    def __init__(
        self,
        *,
        sr=22050,
        hop_length=512,
        update=1.0,
        window=12.0,
        sample_dtype=np.float32,
        **arguments,
    ):
        super().__init__(
            sr=sr, hop_length=hop_length, sample_dtype=sample_dtype, update=update, window=window,
            aggregate=None,
        )
        self._arguments = arguments
        # wrong arguments are refused when the stream is made
        self._answer(np.zeros(16, dtype=np.float32))

    def __repr__(self):
        return f"Tempo(sr={self._sr}, hop_length={self._hop_length})"

    def _answer(self, envelope):
        return feature.tempo(
            onset_envelope=envelope, sr=self._sr, hop_length=self._hop_length, **self._arguments
        )

    def _provisional(self, time, recent, first):
        return TempoAt(time, self._answer(recent))


class BeatTrack(_Provisional):
    """Beats of a stream: provisional while it listens, `metalmom.beat.beat_track` in the end.

    `flush` returns exactly ``beat_track(onset_envelope=...)`` of the envelope that `OnsetStrength`
    gives with ``aggregate=np.median``, of which 4 bytes a frame are kept.

    Parameters
    ----------
    sr, hop_length, start_bpm, tightness, trim, bpm, prior, units
        As in `metalmom.beat.beat_track`.
    update : number > 0
        Seconds between provisional answers.
    window : number > 0
        Seconds that a provisional answer looks back.
    sample_dtype : real dtype
        Of the blocks: float32 or float64.

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

    def __init__(
        self,
        *,
        sr=22050,
        hop_length=512,
        units="frames",
        update=1.0,
        window=12.0,
        sample_dtype=np.float32,
        **arguments,
    ):
        super().__init__(
            sr=sr, hop_length=hop_length, sample_dtype=sample_dtype, update=update, window=window,
            aggregate=np.median,
        )
        for name in ("y", "onset_envelope", "sparse"):
            if name in arguments:
                raise ParameterError(f"{name} must not be given to a stream")
        self._units, self._arguments = units, arguments
        onset._in_units(np.zeros(1, dtype=int), units, sr, hop_length)
        # wrong arguments are refused when the stream is made
        self._answer(np.arange(64, dtype=np.float32) % 16)

    def __repr__(self):
        return f"BeatTrack(sr={self._sr}, hop_length={self._hop_length})"

    def _answer(self, envelope, units=None):
        return beat.beat_track(
            onset_envelope=envelope,
            sr=self._sr,
            hop_length=self._hop_length,
            units=self._units if units is None else units,
            **self._arguments,
        )

    def _provisional(self, time, recent, first):
        tempo, beats = self._answer(recent, "frames")
        beats = onset._in_units(beats + first, self._units, self._sr, self._hop_length)
        return BeatsAt(time, tempo, beats)
