"""Clips of unlike lengths: what a function asks for is found out once, and is what it asks for alone."""

import concurrent.futures
import math
import operator
import warnings

import metalmom
import numpy as np
import pytest
from metalmom import _native, _repeats
from metalmom._stand_ins import AnswerStandIn, AudioStandIn, NotRepeatable
from metalmom._steps import steps
from metalmom._warnings import warn
from test_extractor import CALLS, assert_same, random_recipe, single, song

NAMES = ["mfcc", "chroma_stft", "onset_strength", "spectral_centroid", "stft", "rms"]


@pytest.fixture(autouse=True)
def on_one_side():
    """Where there is a GPU, "auto" may take either side for equal calls, which differ in their last digits."""
    before = metalmom.backend()
    metalmom.backend.set_default("cpu")
    yield
    metalmom.backend.set_default(before)


def clips_of(lengths):
    return [song((n + 1) / 22050, seed=i)[:n] for i, n in enumerate(lengths)]


@pytest.fixture
def counted(monkeypatch):
    """Adds up how often functions are run without samples, and requests prepared."""
    counts = {"run": 0, "prepared": 0}
    find_out, prepare = _repeats._Script.find_out, _native.prepare

    def finding_out(self, *args):
        counts["run"] += 1
        return find_out(self, *args)

    def preparing(*args, **kwargs):
        counts["prepared"] += 1
        return prepare(*args, **kwargs)

    monkeypatch.setattr(_repeats._Script, "find_out", finding_out)
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
    return value, sorted(str(each.message) for each in given)


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
    with metalmom.threads(2):
        together, given = with_warnings(lambda: fx.map(clips, errors="return"))
    expected_warnings = []
    for i, (y, values) in enumerate(zip(clips, together, strict=True)):
        alone = {}
        for name, spec in recipe.items():
            alone[name], warned = with_warnings(lambda: single(name, spec, y))
            expected_warnings += warned
        errors = [value for value in alone.values() if isinstance(value, Exception)]
        if errors:
            assert (type(values), str(values)) == (type(errors[0]), str(errors[0]))
            continue
        for name, value in alone.items():
            assert_same(values[name], value, f"seed {seed}, clip {i} {y.shape} {y.dtype}: {name}")
    assert given == sorted(expected_warnings)


def test_unlike_lengths_need_as_few_runs_as_equal_ones(counted):
    lengths = np.random.default_rng(0).permutation(np.arange(3000, 60_000, 997))
    found = []
    for clips in (clips_of([22050] * lengths.size), clips_of(lengths)):
        counted.update(run=0, prepared=0)
        metalmom.Extractor(NAMES, tuning=0.0).map(clips)
        found.append(dict(counted))
    assert found[0] == found[1]
    assert found[1] == {"run": 2 * len(NAMES), "prepared": len(NAMES)}


def test_a_tuning_is_found_out_once_for_all_lengths(counted):
    tones = [metalmom.tone(f, sr=22050, length=n).astype("f")
             for f in (440, 446) for n in range(9000, 29_000, 1000)]  # fmt: skip
    together = metalmom.Extractor(["chroma_stft"]).map(tones)
    for y, values in zip(tones, together, strict=True):
        assert_same(values["chroma_stft"], metalmom.feature.chroma_stft(y=y), "chroma")
    # the request, chroma on either tuning, and a tuning that a few short tones may have beside
    assert counted["prepared"] <= 5 and counted["run"] <= 9


def test_clips_that_are_warned_of_cost_the_others_nothing(counted):
    lengths = [900, 5000, 901, 6000, 2047, 2048, 7000, 902, 8000]
    clips = clips_of(lengths)
    fx = metalmom.Extractor(["mfcc"])
    together, given = with_warnings(lambda: fx.map(clips))
    assert given == sorted(f"n_fft=2048 is too large for input signal of length={n}"
                           for n in lengths if n < 2048)  # fmt: skip
    for y, values in zip(clips, together, strict=True):
        assert_same(values["mfcc"], with_warnings(lambda: metalmom.feature.mfcc(y=y))[0], "mfcc")
    # that short ones warn; the request of the others, and its result
    assert counted == {"run": 3, "prepared": 1}


