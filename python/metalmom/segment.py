"""Structure of recordings: recurrence, lags, segments, paths."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Literal, overload

import numpy as np

from . import _native
from ._engine import _args
from .util._public import public
from .util._rules import array, integer
from .util._types import (
    Array, ArrayLike, Int, IntArray, Observations, PadMode, Positive, PositiveInt, RealArray,
    SparseArray, WindowSpec, csc_array,
)
from .filters import diagonal_filter
from .util._checks import (
    POSITIVES, is_one_of, number, positive_int, require, require_finite, require_positive,
)  # fmt: skip
from .util._declared import as_feature
from .util._distances import frames_of, pairwise
from .util._kept_results import kept
from .util._keywords import takes
from .util._memory import refuse_beyond_memory
from .util._packages import required
from .util.exceptions import Argument, ParameterError
from .util.utils import fix_frames, shear

__all__ = [
    "agglomerative", "cross_similarity", "lag_to_recurrence", "path_enhance", "recurrence_matrix",
    "recurrence_to_lag", "subsegment", "timelag_filter",
]
__dir__ = __all__.copy

# scipy.ndimage.convolve's modes for what is beyond the edges -> numpy.pad's.
_PADDING: dict[str, Any] = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "mirror": "reflect",
    "nearest": "edge",
    "wrap": "wrap",
    "grid-wrap": "wrap",
    "constant": "constant",
    "grid-constant": "constant",
}
_LANES = 64  # columns that the engine filters at once


@public(composed=True)
def subsegment(
    data: Array,
    frames: Annotated[IntArray, array("n", values="int")],
    *,
    n_segments: PositiveInt = 4,
    axis: Int = -1,
) -> IntArray:
    """Divide each segment of a sequence into smaller ones, by `agglomerative`.

    Parameters
    ----------
    data : np.ndarray
        Features.
    frames : np.ndarray [shape=(n,)], int
        Boundaries of the segments; the first and the last frame are added.
    n_segments : int > 0
        Into how many segments each is divided, at most; one of fewer frames, into its frames.
    axis : int
        Along which frames lie.

    Returns
    -------
    np.ndarray [shape=(m,)], int
        Where each of the smaller segments begins.

    Raises
    ------
    ParameterError
        For values not listed, or where a segment is a single frame.

    Examples
    --------
    >>> data = np.array([[0.0, 0, 4, 4, 0, 1, 1, 1]])
    >>> metalmom.segment.subsegment(data, np.array([0, 4]), n_segments=2)
    array([0, 2, 4, 5])
    """
    data = np.asarray(data)
    frames = fix_frames(frames, x_min=0, x_max=data.shape[axis], pad=True)
    positive_int("n_segments", n_segments)
    rows = frames_of(data, "data", axis)
    starts = [np.zeros(0, dtype=int)]
    for first, last in zip(frames[:-1], frames[1:]):
        if last - first < 2:
            raise ParameterError("frames", frames, "leave at least 2 frames in each segment", verb="must")
        count = min(last - first, n_segments)
        starts.append(first + _native.agglomerate(data=rows[first:last], k=int(count)))
    return np.concatenate(starts)


@public
def agglomerative(
    data: Array,
    k: PositiveInt,
    *,
    clusterer: object | None = None,
    axis: Int = -1,
) -> IntArray:
    """Cut a sequence into segments that are alike inside, from single frames upwards.

    Neighbouring segments merge, at each time those whose union adds least to the variance inside
    segments (Ward's criterion).

    Parameters
    ----------
    data : np.ndarray
        Features; all axes but `axis` are one frame's features.
    k : int > 0
        How many segments.
    clusterer : object, optional
        Anything with ``fit`` and then ``labels_``, as scikit-learn's clusterers, which is used
        instead.
    axis : int
        Along which frames lie.

    Returns
    -------
    np.ndarray [shape=(k,)], int
        Where each segment begins.

    Raises
    ------
    ParameterError
        For values not listed, for fewer than 2 frames, and for more segments than frames.

    References
    ----------
    J. H. Ward, "Hierarchical grouping to optimize an objective function", Journal of the American
    Statistical Association 58, 1963.

    Examples
    --------
    >>> metalmom.segment.agglomerative(np.array([[0.0, 0.1, 5, 5.1, 9, 9.2]]), 3)
    array([0, 2, 4])
    """
    rows = frames_of(data, "data", axis)
    if clusterer is None:
        return _native.agglomerate(data=rows, k=k)
    if not hasattr(clusterer, "fit"):
        raise ParameterError("clusterer", clusterer, "have fit, and then labels_", verb="must")
    fitted: Any = clusterer
    fitted.fit(rows)
    later: Array = 1 + np.flatnonzero(np.diff(fitted.labels_))
    return np.concatenate(([0], later))


@as_feature(listed=False)
@takes("mode", "cval", "origin", "output")
@public(composed=True)
def path_enhance(
    R: Annotated[Array, array("n, m")],
    n: PositiveInt,
    *,
    window: WindowSpec = "hann",
    max_ratio: Positive = 2.0,
    min_ratio: Positive | None = None,
    n_filters: Annotated[Int, integer(least=1)] = 7,
    zero_mean: bool = False,
    clip: bool = True,
    **kwargs: Any,
) -> RealArray:
    """Enhance paths in a similarity matrix: repetitions, also at another tempo.

    The matrix is smoothed along diagonals of several slopes, and each value is the largest of them.

    Parameters
    ----------
    R : np.ndarray [shape=(n, m)]
        A self- or cross-similarity matrix.
    n : int > 0
        Length of the filters, in frames.
    window : str, tuple, number, callable or np.ndarray
        Their weights along the diagonal, as `metalmom.filters.get_window` takes them.
    max_ratio : number > 0
        The largest ratio of tempi.
    min_ratio : number > 0, optional
        The smallest ratio; by default ``1 / max_ratio``.
    n_filters : int >= 1
        How many ratios, at equal distances on a logarithmic scale.
    zero_mean : bool
        Whether filters sum to zero, so that blocks are suppressed.
    clip : bool
        Whether to set negative values to zero.
    **kwargs
        Other arguments of `scipy.ndimage.convolve`: ``mode`` ("reflect" by default), ``cval``,
        ``origin`` ...

    Returns
    -------
    np.ndarray [shape=(n, m)], real
        The smoothed matrix, of the dtype of `R`.

    Raises
    ------
    ParameterError
        For values not listed, and for filters that need more memory than this machine has.

    Notes
    -----
    Needs SciPy.

    References
    ----------
    M. Mueller and F. Kurth, "Enhancing similarity matrices for music audio analysis", ICASSP 2006.

    Examples
    --------
    >>> R = np.eye(30)
    >>> R[10, 20] = 1  # a chance similarity
    >>> smooth = metalmom.segment.path_enhance(R, 9)
    >>> bool(smooth[15, 15] > 2 * smooth[10, 20])
    True
    """
    R = np.asarray(R)
    if R.ndim < 2 or R.size == 0 or R.dtype.kind not in "fiu":
        raise ParameterError(
            "R",
            rule=f"a matrix of numbers, not {R.dtype} of shape {R.shape}: a recurrence matrix of mode "
            "'affinity', or one as float",
        )
    require_positive("max_ratio", max_ratio)
    if min_ratio is None:
        min_ratio = 1.0 / max_ratio
    if not 0 < min_ratio <= max_ratio:
        raise ParameterError("min_ratio", min_ratio, f"above 0, at most max_ratio={max_ratio}")
    positive_int("n_filters", n_filters)
    positive_int("n", n)
    # The kernels, and the image with a margin as wide as a kernel.
    n_values = int(n_filters) * int(n) ** 2 + (R.shape[-2] + int(n)) * (R.shape[-1] + int(n))
    refuse_beyond_memory("n", n, 8 * n_values)
    ratios = np.logspace(np.log2(min_ratio), np.log2(max_ratio), num=n_filters, base=2).tolist()
    make = _kept_kernels if isinstance(window, (str, tuple)) else _kernels
    kernels = make(window, int(n), tuple(ratios), bool(zero_mean))
    mode, origin = kwargs.get("mode", "reflect"), kwargs.get("origin", 0)
    if not isinstance(mode, str) or mode not in _PADDING:
        raise ParameterError("mode", mode, f"one of {', '.join(_PADDING)}")
    _require_origin(origin, [(1,) * (R.ndim - 2) + kernel.shape for kernel in kernels])
    cval = number("cval", kwargs.get("cval", 0.0))
    if (output := kwargs.get("output")) is not None:
        kwargs["output"] = _output(output, R.shape)
    plain = R.ndim == 2 and R.dtype in (np.float32, np.float64)
    if plain and np.ndim(origin) == 0 and not set(kwargs) - {"mode", "cval", "origin"}:
        smooth = _convolved(R, kernels, mode, cval, int(origin))
    else:
        smooth = _convolved_by_scipy(R, kernels, kwargs)
    return np.clip(smooth, 0, None, out=smooth) if clip else smooth


def _require_origin(origin: Any, shapes: list[tuple[int, ...]]) -> None:
    n_axes = len(shapes[0])
    origins = list(origin) if isinstance(origin, (tuple, list)) else [origin] * n_axes
    are_integers = len(origins) == n_axes and all(isinstance(each, (int, np.integer)) for each in origins)
    require(are_integers, "origin", origin, "an integer, or one for each axis")
    if not all(-(size // 2) <= each <= (size - 1) // 2 for sizes in shapes for each, size in zip(origins, sizes)):
        raise ParameterError("origin", origin, "lie within the filters", verb="must")


def _output(output: Any, shape: tuple[int, ...]) -> Any:
    """What SciPy takes as `output`: an array of this shape, or a type of numbers."""
    with contextlib.suppress(TypeError):
        is_array = isinstance(output, np.ndarray) and output.shape == shape
        dtype = output.dtype if is_array else np.dtype(output)
        if dtype.kind in "fiu" and (not is_array or output.flags.writeable):
            return output if is_array else dtype
    raise ParameterError("output", output, f"a writable array of numbers of shape {shape}, or a type of numbers")


def _kernels(window: Any, n: Int, ratios: Iterable[float], zero_mean: bool) -> list[Array]:
    return [diagonal_filter(window, n, slope=ratio, zero_mean=zero_mean) for ratio in ratios]


_kept_kernels = kept(8)(_kernels)


def _convolved(R: Array, kernels: list[Array], mode: str, cval: float, origin: int) -> Array:
    """The largest of the convolutions of R with all kernels."""
    n_rows, n_cols = R.shape
    # A convolution turns the kernel by half a turn; a kernel of even size has its centre to the
    # right of the middle.
    centers = [len(k) // 2 - origin - (len(k) % 2 == 0) for k in kernels]
    before = max(centers)
    after = max(len(k) - 1 - center for k, center in zip(kernels, centers))
    beside: dict[str, Any] = {"constant_values": cval} if _PADDING[mode] == "constant" else {}
    # With a row and columns that fill up the engine's last lanes; no result depends on them.
    spare = ((before, after + 1), (before, after + -n_cols % _LANES))
    image = np.pad(R, spare, mode=_PADDING[mode], **beside)
    return _native.filter_lines(
        image=image, weights=np.concatenate([k[::-1, ::-1].ravel() for k in kernels]),
        sizes=[len(k) for k in kernels], offsets=[before - center for center in centers], n_rows=n_rows,
        n_cols=n_cols,
    )


def _convolved_by_scipy(R: Array, kernels: list[Array], kwargs: dict[str, Any]) -> Array:
    convolve = required("scipy.ndimage").convolve
    shape = (1,) * (R.ndim - 2)
    smooth: Any = None
    for kernel in kernels:
        one = convolve(R, kernel.reshape(shape + kernel.shape), **kwargs)
        smooth = one if smooth is None else np.maximum(smooth, one)
    return smooth


# Recurrence and cross-similarity matrices.

_MODES = ("connectivity", "distance", "affinity")
_BANDWIDTHS = ("med_k_scalar", "mean_k", "gmean_k", "mean_k_avg", "gmean_k_avg", "mean_k_avg_and_pair")
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


@overload
def cross_similarity(
    data: Observations, data_ref: Annotated[Array, array("..., d, n_ref")], *,
    k: PositiveInt | None = ..., metric: PadMode = ..., sparse: Literal[False] = ...,
    mode: Literal["connectivity", "distance", "affinity"] = ...,
    bandwidth: Positive | str | Annotated[Array, array("n, n_ref")] | None = ..., full: bool = ...,
) -> Array: ...
@overload
def cross_similarity(
    data: Observations, data_ref: Annotated[Array, array("..., d, n_ref")], *, k: PositiveInt | None = ...,
    metric: PadMode = ..., sparse: bool, mode: Literal["connectivity", "distance", "affinity"] = ...,
    bandwidth: Positive | str | Annotated[Array, array("n, n_ref")] | None = ..., full: bool = ...,
) -> Any: ...
@as_feature(listed=False)
@public(composed=True)
def cross_similarity(
    data: Observations,
    data_ref: Annotated[Array, array("..., d, n_ref")],
    *,
    k: PositiveInt | None = None,
    metric: PadMode = "euclidean",
    sparse: bool = False,
    mode: Literal["connectivity", "distance", "affinity"] = "connectivity",
    bandwidth: Positive | str | Annotated[Array, array("n, n_ref")] | None = None,
    full: bool = False,
) -> Array | csc_array:
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
            "data_ref.shape", np.shape(data_ref),
            f"agree with data.shape={np.shape(data)} but for the last axis", verb="must",
        )
    _check(mode, bandwidth, data=frames, data_ref=others)
    n, n_ref = len(frames), len(others)
    k = _count(k, min(n_ref, 2 * np.ceil(np.sqrt(n_ref))))
    looked_at = n if full and mode != "connectivity" else k
    _require_room((n_ref, n), sparse, mode, min(looked_at, n_ref))
    links = _links(
        frames, others, metric, n_neighbors=min(n_ref, looked_at), k=looked_at,
        nearest=mode != "connectivity", same=False,
    )
    links = _with_values(links, (n, n_ref), mode, bandwidth, k)
    return _matrix(_as_measured(links, metric, data, data_ref), (n, n_ref), sparse)


@overload
def recurrence_matrix(
    data: Observations, *, k: PositiveInt | None = ..., width: Annotated[Int, integer(least=1)] = ...,
    metric: PadMode = ..., sym: bool = ..., sparse: Literal[False] = ...,
    mode: Literal["connectivity", "distance", "affinity"] = ...,
    bandwidth: Positive | str | Annotated[Array, array("n, n")] | None = ...,
    self: bool = ..., axis: Int = ..., full: bool = ...,
) -> Array: ...
@overload
def recurrence_matrix(
    data: Observations, *, k: PositiveInt | None = ..., width: Annotated[Int, integer(least=1)] = ...,
    metric: PadMode = ..., sym: bool = ..., sparse: bool,
    mode: Literal["connectivity", "distance", "affinity"] = ...,
    bandwidth: Positive | str | Annotated[Array, array("n, n")] | None = ...,
    self: bool = ..., axis: Int = ..., full: bool = ...,
) -> Any: ...
@as_feature(listed=False)
@public(composed=True)
def recurrence_matrix(
    data: Observations,
    *,
    k: PositiveInt | None = None,
    width: Annotated[Int, integer(least=1)] = 1,
    metric: PadMode = "euclidean",
    sym: bool = False,
    sparse: bool = False,
    mode: Literal["connectivity", "distance", "affinity"] = "connectivity",
    bandwidth: Positive | str | Annotated[Array, array("n, n")] | None = None,
    self: bool = False,
    axis: Int = -1,
    full: bool = False,
) -> Array | csc_array:
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
    and keeps the k earliest of the rest, not the nearest. metalmom does the same.

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
        data, k=k, width=width, metric=metric, sym=sym, sparse=sparse, mode=mode, bandwidth=bandwidth,
        self=self, axis=axis, full=full,
    )
    n = np.atleast_2d(data).shape[axis]
    return _matrix(_as_measured(links, metric, data), (n, n), sparse)


# The rows of a sparse matrix: indices, distances or values, starts.
Links = tuple[Array, Any, Array]


def recurrence_links(
    data: ArrayLike, *, k: Int | None = None, width: Int = 1, metric: Any = "euclidean", sym: bool = False,
    sparse: bool = True, mode: str = "connectivity", bandwidth: Any = None, self: bool = False,
    axis: Int = -1, full: bool = False,
) -> Links:
    """Columns of a recurrence matrix: indices, values and where each column begins."""
    frames = frames_of(data, "data", axis)
    n = len(frames)
    if not isinstance(width, (int, np.integer)) or not 1 <= width < (n - 1) // 2:
        raise ParameterError("width", width, f"an integer from 1 to below (n - 1) // 2={(n - 1) // 2}")
    _check(mode, bandwidth, data=frames)
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


def _check(mode: str, bandwidth: Any, **parts: Array) -> None:
    if not is_one_of(mode, _MODES):
        raise ParameterError("mode", mode, f"one of {', '.join(map(repr, _MODES))}", choices=_MODES)
    if mode == "affinity" and not (bandwidth is None or isinstance(bandwidth, np.ndarray)):
        if isinstance(bandwidth, str):
            if bandwidth not in _BANDWIDTHS:
                raise ParameterError(
                    "bandwidth", bandwidth,
                    f"a number, an array or one of {', '.join(map(repr, _BANDWIDTHS))}",
                    choices=_BANDWIDTHS,
                )
        elif not np.isscalar(bandwidth) or not bandwidth > 0:  # type: ignore[operator]
            raise ParameterError("bandwidth", bandwidth, "a number > 0")
    for name, part in parts.items():
        require_finite(name, part)


def _count(k: Int | None, default: float) -> int:
    k = int(default if k is None else k)
    if k < 1:
        raise ParameterError("k", k, "at least 1")
    return k


def _require_room(shape: tuple[int, int], sparse: bool, mode: str, links: int) -> None:
    """Refuse what would not fit, before anything is measured."""
    per_value = 1 if mode == "connectivity" else 8
    as_sparse = shape[1] * links * (4 + per_value)
    needed = as_sparse if sparse else shape[0] * shape[1] * per_value
    if needed > _LARGEST:
        hint = "" if sparse else f" dense; sparse=True takes {as_sparse / 2**30:.1f} GiB"
        raise ParameterError(
            "data.shape[-1]", shape[1], f"fewer frames: their matrix would need {needed / 2 ** 30:.1f} GiB",
            hint=hint,
        )


def _links(frames: Array, others: Array | None, metric: Any, **rule: Any) -> Links:
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
    joined: Any = np.concatenate if len(parts) > 1 else (lambda arrays: arrays[0])
    return joined(indices), joined(lengths) if rule["nearest"] else None, starts


def _measured_links(
    frames: Array, others: Array | None, metric: Any, rule: dict[str, Any]
) -> Iterator[Links]:
    """Links by distances of SciPy, some rows at a time."""
    if not callable(metric) and metric not in _SCIPY_METRICS:
        names = sorted([*_ENGINE_METRICS, *_SCIPY_METRICS])
        raise ParameterError("metric", metric, f"a function or one of {', '.join(names)}")
    others = frames if others is None else others
    if metric in ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"):
        frames, others = frames.astype(bool), others.astype(bool)
    rows = max(1, _BLOCK // (8 * len(others)))
    for first in range(0, len(frames), rows):
        distances = pairwise(frames[first : first + rows], others, metric)
        if np.isnan(distances).any():
            raise ParameterError("metric", metric, "give a number for every pair of frames", verb="must")
        yield _native.links(distances=distances, first_row=first, **rule)


def _mutual(indices: Array, lengths: Array | None, starts: Array) -> Links:
    kept = _native.mutual_links(indices=indices, starts=starts)
    before = np.concatenate(([0], np.cumsum(kept)))
    return indices[kept], None if lengths is None else lengths[kept], before[starts]


def _with_values(links: Links, shape: tuple[int, int], mode: str, bandwidth: Any, k: int) -> Links:
    """Links with what their mode makes of distances."""
    indices, distances, starts = links
    if mode == "connectivity":
        return indices, np.ones(len(indices), dtype=bool), starts
    if mode == "distance":
        return links
    return indices, np.exp(-distances / _bandwidth(links, shape, bandwidth, k)), starts


def _as_measured(links: Links, metric: Any, *features: ArrayLike) -> Links:
    """Links in the precision of scikit-learn, which measures float32 in float32 for "cosine" alone."""
    indices, values, starts = links
    single = metric == "cosine" and all(np.asarray(each).dtype == np.float32 for each in features)
    if single and values.dtype != bool:
        values = values.astype(np.float32)
    return indices, values, starts


def _matrix(links: Links, shape: tuple[int, int], sparse: bool) -> Any:
    """The matrix of links, whose rows become the columns."""
    indices, values, starts = links
    if not sparse:
        dense = np.zeros(shape, dtype=values.dtype)
        dense[np.repeat(np.arange(shape[0]), np.diff(starts)), indices] = values
        return dense.T
    csc_array = required("scipy.sparse", Argument("sparse", sparse)).csc_array
    if len(indices) <= np.iinfo(np.int32).max:
        starts = starts.astype(np.int32)
    return csc_array((values, indices, starts), shape=shape[::-1])


def _bandwidth(links: Links, shape: tuple[int, int], bandwidth: Any, k: int) -> Any:
    """What distances are divided by: a number, or one for each link."""
    indices, distances, starts = links
    rows = np.repeat(np.arange(shape[0]), np.diff(starts))
    if isinstance(bandwidth, np.ndarray):
        if bandwidth.shape != shape:
            raise ParameterError("bandwidth.shape", bandwidth.shape, f"{shape}")
        bandwidth = _args.floating(bandwidth, "bandwidth")
        if not (bandwidth > 0).all():
            raise ParameterError("bandwidth", rule=POSITIVES)
        return bandwidth[rows, indices]
    if bandwidth is not None and not isinstance(bandwidth, str):
        return float(bandwidth)
    farthest, mean = _first_k(distances, starts, rows, k)
    if bandwidth in (None, "med_k_scalar"):
        if np.isnan(farthest).all():
            raise ParameterError("data", rule="have links to take a bandwidth from: it has none", verb="must")
        return float(np.nanmedian(farthest))
    alone = np.flatnonzero(np.diff(starts) == 0)
    if alone.size:
        raise ParameterError(
            "bandwidth", bandwidth, f"not meet frames without links, as frame {alone[0]} is", verb="must"
        )
    if indices.max() >= shape[0]:
        raise ParameterError(
            "bandwidth", bandwidth, "meet at least as many frames as references", verb="must"
        )
    of_frames = farthest if bandwidth.endswith("_k") else mean
    here, there = of_frames[rows], of_frames[indices]
    if bandwidth == "mean_k_avg_and_pair":
        return (here + there + distances) / 3
    return (here * there) ** 0.5 if bandwidth.startswith("gmean") else (here + there) / 2


def _first_k(distances: Array, starts: Array, rows: Array, k: int) -> tuple[Array, Array]:
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


# Recurrence matrices by lag.

def as_matrix(value: Any, name: str) -> Any:
    """A matrix as it is, if it is one of SciPy's sparse ones, else as an array."""
    if hasattr(value, "tocoo"):
        return value
    value = np.asarray(value)
    if value.ndim != 2:
        raise ParameterError(f"{name}.ndim", value.ndim, "2")
    return value


def _axis(axis: Any) -> int:
    if axis not in (-1, 0, 1):
        raise ParameterError("axis", axis, "0, 1 or -1")
    return int(abs(axis))


def _widened(rec: Any, axis: int) -> Any:
    """A recurrence matrix with as many zeros behind it, along the axis of lags."""
    shape = list(rec.shape)
    shape[1 - axis] *= 2
    if isinstance(rec, np.ndarray):
        widened = np.zeros(shape, dtype=rec.dtype)
        widened[: rec.shape[0], : rec.shape[1]] = rec
        return widened
    entries = rec.tocoo()
    places = (entries.data, (entries.row, entries.col))
    return type(entries)(places, shape=tuple(shape)).asformat(rec.format)


@as_feature(listed=False)
@public
def recurrence_to_lag(
    rec: Array | SparseArray,
    *,
    pad: bool = True,
    axis: Int = -1,
) -> Array | SparseArray:
    """Turn a recurrence matrix into one of lags: repetitions become straight lines.

    Parameters
    ----------
    rec : np.ndarray or scipy.sparse array [shape=(n, n)]
        Recurrence, frame by frame.
    pad : bool
        Whether to double the lags, so that positive and negative ones stay apart.
    axis : int
        The axis of time; the other becomes that of lags.

    Returns
    -------
    np.ndarray or scipy.sparse array [shape=(2 * n, n), or (n, n) without `pad`]
        Lag i and frame j hold the recurrence of frame j with frame ``(i + j) mod 2 n``; transposed
        for ``axis=0``. Sparse arrays keep their format.

    Raises
    ------
    ParameterError
        If `rec` is not square or `axis` is not its own.

    Examples
    --------
    >>> metalmom.segment.recurrence_to_lag(np.eye(3, dtype=int))[0]
    array([1, 1, 1])
    """
    axis, rec = _axis(axis), as_matrix(rec, "rec")
    if rec.shape[0] != rec.shape[1]:
        raise ParameterError("rec.shape", rec.shape, "square")
    return shear(_widened(rec, axis) if pad else rec, factor=-1, axis=axis)


@as_feature(listed=False)
@public
def lag_to_recurrence(lag: Array | SparseArray, *, axis: Int = -1) -> Array | SparseArray:
    """Turn a matrix of lags back into a recurrence matrix.

    Parameters
    ----------
    lag : np.ndarray or scipy.sparse array [shape=(2 * n, n) or (n, n)]
        What `recurrence_to_lag` returns.
    axis : int
        The axis of time.

    Returns
    -------
    np.ndarray or scipy.sparse array [shape=(n, n)]
        Recurrence, frame by frame. Sparse arrays keep their format.

    Raises
    ------
    ParameterError
        If the shape of `lag` is not as above, or `axis` is not its own.

    Examples
    --------
    >>> rec = np.arange(9).reshape(3, 3)
    >>> lag = metalmom.segment.recurrence_to_lag(rec)
    >>> bool((metalmom.segment.lag_to_recurrence(lag) == rec).all())
    True
    """
    axis, lag = _axis(axis), as_matrix(lag, "lag")
    shape = lag.shape
    if shape[1 - axis] not in (shape[axis], 2 * shape[axis]):
        raise ParameterError("lag.shape", shape, "have as many lags as frames, or twice as many", verb="must")
    rec = shear(lag, factor=1, axis=axis)
    n = shape[axis]
    return rec[:n] if axis == 1 else rec[:, :n]


@public
def timelag_filter(
    function: Callable[..., Any],
    pad: bool = True,
    index: Int = 0,
) -> Callable[..., Any]:
    """Turn an image filter into one that works on lags: along diagonals of a recurrence matrix.

    Parameters
    ----------
    function : callable
        The filter, which takes a matrix and returns one of its shape.
    pad : bool
        As for `recurrence_to_lag`.
    index : int
        Which positional argument is the matrix.

    Returns
    -------
    callable
        The same function on recurrence matrices.

    Examples
    --------
    >>> smooth = metalmom.segment.timelag_filter(lambda lag: lag.cumsum(axis=1))
    >>> np.diag(smooth(np.eye(4, dtype=int)))
    array([1, 2, 3, 4])
    """

    @functools.wraps(function)
    def filtered(*args: Any, **kwargs: Any) -> Any:
        given = list(args)
        if not -len(args) <= index < len(args):
            raise ParameterError("index", index, "that of a positional argument")
        given[index] = recurrence_to_lag(given[index], pad=pad)
        return lag_to_recurrence(function(*given, **kwargs))

    return filtered
