"""Convolution, of whole signals and of streams, against SciPy and against itself."""

import functools
import threading
import time

import metalmom
import numpy as np
import pytest
import scipy.signal
from metalmom import streaming
from metalmom.util.exceptions import ParameterError
from test_streaming import blocks, cuts, noise


def response(n, channels=1, dtype=np.float32):
    """Noise that decays, as a room's does."""
    decay = np.exp(-4 * np.arange(n) / n)
    return (noise(n, channels, np.float64, seed=7) * decay).astype(dtype)


def exact(x, h):
    return scipy.signal.fftconvolve(x.astype(float), h.astype(float), axes=-1)


@functools.cache
def scipys(n, m, dtype, mode):
    """Two signals, and their convolution as the double sum over taps itself."""
    x, h = noise(n, dtype=np.float64).astype(dtype), response(m, dtype=np.float64).astype(dtype)
    return x, h, scipy.signal.convolve(x.astype(float), h.astype(float), mode=mode, method="direct")


@pytest.mark.parametrize("method", ["auto", "direct", "fft", "overlap_save", "partitioned"])
@pytest.mark.parametrize("n, m", [(1, 1), (5, 1), (1, 9), (700, 300), (3000, 5000), (50000, 9000)])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolve_is_scipys(method, n, m, mode):
    if method == "direct" and n * m > 1e8:
        pytest.skip("minutes on slow machines")
    # To 1e-12; transforms in float round once a butterfly.
    bound = np.abs(scipys(n, m, np.float64, "full")[2]).max()
    for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 1e-6)):
        if method == "direct" and dtype == np.float32:
            continue
        x, h, want = scipys(n, m, dtype, mode)
        value = metalmom.convolve(x, h, mode=mode, method=method)
        assert value.dtype == dtype and value.shape == want.shape
        np.testing.assert_allclose(value, want, rtol=0, atol=tolerance * bound)


def test_convolve_of_batches_is_each_alone_and_threads_change_nothing():
    x, h = noise(20000, 3), response(3000, 3)
    value = metalmom.convolve(x, h)
    for i in range(3):
        np.testing.assert_array_equal(value[i], metalmom.convolve(x[i], h[i]))
    np.testing.assert_array_equal(metalmom.convolve(x, h[0])[2], metalmom.convolve(x[2], h[0]))
    for method in ("direct", "fft", "partitioned"):
        with metalmom.config_context(threads=1):
            one = metalmom.convolve(x, h, method=method)
        with metalmom.config_context(threads=3):
            np.testing.assert_array_equal(metalmom.convolve(x, h, method=method), one)


def test_integers_are_doubles():
    value = metalmom.convolve([1, 2, 3], [1, 1])
    assert value.dtype == np.float64
    np.testing.assert_array_equal(value, [1, 3, 5, 3])


