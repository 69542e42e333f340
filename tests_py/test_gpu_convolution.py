"""Convolution on a device: against SciPy in double, against the CPU, and what it promises beside."""

import metalmom
import numpy as np
import pytest
from devices import little_memory, on_device, software_as_gpu
from metalmom.util.exceptions import ParameterError
from test_convolution import exact, response
from test_streaming import noise

pytestmark = on_device


def kept_part(full, n, m, mode):
    first, count = {
        "full": (0, n + m - 1),
        "same": ((m - 1) // 2, n),
        "valid": (min(n, m) - 1, abs(n - m) + 1),
    }[mode]
    return full[..., first : first + count]


def on_gpu(x, h, **arguments):
    with metalmom.config_context(backend="gpu"):
        return metalmom.convolve(x, h, **arguments)


SIZES = [
    (1, 1), (5, 1), (1, 9), (101, 127), (700, 300), (3000, 5000), (50_021, 9001), (200, 144_000),
    (8192, 4096), (8191, 4097), (1_440_000, 144_000),
]  # fmt: skip


@pytest.mark.parametrize("n, m", SIZES)
def test_it_is_scipys_in_every_mode_and_on_device_arrays(n, m):
    x, h = noise(n), response(m)
    full = exact(x, h)
    for mode in ("full", "same", "valid"):
        value = on_gpu(x, h, mode=mode)
        want = kept_part(full, n, m, mode)
        assert value.dtype == np.float32 and value.shape == want.shape
        # Sums in float32: 6e-7 of the maximum in noise, and 1.04e-6 where a tone in a long response
        # meets the same tone in the signal, as it does here, so that one bin has all of the result.
        np.testing.assert_allclose(value, want, rtol=0, atol=2e-6 * np.abs(full).max())
        kept = metalmom.convolve(metalmom.to_device(x), metalmom.to_device(h), mode=mode)
        assert isinstance(kept, metalmom.DeviceArray)
        np.testing.assert_array_equal(kept.numpy(), value)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("lead", [(6,), (3, 2), (1, 1), (1,)])
def test_batches_with_one_response_and_with_their_own(lead, own):
    count = int(np.prod(lead))
    x = noise(30_011, count).reshape(*lead, -1)
    h = response(9000, count).reshape(*lead, -1) if own else response(9000)
    value = on_gpu(x, h)
    each = np.broadcast_to(h, (*lead, 9000)).reshape(count, -1)
    alone = [on_gpu(a, b) for a, b in zip(x.reshape(count, -1), each, strict=True)]
    np.testing.assert_array_equal(value, np.reshape(alone, value.shape))
    kept = metalmom.convolve(metalmom.to_device(x), metalmom.to_device(h))
    np.testing.assert_array_equal(kept.numpy(), value)


def test_bits_do_not_depend_on_pieces():
    """A long clip is cut on the grid of blocks, wherever the part that is asked for begins."""
    x, h = noise(3_000_000), response(20_000)
    for mode in ("full", "same", "valid"):
        whole = on_gpu(x, h, mode=mode)
        with little_memory(32 << 20):
            cut = on_gpu(x, h, mode=mode)
        np.testing.assert_array_equal(cut, whole)


def test_impulses_along_the_response_and_the_signal():
    """Each tap comes alone: no partition is left out, doubled or in another's place."""
    taps = 70_000
    h = np.zeros(taps, dtype=np.float32)
    at = np.unique(np.r_[0, np.geomspace(1, taps - 1, 60).astype(int), 4095, 4096, 4097, 65_535, 65_536])
    h[at] = np.arange(1, len(at) + 1)
    for place in (0, 1, 4095, 4096, 99_999):
        x = np.zeros(100_000, dtype=np.float32)
        x[place] = 1
        want = np.zeros(len(x) + taps - 1, dtype=np.float32)
        want[place : place + taps] = h
        np.testing.assert_allclose(on_gpu(x, h), want, rtol=0, atol=1e-6 * len(at))


def test_the_trace_names_side_and_kernels():
    x, h = noise(20_000, 2), response(3000)
    with metalmom.trace.record() as trace:
        on_gpu(x, h)
        with metalmom.config_context(backend="cpu"):
            metalmom.convolve(x, h)
    engine = [span.args for span in trace.spans if span.name == "convolve" and span.cat == "engine"]
    assert [args["backend"] for args in engine] == ["gpu", "cpu"]
    # How the CPU divides the work is said of the call that it does.
    assert "block" not in engine[0] and engine[1]["block"] >= 64
    kernels = [span.name for span in trace.spans if span.args.get("kind") == "kernel"]
    assert sorted(kernels) == ["overlap_save_8192", "partitions", "spectrum_8192", "spectrum_8192"]


@pytest.mark.parametrize("which", ["x", "h"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_refused_in_the_same_words(which, value):
    arrays = {"x": noise(9000, 2), "h": response(5000)}
    arrays[which][..., -1] = value
    resident = {name: metalmom.to_device(array) for name, array in arrays.items()}
    for side in ("cpu", "gpu", "auto"):
        for given in (arrays, resident):
            with metalmom.config_context(backend=side), pytest.raises(ParameterError) as refused:
                metalmom.convolve(**given)
            assert str(refused.value) == f"{which} must be finite everywhere"


def test_what_the_kernel_does_not_take():
    x, h = noise(900), response(300)
    for method in ("direct", "fft", "overlap_save"):
        with metalmom.config_context(backend="gpu"), pytest.raises(metalmom.DeviceError, match="^convolve: .*method"):
            metalmom.convolve(x, h, method=method)
    with metalmom.config_context(backend="gpu"), pytest.raises(metalmom.DeviceError, match="float64"):
        metalmom.convolve(x.astype(float), h)
    with pytest.raises(metalmom.DeviceError, match=r"float32, and h is float64: pass h\.astype\(np\.float32\)$"):
        metalmom.convolve(metalmom.to_device(x), h.astype(float))
    np.testing.assert_array_equal(on_gpu(x, h, method="partitioned"), on_gpu(x, h))


@pytest.mark.parametrize("arguments, complaint", [
    ({"mode": "most"}, "mode='most' must be"),
    ({"method": "fast"}, "method='fast' must be"),
    ({"h": np.ones((3, 5), np.float32)}, "h.shape"),
    ({"h": np.ones(0, np.float32)}, "h.shape"),
    ({"x": np.ones((2, 9), np.complex64)}, "x.dtype"),
])  # fmt: skip
def test_wrong_arguments_are_refused_in_the_same_words(arguments, complaint):
    given = {"x": noise(9, 2), "h": response(5), **arguments}
    resident = {
        name: metalmom.to_device(each) if isinstance(each, np.ndarray) and each.size else each
        for name, each in given.items()
    }
    said = []
    for side, call in (("cpu", given), ("gpu", given), ("auto", resident)):
        with metalmom.config_context(backend=side), pytest.raises(ParameterError, match=complaint) as refused:
            metalmom.convolve(**call)
        said.append(str(refused.value))
    assert len(set(said)) == 1


def test_auto_takes_either_side():
    x, h = noise(20_000, 2), response(3000)
    with software_as_gpu(), metalmom.trace.record() as trace:
        for least in (1, 10**9):
            with metalmom.config_context(backend="auto", min_frames={"convolve": least}):
                metalmom.convolve(x, h)
        with metalmom.config_context(backend="auto", min_frames={"convolve": 1}):
            metalmom.convolve(x, h, method="fft")  # which has no kernel
            metalmom.convolve(x.astype(float), h)
    engine = [span.args["backend"] for span in trace.spans if span.cat == "engine" and "backend" in span.args]
    assert engine == ["gpu", "cpu", "cpu", "cpu"]


def test_an_array_goes_to_the_others_device():
    x, h = noise(9000, 2), response(3000)
    want = on_gpu(x, h)
    for given in ((metalmom.to_device(x), h), (x, metalmom.to_device(h))):
        kept = metalmom.convolve(*given)
        assert isinstance(kept, metalmom.DeviceArray)
        np.testing.assert_array_equal(kept.numpy(), want)


def test_no_signals_give_no_results():
    assert on_gpu(np.ones((0, 5), np.float32), np.ones(3, np.float32)).shape == (0, 7)
