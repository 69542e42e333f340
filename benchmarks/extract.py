#!/usr/bin/env python3
"""Folders to tables: `metalmom extract` beside decoding alone, librosa, caches and clusters.

    benchmarks/extract.py RECORDING... [--clips 500] [--folder DIR] [--only TEXT]
        [--rounds 2] [--librosa PYTHON]

Cuts clips of 10 to 60 s, .ogg .mp3 .flac .wav in turn, from the recordings (needs ffmpeg) into DIR,
which is kept, or into a folder that is not. Each row says what was measured and the ratio; runs
are processes of their own, start included. What is compared runs in turn, --rounds times, and the
shortest counts. `--librosa` names a Python that has librosa and joblib.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import wave

FOUR = "mfcc,chroma_stft,onset_strength,spectral_centroid"
ELEVEN = FOUR + (",spectral_bandwidth,spectral_rolloff,spectral_contrast,spectral_flatness,rms,"
                 "zero_crossing_rate,melspectrogram")  # fmt: skip
OTHER_FOUR = "melspectrogram,chroma_stft,spectral_bandwidth,rms"
CODECS = {".ogg": ["-c:a", "libvorbis", "-q:a", "5"], ".mp3": ["-q:a", "3"], ".flac": [], ".wav": []}

DECODE = """
import sys, metalmom
metalmom.set_config(threads=1)
for name in sys.stdin.read().split("\\0")[:-1]:
    try: metalmom.load(name)
    except metalmom.AudioError: pass
"""
LIBROSA = """
import sys, warnings, numpy, librosa, joblib
warnings.simplefilter("ignore")
features = sys.argv[1].split(",")
def one(name):
    y, sr = librosa.load(name)
    out = {}
    for each in features:
        module = librosa.onset if each == "onset_strength" else librosa.feature
        function = getattr(module, each)
        out[each] = function(y=y) if each in ("rms", "zero_crossing_rate", "spectral_flatness") else function(y=y, sr=sr)
    numpy.savez(sys.argv[2] + "/" + name.replace("/", "_") + ".npz", **out)
joblib.Parallel(n_jobs=2)(joblib.delayed(one)(name) for name in sys.stdin.read().split("\\0")[:-1])
"""

CHILDREN = """
import multiprocessing, sys, time
import metalmom
from metalmom.extraction.records import Entry
from metalmom.extraction.recipes import Recipe
from metalmom.extraction.schema import Schema
from metalmom.extraction.supervisor import Supervisor

TASKS = 2000


def begin():
    import metalmom.extraction.worker


def nothing(k):
    return k


def by_pebble():
    import pebble

    started = time.perf_counter()
    context = multiprocessing.get_context("forkserver")
    with pebble.ProcessPool(2, initializer=begin, context=context) as pool:
        for count in (2, TASKS):
            for each in [pool.schedule(nothing, args=[k], timeout=300) for k in range(count)]:
                each.result()
            yield time.perf_counter() - started


def by_supervisor():
    recipe = Recipe({"features": ["rms"]})
    started = time.perf_counter()
    children = Supervisor(patience=300.0)
    children.start(2)
    manifest = {"recipe": recipe.spelled, "schema": Schema.of(recipe).dump(), "format": "npz", "backend": "cpu"}
    children.job = {"out": sys.argv[2], "manifest": manifest, "memory": 1 << 28, "memory_of_all": 1 << 28,
                    "spool": None, "cache": None, "cache_limit": 0}
    for count in (2, TASKS):
        for k in range(count):
            children.try_alone(Entry(k, sys.argv[2] + "/nowhere.wav", 1, 1, 0))
        yield time.perf_counter() - started
    children.end()


if __name__ == "__main__":
    first, last = {"pebble": by_pebble, "ours": by_supervisor}[sys.argv[1]]()
    print(f"first results {first:.2f} s, a task {1e3 * (last - first) / TASKS:.2f} ms")
"""


def cut(recordings, folder, clips):
    """Clips of lengths and places that are the same every time."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(1)
    for k in range(clips):
        ending, codec = list(CODECS.items())[k % 4]
        source, length = chance.choice(recordings), chance.uniform(10, 60)
        start = chance.uniform(0, max(0.0, seconds_of(source) - length))
        path = folder / f"{k:04}{ending}"
        if not path.exists():
            beside = path.with_name(f"cut{ending}")
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-ss", f"{start:.3f}", "-t", f"{length:.3f}",
                            "-i", source, *codec, beside], check=True)  # fmt: skip
            beside.rename(path)
    return sorted(folder.iterdir())


def seconds_of(path):
    told = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of",
                           "csv=p=0", path], check=True, capture_output=True, text=True)  # fmt: skip
    return float(told.stdout)


class Failed(Exception):
    """A command that was timed did not succeed."""


def timed(command, **how):
    """Seconds of a process, from its start to its end."""
    started = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **how)
    if done.returncode:
        raise Failed(done.stderr.decode().strip())
    return time.perf_counter() - started


