"""Two measurements side by side: what became slower or faster, and what is within the spread."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ._summary import grouped

if TYPE_CHECKING:
    from ._recording import Span

__all__ = [
    "LEAST_CHANGE", "LEAST_OF_WHOLE", "LEAST_VALUES", "SLOWER", "Change", "changes_of", "ratio_text", "spread",
]

LEAST_VALUES = 3  # of fewer, the spread says nothing
LEAST_CHANGE = 0.05  # of the median before
LEAST_OF_WHOLE = 0.001  # of the recorded time, all spans of a name together

SLOWER, FASTER, EQUAL, UNKNOWN = "slower", "faster", "within the spread", "too few to tell"


class Change(NamedTuple):
    """A duration before and after, each with its median, its spread and the number of values."""

    name: str
    before: tuple[float, float, int]
    after: tuple[float, float, int]
    least: float = 0.0  # difference that counts

    @property
    def verdict(self) -> str:
        """Slower or faster is what differs by more than both spreads together, and enough to matter."""
        (old, old_spread, n_old), (new, new_spread, n_new) = self.before, self.after
        if min(n_old, n_new) < LEAST_VALUES:
            return UNKNOWN
        difference = abs(new - old)
        if difference <= old_spread + new_spread or difference < max(LEAST_CHANGE * old, self.least):
            return EQUAL
        return SLOWER if new > old else FASTER


def ratio_text(change: Change) -> str:
    return f"{change.after[0] / change.before[0]:.2f}" if change.before[0] else ""


def spread(values: Sequence[float]) -> float:
    """Half the distance between the quartiles: half of the values lie that close to the median."""
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2


def changes_of(before: Iterable[Span], after: Iterable[Span], whole: float = 0.0) -> list[Change]:
    """The changes of all spans that both have, by category and name: those beyond the spread first.

    `whole` is the recorded time of those after, in microseconds.
    """
    def figures(spans: Iterable[Span]) -> dict[tuple[str, str], tuple[float, float, int]]:
        return {
            key: (statistics.median(times), spread(times), len(times))
            for key, group in grouped(spans, lambda span: (span.cat, span.name)).items()
            for times in [[span.dur for span in group]]
        }

    old, new = figures(before), figures(after)
    both = old.keys() & new.keys()
    changes = [Change(f"{cat} {name}", old[cat, name], new[cat, name],
                      LEAST_OF_WHOLE * whole / new[cat, name][2]) for cat, name in both]
    return sorted(changes, key=lambda change: (
        change.verdict not in (SLOWER, FASTER), -abs(change.after[0] - change.before[0]) * change.after[2]))
