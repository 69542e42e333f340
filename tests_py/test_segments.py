"""Segments of long audio: their places, and results put together without a seam and without a changed bit."""

import itertools
import math
import pathlib
import re
import wave

import numpy as np
import pytest

import metalmom
from metalmom.separation import Segment

RNG = np.random.default_rng(7)
SIZES = [*itertools.product([1, 2, 7, 50, 101], [1, 2, 7, 20], [0, 0.25, 0.5, 0.9], [0, 3])]


def noise(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("n, length, overlap, context", SIZES)
def test_a_segment_knows_its_place_and_its_padding(n, length, overlap, context):
    y = noise(2, n)
    far = length + context
    padded = np.pad(y, [(0, 0), (far, far)])
    step = max(int((1 - overlap) * length), 1)
    found = [*metalmom.segments(y, length, overlap, context=context)]
    assert [each.start for each in found] == [*range(0, n, step)]
    for each in found:
        assert each.stop == min(each.start + length, n) and each.finished == min(each.start + step, n)
        begin = each.start - each.before
        assert np.array_equal(each.samples, padded[:, begin + far : begin + far + length + 2 * context])
        assert each.padding == (max(0, -begin), max(0, begin + length + 2 * context - n))
        # a shorter one stands in the middle
        assert each.before == context + (length - (each.stop - each.start)) // 2
        assert each.weights.shape == (each.stop - each.start,) and (each.weights > 0).all()


@pytest.mark.parametrize("n, length, overlap, context", SIZES)
def test_what_was_cut_is_put_together_bit_for_bit(n, length, overlap, context):
    y = noise(3, n)
    y[0, 0] = -0.0
    assert metalmom.overlap_add(metalmom.segments(y, length, overlap, context=context)).tobytes() == y.tobytes()


@pytest.mark.parametrize("window", ["hann", "boxcar", ("kaiser", 4.0), lambda n: np.arange(n)])
def test_any_window_gives_identity(window):
    if isinstance(window, tuple):
        pytest.importorskip("scipy")
    y = noise(501)
    y[7], y[200] = np.inf, -np.inf
    joined = metalmom.overlap_add(metalmom.segments(y, 40, 0.6, window))
    assert joined.tobytes() == y.tobytes()


@pytest.mark.parametrize("dtype", [np.float64, np.complex64, np.float16])
def test_types_stay(dtype):
    y = (noise(4, 90) + (1j * noise(4, 90) if dtype is np.complex64 else 0)).astype(dtype)
    joined = metalmom.overlap_add(metalmom.segments(y, 16))
    assert joined.dtype == dtype and joined.tobytes() == y.tobytes()


def test_integers_become_numbers_that_can_be_blended():
    joined = metalmom.overlap_add(metalmom.segments(np.arange(50), 16))
    assert joined.dtype == np.float64 and np.array_equal(joined, np.arange(50))


def test_blocks_may_lie_in_one_buffer():
    y, buffer = noise(400), np.empty(10)

    def blocks():
        for place in range(0, 400, 10):
            buffer[:] = y[place : place + 10]
            yield buffer

    assert np.array_equal(metalmom.overlap_add(metalmom.segments(blocks(), 64, 0.3)), y)


@pytest.mark.parametrize("size", [1, 3, 17, 1000])
def test_blocks_are_cut_as_the_whole_is(size):
    y = noise(2, 400)
    whole = [*metalmom.segments(y, 64, 0.3, context=5)]
    parts = metalmom.segments((y[:, i : i + size] for i in range(0, 400, size)), 64, 0.3, context=5)
    for one, other in zip(whole, parts, strict=True):
        assert np.array_equal(one.samples, other.samples)
        assert (one.start, one.stop, one.before) == (other.start, other.stop, other.before)
        assert one.padding == other.padding


def test_a_file_is_cut_block_by_block(tmp_path):
    samples = RNG.integers(-9999, 9999, (100000, 2)).astype("<i2")
    with wave.open(str(tmp_path / "noise.wav"), "wb") as out:
        out.setparams((2, 2, 8000, 0, "NONE", None))
        out.writeframes(samples.tobytes())
    joined = metalmom.overlap_add(metalmom.segments(tmp_path / "noise.wav", 3000))
    assert np.array_equal(joined, (samples.T / 32768).astype(np.float32))


def test_blocks_that_never_end_are_taken_as_they_are_needed():
    taken = []

    def blocks():
        for k in itertools.count():
            taken.append(k)
            yield np.full(100, float(k), np.float32)

    joined = metalmom.overlap_add(metalmom.segments(blocks(), 250), blocks=True)
    first = next(joined)
    assert first.shape == (187,) and np.array_equal(first[:100], np.zeros(100)) and len(taken) == 3


def weighted_mean(y, length, step, weights, function):
    """The sums of the definition, over the whole."""
    n = y.shape[-1]
    total, values = np.zeros(n), np.zeros(y.shape)
    for k, start in enumerate(range(0, n, step)):
        stop = min(start + length, n)
        piece = np.zeros((*y.shape[:-1], length))
        before = (length - (stop - start)) // 2
        for i in range(length):
            place = start - before + i
            if 0 <= place < n:
                piece[..., i] = y[..., place]
        result = function(k, piece)[..., before : before + stop - start]
        values[..., start:stop] += result * weights[: stop - start]
        total[start:stop] += weights[: stop - start]
    return values / total


FUNCTIONS = {
    "biased": lambda k, piece: piece + 3.25,
    "a gain of its own each time": lambda k, piece: piece * (k + 1),
    "a constant of its own each time": lambda k, piece: np.full(piece.shape, float(k)),
    "a ramp": lambda k, piece: piece * np.linspace(0, 1, piece.shape[-1]),
    "turned": lambda k, piece: piece[..., ::-1],
}


@pytest.mark.parametrize("overlap", [0.0, 0.25, 0.5, 0.8])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_the_mean_by_the_windows_weights(name, overlap):
    y, length, function = noise(2, 333, dtype=np.float64), 40, FUNCTIONS[name]
    rising = np.arange(1, 21)
    weights = np.concatenate([rising, rising[::-1]]) / 20
    wanted = weighted_mean(y, length, int((1 - overlap) * length), weights, function)
    cut = enumerate(metalmom.segments(y, length, overlap))
    joined = metalmom.overlap_add(each.with_samples(function(k, each.samples)) for k, each in cut)
    # the mean is kept as a mean, not as two sums: some roundings of float64 lie between
    np.testing.assert_allclose(joined, wanted, rtol=1e-13, atol=1e-13)


def test_a_bias_shows_no_seam():
    y = noise(1000)
    cut = metalmom.segments(y, 64, 0.4)
    joined = metalmom.overlap_add(each.with_samples(each.samples + np.float32(1.5)) for each in cut)
    assert np.array_equal(joined, y + np.float32(1.5))


def test_what_differs_between_segments_is_faded():
    cut = enumerate(metalmom.segments(np.zeros(1000), 100, 0.5))
    joined = metalmom.overlap_add(each.with_samples(np.full(100, float(k % 2))) for k, each in cut)
    assert np.abs(np.diff(joined)).max() == pytest.approx(1 / 51, rel=0.01)  # two triangles of 50 that sum to 51


def test_results_may_have_other_axes():
    y = noise(500)
    signs = np.array([1, -1, 1], np.float32).reshape(3, 1, 1) * np.ones((3, 2, 1), np.float32)
    joined = metalmom.overlap_add(each.with_samples(signs * each.samples) for each in metalmom.segments(y, 64))
    assert joined.shape == (3, 2, 500) and np.array_equal(joined[1, 0], -y)


def test_blocks_of_the_result_are_the_result():
    y = noise(2, 700)
    parts = [*metalmom.overlap_add(metalmom.segments(y, 90, 0.7), blocks=True)]
    assert len(parts) == math.ceil(700 / 27) and np.array_equal(np.concatenate(parts, axis=1), y)


Y = noise(100)


def segment(**changes):
    values = {"samples": Y[:10], "start": 0, "stop": 10, "before": 0, "padding": (0, 0), "finished": 10}
    return Segment(**{**values, "weights": np.ones(10), **changes})


@pytest.mark.parametrize("call, told", [
    (lambda: [*metalmom.segments(Y, 0)], "length=0 must be an int > 0"),
    (lambda: [*metalmom.segments(Y, 10, 1.0)], "overlap=1.0 must be a number in [0, 1)"),
    (lambda: [*metalmom.segments(Y, 10, np.nan)], "overlap=nan must be a number in [0, 1)"),
    (lambda: [*metalmom.segments(Y, 10, context=-1)], "context=-1 must be an int >= 0"),
    (lambda: [*metalmom.segments(Y[:0], 10)], "y.shape=(0,) must have at least one sample"),
    (lambda: [*metalmom.segments(3, 10)], "y=3 must be an array, blocks one after the other, or the path of a file"),
    (lambda: [*metalmom.segments(Y, 10, 0, lambda n: -np.ones(n))], "10 finite weights"),
    (lambda: [*metalmom.segments([Y, Y[np.newaxis]], 10)], "y.shape=(1, 100) must be (100,) but for the last axis"),
    (lambda: [*metalmom.segments([Y, Y.astype(float)], 10)], "y.dtype=float64 must be numbers, of one type"),
    (lambda: metalmom.overlap_add([]), "segments must be at least one segment"),
    (lambda: metalmom.overlap_add([Y]), "segments[0]=<float32 array of shape (100,)> must be a Segment"),
    (lambda: metalmom.overlap_add([segment(), segment(start=9, stop=19)]), "segments[1].start=9 must be 10"),
    (lambda: metalmom.overlap_add([segment(), segment(samples=Y[:10].reshape(1, 10), start=10, stop=20)]),
     "segments[1].samples.shape=(1, 10) must begin with (), as the first"),
    (lambda: segment().with_samples(Y), "must be numbers of shape (..., 10), as many as were cut"),
])  # fmt: skip
def test_errors_name_the_argument(call, told):
    with pytest.raises(metalmom.ParameterError) as caught:
        call()
    assert told in str(caught.value)


@pytest.mark.parametrize("overlap", [0, 0.25, 0.9])
def test_segments_that_are_missing_are_told(overlap):
    cut = [*metalmom.segments(Y, 10, overlap)]
    assert [each.is_last for each in cut] == [False] * (len(cut) - 1) + [True]
    assert np.array_equal(metalmom.overlap_add(cut), Y)
    with pytest.raises(metalmom.ParameterError, match=r"segments\[0\].start=\d+ must be 0: all segments"):
        metalmom.overlap_add(cut[1:])
    with pytest.raises(metalmom.ParameterError, match="segments must have all segments: those from .* on are missing"):
        metalmom.overlap_add(cut[:-1])


@pytest.mark.parametrize("changes", [
    {"samples": None}, {"samples": np.array(1.0)}, {"start": -1}, {"start": 10}, {"stop": 1.5}, {"before": 1},
    {"finished": 11}, {"weights": None}, {"weights": np.full(10, np.nan)}, {"weights": np.ones(9)},
])  # fmt: skip
def test_a_segment_that_is_none_is_refused(changes):
    with pytest.raises(metalmom.ParameterError):
        segment(**changes)


@pytest.mark.parametrize("argument", ["length", "context"])
@pytest.mark.parametrize("value", [True, 1.5, "10", 2**40, 10**30, np.nan])
def test_sizes_that_are_none_are_refused(argument, value):
    with pytest.raises(metalmom.ParameterError, match=f"^{argument}="):
        [*metalmom.segments(Y, **{"length": 10, argument: value})]


PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "models.md"


def test_the_programs_of_the_page_run(tmp_path, monkeypatch, capsys):
    """Those of the sections about separation and segments, one after the other."""
    monkeypatch.chdir(tmp_path)
    section = PAGE.read_text().partition("## Separating sources\n")[2]
    programs = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
    names = {}
    for program in programs:
        exec(compile(program, PAGE, "exec"), names)
    assert len(programs) == 3 and "22050\n" in capsys.readouterr().out
    assert np.array_equal(names["whole"], 2 * names["y"])
    np.testing.assert_allclose(names["stems"]["middle"] + names["stems"]["sides"], names["y"], atol=1e-6)
