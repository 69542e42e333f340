"""Where ticks lie on axes of notes; part of `display`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import LogLocator

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ..util._types import Array


class NoteLocator(LogLocator):
    """Ticks at frequencies in fixed ratios to powers of two, from 1 Hz where an axis begins below.

    matplotlib refuses to draw axes that show 0 Hz, unless it has seen data that are positive.
    """

    def __init__(self, ratios: Sequence[float] | Array) -> None:
        super().__init__(base=2.0, subs=ratios)

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float] | Array:
        """The ticks between two frequencies."""
        if vmax <= 0:
            return []
        return super().tick_values(vmin if vmin > 0 else min(1.0, 0.5 * vmax), vmax)


class OctaveLocator(NoteLocator):
    """A tick an octave, or every few octaves where there is no room for more.

    Older matplotlibs (3.6) leave such an axis without ticks if its ticks are no powers of two.
    """

    def __init__(self, ratio: float) -> None:
        super().__init__((ratio,))
        self._ratio = ratio

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float] | Array:
        """The ticks between two frequencies."""
        ticks = super().tick_values(vmin, vmax)
        if len(ticks) or vmax <= 0:
            return ticks
        all_of_them = LogLocator(base=2.0, subs=(self._ratio,), numticks=1000)
        every: Array = all_of_them.tick_values(vmin if vmin > 0 else min(1.0, 0.5 * vmax), vmax)
        room = max(self.axis.get_tick_space(), 2)
        return every[:: -(-len(every) // room)]
