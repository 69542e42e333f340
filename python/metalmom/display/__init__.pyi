# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Sequence
from typing import Any, Literal
import numpy as np
import numpy.typing as npt
import cycler
import matplotlib.artist
import matplotlib.axes
import matplotlib.cm
import matplotlib.collections
import matplotlib.colorbar
import matplotlib.colors
import matplotlib.figure
import matplotlib.legend
import matplotlib.lines
import matplotlib.patheffects
import matplotlib.ticker
import matplotlib.transforms
from .._types import Int, Number

__all__ = [
    "AdaptiveWaveplot",
    "ChromaFJSFormatter",
    "ChromaFormatter",
    "ChromaSvaraFormatter",
    "FJSFormatter",
    "LogHzFormatter",
    "NoteFormatter",
    "TimeFormatter",
    "TonnetzFormatter",
    "Transformf0",
    "colorbar_db",
    "colorbar_phase",
    "highlight",
    "infer_cmap",
    "legend_for_axes",
    "multiplot",
    "specshow",
    "wavebars",
    "wavef0",
    "waveshow",
]

class AdaptiveWaveplot:
    def __init__(
        self,
        times: npt.NDArray[Any],
        y: npt.NDArray[Any],
        steps: matplotlib.lines.Line2D,
        envelope: matplotlib.collections.PolyCollection,
        sr: Number = 22050,
        max_samples: Int = 11025,
        transpose: bool = False,
        label: str | None = None,
    ) -> None: ...
    @property
    def steps(self) -> matplotlib.lines.Line2D | None: ...
    @property
    def envelope(self) -> matplotlib.collections.PolyCollection | None: ...
    @property
    def ax(self) -> matplotlib.axes.Axes | None: ...
    def connect(self, ax: matplotlib.axes.Axes, *, signal: str = "xlim_changed") -> None: ...
    def disconnect(self, *, strict: bool = False) -> None: ...
    def update(self, ax: matplotlib.axes.Axes) -> None: ...
class ChromaFJSFormatter(matplotlib.ticker.Formatter):
    def __init__(
        self,
        *,
        intervals: str | npt.ArrayLike,
        unison: str = "C",
        unicode: bool = True,
        bins_per_octave: Int | None = None,
    ) -> None: ...
    def __call__(self, x: float, pos: int | None = None) -> str: ...
class ChromaFormatter(matplotlib.ticker.Formatter):
    def __init__(self, key: str = "C:maj", unicode: bool = True) -> None: ...
    def __call__(self, x: float, pos: int | None = None) -> str: ...
class ChromaSvaraFormatter(matplotlib.ticker.Formatter):
    def __init__(
        self,
        Sa: Number | None = None,
        mela: str | Int | None = None,
        abbr: bool = True,
        unicode: bool = True,
    ) -> None: ...
    def __call__(self, x: float, pos: int | None = None) -> str: ...
class FJSFormatter(matplotlib.ticker.Formatter):
    def __init__(
        self,
        *,
        fmin: Number,
        n_bins: Int,
        bins_per_octave: Int,
        intervals: str | npt.ArrayLike,
        major: bool = True,
        unison: str | None = None,
        unicode: bool = True,
    ) -> None: ...
    def __call__(self, x: float, pos: int | None = None) -> str: ...
class LogHzFormatter(matplotlib.ticker.Formatter):
    def __init__(self, major: bool = True) -> None: ...
    def __call__(self, x: float, pos: int | None = None) -> str: ...
class NoteFormatter(matplotlib.ticker.Formatter):
    def __init__(
        self,
        octave: bool = True,
        major: bool = True,
        key: str = "C:maj",
        unicode: bool = True,
    ) -> None: ...
    def __call__(self, x: float, pos: int | None = None) -> str: ...
class TimeFormatter(matplotlib.ticker.Formatter):
    def __init__(
        self,
        lag: bool = False,
        unit: Literal["h", "m", "s", "ms"] | None = None,
    ) -> None: ...
    def __call__(self, x: float, pos: int | None = None) -> str: ...
class TonnetzFormatter(matplotlib.ticker.Formatter):
    def __call__(self, x: float, pos: int | None = None) -> str: ...
class Transformf0(matplotlib.transforms.Transform):
    def __init__(
        self,
        f0: npt.NDArray[Any],
        *,
        sr: Number = 22050,
        hop_length: Int = 512,
        bins_per_octave: Int = 12,
        norm: Number = 1,
        offset: Number = 0,
        transpose: bool = False,
        is_inverted: bool = False,
    ) -> None: ...
    def transform_non_affine(self, values: npt.ArrayLike) -> npt.NDArray[np.float64]: ...
    def inverted(self) -> Transformf0: ...
