"""What streams know of their deadlines, and what a trace shows of their blocks."""

import dataclasses
import json
import threading
import time

import metalmom
import numpy as np
import pytest
from metalmom import separation, streaming, trace
from metalmom.util.exceptions import ParameterError
from test_streaming import noise
from test_streaming_realtime import ALL, ENERGIES, SPECTRA

BLOCKS = 43
RATES = {"ISTFT": None, "Convolver": None, "STFT": None, "RMS": None, "ZeroCrossingRate": None, "SpectralFlatness": None,
         "PCEN": 22050 / 512}


def cut(block):
    """43 blocks of equal length."""
    n = block.shape[-1] // BLOCKS
    return [block[..., i * n : (i + 1) * n] for i in range(BLOCKS)]


@pytest.mark.parametrize("name, arguments, block", ALL)
def test_every_block_of_every_class_is_counted_once(name, arguments, block):
    stream = getattr(streaming, name)(**arguments)
    stream.warmup()
    assert stream.report().blocks == 0
    default = arguments.get("orig_sr", arguments.get("sr", 22050))
    assert stream.rate == RATES.get(name, default)
    began = time.perf_counter()
    for part in cut(block):
        stream.process(part)
    took = time.perf_counter() - began
    report = stream.report()
    assert (report.blocks, report.samples) == (BLOCKS, BLOCKS * part.shape[-1])
    assert sum(report.histogram.values()) == BLOCKS
    assert 0 < report.p50 <= report.p99 <= report.worst <= took
    assert 0 < report.mean * BLOCKS <= took
    if stream.rate is None:
        assert report.late is report.budget is report.share is None
    else:
        assert report.budget == pytest.approx(part.shape[-1] / stream.rate)
        assert report.share == pytest.approx(report.mean / report.budget)
        assert 0 <= report.late <= BLOCKS
    stream.process(part[..., :0])
    stream.flush()
    assert stream.report() == report
    stream.reset()
    assert stream.report().blocks == 0


def test_a_block_is_late_if_it_takes_longer_than_it_lasts():
    stream = streaming.Convolver(noise(5000))
    stream.rate = 1e12
    stream.process(noise(64))
    assert (stream.report().late, stream.report().blocks) == (1, 1)
    stream.rate = 1.0  # begins anew
    assert stream.report().blocks == 0
    stream.process(noise(64))
    assert (stream.report().late, stream.report().blocks) == (0, 1)
    for wrong in (0, -1, np.nan, np.inf, "x", None):
        with pytest.raises(ParameterError, match="^rate="):
            stream.rate = wrong
    assert stream.rate == 1.0


def test_a_refused_block_is_none():
    stream = streaming.MFCC(top_db=None)
    stream.process(noise(4000))
    for wrong in (np.full(4000, np.nan, dtype=np.float32), np.zeros(4000), np.zeros((2, 4000), dtype=np.float32)):
        with pytest.raises(ParameterError):
            stream.process(wrong)
    assert stream.report().blocks == 1


def test_another_thread_may_ask_while_a_block_is_in_work():
    stream = streaming.STFT()
    stop = threading.Event()
    seen = []

    def ask():
        while not stop.is_set():
            seen.append(stream.report().blocks)

    asking = threading.Thread(target=ask)
    asking.start()
    for _ in range(30):
        stream.process(noise(60000))  # long enough to let Python's lock go
    stop.set()
    asking.join()
    assert seen == sorted(seen) and stream.report().blocks == 30


def test_a_report_is_data_and_a_table():
    stream = streaming.RMS()
    stream.rate = 22050
    for _ in range(7):
        stream.process(noise(512))
    report = stream.report()
    assert json.loads(json.dumps(dataclasses.asdict(report)))["blocks"] == 7
    text = str(report)
    assert text.startswith("7 blocks:") and "a block lasts 23.22 ms" in text and "0 late" in text
    assert "#" in text and repr(report).startswith("Report(blocks=7, ")


def test_separation_counts_its_blocks():
    about = {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["a", "b"], "segment": 0.5}
    stream = separation.Stream((lambda segment: np.stack([segment, segment]), about), sr=8000)
    for part in cut(noise(8600)):
        stream.process(part)
    assert (stream.report().blocks, stream.rate) == (BLOCKS, 8000)


def spans(recording, name):
    return [span for span in recording.spans if span.name == name and span.cat == "bridge"]


@pytest.mark.parametrize("detail", [False, True])
@pytest.mark.parametrize("name, arguments, block", [
    ("STFT", {}, noise(60000)),
    ("MFCC", {"top_db": None}, noise(60000)),
    ("Extractor", {"features": {"rms": {}, "stft": {"n_fft": 512}}}, noise(60000)),
    ("Convolver", {"h": noise(3000)}, noise(60000)),
    ("Resample", {"orig_sr": 22050, "target_sr": 16000}, noise(60000)),
    ("PCEN", {}, ENERGIES),
    ("ISTFT", {"n_fft": 512}, SPECTRA),
    ("OnsetDetect", {"normalize": False, "delta": 0.5}, noise(60000)),
    ("BeatTrack", {}, noise(60000)),
])  # fmt: skip
def test_a_trace_has_one_span_for_each_block(name, arguments, block, detail):
    stream = getattr(streaming, name)(**arguments)
    stream.rate = 1.0  # at which no block is late, however busy the machine is
    stream.process(block[..., : block.shape[-1] // 3])  # before: in no trace
    with trace.record(detail=detail) as recording:
        for part in cut(block):
            stream.process(part)
    stream.process(block)  # after
    found = spans(recording, name)
    assert len(found) == BLOCKS
    assert {span.args["samples"] for span in found} == {part.shape[-1]}
    assert not any("late" in span.args for span in found)


def test_a_trace_marks_late_blocks():
    stream = streaming.RMS()
    stream.rate = 1e12
    with trace.record() as recording:
        for part in cut(noise(43000)):
            stream.process(part)
    assert [span.args["late"] for span in spans(recording, "RMS")] == [*range(1, BLOCKS + 1)]
    counted = [sample.value for sample in recording.samples if sample.name == "late blocks"]
    assert counted == [*range(counted[0], counted[0] + BLOCKS)]  # of all streams of the process


def test_stages_lie_within_the_span_of_their_block():
    stream = streaming.MFCC(top_db=None)
    with trace.record(detail=True) as recording:
        stream.process(noise(30000))
    (block,) = spans(recording, "MFCC")
    stages = [span for span in recording.spans if span.cat == "engine"]
    assert {"window+FFT", "bands"} <= {span.name for span in stages}
    for span in stages:
        assert block.ts <= span.ts and span.ts + span.dur <= block.ts + block.dur + 1e-3 and span.depth > block.depth
