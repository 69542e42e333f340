"""Models: what a session takes and gives, what it refuses, and what it leaves alone."""

import copy
import gc
import os
import pathlib
import pickle
import re
import subprocess
import sys
import threading

import metalmom
import numpy as np
import pytest
from metalmom import DeviceError, ParameterError, nn
from metalmom.nn import ModelError
from metalmom.nn import _session

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx_models import F16, F32, F64, I64, lstm_model, model_of, node, tensor  # noqa: E402


@pytest.fixture
def gain(tmp_path):
    """y = 2 x."""
    shape = ["batch", "time"]
    return model_of(tmp_path / "gain.onnx", [node("Mul", ["x", "factor"], ["y"], name="times")],
                    [("x", F32, shape)], [("y", F32, shape)], [tensor("factor", [2])])  # fmt: skip


@pytest.fixture
def mix(tmp_path):
    """Two stems and their count of samples, from two inputs and a number."""
    nodes = [node("Add", ["a", "b"], ["sum"]), node("Mul", ["sum", "level"], ["mix"]), node("Shape", ["a"], ["sizes"])]
    shape = ["batch", 2, "time"]
    return model_of(tmp_path / "mix.onnx", nodes, [("a", F32, shape), ("b", F32, shape), ("level", F32, [])],
                    [("mix", F32, shape), ("sizes", I64, [3])])  # fmt: skip


@pytest.fixture
def lstm(tmp_path):
    return lstm_model(tmp_path / "lstm.onnx")


