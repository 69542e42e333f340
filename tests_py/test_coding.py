"""Linear prediction and companding: what the reference cases do not reach."""

import numpy as np
import pytest

import metalmom


def residual(y, order):
    """The largest of what a filter of linear prediction leaves of a signal."""
    return np.abs(np.convolve(y, metalmom.lpc(y, order=order), mode="valid")).max()


def test_what_is_nearly_predicted_is_predicted_better_by_higher_orders():
    # Errors a billionth of the signal: carried on from order to order, their energy would be
    # rounding, and order 12 a hundred times worse than order 8.
    y = metalmom.chirp(fmin=50, fmax=500, sr=22050, duration=2.0).astype(np.float64)
    left = [residual(y, order) for order in (4, 8, 12, 16)]
    assert left[0] < 2e-4 and left[1] < 1e-8 and max(left[2:]) < 1e-9


@pytest.mark.parametrize("mu", [1, 15, 16, 255, 256, 4095, 4096, 65535])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_codes_count_the_edges_below(mu, dtype):
    edges = np.linspace(-1, 1, mu + 1)
    x = np.random.default_rng(5).uniform(-1, 1, 3001).astype(dtype)
    x[:5] = 0, 1, -1, 1e-30, -1e-9
    # Around the values that lie at edges, where the last bit decides.
    at = (np.sign(edges) * np.expm1(np.abs(edges) * np.log1p(mu)) / mu).astype(dtype)[::97]
    at = at.clip(-1, 1)  # the last edges are 1 but for rounding, which is the processor's
    x = np.concatenate([x, at, np.nextafter(at, dtype(0)), np.nextafter(at, dtype(0.5))])
    expected = np.digitize(metalmom.mu_compress(x, mu=mu, quantize=False), edges, right=True)
    np.testing.assert_array_equal(metalmom.mu_compress(x, mu=mu), expected - int(mu + 1) // 2)


@pytest.mark.parametrize("length", [1, 3, 15, 16, 17, 64])
def test_a_value_has_the_same_code_wherever_it_stands(length):
    x = np.random.default_rng(6).uniform(-1, 1, 64).astype(np.float32)
    np.testing.assert_array_equal(metalmom.mu_compress(x[:length]), metalmom.mu_compress(x)[:length])


@pytest.mark.parametrize("fill_value", [0, -0.0, 2.5])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(2, 3), (40, 300), (2, 9, 17)])
def test_harmonics_lie_between_bins_or_are_filled(shape, order, fill_value):
    x = np.asarray(np.random.default_rng(7).uniform(1, 2, shape), order=order)
    freqs, harmonics = np.arange(float(shape[-2])), [0.5, 1, 1.75, 3]
    found = metalmom.interp_harmonics(x, freqs=freqs, harmonics=harmonics, fill_value=fill_value)
    lines = np.moveaxis(x, -2, -1).reshape(-1, shape[-2])
    for k, h in enumerate(harmonics):
        of_each = [np.interp(h * freqs, freqs, y, right=fill_value) for y in lines]
        expected = np.moveaxis(np.reshape(of_each, np.moveaxis(x, -2, -1).shape), -1, -2)
        np.testing.assert_allclose(found[..., k, :, :], expected, rtol=1e-12)


@pytest.mark.parametrize(
    "convert",
    [
        metalmom.power_to_db,
        metalmom.amplitude_to_db,
        lambda x: metalmom.mu_expand(x, quantize=False),
    ],
)
def test_half_precision_stays_and_is_rounded_once(convert):
    given = np.linspace(0.1, 1, 12, dtype=np.float16).reshape(3, 4)
    found = convert(given)
    assert found.dtype == np.float16
    np.testing.assert_array_equal(found, convert(given.astype(np.float32)).astype(np.float16))


@pytest.mark.parametrize("dtype", [int, np.uint8, bool])
def test_griffinlim_of_whole_numbers_is_float32(dtype):
    S = np.ones((33, 9), dtype)
    assert metalmom.griffinlim(S, n_iter=2, rng=0).dtype == np.float32
    assert metalmom.griffinlim(S, n_iter=2, rng=0, dtype=np.float64).dtype == np.float64
