"""What a fresh process costs: import, first calls, the whole job, peak memory."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import wave

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent

IMPORT = """
import time; import numpy
start = time.perf_counter(); import {lib}
print((time.perf_counter() - start) * 1e3)
"""

# First call of each function over its second, milliseconds; a new process per function.
FIRST = """
import json, sys, time
sys.path[:0] = [{benchmarks!r}]
import problems
from adapters import {lib}_adapter as adapter
p = problems.PROBLEMS[{problem!r}]
inputs = list(map(p.make_input, problems.variants(problems.song(5), 2)))
times = []
for item in inputs:
    start = time.perf_counter(); adapter.SOLVE[p.name](*item)
    times.append((time.perf_counter() - start) * 1e3)
print(json.dumps(times))
"""

JOB = """
import numpy
def peak():
    # Of this program alone: getrusage's maximum is inherited from the process that started it.
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
before = peak()
import {lib} as lib
y, sr = lib.load({path!r})
outputs = [
    lib.stft(y), lib.feature.melspectrogram(y=y, sr=sr),
    lib.feature.mfcc(y=y, sr=sr, n_mfcc=13), lib.feature.chroma_stft(y=y, sr=sr),
    lib.onset.onset_strength(y=y, sr=sr), lib.beat.beat_track(y=y, sr=sr)[1],
]
print((peak() - before) / 1024, (y.nbytes + sum(o.nbytes for o in outputs)) / 2**20)
"""


LOAD = """
import time
import {lib} as lib
def once():
    start = time.perf_counter(); lib.load({path!r})
    return (time.perf_counter() - start) * 1e3
once()
print(sorted(once() for _ in range(7))[3])
"""


def run(code, **values):
    path = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code.format(**values)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def import_ms(lib, repeat=7):
    """Median milliseconds of an import over NumPy's."""
    return statistics.median(float(run(IMPORT, lib=lib)) for _ in range(repeat))


def first_call_ms(lib, problem, repeat=3):
    """Median of how much longer the first call of a process takes than the second."""
    benchmarks = str(ROOT / "benchmarks")
    pairs = (
        json.loads(run(FIRST, lib=lib, problem=problem, benchmarks=benchmarks))
        for _ in range(repeat)
    )
    return statistics.median(first - second for first, second in pairs)


def write_wav(path, channels, sr):
    """A 16-bit WAV file of (channels, samples)."""
    with wave.open(str(path), "wb") as out:
        out.setnchannels(len(channels))
        out.setsampwidth(2)
        out.setframerate(sr)
        out.writeframes(np.round(channels.T * 32000).astype("<i2").tobytes())


def song_file(folder, y):
    """Y as both channels of a 44.1 kHz .ogg where ffmpeg is installed, else of a .wav."""
    wav = pathlib.Path(folder) / "song.wav"
    write_wav(wav, np.repeat(y, 2)[None].repeat(2, axis=0), 44100)
    ogg = wav.with_suffix(".ogg")
    try:
        command = ["ffmpeg", "-v", "error", "-y", "-i", str(wav), "-q:a", "5", str(ogg)]
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError):
        return wav
    return ogg


def job(lib, path, repeat=5):
    """Wall milliseconds of a process that loads PATH and does the job, its memory and outputs."""
    times, memory = [], []
    for _ in range(repeat):
        start = time.perf_counter()
        memory.append(tuple(map(float, run(JOB, lib=lib, path=str(path)).split())))
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times), statistics.median(m[0] for m in memory), memory[0][1]


def measure(libs, problem_names, y):
    """Everything above for each library, printed as it comes and returned for the JSON file."""
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        path = song_file(folder, y)
        for lib in libs:
            facts = {"import over NumPy, ms": import_ms(lib)}
            ms, peak, outputs = job(lib, path)
            facts[f"cold job on {y.size / 22050:.0f} s of {path.suffix}, ms"] = ms
            facts[f"load of {path.suffix}, warm, ms"] = float(run(LOAD, lib=lib, path=str(path)))
            facts["peak over NumPy, MiB"] = peak
            facts["audio and outputs, MiB"] = outputs
            for name in problem_names:
                facts[f"first call over second, {name}, ms"] = first_call_ms(lib, name)
            result[lib] = facts
            print(f"\n{lib}")
            for name, value in facts.items():
                print(f"  {name:45} {value:8.1f}")
    return result