def lstm_of(path):
    """The same by NumPy: Hochreiter and Schmidhuber 1997 with gates in ONNX's order i, o, f, c."""
    weights = {each.name: numpy_helper.to_array(each).astype(np.float64) for each in onnx.load(path).graph.initializer}
    W, R, B = weights["W"][0], weights["R"][0], weights["B"][0]
    sigmoid = lambda v: 1 / (1 + np.exp(-v))  # noqa: E731

    def run(x, h, c):
        y = []
        for frame in x.astype(np.float64):
            i, o, f, g = np.split(frame @ W.T + h @ R.T + B[:256] + B[256:], 4, axis=-1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            y.append(h)
        return np.stack(y), h, c

    return run


X = np.random.default_rng(1).standard_normal((3, 50)).astype(np.float32)


def test_a_model_of_one_input_is_called_with_it(gain):
    session = nn.Session(gain)
    y = session(X)
    assert y.dtype == np.float32 and y.flags.writeable
    np.testing.assert_array_equal(y, 2 * X)
    assert [(each.name, each.dtype, each.shape) for each in session.inputs] == [("x", np.float32, ("batch", "time"))]
    assert session.outputs[0].name == "y" and session.provider == "CPUExecutionProvider"
    assert repr(session) == "<metalmom.nn.Session gain.onnx: x float32 (batch, time) -> y float32 (batch, time)>"


def test_several_inputs_and_outputs_go_by_name(mix):
    session = nn.Session(str(mix))
    a, b = np.ones((2, 1, 2, 9), np.float32)
    done = session.run({"level": 0.5, "b": 3 * b, "a": a})
    assert list(done) == ["mix", "sizes"]
    np.testing.assert_array_equal(done["mix"], 2 * a)
    assert done["sizes"].tolist() == [1, 2, 9] and done["sizes"].dtype == np.int64


def test_an_lstm_of_a_seed_is_what_numpy_makes_of_it(lstm):
    session = nn.Session(lstm)
    x = np.random.default_rng(2).standard_normal((7, 2, 20)).astype(np.float32)
    zeros = np.zeros((1, 2, 64), np.float32)
    done = session.run({"x": x, "h": zeros, "c": zeros})
    y, h, c = lstm_of(lstm)(x, zeros[0].astype(float), zeros[0].astype(float))
    # sums of 84 products in float32, seven times over
    np.testing.assert_allclose(done["y"], y, atol=2e-6)
    np.testing.assert_allclose(done["h_out"][0], h, atol=2e-6)
    np.testing.assert_allclose(done["c_out"][0], c, atol=2e-6)


def test_a_convolution_of_a_seed_is_what_numpy_makes_of_it(tmp_path):
    kernel = np.random.default_rng(3).standard_normal((4, 2, 5)).astype(np.float32)
    path = model_of(tmp_path / "conv.onnx", [node("Conv", ["x", "k"], ["c"]), node("Relu", ["c"], ["y"])],
                    [("x", F32, ["n", 2, "t"])], [("y", F32, ["n", 4, "u"])], [tensor("k", kernel)])  # fmt: skip
    x = np.random.default_rng(4).standard_normal((1, 2, 40)).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(x[0].astype(float), 5, axis=-1)
    # sums of ten products of about 1 in float32
    np.testing.assert_allclose(nn.Session(path)(x)[0], np.maximum(np.einsum("okj,ktj->ot", kernel, windows), 0), atol=5e-6)


REFUSED = {
    "a name": ({"a": 1, "bb": 2, "level": 3}, r"^inputs\['bb'\] must be of the model mix.onnx; did you mean 'b'\?$"),
    "a missing one": ({"a": 1, "b": 1}, r"^inputs must have level float32 \(\)$"),
    "no dict": ([1], r"^inputs=list must be a dict by names of the model$"),
    "an axis too few": ({"b": np.ones((2, 9), np.float32)}, r"^b\.shape=\(2, 9\) must be \(batch, 2, time\)$"),
    "a size": ({"a": np.ones((1, 3, 9), np.float32)}, r"^a\.shape=\(1, 3, 9\) must be \(batch, 2, time\)$"),
    "an axis of two sizes": ({"b": np.ones((1, 2, 8), np.float32)},
                             r"^b\.shape=\(1, 2, 8\) must be \(batch, 2, time\) with time=9, as of a$"),
    "float64": ({"b": np.ones((1, 2, 9))}, r"^b\.dtype=float64 must be float32: pass b\.astype\('float32'\)$"),
    "int64": ({"b": np.ones((1, 2, 9), np.int64)}, r"^b\.dtype=int64 must be float32"),
    "complex": ({"b": np.ones((1, 2, 9), np.complex64)}, r"^b\.dtype=complex64 must be float32"),
    "texts": ({"b": np.full((1, 2, 9), "x")}, r"^b\.dtype=<U1 must be float32"),
    "a list": ({"b": [[[1.0] * 9] * 2]}, r"^b=list must be a numpy\.ndarray: pass np\.asarray\(b\)$"),
    "None": ({"level": None}, r"^level=NoneType must be a numpy\.ndarray$"),
    "a number": ({"level": 1e300}, r"^level=1e\+300 must be a number that float32 has$"),
}  # fmt: skip


@pytest.mark.parametrize("given, text", REFUSED.values(), ids=REFUSED)
def test_a_wrong_input_is_told_in_the_model_s_names(mix, given, text):
    y = np.ones((1, 2, 9), np.float32)
    whole = {"a": y, "b": y, "level": 1.0}
    if not isinstance(given, dict) or "bb" in given or len(given) == 2:
        whole = given
    else:
        whole |= given
    with np.errstate(all="ignore"), pytest.raises(ParameterError, match=text):
        nn.Session(mix).run(whole)


def test_a_model_of_several_inputs_is_not_called_with_one(mix):
    with pytest.raises(ParameterError, match=r"^mix.onnx has 3 inputs: call session.run\(\{'a': ..., 'b': ..., 'lev"):
        nn.Session(mix)(X)


def copied(session, *args, **kwargs):
    """The bytes that a trace says were copied, and the result."""
    with metalmom.trace.record() as trace:
        result = session(*args, **kwargs)
    (span,) = [span for span in trace.spans if span.name.startswith("run ")]
    return span.args["copied_bytes"], result


def test_arrays_of_the_model_s_own_kind_are_not_copied(gain):
    session = nn.Session(gain)
    of_runtime = _session._value(X)
    assert of_runtime.data_ptr() == X.ctypes.data
    assert copied(session, X)[0] == 0
    read_only = X.copy()
    read_only.flags.writeable = False
    assert copied(session, read_only)[0] == 0


@pytest.mark.parametrize("given", [
    X.T, X[:, ::2], X[::-1], X.astype(np.float16), X.astype(">f4"), (9 * X).astype(np.int16), X > 0,
], ids=["F", "steps", "reversed", "float16", "big-endian", "int16", "bool"])  # fmt: skip
def test_other_arrays_are_converted_once_if_no_value_changes(gain, given):
    before = given.copy()
    bytes_copied, y = copied(nn.Session(gain), given)
    assert bytes_copied == 4 * given.size
    np.testing.assert_array_equal(y, 2 * given.astype(np.float32))
    np.testing.assert_array_equal(given, before)


def test_results_stay_when_others_come_and_the_session_goes(gain):
    session = nn.Session(gain)
    first, second = session(X), session(-X)
    assert not np.shares_memory(first, second)
    del session
    gc.collect()
    np.testing.assert_array_equal(first, 2 * X)
    np.testing.assert_array_equal(second, -2 * X)


def test_results_are_written_where_one_says(gain, mix):
    session = nn.Session(gain)
    out = np.zeros_like(X)
    assert session(X, out=out) is out
    np.testing.assert_array_equal(out, 2 * X)
    assert session(2 * X, out=(out,)) is out and out[0, 0] == 4 * X[0, 0]
    a = np.ones((1, 2, 9), np.float32)
    sizes = np.zeros(3, np.int64)
    done = nn.Session(mix).run({"a": a, "b": a, "level": 1}, out={"sizes": sizes})
    assert done["sizes"] is sizes and sizes.tolist() == [1, 2, 9] and done["mix"].shape == (1, 2, 9)


OUT = {
    "a shape": (lambda: np.zeros((3, 9), np.float32),
                r"^out\['y'\]\.shape=\(3, 9\) must be \(batch, time\) with time=50, as of x$"),
    "axes": (lambda: np.zeros(150, np.float32), r"^out\['y'\]\.shape=\(150,\) must be \(batch, time\)$"),
    "a dtype": (lambda: np.zeros((3, 50)), r"^out\['y'\]\.dtype=float64 must be float32$"),
    "an order": (lambda: np.zeros((50, 3), np.float32).T, r"^out\['y'\] must be writeable, with its values one after"),
    "read-only": (lambda: np.broadcast_to(np.float32(0), (3, 50)), r"^out\['y'\] must be writeable"),
    "the input": (lambda: X, r"^out\['y'\] must share no memory with an input"),
    "a list": (lambda: [1.0], r"^out\['y'\]=float must be a numpy.ndarray$"),
    "too many": (lambda: (X, X), r"^out=tuple must be 1 arrays"),
}  # fmt: skip


@pytest.mark.parametrize("out, text", OUT.values(), ids=OUT)
def test_a_wrong_out_is_refused_before_anything_is_written(gain, out, text):
    with pytest.raises(ParameterError, match=text):
        nn.Session(gain)(X, out=out())


def test_run_takes_out_by_name(gain):
    with pytest.raises(ParameterError, match="^out=ndarray must be a dict by names of the model$"):
        nn.Session(gain).run({"x": X}, out=np.empty_like(X))


@pytest.mark.parametrize("value", [2**70, float("nan"), 1.5])
def test_numbers_that_an_integer_input_cannot_have_are_refused(tmp_path, value):
    model = model_of(tmp_path / "n.onnx", [node("Identity", ["n"], ["m"])], [("n", I64, [])], [("m", I64, [])])
    assert nn.Session(model)(3) == 3
    with pytest.raises(ParameterError, match="^n=.* must be a number that int64 has$"):
        nn.Session(model)(value)


class Handed:
    """An array of another library."""

    def __init__(self, array, device=(1, 0)):
        self._array, self._device = array, device

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, *, stream=None):
        return self._array.__dlpack__()


