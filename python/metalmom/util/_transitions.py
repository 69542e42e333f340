"""Transitions to nearby states: for states that are steps of something continuous."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._checks import is_count, require
from ._memory import refuse_beyond_memory
from .utils import pad_center

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from ._types import Float64Array, Int


def require_states(n_states: Int) -> None:
    """Refuse fewer than two states, and more than a matrix in memory can be of."""
    require(is_count(n_states) and n_states > 1, "n_states", n_states, "an integer above 1")
    require_room_for_states(n_states)


def require_room_for_states(n_states: Int) -> None:
    """Refuse more states than a matrix in memory can be of."""
    refuse_beyond_memory("n_states", n_states, 8 * int(n_states) ** 2)


def nearby(
    n_states: Int, widths: Sequence[int], window: Callable[[int], Float64Array], wrap: bool = False
) -> Float64Array:
    """A row for each state, a window of its width around it: not yet scaled to a sum of 1."""
    weights = np.zeros((n_states, n_states))
    rows = {}
    for state, reach in enumerate(widths):
        if reach not in rows:
            # Rolled so that the window is centred on state 0.
            rows[reach] = np.roll(pad_center(window(reach), size=n_states), n_states // 2 + 1)
        row = np.roll(rows[reach], state)
        if not wrap:
            row[state + reach // 2 + 1 :] = 0
            row[: max(0, state - reach // 2)] = 0
        weights[state] = row
    return weights
