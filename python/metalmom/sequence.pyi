# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable
from typing import Any, Literal, overload
import numpy as np
import numpy.typing as npt
from ._types import Int, Number

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

@overload
def dtw(
    X: npt.NDArray[Any] | None = None,
    Y: npt.NDArray[Any] | None = None,
    *,
    C: npt.NDArray[Any] | None = None,
    metric: str | Callable[..., Any] = "euclidean",
    step_sizes_sigma: npt.ArrayLike | None = None,
    weights_add: npt.NDArray[Any] | None = None,
    weights_mul: npt.NDArray[Any] | None = None,
    subseq: bool = False,
    backtrack: Literal[True] = True,
    global_constraints: bool = False,
    band_rad: Number = 0.25,
    return_steps: Literal[False] = False,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.integer[Any]]]: ...
@overload
def dtw(
    X: npt.NDArray[Any] | None = None,
    Y: npt.NDArray[Any] | None = None,
    *,
    C: npt.NDArray[Any] | None = None,
    metric: str | Callable[..., Any] = "euclidean",
    step_sizes_sigma: npt.ArrayLike | None = None,
    weights_add: npt.NDArray[Any] | None = None,
    weights_mul: npt.NDArray[Any] | None = None,
    subseq: bool = False,
    backtrack: Literal[True] = True,
    global_constraints: bool = False,
    band_rad: Number = 0.25,
    return_steps: Literal[True],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.integer[Any]], npt.NDArray[np.int32]]: ...
@overload
def dtw(
    X: npt.NDArray[Any] | None = None,
    Y: npt.NDArray[Any] | None = None,
    *,
    C: npt.NDArray[Any] | None = None,
    metric: str | Callable[..., Any] = "euclidean",
    step_sizes_sigma: npt.ArrayLike | None = None,
    weights_add: npt.NDArray[Any] | None = None,
    weights_mul: npt.NDArray[Any] | None = None,
    subseq: bool = False,
    backtrack: Literal[False],
    global_constraints: bool = False,
    band_rad: Number = 0.25,
    return_steps: Literal[False] = False,
) -> npt.NDArray[np.float64]: ...
@overload
def dtw(
    X: npt.NDArray[Any] | None = None,
    Y: npt.NDArray[Any] | None = None,
    *,
    C: npt.NDArray[Any] | None = None,
    metric: str | Callable[..., Any] = "euclidean",
    step_sizes_sigma: npt.ArrayLike | None = None,
    weights_add: npt.NDArray[Any] | None = None,
    weights_mul: npt.NDArray[Any] | None = None,
    subseq: bool = False,
    backtrack: Literal[False],
    global_constraints: bool = False,
    band_rad: Number = 0.25,
    return_steps: Literal[True],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]: ...
@overload
def dtw(
    X: npt.NDArray[Any] | None = None,
    Y: npt.NDArray[Any] | None = None,
    *,
    C: npt.NDArray[Any] | None = None,
    metric: str | Callable[..., Any] = "euclidean",
    step_sizes_sigma: npt.ArrayLike | None = None,
    weights_add: npt.NDArray[Any] | None = None,
    weights_mul: npt.NDArray[Any] | None = None,
    subseq: bool = False,
    backtrack: bool = True,
    global_constraints: bool = False,
    band_rad: Number = 0.25,
    return_steps: bool = False,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.integer[Any]]] | tuple[npt.NDArray[np.float64], npt.NDArray[np.integer[Any]], npt.NDArray[np.int32]] | npt.NDArray[np.float64] | tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]: ...