def test_arrays_of_other_libraries_come_in_by_dlpack_without_a_copy(gain):
    bytes_copied, y = copied(nn.Session(gain), Handed(X))
    assert bytes_copied == 0
    np.testing.assert_array_equal(y, 2 * X)
    np.testing.assert_array_equal(np.from_dlpack(y), 2 * X)  # and results go out by it
    assert np.shares_memory(np.from_dlpack(y), y)
    with pytest.raises(ParameterError, match=r"^x\.__dlpack_device__\(\)=\(2, 0\) must be the CPU$"):
        nn.Session(gain)(Handed(X, (2, 0)))


def test_a_device_array_is_refused_where_the_session_runs_on_the_cpu(gain):
    if not metalmom.devices():
        pytest.skip("needs a device")
    with pytest.raises(DeviceError, match=r"^x is on a device, where gain.onnx runs on the CPU: pass x.numpy\(\)$"):
        nn.Session(gain)(metalmom.to_device(X))


def test_nothing_is_an_array_too(gain):
    assert nn.Session(gain)(np.zeros((0, 50), np.float32)).shape == (0, 50)


def test_warm_up_takes_the_shapes_of_axes_without_a_size(gain, mix, lstm):
    session = nn.Session(gain)
    with metalmom.trace.record() as trace:
        session.warm_up((2, 9))
        session.warm_up({"x": (1, True)})
    assert [span.args["inputs"] for span in trace.spans] == ["x float32 (2, 9)", "x float32 (1, 1)"]
    nn.Session(mix).warm_up({"a": (1, 2, 3), "b": (1, 2, 3)})
    for shapes, text in [
        (None, r"^shapes\['x'\] must be a shape like \(batch, time\)$"),
        ({"y": (1,)}, r"^shapes\['y'\] must be of the model gain.onnx: it has x$"),
        ((3,), r"^x.shape=\(3,\) must be \(batch, time\)$"),
        ((3, -1), r"^shapes\['x'\]=-1 must be a non-negative integer$"),
        ({"x": 3}, r"^shapes\['x'\]=3 must be a tuple of sizes$"),
    ]:
        with pytest.raises(ParameterError, match=text):
            session.warm_up(shapes)
    with pytest.raises(ParameterError, match="^shapes=.* must be a dict of the names"):
        nn.Session(lstm).warm_up((3, 1, 20))


