"""Folders to tables: what is written, what is read back, and that single calls give the same."""

import contextlib
import io
import json
import os
import subprocess
import sys
import wave

import numpy as np
import pytest

import metalmom
from metalmom import cli

pytestmark = pytest.mark.usefixtures("one_server")

FEATURES = ["mfcc", "chroma_stft", "onset_strength", "spectral_centroid"]


def write_wav(path, seconds, seed=0, sr=22050):
    """Noise under a note, as 16-bit samples."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * sr)) / sr
    y = 0.3 * np.sin(2 * np.pi * (200 + 37 * seed) * t) + 0.02 * rng.standard_normal(t.size)
    with wave.open(os.fspath(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sr)
        file.writeframes((y * 32767).astype("<i2").tobytes())


def write_songs(folder, count, longer):
    """Files of half a second, each so many seconds longer than the one before."""
    for k in range(count):
        write_wav(folder / f"{k}.wav", 0.5 + longer * k, seed=k)
    return folder


def run(*args, **environment):
    """`metalmom ARGS`: in a process of its own where it is to have such an environment, else in this one."""
    args = [*map(os.fspath, args)]
    if environment:
        return subprocess.run([sys.executable, "-m", "metalmom", *args], env={**os.environ, **environment}, text=True,
                              capture_output=True, timeout=120)  # fmt: skip
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as told:
        try:
            status = cli.main(args)
        except SystemExit as error:
            status = error.code
    return subprocess.CompletedProcess(args, status, out.getvalue(), told.getvalue())


def content_of(out):
    """The bytes of all files of a run but those that may differ between runs."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.parent.name != "runs" and path.name not in (".lock", ".workers")
    }


@pytest.fixture(scope="module")
def songs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("songs")
    (folder / "deep" / "er").mkdir(parents=True)
    for k, name in enumerate(("a.wav", "b.wav", "deep/c.WAV", "deep/er/d.wav", "e.wav")):
        write_wav(folder / name, 1.0 + 0.4 * k, seed=k, sr=22050 if k % 2 else 16000)
    (folder / "notes.txt").write_text("no audio")
    return folder


@pytest.fixture(scope="module")
def tables(songs, tmp_path_factory):
    out = tmp_path_factory.mktemp("tables") / "out"
    summary = metalmom.extract(songs, out, features=FEATURES, format="npz", jobs=2)
    assert (summary.files, summary.failed, summary.computed) == (5, 0, 5)
    return out


def test_values_are_those_of_single_calls(songs, tables):
    features = metalmom.open_features(tables)
    assert len(features) == 5
    assert [os.path.basename(path) for path in features.files["path"]] == [
        "a.wav", "b.wav", "c.WAV", "d.wav", "e.wav"]  # fmt: skip
    for file in features:
        y, sr = metalmom.load(file.path)
        assert file.duration == y.size / sr
        for name, function in (("mfcc", metalmom.feature.mfcc),
                               ("chroma_stft", metalmom.feature.chroma_stft),
                               ("onset_strength", metalmom.onset.onset_strength),
                               ("spectral_centroid", metalmom.feature.spectral_centroid)):  # fmt: skip
            expected = function(y=y, sr=sr)
            got = file[name]
            assert got.dtype == np.float32
            np.testing.assert_array_equal(got, expected.astype(np.float32))


def test_all_frames_and_their_index(tables):
    features = metalmom.open_features(tables)
    mfcc = features.frames("mfcc")
    file_id, frame = features.index("mfcc")
    assert mfcc.shape == (20, file_id.size) and features.frames("onset_strength").ndim == 1
    start = 0
    for file in features:
        count = file["mfcc"].shape[1]
        np.testing.assert_array_equal(mfcc[:, start : start + count], file["mfcc"])
        assert set(file_id[start : start + count]) == {file.row["file_id"]}
        np.testing.assert_array_equal(frame[start : start + count], np.arange(count))
        start += count
    assert start == mfcc.shape[1]


def test_a_file_is_asked_for_its_features_as_a_dict_is(tables):
    for file in metalmom.open_features(tables):
        assert list(file) == list(file.keys()) == FEATURES and len(file) == len(FEATURES)
        assert "mfcc" in file and "rms" not in file and 0 not in file
        assert dict(file).keys() == set(FEATURES)
        with pytest.raises(KeyError):
            file["rms"]


