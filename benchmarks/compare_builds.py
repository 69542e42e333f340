"""Time two builds in one process: compare_builds.py BASE CONTROL HEAD [PROBLEM ...]

BASE, CONTROL (a copy of BASE) and HEAD are folders that hold a package `metalmom`; called by
scripts/compare_builds.sh. A PROBLEM is one of benchmarks/problems, "stft N" for frames of N samples,
or "all". The three take turns on one thread, who begins changing from round to round; processor
time is counted, of which other processes take none. Exit status: 0 no slower, 1 slower, 2 no
verdict.
"""

import importlib.util
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import problems  # noqa: E402
import timing  # noqa: E402
from adapters import librosa_like  # noqa: E402

ROUNDS = 200
PATIENCE = 5  # times as many rounds, while the control is still out
CONTROL = 0.01  # an A/A ratio further from one than this means a machine too noisy to judge
SLOWER = 0.02
SIZES = tuple(f"stft {n_fft}" for n_fft in (512, 4096, 400, 1000, 2000, 2003, 32768))
DEFAULT = ("stft", "melspectrogram", "mfcc", "onset_strength", "chroma_stft")


def load(folder, name):
    """The package in FOLDER under another name, beside the others."""
    package = pathlib.Path(folder).resolve() / "metalmom"
    spec = importlib.util.spec_from_file_location(
        name, package / "__init__.py", submodule_search_locations=[str(package)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def task(name):
    """(problem, function of a package that returns what solves it)."""
    if name.startswith("stft "):
        n_fft = int(name.split()[1])
        return problems.PROBLEMS["stft"], lambda package: lambda y: package.stft(y, n_fft=n_fft)
    return problems.PROBLEMS[name], lambda package: librosa_like.solve(package)[name]


def ratios(solvers, inputs):
    """The Samples control / base and head / base."""
    for solve in solvers:
        for item in inputs:
            solve(*item)
    taken, endless = [], timing.rounds(solvers, inputs)
    for _ in range(PATIENCE):
        taken += itertools.islice(endless, ROUNDS)
        same, ratio = (
            timing.Sample.of([times[i] / times[0] for times in taken]) for i in (1, 2)
        )
        if abs(same.median - 1) <= CONTROL:
            break
    return same, ratio


def verdict_of(same, ratio):
    """(What to say, exit status.)"""
    if abs(same.median - 1) > CONTROL:
        return "no verdict: the control differs", 2
    if ratio.median > 1 + SLOWER:
        return "slower", 1
    return ("faster" if ratio.median < 1 - SLOWER else "the same"), 0


def main(base, control, head, *names):
    os.environ["METALMOM_NUM_THREADS"] = "1"
    packages = [load(p, n) for p, n in ((base, "base"), (control, "control"), (head, "head"))]
    if names == ("all",):
        names = (*problems.EVERYDAY, *SIZES)
    status = 0
    print(f"{'problem':20} {'control/base':>16} {'head/base':>16}")
    for name in names or DEFAULT:
        problem, solver = task(name)
        inputs = list(map(problem.make_input, problems.variants(problems.song(5), 8)))
        with timing.processor_time():
            same, ratio = ratios([solver(package) for package in packages], inputs)
        verdict, code = verdict_of(same, ratio)
        status = max(status, code)
        texts = (f"{r.median:.3f} +- {r.spread:.3f}" for r in (same, ratio))
        print(f"{name:20} {next(texts):>16} {next(texts):>16}  {verdict}", flush=True)
    return status


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