def run_programs(title):
    """Run those of a section of the page, one after the other; how many there are, and their names."""
    page = pathlib.Path(__file__).resolve().parent.parent / "docs" / "models.md"
    section = page.read_text().partition(f"## {title}\n")[2].partition("\n## ")[0]
    programs = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
    names = {}
    for program in programs:
        exec(compile(program, page, "exec"), names)
    return len(programs), names


def test_the_programs_about_transcription_run(tmp_path, monkeypatch):
    """On models with the exported ones' names, whose decoder goes down to the end of the text by twos."""
    monkeypatch.chdir(tmp_path)
    pathlib.Path("whisper-tiny").mkdir()
    nodes = [node("Transpose", ["input_features"], ["frames"], perm=[0, 2, 1]),
             node("Slice", ["frames", "begin", "end", "axis", "step"], ["half"]), node("MatMul", ["half", "W"], ["last_hidden_state"])]
    numbers = {"begin": 0, "end": 3000, "axis": 1, "step": 2}
    weights = [tensor(name, [value], np.int64) for name, value in numbers.items()]
    model_of("whisper-tiny/encoder_model.onnx", nodes, [("input_features", F32, ["batch", 80, 3000])],
             [("last_hidden_state", F32, ["batch", 1500, 384])], [*weights, tensor("W", np.ones((80, 384)))])
    nodes = [node("Sub", ["input_ids", "two"], ["next"]), node("OneHot", ["next", "depth", "values"], ["logits"], axis=-1)]
    model_of("whisper-tiny/decoder_model.onnx", nodes,
             [("input_ids", I64, ["batch", "n"]), ("encoder_hidden_states", F32, ["batch", "sequence", 384])],
             [("logits", F32, ["batch", "n", 51865])],
             [tensor("two", 2, np.int64), tensor("depth", 51865, np.int64), tensor("values", [0, 1])])  # fmt: skip
    count, names = run_programs("Transcription")
    assert count == 2 and names["heard"].shape == (1, 1500, 384)
    assert names["tokens"] == [50258, 50259, 50359, *range(50363, 50256, -2)]


def test_the_programs_of_the_page_run(gain, monkeypatch, capsys):
    """Those of its first section, one after the other."""
    monkeypatch.chdir(gain.parent)
    gain.rename("denoise.onnx")
    count, _ = run_programs("Running a model")
    assert count == 3 and "Mul times" in capsys.readouterr().out
    assert pathlib.Path("denoise.html").stat().st_size > 1000


def test_a_notebook_shows_what_describe_tells(tmp_path):
    shape = ["<script>", "time"]
    path = model_of(tmp_path / "a&b.onnx", [node("Identity", ["x"], ["y"])], [("x", F32, shape)], [("y", F32, shape)])
    session = nn.Session(path)
    shown = session._repr_html_()
    assert shown.startswith("<table><tr><th>model</th><td>") and shown.endswith("</table>")
    assert "a&amp;b.onnx" in shown and "&lt;script&gt;" in shown and "<script>" not in shown
    assert shown.count("<tr>") == len(session.describe().splitlines())


def test_a_trace_has_one_span_a_run(gain):
    session = nn.Session(gain, threads=1)
    with metalmom.trace.record() as trace:
        session(X)
        session.run({"x": X.astype(np.float16)})
    assert [span.name for span in trace.spans] == ["run gain.onnx"] * 2
    assert trace.spans[0].args == {"provider": "CPUExecutionProvider", "threads": 1, "inputs": "x float32 (3, 50)",
                                   "copied_bytes": 0}  # fmt: skip
    assert trace.counters["copied_bytes"] == X.nbytes


