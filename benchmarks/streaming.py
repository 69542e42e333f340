#!/usr/bin/env python3
"""Times streams: convolution block by block, features block by block, whole convolutions.

    benchmarks/streaming.py [--seconds S] [--json FILE]

One thread, but for ten streams in ten processes on two processors. Beside each figure stands what was to be reached and what was aimed at. A block's time is
the processor time of the thread, so that other work of the machine counts less; pedalboard and
SciPy run in the same process where they are installed.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import wave

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

import metalmom  # noqa: E402
from metalmom import streaming  # noqa: E402

FEATURES = {"mfcc": {"top_db": None}, "onset_strength": {}, "chroma_stft": {"tuning": 0.0}}


def block_times(process, block, seconds):
    """Processor seconds of each call, for so long."""
    times = []
    end = time.perf_counter() + seconds
    clock = time.thread_time_ns
    while time.perf_counter() < end:
        for _ in range(256):
            before = clock()
            process(block)
            times.append(clock() - before)
    return np.array(times) * 1e-9


def least(function, rounds=5):
    """The least wall time of some calls."""
    best = np.inf
    for _ in range(rounds):
        before = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - before)
    return best


def response(n=144_000):
    rng = np.random.default_rng(0)
    return (rng.standard_normal(n) * np.exp(-np.arange(n) / n * 4)).astype(np.float32)


def convolvers(seconds):
    h = response()
    bounds = ((64, (90, 3), (45, 2)), (256, (45, 3), (25, 2)), (1024, (30, 2.5), (18, 1.5)))
    for size, reach, aim in bounds:
        name = f"Convolver, 144,000 taps, block {size}"
        block = np.random.default_rng(1).standard_normal(size).astype(np.float32)
        stream = streaming.Convolver(h, block_size=size)
        stream.warmup()
        out = np.empty_like(block)
        times = block_times(lambda y, s=stream, o=out: s.process(y, out=o), block, seconds)
        ratio = np.percentile(times, 99) / np.median(times)
        yield name, "ns a sample", times.mean() / size * 1e9, reach[0], aim[0]
        yield name, "p99 / p50", ratio, reach[1], aim[1]
        if importlib.util.find_spec("pedalboard"):
            import pedalboard

            peer = pedalboard.Convolution(h, 1.0, sample_rate=48000)
            times = block_times(lambda y, p=peer: p(y, 48000, reset=False), block, seconds)
            mean = times.mean() / size * 1e9
            yield f"pedalboard, block {size}", "ns a sample", mean, None, None


def whole(_):
    x = np.random.default_rng(2).standard_normal(30 * 48000).astype(np.float32)
    h = response()
    ours = least(lambda: metalmom.convolve(x, h)) * 1e3
    yield "convolve, 30 s with 3 s at 48 kHz, float32", "ms", ours, 6, 3.5
    with contextlib.suppress(ImportError):
        from scipy.signal import oaconvolve

        yield "SciPy oaconvolve", "ms", least(lambda: oaconvolve(x, h)) * 1e3, None, None


def features(seconds):
    y = metalmom.demo.song(60)[0].mean(axis=0, dtype=np.float32)
    recipe = {name: dict(each) for name, each in FEATURES.items()}
    recipe["mfcc"].pop("top_db")
    offline = metalmom.Extractor(recipe, sr=22050)
    stream = streaming.Extractor(FEATURES, sr=22050)
    stream.warmup()

    def by_blocks(size=512):
        for i in range(0, len(y), size):
            stream.process(y[i : i + size])
        stream.flush()
        stream.reset()

    ratios = [least(by_blocks, 1) / least(lambda: offline(y), 1) for _ in range(9)]
    ratio = float(np.median(ratios))
    yield "MFCC + onset + chroma in blocks of 512", "of the Extractor's time", ratio, 1.5, 1.2
    block = y[:220]
    times = block_times(stream.process, block, seconds)
    slow = np.percentile(times, 99) * 1e6
    yield "MFCC + onset + chroma in blocks of 10 ms", "us, p99 of a block", slow, 200, 60


def onsets(seconds):
    """Onsets beside the envelope in which they are found, in turn."""
    block = np.random.default_rng(7).standard_normal(512).astype(np.float32)
    both = streaming.OnsetStrength(sr=22050), streaming.OnsetDetect(sr=22050)
    for stream in both:
        stream.warmup()
    pairs = [(block_times(stream.process, block, seconds / 20).mean() for stream in both) for _ in range(9)]
    ratio = float(np.median([found / envelope for envelope, found in pairs]))
    yield "OnsetDetect in blocks of 512", "of OnsetStrength's time", ratio, 3, 2.5


def reports(_):
    """Blocks of a stream as they are, and within a turn, where they read no clock and count nothing: the difference is their
    report, and what keeps other threads out, some nanoseconds."""
    stream = streaming.RMS()
    stream.warmup()
    stream.rate = 44100
    block, rounds, token = np.full(64, 0.1, dtype=np.float32), range(100), {}
    begin, end = stream._turn

    def blocks():
        for _ in rounds:
            stream.process(block)

    whole = within = np.inf
    for _ in range(3000):  # in turn, so that both have what else the machine does
        whole = min(whole, least(blocks, 1))
        begin(token)
        within = min(within, least(blocks, 1))
        end(token)
    yield "the report of a block, RMS of 64 samples", "ns", (whole - within) / len(rounds) * 1e9, 30, 20


def quiet(seconds):
    """Blocks whose samples, squares or products are subnormal beside loud ones, in turn, so that both have what else the
    machine does."""
    noise = np.random.default_rng(6).standard_normal(256).astype(np.float32)
    streams = {
        "MFCC + onset + chroma": streaming.Extractor(FEATURES, sr=22050),
        "Mel of magnitudes": streaming.MelSpectrogram(power=1),
        "Convolver, 144,000 taps": streaming.Convolver(response()),
        "Convolver, direct, 2,000 taps": streaming.Convolver(response(2000), method="direct"),
    }
    for name, stream in streams.items():
        stream.warmup()
        ratios = []
        for scale in (1e-20, 1e-40):
            tiny = noise * np.float32(scale)
            pairs = [(block_times(stream.process, block, seconds / 20).mean() for block in (noise, tiny)) for _ in range(9)]
            ratios.append(np.median([tiny / loud for loud, tiny in pairs]))
        yield f"{name}, subnormal", "of a loud block's time", float(max(ratios)), 1.1, 1.1


def cost_of_blocks(seconds):
    """Processor time of a minute in blocks of 512, the mean of so many seconds of them."""
    y = np.random.default_rng(3).standard_normal(60 * 22050).astype(np.float32)
    stream = streaming.Extractor(FEATURES, sr=22050)
    stream.warmup()
    rounds, began = 0, time.process_time()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for i in range(0, len(y), 512):
            stream.process(y[i : i + 512])
        rounds += 1
    return (time.process_time() - began) / rounds


def peak_memory():
    """Of this program, in MB. getrusage would tell the peak of who started it, if that was larger."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def memory_of_file(path):
    """Peak of resident memory when a file goes through a stream."""
    stream = streaming.Extractor({"mfcc": {}, "onset_strength": {}}, sr=22050)
    blocks = metalmom.stream(path, block_length=8, frame_length=512, hop_length=512, sr=None)
    for y in blocks:
        stream.process(y)
    stream.flush()
    return peak_memory()


