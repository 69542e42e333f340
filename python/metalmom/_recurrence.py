"""Recurrence and cross-similarity matrices; `metalmom.segment` exports them."""

import numpy as np

from . import _args, _native
from ._declared import as_feature
from ._distances import frames_of, pairwise
from ._spans import composed
from .util._checks import is_one_of
from .util._packages import required
from .util.exceptions import ParameterError

__all__ = ["cross_similarity", "recurrence_matrix"]

_MODES = ("connectivity", "distance", "affinity")
_BANDWIDTHS = (
    "med_k_scalar",
    "mean_k",
    "gmean_k",
    "mean_k_avg",
    "gmean_k_avg",
    "mean_k_avg_and_pair",
)
# scikit-learn's names of metrics -> the engine's. Metrics that SciPy's cdist knows by the same name
# are computed there.
_ENGINE_METRICS = {
    **dict.fromkeys(("euclidean", "l2", "minkowski", "p"), "euclidean"),
    "sqeuclidean": "sqeuclidean",
    **dict.fromkeys(("manhattan", "l1", "cityblock"), "cityblock"),
    **dict.fromkeys(("chebyshev", "infinity"), "chebyshev"),
    "cosine": "cosine",
}
_SCIPY_METRICS = frozenset(
    ["braycurtis", "canberra", "correlation", "dice", "hamming", "jaccard", "rogerstanimoto"]
    + ["russellrao", "sokalsneath", "yule"]
)
# Larger results (in bytes) are refused; where a dense result is, the error says what a sparse one
# needs.
_LARGEST = 1 << 33
_BLOCK = 1 << 25  # bytes of distances that SciPy measures at once