def test_a_profile_has_the_times_of_nodes_and_puts_them_into_a_trace(lstm):
    session = nn.Session(lstm, threads=1)
    zeros = np.zeros((1, 2, 64), np.float32)
    inputs = {"x": np.zeros((300, 2, 20), np.float32), "h": zeros, "c": zeros}
    assert session.memory.arena is None
    with metalmom.trace.record() as trace:
        profile = session.profile(inputs)
    assert "LSTM" in [node.op for node in profile.nodes]
    assert 0 < sum(node.seconds for node in profile.nodes) <= profile.seconds
    assert all(0 <= node.begin <= profile.seconds and node.provider == session.provider for node in profile.nodes)
    lines = str(profile).splitlines()
    assert lines[0].endswith(f"{len(profile.nodes)} nodes") and " LSTM " in lines[1]  # the slowest one first
    assert profile.arena is None or profile.arena >= 4 * 22016
    assert session.memory.arena == profile.arena
    runs = [span for span in trace.spans if span.name == "run lstm.onnx"]
    nodes = [span for span in trace.spans if span.track == "ONNX Runtime"]
    assert len(runs) == 2 and [span.name for span in nodes] == [f"{node.op} {node.name}" for node in profile.nodes]
    second = max(runs, key=lambda span: span.ts)
    # the profile has whole microseconds
    assert second.ts - 2 <= nodes[0].ts and nodes[-1].ts + nodes[-1].dur <= second.ts + second.dur + 2
    session.profile(inputs)  # where nobody records


def test_a_long_profile_shows_its_slowest_nodes():
    nodes = [nn.NodeTime(f"n{k}", "Add", 0.001 * k, 0.001 * k, "CPU") for k in range(1, 24)]
    lines = str(nn.Profile(0.3, tuple(nodes), None, 0)).splitlines()
    assert lines[0] == "  300.000 ms        23 nodes"
    assert lines[1] == "   23.000 ms    8%  Add n23" and lines[20] == "    4.000 ms    1%  Add n4"
    assert lines[21:] == ["    6.000 ms        3 others"]


def test_a_profile_of_one_input_takes_it_alone(gain, mix):
    session = nn.Session(gain)
    assert [node.op for node in session.profile(X).nodes] == ["Mul"]
    with pytest.raises(ParameterError, match=r"^x\.shape=\(3,\) must be"):
        session.profile(X[:, 0])
    with pytest.raises(ParameterError, match="^inputs must have b float32"):
        nn.Session(mix).profile(X)
    assert not np.shares_memory(session(X), session(X)) and session.memory.outputs == X.nbytes


def test_threads_follow_the_setting(gain):
    with metalmom.config_context(threads=3):
        session = nn.Session(gain)
    assert session.threads == session._runtime.get_session_options().intra_op_num_threads == 3
    assert nn.Session(gain, threads=2)._runtime.get_session_options().intra_op_num_threads == 2
    for threads in (0, -1, 1.5, "2", 10**18, True):
        with pytest.raises(ParameterError, match="^threads=.* must be a positive integer, at most"):
            nn.Session(gain, threads=threads)


def test_providers_are_those_that_are_there(gain):
    assert nn.Session(gain, provider="cpu").provider == nn.Session(gain, provider="CPUExecutionProvider").provider
    with pytest.raises(ParameterError, match="^provider='tpu' must be 'auto', 'cpu'"):
        nn.Session(gain, provider="tpu")
    if "CUDAExecutionProvider" not in runtime.get_available_providers():
        with pytest.raises(ParameterError, match="^provider='cuda' must be .*: CUDA comes with the package onnxruntime-gpu$"):
            nn.Session(gain, provider="cuda")


def test_memory_and_description(lstm):
    session = nn.Session(lstm, threads=1)
    weights = 4 * (256 * 20 + 256 * 64 + 512) + 8
    assert session.memory == nn.Memory(weights=weights, outputs=0)
    session.warm_up({"x": (7, 2, 20), "h": (1, 2, 64), "c": (1, 2, 64)})
    assert session.memory.outputs == 4 * (7 * 2 * 64 + 2 * 2 * 64)
    assert session.describe().splitlines() == [
        f"model       {lstm}",
        "written by  tests, opset 17",
        "run by      CPUExecutionProvider, 1 thread",
        "inputs      x float32 (frames, batch, 20)",
        "            h float32 (1, batch, 64)",
        "            c float32 (1, batch, 64)",
        "outputs     y float32 (frames, batch, 64)",
        "            h_out float32 (1, batch, 64)",
        "            c_out float32 (1, batch, 64)",
        "parameters  22,016 float32, 1 int64 (88,072 bytes)",
        "operations  1 LSTM, 1 Squeeze",
    ]


