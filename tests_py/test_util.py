"""Array utilities: views, memory order, edges and errors; the values are librosa 1.0.0's."""

import metalmom
import numpy as np
import pytest
from metalmom import ParameterError, util


def refuses(match, function, *args, **kwargs):
    with pytest.raises(ParameterError, match=match):
        function(*args, **kwargs)


def test_error_classes():
    assert issubclass(ParameterError, metalmom.LibrosaError)
    assert issubclass(ParameterError, ValueError)
    for name in ("AudioError", "DeviceError", "ModelError"):
        error = getattr(util.exceptions, name)
        assert error is getattr(metalmom.nn if name == "ModelError" else metalmom, name)
        assert issubclass(error, metalmom.LibrosaError)
        assert issubclass(error, RuntimeError)


def test_frame_is_a_view():
    x = np.arange(7.0)
    columns = util.frame(x, frame_length=3, hop_length=2)
    assert columns.tolist() == [[0, 2, 4], [1, 3, 5], [2, 4, 6]]
    assert np.shares_memory(columns, x)
    assert not columns.flags.writeable
    rows = util.frame(x, frame_length=3, hop_length=2, axis=0, writeable=True)
    assert rows.tolist() == columns.T.tolist()
    rows[1, 0] = 9
    assert x[2] == 9
    assert columns[2, 0] == 9


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
@pytest.mark.parametrize("order", "CF")
def test_frame_of_a_matrix(axis, order, rng):
    x = np.array(rng.standard_normal((20, 30)), order=order)
    frames = util.frame(x, frame_length=8, hop_length=5, axis=axis)
    count = 1 + (x.shape[axis] - 8) // 5
    assert frames.ndim == 3
    for i in range(count):
        cut = x.take(range(5 * i, 5 * i + 8), axis=axis)
        np.testing.assert_array_equal(frames.take(i, axis=axis), cut)


def test_frame_keeps_subclasses_if_asked():
    class Marked(np.ndarray):
        pass

    x = np.arange(5).view(Marked)
    assert type(util.frame(x, frame_length=2, hop_length=1)) is np.ndarray
    assert type(util.frame(x, frame_length=2, hop_length=1, subok=True)) is Marked


def test_frame_refuses():
    x = np.arange(5)
    refuses("frame_length=6 must be at most", util.frame, x, frame_length=6, hop_length=1)
    refuses("frame_length=0 must be", util.frame, x, frame_length=0, hop_length=1)
    refuses("hop_length=0 must be", util.frame, x, frame_length=2, hop_length=0)


def test_padding_and_cutting():
    x = np.arange(1, 6)
    assert util.pad_center(x, size=8).tolist() == [0, 1, 2, 3, 4, 5, 0, 0]
    assert util.pad_center(x, size=7, mode="edge").tolist() == [1, 1, 2, 3, 4, 5, 5]
    assert util.pad_center(x[:, None], size=6, axis=0).shape == (6, 1)
    refuses("size=4 must be at least", util.pad_center, x, size=4)
    assert util.fix_length(x, size=5) is x
    assert np.shares_memory(util.fix_length(x, size=2), x)
    assert util.fix_length(x, size=7, mode="edge").tolist() == [1, 2, 3, 4, 5, 5, 5]
    assert util.expand_to(np.ones((2, 3)), ndim=4, axes=[-1, 1]).shape == (1, 3, 1, 2)
    refuses("axes=", util.expand_to, np.ones((2, 3)), ndim=4, axes=1)
    refuses("ndim=1 must be", util.expand_to, np.ones((2, 3)), ndim=1, axes=[0, 1])


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        (np.inf, [[-1, 0.75], [0.5, 1]]),
        (-np.inf, [[-2, 1], [1, 4 / 3]]),
        (1, [[-2 / 3, 3 / 7], [1 / 3, 4 / 7]]),
        (2, [[-2 / 5**0.5, 0.6], [1 / 5**0.5, 0.8]]),
        (0, [[-1, 1.5], [0.5, 2]]),
        (None, [[-2, 3], [1, 4]]),
    ],
)
def test_norms(norm, expected):
    for dtype in (np.float32, np.float64, np.complex64):
        S = np.array([[-2, 3], [1, 4]], dtype=dtype, order="F")
        scaled = util.normalize(S, norm=norm)
        np.testing.assert_allclose(scaled, expected, rtol=1e-6)
        assert scaled.dtype == dtype
        assert scaled.flags.f_contiguous


