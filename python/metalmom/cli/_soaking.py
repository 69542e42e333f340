"""Streams in real time, in processes of their own: how late their blocks are."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

import numpy as np

from .._engine.config import config_context
from ..streaming import Extractor, Report
from ..util._signals import handled
from ..util._types import Array, NDArray
from ..util.exceptions import LibrosaError

__all__ = ["MOST_STREAMS", "Plan", "find_most", "soak"]

# Latencies are counted in steps of 2 ** (1 / 16), from a microsecond on.
_STEPS, _SIZE = 16, 512
MOST_STREAMS = 1 << 14
_MOST_INTERVALS, _LEAST_INTERVAL = 200, 0.25
# How long a process may go on after the last block is due, to do what is late.
_GRACE = 0.5
_LONGEST_SLEEP = 0.1


class Plan(NamedTuple):
    """What runs for how long.

    Attributes
    ----------
    recipe : dict
        Of a `metalmom.streaming.Extractor`.
    blocks : np.ndarray [shape=(n_blocks, n_samples)]
        What comes, again and again; each stream begins elsewhere.
    sr : number
    n_streams, n_processes : int
    seconds : float
    ends_when_late : bool
        Whether the first late block ends the run.
    """

    recipe: dict[str, Any]
    blocks: Array
    sr: float
    n_streams: int
    n_processes: int
    seconds: float
    ends_when_late: bool = False

    @property
    def budget(self) -> float:
        """Seconds that a block lasts."""
        return self.blocks.shape[1] / self.sr

    @property
    def n_blocks(self) -> int:
        """Blocks of each stream."""
        return max(math.ceil(self.seconds / self.budget), 1)

    @property
    def interval(self) -> float:
        """Seconds that one point of the picture stands for."""
        return max(self.seconds / _MOST_INTERVALS, _LEAST_INTERVAL, self.budget)

    def due(self, start: float, number: int, k: int) -> float:
        """When the last sample of block `k` of a stream comes: streams take turns within a block."""
        return start + (k + 1 + number / self.n_streams) * self.budget


class Latencies:
    """How many blocks took how long from when they were due, and how many were late."""

    def __init__(self) -> None:
        self.counts: NDArray[np.int64] = np.zeros(_SIZE, np.int64)
        self.late, self.unfinished, self.worst = 0, 0, 0.0

    @property
    def blocks(self) -> int:
        """How many were counted."""
        return int(self.counts.sum())

    def add(self, seconds: float, is_late: bool) -> None:
        us = seconds * 1e6
        self.counts[min(int(_STEPS * math.log2(us)), _SIZE - 1) if us > 1 else 0] += 1
        self.late += is_late
        self.worst = max(self.worst, seconds)

    def join(self, other: Latencies) -> None:
        self.counts += other.counts
        self.late += other.late
        self.unfinished += other.unfinished
        self.worst = max(self.worst, other.worst)

    def percentile(self, share: float) -> float:
        """Seconds that so many of the blocks took at most, to 4 %."""
        below = np.cumsum(self.counts)
        if not below[-1]:
            return 0.0
        step = int(np.searchsorted(below, share * below[-1]))
        return min(float(2 ** ((step + 1) / _STEPS)) * 1e-6, self.worst)

    def figures(self) -> dict[str, Any]:
        """As JSON has them."""
        shares = {"p50_ms": 0.5, "p99_ms": 0.99, "p99.99_ms": 0.9999}
        return {
            "blocks": self.blocks + self.unfinished, "late": self.late + self.unfinished,
            **{name: 1e3 * self.percentile(share) for name, share in shares.items()},
            "worst_ms": 1e3 * self.worst,
        }  # fmt: skip


class _Part:
    """The streams of one process, and what is told of them."""

    def __init__(self, plan: Plan, numbers: list[int], told: Connection) -> None:
        self.plan, self._told = plan, told
        self.each = {number: Latencies() for number in numbers}
        self.behind = dict.fromkeys(numbers, (0.0, 0.0))  # of the first block, and of the last one
        self._now, self._interval = Latencies(), 0

    def took(self, number: int, k: int, due: float, begun: float, done: float) -> bool:
        """Count a block; whether it was late."""
        latency = done - due
        is_late = latency > self.plan.budget
        self.each[number].add(latency, is_late)
        self._now.add(latency, is_late)
        first = begun - due if k == 0 else self.behind[number][0]
        self.behind[number] = first, begun - due
        return is_late

    def reach(self, interval: int) -> None:
        """Tell of the interval before, where another one has begun."""
        if interval != self._interval:
            self._told.send(("interval", self._interval, self._now))
            self._now, self._interval = Latencies(), interval

    def end(self, reports: dict[int, Report], is_whole: bool) -> None:
        """Tell of all; of a run that was not stopped, blocks that were due and did not come are late."""
        if is_whole:
            for latencies in self.each.values():
                latencies.unfinished = self.plan.n_blocks - latencies.blocks
                self._now.unfinished += latencies.unfinished
        self._told.send(("interval", self._interval, self._now))
        drifts = {number: last - first for number, (first, last) in self.behind.items()}
        self._told.send(("end", self.each, drifts, reports))


def _work(plan: Plan, numbers: list[int], told: Connection, stop: Any) -> None:
    """A process: take the blocks of some streams when they are due."""
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.SIG_IGN)  # the program says when to stop
    parent, clock = os.getppid(), time.monotonic
    with contextlib.suppress(BrokenPipeError, EOFError), config_context(threads=1):
        streams = [Extractor(plan.recipe) for _ in numbers]
        for stream in streams:
            stream.warmup()
            stream.rate = plan.sr
        part = _Part(plan, numbers, told)
        n_places = len(plan.blocks)

        def end_part(is_whole: bool) -> None:
            part.end({number: stream.report() for number, stream in zip(numbers, streams, strict=True)}, is_whole)

        told.send(("ready",))
        start = told.recv()
        end = start + plan.seconds + max(2 * plan.budget, _GRACE)
        for k in range(plan.n_blocks):
            for number, stream in zip(numbers, streams, strict=True):
                due = plan.due(start, number, k)
                while (left := due - clock()) > 0 and not stop.value:
                    time.sleep(min(left, _LONGEST_SLEEP))
                    if os.getppid() != parent:
                        return
                if stop.value or clock() > end:
                    end_part(not stop.value)
                    return
                part.reach(int((due - start) / plan.interval))
                begun = clock()
                stream.process(plan.blocks[(k + number * n_places // plan.n_streams) % n_places])
                is_late = part.took(number, k, due, begun, clock())
                if is_late and plan.ends_when_late:
                    stop.value = True
        end_part(True)


class _Watched:
    """What is known of a run: latencies by interval and by stream, and the memory of its processes."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.intervals: dict[int, Latencies] = {}
        self.memory: dict[int, tuple[float, int]] = {}
        self.each: dict[int, Latencies] = {}
        self.drifts: dict[int, float] = {}
        self.reports: dict[int, Report] = {}  # of what each stream itself took

    def hear(self, kind: str, *said: Any) -> None:
        if kind == "interval":
            self.intervals.setdefault(said[0], Latencies()).join(said[1])
        elif kind == "end":
            self.each.update(said[0])
            self.drifts.update(said[1])
            self.reports.update(said[2])

    def report(self, seconds: float, is_stopped: bool, clocks_apart: float) -> dict[str, Any]:
        """As ``--json`` has it."""
        plan, whole = self.plan, Latencies()
        for latencies in self.each.values():
            whole.join(latencies)
        streams = [
            {
                "stream": number, **self.each[number].figures(), "drift_ms": 1e3 * self.drifts[number],
                "work_ms": 1e3 * self.reports[number].worst, "share": self.reports[number].share,
            }
            for number in sorted(self.each)
        ]
        intervals = []
        for i in sorted(self.intervals):
            if not self.intervals[i].blocks and not self.intervals[i].unfinished:
                continue
            resident, descriptors = self.memory.get(i, (None, None))
            intervals.append({
                "at_seconds": i * plan.interval, **self.intervals[i].figures(), "resident_mb": resident,
                "descriptors": descriptors,
            })  # fmt: skip
        return {
            "streams": plan.n_streams, "processes": plan.n_processes, "features": plan.recipe, "sr": plan.sr,
            "block": plan.blocks.shape[1], "budget_ms": 1e3 * plan.budget, "seconds": seconds,
            "stopped": is_stopped, **whole.figures(), "clocks_apart_ms": 1e3 * clocks_apart,
            "of_streams": streams, "intervals": intervals,
        }  # fmt: skip


