"""Several devices: a batch divided among two of a kind gives what one of them gives, bit by bit.

Where there is one, the tests run in a process that shows it twice, each with queues and memory of
its own (METALMOM_VULKAN_COPIES).
"""

import copy
import os
import pickle
import re
import subprocess
import sys
import warnings

import metalmom
import numpy as np
import pytest
from devices import EXAMPLES, call_of, little_memory, on_device
from metalmom import _native
from processes import run_python
from test_extractor import random_recipe, song

TWICE = "METALMOM_VULKAN_COPIES"
NAMES = [device.name for device in metalmom.devices()]
with_two = pytest.mark.skipif(
    len(NAMES) < 2 or NAMES[0] != NAMES[1], reason="one device: test_on_one_device_shown_twice"
)


@on_device
@pytest.mark.skipif(len(NAMES) > 1, reason="there are several")
def test_on_one_device_shown_twice():
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rs", "--tb=short", "-p", "no:cacheprovider", __file__],
        env={**os.environ, TWICE: "2"}, capture_output=True, text=True, timeout=900, check=False,
    )
    assert done.returncode == 0, done.stdout
    # this one is skipped, and no other
    assert re.search(r"\d+ passed, 1 skipped", done.stdout), done.stdout


@pytest.fixture
def clips(rng):
    """Clips of a length of their own, loud and soft, one silent; nine, so that shares differ."""
    y = np.stack([song(60_001 / 22050, seed=seed)[:60_001] for seed in range(9)])
    y *= np.logspace(-2, 0, 9, dtype=np.float32)[:, np.newaxis]
    y[4] = 0
    return (y + 1e-4 * rng.standard_normal(y.shape)).astype(np.float32)


def on(name, call):
    with metalmom.config_context(backend=name):
        return call()


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides) and np.array_equal(
        a, b, equal_nan=True)


def devices_of(trace):
    """The indices of the devices that kernels of a trace ran on."""
    tracks = {span.track for span in trace.spans if span.args.get("kind") == "kernel"}
    return {int(track.rpartition("(gpu:")[2].partition(")")[0]) for track in tracks}


def kernels_of(call):
    with metalmom.trace.record() as trace:
        call()
    return devices_of(trace)


@with_two
def test_what_serves_all_clips_is_on_every_device(clips):
    h = clips[0, :9001].copy()
    expected = on("gpu:0", lambda: metalmom.convolve(clips, h))
    for several in ("gpu:all", "gpu:1,0"):
        assert same(on(several, lambda: metalmom.convolve(clips, h)), expected)
    assert kernels_of(lambda: on("gpu:all", lambda: metalmom.convolve(clips, h))) == {0, 1}
    kept = metalmom.convolve(on("gpu:1", lambda: metalmom.to_device(clips)), h)
    assert kept.device == 1 and same(kept, expected)


@with_two
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_divided_batch_is_what_one_device_gives(name, clips):
    def results(backend):
        return on(backend, lambda: call_of(name, clips)())

    expected = results("gpu:0")
    with metalmom.config_context(threads=1):
        on_one_thread = results("gpu:0,1")
    for others in (results("gpu:1"), results("gpu:all"), results("gpu:1,0"), on_one_thread):
        assert all(same(*pair) for pair in zip(others, expected, strict=True))


@with_two
def test_both_devices_work(clips):
    def call():
        return metalmom.feature.mfcc(y=clips)

    assert on("gpu:all", lambda: kernels_of(call)) == {0, 1}
    assert on("gpu:1", lambda: kernels_of(call)) == {1}
    assert on("gpu:0", lambda: kernels_of(call)) == {0}


@with_two
def test_a_single_clip_takes_one_device(clips):
    assert on("gpu:all", lambda: kernels_of(lambda: metalmom.feature.mfcc(y=clips[1]))) == {0}


