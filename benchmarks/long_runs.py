#!/usr/bin/env python3
"""Runs services for as long as a day's work lasts, and shows whether they grow.

    benchmarks/long_runs.py [--only NAME ...] [--share S] [--json FILE]

Each service runs in a process of its own, as fast as it can, on one thread. The table has what the process takes
after a sixteenth of the work, a quarter, half of it, and at the end. The status is 1 where memory has grown from the
quarter on, descriptors or threads in the second half, or where caches hold more than their bounds. Where all sizes
differ, caches are full, and memory is what is left when they are released. `--share 0.01` does a hundredth of
the work: its tables are complete, but only a whole run shows a slow leak.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests_py")]

import metalmom
from metalmom import _native, feature, streaming
from metalmom.util import _kept_results

SR = 22050
EIGHT_HOURS, DAY = 8 * 3600, 24 * 3600  # seconds
N_SIZES = 10_000
MARKS = (1 / 16, 1 / 4, 1 / 2, 1.0)
MOST_GROWTH = 10.0  # MB over the whole
MOST_KEPT = 3 * 64 * 1.048576  # MB: working memory, the engine's caches, Python's
MB_OF_PIPELINE = 6.0  # what lavapipe takes for the code of one


def processes_below(pid):
    """A process and all that it has started, and so on."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in processes_below(int(child)))]


def state():
    """What this process takes, with its children."""
    resident = descriptors = threads = 0
    for pid in processes_below(os.getpid()):
        folder = pathlib.Path(f"/proc/{pid}")
        try:
            resident += int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            descriptors += len(os.listdir(folder / "fd"))
            threads += len(os.listdir(folder / "task"))
        except FileNotFoundError:  # it has ended
            pass
    figures = {
        "resident MB": resident / 1e6,
        "descriptors": descriptors,
        "threads": threads,
        "kept MB": (_native.kept_bytes() + _kept_results.kept_bytes()) / 1e6,
    }
    if _native.device_is_open():
        devices = metalmom.devices()
        figures["device MB"] = sum(each.memory_used + each.memory_kept for each in devices) / 1e6
        figures["pipelines built"] = _native.counters()["pipeline_builds"]
    return figures


class Watch:
    """What a service takes at the marks.

    Attributes
    ----------
    rows : list of dict
    """

    def __init__(self):
        self.rows, self._start = [], time.process_time()

    def at(self, done, of, release=False):
        """Note the state where a mark has been reached; where caches are full, also what is left without them."""
        while len(self.rows) < len(MARKS) and done >= MARKS[len(self.rows)] * of:
            row = {"done": done / of, **state()}
            if release:
                metalmom.release_caches()
                row["released MB"] = state()["resident MB"]
            self.rows.append({**row, "processor s": time.process_time() - self._start})


def random():
    return np.random.default_rng(0)


def noise(rng, seconds):
    return rng.uniform(-1, 1, max(int(seconds * SR), 1)).astype(np.float32)


def write_folder(folder, count, seconds=10):
    """So many files of that length, which are links to a few."""
    from test_extract import write_wav

    rng, own = random(), 20
    for k in range(count):
        path = folder / f"{k}.wav"
        if k < own:
            write_wav(path, seconds * rng.uniform(0.5, 1.5), seed=k)
        else:
            os.link(folder / f"{k % own}.wav", path)


RECIPE = ["mfcc", "chroma_stft", "onset_strength", "spectral_centroid"]
TABLES = {"features": RECIPE, "aggregate": ["mean"], "format": "npz", "progress": "none"}


def extract_again(watch, share):
    """48 calls of `extract` by one process, each of 180 files of about 10 s: 24 h of audio."""
    n_runs = max(int(48 * share), 4)
    with tempfile.TemporaryDirectory() as folder:
        files = pathlib.Path(folder) / "files"
        files.mkdir()
        write_folder(files, min(max(int(180 * share * 4), 8), 180))
        for k in range(n_runs):
            out = pathlib.Path(folder) / "out"
            summary = metalmom.extract(files, out, jobs=1, overwrite=k > 0, **TABLES)
            assert summary.failed == 0
            watch.at(k + 1, n_runs)


def extract_at_once(watch, share):
    """One call of `extract` of 8,640 files of about 10 s, 24 h of audio; its process and the child that computes."""
    with tempfile.TemporaryDirectory() as folder:
        files = pathlib.Path(folder) / "files"
        files.mkdir()
        count = max(int(DAY / 10 * share), 32)
        write_folder(files, count)
        settings = {**TABLES, "progress": lambda figures: watch.at(figures["files"], 0.97 * count)}  # while there are children
        assert metalmom.extract(files, pathlib.Path(folder) / "out", jobs=1, **settings).failed == 0


