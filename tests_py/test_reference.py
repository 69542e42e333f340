"""metalmom's answers are librosa 1.0.0's: numbers, shapes, dtypes, memory order, warnings, errors.

The reference is what scripts/make_reference.py kept of librosa. Beside the tolerance, the error
observed per function is committed (reference/<part>.observed.json) and may not double; after a change
that is meant to move it, ``pytest --record-errors`` writes the table anew.
"""

import json
import pathlib

import digest
import metalmom
import numpy as np
import pytest
import reference_cases
import tolerances

REFERENCE = pathlib.Path(__file__).parent / "reference"
CASES = {case.id: case for case in reference_cases.all_cases()}
PARTS = reference_cases.parts()


def read_json(name):
    path = REFERENCE / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else {}


INDEX = {case: row for part in PARTS for case, row in read_json(part).items()}

# librosa's error -> ours, where ours says more: a bad value is always a ParameterError (which is a
# ValueError), one of a wrong type a ParameterTypeError (which is a TypeError, too), a file that cannot
# be read is an AudioError or what open() would raise.
OTHER_ERRORS = {
    "ValueError": {"ParameterError"},
    "TypeError": {"ParameterTypeError", "ParameterError"},
    **dict.fromkeys(
        (
            *("ZeroDivisionError", "OverflowError", "IndexError", "AxisError", "AttributeError"),
            "NotImplementedError",
        ),
        {"ParameterError", "ParameterTypeError"},
    ),
    "ModuleNotFoundError": {"ParameterError"},
    "LibsndfileError": {"AudioError", "FileNotFoundError"},
}

# Warnings that librosa gives its users for what it does itself, and we do not: it hands its own
# deprecated arguments to phase_vocoder, divides by the distance of frames that are equal, and squares
# what has no square.
THEIR_OWN_WARNINGS = {
    "effects.time_stretch": {"FutureWarning", "RuntimeWarning"},
    "effects.pitch_shift": {"FutureWarning", "RuntimeWarning"},
    **dict.fromkeys(("feature.rms", "effects.trim", "effects.split"), {"RuntimeWarning"}),
}


class Store:
    """The kept outputs, each part's file read once."""

    def __init__(self):
        self.of_part = {}

    def parts(self, case, number):
        if case.part not in self.of_part:
            with np.load(REFERENCE / f"{case.part}.npz") as arrays:
                self.of_part[case.part] = dict(arrays)
        prefix = f"{case.id}#{number}#"
        kept = self.of_part[case.part]
        return {k[len(prefix) :]: v for k, v in kept.items() if k.startswith(prefix)}


@pytest.fixture(scope="module")
def store():
    return Store()


@pytest.fixture(scope="module")
def observed(request):
    """Part -> largest error per function and precision; written back by --record-errors."""
    tables = {part: read_json(f"{part}.observed") for part in PARTS}
    yield tables
    if request.config.getoption("--record-errors"):
        for part, table in tables.items():
            lines = (f"{json.dumps(k)}: {v:.2e}" for k, v in sorted(table.items()))
            path = REFERENCE / f"{part}.observed.json"
            path.write_text("{\n" + ",\n".join(lines) + "\n}\n" if table else "{}\n")


def check_error(case, dtypes, error, tables, record):
    observed = tables[case.part]
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


def check_values(case, dtypes, array, reference):
    bound = tolerances.value_bound(case.function, dtypes)
    if bound is not None:
        error = digest.value_error_of(array, reference, tolerances.VALUE_FLOOR)
        assert error <= bound, f"{error:.2e} of a value is over the tolerance {bound:.0e}"


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
    outcome = reference_cases.run(case, metalmom)
    if "raised" in row:
        expected = {row["raised"]} | OTHER_ERRORS.get(row["raised"], set())
        assert outcome.raised in expected
        return
    assert outcome.raised == ""
    assert described(outcome.arrays, row["outputs"]) == row["outputs"]
    excused = THEIR_OWN_WARNINGS.get(case.function, set())
    assert outcome.warned == [w for w in row.get("warned", []) if w not in excused]
    for number, array in enumerate(outcome.arrays):
        error = digest.error_of(array, store.parts(case, number))
        record = request.config.getoption("--record-errors")
        dtypes = (*outcome.input_dtypes, array.dtype)
        check_error(case, dtypes, error, observed, record)
        check_values(case, dtypes, array, store.parts(case, number))


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


def test_sums_that_round_to_neighbours_are_the_same():
    reference = np.zeros((60, 40))
    reference[30, :2] = 1, 2.0**-24  # half of single precision's spacing: rounded down
    ours = reference.copy()
    ours[30, 1] *= 1 + 1e-6  # rounded up
    parts = digest.parts_of(reference)
    assert not np.array_equal(parts["sum-1"], digest.parts_of(ours)["sum-1"])
    assert digest.error_of(ours, parts) < 1e-12


def test_an_error_of_a_small_value_is_seen():
    """What the peak hides: a value of a hundred-thousandth of it that is wrong by half."""
    reference = np.logspace(0, -5, 300)
    wrong = reference.copy()
    wrong[-1] *= 1.5
    parts = digest.parts_of(reference)
    assert digest.error_of(wrong, parts) < 1e-5
    assert digest.value_error_of(wrong, parts, tolerances.VALUE_FLOOR) == pytest.approx(0.5)
    assert digest.value_error_of(wrong, parts, 1e-4) == 0
