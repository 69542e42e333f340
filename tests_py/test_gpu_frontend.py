"""Front-ends on a device: results are there, and the CPU's; who needs the host says why."""

import re

import metalmom
import numpy as np
import pytest
from devices import engine_spans, on_device
from frontend_cases import sound
from metalmom import frontend

pytestmark = on_device

# Arguments with which each takes audio on a device, and the samples of a clip.
ON_DEVICE = {
    "whisper": ({"chunk_length": 3}, 48000),
    "whisper, shorter": ({"chunk_length": 3, "pad": False, "n_mels": 128}, 30001),
    "kaldi_fbank": ({"num_bins": 80, "scale": 32768}, 30001),
    "kaldi_fbank, 11 kHz": ({"sr": 11025, "window_type": "hamming", "preemph_coeff": 0.0}, 20001),
    "kaldi_fbank of 400": ({"round_to_power_of_two": False, "use_power": False}, 20001),
    "kaldi_fbank, with its mean": ({"remove_dc_offset": False}, 20001),
    "ast, cut": ({"max_length": 100}, 30001),
    "ast, filled": ({"max_length": 300, "mean": -5.0}, 30001),
    "ast, as levels": ({"max_length": 200, "do_normalize": False, "num_mel_bins": 64}, 30001),
    "ast, without a frame": ({"max_length": 50}, 150),
    "vggish": ({}, 40001),
    "yamnet": ({}, 40001),
    "yamnet, whole": ({}, 15600 + 2 * 7680),
    "yamnet, shorter than a patch": ({}, 300),
    "musicnn": ({}, 100001),
    "musicnn, overlapping": ({"overlap": 50}, 100001),
    "musicnn, with gaps": ({"overlap": 250}, 150001),
    "clap": ({"truncation": "rand_trunc"}, 480000),
    "torchaudio_mel": ({"n_fft": 512, "n_mels": 40}, 30001),
}

# Why the others take none.
ON_HOST = {"nemo": "double precision", "wav2vec2": "not a feature of frames"}


@pytest.fixture(params=ON_DEVICE)
def call(request):
    name = re.match(r"\w+", request.param)[0]
    arguments, n = ON_DEVICE[request.param]
    clips = np.stack([sound(n, 16000, 1), 0.01 * sound(n, 16000, 2) + np.float32(0.1), sound(n, 16000, 3)])
    return getattr(frontend, name), arguments, clips


def test_a_device_gives_what_the_cpu_gives(call):
    """But for bands that are nearly empty beside the loudest of their frame: float32 has few digits of them."""
    function, arguments, clips = call
    with metalmom.config_context(backend="cpu"):
        expected = function(clips, **arguments)
    with metalmom.config_context(backend="gpu"):
        (span,), _ = engine_spans(lambda: function(clips, **arguments))
        found = function(clips, **arguments)
    assert span.args["backend"] == "gpu"
    assert found.shape == expected.shape and found.dtype == expected.dtype
    error = np.abs(found - expected) / np.abs(expected).max()
    assert np.median(error) < 5e-7
    assert np.quantile(error, 0.999) < 1e-4
    assert error.max() < 1e-3


def test_of_arrays_on_the_device_results_are_there(call):
    function, arguments, clips = call
    with metalmom.config_context(backend="gpu"):
        expected = function(clips, **arguments)
    found = function(metalmom.to_device(clips), **arguments)
    assert isinstance(found, metalmom.DeviceArray) and found.shape == expected.shape
    np.testing.assert_array_equal(found.numpy(), expected)
    np.testing.assert_array_equal(function(metalmom.to_device(clips[1]), **arguments).numpy(), expected[1])


def test_an_extractor_takes_arrays_on_the_device():
    clips = np.stack([sound(48000, 16000, 1), sound(48000, 16000, 2)])
    features = {
        "a": {"feature": "frontend.whisper", "chunk_length": 3}, "b": {"feature": "frontend.kaldi_fbank"},
        "c": {"feature": "frontend.vggish"},
    }  # fmt: skip
    y = metalmom.to_device(clips)
    found = metalmom.Extractor(features)(y)
    np.testing.assert_array_equal(found["a"].numpy(), frontend.whisper(y, chunk_length=3).numpy())
    np.testing.assert_array_equal(found["b"].numpy(), frontend.kaldi_fbank(y).numpy())
    np.testing.assert_array_equal(found["c"].numpy(), frontend.vggish(y).numpy())


@pytest.mark.parametrize("name", ON_HOST)
def test_who_needs_the_host_says_why(name):
    y = metalmom.to_device(sound(20000))
    told = rf"^y must be an array of NumPy, as .*{ON_HOST[name]}.*: pass y.numpy\(\)$"
    with pytest.raises(metalmom.DeviceError, match=told):
        getattr(frontend, name)(y)


def test_of_all_front_ends_it_is_known():
    names = {re.match(r"\w+", name)[0] for name in ON_DEVICE} | {*ON_HOST}
    assert names == {*frontend.__all__} - {"from_config"}
    declared = {name for name in names if hasattr(getattr(frontend, name), "kernels")}
    assert declared == names - {*ON_HOST}


@pytest.mark.parametrize("name, arguments, told", [
    ("whisper", {}, r"y.shape\[-1\]=20000 must be 480000 on a device"),
    ("whisper", {"chunk_length": 1, "pad": False}, r"y.shape\[-1\]=20000 must be at most 16000 on a device"),
    ("kaldi_fbank", {"use_energy": True}, "use_energy=True has no kernel"),
    ("kaldi_fbank", {"snip_edges": False}, "snip_edges=False has no kernel"),
    ("clap", {}, "truncation='fusion' has no kernel"),
    ("clap", {"sr": 48000, "truncation": "rand_trunc"}, r"y.shape\[-1\]=20000 must be 480000 on a device"),
    ("torchaudio_mel", {"pad": 10}, "pad=10 has no kernel"),
    ("torchaudio_mel", {"normalized": True}, "normalized=True has no kernel"),
])  # fmt: skip
def test_arguments_that_need_the_host_are_named(name, arguments, told):
    with pytest.raises(metalmom.DeviceError, match=rf"^{told}: pass y.numpy\(\)$"):
        getattr(frontend, name)(metalmom.to_device(sound(20000)), **arguments)


def test_channels_side_by_side_are_no_clips():
    """A model would take each moment of such a file for a clip."""
    y = metalmom.to_device(np.zeros((20000, 2), np.float32))
    for name in ("ast", "yamnet", "musicnn", "kaldi_fbank"):
        with pytest.raises(metalmom.ParameterError, match=r"swapaxes\(0, 1\)"):
            getattr(frontend, name)(y)


def test_in_double_nemo_runs_on_the_cpu():
    y = sound(20000)
    expected = frontend.nemo(y)
    with metalmom.config_context(backend="gpu"):
        np.testing.assert_array_equal(frontend.nemo(y), expected)


def test_audio_that_is_too_loud_is_refused_from_the_host():
    y = np.full((1, 48000), 1e38, np.float32)
    y[:, ::3] *= -1
    for name in ("whisper", "kaldi_fbank"):
        refused = pytest.raises(metalmom.ParameterError, match="small enough")
        with metalmom.config_context(backend="gpu"), refused:
            getattr(frontend, name)(y)
