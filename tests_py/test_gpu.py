"""Backends and devices, on whatever Vulkan device there is: a software device will do.

Without one the tests are skipped, unless METALMOM_REQUIRE_GPU says that there must be one.
"""

import contextlib
import copy
import dataclasses
import os
import pickle
import re
import subprocess
import sys
import threading
import warnings
import wave

import metalmom
import numpy as np
import pytest
from devices import EXAMPLES, call_of, engine_spans, little_memory, on_device, software_as_gpu
from metalmom import _native
from metalmom._warmup import each_kernel
from metalmom.cli import doctor
from processes import run_python

pytestmark = on_device

functions = pytest.mark.parametrize("name", EXAMPLES)
# What docs/gpu.md says has a part on the host.
ON_BOTH_SIDES = {"griffinlim", "feature.spectral_contrast", "feature.spectral_slope"}


@pytest.fixture
def clips(rng):
    """Five clips of a second, one of them silent."""
    y = rng.uniform(-1, 1, (5, 22050)).astype(np.float32)
    y[3] = 0
    return y


without_timeline = pytest.mark.parametrize("timeline", ["1", "0"])


@functions
def test_gpu_equals_cpu(name, clips):
    with metalmom.config_context(backend="cpu"):
        call = call_of(name, clips)
        expected = call()
    with metalmom.config_context(backend="gpu"):
        results = call()
    for result, wanted in zip(results, expected, strict=True):
        assert result.dtype == wanted.dtype
        assert result.strides == wanted.strides
        assert np.abs(result - wanted).max() <= EXAMPLES[name][0].kernels.tolerance * np.abs(wanted).max()


@functions
def test_forced_gpu_is_a_gpu(name, clips):
    with metalmom.config_context(backend="gpu"):
        call = call_of(name, clips[: 1 if name == "frontend.clap" else 2])  # one piece; CLAP's clips have 10 s
        spans, trace = engine_spans(call)
    assert spans and {span.args["backend"] for span in spans} == {"gpu"}
    assert any(span.cat == "gpu" and span.args.get("kind") == "kernel" for span in trace.spans)
    assert trace.counters["submits"] == len(spans)  # one for each call


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in ON_BOTH_SIDES])
def test_device_arrays_chain(name, clips):
    with metalmom.config_context(backend="gpu"):
        expected = call_of(name, clips)()
        call = call_of(name, metalmom.to_device(clips))
        spans, trace = engine_spans(call)
        results = call()
    assert not any(span.args.get("kind") == "copy" for span in trace.spans if span.cat == "gpu")
    for result, wanted in zip(results, expected, strict=True):
        assert isinstance(result, _native.DeviceArray)
        assert result.shape == wanted.shape
        assert result.dtype in (np.float32, wanted.dtype)  # there are no doubles on the device
        assert np.array_equal(result.numpy(), wanted)
        assert np.array_equal(np.asarray(result), wanted)


@functions
def test_neighbours_and_cuts_change_nothing(name, rng):
    y = rng.uniform(-1, 1, (9, 24_000)).astype(np.float32)

    def kernels_of(call):
        with metalmom.trace.record() as trace:
            result = call()
        return result, sum(span.args.get("kind") == "kernel" for span in trace.spans)

    with metalmom.config_context(backend="gpu"):
        whole, pieces = kernels_of(call_of(name, y))
        for limit in range(1 << 19, 64 << 20, 1 << 19):  # the least that it can do with
            with contextlib.suppress(metalmom.DeviceError), little_memory(limit):
                cut, more = kernels_of(call_of(name, y))
                break
        alone = call_of(name, y[7])()
    assert more > pieces
    for each, in_pieces, single in zip(whole, cut, alone, strict=True):
        assert np.array_equal(each, in_pieces)
        assert np.array_equal(each[7], single)


