"""Beats: what the reference cases do not reach."""

import numpy as np
import pytest

import metalmom
from metalmom.beat import beat_track


def pulses(period, n=600, first=7):
    envelope = np.zeros(n, dtype=np.float32)
    envelope[first::period] = 1
    return envelope


def test_pulses_are_followed():
    tempo, beats = beat_track(onset_envelope=pulses(22))
    assert tempo == pytest.approx(60 * 22050 / 512 / 22)
    np.testing.assert_array_equal(np.diff(beats), 22)
    assert beats.dtype == np.int64
    _, times = beat_track(onset_envelope=pulses(22), units="time")
    np.testing.assert_allclose(times, beats * 512 / 22050)
    _, samples = beat_track(onset_envelope=pulses(22), units="samples")
    np.testing.assert_array_equal(samples, beats * 512)


def test_a_given_tempo_is_returned_as_it_is():
    for bpm in (120, 117.5, np.float32(100), np.full(600, 117.0)):
        assert beat_track(onset_envelope=pulses(22), bpm=bpm)[0] is bpm


def test_channels_are_alone():
    both = np.stack([pulses(22), pulses(30, first=3)])
    tempo, beats = beat_track(onset_envelope=both, sparse=False)
    assert tempo.shape == (2, 1) and beats.shape == both.shape and beats.dtype == bool
    for i in range(2):
        alone, frames = beat_track(onset_envelope=both[i])
        assert alone == tempo[i]
        np.testing.assert_array_equal(np.flatnonzero(beats[i]), frames)
    _, given = beat_track(onset_envelope=both, bpm=tempo[:, 0], sparse=False)
    np.testing.assert_array_equal(given, beats)


def test_audio_goes_through_the_median_envelope(music):
    envelope = metalmom.onset.onset_strength(y=music, aggregate=np.median)
    for got, expected in zip(beat_track(y=music), beat_track(onset_envelope=envelope)):
        np.testing.assert_array_equal(got, expected)


def test_a_prior_replaces_the_start():
    class Fast:
        def logpdf(self, bpm):
            return np.where(np.abs(bpm - 234.9) < 5, 0.0, -1e9)

    tempo, _ = beat_track(onset_envelope=pulses(11), prior=Fast(), start_bpm=60)
    assert tempo == pytest.approx(60 * 22050 / 512 / 11)


def test_silence_has_no_beats():
    tempo, beats = beat_track(y=np.zeros(22050, dtype=np.float32))
    assert tempo == 0.0 and beats.size == 0
    tempo, beats = beat_track(onset_envelope=np.zeros((2, 50)), sparse=False)
    np.testing.assert_array_equal(tempo, np.zeros(2))
    assert beats.shape == (2, 50) and not beats.any()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"bpm": 0}, "bpm=0 must be a number > 0"),
        ({"bpm": np.ones(7)}, r"bpm.shape=\(7,\) must fit"),
        ({"tightness": 0}, "tightness=0 must be a number > 0"),
        ({"start_bpm": 0}, "start_bpm=0 must be a number > 0"),
        ({"units": "bars"}, "units='bars' must be one of"),
        ({"onset_envelope": np.ones(1)}, r"onset_envelope.shape\[-1\]=1 must be at least 2"),
        ({"onset_envelope": np.ones((2, 9))}, "onset_envelope.ndim=2 must be 1"),
        ({"onset_envelope": np.full(50, np.nan)}, "onset_envelope=nan must be finite"),
        ({"onset_envelope": None}, "y=None must be audio"),
    ],
)
def test_errors(arguments, text):
    with pytest.raises(metalmom.ParameterError, match=text):
        beat_track(**{"onset_envelope": pulses(22), **arguments})


def test_a_metrogram_of_complex_tempi_is_filled_with_a_real_number():
    tg = np.ones((20, 2), np.complex128)  # ratios beyond the tempi are filled
    found = metalmom.feature.metrogram(tg=tg, freqs=np.linspace(60, 90, 20), factors=[3.0], fill_value=5.0)
    assert np.array_equal(found, np.full((1, 2), 20 * 5 + 0j))  # a sum over the tempi


@pytest.mark.parametrize("win_length, apart", [(16, "161.50"), (1, "2583.98")])
def test_a_range_of_tempi_without_a_bin_is_refused(win_length, apart):
    with pytest.raises(metalmom.ParameterError, match=f"^tempo_min=70 and tempo_max=80 .* bins are {apart} apart$"):
        metalmom.beat.plp(onset_envelope=np.ones(400), win_length=win_length, tempo_min=70, tempo_max=80)