def test_events_values_and_other_grids(songs, tmp_path):
    recipe = {"features": {
        "beat_track": {},
        "wide": {"feature": "rms", "hop_length": 1024},
        "rms": {},
        "hops": {"feature": "stft", "n_fft": 64, "hop_length": 512},
    }}  # fmt: skip
    out = tmp_path / "out"
    metalmom.extract(songs, out, recipe=recipe, format="npz")
    features = metalmom.open_features(out)
    assert sorted(each.name for each in out.iterdir() if each.is_dir()) == [
        "events-beat_track_beats", "files", "frames", "frames-rms", "receipts", "runs"]  # fmt: skip
    for file in features:
        y, _ = metalmom.load(file.path)
        tempo, beats = metalmom.beat.beat_track(y=y)
        np.testing.assert_array_equal(file["beat_track_beats"], beats)
        np.testing.assert_array_equal(file["beat_track_tempo"], tempo.astype(np.float32))
        np.testing.assert_array_equal(
            file["hops"], metalmom.stft(y, n_fft=64, hop_length=512))
        np.testing.assert_array_equal(
            file["wide"], metalmom.feature.rms(y=y, hop_length=1024))


def test_arguments_are_not_lost_on_their_way_through_the_manifest(songs, tmp_path):
    """None where the default is something else: no norm is not the usual norm. A window of two words."""
    recipe = {"features": {"mfcc": {"mel_norm": None}, "chroma_stft": {"norm": None, "tuning": 0.0},
                           "rolloff": {"feature": "spectral_rolloff", "window": ("kaiser", 4.0)}}}  # fmt: skip
    metalmom.extract(songs, tmp_path / "out", recipe=recipe, format="npz")
    file = next(iter(metalmom.open_features(tmp_path / "out")))
    y, sr = metalmom.load(file.path)
    np.testing.assert_array_equal(file["mfcc"], metalmom.feature.mfcc(y=y, sr=sr, mel_norm=None))
    np.testing.assert_array_equal(
        file["chroma_stft"], metalmom.feature.chroma_stft(y=y, sr=sr, norm=None, tuning=0.0))
    np.testing.assert_array_equal(
        file["rolloff"],
        metalmom.feature.spectral_rolloff(y=y, sr=sr, window=("kaiser", 4.0)).astype(np.float32))


def test_a_run_that_is_continued_with_its_features_in_another_order_writes_the_same_bytes(songs, tmp_path):
    out = tmp_path / "out"
    metalmom.extract(songs, out, features=["rms", "zero_crossing_rate"], format="npz")
    before = content_of(out)
    for receipt in (out / "receipts").iterdir():
        receipt.unlink()
    summary = metalmom.extract(songs, out, features=["zero_crossing_rate", "rms"], format="npz")
    assert summary.computed == 5 and content_of(out) == before


def test_parts_without_a_name_are_counted():
    from metalmom.extraction.recipes import Recipe
    from metalmom.extraction.schema import Schema

    recipe = Recipe({"features": {"s": {"feature": "stft"}, "m": {"feature": "magphase", "of": "s"}, "h": {"feature": "effects.hpss"}}})
    assert [part.name for part in Schema.of(recipe).parts] == ["s", "m_0", "m_1", "h_harmonic", "h_percussive"]


def test_aggregates(songs, tmp_path):
    out = tmp_path / "out"
    metalmom.extract(songs, out, features=["mfcc"], aggregate=["mean", "median", "std"], format="npz")
    assert not (out / "frames").exists()
    for file in metalmom.open_features(out):
        mfcc = metalmom.feature.mfcc(y=metalmom.load(file.path)[0]).astype(np.float64)
        assert file.row["mfcc_03_mean"] == np.float32(mfcc[3].mean())
        assert file.row["mfcc_19_median"] == np.float32(np.median(mfcc[19]))
        assert file.row["mfcc_00_std"] == np.float32(mfcc[0].std())


