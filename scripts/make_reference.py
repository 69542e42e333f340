#!/usr/bin/env python3
"""Run the reference cases through librosa 1.0.0 and keep what it answers.

    python scripts/make_reference.py [PART ...]
    python scripts/make_reference.py --only PREFIX
    python scripts/make_reference.py --benchmarks

Run by a Python that has librosa 1.0.0 installed. For each part of the table in
tests_py/reference_cases.py (a file cases_<part>.py), or for those that are named, writes
tests_py/reference/<part>.npz (the numbers) and <part>.json (shapes, dtypes, memory order, warnings,
errors). With --only, prints the outcomes of some cases and writes nothing; with --benchmarks, writes benchmarks/reference/answers.npz, which benchmarks check theirs against.
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
    parser.add_argument("parts", nargs="*", metavar="PART", help="these parts, not all")
    parser.add_argument("--only", help="print the cases whose id starts so; write nothing")
    parser.add_argument("--benchmarks", action="store_true", help="the benchmarks' answers only")
    options = parser.parse_args()

    import librosa

    if librosa.__version__ != "1.0.0":
        sys.exit(f"the reference is librosa 1.0.0, this Python has {librosa.__version__}")

    if options.benchmarks:
        return benchmark_answers()

    unknown = set(options.parts) - set(reference_cases.parts())
    if unknown:
        parser.error(f"no part of the table: {', '.join(sorted(unknown))}")
    cases = reference_cases.all_cases()
    if options.only:
        for case in cases:
            if case.id.startswith(options.only):
                print(f"{case.id}: {row_of(reference_cases.run(case, librosa))}")
        return
    REFERENCE.mkdir(exist_ok=True)
    for part in options.parts or reference_cases.parts():
        count = write_part(part, [case for case in cases if case.part == part], librosa)
        print(f"{part}: {count} cases of librosa {librosa.__version__}, NumPy {np.__version__}")


def write_part(part, cases, librosa):
    index, arrays = {}, {}
    for case in cases:
        outcome = reference_cases.run(case, librosa)
        index[case.id] = row_of(outcome)
        for number, array in enumerate(outcome.arrays):
            for label, piece in digest.parts_of(array).items():
                arrays[f"{case.id}#{number}#{label}"] = piece
    lines = (f"{json.dumps(i)}: {json.dumps(row)}" for i, row in index.items())
    (REFERENCE / f"{part}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    np.savez_compressed(REFERENCE / f"{part}.npz", **arrays)
    return len(index)


if __name__ == "__main__":
    main()
