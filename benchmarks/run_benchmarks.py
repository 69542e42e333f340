#!/usr/bin/env python3
"""Check that answers are right, then time them; or check that nothing got worse.

    benchmarks/run_benchmarks.py                        metalmom alone
    benchmarks/run_benchmarks.py --peers                against librosa, torchaudio ... if installed
    benchmarks/run_benchmarks.py --full FOLDER          all there is: JSON, plot and page in FOLDER
    benchmarks/run_benchmarks.py --check                the gates that do not depend on the clock
"""

import argparse
import os
import pathlib
import subprocess
import sys

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
    parser.add_argument("--two-threads", action="store_true", help="also what a second one brings")
    parser.add_argument("--processes", action="store_true", help="also fresh processes: first calls")
    parser.add_argument(
        "--full",
        metavar="FOLDER",
        help="--peers --two-threads --processes --json --plot, and a page: some 10 minutes",
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these problems, not all")
    parser.add_argument("--seconds", nargs="+", type=float, metavar="S", help="these clip lengths")
    parser.add_argument("--audio", metavar="FILE", help="a recording in place of the built-in song")
    parser.add_argument("--threads", type=int, default=1, help="of the engine and of the peers")
    parser.add_argument("--budget", type=float, default=2, help="seconds per row (default 2)")
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="count processor time, not the wall clock: for one thread on a busy machine",
    )
    parser.add_argument("--json", metavar="OUT", help="write machine, versions and rows")
    parser.add_argument("--plot", metavar="OUT", help="write a PNG or SVG of the ratios")
    options = parser.parse_args()
    if options.full:
        folder = pathlib.Path(options.full)
        folder.mkdir(parents=True, exist_ok=True)
        options.peers = options.peers or []
        options.two_threads = options.processes = True
        options.json = options.json or folder / "benchmarks.json"
        options.plot = options.plot or folder / "benchmarks.svg"
    return options


def signal_of(options, seconds):
    """SECONDS of the recording (repeated if it is shorter) or of the built-in song."""
    import metalmom
    import numpy as np
    import problems

    if not options.audio:
        return problems.song(seconds)
    y, _ = metalmom.load(options.audio)
    return np.resize(y, int(seconds * problems.SR))


def measure_rows(options, ours, peers):
    """Time what the options ask for, printing as it goes; the rows, also when interrupted."""
    import cases
    import problems
    import progress
    import report

    names = options.only or list(problems.PROBLEMS)
    todo = list(cases.grid(names, options.seconds, ours, peers, options.threads))
    if options.two_threads:
        todo += [c for c in cases.two_threads(ours, peers) if c.problem.name in names]
    runner = cases.Runner(
        lambda seconds: signal_of(options, seconds), options.budget, options.cpu_time
    )
    bar, rows = progress.Progress(len(todo)), []
    print(report.title(), flush=True)
    try:
        for case in todo:
            bar.begin(f"{case.problem.name}, {case.seconds:g} s, {case.peer_name}")
            try:
                rows.append(runner.row(case))
            except Exception as error:  # noqa: BLE001 - one that fails must not end the others
                rows.append(cases.failed_row(case, error))
            bar.end(report.line(rows[-1]))
    except KeyboardInterrupt:
        bar.clear()
        print("stopped; what was measured is kept", flush=True)
    return rows


def measure_processes(options, peers):
    """{library: {fact: value}} of fresh processes, printed as it goes."""
    import fresh_processes
    import problems
    import progress
    import recordings

    libs = ["metalmom"] + [peer.NAME for peer in peers if peer.NAME == "librosa"]
    names = options.only or [
        name for name in problems.EVERYDAY if "stereo" not in name and name != "main job"
    ]
    y = signal_of(options, 60)
    path = recordings.ogg(recordings.new_stem(), y)
    todo = list(fresh_processes.facts(names, path, 60))
    bar, result = progress.Progress(len(todo)), {lib: {} for lib in libs}
    print("\n" + fresh_processes.line_of("fresh processes", libs), flush=True)
    try:
        for name, measure in todo:
            bar.begin(name)
            for lib in libs:
                try:
                    result[lib][name] = measure(lib)
                except (subprocess.CalledProcessError, ValueError):
                    result[lib][name] = float("nan")
            bar.end(fresh_processes.line_of(name, [f"{result[lib][name]:.1f}" for lib in libs]))
    except KeyboardInterrupt:
        bar.clear()
        print("stopped; what was measured is kept", flush=True)
    return result


def main():
    options = arguments()
    if options.check:
        import gates

        return gates.check(record=options.record)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[variable] = str(options.threads)

    import adapters
    import page
    import plot
    import report

    if options.plot and not plot.can_draw():  # before minutes of measuring
        print("run_benchmarks.py: --plot and --full need matplotlib, which this Python lacks",
              file=sys.stderr)
        return 2
    ours = adapters.load("metalmom")
    peers = adapters.installed_peers(options.peers) if options.peers is not None else []
    facts = report.machine(ROOT, (ours, *peers), options.threads, options.cpu_time)
    print(report.heading(facts), flush=True)
    rows = measure_rows(options, ours, peers)
    fresh = measure_processes(options, peers) if options.processes else {}
    if options.json:
        report.write_json(options.json, facts, rows, fresh)
    if options.plot:
        plot.draw(options.plot, facts, rows)
    if options.full:
        page.write(pathlib.Path(options.full) / "benchmarks.md", facts, rows, fresh)
    return int(any(row.failed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
