"""Reports of traces: what they say, as Markdown and as a page, and what changed between two."""

import json
import re
import xml.etree.ElementTree

import metalmom
import numpy as np
import pytest
from metalmom import cli, trace
from metalmom.trace import Span, _compare, _report
from metalmom.trace import _summary as summary
from metalmom.trace._roofline import roofline


def span(name, ts, dur, depth=0, cat="engine", tid=1, flow=0, **args):
    return Span(name, cat, ts, dur, tid, f"thread {tid}", tid < 100, depth, flow, args)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A trace of some calls, and its file."""
    y = np.random.default_rng(0).standard_normal(22050 * 5).astype(np.float32)
    with metalmom.config_context(threads=2), trace.record(detail=True) as t:
        for _ in range(4):
            metalmom.feature.mfcc(y=y)
        with trace.span("a|b <i>", note="x"):
            trace.event("mark")
    path = tmp_path_factory.mktemp("traces") / "calls.json"
    t.save(path)
    return t, path


@pytest.mark.parametrize("suffix", ["json", "html"])
def test_a_file_is_read_as_it_was_recorded(recorded, suffix, tmp_path):
    t, _ = recorded
    t.save(tmp_path / f"out.{suffix}")
    found = trace.load(tmp_path / f"out.{suffix}")
    assert found.spans == t.spans and found.events == t.events and found.samples == t.samples
    assert (found.duration, found.dropped, found.about) == (t.duration, t.dropped, t.about)
    assert str(found.summary()) == str(t.summary())
    assert json.loads(found.as_json()) == json.loads(t.as_json())


@pytest.mark.parametrize("content", ["", "[]", "{}", "nonsense", '{"traceEvents": [], "otherData": {}}', "[" * 100_000],
                         ids=lambda content: content[:10])
@pytest.mark.parametrize("name", ["out.json", "out.html"])
def test_what_is_no_trace_is_refused(content, name, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(metalmom.ParameterError, match="a trace that metalmom wrote"):
        trace.load(tmp_path / name)


@pytest.mark.parametrize(("name", "value"), [
    ("ts", float("nan")), ("ts", 1e400), ("ts", 10**400), ("dur", -1), ("dur", "1"), ("name", 3),
    ("name", "\ud800"), ("cat", None), ("args", ["x"]), ("args", {"x": []}), ("args", {"cache_misses": "x"}),
    ("args", {"bytes": "x"}),
], ids=str)  # fmt: skip
def test_damaged_traces_are_refused(name, value, recorded, tmp_path):
    content = json.loads(recorded[0].as_json())
    event = next(event for event in content["traceEvents"] if event["ph"] == "X" and event["cat"] == "bridge")
    event[name] = value
    (tmp_path / "out.json").write_text(json.dumps(content))
    with pytest.raises(metalmom.ParameterError, match="a trace that metalmom wrote"):
        trace.load(tmp_path / "out.json")


@pytest.mark.parametrize(("name", "value"), [("duration_ns", "9" * 400), ("duration_ns", "-1"), ("cpu", 3)], ids=str)
def test_damaged_heads_are_refused(name, value, recorded, tmp_path):
    content = json.loads(recorded[0].as_json())
    content["otherData"][name] = value
    (tmp_path / "out.json").write_text(json.dumps(content))
    with pytest.raises(metalmom.ParameterError, match="a trace that metalmom wrote"):
        trace.load(tmp_path / "out.json")


def test_what_users_call_a_count_is_a_detail():
    with trace.record() as t, trace.span("mine", cache_misses="many"):
        pass
    assert t.counters == {} and "mine" in t.summary()


def test_a_trace_says_what_it_was_taken_on(recorded):
    about = recorded[0].about
    assert about["numpy"] == np.__version__ and about.get("revision", "") == metalmom.build_info()["revision"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", about["date"])
    assert about["simd"] == metalmom.build_info()["simd"]
    assert {"command", "metalmom", "python", "system", "cpu", "cores", "threads"} <= set(about)


def test_the_path_follows_what_the_busiest_thread_waits_for():
    spans = [
        span("call", 0, 100, cat="bridge"), span("op", 10, 80, 1), span("worker", 15, 25, 2), span("bands", 20, 10, 3),
        span("worker", 16, 64, tid=2), span("late part", 20, 60, 1, tid=2),
        span("wait for the GPU", 100, 20, cat="gpu"), span("kernel", 95, 15, cat="gpu", tid=1 << 23),
        span("kernel", 112, 8, cat="gpu", tid=1 << 23),
    ]  # fmt: skip
    path = {(row["name"], row["track"]): row["time"] for row in summary.critical_path(spans, 130)}
    assert path == {
        ("call", "thread 1"): 20, ("op", "thread 1"): 15, ("worker", "thread 1"): 15, ("bands", "thread 1"): 10,
        ("late part", "thread 2"): 40,  # after the part of the calling thread has ended
        ("kernel", f"thread {1 << 23}"): 18, ("wait for the GPU", "thread 1"): 2, ("before the first span", ""): 0,
        ("between spans", ""): 0, ("after the last span", ""): 10,
    }  # fmt: skip
    assert summary.critical_path([], 10) == []


def test_times_of_the_path_add_up_to_the_recording(recorded):
    t, _ = recorded
    path = summary.critical_path(t.spans, t.duration)
    assert sum(row["time"] for row in path) == pytest.approx(t.duration)
    assert sum(row["share"] for row in path) == pytest.approx(1)


@pytest.mark.parametrize(("spans", "found"), [
    ([span("load", 0, 80, cat="bridge"), span("mel", 80, 20, cat="bridge")], "Loading takes 80% of the calls' time"),
    ([each for i in range(5) for each in (span("stft", 10 * i, 9, cat="bridge"), span("stft", 10 * i, 8, 1, cache_misses=1))],
     "5 of 5 calls of stft make a window, filters or a plan anew"),
    ([span("stft", 10 * i, 9, cat="bridge", copied_bytes=1000) for i in range(5)],
     "5 of 5 calls of stft convert their arguments (5 kB)"),
    ([span("cqt", 0, 100, cat="bridge"), span("build constant-Q filters", 5, 60, 1, cat="bridge"), span("build FFT", 10, 5, 2)],
     "Windows, filters and plans are made: 60.00 us of 100.00 us (longest: build constant-Q filters, 60.00 us)"),
    ([span("STFT", 5, 9, cat="bridge"), span("STFT", 20, 9, cat="bridge", late=1)],
     "1 block of streams was late, the first at 20.00 us"),
])  # fmt: skip
def test_findings(spans, found):
    (sentence,) = summary.diagnose_calls(spans)
    assert sentence.startswith(found)
    fewer = [each._replace(args={}) for each in spans if not each.name.startswith(("load", "build "))]
    assert summary.diagnose_calls(fewer) == []


def test_the_report_has_all_parts(recorded, capsys):
    _, path = recorded
    assert cli.main(["report", str(path)]) == 0
    shown = capsys.readouterr().out
    titles = re.findall(r"^#+ (.*)$", shown, re.M)
    assert titles == ["calls.json", "Findings", "Summary", "Threads", "Critical path"]
    assert re.search(r"^\| instruction set +\| \w+ +\|$", shown, re.M)
    assert re.search(r"^\| mfcc +\| bridge +\| +4 \|", shown, re.M)
    assert "| a\\|b &lt;i&gt;" in shown and "<" not in shown  # a name does not end a cell
    assert re.search(r"^\| MainThread +\| bridge .* \| +[\d.]+% \|$", shown, re.M)


def test_the_report_as_files(recorded, tmp_path, capsys):
    _, path = recorded
    for name in ("out.md", "out.html"):
        assert cli.main(["report", str(path), str(path), "-o", str(tmp_path / name)]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "out.md").read_text().count("# calls.json\n") == 2
    page = (tmp_path / "out.html").read_text()
    assert page.count("<h1>calls.json</h1>") == 2 and "a|b &lt;i&gt;" in page and "<i>" not in page
    with pytest.raises(SystemExit):
        cli.main(["report", str(path), "-o", str(tmp_path / "out.wav")])
    assert "ends in .md or .html" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["trace", "link", "other"])
def test_a_report_replaces_no_trace(recorded, out, tmp_path, capsys):
    t, path = recorded
    kept = tmp_path / "kept.html"
    t.save(kept)
    content = kept.read_bytes()
    (tmp_path / "link.html").symlink_to(kept)
    given = {"trace": [str(kept)], "link": [str(path), "--against", str(kept)], "other": [str(path)]}[out]
    with pytest.raises(SystemExit):
        cli.main(["report", *given, "-o", str(tmp_path / "link.html" if out == "link" else kept)])
    assert "argument -o: " in capsys.readouterr().err and kept.read_bytes() == content


def test_the_report_of_an_empty_trace_says_what_to_do(tmp_path, capsys):
    with trace.record() as t:
        pass
    t.save(tmp_path / "empty.json")
    assert cli.main(["report", str(tmp_path / "empty.json")]) == 0
    assert "Nothing was recorded. Call metalmom inside" in capsys.readouterr().out


def test_dropped_events_are_told():
    t = summary.Summary([span("a", 0, 1)], [], 1, dropped=3)
    assert _report._of_gaps(t)[0].startswith("3 events were dropped")
    assert "1 event was dropped" in summary.Summary([span("a", 0, 1)], [], 1, dropped=1)


def test_the_roofline_has_kernels_where_they_belong():
    kernels = {"bound by <memory>": {"bytes": 4e6, "flops": 4e6, "time": 40.0},  # 1 FLOP/byte, 100 GFLOP/s
               "copies": {"bytes": 1e6, "flops": 0, "time": 9.0}}  # fmt: skip
    svg = roofline(kernels, {"copy_gb_per_s": 100.0, "gpu_gflops": 1000.0})
    tree = xml.etree.ElementTree.fromstring(svg)
    (circle,) = tree.findall("circle")
    assert circle[0].text.startswith("bound by <memory>: 1 FLOP/byte, 100 GFLOP/s")
    roof = [tuple(map(float, point.split(","))) for point in tree.find("polyline").get("points").split()]
    # It lies on the roof, at its left end, and the ridge is at 10 FLOP/byte: the other end.
    assert (float(circle.get("cx")), float(circle.get("cy"))) == roof[0]
    assert roof[1] == roof[2] and roof[1][1] < roof[0][1]
    assert roofline(kernels, None) == roofline({}, {"copy_gb_per_s": 1.0, "gpu_gflops": 1.0}) == ""


def change(before, after):
    spans = [[span("stft", 100.0 * i, float(dur)) for i, dur in enumerate(durations)] for durations in (before, after)]
    (found,) = _compare.changes_of(*spans)
    return found


@pytest.mark.parametrize(("before", "after", "verdict"), [
    ([10, 11, 12], [20, 21, 22], "slower"), ([20, 21, 22], [10, 11, 12], "faster"),
    ([10, 12, 14], [11, 13, 15], "within the spread"), ([10, 20, 30], [25, 26, 27], "slower"),
    ([10, 20, 30], [24, 25, 26], "within the spread"), ([10, 10], [20, 20], "too few to tell"),
])  # fmt: skip
def test_what_differs_by_more_than_both_spreads_has_changed(before, after, verdict):
    assert change(before, after).verdict == verdict


def test_a_change_that_does_not_matter_is_none():
    assert change([100, 100, 100], [104, 104, 104]).verdict == "within the spread"
    assert change([100, 100, 100], [106, 106, 106]).verdict == "slower"
    spans = [[span("stft", 100.0 * i, dur) for i in range(3)] for dur in (10.0, 20.0)]
    for whole, verdict in ((29e3, "slower"), (31e3, "within the spread")):
        (found,) = _compare.changes_of(*spans, whole)
        assert found.verdict == verdict


def test_a_comparison_has_an_exit_status(tmp_path, capsys):
    def saved(name, factor):
        events = [{"name": name, "ph": "X", "pid": 1, "tid": 1, "cat": "engine", "ts": 1000.0 * i,
                   "dur": factor * (100.0 + i), "args": {}} for i in range(5) for name in ("stft", "mel")]  # fmt: skip
        for event in events:
            event["dur"] = event["dur"] / factor if event["name"] == "mel" else event["dur"]
        meta = {"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "main", "is_thread": True}}
        other = {"clock": "CLOCK_MONOTONIC", "start_ns": "0", "duration_ns": "9000000", "dropped_events": "0"}
        (tmp_path / name).write_text(json.dumps({"traceEvents": [meta, *events], "otherData": other}))
        return str(tmp_path / name)

    slow, fast = saved("slow.json", 2.0), saved("fast.json", 1.0)
    assert cli.main(["report", slow, "--against", fast]) == 3
    shown = capsys.readouterr().out
    assert shown.startswith("# slow.json against fast.json")
    assert re.search(r"\| engine stft .* 2\.00 \| +slower \|", shown) and re.search(r"\| engine mel .* within", shown)
    assert cli.main(["report", fast, "--against", slow, slow]) == 0
    assert cli.main(["report", fast, "--against", fast]) == 0
