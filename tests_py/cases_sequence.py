"""Reference cases of sequence: warping, recurrence, decoding, transitions."""

import numpy as np

rng = np.random.default_rng(12)


def features(*shape):
    """Values on a grid of 1 / 1024: their squares and sums are exact, whoever adds them."""
    return rng.integers(0, 1024, shape) / 1024


X, Y = features(4, 40), features(4, 53)
TIED_X, TIED_Y = rng.integers(0, 3, (2, 30)), rng.integers(0, 3, (2, 37))
COSTS = features(23, 31)
SIM = np.maximum(0, features(30, 26) - 0.6)
PROB = features(9, 60)
TRANSITION = features(9, 9) + 0.01
TRANSITION /= TRANSITION.sum(axis=1, keepdims=True)
BINARY = np.array([[0.9, 0.1], [0.3, 0.7]])
KNIGHTS = np.array([[1, 1], [1, 2], [2, 1]])


def add(case):
    add_warping(case)
    add_recurrence(case)
    add_decoding(case)
    add_transitions(case)


def add_warping(case):
    dtw = "sequence.dtw"
    case(dtw, "default", X, Y)
    case(dtw, "float32", X.astype(np.float32), Y.astype(np.float32))
    case(dtw, "subsequence", X, Y, subseq=True, return_steps=True)
    case(dtw, "longer first", Y, X, subseq=True, return_steps=True)
    case(dtw, "steps", X, Y, step_sizes_sigma=KNIGHTS, return_steps=True)
    case(dtw, "steps as a list", X, Y, step_sizes_sigma=KNIGHTS.tolist())
    case(
        dtw, "far steps", X, Y,
        step_sizes_sigma=np.array([[0, 2], [3, 1], [1, 0]]), subseq=True, return_steps=True,
    )  # fmt: skip
    weights = {"weights_mul": np.array([2, 1, 1.5]), "weights_add": np.array([0, 0.5, 0.25])}
    case(dtw, "weights", X, Y, **weights, return_steps=True)
    case(dtw, "weighted steps", X, Y, step_sizes_sigma=KNIGHTS, **weights)
    case(dtw, "band", X, Y, global_constraints=True)
    case(dtw, "narrow band", Y, X, global_constraints=True, band_rad=0.1, return_steps=True)
    for metric in ("sqeuclidean", "cityblock", "chebyshev", "cosine", "canberra"):
        case(dtw, metric, X, Y, metric=metric)
    case(dtw, "ties", TIED_X, TIED_Y, return_steps=True)
    case(dtw, "ties of a part", TIED_X, TIED_Y, subseq=True, return_steps=True)
    case(dtw, "D alone", X, Y, backtrack=False)
    case(dtw, "stereo", features(2, 3, 20), features(2, 3, 17))
    case(dtw, "one feature", np.arange(7.0), np.arange(9.0))
    case(dtw, "single frames", X[:, :1], Y[:, :1])
    case(dtw, "one to many", X[:, :1], Y)
    for label, C in {"costs": COSTS, "tall costs": COSTS.T, "negative costs": -COSTS}.items():
        case(dtw, label, C=C, subseq=True, return_steps=True)
        case(dtw, f"{label}, whole", C=C)
    case(dtw, "integer costs", C=(COSTS * 4).astype(int))
    case(dtw, "banded costs", C=COSTS, global_constraints=True)
    case(dtw, "nothing")
    case(dtw, "X alone", X)
    case(dtw, "too much", X, Y, C=COSTS)
    case(dtw, "features that differ", X, Y[:3])
    case(dtw, "NaN", X * np.nan, Y)
    case(dtw, "cosine of zeros", X * 0, Y, metric="cosine")
    case(dtw, "unknown metric", X, Y, metric="distance")
    case(dtw, "no way", X, Y, step_sizes_sigma=np.array([[1, 1]]))
    case(dtw, "no way for a part", X, Y, step_sizes_sigma=np.array([[7, 1]]), subseq=True)
    case(dtw, "backwards", X, Y, step_sizes_sigma=np.array([[1, -1]]))
    case(dtw, "weights that are too few", X, Y, weights_add=np.ones(2))
    back = "sequence.dtw_backtracking"
    steps = np.array([[0, 1, 1, 1], [2, 0, 0, 1], [2, 2, 0, 0]])
    case(back, "default", steps)
    case(back, "part", steps, subseq=True)
    case(back, "part from a start", steps, subseq=True, start=1)
    case(back, "own steps", steps + 3, step_sizes_sigma=np.array([[1, 1], [0, 1], [1, 0]]))
    case(back, "start of a whole", steps, start=1)
    positions = "sequence.path_to_steps"
    for label, path in {
        "default": [[0, 0], [1, 2], [3, 3]],
        "backwards": [[3, 3], [1, 2], [1, 1], [0, 0]],
        "repeated": [[0, 0], [0, 1], [0, 2], [1, 3], [1, 4], [2, 4]],
    }.items():
        case(positions, label, np.array(path))
        case(positions, f"{label}, inverse", np.array(path), inverse=True)
    case(positions, "empty", np.zeros((0, 2), int))