def extract(folder, out, *args, features=FOUR):
    return timed([sys.executable, "-m", "metalmom", "extract", folder, "-o", out, "--features",
                  features, "--progress", "none", *args])  # fmt: skip


def names_of(paths):
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def in_turn(rounds, **measured):
    """The shortest time of each, by name: called one after the other, again and again."""
    times = {name: [] for name in measured}
    for k in range(rounds):
        for name, call in measured.items():
            times[name].append(call(k))
    return {name: min(some) for name, some in times.items()}


def of_decoding(clips, work, rounds):
    """Decoding and resampling alone, on both cores, against all of it."""
    # every format in both halves
    halves = [names_of(clip for k, clip in enumerate(clips) if k // len(CODECS) % 2 == half) for half in (0, 1)]

    def decode(k):
        started = time.perf_counter()
        processes = [subprocess.Popen([sys.executable, "-c", DECODE], stdin=subprocess.PIPE) for _ in halves]
        for process, names in zip(processes, halves, strict=True):
            process.stdin.write(names)
            process.stdin.close()
        for process in processes:
            process.wait()
        return time.perf_counter() - started

    def processor(call):
        def measured(k):
            before = os.times()
            seconds = call(k)
            after = os.times()
            spent[call].append(after.children_user + after.children_system
                               - before.children_user - before.children_system)  # fmt: skip
            return seconds

        spent[call] = []
        return measured

    def whole(k):
        return extract(clips[0].parent, work / f"out{k}", "-j", "2")

    spent = {}
    took = in_turn(rounds, alone=processor(decode), whole=processor(whole))
    alone, all_of_it = min(spent[decode]), min(spent[whole])
    return (f"decoding alone {took['alone']:.2f} s, extract -j 2 {took['whole']:.2f} s: "
            f"{100 * took['alone'] / took['whole']:.0f} %; processor time {alone:.2f} of {all_of_it:.2f} s: "
            f"{100 * alone / all_of_it:.0f} %\n{by_format(clips)}")  # fmt: skip


def by_format(clips):
    """How fast each format is decoded, in a process that has begun."""
    import metalmom

    lines = []
    with metalmom.config_context(threads=1):
        for ending in CODECS:
            seconds = spent = 0.0
            for clip in [each for each in clips if each.suffix == ending][:20]:
                took = []
                for _ in range(3):
                    started = time.perf_counter()
                    y, sr = metalmom.load(clip)
                    took.append(time.perf_counter() - started)
                seconds, spent = seconds + y.size / sr, spent + min(took)
            lines.append(f"{ending} {seconds / spent:.0f}")
    return f"{'':12} a thread decodes and resamples, times real time: {', '.join(lines)}"


def of_librosa(python, features):
    def row(clips, work, rounds):
        def theirs(k):
            folder = work / f"librosa{k}"
            folder.mkdir()
            return timed([python, "-c", LIBROSA, features, folder], input=names_of(clips))

        took = in_turn(rounds, theirs=theirs, ours=lambda k: extract(
            clips[0].parent, work / f"out{k}", "-j", "2", features=features))  # fmt: skip
        return (f"librosa, joblib with 2 processes {took['theirs']:.1f} s, extract -j 2 {took['ours']:.2f} s: "
                f"{took['theirs'] / took['ours']:.1f}x")  # fmt: skip

    row.__doc__ = f"librosa under joblib, {features.count(',') + 1} features."
    return row


def of_cache(clips, work, rounds):
    """Other recipes over the same folder, decoded samples kept: one of like cost, one of twice the frames."""
    def run(name, *args, cache="cache", **how):
        return lambda k: extract(clips[0].parent, work / f"{name}{k}", "-j", "2", "--cache-audio",
                                 work / (cache or f"cache{k}"), *args, **how)  # fmt: skip

    run("filling")(0)
    took = in_turn(rounds, first=run("first", cache=None), like=run("like", features=OTHER_FOUR),
                   twice=run("twice", "--set", "hop_length=256"))  # fmt: skip
    return (f"first run {took['first']:.2f} s; four other features {took['like']:.2f} s: "
            f"{took['first'] / took['like']:.1f}x; the same with twice the frames {took['twice']:.2f} s: "
            f"{took['first'] / took['twice']:.1f}x")  # fmt: skip


def of_resuming(clips, work, rounds):
    """A run with nothing to do, 10,000 files."""
    folder = work / "many"
    folder.mkdir()
    for k in range(10_000):
        with wave.open(str(folder / f"{k}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(22050)
            file.writeframes(bytes(2 * 2048))
    first = extract(folder, work / "out", "-j", "2", features="rms")
    again = min(extract(folder, work / "out", features="rms") for _ in range(max(rounds, 3)))
    return f"10,000 files {first:.1f} s; nothing to do {again:.2f} s"


def of_memory(clips, work, rounds):
    """A 3-hour file among others, --memory 512M: the most that all processes had at a time."""
    folder = work / "long"
    folder.mkdir()
    for path in clips[:20]:
        os.link(path, folder / path.name)
    wave_file = next(clip for clip in clips if clip.suffix == ".wav")
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "-1", "-i", wave_file, "-t", "10800",
                    folder / "long.mp3"], check=True)  # fmt: skip
    peak = {"private": 0, "resident": 0}
    ended = threading.Event()

    def watch(pid):
        while not ended.wait(0.02):
            for kind, size in memory_of(pid).items():
                peak[kind] = max(peak[kind], size)

    command = [sys.executable, "-m", "metalmom", "extract", folder, "-o", work / "out", "-j", "2",
               "--memory", "512M", "--features", FOUR, "--progress", "none"]  # fmt: skip
    process = subprocess.Popen(command)
    watcher = threading.Thread(target=watch, args=(process.pid,))
    watcher.start()
    started = time.perf_counter()
    process.wait()
    ended.set()
    watcher.join()
    assert process.returncode == 0
    return (f"{time.perf_counter() - started:.1f} s; at most {peak['private'] >> 20} MiB of memory, "
            f"{peak['resident'] >> 20} MiB with pages of files that are mapped")  # fmt: skip


def memory_of(pid):
    """Private and resident bytes of a process and its descendants."""
    total = {"private": 0, "resident": 0}
    pending = [pid]
    while pending:
        each = pending.pop()
        with contextlib.suppress(OSError, ValueError, KeyError):  # it has ended
            fields = dict(line.split(":", 1) for line in open(f"/proc/{each}/status") if "Rss" in line or "VmRSS" in line)
            total["private"] += 1024 * int(fields["RssAnon"].split()[0])
            total["resident"] += 1024 * int(fields["VmRSS"].split()[0])
            for task in os.listdir(f"/proc/{each}/task"):
                pending += map(int, open(f"/proc/{each}/task/{task}/children").read().split())
    return total


def of_cluster(clips, work, rounds):
    """A Dask cluster of two one-thread workers against -j 2."""
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--dashboard-address", ":0",
         "--scheduler-file", work / "scheduler.json"], stderr=subprocess.DEVNULL)  # fmt: skip
    workers = [
        subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file",
                          work / "scheduler.json", "--nthreads", "1", "--no-dashboard"],
                         stderr=subprocess.DEVNULL, cwd=work)  # fmt: skip
        for _ in range(2)
    ]
    try:
        while not (work / "scheduler.json").exists():
            time.sleep(0.1)
        address = json.loads((work / "scheduler.json").read_text())["address"]
        time.sleep(3)  # workers start once, and runs many times
        took = in_turn(
            rounds, cluster=lambda k: extract(clips[0].parent, work / f"cluster{k}", "--scheduler", address),
            local=lambda k: extract(clips[0].parent, work / f"local{k}", "-j", "2"))  # fmt: skip
    finally:
        for process in (*workers, scheduler):
            process.terminate()
            process.wait()
    return (f"-j 2 {took['local']:.2f} s, cluster {took['cluster']:.2f} s: "
            f"{100 * took['local'] / took['cluster']:.0f} %")  # fmt: skip


