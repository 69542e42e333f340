#!/usr/bin/env python3
"""Write docs/parity.md: how close to librosa 1.0.0 each function is, and how far off it may be.

    .venv/bin/python scripts/parity.py

From what the reference tests record (tests_py/reference/*.observed.json) and are allowed
(tests_py/tolerances.py). Run it after `pytest --record-errors`. What follows the table, on float32 and
float64, stays as it is: tests_cpp/every_op_numbers.cpp has its numbers.
"""

import collections
import dataclasses
import json
import operator
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "tests_py" / "reference"
PAGE = ROOT / "docs" / "parity.md"

sys.path[:0] = [str(ROOT / "tests_py"), str(ROOT / "scripts"), str(ROOT / "python")]

HEAD = """# How close to librosa 1.0.0

`scripts/parity.py` writes this page from the reference tests, which call each function with the same
arguments as librosa's. Shapes, dtypes, memory order, warnings and errors are equal. Numbers differ by
at most the allowed error below. An error is the largest difference over the largest magnitude of
librosa's answer. *Exact* means at most {ulps} units in the last place of the precision of inputs
and output. Integers, booleans and text have no tolerance. The observed error may not double. An empty
cell means that no case has that precision; a case is float64 if both inputs and output are.

**Subnormal numbers are zero.** The engine reads and writes numbers below 1.2e-38 in float32, and below 2.2e-308 in float64, as
zero (FTZ and DAZ of x86, FZ of aarch64). A processor takes ten to fifty times as long for them, for example at the end of a fade-out
and in the tail of a reverb. librosa keeps them. So results differ by less than these numbers, except after a logarithm: `power_to_db`
and functions that use it count an `amin` below the smallest normal number as that number, where librosa goes down to 1.4e-45.
Parameters that must be positive must be normal numbers. Filters of `filters.chroma` have zeros where librosa's have values down to
1e-45. The floating-point settings of the caller's thread stay unchanged; NumPy keeps subnormal numbers before and after a call.

| Function | Cases | Error seen, float32 | float64 | Allowed, float32 | float64 |
|---|---|---|---|---|---|
"""

OF_PRECISIONS = "\n## Float32 and float64\n"


@dataclasses.dataclass
class Row:
    """A function: how many cases it has, what is seen, and the tolerances that hold for them."""

    function: str
    cases: int
    seen: dict
    allowed: list


def observed():
    """Function and precision -> largest error, of all parts of the table of cases."""
    table = {}
    for path in sorted(REFERENCE.glob("*.observed.json")):
        for key, error in json.loads(path.read_text()).items():
            table[key] = max(error, table.get(key, 0))
    return table


def exists(library, function):
    try:
        return bool(operator.attrgetter(function)(library))
    except AttributeError:
        return False


def rows(cases, seen, tolerances, library):
    """A Row for each function that LIBRARY has, in the order of their names.

    `cases` are pairs of a case and its precisions.
    """
    ids, kinds = collections.defaultdict(list), collections.defaultdict(set)
    for case, precisions in cases:
        ids[case.function].append(case.id)
        kinds[case.function] |= precisions
    for function in sorted(filter(lambda name: exists(library, name), ids), key=str.lower):
        allowed = {tolerances.row(each)[1:]: None for each in ids[function]}
        errors = {
            kind: seen.get(f"{function} {kind}", 0.0) if kind in kinds[function] else None
            for kind in ("single", "double")
        }
        yield Row(function, len(ids[function]), errors, list(allowed))


def with_precisions():
    """The cases, each with the precisions that its outputs are judged in."""
    import numpy as np
    import reference_cases
    import tolerances
    from reference_signals import resolve

    index = {}
    for path in REFERENCE.glob("*.npz"):
        index |= json.loads(path.with_suffix(".json").read_text())
    for case in reference_cases.all_cases():
        values = (*resolve(case.args), *resolve(case.kwargs).values())
        given = [value.dtype for value in values if isinstance(value, np.ndarray)]
        yield case, {
            "single" if any(map(tolerances.is_single, (*given, out["dtype"]))) else "double"
            for out in index[case.id].get("outputs", ())
        }


def line_of(row, notes):
    """A line of the table; NOTES collects the reasons, which are numbered below it."""

    def text(error):
        return "" if error is None else f"{error:.0e}" if error else "exact"

    bounds = []
    for which in (0, 1):
        marked = []
        for single, double, reason in row.allowed:
            number = notes.setdefault(reason, len(notes) + 1)
            marked.append(f"{(single, double)[which]:.0e} ({number})")
        bounds.append(", ".join(marked))
    cells = [f"`{row.function}`", row.cases, *map(text, row.seen.values()), *bounds]
    return f"| {' | '.join(map(str, cells))} |"


def page(found, ulps):
    """The text of the page."""
    notes = {}
    lines = [line_of(row, notes) for row in found]
    reasons = [f"{number}. {reason}" for reason, number in notes.items()]
    body = "\n".join([*lines, "", "Why so much is allowed:", "", *reasons])
    return HEAD.format(ulps=ulps) + body + "\n"


def main():
    import metalmom
    import tolerances

    found = list(rows(with_precisions(), observed(), tolerances, metalmom))
    _, of_precisions, rest = PAGE.read_text().partition(OF_PRECISIONS)
    PAGE.write_text(page(found, tolerances.ULPS) + of_precisions + rest)
    print(f"{PAGE.relative_to(ROOT)}: {len(found)} functions")


if __name__ == "__main__":
    main()
