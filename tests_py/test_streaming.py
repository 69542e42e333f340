"""Streams: joined, what comes out is bitwise the offline result, however the input is cut."""

import contextlib
import threading

import metalmom
import numpy as np
import pytest
from metalmom import feature, onset, streaming
from metalmom.util.exceptions import ParameterError

RATE = 8000


def noise(n, channels=1, dtype=np.float32, seed=0):
    """Noise of changing level with a tone: every feature has something to say of it."""
    rng = np.random.default_rng(seed)
    shape = (n,) if channels == 1 else (channels, n)
    t = np.arange(n)
    y = rng.standard_normal(shape) * (0.1 + np.sin(t / 3000) ** 2) + np.sin(t * 0.3)
    return y.astype(dtype)


def cuts(n, seed):
    """Block lengths that add up to n: none, one, primes, around powers of two, all at once."""
    if seed == 0:
        return [n]
    rng = np.random.default_rng(seed)
    some = [0, 1, 2, 3, 7, 63, 64, 65, 127, 509, 512, 1021, 2039, 8191]
    sizes = []
    while sum(sizes) < n:
        sizes.append(min(int(rng.choice(some)), n - sum(sizes)))
    return sizes


def blocks(y, sizes):
    at = 0
    for size in sizes:
        yield y[..., at : at + size]
        at += size


def streamed(stream, y, sizes, last_by_flush=True):
    parts = [stream.process(block) for block in blocks(y, sizes)]
    if last_by_flush:
        parts.append(stream.flush())
    return np.concatenate(parts, axis=-1)


def log_mel(y, **kwargs):
    S = feature.melspectrogram(y=y, **kwargs)
    return metalmom.power_to_db(S, top_db=None)


def mfcc(y, **kwargs):
    own = {key: kwargs.pop(key) for key in ("n_mfcc", "dct_type", "lifter") if key in kwargs}
    return feature.mfcc(S=log_mel(y, **kwargs), **own)


def onset_strength(y, sr=22050, lag=1, max_size=1, center=True, aggregate=None, **kwargs):
    S = log_mel(y, sr=sr, fmax=0.5 * sr, **kwargs)
    framing = {key: kwargs[key] for key in ("n_fft", "hop_length") if key in kwargs}
    return onset.onset_strength(
        S=S, sr=sr, lag=lag, max_size=max_size, center=center, aggregate=aggregate, **framing
    )


SHORT = {"n_fft": 512, "hop_length": 160}
# Name of the class, the offline function, arguments.
FEATURES = [
    ("STFT", metalmom.stft, {}),
    ("STFT", metalmom.stft, {**SHORT, "pad_mode": "reflect"}),
    ("STFT", metalmom.stft, {"n_fft": 600, "hop_length": 700, "window": "hamming"}),
    ("STFT", metalmom.stft, {"n_fft": 63, "hop_length": 20, "center": False}),
    ("STFT", metalmom.stft, {"dtype": np.complex128, **SHORT}),
    ("MelSpectrogram", feature.melspectrogram, {"sr": RATE, "n_mels": 40}),
    ("MelSpectrogram", feature.melspectrogram, {"sr": RATE, "power": 1.0, **SHORT, "n_mels": 20}),
    ("MelSpectrogram", feature.melspectrogram, {"dtype": np.float64, "n_mels": 20, **SHORT}),
    ("MFCC", mfcc, {"sr": RATE, "n_mfcc": 13}),
    ("MFCC", mfcc, {"sr": RATE, "n_mels": 30, "pad_mode": "symmetric", "lifter": 22, **SHORT}),
    ("OnsetStrength", onset_strength, {"sr": RATE}),
    ("OnsetStrength", onset_strength, {"sr": RATE, "lag": 3, "max_size": 3, "n_mels": 30, **SHORT}),
    ("OnsetStrength", onset_strength, {"sr": RATE, "center": False, "aggregate": np.median}),
    ("OnsetStrength", onset_strength, {"sr": RATE, "lag": 40, **SHORT, "n_mels": 30}),
    ("ChromaSTFT", feature.chroma_stft, {"sr": RATE, "tuning": 0.1}),
    ("ChromaSTFT", feature.chroma_stft, {"sr": RATE, "tuning": 0.0, "norm": 2, "n_chroma": 24}),
    ("RMS", feature.rms, {}),
    ("RMS", feature.rms, {"frame_length": 333, "hop_length": 100, "pad_mode": "edge"}),
    ("RMS", feature.rms, {"dtype": np.float64, "pad_mode": "linear_ramp"}),
    ("ZeroCrossingRate", feature.zero_crossing_rate, {}),
    ("ZeroCrossingRate", feature.zero_crossing_rate, {"frame_length": 100, "pad": True, "threshold": 0.2}),
    ("SpectralCentroid", feature.spectral_centroid, {"sr": RATE}),
    ("SpectralBandwidth", feature.spectral_bandwidth, {"sr": RATE, "p": 3, "hop_length": 300}),
    ("SpectralRolloff", feature.spectral_rolloff, {"sr": RATE, "roll_percent": 0.5}),
    ("SpectralFlatness", feature.spectral_flatness, {"power": 1.0}),
    ("SpectralContrast", feature.spectral_contrast, {"sr": RATE, "fmin": 100, "n_bands": 4, "linear": True}),
]  # fmt: skip


