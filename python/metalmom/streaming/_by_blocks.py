"""Functions of an expression, evaluated of entries that come block by block along the last axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..util._declared import Windows
from ..util._expressions import Cut, Ending, Past, way_by_blocks
from ..util._types import Array

__all__ = ["Step", "reset", "step_of", "taken"]


class Step:
    """A function with its further arguments, which makes each entry of one entry.

    Attributes
    ----------
    state : object
        What it keeps of earlier blocks; `begin` where a signal begins.
    """

    begin: Any = None

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], way: Any = None) -> None:
        self.function, self.args, self.way = function, args, way
        self.state = self.begin

    def join(self, turns: Any) -> None:
        """Be a part of the stream whose `turns` these are."""

    def reset(self) -> None:
        """Begin another signal."""
        self.state = self.begin

    def taken(self, values: Any, last: bool) -> tuple[Any, Any]:
        """The result of a block, and the state after it, which is not kept yet."""
        return self.function(values, *self.args), self.state

    def count(self, n: int) -> int:
        """How many entries a block of `n` gives."""
        return n

    @property
    def delay(self) -> int:
        """By how many entries a result comes after the first that it is made of."""
        return 0


class _PastStep(Step):
    """Of a function that reads some entries before each."""

    def taken(self, values: Any, last: bool) -> tuple[Any, Any]:
        joined = values if self.state is None else np.concatenate([self.state, values], axis=-1)
        n_joined = joined.shape[-1]
        result = self.function(joined, *self.args)[..., n_joined - values.shape[-1] :]
        return result, joined[..., max(n_joined - self.way.size, 0) :].copy()


class _EndingStep(Step):
    """Of a function that changes the end of a signal."""

    begin = 0

    def taken(self, values: Any, last: bool) -> tuple[Any, Any]:
        result = self.function(values, *self.args, before=self.state) if last else values
        return result, self.state + values.shape[-1]


class _CutStep(Step):
    """Of a function that makes one result of some entries: those that the next one needs are kept."""

    begin = None, 0  # these, and how many are to come before them

    def _joined(self, n: int) -> tuple[int, int]:
        """How many entries lie before the next result with `n` more, and how many results these give."""
        held, gap = self.state
        n_held = 0 if held is None else held.shape[-1]
        return gap, Windows(*self.way.sizes(*self.args)).count(n_held + n - gap)

    def taken(self, values: Any, last: bool) -> tuple[Any, Any]:
        held, _ = self.state
        gap, n_results = self._joined(values.shape[-1])
        joined = values if held is None else np.concatenate([held, values], axis=-1)
        at = gap + n_results * self.way.sizes(*self.args)[1]
        result = self.function(joined[..., gap:], *self.args)
        return result, (joined[..., at:].copy(), max(at - joined.shape[-1], 0))

    def count(self, n: int) -> int:
        return self._joined(n)[1]

    @property
    def delay(self) -> int:
        return self.way.sizes(*self.args)[0] - 1


_STEPS: dict[Any, type[Step]] = {type(None): Step, Past: _PastStep, Ending: _EndingStep, Cut: _CutStep}


def step_of(function: Callable[..., Any], args: tuple[Any, ...]) -> Step:
    """The step of a function, as it is declared."""
    way = way_by_blocks(function)
    return _STEPS[type(way)](function, args, way)


def taken(steps: Iterable[Step], values: Any, last: bool) -> tuple[Any, list[Any]]:
    """What steps make of a block one after the other, and their states after it."""
    states = []
    for step in steps:
        values, state = step.taken(values, last)
        states.append(state)
    return values, states


def reset(steps: Iterable[Step]) -> None:
    """Begin another signal."""
    for step in steps:
        step.reset()