@with_two
@pytest.mark.parametrize("seed", range(12))
def test_any_recipe_gives_what_one_device_gives(seed, clips):
    recipe = random_recipe(np.random.default_rng(seed), mono=False)
    for spec in recipe.values():  # kernels take powers of two
        spec.pop("n_fft", None)
    fx = metalmom.Extractor(recipe)
    expected, values = on("gpu:1", lambda: fx(clips)), on("gpu:all", lambda: fx(clips))
    for name in recipe:
        pairs = zip(*(v if isinstance(v, tuple) else (v,) for v in (values[name], expected[name])))
        assert all(same(a, b) for a, b in pairs), name


@with_two
def test_a_tuning_is_that_of_the_whole_batch(clips):
    def chroma():
        return metalmom.feature.chroma_stft(y=clips)

    assert same(on("gpu:all", chroma), on("gpu:0", chroma))
    assert on("gpu:all", lambda: metalmom.estimate_tuning(y=clips)) == on(
        "gpu:0", lambda: metalmom.estimate_tuning(y=clips))
    fx = metalmom.Extractor(["chroma_stft", "mfcc", "estimate_tuning"])
    one, two = on("gpu:0", lambda: fx(clips)), on("gpu:all", lambda: fx(clips))
    assert all(same(one[name], two[name]) for name in one)


@with_two
def test_what_is_known_of_a_clip_goes_with_it(clips):
    """The loudest level of each clip, in pieces of a clip; a reference for each."""
    S = on("gpu:0", lambda: metalmom.feature.melspectrogram(y=clips))
    ref = S.max(axis=(-2, -1), keepdims=True)
    calls = (
        lambda: metalmom.power_to_db(S, ref=ref),
        lambda: metalmom.power_to_db(S, ref=np.max),
        lambda: metalmom.feature.mfcc(y=clips),
        lambda: metalmom.onset.onset_strength(y=clips),
    )
    expected = [on("gpu:0", call) for call in calls]
    with metalmom.config_context(backend="gpu:0"), little_memory(16 << 20):
        with metalmom.config_context(backend="gpu:1"), little_memory(16 << 20):
            results = [on("gpu:all", call) for call in calls]
    assert all(same(a, b) for a, b in zip(results, expected))


@with_two
def test_map_spreads_clips_of_any_lengths(rng):
    clips = [song(seconds, seed=i) for i, seconds in enumerate(rng.uniform(0.3, 4, 24))]
    fx = metalmom.Extractor({"mfcc": {}, "chroma_stft": {}, "rms": {}})
    expected = on("gpu:0", lambda: [fx(clip) for clip in clips])
    with metalmom.config_context(backend="gpu:all"), metalmom.trace.record() as trace:
        results = fx.map(clips)
    for result, alone in zip(results, expected, strict=True):
        assert all(same(result[name], alone[name]) for name in alone)
    assert devices_of(trace) == {0, 1}


@with_two
def test_samples_that_are_not_finite_are_found_in_every_share(clips):
    for clip in (0, 8):
        y = clips.copy()
        y[clip, -1] = np.nan
        with metalmom.config_context(backend="gpu:all"), pytest.raises(metalmom.ParameterError, match="not finite"):
            metalmom.feature.mfcc(y=y)


@with_two
def test_device_arrays_belong_to_one_device(clips):
    first = on("gpu:all", lambda: metalmom.to_device(clips))
    second = on("gpu:1", lambda: metalmom.to_device(clips))
    assert (first.device, second.device) == (0, 1)
    for name in ("gpu:all", "cpu", "gpu:0"):  # a call runs where its array is
        mel = on(name, lambda: metalmom.feature.melspectrogram(y=second))
        assert mel.device == 1
        assert same(mel.numpy(), on("gpu:1", lambda: metalmom.feature.melspectrogram(y=clips)))
    assert kernels_of(lambda: metalmom.feature.chroma_stft(y=second)) == {1}
    with pytest.raises(metalmom.DeviceError, match="on gpu:1, other arrays of the call on gpu:0"):
        _native.pcen(S=first, ref=second)


