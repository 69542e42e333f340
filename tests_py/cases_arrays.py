"""Reference cases of util's tools for matrices and sequences, and of signals put together."""

import numpy as np
import reference_signals as s

PEAKS = np.array([[1.0, 5, 2, 0], [4, 2, 9, 1], [7, 1, 3, 8], [0, 0, 1, 9]])
COUNTING = np.arange(35).reshape(5, 7)
REPEATED = np.vander(np.arange(5))
COSINE = np.cos(np.arange(8) * np.pi / 4)


def add(case):
    add_matrices(case)
    add_sequences(case)
    add_interpolation(case)
    add_channels(case)


def add_matrices(case):
    sort = "util.axis_sort"
    case(sort, "columns", PEAKS)
    case(sort, "rows", PEAKS[:3], axis=0, index=True)
    case(sort, "by least", PEAKS[1:], axis=-2, value=np.argmin, index=True)
    case(sort, "Fortran", np.asfortranarray(PEAKS), axis=1)
    case(sort, "vector", PEAKS[0])
    mask = "util.softmask"
    single = PEAKS.astype(np.float32)
    case(mask, "float32", single, single[::-1])
    case(mask, "other precisions", single, PEAKS[::-1], power=2)
    case(mask, "whole numbers", PEAKS.astype(int), PEAKS[::-1], split_zeros=True)
    stack = "util.stack"
    case(stack, "default", [s.short, s.short])
    case(stack, "last", [s.short, s.short], axis=-1)
    case(stack, "stereo", [s.stereo64, s.stereo64, s.stereo64])
    case(stack, "dtypes", [np.ones((2, 3), np.int16), np.ones((2, 3), np.float32)])
    case(stack, "middle", [COUNTING, COUNTING], axis=1)
    case(stack, "none", [])
    case(stack, "shapes", [np.ones(2), np.ones(3)])
    shear = "util.shear"
    for axis in (0, -1):
        case(shear, f"axis {axis}", COUNTING, axis=axis)
        case(shear, f"back {axis}", COUNTING, factor=-1, axis=axis)
    case(shear, "tall", COUNTING.T.copy(), factor=3)
    case(shear, "float32", s.decibels, factor=-2)
    case(shear, "bool", np.eye(4, dtype=bool), factor=-1)
    case(shear, "no rows", np.ones((0, 3)))
    case(shear, "fraction", COUNTING, factor=1.5)


