"""Pictures of audio and features, by matplotlib (an optional extra: ``pip install matplotlib``).

metalmom itself never imports matplotlib: functions do when they draw, the classes when they are
asked for.
"""

from __future__ import annotations

import fractions
import importlib
import itertools
import re
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from .. import core, util
from ..core import samples_like
from ..util._checks import is_one_of, require_count, require_positive
from ..util._packages import needed_by, required
from ..util._public import public
from ..util._rules import array, array_like
from ..util._types import (
    AbstractPathEffect, Array, ArrayLike, Artist, Axes, BoolArray, Color, Colorbar, Colormap, Cycler,
    FewChannels, Figure, Fraction, Int, IntArray, Labels, Legend, Number, ObjectArray, PatchCollection,
    Positive, PositiveInt, QuadMesh, Row, ScalarMappable,
)
from ..util._warnings import warn
from ..util.decorators import moved
from ..util.exceptions import ParameterError, Shown
from . import _reduction

if TYPE_CHECKING:
    from ._artists import AdaptiveWaveplot
    from types import ModuleType

__all__ = [
    "AdaptiveWaveplot", "ChromaFJSFormatter", "ChromaFormatter", "ChromaSvaraFormatter",
    "FJSFormatter", "LogHzFormatter", "NoteFormatter", "TimeFormatter", "TonnetzFormatter",
    "Transformf0", "colorbar_db", "colorbar_phase", "highlight", "infer_cmap", "legend_for_axes",
    "multiplot", "specshow", "wavebars", "wavef0", "waveshow",
]
__dir__ = __all__.copy