def streams(watch, share):
    """Ten streams of MFCC, onset strength, chroma, and of beats and onsets, 8 h of audio each, in blocks of 0.2 s."""
    recipe = {"mfcc": {"top_db": None}, "onset_strength": {}, "chroma_stft": {"tuning": 0.0}}
    made = [streaming.Extractor(recipe) for _ in range(8)] + [streaming.BeatTrack(), streaming.OnsetDetect()]
    rng, n_blocks = random(), max(int(EIGHT_HOURS * 5 * share), 200)
    blocks = noise(rng, 0.2 * 50).reshape(50, -1)
    for k in range(n_blocks):
        for number, stream in enumerate(made):
            stream.process(blocks[(k + 5 * number) % 50])
        watch.at(k + 1, n_blocks)


def clips_of_a_service(share):
    """Batches of eight clips of a quarter of a second to ten seconds, 8 h of audio in all."""
    rng, audio = random(), noise(random(), 20)
    seconds = 0.0
    while seconds < EIGHT_HOURS * share:
        lengths = rng.uniform(0.25, 10, 8)
        seconds += lengths.sum()
        yield min(seconds / (EIGHT_HOURS * share), 1.0), [audio[: int(each * SR)] for each in lengths]


def map_of_clips(watch, share):
    """`map` of an Extractor over batches of eight clips of 0.25 to 10 s, 8 h of audio."""
    fx = metalmom.Extractor([*RECIPE, "tempo"])
    for done, clips in clips_of_a_service(share):
        fx.map(clips)
        watch.at(done, 1)


def device(watch, share):
    """`map`, `submit` and DeviceArrays on a device, batches of eight clips of 0.25 to 10 s, 8 h of audio in all."""
    fx = metalmom.Extractor(["mfcc", "onset_strength", "rms"])
    with metalmom.config_context(backend="gpu"):
        for k, (done, clips) in enumerate(clips_of_a_service(share)):
            if k % 3 == 0:
                fx.map(clips)
            elif k % 3 == 1:
                queued = [metalmom.submit(feature.melspectrogram, y=clip) for clip in clips]
                for each in queued:
                    each.result()
            else:
                for clip in clips:
                    feature.mfcc(y=metalmom.to_device(clip)).numpy()
            watch.at(done, 1)


def lost_device(watch, share):
    """`mfcc` under "auto", 8 h of clips of 0.25 to 10 s: on a device, lost after 40 %, then with the bits of the CPU."""
    _native.let_automatic_take_software(True)
    lost = False
    with metalmom.config_context(backend="auto", min_frames={"cepstrum": 1}):
        for done, clips in clips_of_a_service(share):
            if done > 0.4 and not lost:
                assert _native.counters()["submits"]
                _native.lose_device()
                lost = True
            values = [feature.mfcc(y=clip) for clip in clips]
            if lost:
                with metalmom.config_context(backend="cpu"):
                    assert np.array_equal(values[0], feature.mfcc(y=clips[0]))
            watch.at(done, 1)


def sizes(watch, share):
    """10,000 calls, no two of the same sizes: lengths, frames, hops, rates, filters, recipes, streams, responses."""
    rng, audio = random(), noise(random(), 4)
    count = max(int(N_SIZES * share), 64)
    for k in range(count):
        y = audio[: 20_000 + 7 * k % 60_000]
        n_fft, sr = 64 + 2 * int(rng.integers(4000)), 8000 + k
        hop = 64 + int(rng.integers(2000))
        what = k % 10
        if what == 0:
            metalmom.stft(y, n_fft=n_fft, hop_length=hop)
        elif what == 1:
            feature.melspectrogram(y=y, sr=sr, n_fft=n_fft, hop_length=hop, n_mels=10 + k % 60)
        elif what == 2:
            metalmom.filters.mel(sr=sr, n_fft=n_fft, n_mels=10 + k % 90)
        elif what == 3:
            metalmom.resample(y[:4000], orig_sr=sr, target_sr=22050)
        elif what == 4:
            metalmom.cqt(y[:10_000], sr=22050, fmin=100 + k / 100, n_bins=12 + k % 24)
        elif what == 5:
            metalmom.Extractor({"mfcc": {"n_mfcc": 5 + k % 15, "n_fft": n_fft, "sr": sr}, "rms": {}})(y)
        elif what == 6:
            stream = streaming.MelSpectrogram(n_fft=n_fft, hop_length=min(hop, n_fft), sr=sr)
            stream.process(y)
            stream.flush()
        elif what == 7:
            metalmom.convolve(y, audio[: 100 + k])
        elif what == 8:
            feature.chroma_stft(y=y, sr=sr, n_fft=n_fft, hop_length=hop)
        else:
            metalmom.yin(y[:8000], sr=sr, fmin=80 + k / 200, fmax=1000, frame_length=1024 + 2 * (k % 500))
        watch.at(k + 1, count, release=True)


