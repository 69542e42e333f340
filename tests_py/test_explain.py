"""`metalmom.explain`: what is said of a call's side is what a trace then shows of it."""

import metalmom
import numpy as np
import pytest
from devices import engine_spans, on_device, software_as_gpu
from metalmom import _native

N = 22050 * 10


def side_in_trace(call):
    spans, _ = engine_spans(call)
    return spans[0].args["backend"], spans[0].args["reason"]


@pytest.mark.parametrize("name", ["mfcc", "stft", "rms", "chroma_stft", "onset_strength", "zero_crossing_rate"])
def test_the_cpu_that_is_asked_for(name):
    with metalmom.config_context(backend="cpu"):
        said = metalmom.explain(name, N)
    assert said.side == "cpu" and said.cpu_seconds > 0 and said.cpu_memory > 0
    kernel = said.op in _native.kernel_ops
    assert said.reason == ("backend='cpu' asks for it" if kernel else "no GPU kernel")
    assert str(said).startswith(f"{said.op}: CPU, {said.reason} (predicted: ")


def test_memory_is_that_of_the_results():
    assert metalmom.explain(metalmom.stft, (2, N)).cpu_memory == metalmom.stft(np.zeros((2, N), dtype=np.float32)).nbytes


def test_auto_without_a_device_that_it_would_take():
    with metalmom.config_context(backend="auto"):
        said = metalmom.explain("mfcc", N)
    y = metalmom.tone(440.0, length=N).astype(np.float32)
    with metalmom.config_context(backend="auto"):
        side, reason = side_in_trace(lambda: metalmom.feature.mfcc(y=y))
    assert (said.side.partition(":")[0], said.reason) == (side, reason)


@on_device
def test_the_device_that_is_asked_for():
    with metalmom.config_context(backend="gpu"):
        said = metalmom.explain("mfcc", N)
        refused = metalmom.explain("stft", N, n_fft=2 * 3 * 5 * 7 * 11)
    assert said.side.startswith("gpu:") and said.reason == "backend='gpu' asks for it"
    assert said.gpu_seconds > 0 and said.cpu_seconds > 0 and said.gpu_memory > 4 * N
    if refused.side is None:  # where the kernel declines this length, the call is refused in these words
        with metalmom.config_context(backend="gpu"), pytest.raises(metalmom.DeviceError) as error:
            metalmom.stft(np.zeros(N, dtype=np.float32), n_fft=2 * 3 * 5 * 7 * 11)
        assert refused.reason == str(error.value)


@on_device
def test_auto_says_what_it_then_does():
    y = metalmom.tone(440.0, length=N).astype(np.float32)
    with software_as_gpu(), metalmom.config_context(backend="auto"):
        said = metalmom.explain("melspectrogram", N)
        assert metalmom.explain("melspectrogram", N) == said  # asking changes nothing
        side, reason = side_in_trace(lambda: metalmom.feature.melspectrogram(y=y))
    assert said.side.partition(":")[0] == side and said.reason == reason
    assert said.gpu_seconds > 0
    with software_as_gpu(), metalmom.config_context(backend="auto", min_frames={"filterbank_spectrogram": 10**6}):
        assert metalmom.explain("melspectrogram", N).reason == "fewer frames than min_frames"


@pytest.mark.parametrize("name, settings, op", [
    ("cqt", {}, "constant_q"), ("vqt", {"intervals": "equal"}, "constant_q"), ("yin", {"fmin": 65.0, "fmax": 2093.0}, "yin"),
])  # fmt: skip
def test_what_depends_on_the_length_is_told(name, settings, op):
    """The host decides by the length what it asks the engine for: filters as long as the audio has octaves."""
    with metalmom.config_context(backend="cpu"):
        said = metalmom.explain(name, N, **settings)
        side, reason = side_in_trace(lambda: getattr(metalmom, name)(np.ones(N, np.float32), **settings))
    assert (said.op, said.side, said.reason) == (op, side, "backend='cpu' asks for it") and reason == "asked for"
    assert said.cpu_seconds > 0 and said.cpu_memory > 0


@pytest.mark.parametrize("name", ["poly_features", "effects.hpss"])
def test_a_function_that_makes_calls_of_its_own_is_told_by_its_declaration(name):
    has_kernels = name == "effects.hpss"
    said = {}
    for backend in ("cpu", "auto"):
        with metalmom.config_context(backend=backend):
            said[backend] = metalmom.explain(name, N)
    assert said["cpu"].op is None and said["cpu"].side == "cpu" and said["cpu"].cpu_seconds is None
    assert said["auto"].side == (None if has_kernels else "cpu")
    assert said["auto"].reason.startswith("it has kernels" if has_kernels else "it has no kernels")
    assert str(said["cpu"]).startswith("the call: CPU, ")


@on_device
def test_a_function_that_makes_calls_of_its_own_takes_the_device_that_is_asked_for():
    with metalmom.config_context(backend="gpu"):
        said = metalmom.explain("effects.hpss", N)
    assert said.side.startswith("gpu:") and said.reason == "it has kernels; backend='gpu' asks for it"


@pytest.mark.parametrize("function, shape, told", [
    ("nix", N, "function='nix' must be a feature"), (metalmom.power_to_db, N, "must be a function of audio"),
    (3, N, "function=3 must be"), ("mfcc", "long", "shape='long' must be"), ("mfcc", -1, "shape=-1 must be"), ("mfcc", (), "no axis of samples"),
    ("mfcc", np.zeros(99, dtype=np.float32), "must be the shape of audio, as y.shape gives it: pass y.shape$"),
])  # fmt: skip
def test_nonsense_is_refused(function, shape, told):
    with pytest.raises(metalmom.ParameterError, match=told):
        metalmom.explain(function, shape)
    with pytest.raises(metalmom.ParameterError, match="n_mels"):
        metalmom.explain("mfcc", N, n_mels=0)
