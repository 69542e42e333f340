"""Dynamic time warping; `metalmom.sequence` exports it."""

import mmap
import os
import tempfile

import numpy as np

from . import _native
from ._declared import as_feature
from ._distances import engine_metric, frames_of, pairwise
from ._spans import composed
from .util.exceptions import ParameterError

__all__ = ["dtw", "dtw_backtracking"]

_DEFAULT_STEPS = np.array([[1, 1], [0, 1], [1, 0]])

# Bytes. Accumulated costs beyond the first limit are in a temporary file, of which a band of rows
# is in memory at a time; beyond the second they are refused.
_IN_MEMORY = 1 << 30
_LARGEST = 1 << 35
_BAND = 1 << 27


@as_feature(listed=False)
@composed
def dtw(
    X=None,
    Y=None,
    *,
    C=None,
    metric="euclidean",
    step_sizes_sigma=None,
    weights_add=None,
    weights_mul=None,
    subseq=False,
    backtrack=True,
    global_constraints=False,
    band_rad=0.25,
    return_steps=False,
):
    """Align two sequences by dynamic time warping: the path of least accumulated cost.

    A cell of the path pairs a frame of `X` with one of `Y`. It costs their distance, and the
    accumulated cost of a cell is its own plus the least of those from which a step leads to it. Of
    equally good steps the first is taken.

    Parameters
    ----------
    X : np.ndarray [shape=(..., K, N)], optional
        Features of the one sequence; all axes but the last are one frame's features.
    Y : np.ndarray [shape=(..., K, M)], optional
        Features of the other sequence.
    C : np.ndarray [shape=(N, M)], optional
        Costs of all pairs, instead of `X`, `Y` and `metric`.
    metric : str or callable
        A distance of `scipy.spatial.distance.cdist`. "euclidean", "sqeuclidean", "cityblock",
        "chebyshev" and "cosine" do without SciPy.
    step_sizes_sigma : array_like [shape=(n, 2)], optional
        Allowed steps, rows and columns forward; by default (1, 1), (0, 1) and (1, 0).
    weights_add : np.ndarray [shape=(n,)], optional
        What a step costs beside its cell; 0 by default.
    weights_mul : np.ndarray [shape=(n,)], optional
        By what a step multiplies the cost of its cell; 1 by default.
    subseq : bool
        Align the shorter sequence with any part of the longer one.
    backtrack : bool
        Whether to return the path.
    global_constraints : bool
        Keep the path in a band around the diagonal (Sakoe and Chiba).
    band_rad : number
        Half the width of the band, as a share of the shorter sequence.
    return_steps : bool
        Whether to return the steps that were taken.

    Returns
    -------
    D : np.ndarray [shape=(N, M)], float64
        Accumulated costs; (M, N) with `subseq` where `X` is the longer one. Above 1 GiB, the array
        lies in a temporary file that is gone with it.
    wp : np.ndarray [shape=(L, 2)], int, if `backtrack`
        The path from its end: frames of `X` and of `Y`. Only with `backtrack`.
    steps : np.ndarray [shape=(N, M)], int32, if `return_steps`
        For each cell, which step leads to it, as `dtw_backtracking` reads it: 0, 1, 2 are the
        default steps, steps of your own count from 3. Only with `return_steps`.

    Raises
    ------
    ParameterError
        For wrong values; if neither `C` nor both of `X` and `Y` are given, or all are; where a cost
        is not a number; if no path leads from the start to the end; if `D` would take more than
        32 GiB.

    References
    ----------
    M. Mueller, "Fundamentals of Music Processing", Springer, 2015, chapters 3 and 7.
    H. Sakoe and S. Chiba, "Dynamic programming algorithm optimization for spoken word recognition",
    IEEE Transactions on Acoustics, Speech and Signal Processing 26(1), 1978.

    Examples
    --------
    >>> X = np.array([[1.0, 2, 3, 4]])
    >>> Y = np.array([[1.0, 2, 2, 3, 4]])
    >>> D, wp = metalmom.sequence.dtw(X, Y)
    >>> float(D[-1, -1]), wp[::-1].tolist()
    (0.0, [[0, 0], [1, 1], [1, 2], [2, 3], [3, 4]])
    """
    rule = _steps(step_sizes_sigma, weights_add, weights_mul)
    rule["subsequence"] = bool(subseq)
    rows_are_of_y = False
    if C is None:
        if X is None or Y is None:
            raise ParameterError("X, Y must both be given if C is not")
        costs, rows_are_of_y = _frame_costs(X, Y, metric, subseq)
    else:
        if X is not None or Y is not None:
            raise ParameterError("C must not be given with X or Y")
        costs = {"cost": _given_costs(C)}
    shape = _shape(costs)
    if global_constraints:
        rule.update(_band(shape, band_rad))
    D, pages = _accumulated(costs, rule, shape)
    results = [D]
    if backtrack:
        wp = _best_path(D, pages, costs, rule)
        if rows_are_of_y or (subseq and shape[0] > shape[1]):
            wp = np.fliplr(wp)
        results.append(wp)
    if return_steps:
        results.append(_native.warp_steps(total=D, **costs, **rule))
    return tuple(results) if len(results) > 1 else D


