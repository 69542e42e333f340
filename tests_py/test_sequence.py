"""Warping, recurrence and decoding beyond the reference: memory, bad input, ties, sparse arrays."""

import metalmom
import numpy as np
import pytest
from metalmom import segment, sequence

KNIGHTS = np.array([[1, 1], [1, 2], [2, 1]])


def features(*shape, seed=0):
    return np.random.default_rng(seed).random(shape)


@pytest.mark.parametrize("steps", [None, KNIGHTS])
@pytest.mark.parametrize("subseq", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_costs_on_disk_are_those_in_memory(monkeypatch, steps, subseq, given):
    x, y = features(3, 70), features(3, 90, seed=1)
    costs = {"X": x, "Y": y}
    if given:
        costs = {"C": np.abs(x.T[:, np.newaxis] - y.T).sum(axis=-1)}
    arguments = dict(**costs, step_sizes_sigma=steps, subseq=subseq, global_constraints=True)
    expected = sequence.dtw(**arguments, return_steps=True)
    monkeypatch.setattr(sequence, "_IN_MEMORY", 0)
    monkeypatch.setattr(sequence, "_BAND", 8 * 90 * 9)
    for ours, theirs in zip(sequence.dtw(**arguments, return_steps=True), expected):
        np.testing.assert_array_equal(ours, theirs)


def test_costs_that_nobody_has_room_for_are_refused():
    long = np.zeros((1, 100_000))
    with pytest.raises(metalmom.ParameterError, match=r"N, M=100000, 100000 must be .* 75 GiB"):
        sequence.dtw(long, long)


@pytest.mark.parametrize(
    "arguments",
    [
        {"C": np.zeros((0, 4))},
        {"C": np.zeros((2, 3, 4))},
        {"C": np.array([["a"]])},
        {"X": np.zeros((2, 3)), "Y": np.zeros((2, 0))},
        {"X": np.zeros((2, 3), complex), "Y": np.zeros((2, 3))},
        {"C": np.ones((3, 3)), "step_sizes_sigma": [[0, 0]]},
        {"C": np.ones((3, 3)), "step_sizes_sigma": [[1.5, 1]]},
        {"C": np.ones((3, 3)), "step_sizes_sigma": np.zeros((0, 2), int)},
        {"C": np.ones((3, 3)), "step_sizes_sigma": [[1, 1, 1]]},
        {"C": np.ones((3, 3)), "weights_mul": [1, 2]},
        {"C": np.full((3, 3), np.inf)},
    ],
)
def test_costs_and_steps_that_lead_nowhere_are_refused(arguments):
    with pytest.raises(metalmom.ParameterError):
        sequence.dtw(**arguments)


@pytest.mark.parametrize(
    ("steps", "arguments"),
    [
        (np.full((3, 3), 9), {}),
        (np.full((3, 3), -1), {}),
        (np.zeros((3, 3)), {}),
        (np.zeros((0, 3), int), {}),
        (np.zeros((3, 3), int), {"subseq": True, "start": 3}),
        (np.zeros((3, 3), int), {"subseq": True, "start": -1}),
        (np.full((3, 3), 3), {"step_sizes_sigma": [[0, 0]]}),
    ],
)
def test_step_matrices_that_lead_nowhere_are_refused(steps, arguments):
    with pytest.raises(metalmom.ParameterError):
        sequence.dtw_backtracking(steps, **arguments)


def test_backtracking_follows_the_steps_of_dtw():
    x, y = features(3, 30), features(3, 41, seed=1)
    for subseq in (False, True):
        D, path, steps = sequence.dtw(
            x, y, step_sizes_sigma=KNIGHTS, subseq=subseq, return_steps=True
        )
        start = {"start": int(np.argmin(D[-1]))} if subseq else {}
        again = sequence.dtw_backtracking(steps, step_sizes_sigma=KNIGHTS, subseq=subseq, **start)
        np.testing.assert_array_equal(again, path)


@pytest.mark.parametrize(
    ("sim", "arguments"),
    [
        (np.ones((3, 3), complex), {}),
        (np.full((3, 3), np.nan), {}),
        (np.zeros((0, 3)), {}),
        (np.zeros(3), {}),
        (np.ones((3, 3), int), {"gap_onset": 0.5}),
        (np.ones((3, 3)), {"gap_extend": np.nan}),
    ],
)
def test_similarities_without_scores_are_refused(sim, arguments):
    with pytest.raises(metalmom.ParameterError):
        sequence.rqa(sim, **arguments)


def test_links_are_scored_as_numbers():
    """Of the matrix that recurrence_matrix returns by default; librosa's scores are cut to bool."""
    rec = metalmom.segment.recurrence_matrix(features(3, 30), self=True)
    assert rec.dtype == bool
    for arguments in ({}, {"gap_onset": 0.5, "gap_extend": 0.25}, {"knight_moves": False}):
        score, path = sequence.rqa(rec, **arguments)
        expected, same_path = sequence.rqa(rec.astype(float), **arguments)
        np.testing.assert_array_equal(score, expected)
        np.testing.assert_array_equal(path, same_path)
        assert score.dtype == np.float64 and score.max() > 5


def test_scores_that_do_not_fit_integers_are_refused():
    sim = np.eye(20, dtype=np.int8) * 6
    assert sequence.rqa(sim, backtrack=False).max() == 120
    with pytest.raises(metalmom.ParameterError, match="^sim.dtype=int8 must hold scores up to 140"):
        sequence.rqa(np.eye(20, dtype=np.int8) * 7)


def test_probabilities_that_are_not_numbers_are_refused():
    loop = sequence.transition_loop(3, 0.5)
    for prob in (np.full((3, 4), np.nan), np.zeros((3, 0)), np.zeros(3), np.zeros((3, 4), complex)):
        with pytest.raises(metalmom.ParameterError):
            sequence.viterbi(prob, loop)
    with pytest.raises(metalmom.ParameterError, match="window='hann'"):
        sequence.transition_local(5, 2, window="hann")
    with pytest.raises(metalmom.ParameterError):
        sequence.transition_loop(3, np.nan)


@pytest.mark.parametrize("count", [1, 2])
def test_channels_do_not_depend_on_threads(count):
    prob = features(5, 20, 60)
    loop = sequence.transition_loop(20, 0.7)
    with metalmom.config_context(threads=count):
        together = sequence.viterbi(prob, loop)
        links = segment.recurrence_matrix(features(4, 300), mode="affinity")
    np.testing.assert_array_equal(together, [sequence.viterbi(p, loop) for p in prob])
    np.testing.assert_array_equal(
        links, segment.recurrence_matrix(features(4, 300), mode="affinity")
    )


@pytest.mark.parametrize("mode", ["connectivity", "distance", "affinity"])
@pytest.mark.parametrize("metric", ["euclidean", "canberra"])
@pytest.mark.parametrize("sym", [False, True])
def test_sparse_recurrence_is_the_dense_one(monkeypatch, mode, metric, sym):
    csc_array = pytest.importorskip("scipy.sparse").csc_array
    arguments = {"mode": mode, "metric": metric, "sym": sym, "self": True, "k": 5}
    dense = segment.recurrence_matrix(features(4, 50), **arguments)
    monkeypatch.setattr(segment, "_BLOCK", 8 * 50 * 7)
    sparse = segment.recurrence_matrix(features(4, 50), sparse=True, **arguments)
    assert isinstance(sparse, csc_array) and sparse.has_sorted_indices
    assert sparse.dtype == dense.dtype and sparse.indices.dtype == np.int32
    np.testing.assert_array_equal(sparse.toarray(), dense)


def test_a_dense_matrix_of_an_hour_is_refused_with_what_it_needs():
    hour = np.zeros((2, 155_000))
    with pytest.raises(metalmom.ParameterError, match=r"22.4 GiB dense; sparse=True takes 0.6 GiB"):
        segment.recurrence_matrix(hour)


@pytest.mark.parametrize(
    "arguments", [{"k": 0}, {"k": -3}, {"width": 1.5}, {"metric": "seuclidean"}, {"metric": 3}]
)
def test_neighbours_that_do_not_exist_are_refused(arguments):
    with pytest.raises(metalmom.ParameterError):
        segment.recurrence_matrix(features(3, 30), **arguments)


def test_frames_without_a_distance_are_refused():
    pytest.importorskip("scipy")
    with pytest.raises(metalmom.ParameterError, match="every pair"):
        segment.recurrence_matrix(np.ones((3, 30)), metric="correlation")


@pytest.mark.parametrize("name", ["csc_array", "csr_array", "csc_matrix", "csr_matrix"])
@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_lags_of_sparse_arrays_are_those_of_dense_ones(name, pad, axis):
    sparse = pytest.importorskip("scipy.sparse")
    rec = segment.recurrence_matrix(features(4, 20), mode="affinity")
    lag = segment.recurrence_to_lag(getattr(sparse, name)(rec), pad=pad, axis=axis)
    assert type(lag) is getattr(sparse, name)
    np.testing.assert_array_equal(
        lag.toarray(), segment.recurrence_to_lag(rec, pad=pad, axis=axis)
    )
    np.testing.assert_array_equal(segment.lag_to_recurrence(lag, axis=axis).toarray(), rec)


def test_a_filter_of_lags_keeps_its_name_and_arguments():
    def shifted(scale, lag, by=0):
        """Shifts."""
        return scale * np.roll(lag, by, axis=1)

    rec = features(6, 6)
    along = segment.timelag_filter(shifted, index=1)
    assert along.__name__ == "shifted" and along.__doc__ == "Shifts."
    np.testing.assert_array_equal(along(2, rec), 2 * rec)
    # A step in time at a constant lag is a step along the diagonal.
    np.testing.assert_array_equal(along(1, rec, by=1)[1:, 1:], rec[:-1, :-1])
    with pytest.raises(metalmom.ParameterError):
        segment.timelag_filter(shifted, index=5)(1, rec)


@pytest.mark.parametrize(
    ("R", "arguments"),
    [
        (np.ones((9, 9), bool), {}),
        (np.ones(9), {}),
        (np.ones((9, 9)), {"max_ratio": 0}),
        (np.ones((9, 9)), {"min_ratio": -1}),
        (np.ones((9, 9)), {"n_filters": 0}),
        (np.ones((9, 9)), {"mode": "circular"}),
        (np.ones((9, 9)), {"origin": 40}),
        *((np.ones((9, 9), kind), {"origin": origin}) for kind in (int, float) for origin in (3, -3, (0, 40), (-3, 0))),
        (np.ones((2, 9, 9)), {"origin": 1}),
        *((np.ones((9, 9)), {"origin": origin}) for origin in ("a", "1", 1.5, None, (0, "a"))),
        *((np.ones((9, 9)), {"output": output}) for output in ("x", 3, complex, "U4", np.zeros(9), np.zeros((9, 9), bool),
                                                               np.broadcast_to(0.0, (9, 9)))),
        *((np.ones((9, 9)), {"cval": cval}) for cval in ("a", "1", None, 1j, [1])),
    ],
)
def test_paths_that_cannot_be_enhanced_are_refused(R, arguments):
    with pytest.raises(metalmom.ParameterError) as told:
        segment.path_enhance(R, 5, **arguments)
    assert told.value.argument in (arguments or "R")


@pytest.mark.parametrize("output", ["float32", "<f4", np.float32, np.dtype("f4")])
def test_paths_are_enhanced_in_the_type_that_is_asked_for(output):
    pytest.importorskip("scipy")
    R = np.arange(81).reshape(9, 9)
    found = segment.path_enhance(R, 5, output=output, origin=-2)
    np.testing.assert_allclose(found, segment.path_enhance(R.astype(float), 5, origin=-2), rtol=1e-6)
    assert found.dtype == np.float32


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: segment.path_enhance(np.eye(9), 10**7), "n=10000000 must be smaller: 59"),
        (lambda: segment.path_enhance(np.eye(9), 5, origin=(0, 1, 2)), "origin=(0, 1, 2) must be an integer, or one"),
        (lambda: segment.path_enhance(np.eye(9), 5, origin=([1], [1, 2])), "origin=([1], [1, 2]) must be an integer"),
        (lambda: metalmom.filters.diagonal_filter("hann", 10**8), "n=100000000 must be smaller: 74"),
        (lambda: sequence.transition_uniform(10**7), "n_states=10000000 must be smaller: 745058 GiB"),
        (lambda: sequence.transition_loop(10**7, 0.9), "n_states=10000000 must be smaller: 745058 GiB"),
        (lambda: sequence.transition_cycle(10**7, 0.9), "n_states=10000000 must be smaller"),
        (lambda: sequence.transition_local(10**7, 3), "n_states=10000000 must be smaller"),
    ],
)
def test_matrices_that_no_memory_holds_are_refused(call, words):
    with pytest.raises(metalmom.ParameterError) as refused:
        call()
    assert words in str(refused.value)


