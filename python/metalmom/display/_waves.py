"""Pictures of waves; part of `display`."""

import types

import numpy as np

from .. import util
from .._spans import composed
from ..core import samples_like
from ..util._checks import is_one_of
from ..util.exceptions import ParameterError
from . import _axes, _coordinates
from ._matplotlib import chosen_axes

__all__ = ["wavebars", "wavef0", "waveshow"]


def _envelope(y, hop):
    """Upper and lower bounds of blocks of `hop` samples: of a wave, or of two channels."""
    n_blocks = y.shape[-1] // hop
    blocks = np.abs(y[..., : n_blocks * hop].reshape(*y.shape[:-1], n_blocks, hop))
    peaks = blocks.max(axis=-1)
    return (peaks[0], -peaks[1]) if y.ndim > 1 else (peaks, -peaks)


def _checked(y, sr):
    util.valid_audio(y)
    if y.ndim > 2 or (y.ndim == 2 and y.shape[0] == 0) or y.shape[-1] == 0:
        raise ParameterError(f"y.shape={y.shape} must be (n,) or (2, n), not empty")
    if not sr > 0:
        raise ParameterError(f"sr={sr} must be strictly positive")
    return y[0] if y.ndim == 2 and y.shape[0] == 1 else y


def _decorate_time(ax, kind, transpose):
    if kind not in (*_coordinates.HIDDEN, *_coordinates.TIMES, *_coordinates.LAGS):
        raise ParameterError(f"axis={kind!r} must be a kind of axis of times, or None")
    _axes.decorate(ax.yaxis if transpose else ax.xaxis, kind, types.SimpleNamespace())


def _inverted_colours(ax, color, invert_color):
    """Fill the axes with the colour of the wave; returns the colour of what is drawn on it."""
    drawn = ax.get_facecolor() if invert_color is None else invert_color
    ax.set_facecolor(color)
    return drawn


def _add_line_of_legend(ax, label, color, background):
    """Let a legend show a wave as a line, whether its envelope or its samples are in view."""
    from matplotlib.lines import Line2D
    from matplotlib.patheffects import Normal, Stroke

    line = Line2D([], [], color=color, solid_capstyle="butt", label=label)
    if background is not None:
        line.set_path_effects([Stroke(linewidth=7, foreground=background), Normal()])
    ax.add_artist(line)


def _add_patch_of_legend(ax, **properties):
    """Let a legend show bars in their colour, or that of the axes that they are left out of."""
    from matplotlib.patches import Rectangle

    ax.add_artist(Rectangle((np.nan, np.nan), 0, 0, **properties))


