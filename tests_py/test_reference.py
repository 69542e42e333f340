"""metalmom's answers are librosa 1.0.0's: numbers, shapes, dtypes, memory order, warnings, errors.

The reference is what scripts/make_reference.py kept of librosa. Beside the tolerance, the error
observed per function is committed (reference/observed.json) and may not double; after a change
that is meant to move it, ``pytest --record-errors`` writes the table anew.
"""

import json
import operator
import pathlib

import digest
import metalmom
import numpy as np
import pytest
import reference_cases
import tolerances

REFERENCE = pathlib.Path(__file__).parent / "reference"
OBSERVED = REFERENCE / "observed.json"
INDEX = json.loads((REFERENCE / "index.json").read_text())
CASES = {case.id: case for case in reference_cases.all_cases()}

# librosa's error -> ours, where ours says more: a bad value is always a ParameterError (which is a
# ValueError), a file that cannot be read is an AudioError or what open() would raise.
OTHER_ERRORS = {
    "ValueError": {"ParameterError"},
    "ZeroDivisionError": {"ParameterError"},
    "ModuleNotFoundError": {"ParameterError"},
    "LibsndfileError": {"AudioError", "FileNotFoundError"},
}


class Store:
    """The kept outputs, each group's file read once."""

    def __init__(self):
        self.groups = {}

    def parts(self, case, number):
        if case.group not in self.groups:
            with np.load(REFERENCE / f"{case.group}.npz") as arrays:
                self.groups[case.group] = dict(arrays)
        prefix = f"{case.id}#{number}#"
        kept = self.groups[case.group]
        return {k[len(prefix) :]: v for k, v in kept.items() if k.startswith(prefix)}


@pytest.fixture(scope="module")
def store():
    return Store()


@pytest.fixture(scope="module")
def observed(request):
    """Largest error per function and precision; written back by --record-errors."""
    table = json.loads(OBSERVED.read_text()) if OBSERVED.exists() else {}
    yield table
    if request.config.getoption("--record-errors"):
        lines = (f"{json.dumps(k)}: {v:.2e}" for k, v in sorted(table.items()))
        OBSERVED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def check_error(case, dtypes, error, observed, record):
    bound = tolerances.bound(case.id, dtypes)
    assert error <= bound, f"{error:.2e} of the peak is over the tolerance {bound:.0e}"
    floor = tolerances.noise_floor(dtypes)
    if error <= floor:
        return
    key = f"{case.function} {'single' if any(map(tolerances.is_single, dtypes)) else 'double'}"
    if record:
        observed[key] = max(error, observed.get(key, 0))
    elif observed:
        allowed = max(tolerances.GROWTH * observed.get(key, 0), floor)
        assert error <= allowed, f"{error:.2e} of the peak, allowed {allowed:.2e}: it has doubled"


def described(arrays, expected):
    """The facts of ARRAYS, their order left out where librosa's array is not contiguous."""
    facts = [digest.describe(array) for array in arrays]
    for ours, theirs in zip(facts, expected):
        if theirs["order"] == "?":
            ours["order"] = "?"
    return facts


@pytest.mark.parametrize("case_id", CASES)
def test_case(case_id, store, observed, request):
    case, row = CASES[case_id], INDEX[case_id]
    try:
        operator.attrgetter(case.function)(metalmom)
    except AttributeError:
        pytest.skip(f"metalmom.{case.function} does not exist")
    outcome = reference_cases.run(case, metalmom)
    if "raised" in row:
        expected = {row["raised"]} | OTHER_ERRORS.get(row["raised"], set())
        assert outcome.raised in expected
        return
    assert outcome.raised == ""
    assert described(outcome.arrays, row["outputs"]) == row["outputs"]
    assert outcome.warned == row.get("warned", [])
    for number, array in enumerate(outcome.arrays):
        error = digest.error_of(array, store.parts(case, number))
        record = request.config.getoption("--record-errors")
        dtypes = (*outcome.input_dtypes, array.dtype)
        check_error(case, dtypes, error, observed, record)


def test_table_and_reference_are_the_same_cases():
    assert list(INDEX) == list(CASES)


def test_an_error_is_seen():
    """The measure itself: a single wrong value in a large array is found, equality is zero."""
    reference = np.random.default_rng(0).standard_normal((257, 40)).astype(np.float32)
    parts = digest.parts_of(reference)
    assert digest.error_of(reference.copy(), parts) == 0
    for place in ((0, 0), (13, 17), (256, 39)):
        wrong = reference.copy()
        wrong[place] += 0.5
        assert digest.error_of(wrong, parts) > 1e-3
    assert digest.error_of(np.array([1, 2]), digest.parts_of(np.array([1, 3]))) == np.inf
