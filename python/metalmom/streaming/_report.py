"""How a stream keeps its deadlines."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Report"]


@dataclass(frozen=True)
class Report:
    """Times of the blocks of a stream, and how many were late: the result of `Stream.report`.

    It prints as a table. A time is that from the beginning of a call to its end. Blocks without samples,
    `flush` and a block with ``last=True`` are not counted, because no live source waits for them.

    Attributes
    ----------
    blocks : int
        Blocks since the stream was made, or since `reset()`, `warmup()`, or another `rate`.
    samples : int
        What they had; of a spectrogram, frames.
    late : int, or None
        Blocks that took longer than they last; None where the stream has no `rate`.
    budget : float, or None
        How long a block lasts on average, in seconds: its samples over the rate.
    share : float, or None
        The time of all blocks over how long they last: 0.01 is a hundredth of a processor.
    mean, p50, p99, worst : float
        Seconds that a block took: on average; at most, for half of the blocks and for 99 of 100 (too high by an
        eighth at most); and the longest one.
    histogram : dict of int to int
        Blocks that took from 2^k to 2^(k+1) microseconds, for each k that there is.

    Examples
    --------
    >>> s = metalmom.streaming.RMS()
    >>> s.rate = 22050
    >>> for _ in range(100):
    ...     frames = s.process(np.zeros(512, dtype=np.float32))
    >>> report = s.report()
    >>> report.blocks, report.late, round(report.budget, 4)
    (100, 0, 0.0232)
    """

    blocks: int
    samples: int
    late: int | None
    budget: float | None
    share: float | None
    mean: float
    p50: float
    p99: float
    worst: float
    histogram: dict[int, int]

    def __str__(self) -> str:
        times = "".join(f"  {name} {1e6 * getattr(self, name):.1f} us" for name in ("mean", "p50", "p99", "worst"))
        lines = [f"{self.blocks} blocks:{times}"]
        if self.budget is not None and self.share is not None:
            lines.append(
                f"a block lasts {1e3 * self.budget:.2f} ms, of which the stream takes {self.share:.2%}; {self.late} late"
            )
        most = max(self.histogram.values(), default=1)
        for power, blocks in sorted(self.histogram.items()):
            bar = "#" * max(round(40 * blocks / most), 1)
            lines.append(f"{2.0 ** power:12g} us{blocks:10d}  {bar}")
        return "\n".join(lines)
