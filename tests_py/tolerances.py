"""How far an output may be from librosa's, and why: the one table.

An error is the largest difference over the largest magnitude of the reference (digest.error_of).
Integers, booleans and strings (decisions: beats, onsets, labels) have no tolerance.
"""

import fnmatch

import numpy as np

# (case ids, bound for float32 results, bound for float64 results, reason); the first row that
# matches holds. The last row is the rule, those above it are its exceptions.
TABLE = [
    ("lpc/*", 2e-3, 1e-9, "librosa sums squares over the whole signal in float32, one after the other"),
    (
        "icqt/magnitudes",
        3e-5,
        1e-6,
        "as below; without phases the samples cancel in their sum, and their rounding does not",
    ),
    (
        "*[cv]qt*",
        1e-5,
        1e-6,
        "librosa's constant-Q filters are complex64, and libsoxr resamples in float32",
    ),
    ("*", 1e-5, 1e-9, "rounding of a transform and a sum over many bins"),
]

# Values that vary over decades are compared relative to themselves as well: those above VALUE_FLOOR
# of the reference's peak (digest.value_error_of). Below it the rounding of the transform, which is
# relative to the loudest bin, is most of what is left. (function, bound for float32, for float64,
# reason); a function without a row is held to its peak alone.
VALUE_FLOOR = 1e-6
VALUE_TABLE = [
    ("stft", 1e-6, 1e-9, "transformed in float64, rounded once"),
    ("feature.melspectrogram", 1e-5, 1e-12, "sums of positive terms: nothing cancels"),
    ("feature.chroma_stft", 1e-5, 1e-12, "sums of positive terms: nothing cancels"),
    ("feature.rms", 1e-6, 1e-12, "sums of squares, then a root"),
    ("feature.spectral_flatness", 3e-5, 1e-11, "a mean of logarithms multiplies their errors"),
    ("pcen", 1e-6, 1e-12, "a smoothing of positive values, then powers"),
]

# The observed error of a feature may grow to this multiple before a test fails; below ULPS units
# in the last place growth means nothing.
GROWTH = 2
ULPS = 4


def is_single(dtype):
    dtype = np.dtype(dtype)
    return dtype.itemsize <= (8 if dtype.kind == "c" else 4) and dtype.kind in "fc"


def row(case_id):
    """The row of the table that holds for a case."""
    return next(row for row in TABLE if fnmatch.fnmatchcase(case_id, row[0]))


def bound(case_id, dtypes):
    """The tolerance of a case whose inputs and output have DTYPES.

    One of them in single precision is enough for the bound of single precision: what librosa
    returns as float64 from float32 audio (a tempogram, a centroid) is no more exact than that.
    """
    _, of_single, of_double, _ = row(case_id)
    return of_single if any(map(is_single, dtypes)) else of_double


def value_bound(function, dtypes):
    """The tolerance relative to each value, or None where FUNCTION has none."""
    for name, of_single, of_double, _ in VALUE_TABLE:
        if name == function:
            return of_single if any(map(is_single, dtypes)) else of_double
    return None


def noise_floor(dtypes):
    """The error below which two results count as equal: ULPS units in the last place."""
    return ULPS * float(np.finfo(np.float32 if any(map(is_single, dtypes)) else np.float64).eps)
