"""Conversions: kinds of results (scalars, dtypes), edges and errors; numbers are librosa 1.0.0's."""

import metalmom
import numpy as np
import pytest

INTEGERS = ["frames_to_samples", "samples_to_frames", "time_to_samples", "time_to_frames"]
FLOATS = ["frames_to_time", "samples_to_time", "midi_to_hz", "hz_to_midi", "hz_to_mel", "mel_to_hz"]
FLOATS += ["hz_to_octs", "octs_to_hz", "A4_to_tuning", "tuning_to_A4", "A_weighting"]


@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_scalars_stay_scalars_and_lists_become_arrays(name):
    convert = getattr(metalmom, name)
    kind = np.int64 if name in INTEGERS else np.float64
    assert type(convert(7)) is kind
    for many in ([7, 8], (7, 8), np.array([7, 8]), np.array([[7], [8]])):
        converted = convert(many)
        assert converted.shape == np.shape(many)
        assert converted.dtype == kind
        assert converted.flat[0] == convert(7)
    assert convert([]).shape == (0,)


@pytest.mark.parametrize("name", ["hz_to_mel", "mel_to_hz", "midi_to_hz", "octs_to_hz"])
def test_float32_arrays_stay_float32(name):
    assert getattr(metalmom, name)(np.array([1.0, 60.0], dtype=np.float32)).dtype == np.float32


def test_negative_and_fractional_positions():
    assert metalmom.samples_to_frames([-1, 0, 511.9, 512]).tolist() == [-1, 0, 0, 1]
    assert metalmom.samples_to_frames(0, n_fft=2048) == -2
    assert metalmom.time_to_samples([-0.5, 1.00001]).tolist() == [-11025, 22050]
    assert metalmom.frames_to_samples([-1, 1.5]).tolist() == [-512, 768]
    assert metalmom.frames_to_samples(3, hop_length=100, n_fft=333) == 466
    assert metalmom.frames_to_time(0, n_fft=2048) == 1024 / 22050


def test_inputs_are_not_written():
    hz = np.array([100.0, 5000.0])
    for name in ("hz_to_mel", "mel_to_hz", "A_weighting"):
        getattr(metalmom, name)(hz)
    assert hz.tolist() == [100.0, 5000.0]


@pytest.mark.parametrize(
    ("note", "midi"),
    [
        ("C", 12),
        ("c4", 60),
        ("C#4", 61),
        ("E♭3", 51),
        ("F𝄪5", 79),
        ("G𝄫5", 77),
        ("Db-1", 1),
        ("B!4", 70),
        ("A♮4", 69),
        ("A4+50", 70),  # 69.5 rounds to even
        ("A4-49", 69),
    ],
)
def test_note_names(note, midi):
    assert metalmom.note_to_midi(note) == midi
    assert type(metalmom.note_to_midi(note)) is int


def test_cents_of_notes():
    assert metalmom.note_to_midi("A4-25", round_midi=False) == 68.75
    assert metalmom.note_to_hz("A4+100") == metalmom.note_to_hz("A#4")
    assert metalmom.note_to_hz("A4+20", round_midi=True) == 440.0
    assert np.isnan(metalmom.note_to_midi(""))
    assert metalmom.note_to_midi(["C4", "D4"]).dtype.kind == "i"
    assert metalmom.note_to_midi(["C4", ""]).dtype == np.float64


@pytest.mark.parametrize("note", ["H4", "C4x", "4", "C 4", "C4.5"])
def test_no_note(note):
    with pytest.raises(metalmom.ParameterError, match=f"note='{note}' must be"):
        metalmom.note_to_hz(note)


def test_mel_scales_meet_their_anchors():
    assert metalmom.hz_to_mel(1000) == pytest.approx(15, rel=1e-15)
    assert metalmom.hz_to_mel(6400) == pytest.approx(42, rel=1e-15)
    assert metalmom.hz_to_mel(700, htk=True) == pytest.approx(781.1728389, rel=1e-9)
    assert metalmom.mel_frequencies(1, fmin=50).tolist() == [50]
    assert metalmom.mel_frequencies(0).shape == (0,)


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("A", [-50.390085, -19.142432, 0.000344, -2.491442]),
        ("B", [-24.15874, -5.646942, 0.000356, -4.298449]),
        ("C", [-6.218726, -0.299538, 0.000098, -4.405358]),
        ("D", [-20.628283, -7.204945, -0.000311, 3.437134]),
        ("Z", [0, 0, 0, 0]),
    ],
)
def test_weightings(name, levels):
    hz = np.array([20.0, 100.0, 1000.0, 10000.0])
    found = metalmom.frequency_weighting(hz, kind=name.lower())
    np.testing.assert_allclose(found, levels, atol=1e-6)
    np.testing.assert_array_equal(found, getattr(metalmom, f"{name}_weighting")(hz))


def test_weightings_at_zero_hertz():
    assert metalmom.A_weighting(0) == -80
    with pytest.warns(UserWarning, match="B-weighting returned non-finite values"):
        assert metalmom.B_weighting(0, min_db=None) == -np.inf
    with pytest.raises(metalmom.ParameterError, match="kind='q' must be one of"):
        metalmom.frequency_weighting([1.0], kind="q")
    assert metalmom.multi_frequency_weighting([10.0, 20.0], kinds="AZ").shape == (2, 2)


def test_blocks_of_narrow_integers_do_not_wrap_around():
    frames = metalmom.blocks_to_frames(np.array([1, 100], dtype=np.int8), block_length=16)
    assert frames.tolist() == [16, 1600]
    samples = metalmom.blocks_to_samples(np.array([1, 100], dtype=np.int8), block_length=16, hop_length=1)
    assert samples.tolist() == frames.tolist()
