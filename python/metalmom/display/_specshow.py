"""Pictures of spectrograms; part of `display`."""

import types

import numpy as np

from .._spans import composed
from ..util.exceptions import ParameterError
from . import _axes, _coordinates, _reduction, _values
from ._matplotlib import chosen_axes, pyplot

__all__ = ["specshow"]


@composed
def specshow(
    data,
    *,
    x_coords=None,
    y_coords=None,
    x_axis=None,
    y_axis=None,
    vscale=None,
    sr=22050,
    hop_length=512,
    n_fft=None,
    win_length=None,
    fmin=None,
    fmax=None,
    tempo_min=16,
    tempo_max=480,
    tuning=0.0,
    bins_per_octave=12,
    key="C:maj",
    Sa=None,
    mela=None,
    thaat=None,
    auto_aspect=True,
    htk=False,
    unicode=True,
    intervals=None,
    unison=None,
    top_db=80.0,
    cmap_seq="magma",
    cmap_bool="gray_r",
    cmap_div="coolwarm",
    cmap_cyclic="twilight_shifted",
    div_thresh=0.0,
    ax=None,
    **kwargs,
):
    """Draw a spectrogram, chromagram, tempogram or another matrix.

    A matrix of more than four million cells is drawn from means of blocks of columns, about one
    and a half a pixel; what is zoomed into is drawn as fine as the pixels show. Colours are scaled
    to all of the data in any case.

    Parameters
    ----------
    data : np.ndarray [shape=(d, n)]
        The matrix. Of complex values the magnitude is shown, with a warning, unless there is a
        `vscale`.
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
        What is shown of values: "dB", "dBFS" (relative to the peak), "dB[power]", "dBFS[power]" (of
        power instead of amplitude), "dB[REF]", "dB[power,REF]" (relative to a value), "phase", or
        "dphase": by how much phases advance beyond those of steady tones ("dphase_t" where time is
        the vertical axis).
    sr, hop_length, n_fft, win_length, fmin, fmax, tuning, bins_per_octave, htk, intervals
        Of the transform that made the data, as far as the kinds of axes need them.
    tempo_min, tempo_max : number > 0
        Limits of an axis of tempi, in beats per minute.
    key : str
        The key that spells notes.
    Sa, mela, thaat
        Of svara: frequency (or pitch class, for chroma) of Sa, melakarta raga, thaat.
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
        What to draw on, by default the current axes.
    **kwargs
        Arguments of `matplotlib.axes.Axes.pcolormesh`, such as `cmap`, `vmin` and `vmax`.

    Returns
    -------
    matplotlib.collections.QuadMesh
        What was drawn.

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
    parameters = types.SimpleNamespace(
        sr=sr, hop_length=hop_length, n_fft=n_fft, win_length=win_length, fmin=fmin, fmax=fmax,
        tempo_min=tempo_min, tempo_max=tempo_max, tuning=tuning, bins_per_octave=bins_per_octave,
        key=key, Sa=Sa, mela=mela, thaat=thaat, htk=htk, unicode=unicode, intervals=intervals,
        unison=unison,
    )  # fmt: skip
    if isinstance(data, np.ma.MaskedArray):
        data = data.astype(np.result_type(data, np.float32)).filled(np.nan)
    data = np.asarray(data)
    if data.ndim != 2 or data.size == 0:
        raise ParameterError(f"data.shape={data.shape} must be (d, n), not empty")
    for name, kind, given in (("x_axis", x_axis, x_coords), ("y_axis", y_axis, y_coords)):
        if given is None:
            _coordinates.check_kind(name, kind)
    ax = chosen_axes(ax)
    x, y = (
        _coordinates.coordinates(kind, n, parameters)
        if given is None
        else _coordinates.checked(given, n, name)
        for kind, n, given, name in (
            (x_axis, data.shape[1], x_coords, "x_coords"),
            (y_axis, data.shape[0], y_coords, "y_coords"),
        )
    )
    values, colour_kind = _values.transformed(data, vscale, x, y, top_db)
    mesh = _mesh(ax, x, y, values, colour_kind, kwargs, {
        "cmap_seq": cmap_seq, "cmap_bool": cmap_bool, "cmap_div": cmap_div,
        "cmap_cyclic": cmap_cyclic, "div_thresh": div_thresh,
    })  # fmt: skip
    if pyplot().get_fignums() and pyplot().gcf() is ax.figure:
        pyplot().sca(ax)
        pyplot().sci(mesh)

    for axis, kind, n in ((ax.xaxis, x_axis, data.shape[1]), (ax.yaxis, y_axis, data.shape[0])):
        parameters.n_bins = n
        _axes.scale(axis, kind, parameters)
        _axes.decorate(axis, kind, parameters)
    if auto_aspect and _alike(x_axis, y_axis) and np.array_equal(x[[0, -1]], y[[0, -1]]):
        ax.set_aspect("equal")
    return mesh


def _alike(x_axis, y_axis):
    """Whether a step means the same on both axes."""
    kinds = _coordinates
    if x_axis in kinds.HIDDEN or y_axis in kinds.HIDDEN:
        return False
    return any(x_axis in k and y_axis in k for k in (kinds.TIMES, kinds.LAGS)) or x_axis == y_axis


def _mesh(ax, x, y, values, colour_kind, kwargs, maps):
    kwargs.setdefault("rasterized", True)
    kwargs.setdefault("edgecolors", "None")
    kwargs.setdefault("shading", "auto")
    limits = (np.nanmin(values), np.nanmax(values)) if colour_kind != "phase" else None
    uneven = np.size(x) == values.shape[1] and np.size(y) == values.shape[0]
    columns = _reduction.columns_for(ax)
    few = values.size <= _reduction.CELLS or values.shape[1] < 2 * columns
    if few or kwargs["shading"] == "gouraud" or np.any(np.diff(x) <= 0):
        _values.colours(values, colour_kind, limits, kwargs, **maps)
        if not uneven and kwargs["shading"] == "auto":
            # If one axis has edges and the other centres, both get edges.
            x = _reduction.edges_of(np.asarray(x, dtype=float), values.shape[1])
            y = _reduction.edges_of(np.asarray(y, dtype=float), values.shape[0])
        return ax.pcolormesh(x, y, values, **kwargs)
    levels = _reduction.Levels(values, x, columns, sampled=colour_kind == "phase")
    y = _reduction.edges_of(np.asarray(y, dtype=float), values.shape[0])
    _values.colours(levels.coarse, colour_kind, limits, kwargs, **maps)
    kwargs["shading"] = "flat"
    mesh = ax.pcolormesh(levels.coarse_edges, y, levels.coarse, **kwargs)
    _follow_zoom(ax, mesh, levels, y)
    return mesh


def _follow_zoom(ax, mesh, levels, y):
    """Show a finer part of the data when a part of it is in view."""

    def update(changed):
        edges, values = levels.view(*sorted(changed.get_xlim()))
        if values.size != mesh.get_array().size or edges[0] != mesh._coordinates[0, 0, 0]:
            # matplotlib has no way to set a mesh's corners, and a new mesh would lose its colour
            # bar.
            mesh._coordinates = np.stack(np.meshgrid(edges, y), axis=-1)
            mesh.set_array(np.ma.asarray(values))
            mesh.stale = True

    ax.callbacks.connect("xlim_changed", update)
