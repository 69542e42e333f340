"""Best paths: alignment of sequences, recurrence, decoding of hidden states."""

from __future__ import annotations

import functools
import mmap
import os
import tempfile
from typing import Annotated, Any, Literal, TypedDict, Unpack, overload

import numpy as np

from . import _native
from ._engine import _args
from .util._public import public
from .util._checks import require, require_count
from .util._rules import array, integer, number
from .util._types import (
    Array, ArrayLike, BinaryProbabilities, BinaryTransitions, Costs, Float, Float64Array, Int,
    IntArray, NDArray, NonNegative, Number, OtherSequences, PadMode, PositiveInt,
    ProbabilityOfStates, RealArray, Sequences, Similarities, StateLikelihoods, StateProbabilities,
    States, StepSizes, Transitions, Vector, WindowSpec,
)
from .filters import get_window
from .util._declared import as_feature
from .util._distances import engine_metric, frames_of, pairwise
from .util._transitions import nearby, require_room_for_states, require_states
from .util.exceptions import ParameterError
from .util.utils import tiny

__all__ = [
    "dtw", "dtw_backtracking", "path_to_steps", "rqa", "transition_cycle", "transition_local",
    "transition_loop", "transition_uniform", "viterbi", "viterbi_binary", "viterbi_discriminative",
]
__dir__ = __all__.copy


class _Scores(TypedDict, total=False):
    gap_onset: NonNegative
    gap_extend: NonNegative
    knight_moves: bool


@overload
def rqa(
    sim: Similarities, *, backtrack: Literal[True] = ..., **scores: Unpack[_Scores]
) -> tuple[RealArray, NDArray[np.unsignedinteger[Any]]]: ...
@overload
def rqa(
    sim: Similarities, *, backtrack: Literal[False], **scores: Unpack[_Scores]
) -> RealArray: ...
@overload
def rqa(
    sim: Similarities, *, backtrack: bool = ..., **scores: Unpack[_Scores]
) -> tuple[RealArray, NDArray[np.unsignedinteger[Any]]] | RealArray: ...
@as_feature(listed=False)
@public
def rqa(
    sim: Similarities,
    *,
    gap_onset: NonNegative = 1,
    gap_extend: NonNegative = 1,
    knight_moves: bool = True,
    backtrack: bool = True,
) -> tuple[RealArray, NDArray[np.unsignedinteger[Any]]] | RealArray:
    """Score the paths through a similarity matrix: recurrence quantification.

    A similar cell adds its similarity to the best path that leads to it along the diagonal, or by
    a knight's move beside it. A cell that is not similar takes a penalty from the path, and a path
    that has nothing left ends.

    Parameters
    ----------
    sim : np.ndarray [shape=(n, m)], non-negative
        Similarities: what `metalmom.segment.recurrence_matrix` or `cross_similarity` return. True
        counts as 1.
    gap_onset : number >= 0
        Penalty for the beginning of a gap.
    gap_extend : number >= 0
        Penalty for each further cell of a gap.
    knight_moves : bool
        Whether paths may also go by (1, 2) and (2, 1), not by (1, 1) alone.
    backtrack : bool
        Whether to return the best path.

    Returns
    -------
    score : np.ndarray [shape=(n, m)], real
        Score of the best path that ends in each cell; of the dtype of `sim`, float64 for bool.
    path : np.ndarray [shape=(k, 2)], uint, if `backtrack`
        Cells of the path of the highest score; none where nothing is similar. Only with
        `backtrack`.

    Raises
    ------
    ParameterError
        For values not listed; where `sim` is not a number; for scores that do not fit a `sim` of
        integers, and for penalties that are not whole where `sim` is.

    References
    ----------
    J. Serra, X. Serra and R. G. Andrzejak, "Cross recurrence quantification for cover song
    identification", New Journal of Physics 11, 2009.

    Examples
    --------
    >>> sim = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1.0]])
    >>> score, path = metalmom.sequence.rqa(sim)
    >>> path.tolist(), float(score.max())
    ([[0, 1], [1, 2], [3, 3]], 3.0)
    """
    sim = np.asarray(sim)
    if sim.ndim != 2 or sim.dtype.kind not in "bfiu":
        raise ParameterError("sim", rule=f"a matrix of numbers, not {sim.dtype} of shape {sim.shape}")
    whole = sim.dtype.kind in "iu"
    for name, gap in (("gap_onset", gap_onset), ("gap_extend", gap_extend)):
        if not gap >= 0:
            raise ParameterError(name, gap, "non-negative")
        if whole and gap != np.floor(gap):  # an infinite gap allows no gaps at all
            raise ParameterError(name, gap, f"whole where sim is of {sim.dtype}")
    score, path, length = _native.rqa(
        sim=_args.floating(sim), gap_onset=gap_onset, gap_extend=gap_extend, knight_moves=knight_moves,
    )
    if whole:
        highest = score.max(initial=0)
        if highest > np.iinfo(sim.dtype).max:  # type: ignore[type-var]
            raise ParameterError(
                "sim.dtype", sim.dtype, f"hold scores up to {highest:.0f}: pass sim.astype(float)",
                verb="must",
            )
        score = score.astype(sim.dtype)
    if not backtrack:
        return score
    return score, path[: int(length)].astype(np.uint)


