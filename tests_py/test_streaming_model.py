"""A model of frames, block by block."""

import threading

import numpy as np
import pytest
from metalmom import ParameterError, nn, streaming
from metalmom.nn import ModelError

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from test_streaming_stopped import AtCheck, expect_whole_or_stopped  # noqa: E402
from onnx_models import F32, lstm_model, model_of, node, tensor  # noqa: E402

STATE = {"h": "h_out", "c": "c_out"}
X = np.random.default_rng(2).standard_normal((40, 2, 20)).astype(np.float32)


@pytest.fixture
def lstm(tmp_path):
    return lstm_model(tmp_path / "lstm.onnx")


def whole(path, x=X):
    zeros = np.zeros((1, x.shape[1], 64), np.float32)
    return nn.Session(path).run({"x": x, "h": zeros, "c": zeros})["y"]


@pytest.mark.parametrize("cuts", [[1] * 40, [7, 0, 20, 13], [40]])
def test_joined_blocks_are_what_one_call_gives(lstm, cuts):
    stream = streaming.Model(lstm, state=STATE, axis=0)
    ends = np.cumsum(cuts)
    parts = [stream.process(X[end - n : end]) for end, n in zip(ends, cuts, strict=True)]
    assert stream.position == 40 and [len(part) for part in parts] == cuts
    assert stream.flush().shape == (0, 2, 64)
    # other sizes of the products before the recurrence round differently
    np.testing.assert_allclose(np.concatenate(parts), whole(lstm), rtol=0, atol=1e-6)
    with pytest.raises(ParameterError, match="^the signal has ended: reset"):
        stream.process(X)
    stream.reset()
    assert stream.position == 0
    np.testing.assert_allclose(stream.process(X, last=True), whole(lstm), rtol=0, atol=1e-6)


def test_a_wrong_block_leaves_the_stream_as_it_was(lstm):
    stream = streaming.Model(lstm, state=STATE, axis=0)
    first = stream.process(X[:9])
    for wrong, text in [
        (X[:4].astype(np.float64), r"^x\.dtype=float64 must be float32"),
        (X[:4, :, :3], r"^x\.shape=\(4, 2, 3\) must be \(frames, batch, 20\)$"),
        (X[:4, :1], r"^h\.shape=\(1, 2, 64\) must be \(1, batch, 64\) with batch=1, as of x$"),
        (X[0], r"^x\.shape=\(2, 20\) must be"),
        (X[:4].tolist(), r"^x=list must be a numpy.ndarray"),
    ]:
        with pytest.raises(ParameterError, match=text):
            stream.process(wrong)
    with pytest.raises(ParameterError, match="^last='no' must be True or False"):
        stream.process(X[9:], last="no")
    assert stream.position == 9
    np.testing.assert_allclose(np.concatenate([first, stream.process(X[9:])]), whole(lstm), rtol=0, atol=1e-6)


def test_a_model_that_fails_leaves_the_stream_as_it_was(tmp_path):
    """A sum of frames that takes three at a time alone."""
    nodes = [node("Reshape", ["x", "three"], ["r"]), node("ReduceSum", ["r"], ["s"], keepdims=0),
             node("Add", ["s", "sum"], ["new"]), node("Identity", ["new"], ["y"])]  # fmt: skip
    path = model_of(tmp_path / "m.onnx", nodes, [("x", F32, ["n"]), ("sum", F32, [1])], [("y", F32, [1]), ("new", F32, [1])],
                    [tensor("three", [3], np.int64)])  # fmt: skip
    stream = streaming.Model(path, state={"sum": "new"}, axis=0)
    ones = np.ones(3, np.float32)
    assert stream.process(ones) == 3
    with pytest.raises(ModelError, match="m.onnx failed on x float32"):
        stream.process(np.ones(4, np.float32))
    assert stream.process(ones) == 6 and stream.position == 6


def test_a_call_that_is_ended_leaves_the_stream_whole_or_stopped(lstm):
    stream = streaming.Model(lstm, state=STATE, axis=0)
    calls = [lambda s: s.process(X[:9]), lambda s: s.process(X[9:9]), lambda s: s.process(X[9:], last=True)]
    more = [lambda s: s.reset(), lambda s: s.flush()]
    assert expect_whole_or_stopped(stream, calls, AtCheck, more) > 0


def test_a_budget_counts_calls_that_are_late(lstm):
    eager, patient = (streaming.Model(lstm, state=STATE, axis=0, budget=budget) for budget in (1e-9, 1000))
    for stream in (eager, patient):
        stream.process(X[:4])
        stream.process(X[4:9])
    assert (eager.late, patient.late) == (2, 0) and 0 < patient.worst < 1000


def test_warmup_comes_first_and_leaves_nothing(lstm):
    stream = streaming.Model(nn.Session(lstm), state=STATE, axis=-3)
    stream.warmup()
    assert stream.position == 0
    np.testing.assert_allclose(stream.process(X), whole(lstm), rtol=0, atol=1e-6)
    with pytest.raises(ParameterError, match="^warmup"):
        stream.warmup()


def test_one_thread_at_a_time_is_in_a_stream(lstm, monkeypatch):
    stream, entered, go = streaming.Model(lstm, state=STATE, axis=0), threading.Event(), threading.Event()
    run = stream._session.run

    def slow(inputs):
        entered.set()
        go.wait(10)
        return run(inputs)

    monkeypatch.setattr(stream._session, "run", slow)
    first = threading.Thread(target=stream.process, args=(X[:4],))
    first.start()
    entered.wait(10)
    with pytest.raises(RuntimeError, match="at work in another thread"):
        stream.process(X[:4])
    go.set()
    first.join()
    assert stream.position == 4


@pytest.mark.parametrize("given, text", [
    ({"state": {"h": "h_out"}}, "^state={'h': 'h_out'} must leave one input of the model"),
    ({"state": {"hh": "h_out"}}, r"^state='hh' must be of the model, which has x, h and c; did you mean 'h'\?$"),
    ({"state": {"h": "h_ou"}}, r"^state\['h'\]='h_ou' must be of the model, .*; did you mean 'h_out'\?$"),
    ({"state": [1]}, "^state=list must be a dict"),
    ({"axis": 3}, r"^axis=3 must be an axis of x float32 \(frames, batch, 20\)$"),
    ({"budget": 0}, "^budget=0 must be a number > 0$"),
    ({"budget": "x"}, "^budget='x' must be a number > 0$"),
    ({"budget": True}, "^budget=True must be a number$"),
    ({"axis": "x"}, "^axis='x' must be an int$"),
])  # fmt: skip
def test_wrong_arguments_are_refused(lstm, given, text):
    with pytest.raises(ParameterError, match=text):
        streaming.Model(lstm, **{"state": STATE, "axis": 0, **given})
