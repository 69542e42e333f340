"""Recording from Python: spans of the engine and of the user, files, threads, forks, exit."""

import _thread
import ast
import asyncio
import contextlib
import json
import operator
import os
import pathlib
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import metalmom
import reference_cases
import trace_format
from metalmom import _native, trace
from processes import wait_until
from reference_signals import resolve


@pytest.fixture(scope="module")
def y():
    return metalmom.demo.song(1.0)[0][0]


def names(t, cat=None):
    return [span.name for span in t.spans if cat in (None, span.cat)]


def test_a_call_shows_bridge_and_engine(y):
    with trace.record() as t:
        D = metalmom.stft(y)
    outer, inner = [span for span in t.spans if not span.name.startswith("build ")]
    assert (outer.name, outer.cat, outer.depth) == ("stft", "bridge", 0)
    assert (inner.name, inner.cat, inner.depth) == ("stft", "engine", 1)
    assert outer.ts <= inner.ts and inner.ts + inner.dur <= outer.ts + outer.dur
    assert inner.args["backend"] == "cpu"
    assert inner.args["frames"] == D.shape[-1]
    assert outer.args["copied_bytes"] == 0
    assert outer.args["output_bytes"] == D.nbytes
    assert t.counters["output_bytes"] == D.nbytes


FUNCTIONS = sorted({case.function for case in reference_cases.all_cases()})


# A stream computes between the calls of its generator: a span for each block.
@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name != "stream"])
def test_every_public_call_has_one_outer_span(function):
    """Where this fails, the function makes several native calls, and is to be declared `composed`."""
    call = operator.attrgetter(function)(metalmom)
    for case in reference_cases.all_cases():
        if case.function != function:
            continue
        args, kwargs = resolve(case.args), resolve(case.kwargs)
        with warnings.catch_warnings(), trace.record() as t:
            warnings.simplefilter("ignore")
            with contextlib.suppress(Exception):  # wrong arguments are cases, too
                call(*args, **kwargs)
        # What is made of arguments, and kept, may come before: the window that a name means.
        outer = [(s.name, s.cat) for s in t.spans if s.depth == 0 and s.thread and not s.name.startswith("build ")]
        assert outer in ([], [(function.split(".")[-1], "bridge")]), case.id


def test_the_span_of_an_extractor_has_its_name(y):
    extractor = metalmom.Extractor(["rms"])
    with trace.record() as t:
        extractor(y)
        extractor.map([y])
    assert [s.name for s in t.spans if s.depth == 0 and s.thread] == ["Extractor", "map"]


def test_converted_arguments_are_counted(y):
    strided = np.repeat(y, 2)[::2]
    with trace.record() as t:
        metalmom.stft(strided)
    assert t.counters["copied_bytes"] == y.nbytes


def test_nothing_is_recorded_outside(y):
    with trace.record() as t:
        pass
    metalmom.stft(y)
    assert t.spans == []


def test_recordings_nest(y):
    with trace.record() as whole:
        with trace.span("before"):
            pass
        with trace.record() as part:
            with trace.span("inside"):
                pass
        with trace.span("after"):
            pass
    assert names(part) == ["inside"]
    assert names(whole) == ["before", "inside", "after"]


def test_an_exception_ends_the_recording():
    t = trace.record()
    with pytest.raises(ZeroDivisionError):
        with t, trace.span("fails"):
            raise ZeroDivisionError
    assert t.spans[0].args == {"error": "ZeroDivisionError"}
    with trace.span("later"):
        pass
    assert names(t) == ["fails"]


def test_a_call_that_is_ended_as_it_begins_leaves_no_span_open(y):
    """Where Python runs handlers of signals: when a function of C has returned."""

    def handle(frame, event, _):
        if event == "c_return" and frame.f_globals["__name__"] == "metalmom.util._public":
            raise KeyboardInterrupt

    with trace.record() as t:
        sys.setprofile(handle)
        try:
            with pytest.raises(KeyboardInterrupt):
                metalmom.beat.beat_track(y=y)
        finally:
            sys.setprofile(None)
        metalmom.beat.beat_track(y=y)
    assert [span.name for span in t.spans if span.depth == 0] == ["beat_track", "beat_track"]


def test_a_trace_can_be_read_while_it_runs():
    with trace.record() as t:
        with trace.span("first"):
            pass
        assert names(t) == ["first"]
        with trace.span("second"):
            pass
        assert names(t) == ["first", "second"]


