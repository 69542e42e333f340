"""What is kept of an output, and how far another output is from it.

Small arrays are kept whole. Of large ones the first and last frame, every n-th of the rest (n
coprime to the shape, so that every row and column is met) and the sums over each of the last two
axes, which a fault anywhere changes.
"""

import math

import numpy as np

WHOLE = 1200  # values up to which an array is kept whole


def stride_of(array):
    stride = max(2, array.size // (WHOLE // 2))
    while any(math.gcd(stride, n) != 1 for n in array.shape if n > 1):
        stride += 1
    return stride


def parts_of(array):
    """Label -> the pieces that stand for ARRAY, in its own dtype but for the sums."""
    array = np.asarray(array)
    if array.size <= WHOLE or array.dtype.kind not in "fc":
        return {"whole": array}
    wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    parts = {
        "ends": array[..., [0, -1]] if array.ndim > 1 else array[:256],
        "every": array.ravel()[:: stride_of(array)],
    }
    for axis in range(-1, -min(array.ndim, 2) - 1, -1):
        sums = wide.sum(axis=axis)
        parts[f"sum{axis}"] = sums.astype(np.complex64 if sums.dtype.kind == "c" else np.float32)
    return parts


def order_of(array):
    """'C' or 'F' as NumPy's flags say; '' where there is nothing to tell apart."""
    flags = array.flags
    if array.ndim != 2 or (flags.c_contiguous and flags.f_contiguous):
        return ""
    return "C" if flags.c_contiguous else "F" if flags.f_contiguous else "?"


def describe(array):
    return {"shape": list(array.shape), "dtype": str(array.dtype), "order": order_of(array)}


def part_error(label, ours, reference, peak):
    """Largest difference over PEAK; a sum's is over what its own values reach, if that is more.

    Sums are kept in single precision: two that are the same but for last bits of double precision
    can be rounded to neighbours, which is no difference.
    """
    ours, reference = np.asarray(ours), np.asarray(reference)
    if reference.size == 0:
        return 0.0
    same = (ours == reference) | (np.isnan(ours) & np.isnan(reference))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0, np.abs(ours - reference))
        if label.startswith("sum"):
            rounding = np.spacing(np.abs(reference))  # of each part, if it is complex
            rounding = rounding * (math.sqrt(2) if reference.dtype.kind == "c" else 1)
            difference = np.where(difference <= rounding, 0, difference)
    if label.startswith("sum"):
        peak = max(peak, float(np.max(np.abs(reference))))
    return float(np.max(difference)) / peak if peak else float(np.max(difference))


def peak_of(parts):
    """Largest finite magnitude of what is kept of a reference, its sums left out."""
    kept = [np.abs(v[np.isfinite(v)]) for k, v in parts.items() if not k.startswith("sum")]
    return max((float(v.max()) for v in kept if v.size), default=0.0)


def error_of(ours, reference_parts):
    """How far the array OURS is from a kept reference, relative to the reference's peak.

    Integers, booleans and strings have no tolerance: any difference is infinite.
    """
    parts = parts_of(ours)
    if parts.keys() != reference_parts.keys():
        return math.inf
    if np.asarray(ours).dtype.kind not in "fc":
        return 0.0 if np.array_equal(parts["whole"], reference_parts["whole"]) else math.inf
    peak = peak_of(reference_parts)
    errors = [part_error(k, parts[k], reference_parts[k], peak) for k in parts]
    return math.inf if any(map(math.isnan, errors)) else max(errors)


def value_error_of(ours, reference_parts, floor):
    """How far the array OURS is from a kept reference, relative to each value.

    Of the values whose magnitude is above FLOOR times the reference's peak; sums are left out. A
    peak of a spectrum hides what is wrong with a value a million times smaller; this measure does
    not.
    """
    parts, lowest, largest = parts_of(ours), floor * peak_of(reference_parts), 0.0
    for label, reference in reference_parts.items():
        magnitude = np.abs(reference)
        looked_at = np.isfinite(magnitude) & (magnitude > lowest)
        if not label.startswith("sum") and looked_at.any():
            error = np.abs(parts[label] - reference)[looked_at] / magnitude[looked_at]
            largest = max(largest, math.inf if np.isnan(error).any() else float(error.max()))
    return largest