def test_what_has_no_frames_is_told(songs, tmp_path):
    metalmom.extract(songs, tmp_path / "out", features=["mfcc", "tempo"], aggregate=["mean"], format="npz")
    features = metalmom.open_features(tmp_path / "out")
    refused = {
        "name='mfcc' must have frames, and it is aggregated: see .files": lambda: features.frames("mfcc"),
        "name='tempo' must have frames, and it is one value a file: see .files": lambda: features.index("tempo"),
        "name='rms' must be one of mfcc, tempo": lambda: features.frames("rms"),
        "name='mfcc' must have frames, and it is aggregated: see .row": lambda: next(iter(features))["mfcc"],
    }
    for told, call in refused.items():
        with pytest.raises(metalmom.ParameterError) as error:
            call()
        assert str(error.value) == told
    for file in features:  # names that are listed can be looked up
        assert list(file) == ["tempo"] and len(file) == 1 and "mfcc" not in file
        assert dict(file)["tempo"].shape == (1,)


def test_a_run_of_which_no_shard_is_done_has_no_frames(songs, tmp_path):
    metalmom.extract(songs, tmp_path / "out", features=["rms"], format="npz")
    for receipt in (tmp_path / "out" / "receipts").iterdir():
        receipt.unlink()
    features = metalmom.open_features(tmp_path / "out")
    assert len(features) == 0 and features.frames("rms").shape == (1, 0)
    assert [len(column) for column in features.index("rms")] == [0, 0]


def test_second_run_has_nothing_to_do(songs, tables):
    before = content_of(tables)
    summary = metalmom.extract(songs, tables, features=FEATURES, format="npz")
    assert (summary.files, summary.computed) == (5, 0)
    assert content_of(tables) == before


def test_bytes_do_not_depend_on_workers(songs, tables, tmp_path):
    metalmom.extract(songs, tmp_path / "out", features=FEATURES, format="npz", jobs=1)
    assert content_of(tmp_path / "out") == content_of(tables)


def test_other_recipes_are_refused_with_the_difference(songs, tables):
    recipe = {"features": {name: {} for name in FEATURES} | {"mfcc": {"n_mfcc": 13}}}
    with pytest.raises(metalmom.ParameterError, match=r"n_mfcc was 20 and is 13.*overwrite=True"):
        metalmom.extract(songs, tables, recipe=recipe, format="npz")


def test_folder_of_something_else_is_refused(songs):
    with pytest.raises(metalmom.ParameterError, match="it holds 'a.wav'"):
        metalmom.extract(songs, songs, features=FEATURES, format="npz", overwrite=True)


def test_new_changed_and_lost_files(tmp_path):
    songs, out = tmp_path / "songs", tmp_path / "out"
    songs.mkdir()
    for k in range(3):
        write_wav(songs / f"{k}.wav", 1, seed=k)
    settings = {"features": ["rms"], "format": "npz"}
    metalmom.extract(songs, out, **settings)
    write_wav(songs / "00.wav", 1, seed=9)  # sorts first, and yet comes last
    assert metalmom.extract(songs, out, **settings).computed == 1
    assert [os.path.basename(p) for p in metalmom.open_features(out).files["path"]] == [
        "0.wav", "1.wav", "2.wav", "00.wav"]  # fmt: skip
    write_wav(songs / "1.wav", 2, seed=5)
    with pytest.raises(metalmom.ParameterError, match=r"1 file has changed .*1\.wav"):
        metalmom.extract(songs, out, **settings)
    assert metalmom.extract(songs, out, changed="recompute", **settings).computed == 3
    np.testing.assert_array_equal(metalmom.open_features(out).files["duration"], [1, 2, 1, 1])
    (songs / "0.wav").unlink()  # its row is there already
    assert metalmom.extract(songs, out, **settings).computed == 0
    assert metalmom.open_features(out).files["status"][0] == "ok"


def test_a_file_that_is_gone_is_told_of_when_its_shard_is_computed_again(tmp_path, capfd):
    songs, out = tmp_path / "songs", tmp_path / "out"
    songs.mkdir()
    for k in range(3):
        write_wav(songs / f"{k}.wav", 1, seed=k)
    settings = {"features": ["rms"], "format": "npz", "progress": "plain"}
    metalmom.extract(songs, out, **settings)
    (songs / "0.wav").unlink()
    assert metalmom.extract(songs, out, **settings).failed == 0
    assert "gone" not in capfd.readouterr().err
    write_wav(songs / "1.wav", 2, seed=5)
    summary = metalmom.extract(songs, out, changed="recompute", **settings)
    assert (summary.computed, summary.failed) == (3, 1)
    assert "1 planned file is gone: " in capfd.readouterr().err
    files = metalmom.open_features(out).files
    assert list(files["status"]) == ["failed", "ok", "ok"] and files["error"][0] == "No such file or directory"
    assert b"0.wav,No such file" in (out / "quarantine.csv").read_bytes()


