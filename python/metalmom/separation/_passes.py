"""A signal's way through a model, block by block: normalised, in segments, with shifts averaged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..util._checks import require
from ..util._memory import refuse_beyond_memory
from ..util._types import Array, Int
from ..util.exceptions import ParameterError, Unsaid
from ._models import Model
from ._segments import Cutter, Joiner, triangle

__all__ = ["Channels", "Passes", "Plan", "Statistics", "lead_of", "statistics_of"]

# Seconds by which a shift delays the audio at most.
_LONGEST_SHIFT = 0.5
# What is added to a deviation, that of silence being 0.
_LEAST_DEVIATION = 1e-8


class Plan(NamedTuple):
    """How a signal is cut: samples of a segment and around it, the overlap, and the silence of each shift."""

    length: int
    context: int
    overlap: float
    silences: tuple[int, ...]

    @classmethod
    def of(cls, model: Model, segment: Any, overlap: float, shifts: int, seed: int, mode: str) -> Plan:
        """The plan of a call with these arguments."""
        if mode == "preview":
            overlap, shifts = 0.0, 0
        length, context = model.sizes(segment)
        about = model.description
        n_bytes = 1000 + 8 * (length + 2 * context) * about.channels * (1 + len(about.stems))
        refuse_beyond_memory("shifts", shifts, shifts * n_bytes)
        longest = int(_LONGEST_SHIFT * about.sr)
        drawn = np.random.default_rng(seed).integers(0, longest, shifts, endpoint=True)
        return cls(length, context, overlap, tuple(longest - int(each) for each in drawn) or (0,))


class Statistics(NamedTuple):
    """What the audio of a model is normalised by."""

    mean: float
    deviation: float


def statistics_of(blocks: Iterable[Array]) -> Statistics:
    """The mean and the deviation (of n - 1) of a signal's mix to mono.

    Each block's own are added to those before it (Chan, Golub, LeVeque 1983), which cancels nothing.
    """
    count, mean, squares = 0, 0.0, 0.0
    for block in blocks:
        mono = block.mean(axis=tuple(range(block.ndim - 1)), dtype=np.float64)
        if not mono.size:
            continue
        its_mean = float(mono.mean())
        total, delta = count + mono.size, its_mean - mean
        squares += float(np.square(mono - its_mean).sum()) + delta * delta * count * mono.size / total
        mean, count = mean + delta * mono.size / total, total
    require(math.isfinite(squares), "y", Unsaid, "small enough for its deviation to be finite")
    return Statistics(mean, math.sqrt(squares / max(count - 1, 1)))


def lead_of(channels: Int, wanted: int) -> tuple[int, ...]:
    """The shape of so many channels without time, for a model of `wanted`."""
    if wanted > 1:
        require(channels in (1, wanted), "channels", channels, f"1 or {wanted}, as the model's")
    return () if channels == 1 else (int(channels),)


class Channels:
    """Audio as a model takes it, and back: groups of as many channels as the model has.

    Audio of one channel is given to all channels, whose mean is the result. Of a model with one channel each
    channel of the audio is a group.

    Parameters
    ----------
    lead : tuple of int
        The shape of the audio without the last axis.
    wanted : int
        The model's channels.
    hint : str
        What the error about other channels ends with.
    """

    def __init__(self, lead: tuple[int, ...], wanted: int, hint: str = "") -> None:
        count = math.prod(lead)
        if len(lead) > 1 or count not in (1, wanted) and wanted != 1:
            rule = f"(n,) or ({wanted}, n)" if wanted > 1 else "(n,) or (channels, n)"
            rule = f"that of {rule}, as the model's channels={wanted}"
            raise ParameterError("y.shape[:-1]", lead, rule, hint=hint)
        self.lead, self._wanted, self._groups = lead, wanted, max(count // wanted, 1)
        self._is_spread = count == 1 < wanted

    def groups(self, block: Array) -> Array:
        """A block as (groups, channels, n)."""
        if self._is_spread:
            return np.repeat(block.reshape(1, 1, block.shape[-1]), self._wanted, axis=1)
        return block.reshape(self._groups, self._wanted, block.shape[-1])

    def back(self, stems: Array) -> Array:
        """Stems (stems, groups, channels, n) as (stems, ..., n) of the audio's shape."""
        if self._is_spread:
            stems = stems.mean(axis=2)
        return stems.reshape(len(stems), *self.lead, stems.shape[-1])


