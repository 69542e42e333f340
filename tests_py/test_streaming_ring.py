"""The ring between two threads: nothing is missing that is not counted, and nothing comes twice."""

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest
from metalmom.streaming import Ring
from metalmom.util.exceptions import ParameterError


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("channels", [1, 2, 5])
def test_blocks_of_all_lengths_come_out_bit_for_bit(channels, dtype):
    rng = np.random.default_rng(channels)
    ring = Ring(0.1, channels, 1000, sample_dtype=dtype)
    shape = (20000,) if channels == 1 else (channels, 20000)
    y = rng.standard_normal(shape).astype(dtype)
    y[..., ::7] = dtype(1e-42)  # bits are copied
    parts, at = [], 0
    while at < 20000:
        n = int(rng.integers(0, 101 - ring.waiting))
        assert ring.write(y[..., at : at + n]) == y[..., at : at + n].shape[-1]
        at = min(at + n, 20000)
        parts.append(ring.read(int(rng.integers(0, 120))))
    parts.append(ring.read(1000))
    joined = np.concatenate(parts, axis=-1)
    assert joined.dtype == dtype and joined.tobytes() == np.ascontiguousarray(y).tobytes()
    assert ring.waiting == ring.overrun == 0


def test_frames_first_as_sound_cards_give_them():
    frames = np.arange(24, dtype=np.float32).reshape(8, 3)
    ring = Ring(1, 3, 10)
    ring.write(frames.T)
    np.testing.assert_array_equal(ring.read(8), frames.T)
    out = np.zeros((20, 3), dtype=np.float32)
    ring.write(frames.T)
    assert np.shares_memory(ring.read(10, out=out.T), out)
    np.testing.assert_array_equal(out[:8], frames)
    assert not out[8:].any()
    packed = np.zeros(8, dtype=[("flag", "u1"), ("y", np.float32, 3)])
    packed["y"] = frames
    ring.write(packed["y"].T)
    np.testing.assert_array_equal(ring.read(8), frames.T)


def test_a_warning_that_is_an_error_loses_no_samples():
    ring = Ring(1, 1, 10)
    ring.write(np.arange(14, dtype=np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="^4 samples were lost, because a Ring was full"):
            ring.read(10)
        np.testing.assert_array_equal(ring.read(10), np.arange(10))


@pytest.mark.parametrize("given, said", [
    ((1e-300, 1, 1e-300), "^seconds=1e-300 must be at least one sample"), ((1, 1, True), "^sr=True must be"),
    ((1e300, 1, 1), "^seconds=1e[+]300 must be smaller: .{1,20} GiB would be needed"),
])  # fmt: skip
def test_sizes_that_make_no_ring(given, said):
    with pytest.raises(ParameterError, match=said):
        Ring(*given)


def test_what_finds_no_room_is_counted_and_told():
    ring = Ring(1, 1, 10)
    assert (ring.write(np.arange(7.0, dtype=np.float32)), ring.overrun) == (7, 0)
    assert (ring.write(np.arange(7.0, 14.0, dtype=np.float32)), ring.overrun) == (3, 4)
    assert "10 of 10 samples wait, 4 were lost" in repr(ring)
    with pytest.warns(RuntimeWarning, match="^4 samples were lost, because a Ring was full") as told:
        np.testing.assert_array_equal(ring.read(3), [0, 1, 2])
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(ring.read(10), np.arange(3, 10))


@pytest.mark.parametrize("seconds", [0.02, 2.0])
def test_a_thread_that_writes_and_one_that_reads(seconds):
    """Samples are their own numbers: in order, with gaps as large as what was lost."""
    n, ring = 400_000, Ring(seconds, 2, 10_000)
    numbers = np.arange(n, dtype=np.float32)  # float32 holds integers up to 2^24
    has_ended = threading.Event()

    def write():
        rng = np.random.default_rng(1)
        at = 0
        while at < n:
            size = min(int(rng.integers(0, 130)), n - at)
            block = np.stack([numbers[at : at + size]] * 2)
            assert ring.write(block) <= size
            at += size
        has_ended.set()

    writer = threading.Thread(target=write)
    writer.start()
    rng, parts = np.random.default_rng(2), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while True:
            is_last = has_ended.is_set()
            parts.append(ring.read(int(rng.integers(0, 400))))
            if is_last and ring.waiting == 0:
                break
    writer.join()
    first, second = np.concatenate(parts, axis=-1)
    np.testing.assert_array_equal(first, second)
    assert (np.diff(first) > 0).all()
    assert len(first) + ring.overrun == n


def test_errors_take_and_give_nothing():
    ring = Ring(1, 2, 100)
    ring.write(np.ones((2, 5), dtype=np.float32))
    for wrong, rule in [
        (np.ones((2, 5)), r"^y\.dtype=float64 must be float32"),
        (np.ones(5, dtype=np.float32), r"^y\.shape=\(5,\) must be \(2, n\) with channels=2"),
        (np.ones((5, 2), dtype=np.float32), r"^y\.shape=\(5, 2\) must be"),
        ([[1, 2], [3]], "^y="),
    ]:
        with pytest.raises(ParameterError, match=rule):
            ring.write(wrong)
    for n, out, rule in [
        (-1, None, "^n=-1"),
        (1.5, None, "^n=1.5"),
        (3, np.zeros((2, 2), dtype=np.float32), r"^out\.shape=\(2, 2\) must have room for n=3"),
        (1, np.zeros((2, 2)), r"^out\.dtype"),
        (1, [[0.0], [0.0]], "^out must be a numpy.ndarray of float32"),
        (1, np.broadcast_to(np.zeros(1, dtype=np.float32), (2, 9)), "^out must be writable"),
    ]:
        with pytest.raises(ParameterError, match=rule):
            ring.read(n, out=out)
    assert ring.waiting == 5 and ring.overrun == 0


@pytest.mark.parametrize(
    "arguments, name",
    [((0, 1, 100), "seconds"), ((np.nan, 1, 100), "seconds"), ((1, 0, 100), "channels"), ((1, 1, -5), "sr"),
     ((1, 1, "x"), "sr"), ((1e30, 1, 1e30), "seconds")],
)  # fmt: skip
def test_wrong_arguments_are_refused_by_name(arguments, name):
    with pytest.raises(ParameterError) as refused:
        Ring(*arguments)
    assert refused.value.name == name


def test_it_is_not_copied():
    for refused in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="^a Ring cannot be copied or pickled, since two threads share its memory"):
            refused(Ring(1, 1, 100))