# Classes that are made of matplotlib's, and where they are defined.
_CLASSES = {
    **dict.fromkeys(("AdaptiveWaveplot", "Transformf0"), "_artists"),
    **dict.fromkeys((
        "ChromaFJSFormatter", "ChromaFormatter", "ChromaSvaraFormatter", "FJSFormatter", "LogHzFormatter",
        "NoteFormatter", "SvaraFormatter", "TimeFormatter", "TonnetzFormatter",
    ), "_ticks"),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with needed_by(f"{__name__}.{name}"):
        pyplot()
    found = getattr(importlib.import_module(f"{__name__}.{_CLASSES[name]}"), name)
    found.__module__ = __name__
    globals()[name] = found
    return found


def pyplot() -> ModuleType:
    """`matplotlib.pyplot`; it is imported by the first picture, not with metalmom."""
    return required("matplotlib.pyplot")


def chosen_axes(ax: Axes | None) -> Axes:
    """The axes to draw on: those given, or the current ones."""
    plt = pyplot()
    if ax is None:
        return plt.gca()
    if not isinstance(ax, plt.Axes):
        raise ParameterError("ax", Shown(type(ax).__name__), "matplotlib axes")
    return ax


# Pictures of spectrograms.

@public(composed=True)
def specshow(
    data: Annotated[Array, array("d, n")],
    *,
    x_coords: Annotated[ArrayLike, array_like("n", "n + 1", "d", "d + 1")] | None = None,
    y_coords: Annotated[ArrayLike, array_like("n", "n + 1", "d", "d + 1")] | None = None,
    x_axis: str | None = None,
    y_axis: str | None = None,
    vscale: str | None = None,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    n_fft: PositiveInt | None = None,
    win_length: PositiveInt | None = None,
    fmin: Number | None = None,
    fmax: Number | None = None,
    tempo_min: Positive = 16,
    tempo_max: Positive = 480,
    tuning: Number = 0.0,
    bins_per_octave: PositiveInt = 12,
    key: str = "C:maj",
    Sa: Number | None = None,
    mela: str | Int | None = None,
    thaat: str | None = None,
    auto_aspect: bool = True,
    htk: bool = False,
    unicode: bool = True,
    intervals: str | ArrayLike | None = None,
    unison: str | None = None,
    top_db: Number | None = 80.0,
    cmap_seq: str | Colormap = "magma",
    cmap_bool: str | Colormap = "gray_r",
    cmap_div: str | Colormap = "coolwarm",
    cmap_cyclic: str | Colormap = "twilight_shifted",
    div_thresh: Number = 0.0,
    ax: Axes | None = None,
    **kwargs: Any,
) -> QuadMesh:
    """Draw a spectrogram, chromagram, tempogram or another matrix.

    A matrix of more than four million cells is drawn from means of blocks of columns, about one
    and a half a pixel. When you zoom in, it is drawn as fine as the pixels show. Colours are always
    scaled to all of the data.

    Parameters
    ----------
    data : np.ndarray [shape=(d, n)]
        The matrix. For complex values the magnitude is shown, with a warning, unless `vscale` is
        given.
    x_coords, y_coords : array_like [shape=(n,) or (n + 1,), (d,) or (d + 1,)], optional
        Centres of columns and rows, or the edges between them, instead of those that follow from
        the kinds of axes.
    x_axis, y_axis : str or None
        The kinds of axes.

        - None, "none", "off": no ticks.
        - "linear" ("fft", "hz"), "log", "fft_note", "fft_svara", "oct3", "log_oct3": bins of a
          Fourier transform, in Hz, as notes, as svara, or in third octaves.
        - "mel", "mel_oct3": mel bands.
        - "cqt_hz", "cqt_note", "cqt_svara", "cqt_oct3": bins of a constant-Q transform.
        - "vqt_hz", "vqt_note", "vqt_fjs", "vqt_oct3": of a variable-Q transform.
        - "chroma", "chroma_h", "chroma_c", "chroma_fjs": pitch classes as notes, svara
          (Hindustani, Carnatic), or in the functional just system.
        - "tonnetz": coordinates of `metalmom.feature.tonnetz`.
        - "time", "h", "m", "s", "ms" and "lag", "lag_h", "lag_m", "lag_s", "lag_ms": times in the
          unit that suits, or in this one; lags count from the end past their middle.
        - "tempo", "fourier_tempo": tempi of autocorrelation and Fourier tempograms.
        - "frames": numbers.
    vscale : str, optional
        How to show values: "dB", "dBFS" (relative to the peak), "dB[power]", "dBFS[power]" (of
        power instead of amplitude), "dB[REF]", "dB[power,REF]" (relative to a value), "phase", or
        "dphase": how far phases advance beyond those of steady tones ("dphase_t" if time is the
        vertical axis).
    sr, hop_length, n_fft, win_length, fmin, fmax, tuning, bins_per_octave, htk, intervals
        Parameters of the transform that made the data, if the kinds of axes need them.
    tempo_min, tempo_max : number > 0
        Limits of an axis of tempi, in beats per minute.
    key : str
        The key that spells notes.
    Sa, mela, thaat
        For svara: frequency (or pitch class, for chroma) of Sa, melakarta raga, thaat.
    auto_aspect : bool
        Whether cells are square where both axes are of one kind and extent.
    unicode : bool
        Whether labels use symbols that are not ASCII.
    unison : str, optional
        Name of the unison in the functional just system.
    top_db : number or None
        How far below the peak decibels go.
    cmap_seq, cmap_bool, cmap_div, div_thresh
        As in `infer_cmap`; a diverging map has its middle at `div_thresh`.
    cmap_cyclic : str or matplotlib.colors.Colormap
        Colours of phases.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on, by default the current ones.
    **kwargs
        Arguments of `matplotlib.axes.Axes.pcolormesh`, such as `cmap`, `vmin` and `vmax`.

    Returns
    -------
    matplotlib.collections.QuadMesh
        The collection that was drawn.

    Raises
    ------
    ParameterError
        For values not listed, and coordinates that do not fit the data.

    Examples
    --------
    >>> y = metalmom.chirp(fmin=110, fmax=8000, sr=22050, duration=1.0)
    >>> mesh = metalmom.display.specshow(
    ...     metalmom.stft(y), x_axis="time", y_axis="log", vscale="dBFS")
    >>> mesh.get_clim()
    (-80.0, 0.0)
    """
    pyplot()
    from . import _axes

    p = types.SimpleNamespace(
        sr=sr, hop_length=hop_length, n_fft=n_fft, win_length=win_length, fmin=fmin, fmax=fmax,
        tempo_min=tempo_min, tempo_max=tempo_max, tuning=tuning, bins_per_octave=bins_per_octave,
        key=key, Sa=Sa, mela=mela, thaat=thaat, htk=htk, unicode=unicode, intervals=intervals, unison=unison,
    )  # fmt: skip
    if isinstance(data, np.ma.MaskedArray):
        masked: Any = data.astype(np.result_type(data, np.float32))
        data = masked.filled(np.nan)
    data = np.asarray(data)
    if data.ndim != 2 or data.size == 0:
        raise ParameterError("data.shape", data.shape, "(d, n), two axes that are not empty")
    require_positive("sr", sr)
    x_kind, y_kind = _axes.kind_of("x_axis", x_axis, p), _axes.kind_of("y_axis", y_axis, p)
    ax = chosen_axes(ax)
    x, y = (
        kind.centres(n, p) if given is None else _axes.checked(given, n, name)
        for kind, n, given, name in (
            (x_kind, data.shape[1], x_coords, "x_coords"), (y_kind, data.shape[0], y_coords, "y_coords"),
        )
    )  # fmt: skip
    values, colour_kind = _transformed(data, vscale, x, y, top_db)
    mesh = _mesh(ax, x, y, values, colour_kind, kwargs, {
        "cmap_seq": cmap_seq, "cmap_bool": cmap_bool, "cmap_div": cmap_div,
        "cmap_cyclic": cmap_cyclic, "div_thresh": div_thresh,
    })  # fmt: skip
    if pyplot().get_fignums() and pyplot().gcf() is ax.figure:
        pyplot().sca(ax)
        pyplot().sci(mesh)
    for axis, kind, p.n_bins in ((ax.xaxis, x_kind, data.shape[1]), (ax.yaxis, y_kind, data.shape[0])):
        _axes.scale_and_decorate(axis, kind, p)
    if auto_aspect and _axes.are_alike(x_axis, y_axis) and np.array_equal(x[[0, -1]], y[[0, -1]]):
        ax.set_aspect("equal")
    return mesh


def _mesh(
    ax: Axes, x: Array, y: Array, values: Array, colour_kind: str, kwargs: dict[str, Any], maps: dict[str, Any],
) -> QuadMesh:
    kwargs = {"rasterized": True, "edgecolors": "None", "shading": "auto", **kwargs}
    limits = (np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)) if colour_kind != "phase" else None
    columns = _reduction.columns_for(ax)
    few = values.size <= _reduction.CELLS or values.shape[1] < 2 * columns
    if few or kwargs["shading"] == "gouraud" or np.any(np.diff(x) <= 0):
        kwargs = _coloured(values, colour_kind, limits, kwargs, **maps)
        if kwargs["shading"] == "auto" and (y.size, x.size) != values.shape:
            # If one axis has edges and the other centres, both get edges.
            x, y = _reduction.edges_of(x, values.shape[1]), _reduction.edges_of(y, values.shape[0])
        return ax.pcolormesh(x, y, values, **kwargs)
    levels = _reduction.Levels(values, x, columns, sampled=colour_kind == "phase")
    y = _reduction.edges_of(y, values.shape[0])
    kwargs = _coloured(levels.coarse, colour_kind, limits, kwargs, **maps)
    mesh = ax.pcolormesh(levels.coarse_edges, y, levels.coarse, **{**kwargs, "shading": "flat"})
    levels.follow_zoom(ax, mesh, y)
    return mesh