def dtw_backtracking(steps, *, step_sizes_sigma=None, subseq=False, start=None):
    """Follow the steps of a step matrix back from the end: the path of `dtw`.

    Parameters
    ----------
    steps : np.ndarray [shape=(N, M)], int
        Which step leads to each cell, as `dtw` returns with ``return_steps=True``.
    step_sizes_sigma : array_like [shape=(n, 2)], optional
        The steps that were allowed, as they were given to `dtw`.
    subseq : bool
        Whether the path may begin at any column.
    start : int, optional
        Column of the last row at which the path ends; the last one by default. Only with `subseq`.

    Returns
    -------
    np.ndarray [shape=(L, 2)], int
        The path from its end.

    Raises
    ------
    ParameterError
        For wrong values, or if `steps` names a step that is not there.

    Examples
    --------
    >>> D, wp, steps = metalmom.sequence.dtw(
    ...     np.array([[1.0, 2]]), np.array([[1.0, 2, 2]]), return_steps=True)
    >>> metalmom.sequence.dtw_backtracking(steps).tolist()
    [[1, 2], [1, 1], [0, 0]]
    """
    if start is not None and not subseq:
        raise ParameterError(f"start={start} must not be given without subseq")
    steps = np.asarray(steps)
    if steps.ndim != 2 or steps.size == 0 or steps.dtype.kind not in "iu":
        raise ParameterError(
            f"steps must be a matrix of integers, not {steps.dtype} of shape {steps.shape}"
        )
    sizes = _DEFAULT_STEPS
    if step_sizes_sigma is not None:
        sizes = np.concatenate((sizes, _step_sizes(step_sizes_sigma)))
    path, length = _native.warp_walk(
        steps=steps,
        step_rows=sizes[:, 0],
        step_cols=sizes[:, 1],
        subsequence=bool(subseq),
        start=steps.shape[1] - 1 if start is None else start,
    )
    return path[: int(length)]


def _step_sizes(given):
    sizes = np.asarray(given)
    if sizes.ndim != 2 or sizes.shape[1] != 2 or sizes.dtype.kind not in "iu":
        raise ParameterError(
            f"step_sizes_sigma={given} must be integers of shape (n, 2), rows and columns"
        )
    return sizes


def _steps(step_sizes_sigma, weights_add, weights_mul):
    """Native arguments of the allowed steps; the default ones are none where others are given."""
    sizes, first_code = _DEFAULT_STEPS, 0
    if step_sizes_sigma is not None:
        sizes, first_code = _step_sizes(step_sizes_sigma), len(_DEFAULT_STEPS)
    return {
        "step_rows": sizes[:, 0],
        "step_cols": sizes[:, 1],
        "penalties": np.zeros(len(sizes)) if weights_add is None else np.ravel(weights_add),
        "weights": np.ones(len(sizes)) if weights_mul is None else np.ravel(weights_mul),
        "first_code": first_code,
    }


def _given_costs(C):
    C = np.atleast_2d(C)
    if C.ndim != 2 or C.size == 0 or C.dtype.kind not in "fiub":
        raise ParameterError(f"C must be a matrix of costs, not {C.dtype} of shape {C.shape}")
    return C


