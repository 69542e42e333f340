#!/usr/bin/env python3
"""Run the reference cases through librosa 1.0.0 and keep what it answers.

    python scripts/make_reference.py [PART ...]
    python scripts/make_reference.py --only PREFIX
    python scripts/make_reference.py --benchmarks
    python scripts/make_reference.py --types

Run by a Python that has librosa 1.0.0 installed. For each part of the table in
tests_py/reference_cases.py (a file cases_<part>.py), or for those that are named, writes
tests_py/reference/<part>.npz (the numbers) and <part>.json (shapes, dtypes, memory order, warnings,
errors). With --only, prints the outcomes of some cases and writes nothing. With --benchmarks, writes
benchmarks/reference/answers.npz, which benchmarks check theirs against. With --types, after all parts,
writes tests_py/reference/types.json, which takes minutes: which other types and which results of other
functions each array argument takes (tests_py/type_calls.py).
"""

import argparse
import json
import os
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests_py"), str(ROOT / "scripts")]

import digest  # noqa: E402
import reference_cases  # noqa: E402
import type_calls  # noqa: E402

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


def taken_types(librosa):
    """Case -> array argument -> the types and the results of functions that librosa takes there."""
    raised = {}
    for part in reference_cases.parts():
        index = json.loads((REFERENCE / f"{part}.json").read_text())
        raised |= {case: "raised" in row for case, row in index.items()}
    outputs = type_calls.outputs(librosa)
    for case, given, place in type_calls.calls(lambda case: not raised[case.id]):
        others = type_calls.others_for(given[place], outputs)
        yield case.id, str(place), taken(librosa, case, given, place, others)


def taken(librosa, case, given, place, others):
    """Labels of the arrays that librosa takes, tried in another process: with some Numba's code crashes."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        for label, value in others.items():
            if not type_calls.call(librosa, case, given, place, value).raised:
                os.write(write, f"{label}\n".encode())
        os._exit(0)
    os.close(write)
    with open(read) as labels:
        found = labels.read().splitlines()
    os.waitpid(child, 0)
    return found


def write_types(librosa):
    table = {}
    for case, place, labels in taken_types(librosa):
        table.setdefault(case, {})[place] = labels
        print(f"{case}, {place}: {len(labels)}", flush=True)
    lines = (f"{json.dumps(case)}: {json.dumps(row)}" for case, row in table.items())
    (REFERENCE / "types.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help="these parts, not all")
    parser.add_argument("--only", help="print the cases whose id starts so; write nothing")
    parser.add_argument("--benchmarks", action="store_true", help="the benchmarks' answers only")
    parser.add_argument("--types", action="store_true", help="which types arguments take, only")
    options = parser.parse_args()

    import librosa

    if librosa.__version__ != "1.0.0":
        sys.exit(f"the reference is librosa 1.0.0, this Python has {librosa.__version__}")

    if options.benchmarks:
        return benchmark_answers()
    if options.types:
        return write_types(librosa)

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