def colorbar_db(
    im: matplotlib.cm.ScalarMappable,
    *,
    ax: matplotlib.axes.Axes | Sequence[Any] | npt.NDArray[np.object_] | None = None,
    fig: matplotlib.figure.Figure | None = None,
    format: str = "% -3.f",
    **kwargs: Any,
) -> matplotlib.colorbar.Colorbar: ...
def colorbar_phase(
    im: matplotlib.cm.ScalarMappable,
    *,
    numticks: Int = 9,
    ax: matplotlib.axes.Axes | Sequence[Any] | npt.NDArray[np.object_] | None = None,
    fig: matplotlib.figure.Figure | None = None,
    **kwargs: Any,
) -> matplotlib.colorbar.Colorbar: ...
def highlight(
    *,
    artist: matplotlib.artist.Artist | None = None,
    ax: matplotlib.axes.Axes | None = None,
    color: str | tuple[float, ...] | None = None,
    bright_color: str | tuple[float, ...] = "white",
    dark_color: str | tuple[float, ...] = "black",
    luminance_threshold: Number = 0.5,
    **kwargs: Any,
) -> list[matplotlib.patheffects.AbstractPathEffect]: ...
def infer_cmap(
    data: npt.NDArray[Any],
    *,
    robust: bool = True,
    cmap_seq: str | matplotlib.colors.Colormap = "magma",
    cmap_bool: str | matplotlib.colors.Colormap = "gray_r",
    cmap_div: str | matplotlib.colors.Colormap = "coolwarm",
    div_thresh: Number = 0.0,
) -> matplotlib.colors.Colormap: ...
def legend_for_axes(
    axes: matplotlib.axes.Axes | npt.NDArray[np.object_] | None = None,
    *,
    fig: matplotlib.figure.Figure | None = None,
    **kwargs: Any,
) -> matplotlib.legend.Legend: ...
def multiplot(
    func: Literal["waveshow", "wavebars", "specshow"],
    *data: npt.NDArray[Any],
    axes: matplotlib.axes.Axes | npt.NDArray[np.object_] | None = None,
    fig: matplotlib.figure.Figure | None = None,
    orient: Literal["v", "h"] = "v",
    share_properties: bool | Literal["row", "col"] | npt.NDArray[Any] | None = None,
    fig_kw: dict[str, Any] | None = None,
    sharex: bool = True,
    sharey: bool = True,
    label_outer: bool = True,
    labels: Sequence[str] | None = None,
    titles: Sequence[str] | None = None,
    prop_cycle: cycler.Cycler | None = None,
    **kwargs: Any,
) -> npt.NDArray[np.object_]: ...
def specshow(
    data: npt.NDArray[Any],
    *,
    x_coords: npt.ArrayLike | None = None,
    y_coords: npt.ArrayLike | None = None,
    x_axis: str | None = None,
    y_axis: str | None = None,
    vscale: str | None = None,
    sr: Number = 22050,
    hop_length: Int = 512,
    n_fft: Int | None = None,
    win_length: Int | None = None,
    fmin: Number | None = None,
    fmax: Number | None = None,
    tempo_min: Number = 16,
    tempo_max: Number = 480,
    tuning: Number = 0.0,
    bins_per_octave: Int = 12,
    key: str = "C:maj",
    Sa: Number | None = None,
    mela: str | Int | None = None,
    thaat: str | None = None,
    auto_aspect: bool = True,
    htk: bool = False,
    unicode: bool = True,
    intervals: str | npt.ArrayLike | None = None,
    unison: str | None = None,
    top_db: Number | None = 80.0,
    cmap_seq: str | matplotlib.colors.Colormap = "magma",
    cmap_bool: str | matplotlib.colors.Colormap = "gray_r",
    cmap_div: str | matplotlib.colors.Colormap = "coolwarm",
    cmap_cyclic: str | matplotlib.colors.Colormap = "twilight_shifted",
    div_thresh: Number = 0.0,
    ax: matplotlib.axes.Axes | None = None,
    **kwargs: Any,
) -> matplotlib.collections.QuadMesh: ...
def wavebars(
    y: npt.NDArray[np.floating[Any]],
    *,
    sr: Number = 22050,
    n_bars: Int = 100,
    gap_ratio: Number = 0.4,
    rounding_ratio: Number = 0.5,
    axis: str | None = "time",
    offset: Number = 0.0,
    invert: bool = False,
    invert_color: str | tuple[float, ...] | None = None,
    transpose: bool = False,
    label: str | None = None,
    ax: matplotlib.axes.Axes | None = None,
    **patch_kwargs: Any,
) -> matplotlib.collections.PatchCollection: ...
def wavef0(
    y: npt.NDArray[np.floating[Any]],
    *,
    f0: npt.NDArray[Any],
    sr: Number = 22050,
    hop_length: Int = 512,
    bins_per_octave: Int = 12,
    time_axis: str | None = "time",
    freq_axis: Literal["cqt_note", "cqt_hz", "cqt_oct3", "cqt_svara"] = "cqt_note",
    offset: Number = 0.0,
    key: str = "C:maj",
    Sa: Number | None = None,
    mela: str | Int | None = None,
    thaat: str | None = None,
    unicode: bool = True,
    ax: matplotlib.axes.Axes | None = None,
    method: Literal["waveshow", "wavebars"] = "waveshow",
    transpose: bool = False,
    **kwargs: Any,
) -> AdaptiveWaveplot | matplotlib.collections.PatchCollection: ...
def waveshow(
    y: npt.NDArray[np.floating[Any]],
    *,
    sr: Number = 22050,
    max_points: Int = 11025,
    axis: str | None = "time",
    offset: Number = 0.0,
    marker: str = "",
    where: Literal["pre", "mid", "post"] = "post",
    label: str | None = None,
    transpose: bool = False,
    mask: npt.NDArray[np.bool_] | None = None,
    ax: matplotlib.axes.Axes | None = None,
    invert: bool = False,
    invert_color: str | tuple[float, ...] | None = None,
    **kwargs: Any,
) -> AdaptiveWaveplot: ...
