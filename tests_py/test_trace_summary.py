"""The figures of a trace's summary, on synthetic traces whose answers are known by hand."""

import pytest

from metalmom.trace import _summary as summary
from metalmom.trace import Point, Span


def host(name, ts, dur, depth=0, cat="engine", tid=1, **args):
    return Span(name, cat, ts, dur, tid, "main", True, depth, 0, args)


def device(name, ts, dur, queue="queue 0", flow=0, **args):
    args["kind"] = "copy" if name in ("upload", "download") else "kernel"
    return Span(name, "gpu", ts, dur, 1 << 23, queue, False, 0, flow, args)


def submit(ts, flow):
    return Point("submit", "gpu", ts, 1, "main", flow, {})


def test_intervals():
    assert summary.union([(5, 7), (0, 2), (1, 3), (7, 8)]) == [(0, 3), (5, 8)]
    assert summary.subtract([(0, 10)], [(2, 3), (5, 6)]) == [(0, 2), (3, 5), (6, 10)]
    assert summary.subtract([(0, 4), (6, 9)], [(3, 7)]) == [(0, 3), (7, 9)]
    assert summary.subtract([(1, 2)], [(0, 5)]) == []


def test_table_of_spans():
    spans = [host("mel", 10 * i, i + 1) for i in range(10)]  # 1 .. 10 us
    (row,) = summary.table(spans, duration=100)
    assert row["count"] == 10
    assert row["total"] == 55
    assert row["mean"] == row["p50"] == 5.5
    assert row["p95"] == pytest.approx(9.55)
    assert row["share"] == pytest.approx(0.55)


def test_nested_spans_of_one_name_count_their_time_once():
    spans = [host("load", 0, 80), host("load", 10, 60, depth=1), host("load", 20, 30, depth=2),
             host("load", 85, 5)]
    (row,) = summary.table(spans, duration=100)
    assert (row["count"], row["total"]) == (4, 85)
    assert row["share"] == pytest.approx(0.85)
    assert row["mean"] == pytest.approx((80 + 60 + 30 + 5) / 4)


def test_threads_side_by_side_add_up_and_share_the_time():
    (row,) = summary.table([host("bands", 0, 60), host("bands", 30, 60, tid=2)], duration=100)
    assert row["total"] == 120
    assert row["share"] == pytest.approx(0.9)


def test_same_name_in_two_categories_is_two_rows():
    rows = summary.table([host("stft", 0, 10, cat="bridge"), host("stft", 1, 8, depth=1)], 10)
    assert [(row["name"], row["cat"]) for row in rows] == [("stft", "bridge"), ("stft", "engine")]


def test_cpu_time_is_own_time():
    spans = [
        host("mel", 0, 100, cat="bridge"),
        host("mel", 10, 80, depth=1),
        host("wait", 20, 30, depth=2, cat="gpu"),
        host("record", 60, 10, depth=2, cat="gpu"),
        host("bands", 0, 50, tid=2),
    ]
    split = summary.cpu_split(spans)
    assert split == {"bridge": 20, "engine": 40 + 50, "waiting": 30, "gpu": 10, "user": 0}


# Submit at 0; kernels 20-60 and 80-120, upload 5-20, download 120-160.
#   busy = 15 + 40 + 40 + 40 = 135 of 160; gap = 20; latency without copies = 0-5.
GPU = [
    device("upload", 5, 15, bytes=150_000),
    device("mel", 20, 40, flow=1, bytes=4_000_000, flops=2_000_000),
    device("dct", 80, 40, flow=1, bytes=400_000, flops=0),
    device("download", 120, 40, bytes=80_000),
]
PEAKS = {"upload_bus_gb_per_s": 20.0, "download_bus_gb_per_s": 10.0, "copy_gb_per_s": 200.0,
         "gpu_gflops": 100.0}


def test_gpu_figures():
    gpu = summary.gpu_figures(GPU, [submit(0, 1)], PEAKS)
    assert gpu["busy"] == 135
    assert gpu["utilisation"] == pytest.approx(135 / 160)
    assert gpu["launch_efficiency"] == pytest.approx(80 / (80 + 20 + 5))
    assert gpu["kernels"] == 2
    assert gpu["mean_kernel"] == 40
    assert gpu["mean_gap"] == 20
    assert gpu["upload"]["gb_per_s"] == pytest.approx(10)
    assert gpu["upload"]["of_calibrated"] == pytest.approx(0.5)
    assert gpu["download"]["gb_per_s"] == pytest.approx(2)
    assert gpu["overlap"] == 0
    # 4 MB at 200 GB/s and 2 Mflop at 100 Gflop/s both need 20 us of 40.
    assert gpu["by_kernel"]["mel"]["of_bound"] == pytest.approx(0.5)
    assert gpu["by_kernel"]["dct"]["of_bound"] == pytest.approx(2 / 40)


def test_copies_hide_gaps_and_overlap_kernels():
    spans = [
        device("mel", 0, 50), device("mel", 100, 50),
        device("upload", 40, 50, queue="queue 1", bytes=1),
    ]
    gpu = summary.gpu_figures(spans, [])
    assert gpu["mean_gap"] == 10  # 90-100; the rest of 50-100 is a copy
    assert gpu["overlap"] == pytest.approx(10 / 50)
    assert gpu["busy"] == 140


def test_a_gap_that_a_copy_divides_is_one_gap():
    gpu = summary.gpu_figures([device("mel", 0, 10), device("upload", 14, 2, bytes=1),
                               device("mel", 20, 10)], [])
    assert (gpu["gaps"], gpu["mean_gap"]) == (1, 8)


