"""Transition matrices of hidden Markov models; `metalmom.sequence` exports them."""

import numpy as np

from .filters import get_window
from .util._checks import is_positive_int
from .util._memory import refuse_beyond_memory
from .util._shapes import pad_center
from .util.exceptions import ParameterError

__all__ = ["transition_cycle", "transition_local", "transition_loop", "transition_uniform"]


def transition_uniform(n_states):
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
    if not is_positive_int(n_states):
        raise ParameterError(f"n_states={n_states} must be a positive integer")
    _require_room(n_states)
    return np.full((int(n_states),) * 2, 1.0 / n_states)


def transition_loop(n_states, prob):
    """Transitions that stay with a given probability, and else go anywhere.

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


def transition_cycle(n_states, prob):
    """Transitions that stay with a given probability, and else go on to the next state.

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


def transition_local(n_states, width, *, window="triangle", wrap=False):
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
    _require_states(n_states)
    try:
        widths = np.broadcast_to(np.asarray(width, dtype=int), (n_states,))
    except ValueError as error:
        raise ParameterError(f"width={width} must be a number, or {n_states} of them") from error
    if (widths < 1).any() or np.ndim(width) > 1:
        raise ParameterError(f"width={width} must be at least 1")
    transition = np.zeros((n_states, n_states))
    rows = {}
    for state, reach in enumerate(widths.tolist()):
        if reach not in rows:
            # Rolled so that the window is centred on state 0.
            around = pad_center(get_window(window, reach, fftbins=False), size=n_states)
            rows[reach] = np.roll(around, n_states // 2 + 1)
        row = np.roll(rows[reach], state)
        if not wrap:
            row[state + reach // 2 + 1 :] = 0
            row[: max(0, state - reach // 2)] = 0
        transition[state] = row
    totals = transition.sum(axis=1, keepdims=True)
    if not (totals > 0).all():
        raise ParameterError(f"window={window!r} of width={width} must not be zero everywhere")
    return transition / totals


def _require_states(n_states):
    if not is_positive_int(n_states) or n_states < 2:
        raise ParameterError(f"n_states={n_states} must be an integer above 1")
    _require_room(n_states)


def _require_room(n_states):
    refuse_beyond_memory("n_states", n_states, 8 * int(n_states) ** 2)


def _of_each_state(prob, n_states):
    _require_states(n_states)
    given = np.asarray(prob, dtype=np.float64)
    if given.ndim != 0 and given.shape != (n_states,):
        raise ParameterError(f"prob={prob} must be a number, or n_states={n_states} of them")
    if not ((given >= 0) & (given <= 1)).all():
        raise ParameterError(f"prob={prob} must be in [0, 1]")
    return np.broadcast_to(given, (n_states,))
