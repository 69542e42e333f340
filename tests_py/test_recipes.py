"""What a recipe may name and hold: it may come from anybody, so that it names features and nothing else."""

import inspect
import json
import os
import re

import metalmom
import numpy as np
import pytest
from hostile_calls import functions
from metalmom import cli
from metalmom._extractor import _recipe
from metalmom.extraction import cluster
from metalmom.extraction.recipes import Recipe
from test_extract import write_songs

Y = metalmom.chirp(fmin=110, fmax=4000, sr=22050, duration=0.3).astype(np.float32)


def attacks(target):
    """Features of recipes that would write to a file, signal processes, read files or run commands."""
    target = str(target)
    words = {"feature": "util.rename_kw", "of": {"new_name": "rms"}, "old_name": "", "new_value": 0,
             "version_deprecated": "", "version_removed": "", "old_value": ["profile", "--trace", target]}  # fmt: skip
    return {
        "a function that writes": {"w": {"feature": "demo.write_wav", "of": {"duration": "tempo"}, "path": target}},
        "a private one": {"k": {"feature": "extraction.fork_server._ended", "of": "rms"}},
        "a command": {"words": words, "run": {"feature": "cli.main", "of": "words"}},
        "one that imports": {"p": {"feature": "_recipe._package", "of": "words"}, "words": words},
        "one that calls others": {"c": {"feature": "_steps._whole", "of": {"function": "rms"}}},
        "what a module has imported": {"o": {"feature": "_outputs.written_beside", "of": "rms", "path": target}},
        "one that reads": {"l": {"feature": "load", "of": {"offset": "tempo"}, "path": target}},
        "one that opens what y is not": {"d": {"feature": "get_duration", "path": target}},
        "a class's function": {"r": {"feature": "Extractor.from_recipe", "of": {"cls": "rms"}, "source": target}},
        "a feature by way of another module": {"m": {"feature": "onset.spectral.mfcc"}},
        "a method of a feature": {"s": {"feature": "stft.expression"}},
        "a module that is not imported": {"a": {"feature": "__main__.main", "of": "rms"}},
    }


ATTACKS = list(attacks(""))


@pytest.mark.parametrize("make", [
    metalmom.Extractor, lambda features: metalmom.Extractor.from_recipe({"features": features}),
    lambda features: Recipe({"features": features}), metalmom.streaming.Extractor,
    lambda features: cluster.unfit_for(
        json.dumps({"manifest": {"recipe": {"sr": 22050, "features": features}, "schema": []}})),
], ids=["Extractor", "from_recipe", "extract", "streaming", "cluster"])  # fmt: skip
@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_no_feature_is_refused(attack, make, tmp_path):
    target = tmp_path / "target"
    target.write_bytes(b"as it was")
    with pytest.raises(metalmom.ParameterError, match=r"^feature='[\w.]+' must be a feature of metalmom"):
        make({"rms": {}, "tempo": {}, **attacks(target)[attack]})
    assert target.read_bytes() == b"as it was"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recipes")
    (folder / "songs").mkdir()
    out = folder / "out"
    metalmom.extract(write_songs(folder / "songs", 1, 0), out, features=["rms"], format="npz", progress="none")
    return out


@pytest.fixture
def with_recipe(whole):
    """Gives OUT with another recipe in its manifest."""
    manifest = whole / "manifest.json"
    content = manifest.read_bytes()

    def change(features):
        about = json.loads(content)
        about["recipe"]["features"] = features
        manifest.write_text(json.dumps(about))
        return whole

    yield change
    manifest.write_bytes(content)


