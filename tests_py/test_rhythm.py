"""Tempograms and tempo: what the reference cases do not reach."""

import numpy as np
import pytest

import metalmom
from metalmom.feature import tempo, tempogram


@pytest.fixture(scope="module")
def envelope(music):
    return metalmom.onset.onset_strength(y=music)


def definition(envelope, win_length):
    """Windowed frames, correlated with themselves one by one."""
    window = metalmom.filters.get_window("hann", win_length)
    half = win_length // 2
    padded = np.pad(envelope, half, mode="linear_ramp").astype(np.float64)
    frames = [padded[i : i + win_length] * window for i in range(envelope.size)]
    return np.array([np.correlate(f, f, mode="full")[win_length - 1 :] for f in frames]).T


@pytest.mark.parametrize("win_length", [1, 2, 7, 64, 101])
def test_definition(envelope, win_length):
    expected = definition(envelope, win_length)
    got = tempogram(onset_envelope=envelope, win_length=win_length, norm=None)
    assert got.dtype == np.float64 and got.flags.c_contiguous
    np.testing.assert_allclose(got, expected, atol=1e-12 * expected.max() + 1e-300)
    scaled = tempogram(onset_envelope=envelope, win_length=win_length, norm=2)
    length = np.linalg.norm(got, axis=0)
    np.testing.assert_allclose(scaled, got / np.where(length > 0, length, 1), atol=1e-12)


def test_silent_frames_stay_zero():
    envelope = np.zeros(2000)
    envelope[:50] = 1e6
    T = tempogram(onset_envelope=envelope)
    assert T[0, 0] == 1.0
    assert not T[:, 600:].any()


def test_integers_have_integer_ramps():
    envelope = np.arange(1, 30) % 5
    padded = np.pad(envelope, 4, mode="linear_ramp").astype(np.float64)
    expected = tempogram(onset_envelope=padded, win_length=8, center=False)[:, :-1]
    np.testing.assert_array_equal(tempogram(onset_envelope=envelope, win_length=8), expected)


def test_channels_are_alone(envelope):
    both = np.stack([envelope, envelope[::-1]])
    for i, each in enumerate(tempogram(onset_envelope=both)):
        np.testing.assert_array_equal(each, tempogram(onset_envelope=both[i]))
    for i, each in enumerate(tempo(onset_envelope=both)):
        np.testing.assert_array_equal(each, tempo(onset_envelope=both[i]))


def test_tempo_of_a_tempogram(envelope):
    T = tempogram(onset_envelope=envelope, win_length=344)
    np.testing.assert_array_equal(tempo(tg=T), tempo(onset_envelope=envelope, ac_size=8.0))
    np.testing.assert_array_equal(
        tempo(tg=T, aggregate=None), tempo(onset_envelope=envelope, aggregate=None)
    )
    assert tempo(onset_envelope=envelope, aggregate=None).shape == envelope.shape


def test_prior_and_limits():
    beat = np.zeros(800)
    beat[::10] = 1.0  # 258 beats per minute, or half, or a third
    fastest = 60 * 22050 / 512 / 10
    assert tempo(onset_envelope=beat, start_bpm=250) == pytest.approx(fastest)
    assert tempo(onset_envelope=beat, start_bpm=250, max_tempo=200) == pytest.approx(fastest / 2)
    assert tempo(onset_envelope=beat, start_bpm=86, std_bpm=0.1) == pytest.approx(fastest / 3)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"win_length": 0}, "win_length=0 must be a positive integer"),
        ({"norm": "max"}, "norm='max' must be a number or None"),
        ({"norm": -1}, "norm=-1 must be infinity"),
        ({"center": False, "win_length": 400}, "must be at least win_length=400"),
        ({"onset_envelope": np.array([1.0, np.inf])}, "onset_envelope=inf must be finite"),
        ({"onset_envelope": None}, "y=None must be audio"),
    ],
)
def test_errors(envelope, arguments, text):
    with pytest.raises(metalmom.ParameterError, match=text):
        tempogram(**{"onset_envelope": envelope, **arguments})


@pytest.mark.parametrize("call", [
    metalmom.feature.tempo, metalmom.feature.tempogram, metalmom.feature.fourier_tempogram, metalmom.feature.tempogram_ratio,
    metalmom.beat.beat_track, metalmom.beat.plp, lambda y: metalmom.Extractor(["rms", "tempo"])(y),
])  # fmt: skip
def test_audio_whose_onsets_overflow_is_named(call):
    y = np.float32(1e38) * np.cos(np.arange(22050, dtype=np.float32))
    with pytest.raises(metalmom.ParameterError, match="^y must be audio whose onset_envelope is finite( everywhere)?$") as refused:
        call(y=y)
    assert refused.value.argument == "y"


@pytest.mark.parametrize("which", [tempogram, metalmom.feature.fourier_tempogram])
@pytest.mark.parametrize("win_length", [10**11, 10**13])
def test_windows_that_no_memory_holds_are_named(envelope, which, win_length):
    with pytest.raises(metalmom.ParameterError, match=f"^win_length={win_length} must be smaller"):
        which(onset_envelope=envelope, win_length=win_length)
