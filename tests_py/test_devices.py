"""Two devices: a call runs on the one that is named, or on that of its arrays, and another of its kind gives the same bits.

Where there is one, the tests run in a process that shows it twice, each with queues and memory of
its own (METALMOM_VULKAN_COPIES).
"""

import copy
import os
import pickle
import re
import subprocess
import sys

import metalmom
import numpy as np
import pytest
from devices import EXAMPLES, call_of, on_device
from metalmom import _native
from processes import run_python
from test_extractor import recipe_for_kernels, song

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
    y = np.stack([song(20_001 / 22050, seed=seed)[:20_001] for seed in range(9)])
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
@pytest.mark.parametrize("name", EXAMPLES)
def test_each_device_gives_the_same_bits(name, clips):
    first, second = (on(backend, call_of(name, clips)) for backend in ("gpu:0", "gpu:1"))
    assert all(same(*pair) for pair in zip(first, second, strict=True))


@with_two
def test_a_call_runs_on_the_device_that_is_named(clips):
    def call():
        return metalmom.feature.mfcc(y=clips)

    for index in (0, 1):
        assert on(f"gpu:{index}", lambda: kernels_of(call)) == {index}
    assert on("gpu", lambda: kernels_of(call)) == {0}


@with_two
@pytest.mark.parametrize("seed", range(4))
def test_recipes_run_on_the_device_that_is_named(seed, clips):
    recipe = recipe_for_kernels(np.random.default_rng(seed), mono=False)
    fx = metalmom.Extractor(recipe)
    first, second = on("gpu:0", lambda: fx.map(clips)), on("gpu:1", lambda: fx.map(clips))
    for one, two in zip(first, second, strict=True):
        for name in recipe:
            pairs = zip(*(v if isinstance(v, tuple) else (v,) for v in (one[name], two[name])))
            assert all(same(a, b) for a, b in pairs), name


@with_two
def test_device_arrays_belong_to_one_device(clips):
    first = on("gpu", lambda: metalmom.to_device(clips))
    second = on("gpu:1", lambda: metalmom.to_device(clips))
    assert (first.device, second.device) == (0, 1)
    for name in ("cpu", "gpu:0"):  # a call runs where its array is
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
    for name in ("gpu:0", "gpu:1"):
        on(name, lambda: metalmom.feature.mfcc(y=clips))
    assert all(device.memory_kept > 0 for device in metalmom.devices()[:2])
    metalmom.release_caches()
    assert all(device.memory_kept == 0 for device in metalmom.devices()[:2])


@with_two
def test_a_trace_has_tracks_of_each_device(clips):
    with metalmom.trace.record() as trace:
        for name in ("gpu:0", "gpu:1"):
            on(name, lambda: metalmom.feature.mfcc(y=clips))
    counters = {sample.name for sample in trace.samples}
    assert {"GPU memory used, gpu:0", "GPU memory used, gpu:1"} <= counters
    assert devices_of(trace) == {0, 1}


@with_two
def test_a_device_that_fails_is_named():
    code = """
import numpy as np, metalmom
from metalmom import _native
y = np.random.default_rng(0).uniform(-1, 1, (8, 60_000)).astype(np.float32)
metalmom.set_config(backend="gpu:1")
metalmom.stft(y)
_native.lose_device()
try:
    metalmom.stft(y)
except metalmom.DeviceError as error:
    print(str(error).partition(" (")[0])
with metalmom.config_context(backend="gpu:0"):
    metalmom.stft(y)
"""
    assert run_python(code).splitlines() == ["GPU 1"]


@with_two
def test_auto_goes_on_without_a_device_that_fails():
    code = """
import warnings
import numpy as np, metalmom
from metalmom import _native
y = np.random.default_rng(0).uniform(-1, 1, (8, 60_000)).astype(np.float32)
with metalmom.config_context(backend="cpu"):
    expected = metalmom.stft(y)
_native.let_automatic_take_software(True)
with metalmom.config_context(backend="auto:1", min_frames={"stft": 1}):
    metalmom.stft(y)
    with metalmom.config_context(backend="gpu:1"):
        _native.lose_device()
    with warnings.catch_warnings(record=True) as seen, metalmom.trace.record() as trace:
        warnings.simplefilter("always")
        results = [metalmom.stft(y) for _ in range(3)]
assert all(np.array_equal(result, expected) for result in results)
print(*[span.args["backend"] for span in trace.spans if "backend" in span.args])
print(*[span.args["reason"] for span in trace.spans if "reason" in span.args][-1:])
"""
    assert run_python(code).splitlines() == ["cpu cpu cpu", "the GPU was lost"]


@with_two
def test_a_device_that_is_not_there_is_named(clips):
    with metalmom.config_context(backend="gpu:7"), pytest.raises(metalmom.DeviceError, match="no GPU 7"):
        metalmom.stft(clips)
    code = """
import warnings
import numpy as np, metalmom
from metalmom import _native
_native.let_automatic_take_software(True)
y = np.zeros((2, 4000), np.float32)
with metalmom.config_context(backend="auto:7", min_frames={"stft": 1}), warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    metalmom.stft(y), metalmom.stft(y)
print(*[str(each.message).partition(":")[0] for each in seen])
"""
    assert run_python(code) == "there is no GPU 7"


def test_a_backend_names_one_device():
    for name in ("gpu:0", "auto:2"):
        with metalmom.config_context(backend=name):
            assert metalmom.get_config()["backend"] == name
    for wrong in ("gpu:0,1", "gpu:all", "auto:all", "gpu:99999999999"):
        with pytest.raises(metalmom.ParameterError, match="must be 'cpu', 'auto', 'gpu', 'auto:N' or 'gpu:N'"):
            metalmom.set_config(backend=wrong)
    print_name = "import metalmom; print(metalmom.get_config()['backend'])"
    assert run_python(print_name, METALMOM_BACKEND="gpu:1") == "gpu:1"
    code = """
import metalmom
try:
    metalmom.get_config()["backend"]
except metalmom.ParameterError as error:
    print(error)
"""
    assert run_python(code, METALMOM_BACKEND="gpu:1,1").startswith("METALMOM_BACKEND='gpu:1,1' must be")


@with_two
def test_warm_up_builds_pipelines_on_the_device_that_is_named():
    code = """
import numpy as np, metalmom
metalmom.set_config(backend="gpu:1")
metalmom.gpu_warmup()
with metalmom.trace.record() as trace:
    metalmom.feature.mfcc(y=np.zeros((8, 60_000), np.float32))
print(trace.counters.get("pipeline_builds", 0))
"""
    assert run_python(code) == "0"