def test_what_the_engine_refuses_of_a_length_it_takes_of_another(counted):
    clips = clips_of([100, 200, 5000, 300, 6000, 7000])
    fx = metalmom.Extractor(["rms"], center=False)
    together = fx.map(clips, errors="return")
    for y, values in zip(clips, together, strict=True):
        alone, _ = with_warnings(lambda: metalmom.feature.rms(y=y, center=False))
        if y.size < 2048:
            assert (type(values), str(values)) == (type(alone), str(alone))
        else:
            assert_same(values["rms"], alone, "rms")
    assert counted == {"run": 2, "prepared": 1}


@pytest.fixture
def feature(monkeypatch):
    """Makes an Extractor of a function of steps."""

    def extractor(function):
        monkeypatch.setattr(metalmom.feature, function.__name__, steps(function), raising=False)
        return metalmom.Extractor({"it": {"feature": f"feature.{function.__name__}"}})

    return extractor


def level(y, n_fft):
    return "rms", {"y": y, "n_fft": n_fft, "hop_length": 512, "center": True, "pad_mode": "constant"}


def check(fx, lengths):
    clips = clips_of(lengths)
    function = fx._features[0].function
    for y, values in zip(clips, fx.map(clips), strict=True):
        assert_same(values["it"], function(y=y), f"{y.size} samples")


@pytest.mark.parametrize(
    "choose, n_ranges",
    [
        (lambda n: n < 3000, 2),
        (lambda n: 3000 < n, 2),
        (lambda n: n <= np.int64(3000), 2),
        (lambda n: np.int64(3000) >= n, 2),
        (lambda n: 2000 <= n < 4000, 3),
        (lambda n: n == 3000, 3),
        (lambda n: n != 3000, 3),
        (lambda n: n in (2999, 3001), 5),
        (lambda n: max(n, 3000) == 3000, 3),
    ],
)
def test_a_function_may_compare_the_length(feature, counted, choose, n_ranges):
    def chooses(*, y):
        return (yield level(y, 512 if choose(y.shape[-1]) else 2048))

    lengths = [9000, 9001, 1000, 2000, 2999, 3000, 3001, 4000, 3000, 2999, 1500, 9999, 3001, 1999]
    fx = feature(chooses)
    check(fx, lengths)
    # in each range once for the request; the result looks at the length as well, since it runs again
    assert counted["run"] <= 2 * n_ranges
    assert counted["prepared"] == 2


@pytest.mark.parametrize(
    "n_fft_of",
    [
        lambda y: int(y.shape[-1]) // 8,
        lambda y: y.shape[-1] // 8,
        lambda y: y.size // 8,
        lambda y: len(y) // 8,
        lambda y: np.abs(y).size // 8,
        lambda y: np.asarray(y).nbytes // 32,
        lambda y: 512 if y.shape[-1] > 2.5e3 else 2048,
        lambda y: 512 if "9" in f"{y.shape}" else 2048,
        lambda y: 512 if hash(y.shape) % 2 else 2048,
        lambda y: 512 if y.max() > 0.5 else 2048,
        lambda y: 512 if getattr(y, "size", 0) > 3000 else 2048,
        lambda y: y.shape[-1],
    ],
)
def test_a_function_may_see_more_and_is_run_for_each_clip(feature, n_fft_of):
    def looks(*, y):
        try:
            n_fft = n_fft_of(y)
        except Exception:
            n_fft = 2048  # an error that it takes for one of its own must not hide that it looked
        return (yield level(y, n_fft))

    check(feature(looks), [9000, 9001, 1000, 2000, 3000, 3000, 4000, 2999])


