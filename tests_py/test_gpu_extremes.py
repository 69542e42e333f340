"""What kernels make of numbers at the ends of their range, and of what is no number: what the CPU makes of it."""

import metalmom
import numpy as np
import pytest
from devices import on_device

pytestmark = on_device


@pytest.fixture
def y(rng):
    return rng.uniform(-1, 1, 8192).astype(np.float32)


# Powers of two, so that nothing but the exponents changes. Squares of magnitudes at 2^-90 and 2^70
# are no floats; powers of audio at 2^-40 and 2^20 are, but not their squares and cubes.
FAR, NEAR = (-90, 70), (-40, 20)


@pytest.mark.parametrize(("exponents", "function"), [
    (FAR, metalmom.feature.spectral_centroid),
    (FAR, metalmom.feature.spectral_rolloff),
    (FAR, metalmom.feature.spectral_bandwidth),
    (FAR, lambda y: metalmom.feature.spectral_bandwidth(y=y, p=3)),
    (NEAR, lambda y: metalmom.feature.chroma_stft(y=y, tuning=0.0, norm=2)),
    (NEAR, lambda y: metalmom.feature.chroma_stft(y=y, tuning=0.0, norm=3)),
])  # fmt: skip
def test_what_is_of_no_scale_is_the_same_at_any_loudness(exponents, function, y):
    with metalmom.config_context(backend="gpu"):
        expected = function(y=y)
        for exponent in exponents:
            found = function(y=np.ldexp(y, exponent).astype(np.float32))
            np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_contrast_of_soft_audio(y):
    soft = np.ldexp(y, -80).astype(np.float32)
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.feature.spectral_contrast(y=soft, linear=True)
    with metalmom.config_context(backend="gpu"):
        found = metalmom.feature.spectral_contrast(y=soft, linear=True)
    np.testing.assert_allclose(found, expected, atol=1e-5 * expected.max())


@pytest.mark.parametrize("function", [
    lambda y: metalmom.feature.mfcc(y=y),
    lambda y: metalmom.onset.onset_strength(y=y),
])  # fmt: skip
def test_what_overflows_is_no_number(function, y):
    with metalmom.config_context(backend="gpu"):
        assert not np.isfinite(function(np.float32(3e38) * y)).all()


@pytest.mark.parametrize("function", [
    metalmom.feature.spectral_centroid,
    metalmom.feature.spectral_bandwidth,
    lambda y: metalmom.feature.spectral_bandwidth(y=y, p=3),
    lambda y: metalmom.Extractor(["rms", "spectral_centroid"])(y),
])  # fmt: skip
def test_means_of_a_spectrum_that_overflows_are_refused(function, y):
    told = "^y must be small enough for its spectrum to be finite$"
    with metalmom.config_context(backend="gpu"), pytest.raises(metalmom.ParameterError, match=told):
        function(y=np.float32(3e38) * y)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1.0])
@pytest.mark.parametrize("function", [
    metalmom.power_to_db,
    metalmom.amplitude_to_db,
    lambda S: metalmom.power_to_db(S, top_db=None),
    lambda S: metalmom.pcen(S),
    lambda S: metalmom.feature.mfcc(S=S),
    lambda S: metalmom.onset.onset_strength(S=S),
], ids=["power_to_db", "amplitude_to_db", "top_db=None", "pcen", "mfcc", "onset_strength"])  # fmt: skip
def test_one_value_that_is_no_energy(function, value, rng):
    S = rng.uniform(0, 1, (40, 150)).astype(np.float32)
    S[7, 80] = value
    with metalmom.config_context(backend="cpu"):
        expected = function(S)
    with metalmom.config_context(backend="gpu"):
        found = function(S)
        resident = function(metalmom.to_device(S)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)
    np.testing.assert_array_equal(resident, found)