def of_children(clips, work, rounds):
    """Two children until they answer, and what a task costs then: ours, and those of pebble if it is installed."""
    script = work / "children.py"
    script.write_text(CHILDREN)
    told = []
    for whose in ("ours", "pebble"):
        done = subprocess.run([sys.executable, script, whose, work], capture_output=True, text=True)
        told.append(f"{whose}: {(done.stdout or done.stderr).strip().splitlines()[-1]}")
    return "; ".join(told)


def of_size(clips, work, rounds):
    """Tables against raw float32, in each format that can be written here."""
    import metalmom

    told = []
    for format in ("npz", "parquet"):
        try:
            extract(clips[0].parent, work / format, "-j", "2", "--format", format)
        except Failed as failed:
            told.append(f"{format}: {failed}")
            continue
        features = metalmom.open_features(work / format)
        raw = sum(features.frames(name).nbytes for name in features.names)
        size = sum(path.stat().st_size for path in (work / format).rglob("*") if path.is_file())
        told.append(f"{raw / 1e6:.1f} MB of numbers, {size / 1e6:.1f} MB as {format}: {100 * size / raw:.0f} %")
    return "; ".join(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recordings", nargs="+")
    parser.add_argument("--clips", type=int, default=500)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--librosa", metavar="PYTHON")
    args = parser.parse_args()
    rows = {"decoding": of_decoding, "cache": of_cache, "resuming": of_resuming,
            "memory": of_memory, "cluster": of_cluster, "children": of_children, "size": of_size}  # fmt: skip
    if args.librosa:
        rows |= {"librosa": of_librosa(args.librosa, FOUR), "librosa 11": of_librosa(args.librosa, ELEVEN)}
    with tempfile.TemporaryDirectory(prefix="metalmom-extract-") as scratch:
        clips = cut(args.recordings, args.folder or pathlib.Path(scratch) / "clips", args.clips)
        for name, row in rows.items():
            if args.only in name:
                with tempfile.TemporaryDirectory(dir=scratch) as work:
                    print(f"{name:12} {row(clips, pathlib.Path(work), args.rounds)}", flush=True)


if __name__ == "__main__":
    main()
