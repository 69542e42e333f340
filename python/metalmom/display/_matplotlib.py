"""matplotlib, where it is installed: the one place that says so where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..util._packages import required
from ..util.exceptions import ParameterError, TypeOf

if TYPE_CHECKING:
    from types import ModuleType

    from ..util._types import Axes


def pyplot() -> ModuleType:
    """`matplotlib.pyplot`; it is imported by the first picture, not with metalmom."""
    return required("matplotlib.pyplot")


def chosen_axes(ax: Axes | None) -> Axes:
    """The axes to draw on: those given, or the current ones."""
    plt = pyplot()
    if ax is None:
        return plt.gca()
    from matplotlib import axes

    if not isinstance(ax, axes.Axes):
        raise ParameterError("ax", TypeOf(ax), "matplotlib axes")
    return ax
