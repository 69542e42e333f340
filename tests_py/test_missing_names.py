"""What librosa has and metalmom lacks says so; the list shrinks by itself as names arrive."""

import json
import pathlib
import sys
import types

import metalmom
import pytest
from metalmom._boundary import librosa_names

TABLE = json.loads((pathlib.Path(__file__).parent / "reference" / "api.json").read_text())
MISSING = [
    (module, name)
    for module, names in TABLE.items()
    for name in names
    if f"metalmom.{module}".rstrip(".") in sys.modules
    and not hasattr(sys.modules[f"metalmom.{module}".rstrip(".")], name)  # some are made when asked
]


def test_the_names_are_those_of_the_contract():
    assert {module: set(names) for module, names in TABLE.items()} == {
        module: set(names) for module, names in librosa_names.NAMES.items()}


@pytest.mark.parametrize("module, name", MISSING)
def test_a_missing_name_says_so(module, name):
    home = sys.modules[f"metalmom.{module}".rstrip(".")]
    told = f"librosa's {module}.{name} is not in metalmom yet".replace(" .", " ")
    with pytest.raises(AttributeError) as caught:
        getattr(home, name)
    assert str(caught.value) == told
    assert not hasattr(home, name)


@pytest.fixture
def package():
    """A package of one function, without the rest of librosa."""
    made = {name: types.ModuleType(name) for name in ("made_up", "made_up.core", "made_up.feature")}
    made["made_up"].feature = made["made_up.feature"]
    made["made_up"].stft = lambda: "here"
    sys.modules.update(made)
    librosa_names.tell_of_missing_names("made_up")
    yield made["made_up"]
    for name in made:
        del sys.modules[name]


@pytest.mark.parametrize("place, told", [
    ("cqt", "librosa's cqt is not in metalmom yet"),
    ("display", "librosa's display is not in metalmom yet"),
    ("feature.tonnetz", "librosa's feature.tonnetz is not in metalmom yet"),
    ("feature.inverse", "librosa's feature.inverse is not in metalmom yet"),
    ("cqtt", "module 'made_up' has no attribute 'cqtt'"),
    ("feature.cqt", "module 'made_up.feature' has no attribute 'cqt'"),
    ("__wrapped__", "module 'made_up' has no attribute '__wrapped__'"),
])  # fmt: skip
def test_what_is_told(package, place, told):
    module, name = (package.feature if "." in place else package), place.split(".")[-1]
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert str(caught.value) == told
    assert (caught.value.name, caught.value.obj) == (name, module)


def test_core_tells_of_what_librosa_exports_at_the_top(package):
    with pytest.raises(AttributeError, match="librosa's core.cqt is not in metalmom yet"):
        sys.modules["made_up.core"].cqt  # noqa: B018


def test_a_name_that_arrives_is_simply_there(package):
    assert package.stft() == "here"
    package.cqt = lambda: "arrived"
    assert package.cqt() == "arrived"


def test_unknown_names_are_pythons_concern():
    with pytest.raises(AttributeError, match="module 'metalmom' has no attribute 'no_such'"):
        metalmom.no_such  # noqa: B018


def test_the_readme_says_so_as_long_as_names_are_missing(root):
    said = "some are still missing" in (root / "README.md").read_text()
    complete = not MISSING and all(f"metalmom.{m}".rstrip(".") in sys.modules for m in TABLE)
    assert said is not complete


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
    "Extractor": "many features at once",
    "extract": "folders to tables",
    "open_features": "such tables, read",
    "streaming": "features of audio that comes block by block",
    "convolve": "reverberation, offline",
    "submit": "calls that do not wait",
    "trace": "where time goes",
    "demo": "a song to try things on",
}


def test_what_is_added_has_a_reason_each():
    of_librosa = {*TABLE[""], *(name.partition(".")[0] for name in TABLE), "core"}
    shown = {name for name in dir(metalmom) if not name.startswith("__")}
    assert shown - of_librosa == set(OWN)
    assert len(OWN) <= 30