@composed
def waveshow(
    y,
    *,
    sr=22050,
    max_points=11025,
    axis="time",
    offset=0.0,
    marker="",
    where="post",
    label=None,
    transpose=False,
    mask=None,
    ax=None,
    invert=False,
    invert_color=None,
    **kwargs,
):
    """Draw a wave: its samples where few are in view, else its envelope.

    The picture follows the zoom.

    Parameters
    ----------
    y : np.ndarray [shape=(n,) or (2, n)], real floating-point
        Audio. Of two channels the envelope shows the left one above and the right one below, the
        samples are those of the left one.
    sr : number > 0
        Sampling rate in Hz.
    max_points : int > 0
        Samples to show at most; the envelope has at most so many blocks, too.
    axis : str or None
        A kind of axis of times, as in `specshow`, or None for no ticks.
    offset : number
        Time of the first sample in seconds.
    marker : str
        Marks samples.
    where : {"pre", "mid", "post"}
        Where steps are, as in `matplotlib.axes.Axes.step`.
    label : str, optional
        For a legend.
    transpose : bool
        Whether time is the vertical axis.
    mask : np.ndarray of bool [shape=(n,)], optional
        Where the envelope is drawn.
    ax : matplotlib.axes.Axes, optional
        What to draw on, by default the current axes.
    invert : bool
        Whether to fill the axes with the colour and leave out the wave.
    invert_color : color, optional
        Of the wave where `invert` is set, by default that of the axes.
    **kwargs
        Of both `matplotlib.axes.Axes.fill_between` and `step`, such as `color` and `alpha`.

    Returns
    -------
    metalmom.display.AdaptiveWaveplot

    Raises
    ------
    ParameterError
        For values not listed.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> plot = metalmom.display.waveshow(y, sr=22050)
    >>> len(plot.steps.get_xdata())
    11025
    """
    if not util.is_positive_int(max_points):
        raise ParameterError(f"max_points={max_points} must be a positive integer")
    if not is_one_of(where, ("pre", "mid", "post")):
        raise ParameterError(f"where={where!r} must be 'pre', 'mid' or 'post'")
    y = _checked(y, sr)
    ax = chosen_axes(ax)
    from ._artists import AdaptiveWaveplot

    hop = max(1, y.shape[-1] // max_points)
    top, bottom = _envelope(y, hop)
    times = offset + np.arange(y.shape[-1]) / sr
    samples = y[0] if y.ndim > 1 else y
    color = kwargs.pop("color", None) or ax._get_lines.get_next_color()
    fill = color
    if invert:
        color = _inverted_colours(ax, color, invert_color)

    shown = times[:max_points], samples[:max_points]
    (steps,) = ax.step(
        *(shown[::-1] if transpose else shown), marker=marker, where=where, color=color, **kwargs
    )
    between = ax.fill_betweenx if transpose else ax.fill_between
    envelope = between(
        times[:: hop][: top.size],
        bottom,
        top,
        step=where,
        color=color,
        where=None if mask is None else np.asarray(mask)[::hop][: top.size],
        **kwargs,
    )
    if label is not None:
        _add_line_of_legend(ax, label, color, fill if invert else None)
    plot = AdaptiveWaveplot(
        times, samples, steps, envelope, sr=sr, max_samples=max_points, transpose=transpose
    )
    plot.connect(ax, signal="ylim_changed" if transpose else "xlim_changed")
    plot.update(ax)
    _decorate_time(ax, axis, transpose)
    return plot


@composed
def wavebars(
    y,
    *,
    sr=22050,
    n_bars=100,
    gap_ratio=0.4,
    rounding_ratio=0.5,
    axis="time",
    offset=0.0,
    invert=False,
    invert_color=None,
    transpose=False,
    label=None,
    ax=None,
    **patch_kwargs,
):
    """Draw the envelope of a wave as bars.

    Parameters
    ----------
    y : np.ndarray [shape=(n,) or (2, n)], real floating-point
        Audio; of two channels the left one is shown above, the right one below.
    sr : number > 0
        Sampling rate in Hz.
    n_bars : int > 0
        Bars; fewer if there are fewer samples.
    gap_ratio : number from 0 to 1
        Share of a bar's time that is left between bars.
    rounding_ratio : number from 0 to 1
        Radius of corners relative to the width of a bar.
    axis, offset, invert, invert_color, transpose, label, ax
        As in `waveshow`.
    **patch_kwargs
        Arguments of `matplotlib.collections.PatchCollection`, such as `color`.

    Returns
    -------
    matplotlib.collections.PatchCollection

    Raises
    ------
    ParameterError
        For values not listed.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> bars = metalmom.display.wavebars(y, sr=22050, n_bars=10)
    >>> len(bars.get_paths())
    10
    """
    if not util.is_positive_int(n_bars):
        raise ParameterError(f"n_bars={n_bars} must be a positive integer")
    for name, value in (("gap_ratio", gap_ratio), ("rounding_ratio", rounding_ratio)):
        if not 0 <= value <= 1:
            raise ParameterError(f"{name}={value} must be between 0 and 1")
    y = _checked(y, sr)
    ax = chosen_axes(ax)
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import BoxStyle, FancyBboxPatch

    hop = max(1, y.shape[-1] // n_bars)
    top, bottom = _envelope(y, hop)
    width = (1 - gap_ratio) * hop / sr
    radius = rounding_ratio * width
    corners = BoxStyle.Round(pad=0, rounding_size=radius)
    top, bottom = np.maximum(top, radius), np.minimum(bottom, -radius)  # silence is a row of dots
    bars = []
    for start, high, low in zip(offset + np.arange(top.size) * hop / sr, top, bottom):
        box = (low, start, high - low, width) if transpose else (start, low, width, high - low)
        bars.append(FancyBboxPatch(box[:2], *box[2:], boxstyle=corners))
    color = patch_kwargs.pop("color", None)
    edge = color
    if color is None:
        color, edge = patch_kwargs.pop("facecolor", None), "none"
    if color is None:
        color = ax._get_lines.get_next_color()
    of_legend = {"facecolor": color, "edgecolor": edge, "linewidth": 0, **patch_kwargs}
    if invert:
        color = edge = _inverted_colours(ax, color, invert_color)
    patch_kwargs.setdefault("edgecolor", edge)
    patch_kwargs.setdefault("linewidth", 0)
    collection = PatchCollection(bars, facecolor=color, **patch_kwargs)
    if label is not None:
        shown = ("facecolor", "edgecolor", "linewidth", "alpha", "hatch")
        legend = {name: value for name, value in of_legend.items() if name in shown}
        _add_patch_of_legend(ax, label=label, **legend)
    ax.add_collection(collection)
    ax.autoscale_view()
    _decorate_time(ax, axis, transpose)
    return collection


@composed
def wavef0(
    y,
    *,
    f0,
    sr=22050,
    hop_length=512,
    bins_per_octave=12,
    time_axis="time",
    freq_axis="cqt_note",
    offset=0.0,
    key="C:maj",
    Sa=None,
    mela=None,
    thaat=None,
    unicode=True,
    ax=None,
    method="waveshow",
    transpose=False,
    **kwargs,
):
    """Draw a wave along its pitch: where it is voiced, around its fundamental frequency.

    Parameters
    ----------
    y : np.ndarray [shape=(n,) or (2, n)], real floating-point
        Audio.
    f0 : np.ndarray [shape=(m,)]
        Fundamental frequency of each frame in Hz, NaN where there is none.
    sr : number > 0
        Sampling rate in Hz.
    hop_length : int > 0
        Samples from a frame of `f0` to the next.
    bins_per_octave : int > 0
        The peak of the wave reaches one of so many steps of an octave.
    time_axis : str or None
        A kind of axis of times, as in `specshow`.
    freq_axis : {"cqt_note", "cqt_hz", "cqt_oct3", "cqt_svara"}
        The kind of the axis of frequencies.
    offset : number
        Time of the first sample in seconds.
    key, Sa, mela, thaat, unicode
        As in `specshow`.
    ax : matplotlib.axes.Axes, optional
        What to draw on, by default the current axes.
    method : {"waveshow", "wavebars"}
        How the wave is drawn.
    transpose : bool
        Whether time is the vertical axis.
    **kwargs
        Further arguments of `method`.

    Returns
    -------
    metalmom.display.AdaptiveWaveplot or matplotlib.collections.PatchCollection

    Raises
    ------
    ParameterError
        For values not listed.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> plot = metalmom.display.wavef0(y, f0=np.full(44, 440.0), sr=22050)
    >>> plot.ax.get_ylabel()
    'Note'
    """
    draw = {"waveshow": waveshow, "wavebars": wavebars}.get(method)
    if draw is None:
        raise ParameterError(f"method={method!r} must be 'waveshow' or 'wavebars'")
    if freq_axis not in _coordinates.CQT:
        raise ParameterError(f"freq_axis={freq_axis!r} must be one of {_coordinates.CQT}")
    f0 = np.asarray(f0, dtype=float)
    if f0.ndim != 1 or f0.size == 0:
        raise ParameterError(f"f0.shape={f0.shape} must be (m,), not empty")
    if not np.isfinite(f0).any() or (f0 <= 0).any() or np.isinf(f0).any():
        raise ParameterError("f0 must be positive or NaN everywhere, and a number at one place")
    _checked(y, sr)
    ax = chosen_axes(ax)
    from matplotlib.transforms import Bbox

    from ._artists import Transformf0

    peak = np.max(np.abs(y))
    bend = Transformf0(
        f0, sr=sr, hop_length=hop_length, bins_per_octave=bins_per_octave,
        norm=peak if peak > 0 else 1, offset=offset, transpose=transpose,
    )  # fmt: skip
    frames = samples_like(f0, hop_length=hop_length)
    at = np.searchsorted(frames, np.arange(y.shape[-1]), side="right") - 1
    voiced = np.isfinite(f0[at]) & (np.arange(y.shape[-1]) <= frames[-1])
    if method == "waveshow":
        kwargs["mask"] = voiced
    before = ax.dataLim.get_points() if ax.has_data() else Bbox.null().get_points()
    drawn = draw(
        y, sr=sr, axis=time_axis, offset=offset, ax=ax, transpose=transpose,
        transform=bend + ax.transData, **kwargs,
    )  # fmt: skip
    ax.dataLim.set_points(before)  # what was drawn has amplitudes as coordinates, not frequencies
    ax.update_datalim(_extent_of_bent(drawn, bend, peak))
    ax.autoscale_view()
    parameters = types.SimpleNamespace(
        fmin=None, key=key, Sa=Sa, mela=mela, thaat=thaat, unicode=unicode,
        bins_per_octave=bins_per_octave, intervals=None, unison=None,
    )  # fmt: skip
    _axes.decorate(ax.xaxis if transpose else ax.yaxis, freq_axis, parameters)
    return drawn


def _extent_of_bent(drawn, bend, peak):
    """Points (n, 2) in data coordinates that the axes must have room for.

    Of bars these are their corners. Of a wave they are what librosa's pictures have with
    matplotlib 3.9 or newer: the samples in view, two corners of the box around the envelope, and
    the lowest and highest pitch, moved by the peak in Hz. Older versions of matplotlib do not look
    through transforms that bend, and would make room for amplitudes.
    """
    if not hasattr(drawn, "steps"):
        vertices = np.concatenate([path.vertices for path in drawn.get_paths()])
        return _finite(bend.transform(vertices))
    vertices = np.concatenate([np.empty((0, 2)), *(p.vertices for p in drawn.envelope.get_paths())])
    bent = [bend.transform(drawn.steps.get_xydata())]
    if vertices.size:
        bent.append(bend.transform(np.stack([vertices.min(axis=0), vertices.max(axis=0)])))
    bent = _finite(np.concatenate(bent))
    if bent.size == 0:
        return bent
    pitches = np.array([np.nanmin(bend.f0) - peak, np.nanmax(bend.f0) + peak])
    around = np.stack([np.full(2, bent[0, 1 if bend.transpose else 0]), pitches], axis=-1)
    return np.concatenate([bent, around[:, ::-1] if bend.transpose else around])


def _finite(points):
    return points[np.isfinite(points).all(axis=1)]
