"""The columns of a recipe: what kind each feature is of is found before any file is read."""

import json

import numpy as np
import pytest

import metalmom
from metalmom._extractor import _recipe
from metalmom.util._declared import outputs_of
from metalmom.extraction.long_files import streamed_of
from metalmom.extraction.recipes import Recipe
from metalmom.extraction.reader import _shaped
from metalmom.extraction.schema import Part, Schema
from metalmom.util._declared import EVENTS, FRAMES, VALUE
from test_extract import write_wav

pytestmark = pytest.mark.usefixtures("one_server")


# What must be given where there is no default, or where the default is too large for 22,050 Hz.
GIVEN = {"pyin": {"fmin": 80, "fmax": 500}, "yin": {"fmin": 80, "fmax": 500}, "lpc": {"order": 4},
         "chroma_vqt": {"intervals": "pythagorean"}}  # fmt: skip
# Arguments on which kinds, rows, numbers or frames depend; each feature is given those that it has.
OTHERS = [
    {}, {"hop_length": 384}, {"hop_length": 384, "center": False}, {"n_fft": 1025}, {"frame_length": 1001},
    {"n_fft": 1025, "center": False}, {"win_length": 51}, {"win_length": 51, "center": False}, {"n_mfcc": 5}, {"n_mels": 40},
    {"n_bands": 4}, {"n_chroma": 24}, {"n_bins": 48}, {"order": 2}, {"sparse": False}, {"units": "time"}, {"bpm": 100},
    {"aggregate": "mean"}, {"aggregate": None}, {"factors": [1, 2, 3]}, {"channels": [0, 30, 128]}, {"dtype": "complex128"},
    {"intervals": [1, 1.2, 1.5], "n_octaves": 5}, {"return_zf": True}, {"mask": True}, {"n_steps": 3},
    {"pad": False}, {"pad": 100, "center": False}, {"snip_edges": False, "frame_shift_ms": 11.0}, {"overlap": 3}, {"use_energy": True},
    {"truncation": "rand_trunc"}, {"max_length": 17}, {"chunk_length": 2},
]  # fmt: skip
LISTED = {path: function for path, function in _recipe.features().items() if function.declared.listed}


@pytest.mark.parametrize("path", LISTED)
def test_what_is_declared_is_what_is_computed(path):
    """Of each array the kind, the shape, the numbers and how many frames there are, with the arguments that it has."""
    function, name, kinds = LISTED[path], path.rpartition(".")[2], {bool: "b", int: "iu", float: "f", complex: "c"}
    known = _recipe.parameters_of(function)
    y = np.random.default_rng(0).standard_normal(45_000).astype(np.float32)
    of = {} if "y" in known else {"of": "m"}
    for others in OTHERS:
        if not set(others) <= set(known):
            continue
        features = {"m": {"feature": "melspectrogram"}, "x": {"feature": path, **GIVEN.get(name, {}), **others, **of}}
        recipe = Recipe({"features": features, "sr": known["sr"]} if path.startswith("frontend.") else {"features": features})
        try:
            values = recipe.extractor(y)
        except metalmom.ParameterError:
            assert others  # which are wrong for it
            continue
        schema = Schema.of(recipe)
        assert schema.rows_of(values)  # of the declared shapes
        made = {each.name: each for each in recipe.features}
        wanted, inputs = made["x"], ()
        if of:
            (of_audio,) = outputs_of(made["m"].function, "m", made["m"].every_argument)[1]
            inputs = (next(iter(wanted.of)), of_audio)
        returns, arrays = outputs_of(wanted.function, "x", wanted.every_argument, *inputs)
        results = values["x"] if isinstance(returns, tuple) else (values["x"],)
        for array, result in zip(arrays, map(np.asarray, results), strict=True):
            assert result.dtype.kind in kinds[array.numbers], others
            if array.kind == FRAMES:
                assert np.moveaxis(result, array.axis, -1).shape == (*array.rows, array.count(y.size)), others


def test_columns_and_streams_are_known_without_any_sound(monkeypatch):
    """And so a recipe of hours of work is described at once."""
    recipe = Recipe({"features": {"mfcc": {}, "d": {"feature": "delta", "of": "mfcc"}, "beat_track": {}, "rms": {}}})
    for module, name in (("_extractor.extractor", "evaluate"), ("extraction.fingerprint", "probe_sound")):
        monkeypatch.setattr(f"metalmom.{module}.{name}", None)
    assert [part.name for part in Schema.of(recipe).parts] == ["mfcc", "d", "beat_track_tempo", "beat_track_beats", "rms"]
    assert streamed_of(recipe).keys() == {"mfcc", "rms"}


