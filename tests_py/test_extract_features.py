"""What `metalmom extract` lists is what recipes can name."""

import subprocess
import sys

import pytest

from metalmom import ParameterError, cli
from metalmom._extractor import _recipe
from metalmom.cli import _extract_shown
from metalmom.extraction.recipes import Recipe, feature_of_text
from metalmom.extraction.schema import Schema

# What must be given where there is no default, or where the default is too large for 22,050 Hz.
GIVEN = {"pyin": "fmin=80 fmax=500", "yin": "fmin=80 fmax=500", "lpc": "order=4", "chroma_vqt": "intervals=pythagorean"}


@pytest.mark.parametrize("title", _extract_shown.groups())
def test_each_is_a_feature_of_tables(title):
    for name in _extract_shown.groups()[title]:
        key, spec = feature_of_text(f"x: {name} {GIVEN.get(name, '')}")
        features = {"melspectrogram": {}, key: {**spec, "of": "melspectrogram"}} if "another" in title else {key: spec}
        assert [part for part in Schema.of(Recipe({"features": features})).parts if part.feature == key], name


def test_what_is_not_listed_gives_audio_or_other_units():
    listed = {_recipe.find_function(name)[0] for names in _extract_shown.groups().values() for name in names}
    left = {path for path, function in _recipe.features().items()
            if "y" in _recipe.parameters_of(function) and function not in listed}  # fmt: skip
    assert left == {
        "autocorrelate", "effects.deemphasis", "effects.harmonic", "effects.hpss", "effects.percussive",
        "effects.pitch_shift", "effects.preemphasis", "effects.remix", "effects.split", "effects.time_stretch",
        "effects.trim", "fmt", "frontend.wav2vec2", "resample", "zero_crossings",
    }  # fmt: skip


def test_all_features_of_a_recipe_have_its_rate():
    features = {"onset_strength": {}, "beat_track": {"of": "onset_strength"}, "rms": {}}
    for recipe in ({"sr": 16000}, {"defaults": {"sr": 16000}}):
        spelled = Recipe({**recipe, "features": features}).spelled
        assert [spelled["features"][name].get("sr") for name in features] == [16000, 16000, None]
    assert "sr" not in Recipe({"sr": 16000, "features": ["rms"]}).spelled["features"]["rms"]
    other = {**features, "beat_track": {"of": "onset_strength", "sr": 22050}}
    with pytest.raises(ParameterError, match="features.beat_track: sr=22050 must be the recipe's rate, 16000"):
        Recipe({"sr": 16000, "features": other})


def test_the_list_has_groups_lines_and_parameters(capsys):
    assert cli.main(["extract", "--list-features"]) == 0
    shown = capsys.readouterr().out
    assert "\n  mfcc                    Mel-frequency cepstral coefficients.\n" in shown
    assert "n_mfcc=20, dct_type=2" in shown and "fmin=..., fmax=..., frame_length=2048" in shown
    assert "to_device" not in shown and "get_duration" not in shown and "time_stretch" not in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_it_is_the_same_without_docstrings(capsys):
    """But for what each is, which is said in docstrings."""
    shown = {}
    for option in ("-O", "-OO"):
        command = [sys.executable, option, "-m", "metalmom", "extract"]
        for args in (["--list-features"], ["--describe", "mfcc"]):
            done = subprocess.run([*command, *args], capture_output=True, text=True, timeout=60)
            assert (done.returncode, done.stderr) == (0, "")
            shown[option, args[0]] = done.stdout
    lines = shown["-OO", "--list-features"].splitlines()
    assert "  mfcc" in lines and not any(line.endswith(" ") for line in lines)
    assert "n_mfcc=20, dct_type=2" in shown["-OO", "--list-features"]
    without = shown["-O", "--describe"].replace(": Mel-frequency cepstral coefficients.", "", 1)
    assert shown["-OO", "--describe"] == without


@pytest.mark.parametrize("given", ["mfcc n_mfcc=13", "rms,mfcc n_mfcc=13", "m: mfcc", "mfcc\tn_mfcc=13"])
def test_arguments_are_no_part_of_a_name(given, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["extract", "songs", "-o", "out", "--features", given])
    *_, told = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2
    assert told.endswith(f"--features={given!r} must be names with commas between them; "
                         "-f takes one with arguments: -f 'mfcc n_mfcc=13'")  # fmt: skip


def test_names_with_commas_are_not_one_feature(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["extract", "songs", "-o", "out", "-f", "mfcc,rms"])
    *_, told = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2
    assert told.endswith("-f 'mfcc,rms' must be one feature; --features takes names with commas between them")


@pytest.mark.parametrize("spec, told", [
    ("mfcc", "frames: mfcc_00 ... mfcc_19"), ("m: mfcc n_mfcc=3", "frames: m_00 ... m_02"), ("mfcc", "  n_mfcc=20            int > 0\n"),
    ("yin", "--describe 'yin fmin=... fmax=...'"), ("yin", "  fmin=...              number > 0, required\n"),
    ("yin", "  hop_length=None       int > 0 or None\n"), ("yin fmin=60 fmax=500", "frames: yin (float32, Hz)"),
    ("delta", "--describe 'delta of=mfcc'"), ("d: delta of=mfcc", "frames: d_00 ... d_19"),
])  # fmt: skip
def test_a_feature_is_described(capsys, spec, told):
    assert cli.main(["extract", "--describe", spec]) == 0
    assert told in capsys.readouterr().out