def test_hpss_under_auto(clips, software_gpu):
    D = metalmom.stft(clips)
    with metalmom.config_context(backend="auto", min_frames={"hpss": 1, "hpss_audio": 1}):
        calls = (lambda: metalmom.effects.hpss(clips), lambda: metalmom.decompose.hpss(D))
        for call in calls:
            (span,), _ = engine_spans(call)
            assert span.args["backend"] == "gpu"
        (span,), _ = engine_spans(lambda: metalmom.effects.hpss(clips, kernel_size=33))
    assert (span.args["backend"], span.args["reason"]) == ("cpu", "a median over more than 31 values")


def test_griffinlim_on_the_gpu(clips):
    S = np.abs(metalmom.stft(clips))
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.griffinlim(S, n_iter=2, rng=0)
    with metalmom.config_context(backend="gpu"):
        spans, _ = engine_spans(lambda: metalmom.griffinlim(S, n_iter=2, rng=0))
        result = metalmom.griffinlim(S, n_iter=2, rng=0)
        kept = metalmom.griffinlim(metalmom.to_device(S), n_iter=2, rng=0)
    assert {span.name: span.args["backend"] for span in spans}["griffinlim"] == "gpu"
    assert np.abs(result - expected).max() <= 1e-5 * np.abs(expected).max()
    assert np.array_equal(kept.numpy(), result)


def test_what_lies_between_takes_little_memory(rng):
    y = rng.uniform(-1, 1, (16, 60_000)).astype(np.float32)

    def separate():
        return metalmom.effects.hpss(metalmom.to_device(y))[0].numpy()

    with metalmom.config_context(backend="gpu"):
        whole = separate()
        with little_memory(64 << 20), metalmom.trace.record() as trace:
            cut = separate()
    assert sum(span.name == "hpss" and span.cat == "gpu" for span in trace.spans) > 1
    assert np.array_equal(whole, cut)


def test_one_long_clip_in_pieces(rng):
    y = rng.uniform(-1, 1, 3_000_000).astype(np.float32)
    for function in (metalmom.feature.melspectrogram, metalmom.feature.mfcc):
        with metalmom.config_context(backend="gpu"):
            whole = function(y=y)
            with little_memory(24 << 20):
                cut = function(y=y)
        assert np.array_equal(whole, cut)


def test_forced_gpu_refuses(clips):
    with metalmom.config_context(backend="gpu"):
        with pytest.raises(metalmom.DeviceError, match="float64"):
            metalmom.stft(clips.astype(np.float64))
        with pytest.raises(metalmom.DeviceError, match="does not take this"):
            metalmom.stft(clips, n_fft=1000)
        with pytest.raises(metalmom.ParameterError, match="not finite"):
            metalmom.stft(np.full(4000, np.nan, dtype=np.float32))
    with metalmom.config_context(backend="gpu:77"), pytest.raises(metalmom.DeviceError, match="no GPU 77"):
        metalmom.stft(clips)


@pytest.mark.parametrize("side", ["cpu", "gpu", "auto"])
@pytest.mark.parametrize("at", [0, 33_333, 59_999])
def test_audio_must_be_finite(side, at, rng):
    y = rng.uniform(-1, 1, (8, 60_000)).astype(np.float32)
    y[5, at] = np.inf
    long = np.zeros(3_000_000, dtype=np.float32)
    long[2_999_999 - at] = np.nan
    with metalmom.config_context(backend=side):
        for call in (
            lambda: metalmom.stft(y),
            lambda: metalmom.feature.mfcc(y=y),
            lambda: metalmom.stft(y, hop_length=10_000),  # some samples are in no frame
            lambda: metalmom.feature.melspectrogram(y=y, center=False),
            lambda: metalmom.feature.melspectrogram(y=long),  # in pieces
        ):
            with pytest.raises(metalmom.ParameterError, match="not finite"):
                call()
        assert np.isfinite(metalmom.stft(y[:5])).all()


def test_steps_without_a_kernel_run_on_the_cpu(clips):
    with metalmom.config_context(backend="gpu"):
        spans, _ = engine_spans(lambda: metalmom.onset.onset_detect(y=clips[0]))
    assert {span.args["backend"] for span in spans} == {"cpu", "gpu"}