# Pictures of waves.

def _envelope(y: Array, hop: int) -> tuple[Array, Array]:
    """Upper and lower bounds of blocks of `hop` samples: of a wave, or of two channels."""
    n_blocks = y.shape[-1] // hop
    blocks = np.abs(y[..., : n_blocks * hop].reshape(*y.shape[:-1], n_blocks, hop))
    peaks = blocks.max(axis=-1)
    return (peaks[0], -peaks[1]) if y.ndim > 1 else (peaks, -peaks)


def _checked(y: Array, sr: Number) -> Array:
    util.valid_audio(y)
    if y.ndim > 2 or (y.ndim == 2 and y.shape[0] not in (1, 2)) or y.shape[-1] == 0:
        raise ParameterError("y.shape", y.shape, "(n,) or (2, n), not empty")
    require_positive("sr", sr)
    return y[0] if y.ndim == 2 and y.shape[0] == 1 else y


def _decorate_time(ax: Axes, kind: str | None, transpose: bool) -> None:
    from . import _axes

    known = {**_axes.HIDDEN, **_axes.TIMES, **_axes.LAGS}
    if kind not in [*known]:
        raise ParameterError("axis", kind, "a kind of axis of times, or None")
    _axes.decorate(ax.yaxis if transpose else ax.xaxis, known[kind], types.SimpleNamespace())


def _inverted_colours(ax: Axes, color: Color | None, invert_color: Color | None) -> Color:
    """Fill the axes with the colour of the wave; returns the colour of what is drawn on it."""
    drawn = ax.get_facecolor() if invert_color is None else invert_color
    ax.set_facecolor(color)
    return drawn


def _add_line_of_legend(ax: Axes, label: str | None, color: Color, background: Color | None) -> None:
    """Let a legend show a wave as a line, whether its envelope or its samples are in view."""
    from matplotlib.lines import Line2D
    from matplotlib.patheffects import Normal, Stroke

    line = Line2D([], [], color=color, solid_capstyle="butt", label=label)
    if background is not None:
        line.set_path_effects([Stroke(linewidth=7, foreground=background), Normal()])
    ax.add_artist(line)


