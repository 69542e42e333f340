"""Best paths: alignment of sequences, recurrence, decoding of hidden states."""

import numpy as np

from . import _args, _native, _transitions, _viterbi, _warping
from ._declared import as_feature
from ._homes import adopt
from ._transitions import transition_cycle, transition_local, transition_loop, transition_uniform
from ._viterbi import viterbi, viterbi_binary, viterbi_discriminative
from ._warping import dtw, dtw_backtracking
from .util.exceptions import ParameterError

__all__ = [
    "dtw",
    "dtw_backtracking",
    "path_to_steps",
    "rqa",
    "transition_cycle",
    "transition_local",
    "transition_loop",
    "transition_uniform",
    "viterbi",
    "viterbi_binary",
    "viterbi_discriminative",
]

adopt(__name__, _transitions, _viterbi, _warping)


@as_feature(listed=False)
def rqa(sim, *, gap_onset=1, gap_extend=1, knight_moves=True, backtrack=True):
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
        Penalty where a gap begins.
    gap_extend : number >= 0
        Penalty where a gap goes on.
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
        raise ParameterError(f"sim must be a matrix of numbers, not {sim.dtype} of shape {sim.shape}")
    whole = sim.dtype.kind in "iu"
    for name, gap in (("gap_onset", gap_onset), ("gap_extend", gap_extend)):
        if not gap >= 0:
            raise ParameterError(f"{name}={gap} must be non-negative")
        if whole and gap != np.floor(gap):  # an infinite gap allows no gaps at all
            raise ParameterError(f"{name}={gap} must be whole where sim is of {sim.dtype}")
    score, path, length = _native.rqa(
        sim=_args.floating(sim),
        gap_onset=gap_onset,
        gap_extend=gap_extend,
        knight_moves=knight_moves,
    )
    if whole:
        highest = score.max(initial=0)
        if highest > np.iinfo(sim.dtype).max:
            raise ParameterError(
                f"sim.dtype={sim.dtype} must hold scores up to {highest:.0f}: pass sim.astype(float)"
            )
        score = score.astype(sim.dtype)
    if not backtrack:
        return score
    return score, path[: int(length)].astype(np.uint)


def path_to_steps(path, *, inverse=False):
    """Where in one sequence each frame of the other is, along a warping path.

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
        If `path` is no array of pairs, or is empty.

    Examples
    --------
    >>> metalmom.sequence.path_to_steps(np.array([[0, 0], [1, 2], [3, 3]]))
    array([0. , 0.5, 1. , 3. ])
    """
    path = np.asarray(path)
    if path.dtype.kind == "f":
        path = path.astype(np.float64, copy=False)
    if path.ndim != 2 or path.shape[0] == 0 or path.shape[1] < 2:
        raise ParameterError(f"path.shape={path.shape} must be (L, 2), with at least one pair")
    there, here = (path[:, 1], path[:, 0]) if inverse else (path[:, 0], path[:, 1])
    order = np.argsort(here, kind="stable")
    frames = np.arange(here[order[0]], here[order[-1]] + 1)
    return np.interp(frames, here[order], there[order])
