"""What a trace shows of a GPU: queues, submits, arrows, copies, memory, pipelines."""

import json

import metalmom
import numpy as np
import pytest
import trace_format
from devices import on_device
from metalmom import trace
from processes import run_python

pytestmark = on_device


@pytest.fixture(scope="module")
def y():
    return np.random.default_rng(3).standard_normal((2, 22050)).astype(np.float32)


@pytest.fixture(scope="module")
def recorded(y):
    """One call from NumPy to NumPy with sizes that no other test uses, and the same again."""
    def call():
        metalmom.feature.mfcc(y=y, n_fft=1024, n_mels=37, n_mfcc=11)

    with metalmom.config_context(backend="gpu"):
        with trace.record() as first:
            call()
        with trace.record() as second:
            call()
        second.text = second.summary()
    return first, second


def queue_spans(t, kind):
    return [s for s in t.spans if s.cat == "gpu" and not s.thread and s.args["kind"] == kind]


def test_every_dispatch_and_copy_has_a_span_on_its_queue(recorded):
    _, t = recorded
    kernels, copies = queue_spans(t, "kernel"), queue_spans(t, "copy")
    assert len(kernels) >= 2  # bands, and the transform of their logarithms
    assert {s.name for s in copies} == {"upload", "download"}
    assert all(s.dur > 0 for s in kernels)
    assert all(s.args["bytes"] > 0 and s.args["flops"] > 0 for s in kernels)
    sent = sum(s.args["bytes"] for s in copies if s.name == "upload")
    assert sent == t.counters["uploaded_bytes"] == 2 * 22050 * 4


def test_submits_and_command_buffers_are_events(recorded):
    _, t = recorded
    submits = [p for p in t.events if p.name == "submit"]
    assert len(submits) == t.counters["submits"]
    assert len([p for p in t.events if p.name == "command buffer"]) >= len(submits)
    for span in queue_spans(t, "kernel") + queue_spans(t, "copy"):
        (submit,) = [p for p in submits if p.flow == span.flow]
        assert submit.ts <= span.ts + span.dur


def test_the_first_call_builds_pipelines_and_the_second_finds_them(recorded):
    first, second = recorded
    built = [s.args["shader"] for s in first.spans if s.name == "build pipeline"]
    assert built and first.counters["pipeline_builds"] == len(built)
    assert "pipeline_builds" not in second.counters
    assert "cache_misses" not in second.counters
    assert second.counters["cache_hits"] >= len(built)


def test_memory_has_a_line_even_where_nothing_changes(recorded):
    _, t = recorded
    values = {s.name: s.value for s in t.samples}
    assert values["GPU memory used"] > 0
    assert values["GPU memory kept"] >= 0


def test_waiting_is_told_from_computing(recorded):
    _, t = recorded
    waits = [s for s in t.spans if s.name == "wait for the GPU"]
    assert waits and t.text.cpu["waiting"] == pytest.approx(sum(s.dur for s in waits))


def test_the_file_follows_the_format(recorded, tmp_path):
    _, t = recorded
    t.save(tmp_path / "gpu.json")
    events = trace_format.check((tmp_path / "gpu.json").read_text())
    assert len(events["s"]) == len(queue_spans(t, "kernel")) + len(queue_spans(t, "copy"))
    assert events["C"]


def test_arrows_from_threads_of_the_pool_have_a_span_to_start_from(tmp_path):
    y = np.zeros((2, 3 << 20), np.float32)  # copied in pieces, by two threads when both get to it
    with metalmom.config_context(backend="gpu", threads=2), trace.record() as t:
        metalmom.to_device(y).numpy()
    t.save(tmp_path / "gpu.json")
    events = trace_format.check((tmp_path / "gpu.json").read_text())
    assert len(events["s"]) == len(queue_spans(t, "copy")) > 2


def test_copies_of_device_arrays_have_bridge_spans(y):
    with metalmom.config_context(backend="gpu"), trace.record() as t:
        on_device = metalmom.to_device(y)
        back = on_device.numpy()
    np.testing.assert_array_equal(back, y)
    outer = [(s.name, s.cat, s.args) for s in t.spans if s.thread and s.depth == 0]
    assert outer == [("to_device", "bridge", {"uploaded_bytes": y.nbytes}),
                     ("numpy", "bridge", {"downloaded_bytes": y.nbytes, "output_bytes": y.nbytes})]


def intervals_and_call(**environment):
    """When each kernel and copy of a call ran, if that is a bound, and when the call ran, in us."""
    code = """
import json
import numpy as np, metalmom
from metalmom import trace
y = np.random.default_rng(3).standard_normal((2, 22050)).astype(np.float32)
with metalmom.config_context(backend="gpu"):
    metalmom.feature.mfcc(y=y)
    with trace.record() as t:
        metalmom.feature.mfcc(y=y)
(call,) = [s for s in t.spans if s.cat == "bridge" and s.depth == 0]
work = [(s.ts, s.ts + s.dur, s.args.get("clock")) for s in t.spans if s.cat == "gpu" and not s.thread]
print(json.dumps([work, [call.ts, call.ts + call.dur], t.summary().gpu["bounded"]]))
"""
    return json.loads(run_python(code, **environment))


def test_times_without_calibrated_timestamps_are_bounds():
    """The last interval is taken to end when it was seen finished; all lie within the call."""
    work, (begin, end), is_bounded = intervals_and_call(METALMOM_VULKAN_CALIBRATED="0")
    assert is_bounded and {clock for _, _, clock in work} == {"bounded"}
    assert len(work) >= 4 and all(begin < first <= last <= end for first, last, _ in work)


def test_times_by_calibrated_timestamps_are_no_bounds():
    work, (begin, end), is_bounded = intervals_and_call()
    if is_bounded:
        pytest.skip("the driver has no calibrated timestamps")
    assert {clock for _, _, clock in work} == {None}
    assert all(begin < first <= last <= end for first, last, _ in work)
