"""Clips of unlike lengths: a function answers once for all of one kind, with what it does for each alone."""

import concurrent.futures
import warnings

import metalmom
import numpy as np
import pytest
from metalmom import _native
from metalmom._extractor import extractor
from metalmom.util import _evaluate, _kept_results
from metalmom.util._declared import as_feature
from metalmom.util._expressions import Audio, ask, then
from metalmom.util._public import public
from metalmom.util._warnings import warn
from test_extractor import CALLS, assert_same, random_recipe, single, song

NAMES = ["mfcc", "chroma_stft", "onset_strength", "spectral_centroid", "stft", "rms"]


@pytest.fixture(autouse=True)
def on_one_side():
    """Where there is a GPU, "auto" may take either side for equal calls, which differ in their last digits."""
    before = metalmom.get_config()["backend"]
    metalmom.set_config(backend="cpu")
    yield
    metalmom.set_config(backend=before)


def clips_of(lengths):
    return [song((n + 1) / 22050, seed=i)[:n] for i, n in enumerate(lengths)]


@pytest.fixture
def counted(monkeypatch):
    """Adds up how often expressions are made, and requests prepared."""
    counts = {"made": 0, "prepared": 0}
    make, prepare = _evaluate.Program.of_roots, _native.prepare

    def making(*args):
        counts["made"] += 1
        return make(*args)

    def preparing(*args, **kwargs):
        counts["prepared"] += 1
        return prepare(*args, **kwargs)

    monkeypatch.setattr(_evaluate.Program, "of_roots", making)
    monkeypatch.setattr(_native, "prepare", preparing)
    return counts


