"""What a recipe will take, by what it takes of short music here."""

from __future__ import annotations

import math
import time
import tracemalloc
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _native, demo
from ..util._notebook import table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Estimate", "Measurements", "peak_of", "time_of"]

# Seconds of the shortest music that is timed and, as each next is twice as long, of the longest. The engine
# uses all threads from some seconds on; from 48 on it keeps no powers for a second pass.
_SHORTEST, _AT_LEAST, _LONGEST = 1.0, 4.0, 64.0

# Seconds that a run may take to be followed by a longer one, and to be repeated; and how often it is.
_MOST_TIME, _SHORT_TIME, _RUNS = 1.0, 0.1, 3

# A doubling of the length adds twice as much as the one before it where all grows in a line, four times as
# much where a matrix of all frames with all others does.
_MORE_THAN_A_LINE = 3.0


class Estimate(NamedTuple):
    """The memory and the time that a call will take.

    Attributes
    ----------
    memory : int
        The most bytes on the host during the call, in addition to those before it: results,
        intermediate results, and the working memory of the engine.
    seconds : float
        The time of the call, once plans, windows and filters are made.
    """

    memory: int
    seconds: float

    def __str__(self) -> str:
        return ", ".join(text for _, text in self._told())

    def _told(self) -> list[tuple[str, str]]:
        return [("memory", f"{self.memory / 2**20:.1f} MiB"), ("time", f"{self.seconds * 1e3:.3g} ms")]

    def _repr_html_(self) -> str:
        return table_of(self._told())


class Measured(NamedTuple):
    """What music of so many seconds took: bytes of arrays and of the engine's working memory, and time."""

    length: float
    arrays: int
    working: int
    seconds: float


class Measurements:
    """What features take of music, by its length.

    Parameters
    ----------
    compute : callable
        Of audio.
    sr, channels
        Of that audio.
    """

    def __init__(self, compute: Any, sr: float, channels: int) -> None:
        self._compute, self._sr, self._channels = compute, sr, channels
        self._song = demo.song(30.0)[0][0]
        self._known = [self._measured(_SHORTEST)]
        while True:
            length = 2 * self._known[-1].length
            if length > _LONGEST or (length > _AT_LEAST and self._known[-1].seconds > _MOST_TIME):
                break
            self._known.append(self._measured(length))

    def _measured(self, length: float) -> Measured:
        y = np.resize(self._song, round(length * self._sr))
        if self._channels > 1:
            y = np.stack([np.roll(y, 1000 * channel) for channel in range(self._channels)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The first call makes plans and filters, which stay.
            seconds = time_of(lambda: self._compute(y))
            arrays, working = peak_of(lambda: self._compute(y))
            for _ in range(_RUNS if seconds < _SHORT_TIME else 0):
                seconds = min(seconds, time_of(lambda: self._compute(y)))
        return Measured(length, arrays, working, seconds)

    def estimate(self, length: float) -> Estimate:
        """What music of `length` seconds takes."""
        known = self._known
        if length > known[-1].length:
            arrays, working, seconds = _beyond(known, length)
            return Estimate(int(arrays + working), seconds)
        after = next((i for i, each in enumerate(known) if each.length >= length))
        if after and known[after].working < known[after - 1].working and known[after].length > length:
            known.insert(after, self._measured(length))  # powers that are kept to be read again, up to a bound
        return Estimate(int(_between(known, "arrays", length) + _between(known, "working", length)),
                        _between(known, "seconds", length))  # fmt: skip


def time_of(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def peak_of(call: Callable[[], object]) -> tuple[int, int]:
    """Bytes beyond those before a call at most: of arrays, and of the engine's working memory."""
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        _native.release_workspaces()
        _native.restart_memory_peak()
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        result = call()
        _, peak = tracemalloc.get_traced_memory()
        del result
        return peak - before, _native.memory_peak()
    finally:
        if not was_tracing:
            tracemalloc.stop()


def _between(known: list[Measured], what: str, length: float) -> float:
    return float(np.interp(length, [each.length for each in known], [getattr(each, what) for each in known]))


def _beyond(known: list[Measured], length: float) -> Iterator[float]:
    """Arrays, working memory and time grow on as they did from a quarter of the longest music to all of it.

    Growth is linear, or a power of the length where that of the arrays is: only their size is measured
    without noise.
    """
    last = known[-1]
    half, quarter = (next(each for each in known if each.length == last.length / k) for k in (2, 4))
    before, step = half.arrays - quarter.arrays, last.arrays - half.arrays
    power = math.log2(step / before) if 0 < _MORE_THAN_A_LINE * before < step else 1.0
    times = ((length / last.length) ** power - 1) / (1 - 4**-power)
    for what in ("arrays", "working", "seconds"):
        value = getattr(last, what)
        yield value + max(value - getattr(quarter, what), 0) * times