def test_the_list_of_declarations_is_whole():
    assert len(LISTED) >= 44
    assert sum(function.declared.streams is not None for function in LISTED.values()) >= 12


@pytest.fixture
def song(tmp_path):
    path = tmp_path / "a.wav"
    write_wav(path, 1.0)
    return path


def test_what_depends_on_silence_is_known_by_it(song, tmp_path):
    # as many parts as there are silences between them: no row a frame, and none a file
    with pytest.raises(metalmom.ParameterError, match="split.* neither a row a frame nor a row a file"):
        metalmom.extract(song, tmp_path / "split", features=["split"])
    metalmom.extract(song, tmp_path / "trim", features=["trim", "hpss"])
    schema = Schema.load(json.loads((tmp_path / "trim/manifest.json").read_text())["schema"])
    # samples of what is left and samples of all are not in one table
    assert sorted(schema.tables) == ["frames", "frames-hpss_harmonic"]


def test_beats_are_events_at_any_rate():
    """Sounds may happen to have equally many: what numbers frames is known to be events."""
    for sr in (8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000):
        parts = Schema.of(Recipe({"sr": sr, "features": ["onset_detect", "beat_track"]})).parts
        assert [part.kind for part in parts] == [EVENTS, VALUE, EVENTS], sr
    parts = Schema.of(Recipe({"features": {"onset_detect": {"sparse": False}}})).parts
    assert [(part.kind, part.dtype) for part in parts] == [(FRAMES, "uint8")]


def test_values_of_another_shape_than_the_schema_says_are_an_error():
    part = Part("x", "x", None, VALUE, (2,), "float32", False, "", "", 0.0)
    assert part.rows(np.zeros(2)).shape == (2, 1)
    with pytest.raises(metalmom.LibrosaError, match="x has shape"):
        part.rows(np.zeros((2, 2)))


def test_complex_values_are_those_of_their_columns():
    part = Part("x", "x", None, FRAMES, (1,), "complex64", True, "", "", 0.0)
    columns = zip(part.columns, np.array([[-np.inf, 1, np.nan], [np.inf, np.nan, -0.0]], np.float32), strict=True)
    values = _shaped(part, dict(columns))
    assert values.dtype == np.complex64 and values.shape == (1, 3)
    assert values.view(np.float32).tolist()[0][:3] == [-np.inf, np.inf, 1] and np.signbit(values[0, 2].imag)


def test_a_run_goes_on_in_the_format_that_it_began_in(song, tmp_path, monkeypatch):
    metalmom.extract(song, tmp_path / "out", features=["rms"], format="npz")
    monkeypatch.setattr("metalmom.extraction.run.pick_format", lambda asked: asked or "parquet")
    assert metalmom.extract(song, tmp_path / "out", features=["rms"]).computed == 0


def test_a_run_that_has_not_ended_says_so(tmp_path):
    (tmp_path / "songs").mkdir()
    for k in range(3):
        write_wav(tmp_path / "songs" / f"{k}.wav", 0.5, seed=k)
    metalmom.extract(tmp_path / "songs", tmp_path / "out", features=["rms"])
    assert "of 3 files" in repr(metalmom.open_features(tmp_path / "out"))
    receipts = sorted((tmp_path / "out/receipts").iterdir())
    receipts[-1].unlink()
    features = metalmom.open_features(tmp_path / "out")
    assert (features.planned, len(features) < 3) == (3, True)
    assert f"of {len(features)} of 3 files" in repr(features)


def test_columns_of_statistics_are_no_other_columns(song, tmp_path):
    features = {"a": {"feature": "rms"}, "a_mean": {"feature": "tempo"}}
    with pytest.raises(metalmom.ParameterError, match="features.a_mean: 'a_mean' is already the name of a column: rename the feature"):
        metalmom.extract(song, tmp_path / "out", features=features, aggregate=["mean"])
    metalmom.extract(song, tmp_path / "out", features=features, aggregate=["std"])


@pytest.mark.parametrize("window", [np.hamming, lambda length: np.ones(length)])
def test_functions_are_no_values_of_a_recipe(song, tmp_path, window):
    # np.hamming has the name of a window that gives other numbers
    features = {"m": {"feature": "mfcc", "window": window}}
    with pytest.raises(metalmom.ParameterError, match="features.m: window=<function .* must be a value"):
        metalmom.extract(song, tmp_path / "out", features=features)
    assert not (tmp_path / "out").exists()
    known = {"onset_strength": {"aggregate": np.median}, "mfcc": {"dtype": np.float64}}
    assert metalmom.extract(song, tmp_path / "out", features=known).failed == 0