def _add_patch_of_legend(ax: Axes, **properties: Any) -> None:
    """Let a legend show bars in their colour, or that of the axes that they are left out of."""
    from matplotlib.patches import Rectangle

    ax.add_artist(Rectangle((np.nan, np.nan), 0, 0, **properties))


@public(composed=True)
def waveshow(
    y: FewChannels,
    *,
    sr: Positive = 22050,
    max_points: PositiveInt = 11025,
    axis: str | None = "time",
    offset: Number = 0.0,
    marker: str = "",
    where: Literal["pre", "mid", "post"] = "post",
    label: str | None = None,
    transpose: bool = False,
    mask: Annotated[BoolArray, array("n", of="bool")] | None = None,
    ax: Axes | None = None,
    invert: bool = False,
    invert_color: Color | None = None,
    **kwargs: Any,
) -> AdaptiveWaveplot:
    """Draw a waveform: its samples if few are in view, otherwise its envelope.

    The picture follows the zoom.

    Parameters
    ----------
    y : np.ndarray [shape=(n,) or (2, n)], real floating-point
        Audio. Of two channels the envelope shows the left one above and the right one below, the
        samples are those of the left one.
    sr : number > 0
        Sampling rate in Hz.
    max_points : int > 0
        The largest number of samples to show, and of blocks of the envelope.
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
        The axes to draw on, by default the current ones.
    invert : bool
        Whether to fill the axes with the colour and leave out the wave.
    invert_color : color, optional
        Colour of the wave if `invert` is set; by default that of the axes.
    **kwargs
        Arguments of both `matplotlib.axes.Axes.fill_between` and `step`, such as `color` and `alpha`.

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
    require_count("max_points", max_points)
    if not is_one_of(where, ("pre", "mid", "post")):
        raise ParameterError("where", where, choices=("pre", "mid", "post"))
    y = _checked(y, sr)
    ax = chosen_axes(ax)
    from ._artists import AdaptiveWaveplot

    hop = max(1, y.shape[-1] // max_points)
    top, bottom = _envelope(y, hop)
    times = offset + np.arange(y.shape[-1]) / sr
    samples = y[0] if y.ndim > 1 else y
    fill = color = kwargs.pop("color", None) or ax._get_lines.get_next_color()
    if invert:
        color = _inverted_colours(ax, color, invert_color)
    shown = times[:max_points], samples[:max_points]
    (steps,) = ax.step(
        *(shown[::-1] if transpose else shown), marker=marker, where=where, color=color, **kwargs
    )
    drawn = None if mask is None else np.asarray(mask)[::hop][: top.size]
    envelope = (ax.fill_betweenx if transpose else ax.fill_between)(
        times[::hop][: top.size], bottom, top, step=where, color=color, where=drawn, **kwargs
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


@public(composed=True)
def wavebars(
    y: FewChannels,
    *,
    sr: Positive = 22050,
    n_bars: PositiveInt = 100,
    gap_ratio: Fraction = 0.4,
    rounding_ratio: Fraction = 0.5,
    axis: str | None = "time",
    offset: Number = 0.0,
    invert: bool = False,
    invert_color: Color | None = None,
    transpose: bool = False,
    label: str | None = None,
    ax: Axes | None = None,
    **patch_kwargs: Any,
) -> PatchCollection:
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
    require_count("n_bars", n_bars)
    for name, value in (("gap_ratio", gap_ratio), ("rounding_ratio", rounding_ratio)):
        if not 0 <= value <= 1:
            raise ParameterError(name, value, "between 0 and 1")
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
    edge = color = patch_kwargs.pop("color", None)
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


@public(composed=True)
def wavef0(
    y: FewChannels,
    *,
    f0: Row,
    sr: Positive = 22050,
    hop_length: PositiveInt = 512,
    bins_per_octave: PositiveInt = 12,
    time_axis: str | None = "time",
    freq_axis: Literal["cqt_note", "cqt_hz", "cqt_oct3", "cqt_svara"] = "cqt_note",
    offset: Number = 0.0,
    key: str = "C:maj",
    Sa: Number | None = None,
    mela: str | Int | None = None,
    thaat: str | None = None,
    unicode: bool = True,
    ax: Axes | None = None,
    method: Literal["waveshow", "wavebars"] = "waveshow",
    transpose: bool = False,
    **kwargs: Any,
) -> AdaptiveWaveplot | PatchCollection:
    """Draw a wave along its pitch: where it is voiced, around its fundamental frequency.

    Parameters
    ----------
    y : np.ndarray [shape=(n,) or (2, n)], real floating-point
        Audio.
    f0 : np.ndarray [shape=(m,)]
        Fundamental frequency of each frame in Hz; NaN for unvoiced frames.
    sr, offset, transpose, ax
        As in `waveshow`.
    hop_length : int > 0
        Samples between the beginnings of two frames of `f0`.
    bins_per_octave : int > 0
        Steps of an octave. The peak of the wave has the height of one step.
    time_axis : str or None
        A kind of axis of times, as in `specshow`.
    freq_axis : {"cqt_note", "cqt_hz", "cqt_oct3", "cqt_svara"}
        The kind of the axis of frequencies.
    key, Sa, mela, thaat, unicode
        As in `specshow`.
    method : {"waveshow", "wavebars"}
        How the wave is drawn.
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
    pyplot()
    from matplotlib.transforms import Bbox

    from . import _axes
    from ._artists import Transformf0

    draw = {"waveshow": waveshow, "wavebars": wavebars}.get(method)
    if draw is None:
        raise ParameterError("method", method, choices=("waveshow", "wavebars"))
    if freq_axis not in [*_axes.CQT]:
        raise ParameterError("freq_axis", freq_axis, f"one of {(*_axes.CQT,)}")
    f0 = np.asarray(f0, dtype=float)
    if f0.ndim != 1 or f0.size == 0:
        raise ParameterError("f0.shape", f0.shape, "(m,), not empty")
    if not np.isfinite(f0).any() or (f0 <= 0).any() or np.isinf(f0).any():
        raise ParameterError("f0", rule="positive or NaN everywhere, and a number at one place")
    _checked(y, sr)
    ax = chosen_axes(ax)
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
    p = types.SimpleNamespace(key=key, Sa=Sa, mela=mela, unicode=unicode)
    _axes.decorate(ax.xaxis if transpose else ax.yaxis, _axes.CQT[freq_axis], p)
    return drawn


