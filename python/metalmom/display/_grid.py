"""Several pictures side by side, and their legends; part of `display`."""

import itertools

import numpy as np

from ..util._checks import is_one_of
from ..util.exceptions import ParameterError
from ._matplotlib import pyplot

__all__ = ["legend_for_axes", "multiplot"]


def _signals(func, data):
    """The signals to draw as an array of objects, in the shape of their grid."""
    core_ndim = 2 if func == "specshow" else 1
    if not data:
        raise ParameterError("data must be one array at least")
    if len(data) > 1:
        grid = np.empty(len(data), dtype=object)
        grid[:] = [np.asarray(each) for each in data]
        return grid
    whole = np.asarray(data[0])
    if whole.ndim < core_ndim:
        raise ParameterError(f"data.shape={whole.shape} must have {core_ndim} dimensions at least")
    lead = whole.shape[: whole.ndim - core_ndim] or (1,)
    grid = np.empty(lead, dtype=object)
    flat = whole.reshape(-1, *whole.shape[whole.ndim - core_ndim :])
    for place, signal in zip(np.ndindex(lead), flat):
        grid[place] = signal
    return grid


def _grid_shape(lead, orient):
    if not is_one_of(orient, ("h", "v")):
        raise ParameterError(f"orient={orient!r} must be 'h' or 'v'")
    if len(lead) > 2:
        raise ParameterError(f"data have axes of shape {lead}: at most two must be left to lay out")
    if len(lead) == 2:
        return lead
    return (1, lead[0]) if orient == "h" else (lead[0], 1)


def _groups(share, shape):
    """A number for each place: places of one number have the same colours."""
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    if share is None or share is False:
        return numbers
    if share is True:
        return np.zeros(shape, dtype=int)
    if isinstance(share, str) and share in ("row", "col"):
        by = np.arange(shape[0])[:, np.newaxis] if share == "row" else np.arange(shape[1])
        return np.broadcast_to(by, shape)
    share = np.asarray(share)
    if share.size != numbers.size or share.dtype.kind in "US" and share.ndim == 0:
        raise ParameterError(
            f"share_properties={share.tolist()!r} must be a bool, 'row', 'col' or of shape {shape}"
        )
    # Numbers groups in the order of their first members.
    _, first, inverse = np.unique(share.ravel(), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].reshape(shape)


def _texts(texts, shape, name):
    if texts is None:
        return np.full(shape, None, dtype=object)
    texts = np.asarray(texts, dtype=object)
    if texts.size != int(np.prod(shape)):
        raise ParameterError(f"{name} must be {int(np.prod(shape))}, one for each picture")
    return texts.reshape(shape)


