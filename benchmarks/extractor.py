#!/usr/bin/env python3
"""The Extractor beside the same single calls, and beside librosa where it is installed.

    benchmarks/extractor.py [--rounds N] [--only TEXT]

Both sides of a row take turns in one run, on one thread where nothing else is said. A row has the
least time of each, the median of the ratios of neighbouring calls, which a busy machine disturbs
least, and what is to be reached and aimed at.
"""

import argparse
import concurrent.futures
import os
import statistics
import time
import warnings

import metalmom
import numpy as np
from metalmom import _native

try:
    import librosa
except ImportError:
    librosa = None

JOB = {"stft": "", "melspectrogram": "feature", "mfcc": "feature", "chroma_stft": "feature",
       "onset_strength": "onset", "beat_track": "beat"}  # fmt: skip
ELEVEN = {
    **dict.fromkeys(
        ("mfcc", "chroma_stft", "spectral_centroid", "spectral_bandwidth", "spectral_rolloff",
         "spectral_contrast", "spectral_flatness", "rms", "zero_crossing_rate", "melspectrogram"),
        "feature"),
    "onset_strength": "onset",
}  # fmt: skip


def music(seconds):
    return metalmom.demo.song(max(seconds, 1))[0].mean(axis=0)[: int(seconds * 22050)].astype("f")


def single_calls(features, package=metalmom):
    """A function of audio that makes a call for each feature."""
    functions = [getattr(getattr(package, module) if module else package, name)
                 for name, module in features.items()]  # fmt: skip

    def call(y):
        return [function(y=y) for function in functions]

    return call


def of_job(rounds):
    y = music(30)
    fx = metalmom.Extractor(list(JOB))
    return paired(lambda: single_calls(JOB)(y), lambda: fx(y), rounds)


def of_eleven(rounds):
    y = music(30)
    fx = metalmom.Extractor(list(ELEVEN))
    return paired(lambda: single_calls(ELEVEN)(y), lambda: fx(y), rounds)