@pytest.mark.parametrize("value, words", [(np.nan, "finite"), (np.inf, "finite"), (-1, "non-neg"), (1j, "real")])
def test_decompose_names_what_it_cannot_factor(value, words):
    with pytest.raises(metalmom.ParameterError, match=f"S.*must be {words}"):
        metalmom.decompose.decompose(np.full((4, 5), value))


@pytest.mark.parametrize("values, words", [(np.full((4, 30), 1j), "S"), (np.full((4, 30), np.nan), "S must be")])
def test_nn_filter_names_its_own_argument(values, words):
    with pytest.raises(metalmom.ParameterError, match=rf"^{words}"):
        metalmom.decompose.nn_filter(values)


def test_a_clusterer_of_ones_own_is_asked():
    class Halves:
        def fit(self, data):
            self.labels_ = np.arange(len(data)) // 3 % 2

    assert segment.agglomerative(features(2, 9), 4, clusterer=Halves()).tolist() == [0, 3, 6]


def test_decompose_without_scikit_learn_says_what_is_missing():
    try:
        import sklearn  # noqa: F401
    except ImportError:
        text = (r"^decompose\(\) with transformer=None needs scikit-learn, which is not installed: "
                "pip install scikit-learn$")  # fmt: skip
        for kind in (metalmom.ParameterError, ImportError):
            with pytest.raises(kind, match=text):
                metalmom.decompose.decompose(features(4, 5))
    else:
        components, activations = metalmom.decompose.decompose(features(4, 5), n_components=2)
        assert components.shape == (4, 2) and activations.shape == (2, 5)