def offline(function, y, arguments):
    return function(y=y, **arguments)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name, function, arguments", FEATURES)
def test_a_feature_is_the_offline_one_bit_for_bit(name, function, arguments, seed):
    y = noise(16384 + 37 * seed, seed=seed)
    stream = getattr(streaming, name)(**arguments)
    stream.warmup()
    value = streamed(stream, y, cuts(len(y), seed))
    whole = offline(function, y, arguments)
    assert value.dtype == whole.dtype
    np.testing.assert_array_equal(value, whole)
    assert stream.position == len(y)


@pytest.mark.parametrize("name, function, arguments", FEATURES)
def test_several_channels_in_double(name, function, arguments):
    y = noise(9000, channels=2, dtype=np.float64)
    stream = getattr(streaming, name)(channels=2, sample_dtype=np.float64, **arguments)
    value = streamed(stream, y, cuts(9000, 3))
    whole = offline(function, y, arguments)
    assert value.dtype == whole.dtype
    np.testing.assert_array_equal(value, whole)


@pytest.mark.parametrize("mode", ["constant", "edge", "linear_ramp", "reflect", "symmetric", "empty"])
@pytest.mark.parametrize("n", [1, 2, 100, 255, 256, 257, 258, 511, 513, 700])
def test_padding_of_signals_shorter_than_a_frame(mode, n):
    y = noise(n)
    arguments = {"n_fft": 512, "hop_length": 100, "pad_mode": mode}
    with pytest.warns() if n < 512 else contextlib.nullcontext():
        whole = metalmom.stft(y, **arguments)
    for seed in (0, 4, 5):
        value = streamed(streaming.STFT(**arguments), y, cuts(n, seed))
        np.testing.assert_array_equal(value, whole)


def test_every_padding_comes_as_soon_as_its_samples_are_there():
    y = noise(4096)
    frames_of = {}
    for mode in ("constant", "edge", "reflect", "symmetric"):
        s = streaming.STFT(n_fft=512, hop_length=128, pad_mode=mode)
        frames_of[mode] = [s.process(y[:n]).shape[-1] for n in (255, 1, 1)]
    assert frames_of["constant"] == frames_of["edge"] == [0, 1, 0]
    assert frames_of["reflect"] == [0, 0, 1]
    assert frames_of["symmetric"] == [0, 1, 0]


def test_out_is_filled_in_place():
    y = noise(5000)
    for name, function, arguments in FEATURES:
        stream = getattr(streaming, name)(**arguments)
        whole = offline(function, y, arguments)
        out = np.zeros((*whole.shape[:-1], whole.shape[-1] + 3), dtype=whole.dtype)
        first = stream.process(y[:3000], out=out)
        assert np.shares_memory(first, out)
        at = first.shape[-1]
        rest = stream.process(y[3000:], last=True, out=out[..., at:])
        np.testing.assert_array_equal(out[..., : at + rest.shape[-1]], whole)


def test_reset_replays_the_same_bytes():
    y = noise(12000)
    stream = streaming.OnsetStrength(sr=RATE, lag=2)
    first = streamed(stream, y, cuts(len(y), 1))
    stream.reset()
    assert stream.position == 0
    stream.process(y[:5000])
    stream.reset()
    np.testing.assert_array_equal(first, streamed(stream, y, cuts(len(y), 2)))