@public
def path_to_steps(
    path: Annotated[Array, array("L, 2")],
    *,
    inverse: bool = False,
) -> Float64Array:
    """Positions in one sequence of the frames of the other, along a warping path.

    Parameters
    ----------
    path : np.ndarray [shape=(L, 2)]
        Pairs of frames, as `dtw` and `rqa` return them.
    inverse : bool
        Whether to ask for positions in the second sequence, for each frame of the first.

    Returns
    -------
    np.ndarray [shape=(n,)], float64
        For each frame of the second sequence from the path's first to its last, the position in
        the first one, between frames of the path on the line through them.

    Raises
    ------
    ParameterError
        If `path` is not an array of pairs, or is empty.

    Examples
    --------
    >>> metalmom.sequence.path_to_steps(np.array([[0, 0], [1, 2], [3, 3]]))
    array([0. , 0.5, 1. , 3. ])
    """
    path = np.asarray(path)
    if path.dtype.kind == "f":
        path = path.astype(np.float64, copy=False)
    if path.ndim != 2 or path.shape[0] == 0 or path.shape[1] < 2:
        raise ParameterError("path.shape", path.shape, "(L, 2), with at least one pair")
    there, here = (path[:, 1], path[:, 0]) if inverse else (path[:, 0], path[:, 1])
    order = np.argsort(here, kind="stable")
    frames = np.arange(here[order[0]], here[order[-1]] + 1)
    return np.interp(frames, here[order], there[order])


# Dynamic time warping; `metalmom.sequence` exports it.

_DEFAULT_STEPS = np.array([[1, 1], [0, 1], [1, 0]])

# Bytes. Accumulated costs beyond the first limit are in a temporary file, of which a band of rows
# is in memory at a time; beyond the second they are refused.
_IN_MEMORY = 1 << 30
_LARGEST = 1 << 35
_BAND = 1 << 27