def test_normalize_small_slices():
    S = np.array([[0.0, 3.0, 1e-3], [0.0, 4.0, 0.0]])
    assert util.normalize(S, norm=2)[:, 0].tolist() == [0, 0]
    assert util.normalize(S, norm=2, fill=True)[:, 0].tolist() == [0.5**0.5, 0.5**0.5]
    assert util.normalize(S, threshold=0.1, fill=False)[:, 2].tolist() == [0, 0]
    assert util.normalize(S, threshold=0.1)[:, 2].tolist() == [1e-3, 0]
    assert util.normalize(S, norm=1, axis=None, fill=True).sum() == pytest.approx(1)


def test_normalize_refuses():
    S = np.ones(3)
    refuses("threshold=0 must be", util.normalize, S, threshold=0)
    refuses("fill=3 must be", util.normalize, S, fill=3)
    refuses("fill=True must not", util.normalize, S, norm=0, fill=True)
    for norm in ("max", -1, True):
        refuses(f"norm={norm!r} must be", util.normalize, S, norm=norm)
    refuses("S must be finite", util.normalize, np.array([1, np.nan]), norm=None)


def test_local_extrema():
    x = np.array([3, 1, 2, 2, 1, 0, 5])
    assert np.flatnonzero(util.localmax(x)).tolist() == [2, 6]
    assert np.flatnonzero(util.localmin(x)).tolist() == [1, 5]
    plane = np.array([x, -x])
    np.testing.assert_array_equal(util.localmax(plane, axis=1)[1], util.localmin(x))
    assert util.localmax(plane, axis=0).tolist() == [[False] * 7, (-x > x).tolist()]
    assert util.localmax(np.array([1.0])).tolist() == [False]


def test_checks_of_values():
    assert util.valid_audio(np.zeros(3, np.float32))
    for y, match in [
        ([0.0], "list must be a numpy.ndarray"),
        (np.zeros(3, int), "y.dtype=int64 must be"),
        (np.array(1.0), "y.ndim=0 must be"),
        (np.array([1, np.inf]), "y must be finite"),
    ]:
        refuses(match, util.valid_audio, y)
    assert util.valid_int(-1.5) == -2
    refuses("cast=3 must be callable", util.valid_int, 1, cast=3)
    assert [util.is_positive_int(x) for x in (1, np.uint8(2), 0, -1, 2.0, None)] == [
        True, True, False, False, False, False,
    ]  # fmt: skip
    refuses("must not end before", util.valid_intervals, np.array([[2, 1]]))
    refuses(r"intervals.shape=\(3,\) must be", util.valid_intervals, np.zeros(3))


def test_frames_and_slices():
    assert util.fix_frames([3, 1, 1], x_max=5).tolist() == [0, 1, 3, 5]
    assert util.fix_frames([3, 9], x_min=2, x_max=5, pad=False).tolist() == [3]
    assert util.fix_frames([3, 9], x_min=4, x_max=None).tolist() == [4, 9]
    assert util.fix_frames([]).dtype.kind == "i"
    refuses("frames with minimum -1 must be", util.fix_frames, [3, -1])
    assert util.index_to_slice([2, 4], idx_max=5, step=2, pad=False) == [slice(2, 4, 2)]


def test_sync():
    data = np.asfortranarray(np.arange(12.0).reshape(2, 6))
    means = util.sync(data, [2, 4])
    assert means.tolist() == [[0.5, 2.5, 4.5], [6.5, 8.5, 10.5]]
    assert means.flags.f_contiguous
    assert util.sync(data, [slice(0, 3)], aggregate=np.max).tolist() == [[2], [8]]
    assert util.sync(data, [1], axis=0, pad=False).shape == (0, 6)
    assert util.sync(data.astype(int), [3]).tolist() == [[1, 4], [7, 10]]
    refuses(r"idx=\[1.5\] must be all", util.sync, data, [1.5])


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [(True, True, [1, 0, 2, 2]), (True, False, [0, 0, 2, 2]), (False, True, [1, 0, 2, 2])],
)
def test_match_events(left, right, expected):
    matched = util.match_events([7, 1, 20, 20.0], [1, 10, 20], left=left, right=right)
    assert matched.tolist() == expected
    assert matched.dtype == np.int32