@pytest.mark.parametrize(
    "name, arguments, complaint",
    [
        ("MFCC", {"top_db": 80}, "None in a stream, where that is the default instead of 80: .* top_db=None"),
        ("OnsetStrength", {"top_db": 80.0}, "top_db=None, or peak="),
        ("MFCC", {"peak": 1e4}, "peak=10000.0 must be the level of a power that float32 holds"),
        ("MFCC", {"top_db": -1, "peak": 30.0}, "top_db=-1 must be non-negative"),
        ("MFCC", {"top_db": 80, "peak": np.inf}, "peak=inf must be a number"),
        ("OnsetStrength", {"top_db": "80", "peak": 0}, "top_db='80' must be a number"),
        ("STFT", {"peak": 0}, "peak=0 is not a parameter"),
        ("OnsetStrength", {"detrend": True}, "detrend=True must be False"),
        ("OnsetStrength", {"aggregate": np.max}, "aggregate="),
        ("ChromaSTFT", {}, "pass tuning=0.0"),
        ("STFT", {"pad_mode": "wrap"}, "pad_mode='wrap' must be one of"),
        ("STFT", {"out": np.zeros(3)}, "out must be None"),
        ("STFT", {"n_fft": 0}, "n_fft=0 must be"),
        ("STFT", {"n_ftt": 512}, "did you mean 'n_fft'"),
        ("SpectralCentroid", {"freq": np.ones((3, 3))}, "freq.ndim must be 1"),
        ("SpectralBandwidth", {"centroid": np.ones(3)}, "centroid must be None"),
        ("ZeroCrossingRate", {"ref_magnitude": np.max}, "ref_magnitude must be a number"),
        ("SpectralContrast", {}, "linear=False must be True"),
        ("RMS", {"channels": 0}, "channels=0 must be"),
        ("RMS", {"sample_dtype": np.int16}, "sample_dtype="),
    ],
)
def test_what_cannot_be_known_early_is_refused(name, arguments, complaint):
    with pytest.raises(ParameterError, match=complaint):
        getattr(streaming, name)(**arguments)


def test_an_error_in_the_input_changes_nothing():
    y = noise(9000)
    stream = streaming.MelSpectrogram(sr=RATE)
    parts = [stream.process(y[:4000])]
    bad = y[4000:5000].copy()
    bad[10] = np.nan
    for wrong in (bad, y[:10].astype(np.float64), np.zeros((2, 10), np.float32), [1.0, 2.0]):
        with pytest.raises(ParameterError):
            stream.process(wrong)
        assert stream.position == 4000
    parts += [stream.process(y[4000:]), stream.flush()]
    np.testing.assert_array_equal(
        np.concatenate(parts, axis=-1), feature.melspectrogram(y=y, sr=RATE)
    )
    with pytest.raises(ParameterError, match="reset"):
        stream.process(y[:10])
    with pytest.raises(ParameterError, match="at least 1"):
        streaming.STFT(pad_mode="reflect").flush()


RHYTHM = {
    "onset_detect": {"delta": 0.5, "units": "time"},
    "tempo": {"update": 0.3, "window": 2},
    "beat_track": {"update": 0.4, "units": "samples", "peak": 40.0},
}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_extractor_follows_onsets_tempo_and_beats(seed):
    """Beside features, each answer of each block is that of the class alone."""
    y = noise(20000, seed=seed)
    stream = streaming.Extractor({**RHYTHM, "onset_strength": {}, "rms": {"hop_length": 300}}, sr=RATE)
    alone = [streaming.OnsetDetect, streaming.Tempo, streaming.BeatTrack, streaming.OnsetStrength]
    each = {name: cls(sr=RATE, **RHYTHM.get(name, {})) for name, cls in zip([*RHYTHM, "onset_strength"], alone)}
    stream.warmup()
    for _ in range(2):
        parts = [*blocks(y, cuts(len(y), seed))]
        for i, block in enumerate(parts):
            found = stream.process(block, last=i == len(parts) - 1)
            for name, one in each.items():
                assert_same(found[name], one.process(block, last=i == len(parts) - 1))
        stream.reset()
        for one in each.values():
            one.reset()
    each["rms"] = streaming.RMS(hop_length=300)
    assert stream.latency == max(one.latency for one in each.values())


def test_the_extractor_fills_frames_beside_answers():
    y = noise(8192)
    stream, other = (streaming.Extractor({"rms": {}, **RHYTHM}, sr=RATE) for _ in range(2))
    out = {"rms": np.empty((1, 40), np.float32)}
    filled, want = stream.process(y, out=out), other.process(y)
    assert np.shares_memory(filled["rms"], out["rms"])
    for name in want:
        assert_same(filled[name], want[name])
    with pytest.raises(ParameterError, match=r"out must have an array for each of \['rms'\]"):
        stream.process(y, out={**out, "tempo": np.empty(1)})
    with pytest.raises(ParameterError, match="channels=2 must be 1 for tempo"):
        streaming.Extractor(["rms", "tempo"], channels=2)


def assert_same(value, want):
    assert type(value) is type(want)
    for one, other in zip(value, want, strict=True) if isinstance(value, tuple) else [(value, want)]:
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(one, other)


