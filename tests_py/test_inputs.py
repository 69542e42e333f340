"""Inputs that lie oddly in memory, hold odd values, or are of another kind: librosa's answer or an error."""

import metalmom
import numpy as np
import pytest

Y = np.sin(np.arange(4096) * 0.1).astype(np.float32)
D = metalmom.stft(Y)
S = np.abs(D)


def unaligned(array):
    """The same values one byte off the places where the processor wants them."""
    view = np.frombuffer(b"\0" + array.tobytes(), dtype=array.dtype, offset=1)
    view = view.reshape(array.shape)
    assert view.flags.c_contiguous and not view.flags.aligned
    return view


def with_value(S, value):
    changed = S.copy()
    changed[40, 3] = value
    return changed


def test_unaligned_arrays_are_copied():
    before = metalmom._native.counters()["copied_bytes"]
    np.testing.assert_array_equal(metalmom.stft(unaligned(Y)), D)
    assert metalmom._native.counters()["copied_bytes"] == before + Y.nbytes


def test_an_unaligned_out_is_written():
    out = np.zeros(D.nbytes + 1, np.uint8)[1:].view(D.dtype).reshape(D.shape[::-1]).T
    assert metalmom.stft(Y, out=out) is out
    np.testing.assert_array_equal(out, D)


def test_out_may_share_memory_with_the_signal():
    frames = 1 + len(Y) // 512
    memory = np.zeros(2 * 1025 * frames, np.float32)
    y = memory[: len(Y)]
    y[:] = Y
    out = memory.view(np.complex64).reshape(frames, 1025).T
    metalmom.stft(y, out=out)
    np.testing.assert_array_equal(out, D)


def test_mono_may_be_written_over_a_signal():
    a, b = Y.copy(), Y[::-1].copy()
    expected = metalmom.to_mono(a, b)
    np.testing.assert_array_equal(metalmom.to_mono(a, b, out=a), expected)


def test_a_long_hop_costs_nothing():
    """Only the samples that a window reaches have a sum: 10 ** 9 of them would be 8 GB."""
    y = metalmom.istft(D, hop_length=10**9, length=2048)
    # The first frame alone, up to where its window comes near zero, and nothing after it.
    np.testing.assert_allclose(y[:900], Y[:900], atol=1e-5)
    assert not y[1024:].any()
    with pytest.raises(metalmom.ParameterError, match="^hop_length=.* must be small enough"):
        metalmom.istft(D, hop_length=9 * 10**15)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(
    "function",
    [metalmom.feature.spectral_centroid, metalmom.feature.spectral_bandwidth, metalmom.griffinlim],
)
def test_spectra_that_are_not_finite_are_refused(function, value):
    with pytest.raises(metalmom.ParameterError, match="^S must be finite everywhere"):
        function(S=with_value(S, value))


def test_what_needs_no_sum_passes_on_nan():
    centroid = np.ones((1, S.shape[1]))
    spread = metalmom.feature.spectral_bandwidth(
        S=with_value(S, np.nan), centroid=centroid, norm=False
    )
    assert np.isnan(spread[0]).tolist() == [frame == 3 for frame in range(S.shape[1])]
    # The level of the largest peak is NaN, and what lies 80 dB below it, too.
    assert np.isnan(metalmom.feature.spectral_contrast(S=with_value(S, np.nan))).all()
    linear = metalmom.feature.spectral_contrast(S=with_value(S, np.nan), linear=True)
    assert np.argwhere(np.isnan(linear)).tolist() == [[2, 3]]  # the band of 430 Hz
    assert not np.isnan(metalmom.feature.spectral_contrast(S=S)).any()


def test_frequencies_that_are_not_finite_have_no_tuning():
    assert metalmom.pitch_tuning([440.0, np.inf]) == 0.0
    assert metalmom.pitch_tuning([np.inf]) == -0.5
    off = 440 * 2 ** (0.195 / 12)
    assert metalmom.pitch_tuning([off, np.nan, np.inf]) == pytest.approx(0.19)


@pytest.mark.parametrize("resolution", [5e-324, np.inf, 0, np.nan])
def test_resolutions_without_cells_are_refused(resolution):
    with pytest.raises(metalmom.ParameterError, match="^resolution="):
        metalmom.pitch_tuning([440.0], resolution=resolution)
    with pytest.raises(metalmom.ParameterError, match="^resolution="):
        metalmom.estimate_tuning(y=Y, resolution=resolution)


@pytest.mark.parametrize(
    "function",
    [
        metalmom.feature.melspectrogram,
        metalmom.feature.mfcc,
        metalmom.feature.chroma_stft,
        metalmom.onset.onset_strength,
        metalmom.griffinlim,
        metalmom.feature.spectral_centroid,
    ],
)
def test_complex_spectra_are_not_taken_for_their_real_part(function):
    with pytest.raises(metalmom.ParameterError, match="^S.dtype=complex64 must be real"):
        function(S=D)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("convert", [metalmom.power_to_db, metalmom.amplitude_to_db])
