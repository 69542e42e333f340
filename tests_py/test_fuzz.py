"""scripts/fuzz finds what a machine has found, a crash and a hang, and tells the seed that repeats it."""

import faulthandler
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import pytest
from fuzz.__main__ import MACHINES

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A machine whose tries fail in four ways, a sixteenth of them each, by what their seeds draw.
PLANTED = '''"""A machine with faults."""

import ctypes
import time

from fuzz.draw import expect

LIMIT = 3.0


def attempt(draw):
    drawn = draw.below(64)
    draw.say(f"drawn: {drawn}")
    expect(drawn != KIND or "wrong" != WHAT, "this is wrong")
    if drawn == KIND and WHAT == "error":
        {}["missing"]
    if drawn == KIND and WHAT == "crash":
        ctypes.string_at(8)
    if drawn == KIND and WHAT == "hang":
        time.sleep(60)
'''


def run(command, *options, **environment):
    return subprocess.run([*command, *options], env={**os.environ, **environment}, capture_output=True,
                          text=True, timeout=120, check=False)  # fmt: skip


@pytest.fixture
def plant(tmp_path):
    """Put a machine with a fault in the place of one; what runs it."""
    path = os.pathsep.join([str(tmp_path), str(ROOT / "python"), str(ROOT / "tests_py")])
    (tmp_path / "fuzz").mkdir()

    def planted(what):
        (tmp_path / "fuzz/tables.py").write_text(PLANTED.replace("KIND", "5").replace("WHAT", repr(what)))
        return lambda *options: run([sys.executable, "-m", "fuzz", "--only", "tables"], *options, PYTHONPATH=path)

    return planted


@pytest.mark.parametrize("what, words", [
    ("wrong", "Wrong: this is wrong"), ("error", "KeyError: 'missing'"), ("crash", "the process ended by SIGSEGV"),
    ("hang", "lasts longer than 3 s"),
])  # fmt: skip
def test_a_fault_is_told_with_the_seed_that_repeats_it(plant, what, words):
    run = plant(what)
    found = run("--seed", "1", "--tries", "150")
    assert found.returncode == 1 and words in found.stdout, found.stdout + found.stderr
    again = next(line for line in found.stdout.splitlines() if "again:" in line).split("--only tables ")[1]
    repeated = run(*again.split())
    assert repeated.returncode == 1
    assert words in repeated.stdout and "drawn: 5" in repeated.stdout
    assert "1 tries, 1 faults" in repeated.stdout


def test_the_tries_after_a_fault_are_made(plant):
    found = plant("wrong")("--seed", "1", "--tries", "300")
    assert "300 tries" in found.stdout and found.stdout.count("again: ") > 1


def test_what_finds_nothing_ends_well(plant):
    done = plant("nothing")("--seed", "1", "--tries", "250")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        done.stdout
        == f"fuzz: --seed 1\n{'tables':10} {250:9} tries, 0 faults, {done.stdout.split()[-2]} s\n"
    )


def test_a_machine_that_does_not_begin_is_a_fault(plant, tmp_path):
    run = plant("nothing")
    (tmp_path / "fuzz/tables.py").write_text('"""A machine."""\n\nattempt = missing\n')
    done = run("--tries", "9")
    assert done.returncode == 1 and "NameError" in done.stdout + done.stderr


def test_help_and_machines_that_there_are_not():
    told = run([ROOT / "scripts/fuzz", "--help"])
    assert told.returncode == 0
    page = (ROOT / "docs/reliability.md").read_text()
    for name in MACHINES:
        assert f"  {name} " in told.stdout and f"| `{name}` |" in page
    for name in ("nix", "draw"):
        refused = run([ROOT / "scripts/fuzz", "--only", name])
        assert refused.returncode == 2 and f"argument --only: invalid choice: '{name}'" in refused.stderr


def test_a_child_tells_how_it_ends():
    from fuzz.draw import in_a_child

    assert in_a_child(lambda: None, 60) is None
    assert in_a_child(lambda: {}["missing"], 60) == "ends with 1"
    assert in_a_child(lambda: os._exit(3), 60) == "ends with 3"
    assert in_a_child(lambda: (faulthandler.disable(), time.sleep(60)), 0.5) == "does not end"


def test_seeds_alone_decide_what_is_drawn():
    from fuzz.draw import Draw
    from fuzz.mutations import changed_json, mutated

    def drawn(machine, seed):
        draw = Draw(machine, seed, lambda *_: None)
        return (
            mutated(draw, bytes(100)),
            changed_json(draw, {"a": [1, {"b": 2}]}),
            draw.random.standard_normal(),
        )

    assert drawn("a", 7) == drawn("a", 7) != drawn("b", 7) != drawn("b", 8)


def test_arrays_laid_otherwise_hold_the_same():
    from fuzz.draw import Draw
    from fuzz.functions import laid_otherwise

    kinds = set()
    for seed in range(100):
        draw = Draw("", seed, lambda *_: None)
        array = np.arange(12.0).reshape(3, 4)
        other = laid_otherwise(draw, array)
        np.testing.assert_array_equal(other, array)
        kinds.add((type(other), other.dtype.str, other.strides, other.flags.writeable, other.flags.aligned))
    assert len(kinds) >= 7
