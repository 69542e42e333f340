"""What must hold whatever the numbers are: inversion, linearity, invariance to batch and threads."""

import metalmom as mm
import numpy as np
import pytest

# Each feature as a function of a signal (..., n), with settings that keep it quick.
FEATURES = {
    "stft": lambda y: mm.stft(y, n_fft=512),
    "stft float64": lambda y: mm.stft(y.astype(np.float64), n_fft=600),
    "istft": lambda y: mm.istft(mm.stft(y, n_fft=512)),
    "melspectrogram": lambda y: mm.feature.melspectrogram(y=y),
    "mfcc": lambda y: mm.feature.mfcc(y=y, n_mfcc=13),
    "chroma_stft": lambda y: mm.feature.chroma_stft(y=y, tuning=0.0),
    "rms": lambda y: mm.feature.rms(y=y),
    "onset_strength": lambda y: mm.onset.onset_strength(y=y),
    "tempogram": lambda y: mm.feature.tempogram(y=y, win_length=64),
    "spectral_centroid": lambda y: mm.feature.spectral_centroid(y=y),
    "spectral_bandwidth": lambda y: mm.feature.spectral_bandwidth(y=y),
    "spectral_rolloff": lambda y: mm.feature.spectral_rolloff(y=y),
    "spectral_flatness": lambda y: mm.feature.spectral_flatness(y=y),
    "spectral_contrast": lambda y: mm.feature.spectral_contrast(y=y),
    "zero_crossing_rate": lambda y: mm.feature.zero_crossing_rate(y),
    "hpss": lambda y: np.stack(mm.effects.hpss(y, n_fft=512)),
    "autocorrelate": lambda y: mm.autocorrelate(y, max_size=500),
    "resample": lambda y: mm.resample(y, orig_sr=22050, target_sr=16000),
}


@pytest.fixture(params=FEATURES)
def feature(request):
    return FEATURES[request.param]


def same_bits(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 1e-6), (np.float64, 1e-14)])
@pytest.mark.parametrize(
    "settings",
    [
        dict(n_fft=2048),
        dict(n_fft=512, hop_length=128, window="hamming"),
        dict(n_fft=1000, hop_length=250),
        dict(n_fft=512, win_length=400, hop_length=100),
        dict(n_fft=509, hop_length=100),
    ],
)
def test_istft_inverts_stft(music, dtype, tolerance, settings):
    y = music.astype(dtype)
    back = mm.istft(mm.stft(y, **settings), length=y.size, **settings)
    assert back.dtype == dtype
    np.testing.assert_allclose(back, y, atol=tolerance)


def test_stft_is_linear(music, rng):
    other = rng.standard_normal(music.size).astype(np.float32)
    together = mm.stft(2 * music - 0.5 * other)
    apart = 2 * mm.stft(music) - 0.5 * mm.stft(other)
    np.testing.assert_allclose(together, apart, atol=1e-6 * np.abs(apart).max())


def test_parseval(rng):
    """The power of a frame's bins is the power of its windowed samples."""
    y = rng.standard_normal(1024)
    window = mm.filters.get_window("hann", 1024)
    D = mm.stft(y, n_fft=1024, center=False)[:, 0]
    twice = np.r_[1, np.full(511, 2), 1]
    power = np.sum(twice * np.abs(D) ** 2) / 1024
    assert power == pytest.approx(np.sum((window * y) ** 2), rel=1e-12)


def test_scaling_by_two_is_exact(music):
    """Doubling the signal doubles every rounding with it: four times the power, to the bit."""
    mel = mm.feature.melspectrogram(y=music)
    assert same_bits(mm.feature.melspectrogram(y=2 * music), 4 * mel)


def test_a_tone_is_found_where_it_is():
    y = mm.tone(440 * 2 ** (5 / 12), sr=22050, duration=1.0).astype(np.float32)
    chroma = mm.feature.chroma_stft(y=y)
    assert set(chroma.argmax(axis=0)) == {2}  # D
    centroid = mm.feature.spectral_centroid(y=y)[0, 10:-10]
    np.testing.assert_allclose(centroid, 440 * 2 ** (5 / 12), rtol=0.02)


def test_channels_are_as_if_alone(feature, music, rng):
    """Element i of a batch is bit-identical to processing it alone."""
    noise = (0.2 * rng.standard_normal(music.size)).astype(np.float32)
    signals = np.stack([music, noise, np.zeros_like(music), music[::-1], 0.01 * noise])
    together = feature(signals)
    lead = 1 if together.shape[0] == 2 and signals.shape[0] != 2 else 0
    for i, y in enumerate(signals):
        assert same_bits(np.take(together, i, axis=lead), feature(y)), f"signal {i}"


