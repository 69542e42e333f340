"""Time two builds in one process: compare_builds.py BASE CONTROL HEAD [PROBLEM ...]

BASE, CONTROL (a copy of BASE) and HEAD are folders that hold a package `metalmom`. Called by
scripts/compare_builds.sh. Exit status: 0 no slower, 1 slower, 2 no verdict.
"""

import importlib.util
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import problems  # noqa: E402
import timing  # noqa: E402
from adapters import librosa_like  # noqa: E402

PAIRS = 200
CONTROL = 0.01  # an A/A ratio further from one than this means a machine too noisy to judge
SLOWER = 0.02
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


def ratio_of(first, second, inputs):
    """second / first over PAIRS alternating pairs."""
    taken = itertools.islice(timing.pairs(first, second, inputs), PAIRS)
    return timing.Sample.of([b / a for a, b in taken])


def main(base, control, head, *names):
    packages = [load(p, n) for p, n in ((base, "base"), (control, "control"), (head, "head"))]
    for package in packages:
        package.threads(1)
    solvers = [librosa_like.solve(package) for package in packages]
    status = 0
    print(f"{'problem':20} {'control/base':>16} {'head/base':>16}")
    for name in names or DEFAULT:
        problem = problems.PROBLEMS[name]
        inputs = list(map(problem.make_input, problems.variants(problems.song(5), 8)))
        a, c, b = (solve[name] for solve in solvers)
        for solve in (a, c, b):
            solve(*inputs[0])
        same = ratio_of(a, c, inputs)
        ratio = ratio_of(a, b, inputs)
        if abs(same.median - 1) > CONTROL:
            verdict, code = "no verdict: the control differs", 2
        elif ratio.median > 1 + SLOWER:
            verdict, code = "slower", 1
        else:
            verdict, code = "faster" if ratio.median < 1 - SLOWER else "the same", 0
        status = max(status, code)
        texts = (f"{r.median:.3f} +- {r.spread:.3f}" for r in (same, ratio))
        print(f"{name:20} {next(texts):>16} {next(texts):>16}  {verdict}")
    return status


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