def test_latency_inside_a_gap_counts_once():
    spans = [device("mel", 0, 10, flow=1), device("mel", 30, 10, flow=2)]
    gpu = summary.gpu_figures(spans, [submit(0, 1), submit(20, 2)])
    assert gpu["launch_efficiency"] == pytest.approx(20 / (20 + 20))


def test_clocks_too_coarse_to_see_the_work():
    gpu = summary.gpu_figures([device("mel", 5, 0), device("upload", 5, 0, bytes=8)], [])
    assert (gpu["utilisation"], gpu["launch_efficiency"], gpu["overlap"]) == (0, 0, None)


def test_no_gpu_no_figures():
    assert summary.gpu_figures([host("mel", 0, 1)], []) is None
    assert summary.diagnose(None) == []


def words(spans, points=(), peaks=None):
    return summary.diagnose(summary.gpu_figures(spans, list(points), peaks))


def test_a_healthy_trace_has_no_diagnosis():
    assert words([device("mel", i * 100, 98) for i in range(5)]) == []


def test_diagnosis_of_launch_overhead():
    found = words([device("tiny", i * 100, 60) for i in range(10)])
    assert any(text.startswith("Launch overhead dominates") and "tiny" in text for text in found)


def test_diagnosis_of_transfers():
    found = words([device("upload", 0, 300, bytes=1), device("mel", 300, 100)])
    assert [text.split(":")[0] for text in found] == ["Transfers dominate"]
    assert "upload" in found[0] and "to_device" in found[0]


def test_diagnosis_of_a_waiting_gpu():
    found = words([device("mel", 0, 100), device("mel", 130, 100)], [])
    assert [text.split(":")[0] for text in found] == []
    found = words([device("mel", 0, 100, flow=1)], [submit(-30, 1)])
    assert [text.split(":")[0] for text in found] == ["The GPU waits for the host"]


def test_diagnosis_of_first_calls():
    work = [device("mel", 0, 30, flow=1), device("mel", 100, 30, flow=2)]
    found = words([*work, host("build pipeline", 35, 60, cat="gpu")], [submit(0, 1), submit(96, 2)])
    assert [text.split(":")[0] for text in found] == ["Pipelines are built"]
    assert "60.00 us" in found[0] and "gpu_warmup" in found[0]
    found = words([*work, host("build pipeline", 35, 20, cat="gpu")], [submit(0, 1), submit(96, 2)])
    assert [text.split()[0] for text in found] == ["Launch", "The"]


def test_diagnosis_of_an_inefficient_kernel():
    found = words([device("slow", 0, 100, bytes=1_000_000)], peaks=PEAKS)  # needs 5 us
    assert [text.split(":")[0] for text in found] == ["Inefficient kernel"]
    assert "slow" in found[0]
    assert words([device("good", 0, 100, bytes=8_000_000)], peaks=PEAKS) == []


def test_diagnosis_of_the_stage_that_bounds_a_run_of_extract():
    def stages(*spans, **args):
        run = [Span("outer", "user", 0, 100, 1, "t", True, 0, 0, args)]
        run += [Span(name, "user", at, dur, 1, "t", True, 1, 0, {}) for name, at, dur in spans]
        return summary.Summary(run, [], 100).diagnosis

    (told,) = stages(("decode", 0, 60), ("compute", 60, 15), ("decode", 75, 10), ("write", 85, 15), shard=3)
    assert told.startswith("Decoding bounds the run: 70% of what its stages take (70.00 us of 100.00 us; "
                           "computing 15%, writing 15%). ") and "--cache-audio" in told  # fmt: skip
    (told,) = stages(("decode", 0, 10), ("compute", 10, 90), shard=3)
    assert told.startswith("Computing bounds the run: 90%")
    assert stages(("decode", 0, 60)) == [] and stages(shard=3) == []


def test_a_diagnosis_names_the_call():
    """The submit lies in mfcc, or on a thread of the engine while mfcc runs; 'mine' is no call."""
    calls = [host("mine", 0, 90, cat="user"), host("mfcc", 5, 50, depth=1, cat="bridge"),
             host("cepstrum", 6, 48, depth=2), host("worker", 5, 40, tid=2),
             host("stft", 60, 10, depth=1, cat="bridge")]
    kernel = device("bands", 30, 100, flow=1, bytes=1_000_000)
    here, elsewhere = submit(20, 1), submit(20, 1)._replace(tid=2)
    for point in (here, elsewhere):
        assert summary.callers(calls, [point]) == {1: "mfcc"}
        found = words([*calls, kernel], [point], PEAKS)
        assert any(text.startswith("Inefficient kernel: bands of mfcc takes") for text in found)
    assert summary.callers(calls, [submit(95, 1)]) == {}


def test_counts_are_added_once():
    spans = [
        host("mfcc", 0, 10, cat="bridge", copied_bytes=5),
        host("cepstrum", 1, 8, depth=1, allocations=3),
        host("filterbank", 2, 5, depth=2, allocations=2),
        host("stft", 20, 5, allocations=1, frames=7),
    ]
    assert summary.total_counts(spans) == {"copied_bytes": 5, "allocations": 4}


def test_the_text_says_it_all():
    text = summary.Summary(GPU + [host("mel", 0, 160, cat="bridge")], [submit(0, 1)], 160,
                           dropped=3, peaks=PEAKS)
    for part in ("utilisation 84.4%", "launch efficiency 76.2%", "upload 150 kB at 10.0 GB/s",
                 "50% of the 20.0 that the bus reached", "3 events were dropped",
                 "Inefficient kernel: dct"):
        assert part in text
    assert repr(text) == str(text)
