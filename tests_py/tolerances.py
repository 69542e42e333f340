"""How far an output may be from librosa's, and why: the one table.

An error is the largest difference over the largest magnitude of the reference (digest.error_of).
Integers, booleans and strings (decisions: beats, onsets, labels) have no tolerance.
"""

import fnmatch

import numpy as np

# (case ids, bound for float32 results, bound for float64 results, reason); the first row that
# matches holds. The last row is the rule, those above it are its exceptions.
TABLE = [
    ("istft/dtype", 1e-5, 1e-6, "librosa inverts a complex64 spectrum in float32 whatever it returns"),
    ("*", 1e-5, 1e-9, "rounding of a transform and a sum over many bins"),
]

# The observed error of a feature may grow to this multiple before a test fails; below ULPS units
# in the last place growth means nothing.
GROWTH = 2
ULPS = 4


def bound(case_id, dtype):
    """The tolerance of a case for an output of DTYPE."""
    single = np.dtype(dtype).itemsize <= (8 if np.dtype(dtype).kind == "c" else 4)
    for pattern, of_single, of_double, _ in TABLE:
        if fnmatch.fnmatchcase(case_id, pattern):
            return of_single if single else of_double
    raise LookupError(case_id)


def noise_floor(dtype):
    """The error below which two results count as equal: ULPS units in the last place."""
    return ULPS * float(np.finfo(dtype).eps)
