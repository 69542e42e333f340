"""matplotlib, where it is installed: the one place that says so where it is not."""

from ..util._packages import required
from ..util.exceptions import ParameterError, Shown


def pyplot():
    """`matplotlib.pyplot`; it is imported by the first picture, not with metalmom."""
    return required("matplotlib.pyplot")


def chosen_axes(ax):
    """The axes to draw on: those given, or the current ones."""
    plt = pyplot()
    if ax is None:
        return plt.gca()
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise ParameterError("ax", Shown(type(ax).__name__), "matplotlib axes")
    return ax
