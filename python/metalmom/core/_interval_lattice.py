"""Growth of a set of intervals in harmonic space (J. Tenney, "On 'Crystal Growth'...", 2008)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ..util._types import Array, Int

# As in librosa: distances are rounded to so many decimals, and sums that differ by less are ties.
_DECIMALS = 6
_RELATIVE, _ABSOLUTE = 1e-5, 1e-8


def grow(primes: Sequence[float] | Array, count: Int) -> Array:
    """Exponents of `primes` of the first `count` points, one row each, the unison first.

    Each point is the neighbour of the set with the least sum of distances to it; of those that
    tie, one that is nearer to the unison. Sums add in the order of growth: their last bits decide
    between points that mirror each other.
    """
    logs = np.log2(np.asarray(primes, dtype=np.float64))
    steps = np.repeat(np.eye(len(logs), dtype=int), 2, axis=0)
    steps[1::2] *= -1

    def distance(one: Array, other: Array) -> Array:
        return np.round(np.abs(one - other) @ logs, _DECIMALS)

    points = np.zeros((1, len(logs)), dtype=int)
    neighbours, totals = np.empty((0, len(logs)), dtype=int), np.empty(0)
    met = {tuple(points[0])}
    while True:
        unmet = [p for p in (points[-1] + steps).tolist() if tuple(p) not in met]
        met.update(map(tuple, unmet))
        if unmet:
            fresh = np.array(unmet)
            sums = np.cumsum(distance(fresh[:, None], points), axis=1)[:, -1]
            neighbours = np.concatenate([neighbours, fresh])
            totals = np.concatenate([totals, sums])
        if len(points) >= count:
            return points
        chosen = _least(totals, np.abs(neighbours) @ logs)
        point = neighbours[chosen]
        points = np.concatenate([points, point[None]])
        neighbours, totals = np.delete(neighbours, chosen, axis=0), np.delete(totals, chosen)
        totals += distance(neighbours, point)


def _least(totals: Array, sizes: Array) -> int:
    """Index of the least total, or of a later one that ties with it and is of smaller size."""
    best = int(np.argmin(totals))
    near = np.flatnonzero(totals <= totals[best] * (1 + 10 * _RELATIVE) + 10 * _ABSOLUTE)
    for i in near[near > best].tolist():
        tie = totals[i] - totals[best] <= _ABSOLUTE + _RELATIVE * totals[best]
        if totals[i] < totals[best] or (tie and sizes[i] < sizes[best]):
            best = i
    return best