def multiplot(
    func,
    *data,
    axes=None,
    fig=None,
    orient="v",
    share_properties=None,
    fig_kw=None,
    sharex=True,
    sharey=True,
    label_outer=True,
    labels=None,
    titles=None,
    prop_cycle=None,
    **kwargs,
):
    """Draw several signals or spectrograms, each on axes of its own.

    Parameters
    ----------
    func : {"waveshow", "wavebars", "specshow"}
        How they are drawn.
    *data : np.ndarray
        One array, whose leading axes are laid out (two at most), or several.
    axes : matplotlib.axes.Axes or array of them, optional
        What to draw on; by default a new grid.
    fig : matplotlib.figure.Figure, optional
        Where a new grid is made; by default a new figure.
    orient : {"v", "h"}
        Whether a single row of data goes down or to the right.
    share_properties : bool, "row", "col", np.ndarray or None
        Which waves have the same colours: none, all, those of a row or a column, or those with the
        same number.
    fig_kw : dict, optional
        Arguments of `matplotlib.pyplot.subplots` for a new figure.
    sharex, sharey : bool
        Whether axes of a new grid share their limits.
    label_outer : bool
        Whether only outer axes have labels.
    labels, titles : sequence of str, optional
        For a legend and above each picture.
    prop_cycle : cycler.Cycler, optional
        Properties of waves, by default matplotlib's colours.
    **kwargs
        Arguments of `func`.

    Returns
    -------
    np.ndarray of object
        What `func` returned, in the shape of the data or of `axes`.

    Raises
    ------
    ParameterError
        For values not listed, and axes, labels or titles that do not fit the data.

    Examples
    --------
    >>> y = np.zeros((2, 1000))
    >>> metalmom.display.multiplot("waveshow", y).shape
    (2,)
    """
    from . import specshow, wavebars, waveshow

    draw = {"waveshow": waveshow, "wavebars": wavebars, "specshow": specshow}.get(func)
    if draw is None:
        raise ParameterError(f"func={func!r} must be 'waveshow', 'wavebars' or 'specshow'")
    signals = _signals(func, data)
    shape = _grid_shape(signals.shape, orient)
    plt = pyplot()
    if axes is None:
        make = plt.subplots if fig is None else fig.subplots
        made = make(*shape, sharex=sharex, sharey=sharey, squeeze=False, **(fig_kw or {}))
        grid, result_shape = (made[1] if fig is None else made), signals.shape
    else:
        grid, result_shape = np.asarray(axes, dtype=object), np.shape(axes)
        fits = grid.size == signals.size and (grid.ndim < 2 or grid.shape in (shape, signals.shape))
        if not fits:
            raise ParameterError(f"axes.shape={grid.shape} must fit data of shape {signals.shape}")
        grid = grid.reshape(shape)
    drawn = np.empty(shape, dtype=object)
    styles = _styles(plt, prop_cycle, _groups(share_properties, shape))
    words = _texts(labels, shape, "labels"), _texts(titles, shape, "titles")
    for place, signal in zip(np.ndindex(shape), signals.ravel()):
        own = dict(kwargs)
        if func != "specshow":  # pictures have a colour map instead, and do not appear in legends
            own = {**styles[place], **kwargs}
            if words[0][place] is not None:
                own["label"] = words[0][place]
        drawn[place] = draw(signal, ax=grid[place], **own)
        if words[1][place] is not None:
            grid[place].set_title(words[1][place])
        if label_outer and grid[place].get_subplotspec() is not None:
            grid[place].label_outer()
    return drawn.reshape(result_shape)


def _styles(plt, prop_cycle, groups):
    """The properties of each place."""
    cycle = plt.rcParams["axes.prop_cycle"] if prop_cycle is None else prop_cycle
    of_group = list(itertools.islice(itertools.cycle(cycle), int(groups.max()) + 1))
    return {place: of_group[groups[place]] for place in np.ndindex(groups.shape)}


def legend_for_axes(axes=None, *, fig=None, **kwargs):
    """Add one legend of several axes to their figure.

    Parameters
    ----------
    axes : matplotlib.axes.Axes or array of them, optional
        By default all of the figure.
    fig : matplotlib.figure.Figure, optional
        By default that of the axes, or the current one.
    **kwargs
        Arguments of `matplotlib.figure.Figure.legend`, such as `loc`.

    Returns
    -------
    matplotlib.legend.Legend

    Raises
    ------
    ParameterError
        If there are no axes, or they are not of one figure.

    Examples
    --------
    >>> plots = metalmom.display.multiplot("waveshow", np.zeros((2, 99)), labels=["left", "right"])
    >>> legend = metalmom.display.legend_for_axes([plot.ax for plot in plots])
    >>> [text.get_text() for text in legend.get_texts()]
    ['left', 'right']
    """
    plt = pyplot()
    from matplotlib.axes import Axes

    if axes is None:
        axes = (plt.gcf() if fig is None else fig).axes
    flat = list(np.ravel(np.asarray(axes, dtype=object)))
    if not flat or not all(isinstance(ax, Axes) for ax in flat):
        raise ParameterError(f"axes={axes!r} must be matplotlib axes, one at least")
    fig = flat[0].figure if fig is None else fig
    if any(ax.figure is not fig for ax in flat):
        raise ParameterError("axes must all be of one figure")
    handles, labels = [], []
    for ax in flat:
        more = ax.get_legend_handles_labels()
        handles += more[0]
        labels += more[1]
    return fig.legend(handles, labels, **kwargs)
