#!/usr/bin/env python3
"""Check that answers are right, then time them; or check that nothing got worse.

    benchmarks/run_benchmarks.py                        metalmom alone
    benchmarks/run_benchmarks.py --peers                against librosa, torchaudio ... if installed
    benchmarks/run_benchmarks.py --peers --processes    also import, first calls, memory
    benchmarks/run_benchmarks.py --check                the gates that do not depend on the clock
"""

import argparse
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "benchmarks")]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="run the deterministic gates only")
    parser.add_argument("--record", action="store_true", help="with --check: write new baselines")
    parser.add_argument(
        "--peers", nargs="*", metavar="NAME", help="time these peers, or all that are installed"
    )
    parser.add_argument("--processes", action="store_true", help="also measure fresh processes")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these problems, not all")
    parser.add_argument("--seconds", nargs="+", type=float, metavar="S", help="these clip lengths")
    parser.add_argument("--audio", metavar="FILE", help="a recording in place of the built-in song")
    parser.add_argument("--threads", type=int, default=1, help="of the engine and of the peers")
    parser.add_argument("--budget", type=float, default=3, help="seconds per row (default 3)")
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="count processor time, not the wall clock: for one thread on a busy machine",
    )
    parser.add_argument("--json", metavar="OUT", help="write machine, versions and rows")
    parser.add_argument("--plot", metavar="OUT", help="write a PNG or SVG of the ratios")
    return parser.parse_args()


def signal_of(options, seconds):
    """SECONDS of the recording (repeated if it is shorter) or of the built-in song."""
    import metalmom
    import numpy as np
    import problems

    if not options.audio:
        return problems.song(seconds)
    y, _ = metalmom.load(options.audio)
    return np.resize(y, int(seconds * problems.SR))


def check_answer(adapter, problem):
    """The error of an adapter's answer on the check input; ends the run if it is wrong."""
    import problems

    if not adapter.SAME_CONVENTIONS:
        return float("nan")
    error = problems.error_of(problem, adapter.SOLVE[problem.name](*problems.check_input(problem)))
    if error > problem.tolerance:
        sys.exit(f"{adapter.NAME}: {problem.name} is off by {error:.1e}: not timed")
    return error


def rows_of(problem, seconds, ours, peers, options):
    import problems
    import report
    import timing

    solvers = [p for p in peers if problem.name in p.SOLVE]
    error = check_answer(ours, problem)
    for peer in solvers:
        check_answer(peer, problem)
    y = signal_of(options, seconds)
    inputs = list(map(problem.make_input, problems.variants(y, 3 if seconds > 60 else 8)))
    mine = ours.SOLVE[problem.name]
    if not solvers:
        sample = timing.alone(mine, inputs, budget=options.budget)
        yield report.Row(problem.name, seconds, "", sample, None, None, error)
    for peer in solvers:
        theirs = peer.SOLVE[problem.name]
        samples = timing.alternate(mine, theirs, inputs, budget=options.budget)
        note = "" if peer.SAME_CONVENTIONS else "its own conventions"
        yield report.Row(problem.name, seconds, peer.NAME, *samples, error, note)


def main():
    options = arguments()
    if options.check:
        import gates

        sys.exit(gates.check(record=options.record))
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[variable] = str(options.threads)

    import adapters
    import problems
    import processes
    import report
    import timing

    if options.cpu_time:
        timing.CLOCK = time.process_time

    ours = adapters.load("metalmom")
    peers = adapters.installed_peers(options.peers) if options.peers is not None else []
    for adapter in (ours, *peers):
        adapter.threads(options.threads)
    facts = report.machine(ROOT, (ours, *peers), options.threads, options.cpu_time)
    print(report.heading(facts), flush=True)

    rows = []
    for name in options.only or problems.PROBLEMS:
        problem = problems.PROBLEMS[name]
        for seconds in options.seconds or problem.seconds:
            for row in rows_of(problem, seconds, ours, peers, options):
                rows.append(row)
                print(report.table([row]).splitlines()[1], flush=True)
    print(f"\n{report.table(rows)}")
    fresh = {}
    if options.processes:
        libs = ["metalmom"] + [p.NAME for p in peers if p.NAME == "librosa"]
        names = [name for name in problems.PROBLEMS if "stereo" not in name and name != "main job"]
        fresh = processes.measure(libs, options.only or names, signal_of(options, 60))
    if options.json:
        report.write_json(options.json, facts, rows, fresh)
    if options.plot:
        report.plot(options.plot, facts, rows)


if __name__ == "__main__":
    main()