def dtw_backtracking(
    steps: npt.NDArray[np.integer[Any]],
    *,
    step_sizes_sigma: npt.ArrayLike | None = None,
    subseq: bool = False,
    start: Int | None = None,
) -> npt.NDArray[np.integer[Any]]: ...
def path_to_steps(
    path: npt.NDArray[Any],
    *,
    inverse: bool = False,
) -> npt.NDArray[np.float64]: ...
@overload
def rqa(
    sim: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    gap_onset: Number = 1,
    gap_extend: Number = 1,
    knight_moves: bool = True,
    backtrack: Literal[True] = True,
) -> tuple[npt.NDArray[np.floating[Any]], npt.NDArray[np.unsignedinteger[Any]]]: ...
@overload
def rqa(
    sim: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    gap_onset: Number = 1,
    gap_extend: Number = 1,
    knight_moves: bool = True,
    backtrack: Literal[False],
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def rqa(
    sim: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    gap_onset: Number = 1,
    gap_extend: Number = 1,
    knight_moves: bool = True,
    backtrack: bool = True,
) -> tuple[npt.NDArray[np.floating[Any]], npt.NDArray[np.unsignedinteger[Any]]] | npt.NDArray[np.floating[Any]]: ...
def transition_cycle(
    n_states: Int,
    prob: Number | npt.NDArray[Any],
) -> npt.NDArray[np.float64]: ...
def transition_local(
    n_states: Int,
    width: Int | npt.NDArray[Any],
    *,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "triangle",
    wrap: bool = False,
) -> npt.NDArray[np.float64]: ...
def transition_loop(
    n_states: Int,
    prob: Number | npt.NDArray[Any],
) -> npt.NDArray[np.float64]: ...
def transition_uniform(n_states: Int) -> npt.NDArray[np.float64]: ...
@overload
def viterbi(
    prob: npt.NDArray[np.floating[Any] | np.integer[Any]],
    transition: npt.NDArray[Any],
    *,
    p_init: npt.NDArray[Any] | None = None,
    return_logp: Literal[False] = False,
    transition_min_prob: Number | None = None,
) -> npt.NDArray[np.uint16]: ...
@overload
def viterbi(
    prob: npt.NDArray[np.floating[Any] | np.integer[Any]],
    transition: npt.NDArray[Any],
    *,
    p_init: npt.NDArray[Any] | None = None,
    return_logp: Literal[True],
    transition_min_prob: Number | None = None,
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64]]: ...
@overload
def viterbi(
    prob: npt.NDArray[np.floating[Any] | np.integer[Any]],
    transition: npt.NDArray[Any],
    *,
    p_init: npt.NDArray[Any] | None = None,
    return_logp: bool = False,
    transition_min_prob: Number | None = None,
) -> npt.NDArray[np.uint16] | tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64]]: ...
@overload
def viterbi_binary(
    prob: npt.NDArray[np.floating[Any] | np.integer[Any]],
    transition: npt.NDArray[Any],
    *,
    p_state: Number | npt.NDArray[np.floating[Any] | np.integer[Any]] | None = None,
    p_init: Number | npt.NDArray[np.floating[Any] | np.integer[Any]] | None = None,
    return_logp: Literal[False] = False,
    transition_min_prob: Number | None = None,
) -> npt.NDArray[np.uint16]: ...
@overload
def viterbi_binary(
    prob: npt.NDArray[np.floating[Any] | np.integer[Any]],
    transition: npt.NDArray[Any],
    *,
    p_state: Number | npt.NDArray[np.floating[Any] | np.integer[Any]] | None = None,
    p_init: Number | npt.NDArray[np.floating[Any] | np.integer[Any]] | None = None,
    return_logp: Literal[True],
    transition_min_prob: Number | None = None,
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64]]: ...
@overload
def viterbi_binary(
    prob: npt.NDArray[np.floating[Any] | np.integer[Any]],
    transition: npt.NDArray[Any],
    *,
    p_state: Number | npt.NDArray[np.floating[Any] | np.integer[Any]] | None = None,
    p_init: Number | npt.NDArray[np.floating[Any] | np.integer[Any]] | None = None,
    return_logp: bool = False,
    transition_min_prob: Number | None = None,
) -> npt.NDArray[np.uint16] | tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64]]: ...
@overload
def viterbi_discriminative(
    prob: npt.NDArray[np.floating[Any] | np.integer[Any]],
    transition: npt.NDArray[Any],
    *,
    p_state: npt.NDArray[Any] | None = None,
    p_init: npt.NDArray[Any] | None = None,
    return_logp: Literal[False] = False,
    transition_min_prob: Number | None = None,
) -> npt.NDArray[np.uint16]: ...
@overload
def viterbi_discriminative(
    prob: npt.NDArray[np.floating[Any] | np.integer[Any]],
    transition: npt.NDArray[Any],
    *,
    p_state: npt.NDArray[Any] | None = None,
    p_init: npt.NDArray[Any] | None = None,
    return_logp: Literal[True],
    transition_min_prob: Number | None = None,
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64]]: ...
@overload
def viterbi_discriminative(
    prob: npt.NDArray[np.floating[Any] | np.integer[Any]],
    transition: npt.NDArray[Any],
    *,
    p_state: npt.NDArray[Any] | None = None,
    p_init: npt.NDArray[Any] | None = None,
    return_logp: bool = False,
    transition_min_prob: Number | None = None,
) -> npt.NDArray[np.uint16] | tuple[npt.NDArray[np.uint16], npt.NDArray[np.float64]]: ...
