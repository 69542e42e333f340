"""Features that cannot be computed of a file: the others keep their values, and the row says which and why."""

import json

import numpy as np
import pytest

import metalmom
from metalmom.extraction import long_files
from metalmom.extraction.long_files import LongFiles
from metalmom.extraction.recipes import Recipe
from metalmom.extraction.schema import BLANK, Schema
from metalmom.extraction.verify import verify
from audio_files import wave_bytes
from test_extract import content_of, run, write_wav

pytestmark = pytest.mark.usefixtures("one_server")

# Of a tenth of a second there are 5 frames, and the slope of 9 is asked for.
RECIPE = {"features": {"m": {"feature": "mfcc"}, "slope": {"feature": "delta", "of": "m"},
                       "bend": {"feature": "delta", "of": "slope"}, "rms": {}, "tempo": {},
                       "beat_track": {}, "pyin": {"fmin": 80, "fmax": 500}}}  # fmt: skip
ERROR = "slope, bend: width=9 must be at most data.shape[axis]=5 with mode='interp'"


@pytest.fixture(scope="module")
def songs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("songs")
    write_wav(folder / "a.wav", 1.0)
    write_wav(folder / "b.wav", 0.1)
    write_wav(folder / "c.wav", 1.5, seed=1)
    return folder


def extract(songs, out, **more):
    return metalmom.extract(songs, out, recipe=RECIPE, format="npz", **more)


def test_a_file_without_onsets_has_a_tempo_of_0(tmp_path):
    t = np.arange(22050) / 22050
    for name, y in (("silence", np.zeros(22050)), ("a note", np.sin(2 * np.pi * 440 * t))):
        (tmp_path / f"{name}.wav").write_bytes(wave_bytes(y[:, np.newaxis], 22050))
    write_wav(tmp_path / "song.wav", 2.0)
    for sparse in (True, False):
        out = tmp_path / f"out {sparse}"
        recipe = {"features": {"rms": {}, "beat_track": {"sparse": sparse}}}
        assert metalmom.extract(sorted(tmp_path.glob("*.wav")), out, recipe=recipe, format="npz").failed == 0
        for file in metalmom.open_features(out):
            y, _ = metalmom.load(file)
            tempo, beats = metalmom.beat.beat_track(y=y, sparse=sparse)
            assert (file.status, file.error) == ("ok", "")
            np.testing.assert_array_equal(file["beat_track_tempo"], np.float32(np.atleast_1d(tempo)))
            np.testing.assert_array_equal(file["beat_track_beats"], beats)
            np.testing.assert_array_equal(file["rms"], metalmom.feature.rms(y=y))
            assert (file["beat_track_tempo"][0] > 0) == (file.path.endswith("song.wav"))


@pytest.mark.parametrize("aggregate", [None, ["mean", "max"]])
def test_the_cells_of_what_fails_are_empty_and_the_others_are_not(songs, tmp_path, aggregate):
    out = tmp_path / "out"
    summary = extract(songs, out, aggregate=aggregate)
    assert (summary.failed, summary.failures) == (1, [(str(songs / "b.wav"), ERROR)])
    assert (out / "quarantine.csv").read_text() == f'path,error\n{songs}/b.wav,"{ERROR}"\n'
    features = metalmom.open_features(out)
    assert list(features.files["status"]) == ["ok", "partial", "ok"]
    assert list(features.files["error"]) == ["", ERROR, ""]
    for file in features:
        y, _ = metalmom.load(file)
        expected = metalmom.Extractor({name: spec for name, spec in RECIPE["features"].items()
                                       if file.status == "ok" or name not in ("slope", "bend")})(y)  # fmt: skip
        assert file.duration == y.size / 22050 and file.row["sr"] == 22050
        np.testing.assert_array_equal(file["tempo"], np.float32(expected["tempo"]))
        np.testing.assert_array_equal(file["beat_track_beats"], expected["beat_track"][1])
        for name in ("m", "slope", "bend", "rms"):
            if aggregate:
                mean = file.row[f"{name}_mean" if name == "rms" else f"{name}_03_mean"]
                rows = expected[name][0 if name == "rms" else 3] if name in expected else np.array([np.nan])
                np.testing.assert_equal(mean, np.float32(rows.astype(np.float64).mean()))
            elif name in expected:
                np.testing.assert_array_equal(file[name], expected[name].astype(np.float32))
            else:
                assert file[name].shape == (20, 5) and np.isnan(file[name]).all()
        if not aggregate:
            np.testing.assert_array_equal(file["pyin_voiced"], expected["pyin"][1])


