"""Pictures of long data: drawn from means of blocks, as fine as the pixels can show.

A mesh of an hour of frames has 160 million cells, for some hundred thousand pixels. The means of
blocks of cells are shown, about one and a half a pixel, of all columns or of those in view: zooming
in brings back every cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import matplotlib.collections
    from ..util._types import Array, ArrayLike, Axes

# A mesh of at most so many cells is drawn as it is.
CELLS = 4_000_000


def columns_for(ax: Axes) -> int:
    """Columns that are enough for axes: one and a half a pixel."""
    return max(800, int(1.5 * ax.get_window_extent().width))


class Levels:
    """Data and its means over blocks of columns, at least `columns` of them in view.

    What has no mean (phases, booleans) is sampled instead.
    """

    def __init__(self, data: Array, x: ArrayLike, columns: int, sampled: bool = False) -> None:
        self.data = data
        self.sampled = sampled or data.dtype == bool
        self.columns = columns
        self.edges = edges_of(x, data.shape[1])
        self.factor = max(1, data.shape[1] // columns)
        self.coarse = self._reduced(data, self.factor)
        self.coarse_edges = np.append(self.edges[:-1 : self.factor], self.edges[-1])

    def view(self, low: float, high: float) -> tuple[Array, Array]:
        """Edges and values that show columns from `low` to `high`: all, or a finer part."""
        first, last = np.searchsorted(self.edges, [low, high])
        first, last = max(int(first) - 1, 0), min(int(last) + 1, self.data.shape[1])
        if last - first > self.columns * max(self.factor // 2, 1):
            return self.coarse_edges, self.coarse
        factor = max(1, (last - first) // self.columns)
        last = min(first + -(-(last - first) // factor) * factor, self.data.shape[1])
        edges = self.edges[first : last + 1]
        values = self._reduced(self.data[:, first:last], factor)
        return np.append(edges[:-1:factor], edges[-1]), values

    def follow_zoom(self, ax: Axes, mesh: matplotlib.collections.QuadMesh, y: Array) -> None:
        """Let a mesh with these edges of rows show a finer part of the data when that is in view."""
        ma: Any = np.ma  # NumPy 1.24 says no types of its functions

        def update(changed: Axes) -> None:
            edges, values = self.view(*sorted(changed.get_xlim()))
            if values.size != mesh.get_array().size or edges[0] != mesh._coordinates[0, 0, 0]:
                # matplotlib has no way to set a mesh's corners, and a new mesh would lose its colour
                # bar.
                mesh._coordinates = np.stack(np.meshgrid(edges, y), axis=-1)
                mesh.set_array(ma.asarray(values))
                mesh.stale = True

        ax.callbacks.connect("xlim_changed", update)

    def _reduced(self, data: Array, factor: int) -> Array:
        return data[:, ::factor] if self.sampled or factor == 1 else _block_means(data, factor)


def _block_means(data: Array, factor: int) -> Array:
    """Means over blocks of columns, the last of which may be shorter."""
    n_blocks, n_whole = -(-data.shape[1] // factor), data.shape[1] // factor
    means = np.empty((data.shape[0], n_blocks), dtype=np.result_type(data, np.float32))
    whole = data[:, : n_whole * factor]
    if data.flags.f_contiguous and not data.flags.c_contiguous:
        frames = whole.T.reshape(n_whole, factor, data.shape[0])
        means[:, :n_whole] = frames.mean(axis=1, dtype=means.dtype).T
    else:
        for row, out in zip(whole, means):
            row.reshape(n_whole, factor).mean(axis=1, dtype=means.dtype, out=out[:n_whole])
    if n_blocks > n_whole:
        means[:, -1] = data[:, n_whole * factor :].mean(axis=1)
    return means


def edges_of(x: ArrayLike, n: int) -> Array:
    """Edges of cells; those of centres lie half-way between them."""
    x = np.asarray(x, dtype=float)
    if x.size == n + 1:
        return x
    if n == 1:
        return np.array([x[0] - 0.5, x[0] + 0.5])
    between = (x[:-1] + x[1:]) / 2
    return np.concatenate([[2 * x[0] - between[0]], between, [2 * x[-1] - between[-1]]])