def test_auto_leaves_software_alone(clips):
    if any(device.type != "cpu" for device in metalmom.devices()):
        pytest.skip("there is a GPU")
    with metalmom.config_context(backend="auto", min_frames={"stft": 1}):
        spans, _ = engine_spans(lambda: metalmom.stft(clips))
    assert spans[0].args["backend"] == "cpu"
    assert spans[0].args["reason"]


@pytest.fixture
def software_gpu():
    with software_as_gpu():
        yield


def test_auto_explains_itself(clips, software_gpu):
    with metalmom.config_context(backend="auto", min_frames={"stft": 200, "istft": 10**30}):
        D = metalmom.stft(clips)
        spans, _ = engine_spans(lambda: (metalmom.stft(clips), metalmom.istft(D)))
        many, few = spans
        (wide,), _ = engine_spans(lambda: metalmom.stft(clips.astype(np.float64)))
        (odd,), _ = engine_spans(lambda: metalmom.stft(clips, n_fft=1000))
    with metalmom.config_context(backend="auto", min_frames={"stft": many.args["frames"]}):
        (exactly,), _ = engine_spans(lambda: metalmom.stft(clips))
    assert (exactly.args["backend"], exactly.args["reason"]) == ("gpu", "at least min_frames")
    assert (many.args["backend"], many.args["reason"]) == ("gpu", "at least min_frames")
    assert many.args["predicted_cpu_ms"] > 0
    assert many.args["predicted_gpu_ms"] > 0
    assert (few.args["backend"], few.args["reason"]) == ("cpu", "fewer frames than min_frames")
    assert (wide.args["backend"], wide.args["reason"]) == ("cpu", "float64")
    assert odd.args["backend"] == "cpu"


def test_out_of_memory_is_survived(clips):
    with metalmom.config_context(backend="gpu"):
        expected = metalmom.stft(clips)
        _native.fail_device_allocations(2)
        assert np.array_equal(metalmom.stft(clips), expected)


def test_failures_are_said_once():
    code = """
import warnings
import numpy as np, metalmom
from metalmom import _native
y = np.random.default_rng(0).uniform(-1, 1, 22050).astype(np.float32)
_native.let_automatic_take_software(True)
with metalmom.config_context(backend="auto", min_frames={"stft": 1}), metalmom.trace.record() as trace:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(2):
            _native.fail_device_allocations(10**6)
            metalmom.stft(y)
print(len(seen), sum("GPU failed" in event.name for event in trace.events))
"""
    assert run_python(code) == "1 2"


@without_timeline
def test_lost_device_falls_back(timeline):
    # In a process of its own: a lost device is lost for the process.
    code = """
import warnings
import numpy as np, metalmom
from metalmom import _native
y = np.random.default_rng(0).uniform(-1, 1, 22050).astype(np.float32)
with metalmom.config_context(backend="cpu"):
    expected = metalmom.stft(y)
_native.let_automatic_take_software(True)
with metalmom.config_context(backend="auto", min_frames={"stft": 1}):
    metalmom.stft(y)
    _native.lose_device()
    with warnings.catch_warnings(record=True) as seen, metalmom.trace.record() as trace:
        warnings.simplefilter("always")
        first, second = metalmom.stft(y), metalmom.stft(y)
assert np.array_equal(first, expected) and np.array_equal(second, expected)
assert len(seen) == 1 and "was lost" in str(seen[0].message), seen
assert seen[0].filename == "<string>"
reasons = [s.args["reason"] for s in trace.spans if "reason" in s.args]
assert "was lost" in reasons[0] and reasons[1] == "the GPU was lost", reasons
assert any("GPU failed" in event.name for event in trace.events)
try:
    with metalmom.config_context(backend="gpu"):
        metalmom.stft(y)
except metalmom.DeviceError as error:
    print("not used again" in str(error))
"""
    assert run_python(code, METALMOM_VULKAN_TIMELINE=timeline) == "True"