IN_A_PROCESS = {"cost_of_blocks": cost_of_blocks, "memory_of_file": memory_of_file}


def start(function, argument):
    """A call of a function in a process of its own."""
    command = [sys.executable, __file__, "--call", function.__name__, json.dumps(argument)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def answer(process):
    return float(process.communicate()[0])


def at_once(seconds):
    kept = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(kept)[:2])
    alone = min(answer(start(cost_of_blocks, seconds)) for _ in range(3))
    together = [answer(each) for each in [start(cost_of_blocks, 5 * seconds) for _ in range(10)]]
    os.sched_setaffinity(0, kept)
    slower = (np.median(together) / alone - 1) * 100
    yield "10 streams at once on two cores", "% slower than a fair share", slower, 5, 2


def an_hour(_):
    rng = np.random.default_rng(4)
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "hour.wav")
        with wave.open(path, "wb") as file:
            file.setparams((1, 2, 22050, 0, "NONE", ""))
            for _ in range(60):
                file.writeframes(rng.integers(-9999, 9999, 60 * 22050, dtype=np.int16).tobytes())
        yield "an hour through MFCC + onset", "MB resident", answer(start(memory_of_file, path)), 60, 60


def eight_hours(_):
    """A signal that repeats every 43 hops: so do its frames, to the last bit, at any time."""
    y = np.random.default_rng(5).standard_normal(43 * 512).astype(np.float32)
    stream = streaming.Extractor({"mfcc": {"top_db": None}, "onset_strength": {}}, sr=22050)
    n_rounds = 8 * 3600 * 22050 // len(y)
    frames = [stream.process(y) for _ in range(4)][-1]
    before = peak_memory()
    for _ in range(n_rounds - 5):
        stream.process(y)
    last = stream.process(y)
    drift = max(np.abs(last[name] - frames[name]).max() for name in frames)
    grown = peak_memory() - before
    assert stream.position == n_rounds * len(y)
    yield "8 hours through MFCC + onset", "largest difference", float(drift), None, None
    yield "8 hours through MFCC + onset", "MB more", grown, None, None


def main():
    if sys.argv[1:2] == ["--call"]:
        with metalmom.config_context(threads=1, backend="cpu"):
            print(IN_A_PROCESS[sys.argv[2]](json.loads(sys.argv[3])))
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measured stream")
    parser.add_argument("--json", type=pathlib.Path, help="where the rows are written, too")
    arguments = parser.parse_args()
    rows = []
    with metalmom.config_context(threads=1, backend="cpu"):
        for part in (convolvers, whole, features, onsets, reports, quiet, at_once, an_hour, eight_hours):
            for what, unit, value, reach, aim in part(arguments.seconds):
                row = {"what": what, "unit": unit, "value": value, "reach": reach, "aim": aim}
                rows.append(row)
                bounds = f"reach {reach:g}, aim {aim:g}" if reach else ""
                print(f"{what:44}{value:10.2f} {unit:30}{bounds}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