SETTINGS = [
    {"block_size": 64},
    {"block_size": 256},
    {"block_size": 1024, "method": "partitioned"},
    {"block_size": 1024, "latency": 1024, "method": "partitioned"},
    {"block_size": 32, "latency": 100, "method": "partitioned"},
    {"block_size": 128, "method": "uniform"},
    {"method": "fft"},
    {"latency": 512, "method": "fft"},
]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("taps", [1, 63, 64, 65, 700, 5000, 40000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_convolver_is_scipys_and_its_bytes_do_not_depend_on_cuts(setting, taps, dtype):
    x, h = noise(60000, dtype=dtype), response(taps, dtype=dtype)
    stream = streaming.Convolver(h, sample_dtype=dtype, **setting)
    stream.warmup()
    whole = stream.process(x)
    delay = setting.get("latency", 0)
    want = np.concatenate([np.zeros(delay), exact(x, h)])[: len(x)]
    bound = np.abs(exact(x, h)).max()
    tolerance = 1e-6 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(whole, want, rtol=0, atol=tolerance * bound)
    for seed in (1, 2):
        stream.reset()
        assert stream.position == 0
        parts = [stream.process(block) for block in blocks(x, cuts(len(x), seed))]
        np.testing.assert_array_equal(np.concatenate(parts), whole)
        assert stream.position == len(x)


def test_direct_in_double():
    x, h = noise(3000, dtype=np.float64), response(2000, dtype=np.float64)
    stream = streaming.Convolver(h, method="direct", sample_dtype=np.float64)
    value = stream.process(x, last=True)
    assert stream.position == len(x)
    want = scipy.signal.convolve(x, h, method="direct")
    np.testing.assert_allclose(value, want, rtol=0, atol=1e-12 * np.abs(want).max())
    assert len(value) == len(x) + stream.tail


@pytest.mark.parametrize("taps", [3000, 30000])
def test_impulses_along_the_response(taps):
    """Each tap comes alone: no partition is left out, doubled or in another's place."""
    h = np.zeros(taps, dtype=np.float32)
    at = np.unique(np.r_[0, np.geomspace(1, taps - 1, 60).astype(int), 63, 64, 65, 511, 512, 2047, 2048])
    h[at] = np.arange(1, len(at) + 1)
    stream = streaming.Convolver(h, block_size=64, method="partitioned")
    for place in (0, 1, 63, 64, 1000):
        stream.reset()
        x = np.zeros(taps + 2000, dtype=np.float32)
        x[place] = 1
        value = stream.process(x)
        want = np.zeros_like(x)
        want[place : place + taps] = h
        np.testing.assert_allclose(value, want, rtol=0, atol=1e-6 * len(at))


def test_channels_with_one_response_and_with_their_own():
    x, h = noise(20000, 2), response(6000, 2)
    own = streaming.Convolver(h, channels=2)
    shared = streaming.Convolver(h[0], channels=2)
    value, other = own.process(x), shared.process(x)
    for i in range(2):
        np.testing.assert_array_equal(value[i], streaming.Convolver(h[i]).process(x[i]))
        np.testing.assert_array_equal(other[i], streaming.Convolver(h[0]).process(x[i]))


def test_out_may_be_the_input():
    x, h = noise(9000), response(3000)
    stream = streaming.Convolver(h)
    want = stream.process(x)
    stream.reset()
    y = x.copy()
    assert stream.process(y, out=y) is not None
    np.testing.assert_array_equal(y, want)


def test_another_response_fades_in():
    x = noise(30000)
    h, g = response(4000), -response(2500)
    stream = streaming.Convolver(h)
    parts = [stream.process(x[:10000])]
    stream.set_response(g, crossfade=999)
    with pytest.raises(ParameterError, match="rung out"):
        stream.set_response(h)
    parts += [stream.process(block) for block in blocks(x[10000:], [1000] * 20)]
    assert stream.position == 30000
    gain = np.clip((np.arange(30000) - 10000 + 1) / 1000, 0, 1)
    want = exact(x * (1 - gain), h)[:30000] + exact(x * gain, g)[:30000]
    np.testing.assert_allclose(np.concatenate(parts), want, rtol=0, atol=2e-6 * np.abs(want).max())
    stream.set_response(h)  # the earlier one has rung out


def test_a_wrong_block_changes_nothing():
    x, h = noise(9000), response(3000)
    stream = streaming.Convolver(h, max_block=5000)
    first = stream.process(x[:4000])
    bad = x[4000:5000].copy()
    bad[3] = np.inf
    for wrong in (bad, x.astype(np.float64), np.zeros(6000, np.float32), np.zeros((2, 9), np.float32)):
        with pytest.raises(ParameterError):
            stream.process(wrong)
    value = np.concatenate([first, stream.process(x[4000:])])
    np.testing.assert_array_equal(value, streaming.Convolver(h).process(x))


@pytest.mark.parametrize(
    "make, complaint",
    [
        (lambda: metalmom.convolve([], [1.0]), "x.shape"),
        (lambda: metalmom.convolve([1j], [1.0]), "x.dtype"),
        (lambda: metalmom.convolve([1.0], [1.0], mode="most"), "mode='most' must be"),
        (lambda: metalmom.convolve([1.0], [1.0], method="fast"), "method='fast' must be"),
        (lambda: metalmom.convolve([np.nan], [1.0]), "finite"),
        (lambda: metalmom.convolve(np.ones((2, 5)), np.ones((3, 5))), "h.shape"),
        (lambda: streaming.Convolver([]), "h.shape"),
        (lambda: streaming.Convolver([np.inf]), "h must be finite"),
        (lambda: metalmom.convolve([1.0], [np.nan]), "h must be finite"),
        (lambda: metalmom.convolve(np.array([np.inf], np.float32), [1.0]), "x must be finite"),
        (lambda: streaming.Convolver([1e39]), "h must be finite everywhere, as float32"),
        (lambda: streaming.Convolver(np.full(300, 3e38, np.float32)), "h is too large.*float32"),
        (lambda: streaming.Convolver(np.full(30, 1e307), sample_dtype=float), "h is too large.*float64"),
        (lambda: streaming.Convolver([1.0], method=3), "method=3 must be a string"),
        (lambda: streaming.Convolver([1.0], workers=True), "workers=True must be"),
        (lambda: streaming.Convolver([1.0], max_block=True), "max_block=True must be"),
        (lambda: streaming.Convolver([1.0], block_size=2**63), "block_size=.* must be"),
        (lambda: streaming.Convolver([1.0], latency=2**62), "latency=.* must be"),
        (lambda: streaming.Convolver([1.0], latency=2**46), "latency=.* must be smaller"),
        (lambda: streaming.Convolver([1.0]).set_response([1.0], crossfade=2**70), "crossfade=.* must be"),
        (lambda: streaming.Convolver([1.0], block_size=0), "block_size=0 must be"),
        (lambda: streaming.Convolver([1.0], latency=-1), "latency=-1 must be"),
        (lambda: streaming.Convolver([1.0], method="fast"), "method='fast' must be"),
        (lambda: streaming.Convolver(np.ones((2, 5))), "h.shape"),
    ],
)
def test_what_is_refused(make, complaint):
    with pytest.raises(ParameterError, match=complaint):
        make()


def test_the_choice_and_its_cost_are_told():
    assert "30 taps: 30 direct" in repr(streaming.Convolver(np.ones(30)))
    text = repr(streaming.Convolver(np.ones(144000), block_size=64))
    assert "x8192" in text and "ns a sample" in text
    text = repr(streaming.Convolver(np.ones(1000), method="fft"))
    assert "1000 taps: 512 direct + 1x512" in text
    with metalmom.trace.record() as trace:
        metalmom.convolve(np.ones(5000), np.ones(900))
        streaming.Convolver(np.ones(900))
    spans = {span.name: span.args for span in trace.spans if span.name in ("convolve", "Convolver")}
    assert spans["convolve"]["method"] == "partitioned" and spans["convolve"]["block"] >= 64
    assert spans["convolve"]["blocks_us"] < spans["convolve"]["direct_us"]
    assert spans["Convolver"]["ns_a_sample"] < spans["Convolver"]["direct_ns_a_sample"]


@pytest.mark.parametrize("method", ["auto", "direct", "fft", "overlap_save", "partitioned"])
@pytest.mark.parametrize(
    "x, h, shape",
    [
        (np.ones((0, 5)), np.ones(1), (0, 5)),
        (np.ones((2, 0, 5)), np.ones(3), (2, 0, 7)),
        (np.ones((0, 5), np.float32), np.ones(3000), (0, 3004)),
        (np.ones((0, 5)), np.ones((0, 3)), (0, 7)),
    ],
)
def test_no_signals_give_no_results(x, h, shape, method):
    assert metalmom.convolve(x, h, method=method).shape == shape


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("channels", [1, 2])
def test_a_tail_may_be_longer_than_a_block(workers, channels):
    x, h = noise(2000, channels), response(3000)
    stream = streaming.Convolver(h, max_block=512, channels=channels, workers=workers)
    stream.warmup()
    parts = [stream.process(x[..., i : i + 500]) for i in range(0, 2000, 500)] + [stream.flush()]
    value = np.concatenate(parts, axis=-1)
    want = exact(x, h if channels == 1 else h[np.newaxis])
    assert value.shape == want.shape
    np.testing.assert_allclose(value, want, rtol=0, atol=1e-6 * np.abs(want).max())


@pytest.mark.parametrize("taken", [0, 60, 100, 250, 3500])
def test_a_tail_is_as_long_as_an_earlier_response_rings(taken):
    h = np.ones(3000, dtype=np.float32)
    stream = streaming.Convolver(h, method="direct")
    stream.process(noise(4000))
    stream.set_response(h[:50], crossfade=100)
    stream.process(noise(taken))
    tail = stream.tail
    assert tail == max(49, min(taken, 100) + 2999 - taken)
    rest = stream.flush()
    assert len(rest) == tail and rest[-1] != 0
    with pytest.raises(ParameterError, match="has ended: reset"):
        stream.process(noise(1))
    stream.reset()
    assert not stream.process(np.zeros(4000, dtype=np.float32)).any()


def faded(x, sizes):
    """A fade in the middle of `x`, in blocks of these sizes."""
    stream = streaming.Convolver(response(3000), method="partitioned")
    stream.process(x[:5000])
    stream.set_response(response(700), crossfade=100)
    return np.concatenate([stream.process(block) for block in blocks(x[5000:], sizes)])


def test_bytes_of_a_fade_do_not_depend_on_cuts():
    x = noise(12000)
    whole = faded(x, [7000])
    for sizes in ([1000] * 7, cuts(7000, 1), cuts(7000, 2), [3098, 1, 1, 3900], [3099, 3901]):
        np.testing.assert_array_equal(faded(x, sizes), whole)


@pytest.mark.parametrize("fading", [False, True])
def test_an_out_that_cannot_be_written_changes_nothing(fading):
    x, h = noise(3000), response(900)
    stream, other = streaming.Convolver(h), streaming.Convolver(h)
    for each in (stream, other):
        each.process(x[:1000])
        if fading:
            each.set_response(-h, crossfade=300)
    read_only = np.empty(64, dtype=np.float32)
    read_only.flags.writeable = False
    for out in (read_only, np.empty(128, dtype=np.float32)[::2]):
        with pytest.raises(ParameterError, match="out must be"):
            stream.process(x[1000:1064], out=out)
    assert stream.position == 1000
    np.testing.assert_array_equal(stream.process(x[1000:]), other.process(x[1000:]))


@pytest.mark.parametrize("fading", [False, True])
@pytest.mark.parametrize("shift", [-100, 0, 100])
def test_out_may_be_a_part_of_the_input(fading, shift):
    x, h = noise(5000), response(900)
    streams = streaming.Convolver(h), streaming.Convolver(h)
    for each in streams:
        if fading:
            each.set_response(-h, crossfade=300)
    want = streams[0].process(x[100:4100])
    value = streams[1].process(x[100:4100], out=x[100 + shift : 4100 + shift])
    np.testing.assert_array_equal(value, want)


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("fading", [False, True])
def test_the_last_block_brings_the_tail(channels, workers, fading):
    x, h = noise(500, channels), response(3000)
    streams = [streaming.Convolver(h, channels=channels, workers=workers) for _ in range(3)]
    for each in streams:
        each.process(x)
        if fading:
            each.set_response(-h[:100], crossfade=300)
    want = np.concatenate([streams[0].process(x), streams[0].flush()], axis=-1)
    assert want.shape[-1] == 500 + (300 + 2999 - 500 if fading else 2999)
    np.testing.assert_array_equal(streams[1].process(x, last=True), want)
    out = np.empty_like(want)
    for wrong in (out[..., :-1], np.empty_like(x)):
        with pytest.raises(ParameterError, match="out must be"):
            streams[2].process(x, last=True, out=wrong)
    assert streams[2].process(x, last=True, out=out) is out
    np.testing.assert_array_equal(out, want)
    for each in streams:
        assert each.position == 1000
        for late in (lambda s=each: s.process(x), each.flush, lambda s=each: s.process(x, last=True)):
            with pytest.raises(ParameterError, match="has ended: reset"):
                late()
        each.reset()
        assert each.position == 0 and each.process(x).shape == x.shape


def test_a_tail_is_written_where_it_is_wanted():
    x, h = noise(500), response(300)
    stream, other = streaming.Convolver(h), streaming.Convolver(h)
    stream.process(x)
    other.process(x)
    out = np.empty(stream.tail, dtype=np.float32)
    assert stream.flush(out=out) is out
    np.testing.assert_array_equal(out, other.flush())


@pytest.mark.parametrize("setting", [{"method": "direct"}, {"block_size": 64}, {"method": "fft"}, {"workers": 1}])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_samples_that_would_overflow_are_refused_and_leave_no_trace(setting, dtype):
    x, h = noise(3000, dtype=dtype), response(5000, dtype=dtype)
    stream = streaming.Convolver(h, sample_dtype=dtype, **setting)
    huge = np.full(700, np.finfo(dtype).max / 2, dtype=dtype)
    for fading in (False, True):
        for _ in range(3):
            with pytest.raises(ParameterError, match="y must be at most .* in magnitude"):
                stream.process(huge)
        assert stream.position == 0
        if not setting.get("workers"):
            other = streaming.Convolver(h, sample_dtype=dtype, **setting)
            if fading:
                other.set_response(h[::-1], crossfade=100)
            np.testing.assert_array_equal(stream.process(x), other.process(x))
            # up to what it says it takes there is no overflow
            most = stream.process(np.full(9000, 2.0**60, dtype=dtype))
            assert np.isfinite(most).all() and np.isfinite(stream.flush()).all()
            stream.reset()
        if not fading:
            stream.set_response(h[::-1], crossfade=100)


def test_a_fade_that_waits_for_the_first_block_outlives_a_warm_up():
    x, h = noise(3000), response(900)
    values = []
    for warm in (False, True):
        stream = streaming.Convolver(h)
        stream.set_response(-h, crossfade=500)
        if warm:
            stream.warmup()
        assert stream.position == 0
        values.append(stream.process(x, last=True))
    np.testing.assert_array_equal(values[1], values[0])
    assert np.abs(values[0][:100] - exact(x, -h)[:100]).max() > 0.1  # it does fade
    with pytest.raises(ParameterError, match="warmup.. must come before"):
        stream.warmup()


def test_a_response_that_has_rung_out_is_kept_until_there_is_time_to_free_it():
    x, h = noise(9000), response(900)
    stream = streaming.Convolver(h, block_size=64)
    for _ in range(3):
        stream.set_response(h, crossfade=100)
        stream.process(x)
    stream.set_response(h)
    stream.reset()
    stream.set_response(h[::-1])  # reset forgets the fade
    stream.reset()
    np.testing.assert_array_equal(stream.process(x), streaming.Convolver(h[::-1], block_size=64).process(x))


def test_a_signal_may_end_within_a_fade():
    stream = streaming.Convolver(response(300), workers=1, block_size=64)
    stream.process(noise(900))
    stream.set_response(response(200), crossfade=1024)
    stream.process(noise(100))
    stream.flush()
    assert stream.missed_blocks == 0 and stream.tail == 199
    stream.set_response(response(300))  # nothing rings any more


def test_a_response_may_be_set_from_another_thread():
    """Between blocks, or refused; no block is lost, and none goes to a response that is no more heard."""
    y, h = noise(64), response(2000)
    stream = streaming.Convolver(h, block_size=64)
    done, changes, refused, taken = threading.Event(), [], [], 0

    def change():
        while not done.is_set():
            try:
                stream.set_response(h, crossfade=64)
                changes.append(stream.position)
            except (ParameterError, RuntimeError) as error:
                refused.append(str(error))

    thread = threading.Thread(target=change)
    thread.start()
    try:
        end = time.monotonic() + 20
        while taken < 3000 or (not changes and time.monotonic() < end):
            try:
                assert np.isfinite(stream.process(y)).all()
                taken += 1
            except RuntimeError as error:
                refused.append(str(error))
    finally:
        done.set()
        thread.join()
    assert changes and stream.position == 64 * taken
    assert all("rung out" in each or "another thread" in each for each in refused)
