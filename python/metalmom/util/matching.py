"""Matching: events and intervals in time."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from ._public import public
from ._rules import array, array_like
from ._types import Array, ArrayLike, FrequenciesLike, NDArray

from .exceptions import ParameterError, Shown
from .utils import require_intervals

__all__ = ["match_events", "match_intervals"]


@public
def match_events(
    events_from: FrequenciesLike,
    events_to: Annotated[ArrayLike, array_like("m")],
    left: bool = True,
    right: bool = True,
) -> NDArray[np.int32]:
    """Find the nearest target of each event.

    Parameters
    ----------
    events_from : array_like, shape (n,)
        Events (times, samples, frames) to match.
    events_to : array_like, shape (m,)
        Targets, in any order.
    left, right : bool
        Whether a target may lie before (after) its event.

    Returns
    -------
    np.ndarray of int32, shape (n,)
        For each event the index of its target.

    Raises
    ------
    ParameterError
        If a list is empty, or some event has no target on a side that is allowed.

    Examples
    --------
    >>> metalmom.util.match_events([0, 7, 14], [0, 10, 20])
    array([0, 1, 1], dtype=int32)
    """
    source, target = np.asarray(events_from), np.asarray(events_to)
    if len(source) == 0 or len(target) == 0:
        raise ParameterError("events_from and events_to must not be empty", argument="events_from")
    if not (left or right) and not np.all(np.isin(source, target)):
        raise ParameterError("events_from", rule="contained in events_to with left=right=False")
    if not left and target.max() < source.max():
        raise ParameterError(
            "max(events_to) must be at least max(events_from) with left=False", argument="events_to"
        )
    if not right and target.min() > source.min():
        raise ParameterError(
            "min(events_to) must be at most min(events_from) with right=False", argument="events_to"
        )

    order = np.argsort(target, kind="stable")
    ordered = target[order]
    last = len(ordered) - 1
    # The first target that is not before the event (or the last one), and its two neighbours.
    middle = np.minimum(np.searchsorted(ordered, source), last)
    before, after = np.maximum(middle - 1, 0), np.minimum(middle + 1, last)
    has_before, has_after = bool(left) & (middle > 0), bool(right) & (middle < last)

    def distance(where: Array) -> Array:
        return abs(ordered[where] - source)

    to_middle, to_before, to_after = distance(middle), distance(before), distance(after)
    nearer = to_before < to_middle
    take_before = has_before & np.where(has_after, nearer & (to_before < to_after), nearer)
    if not right:
        take_before |= has_before & (ordered[middle] > source)
    take_after = ~take_before & has_after & (to_after < to_middle)
    chosen = np.where(take_before, before, np.where(take_after, after, middle))
    return order[chosen].astype(np.int32)


@public
def match_intervals(
    intervals_from: Annotated[Array, array("n, 2")],
    intervals_to: Annotated[Array, array("m, 2")],
    strict: bool = True,
) -> NDArray[np.uint32]:
    """Find for each interval the target that overlaps it best, by Jaccard similarity.

    Parameters
    ----------
    intervals_from : np.ndarray, shape (n, 2)
        Starts and ends of the intervals to match.
    intervals_to : np.ndarray, shape (m, 2)
        Starts and ends of the targets.
    strict : bool
        Refuse an interval that no target touches; otherwise it gets a target nearby: the one
        that ends last before it, or the second one that starts after it, whichever is nearer.

    Returns
    -------
    np.ndarray of uint32, shape (n,)
        For each interval the index of its target.

    Raises
    ------
    ParameterError
        If a list is empty or not of shape (n, 2), an interval ends before it starts, or with
        `strict` an interval has no target.

    Examples
    --------
    >>> metalmom.util.match_intervals(np.array([[3, 5], [1, 4]]), np.array([[0, 2], [1, 3], [4, 5]]))
    array([2, 1], dtype=uint32)
    """
    if len(intervals_from) == 0 or len(intervals_to) == 0:
        raise ParameterError("intervals_from and intervals_to must not be empty", argument="intervals_from")
    require_intervals("intervals_from", intervals_from)
    require_intervals("intervals_to", intervals_to)

    matched = np.empty(len(intervals_from), dtype=np.uint32)
    rows = max(1, _PAIRS_AT_ONCE // len(intervals_to))
    for first in range(0, len(intervals_from), rows):
        part = slice(first, first + rows)
        matched[part], touches = _most_alike(intervals_from[part], intervals_to)
        alone = first + np.flatnonzero(~touches)
        if strict and alone.size:
            start, end = intervals_from[alone[0]]
            shown = Shown(f"({start}, {end})")
            raise ParameterError(
                f"intervals_from[{alone[0]}]", shown, "touch an interval of intervals_to", verb="must"
            )
        if alone.size:
            matched[alone] = _nearest(intervals_from[alone], intervals_to)
    return matched


# Pairs of intervals that are compared together: so few that the results stay in cache.
_PAIRS_AT_ONCE = 1 << 14


def _most_alike(intervals: Array, targets: Array) -> tuple[Array, Array]:
    """Of each interval the first target most similar to it (Jaccard), and whether any touches it."""
    low, high = intervals[:, :1], intervals[:, 1:]
    starts, ends = targets[:, 0], targets[:, 1]
    shared = np.minimum(high, ends) - np.maximum(low, starts)
    union = np.maximum(high, ends) - np.minimum(low, starts)
    # Two equal points have an empty union and count as similarity 0.
    union[~(union > 0)] = 1
    touching = shared >= 0
    similarity = np.where(touching, shared / union, -1)
    return similarity.argmax(axis=1), touching.any(axis=1)


def _nearest(intervals: Array, targets: Array) -> list[Any]:
    """Of intervals that touch no target, the nearest one of those before and those after."""
    starts, ends = targets[:, 0], targets[:, 1]
    by_start, by_end = np.argsort(starts, kind="stable"), np.argsort(ends, kind="stable")
    nearest = []
    for start, end in intervals:
        n_before = np.count_nonzero(ends < start)
        n_started = np.count_nonzero(starts <= end)
        to_before = start - ends[by_end[n_before - 1]] if n_before else np.inf
        # librosa skips the first interval after the query. So do we, so that matches are the same.
        has_after = n_started + 1 < len(starts)
        to_after = starts[by_start[n_started + 1]] - end if has_after else np.inf
        if n_before and to_before < to_after:
            nearest.append(by_end[n_before - 1])
        else:
            nearest.append(by_start[min(n_started + 1, len(starts) - 1)])
    return nearest
