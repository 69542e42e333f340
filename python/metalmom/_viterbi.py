"""Viterbi decoding; `metalmom.sequence` exports it."""

import numpy as np

from . import _native
from ._spans import composed
from .util.exceptions import ParameterError
from .util.utils import tiny

__all__ = ["viterbi", "viterbi_binary", "viterbi_discriminative"]


@composed
def viterbi(prob, transition, *, p_init=None, return_logp=False, transition_min_prob=None):
    """Most likely sequence of hidden states, from the likelihood of what was observed.

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
        np.log(likely, out=likely),
        transition,
        _distribution("p_init", p_init, prob.shape[-2]),
        transition_min_prob,
        epsilon,
    )
    if not return_logp:
        return states
    return states, logp[np.newaxis] if prob.ndim == 2 else logp


@composed
def viterbi_discriminative(
    prob, transition, *, p_state=None, p_init=None, return_logp=False, transition_min_prob=None
):
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
        raise ParameterError("prob must sum to 1 in each column")
    epsilon = tiny(prob)
    p_state = _distribution("p_state", p_state, n_states)
    states, logp = _decode(
        np.log(prob + epsilon) - np.log(p_state + epsilon)[:, np.newaxis],
        transition,
        _distribution("p_init", p_init, n_states),
        transition_min_prob,
        epsilon,
    )
    return (states, logp) if return_logp else states


@composed
def viterbi_binary(
    prob, transition, *, p_state=None, p_init=None, return_logp=False, transition_min_prob=None
):
    """Most likely activity of labels that do not exclude one another, each for itself.

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
        raise ParameterError(f"transition.shape={transition.shape} must be (2, 2) or (n_states, 2, 2)")
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
            log_prob[..., label, :, :],
            _transition(transition[label], 2),
            p_init[label],
            transition_min_prob,
            epsilon,
        )
        for label in range(n_states)
    ]
    states = np.stack([one[0] for one in each], axis=-2)
    logp = np.stack([one[1] for one in each], axis=-1)
    return (states, logp) if return_logp else states


def _probabilities(prob):
    prob = np.asarray(prob)
    if prob.ndim < 2 or prob.size == 0 or prob.dtype.kind not in "fiub":
        raise ParameterError(
            f"prob must be numbers of shape (..., n_states, n_steps), not {prob.dtype} of shape "
            f"{prob.shape}"
        )
    # In this form a NaN fails the test.
    if not (prob.min() >= 0 and prob.max() <= 1):
        raise ParameterError("prob must be in [0, 1]")
    return prob


def _transition(transition, n_states):
    transition = np.asarray(transition)
    if transition.shape != (n_states, n_states):
        raise ParameterError(
            f"transition.shape={transition.shape} must be (n_states, n_states), n_states={n_states}"
        )
    if np.any(transition < 0) or not np.allclose(transition.sum(axis=1), 1):
        raise ParameterError("transition must be non-negative and sum to 1 in each row")
    return transition


def _distribution(name, given, n_states):
    if given is None:
        return np.full(n_states, 1.0 / n_states)
    given = np.asarray(given)
    if given.shape != (n_states,) or np.any(given < 0) or not np.allclose(given.sum(), 1):
        raise ParameterError(f"{name}={given} must be {n_states} probabilities that sum to 1")
    return given


def _share(name, given, n_states):
    """Probabilities of a label's two states, (n_states, 2), from that of being active."""
    active = np.full(n_states, 0.5) if given is None else np.atleast_1d(given)
    if active.shape != (n_states,) or not ((active >= 0) & (active <= 1)).all():
        raise ParameterError(f"{name}={given} must be {n_states} probabilities")
    return np.stack([1 - active, active], axis=-1)


def _decode(log_prob, transition, p_init, transition_min_prob, epsilon):
    """Best paths of log-likelihoods (..., states, steps), and their values (...)."""
    threshold = -np.inf
    if transition_min_prob is not None:
        if not transition_min_prob >= 0:
            raise ParameterError(f"transition_min_prob={transition_min_prob} must be non-negative")
        if transition_min_prob > 0:
            threshold = np.log(transition_min_prob + epsilon)
    log_transition = np.log(transition + epsilon)
    unreached = np.flatnonzero(log_transition.max(axis=0) < threshold)
    if unreached.size:
        raise ParameterError(
            f"transition_min_prob={transition_min_prob} must leave a transition into every state: "
            f"there is none into {unreached[0]}"
        )
    return _native.viterbi(
        log_prob=log_prob,
        initial=log_prob[..., 0] + np.log(p_init + epsilon),
        log_transition=log_transition,
        log_threshold=threshold,
    )