@pytest.mark.parametrize(
    "make",
    [
        lambda a, y: a,
        lambda a, y: a.reshape(*a.shape[:-1], 1, a.shape[-1]),
        lambda a, y: a.reshape(1, *a.shape).swapaxes(0, -1),
        lambda a, y: a.swapaxes(-1, 0).astype(a.dtype, copy=False),
        lambda a, y: a.reshape(*a.shape[1:]) if a.ndim > 1 else a,
        lambda a, y: a.reshape(-1, 2) if a.shape[-1] % 2 == 0 else a,
        lambda a, y: a if a.shape[-1] < 10 else a.reshape(1, *a.shape),
        lambda a, y: a.reshape(-1),
        lambda a, y: a.reshape(a.size),
        lambda a, y: a.reshape(y.shape[-1] // 512 + 1),
        lambda a, y: a[..., 1:],
        lambda a, y: a.T,
        lambda a, y: a + 1,
        lambda a, y: a.copy(),
        lambda a, y: a.astype(np.float64),
        lambda a, y: (a, a.size),
        lambda a, y: y.shape[-1],
        lambda a, y: y,
        lambda a, y: a if y.shape[-1] < 3000 else a.reshape(1, *a.shape),
    ],
)
def test_any_result_is_made_of_each_answer(feature, make):
    def makes(*, y):
        answer = yield level(y, 512)
        return make(answer, y)

    check(feature(makes), [9000, 9001, 1000, 2000, 3000, 3000, 4000, 2999, 0, 10])


def test_axes_that_an_answer_cannot_have_are_refused_as_alone(feature):
    def takes_one_frame(*, y):
        answer = yield level(y, 512)
        return answer.reshape(1)

    found = feature(takes_one_frame).map(clips_of([100, 200, 300, 5000, 200]), errors="return")
    assert [type(values) for values in found] == [dict, dict, dict, ValueError, dict]


def test_every_clip_is_warned_of(feature):
    def warns(*, y):
        if y.shape[-1] < 3000:
            warn("that is short")
        answer = yield level(y, 512)
        warn("that was all")
        return answer

    clips = clips_of([9000, 9001, 1000, 2000, 3000, 3000])
    _, given = with_warnings(lambda: feature(warns).map(clips))
    assert given == ["that is short"] * 2 + ["that was all"] * 6


def test_later_requests_see_no_answer_of_another_clip(feature):
    def asks_again(*, y):
        first = yield level(y, 512)
        n_fft = 512 if first.max() > 0.3 else 2048
        return (yield level(y, n_fft))

    def asks_of_answers(*, y):
        first = yield level(y, 512)
        return (yield level(first, 512))

    def returns_the_first(*, y):
        first = yield level(y, 512)
        yield level(y, 2048)
        return first

    for function in (asks_again, asks_of_answers, returns_the_first):
        fx = feature(function)
        check(fx, [9000, 9001, 1000, 2000, 3000])
        clips = [scale * y for scale in (1, 0.01) for y in clips_of([9000, 9001, 5000])]
        for y, values in zip(clips, fx.map(clips), strict=True):
            assert_same(values["it"], fx._features[0].function(y=y), "scaled")


REFUSED = [
    lambda n: n + 1, lambda n: 1 + n, lambda n: 2 * n, lambda n: n // 2, lambda n: 10 // n, lambda n: -n,
    lambda n: n % 2, lambda n: 2**n, lambda n: abs(n), lambda n: divmod(n, 2), lambda n: n << 1, bool,
    int, float, complex, hash, str, repr, range, operator.index, math.sqrt, math.log2, math.ceil, round,
    np.zeros, np.asarray, np.float32, np.arange, "{}".format, lambda n: f"{n:d}", lambda n: "%d" % n,
    lambda n: [0] * n, lambda n: [0, 1][:n], lambda n: (0,) * n, lambda n: n < 1e9, lambda n: n == None,  # noqa: E711
    lambda n: n.real, lambda n: n.bit_length(), lambda n: {n: 0}, lambda n: np.ones(3)[n:], bytes,
    lambda n: np.ones(3) * n, lambda n: np.int64(3) * n, lambda n: n < np.arange(3), chr,
]  # fmt: skip


@pytest.mark.parametrize("look", REFUSED)
def test_a_length_can_be_compared_and_nothing_else(look):
    n = AudioStandIn(np.zeros(100, np.float32)).shape[-1]
    assert isinstance(n, int)
    with pytest.raises((NotRepeatable, TypeError)):  # TypeError: of NumPy or Python, which know no such type
        look(n)


@pytest.mark.parametrize(
    "look",
    [
        len, list, bool, str, repr, hash, iter, np.abs, np.asarray, np.array, np.max, np.shape, np.isrealobj,
        np.zeros_like, np.ascontiguousarray, memoryview, bytes, lambda y: y == y, lambda y: y + 1,
        lambda y: 1 - y, lambda y: np.ones(3) * y, lambda y: y[0], lambda y: y[..., 1:], lambda y: 0 in y,
        lambda y: y.size, lambda y: y.nbytes, lambda y: y.strides, lambda y: y.T, lambda y: y.flags,
        lambda y: y.copy(), lambda y: y.any(), lambda y: y.base, lambda y: y.ctypes, lambda y: y.ravel(),
        lambda y: np.pad(y, 1), lambda y: np.empty(y.shape), lambda y: math.prod(y.shape),
        lambda y: y.astype(np.float64), lambda y: y.astype(np.float32), lambda y: np.result_type(y, "f"),
        lambda y: _native.rms(y=y, n_fft=512, hop_length=512, center=True, pad_mode="constant"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "stand_in",
    [AudioStandIn(np.zeros((1, 100), np.float32)), AnswerStandIn.of(np.zeros((1, 100), np.float32))],
    ids=["audio", "answer"],
)
def test_of_audio_and_answers_only_type_and_axes_are_seen(look, stand_in):
    assert isinstance(stand_in, np.ndarray)
    assert (stand_in.dtype, stand_in.ndim, len(stand_in.shape)) == (np.float32, 2, 2)
    assert stand_in.astype(np.float32, copy=False) is stand_in
    with pytest.raises((NotRepeatable, TypeError, metalmom.ParameterError)):
        look(stand_in)


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(_repeats, "_MOST_ANSWERS", 2)
    monkeypatch.setattr(_repeats, "_MOST_RANGES", 1)
    monkeypatch.setattr(_repeats, "_MOST_KINDS", 2)
    fx = metalmom.Extractor(["chroma_stft"])
    tones = [metalmom.tone(440 + 2 * i, sr=22050, length=9000 + 10 * i).astype("f") for i in range(12)]
    short = clips_of([1000, 1001])
    stereo = [np.stack([y] * channels) for channels in (1, 2, 3) for y in tones[:3]]
    for y in [*short, *tones, *stereo, *tones, *short]:
        values = with_warnings(lambda: fx(y)["chroma_stft"])[0]
        alone = with_warnings(lambda: metalmom.feature.chroma_stft(y=y))[0]
        assert_same(values, alone, y.shape)
    assert len(fx._repeats._kinds) == 2
    for kind in filter(None, fx._repeats._kinds.values()):
        asks = [script.beginning for script in kind._scripts.values()]
        while asks:
            after = asks.pop()._next
            assert len(after) <= 2 and all(len(ranges) == 1 for ranges in after.values())
            asks += [step for ((_, _, step),) in after.values() if isinstance(step, _repeats._Ask)]


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
    op, arguments = level(np.zeros((2, 9000), "f"), 512)
    prepared = _native.prepare(op, **arguments)
    ((answer, _, _),) = _native.run_together([(prepared, np.ones((2, 5000), "f"))], _native.Session(), False, [])
    assert answer.shape == (2, 10)
    with pytest.raises(ValueError, match="prepared with"):
        _native.run_together([(prepared, other)], _native.Session(), False, [])