@pytest.mark.parametrize("source, target, sides, expected", [
    ([5], [0, 10], {}, [1]),                         # as far from both: the later one
    ([5], [0, 10], {"left": False}, [1]),
    ([5], [0, 10], {"right": False}, [0]),
    ([7], [1, 10, 10], {}, [1]),                     # of equal targets the first from here on
    ([7], [10, 1, 10], {}, [0]),
    ([7], [4, 10, 4, 10], {}, [1]),
    ([7], [4, 4, 10], {"right": False}, [1]),        # and the last before
    ([12], [1, 10, 10], {}, [2]),
    ([10, 7], [10, 10, 4, 4], {}, [0, 0]),
])  # fmt: skip
def test_ties_of_match_events(source, target, sides, expected):
    """As librosa 1.0.0 decides them."""
    assert util.match_events(source, target, **sides).tolist() == expected


@pytest.mark.parametrize("target, expected", [
    ([[0, 2], [7, 8], [7, 9], [8, 9]], 2),           # both at a distance of 2: the later one
    ([[0, 2], [6, 8], [7, 8]], 2),
    ([[0, 1], [1, 2], [6, 7], [7, 8]], 3),
    ([[0, 4], [5, 9]], 0),                           # touching at an end is touching, and a tie
])  # fmt: skip
def test_ties_of_match_intervals(target, expected):
    """As librosa 1.0.0 decides them."""
    assert util.match_intervals(np.array([[4, 5]]), np.array(target), strict=False) == [expected]


def test_a_length_of_the_threshold_is_no_small_one():
    x = np.array([3.0, 4.0])
    for fill in (None, True, False):
        assert util.normalize(x, norm=2, threshold=5.0, fill=fill).tolist() == [0.6, 0.8]
    assert util.normalize(x, norm=2, threshold=5.001).tolist() == [3, 4]
    assert util.normalize(x, norm=2, threshold=5.001, fill=False).tolist() == [0, 0]


def test_match_events_refuses():
    for empty in (([], [1]), ([1], []), ([], [])):
        refuses("events_from and events_to must not be empty", util.match_events, *empty)
    refuses("left=False", util.match_events, [5], [1], left=False)
    refuses("right=False", util.match_events, [1], [5], right=False)
    refuses("left=right=False", util.match_events, [1], [5], left=False, right=False)


def test_match_intervals():
    source = np.array([[3, 5], [1, 4], [4, 5]])
    target = np.array([[0, 2], [1, 3], [4, 5], [6, 7]])
    assert util.match_intervals(source, target).tolist() == [2, 1, 2]
    assert util.match_intervals(target, source, strict=False).tolist() == [1, 1, 2, 2]
    refuses(r"intervals_from\[3\]=\(6, 7\) must touch", util.match_intervals, target, source)
    # One target, and all of it after the query.
    assert util.match_intervals(np.array([[0, 1]]), np.array([[5, 6]]), strict=False) == [0]


def test_dtypes():
    assert util.dtype_r2c("f8") == np.complex128
    assert util.dtype_r2c(int, default=np.complex128) == np.complex128
    assert util.dtype_r2c(np.complex64) == np.complex64
    assert util.dtype_c2r("c16") == np.float64
    assert util.dtype_c2r(int) == np.float32
    assert util.tiny(1) == np.finfo(np.float32).tiny
    assert type(util.tiny(np.ones(1, np.complex128))) is np.float64


def test_abs2():
    z = np.array([[3 + 4j, 1j]], dtype=np.complex64, order="F")
    assert util.abs2(z).tolist() == [[25, 1]]
    assert util.abs2(z).dtype == np.float32
    assert util.abs2(z, dtype=np.float64).dtype == np.float64
    assert util.abs2(np.array([-3])).tolist() == [9]
    assert util.abs2(3 + 4j) == 25


def test_sorting_is_stable():
    S = np.eye(40)[:, np.repeat(np.arange(40)[::-1], 2)]
    _, order = util.axis_sort(S, index=True)
    assert order.tolist() == [i + k for i in range(78, -1, -2) for k in (0, 1)]
    refuses("S.shape=", util.axis_sort, np.empty((0, 3)))
    refuses("axis=2 must be an axis of a matrix", util.axis_sort, S, axis=2)
    refuses("value='x' must be callable", util.axis_sort, S, value="x")
    refuses("value must give 80 numbers", util.axis_sort, S, value=lambda S, axis: 3)


