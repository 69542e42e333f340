"""JSON that a run writes is strict, so that other programs read it; what older runs wrote is read."""

import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import metalmom
from metalmom import cli
from metalmom.extraction import strict_json
from test_extract import content_of, write_wav

pytestmark = pytest.mark.usefixtures("one_server")

# chroma_stft has norm=inf by default
RECIPE = {"features": {"chroma_stft": {"tuning": 0.0}, "peak": {"feature": "tempogram", "win_length": 64}}}


@pytest.fixture
def song(tmp_path):
    write_wav(tmp_path / "a.wav", 1.0)
    return tmp_path / "a.wav"


def strict(content):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(content, parse_constant=refuse)


def test_all_that_a_run_writes_is_strict(song, tmp_path):
    out = tmp_path / "out"
    metalmom.extract(song, out, recipe=RECIPE, format="npz")
    manifest = strict((out / "manifest.json").read_text())
    assert manifest["recipe"]["features"]["chroma_stft"]["norm"] == "Infinity"
    written = [path for path in out.rglob("*.json")]
    assert len(written) == 3
    for path in written:
        strict(path.read_text())
    with zipfile.ZipFile(out / "frames" / "part-00000.npz") as table:
        assert strict(table.read("metalmom.json"))["recipe"] == manifest["recipe"]
    file = next(iter(metalmom.open_features(out)))
    np.testing.assert_array_equal(
        file["chroma_stft"], metalmom.feature.chroma_stft(y=metalmom.load(song)[0], tuning=0.0))


def test_a_printed_recipe_is_strict_and_can_be_read_again(song, tmp_path, capsys):
    for options in (["--features", "chroma_stft"], ["-f", "chroma_stft norm=inf"], ["-f", "chroma_stft norm=Infinity"]):
        assert cli.main(["extract", *options, "--print-recipe"]) == 0
        printed = capsys.readouterr().out
        assert strict(printed)["features"]["chroma_stft"]["norm"] == "Infinity"
        (tmp_path / "recipe.json").write_text(printed)
        extractor = metalmom.Extractor.from_recipe(tmp_path / "recipe.json")
        assert extractor.recipe["features"]["chroma_stft"]["norm"] == np.inf


def test_a_manifest_with_infinity_of_an_older_run_is_continued(song, tmp_path):
    out = tmp_path / "out"
    metalmom.extract(song, out, recipe=RECIPE, format="npz")
    whole = content_of(out)
    text = (out / "manifest.json").read_text()
    assert text.count('"norm": "Infinity"') == 2
    (out / "manifest.json").write_text(text.replace('"Infinity"', "Infinity"))
    assert metalmom.open_features(out).recipe["features"]["peak"]["norm"] == "Infinity"
    assert cli.main(["verify", str(out)]) == 0
    (out / "receipts" / "00000.json").unlink()
    assert metalmom.extract(song, out, recipe=RECIPE).computed == 1
    again = content_of(out)
    assert {k for k in whole if whole[k] != again[k]} == {"manifest.json"}


def test_words_are_numbers_in_lists_too():
    extractor = metalmom.Extractor({"mfcc": {"norm": None}, "chroma_stft": {"norm": "-Infinity"}})
    assert extractor.recipe["features"]["chroma_stft"]["norm"] == -np.inf
    assert strict_json.plain({"a": [float("nan"), (1, -np.inf)]}) == {"a": ["NaN", [1, "-Infinity"]]}
    with pytest.raises(ValueError):
        strict_json.dump(float("nan"))


def test_what_features_say_of_made_up_sounds_does_not_reach_the_user(song, tmp_path):
    """plp warns of frames longer than its envelope, which is that of four seconds here."""
    command = [sys.executable, "-W", "always", "-m", "metalmom", "extract", song, "-o", tmp_path / "out",
               "--features", "plp", "--format", "npz"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "arning" not in done.stderr, done.stderr