def add_recurrence(case):
    rqa = "sequence.rqa"
    case(rqa, "default", SIM)
    case(rqa, "float32", SIM.astype(np.float32), gap_onset=0.3, gap_extend=0.1)
    case(rqa, "cheap gaps", SIM, gap_onset=0.2, gap_extend=0.05)
    case(rqa, "diagonals", SIM, knight_moves=False, gap_onset=0.1)
    case(rqa, "score alone", SIM, backtrack=False)
    case(rqa, "integers", (SIM * 6).astype(int))
    case(rqa, "zeros", np.zeros((4, 5)))
    case(rqa, "row", SIM[:1])
    case(rqa, "column", SIM[:, :1])
    case(rqa, "negative onset", SIM, gap_onset=-1)
    case(rqa, "negative extension", SIM, gap_extend=-1)


def add_decoding(case):
    viterbi = "sequence.viterbi"
    given = np.full(9, 1 / 18)
    given[4] += 0.5
    case(viterbi, "default", PROB, TRANSITION)
    case(viterbi, "logp", PROB, TRANSITION, return_logp=True, p_init=given)
    case(viterbi, "float32", PROB.astype(np.float32), TRANSITION, return_logp=True)
    case(viterbi, "pruned", PROB, TRANSITION, transition_min_prob=0.08, return_logp=True)
    case(viterbi, "not pruned", PROB, TRANSITION, transition_min_prob=0)
    case(viterbi, "channels", features(2, 3, 9, 20), TRANSITION, return_logp=True)
    case(viterbi, "many states", features(70, 25), np.eye(70) * 0.5 + 0.5 / 70, return_logp=True)
    case(viterbi, "integers", (PROB > 0.5).astype(int), TRANSITION)
    case(viterbi, "single step", PROB[:, :1], TRANSITION, return_logp=True)
    case(viterbi, "over 1", PROB + 1, TRANSITION)
    case(viterbi, "negative", -PROB, TRANSITION)
    case(viterbi, "other shape", PROB[:5], TRANSITION)
    case(viterbi, "not normalised", PROB, TRANSITION * 2)
    case(viterbi, "wrong start", PROB, TRANSITION, p_init=np.ones(9))
    case(viterbi, "pruned too far", PROB, TRANSITION, transition_min_prob=0.9)
    case(viterbi, "negative pruning", PROB, TRANSITION, transition_min_prob=-1)
    discriminative = "sequence.viterbi_discriminative"
    normal = PROB + 0.01
    normal /= normal.sum(axis=0)
    case(discriminative, "default", normal, TRANSITION)
    case(discriminative, "logp", normal, TRANSITION, p_state=given, p_init=given, return_logp=True)
    case(discriminative, "channels", np.stack([normal] * 2), TRANSITION, return_logp=True)
    case(discriminative, "pruned", normal, TRANSITION, transition_min_prob=0.08)
    case(discriminative, "not normalised", PROB, TRANSITION)
    case(discriminative, "wrong states", normal, TRANSITION, p_state=np.ones(3) / 3)
    binary = "sequence.viterbi_binary"
    case(binary, "default", PROB, BINARY)
    case(binary, "logp", PROB, BINARY, p_state=PROB[:, 0], p_init=PROB[:, 1], return_logp=True)
    case(binary, "one label", PROB[0], BINARY, p_state=0.4, p_init=0.3)
    case(binary, "channels", PROB[np.newaxis], BINARY, return_logp=True)
    case(binary, "each its own", PROB[:2], np.stack([BINARY, BINARY[::-1]]), return_logp=True)
    case(binary, "over 1", PROB + 1, BINARY)
    case(binary, "other shape", PROB, TRANSITION)
    case(binary, "wrong state", PROB, BINARY, p_state=np.full(9, 2))


def add_transitions(case):
    case("sequence.transition_uniform", "default", 5)
    case("sequence.transition_uniform", "no states", 0)
    for name in ("sequence.transition_loop", "sequence.transition_cycle"):
        case(name, "default", 4, 0.9)
        case(name, "each its own", 3, [0.1, 0.5, 1])
        case(name, "one state", 1, 0.5)
        case(name, "over 1", 3, 1.5)
        case(name, "too few", 3, [0.5, 0.5])
    local = "sequence.transition_local"
    for n_states in (6, 7):
        for width in (1, 2, 3, 6):
            case(local, f"{width} of {n_states}", n_states, width)
            case(local, f"{width} of {n_states}, wrapped", n_states, width, wrap=True)
    case(local, "each its own", 6, [1, 2, 3, 4, 5, 6], wrap=True)
    case(local, "window", 8, 5, window="hamming")
    case(local, "too wide", 5, 7)
    case(local, "zero", 5, 0)
    case(local, "too few", 5, [1, 2])
