"""Onsets: what the reference cases do not reach."""

import numpy as np
import pytest

import metalmom
from metalmom import onset


@pytest.fixture(scope="module")
def levels(music):
    return metalmom.power_to_db(metalmom.feature.melspectrogram(y=music, fmax=11025.0))


def test_audio_equals_its_levels(music, levels):
    for arguments in ({}, {"lag": 2, "max_size": 3}, {"aggregate": np.median}, {"center": False}):
        of_audio = onset.onset_strength(y=music, **arguments)
        of_levels = onset.onset_strength(S=levels, **arguments)
        np.testing.assert_allclose(of_audio, of_levels, atol=2e-6 * of_levels.max())


def test_definition(levels):
    rises = np.maximum(0.0, levels[:, 1:] - levels[:, :-1])
    expected = np.pad(rises.mean(axis=0), (3, 0))[: levels.shape[-1]]  # lag and half a frame
    np.testing.assert_allclose(onset.onset_strength(S=levels), expected, atol=1e-5)


def test_any_function_aggregates(levels):
    rises = np.maximum(0.0, levels[:, 1:] - levels[:, :-1])
    got = onset.onset_strength_multi(S=levels, aggregate=np.max, channels=[0, 8, 128], center=False)
    np.testing.assert_array_equal(got[:, 1:], [rises[:8].max(axis=0), rises[8:].max(axis=0)])


def test_own_feature_and_reference(music, levels):
    def half(**arguments):
        return metalmom.feature.melspectrogram(**arguments, fmax=11025.0, power=2.0)

    same = onset.onset_strength(y=music, feature=half)
    np.testing.assert_allclose(same, onset.onset_strength(S=levels), atol=1e-4)
    none = onset.onset_strength(S=levels, ref=np.full_like(levels, levels.max()))
    assert not none.any()


def test_channels_are_alone(music):
    stereo = np.stack([music, 0.1 * music[::-1]])
    got = onset.onset_strength(y=stereo)
    for channel, alone in zip(got, stereo):
        np.testing.assert_array_equal(channel, onset.onset_strength(y=alone))
    mask = onset.onset_detect(y=stereo, sparse=False)
    frames = onset.onset_detect(y=np.ascontiguousarray(stereo[1]))
    np.testing.assert_array_equal(np.flatnonzero(mask[1]), frames)


def test_silence_has_no_onsets():
    silence = np.zeros(22050, dtype=np.float32)
    assert not onset.onset_strength(y=silence).any()
    found = onset.onset_detect(y=silence, units="time")
    assert found.size == 0
    assert not onset.onset_detect(y=silence, sparse=False).any()


def test_clicks_are_found():
    times = np.array([0.5, 1.0, 1.25])
    y = metalmom.clicks(times=times, sr=22050, length=33075).astype(np.float32)
    found = onset.onset_detect(y=y, units="time")
    np.testing.assert_allclose(found, times, atol=0.03)
    back = onset.onset_detect(y=y, backtrack=True)
    assert (back <= onset.onset_detect(y=y)).all()
    samples = onset.onset_detect(y=y, units="samples")
    np.testing.assert_array_equal(samples, 512 * onset.onset_detect(y=y))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"lag": 0}, "lag=0 must be a positive integer"),
        ({"max_size": 1.5}, "max_size=1.5 must be a positive integer"),
        ({"hop_length": 0}, "hop_length=0 must be a positive integer"),
        ({"aggregate": False}, "aggregate=False must be a function"),
        ({"ref": np.zeros((2, 2))}, r"ref.shape=\(2, 2\) must be S.shape"),
    ],
)
def test_errors(music, arguments, text):
    with pytest.raises(metalmom.ParameterError, match=text):
        onset.onset_strength(y=music, **arguments)


def test_errors_of_detection(music):
    envelope = onset.onset_strength(y=music)
    for arguments, text in (
        ({}, "y=None must be"),
        ({"onset_envelope": envelope, "units": "beats"}, "units='beats' must be one of"),
        ({"onset_envelope": envelope, "backtrack": True, "sparse": False}, "sparse=False must be"),
        ({"onset_envelope": envelope, "method": "best"}, "method='best' must be"),
    ):
        with pytest.raises(metalmom.ParameterError, match=text):
            onset.onset_detect(**arguments)


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint8])
def test_an_envelope_of_whole_numbers_has_the_onsets_of_its_values(kind):
    envelope = np.tile([0, 1, 5, 2, 0, 0, 0, 9, 3, 1, 0, 0, 0, 4, 0], 3)
    if kind == np.int8:
        envelope = envelope * 28 - 128  # whose range no int8 holds
    for arguments in ({}, {"backtrack": True}, {"sparse": False}, {"normalize": False, "delta": 1}):
        found = onset.onset_detect(onset_envelope=envelope.astype(kind), **arguments)
        np.testing.assert_array_equal(found, onset.onset_detect(onset_envelope=envelope.astype(float), **arguments))
        assert found.any()
