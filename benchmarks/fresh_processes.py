"""What a fresh process costs: import, first calls, the whole job, peak memory."""

import functools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import timing

ROOT = pathlib.Path(__file__).resolve().parent.parent

IMPORT = """
import time; import numpy
start = time.perf_counter(); import {lib}
print((time.perf_counter() - start) * 1e3)
"""

STFT = """
import time; import numpy
y = numpy.ones(22050, dtype=numpy.float32)
start = time.perf_counter(); import {lib}; {lib}.stft(y)
print((time.perf_counter() - start) * 1e3)
"""

# First call of each function over its second, milliseconds; a new process per function.
FIRST = """
import json, sys, time
sys.path[:0] = [{benchmarks!r}]
import problems
from adapters import {lib}_adapter as adapter
p = problems.PROBLEMS[{problem!r}]
inputs = list(map(p.exact_input, problems.variants(problems.song(5), 2)))
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


def several(measure):
    """What a process measures in as many processes as two seconds allow, one at least."""
    endless = iter(measure, None)
    return timing.until_spent(endless, 2, least=1, most=7)


def import_ms(lib):
    """Milliseconds of an import over NumPy's."""
    return statistics.median(several(lambda: float(run(IMPORT, lib=lib))))


def until_stft_ms(lib):
    """Milliseconds from there to a first result; some imports happen at the first call."""
    return statistics.median(several(lambda: float(run(STFT, lib=lib))))


def first_call_ms(problem, lib):
    """How much longer the first call of a process takes than the second."""
    benchmarks = str(ROOT / "benchmarks")
    pairs = several(
        lambda: json.loads(run(FIRST, lib=lib, problem=problem, benchmarks=benchmarks))
    )
    return statistics.median(first - second for first, second in pairs)


@functools.cache
def job(path, lib):
    """(milliseconds, peak MiB, MiB of outputs) of a process that loads PATH and does the job."""

    def once():
        start = time.perf_counter()
        peak, outputs = map(float, run(JOB, lib=lib, path=str(path)).split())
        return (time.perf_counter() - start) * 1e3, peak, outputs

    return [statistics.median(column) for column in zip(*several(once))]


def facts(problem_names, path, seconds):
    """What there is to measure: (name, function of the library's name)."""
    yield "import over NumPy's, ms", import_ms
    yield "import and first stft over NumPy's, ms", until_stft_ms
    name = f"process: load {seconds:.0f} s of {path.suffix} and main job, ms"
    yield name, lambda lib: job(path, lib)[0]
    yield "its peak memory over NumPy's, MiB", lambda lib: job(path, lib)[1]
    yield "of which audio and outputs, MiB", lambda lib: job(path, lib)[2]
    for name in problem_names:
        yield f"first call over second, {name}, ms", functools.partial(first_call_ms, name)


def line_of(name, cells):
    return f"{name:50}" + "".join(f"{cell:>12}" for cell in cells)