@with_two
def test_what_is_made_of_an_array_stays_on_its_device(clips):
    """Copies, as those of a DataLoader's; values that a function uploads; the state of a filter."""
    second = on("gpu:1", lambda: metalmom.to_device(clips))
    for again in (copy.copy(second), copy.deepcopy(second), copy.deepcopy({"y": second})["y"]):
        assert again is second
    with metalmom.config_context(backend="gpu:1"):
        assert pickle.loads(pickle.dumps(second)).device == 1
    S = on("gpu:1", lambda: metalmom.to_device(np.abs(metalmom.stft(clips[0]))))
    assert on("gpu:0", lambda: metalmom.griffinlim(S, n_iter=2)).device == 1
    mel = metalmom.feature.melspectrogram(y=second)
    energy, state = metalmom.pcen(mel, return_zf=True)
    assert (energy.device, state.device) == (1, 1)
    assert metalmom.pcen(mel, zi=state).device == 1
    elsewhere = on("gpu:0", lambda: metalmom.to_device(state.numpy().astype(np.float32)))
    with pytest.raises(metalmom.DeviceError, match="^zi is on gpu:0, other arrays of the call on gpu:1"):
        metalmom.pcen(mel, zi=elsewhere)


@with_two
def test_arguments_that_a_function_does_not_read_may_be_anywhere(clips):
    mel = on("gpu:0", lambda: metalmom.feature.melspectrogram(y=clips))
    second = on("gpu:1", lambda: metalmom.to_device(clips))
    first = on("gpu:0", lambda: metalmom.to_device(mel))
    expected = metalmom.feature.mfcc(S=first)
    assert same(metalmom.feature.mfcc(y=second, S=first).numpy(), expected.numpy())
    assert metalmom.onset.onset_strength(y=second, S=first).device == 0


@with_two
def test_each_device_has_memory_of_its_own(clips):
    def used():
        return [device.memory_used for device in metalmom.devices()]

    for name in ("gpu:0", "gpu:1"):
        on(name, lambda: metalmom.to_device(clips).numpy())
    metalmom.release_caches()
    before = used()
    second = on("gpu:1", lambda: metalmom.to_device(clips))
    after = used()
    assert after[0] == before[0]
    assert after[1] >= before[1] + clips.nbytes
    del second
    on("gpu:all", lambda: metalmom.feature.mfcc(y=clips))
    assert all(device.memory_kept > 0 for device in metalmom.devices()[:2])
    metalmom.release_caches()
    assert all(device.memory_kept == 0 for device in metalmom.devices()[:2])


@with_two
def test_a_trace_has_tracks_of_each_device(clips):
    with metalmom.config_context(backend="gpu:all"), metalmom.trace.record() as trace:
        metalmom.feature.mfcc(y=clips)
    counters = {sample.name for sample in trace.samples}
    assert {"GPU memory used, gpu:0", "GPU memory used, gpu:1"} <= counters
    (engine,) = [span for span in trace.spans if span.cat == "engine"]
    assert engine.args["devices"] == "0,1"


@with_two
def test_out_of_memory_on_one_device_is_survived(clips):
    expected = on("gpu:0", lambda: metalmom.stft(clips))
    on("gpu:1", lambda: _native.fail_device_allocations(2))
    assert same(on("gpu:all", lambda: metalmom.stft(clips)), expected)