def _extent_of_bent(drawn: Any, bend: Any, peak: float) -> Array:
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
    parts = [bend.transform(drawn.steps.get_xydata())]
    if vertices.size:
        parts.append(bend.transform(np.stack([vertices.min(axis=0), vertices.max(axis=0)])))
    bent = _finite(np.concatenate(parts))
    if bent.size == 0:
        return bent
    pitches = np.array([np.nanmin(bend.f0) - peak, np.nanmax(bend.f0) + peak])
    around = np.stack([np.full(2, bent[0, 1 if bend.transpose else 0]), pitches], axis=-1)
    return np.concatenate([bent, around[:, ::-1] if bend.transpose else around])


def _finite(points: Array) -> Array:
    return points[np.isfinite(points).all(axis=1)]


# What a picture shows of its data: magnitudes, decibels, phases, and their colours.

# dB, dB[power], dB[0.1], dB[power,0.1], and the same of dBFS without a reference.
_DECIBELS = re.compile(r"dB(?P<full>FS)?(\[((?P<power>power)(,|(?=\])))?(?P<ref>[^\],]+)?\])?")


def _transformed(
    data: Array, vscale: str | None, x_coords: Array, y_coords: Array, top_db: Number | None
) -> tuple[Array, str]:
    """Values to draw, and what kind of colours they need: "db", "phase" or "data"."""
    if vscale is None:
        if np.iscomplexobj(data):
            warn("Trying to display complex data, which have no colours: magnitudes are shown.")
            data = np.abs(data)
        return data, "data"
    if vscale in ("phase", "dphase", "dphase_t"):
        return _phases(data, vscale, x_coords, y_coords), "phase"
    return _decibels(data, vscale, top_db), "db"


def _decibels(data: Array, vscale: str, top_db: Number | None) -> Array:
    match = _DECIBELS.fullmatch(vscale) if isinstance(vscale, str) else None
    known = "'dB', 'dB[power]', 'dB[REF]', 'dB[power,REF]', 'dBFS', 'dBFS[power]', 'phase'"
    rule = f"{known}, 'dphase', 'dphase_t' or None"
    if match is None or vscale.endswith(",]") or vscale.endswith("[]"):
        raise ParameterError("vscale", vscale, rule)
    if match["full"] and match["ref"]:
        raise ParameterError("vscale", vscale, "have no reference: dBFS refers to the peak", verb="must")
    ref = np.max if match["full"] else 1.0
    if match["ref"]:
        try:
            ref = float(match["ref"])
        except ValueError:
            raise ParameterError("vscale", vscale, rule) from None
    convert = core.power_to_db if match["power"] else core.amplitude_to_db
    return convert(np.abs(data), ref=ref, top_db=top_db)