@overload
def dtw(
    X: Sequences | None = ..., Y: OtherSequences | None = ..., *, C: Costs | None = ...,
    metric: PadMode = ..., step_sizes_sigma: StepSizes | None = ..., weights_add: Vector | None = ...,
    weights_mul: Vector | None = ..., subseq: bool = ..., backtrack: Literal[True] = ...,
    global_constraints: bool = ..., band_rad: Number = ..., return_steps: Literal[False] = ...,
) -> tuple[Float64Array, IntArray]: ...
@overload
def dtw(
    X: Sequences | None = ..., Y: OtherSequences | None = ..., *, C: Costs | None = ...,
    metric: PadMode = ..., step_sizes_sigma: StepSizes | None = ..., weights_add: Vector | None = ...,
    weights_mul: Vector | None = ..., subseq: bool = ..., backtrack: Literal[False],
    global_constraints: bool = ..., band_rad: Number = ..., return_steps: Literal[False] = ...,
) -> Float64Array: ...
@overload
def dtw(
    X: Sequences | None = ..., Y: OtherSequences | None = ..., *, C: Costs | None = ...,
    metric: PadMode = ..., step_sizes_sigma: StepSizes | None = ..., weights_add: Vector | None = ...,
    weights_mul: Vector | None = ..., subseq: bool = ..., backtrack: bool = ...,
    global_constraints: bool = ..., band_rad: Number = ..., return_steps: bool = ...,
) -> Any: ...
@as_feature(listed=False)
@public(composed=True)
def dtw(
    X: Sequences | None = None,
    Y: OtherSequences | None = None,
    *,
    C: Costs | None = None,
    metric: PadMode = "euclidean",
    step_sizes_sigma: StepSizes | None = None,
    weights_add: Vector | None = None,
    weights_mul: Vector | None = None,
    subseq: bool = False,
    backtrack: bool = True,
    global_constraints: bool = False,
    band_rad: Number = 0.25,
    return_steps: bool = False,
) -> (
    tuple[Float64Array, IntArray]
    | tuple[Float64Array, IntArray, NDArray[np.int32]]
    | Float64Array
    | tuple[Float64Array, NDArray[np.int32]]
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
        Cost to add for each kind of step; 0 by default.
    weights_mul : np.ndarray [shape=(n,)], optional
        Factor of each step on the cost of its cell; 1 by default.
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
        is in a temporary file that is removed with it.
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
            raise ParameterError("X, Y must both be given if C is not", argument="X")
        costs, rows_are_of_y = _frame_costs(X, Y, metric, subseq)
    else:
        if X is not None or Y is not None:
            raise ParameterError("C", rule="given with X or Y", verb="must not be")
        costs = {"cost": _given_costs(C)}
    shape = costs["cost"].shape if "cost" in costs else (len(costs["x"]), len(costs["y"]))
    if global_constraints:  # a band around the diagonal; cells on its bounds are outside
        radius, wider = int(np.round(band_rad * min(shape))), shape[1] - shape[0]
        rule.update(lower=-radius + min(wider, 0), upper=radius + max(wider, 0))
    D, pages = _accumulated(costs, rule, shape)
    results: list[Any] = [D]
    if backtrack:
        wp = _best_path(D, pages, costs, rule)
        if rows_are_of_y or (subseq and shape[0] > shape[1]):
            wp = np.fliplr(wp)
        results.append(wp)
    if return_steps:
        results.append(_native.warp_steps(total=D, **costs, **rule))
    return tuple(results) if len(results) > 1 else D


@public
def dtw_backtracking(
    steps: Annotated[IntArray, array("N, M", values="int")],
    *,
    step_sizes_sigma: StepSizes | None = None,
    subseq: bool = False,
    start: Int | None = None,
) -> IntArray:
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
        raise ParameterError("start", start, "given without subseq", verb="must not be")
    steps = np.asarray(steps)
    if steps.ndim != 2 or steps.size == 0 or steps.dtype.kind not in "iu":
        raise ParameterError("steps", rule=f"a matrix of integers, not {steps.dtype} of shape {steps.shape}")
    sizes = _DEFAULT_STEPS
    if step_sizes_sigma is not None:
        sizes = np.concatenate((sizes, _step_sizes(step_sizes_sigma)))
    path, length = _native.warp_walk(
        steps=steps, step_rows=sizes[:, 0], step_cols=sizes[:, 1], subsequence=bool(subseq),
        start=steps.shape[1] - 1 if start is None else start,
    )
    return path[: int(length)]


def _step_sizes(given: Any) -> IntArray:
    sizes = np.asarray(given)
    if sizes.ndim != 2 or sizes.shape[1] != 2 or sizes.dtype.kind not in "iu":
        raise ParameterError("step_sizes_sigma", given, "integers of shape (n, 2), rows and columns")
    return sizes


def _steps(
    step_sizes_sigma: ArrayLike | None, weights_add: ArrayLike | None, weights_mul: ArrayLike | None
) -> dict[str, Any]:
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


def _given_costs(costs: ArrayLike) -> Array:
    C: Array = np.atleast_2d(costs)
    if C.ndim != 2 or C.size == 0 or C.dtype.kind not in "fiub":
        raise ParameterError("C", rule=f"a matrix of costs, not {C.dtype} of shape {C.shape}")
    return C


def _frame_costs(X: ArrayLike, Y: ArrayLike, metric: Any, subseq: bool) -> tuple[dict[str, Any], bool]:
    """Native arguments of the costs, and whether their rows are frames of Y."""
    x, y = frames_of(X, "X"), frames_of(Y, "Y")
    if x.shape[1] != y.shape[1]:
        raise ParameterError(
            "Y.shape", np.shape(Y), f"have as many features a frame as X.shape={np.shape(X)}", verb="must"
        )
    swap = subseq and len(x) > len(y)
    _require_room((len(x), len(y)))
    known = engine_metric(metric)
    if known is None:
        C = pairwise(x, y, metric)
        return {"cost": C.T if swap else C}, swap
    return {"metric": known, "x": y if swap else x, "y": x if swap else y}, swap


def _require_room(shape: tuple[int, int]) -> None:
    size = 8 * shape[0] * shape[1]
    if size > _LARGEST:
        raise ParameterError(
            f"N, M={shape[0]}, {shape[1]} must be fewer frames: D would take {size / 2**30:.0f} GiB"
        )


def _accumulated(
    costs: dict[str, Any], rule: dict[str, Any], shape: tuple[int, int]
) -> tuple[Float64Array, mmap.mmap | None]:
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


def _let_go(pages: mmap.mmap) -> None:
    """Leave what was written and read to the file: this process keeps none of it in memory."""
    if hasattr(pages, "madvise"):
        pages.madvise(mmap.MADV_DONTNEED)


def _bands(shape: tuple[int, ...]) -> list[tuple[int, int]]:
    rows = max(1, _BAND // (8 * shape[1]))
    return [(first, min(first + rows, shape[0])) for first in range(0, shape[0], rows)]


def _rows(costs: dict[str, Any], first: int, last: int) -> dict[str, Any]:
    """Arguments of the costs of some rows."""
    return {
        name: value[first:last] if name in ("cost", "x") else value
        for name, value in costs.items()
    }


def _on_disk(shape: tuple[int, int]) -> tuple[Float64Array, mmap.mmap]:
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


def _best_path(
    D: Float64Array, pages: mmap.mmap | None, costs: dict[str, Any], rule: dict[str, Any]
) -> Array:
    """Cells of the best path from its end."""
    end = int(np.argmin(D[-1])) if rule["subsequence"] else D.shape[1] - 1
    if np.isinf(D[-1, end]):
        raise ParameterError(
            "no path leads from the start to the end of C with these steps and constraints"
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


# Transition matrices of hidden Markov models.

@public
def transition_uniform(n_states: PositiveInt) -> Float64Array:
    """Transitions from every state to every state with the same probability.

    Parameters
    ----------
    n_states : int > 0
        How many states.

    Returns
    -------
    np.ndarray [shape=(n_states, n_states)], float64
        ``1 / n_states`` everywhere.

    Raises
    ------
    ParameterError
        If `n_states` is not a positive integer, or a matrix of it needs more memory than there is.

    Examples
    --------
    >>> metalmom.sequence.transition_uniform(2)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    require_count("n_states", n_states)
    require_room_for_states(n_states)
    return np.full((int(n_states),) * 2, 1.0 / n_states)


@public
def transition_loop(
    n_states: Annotated[Int, integer(above=1)],
    prob: Annotated[Number, number("float", least=0, most=1)] | States,
) -> Float64Array:
    """Transitions that stay with a given probability, and otherwise go anywhere.

    Parameters
    ----------
    n_states : int > 1
        How many states.
    prob : float in [0, 1], or np.ndarray [shape=(n_states,)]
        Probability to stay, of all states or of each.

    Returns
    -------
    np.ndarray [shape=(n_states, n_states)], float64
        `prob` on the diagonal; the rest of each row is shared equally.

    Raises
    ------
    ParameterError
        For values not listed, and for a matrix that needs more memory than this machine has.

    Examples
    --------
    >>> metalmom.sequence.transition_loop(3, 0.5)
    array([[0.5 , 0.25, 0.25],
           [0.25, 0.5 , 0.25],
           [0.25, 0.25, 0.5 ]])
    """
    prob = _of_each_state(prob, n_states)
    transition = np.empty((n_states, n_states))
    transition[:] = ((1.0 - prob) / (n_states - 1))[:, np.newaxis]
    np.fill_diagonal(transition, prob)
    return transition


@public
def transition_cycle(
    n_states: Annotated[Int, integer(above=1)],
    prob: Annotated[Number, number("float", least=0, most=1)] | States,
) -> Float64Array:
    """Transitions that stay with a given probability, and otherwise go on to the next state.

    The last state goes on to the first: positions in a bar, for instance.

    Parameters
    ----------
    n_states : int > 1
        How many states.
    prob : float in [0, 1], or np.ndarray [shape=(n_states,)]
        Probability to stay, of all states or of each.

    Returns
    -------
    np.ndarray [shape=(n_states, n_states)], float64
        `prob` on the diagonal, ``1 - prob`` beside it.

    Raises
    ------
    ParameterError
        For values not listed, and for a matrix that needs more memory than this machine has.

    Examples
    --------
    >>> metalmom.sequence.transition_cycle(3, 0.75)
    array([[0.75, 0.25, 0.  ],
           [0.  , 0.75, 0.25],
           [0.25, 0.  , 0.75]])
    """
    prob = _of_each_state(prob, n_states)
    transition = np.diag(prob)
    states = np.arange(n_states)
    transition[states, (states + 1) % n_states] = 1.0 - prob
    return transition


@public
def transition_local(
    n_states: Annotated[Int, integer(above=1)],
    width: Annotated[Int, integer(least=1)] | States,
    *,
    window: WindowSpec = "triangle",
    wrap: bool = False,
) -> Float64Array:
    """Transitions to nearby states: for states that are steps of something continuous.

    Parameters
    ----------
    n_states : int > 1
        How many states.
    width : int >= 1, or np.ndarray [shape=(n_states,)]
        How many states are near, for all states or for each; at most `n_states`.
    window : str, tuple, number, callable or np.ndarray
        How the probability falls with the distance, as `metalmom.filters.get_window` takes it.
    wrap : bool
        Whether the first and the last state are neighbours.

    Returns
    -------
    np.ndarray [shape=(n_states, n_states)], float64
        Each row is the window around its state, and sums to 1.

    Raises
    ------
    ParameterError
        For values not listed, or where a window is zero everywhere.

    Examples
    --------
    >>> metalmom.sequence.transition_local(4, 3)
    array([[0.66666667, 0.33333333, 0.        , 0.        ],
           [0.25      , 0.5       , 0.25      , 0.        ],
           [0.        , 0.25      , 0.5       , 0.25      ],
           [0.        , 0.        , 0.33333333, 0.66666667]])
    """
    require_states(n_states)
    try:
        widths = np.broadcast_to(np.asarray(width, dtype=int), (int(n_states),))
    except ValueError as error:
        raise ParameterError("width", width, f"a number, or {n_states} of them") from error
    if (widths < 1).any() or np.ndim(width) > 1:
        raise ParameterError("width", width, "at least 1")
    require((widths <= n_states).all(), "width", width, f"at most n_states={n_states}")
    of_width = functools.partial(get_window, window, fftbins=False)
    transition = nearby(n_states, widths.tolist(), of_width, wrap)
    totals = transition.sum(axis=1, keepdims=True)
    if not (totals > 0).all():
        raise ParameterError(
            f"window={window!r} of width={width} must not be zero everywhere", argument="window"
        )
    return transition / totals


def _of_each_state(prob: Any, n_states: Int) -> Float64Array:
    require_states(n_states)
    given = np.asarray(prob, dtype=np.float64)
    if given.ndim != 0 and given.shape != (n_states,):
        raise ParameterError("prob", prob, f"a number, or n_states={n_states} of them")
    if not ((given >= 0) & (given <= 1)).all():
        raise ParameterError("prob", prob, "in [0, 1]")
    return np.broadcast_to(given, (int(n_states),))


# Viterbi decoding; `metalmom.sequence` exports it.

class _Decoding(TypedDict, total=False):
    p_init: States | None
    transition_min_prob: NonNegative | None


class _OfStates(_Decoding, total=False):
    p_state: States | None


class _OfLabels(TypedDict, total=False):
    p_state: Float | ProbabilityOfStates | None
    p_init: Float | ProbabilityOfStates | None
    transition_min_prob: NonNegative | None


@overload
def viterbi(
    prob: StateProbabilities, transition: Transitions, *, return_logp: Literal[False] = ...,
    **decoding: Unpack[_Decoding],
) -> NDArray[np.uint16]: ...
@overload
def viterbi(
    prob: StateProbabilities, transition: Transitions, *, return_logp: Literal[True],
    **decoding: Unpack[_Decoding],
) -> tuple[NDArray[np.uint16], Float64Array]: ...
@overload
def viterbi(
    prob: StateProbabilities, transition: Transitions, *, return_logp: bool = ...,
    **decoding: Unpack[_Decoding],
) -> NDArray[np.uint16] | tuple[NDArray[np.uint16], Float64Array]: ...
@public(composed=True)
def viterbi(
    prob: StateProbabilities,
    transition: Transitions,
    *,
    p_init: States | None = None,
    return_logp: bool = False,
    transition_min_prob: NonNegative | None = None,
) -> NDArray[np.uint16] | tuple[NDArray[np.uint16], Float64Array]:
    """Most likely sequence of hidden states, from the likelihood of the observations.

    Parameters
    ----------
    prob : np.ndarray [shape=(..., n_states, n_steps)], in [0, 1]
        Likelihood of each step's observation in each state. Channels are decoded one by one.
    transition : np.ndarray [shape=(n_states, n_states)]
        Probability to go from the row's state to the column's; rows sum to 1.
    p_init : np.ndarray [shape=(n_states,)], optional
        Probability of each state at the first step; uniform by default.
    return_logp : bool
        Whether to return the log-likelihood, too.
    transition_min_prob : number >= 0, optional
        Transitions of a smaller probability are not taken.

    Returns
    -------
    states : np.ndarray [shape=(..., n_steps)], uint16
        The state at each step. Of equally likely sequences that of the lowest states, looked at
        from the end.
    logp : np.ndarray [shape=(1,) or (...)], float64, if `return_logp`
        Log-likelihood of `states` and the observations. Only with `return_logp`.

    Raises
    ------
    ParameterError
        For values and shapes not listed, or where `transition_min_prob` leaves no way into a state.

    References
    ----------
    L. R. Rabiner, "A tutorial on hidden Markov models and selected applications in speech
    recognition", Proceedings of the IEEE 77(2), 1989.

    Examples
    --------
    Normal or feverish, from what a patient says in three days.

    >>> said = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
    >>> transition = np.array([[0.7, 0.3], [0.4, 0.6]])
    >>> states, logp = metalmom.sequence.viterbi(
    ...     said, transition, p_init=np.array([0.6, 0.4]), return_logp=True)
    >>> states.tolist(), np.exp(logp).round(5).tolist()
    ([0, 0, 1], [0.01512])
    """
    prob = _probabilities(prob)
    transition = _transition(transition, prob.shape[-2])
    epsilon = tiny(prob)
    # C-contiguous, as the engine reads it.
    likely = np.add(prob, epsilon, order="C")
    states, logp = _decode(
        np.log(likely, out=likely), transition, _distribution("p_init", p_init, prob.shape[-2]),
        transition_min_prob, epsilon,
    )
    if not return_logp:
        return states
    return states, logp[np.newaxis] if prob.ndim == 2 else logp


@overload
def viterbi_discriminative(
    prob: StateLikelihoods, transition: Transitions, *, return_logp: Literal[False] = ...,
    **decoding: Unpack[_OfStates],
) -> NDArray[np.uint16]: ...
@overload
def viterbi_discriminative(
    prob: StateLikelihoods, transition: Transitions, *, return_logp: Literal[True],
    **decoding: Unpack[_OfStates],
) -> tuple[NDArray[np.uint16], Float64Array]: ...
@overload
def viterbi_discriminative(
    prob: StateLikelihoods, transition: Transitions, *, return_logp: bool = ...,
    **decoding: Unpack[_OfStates],
) -> NDArray[np.uint16] | tuple[NDArray[np.uint16], Float64Array]: ...
@public(composed=True)
def viterbi_discriminative(
    prob: StateLikelihoods,
    transition: Transitions,
    *,
    p_state: States | None = None,
    p_init: States | None = None,
    return_logp: bool = False,
    transition_min_prob: NonNegative | None = None,
) -> NDArray[np.uint16] | tuple[NDArray[np.uint16], Float64Array]:
    """Most likely sequence of hidden states, from the probability of each state at each step.

    What a classifier gives is the probability of a state after an observation; divided by the
    state's own probability it is, but for a factor, the likelihood that `viterbi` takes.

    Parameters
    ----------
    prob : np.ndarray [shape=(..., n_states, n_steps)], non-negative
        Probability of each state at each step; columns sum to 1.
    transition : np.ndarray [shape=(n_states, n_states)]
        Probability to go from the row's state to the column's; rows sum to 1.
    p_state : np.ndarray [shape=(n_states,)], optional
        Probability of each state at any step; uniform by default.
    p_init : np.ndarray [shape=(n_states,)], optional
        Probability of each state at the first step; uniform by default.
    return_logp : bool
        Whether to return the log-likelihood, too.
    transition_min_prob : number >= 0, optional
        Transitions of a smaller probability are not taken.

    Returns
    -------
    states : np.ndarray [shape=(..., n_steps)], uint16
        The state at each step.
    logp : np.ndarray [shape=(...)], float64, if `return_logp`
        Log-likelihood of `states`, but for a constant. Only with `return_logp`.

    Raises
    ------
    ParameterError
        For values and shapes not listed, or where `transition_min_prob` leaves no way into a state.

    Examples
    --------
    >>> prob = np.array([[0.9, 0.4, 0.8], [0.1, 0.6, 0.2]])
    >>> metalmom.sequence.viterbi_discriminative(prob, metalmom.sequence.transition_loop(2, 0.9))
    array([0, 0, 0], dtype=uint16)
    """
    prob = _probabilities(prob)
    n_states = prob.shape[-2]
    transition = _transition(transition, n_states)
    if not np.allclose(prob.sum(axis=-2), 1):
        raise ParameterError("prob", rule="sum to 1 in each column", verb="must")
    epsilon = tiny(prob)
    p_state = _distribution("p_state", p_state, n_states)
    states, logp = _decode(
        np.log(prob + epsilon) - np.log(p_state + epsilon)[:, np.newaxis], transition,
        _distribution("p_init", p_init, n_states), transition_min_prob, epsilon,
    )
    return (states, logp) if return_logp else states


@overload
def viterbi_binary(
    prob: BinaryProbabilities, transition: BinaryTransitions, *, return_logp: Literal[False] = ...,
    **decoding: Unpack[_OfLabels],
) -> NDArray[np.uint16]: ...
@overload
def viterbi_binary(
    prob: BinaryProbabilities, transition: BinaryTransitions, *, return_logp: Literal[True],
    **decoding: Unpack[_OfLabels],
) -> tuple[NDArray[np.uint16], Float64Array]: ...
@overload
def viterbi_binary(
    prob: BinaryProbabilities, transition: BinaryTransitions, *, return_logp: bool = ...,
    **decoding: Unpack[_OfLabels],
) -> NDArray[np.uint16] | tuple[NDArray[np.uint16], Float64Array]: ...
@public(composed=True)
def viterbi_binary(
    prob: BinaryProbabilities,
    transition: BinaryTransitions,
    *,
    p_state: Float | ProbabilityOfStates | None = None,
    p_init: Float | ProbabilityOfStates | None = None,
    return_logp: bool = False,
    transition_min_prob: NonNegative | None = None,
) -> NDArray[np.uint16] | tuple[NDArray[np.uint16], Float64Array]:
    """Most likely activity of labels that do not exclude one another, separately for each.

    Parameters
    ----------
    prob : np.ndarray [shape=(..., n_states, n_steps) or (n_steps,)], in [0, 1]
        Probability that each label is active at each step.
    transition : np.ndarray [shape=(2, 2) or (n_states, 2, 2)]
        Probability to go from inactive (0) or active (1) to either, for all labels or for each.
    p_state : float or np.ndarray [shape=(n_states,)], in [0, 1], optional
        Probability that a label is active at any step; 0.5 by default.
    p_init : float or np.ndarray [shape=(n_states,)], in [0, 1], optional
        Probability that a label is active at the first step; 0.5 by default.
    return_logp : bool
        Whether to return the log-likelihoods, too.
    transition_min_prob : number >= 0, optional
        Transitions of a smaller probability are not taken.

    Returns
    -------
    states : np.ndarray [shape=(..., n_states, n_steps)], uint16
        1 where a label is active, 0 elsewhere.
    logp : np.ndarray [shape=(..., n_states)], float64, if `return_logp`
        Log-likelihood of each label's sequence, but for a constant. Only with `return_logp`.

    Raises
    ------
    ParameterError
        For values and shapes not listed, or where `transition_min_prob` leaves no way into a state.

    Examples
    --------
    >>> prob = np.array([0.1, 0.9, 0.3, 0.9, 0.8, 0.1, 0.1])
    >>> metalmom.sequence.viterbi_binary(prob, metalmom.sequence.transition_loop(2, 0.8))
    array([[0, 1, 1, 1, 1, 0, 0]], dtype=uint16)
    """
    prob = _probabilities(np.atleast_2d(prob)).astype(np.float64, copy=False)
    n_states = prob.shape[-2]
    transition = np.asarray(transition)
    if transition.shape not in ((2, 2), (n_states, 2, 2)):
        raise ParameterError("transition.shape", transition.shape, "(2, 2) or (n_states, 2, 2)")
    epsilon = tiny(prob)
    p_state = _share("p_state", p_state, n_states)
    p_init = _share("p_init", p_init, n_states)
    log_prob = np.log(np.stack([1 - prob, prob], axis=-2) + epsilon)
    log_prob -= np.log(p_state + epsilon)[..., np.newaxis]
    if transition.ndim == 2:
        transition = _transition(transition, 2)
        states, logp = _decode(log_prob, transition, p_init, transition_min_prob, epsilon)
        return (states, logp) if return_logp else states
    each = [
        _decode(
            log_prob[..., label, :, :], _transition(transition[label], 2), p_init[label],
            transition_min_prob, epsilon,
        )
        for label in range(n_states)
    ]
    states = np.stack([one[0] for one in each], axis=-2)
    logp = np.stack([one[1] for one in each], axis=-1)
    return (states, logp) if return_logp else states


def _probabilities(given: ArrayLike) -> Array:
    prob: Array = np.asarray(given)
    if prob.ndim < 2 or prob.size == 0 or prob.dtype.kind not in "fiub":
        raise ParameterError(
            "prob", rule=f"numbers of shape (..., n_states, n_steps), not {prob.dtype} of shape {prob.shape}"
        )
    # In this form a NaN fails the test.
    if not (prob.min() >= 0 and prob.max() <= 1):
        raise ParameterError("prob", rule="in [0, 1]")
    return prob


def _transition(given: ArrayLike, n_states: int) -> Array:
    transition: Array = np.asarray(given)
    if transition.shape != (n_states, n_states):
        raise ParameterError(
            "transition.shape", transition.shape, f"(n_states, n_states), n_states={n_states}"
        )
    if np.any(transition < 0) or not np.allclose(transition.sum(axis=1), 1):
        raise ParameterError("transition", rule="non-negative and sum to 1 in each row")
    return transition


def _distribution(name: str, given: Any, n_states: int) -> Array:
    if given is None:
        return np.full(n_states, 1.0 / n_states)
    given = np.asarray(given)
    if given.shape != (n_states,) or np.any(given < 0) or not np.allclose(given.sum(), 1):
        raise ParameterError(name, given, f"{n_states} probabilities that sum to 1")
    return given


def _share(name: str, given: Any, n_states: int) -> Array:
    """Probabilities of a label's two states, (n_states, 2), from that of being active."""
    active = np.full(n_states, 0.5) if given is None else np.atleast_1d(given)
    if active.shape != (n_states,) or not ((active >= 0) & (active <= 1)).all():
        raise ParameterError(name, given, f"{n_states} probabilities")
    return np.stack([1 - active, active], axis=-1)


def _decode(
    log_prob: Array, transition: Array, p_init: Array, transition_min_prob: Number | None, epsilon: float
) -> tuple[Array, Array]:
    """Best paths of log-likelihoods (..., states, steps), and their values (...)."""
    threshold = -np.inf
    if transition_min_prob is not None:
        if not transition_min_prob >= 0:
            raise ParameterError("transition_min_prob", transition_min_prob, "non-negative")
        if transition_min_prob > 0:
            threshold = np.log(transition_min_prob + epsilon)
    log_transition = np.log(transition + epsilon)
    unreached = np.flatnonzero(log_transition.max(axis=0) < threshold)
    if unreached.size:
        raise ParameterError(
            "transition_min_prob", transition_min_prob,
            f"leave a transition into every state: there is none into {unreached[0]}", verb="must",
        )
    return _native.viterbi(
        log_prob=log_prob, initial=log_prob[..., 0] + np.log(p_init + epsilon),
        log_transition=log_transition, log_threshold=threshold,
    )
