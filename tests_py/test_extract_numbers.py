"""What a run continues: tables of the same numbers, whatever gave them, and no others."""

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from test_extract import content_of, write_wav

import metalmom
from metalmom.extraction import fingerprint
from metalmom.extraction.fingerprint import probe_sound
from metalmom.extraction.recipes import Recipe
from metalmom.extraction.schema import Schema

pytestmark = pytest.mark.usefixtures("one_server")

FEATURES = ["mfcc", "onset_strength"]


def numbers_here(**more):
    recipe = Recipe({"features": FEATURES, **more})
    return fingerprint.fingerprint_of(recipe, Schema.of(recipe))


@pytest.fixture
def songs(tmp_path):
    folder = tmp_path / "songs"
    folder.mkdir()
    for k in range(2):
        write_wav(folder / f"{k}.wav", 1.0 + k, seed=k)
    return folder


def test_the_sound_is_the_same_everywhere():
    sound = probe_sound(44100)
    assert sound.dtype == np.float32 and np.abs(sound).max() < 1
    assert hashlib.sha256(sound.astype("<f4").tobytes()).hexdigest()[:16] == "97f3d52dfc492db8"


def test_they_are_those_of_the_recipe_and_of_nothing_else():
    here = numbers_here()
    with metalmom.config_context(threads=1):
        assert numbers_here() == here
    assert numbers_here(aggregate=["mean"]) != here
    assert numbers_here(sr=16000) != here


def test_the_least_difference_is_one(monkeypatch):
    here = numbers_here()
    compute = Recipe({"features": FEATURES}).extractor.__class__.__call__

    def off(self, y, *more):
        values = compute(self, y, *more)
        values["mfcc"][3, 7] = np.nextafter(values["mfcc"][3, 7], np.float32(9e9))
        return values

    monkeypatch.setattr("metalmom.Extractor.__call__", off)
    assert numbers_here() != here


def test_instruction_sets_are_told_apart():
    if metalmom.build_info()["simd"] == "baseline":
        pytest.skip("this machine has no other instruction set")
    script = "from test_extract_numbers import numbers_here; print(numbers_here())"
    environment = {**os.environ, "METALMOM_SIMD": "baseline", "PYTHONPATH": os.path.dirname(__file__)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert len(done.stdout) > 10 and done.stdout.strip() != numbers_here(), done.stderr


def test_a_build_of_other_numbers_is_refused_where_it_would_compute_some(songs, tmp_path):
    out = tmp_path / "out"

    def extract(**more):
        return metalmom.extract(songs, out, features=FEATURES, format="npz", **more)

    extract()
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["numbers"] == numbers_here()
    (out / "manifest.json").write_text(json.dumps({**manifest, "numbers": "of another build"}))
    assert extract().computed == 0  # nothing to compute: nothing that could differ
    write_wav(songs / "new.wav", 1.0)
    before = content_of(out)
    with pytest.raises(metalmom.ParameterError, match="another build of metalmom .* overwrite=True"):
        extract()
    after = content_of(out)
    assert after.pop("plan.jsonl") and before.pop("plan.jsonl") and after == before
    assert extract(overwrite=True).computed == 3


def test_samples_of_another_resampler_are_not_taken(songs, tmp_path, monkeypatch):
    cache = tmp_path / "cache"

    def extract(out):
        return metalmom.extract(songs, tmp_path / out, features=FEATURES, format="npz", sr=16000,
                                cache_audio=cache, jobs=1)  # fmt: skip

    extract("first")
    (folder,) = cache.iterdir()
    assert folder.name.endswith(fingerprint.resampling_of(16000))
    folder.rename(folder.with_name("16000-of-another-build"))
    extract("second")
    assert len(list(cache.iterdir())) == 2


def test_tables_of_versions_that_kept_no_numbers_are_read_and_replaced(songs, tmp_path):
    out = tmp_path / "out"
    metalmom.extract(songs, out, features=FEATURES, format="npz")
    manifest = json.loads((out / "manifest.json").read_text())
    del manifest["numbers"]
    (out / "manifest.json").write_text(json.dumps(manifest))
    assert len(metalmom.open_features(out)) == 2
    write_wav(songs / "new.wav", 1.0)
    with pytest.raises(metalmom.ParameterError, match="another build of metalmom .* overwrite=True"):
        metalmom.extract(songs, out, features=FEATURES)
    assert metalmom.extract(songs, out, features=FEATURES, overwrite=True).computed == 3