def test_one_trace_records_once_at_a_time():
    t = trace.record()
    with pytest.raises(RuntimeError):
        t.summary()
    with t, pytest.raises(RuntimeError):
        t.__enter__()


def test_span_decorates_functions():
    @trace.span("work", kind="test")
    def work(n):
        """Do it."""
        return work(n - 1) + 1 if n else 0

    with trace.record() as t:
        assert work(2) == 2
    assert work.__doc__ == "Do it."
    assert [(s.name, s.cat, s.depth, s.args["kind"]) for s in t.spans] == [
        ("work", "user", depth, "test") for depth in range(3)]


def test_coroutines_that_interleave_stay_nested_by_row():
    @trace.span("step")
    async def step(delay):
        await asyncio.sleep(delay)

    async def both():
        await asyncio.gather(step(0.02), step(0.03))

    with trace.record() as t:
        asyncio.run(both())
    assert len({s.tid for s in t.spans}) == 2  # they overlap: each has a row
    assert all(s.dur > 15_000 for s in t.spans)


def test_points_and_values_of_all_kinds():
    with trace.record() as t:
        trace.event("here", n=3, share=0.5, text="ä", huge=2**80, flag=True, what=[1])
    (point,) = t.events
    assert (point.name, point.cat) == ("here", "user")
    assert point.args == {"n": 3, "share": 0.5, "text": "ä", "huge": str(2**80), "flag": 1,
                          "what": "[1]"}


def test_threads_that_ended_are_there():
    def work():
        for _ in range(10):
            with trace.span("threaded"):
                pass

    with trace.record() as t:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert names(t).count("threaded") == 80


def test_detail_shows_workers(y):
    long = np.tile(y, 20)
    with metalmom.config_context(threads=2), trace.record(detail=True) as t:
        metalmom.feature.melspectrogram(y=long, sr=44100)
    assert "worker" in names(t, "engine")
    with metalmom.config_context(threads=2), trace.record() as t:
        metalmom.feature.melspectrogram(y=long, sr=44100)
    assert "worker" not in names(t)


TRANSFORM = "window+FFT"
STAGES = {
    "stft": (metalmom.stft, {TRANSFORM}),
    "istft": (lambda y: metalmom.istft(metalmom.stft(y)), {TRANSFORM, "inverse FFT", "store"}),
    "melspectrogram": (lambda y: metalmom.feature.melspectrogram(y=y), {TRANSFORM, "bands"}),
    "mfcc": (lambda y: metalmom.feature.mfcc(y=y), {TRANSFORM, "bands", "store"}),
    "chroma_stft": (lambda y: metalmom.feature.chroma_stft(y=y),
                    {TRANSFORM, "peaks", "histogram", "bands", "store"}),
    "onset_strength": (lambda y: metalmom.onset.onset_strength(y=y), {TRANSFORM, "bands", "flux"}),
    "tempogram": (lambda y: metalmom.feature.tempogram(y=y),
                  {TRANSFORM, "bands", "flux", "autocorrelation"}),
    "spectral_contrast": (lambda y: metalmom.feature.spectral_contrast(y=y), {TRANSFORM, "shape"}),
    "spectral_centroid": (lambda y: metalmom.feature.spectral_centroid(y=y), {TRANSFORM, "shape"}),
}


@pytest.mark.parametrize("function", STAGES)
def test_detail_shows_the_stages_of_fused_ops(y, function):
    call, stages = STAGES[function]
    with metalmom.config_context(threads=1):
        with trace.record(detail=True) as t:
            call(y)
        with trace.record() as plain:
            call(y)
    assert stages <= set(names(t, "engine"))
    assert not stages & set(names(plain))


def test_detail_shows_conversion_and_allocation(y):
    with trace.record(detail=True) as t:
        metalmom.stft(y)
    inside = [(s.name, s.cat) for s in t.spans
              if s.tid == t.spans[0].tid and s.depth == 1 and not s.name.startswith("build ")]
    assert inside == [("arguments", "bridge"), ("outputs", "bridge"), ("stft", "engine")]


FIRST = """
import numpy as np, metalmom
y = np.zeros(22050, np.float32)
for call in range(2):
    with metalmom.trace.record() as t:
        metalmom.cqt(y)
        metalmom.feature.melspectrogram(y=y)
    print(sorted({span.name for span in t.spans if span.name.startswith("build ")}))
    (first,) = [span for span in t.spans if span.name == "build constant-Q filters"] or [None]
    print(first and first.dur > 1e3)
"""


