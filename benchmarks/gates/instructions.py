"""Instructions per stage of the main job, counted by callgrind: the same number in every run.

``metalmom-profile`` does the job on a fixed ten-second song, on one thread with AVX2 (Valgrind has
no AVX-512). A stage is an op: what its ``run_cpu`` costs with all it calls. The last one, "graph", is
all of them as one graph, which shares what they read. The baseline is keyed by architecture, compiler
and instruction set; a stage that grows by over 2 % fails.
"""

import collections
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

from gates import ROOT, Skipped, baseline, write_baseline
from gates.counters import PATH, forced_environment, has_avx2

GROWTH = 1.02
PROFILE = ROOT / "build" / "bin" / "metalmom-profile"
STAGE = re.compile(r"(?:void )?metalmom::ops::(\w+)::run_cpu<")
GRAPH = re.compile(r"metalmom::tools::MainJob::(graph)\(")


def inclusive_costs(path):
    """Function -> instructions, those of its callees included, from a callgrind file.

    A cost line's last number counts for the function it stands under, whether it is the function's
    own line or, after a ``calls=`` line, what a call cost.
    """
    costs, function = collections.Counter(), None
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("fn="):
            function = line[3:]
        elif function and line[:1] in "0123456789+-*" and line[:1]:
            costs[function] += int(line.split()[-1])
    return costs


def counted():
    """Stage -> instructions."""
    import problems
    from recordings import write_wav

    with tempfile.TemporaryDirectory() as folder:
        song = pathlib.Path(folder) / "song.wav"
        write_wav(song, problems.song(10)[None], problems.SR)
        # Two runs: in one, what the graph runs by itself would count as that op's stage, too.
        return counted_in(folder, STAGE, song) | counted_in(folder, GRAPH, song, "--graph")


def counted_in(folder, named, *arguments):
    out = pathlib.Path(folder) / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no",
               f"--callgrind-out-file={out}", str(PROFILE), *map(str, arguments)]  # fmt: skip
    done = subprocess.run(command, env=forced_environment(), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    stages = collections.Counter()
    for function, cost in inclusive_costs(out).items():
        if match := named.match(function):
            stages[match.group(1)] += cost
    return dict(sorted(stages.items()))


def key():
    from metalmom import build_info

    return f"{platform.machine()}, {build_info()['compiler']}, {PATH}"


def check(record):
    if not shutil.which("valgrind"):
        raise Skipped("valgrind is not installed")
    if not PROFILE.exists():
        raise Skipped(f"{PROFILE.relative_to(ROOT)} has not been built")
    if not has_avx2():
        raise Skipped("the baseline counts the AVX2 path, which this CPU lacks")
    known = baseline("instructions")
    if key() not in known and not record:
        raise Skipped(f"no baseline for {key()}")
    found = counted()
    if record:
        write_baseline("instructions", known | {key(): found})
        return
    for stage, count in known[key()].items():
        if found.get(stage, 0) > GROWTH * count:
            yield f"{stage}: {found[stage]:,} instructions, {found[stage] / count - 1:+.1%}"
        elif stage not in found:
            yield f"{stage}: no longer runs in the main job"
