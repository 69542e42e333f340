"""Planned files that were moved or deleted: a run says which, their rows stay, and --drop-missing drops them."""

import json
import os
import shutil
import signal

import numpy as np
import pytest

import metalmom
from metalmom.extraction.records import Entry, Plan
from metalmom.extraction.verify import verify
from test_extract import content_of, run, write_songs, write_wav

pytestmark = pytest.mark.usefixtures("one_server")

SETTINGS = {"features": ["rms", "tempo"], "format": "npz"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Six songs and a run of them in three shards; tests copy both."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "songs").mkdir()
    write_songs(folder / "songs", 6, 0.1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METALMOM_TEST_SHARD", "2")
        metalmom.extract(folder / "songs", folder / "out", **SETTINGS)
    assert len(list((folder / "out/receipts").iterdir())) == 3
    return folder


@pytest.fixture
def songs(whole, tmp_path, monkeypatch):
    """Songs at the same path for all tests, which is what the plan knows them by."""
    monkeypatch.setenv("METALMOM_TEST_SHARD", "2")
    shutil.copytree(whole / "songs", tmp_path / "songs")
    yield whole / "songs"
    for path in (tmp_path / "songs").iterdir():
        shutil.copy2(path, whole / "songs" / path.name)


@pytest.fixture
def out(whole, tmp_path):
    return shutil.copytree(whole / "out", tmp_path / "out")


def names(out):
    return [os.path.basename(path) for path in metalmom.open_features(out).files["path"]]


def lose(songs, *which):
    for k in which:
        (songs / f"{k}.wav").unlink()


def test_a_run_says_which_are_gone_and_keeps_their_rows(songs, out):
    before = content_of(out)
    assert metalmom.extract(songs, out, **SETTINGS).gone == []
    lose(songs, 1, 2, 3, 4)
    for inputs in ([songs], []):
        done = run("extract", *inputs, "-o", out)
        first = ", ".join(f"{songs}/{k}.wav" for k in (1, 2, 3))
        assert done.returncode == 0
        assert (f"metalmom: 4 planned files are gone: {first} and 1 more: rows of such files stay until their shards are "
                "computed again; --drop-missing drops them\n") in done.stderr  # fmt: skip
    summary = metalmom.extract(None, out)
    assert summary.gone == [f"{songs}/{k}.wav" for k in (1, 2, 3, 4)] and summary.dropped == []
    assert content_of(out) == before
    done = run("extract", songs, "-o", out, "--progress", "json")
    assert json.loads(done.stderr.splitlines()[-1])["summary"]["gone"] == summary.gone
    assert "4 planned files are gone" in run("extract", songs, "-o", out, "--features", "rms,tempo", "--dry-run").stdout
    (fault,) = verify(out)
    assert fault == (f"4 planned files are gone: {first} and 1 more: rows of such files stay; "
                     f"metalmom extract -o {out} --drop-missing drops them")  # fmt: skip
    assert list(verify(out, sample=0)) == []  # which looks at OUT alone


def test_files_that_were_never_there_are_not_gone(songs, tmp_path):
    """Their rows say so already."""
    inputs = [songs / "0.wav", tmp_path / "nofile.wav"]
    settings = {"features": ["rms"], "format": "npz"}
    (tmp_path / "list.csv").write_text("path\n" + "\n".join(map(str, inputs)) + "\n")
    listed = {"inputs": tmp_path / "list.csv", "path_column": "path"}
    assert metalmom.extract(out=tmp_path / "new", **listed, **settings).failed == 1
    for again in (metalmom.extract(None, tmp_path / "new"), metalmom.extract(out=tmp_path / "new", **listed, **settings)):
        assert (again.files, again.failed, again.gone) == (2, 1, [])
    assert list(verify(tmp_path / "new")) == []
    dropped = metalmom.extract(None, tmp_path / "new", drop_missing=True)
    assert dropped.dropped == [str(inputs[1])] and dropped.failed == 0


def test_a_link_that_leads_nowhere_is_gone(songs, out):
    """As of data that a store of large files has not brought."""
    lose(songs, 2)
    (songs / "2.wav").symlink_to("nowhere")
    assert metalmom.extract(songs, out, **SETTINGS).gone == [f"{songs}/2.wav"]
    metalmom.extract(songs, out, drop_missing=True, **SETTINGS)
    assert "2.wav" not in names(out)
    (songs / "2.wav").unlink()


def test_they_are_dropped(songs, out, tmp_path):
    lose(songs, 1, 2, 3)  # of the second shard nothing is left
    table = metalmom.open_features(out).files
    done = run("extract", "-o", out, "--drop-missing")
    first = ", ".join(f"{songs}/{k}.wav" for k in (1, 2, 3))
    assert done.returncode == 0 and f"metalmom: 3 planned files are gone, and dropped: {first}\n" in done.stderr
    assert "3 files in " in done.stderr and " 1 computed now " in done.stderr
    features = metalmom.open_features(out)
    assert names(out) == ["0.wav", "4.wav", "5.wav"] and (len(features), features.planned) == (3, 3)
    np.testing.assert_array_equal(features.files["file_id"], [0, 4, 5])
    np.testing.assert_array_equal(features.files["tempo"], table["tempo"][[0, 4, 5]])
    for file in features:
        np.testing.assert_array_equal(file["rms"], metalmom.feature.rms(y=metalmom.load(file)[0]))
    assert [path.name for path in sorted((out / "frames").iterdir())] == ["part-00000.npz", "part-00002.npz"]
    assert list(verify(out)) == []
    before = content_of(out)
    for more in ({}, {"drop_missing": True}):
        again = metalmom.extract(songs, out, **SETTINGS, **more)
        assert (again.computed, again.gone, again.dropped) == (0, [], [])
    assert content_of(out) == before


def test_a_run_with_gaps_grows(songs, out):
    lose(songs, 4, 5)  # the last ones, whose numbers are free then
    assert metalmom.extract(None, out, drop_missing=True).dropped == [f"{songs}/4.wav", f"{songs}/5.wav"]
    lose(songs, 0)
    write_wav(songs / "9.wav", 0.5, seed=9)
    summary = metalmom.extract(songs, out, drop_missing=True, **SETTINGS)
    assert (summary.files, summary.computed, summary.dropped) == (4, 2, [f"{songs}/0.wav"])
    assert names(out) == ["1.wav", "2.wav", "3.wav", "9.wav"] and list(verify(out)) == []
    (songs / "9.wav").unlink()


def test_moved_files_are_new_ones_and_the_old_ones_go(songs, out, tmp_path):
    moved = tmp_path / "moved"
    shutil.copytree(songs, moved)
    lose(songs, *range(6))
    summary = metalmom.extract(moved, out, **SETTINGS)
    assert (summary.files, summary.computed, len(summary.gone)) == (12, 6, 6)
    summary = metalmom.extract(moved, out, drop_missing=True, **SETTINGS)
    assert (summary.files, summary.computed, len(summary.dropped)) == (6, 0, 6)
    assert all(path.startswith(os.fspath(moved)) for path in metalmom.open_features(out).files["path"])
    assert list(verify(out)) == []


def test_what_would_drop_everything_is_refused(songs, out):
    """As where a disk is not there."""
    before = content_of(out)
    lose(songs, *range(6))
    for inputs in (songs, None):
        with pytest.raises(metalmom.ParameterError, match="drop_missing=True must leave files: all 6 that are planned are gone"):
            metalmom.extract(inputs, out, drop_missing=True)
    assert content_of(out) == before and len(metalmom.extract(None, out).gone) == 6
    done = run("extract", "-o", out, "--drop-missing")
    assert done.returncode == 1 and "--drop-missing must leave files" in done.stderr


def test_files_of_an_unfinished_shard_are_dropped_too(songs, out):
    (out / "receipts/00001.json").unlink()
    lose(songs, 2)
    summary = metalmom.extract(None, out, drop_missing=True)
    assert (summary.files, summary.computed, summary.failed) == (5, 1, 0)
    assert names(out) == ["0.wav", "1.wav", "3.wav", "4.wav", "5.wav"]


def test_what_it_does_not_go_with(songs, tmp_path):
    with pytest.raises(metalmom.ParameterError, match="drop_missing=True must not be given with overwrite=True"):
        metalmom.extract(songs, tmp_path / "new", drop_missing=True, overwrite=True, **SETTINGS)
    with pytest.raises(metalmom.ParameterError, match="drop_missing=1 must be one of False, True"):
        metalmom.extract(songs, tmp_path / "new", drop_missing=1, **SETTINGS)
    assert metalmom.extract(songs, tmp_path / "new", drop_missing=True, **SETTINGS).dropped == []


def test_killed_at_every_step_of_dropping(songs, out, tmp_path):
    lose(songs, 2, 3, 4)
    expected = shutil.copytree(out, tmp_path / "expected")
    metalmom.extract(None, expected, drop_missing=True)
    for step in ("removed:receipts/00001.json", "removed:files/part-00001.npz", "synced:plan.jsonl", "renamed:plan.jsonl"):
        done = run("extract", "-o", out, "--drop-missing", METALMOM_TEST_KILL=step)
        assert done.returncode == -signal.SIGKILL, (step, done.stderr)
        assert set(names(out)) <= {f"{k}.wav" for k in range(6)}
    assert metalmom.extract(None, out, drop_missing=True).failed == 0
    assert content_of(out) == content_of(expected)


def test_a_url_that_does_not_answer_is_not_gone(monkeypatch):
    from metalmom.extraction import inputs

    class Store:
        def info(self, path):
            raise FileNotFoundError if path == "gone" else ConnectionError

    monkeypatch.setattr(inputs, "filesystem_of", lambda url: (Store(), url.removeprefix("store://")))
    entries = [Entry(0, "store://gone", 9, 5, 0), Entry(1, "store://silent", 9, 5, 0), Entry(2, "store://there", 9, 5, 0)]
    assert Plan(entries).gone([inputs.Found("store://there", 9, 5)]) == entries[:1]
