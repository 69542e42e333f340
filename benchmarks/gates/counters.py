"""Exact counts per call: plans, caches, allocations, copies, submits, bytes.

Counted in a fresh process on one thread with AVX2, so that every machine counts alike: the first
call of each problem and the second.
"""

import json
import os
import subprocess
import sys

from gates import ROOT, Skipped, baseline, write_baseline

PATH = "avx2"

COUNT = """
import json, sys
sys.path[:0] = [{python!r}, {benchmarks!r}]
import problems
from adapters import metalmom_adapter as ours
from metalmom import _native

def counted(solve, inputs):
    before = _native.counters()
    solve(*inputs)
    return {{k: v - before[k] for k, v in _native.counters().items() if v != before[k]}}

table = {{}}
for problem in problems.EVERYDAY.values():
    inputs = list(map(problem.exact_input, problems.variants(problems.song(3), 2)))
    for label, item in zip(("first", "second"), inputs):
        table[f"{{problem.name}}, {{label}} call"] = counted(ours.SOLVE[problem.name], item)
print(json.dumps(table))
"""


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
    done = subprocess.run(
        [sys.executable, "-c", code], env=forced_environment(), capture_output=True, text=True
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
            if ours.get(counter, 0) != known.get(counter, 0):
                yield f"{call}: {counter} is {ours.get(counter, 0)}, not {known.get(counter, 0)}"
