"""What `metalmom extract` lists is what recipes can name."""

import pytest

from metalmom import _recipe, cli
from metalmom.commands import _features
from metalmom.extraction.recipes import Recipe, feature_of_text
from metalmom.extraction.schema import Schema

# What must be given where there is no default, or where the default is too large for 22,050 Hz.
GIVEN = {"pyin": "fmin=80 fmax=500", "yin": "fmin=80 fmax=500", "lpc": "order=4", "chroma_vqt": "intervals=pythagorean"}


@pytest.mark.parametrize("title", _features.groups())
def test_each_is_a_feature_of_tables(title):
    for name in _features.groups()[title]:
        key, spec = feature_of_text(f"x: {name} {GIVEN.get(name, '')}")
        features = {"melspectrogram": {}, key: {**spec, "of": "melspectrogram"}} if "another" in title else {key: spec}
        assert [part for part in Schema.of(Recipe({"features": features})).parts if part.feature == key], name


def test_no_function_of_audio_is_forgotten():
    listed = {_recipe.find_function(name)[0] for names in _features.groups().values() for name in names}
    left = {name for name in _recipe._known_functions() if _recipe.find_function(name)[0] not in listed}
    assert left == {*_features._NO_FEATURES, "deemphasis", "harmonic", "hpss", "percussive", "pitch_shift",
                    "preemphasis", "remix", "split", "time_stretch", "trim"}  # fmt: skip


def test_the_list_has_groups_lines_and_parameters(capsys):
    assert cli.main(["extract", "--list-features"]) == 0
    shown = capsys.readouterr().out
    assert "\n  mfcc                    Mel-frequency cepstral coefficients.\n" in shown
    assert "n_mfcc=20, dct_type=2" in shown and "fmin=..., fmax=..., frame_length=2048" in shown
    assert "to_device" not in shown and "get_duration" not in shown and "time_stretch" not in shown
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.parametrize("spec, told", [
    ("mfcc", "frames: mfcc_00 ... mfcc_19"), ("m: mfcc n_mfcc=3", "frames: m_00 ... m_02"), ("mfcc", "  n_mfcc=20\n"),
    ("yin", "--describe 'yin fmin=... fmax=...'"), ("yin fmin=60 fmax=500", "frames: yin (float32, Hz)"),
    ("delta", "--describe 'delta of=mfcc'"), ("d: delta of=mfcc", "frames: d_00 ... d_19"),
])  # fmt: skip
def test_a_feature_is_described(capsys, spec, told):
    assert cli.main(["extract", "--describe", spec]) == 0
    assert told in capsys.readouterr().out