def test_sessions_pickle_by_path(gain, monkeypatch):
    monkeypatch.chdir(gain.parent)
    session = nn.Session("gain.onnx", threads=2, provider="cpu")
    stored = pickle.dumps(session)
    assert len(stored) < 500
    monkeypatch.chdir("/")
    for again in (pickle.loads(stored), copy.deepcopy(session)):
        assert (again.path, again.threads) == (str(gain), 2)
        np.testing.assert_array_equal(again(X), 2 * X)
    gain.write_bytes(gain.read_bytes().replace(b"times", b"timed"))
    with pytest.raises(ModelError, match="gain.onnx has changed since the session was pickled"):
        pickle.loads(stored)
    gain.unlink()
    with pytest.raises(FileNotFoundError):
        pickle.loads(stored)


def test_threads_share_a_session(lstm):
    session = nn.Session(lstm, threads=1)
    rng = np.random.default_rng(5)
    zeros = np.zeros((1, 1, 64), np.float32)
    inputs = [{"x": rng.standard_normal((9, 1, 20)).astype(np.float32), "h": zeros, "c": zeros} for _ in range(4)]
    alone = [session.run(each)["y"] for each in inputs]
    wrong = []

    def work(i):
        wrong.extend(i for _ in range(20) if not np.array_equal(session.run(inputs[i])["y"], alone[i]))

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert wrong == []


FORKED = """
import gc, os, sys, time
import numpy as np
from metalmom import nn
session = nn.Session(sys.argv[1], threads=2)
x = np.ones((1, 3), np.float32)
session(x)
time.sleep(0.3)  # the runtime's threads have gone to sleep
child = os.fork()
if not child:
    before = len(os.listdir("/proc/self/task"))
    answer = int(session(x).sum())
    assert len(os.listdir("/proc/self/task")) > before  # threads of its own
    del session  # which frees the child's own session, and not the parent's
    gc.collect()
    os._exit(answer)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), session(x).sum())
"""