def test_decompose_keeps_channels_apart_and_sorts():
    class Given:
        components_ = np.array([[0.0, 0, 1, 0], [1, 0, 0, 0]])

        def transform(self, samples):
            return samples @ np.linalg.pinv(self.components_)

    S = features(4, 6)
    components, activations = metalmom.decompose.decompose(
        S, transformer=Given(), fit=False, sort=True
    )
    np.testing.assert_array_equal(components, Given.components_[::-1].T)
    np.testing.assert_allclose(activations, S[[0, 2]])
    components, _ = metalmom.decompose.decompose(
        S.reshape(2, 2, 6), transformer=Given(), fit=False
    )
    assert components.shape == (2, 2, 2)


def test_neighbours_of_weights_that_cancel_are_refused():
    weights = np.array([[0.0, 1, 0], [0, 0, 1], [0, -1, 0]])
    with pytest.raises(metalmom.ParameterError, match="rec=0"):
        metalmom.decompose.nn_filter(features(2, 3), rec=weights, aggregate=np.average)


@pytest.mark.parametrize("dtype", [int, np.float64])
@pytest.mark.parametrize("knight_moves", [False, True])
@pytest.mark.parametrize("which", ["gap_onset", "gap_extend"])
def test_an_infinite_penalty_is_one_beyond_all_scores(rng, dtype, knight_moves, which):
    sim = (rng.random((20, 24)) < 0.4).astype(dtype)
    infinite = sequence.rqa(sim, knight_moves=knight_moves, **{which: np.inf})
    large = sequence.rqa(sim, knight_moves=knight_moves, **{which: 1000})
    for ours, reference in zip(infinite, large, strict=True):
        np.testing.assert_array_equal(ours, reference)