def test_what_the_first_call_makes_has_spans(tmp_path):
    done = run_python(FIRST, tmp_path)
    assert done.returncode == 0, done.stderr
    first, is_long, second, none = done.stdout.splitlines()
    assert {"build constant-Q filters", "build mel filters", "build window"} <= set(ast.literal_eval(first))
    assert (is_long, second, none) == ("True", "[]", "None")


def test_the_memory_of_the_process_is_a_track():
    def samples():
        return [sample.value for sample in t.samples if sample.name == "host memory"]

    with trace.record(), trace.record() as t:
        wait_until(samples)  # what it is at first, also where another recording has it already
        kept = np.ones(64 << 20, np.uint8)
        wait_until(lambda: max(samples()) - samples()[0] > kept.nbytes * 0.9)
    assert max(samples()) - samples()[0] < kept.nbytes * 2
    assert "host memory" not in {thread.name for thread in threading.enumerate()}
    tasks = [path.read_text().strip() for path in pathlib.Path("/proc/self/task").glob("*/comm")]
    with trace.record() as t, trace.record():
        pass
    assert tasks == [path.read_text().strip() for path in pathlib.Path("/proc/self/task").glob("*/comm")]


def test_the_file_is_chrome_trace_events(y, tmp_path):
    with trace.record() as t:
        with trace.span('quoted "name"'):
            metalmom.feature.mfcc(y=y, sr=44100)
        trace.event("here")
    t.save(tmp_path / "t.json")
    data = json.loads((tmp_path / "t.json").read_text())
    spans = [e for e in data["traceEvents"] if e["ph"] == "X"]
    assert [(e["name"], e["cat"]) for e in spans] == [(s.name, s.cat) for s in t.spans]
    for event, span in zip(spans, t.spans):
        assert event["ts"] == pytest.approx(span.ts, abs=1e-3)
        assert event["dur"] == pytest.approx(span.dur, abs=1e-3)
        assert event["pid"] == os.getpid() and event["tid"] == span.tid
        assert event["args"] == span.args
    assert [e["name"] for e in data["traceEvents"] if e["ph"] == "i"] == ["here"]
    threads = {e["tid"]: e["args"]["name"] for e in data["traceEvents"]
               if e["ph"] == "M" and e["name"] == "thread_name"}
    assert threads[threading.get_native_id()] == threading.current_thread().name


def test_the_file_follows_the_format(y, tmp_path):
    with trace.record(detail=True) as t:
        for _ in range(3):
            with trace.span("mine", infinite=float("inf")):
                metalmom.feature.mfcc(y=np.tile(y, 10), sr=44100)
        trace.event("here", nan=float("nan"))
    t.save(tmp_path / "t.json")
    events = trace_format.check((tmp_path / "t.json").read_text())
    assert len(events["X"]) == len(t.spans) and len(events["i"]) == 1


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with trace.record() as t:
        pass
    for name in ("t.json", "t.html"):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            t.save(tmp_path / "nowhere" / name)


def test_a_notebook_shows_the_page(y):
    t = trace.record()
    assert t._repr_html_() is None
    with t:
        metalmom.stft(y)
    shown = t._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "timeline" in shown
    assert shown.count('"') == 4  # around the page, in which none may end it, and around the style


def run_python(code, tmp_path, **environment):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    env.pop("_METALMOM_TRACE_OWNER", None)
    return subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, text=True,
                          capture_output=True, timeout=120)


def recorded(path):
    return [e["name"] for e in json.loads(path.read_text())["traceEvents"] if e["ph"] == "X"]


