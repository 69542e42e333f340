"""Pitch tracking and tuning: what the reference cases do not reach."""

import fractions
import math

import numpy as np
import pytest

import metalmom
from metalmom.core.pitch import _thresholds


def tones(*frequencies, sr=22050, dtype=np.float32):
    t = np.arange(sr) / sr
    return sum(np.sin(2 * np.pi * f * t) for f in frequencies).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_tone_is_tracked(dtype):
    pitches, magnitudes = metalmom.piptrack(y=tones(441.3, dtype=dtype))
    assert pitches.dtype == magnitudes.dtype == dtype
    assert pitches.flags.f_contiguous and pitches.shape == magnitudes.shape
    inner = slice(4, -4)
    found = pitches[magnitudes.argmax(axis=0), np.arange(pitches.shape[1])][inner]
    np.testing.assert_allclose(found, 441.3, atol=0.5)
    assert ((pitches > 0) == (magnitudes > 0)).all()


def test_frames_are_centered_unless_told():
    y = np.concatenate([np.zeros(3000, np.float32), tones(441.3)])
    for center in (True, False):
        S = np.abs(metalmom.stft(y, center=center))
        expected = metalmom.piptrack(S=S)
        for got, of_stft in zip(metalmom.piptrack(y=y, center=center), expected):
            np.testing.assert_array_equal(got, of_stft)
    centered = metalmom.piptrack(y=y, center=True)
    for got, of_default in zip(metalmom.piptrack(y=y), centered):
        np.testing.assert_array_equal(got, of_default)


def test_a_tuning_is_estimated_of_centered_frames_unless_told():
    """A tone shorter than half a frame: only frames that begin before the signal see it alone."""
    sr, n_fft = 22050, 2048
    t = np.arange(1200) / sr
    y = np.concatenate([np.sin(2 * np.pi * 452 * t), 0.1 * np.sin(2 * np.pi * 440 * np.arange(3000) / sr)])
    pitch, magnitude = {}, {}
    for center in (True, False):
        pitch[center], magnitude[center] = metalmom.piptrack(y=y, n_fft=n_fft, center=center)
    tuning = {}
    for center in (True, False):
        loud = magnitude[center] >= np.median(magnitude[center][pitch[center] > 0])
        tuning[center] = metalmom.pitch_tuning(pitch[center][loud & (pitch[center] > 0)])
        assert metalmom.estimate_tuning(y=y, n_fft=n_fft, center=center) == tuning[center]
    assert tuning[True] != tuning[False]
    assert metalmom.estimate_tuning(y=y, n_fft=n_fft) == tuning[True]


def test_order_of_a_stored_spectrogram_is_kept():
    S = np.abs(metalmom.stft(tones(440.0)))
    expected = metalmom.piptrack(S=S)
    for got, of_stft in zip(metalmom.piptrack(S=np.ascontiguousarray(S)), expected):
        assert got.flags.c_contiguous
        np.testing.assert_array_equal(got, of_stft)
    for got, of_stft in zip(metalmom.piptrack(S=-S), expected):
        np.testing.assert_array_equal(got, of_stft)


def test_reference_values():
    S = np.abs(metalmom.stft(tones(440.0)))
    maximum = metalmom.piptrack(S=S)[0]
    np.testing.assert_array_equal(metalmom.piptrack(S=S, ref=np.max)[0], maximum)
    np.testing.assert_array_equal(metalmom.piptrack(S=S, ref=0.1 * S.max(axis=0))[0], maximum)
    assert not metalmom.piptrack(S=S, ref=2 * S.max())[0].any()
    assert not metalmom.piptrack(S=S, fmin=1000.0)[0].any()


@pytest.mark.parametrize("cents", [-42, -7, 0, 13, 40])
def test_tuning_is_found(cents):
    factor = 2 ** (cents / 1200)
    y = tones(*(factor * metalmom.midi_to_hz(np.array([69, 73, 76]))))
    assert metalmom.estimate_tuning(y=y, n_fft=8192) == pytest.approx(cents / 100, abs=0.011)
    S = np.abs(metalmom.stft(y, n_fft=8192))
    assert metalmom.estimate_tuning(S=S, n_fft=None) == pytest.approx(cents / 100, abs=0.011)


def test_channels_share_a_tuning():
    loud, quiet = tones(440.0), 0.01 * tones(446.4)
    alone = metalmom.estimate_tuning(y=loud)
    assert metalmom.estimate_tuning(y=np.stack([loud, quiet])) == alone


def test_pitch_tuning_of_few():
    assert metalmom.pitch_tuning([440, 220, 0, -3]) == 0.0
    assert metalmom.pitch_tuning(np.float32(452.0)) == pytest.approx(0.46, abs=0.011)
    assert metalmom.pitch_tuning([446.4], resolution=0.1) == pytest.approx(0.2, abs=1e-9)


@pytest.mark.parametrize("call", ["estimate", "pitch"])
def test_no_pitches_warn(call):
    with pytest.warns(UserWarning, match="empty frequency set"):
        if call == "pitch":
            assert metalmom.pitch_tuning([]) == 0.0
        else:
            assert metalmom.estimate_tuning(y=np.zeros(4096, dtype=np.float32)) == 0.0


def test_errors():
    for call, text in (
        (lambda: metalmom.piptrack(), "y=None must be audio"),
        (lambda: metalmom.estimate_tuning(y=tones(440.0), n_fft=None), "n_fft=None must be"),
        (lambda: metalmom.pitch_tuning([440], resolution=0), "resolution=0 must be"),
    ):
        with pytest.raises(metalmom.ParameterError, match=text):
            call()
    with pytest.raises(TypeError):
        metalmom.estimate_tuning(y=tones(440.0), unknown=1)


@pytest.mark.parametrize(("a", "b"), [(2, 18), (1, 1), (18, 2), (30, 30), (1, 60)])
def test_weights_of_thresholds_are_of_a_beta_distribution(a, b):
    """With whole parameters it is a sum of binomial terms, which is exact in fractions."""
    n = a + b - 1
    exact = [
        sum(math.comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1))
        for x in map(fractions.Fraction, np.linspace(0, 1, 101).tolist())
    ]
    thresholds, weights = _thresholds(100, a, b)
    # logarithms of the gamma function lose as many digits as they are large
    atol = 1e-15 * max(20, a + b)
    np.testing.assert_allclose(weights, np.diff(np.array(exact, dtype=float)), rtol=0, atol=atol)
    assert thresholds[-1] == 1 and abs(weights.sum() - 1) < 1e-15


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (2.5, 34), (1e-3, 5), (1e-300, 2), (1000, 2000), (1e5, 3e5)])
def test_weights_of_thresholds_are_scipys(a, b):
    betainc = pytest.importorskip("scipy.special").betainc
    thresholds, weights = _thresholds(100, a, b)
    # logarithms of the gamma function lose as many digits as they are large
    np.testing.assert_allclose(weights, np.diff(betainc(a, b, thresholds)), rtol=0, atol=1e-14 * max(10, a + b))
