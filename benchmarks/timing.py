"""Times of two solvers, taken in alternating pairs so that both see the same machine."""

import contextlib
import dataclasses
import itertools
import statistics
import time


@dataclasses.dataclass(frozen=True)
class Sample:
    """Median and half the interquartile range of repeated measurements."""

    median: float
    spread: float

    @classmethod
    def of(cls, values):
        if len(values) < 4:
            return cls(statistics.median(values), (max(values) - min(values)) / 2)
        low, _, high = statistics.quantiles(values, n=4)
        return cls(statistics.median(values), (high - low) / 2)


# What a call costs is read from this clock.
CLOCK = time.perf_counter


@contextlib.contextmanager
def processor_time():
    """Inside the block calls cost processor time, not time on the wall."""
    global CLOCK
    before, CLOCK = CLOCK, time.process_time
    try:
        yield
    finally:
        CLOCK = before


def seconds_of(solve, inputs):
    start = CLOCK()
    solve(*inputs)
    return CLOCK() - start


def settle(solve, inputs, seconds=0.03):
    """Before a timed call on several threads. The OpenMP threads of a peer keep their core busy for
    milliseconds after their work, which would count against whoever comes next, and the system
    needs some calls to give threads that had slept a core each.
    """
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        solve(*inputs)


def rounds(solvers, inputs, before=None):
    """Without end: the seconds of each solver on one input, which changes from round to round as
    does who begins. BEFORE, if any, is called with the solver and the last round's input.
    """
    for i in itertools.count():
        taken = [0.0] * len(solvers)
        for k in range(len(solvers)):
            turn = (i + k) % len(solvers)
            if before:
                before(solvers[turn], inputs[(i - 1) % len(inputs)])
            taken[turn] = seconds_of(solvers[turn], inputs[i % len(inputs)])
        yield taken


def until_spent(measurements, budget, least=5, most=120):
    """MEASUREMENTS until BUDGET seconds are spent, but LEAST of them and MOST at the most."""
    start = time.perf_counter()
    taken = []
    for measurement in measurements:
        taken.append(measurement)
        spent = time.perf_counter() - start >= budget
        if len(taken) >= most or (spent and len(taken) >= least):
            return taken


def alternate(ours, peer, inputs, *, budget, before=None):
    """(our Sample, the peer's, the ratio's), in seconds and as peer / ours."""
    for solve in (ours, peer):
        solve(*inputs[-1])
    taken = until_spent(rounds((ours, peer), inputs, before), budget)
    mine, theirs = zip(*taken)
    return Sample.of(mine), Sample.of(theirs), Sample.of([b / a for a, b in taken])


def alone(solve, inputs, *, budget):
    """The Sample of one solver, the input changed from call to call."""
    solve(*inputs[-1])
    return Sample.of(until_spent((seconds_of(solve, i) for i in itertools.cycle(inputs)), budget))