def test_such_rows_are_the_same_however_they_come(songs, tmp_path):
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert extract(songs, whole, jobs=1).failed == 1
    extract(songs, out, jobs=3)
    assert content_of(out) == content_of(whole)
    assert extract(songs, out).computed == 0
    assert extract(songs, out, retry_failed=True).computed == 3  # which are one shard
    assert content_of(out) == content_of(whole)
    assert run("extract", "-o", out).returncode == 4
    with pytest.raises(metalmom.LibrosaError, match="1 file failed, more than max_failures=0 allows"):
        extract(songs, out, max_failures=0)


def test_verify_computes_them_again(songs, tmp_path, monkeypatch):
    out = tmp_path / "out"
    extract(songs, out)
    told = []
    assert list(verify(out, told=told.append)) == [] and told[-1] == "3 files computed again"
    outcomes = metalmom.Extractor._outcomes

    def other(self, clips):
        for values in outcomes(self, clips):
            yield {**values, "rms": values["rms"] + np.float32(1), "slope": np.float32(1) * values["m"]}

    monkeypatch.setattr(metalmom.Extractor, "_outcomes", other)
    faults = list(verify(out))
    assert sum("other values of rms" in fault for fault in faults) == 3
    # what had failed, for want of memory say, may be computed now
    assert sum("other values of slope" in fault for fault in faults) == 2

    def none(self, clips):
        for values in outcomes(self, clips):
            yield {**values, "rms": metalmom.ParameterError("no"), "slope": metalmom.ParameterError("no")}

    monkeypatch.setattr(metalmom.Extractor, "_outcomes", none)
    faults = list(verify(out))
    assert sum("rms" in fault and fault.endswith("cannot be computed again: no") for fault in faults) == 3
    assert sum("slope" in fault and fault.endswith("cannot be computed again: no") for fault in faults) == 2


def test_an_error_that_all_features_have_is_said_once(tmp_path):
    y = np.zeros((22050, 1))
    y[7] = np.nan
    (tmp_path / "nan.wav").write_bytes(wave_bytes(y, 22050))
    recipe = {"features": {"rms": {}, "mfcc": {}}}
    metalmom.extract(tmp_path / "nan.wav", tmp_path / "out", recipe=recipe)
    (file,) = metalmom.open_features(tmp_path / "out")
    assert file.status == "failed" and file["rms"].size == file["mfcc"].size == 0
    assert "finite" in file.error and "mfcc" not in file.error


def test_long_files_keep_what_can_be_computed_too(tmp_path):
    """Streams, groups that feed each other, and others: here of a tenth of a second."""
    recipe = Recipe(RECIPE)
    schema = Schema.of(recipe)
    y, _ = metalmom.load(wave_bytes(np.random.default_rng(5).standard_normal((2205, 1)), 22050))
    outcome = LongFiles(recipe, schema, 1 << 30, str(tmp_path))(y)
    assert list(outcome.errors) == ["slope", "bend"] and outcome.told == ERROR
    expected = {name: spec for name, spec in RECIPE["features"].items() if name not in outcome.errors}
    rows = schema.rows_of(metalmom.Extractor(expected)(y))
    for part in schema.parts:
        if part.name in rows:
            np.testing.assert_array_equal(np.stack([column[:] for column in outcome.rows(part)]), rows[part.name])
        else:
            assert outcome.rows(part) is None