def test_a_whole_process(tmp_path):
    code = "import metalmom\nwith metalmom.trace.span('mine'): pass"
    done = run_python(code, tmp_path, METALMOM_TRACE="out.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert recorded(tmp_path / "out.json") == ["mine"]
    run_python(code, tmp_path, METALMOM_TRACE="out.html")
    assert "mine" in (tmp_path / "out.html").read_text()


def test_a_whole_process_with_detail(tmp_path):
    code = "import metalmom, numpy\nmetalmom.stft(numpy.zeros(22050, numpy.float32))"
    run_python(code, tmp_path, METALMOM_TRACE="out.json", METALMOM_TRACE_DETAIL="1")
    assert TRANSFORM in recorded(tmp_path / "out.json")
    run_python(code, tmp_path, METALMOM_TRACE="out.json", METALMOM_TRACE_DETAIL="0")
    assert TRANSFORM not in recorded(tmp_path / "out.json")


def test_a_process_that_fails_still_writes(tmp_path):
    code = "import metalmom\nwith metalmom.trace.span('mine'): 1 / 0"
    done = run_python(code, tmp_path, METALMOM_TRACE="out.json")
    assert done.returncode == 1
    assert recorded(tmp_path / "out.json") == ["mine"]


def test_an_interrupt_while_the_device_finishes_ends_the_recording(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    recording = trace.record()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt), recording:
        patch.setattr(_native, "finish_device_work", interrupted)
    assert not _native.trace_stamp()
    with recording, trace.span("again"):
        pass
    assert [span.name for span in recording.spans] == ["again"]


def test_threads_that_still_run_at_exit_are_in_the_file(tmp_path):
    code = """
import threading, metalmom
written = threading.Event()
def work():
    for _ in range(100):
        with metalmom.trace.span('daemon'): pass
    written.set()
    threading.Event().wait()
threading.Thread(target=work, daemon=True).start()
written.wait()
"""
    done = run_python(code, tmp_path, METALMOM_TRACE="out.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert recorded(tmp_path / "out.json") == ["daemon"] * 100


def test_children_write_their_own(tmp_path):
    code = """
import multiprocessing, os, metalmom
with metalmom.trace.span('parent'): pass
def work():
    with metalmom.trace.span('pool'): pass
child = multiprocessing.get_context('fork').Process(target=work)
child.start(); child.join()
pid = os.fork()
if not pid:
    with metalmom.trace.span('forked'): pass
    raise SystemExit
os.waitpid(pid, 0)
with metalmom.trace.span('parent'): pass
"""
    done = run_python(code, tmp_path, METALMOM_TRACE="out.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert recorded(tmp_path / "out.json") == ["parent", "parent"]
    others = [recorded(path) for path in tmp_path.glob("out-*.json")]
    assert sorted(others) == [["forked"], ["pool"]]


def test_an_unwritable_trace_is_one_sentence(tmp_path):
    done = run_python("import metalmom", tmp_path, METALMOM_TRACE="no/such/out.json")
    assert done.returncode == 0
    assert done.stderr.startswith("metalmom: nothing is traced: ") and \
        len(done.stderr.splitlines()) == 1


WITHOUT_MEMORY = """
import resource, sys
import numpy as np, metalmom as mm

y = np.zeros(22050, dtype=np.float32)
mm.feature.rms(y=y)
with mm.config_context(threads=2), mm.trace.record(detail=True) as t:
    in_use = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + (8 << 20), resource.RLIM_INFINITY))
    mm.feature.rms(y=y)  # less than a ring takes
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    mm.feature.rms(y=y)
print(len(t.spans), t.dropped, t.summary())
"""


def test_without_memory_events_are_dropped_and_the_call_goes_on(tmp_path):
    done = run_python(WITHOUT_MEMORY, tmp_path)
    assert done.returncode == 0, done.stderr
    kept, dropped, text = done.stdout.split(maxsplit=2)
    assert int(kept) > 0 and int(dropped) > 0
    assert f"{dropped} events were dropped: their thread had no room for them" in text


def test_results_do_not_depend_on_it(y):
    plain = metalmom.feature.mfcc(y=y, sr=44100)
    with trace.record(detail=True):
        traced = metalmom.feature.mfcc(y=y, sr=44100)
    np.testing.assert_array_equal(plain, traced)


def test_names_that_c_and_utf8_cannot_hold():
    with trace.record() as t:
        with trace.span("a\0b", key="c\0d"):
            trace.event("lone \udcff", **{"k\udcff": "v\udcff"})
    assert names(t) == ["a\\0b"]
    assert t.spans[0].args == {"key": "c\\0d"}
    (point,) = t.events
    assert (point.name, point.args) == ("lone \\udcff", {"k\\udcff": "v\\udcff"})


@pytest.mark.parametrize("name", ["audio 1", "caf\udce9"])
def test_threads_that_have_ended_keep_their_names(name):
    def call():
        metalmom.feature.rms(y=np.zeros(4096, np.float32))

    def stream():
        metalmom.streaming.RMS().process(np.zeros(4096, np.float32))

    def mark():
        with trace.span("mine"):
            pass

    def unnamed():
        _thread.start_new_thread(lambda: (mark(), done.set()), ())
        done.wait()

    for what in (call, stream, mark):
        with trace.record() as t:
            thread = threading.Thread(target=what, name=name)
            thread.start()
            thread.join()
        assert {span.track for span in t.spans} == {name.encode("utf-8", "backslashreplace").decode()}, what
    done = threading.Event()
    with trace.record() as t:
        unnamed()
    assert [span.name for span in t.spans] == ["mine"]
