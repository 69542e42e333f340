"""What a recipe will take, by what it takes of short music here."""

from __future__ import annotations

import math
import time
import tracemalloc
import warnings
from typing import Any, NamedTuple

import numpy as np

from .. import _native, demo

__all__ = ["Estimate", "estimated"]

# Seconds of the shortest music that is timed and, as each next is twice as long, of the longest; and how long a
# run may take to be followed by a longer one. The engine uses all threads from some seconds on.
_SHORTEST, _AT_LEAST, _LONGEST, _MOST_TIME = 1.0, 4.0, 64.0, 0.15
_RUNS = 3

# By what a doubling of the length must grow more than the one before it, so that this is no noise.
_NO_NOISE = 3.0


class Estimate(NamedTuple):
    """What a call will take.

    Attributes
    ----------
    memory : int
        Bytes of the host that there are at most during the call beyond those before it: results, what lies between,
        and what the engine works in.
    seconds : float
        Time, once plans, windows and filters are made.
    """

    memory: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.memory / 2**20:.1f} MiB, {self.seconds * 1e3:.3g} ms"


class Measured(NamedTuple):
    """What music of so many seconds took."""

    length: float
    memory: int
    seconds: float


def measured(compute: Any, sr: float, channels: int) -> list[Measured]:
    """What `compute` takes of music that gets longer."""
    found, length, song = [], _SHORTEST, demo.song(30.0)[0][0]
    while True:
        y = np.resize(song, round(length * sr))
        if channels > 1:
            y = np.stack([np.roll(y, 1000 * channel) for channel in range(channels)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            memory = _peak_of(lambda: compute(y))
            found.append(Measured(length, memory, min(_time_of(lambda: compute(y)) for _ in range(_RUNS))))
        length *= 2
        if length > _LONGEST or (length > _AT_LEAST and found[-1].seconds > _MOST_TIME):
            return found


def _time_of(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _peak_of(call):
    """Bytes beyond those before a call: of NumPy and Python, and of the engine."""
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
        return peak - before + _native.memory_peak()
    finally:
        if not was_tracing:
            tracemalloc.stop()


def estimated(known: list[Measured], length: float) -> Estimate:
    """What music of `length` seconds takes, by what shorter music took."""
    lengths = [each.length for each in known]
    if length <= lengths[-1]:
        return Estimate(*(
            type(known[0][k])(np.interp(length, lengths, [each[k] for each in known])) for k in (1, 2)
        ))
    memory, seconds = (_beyond(known, k, length) for k in (1, 2))
    return Estimate(int(memory), seconds)


def _beyond(known, k, length):
    """The last value grows on, as it did by the last doubling: in a line, or by a power where it grew faster."""
    *_, first, second, last = known
    before, step = second[k] - first[k], last[k] - second[k]
    power = math.log2(step / before) if 0 < _NO_NOISE * before < step else 1.0
    return last[k] + max(step, 0) * ((length / last.length) ** power - 1) / (1 - 2**-power)
