"""Colour bars, and lines that stand out from what they are drawn on; part of `display`."""

import fractions

import numpy as np

from ..util.exceptions import ParameterError
from ._matplotlib import pyplot

__all__ = ["colorbar_db", "colorbar_phase", "highlight"]


def _figure_of(im, ax, fig):
    """The figure of a colour bar, and the axes that give up their room for it."""
    if ax is None:
        ax = im.axes
    if fig is None:
        fig = np.ravel(np.asarray(ax, dtype=object))[0].figure
    return fig, ax


def colorbar_db(im, *, ax=None, fig=None, format="% -3.f", **kwargs):
    """Add a colour bar of decibels.

    Parameters
    ----------
    im : matplotlib.cm.ScalarMappable
        What was drawn, as `specshow` returns it.
    ax : matplotlib.axes.Axes or several, optional
        Beside what the bar stands, by default the axes of `im`.
    fig : matplotlib.figure.Figure, optional
        By default that of the axes.
    format : str
        Of the labels.
    **kwargs
        Arguments of `matplotlib.figure.Figure.colorbar`, such as `label`.

    Returns
    -------
    matplotlib.colorbar.Colorbar

    Examples
    --------
    >>> mesh = metalmom.display.specshow(np.ones((3, 4)), vscale="dB")
    >>> metalmom.display.colorbar_db(mesh).ax.get_ylabel()
    'dB'
    """
    pyplot()
    fig, ax = _figure_of(im, ax, fig)
    kwargs.setdefault("label", "dB")
    return fig.colorbar(im, ax=ax, format=format, **kwargs)


def colorbar_phase(im, *, numticks=9, ax=None, fig=None, **kwargs):
    """Add a colour bar of phases, its ticks at fractions of pi.

    Parameters
    ----------
    im, ax, fig
        As in `colorbar_db`.
    numticks : int > 0
        Ticks from one end to the other, which for phases are -pi and pi.
    **kwargs
        Arguments of `matplotlib.figure.Figure.colorbar`.

    Returns
    -------
    matplotlib.colorbar.Colorbar

    Raises
    ------
    ParameterError
        If `numticks` is no positive integer.

    Examples
    --------
    >>> mesh = metalmom.display.specshow(np.ones((3, 4)), vscale="phase")
    >>> metalmom.display.colorbar_phase(mesh, numticks=3).get_ticks().round(2)
    array([-3.14,  0.  ,  3.14])
    """
    if not isinstance(numticks, (int, np.integer)) or numticks < 1:
        raise ParameterError(f"numticks={numticks} must be a positive integer")
    pyplot()
    from matplotlib.ticker import FuncFormatter, LinearLocator

    fig, ax = _figure_of(im, ax, fig)
    kwargs.setdefault("label", "radians")
    kwargs.setdefault("ticks", LinearLocator(numticks))
    kwargs.setdefault("format", FuncFormatter(_fraction_of_pi))
    return fig.colorbar(im, ax=ax, **kwargs)


def _fraction_of_pi(angle, _):
    share = fractions.Fraction(angle / np.pi).limit_denominator(16)
    if share == 0:
        return " 0"
    sign = "-" if share < 0 else " "
    times = "" if abs(share.numerator) == 1 else str(abs(share.numerator))
    below = "" if share.denominator == 1 else f"/{share.denominator}"
    return f"{sign}{times}π{below}"


def highlight(
    *,
    artist=None,
    ax=None,
    color=None,
    bright_color="white",
    dark_color="black",
    luminance_threshold=0.5,
    **kwargs,
):
    """Give lines a border that contrasts with the picture they are drawn on.

    Parameters
    ----------
    artist : matplotlib.artist.Artist, optional
        What gets the border.
    ax : matplotlib.axes.Axes, optional
        Where the picture is; by default the axes of `artist`, or the current ones.
    color : color, optional
        Of the border, instead of one that suits.
    bright_color, dark_color : color
        Of borders on dark and on bright pictures.
    luminance_threshold : number from 0 to 1
        From where a picture counts as bright.
    **kwargs
        Arguments of `matplotlib.patheffects.withStroke`, such as `linewidth` (2).

    Returns
    -------
    list of matplotlib.patheffects.AbstractPathEffect
        The effects, for ``path_effects=`` or `set_path_effects`; `artist` already has them.

    Examples
    --------
    >>> mesh = metalmom.display.specshow(np.array([[0.0, 0.0, 1.0]]))
    >>> (effect,) = metalmom.display.highlight(ax=mesh.axes)
    >>> effect._gc["foreground"]  # what is drawn is dark
    'white'
    """
    plt = pyplot()
    from matplotlib import patheffects

    if ax is None:
        ax = getattr(artist, "axes", None) or plt.gca()
    if color is None and "foreground" not in kwargs:
        color = dark_color if _luminance(ax) > luminance_threshold else bright_color
    style = {"foreground": color, "linewidth": 2, "alpha": 1.0, **kwargs}
    effects = [patheffects.withStroke(**style)]
    if artist is not None:
        artist.set_path_effects(effects)
    return effects


def _luminance(ax):
    """How bright axes are, 0 to 1: their pictures, or else what is behind them (ITU-R BT.601)."""
    from matplotlib.colors import to_rgba

    pictures = [m for m in (*ax.images, *ax.collections) if m.get_array() is not None]
    if pictures:
        # A sample of some thousand values is enough to judge the colours.
        values = np.ma.compressed(np.ma.masked_invalid(pictures[-1].get_array()))
        values = values[:: max(1, values.size // 4096)]
        colours = pictures[-1].cmap(pictures[-1].norm(values))
    else:
        face = to_rgba(ax.get_facecolor())
        colours = np.atleast_2d(face if face[3] > 0 else to_rgba(ax.figure.get_facecolor()))
    return float((colours[:, :3] @ [0.299, 0.587, 0.114]).mean())