@as_feature(listed=False)
@composed
def cross_similarity(
    data,
    data_ref,
    *,
    k=None,
    metric="euclidean",
    sparse=False,
    mode="connectivity",
    bandwidth=None,
    full=False,
):
    """Link each frame of one sequence to its nearest neighbours in another.

    Parameters
    ----------
    data : np.ndarray [shape=(..., d, n)]
        Features of the sequence whose frames are compared.
    data_ref : np.ndarray [shape=(..., d, n_ref)]
        Features of the sequence in which their neighbours are sought.
    k : int > 0, optional
        How many neighbours; by default twice the root of `n_ref`, rounded up.
    metric : str or callable
        As for `recurrence_matrix`.
    sparse : bool
        Whether to return a sparse array, for which SciPy is needed.
    mode : {"connectivity", "distance", "affinity"}
        What a link is: True, the distance, or ``exp(-distance / bandwidth)``.
    bandwidth : number > 0, str or np.ndarray [shape=(n, n_ref)], optional
        As for `recurrence_matrix`.
    full : bool
        With "distance" and "affinity", look at n neighbours of each frame instead of k, which then
        serves the bandwidth alone.

    Returns
    -------
    np.ndarray [shape=(n_ref, n)], or scipy.sparse.csc_array if `sparse`
        Row i and column j hold the link of ``data[..., j]`` to ``data_ref[..., i]``: bool for
        "connectivity", float32 for "cosine" of float32 features, else float64. Distances of 0 are
        no links.

    Raises
    ------
    ParameterError
        For values not listed; where features are not finite; for a dense result of over 8 GiB.

    Examples
    --------
    >>> a, b = np.array([[0.0, 5, 9]]), np.array([[1.0, 4, 8, 20]])
    >>> metalmom.segment.cross_similarity(a, b, k=1).astype(int)
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    frames, others = frames_of(data, "data"), frames_of(data_ref, "data_ref")
    if np.atleast_2d(data).shape[:-1] != np.atleast_2d(data_ref).shape[:-1]:
        raise ParameterError(
            f"data_ref.shape={np.shape(data_ref)} must agree with data.shape={np.shape(data)} "
            "but for the last axis"
        )
    _check(mode, bandwidth, frames, others)
    n, n_ref = len(frames), len(others)
    k = _count(k, min(n_ref, 2 * np.ceil(np.sqrt(n_ref))))
    looked_at = n if full and mode != "connectivity" else k
    _require_room((n_ref, n), sparse, mode, min(looked_at, n_ref))
    links = _links(
        frames,
        others,
        metric,
        n_neighbors=min(n_ref, looked_at),
        k=looked_at,
        nearest=mode != "connectivity",
        same=False,
    )
    links = _with_values(links, (n, n_ref), mode, bandwidth, k)
    return _matrix(_as_measured(links, metric, data, data_ref), (n, n_ref), sparse)


@as_feature(listed=False)
@composed
def recurrence_matrix(
    data,
    *,
    k=None,
    width=1,
    metric="euclidean",
    sym=False,
    sparse=False,
    mode="connectivity",
    bandwidth=None,
    self=False,
    axis=-1,
    full=False,
):
    """Link each frame of a sequence to its nearest neighbours in it.

    Parameters
    ----------
    data : np.ndarray [shape=(..., d, n)]
        Features; all axes but `axis` are one frame's features.
    k : int > 0, optional
        How many neighbours; by default twice the root of ``n - 2 * width + 1``, rounded up.
    width : int >= 1
        Frames closer in time than this are not linked; less than ``(n - 1) // 2``.
    metric : str or callable
        Distance between frames. "euclidean" ("l2", "minkowski"), "sqeuclidean", "manhattan"
        ("cityblock", "l1"), "chebyshev" ("infinity") and "cosine" are the engine's; SciPy's others
        ("canberra", "correlation", "hamming" ...) and functions of two frames are measured by it.
    sym : bool
        Whether to keep only links that also lead back.
    sparse : bool
        Whether to return a sparse array, for which SciPy is needed. It takes memory for its links
        alone; a dense one of an hour would need 24 GB.
    mode : {"connectivity", "distance", "affinity"}
        What a link is: True, the distance, or ``exp(-distance / bandwidth)``.
    bandwidth : number > 0, str or np.ndarray [shape=(n, n)], optional
        How affinity falls. "med_k_scalar" (the default): the median over all frames of the distance
        to the k-th neighbour. For each pair on its own: "mean_k" and "gmean_k", the arithmetic or
        geometric mean of both frames' distance to the k-th neighbour; "mean_k_avg" and
        "gmean_k_avg", of their mean distance to the first k; "mean_k_avg_and_pair", the mean of
        these and the pair's own distance.
    self : bool
        Whether frames are linked to themselves.
    axis : int
        Along which frames lie.
    full : bool
        With "distance" and "affinity", link all frames; `k` then serves the bandwidth alone, and
        `width` nothing.

    Returns
    -------
    np.ndarray [shape=(n, n)], or scipy.sparse.csc_array if `sparse`
        Row i and column j hold the link of frame j to frame i: bool for "connectivity", float32
        for "cosine" of float32 features, else float64. Distances of 0 are no links.

    Raises
    ------
    ParameterError
        For values not listed; where features are not finite; for a dense result of over 8 GiB.

    Notes
    -----
    For "connectivity", librosa looks at ``k + 2 * width`` neighbours, drops those within `width`
    and keeps the k earliest of the rest, not the nearest; and so do we.

    References
    ----------
    J.-P. Eckmann, S. O. Kamphorst and D. Ruelle, "Recurrence plots of dynamical systems",
    Europhysics Letters 4(9), 1987. L. Zelnik-Manor and P. Perona, "Self-tuning spectral
    clustering", NIPS 2004. B. Wang et al., "Similarity network fusion for aggregating data types on
    a genomic scale", Nature Methods 11, 2014.

    Examples
    --------
    >>> data = np.array([[0.0, 5, 9, 0.1, 5.2, 9.3]])
    >>> metalmom.segment.recurrence_matrix(data, k=1, mode="distance").round(1)
    array([[0. , 0. , 0. , 0.1, 0. , 0. ],
           [0. , 0. , 0. , 0. , 0.2, 0. ],
           [0. , 0. , 0. , 0. , 0. , 0.3],
           [0.1, 0. , 0. , 0. , 0. , 0. ],
           [0. , 0.2, 0. , 0. , 0. , 0. ],
           [0. , 0. , 0.3, 0. , 0. , 0. ]])
    """
    links = recurrence_links(
        data,
        k=k,
        width=width,
        metric=metric,
        sym=sym,
        sparse=sparse,
        mode=mode,
        bandwidth=bandwidth,
        self=self,
        axis=axis,
        full=full,
    )
    n = np.atleast_2d(data).shape[axis]
    return _matrix(_as_measured(links, metric, data), (n, n), sparse)


def recurrence_links(
    data,
    *,
    k=None,
    width=1,
    metric="euclidean",
    sym=False,
    sparse=True,
    mode="connectivity",
    bandwidth=None,
    self=False,
    axis=-1,
    full=False,
):
    """Columns of a recurrence matrix: indices, values and where each column begins."""
    frames = frames_of(data, "data", axis)
    n = len(frames)
    if not isinstance(width, (int, np.integer)) or not 1 <= width < (n - 1) // 2:
        raise ParameterError(
            f"width={width} must be an integer from 1 to below (n - 1) // 2={(n - 1) // 2}"
        )
    _check(mode, bandwidth, frames)
    k = _count(k, 2 * np.ceil(np.sqrt(n - 2 * width + 1)))
    every = full and mode != "connectivity"
    _require_room((n, n), sparse, mode, n if every else k)
    links = _links(
        frames,
        None,
        metric,
        n_neighbors=n - 1 if every else min(n - 1, k + 2 * width),
        k=n if full else k,  # all neighbours are kept, in every mode
        width=0 if full else width,
        nearest=mode != "connectivity",
        self_links=bool(self) and mode != "distance",
    )
    if sym:
        links = _mutual(*links)
    return _with_values(links, (n, n), mode, bandwidth, k)


def _check(mode, bandwidth, *parts):
    if not is_one_of(mode, _MODES):
        raise ParameterError(f"mode={mode!r} must be one of {', '.join(map(repr, _MODES))}")
    if mode == "affinity" and not (bandwidth is None or isinstance(bandwidth, np.ndarray)):
        if isinstance(bandwidth, str):
            if bandwidth not in _BANDWIDTHS:
                raise ParameterError(
                    f"bandwidth={bandwidth!r} must be a number, an array or one of "
                    f"{', '.join(map(repr, _BANDWIDTHS))}"
                )
        elif not np.isscalar(bandwidth) or not bandwidth > 0:
            raise ParameterError(f"bandwidth={bandwidth!r} must be strictly positive")
    for part in parts:
        if not np.isfinite(part).all():
            raise ParameterError("data must be finite everywhere")


def _count(k, default):
    k = int(default if k is None else k)
    if k < 1:
        raise ParameterError(f"k={k} must be at least 1")
    return k


def _require_room(shape, sparse, mode, links):
    """Refuse what would not fit, before anything is measured."""
    per_value = 1 if mode == "connectivity" else 8
    as_sparse = shape[1] * links * (4 + per_value)
    needed = as_sparse if sparse else shape[0] * shape[1] * per_value
    if needed > _LARGEST:
        hint = "" if sparse else f" dense; sparse=True takes {as_sparse / 2**30:.1f} GiB"
        raise ParameterError(
            f"data.shape[-1]={shape[1]} must be fewer frames: their matrix would need "
            f"{needed / 2**30:.1f} GiB{hint}"
        )


def _links(frames, others, metric, **rule):
    """The rows of a sparse matrix: indices, distances (None without `nearest`), starts."""
    known = _ENGINE_METRICS.get(metric) if isinstance(metric, str) else None
    if known is not None:
        reference = {} if others is None else {"reference": others}
        parts = [_native.links(data=frames, **reference, metric=known, **rule)]
    else:
        parts = list(_measured_links(frames, others, metric, rule))
    counts = np.concatenate([np.diff(starts) for _, _, starts in parts])
    starts = np.concatenate(([0], np.cumsum(counts)))
    indices = [part[0][: part[2][-1]] for part in parts]
    lengths = [part[1][: part[2][-1]] for part in parts]
    if len(parts) == 1:
        return indices[0], lengths[0] if rule["nearest"] else None, starts
    return (
        np.concatenate(indices),
        np.concatenate(lengths) if rule["nearest"] else None,
        starts,
    )


def _measured_links(frames, others, metric, rule):
    """Links by distances of SciPy, some rows at a time."""
    if not callable(metric) and metric not in _SCIPY_METRICS:
        names = sorted([*_ENGINE_METRICS, *_SCIPY_METRICS])
        raise ParameterError(f"metric={metric!r} must be a function or one of {', '.join(names)}")
    others = frames if others is None else others
    if metric in ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"):
        frames, others = frames.astype(bool), others.astype(bool)
    rows = max(1, _BLOCK // (8 * len(others)))
    for first in range(0, len(frames), rows):
        distances = pairwise(frames[first : first + rows], others, metric)
        if np.isnan(distances).any():
            raise ParameterError(f"metric={metric!r} must give a number for every pair of frames")
        yield _native.links(distances=distances, first_row=first, **rule)


def _mutual(indices, lengths, starts):
    kept = _native.mutual_links(indices=indices, starts=starts)
    before = np.concatenate(([0], np.cumsum(kept)))
    return indices[kept], None if lengths is None else lengths[kept], before[starts]


def _with_values(links, shape, mode, bandwidth, k):
    """Links with what their mode makes of distances."""
    indices, distances, starts = links
    if mode == "connectivity":
        return indices, np.ones(len(indices), dtype=bool), starts
    if mode == "distance":
        return links
    return indices, np.exp(-distances / _bandwidth(links, shape, bandwidth, k)), starts


def _as_measured(links, metric, *features):
    """Links in the precision of scikit-learn, which measures float32 in float32 for "cosine" alone."""
    indices, values, starts = links
    single = metric == "cosine" and all(np.asarray(each).dtype == np.float32 for each in features)
    if single and values.dtype != bool:
        values = values.astype(np.float32)
    return indices, values, starts


def _matrix(links, shape, sparse):
    """The matrix of links, whose rows become the columns."""
    indices, values, starts = links
    if not sparse:
        dense = np.zeros(shape, dtype=values.dtype)
        dense[np.repeat(np.arange(shape[0]), np.diff(starts)), indices] = values
        return dense.T
    csc_array = required("scipy.sparse", f"sparse={sparse}").csc_array
    if len(indices) <= np.iinfo(np.int32).max:
        starts = starts.astype(np.int32)
    return csc_array((values, indices, starts), shape=shape[::-1])


def _bandwidth(links, shape, bandwidth, k):
    """What distances are divided by: a number, or one for each link."""
    indices, distances, starts = links
    rows = np.repeat(np.arange(shape[0]), np.diff(starts))
    if isinstance(bandwidth, np.ndarray):
        if bandwidth.shape != shape:
            raise ParameterError(f"bandwidth.shape={bandwidth.shape} must be {shape}")
        bandwidth = _args.floating(bandwidth, "bandwidth")
        if not (bandwidth > 0).all():
            raise ParameterError("bandwidth must be strictly positive everywhere")
        return bandwidth[rows, indices]
    if bandwidth is not None and not isinstance(bandwidth, str):
        return float(bandwidth)
    farthest, mean = _first_k(distances, starts, rows, k)
    if bandwidth in (None, "med_k_scalar"):
        if np.isnan(farthest).all():
            raise ParameterError("data must have links to take a bandwidth from: it has none")
        return float(np.nanmedian(farthest))
    alone = np.flatnonzero(np.diff(starts) == 0)
    if alone.size:
        raise ParameterError(
            f"bandwidth={bandwidth!r} must not meet frames without links, as frame {alone[0]} is"
        )
    if indices.max() >= shape[0]:
        raise ParameterError(
            f"bandwidth={bandwidth!r} must meet at least as many frames as references"
        )
    of_frames = farthest if bandwidth.endswith("_k") else mean
    here, there = of_frames[rows], of_frames[indices]
    if bandwidth == "mean_k_avg_and_pair":
        return (here + there + distances) / 3
    return (here * there) ** 0.5 if bandwidth.startswith("gmean") else (here + there) / 2


def _first_k(distances, starts, rows, k):
    """Of each row, the k-th smallest distance (or the last) and the mean up to it; NaN if none."""
    counts = np.diff(starts)
    if (counts > k).any():
        order = np.lexsort((distances, rows))
        distances = distances[order]
        kept = np.arange(len(rows)) - starts[rows] < k
        distances = distances[kept]
        counts = np.minimum(counts, k)
        starts = np.concatenate(([0], np.cumsum(counts)))
    farthest, mean = np.full((2, len(counts)), np.nan)
    some = counts > 0
    if some.any():
        farthest[some] = np.maximum.reduceat(distances, starts[:-1][some])
        mean[some] = np.add.reduceat(distances, starts[:-1][some]) / counts[some]
    return farthest, mean
