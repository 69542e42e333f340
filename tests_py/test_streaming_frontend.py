"""Front-ends of audio that comes block by block: joined, bitwise what the functions give."""

import metalmom
import numpy as np
import pytest
from metalmom import frontend, streaming
from metalmom.extraction.long_files import blocks_of, streamed_of
from metalmom.extraction.recipes import Recipe
from metalmom.util.exceptions import ParameterError
from test_streaming import blocks, cuts, noise

# Name of the class, the function, arguments, and the axis of frames or patches.
FRONTENDS = [
    ("YAMNet", frontend.yamnet, {}, -3),
    ("VGGish", frontend.vggish, {}, -3),
    ("MusiCNN", frontend.musicnn, {}, -3),
    ("MusiCNN", frontend.musicnn, {"overlap": 40}, -3),
    ("MusiCNN", frontend.musicnn, {"overlap": 300}, -3),
    ("NeMo", frontend.nemo, {"normalize": None}, -1),
    ("NeMo", frontend.nemo, {"normalize": None, "n_mels": 128, "preemph": 0.0}, -1),
    ("KaldiFbank", frontend.kaldi_fbank, {"num_bins": 80}, -2),
    ("KaldiFbank", frontend.kaldi_fbank, {"sr": 8000, "round_to_power_of_two": False, "remove_dc_offset": False}, -2),
    ("TorchaudioMel", frontend.torchaudio_mel, {"n_mels": 40}, -1),
    ("TorchaudioMel", frontend.torchaudio_mel, {"pad_mode": "replicate", "normalized": True, "win_length": 300, "n_mels": 40}, -1),
    ("TorchaudioMel", frontend.torchaudio_mel, {"center": False, "sr": 22050, "n_mels": 40, "mel_scale": "slaney"}, -1),
]  # fmt: skip
IDS = [f"{name}-{i}" for i, (name, *_) in enumerate(FRONTENDS)]
each_frontend = pytest.mark.parametrize("name, function, arguments, axis", FRONTENDS, ids=IDS)


def made(name, arguments, y=None):
    channels = 1 if y is None or y.ndim == 1 else len(y)
    dtype = np.float32 if y is None else y.dtype
    return getattr(streaming, name)(channels=channels, sample_dtype=dtype, **arguments)


def joined(stream, y, seed, axis):
    parts = [stream.process(block) for block in blocks(y, cuts(y.shape[-1], seed))]
    return np.concatenate([*parts, stream.flush()], axis=axis)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("channels", [1, 2])
@each_frontend
def test_a_frontend_is_the_offline_one_bit_for_bit(name, function, arguments, axis, channels, dtype):
    y = noise(123457, channels, dtype)
    stream, whole = made(name, arguments, y), function(y, **arguments)
    stream.warmup()
    for seed in (0, 1, 2):
        value = joined(stream, y, seed, axis)
        assert value.dtype == whole.dtype and stream.position == 123457
        np.testing.assert_array_equal(value, whole)
        stream.reset()


@pytest.mark.filterwarnings("ignore:n_fft=400 is too large")
@pytest.mark.parametrize("n", [0, 1, 200, 201, 399, 400, 401, 15599, 15600, 15601, 23280, 23281])
@each_frontend
def test_ends_of_signals_of_all_lengths(name, function, arguments, axis, n):
    y = noise(n)
    stream = made(name, arguments)
    try:
        whole = function(y, **arguments)
    except ParameterError as error:
        if arguments.get("center", True):
            with pytest.raises(ParameterError, match=str(error).partition(" with ")[0].replace("[", r"\[")):
                joined(stream, y, 3, axis)
            return
        whole = np.empty((40, 0), np.float32)  # a stream does not refuse to be without a frame
    np.testing.assert_array_equal(joined(stream, y, 3, axis), whole)
    assert stream.position == n


@pytest.mark.parametrize("name, latency", [("YAMNet", 95 * 160 + 400), ("MusiCNN", 186 * 256 + 256)])
def test_a_patch_comes_by_its_latency(name, latency):
    stream = made(name, {})
    assert stream.latency == latency
    y = noise(latency)
    assert len(stream.process(y[:-1])) == 0
    assert len(stream.process(y[-1:])) == 1


@each_frontend
def test_out_is_filled_in_place(name, function, arguments, axis):
    y = noise(100_000)
    stream, whole = made(name, arguments), function(y, **arguments)
    shape = [*whole.shape]
    shape[axis] += 2
    out = np.zeros(shape, whole.dtype)
    first = stream.process(y[:70_000], out=out)
    assert np.shares_memory(first, out)
    rest = np.moveaxis(out, axis, 0)[first.shape[axis] :]
    rest = stream.process(y[70_000:], last=True, out=np.moveaxis(rest, 0, axis))
    n = first.shape[axis] + rest.shape[axis]
    np.testing.assert_array_equal(np.moveaxis(out, axis, 0)[:n], np.moveaxis(whole, axis, 0))