def with_warnings(call):
    """What a call answers, its error in place of it, and how often it warns of what."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            value = call()
        except metalmom.ParameterError as error:
            value = error
    # another test's open file may be collected just now
    ours = (each for each in given if not issubclass(each.category, ResourceWarning))
    return value, sorted(str(each.message) for each in ours)


def random_clip(random, seed):
    n = int(random.choice([0, 1, 2, 300, 511, 1023, 1024, 2047, 2048, *random.integers(0, 30_000, 12)]))
    channels = [None, None, None, 1, 2][random.integers(5)]
    y = song((n + 1) / 22050, channels, seed=seed)[..., :n]
    if random.random() < 0.2:
        y = y.astype(np.float64)
    return [y, y, np.repeat(y, 2, axis=-1)[..., ::2], np.asfortranarray(y)][random.integers(4)]


@pytest.mark.parametrize("seed", range(24))
def test_any_clips_are_what_single_calls_give(seed):
    """Values to the bit, warnings and errors, of whatever comes in a row."""
    random = np.random.default_rng(seed)
    recipe = random_recipe(random, False)
    clips = [random_clip(random, 100 * seed + i) for i in range(30)]
    fx = metalmom.Extractor(recipe)
    with metalmom.config_context(threads=2):
        together, given = with_warnings(lambda: fx.map(clips, errors="return"))
    expected_warnings = []
    for i, (y, values) in enumerate(zip(clips, together, strict=True)):
        alone = {}
        for name, spec in recipe.items():
            alone[name], warned = with_warnings(lambda: single(name, spec, y))
            expected_warnings += warned
        errors = [(name, value) for name, value in alone.items() if isinstance(value, Exception)]
        if errors:
            name, error = errors[0]
            whose = "" if error.argument == "y" else f"{name}: "  # audio is refused for all features
            assert (type(values), str(values)) == (type(error), f"{whose}{error}")
            continue
        for name, value in alone.items():
            assert_same(values[name], value, f"seed {seed}, clip {i} {y.shape} {y.dtype}: {name}")
    assert {*given} == {*expected_warnings}  # features of the same frames warn of a clip once


def test_clips_of_one_kind_have_one_expression(counted):
    lengths = np.random.default_rng(0).permutation(np.arange(3000, 60_000, 997))
    metalmom.Extractor(NAMES, tuning=0.0).map(clips_of(lengths))
    assert counted == {"made": 1, "prepared": len(NAMES)}


def test_a_tuning_is_found_out_once_for_all_lengths(counted):
    tones = [metalmom.tone(f, sr=22050, length=n).astype("f")
             for f in (440, 446) for n in range(9000, 29_000, 1000)]  # fmt: skip
    together = metalmom.Extractor(["chroma_stft"]).map(tones)
    # the request, chroma on either tuning, and a tuning that a few short tones may have beside
    assert counted["prepared"] <= 5 and counted["made"] == 1
    for y, values in zip(tones, together, strict=True):
        assert_same(values["chroma_stft"], metalmom.feature.chroma_stft(y=y), "chroma")


def test_clips_that_are_warned_of_cost_the_others_nothing(counted):
    lengths = [900, 5000, 901, 6000, 2047, 2048, 7000, 902, 8000]
    clips = clips_of(lengths)
    fx = metalmom.Extractor(["mfcc"])
    together, given = with_warnings(lambda: fx.map(clips))
    assert counted == {"made": 1, "prepared": 1}
    assert given == sorted(f"n_fft=2048 is too large for input signal of length={n}"
                           for n in lengths if n < 2048)  # fmt: skip
    for y, values in zip(clips, together, strict=True):
        assert_same(values["mfcc"], with_warnings(lambda: metalmom.feature.mfcc(y=y))[0], "mfcc")


def test_what_the_engine_refuses_of_a_length_it_takes_of_another(counted):
    clips = clips_of([100, 200, 5000, 300, 6000, 7000])
    fx = metalmom.Extractor(["rms"], center=False)
    together = fx.map(clips, errors="return")
    assert counted == {"made": 1, "prepared": 1}
    for y, values in zip(clips, together, strict=True):
        alone, _ = with_warnings(lambda: metalmom.feature.rms(y=y, center=False))
        if y.size < 2048:
            assert (type(values), str(values)) == (type(alone), f"rms: {alone}")
        else:
            assert_same(values["rms"], alone, "rms")


@pytest.fixture
def feature(monkeypatch):
    """Makes an Extractor of a function that answers with an expression."""

    def extractor(function):
        made = as_feature()(public(expression=True)(function))
        monkeypatch.setattr(metalmom.feature, function.__name__, made, raising=False)
        monkeypatch.setattr(metalmom.feature, "__all__", [*metalmom.feature.__all__, function.__name__])
        return metalmom.Extractor({"it": {"feature": f"feature.{function.__name__}"}})

    return extractor


def level(y, n_fft):
    return ask("rms", y=y, n_fft=n_fft, hop_length=512, center=True, pad_mode="constant")


def check(fx, lengths):
    clips = [scale * y for scale in (1, np.float32(0.01)) for y in clips_of(lengths)]
    function = fx._features[0].function
    for y, values in zip(clips, fx.map(clips), strict=True):
        assert_same(values["it"], function(y=y), f"{y.size} samples")


def test_what_depends_on_samples_is_decided_for_each_clip(feature):
    def level_of_loudness(y, level_before):
        return level(y, 512 if level_before.max() > 0.3 else 2048)

    def asks_again(*, y):
        return then(level_of_loudness, y, level(y, 512))

    def asks_of_answers(*, y):
        return level(level(y, 512), 512)

    def asks_by_length(*, y):
        return then(lambda y: level(y, 512 if y.shape[-1] > 3000 else 2048), y)

    def asks_twice(*, y):
        return then(asks_again, y=then(np.negative, y))

    def takes_both(*, y):
        return then(lambda a, b: (a, b, a), level(y, 512), level(y, 512))

    for function in (asks_again, asks_of_answers, asks_by_length, asks_twice):
        check(feature(function), [9000, 9001, 1000, 2000, 3000])
    ((first, second, again),) = (values["it"] for values in feature(takes_both).map(clips_of([5000])))
    first[...] = 1
    assert second.max() < 1 and again.max() < 1  # what a caller gets shares no memory


def test_an_audio_shows_type_and_axes_alone():
    y = Audio(np.dtype("f4"), (2,))
    assert (y.dtype, y.ndim, y.lead) == (np.float32, 2, (2,))
    for look in (len, list, lambda y: y.shape, lambda y: y[0], lambda y: y + 1, lambda y: y.size):
        with pytest.raises((TypeError, AttributeError)):
            look(y)


def test_an_error_of_a_step_is_of_its_clip_alone(feature):
    def takes_one_frame(*, y):
        return then(lambda answer: answer.reshape(1), level(y, 512))

    found = feature(takes_one_frame).map(clips_of([100, 200, 300, 5000, 200]), errors="return")
    assert [type(values) for values in found] == [dict, dict, dict, ValueError, dict]


def test_every_clip_is_warned_of(feature):
    def warned(value, text):
        warn(text)
        return value

    def warns(*, y):
        return then(warned, level(y, 512), "that was all")

    clips = clips_of([9000, 9001, 1000, 2000, 3000, 3000])
    _, given = with_warnings(lambda: feature(warns).map(clips))
    assert given == ["that was all"] * 6


def test_what_is_kept_is_bounded(monkeypatch):
    monkeypatch.setattr(extractor, "_MOST_KINDS", 2)
    fx = metalmom.Extractor(["chroma_stft"])
    tones = [metalmom.tone(440 + 2 * i, sr=22050, length=9000 + 10 * i).astype("f") for i in range(12)]
    short = clips_of([1000, 1001])
    stereo = [np.stack([y] * channels) for channels in (1, 2, 3) for y in tones[:3]]
    for y in [*short, *tones, *stereo, *tones, *short]:
        values = with_warnings(lambda: fx(y)["chroma_stft"])[0]
        alone = with_warnings(lambda: metalmom.feature.chroma_stft(y=y))[0]
        assert_same(values, alone, y.shape)
    assert len(fx._programs) <= 2
    for program in fx._programs.values():
        assert all(len(step._prepared) <= 1 for step in program.steps)


def test_calls_for_many_tunings_are_kept_within_the_bound(counted):
    """Their filters for 8192 samples are 200 KB each."""
    fx = metalmom.Extractor(["chroma_stft"], n_fft=8192)
    tones = [metalmom.tone(440 * 2 ** (i / 1200), sr=22050, length=16_000).astype("f") for i in range(-40, 40)]
    metalmom.release_caches()
    fx(tones[0])
    of_one = _kept_results.kept_bytes()
    fx.map(tones)
    many = _kept_results.kept_bytes()
    assert counted["prepared"] > 40 and many - of_one > 40 * 12 * 4097 * 4 * 2  # as filters, and with the calls
    assert metalmom.release_caches() >= many and _kept_results.kept_bytes() == 0
    before = counted["prepared"]
    for y in [*tones, *tones]:
        values = fx(y)["chroma_stft"]
    assert counted["prepared"] - before <= len(tones)
    assert_same(values, metalmom.feature.chroma_stft(y=tones[-1], n_fft=8192), "chroma")


def test_what_cannot_be_prepared_is_tried_once(monkeypatch):
    tried = []

    def failing(op, **arguments):
        tried.append(op)
        raise ValueError("no")

    monkeypatch.setattr(_native, "prepare", failing)
    fx, y = metalmom.Extractor(["rms"]), song(1.0)
    expected = metalmom.feature.rms(y=y)
    tried.clear()
    for _ in range(3):
        assert_same(fx(y)["rms"], expected, "rms")
    assert len(tried) == 1


def test_threads_may_call_one_extractor_with_any_lengths():
    fx = metalmom.Extractor(["mfcc", "chroma_stft"])
    clips = clips_of(range(1500, 31_500, 1000))
    with concurrent.futures.ThreadPoolExecutor(4) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        together = list(pool.map(fx, clips))
        for y, values in zip(clips, together, strict=True):
            assert_same(values["mfcc"], CALLS["mfcc"](y=y), "mfcc")
            assert_same(values["chroma_stft"], CALLS["chroma_stft"](y=y), "chroma")


@pytest.mark.parametrize(
    "other", [np.zeros(9000), np.zeros((1, 9000), "f"), np.zeros((3, 9000), "f"), np.zeros((2, 9000), "f").T]
)
def test_a_prepared_call_takes_audio_of_its_type_and_batch_alone(other):
    node = level(np.zeros((2, 9000), "f"), 512)
    prepared = _native.prepare(node.op, **node.kwargs)
    ((answer, _, _),) = _native.run_together([(prepared, np.ones((2, 5000), "f"))], _native.Session(), False, [])
    assert answer.shape == (2, 10)
    with pytest.raises(ValueError, match="prepared with"):
        _native.run_together([(prepared, other)], _native.Session(), False, [])
