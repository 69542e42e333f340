"""Times of two solvers, taken in alternating pairs so that both see the same machine."""

import dataclasses
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


def seconds_of(solve, inputs):
    start = time.perf_counter()
    solve(*inputs)
    return time.perf_counter() - start


def alternate(ours, peer, inputs, *, budget, least=5, most=60):
    """(our Sample, the peer's, the ratio's), in seconds and as peer / ours.

    Each pair runs both on one input, in an order that changes from pair to pair; the input changes
    with every pair. Pairs are taken until BUDGET seconds are spent, but LEAST of them at least.
    """
    for solve in (ours, peer):
        solve(*inputs[-1])
    mine, theirs = [], []
    start = time.perf_counter()
    while len(mine) < most and (
        len(mine) < least or time.perf_counter() - start < budget
    ):
        item = inputs[len(mine) % len(inputs)]
        if len(mine) % 2:
            theirs.append(seconds_of(peer, item))
            mine.append(seconds_of(ours, item))
        else:
            mine.append(seconds_of(ours, item))
            theirs.append(seconds_of(peer, item))
    ratios = [b / a for a, b in zip(mine, theirs)]
    return Sample.of(mine), Sample.of(theirs), Sample.of(ratios)


def alone(solve, inputs, *, budget, least=5, most=60):
    """The Sample of one solver, the input changed from call to call."""
    solve(*inputs[-1])
    times = []
    start = time.perf_counter()
    while len(times) < most and (len(times) < least or time.perf_counter() - start < budget):
        times.append(seconds_of(solve, inputs[len(times) % len(inputs)]))
    return Sample.of(times)