def test_levels_of_no_reference_are_none(convert, dtype):
    S = np.array([[1, np.nan, 3]], dtype)
    for ref in (np.nan, np.max):
        assert np.isnan(convert(S, ref=ref)).all() and np.isnan(convert(S, ref=ref, top_db=None)).all()


def test_what_is_no_number_has_no_level():
    with pytest.raises(metalmom.ParameterError, match="^S.dtype=object must be"):
        metalmom.power_to_db(None)


@pytest.mark.parametrize("duration", [1e15, np.inf, -1, np.nan, "30"])
def test_songs_of_no_length_are_refused(duration):
    with pytest.raises(metalmom.ParameterError, match="^duration="):
        metalmom.demo.song(duration)


def test_parts_of_no_audio_are_empty():
    with pytest.warns(UserWarning, match="n_fft=2048 is too large"):
        parts = metalmom.effects.hpss(np.zeros((2, 0), np.float32))
    assert [part.shape for part in parts] == [(2, 0), (2, 0)]


@pytest.mark.parametrize("call, told", [
    (lambda: metalmom.feature.mfcc(np.zeros(4096), 22050),
     "mfcc() takes 0 positional arguments but 2 were given; the others are given by name: "
     "mfcc(y=..., sr=...)"),
    (lambda: metalmom.resample(np.zeros(4096), 22050, 16000),
     "resample() takes 1 positional argument but 3 were given; the others are given by name: "
     "resample(y, orig_sr=..., target_sr=...)"),
    (lambda: metalmom.load("song.ogg", 16000),
     "load() takes 1 positional argument but 2 were given; the last is given by name: "
     "load(path, sr=...)"),
    (lambda: metalmom.to_stereo(np.zeros(4096)),
     "to_stereo() takes 0 positional arguments but 1 was given; the last is given by name: "
     "to_stereo(left=...)"),
    (lambda: metalmom.get_duration("song.ogg"),
     "get_duration() takes 0 positional arguments but 1 was given; the last is given by name: "
     "get_duration(path=...)"),
    (lambda: metalmom.feature.chroma_stft("song.ogg"),  # and no window
     "chroma_stft() takes 0 positional arguments but 1 was given; the last is given by name: "
     "chroma_stft(y=...)"),
])  # fmt: skip
def test_a_call_without_names_is_shown_with_them(call, told):
    """As programs for librosa before 0.10 have it."""
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == told


def test_an_axis_that_there_is_not_is_named():
    pytest.importorskip("matplotlib")
    with pytest.raises(metalmom.ParameterError, match="y_axis='mels' must be .*did you mean 'mel'"):
        metalmom.display.specshow(np.ones((5, 5)), x_axis="time", y_axis="mels")


def test_an_example_of_a_value_is_no_suggestion():
    with pytest.raises(metalmom.ParameterError, match=r"such as 'C:maj' or 'Eb:dor'$"):
        metalmom.key_to_notes("Z:maj")


def test_a_word_for_indices_is_quoted():
    with pytest.raises(metalmom.ParameterError, match="^idx='a' must be all integers"):
        metalmom.util.sync(np.zeros((2, 9)), "a")


@pytest.mark.parametrize("given, expected", [
    ("int16", "float32"), ("uint8", "float32"), ("bool", "float32"), ("float16", "float32"),
    ("int32", "float64"), ("int64", "float64"), ("float64", "float64"),
])
def test_bands_of_whole_numbers_have_the_type_of_their_product(given, expected):
    S = np.arange(257 * 5).reshape(257, 5).astype(given)
    mel = metalmom.feature.melspectrogram(S=S, sr=22050, n_fft=512)
    assert mel.dtype == expected
    basis = metalmom.filters.mel(sr=22050, n_fft=512)
    np.testing.assert_allclose(mel, basis @ S.astype(np.float64), rtol=1e-5)


@pytest.mark.parametrize("dtype", [">f4", "f2"])
def test_audio_that_the_engine_converts_gives_the_precision_that_is_asked_for(dtype):
    y = Y[:4096].astype(dtype)
    for function, arguments in (
        (metalmom.feature.melspectrogram, {"dtype": np.float64}),
        (metalmom.feature.mfcc, {"dtype": np.float64}),
        (metalmom.stft, {"dtype": np.complex128}),
        (metalmom.cqt, {"dtype": np.complex128, "n_bins": 24}),
    ):
        value, native = (function(y=each, **arguments) for each in (y, y.astype(np.float32)))
        assert value.dtype == native.dtype and value.dtype.itemsize >= 8
        np.testing.assert_array_equal(value, native)


def test_soxr_takes_a_foreign_byte_order():
    y = Y[:4096]
    value = metalmom.resample(y.astype(">f4"), orig_sr=2, target_sr=1)
    np.testing.assert_array_equal(value, metalmom.resample(y, orig_sr=2, target_sr=1))