def of_librosa(rounds):
    y = music(30)
    fx = metalmom.Extractor(list(ELEVEN))
    return paired(lambda: single_calls(ELEVEN, librosa)(y), lambda: fx(y), max(rounds // 10, 3))


def clips_of_a_second():
    y = music(60)
    return [np.roll(y, 997 * i)[:22050].copy() for i in range(1000)]


def of_clips(rounds):
    """A loop of single calls and a map, each on two threads of the engine."""
    clips = clips_of_a_second()
    names = {"mfcc": "feature", "chroma_stft": "feature"}
    fx, calls = metalmom.Extractor(list(names)), single_calls(names)
    with metalmom.config_context(threads=2):
        return paired(lambda: [calls(clip) for clip in clips], lambda: fx.map(clips), max(rounds // 10, 3))


def of_unlike_clips(rounds):
    """Clips of 0.5 to 3 s of which hardly two are equally long, beside as much audio in equal ones."""
    y, random = music(60), np.random.default_rng(0)
    lengths = random.integers(11025, 3 * 22050, 1000)
    unlike, equal = (
        [np.roll(y, 997 * i)[:n].copy() for i, n in enumerate(each)]
        for each in (lengths, [int(lengths.mean())] * lengths.size)
    )
    fx = metalmom.Extractor(["mfcc", "chroma_stft", "onset_strength", "spectral_centroid"])
    with metalmom.config_context(threads=2):
        return paired(lambda: fx.map(unlike), lambda: fx.map(equal), max(rounds // 4, 3))


def of_python(rounds):
    """What a clip of a map costs outside of the engine, in time of the processor."""
    clips = clips_of_a_second()
    fx = metalmom.Extractor(["mfcc", "onset_strength", "spectral_centroid"])
    inside, run_together = 0.0, _native.run_together

    def watched(*args):
        nonlocal inside
        start = time.thread_time()
        try:
            return run_together(*args)
        finally:
            inside += time.thread_time() - start

    def outside():
        start = time.thread_time() - inside
        fx.map(clips)
        return time.thread_time() - inside - start

    _native.run_together = watched
    try:
        outside()
        return None, min(outside() for _ in range(max(rounds // 4, 3))) / len(clips), None
    finally:
        _native.run_together = run_together


def of_clips_by_pool(rounds):
    """The loop in two threads of Python, each call on one thread of the engine."""
    clips = clips_of_a_second()
    names = {"mfcc": "feature", "chroma_stft": "feature"}
    fx, calls = metalmom.Extractor(list(names)), single_calls(names)

    def calls_on_one_thread(clip):
        with metalmom.config_context(threads=1):  # of the thread that asks: each of the pool
            return calls(clip)

    def by_pool():
        return list(pool.map(calls_on_one_thread, clips))

    def together():
        with metalmom.config_context(threads=2):
            return fx.map(clips)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return paired(by_pool, together, max(rounds // 10, 3))


def of_short(rounds):
    """What a call costs over the sum of its parts where there is next to nothing to compute."""
    y = music(0.1)
    fx = metalmom.Extractor(list(ELEVEN))
    return paired(lambda: single_calls(ELEVEN)(y), lambda: fx(y), rounds * 10)


def of_one(rounds):
    """The same of one feature: the Extractor's own overhead."""
    y = music(0.1)
    fx = metalmom.Extractor(["rms"])
    return paired(lambda: metalmom.feature.rms(y=y), lambda: fx(y), rounds * 20)


def of_building(rounds):
    return alone(lambda: metalmom.Extractor(list(ELEVEN)[:10], sr=22050), rounds)


def of_crossings(rounds):
    y = music(30)
    return alone(lambda: metalmom.feature.zero_crossing_rate(y=y), rounds)


def of_batch(rounds):
    """NumPy to NumPy on a GPU: four features of 256 clips beside mel alone."""
    y = music(60)
    batch = np.stack([np.roll(y, 997 * i)[: 30 * 22050] for i in range(256)])
    names = ["mfcc", "chroma_stft", "onset_strength", "spectral_centroid"]
    fx = metalmom.Extractor(names)
    with metalmom.config_context(threads=len(os.sched_getaffinity(0))), metalmom.config_context(backend="gpu"):
        return paired(lambda: fx(batch), lambda: metalmom.feature.melspectrogram(y=batch),
                      max(rounds // 10, 3))  # fmt: skip


def has_gpu():
    return any(device.type != "cpu" for device in metalmom.devices())


# What a row shows, how it is measured, what it has to reach and what it aims at: a ratio ("at most"
# where the first is the longer one), milliseconds that the second may take over the first or alone.
ROWS = [
    ("the job: single calls, graph", of_job, "1.6x", "1.9x"),
    ("eleven features: single calls, graph", of_eleven, "1.9x", "2.3x"),
    ("eleven features: librosa, graph", of_librosa, "25x", "35x"),
    ("1,000 clips of 1 s on two threads: loop, map", of_clips, "1.5x", "2x"),
    ("1,000 clips of 1 s: map, Python of a clip", of_python, "0.026 ms", "0.015 ms"),
    ("1,000 clips of 1 s: two threads of single calls, map", of_clips_by_pool, "1.5x", "2x"),
    ("1,000 clips of 0.5 to 3 s: unlike, equally long", of_unlike_clips, "at most 1.15x", "1x"),
    ("256 x 30 s on a GPU: four features, mel alone", of_batch, "at most 1.3x", "1.1x"),
    ("eleven features of 0.1 s: single calls, graph", of_short, "+0.020 ms", "+0.005 ms"),
    ("rms of 0.1 s: single call, graph", of_one, "+0.020 ms", "+0.005 ms"),
    ("an Extractor of ten features: building", of_building, "5 ms", "1 ms"),
    ("zero_crossing_rate", of_crossings, "0.3 ms", "0.12 ms"),
]


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def alone(call, rounds):
    call()
    return None, min(seconds_of(call) for _ in range(rounds)), None


def paired(one, other, rounds):
    """The least seconds of two calls that take turns, and the median of their ratios; who begins
    changes."""
    one(), other()
    times = {one: [], other: []}
    for i in range(rounds):
        for call in (one, other) if i % 2 else (other, one):
            times[call].append(seconds_of(call))
    ratios = [first / second for first, second in zip(times[one], times[other])]
    return min(times[one]), min(times[other]), statistics.median(ratios)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=60, metavar="N")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows that contain it")
    args = parser.parse_args()
    print(f"{'':<54}{'first, ms':>10}{'second, ms':>11}{'ratio':>8}  {'to reach':<13} aim")
    for name, measure, reach, aim in ROWS:
        if args.only not in name or (measure is of_librosa and librosa is None):
            continue
        if measure is of_batch and not has_gpu():
            continue
        with metalmom.config_context(threads=1, backend="cpu"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # librosa's of frames longer than the signal
            first, second, ratio = measure(args.rounds)
        before = "" if first is None else f"{first * 1e3:.3f}"
        by = "" if ratio is None else f"{ratio:.2f}"
        print(f"{name:<54}{before:>10}{second * 1e3:>11.3f}{by:>8}  {reach:<13} {aim}", flush=True)


if __name__ == "__main__":
    main()
