"""Arguments of extract that cannot be right: one sentence, status 2, and nothing written."""

import os

import pytest

import metalmom
from test_extract import run, write_wav


@pytest.fixture(scope="module")
def song(tmp_path_factory):
    path = tmp_path_factory.mktemp("song") / "a.wav"
    write_wav(path, 1.0)
    return path


def refused(song, tmp_path, *options):
    """What the command says of options that it refuses as wrong usage."""
    out = tmp_path / "deep" / "out"
    result = run("extract", song, "-o", out, "--format", "npz", *options)
    assert result.returncode == 2, result
    assert "Traceback" not in result.stderr
    assert os.listdir(tmp_path) == []
    return result.stderr


@pytest.mark.parametrize("name", ["../../../esc", "/etc/x", "", ".x", "a b", "a\0", "a\n", "é", "x" * 101])
def test_names_of_features_are_no_paths(name):
    from metalmom.extraction.recipes import Recipe

    with pytest.raises(metalmom.ParameterError, match="must be a name"):
        Recipe({"features": {name: {"feature": "beat_track"}}})


def test_names_differ_in_more_than_case():
    from metalmom.extraction.recipes import Recipe

    with pytest.raises(metalmom.ParameterError, match="features.RMS must differ from rms"):
        Recipe({"features": {"rms": {}, "RMS": {"feature": "rms"}}})


def test_a_name_cannot_lead_out_of_out(song, tmp_path):
    assert "must be a name" in refused(song, tmp_path, "-f", "../../../esc: beat_track")


@pytest.mark.parametrize("ending", [".wav", ".toml", ".json"])
def test_recipes_that_are_no_text(song, tmp_path_factory, tmp_path, ending):
    recipe = tmp_path_factory.mktemp("recipe") / f"r{ending}"
    recipe.write_bytes(b"RIFF\xff\xfe\x00\x80")
    assert f"recipe={str(recipe)!r} must be" in refused(song, tmp_path, "-F", recipe)


def test_sr_is_a_number(song, tmp_path):
    assert "sr=inf must be a positive number" in refused(song, tmp_path, "--features", "rms", "--sr", "inf")