def test_of_streams_that_fail_the_others_go_on(tmp_path, monkeypatch):
    recipe = Recipe({"features": {"rms": {}, "mfcc": {}, "zero_crossing_rate": {}}})
    schema = Schema.of(recipe)
    files = LongFiles(recipe, schema, 1 << 30, str(tmp_path))
    y = np.sin(np.arange(600_000, dtype=np.float32))
    expected = schema.rows_of(recipe.extractor(y))
    assert not files(y).errors

    stream = long_files._stream

    def failing(error):
        def blocks(requests, y, step):
            if "mfcc" in requests:
                raise error
            return stream(requests, y, step)

        return blocks

    monkeypatch.setattr(long_files, "_stream", failing(MemoryError()))
    outcome = files(y)
    assert list(outcome.errors) == ["mfcc"] and isinstance(outcome.errors["mfcc"], MemoryError)
    for part in schema.parts:
        if part.name != "mfcc":
            np.testing.assert_array_equal(np.stack([column[:] for column in outcome.rows(part)]), expected[part.name])

    monkeypatch.setattr(long_files, "_stream", failing(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):  # which is no file's fault
        files(y)


@pytest.mark.parametrize("frames, failed", [
    ({"mfcc": [88]}, {"mfcc": "it has 88 frames where the others have 44"}),
    ({"rms": [88]}, {"rms": "it has 88 frames where the others have 44"}),  # the first of the table, too
    ({"rms": [3], "mfcc": [4]}, {"rms": "it has 3 frames where the others have 44",
                                 "mfcc": "it has 4 frames where the others have 44"}),
    # where two counts are as frequent, the first of the table is right
    ({"mfcc": [88], "zero_crossing_rate": [88]},
     dict.fromkeys(["mfcc", "zero_crossing_rate"], "it has 88 frames where the others have 44")),
    ({"rms": [88], "mfcc": [88]},
     dict.fromkeys(["zero_crossing_rate", "pyin"], "it has 44 frames where the others have 88")),
    # what has several parts is one feature, and has frames of its own in each
    ({"rms": [43], "mfcc": [44], "zero_crossing_rate": [44], "pyin": [88, 88, 88]},
     {"rms": "it has 43 frames where the others have 44", "pyin": "it has 88 frames where the others have 44"}),
    ({"pyin": [43, 42, 41]}, {"pyin": "it has 41 and 42 and 43 frames"}),
    ({"pyin": [44, 43, 44]}, {"pyin": "it has 43 and 44 frames"}),
])  # fmt: skip
@pytest.mark.parametrize("is_first", [False, True])
def test_a_feature_of_other_frames_than_its_table_is_left_out(songs, tmp_path, monkeypatch, frames, failed, is_first):
    """In this process, as the worker of a shard has it."""
    from metalmom.extraction import worker as workers
    from metalmom.extraction.records import Plan
    from metalmom.extraction.inputs import find

    pyin = {"pyin": {"fmin": 80, "fmax": 500}}
    others = {"rms": {}, "mfcc": {}, "zero_crossing_rate": {}}
    recipe = Recipe({"features": {**pyin, **others} if is_first and "pyin" in frames else {**others, **pyin}})
    schema = Schema.of(recipe)
    assert set(schema.tables) == {"frames"}
    job = {"out": str(tmp_path), "manifest": {"recipe": recipe.spelled, "schema": schema.dump()},
           "memory": 1 << 28, "memory_of_all": 1 << 28, "spool": None, "cache": None, "cache_limit": 0}  # fmt: skip
    worker = workers.Worker(json.loads(json.dumps(job)))
    outcomes = metalmom.Extractor._outcomes

    def resized(self, clips):
        for values in outcomes(self, clips):
            for name, counts in frames.items():
                arrays = values[name] if isinstance(values[name], tuple) else (values[name],)
                arrays = tuple(np.resize(array, (*array.shape[:-1], n)) for array, n in zip(arrays, counts, strict=True))
                values = {**values, name: arrays if len(arrays) > 1 else arrays[0]}
            yield values

    monkeypatch.setattr(metalmom.Extractor, "_outcomes", resized)
    kept = {name: [] for name in ("files", *schema.tables)}
    (entries,) = Plan().updated(find([songs / "a.wav"])).shards.values()
    (row,) = worker._rows(entries, {}, {name: type("Table", (), {"append": staticmethod(kept[name].append)}) for name in kept})
    texts = {}
    for name in recipe.extractor.recipe["features"]:
        if name in failed:
            texts.setdefault(failed[name], []).append(name)
    told = "; ".join(f"{', '.join(names)}: {text}" for text, names in texts.items())
    assert (row["status"], row["error"]) == ("partial", told)
    (columns,) = kept["frames"]
    for part in schema.parts:
        for name in part.columns:
            is_blank = np.array_equal(columns[name], np.full(len(columns[name]), BLANK[part.dtype]), equal_nan=True)
            assert len(columns[name]) == len(columns["frame"]) and is_blank == (part.feature in failed)
    if "rms" not in frames:
        y, _ = metalmom.load(songs / "a.wav")
        np.testing.assert_array_equal(columns["rms"], metalmom.feature.rms(y=y)[0])
