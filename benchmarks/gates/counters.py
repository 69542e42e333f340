"""Exact counts per call: plans, caches, allocations, copies, submits, bytes.

Allocations are the engine's aligned buffers; ``news`` is every operator new beside them, counted by a
library that is preloaded (counting_new.cpp): what allocates in a loop is seen.

Counted in a fresh process on one thread with AVX2, so that every machine counts alike: the first
call of each problem and the second.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from gates import ROOT, Skipped, baseline, write_baseline

PATH = "avx2"

COUNT = """
import ctypes, json, sys
sys.path[:0] = [{python!r}, {benchmarks!r}]
import problems
from adapters import metalmom_adapter as ours
from metalmom import _native

news = ctypes.CDLL(None).news_of_this_thread
news.restype = ctypes.c_ulonglong

def counts():
    return {{**_native.counters(), "news": news()}}

def counted(solve, inputs):
    counts()
    before = counts()
    asked = counts()["news"] - before["news"]  # asking allocates, too
    solve(*inputs)
    after = counts()
    after["news"] -= asked
    return {{k: v - before[k] for k, v in after.items() if v != before[k]}}

table = {{}}
for problem in problems.EVERYDAY.values():
    inputs = list(map(problem.exact_input, problems.variants(problems.song(3), 2)))
    for label, item in zip(("first", "second"), inputs):
        table[f"{{problem.name}}, {{label}} call"] = counted(ours.SOLVE[problem.name], item)
print(json.dumps(table))
"""


def _as_known(counter, ours, known):
    """Exactly, but for `news`: other versions of the compiler's library make a few more or less."""
    return ours <= 1.1 * known + 2 if counter == "news" else ours == known


def forced_environment():
    """One thread, the CPU, one instruction set."""
    forced = {"METALMOM_SIMD": PATH, "METALMOM_NUM_THREADS": "1", "METALMOM_BACKEND": "cpu"}
    return {**os.environ, **forced}


def has_avx2():
    with open("/proc/cpuinfo") as info:
        return " avx2 " in info.read()


def check(record):
    if not has_avx2():
        raise Skipped("the baseline counts the AVX2 path, which this CPU lacks")
    code = COUNT.format(python=str(ROOT / "python"), benchmarks=str(ROOT / "benchmarks"))
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder, "counting_new.so")
        source = pathlib.Path(__file__).with_name("counting_new.cpp")
        subprocess.run(
            ["g++", "-O1", "-shared", "-fPIC", "-std=c++20", source, "-o", library], check=True
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**forced_environment(), "LD_PRELOAD": str(library)},
            capture_output=True,
            text=True,
        )
    if done.returncode:
        yield f"counting failed: {done.stderr.strip().splitlines()[-1]}"
        return
    found = json.loads(done.stdout)
    if record:
        write_baseline("counters", found)
    expected = baseline("counters")
    for call in found | expected:
        ours, known = found.get(call, {}), expected.get(call, {})
        for counter in sorted(ours.keys() | known.keys()):
            if not _as_known(counter, ours.get(counter, 0), known.get(counter, 0)):
                yield f"{call}: {counter} is {ours.get(counter, 0)}, not {known.get(counter, 0)}"