def test_settings_are_scoped(clips):
    metalmom.set_config(backend="cpu")
    try:
        seen = []
        with metalmom.config_context(backend="gpu"):
            seen.append(_native.backend_name())
            with metalmom.config_context(backend="auto"):
                seen.append(_native.backend_name())
            thread = threading.Thread(target=lambda: seen.append(_native.backend_name()))
            thread.start()
            thread.join()
            seen.append(_native.backend_name())
        seen.append(_native.backend_name())
    finally:
        metalmom.set_config(backend="auto")
    assert seen == ["gpu", "auto", "cpu", "gpu", "cpu"]
    for wrong in ("cuda", "gpu:", "gpu:x", "gpu:1,", "gpu:-1", "cpu:0", "gpu:0,1", "gpu:all", "", 3):
        with pytest.raises(metalmom.ParameterError, match="must be 'cpu', 'auto', 'gpu', 'auto:N' or 'gpu:N'"):
            metalmom.set_config(backend=wrong)
    print_name = "from metalmom import _native; print(_native.backend_name())"
    assert run_python(print_name, METALMOM_BACKEND="gpu:1") == "gpu:1"


@pytest.mark.parametrize("text, size", [("512", 512 << 20), ("512M", 512 << 20), ("1.5 GiB", 3 << 29), ("2gb", 2 << 30)])
def test_a_limit_of_memory_is_a_size(text, size):
    code = "import metalmom; print(metalmom.get_config()['device_memory'])"
    assert run_python(code, METALMOM_GPU_MEMORY=text) == str(size)


@pytest.mark.parametrize("text", ["much", "0", "-5", "1e3", "0G", "512Q", "M", "5iM"])
def test_nonsense_as_limit_of_memory_is_refused(text):
    code = """
import numpy as np, metalmom
for _ in range(2):
    try:
        with metalmom.config_context(backend="gpu"):
            metalmom.stft(np.zeros(4096, dtype=np.float32))
    except metalmom.ParameterError as error:
        print(error)
"""
    told = f"METALMOM_GPU_MEMORY='{text}' must be a whole number of MiB, or a size like '512M'"
    assert run_python(code, METALMOM_GPU_MEMORY=text).splitlines() == [told, told]


@pytest.mark.parametrize("shape", [(), (5,), (0,), (2, 3), (2, 3, 4)])
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_device_arrays_pickle_through_the_host(rng, shape, dtype):
    values = rng.standard_normal((*shape, 2)).astype(np.float32)
    values = (values[..., 0] + 1j * values[..., 1]).astype(dtype) if dtype is np.complex64 else values
    array = metalmom.to_device(values)
    assert type(array) is metalmom.DeviceArray
    arrays = [array, array.swapaxes(-1, -2)] if len(array.shape) > 1 else [array]
    for each in arrays:
        for again in (pickle.loads(pickle.dumps(each)), copy.copy(each), copy.deepcopy(each)):
            assert type(again) is metalmom.DeviceArray
            assert (again.shape, again.dtype, again.swapped) == (each.shape, each.dtype, each.swapped)
            np.testing.assert_array_equal(again.numpy(), each.numpy())


def test_a_pickled_array_goes_on_as_the_first(clips):
    spectrum = metalmom.stft(metalmom.to_device(clips))
    again = pickle.loads(pickle.dumps(spectrum))
    np.testing.assert_array_equal(metalmom.istft(again).numpy(), metalmom.istft(spectrum).numpy())
    clips[0, 5] = np.nan
    again = pickle.loads(pickle.dumps(metalmom.to_device(clips)))
    with pytest.raises(metalmom.ParameterError, match="not finite"):
        metalmom.stft(again)


def test_threads_share_a_device(clips):
    with metalmom.config_context(backend="gpu"):
        expected = [metalmom.stft(y) for y in clips]
    results = [None] * len(clips)

    def work(i):
        with metalmom.config_context(backend="gpu"):
            for _ in range(5):
                results[i] = metalmom.stft(clips[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(clips))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(results, expected, strict=True))