def _resident(pids: list[int]) -> tuple[float, int] | None:
    """Megabytes in memory and open descriptors of some processes; None where the system does not tell."""
    megabytes, descriptors = 0.0, 0
    page = os.sysconf("SC_PAGE_SIZE") / 1e6 if hasattr(os, "sysconf") else 0.0
    try:
        for pid in pids:
            with open(f"/proc/{pid}/statm", encoding="ascii") as file:
                megabytes += int(file.read().split()[1]) * page
            descriptors += len(os.listdir(f"/proc/{pid}/fd"))
    except (OSError, IndexError):
        return None
    return megabytes, descriptors


def soak(plan: Plan, move: Callable[[float], object] = lambda seconds: None) -> dict[str, Any]:
    """Run streams for so long; the report.

    Parameters
    ----------
    plan : Plan
    move : callable
        Is told the seconds that have passed, some times a second.

    Returns
    -------
    dict
        As ``metalmom soak --json`` writes it.
    """
    forking = multiprocessing.get_context("fork")  # the samples are shared
    stop = forking.RawValue("b", False)
    watched, ends, processes = _Watched(plan), [], []
    came: list[int] = []

    def stopped(number: int, frame: object) -> None:
        stop.value = True
        came.append(number)

    with handled(stopped, once=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads, which no child needs
        try:
            for i in range(plan.n_processes):
                ours, theirs = forking.Pipe()
                numbers = [*range(i, plan.n_streams, plan.n_processes)]
                process = forking.Process(target=_work, args=(plan, numbers, theirs, stop), daemon=True)
                process.start()
                theirs.close()
                ends.append(ours)
                processes.append(process)
            for end in ends:
                _said(end)
            pids = [process.pid for process in processes if process.pid is not None]
            start, day = time.monotonic() + 0.1, time.time() + 0.1
            for end in ends:
                end.send(start)
            talking, measured = {*ends}, -1
            while talking:
                passed = max(time.monotonic() - start, 0.0)
                interval = int(passed / plan.interval)
                if interval != measured and (found := _resident(pids)) is not None:
                    watched.memory[interval], measured = found, interval
                move(passed)
                heard = wait([*talking], timeout=min(plan.interval / 2, 0.25))
                for end in talking.intersection(heard):
                    said = _said(end)
                    watched.hear(*said)
                    if said[0] == "end":
                        talking.discard(end)
            passed = time.monotonic() - start
            apart = time.time() - day - passed
            return watched.report(max(passed, 0.0), bool(came), apart)
        finally:
            stop.value = True
            for process in processes:
                process.join(2)
                process.kill()


def _said(end: Connection) -> Any:
    try:
        return end.recv()
    except (EOFError, ConnectionError):
        raise LibrosaError("a process of streams has ended, perhaps for lack of memory") from None


def find_most(
    plan: Plan, tried: Callable[[int, bool], object] = lambda n, was_late: None
) -> tuple[list[dict[str, Any]], dict[str, Any] | None, bool]:
    """Find how many streams run with no late block: twice as many each time, then between the last two, to 5 %.

    Parameters
    ----------
    plan : Plan
        Its number of streams is not used, that of processes is the most.
    tried : callable
        Is told how many streams a trial had, and whether a block was late.

    Returns
    -------
    trials : list of dict
        Each with its `streams`, `late` blocks and `worst_ms`.
    best : dict or None
        The report of the most streams with no late block.
    stopped : bool
        Whether a signal ended the search.
    """
    trials: list[dict[str, Any]] = []
    best, good, bad, n, stopped = None, 0, MOST_STREAMS + 1, 1, False
    while n <= MOST_STREAMS:
        given = plan._replace(n_streams=n, n_processes=min(n, plan.n_processes), ends_when_late=True)
        report = soak(given)
        was_late = report["late"] > 0
        trials.append({name: report[name] for name in ("streams", "seconds", "late", "worst_ms")})
        if report["stopped"]:
            stopped = True
            break
        tried(n, was_late)
        if was_late:
            bad = n
        else:
            good, best = n, report
        if bad - good <= max(good // 20, 1):
            break
        n = 2 * n if bad > MOST_STREAMS else (good + bad) // 2
    return trials, best, stopped