def test_damaged_tables_are_made_again_and_verify_finds_others(songs, tables, tmp_path, capsys):
    out = tmp_path / "out"
    metalmom.extract(songs, out, features=FEATURES, format="npz")
    whole = content_of(out)
    assert cli.main(["verify", str(out)]) == 0
    table = out / "frames" / "part-00000.npz"
    table.write_bytes(table.read_bytes()[:-1])
    assert cli.main(["verify", str(out)]) == 1
    assert metalmom.extract(songs, out, features=FEATURES, format="npz").computed == 5
    assert content_of(out) == whole
    content = bytearray(table.read_bytes())
    content[len(content) // 2] ^= 1
    table.write_bytes(content)
    capsys.readouterr()
    assert cli.main(["verify", str(out)]) == 1
    assert "frames/part-00000.npz has other bytes than its receipt says" in capsys.readouterr().out


def test_command(songs, tmp_path):
    out = tmp_path / "out"
    done = run("extract", songs, "-o", out, "--features", "rms", "-f", "m8: mfcc n_mfcc=8",
               "--set", "hop_length=256", "--sr", "16000", "--progress", "plain")  # fmt: skip
    assert done.returncode == 0 and "5 computed now" in done.stderr and not done.stdout
    features = metalmom.open_features(out)
    assert features.sr == 16000 and features.names == ["rms", "m8"]
    file = next(iter(features))
    y, sr = metalmom.load(file.path, sr=16000)
    expected = metalmom.feature.mfcc(y=y, sr=sr, n_mfcc=8, hop_length=256)
    np.testing.assert_array_equal(file["m8"], expected)


def test_command_writes_nothing_for_a_dry_run(songs, tmp_path, capsys):
    out = tmp_path / "out"
    assert cli.main(["extract", str(songs), "-o", str(out), "--features", "mfcc", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "mfcc_00 ... mfcc_19" in shown and "d.wav" in shown
    assert shown.splitlines()[-1].startswith("5 files, ")  # after thousands of files, say, it is still to be seen
    assert not out.exists()


def test_command_shows_recipes(capsys):
    assert cli.main(["extract", "--features", "rms", "--set", "hop_length=128", "--print-recipe"]) == 0
    recipe = json.loads(capsys.readouterr().out)
    assert recipe["features"]["rms"]["hop_length"] == 128 and recipe["sr"] == 22050


def test_inputs_from_standard_input_and_tables(songs, tmp_path):
    names = sorted(songs.rglob("*.wav"))
    out = tmp_path / "out"
    listed = subprocess.run(
        [sys.executable, "-m", "metalmom", "extract", "-", "-o", out, "--features", "rms",
         "--dry-run"], input=b"\0".join(map(os.fsencode, names[:2])), capture_output=True, timeout=60)  # fmt: skip
    assert listed.stdout.splitlines()[-1].startswith(b"2 files, ")
    listed = subprocess.run(
        [sys.executable, "-m", "metalmom", "extract", "-", "--null", "-o", out, "--features", "rms",
         "--dry-run"], input=os.fsencode(names[0]), capture_output=True, timeout=60)  # fmt: skip
    assert listed.stdout.splitlines()[-1].startswith(b"1 file, ")
    table = tmp_path / "list.csv"
    table.write_text("title,path\nx," + os.fspath(names[0]) + "\ny," + os.fspath(names[1]) + "\n")
    summary = metalmom.extract(table, out, features=["rms"], path_column="path", format="npz")
    assert summary.files == 2
    with pytest.raises(metalmom.ParameterError, match="path_column='file' must be .*title, path"):
        metalmom.extract(table, out, features=["rms"], path_column="file")


def test_trace_shows_what_children_did(songs, tmp_path):
    page = tmp_path / "trace.html"
    assert cli.main(["extract", str(songs), "-o", str(tmp_path / "out"), "--features", "rms",
                     "--trace", str(page), "--progress", "none"]) == 0  # fmt: skip
    text = page.read_text()
    assert all(word in text for word in ("shard 0", "decode", "compute", "write", "d.wav", "bounds the run: "))
    assert cli.main(["extract", str(songs), "-o", str(tmp_path / "out"), "--features", "rms",
                     "--trace", str(songs / "a.wav")]) == 1  # fmt: skip