def test_a_forked_child_opens_it_anew(gain):
    done = subprocess.run([sys.executable, "-c", FORKED, gain], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    assert done.stdout.split() == ["6", "6.0"], done.stderr


def test_a_model_that_fails_while_it_runs_says_so(tmp_path):
    path = model_of(tmp_path / "m.onnx", [node("Reshape", ["x", "shape"], ["y"])], [("x", F32, ["n"])],
                    [("y", F32, [2, 5])], [tensor("shape", [2, 5], np.int64)])  # fmt: skip
    session = nn.Session(path)
    assert session(np.zeros(10, np.float32)).shape == (2, 5)
    with pytest.raises(ModelError, match=r"m.onnx failed on x float32 \(11,\): ONNX Runtime said: .*Reshape") as told:
        session(np.zeros(11, np.float32))
    assert told.value.fault.endswith("m.onnx failed on x float32 (11,)") and "ONNXRuntimeError" not in str(told.value)
    assert str(pickle.loads(pickle.dumps(told.value))) == str(told.value)
    assert session(np.zeros(10, np.float32)).shape == (2, 5)


def test_sizes_of_weights_that_are_no_numbers_are_no_matter(outside):
    model = onnx.load(outside, load_external_data=False)
    for entry, value in zip(model.graph.initializer[0].external_data[1:], ["\u00b2", "9" * 9000], strict=False):
        entry.value = value
    outside.write_bytes(model.SerializeToString())
    with pytest.raises(ModelError, match="m.onnx cannot be run"):  # by the runtime
        nn.Session(outside)


BROKEN = {
    "empty": (lambda whole: b"", "is empty"),
    "text": (lambda whole: b"a model\n" * 9, "is text, and no ONNX model"),
    "a page": (lambda whole: b"<!DOCTYPE html>", "is a page of the web or XML, and no ONNX model"),
    "a pointer": (lambda whole: b"version https://git-lfs.github.com/spec/v1\n", "is the pointer of a file in Git LFS"),
    "of PyTorch": (lambda whole: b"PK\x03\x04" + b"0" * 60, "is a zip archive, as PyTorch saves models"),
    "of ORT": (lambda whole: b"\x00\x00\x00\x00ORTM" + b"0" * 60, "is in ONNX Runtime's own format"),
    "cut": (lambda whole: whole[: len(whole) // 2], "is no ONNX model, or was cut short"),
    "noise": (lambda whole: np.random.default_rng(6).bytes(500), "is no ONNX model, or was cut short"),
    "deep": (lambda whole: deep(), "is no ONNX model, or was cut short"),
    "no graph": (lambda whole: b"\x08\x09", "is no ONNX model, or was cut short"),
}  # fmt: skip


def deep():
    """Graphs in attributes of nodes of graphs, hundreds of times over."""
    field = lambda number, data: bytes([number << 3 | 2]) + varint(len(data)) + data  # noqa: E731
    graph = b""
    for _ in range(300):
        graph = field(1, field(5, field(6, graph)))
    return field(7, graph)


def varint(n):
    return (bytes([n & 127 | 128]) + varint(n >> 7)) if n > 127 else bytes([n])


@pytest.mark.parametrize("made, text", BROKEN.values(), ids=BROKEN)
def test_a_file_that_is_no_model_says_what_it_is(gain, made, text):
    gain.write_bytes(made(gain.read_bytes()))
    with pytest.raises(ModelError, match=f"gain.onnx {text}"):
        nn.Session(gain)


def test_every_cut_of_a_model_is_refused(gain):
    whole = gain.read_bytes()
    for size in range(1, len(whole), 7):
        gain.write_bytes(whole[:size])
        with pytest.raises(ModelError, match="gain.onnx"):
            nn.Session(gain)


def test_a_missing_file_a_folder_and_a_pipe(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.onnx"):
        nn.Session(tmp_path / "none.onnx")
    with pytest.raises(IsADirectoryError):
        nn.Session(tmp_path)
    for path in ("", "https://example.org/model.onnx"):
        with pytest.raises(FileNotFoundError) as raised:
            nn.Session(path)
        assert raised.value.filename == path
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelError, match="pipe is not a regular file"):
        nn.Session(tmp_path / "pipe")
    with pytest.raises(ParameterError, match="^path=int must be a str or os.PathLike$"):
        nn.Session(3)


def test_what_no_runtime_knows_is_told_with_its_words(tmp_path):
    path = model_of(tmp_path / "m.onnx", [node("NoSuch", ["x"], ["y"], domain="mine")], [("x", F32, [1])], [("y", F32, [1])])
    with pytest.raises(ModelError, match=r"m.onnx cannot be run: ONNX Runtime said: .*NoSuch") as told:
        nn.Session(path)
    assert "ONNXRuntimeError" not in str(told.value)


def test_inputs_that_are_no_numbers_are_refused(tmp_path):
    path = model_of(tmp_path / "m.onnx", [node("Identity", ["x"], ["y"])], [("x", TensorProto.STRING, [1])],
                    [("y", TensorProto.STRING, [1])])  # fmt: skip
    with pytest.raises(ModelError, match=r"m.onnx: 'x' is a tensor\(string\), and not an array of numbers"):
        nn.Session(path)


def test_a_name_that_is_no_text_is_refused(gain):
    gain.write_bytes(gain.read_bytes().replace(b"batch", b"b\xd0tch"))
    with pytest.raises(ModelError, match="gain.onnx has a name that is not text in UTF-8"):
        nn.Session(gain)


@pytest.mark.parametrize("kind, dtype", [(F16, np.float16), (F64, np.float64), (I64, np.int64), (TensorProto.BOOL, bool),
                                         (TensorProto.UINT8, np.uint8)])  # fmt: skip
def test_arrays_of_all_kinds_go_through(tmp_path, kind, dtype):
    path = model_of(tmp_path / "m.onnx", [node("Identity", ["x"], ["y"])], [("x", kind, ["n"])], [("y", kind, ["n"])])
    x = np.array([0, 1, 2, 250]).astype(dtype)
    y = nn.Session(path)(x)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, x)


@pytest.fixture
def outside(tmp_path):
    """A model whose weights lie in w.bin beside it."""
    folder = tmp_path / "model"
    folder.mkdir()
    return model_of(
        folder / "m.onnx", [node("Add", ["x", "w"], ["y"])], [("x", F32, [300])], [("y", F32, [300])],
        [tensor("w", np.arange(300))], save_as_external_data=True, location="w.bin", size_threshold=0,
    )  # fmt: skip


def test_weights_beside_the_model_are_read(outside, tmp_path):
    zeros = np.zeros(300, np.float32)
    assert nn.Session(outside)(zeros).tolist() == list(range(300))
    # as caches of downloads have it: both are links into a folder of files
    (tmp_path / "snapshot").mkdir()
    for name in ("m.onnx", "w.bin"):
        (tmp_path / "snapshot" / name).symlink_to(outside.parent / name)
    assert nn.Session(tmp_path / "snapshot" / "m.onnx")(zeros).tolist() == list(range(300))


def relocate(path, location):
    model = onnx.load(path, load_external_data=False)
    (entry,) = [each for each in model.graph.initializer[0].external_data if each.key == "location"]
    entry.value = location
    path.write_bytes(model.SerializeToString())


HOSTILE = {
    "absolute": (lambda path: str(path.parent / "w.bin"), "an absolute path; they must be in the model's folder"),
    "upwards": (lambda path: "../secret", "which leads out of the model's folder"),
    "down and up": (lambda path: "x/../../secret", "which leads out of the model's folder"),
    "a link": (lambda path: "link", "a link that leads out of the model's folder"),
    "a link to a folder": (lambda path: "folder/secret", "a link that leads out of the model's folder"),
    "a pipe": (lambda path: "pipe", "which is not a regular file"),
    "nothing": (lambda path: "none.bin", "which is not there"),
    "the process": (lambda path: "*/_ORT_MEM_ADDR_/*", "which is not there"),
    "a nul": (lambda path: "w.bin\0", "which leads out of the model's folder"),
}  # fmt: skip


@pytest.mark.parametrize("location, text", HOSTILE.values(), ids=HOSTILE)
def test_weights_outside_the_folder_are_refused(outside, tmp_path, location, text):
    (tmp_path / "secret").write_bytes(bytes(1200))
    (outside.parent / "link").symlink_to(tmp_path / "secret")
    (outside.parent / "folder").symlink_to(tmp_path)
    os.mkfifo(outside.parent / "pipe")
    relocate(outside, location(outside))
    with pytest.raises(ModelError, match=f"m.onnx: the weights 'w' are in .*, {text}"):
        nn.Session(outside)


def test_weights_that_end_early_are_refused(outside):
    (outside.parent / "w.bin").write_bytes(bytes(40))
    with pytest.raises(ModelError, match="which ends before them: it has 40 bytes of 1200"):
        nn.Session(outside)


def hidden(model, place, secret):
    """The model with a further tensor in a place where one may overlook it."""
    if place == "a constant":
        model.graph.node.append(node("Constant", [], ["unused"], value=secret))
    elif place == "a branch":
        inner = helper.make_graph([node("Identity", ["inner"], ["z"])], "inner", [],
                                  [helper.make_tensor_value_info("z", F32, [300])], [secret])  # fmt: skip
        model.graph.node.append(node("If", ["condition"], ["unused"], then_branch=inner, else_branch=inner))
    elif place == "a function":
        body = [node("Constant", [], ["z"], value=secret)]
        model.functions.append(helper.make_function("mine", "F", [], ["z"], body, [helper.make_opsetid("", 17)]))
    elif place.startswith("a sparse"):
        sparse = onnx.SparseTensorProto(values=secret, indices=tensor("i", [0], np.int64), dims=[300])
        if place == "a sparse tensor":
            model.graph.sparse_initializer.append(sparse)
        else:
            model.graph.node.append(node("Constant", [], ["unused"], sparse_value=sparse))
    elif place == "training":
        model.training_info.append(onnx.TrainingInfoProto(initialization=helper.make_graph([], "t", [], [], [secret])))
    elif place == "a second location":
        model.graph.initializer.append(secret)
        model.graph.initializer[-1].external_data.insert(0, onnx.StringStringEntryProto(key="location", value="w.bin"))


@pytest.mark.parametrize("place", [
    "a constant", "a branch", "a function", "a sparse tensor", "a sparse constant", "training", "a second location",
])  # fmt: skip
def test_no_place_for_weights_is_overlooked(outside, tmp_path, place):
    (tmp_path / "secret").write_bytes(bytes(1200))
    secret = onnx.TensorProto(name="inner", data_type=F32, dims=[300], data_location=onnx.TensorProto.EXTERNAL)
    secret.external_data.add(key="location", value="../secret")
    model = onnx.load(outside, load_external_data=False)
    hidden(model, place, secret)
    outside.write_bytes(model.SerializeToString())
    with pytest.raises(ModelError, match="'inner' are in '../secret', which leads out of the model's folder"):
        nn.Session(outside)


def test_paths_and_sizes_that_are_none_are_refused(tmp_path):
    for path in ("\0", "\ud800", 3):
        with pytest.raises(ParameterError, match="^path="):
            nn.Session(path)
        with pytest.raises(ParameterError, match="^path="):
            nn.check(path)
