#!/usr/bin/env python3
"""Print the tables of docs/profiling-report.md as measured here: profile_report.py AUDIO ...

For each file the main job is run with one and with two threads: its stages, and the spans that take
most of it. Run it with the Python that imports metalmom (.venv/bin/python). With --before PYTHON, the
folder python/ of another checkout that has been built, the stages are timed there, here, and there
again. With --gpu, a batch of clips goes to the device, too.
"""

import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys

import numpy as np

import metalmom
from metalmom import trace
from metalmom.cli.profile import header_lines, report, run_job
from metalmom.trace._summary import own_times

ROUNDS = 3  # of before, after, before: what another process takes falls on one of them


def measure(path, threads, repeat):
    """Stages in milliseconds over REPEAT runs after a warm-up: {name: (median, spread)}."""
    with metalmom.config_context(threads=threads):
        run_job(path)
        runs = [run_job(path) for _ in range(repeat)]
    result = report(path, runs)
    times = collections.defaultdict(list)
    for run in runs:
        for stage in report(path, [run])["stages"]:
            times[stage["name"]].append(stage["ms"])
        times["total"].append(report(path, [run])["total_ms"])
    spread = {
        name: (statistics.median(values), (max(values) - min(values)) / 2)
        for name, values in times.items()
    }
    return result, spread


def print_stages(path, repeat):
    result, one = measure(path, 1, repeat)
    _, two = measure(path, 2, repeat)
    print(f"### {pathlib.Path(path).name}\n")
    print("```")
    print("\n".join(line for line in header_lines(result) if not line.startswith("file")))
    print("```\n")
    print("| stage | 1 thread, ms | 2 threads, ms | ratio |")
    print("|---|---|---|---|")
    for name, (median, spread) in one.items():
        other, other_spread = two[name]
        print(
            f"| {name} | {median:.2f} ± {spread:.2f} | {other:.2f} ± {other_spread:.2f} "
            f"| {median / other:.2f} |"
        )
    print()


def print_bottlenecks(path, n_rows):
    """The spans that take most of the job by themselves, one thread, with stages."""
    with metalmom.config_context(threads=1):
        run_job(path)
        with trace.record(detail=True) as recorded:
            run_job(path)
    own = collections.Counter()
    for span, time in own_times(recorded.spans):
        own[span.cat, span.name] += time
    total = sum(own.values())
    print("| span | category | own time, ms | share |")
    print("|---|---|---|---|")
    for (category, name), time in own.most_common(n_rows):
        print(f"| `{name}` | {category} | {time / 1e3:.2f} | {time / total:.0%} |")
    print()


def json_of(package, *command):
    """What a Python prints as JSON that imports metalmom from the folder PACKAGE."""
    environment = os.environ | {"PYTHONPATH": str(package)}
    command = [sys.executable, *command]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def print_change(title, before, measure):
    """What a change did: a build before it, this one, and the first again, round after round."""
    here = pathlib.Path(metalmom.__file__).parent.parent
    rounds = [[measure(p) for p in (before, here, before)] for _ in range(ROUNDS)]
    print(f"| {title} | A, ms | B, ms | A, ms | A / B |")
    print("|---|---|---|---|---|")
    for name in rounds[0][0]:
        a, b, again = (statistics.median(times[k][name] for times in rounds) for k in range(3))
        print(f"| {name} | {a:.2f} | {b:.2f} | {again:.2f} | {(a + again) / 2 / b:.2f} |")
    print()


def print_job_change(path, before, repeat):
    def stages(package):
        result = json_of(package, "-m", "metalmom", "profile", path, "--json", "-",
                         "--threads", str(threads), "--repeat", str(repeat))
        return {s["name"]: s["ms"] for s in result["stages"]} | {"total": result["total_ms"]}

    for threads in (1, 2):
        title = f"{pathlib.Path(path).name}, {threads} thread{'s' * (threads > 1)}"
        print_change(title, before, stages)


BATCH = """
import json, statistics, time
import numpy, metalmom
y = numpy.random.default_rng(0).standard_normal(({clips}, 661500)).astype("float32")
times = []
with metalmom.config_context(backend="{backend}"):
    metalmom.gpu_warmup()
    for _ in range(23):
        start = time.perf_counter()
        mel = metalmom.feature.melspectrogram(y=y)
        times.append(1e3 * (time.perf_counter() - start))
        del mel
print(json.dumps({{"melspectrogram": statistics.median(times[3:])}}))
"""


def print_gpu_change(clips, before):
    for backend in ("gpu", "auto"):
        code = BATCH.format(clips=clips, backend=backend)
        title = f"{clips} x 30 s, NumPy to NumPy, {backend}"
        print_change(title, before, lambda package: json_of(package, "-c", code))


def print_gpu(n_clips):
    """A batch of clips from NumPy to NumPy on the device, and what the trace says of it."""
    y = np.random.default_rng(0).standard_normal((n_clips, 30 * 22050)).astype(np.float32)
    with metalmom.config_context(backend="gpu"):
        metalmom.feature.melspectrogram(y=y)
        with trace.record() as recorded:
            metalmom.feature.melspectrogram(y=y)
    print(f"### melspectrogram of {n_clips} x 30 s on {metalmom.devices()[0].name}\n")
    print(f"```\n{recorded.summary()}\n```\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("audio", nargs="*", metavar="AUDIO", help="files to run the main job on")
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="runs of each job")
    parser.add_argument("--rows", type=int, default=8, metavar="N", help="spans to list")
    parser.add_argument("--before", metavar="PYTHON", help="compare with the build in this folder")
    parser.add_argument("--gpu", type=int, default=0, metavar="CLIPS", help="clips of a GPU batch")
    arguments = parser.parse_args()
    for path in arguments.audio:
        if arguments.before:
            print_job_change(path, arguments.before, arguments.repeat)
        else:
            print_stages(path, arguments.repeat)
            print_bottlenecks(path, arguments.rows)
    if arguments.gpu and arguments.before:
        print_gpu_change(arguments.gpu, arguments.before)
    elif arguments.gpu:
        print_gpu(arguments.gpu)


if __name__ == "__main__":
    main()