def _phases(data: Array, vscale: str, x_coords: Array, y_coords: Array) -> Array:
    """Phases, or by how much they advance more than a steady tone of the bin's frequency."""
    phase = np.angle(data)
    if vscale == "phase":
        return phase
    times, frequencies, axis = (
        (x_coords, y_coords, -1) if vscale == "dphase" else (y_coords, x_coords, -2)
    )
    n_time, n_frequency = (data.shape[::-1] if axis == -1 else data.shape)
    times, frequencies = times[:n_time], frequencies[:n_frequency]
    expected = 2 * np.pi * np.multiply.outer(frequencies, np.diff(times, prepend=times[:1]))
    if axis == -2:
        expected = expected.T
    # in the first frame that is the phase itself
    residual = np.diff(phase, axis=axis, prepend=0) - expected
    return np.angle(np.exp(1j * residual))


@public
def infer_cmap(
    data: Array,
    *,
    robust: bool = True,
    cmap_seq: str | Colormap = "magma",
    cmap_bool: str | Colormap = "gray_r",
    cmap_div: str | Colormap = "coolwarm",
    div_thresh: Number = 0.0,
) -> Colormap:
    """Choose a colour map that suits data.

    Parameters
    ----------
    data : np.ndarray
        Booleans or real numbers; those that are not finite do not count.
    robust : bool
        Whether to leave the lowest and highest 2 % out of account.
    cmap_seq, cmap_bool, cmap_div : str or matplotlib.colors.Colormap
        The maps for numbers on one side of `div_thresh`, for booleans, and for numbers on both sides.
    div_thresh : number
        Where a diverging map has its middle.

    Returns
    -------
    matplotlib.colors.Colormap

    Raises
    ------
    ParameterError
        For data that are complex, or of which nothing is finite.

    Examples
    --------
    >>> metalmom.display.infer_cmap(np.array([-1.0, 2.0])).name
    'coolwarm'
    """
    get_cmap = pyplot().get_cmap
    data = np.asarray(data)
    if data.dtype == bool:
        return get_cmap(cmap_bool)
    if not np.isrealobj(data):
        raise ParameterError("data.dtype", data.dtype, "real")
    finite = np.isfinite(data)
    if not finite.all():
        data = data[finite]
    if data.size == 0:
        raise ParameterError("data", rule="have finite values", verb="must")
    low, high = np.percentile(data, [2, 98]) if robust else (data.min(), data.max())
    return get_cmap(cmap_seq if high <= div_thresh or low >= div_thresh else cmap_div)


cmap = moved(moved_from="metalmom.display.cmap", version="1.0", version_removed="1.1")(infer_cmap)


def _coloured(
    data: Array, kind: str, limits: Any, kwargs: dict[str, Any], cmap_cyclic: str | Colormap, **maps: Any,
) -> dict[str, Any]:
    """`kwargs` with the colour map and its range, where the user gave none.

    `limits` are the least and greatest value of all data, of which `data` may be a reduction.
    """
    if kind == "phase":
        circle = {} if "norm" in kwargs else {"vmin": -np.pi, "vmax": np.pi}
        return {"cmap": cmap_cyclic, **circle, **kwargs}
    given = "cmap" in kwargs
    if not given:
        kwargs["cmap"] = maps["cmap_seq"] if kind == "db" else infer_cmap(data, **maps)
    if "norm" in kwargs:
        return kwargs
    from matplotlib import colors

    vmin, vmax = kwargs.pop("vmin", None), kwargs.pop("vmax", None)
    if not given and data.dtype == bool and vmin is vmax is None:
        return {**kwargs, "norm": colors.BoundaryNorm([0, 0.5, 1], kwargs["cmap"].N)}
    # rounded, so that full scale is exactly 0 in spite of the logarithm's last bit
    if kind == "db":
        limits = [round(float(limit), 5) + 0.0 for limit in limits]
    vmin, vmax = (limits[0] if vmin is None else vmin, limits[1] if vmax is None else vmax)
    middle = maps["div_thresh"]
    diverges = not given and kind == "data" and kwargs["cmap"] == pyplot().get_cmap(maps["cmap_div"])
    norm = colors.TwoSlopeNorm(middle) if diverges and vmin < middle < vmax else colors.Normalize()
    norm.vmin, norm.vmax = vmin, vmax
    return {**kwargs, "norm": norm}


