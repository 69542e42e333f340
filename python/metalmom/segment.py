"""Structure of recordings: recurrence, lags, segments, paths."""

import numpy as np

from . import _lags, _native, _recurrence
from ._declared import as_feature
from ._distances import frames_of
from ._homes import adopt
from ._kept import kept
from ._keywords import takes
from ._lags import lag_to_recurrence, recurrence_to_lag, timelag_filter
from ._recurrence import cross_similarity, recurrence_matrix
from ._spans import composed
from .filters import diagonal_filter
from .util._checks import positive_int
from .util._memory import refuse_beyond_memory
from .util._packages import required
from .util._segments import fix_frames
from .util.exceptions import ParameterError

__all__ = [
    "agglomerative",
    "cross_similarity",
    "lag_to_recurrence",
    "path_enhance",
    "recurrence_matrix",
    "recurrence_to_lag",
    "subsegment",
    "timelag_filter",
]

adopt(__name__, _lags, _recurrence)

# scipy.ndimage.convolve's modes for what is beyond the edges -> numpy.pad's.
_PADDING = {
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


@composed
def subsegment(data, frames, *, n_segments=4, axis=-1):
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
            raise ParameterError(f"frames={frames} must leave at least 2 frames in each segment")
        count = min(last - first, n_segments)
        starts.append(first + _native.agglomerate(data=rows[first:last], k=int(count)))
    return np.concatenate(starts)


def agglomerative(data, k, *, clusterer=None, axis=-1):
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
        raise ParameterError(f"clusterer={clusterer!r} must have fit, and then labels_")
    clusterer.fit(rows)
    return np.concatenate(([0], 1 + np.flatnonzero(np.diff(clusterer.labels_))))


@as_feature(listed=False)
@takes("mode", "cval", "origin", "output")
@composed
def path_enhance(
    R,
    n,
    *,
    window="hann",
    max_ratio=2.0,
    min_ratio=None,
    n_filters=7,
    zero_mean=False,
    clip=True,
    **kwargs,
):
    """Bring out paths in a similarity matrix: repetitions, also at another tempo.

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
            f"R must be a matrix of numbers, not {R.dtype} of shape {R.shape}: "
            "a recurrence matrix of mode 'affinity', or one as float"
        )
    if not max_ratio > 0:
        raise ParameterError(f"max_ratio={max_ratio} must be strictly positive")
    if min_ratio is None:
        min_ratio = 1.0 / max_ratio
    if not 0 < min_ratio <= max_ratio:
        raise ParameterError(f"min_ratio={min_ratio} must be above 0, at most max_ratio={max_ratio}")
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
        raise ParameterError(f"mode={mode!r} must be one of {', '.join(_PADDING)}")
    plain = R.ndim == 2 and R.dtype in (np.float32, np.float64)
    if plain and np.ndim(origin) == 0 and not set(kwargs) - {"mode", "cval", "origin"}:
        smooth = _convolved(R, kernels, mode, kwargs.get("cval", 0.0), int(origin))
    else:
        smooth = _convolved_by_scipy(R, kernels, kwargs)
    return np.clip(smooth, 0, None, out=smooth) if clip else smooth


def _kernels(window, n, ratios, zero_mean):
    return [diagonal_filter(window, n, slope=ratio, zero_mean=zero_mean) for ratio in ratios]


_kept_kernels = kept(8)(_kernels)


def _convolved(R, kernels, mode, cval, origin):
    """The largest of the convolutions of R with all kernels."""
    n_rows, n_cols = R.shape
    # A convolution turns the kernel by half a turn; a kernel of even size has its centre to the
    # right of the middle.
    centers = [len(k) // 2 - origin - (len(k) % 2 == 0) for k in kernels]
    if not all(0 <= center < len(k) for center, k in zip(centers, kernels)):
        raise ParameterError(f"origin={origin} must lie within the filters")
    before = max(centers)
    after = max(len(k) - 1 - center for k, center in zip(kernels, centers))
    beside = {"constant_values": cval} if _PADDING[mode] == "constant" else {}
    image = np.pad(R, (before, after), mode=_PADDING[mode], **beside)
    # A row and columns that fill up the engine's last lanes; no result depends on them.
    spare = -n_cols % _LANES
    image = np.pad(image, ((0, 1), (0, spare)))
    return _native.filter_lines(
        image=image,
        weights=np.concatenate([k[::-1, ::-1].ravel() for k in kernels]),
        sizes=[len(k) for k in kernels],
        offsets=[before - center for center in centers],
        n_rows=n_rows,
        n_cols=n_cols,
    )


def _convolved_by_scipy(R, kernels, kwargs):
    convolve = required("scipy.ndimage").convolve
    shape = (1,) * (R.ndim - 2)
    smooth = None
    for kernel in kernels:
        one = convolve(R, kernel.reshape(shape + kernel.shape), **kwargs)
        smooth = one if smooth is None else np.maximum(smooth, one)
    return smooth