def test_any_number_of_threads_gives_the_same_bits(feature, rng):
    y = (0.3 * rng.standard_normal((3, 150_000))).astype(np.float32)
    with mm.config_context(threads=1):
        expected = feature(y)
    for n in (2, 3, 7):
        with mm.config_context(threads=n):
            assert same_bits(feature(y), expected), f"{n} threads"


def test_results_do_not_depend_on_what_ran_before(feature, music):
    first = feature(music)
    feature(np.repeat(music, 2))
    assert same_bits(feature(music), first)


def test_the_input_is_left_alone(feature, music):
    y = music.copy()
    y.flags.writeable = False
    feature(y)
    assert np.array_equal(y, music)


@pytest.mark.parametrize("view", [lambda y: y[::-1], lambda y: y[::3], lambda y: y.astype(">f4")])
def test_any_memory_layout_gives_the_same_bits(view, music):
    y = view(music)
    plain = np.ascontiguousarray(y, dtype=np.float32)
    for feature in (FEATURES["stft"], FEATURES["mfcc"], FEATURES["onset_strength"]):
        assert same_bits(feature(y), feature(plain))


def copied_bytes(call):
    before = mm._native.counters()["copied_bytes"]
    call()
    return mm._native.counters()["copied_bytes"] - before


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_contiguous_audio_is_not_copied(music, dtype):
    y = np.tile(music.astype(dtype), (2, 1))
    for name in ("stft", "melspectrogram", "mfcc", "rms", "onset_strength", "chroma_stft"):
        FEATURES[name](y)  # windows and bases are built once
        assert copied_bytes(lambda: FEATURES[name](y)) == 0, name


def test_other_audio_is_copied_once(music):
    y = music[::2]
    FEATURES["stft"](y)
    assert copied_bytes(lambda: FEATURES["stft"](y)) == y.nbytes


def test_errors_are_value_errors_that_say_what(music):
    with pytest.raises(ValueError, match="hop_length=0") as caught:
        mm.stft(music, hop_length=0)
    assert isinstance(caught.value, mm.ParameterError)
    assert isinstance(caught.value, mm.LibrosaError)


def test_more_than_memory_holds_is_an_error(music):
    with pytest.raises((MemoryError, mm.ParameterError)):
        mm.stft(music, n_fft=2**50, hop_length=512)
    with pytest.raises((MemoryError, mm.ParameterError)):
        mm.feature.melspectrogram(y=music, n_mels=2**50)


def test_flatness_of_powers_that_overflow_is_no_number():
    """As librosa's: infinite over infinite. A level below, it is that of the same audio at any level."""
    y = np.random.default_rng(0).standard_normal(8192).astype(np.float32)
    plain = mm.feature.spectral_flatness(y=y)
    louder = mm.feature.spectral_flatness(y=y * np.float32(1e12))
    np.testing.assert_allclose(louder, plain, rtol=1e-6)
    assert np.isnan(mm.feature.spectral_flatness(y=y * np.float32(1e20))).all()
    assert np.isnan(mm.feature.spectral_flatness(S=np.full((5, 3), np.inf, np.float32))).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_largest_value_as_reference_is_at_zero_exactly(dtype):
    """A colour bar ends at +0 dB, and ``levels.max() == 0`` is what programs ask."""
    for peak in np.random.default_rng(0).uniform(1e-3, 1e3, 50).astype(dtype):
        S = peak * np.linspace(0.01, 1, 100, dtype=dtype)
        for convert in (mm.power_to_db, mm.amplitude_to_db):
            assert convert(S, ref=np.max).max() == 0


# Functions of a stored spectrogram (..., bins, frames), real or complex.
OF_SPECTROGRAMS = {
    "melspectrogram": lambda D: mm.feature.melspectrogram(S=np.abs(D)),
    "spectral_centroid": lambda D: mm.feature.spectral_centroid(S=np.abs(D)),
    "spectral_contrast": lambda D: mm.feature.spectral_contrast(S=np.abs(D)),
    "interp_harmonics": lambda D: mm.interp_harmonics(
        np.abs(D), freqs=mm.fft_frequencies(), harmonics=[1, 2], axis=-2
    ),
    "piptrack": lambda D: np.stack(mm.piptrack(S=np.abs(D))),
    "mfcc_to_mel": lambda D: mm.feature.inverse.mfcc_to_mel(np.abs(D)[..., :20, :]),
    "istft": mm.istft,
    "icqt": lambda D: mm.icqt(D[..., :84, :]),
}


@pytest.mark.parametrize("name", OF_SPECTROGRAMS)
def test_results_do_not_depend_on_how_a_spectrogram_lies(music, name):
    D = mm.stft(np.stack([music, music[::-1]]))
    function = OF_SPECTROGRAMS[name]
    expected = function(np.ascontiguousarray(D))
    wide = np.empty((2, D.shape[1], 2 * D.shape[2]), D.dtype)
    wide[..., ::2] = D
    for lying in (D, np.asfortranarray(D), wide[..., ::2]):
        assert same_bits(function(lying), expected)
