"""What an Extractor moves between host and device, by counters: samples go there once."""

import gc

import metalmom
import numpy as np
import pytest
from devices import little_memory, on_device
from metalmom import _native

pytestmark = on_device

# Five framings: frames of 2048 and 1024 samples with a window, of 2048 without one, padded by zeros
# and by edges, and others every 300 samples.
FRAMINGS = {
    "mfcc": {},
    "spectral_centroid": {},
    "onset_strength": {},
    "rms": {},
    "zero_crossing_rate": {},
    "melspectrogram": {"n_fft": 1024},
    "spectral_flatness": {"hop_length": 300},
    "spectral_contrast": {},
}
TUNED = {"chroma_stft": {}, "estimate_tuning": {}}


@pytest.fixture
def clips(rng):
    """A scale, a tenth of a semitone sharp, in a little noise; clips of an odd length."""
    t = np.arange(30_001)
    notes = 440 * 2 ** (((t // 3000 * 5) % 24 + 0.1) / 12)
    y = 0.5 * np.sin(2 * np.pi * np.cumsum(notes) / 22050)
    y = np.stack([np.roll(y, 100 * i) for i in range(5)])
    return (y + 1e-3 * rng.standard_normal(y.shape)).astype(np.float32)


def moved(call):
    """What a call gives, and what the trace of a second one counted: tables are on the device then."""
    with metalmom.config_context(backend="gpu"):
        call()
        with metalmom.trace.record() as trace:
            values = call()
    return values, trace


def assert_as_single_calls(values, recipe, y):
    for name, arguments in recipe.items():
        function = getattr(metalmom.feature, name, None) or getattr(
            metalmom.onset, name, None) or getattr(metalmom, name)
        with metalmom.config_context(backend="gpu"):
            single = function(y=y, **arguments)
        np.testing.assert_array_equal(np.asarray(values[name]), np.asarray(single), name)


@pytest.mark.parametrize("recipe", [FRAMINGS, TUNED, {**FRAMINGS, **TUNED}],
                         ids=["framings", "tuned", "both"])
def test_samples_are_uploaded_once(recipe, clips):
    values, trace = moved(lambda: metalmom.Extractor(recipe)(clips))
    assert trace.counters["uploaded_bytes"] == clips.nbytes
    assert_as_single_calls(values, recipe, clips)


def test_what_is_made_of_features_has_kernels_too(clips):
    """Features of features run in a wave of their own; of a DeviceArray nothing leaves the device."""
    recipe = {"mfcc": {}, "delta": {"of": "mfcc"}, "tempogram": {"win_length": 40}, "yin": {"fmin": 100, "fmax": 2000}}
    extractor = metalmom.Extractor(recipe)
    values, trace = moved(lambda: extractor(clips))
    ran = {s.name: s.args["backend"] for s in trace.spans if s.cat == "engine" and "backend" in s.args}
    assert {name: ran[name] for name in ("delta", "tempogram", "yin")} == dict.fromkeys(
        ("delta", "tempogram", "yin"), "gpu"
    )
    with metalmom.config_context(backend="gpu"):
        expected = metalmom.feature.delta(metalmom.feature.mfcc(y=clips))
    np.testing.assert_array_equal(values["delta"], expected)
    assert_as_single_calls(values, {name: recipe[name] for name in ("tempogram", "yin")}, clips)
    y = metalmom.to_device(clips)
    kept, trace = moved(lambda: extractor(y))
    assert trace.counters.get("downloaded_bytes", 0) == 0
    for name, value in kept.items():
        np.testing.assert_array_equal(value.numpy(), values[name], name)


def test_a_piece_is_one_submission_for_all_framings(clips):
    _, trace = moved(lambda: metalmom.Extractor(FRAMINGS)(clips))
    assert trace.counters["submits"] == 1  # clips of this size are one piece


def test_kernels_of_a_piece_run_side_by_side(clips):
    """Levels begin with zeros for their maximum, cepstra and flux need the same: three phases in all."""
    _, trace = moved(lambda: metalmom.Extractor(FRAMINGS)(clips))
    (submit,) = [s for s in trace.spans if s.name == "submit to the GPU"]
    assert submit.args["phases"] == 3
    assert len([s for s in trace.spans if s.args.get("kind") == "kernel"]) == 9


def test_results_of_a_piece_come_back_in_one_copy(clips):
    _, trace = moved(lambda: metalmom.Extractor(FRAMINGS)(clips))
    assert len([s for s in trace.spans if s.name == "download"]) == 1


def test_what_a_tuning_adds(clips):
    """A piece has its histogram with it, several have it after them all. Then comes the chroma."""
    fx = metalmom.Extractor({"mfcc": {}, **TUNED})
    _, trace = moved(lambda: fx(clips))
    assert trace.counters["submits"] == 2
    _, trace = moved(lambda: fx(np.concatenate([clips] * 8)))
    assert trace.counters["submits"] == 3


def test_chroma_alone_uploads_once_for_its_tuning(clips):
    chroma, trace = moved(lambda: metalmom.feature.chroma_stft(y=clips))
    assert trace.counters["uploaded_bytes"] == clips.nbytes
    together, _ = moved(lambda: metalmom.Extractor(["chroma_stft", "rms"])(clips))
    np.testing.assert_array_equal(chroma, together["chroma_stft"])


def test_a_long_clip_is_uploaded_once(rng):
    """In pieces that overlap; where its tuning is to be known, all of it before the kernels."""
    y = rng.uniform(-1, 1, 3_000_000).astype(np.float32)
    values, trace = moved(lambda: metalmom.Extractor(TUNED)(y))
    assert trace.counters["uploaded_bytes"] == y.nbytes
    assert_as_single_calls(values, TUNED, y)
    recipe = {name: FRAMINGS[name] for name in ("rms", "spectral_flatness", "melspectrogram")}
    values, trace = moved(lambda: metalmom.Extractor(recipe)(y))
    assert y.nbytes <= trace.counters["uploaded_bytes"] < 1.02 * y.nbytes
    assert_as_single_calls(values, recipe, y)


def test_audio_that_finds_no_room_is_uploaded_again(clips):
    expected, _ = moved(lambda: metalmom.Extractor(TUNED)(clips))
    # What earlier calls left is no part of the room, nor what the frames of their errors hold.
    gc.collect()
    metalmom.release_caches()
    with little_memory(clips.nbytes * 2):
        values, trace = moved(lambda: metalmom.Extractor(TUNED)(clips))
    assert trace.counters["uploaded_bytes"] == 2 * clips.nbytes
    for name in TUNED:
        np.testing.assert_array_equal(values[name], expected[name])


def test_nothing_stays_on_the_device_after_a_call(clips):
    fx = metalmom.Extractor({**FRAMINGS, **TUNED})
    moved(lambda: fx(clips))
    before = _native.device_memory()["live"]
    moved(lambda: fx(clips))
    assert _native.device_memory()["live"] == before


def test_a_tuning_of_a_device_array_brings_back_a_histogram(clips):
    expected, _ = moved(lambda: metalmom.feature.chroma_stft(y=clips))
    y = metalmom.to_device(clips)
    chroma, trace = moved(lambda: metalmom.feature.chroma_stft(y=y))
    assert "uploaded_bytes" not in trace.counters
    assert trace.counters["downloaded_bytes"] < 10_000
    assert trace.counters["submits"] == 2
    np.testing.assert_array_equal(chroma.numpy(), expected)


def test_audio_that_is_not_finite_is_refused_in_every_framing(clips):
    clips[3, 20_000] = np.nan
    with metalmom.config_context(backend="gpu"):
        for recipe in (FRAMINGS, TUNED):
            with pytest.raises(metalmom.ParameterError, match="not finite"):
                metalmom.Extractor(recipe)(clips)


def test_a_tuning_is_the_cpus(clips):
    for arguments in ({}, {"resolution": 0.05}, {"n_fft": 4096}, {"bins_per_octave": 24}):
        with metalmom.config_context(backend="cpu"):
            expected = metalmom.estimate_tuning(y=clips, **arguments)
        with metalmom.config_context(backend="gpu"):
            assert metalmom.estimate_tuning(y=clips, **arguments) == expected


def test_a_tuning_of_noise_is_as_good_as_the_cpus(rng):
    """Cells of noise are nearly equal; float32 may choose another, with as many votes by 1 %."""
    y = rng.standard_normal((20, 60_000)).astype(np.float32)
    with metalmom.config_context(backend="gpu"):
        found = metalmom.estimate_tuning(y=y)
    with metalmom.config_context(backend="cpu"):
        pitches, magnitudes = metalmom.piptrack(y=y)
    heard = pitches > 0
    loud = heard & (magnitudes >= np.median(magnitudes[heard]))
    bins = 12 * np.log2(pitches[loud] / 27.5)
    beyond = (bins + 0.5) % 1 - 0.5
    votes, edges = np.histogram(beyond, np.linspace(-0.5, 0.5, 101))
    cell = np.abs(edges[:-1] - found).argmin()
    assert abs(edges[cell] - found) < 1e-9
    assert votes[cell] >= 0.99 * votes.max()


def test_contrast_of_noise_is_the_cpus(rng):
    """Valleys are small differences of large sums in float32: 1e-4 of them, so a thousandth of a decibel."""
    y = rng.standard_normal((2, 30_000)).astype(np.float32)
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.feature.spectral_contrast(y=y)
    with metalmom.config_context(backend="gpu"):
        found = metalmom.feature.spectral_contrast(y=y)
        resident = metalmom.feature.spectral_contrast(y=metalmom.to_device(y))
    assert (found.dtype, found.strides) == (expected.dtype, expected.strides)
    np.testing.assert_allclose(found, expected, atol=2e-3)
    np.testing.assert_allclose(resident, expected, atol=2e-3)


def test_silence_has_no_tuning_and_says_so():
    y = np.zeros((2, 22050), np.float32)
    with metalmom.config_context(backend="gpu"), pytest.warns(UserWarning, match="empty frequency set"):
        assert metalmom.estimate_tuning(y=y) == 0.0


def test_one_bad_clip_among_many_leaves_the_others():
    clips = [np.full(4000 + i, 0.1, np.float32) for i in range(24)]
    clips[7][100] = np.nan
    clips[9] = clips[9].astype(np.float64)
    with metalmom.config_context(threads=4, backend="gpu"):
        results = metalmom.Extractor(["mfcc", "rms"]).map(clips, errors="return")
    assert [i for i, each in enumerate(results) if isinstance(each, Exception)] == [7, 9]
    assert isinstance(results[7], metalmom.ParameterError)
    assert isinstance(results[9], metalmom.DeviceError)


def test_clips_of_map_that_find_no_room_are_refused(rng):
    fx = metalmom.Extractor({"mfcc": {}, "chroma_stft": {}})
    clips = rng.uniform(-1, 1, (4, 1, 6000)).astype(np.float32)
    held = metalmom.to_device(np.zeros(4 << 20, np.float32))
    with metalmom.config_context(backend="gpu", device_memory=1 << 20):
        with pytest.raises(metalmom.DeviceError, match="memory"):
            fx.map(clips)
    del held


def test_a_front_end_in_single_precision_has_its_spectrogram_on_the_device(rng):
    y = rng.uniform(-1, 1, (2, 20000)).astype(np.float32)
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.frontend.torchaudio_mel(y, n_mels=40)
    with metalmom.config_context(backend="gpu"):
        with metalmom.trace.record() as trace:
            single = metalmom.frontend.torchaudio_mel(y, n_mels=40)
        extractor = metalmom.Extractor({"mel": {"feature": "frontend.torchaudio_mel", "n_mels": 40}}, sr=16000)
        together = extractor(y)["mel"]
    engine = {s.name: s.args["backend"] for s in trace.spans if s.cat == "engine" and "backend" in s.args}
    assert engine == {"filterbank_spectrogram": "gpu"}
    assert np.abs(single - expected).max() <= 1e-5 * np.abs(expected).max()
    assert np.array_equal(together, single)
