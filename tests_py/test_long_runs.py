"""Services that run long: a hundredth of a day's work, and what `benchmarks/long_runs.py` says of one that grows."""

import subprocess
import sys

import pytest
from conftest import ROOT
from devices import on_device

sys.path.insert(0, str(ROOT / "benchmarks"))

import long_runs

ON_DEVICE = {"device", "lost_device", "device_sizes"}
SHARES = {"extract_at_once": 0.004, "device_sizes": 0.005, "sizes": 0.02}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=on_device) if each in ON_DEVICE else each for each in long_runs.SERVICES]
)
def test_a_short_run_keeps_what_it_has(name):
    """In so short a run caches fill. What must not grow is the number of descriptors and of threads."""
    command = [sys.executable, long_runs.__file__, "--only", name, "--share", str(SHARES.get(name, 0.01))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert f"**{name}**" in done.stdout, done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("|")][2:], done.stdout
    faults = [line for line in done.stdout.splitlines() if line.startswith(f"{name}: ")]
    assert all("resident memory" in each for each in faults), faults
    assert done.returncode == bool(faults)


def rows(changes):
    steady = {"resident MB": 100.0, "descriptors": 4, "threads": 2, "kept MB": 10.0}
    made = [{"done": mark, **steady} for mark in long_runs.MARKS]
    made[2].update(changes)
    made[3].update(changes)
    return made


@pytest.mark.parametrize("change, said", [
    ({}, []), ({"resident MB": 107.0}, []), ({"resident MB": 60.0, "threads": 1}, []),
    ({"resident MB": 113.0, "pipelines built": 1}, []),
    ({"resident MB": 108.0}, ["resident memory grows by 8.0 MB from the quarter on, above 7.5"]),
    ({"descriptors": 5, "threads": 3}, ["descriptors grow", "threads grow"]),
    ({"kept MB": 250.0}, ["more than 201 MB are kept"]),
])  # fmt: skip
def test_what_grows_is_a_fault(change, said):
    assert long_runs.faults_of(rows(change)) == said