def test_forked_child_has_its_own_device():
    code = """
import os
import numpy as np, metalmom
y = np.random.default_rng(0).uniform(-1, 1, 22050).astype(np.float32)
metalmom.set_config(backend="gpu")
expected, kept = metalmom.stft(y), metalmom.to_device(y)
child = os.fork()
if child == 0:
    right = np.array_equal(metalmom.stft(y), expected)
    try:
        kept.numpy()
        right = False
    except metalmom.DeviceError:
        pass
    del kept
    os._exit(0 if right else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), np.array_equal(kept.numpy(), y))
"""
    assert run_python(code) == "0 True"


def test_the_main_job_on_the_gpu(tmp_path, rng):
    y = rng.uniform(-1, 1, 4 * 22050).astype(np.float32)
    with metalmom.config_context(backend="cpu"):
        tempo, beats = metalmom.beat.beat_track(y=y)
    with metalmom.config_context(backend="gpu"):
        spans, _ = engine_spans(lambda: metalmom.beat.beat_track(y=y))
        result = metalmom.beat.beat_track(y=y)
    assert {span.name: span.args["backend"] for span in spans}["onset_strength"] == "gpu"
    assert result[0] == tempo
    assert np.array_equal(result[1], beats)
    wav = tmp_path / "noise.wav"
    with wave.open(str(wav), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22050)
        file.writeframes((y * 32767).astype("<i2").tobytes())
    done = subprocess.run(
        [sys.executable, "-m", "metalmom", "profile", str(wav), "--backend", "gpu"],
        capture_output=True, text=True, timeout=120, check=False,
    )
    assert done.returncode == 0, done.stderr
    device = metalmom.devices()[0]
    for part in ("backend  gpu", device.name, device.driver, "KiB shared"):
        assert part in done.stdout


def test_device_arrays(clips):
    array = metalmom.to_device(clips)
    assert (array.shape, array.ndim, array.nbytes) == (clips.shape, 2, clips.nbytes)
    assert metalmom.to_device(array) is array
    assert np.array_equal(array.numpy(), clips)
    live = _native.device_memory()["live"]
    more = metalmom.to_device(clips)
    assert _native.device_memory()["live"] >= live + clips.nbytes
    del more
    assert _native.device_memory()["live"] == live
    with pytest.raises(metalmom.ParameterError, match="float32 or complex64"):
        metalmom.to_device(clips.astype(np.float64))
    with pytest.raises(metalmom.ParameterError, match="not finite"):
        metalmom.stft(metalmom.to_device(np.full(4000, np.inf, dtype=np.float32)))
    with pytest.raises(metalmom.DeviceError, match=r"^S_db is on a device, .*: pass S_db.numpy\(\)$"):
        metalmom.db_to_power(array)