RECIPE = {
    "mfcc": {"n_mfcc": 13, "top_db": None},
    "chroma_stft": {"tuning": 0.0},
    "onset_strength": {},
    "rms": {},
    "wide": {"feature": "melspectrogram", "n_fft": 4096, "n_mels": 20},
    "spectral_contrast": {"fmin": 100, "n_bands": 4, "linear": True},
    "stft": {"hop_length": 300},
}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_extractor_gives_what_each_class_gives(seed):
    y = noise(20000, seed=seed)
    stream = streaming.Extractor(RECIPE, sr=RATE)
    parts = [stream.process(block) for block in blocks(y, cuts(len(y), seed))] + [stream.flush()]
    whole = {
        "mfcc": mfcc(y, sr=RATE, n_mfcc=13),
        "chroma_stft": feature.chroma_stft(y=y, sr=RATE, tuning=0.0),
        "onset_strength": onset_strength(y, sr=RATE),
        "rms": feature.rms(y=y),
        "wide": feature.melspectrogram(y=y, sr=RATE, n_fft=4096, n_mels=20),
        "spectral_contrast": feature.spectral_contrast(
            y=y, sr=RATE, fmin=100, n_bands=4, linear=True
        ),
        "stft": metalmom.stft(y, hop_length=300),
    }
    for name, value in whole.items():
        joined = np.concatenate([part[name] for part in parts], axis=-1)
        np.testing.assert_array_equal(joined, value, err_msg=name)


def test_the_extractor_refuses_what_it_cannot_stream():
    for recipe, complaint in [
        (["plp"], "plp must be one of"),
        ({"stft": {"peak": 3}}, "peak=3 is not a parameter"),
        ({"onset_detect": {"normalize": True}}, "normalize=True must be False"),
        ({"onset_detect": {"backtrack": True}}, "backtrack=True is not a parameter of OnsetDetect"),
        ({"tempo": {"update": 0}}, "update=0 must be"),
        ({"mel": {"feature": "melspectrogram"}, "db": {"feature": "power_to_db", "of": "mel"}}, "of="),
        ({"mfcc": {"top_db": 80}}, "top_db=None"),
        (["tempogram"], "must be one of"),
    ]:
        with pytest.raises(ParameterError, match=complaint):
            streaming.Extractor(recipe, sr=RATE)


def refused_beside_another(stream, y):
    """What a stream says to two threads that push into it until one of them is refused."""
    errors = []

    def work():
        for _ in range(200):
            if errors:
                return
            try:
                stream.process(y)
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_two_threads_in_one_stream_are_an_error():
    errors = refused_beside_another(streaming.STFT(n_fft=2048, hop_length=16), noise(1 << 18))
    assert errors and all("another thread" in error for error in errors)


def test_eight_hours_do_not_drift():
    """A period of a whole number of hops repeats its frames exactly, however late it is."""
    hop = 1 << 20
    period = noise(1 << 20)
    stream = streaming.RMS(frame_length=hop, hop_length=hop, center=False)
    n = 8 * 3600 * 44100 // len(period)
    values = np.concatenate([stream.process(period) for _ in range(n)], axis=-1)
    assert stream.position == n * len(period)
    assert values.shape == (1, n) and np.all(values == values[0, 0])


@pytest.mark.parametrize("wrong", [[[0.0]], np.zeros((20, 9)), np.zeros((19, 9), dtype=np.float32)])
def test_an_out_that_does_not_fit_is_named(wrong):
    y = np.zeros(4096, dtype=np.float32)
    with pytest.raises(ParameterError, match="^out[ .]"):
        streaming.MFCC().process(y, out=wrong)
    with pytest.raises(ParameterError, match=r"^out\['mfcc'\][ .]"):
        streaming.Extractor(["mfcc"]).process(y, out={"mfcc": wrong})


def test_blocks_with_gaps_between_samples_are_those_without():
    y = noise(30000)
    plain, gaps = streaming.MFCC(top_db=None), streaming.MFCC(top_db=None)
    for i in range(0, 30000, 3000):
        block = y[i : i + 3000]
        apart = np.repeat(block, 2)[::2]
        assert not apart.flags.c_contiguous
        np.testing.assert_array_equal(gaps.process(apart), plain.process(block))
    np.testing.assert_array_equal(gaps.flush(), plain.flush())


