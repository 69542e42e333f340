"""All names of librosa are there, and few others."""

import json
import pathlib
import pkgutil

import metalmom
import pytest

TABLE = json.loads((pathlib.Path(__file__).parent / "reference" / "api.json").read_text())


@pytest.mark.parametrize("module", TABLE)
def test_names_of_librosa_are_there(module):
    home = pkgutil.resolve_name(f"metalmom.{module}".rstrip("."))
    assert [name for name in TABLE[module] if not hasattr(home, name)] == []


@pytest.mark.parametrize("name", ["metalmom", "metalmom.feature"])
def test_unknown_names_are_refused_as_python_does(name):
    with pytest.raises(AttributeError) as caught:
        pkgutil.resolve_name(name).no_such  # noqa: B018
    assert str(caught.value) == f"module {name!r} has no attribute 'no_such'"


# What `dir(metalmom)` has beside librosa's names, and why.
OWN = {
    "AudioError": "what cannot be decoded, apart from wrong arguments",
    "DeviceError": "what a GPU cannot do",
    "Device": "what devices() lists",
    "DeviceArray": "what to_device makes",
    "devices": "which GPUs there are",
    "to_device": "audio that stays on a GPU",
    "gpu_warmup": "a first call that is like the others",
    "set_config": "settings of the process",
    "get_config": "settings that hold",
    "config_context": "settings of a thread, for a while",
    "release_caches": "memory given back",
    "build_info": "what a report of a fault needs",
    "self_test": "whether an installation computes right",
    "Extractor": "many features at once",
    "explain": "why a call takes the side that it takes",
    "extract": "folders to tables",
    "open_features": "such tables, read",
    "streaming": "features of audio that comes block by block",
    "nn": "models of ONNX, run on arrays",
    "frontend": "features as neural models' own code makes them",
    "convolve": "reverberation, offline",
    "separate": "sources, by a model",
    "separation": "the same of files and block by block",
    "segments": "any function over long audio",
    "overlap_add": "its results, put together",
    "install_as_librosa": "programs that import librosa themselves",
    "submit": "calls that do not wait",
    "on_memory_pressure": "what a service gives up when memory is short",
    "trace": "where time goes",
    "demo": "a song to try things on",
}


def test_what_is_added_has_a_reason_each():
    of_librosa = {*TABLE[""], *(name.partition(".")[0] for name in TABLE), "core"}
    shown = {name for name in dir(metalmom) if not name.startswith("__")}
    assert shown - of_librosa == set(OWN)
    assert len(OWN) <= 30