def test_device_array_beyond_a_binding(rng):
    binding = metalmom.devices()[0].max_storage_buffer
    if binding > 2**28:
        pytest.skip("a binding holds more than this test wants to")
    y = np.tile(rng.uniform(-1, 1, 600_001).astype(np.float32), (binding // 2_400_000 + 6, 1))
    y[-1] *= 0.5
    with metalmom.config_context(backend="gpu"):
        result = metalmom.stft(metalmom.to_device(y), hop_length=60_000).numpy()
        assert np.array_equal(result, metalmom.stft(y, hop_length=60_000))


def test_steady_state_allocates_nothing(clips):
    with metalmom.config_context(backend="gpu"):
        for _ in range(3):
            metalmom.feature.mfcc(y=clips)
        before = _native.device_memory()["driver_allocations"]
        for _ in range(5):
            metalmom.feature.mfcc(y=clips)
        assert _native.device_memory()["driver_allocations"] == before


def test_import_does_not_touch_vulkan():
    code = "import metalmom; print('vulkan' in open('/proc/self/maps').read())"
    assert run_python(code) == "False"


def test_without_a_driver():
    code = """
import numpy as np, metalmom
print(metalmom.devices(), metalmom.gpu_warmup())
metalmom.set_config(backend="gpu")
try:
    metalmom.stft(np.zeros(4000, np.float32))
except metalmom.DeviceError as error:
    print("install" in str(error))
"""
    missing = {"VK_ICD_FILENAMES": "/nonexistent.json", "VK_DRIVER_FILES": "/nonexistent.json"}
    assert run_python(code, **missing) == "[] False\nTrue"


def test_cache_folder_is_optional(tmp_path):
    code = """
import numpy as np, metalmom
metalmom.set_config(backend="gpu")
metalmom._native.device_rates()
print(metalmom.stft(np.zeros(4000, np.float32)).shape)
"""
    for folder in ("/proc/nowhere", "off", str(tmp_path / "new")):
        assert run_python(code, METALMOM_CACHE_DIR=folder) == "(1025, 8)"
    files = list((tmp_path / "new").iterdir())
    assert {file.name.split("-")[0] for file in files} == {"pipelines", "calibration"}
    for file in files:  # a corrupt file is no file
        content = file.read_bytes()
        file.write_bytes(content[: len(content) // 2] + b"x" * (len(content) // 2))
    assert run_python(code, METALMOM_CACHE_DIR=str(tmp_path / "new")) == "(1025, 8)"
    for file in files:  # nor is a pipe, which nobody will ever write to
        file.unlink()
        os.mkfifo(file)
    assert run_python(code, METALMOM_CACHE_DIR=str(tmp_path / "new")) == "(1025, 8)"


def test_calibration_can_be_switched_off(tmp_path):
    code = "import metalmom; metalmom.set_config(backend='gpu'); print(metalmom._native.device_rates()['measured'])"
    folder = str(tmp_path)
    assert run_python(code, METALMOM_CACHE_DIR=folder) == "True"
    assert run_python(code, METALMOM_CACHE_DIR=folder, METALMOM_CALIBRATE="0") == "False"


def test_validation_layer_is_silent():
    code = """
import numpy as np, metalmom
from metalmom import _native
from metalmom._warmup import each_kernel
metalmom.set_config(backend="gpu")
for _, call, _ in each_kernel():
    call()
y = np.random.default_rng(0).uniform(-1, 1, (24, 100_000)).astype(np.float32)
metalmom.feature.melspectrogram(y=y)
metalmom.feature.mfcc(y=metalmom.to_device(y)).numpy()
_native.set_device_memory_limit(24 << 20)
metalmom.feature.mfcc(y=y.ravel())
print(_native.validation_active(), *_native.take_validation_messages(), sep="\\n")
"""
    said = run_python(code, METALMOM_VULKAN_VALIDATION="1").split("\n")
    if said[0] == "False" and not os.environ.get("METALMOM_REQUIRE_GPU"):
        pytest.skip("the validation layer is not installed")
    assert said == ["True"]


def test_doctor_and_warm_up():
    assert metalmom.gpu_warmup()
    done = subprocess.run(
        [sys.executable, "-m", "metalmom", "doctor", "--quick"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = [name for name, _, _ in each_kernel()]
    assert done.stdout.count("agrees with the CPU") == len(names) * len(metalmom.devices())
    shared = re.findall(r"^  sharing    (with torch.from_dlpack, as .* \d|none with torch.from_dlpack: a DeviceArray on .*)$",
                        done.stdout, re.M)  # fmt: skip
    assert len(shared) == len(metalmom.devices())
    assert "feature.spectral_rolloff" in done.stdout and len(re.findall(r"^  units      \d+$", done.stdout, re.M)) == len(
        [device for device in metalmom.devices() if device.units])
    assert re.search(r"^instruction set: +\w+$", done.stdout, re.M)


def test_doctor_advises():
    def advice(upload, **fields):
        device = dataclasses.replace(metalmom.devices()[0], memory=100, memory_used=10, memory_kept=10, **fields)
        return doctor.advice_for_device(device, {"upload_gb_per_s": upload, "download_gb_per_s": 20.0})

    fast = {"type": "discrete", "timeline_semaphores": True}
    assert advice(20.0, **fast) == []
    assert ["to_device(y) once" in line for line in advice(1.0, **fast)] == [True]
    assert "install its vendor's" in advice(1.0, type="cpu", timeline_semaphores=True)[0]
    assert "timeline" in advice(20.0, type="integrated", timeline_semaphores=False)[0]
    with metalmom.config_context(threads=len(os.sched_getaffinity(0)) + 1):
        assert any("threads share" in line for line in doctor.advice_for_host())


def test_a_device_has_fields():
    device = metalmom.devices()[0]
    assert (device.index, bool(device.name), bool(device.vendor)) == (0, True, True)
    assert device.type in ("discrete", "integrated", "virtual", "cpu", "other")
    assert device.memory > 0 and device.memory_used >= 0 and (device.units is None or device.units > 0)
    assert repr(device).startswith(f"Device(index=0, name={device.name!r}, vendor={device.vendor!r}, type=")
    with pytest.raises(AttributeError):
        device.index = 1
    assert metalmom.devices()[0].name == device.name


def test_to_device_takes_a_device(clips):
    for device in (0, np.int64(0), "gpu:0", "gpu", metalmom.devices()[0]):
        array = metalmom.to_device(clips, device=device)
        assert array.device == 0 and np.array_equal(array.numpy(), clips)
        assert metalmom.to_device(array, device=device) is array
    for device in (-1, True, 1.0, "cpu", "gpu:all", "gpu:0,1", "cuda"):
        with pytest.raises(metalmom.ParameterError, match="^(device|backend)="):
            metalmom.to_device(clips, device=device)
    with pytest.raises(metalmom.DeviceError, match="there is no GPU 77"):
        metalmom.to_device(clips, device=77)
    assert metalmom.get_config()["backend"] == "auto"


def test_the_cache_of_pipelines_is_written_once(tmp_path):
    """When the process ends, or has been idle for seconds; the next one reads it."""
    code = """
import metalmom, numpy as np, os, sys
with metalmom.config_context(backend="gpu"), metalmom.trace.record() as trace:
    metalmom.feature.mfcc(y=np.zeros(22050, np.float32))
built = [span for span in trace.spans if span.name == "build pipeline"]
print(len(built) > 1, *[name for name in os.listdir(sys.argv[1]) if name.startswith("pipelines")])
"""
    code = f"import sys; sys.argv[1:] = [{str(tmp_path)!r}]\n{code}"
    assert run_python(code, METALMOM_CACHE_DIR=str(tmp_path)) == "True"
    (written,) = tmp_path.glob("pipelines-*")
    assert run_python(code, METALMOM_CACHE_DIR=str(tmp_path)) == f"True {written.name}"


def test_a_worker_of_extract_writes_its_pipelines(tmp_path):
    """Its process lasts a moment, and is ended without what an exit does."""
    (tmp_path / "in").mkdir()
    with wave.open(str(tmp_path / "in" / "a.wav"), "wb") as file:
        file.setparams((1, 2, 22050, 0, "NONE", ""))
        file.writeframes(bytes(44100))
    code = "import sys; from metalmom.cli import main; print(main(sys.argv[1:]))"
    command = ["extract", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--features", "mfcc", "--backend", "gpu"]
    run_python(f"import sys; sys.argv[1:] = {command!r}\n{code}", METALMOM_CACHE_DIR=str(tmp_path / "kept"))
    assert [*(tmp_path / "kept").glob("pipelines-*")]


def test_warm_up_builds_pipelines_side_by_side():
    code = """
import metalmom
metalmom.set_config(threads=2)
with metalmom.trace.record() as trace:
    metalmom.gpu_warmup()
built = sorted((s for s in trace.spans if s.name == "build pipeline"), key=lambda s: s.ts)
print(any(a.ts + a.dur > b.ts for a, b in zip(built, built[1:])))
"""
    assert run_python(code, METALMOM_CACHE_DIR="off") == "True"