@with_two
def test_a_device_that_fails_is_named():
    code = """
import numpy as np, metalmom
from metalmom import _native
y = np.random.default_rng(0).uniform(-1, 1, (8, 60_000)).astype(np.float32)
def failing(fail):
    with metalmom.config_context(backend="gpu:1"):
        fail()
    try:
        with metalmom.config_context(backend="gpu:all"):
            metalmom.stft(y)
    except metalmom.DeviceError as error:
        print(str(error).partition(" (")[0])
metalmom.set_config(backend="gpu:all")
metalmom.stft(y)
failing(lambda: _native.fail_device_allocations(10**6))
failing(lambda: (_native.fail_device_allocations(0), _native.lose_device()))
with metalmom.config_context(backend="gpu:0"):
    metalmom.stft(y)
"""
    assert run_python(code).splitlines() == ["GPU 1", "GPU 1"]


@with_two
def test_auto_leaves_out_a_device_that_fails():
    code = """
import warnings
import numpy as np, metalmom
from metalmom import _native
y = np.random.default_rng(0).uniform(-1, 1, (8, 60_000)).astype(np.float32)
fx = metalmom.Extractor(["mfcc", "chroma_stft"])
with metalmom.config_context(backend="gpu:0"):
    expected, values = metalmom.stft(y), fx(y)
_native.let_automatic_take_software(True)
with metalmom.config_context(backend="auto:all", min_frames={"stft": 1}):
    assert np.array_equal(metalmom.stft(y), expected)
    with metalmom.config_context(backend="gpu:1"):
        _native.lose_device()
    with warnings.catch_warnings(record=True) as seen, metalmom.trace.record() as trace:
        warnings.simplefilter("always")
        results = [metalmom.stft(y) for _ in range(3)]
assert all(np.array_equal(result, expected) for result in results)
(one,) = seen
assert "GPU 1" in str(one.message) and "computed on the others" in str(one.message), one.message
engine = [span for span in trace.spans if span.cat == "engine"]
print(*[span.args["backend"] for span in engine],
      sum("others take over" in event.name for event in trace.events))
"""
    assert run_python(code) == "gpu gpu gpu 1"


@with_two
def test_a_device_that_is_not_there_is_named(clips):
    with metalmom.config_context(backend="gpu:0,7"), pytest.raises(metalmom.DeviceError, match="no GPU 7"):
        metalmom.stft(clips)
    code = """
import warnings
import numpy as np, metalmom
from metalmom import _native
_native.let_automatic_take_software(True)
y = np.zeros((2, 4000), np.float32)
with metalmom.config_context(backend="auto:0,7", min_frames={"stft": 1}), warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    metalmom.stft(y), metalmom.stft(y)
print(*[str(each.message).partition(":")[0] for each in seen])
"""
    assert run_python(code) == "there is no GPU 7"


def test_a_backend_names_each_device_once():
    for name in ("gpu:0,1", "gpu:all", "auto:all", "auto:2,0"):
        with metalmom.config_context(backend=name):
            assert metalmom.get_config()["backend"] == name
    for wrong in ("gpu:0,0", "gpu:1,0,01"):
        with pytest.raises(metalmom.ParameterError, match="must be a list that names each device once"):
            metalmom.set_config(backend=wrong)
    print_name = "import metalmom; print(metalmom.get_config()['backend'])"
    assert run_python(print_name, METALMOM_BACKEND="gpu:0,1") == "gpu:0,1"
    code = """
import metalmom
try:
    metalmom.get_config()["backend"]
except metalmom.ParameterError as error:
    print(error)
"""
    assert run_python(code, METALMOM_BACKEND="gpu:1,1").startswith("METALMOM_BACKEND='gpu:1,1' must be")


@with_two
def test_warm_up_builds_pipelines_on_each_device():
    code = """
import numpy as np, metalmom
metalmom.set_config(backend="gpu:all")
metalmom.gpu_warmup()
with metalmom.trace.record() as trace:
    metalmom.feature.mfcc(y=np.zeros((8, 60_000), np.float32))
print(trace.counters.get("pipeline_builds", 0))
"""
    assert run_python(code) == "0"


@with_two
def test_nothing_is_said_where_nothing_is_wrong(clips):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        on("gpu:all", lambda: metalmom.feature.mfcc(y=clips))
