#!/usr/bin/env python3
"""Run the reference cases through librosa 1.0.0 and keep what it answers.

    python scripts/make_reference.py [--only PREFIX]
    python scripts/make_reference.py --benchmarks

Run by a Python that has librosa 1.0.0 installed. Writes tests_py/reference/<group>.npz (the
numbers) and index.json (shapes, dtypes, memory order, warnings, errors) from the table in
tests_py/reference_cases.py. With --only, prints the outcomes of some cases and writes nothing;
with --benchmarks, writes benchmarks/reference/answers.npz, which benchmarks check theirs against.
"""

import argparse
import json
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests_py"), str(ROOT / "scripts")]

import digest  # noqa: E402
import reference_cases  # noqa: E402

REFERENCE = ROOT / "tests_py" / "reference"


def row_of(outcome):
    """What index.json says of a case."""
    row = {"outputs": [digest.describe(array) for array in outcome.arrays]}
    if outcome.warned:
        row["warned"] = outcome.warned
    return {"raised": outcome.raised} if outcome.raised else row


def benchmark_answers():
    """librosa's answers to the benchmarks' problems on their check input."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import problems
    from adapters import librosa_adapter

    kept = {}
    for problem in problems.PROBLEMS.values():
        solve = librosa_adapter.SOLVE[problem.name]
        kept |= problems.keep(problem, solve(*problems.check_input(problem)))
    problems.ANSWERS.parent.mkdir(exist_ok=True)
    np.savez_compressed(problems.ANSWERS, **kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="print the cases whose id starts so; write nothing")
    parser.add_argument("--benchmarks", action="store_true", help="the benchmarks' answers only")
    options = parser.parse_args()

    import librosa

    if librosa.__version__ != "1.0.0":
        sys.exit(f"the reference is librosa 1.0.0, this Python has {librosa.__version__}")

    if options.benchmarks:
        return benchmark_answers()

    index, groups = {}, {}
    for case in reference_cases.all_cases():
        if options.only and not case.id.startswith(options.only):
            continue
        outcome = reference_cases.run(case, librosa)
        index[case.id] = row_of(outcome)
        for number, array in enumerate(outcome.arrays):
            for label, part in digest.parts_of(array).items():
                groups.setdefault(case.group, {})[f"{case.id}#{number}#{label}"] = part
    if options.only:
        print("\n".join(f"{i}: {row}" for i, row in index.items()))
        return

    REFERENCE.mkdir(exist_ok=True)
    lines = (f"{json.dumps(i)}: {json.dumps(row)}" for i, row in index.items())
    (REFERENCE / "index.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    for group, arrays in groups.items():
        np.savez_compressed(REFERENCE / f"{group}.npz", **arrays)
    print(f"{len(index)} cases of librosa {librosa.__version__}, NumPy {np.__version__}")


if __name__ == "__main__":
    main()