def test_results_lie_in_memory_as_those_of_the_function():
    y = noise(20000)
    for stream, offline in [
        (streaming.STFT(), metalmom.stft(y)),
        (streaming.ChromaSTFT(tuning=0.0), metalmom.feature.chroma_stft(y=y, tuning=0.0)),
        (streaming.MFCC(top_db=None), metalmom.feature.mfcc(y=y)),
        (streaming.RMS(), metalmom.feature.rms(y=y)),
    ]:
        frames = stream.process(y)
        assert frames.flags.f_contiguous == offline.flags.f_contiguous
        assert frames.flags.writeable and frames.dtype == offline.dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_peak_that_is_known_ends_levels_below_it(dtype):
    y = noise(40000, dtype=dtype) * np.linspace(1e-6, 1, 40000).astype(dtype)
    S = feature.melspectrogram(y=y)
    peak = float(metalmom.power_to_db(S, top_db=None).max())
    levels = metalmom.power_to_db(S, top_db=60)
    assert (levels == levels.min()).sum() > 300
    given = {"top_db": 60, "peak": peak}
    each = {"mfcc": feature.mfcc(S=levels), "onset_strength": metalmom.onset.onset_strength(S=levels)}
    both = streaming.Extractor({name: given for name in each}, sample_dtype=dtype)
    parts = [both.process(block) for block in blocks(y, cuts(len(y), 5))] + [both.flush()]
    for name, cls in (("mfcc", streaming.MFCC), ("onset_strength", streaming.OnsetStrength)):
        value = streamed(cls(sample_dtype=dtype, **given), y, cuts(len(y), 4))
        np.testing.assert_array_equal(value, each[name])
        np.testing.assert_array_equal(np.concatenate([part[name] for part in parts], -1), value)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_with_the_loudest_level_streams_equal_the_functions_of_audio(dtype, seed):
    y = (noise(40000, dtype=dtype, seed=seed) * 10 ** np.linspace(-6, seed - 1, 40000)).astype(dtype)
    S = feature.melspectrogram(y=y, sr=RATE)
    given = {"sr": RATE, "peak": float(metalmom.power_to_db(S, top_db=None).max()), "sample_dtype": dtype}
    assert (metalmom.power_to_db(S) == given["peak"] - 80).sum() > 100
    strength = onset.onset_strength(y=y, sr=RATE)
    sizes = cuts(len(y), seed)
    for name, want in (("MFCC", feature.mfcc(y=y, sr=RATE)), ("OnsetStrength", strength)):
        value = streamed(getattr(streaming, name)(**given), y, sizes)
        np.testing.assert_array_equal(value, want)
        without = streamed(getattr(streaming, name)(sr=RATE, sample_dtype=dtype), y, sizes)
        assert np.abs(without - want).max() > 1
    onsets = streaming.OnsetDetect(delta=0.07 * float(np.ptp(strength)), **given)
    np.testing.assert_array_equal(streamed(onsets, y, sizes), onset.onset_detect(y=y, sr=RATE))
    tempo, beats = streaming.Tempo(**given), streaming.BeatTrack(**given)
    for block in blocks(y, sizes):
        tempo.process(block)
        beats.process(block)
    np.testing.assert_array_equal(tempo.flush().tempo, feature.tempo(y=y, sr=RATE))
    answer, want = beats.flush(), metalmom.beat.beat_track(y=y, sr=RATE)
    np.testing.assert_array_equal(answer.tempo, want[0])
    np.testing.assert_array_equal(answer.beats, want[1])


def test_every_stream_is_one_and_says_what_its_end_gives():
    """The class of what users hold is public, and `flush` tells of the end and not of a block."""
    streams = [each for each in map(streaming.__dict__.get, streaming.__all__)
               if not issubclass(each, tuple) and each not in (streaming.Stream, streaming.Report, streaming.Ring)]  # fmt: skip
    assert len(streams) > 15 and "Stream" in streaming.__all__
    for each in streams:
        assert issubclass(each, streaming.Stream)
        told = each.flush.__doc__
        assert "the end" not in told.lower().partition("returns")[2] and "`last`" not in told, each
        assert "Returns\n" in told and "shape of `S`" not in told and "due" not in told, each


@pytest.mark.parametrize("wrong", [-1, 1.0, "3", None, 2**60])
def test_numbers_of_samples_are_whole_and_not_negative(wrong):
    h = np.ones(8, dtype=np.float32)
    with pytest.raises(ParameterError, match="^latency=.* must be"):
        streaming.Convolver(h, latency=wrong)
    with pytest.raises(ParameterError, match="^crossfade=.* must be"):
        streaming.Convolver(h).set_response(h, crossfade=wrong)
    with pytest.raises(ParameterError, match="^n_samples=.* must be"):
        streaming.Resample(orig_sr=2, target_sr=1).most(wrong)
