#!/usr/bin/env python3
"""What recording costs the main job: tracing.py [AUDIO]

Runs the stages of `metalmom profile` in one process, in turn with nobody recording (twice: the
control says how far the machine can be trusted), recording, and recording with detail, and
compares the processor time of each run with that of the plain one of its round. Exit status: 0
within the limits, 1 over them, 2 no verdict as the control differs.
"""

import argparse
import contextlib
import itertools
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import timing  # noqa: E402

import metalmom  # noqa: E402
from metalmom import trace  # noqa: E402
from metalmom.cli.profile import run_job  # noqa: E402

LIMITS = {"recording": 0.01, "with detail": 0.05}
CONTROL = 0.005
RECORDERS = {
    "nobody": contextlib.nullcontext,
    "nobody again": contextlib.nullcontext,
    "recording": trace.record,
    "with detail": lambda: trace.record(detail=True),
}


def run_recorded(path, recorder):
    """Seconds of processor time of one job, and its spans; starting and reading are not the job."""
    with recorder() as recorded:
        start = time.process_time()
        run_job(path)
        seconds = time.process_time() - start
    return seconds, len(recorded.spans) if recorded else 0


def measure(path, rounds):
    """Name of the recorder -> (seconds of each round, spans of one job)."""
    seconds, n_spans = {name: [] for name in RECORDERS}, {}
    orders = itertools.cycle(itertools.permutations(RECORDERS))
    for name in RECORDERS:
        run_recorded(path, RECORDERS[name])
    for _ in range(rounds):
        for name in next(orders):
            spent, n_spans[name] = run_recorded(path, RECORDERS[name])
            seconds[name].append(spent)
    return seconds, n_spans


def report(seconds, n_spans):
    """Prints the table; the growth of each recorder as a share."""
    growth, plain = {}, seconds["nobody"]
    print(f"{'who records':14}{'ms':>9}{'spans':>8}  growth")
    for name, values in seconds.items():
        ratio = timing.Sample.of([b / a for a, b in zip(plain, values)])
        error = ratio.spread / len(values) ** 0.5
        growth[name] = ratio.median - 1
        text = f"{growth[name]:+.2%} +- {error:.2%}" if name != "nobody" else ""
        median = timing.Sample.of(values).median
        print(f"{name:14}{median * 1e3:9.2f}{n_spans[name]:8d}  {text}".rstrip())
    return growth


def verdict(growth):
    """(exit status, what is wrong)."""
    if abs(growth["nobody again"]) > CONTROL:
        return 2, ["no verdict: the control differs"]
    over = [name for name, limit in LIMITS.items() if growth[name] > limit]
    return int(bool(over)), [f"{name}: over the limit of {LIMITS[name]:.0%}" for name in over]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("audio", nargs="?", help="a song (60 s are synthesised without)")
    parser.add_argument("--rounds", type=int, default=100, metavar="N", help="jobs of each kind")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="worker threads")
    arguments = parser.parse_args()
    with metalmom.config_context(threads=arguments.threads), tempfile.TemporaryDirectory() as folder:
        path = arguments.audio
        if path is None:
            path = str(pathlib.Path(folder) / "song.wav")
            metalmom.demo.write_wav(path, 60)
        growth = report(*measure(path, arguments.rounds))
    status, complaints = verdict(growth)
    for line in complaints:
        print(line)
    return status


if __name__ == "__main__":
    sys.exit(main())
