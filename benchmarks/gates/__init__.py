"""The regression gates: what can be checked without a clock, on any machine, however busy.

Each gate is a module with ``check(record)`` that yields one sentence per breach and, with RECORD,
writes its baseline in benchmarks/baselines instead.
"""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BASELINES = ROOT / "benchmarks" / "baselines"


class Skipped(Exception):
    """A gate that cannot run here; the text says why."""


def baseline(name):
    path = BASELINES / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def write_baseline(name, table):
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())
    (BASELINES / f"{name}.json").write_text(f"{{\n{lines}\n}}\n")


def check(record=False):
    """Run every gate; the exit status."""
    from gates import counters, instructions, invariance, numerics

    failed = False
    for gate in (numerics, invariance, counters, instructions):
        name = gate.__name__.split(".")[-1]
        try:
            breaches = list(gate.check(record))
        except Skipped as reason:
            print(f"gate {name}: skipped: {reason}")
            continue
        failed |= bool(breaches)
        print(f"gate {name}: {'FAILED' if breaches else 'recorded' if record else 'passed'}")
        for breach in breaches:
            print(f"    {breach}")
    return int(failed)
