"""Audio near the ends of the range, where librosa's squares overflow: only the exponents change.

Where librosa's do not, its answers are the reference: cases_range.py.
"""

import metalmom
import numpy as np
import pytest

SR = 22050


def tone(dtype):
    t = np.arange(8192) / SR
    noise = np.random.default_rng(3).uniform(-1, 1, t.size)
    return (0.5 * np.sin(2 * np.pi * 440 * t) + 0.1 * noise).astype(dtype)


def chroma(norm, **arguments):
    return lambda y: metalmom.feature.chroma_stft(y=y, sr=SR, norm=norm, tuning=0.0, **arguments)


# What is as loud as the audio, and what does not depend on loudness.
AS_LOUD = {
    "resample": lambda y: metalmom.resample(y, orig_sr=SR, target_sr=16000),
    "halved": lambda y: metalmom.resample(y, orig_sr=2, target_sr=1, res_type="soxr_lq"),
    "cqt": lambda y: metalmom.cqt(y, sr=SR),
    "hybrid_cqt": lambda y: metalmom.hybrid_cqt(y, sr=SR),
    "icqt": lambda y: metalmom.icqt(metalmom.cqt(y, sr=SR), sr=SR),
}
THE_SAME = {
    "chroma": chroma(np.inf),
    "chroma, norm 2": chroma(2),
    "chroma, norm -inf": chroma(-np.inf, n_fft=400),
    "chroma of one frame": lambda y: chroma(1, center=False)(y[:2048]),
    "yin": lambda y: metalmom.yin(y, sr=SR, fmin=100, fmax=1000),
    "pyin": lambda y: metalmom.pyin(y, sr=SR, fmin=100, fmax=1000)[2],
}


@pytest.mark.parametrize("dtype, exponent", [(np.float32, 118), (np.float64, 990)])
@pytest.mark.parametrize("name", AS_LOUD)
def test_what_is_as_loud_as_the_audio(name, dtype, exponent):
    y = tone(dtype)
    expected = AS_LOUD[name](y)
    found = AS_LOUD[name](np.ldexp(y, exponent).astype(dtype)) * dtype(2.0**-exponent)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("dtype, exponent", [(np.float32, 120), (np.float64, 1000)])
@pytest.mark.parametrize("name", THE_SAME)
def test_what_does_not_depend_on_loudness(name, dtype, exponent):
    y = tone(dtype)
    found = THE_SAME[name](np.ldexp(y, exponent).astype(dtype))
    np.testing.assert_allclose(found, THE_SAME[name](y), rtol=1e-6, atol=1e-6)


def test_places_of_bins_whose_spectrum_has_one():
    """The spectrum of the time-weighted window is larger by half the frame."""
    y = tone(np.float32)
    freqs, times, mags = metalmom.reassigned_spectrogram(y, sr=SR, ref_power=0)
    loud = metalmom.reassigned_spectrogram(np.ldexp(y, 112), sr=SR, ref_power=0)
    for found, expected in zip(loud, (freqs, times, np.ldexp(mags, 112))):
        np.testing.assert_array_equal(found, expected)


def test_a_loud_frame_changes_no_other():
    y = tone(np.float32)
    expected = metalmom.feature.chroma_stft(y=y, sr=SR, tuning=0.0)
    y[:1024] *= np.float32(2.0**110)
    found = metalmom.feature.chroma_stft(y=y, sr=SR, tuning=0.0)
    np.testing.assert_array_equal(found[:, 4:], expected[:, 4:])
    assert np.isfinite(found).all()


def test_chroma_without_a_norm_overflows_as_powers_do():
    for norm in (None, 0):
        assert (chroma(norm)(tone(np.float32) * np.float32(1e30)) == np.inf).all()


def test_chroma_of_a_loud_stream():
    y = np.ldexp(tone(np.float32), 110)
    stream = metalmom.streaming.ChromaSTFT(sr=SR, tuning=0.0)
    parts = [stream.process(y[:3000]), stream.process(y[3000:], last=True)]
    np.testing.assert_array_equal(np.concatenate(parts, axis=-1), chroma(np.inf)(y))


def test_chroma_of_loud_audio_beside_other_features():
    """No peak of powers that overflow has a frequency, so there is no tuning to be found."""
    y = tone(np.float32) * np.float32(1e25)
    fx = metalmom.Extractor(["chroma_stft", "melspectrogram", "spectral_centroid"], sr=SR)
    with pytest.warns(UserWarning, match="tuning"):
        found = fx(y)
        expected = {name: getattr(metalmom.feature, name)(y=y, sr=SR) for name in found}
    for name in found:
        np.testing.assert_array_equal(found[name], expected[name])
    assert np.isfinite(found["chroma_stft"]).all()


def test_levels_of_loud_audio_in_another_type():
    y = tone(np.float64) * 1e100
    wide = metalmom.feature.rms(y=y, dtype=np.float64)
    np.testing.assert_allclose(wide, 1e100 * metalmom.feature.rms(y=y / 1e100, dtype=np.float64))
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert (metalmom.feature.rms(y=y) == np.inf).all()
    y[100] = np.nan
    with pytest.raises(metalmom.ParameterError, match="y is not finite everywhere"):
        metalmom.feature.rms(y=y)


def test_streams_cannot_scale_what_is_to_come():
    y = tone(np.float64) * 1e100
    stream = metalmom.streaming.Resample(orig_sr=2, target_sr=3, sample_dtype=np.float64)
    with pytest.raises(metalmom.ParameterError, match="y must be below 2\\^110"):
        stream.process(y)
    stream = metalmom.streaming.Resample(orig_sr=2, target_sr=3, sample_dtype=np.float64, res_type="soxr_vhq")
    assert np.isfinite(stream.process(y, last=True)).all()


MEANS = {"spectral_centroid": {}, "spectral_bandwidth": {}, "p=3": {"feature": "spectral_bandwidth", "p": 3}}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["spectral_centroid", "spectral_bandwidth", "p=3"])
def test_means_of_a_spectrum_that_overflows_are_refused(name, dtype):
    """librosa raises, too. What else is computed together stays."""
    y = tone(dtype)
    loud = y * np.finfo(dtype).max
    told = "y must be small enough for its spectrum to be finite"
    with pytest.raises(metalmom.ParameterError, match=f"^{told}$") as refused:
        metalmom.Extractor({name: MEANS[name]})(loud)
    assert refused.value.argument == "y"
    spec = {key: value for key, value in MEANS[name].items() if key != "feature"}
    function = getattr(metalmom.feature, MEANS[name].get("feature", name))
    with pytest.raises(metalmom.ParameterError, match=f"^{told}$"):
        function(y=loud, **spec)
    fx = metalmom.Extractor({"rms": {}, name: MEANS[name]})
    quiet, error, again = fx.map([y, loud, y], errors="return")
    assert str(error) == told
    for values in (quiet, again):
        np.testing.assert_array_equal(values[name], function(y=y, **spec))
    (outcomes,) = fx._outcomes([loud])
    assert isinstance(outcomes[name], metalmom.ParameterError)
    np.testing.assert_array_equal(outcomes["rms"], metalmom.feature.rms(y=loud))


def test_a_stored_spectrum_may_be_what_it_is():
    S = np.abs(metalmom.stft(tone(np.float32)))
    S[:, 3] = np.finfo(np.float32).max
    assert np.isfinite(metalmom.feature.spectral_centroid(S=S)).all()
