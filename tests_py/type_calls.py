"""Calls of public functions with arrays of other types, and with what other functions return.

Made of the table of reference cases: of each function the first case for each of its array arguments.
scripts/make_reference.py --types tries them on librosa, and keeps which it takes.
"""

import numpy as np
import reference_cases
from reference_signals import resolve

REAL = ("bool", "int8", "uint8", "int16", "int32", "int64", "uint64", "float16", "longdouble", ">i4", ">f4", ">f8")
COMPLEX = (">c8",)

# Default results that are no float32 or float64, of each type and number of axes that there are
# (test_types.py looks); of matrices a square one and pairs, too. The case, and which of its results.
OUTPUTS = (
    *(("util.localmax/1-d", 0), ("segment.recurrence_matrix/connectivity", 0)),
    *(("segment.cross_similarity/connectivity", 0), ("util.match_events/both", 0)),
    *(("key_to_degrees/C:maj", 0), ("sequence.dtw/default", 1), ("effects.split/default", 0)),
    *(("util.shear/axis 0", 0), ("sequence.viterbi/default", 0), ("sequence.viterbi_binary/default", 0)),
    *(("sequence.rqa/default", 1), ("phase_vocoder/fast", 0), ("util.phasor/default", 0), ("fmt/default", 0)),
)

# librosa follows whatever pointers there are, out of the array.
LEFT_OUT = {"sequence.dtw_backtracking"}
LARGEST = 30_000  # values of arrays that are varied: the call has to be quick


def calls(succeeds):
    """(case, arguments, place of an array among them) for each function and array argument.

    `succeeds(case)` tells cases that librosa refuses. Arguments are a dict by position or name.
    """
    seen = set()
    for case in reference_cases.all_cases():
        if case.function in LEFT_OUT or not succeeds(case):
            continue
        given = dict(enumerate(resolve(case.args))) | resolve(case.kwargs)
        for place, value in given.items():
            is_array = isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "biufc"
            if is_array and 0 < value.size <= LARGEST and (case.function, place) not in seen:
                seen.add((case.function, place))
                yield case, given, place


def call(library, case, given, place, value):
    """What `reference_cases.run` says of the case with `value` in a place."""
    given = {key: np.copy(item, order="K") if isinstance(item, np.ndarray) else item for key, item in given.items()}
    given[place] = value
    args = tuple(given[key] for key in given if isinstance(key, int))
    kwargs = {key: item for key, item in given.items() if isinstance(key, str)}
    return reference_cases.run(reference_cases.Case(case.id, case.function, args, kwargs, case.part), library)


def others_for(value, outputs):
    """Label -> array, of what may be given in the place of a value: complex only where that is complex."""
    types = REAL if value.dtype.kind != "c" else (*REAL, *COMPLEX)
    others = {each: as_type(value, each) for each in types}
    return others | {
        label: array for label, array in outputs.items() if array.dtype.kind != "c" or value.dtype.kind == "c"
    }


def as_type(value, dtype):
    """The value in a type: of whole numbers up to 100 for integers, above the median or not for bool."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return value.astype(dtype, order="K")
    real = np.nan_to_num(value.real.astype(np.float64, order="K"))
    if dtype.kind == "b":
        return real > np.median(real)
    if dtype.kind in "iu":
        top = np.abs(real).max()
        if top > 127 or (real != np.round(real)).any():
            real = np.round(100 * real / top)
        real = np.abs(real) if dtype.kind == "u" else real
    return real.astype(dtype, order="K")


def outputs(library):
    """Label -> array, for each of OUTPUTS."""
    cases = {case.id: case for case in reference_cases.all_cases()}
    return {f"{name}#{i}": reference_cases.run(cases[name], library).arrays[i] for name, i in OUTPUTS}