def _frame_costs(X, Y, metric, subseq):
    """Native arguments of the costs, and whether their rows are frames of Y."""
    x, y = frames_of(X, "X"), frames_of(Y, "Y")
    if x.shape[1] != y.shape[1]:
        raise ParameterError(
            f"Y.shape={np.shape(Y)} must have as many features a frame as X.shape={np.shape(X)}"
        )
    swap = subseq and len(x) > len(y)
    _require_room((len(x), len(y)))
    known = engine_metric(metric)
    if known is None:
        C = pairwise(x, y, metric)
        return {"cost": C.T if swap else C}, swap
    return {"metric": known, "x": y if swap else x, "y": x if swap else y}, swap


def _shape(costs):
    if "cost" in costs:
        return costs["cost"].shape
    return len(costs["x"]), len(costs["y"])


def _require_room(shape):
    size = 8 * shape[0] * shape[1]
    if size > _LARGEST:
        raise ParameterError(
            f"N, M={shape[0]}, {shape[1]} must be fewer frames: D would take {size / 2**30:.0f} GiB"
        )


def _band(shape, band_rad):
    """Native arguments of the band around the diagonal; cells on its bounds are outside."""
    radius = int(np.round(band_rad * min(shape)))
    wider = shape[1] - shape[0]
    return {"lower": -radius + min(wider, 0), "upper": radius + max(wider, 0)}


def _accumulated(costs, rule, shape):
    """The accumulated costs: in memory, or band by band in a temporary file, and its pages."""
    _require_room(shape)
    if 8 * shape[0] * shape[1] <= _IN_MEMORY:
        return _native.warp_totals(**costs, **rule), None
    D, pages = _on_disk(shape)
    reach = int(np.max(rule["step_rows"]))
    for first, last in _bands(shape):
        above = {"total": D[max(0, first - reach) : first]} if first else {}
        band = D[first:last]
        _native.warp_totals(**_rows(costs, first, last), **rule, **above, first_row=first, out=band)
        _let_go(pages)
    return D, pages


def _let_go(pages):
    """Leave what was written and read to the file: this process keeps none of it in memory."""
    if hasattr(pages, "madvise"):
        pages.madvise(mmap.MADV_DONTNEED)


def _bands(shape):
    rows = max(1, _BAND // (8 * shape[1]))
    return [(first, min(first + rows, shape[0])) for first in range(0, shape[0], rows)]


def _rows(costs, first, last):
    """Arguments of the costs of some rows."""
    return {
        name: value[first:last] if name in ("cost", "x") else value
        for name, value in costs.items()
    }


def _on_disk(shape):
    """An array in a temporary file that exists as long as the array, and its pages."""
    size = 8 * shape[0] * shape[1]
    with tempfile.TemporaryFile() as file:
        try:
            if hasattr(os, "posix_fallocate"):
                # Reserves the disk space: writing to a hole in a mapped file ends the process if
                # the disk is full.
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.truncate(size)
        except OSError as error:
            raise ParameterError(
                f"N, M={shape[0]}, {shape[1]} must be fewer frames, or TMPDIR must have room for D: "
                f"{size / 2**30:.1f} GiB ({error.strerror})"
            ) from error
        pages = mmap.mmap(file.fileno(), size)
    return np.frombuffer(pages, dtype=np.float64).reshape(shape), pages


def _best_path(D, pages, costs, rule):
    """Cells of the best path from its end."""
    end = int(np.argmin(D[-1])) if rule["subsequence"] else D.shape[1] - 1
    if np.isinf(D[-1, end]):
        raise ParameterError(
            "no path leads from the start to the end with these steps and constraints"
        )
    parts, reach = [], int(np.max(rule["step_rows"]))
    last = D.shape[0]
    for first, _ in [(0, last)] if pages is None else reversed(_bands(D.shape)):
        # Every band but the first also needs the rows above it that steps reach; the path in it
        # ends on one of these.
        top = max(0, first - reach)
        path, length = _native.warp_path(
            total=D[top:last], **_rows(costs, top, last), **rule, first_row=top, end=end
        )
        path = path[: int(length)]
        path[:, 0] += top
        last, end = int(path[-1, 0]) + 1, int(path[-1, 1])
        parts.append(path if first == 0 else path[:-1])
        if pages is not None:
            _let_go(pages)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
