"""`feature.spectral_slope`, which librosa does not have, against its formula."""

import metalmom
import numpy as np
import pytest
from metalmom.feature import spectral_slope

SR = 16000
Y = np.random.default_rng(0).standard_normal((2, 9000))
Y[:, 1:] += 0.9 * Y[:, :-1]  # less of what is high


def expected(a, sr=SR):
    """Peeters 2004, 6.1.4, of magnitudes (..., bins, frames)."""
    f, n = np.linspace(0, sr / 2, a.shape[-2])[:, np.newaxis], a.shape[-2]
    slope = (n * (f * a).sum(-2) - f.sum() * a.sum(-2)) / (n * (f**2).sum() - f.sum() ** 2)
    return (slope / a.sum(-2))[..., np.newaxis, :]


# float32: what sums of a thousand magnitudes lose, against the slope of noise that falls
@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-12), (np.float32, 1e-5)])
@pytest.mark.parametrize("framing", [{}, {"n_fft": 512, "hop_length": 100, "window": "hamming"}])
def test_it_is_the_formula(dtype, tolerance, framing):
    wanted = expected(np.abs(metalmom.stft(Y, **{"hop_length": 512, **framing})))
    found = spectral_slope(y=Y.astype(dtype), sr=SR, **framing)
    assert found.dtype == dtype and found.shape == wanted.shape
    assert (wanted < 0).all()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * np.abs(wanted).max())


def test_of_magnitudes():
    S = np.abs(metalmom.stft(Y))
    np.testing.assert_allclose(spectral_slope(S=S, sr=SR), expected(S), rtol=1e-12)
    np.testing.assert_allclose(spectral_slope(S=S.astype(np.float32), sr=SR), expected(S), rtol=1e-4)


def test_silence_has_no_slope():
    np.testing.assert_array_equal(spectral_slope(y=np.zeros(4096)), 0)
    np.testing.assert_array_equal(spectral_slope(S=np.zeros((5, 2))), 0)


def test_a_line_needs_two_frequencies():
    with pytest.raises(metalmom.ParameterError, match="^n_fft=1 must be at least 2: a line"):
        spectral_slope(y=Y, n_fft=1)
    for n_fft in (1, 2048):
        with pytest.raises(metalmom.ParameterError, match=r"^S.shape\[-2\]=1 must be at least 2: a line"):
            spectral_slope(S=np.ones((1, 3)), n_fft=n_fft)


def test_a_stream_gives_the_same_bits():
    y = Y[0].astype(np.float32)
    stream = metalmom.streaming.SpectralSlope(sr=SR)
    parts = [stream.process(y[i : i + 700]) for i in range(0, len(y), 700)]
    joined = np.concatenate([*parts, stream.flush()], axis=-1)
    np.testing.assert_array_equal(joined, spectral_slope(y=y, sr=SR))


def test_an_extractor_gives_the_same_bits():
    fx = metalmom.Extractor(["spectral_slope", "melspectrogram"], sr=SR)
    np.testing.assert_array_equal(fx(Y)["spectral_slope"], spectral_slope(y=Y, sr=SR))