def test_an_out_that_does_not_fit_is_named_and_nothing_is_taken():
    y = noise(50_000)
    stream = streaming.YAMNet()
    for shape, text in [
        ((3, 96, 64), r"^out.shape=\(3, 96, 64\) must be \(t, 96, 64\) with t=5 frames or more$"),
        ((5, 96, 63), r"^out.shape=\(5, 96, 63\) must be \(t, 96, 64\)"),
        ((96, 64), r"^out.shape=\(96, 64\) must be \(t, 96, 64\)"),
    ]:
        with pytest.raises(ParameterError, match=text):
            stream.process(y, out=np.empty(shape, np.float32))
    assert stream.position == 0
    np.testing.assert_array_equal(stream.process(y), streaming.YAMNet().process(y))


@each_frontend
def test_a_wrong_block_leaves_the_stream_as_it_was(name, function, arguments, axis):
    y = noise(60_000)
    stream, bad = made(name, arguments), y[30_000:31_000].copy()
    bad[-1] = np.nan  # the sample that pre-emphasis would keep
    first = stream.process(y[:30_000])
    for wrong in (bad, y[:9].astype(np.float64), np.zeros((2, 9), np.float32), [1.0]):
        for last in (False, True):
            with pytest.raises(ParameterError):
                stream.process(wrong, last=last)
        assert stream.position == 30_000
    value = np.concatenate([first, stream.process(y[30_000:], last=True)], axis=axis)
    np.testing.assert_array_equal(value, function(y, **arguments))
    with pytest.raises(ParameterError, match="^the signal has ended"):
        stream.process(y)


RECIPE = {
    "yamnet": {},
    "vggish": {},
    "patches": {"feature": "frontend.musicnn", "overlap": 60},
    "nemo": {"normalize": None},
    "kaldi_fbank": {},
    "torchaudio_mel": {"n_mels": 40},
    "rms": {},
}


def test_many_in_one_extractor():
    y = noise(100_000)
    stream, whole = streaming.Extractor(RECIPE), metalmom.Extractor(RECIPE)(y)
    parts = [stream.process(block) for block in blocks(y, cuts(len(y), 1))] + [stream.flush()]
    assert stream.position == len(y)
    for name, expected in whole.items():
        axis = -2 if name == "kaldi_fbank" else -3 if expected.ndim == 3 else -1
        np.testing.assert_array_equal(np.concatenate([part[name] for part in parts], axis=axis), expected, name)


def test_a_block_that_one_of_many_refuses_is_taken_by_none():
    """Reflection needs 201 samples, which the others do not."""
    y = noise(150)
    stream = streaming.Extractor(RECIPE)
    for _ in range(2):
        with pytest.raises(ParameterError, match="at least 201"):
            stream.process(y, last=True)
        assert stream.position == 0
    more = noise(1000)
    for name, value in stream.process(more, last=True).items():
        np.testing.assert_array_equal(value, metalmom.Extractor(RECIPE)(more)[name])


def test_long_files_come_block_by_block():
    recipe = Recipe({"features": {name: spec for name, spec in RECIPE.items() if name != "rms"}})
    streamed = streamed_of(recipe)
    assert recipe.sr == 16000 and streamed.keys() == RECIPE.keys() - {"rms"}
    y = noise(100_000)
    found = list(blocks_of(streamed, y, 1))
    for name, expected in metalmom.Extractor(recipe.spelled["features"])(y).items():
        axis = -2 if name == "kaldi_fbank" else -3 if expected.ndim == 3 else -1
        np.testing.assert_array_equal(np.concatenate([each[name] for each in found], axis=axis), expected, name)


@pytest.mark.parametrize("make, text", [
    (lambda: streaming.Extractor(["frontend.whisper"]),
     "^features.frontend.whisper: frontend.whisper needs the whole signal: levels end 80 dB below its loudest one$"),
    (lambda: streaming.Extractor({"a": {"feature": "frontend.ast"}}), "^features.a: frontend.ast needs the whole signal: "),
    (lambda: streaming.Extractor(["wav2vec2"]), "needs the whole signal: mean and variance are those of all samples$"),
    (lambda: streaming.Extractor(["clap"]), "needs the whole signal: a clip is repeated, filled or cut to 10 s$"),
    (lambda: streaming.NeMo(), "^normalize='per_feature' must be None in a stream: means and deviations"),
    (lambda: streaming.KaldiFbank(snip_edges=False), "^snip_edges=False must be True in a stream: else audio is mirrored"),
    (lambda: streaming.KaldiFbank(use_energy=True), "^use_energy=True must be False in a stream"),
    (lambda: streaming.TorchaudioMel(pad=3), "^pad=3 must be 0 in a stream: give it the zeros"),
    (lambda: streaming.TorchaudioMel(pad_mode="edge"), "^pad_mode='edge' must be one of 'reflect', 'constant', 'replicate'"),
    (lambda: streaming.YAMNet(sr=44100), "^sr=44100 must be 16000, the rate of the model"),
    (lambda: streaming.MusiCNN(overlap=0), "^overlap=0 must be an int > 0"),
    (lambda: streaming.VGGish(y=np.zeros(3)), "^y must be None"),
])  # fmt: skip
def test_what_a_stream_cannot_know_is_refused_with_the_reason(make, text):
    with pytest.raises(ParameterError, match=text):
        make()