def device_sizes(watch, share):
    """10,000 calls on a device, no two of the same sizes: lengths, frames, hops, rates, filters, and arrays that are kept."""
    rng, audio = random(), noise(random(), 2)
    count, kept = max(int(N_SIZES * share), 32), []
    with metalmom.config_context(backend="gpu"):
        for k in range(count):
            y = audio[: 10_000 + 11 * k % 30_000]
            n_fft, hop, sr = (256, 400, 512, 1024, 2048)[k % 5], 100 + int(rng.integers(900)), 8000 + k
            what = k % 6
            if what == 0:
                kept = [*kept[-3:], metalmom.stft(metalmom.to_device(y), n_fft=n_fft, hop_length=hop)]
            elif what == 1:
                feature.melspectrogram(y=y, sr=sr, n_fft=n_fft, hop_length=hop, n_mels=10 + k % 100)
            elif what == 2:
                feature.mfcc(y=y, sr=sr, n_fft=n_fft, hop_length=hop, n_mfcc=5 + k % 15, n_mels=20 + k % 80)
            elif what == 3:
                feature.rms(y=y, frame_length=n_fft, hop_length=hop)
            elif what == 4:
                feature.chroma_stft(y=y, sr=sr, n_fft=n_fft, hop_length=hop, tuning=k / count - 0.5)
            else:
                metalmom.convolve(y, audio[: 100 + k])
            watch.at(k + 1, count, release=True)


SERVICES = {
    "extract_again": extract_again, "extract_at_once": extract_at_once, "streams": streams,
    "map": map_of_clips, "device": device, "lost_device": lost_device, "sizes": sizes,
    "device_sizes": device_sizes,
}  # fmt: skip


def faults_of(rows):
    """What has grown, of rows at the marks."""
    found = []
    for name in ("descriptors", "threads"):  # one that comes and goes may be seen once
        if min(row[name] for row in rows[2:]) > max(row[name] for row in rows[:2]):
            found.append(f"{name} grow")
    steady = [row.get("released MB", row["resident MB"]) for row in rows]
    growth, allowed = steady[-1] - steady[1], MOST_GROWTH * (1 - MARKS[1])
    allowed += MB_OF_PIPELINE * (rows[-1].get("pipelines built", 0) - rows[1].get("pipelines built", 0))
    if growth > allowed:
        found.append(f"resident memory grows by {growth:.1f} MB from the quarter on, above {allowed:.1f}")
    if max(row["kept MB"] for row in rows) > MOST_KEPT:
        found.append(f"more than {MOST_KEPT:.0f} MB are kept")
    return found


def shown(rows):
    """A table in Markdown."""
    names = [*rows[-1]]
    lines = [f"| {' | '.join(names)} |", "|" + "---:|" * len(names)]
    for row in rows:
        cells = [f"{100 * row['done']:.0f} %", *(row.get(name, 0) for name in names[1:])]
        lines.append("| " + " | ".join(f"{c:.1f}" if isinstance(c, float) else str(c) for c in cells) + " |")
    return "\n".join(lines)


def run(name, share):
    """The rows of a service, which runs in this process."""
    warnings.simplefilter("ignore")
    metalmom.set_config(threads=1, backend="cpu")  # but where a service says otherwise
    watch = Watch()
    SERVICES[name](watch, share)
    return watch.rows


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=SERVICES, metavar="NAME", help=", ".join(SERVICES))
    parser.add_argument("--share", type=float, default=1.0, metavar="S", help="how much of the work; default: all")
    parser.add_argument("--json", metavar="FILE", help="write the tables as JSON, too")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # the process of one service
    options = parser.parse_args(arguments)
    if options.here:
        print(json.dumps(run(options.only[0], options.share)))
        return 0
    tables, status = {}, 0
    for name in options.only or SERVICES:
        command = [sys.executable, __file__, "--here", "--only", name, "--share", str(options.share)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            print(f"{name}: ended with {done.returncode}", flush=True)
            status = 1
            continue
        rows = tables[name] = json.loads(done.stdout.splitlines()[-1])
        faults = faults_of(rows)
        print(f"**{name}**: {SERVICES[name].__doc__}\n\n{shown(rows)}\n", flush=True)
        for fault in faults:
            print(f"{name}: {fault}\n", flush=True)
        status |= bool(faults)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(tables, indent=1))
    return status


if __name__ == "__main__":
    sys.exit(main())