def add_sequences(case):
    gradient = "util.cyclic_gradient"
    case(gradient, "default", COSINE)
    case(gradient, "order 2", COSINE, edge_order=2)
    case(gradient, "float32", s.decibels, axis=0)
    case(gradient, "integers", np.array([1, 2, 5, 9, 4], np.uint8))
    case(gradient, "complex", s.spectrum)
    case(gradient, "one", np.ones(1))
    case(gradient, "two", np.array([1.0, 2.0]))
    case(gradient, "none", np.ones(0))
    case(gradient, "order 3", COSINE, edge_order=3)
    for name in ("util.count_unique", "util.is_unique"):
        case(name, "rows", REPEATED)
        case(name, "columns", REPEATED, axis=0)
        case(name, "vector", np.array([3, 1, 3]))
        case(name, "nan", np.array([np.nan, 1, np.nan]))
        case(name, "text", np.array(["a", "b", "a"]))
        case(name, "empty", np.empty((3, 0)))
        case(name, "three axes", np.arange(24).reshape(2, 3, 4) // 5, axis=1)
    buffer = "util.buf_to_float"
    case(buffer, "16 bits", s.integers)
    case(buffer, "8 bits", np.array([1, -128, 127], np.int8), n_bytes=1)
    case(buffer, "32 bits", np.array([1, 2**31 - 1], np.int32), n_bytes=4, dtype=np.float64)
    case(buffer, "bytes", np.array([1, -32768, 32767], "<i2").tobytes())
    case(buffer, "odd bytes", b"123")
    phasor = "util.phasor"
    angles = np.linspace(-9, 9, 30).reshape(5, 6)
    case(phasor, "default", angles)
    case(phasor, "transposed", angles.T)
    case(phasor, "float32", angles.astype(np.float32), mag=np.arange(6.0, dtype=np.float32))
    case(phasor, "magnitude", angles, mag=2)
    case(phasor, "complex magnitude", angles, mag=2j)
    case(phasor, "scalar", 0.5)
    case(phasor, "float32 scalar", np.float32(0.5), mag=0.1)
    case(phasor, "integers", np.arange(4))
    case(phasor, "empty", [])
    case(phasor, "shapes", angles, mag=np.ones(5))


def add_interpolation(case):
    between = "util.interp_broadcast"
    few, two = np.array([0, 0.5, 1]), np.array([1, 0])
    lines = dict(x1=np.array([1, 2, 4]), x1_pos=few, x2=np.array([5, 10]), x2_pos=two, axis=0)
    case(between, "default", **lines)
    case(between, "both", op=None, **lines)
    case(between, "elsewhere", interp_pos=np.array([-1, 0, 0.3, 2]), op=np.add, fill_value=-3, **lines)
    case(between, "beyond", interp_pos=np.array([-1, 2]), fill_value="extrapolate", **lines)
    case(between, "nearest", kind="nearest", interp_pos=np.array([0.1, 0.9]), **lines)
    case(between, "nowhere", interp_pos=np.array([]), **lines)
    planes = dict(x1=np.arange(24.0).reshape(2, 3, 4), x2=np.arange(8.0).reshape(2, 1, 4) + 1)
    case(between, "planes", x1_pos=few, x2_pos=np.array([0.5]), kind="nearest", fill_value=1, **planes)
    single = dict(x1=np.ones((3, 2), np.float32), x2=np.full((2, 2), 3, np.float32))
    case(between, "float32", x1_pos=few, x2_pos=two, **single)
    case(between, "no axis", **{**lines, "axis": -2})
    case(between, "lengths", **{**lines, "x1_pos": two})


def add_channels(case):
    a, b, c = np.arange(3.0), np.arange(5, dtype=np.float32), np.arange(8.0).reshape(2, 4)
    multi, stereo = "to_multi", "to_stereo"
    case(multi, "two", a, b)
    case(multi, "three", a, b, c)
    case(multi, "shortest", a, b, c, pad=False)
    case(multi, "sums", c, a, norm=False)
    case(multi, "one", c)
    case(multi, "added", c, c[:, :3], downmix=False)
    case(multi, "summed", c, c[:, :3], downmix=False, norm=False, pad=False)
    case(multi, "four axes", s.batch, s.short)
    case(multi, "out", b, b, out=np.ones((2, 5), order="F"))
    case(multi, "none")
    case(multi, "layouts", a, c, downmix=False)
    case(multi, "integers", np.arange(3))
    case(multi, "nan", s.with_nan, a)
    case(multi, "small out", a, b, out=np.zeros((2, 4)))
    case(multi, "single out", a, b, out=np.zeros((2, 5), np.float32))
    case(stereo, "two", left=a, right=b)
    case(stereo, "left", left=c, right=None)
    case(stereo, "right", left=None, right=b, norm=False)
    case(stereo, "mixed", left=c, right=a, norm=False)
    case(stereo, "kept", left=c, right=a, downmix=False)
    case(stereo, "kept sum", left=c, right=c, downmix=False, norm=False)
    case(stereo, "sides", left=a, right=b, downmix=False)
    case(stereo, "one kept", left=c, right=None, downmix=False)
    case(stereo, "shortest", left=s.tone, right=s.short, pad=False)
    case(stereo, "none", left=None, right=None)
    case(stereo, "layout", left=np.ones((3, 4)), right=a, downmix=False)