# Colour bars, and lines that stand out from what they are drawn on.

def _figure_of(im: ScalarMappable, ax: Any, fig: Figure | None) -> tuple[Figure, Any]:
    """The figure of a colour bar, and the axes that give up their room for it."""
    if ax is None:
        ax = im.axes
    if fig is None:
        fig = np.ravel(np.asarray(ax, dtype=object))[0].figure
    return fig, ax


@public
def colorbar_db(
    im: ScalarMappable,
    *,
    ax: Axes | Sequence[Axes] | ObjectArray | None = None,
    fig: Figure | None = None,
    format: str = "% -3.f",
    **kwargs: Any,
) -> Colorbar:
    """Add a colour bar of decibels.

    Parameters
    ----------
    im : matplotlib.cm.ScalarMappable
        The picture, as `specshow` returns it.
    ax : matplotlib.axes.Axes or several, optional
        Beside what the bar stands, by default the axes of `im`.
    fig : matplotlib.figure.Figure, optional
        By default that of the axes.
    format : str
        Format of the labels.
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


@public
def colorbar_phase(
    im: ScalarMappable,
    *,
    numticks: PositiveInt = 9,
    ax: Axes | Sequence[Axes] | ObjectArray | None = None,
    fig: Figure | None = None,
    **kwargs: Any,
) -> Colorbar:
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
        If `numticks` is not a positive integer.

    Examples
    --------
    >>> mesh = metalmom.display.specshow(np.ones((3, 4)), vscale="phase")
    >>> metalmom.display.colorbar_phase(mesh, numticks=3).get_ticks().round(2)
    array([-3.14,  0.  ,  3.14])
    """
    if not isinstance(numticks, (int, np.integer)) or numticks < 1:
        raise ParameterError("numticks", numticks, "a positive integer")
    pyplot()
    from matplotlib.ticker import FuncFormatter, LinearLocator

    fig, ax = _figure_of(im, ax, fig)
    kwargs.setdefault("label", "radians")
    kwargs.setdefault("ticks", LinearLocator(numticks))
    kwargs.setdefault("format", FuncFormatter(_fraction_of_pi))
    return fig.colorbar(im, ax=ax, **kwargs)


def _fraction_of_pi(angle: float, _: object) -> str:
    share = fractions.Fraction(angle / np.pi).limit_denominator(16)
    if share == 0:
        return " 0"
    sign = "-" if share < 0 else " "
    times = "" if abs(share.numerator) == 1 else str(abs(share.numerator))
    below = "" if share.denominator == 1 else f"/{share.denominator}"
    return f"{sign}{times}π{below}"


