#!/usr/bin/env python3
"""Every public name against librosa, one thread, and the list of those that are slower.

    benchmarks/all_names.py                 warm calls on short signals: what a call itself costs
    benchmarks/all_names.py --first         also import and first call in fresh processes: half an hour
    benchmarks/all_names.py --only stft util.frame
    benchmarks/all_names.py --cpu-time      processor time in place of the clock's: on a busy machine

Both libraries take turns, and what counts is the least time of each. A name that seems slower is
measured again, longer, and counts as slower if it is so again: what else the machine does adds to a
time, it takes nothing away. Ends with 1 if a name is slower and REASONS does not say why.
"""

import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks")]

# Names that may be slower, and why.
ROWS = "row by row in Python: from some hundred rows on ours is the faster"
REASONS = {
    "util.match_events": "librosa's is compiled, by numba in the first call; ours is NumPy's",
    "onset.onset_backtrack": "as util.match_events",
    "util.match_intervals": "as util.match_events",
    "util.shear": ROWS,
    "segment.lag_to_recurrence": ROWS,
    "util.fill_off_diagonal": ROWS,
    "filters.semitone_filterbank": "85 designs of SciPy's on both sides: even, but for noise",
    "util.abs2": "three passes of NumPy, one of numba",
    "feature.stack_memory": "checks and a padded copy: of 1,000 frames ours is the faster",
    "display.wavef0": "matplotlib's own work, half of it to clear the axes",
    "sequence.viterbi_discriminative": "checks: the values must be probabilities",
    "util.list_examples": "prints one example more",
    "multi_frequency_weighting": "three weightings, each behind its wrapper",
}
# And first calls. All of metalmom is imported at once (some 50 ms), of librosa what is called.
IMPORTS = "matplotlib's import on both sides, and metalmom's whole, of librosa a part"
FIRST_REASONS = {
    "display": IMPORTS,
    "util.rename_kw": "librosa needs not even NumPy for it",
    "util.list_examples": "librosa needs not even NumPy for it",
}
# What errors cost that name the argument, and warnings that name the caller's line: the wrapper of a
# public function takes half a microsecond, its checks as long or longer.
WRAPPER = 2e-6

# A ratio above this is even: the rest is noise.
EVEN = 0.95

FIRST = """
import importlib, sys, time, warnings
warnings.simplefilter("ignore")
sys.path[:0] = [{benchmarks!r}]
import names
cases = names.first_cases()
start = time.{clock}()
call = names.prepare(importlib.import_module({library!r}), {name!r}, cases)
call()
print(time.{clock}() - start)
"""

# What a call costs is read from this clock of `time`.
CLOCK = "perf_counter"


def least(calls, budget=0.15):
    """The least seconds of each call. They take turns, each as often as takes a millisecond."""
    clock = getattr(time, CLOCK)
    counts, best = [], []
    for call in calls:
        call()
        start = clock()
        call()
        taken = clock() - start
        counts.append(max(1, int(1e-3 / max(taken, 1e-7))))
        best.append(taken)
    end = time.perf_counter() + budget * len(calls)
    rounds = 0
    while rounds < 3 or (time.perf_counter() < end and rounds < 200):
        for k, (call, count) in enumerate(zip(calls, counts)):
            start = clock()
            for _ in range(count):
                call()
            best[k] = min(best[k], (clock() - start) / count)
        rounds += 1
    return best


def is_slower(mine, other):
    """Whether a ratio is below what is even."""
    return other / mine < EVEN


def measured_twice(measure):
    """(mine, other) of MEASURE(factor of its effort); both of two measurements if mine is slower."""
    first = measure(1)
    if not is_slower(*first):
        return first
    return tuple(map(min, first, measure(3)))


def first_seconds(library, name):
    """Seconds that a fresh process takes to import the library and to call NAME."""
    code = FIRST.format(
        benchmarks=str(ROOT / "benchmarks"), library=library, name=name, clock=CLOCK
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def first_of_both(name, processes):
    """The least of some processes' first calls, of metalmom's and of librosa's."""
    taken = [
        [first_seconds(library, name) for library in ("metalmom", "librosa")]
        for _ in range(processes)
    ]
    return tuple(map(min, zip(*taken)))


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", action="store_true", help="also import and first call, fresh")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these names, not all")
    parser.add_argument("--cpu-time", action="store_true", help="count processor time")
    return parser.parse_args()


def reason_of(reasons, name, mine, other):
    """Why a name may take MINE where librosa's takes OTHER, or None."""
    if mine - other < WRAPPER:
        return f"{(mine - other) * 1e6:.2f} us: checks, and errors that name arguments"
    return reasons.get(name) or reasons.get(name.partition(".")[0])


def print_slower(kind, times, reasons):
    """The names that are slower; those of them without a reason."""
    slower = {n: times[n] for n in times if is_slower(*times[n])}
    print(f"\nslower than librosa's, {kind}: {len(slower)}")
    for name, (a, b) in sorted(slower.items(), key=lambda item: item[1][1] / item[1][0]):
        print(f"  {name:36} {b / a:5.2f}x  {reason_of(reasons, name, a, b) or 'no reason'}")
    return [name for name, (a, b) in slower.items() if reason_of(reasons, name, a, b) is None]


def main():
    global CLOCK
    options = arguments()
    if options.cpu_time:
        CLOCK = "process_time"
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
    metalmom.set_config(threads=1)
    cases = names.first_cases()
    warm, first = {}, {}
    for name in options.only or names.all_names():
        ours, theirs = (names.prepare(library, name, cases) for library in (metalmom, librosa))
        if ours is None:
            print(f"{name:36} not called: {names.NOT_CALLED[name]}", flush=True)
            continue
        try:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
                mine, other = measured_twice(lambda effort: least([ours, theirs], 0.15 * effort))
        except Exception as error:  # noqa: BLE001 - an installed librosa may lack what a name needs
            print(f"{name:36} failed: {type(error).__name__}: {error}"[:150], flush=True)
            continue
        warm[name] = mine, other
        line = f"{name:36} {mine * 1e6:10.1f} us {other * 1e6:10.1f} us {other / mine:8.2f}x"
        if options.first:
            mine, other = measured_twice(lambda effort: first_of_both(name, effort))
            first[name] = mine, other
            line += f"   first {mine * 1e3:8.2f} ms {other * 1e3:8.2f} ms {other / mine:8.2f}x"
        print(line, flush=True)
    without = print_slower("warm calls", warm, REASONS)
    if options.first:
        without += print_slower("first calls", first, FIRST_REASONS)
    return int(bool(without))


if __name__ == "__main__":
    sys.exit(main())
