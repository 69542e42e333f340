"""Short clips on a device share their submissions, and each has what it has alone."""

import gc
import warnings

import metalmom
import numpy as np
import pytest
from devices import on_device
from metalmom import _native
from processes import run_python
from test_extractor import recipe_for_kernels, song

pytestmark = on_device

# A second wave reads the audio again (chroma on the estimated tuning).
RECIPE = {"mfcc": {}, "chroma_stft": {}, "onset_strength": {}, "rms": {}}


@pytest.fixture(scope="module")
def clips():
    seconds = np.random.default_rng(0).uniform(0.3, 3, 24)
    return [song(each, seed=i) for i, each in enumerate(seconds)]


def same(value, other):
    if isinstance(value, tuple):
        return all(map(same, value, other))
    return np.array_equal(value, other, equal_nan=True) and np.asarray(value).dtype == np.asarray(other).dtype


def assert_alone(results, fx, clips):
    for result, clip in zip(results, clips, strict=True):
        alone = fx(clip)
        assert all(same(result[name], alone[name]) for name in alone)


def test_they_share_submissions_and_go_up_once(clips):
    fx = metalmom.Extractor(RECIPE)
    with metalmom.config_context(backend="gpu", threads=8):
        fx.map(clips)
        with metalmom.trace.record() as trace:
            results = fx.map(clips)
        assert_alone(results, fx, clips)
    assert trace.counters["uploaded_bytes"] == sum(clip.nbytes for clip in clips)
    assert 2 < trace.counters["submits"] < len(clips) / 2


@pytest.mark.parametrize("seed", range(12))
def test_any_recipe_over_any_lengths(seed):
    random = np.random.default_rng(seed)
    recipe = recipe_for_kernels(random, mono=False)
    shapes = [(2,) * random.integers(2) + (int(n),) for n in random.integers(300, 20_000, 12)]
    clips = [random.uniform(-0.5, 0.5, shape).astype(np.float32) for shape in shapes]
    fx = metalmom.Extractor(recipe)
    with metalmom.config_context(backend="gpu"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # frames longer than a clip
        alone = []
        for clip in clips:
            try:
                alone.append(fx(clip))
            except metalmom.ParameterError:  # a clip shorter than what a feature needs
                alone.append(None)
        for result, expected in zip(fx.map(clips, errors="return"), alone, strict=True):
            if expected is None:
                assert isinstance(result, metalmom.ParameterError)
            else:
                assert all(same(result[name], expected[name]) for name in expected)


def test_a_clip_that_is_not_finite_leaves_its_neighbours(clips):
    broken = [clip.copy() for clip in clips]
    broken[3][-1] = np.nan
    broken[20][0] = np.inf
    fx = metalmom.Extractor(RECIPE)
    with metalmom.config_context(backend="gpu", threads=8):
        results = fx.map(broken, errors="return")
        assert [i for i, each in enumerate(results) if isinstance(each, Exception)] == [3, 20]
        for i in (3, 20):
            assert isinstance(results[i], metalmom.ParameterError) and "finite" in str(results[i])
            del results[i : i + 1], broken[i : i + 1]
            results.insert(i, fx(clips[i])), broken.insert(i, clips[i])
        assert_alone(results, fx, broken)


def test_an_error_that_is_kept_keeps_no_memory_of_the_device(clips):
    broken = [*clips, np.full(4000, np.nan, np.float32)]
    fx = metalmom.Extractor(RECIPE)
    gc.disable()
    try:
        with metalmom.config_context(backend="gpu"):
            for _ in range(2):  # after which all tables are on the device
                fx.map(broken, errors="return")
            metalmom.release_caches()  # what sessions hold for later calls
            before = _native.device_memory()["live"]
            error = fx.map(broken, errors="return")[-1]
            metalmom.release_caches()
        assert isinstance(error, metalmom.ParameterError)
        assert _native.device_memory()["live"] == before
    finally:
        gc.enable()


def test_memory_that_runs_out_meanwhile_is_survived(clips):
    fx = metalmom.Extractor(RECIPE)
    with metalmom.config_context(backend="gpu", threads=4):
        metalmom.release_caches()
        _native.fail_device_allocations(1)
        results = fx.map(clips)
        assert_alone(results, fx, clips)


def test_little_memory_is_enough(clips):
    fx = metalmom.Extractor(RECIPE)
    with metalmom.config_context(backend="gpu", threads=4):
        metalmom.release_caches()
        with metalmom.config_context(device_memory=12 << 20):
            before = _native.device_memory()["reserved"]  # tables of earlier calls may need more
            results = fx.map(clips)
            assert _native.device_memory()["reserved"] <= max(before, 12 << 20)
        assert_alone(results, fx, clips)


def test_a_device_that_is_lost_is_told_of_by_every_clip():
    code = """
import numpy as np, metalmom
from metalmom import _native
clips = [np.random.default_rng(n).uniform(-1, 1, n).astype(np.float32) for n in range(20_000, 20_012)]
fx = metalmom.Extractor(["mfcc", "chroma_stft"])
with metalmom.config_context(backend="gpu"):
    fx.map(clips)
    _native.lose_device()
    print({type(each).__name__ for each in fx.map(clips, errors="return")})
print(fx.map(clips[:1])[0]["mfcc"].shape)
"""
    assert run_python(code) == "{'DeviceError'}\n(20, 40)"