@pytest.mark.parametrize("command", [["verify"], ["extract", "--progress", "none", "-o"]], ids=["verify", "extract"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_manifest_runs_nothing(attack, command, with_recipe, tmp_path, capsys):
    target = tmp_path / "target"
    out = with_recipe({"rms": {}, "tempo": {}, **attacks(target)[attack]})
    assert cli.main([*command, str(out)]) == 1
    told = capsys.readouterr().err
    assert f"{out}/manifest.json: feature=" in told and "must be a feature of metalmom" in told
    assert not target.exists()


def test_a_text_of_the_command_line_names_features(tmp_path, capsys):
    with pytest.raises(SystemExit):
        cli.main(["extract", os.devnull, "-o", str(tmp_path / "out"), "-f", "w: demo.write_wav of=rms"])
    assert "feature='demo.write_wav' must be a feature of metalmom" in capsys.readouterr().err


def public(path):
    found = metalmom
    for name in path.split("."):
        found = getattr(found, name)
    return found


def test_every_public_function_that_is_not_declared_is_refused():
    refused = 0
    for path, function in functions():
        if hasattr(function, "declared"):
            assert _recipe.find_function(path)[0] is public(path)
            continue
        with pytest.raises(metalmom.ParameterError, match="must be a feature of metalmom"):
            metalmom.Extractor({"rms": {}, "x": {"feature": path, "of": "rms"}})
        refused += 1
    assert refused > 80


def test_all_functions_of_audio_are_features():
    """But for those that open a file, move data, or run a function of the user's."""
    for module in ("feature", "onset", "beat", "", "effects", "decompose", "frontend"):
        home = public(module) if module else metalmom
        for name in home.__all__:
            function = getattr(home, name)
            if inspect.isfunction(function) and "y" in inspect.signature(function).parameters:
                path = f"{module}.{name}".lstrip(".")
                declared = hasattr(function, "declared") and _recipe.find_function(path)[0] is function
                assert declared is (name not in ("get_duration", "to_device", "segments", "separate")), path


def test_no_feature_takes_a_path():
    for path, function in _recipe.features().items():
        assert not {"path", "filename", "file", "directory"} & {*_recipe.parameters_of(function)}, path
        assert not re.search(r"^    \w+ :.*(PathLike|file)", function.__doc__, re.M), path


@pytest.mark.parametrize("name, near", [
    ("mfc", "mfcc"), ("feature.mfc", "mfcc"), ("onset_strenght", "onset_strength"), ("effects.harmonics", "harmonic"),
])  # fmt: skip
def test_the_nearest_feature_is_named(name, near):
    with pytest.raises(metalmom.ParameterError, match=f"feature='{name}' must be a feature of metalmom; did you mean '{near}'"):
        metalmom.Extractor({"x": {"feature": name}})


@pytest.mark.parametrize("name", ["", ".", "..", "feature.", ".mfcc", "feature..mfcc", "feature", "mfcc.mfcc", "a" * 900, None, 3, ["mfcc"]])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(metalmom.ParameterError, match="^feature=.*must be"):
        metalmom.Extractor({"x": {"feature": name}})


def nested(depth):
    value = 1.0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("value, rule", [
    (lambda S, axis: S, "must be a value: a recipe holds no functions"),
    (np.linalg.norm, "must be a value: a recipe holds no functions"),
    (os.system, "must be a value: a recipe holds no functions"),
    (dict, "must be a value"), (object(), "must be a value"), (b"bytes", "must be a value"),
    ({"table": 1}, "must be a value"), ([{"table": 1}], "must be a value"), ([os.system], "must be a value"),
    (np.array([os.system]), "must be a value"),
    (nested(9), "must be lists within at most"), (nested(5000), "must be lists within at most"),
    ("a" * 1001, "must be at most 1000 letters"), (10**20, "must be between"), ([-(10**20)], "must be between"),
    ([0.0] * (1 << 20), "must hold at most"), (np.zeros(1 << 20), "must hold at most"),
], ids=lambda each: type(each).__name__)  # fmt: skip
@pytest.mark.parametrize("place", ["defaults", "features.mfcc"])
@pytest.mark.parametrize("make", [metalmom.Extractor.from_recipe, Recipe], ids=["from_recipe", "extract"])
def test_what_a_recipe_holds(make, place, value, rule):
    recipe = {"features": {"mfcc": {"lifter": value}}}
    if place == "defaults":
        recipe = {"features": {"mfcc": {}}, "defaults": {"lifter": value}}
    with pytest.raises(metalmom.ParameterError) as raised:
        make(recipe)
    text = str(raised.value)
    assert text.startswith((f"{place}: lifter=", "recipe ")) and rule in text and len(text) < 400


def test_a_recipe_has_a_number_of_features():
    with pytest.raises(metalmom.ParameterError, match="recipe must hold at most"):
        metalmom.Extractor.from_recipe({"features": {f"rms{k}": {"feature": "rms"} for k in range(1 << 20)}})


@pytest.mark.parametrize("ending, content", [
    ("json", '{"features": {"mfcc": {"lifter": ' + "[" * 100_000 + "]" * 100_000 + "}}}"),
    ("toml", "[features.mfcc]\nlifter = " + "[" * 100_000 + "]" * 100_000),
])  # fmt: skip
def test_a_file_of_brackets(ending, content, tmp_path):
    path = tmp_path / f"recipe.{ending}"
    path.write_text(content)
    with pytest.raises(metalmom.ParameterError, match=f"recipe.{ending}"):
        metalmom.Extractor.from_recipe(path)


@pytest.mark.parametrize("of, rule", [
    ({"nothing": "rms"}, "of=.*nothing.* is not a parameter of feature.delta"),
    ({"data": ["rms"]}, r"of=\['rms'\] must be a feature of the recipe"), (["rms"], "must be a feature of the recipe"),
    (3, "of=3 must be a feature of the recipe"), ({3: "rms"}, "not a parameter"), ({}, "of={} must name"),
])  # fmt: skip
def test_what_a_feature_may_be_of(of, rule):
    with pytest.raises(metalmom.ParameterError, match=rule):
        metalmom.Extractor({"rms": {}, "x": {"feature": "delta", "of": of}})


def test_values_that_recipes_have():
    """Numbers, words and lists of them, arrays, types of numbers, and functions that have a name."""
    recipe = {"features": {
        "mfcc": {"n_mfcc": np.int64(13), "lifter": 0.5}, "onset_strength": {"aggregate": np.median},
        "stft": {"window": np.hanning(2048), "dtype": np.complex64}, "chroma_stft": {"tuning": None, "norm": float("inf")},
        "rolloff": {"feature": "spectral_rolloff", "window": ("kaiser", 4.0)},
        "level": {"feature": "power_to_db", "of": "power", "ref": "max"}, "power": {"feature": "melspectrogram"},
    }}  # fmt: skip
    values = metalmom.Extractor.from_recipe(recipe)(Y)
    assert np.array_equal(values["mfcc"], metalmom.feature.mfcc(y=Y, n_mfcc=13, lifter=0.5))
    assert np.array_equal(values["onset_strength"], metalmom.onset.onset_strength(y=Y, aggregate=np.median))
