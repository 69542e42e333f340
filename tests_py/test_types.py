"""Arrays of all types, and what other functions return: what librosa takes is taken, and means the same.

tests_py/reference/types.json says what librosa takes (scripts/make_reference.py --types).
"""

import fnmatch
import json
import pathlib

import metalmom
import numpy as np
import pytest
import reference_cases
import type_calls

REFERENCE = pathlib.Path(__file__).parent / "reference"
TAKEN = json.loads((REFERENCE / "types.json").read_text())
INDEX = {}
for part in reference_cases.parts():
    INDEX |= json.loads((REFERENCE / f"{part}.json").read_text())
CALLS = list(type_calls.calls(lambda case: "raised" not in INDEX[case.id]))
OUTPUTS = type_calls.outputs(metalmom)

WHOLE = "bool *int*"
# What librosa takes and is refused here: function, types, why.
REFUSED = [
    ("to_stereo", WHOLE, "whole numbers are no audio"),
    ("sequence.rqa", "*int8", "they do not hold the scores, which wrap around in librosa"),
    ("effects.remix", "bool", "they are no positions"),
]
# What is not the same of the same numbers in floating point, but as in librosa: function, types, why.
OTHERWISE = [
    ("util.buf_to_float", "*int*", "samples of integers are of another scale"),
    ("util.sync", WHOLE, "means are of the type of what is given, and places must be whole"),
    ("util.normalize", WHOLE, "quotients are of the type of what is given"),
    ("feature.tonnetz", WHOLE, "it normalizes so"),
    ("util.nnls", WHOLE, "solutions are of the type of A"),
    ("util.abs2", "*int8", "squares are of the type of what is given"),
    ("segment.path_enhance", WHOLE, "so are smoothed values"),
    ("decompose.nn_filter", WHOLE, "so are means"),
    ("feature.temp*", "*int*", "the ramps at the ends of an envelope are"),
    ("sequence.dtw", "*int*", "steps are whole"),
    ("util.peak_pick", "bool", "its means are"),
    ("hz_to_midi", "bool *int8", "NumPy takes their logarithms in half precision"),
    ("perceptual_weighting", "float16", "so are weights"),
    ("filters.wavelet*", "float16 float128", "lengths are rounded to samples"),
    ("sequence.viterbi*", "float16", "rows that sum to one do not do so exactly"),
]
# Single precision in another byte order stays single precision, but where SciPy widens it in librosa, too.
SINGLE, WIDENED = {">f4", ">c8"}, {"feature.delta"}


def is_listed(table, function, dtype):
    return any(
        fnmatch.fnmatchcase(function, name) and any(fnmatch.fnmatchcase(dtype.name, t) for t in types.split())
        for name, types, _ in table
    )


def as_float(value):
    """The same numbers in single precision, where that holds the type, else in double."""
    if value.dtype.kind == "c":
        return value.astype(np.complex64 if value.dtype.itemsize <= 8 else np.complex128, order="K")
    single = value.dtype.kind == "f" and value.dtype.itemsize <= 4
    return value.astype(np.float32 if single else np.float64, order="K")


def assert_same(found, expected, half):
    assert found.shape == expected.shape
    if found.dtype.kind not in "fc" or expected.dtype.kind not in "fc":
        return np.testing.assert_array_equal(found, expected)
    peak = np.abs(expected[np.isfinite(expected)]).max(initial=0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=(2e-3 if half else 2e-5) * peak)


def test_the_reference_is_of_these_calls():
    places = [(case.id, str(place)) for case, _, place in CALLS]
    assert places == [(case, place) for case, row in TAKEN.items() for place in row]


def test_every_default_result_is_fed_on():
    """By its type and number of axes, where it is an array of another type than audio."""
    first = {}
    for case, row in INDEX.items():
        first.setdefault(case.split("/")[0], row.get("outputs", []))
    kinds = {(o["dtype"], len(o["shape"])) for outputs in first.values() for o in outputs if o["shape"]}
    others = {kind for kind in kinds if kind[0] not in ("float32", "float64") and not kind[0].startswith("<U")}
    assert others <= {(str(each.dtype), each.ndim) for each in OUTPUTS.values()}


@pytest.mark.parametrize("case, given, place", CALLS, ids=[f"{case.id}, {place}" for case, _, place in CALLS])
def test_other_types(case, given, place):
    for label, value in type_calls.others_for(given[place], OUTPUTS).items():
        taken = label in TAKEN[case.id][str(place)]
        if not taken or is_listed(REFUSED, case.function, value.dtype):
            continue
        found = type_calls.call(metalmom, case, given, place, value)
        same = type_calls.call(metalmom, case, given, place, as_float(value))
        if found.raised:  # for its shape or its values, whatever the type
            assert same.raised, f"{label}: {found.raised}"
        elif not is_listed(OTHERWISE, case.function, value.dtype):
            assert not same.raised, f"{label} as float: {same.raised}"
            for array, expected in zip(found.arrays, same.arrays):
                assert_same(array, expected, value.dtype == np.float16)
                if label in SINGLE and case.function not in WIDENED:
                    assert array.dtype.newbyteorder("=") == expected.dtype