@public
def highlight(
    *,
    artist: Artist | None = None,
    ax: Axes | None = None,
    color: Color | None = None,
    bright_color: Color = "white",
    dark_color: Color = "black",
    luminance_threshold: Fraction = 0.5,
    **kwargs: Any,
) -> list[AbstractPathEffect]:
    """Give lines a border that contrasts with the picture they are drawn on.

    Parameters
    ----------
    artist : matplotlib.artist.Artist, optional
        The artist that gets the border.
    ax : matplotlib.axes.Axes, optional
        Where the picture is; by default the axes of `artist`, or the current ones.
    color : color, optional
        Colour of the border; by default one that contrasts with the picture.
    bright_color, dark_color : color
        Colours of borders on dark and on bright pictures.
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


def _luminance(ax: Axes) -> float:
    """How bright axes are, 0 to 1: their pictures, or else what is behind them (ITU-R BT.601)."""
    from matplotlib.colors import to_rgba

    pictures = [m for m in (*ax.images, *ax.collections) if m.get_array() is not None]
    if pictures:
        # A sample of some thousand values is enough to judge the colours.
        ma: Any = np.ma
        values = ma.compressed(ma.masked_invalid(pictures[-1].get_array()))
        values = values[:: max(1, values.size // 4096)]
        colours = pictures[-1].cmap(pictures[-1].norm(values))
    else:
        face = to_rgba(ax.get_facecolor())
        colours = np.atleast_2d(face if face[3] > 0 else to_rgba(ax.figure.get_facecolor()))
    return float((colours[:, :3] @ [0.299, 0.587, 0.114]).mean())


# Several pictures side by side, and their legends.

def _signals(func: str, data: Sequence[ArrayLike]) -> ObjectArray:
    """The signals to draw as an array of objects, in the shape of their grid."""
    core_ndim = 2 if func == "specshow" else 1
    if not data:
        raise ParameterError("data", rule="one array at least")
    if len(data) > 1:
        grid = np.empty(len(data), dtype=object)
        grid[:] = [np.asarray(each) for each in data]
        return grid
    whole = np.asarray(data[0])
    if whole.ndim < core_ndim:
        raise ParameterError("data.shape", whole.shape, f"have {core_ndim} dimensions at least", verb="must")
    lead = whole.shape[: whole.ndim - core_ndim] or (1,)
    grid = np.empty(lead, dtype=object)
    flat = whole.reshape(-1, *whole.shape[whole.ndim - core_ndim :])
    for place, signal in zip(np.ndindex(lead), flat):
        grid[place] = signal
    return grid


def _grid_shape(lead: tuple[int, ...], orient: str) -> tuple[int, int]:
    if not is_one_of(orient, ("h", "v")):
        raise ParameterError("orient", orient, choices=("h", "v"))
    if len(lead) > 2:
        raise ParameterError(
            f"data have axes of shape {lead}: at most two must be left to lay out", argument="data"
        )
    if len(lead) == 2:
        return lead
    return (1, lead[0]) if orient == "h" else (lead[0], 1)


def _groups(share: Any, shape: tuple[int, ...]) -> IntArray:
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
        raise ParameterError("share_properties", share.tolist(), f"a bool, 'row', 'col' or of shape {shape}")
    # Numbers groups in the order of their first members.
    _, first, inverse = np.unique(share.ravel(), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].reshape(shape)


def _texts(texts: Any, shape: tuple[int, ...], name: str) -> ObjectArray:
    if texts is None:
        return np.full(shape, None, dtype=object)
    texts = np.asarray(texts, dtype=object)
    if texts.size != int(np.prod(shape)):
        raise ParameterError(name, rule=f"{int(np.prod(shape))}, one for each picture")
    return texts.reshape(shape)


@public
def multiplot(
    func: Literal["waveshow", "wavebars", "specshow"],
    *data: Array,
    axes: Axes | ObjectArray | None = None,
    fig: Figure | None = None,
    orient: Literal["v", "h"] = "v",
    share_properties: bool | Literal["row", "col"] | Array | None = None,
    fig_kw: dict[str, Any] | None = None,
    sharex: bool = True,
    sharey: bool = True,
    label_outer: bool = True,
    labels: Labels | None = None,
    titles: Labels | None = None,
    prop_cycle: Cycler | None = None,
    **kwargs: Any,
) -> ObjectArray:
    """Draw several signals or spectrograms, each on axes of its own.

    Parameters
    ----------
    func : {"waveshow", "wavebars", "specshow"}
        How they are drawn.
    *data : np.ndarray
        One array, whose leading axes are laid out (two at most), or several.
    axes : matplotlib.axes.Axes or array of them, optional
        Axes to draw on; by default a new grid.
    fig : matplotlib.figure.Figure, optional
        The figure for a new grid; by default a new figure.
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
        The results of `func`, in the shape of the data or of `axes`.

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
    known: dict[str, Callable[..., Any]]
    known = {"waveshow": waveshow, "wavebars": wavebars, "specshow": specshow}
    draw = known.get(func)
    if draw is None:
        raise ParameterError("func", func, choices=("waveshow", "wavebars", "specshow"))
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
            raise ParameterError("axes.shape", grid.shape, f"fit data of shape {signals.shape}", verb="must")
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


def _styles(
    plt: ModuleType, prop_cycle: Cycler | None, groups: IntArray
) -> dict[tuple[int, ...], dict[str, Any]]:
    """The properties of each place."""
    cycle = plt.rcParams["axes.prop_cycle"] if prop_cycle is None else prop_cycle
    of_group = list(itertools.islice(itertools.cycle(cycle), int(groups.max()) + 1))
    return {place: of_group[groups[place]] for place in np.ndindex(groups.shape)}


@public
def legend_for_axes(
    axes: Axes | ObjectArray | None = None,
    *,
    fig: Figure | None = None,
    **kwargs: Any,
) -> Legend:
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
        raise ParameterError("axes", axes, "matplotlib axes, one at least")
    fig = flat[0].figure if fig is None else fig
    if any(ax.figure is not fig for ax in flat):
        raise ParameterError("axes", rule="all be of one figure", verb="must")
    handles, labels = [], []
    for ax in flat:
        more = ax.get_legend_handles_labels()
        handles += more[0]
        labels += more[1]
    return fig.legend(handles, labels, **kwargs)