def test_stacks_refuse():
    refuses("axis=3 must be from -2 to 1", util.stack, [np.ones(3)], axis=3)
    refuses(r"arrays of shapes \[\(2,\), \(3,\)\]", util.stack, [np.ones(2), np.ones(3)])


@pytest.mark.parametrize("shape", [(8, 8), (8, 12), (12, 8), (1, 5), (3, 3), (0, 3)])
@pytest.mark.parametrize("radius", [0, 0.1, 0.25, 0.5, 1, 5])
def test_bands(shape, radius):
    x = np.ones(shape, order="F")
    util.fill_off_diagonal(x, radius=radius, value=7)
    n, m = shape
    band = round(radius * min(shape))
    offset = np.arange(m) - np.arange(n)[:, None]
    kept = (offset < band + max(m - n, 0)) & (-offset < band + max(n - m, 0))
    assert (x == np.where(kept, 1, 7)).all()


def test_bands_refuse():
    refuses("radius=-1 must be non-negative", util.fill_off_diagonal, np.ones((2, 2)), radius=-1)
    refuses("radius=nan must be", util.fill_off_diagonal, np.ones((2, 2)), radius=np.nan)
    refuses(r"x of shape \(2,\) must be a matrix", util.fill_off_diagonal, np.ones(2), radius=1)
    refuses("must be a matrix, a numpy.ndarray", util.fill_off_diagonal, [[1]], radius=1)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("axis", [0, 1])
def test_sparse_shears(kind, axis):
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.random(6, 6, 0.4, format=kind, random_state=0, dtype=np.float32)
    for each in (X, getattr(sparse, f"{kind}_array")(X)):
        sheared = util.shear(each, factor=-2, axis=axis)
        assert type(sheared) is type(each)
        assert sheared.dtype == each.dtype
        np.testing.assert_array_equal(
            sheared.toarray(), util.shear(each.toarray(), factor=-2, axis=axis)
        )


def test_shears_refuse():
    refuses("factor=1.5 must be an integer", util.shear, np.eye(3), factor=1.5)
    refuses(r"X.shape=\(3,\) must be", util.shear, np.ones(3))
    refuses("axis=5 must be an axis of a matrix", util.shear, np.eye(3), axis=5)


def test_sequences_refuse():
    refuses("edge_order=3 must be 1 or 2", util.cyclic_gradient, np.ones(3), edge_order=3)
    refuses("axis=1 must be an axis of data", util.cyclic_gradient, np.ones(3), axis=1)
    refuses("data of dtype bool", util.cyclic_gradient, np.array([True, False]))
    refuses("axis=-1 must be an axis", util.count_unique, np.array(3))
    refuses("axis=-1 must be an axis", util.is_unique, np.array(3))
    refuses("n_bytes=3 must be 1, 2, 4 or 8", util.buf_to_float, b"123", n_bytes=3)
    refuses("x.dtype=float32 must be", util.buf_to_float, np.ones(2, np.float32))
    refuses("x.dtype=int32 must be", util.buf_to_float, np.ones(2, np.int32), n_bytes=2)
    refuses("x must be a buffer", util.buf_to_float, [1, 2])
    refuses("angles.dtype=complex128 must be real", util.phasor, np.ones(2) * 1j)
    refuses("angles.dtype=<U1 must be real", util.phasor, "a")
    assert util.count_unique(np.empty((0, 3))).shape == (0,)


def test_strided_buffers():
    samples = np.array([[0, 9], [16384, 9]], np.int16)
    assert util.buf_to_float(samples[:, 0]).tolist() == [0, 0.5]


def test_interpolation_refuses():
    pytest.importorskip("scipy")
    usual = dict(x1=np.ones((3, 2)), x1_pos=[0, 1, 2], x2=np.ones((2, 2)), x2_pos=[0, 1], axis=0)
    for changed, message in [
        ({"axis": 2}, "axis=2 must be an axis of x1"),
        ({"kind": "x"}, "x1.shape=.*kind='x'"),
        ({"x2_pos": [0]}, "x2.shape="),
        ({"x2": np.ones((2, 3))}, "must broadcast but for axis=0"),
        ({"op": "x"}, "op='x' must be callable"),
    ]:
        with pytest.raises(ParameterError, match=message):
            util.interp_broadcast(**(usual | changed))