class _Pass:
    """One way of a signal through a model.

    Parameters
    ----------
    model, plan
        What it goes through, and how.
    silence : int
        Samples of silence before it.
    place : int
        Stems are given from this sample on.
    """

    def __init__(self, model: Model, plan: Plan, silence: int, place: int) -> None:
        self._model, self._silence = model, silence
        weights = triangle(plan.length, model.description.transition_power)
        self.cutter, self._joiner = Cutter(weights, plan.overlap, plan.context), Joiner()
        self.needed = self.cutter.begin_at(place + silence) - silence
        self._left_out = place + silence  # what comes before is not given
        self.waiting: list[Array] = []

    def push(self, block: Array) -> None:
        for segment in self.cutter.push(block):
            self._take(segment)

    def end(self) -> None:
        for segment in self.cutter.end():
            self._take(segment)

    def _take(self, segment: Any) -> None:
        place = max(segment.start - self._silence, 0)
        # One after another is copied, since a model may give the same array again.
        stems = np.concatenate([self._model(each, place)[:, None].copy() for each in segment.samples], axis=1)
        done = self._joiner.push(segment.with_samples(stems))
        self.waiting.append(done[..., max(0, self._left_out - segment.start) :])

    @property
    def n_waiting(self) -> int:
        return sum(each.shape[-1] for each in self.waiting)

    def taken(self, count: int) -> Array:
        """So many samples of what waits."""
        joined = self.waiting[0] if len(self.waiting) == 1 else np.concatenate(self.waiting, axis=-1)
        self.waiting = [joined[..., count:].copy()]
        return joined[..., :count]


class Passes:
    """A signal's way through a model: `push` takes a block, `end` ends it; both yield stems that are known.

    Parameters
    ----------
    model : Model
    plan : Plan
    channels : Channels
    statistics : Statistics or None
        What a model that is to be given normalised audio needs.
    place : int
        Stems are given from this sample on.

    Attributes
    ----------
    needed : int
        The first block begins with this sample of the signal.
    """

    def __init__(
        self, model: Model, plan: Plan, channels: Channels, statistics: Statistics | None, place: int = 0
    ) -> None:
        self._stems = len(model.description.stems)
        self._channels, self._statistics = channels, statistics
        self._scale = 1.0 if statistics is None else statistics.deviation + _LEAST_DEVIATION
        self._passes = [_Pass(model, plan, silence, place) for silence in plan.silences]
        self.needed = max(0, min(each.needed for each in self._passes))
        for each, silence in zip(self._passes, plan.silences, strict=True):
            if self.needed:
                each.cutter.skip_to(self.needed + silence)
        self._silences = None if self.needed else plan.silences  # which come before the first block

    def push(self, block: Array) -> Iterator[Array]:
        """Take a block of the signal."""
        block = self._channels.groups(block)
        if self._statistics is not None:
            block = (block - self._statistics.mean) / self._scale
        for each, silence in zip(self._passes, self._silences or ()):
            each.push(np.zeros((*block.shape[:-1], silence), block.dtype))
        self._silences = None
        for each in self._passes:
            each.push(block)
        yield from self._ready()

    def end(self) -> Iterator[Array]:
        """End the signal."""
        for each in self._passes:
            each.end()
        yield from self._ready()

    def _ready(self) -> Iterator[Array]:
        count = min(each.n_waiting for each in self._passes)
        if not count:
            return
        first, *others = (each.taken(count) for each in self._passes)
        for k, other in enumerate(others, 2):
            first = first + (other - first) / k  # the mean so far, by which equal values stay what they are
        stems = self._channels.back(first)
        if self._statistics is not None:
            stems = stems * self._scale + self._statistics.mean / self._stems
        require(np.isfinite(stems).all(), "y", Unsaid, "small enough for its stems to be finite")
        yield stems
