#!/usr/bin/env python3
"""Every public name against librosa, one thread, and the list of those that are slower.

    benchmarks/all_names.py                 warm calls on short signals: what a call itself costs
    benchmarks/all_names.py --first         also the first call of fresh processes: half an hour
    benchmarks/all_names.py --only stft util.frame

Both libraries take turns, and what counts is the least time of each: the machine may be busy. Ends
with 1 if a name is slower and REASONS does not say why.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks")]

# Names that may be slower, and why.
REASONS = {}
# What the wrapper costs that explains errors and names the caller's line in warnings.
WRAPPER = 0.6e-6

# Timing of less than this share is noise.
EVEN = 0.97

FIRST = """
import importlib, sys, time, warnings
warnings.simplefilter("ignore")
sys.path[:0] = [{benchmarks!r}]
import names
library = importlib.import_module({library!r})
call = names.prepare(library, {name!r}, names.first_cases())
start = time.perf_counter()
call()
print(time.perf_counter() - start)
"""


def least(calls, budget=0.15):
    """The least seconds of each call. They take turns, each as often as takes a millisecond."""
    counts, best = [], []
    for call in calls:
        call()
        start = time.perf_counter()
        call()
        taken = time.perf_counter() - start
        counts.append(max(1, int(1e-3 / max(taken, 1e-7))))
        best.append(taken)
    end = time.perf_counter() + budget * len(calls)
    rounds = 0
    while rounds < 3 or (time.perf_counter() < end and rounds < 200):
        for k, (call, count) in enumerate(zip(calls, counts)):
            start = time.perf_counter()
            for _ in range(count):
                call()
            best[k] = min(best[k], (time.perf_counter() - start) / count)
        rounds += 1
    return best


def first_seconds(library, name):
    """Seconds of the first call in a process that has imported the library: the less of two."""
    code = FIRST.format(benchmarks=str(ROOT / "benchmarks"), library=library, name=name)

    def once():
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              check=True)  # fmt: skip
        return float(done.stdout.split()[-1])

    return min(once(), once())


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", action="store_true", help="also first calls in fresh processes")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these names, not all")
    return parser.parse_args()


def reason_of(name, mine, other):
    """Why a name may take MINE where librosa's takes OTHER, or None."""
    if mine - other < WRAPPER:
        return f"{(mine - other) * 1e6:.2f} us: the wrapper that explains errors"
    return REASONS.get(name)


def print_slower(kind, times):
    """The names that are slower; those of them without a reason."""
    slower = {n: (a, b) for n, (a, b) in times.items() if b / a < EVEN}
    print(f"\nslower than librosa's, {kind}: {len(slower)}")
    for name, (a, b) in sorted(slower.items(), key=lambda item: item[1][1] / item[1][0]):
        print(f"  {name:36} {b / a:5.2f}x  {reason_of(name, a, b) or 'no reason'}")
    return [name for name, (a, b) in slower.items() if reason_of(name, a, b) is None]


def main():
    options = arguments()
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[variable] = "1"
    try:
        import librosa
    except ImportError:
        print("all_names.py: librosa is not installed in this Python", file=sys.stderr)
        return 2
    import metalmom
    import names

    warnings.simplefilter("ignore")
    metalmom.threads(1)
    cases = names.first_cases()
    warm, first = {}, {}
    for name in options.only or names.all_names():
        ours, theirs = (names.prepare(library, name, cases) for library in (metalmom, librosa))
        if ours is None:
            print(f"{name:36} not called: {names.NOT_CALLED[name]}", flush=True)
            continue
        try:
            mine, other = least([ours, theirs])
        except Exception as error:  # noqa: BLE001 - an installed librosa may lack what a name needs
            print(f"{name:36} failed: {type(error).__name__}: {error}"[:150], flush=True)
            continue
        warm[name] = mine, other
        line = f"{name:36} {mine * 1e6:10.1f} us {other * 1e6:10.1f} us {other / mine:8.2f}x"
        if options.first:
            mine, other = (first_seconds(library, name) for library in ("metalmom", "librosa"))
            first[name] = mine, other
            line += f"   first {mine * 1e3:8.2f} ms {other * 1e3:8.2f} ms {other / mine:8.2f}x"
        print(line, flush=True)
    without = print_slower("warm calls", warm)
    if options.first:
        without += print_slower("first calls", first)
    return int(bool(without))


if __name__ == "__main__":
    sys.exit(main())
