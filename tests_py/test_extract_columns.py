"""What tables of files say beyond the features: labels of the input's table, paths relative to a root; and how they are handed out."""

import os
import re
import shutil

import numpy as np
import pytest

import metalmom
from metalmom.extraction.verify import verify
from metalmom.util.exceptions import ParameterError
from test_extract import content_of, run, write_songs

pytestmark = pytest.mark.usefixtures("one_server")

SETTINGS = {"features": ["rms", "tempo"], "format": "npz"}


@pytest.fixture
def songs(tmp_path):
    """Four songs, and a table that names three of them."""
    (tmp_path / "songs").mkdir()
    write_songs(tmp_path / "songs", 4, 0.1)
    names = sorted(os.listdir(tmp_path / "songs"))
    rows = [f"{name},{label},{number}" for name, label, number in zip(names, ("a", "ü,b".join('""'), ""), (1, 2, 3))]
    (tmp_path / "songs/labels.csv").write_text("\n".join(["file,label,fold", *rows]) + "\n", encoding="utf-8")
    return tmp_path / "songs"


def test_columns_of_the_input_stand_in_the_table_of_files(songs, tmp_path):
    inputs = [songs / "labels.csv", songs]
    kept = {"path_column": "file", "keep_columns": "label, fold"}
    metalmom.extract(inputs, tmp_path / "out", **SETTINGS, **kept)
    features = metalmom.open_features(tmp_path / "out")
    assert features.files["label"].tolist() == ["a", "ü,b", "", ""]
    assert features.files["fold"].tolist() == ["1", "2", "3", ""]
    assert [file.row["label"] for file in features] == ["a", "ü,b", "", ""]
    assert not [*verify(tmp_path / "out")]
    before = content_of(tmp_path / "out")
    # neither the same call nor one without inputs has anything to do
    assert metalmom.extract(inputs, tmp_path / "out", **SETTINGS, **kept).computed == 0
    assert metalmom.extract(None, tmp_path / "out").computed == 0
    assert content_of(tmp_path / "out") == before


def test_another_label_is_a_change(songs, tmp_path):
    kept = {"path_column": "file", "keep_columns": ["label"]}
    metalmom.extract(songs / "labels.csv", tmp_path / "out", **SETTINGS, **kept)
    text = (songs / "labels.csv").read_text()
    (songs / "labels.csv").write_text(text.replace(",a,", ",A,"))
    with pytest.raises(ParameterError, match="^1 file has got other labels since it was planned: .*computes it again$"):
        metalmom.extract(songs / "labels.csv", tmp_path / "out", **SETTINGS, **kept)
    os.utime(next(songs.glob("*.wav")), (0, 0))
    with pytest.raises(ParameterError, match="^1 file has changed since it was planned: .*wav; "):
        metalmom.extract(songs / "labels.csv", tmp_path / "out", **SETTINGS, **kept)
    metalmom.extract(songs / "labels.csv", tmp_path / "out", **SETTINGS, **kept, changed="recompute")
    assert metalmom.open_features(tmp_path / "out").files["label"].tolist() == ["A", "ü,b", ""]
    with pytest.raises(ParameterError, match="keep_columns"):
        metalmom.extract(songs / "labels.csv", tmp_path / "out", **SETTINGS, path_column="file")


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        ("nothing", "keep_columns='nothing' must be a column of .*, which has: file, label, fold"),
        (["label", "label"], "keep_columns=.* must be names, each of them once"),
        (3, "keep_columns=3 must be a name, or a list of names"),
        ("label,", "keep_columns='label,' must be names, each of them once"),
        ("twice", "keep_columns='twice' must be a name that only one column of .* has"),
    ],
)
def test_wrong_columns(songs, tmp_path, kept, message):
    if kept == "twice":
        (songs / "labels.csv").write_text("file,twice,twice\n")
    with pytest.raises(ParameterError, match=message):
        metalmom.extract(songs / "labels.csv", tmp_path / "out", **SETTINGS, path_column="file", keep_columns=kept)
    assert not (tmp_path / "out").exists()


def test_names_of_columns_may_have_blanks_and_any_bytes(songs, tmp_path):
    first = sorted(os.listdir(songs))[-1].encode()
    (songs / "labels.csv").write_bytes("file, label,größe\n".encode("latin-1") + first + b",a,3\n")
    kept = [" label", "gr\\xf6\\xdfe"]
    metalmom.extract(songs / "labels.csv", tmp_path / "out", **SETTINGS, path_column="file", keep_columns=kept)
    files = metalmom.open_features(tmp_path / "out").files
    assert [files[name].tolist() for name in kept] == [["a"], ["3"]]


def test_a_path_with_a_zero_byte_is_refused(songs, tmp_path):
    with open(songs / "labels.csv", "a") as file:
        file.write("so\0ng.wav,a,1\n")
    with pytest.raises(ParameterError, match="path_column='file' must be paths in .*, and one contains a zero byte"):
        metalmom.extract(songs / "labels.csv", tmp_path / "out", **SETTINGS, path_column="file")
    (songs / "labels.csv").write_text("file,label\nsong.wav,a\0\n")
    with pytest.raises(ParameterError, match="keep_columns=.* must be columns of texts in .*, and one contains a zero"):
        metalmom.extract(songs / "labels.csv", tmp_path / "out", **SETTINGS, path_column="file", keep_columns="label")
    assert not list((tmp_path / "out").rglob("*.npz"))


def test_a_folder_may_be_called_as_a_table(songs, tmp_path):
    songs.rename(tmp_path / "songs.csv")
    metalmom.extract(tmp_path / "songs.csv", tmp_path / "out", **SETTINGS)
    assert len(metalmom.open_features(tmp_path / "out")) == 4


def test_what_lies_above_a_link_is_that_of_its_target(songs, tmp_path, monkeypatch):
    (songs / "below").mkdir()
    (tmp_path / "link").symlink_to(songs / "below")
    metalmom.extract(tmp_path / "link/../labels.csv", tmp_path / "link/../out", **SETTINGS, path_column="file")
    assert (songs / "out").is_dir() and not (tmp_path / "out").exists()
    (song, *_) = (each["path"] for each in (file.row for file in metalmom.open_features(songs / "out")))
    assert os.path.dirname(song) == str(songs)


def test_columns_have_names_of_their_own(songs, tmp_path):
    (songs / "labels.csv").write_text("file,tempo\n" + sorted(os.listdir(songs))[-1] + ",fast\n")
    with pytest.raises(ParameterError, match="keep_columns='tempo' must be no name of the tables' own columns"):
        metalmom.extract(songs / "labels.csv", tmp_path / "out", **SETTINGS, path_column="file", keep_columns="tempo")
    assert not list((tmp_path / "out").rglob("*.npz"))


def test_columns_need_tables_and_one_label_a_file(songs, tmp_path):
    with pytest.raises(ParameterError, match="keep_columns=.* must go with tables"):
        metalmom.extract(songs, tmp_path / "out", **SETTINGS, keep_columns="label")
    with open(songs / "labels.csv", "a") as file:
        file.write(f"{sorted(os.listdir(songs))[1]},other,1\n")
    with pytest.raises(ParameterError, match="must be the same in all rows of a file"):
        metalmom.extract(
            songs / "labels.csv", tmp_path / "out", **SETTINGS, path_column="file", keep_columns="label"
        )


def test_a_folder_with_a_root_may_be_moved(songs, tmp_path):
    (songs / "deep").mkdir()
    write_songs(songs / "deep", 1, 0.1)
    (songs / "deep/broken.wav").write_bytes(b"no audio")
    out, moved = tmp_path / "out", tmp_path / "moved"
    metalmom.extract(songs, out, **SETTINGS, root=songs)
    features = metalmom.open_features(out)
    assert "deep/broken.wav" in features.files["path"]
    assert not any(os.path.isabs(path) for path in features.files["path"])
    file = features["deep/broken.wav"]
    assert os.fspath(file) == str(songs / "deep/broken.wav")
    assert "deep/broken.wav," in (out / "quarantine.csv").read_text()
    before = content_of(out)
    os.rename(songs, moved)
    missing = f"root='{songs}' must be an existing folder; if it was moved, give its new place"
    assert f"{missing}: metalmom extract -o {out} --root FOLDER" in [*verify(out)]
    with pytest.raises(ParameterError, match=re.escape(missing)):
        metalmom.extract(None, out)
    assert metalmom.extract(moved, out, **SETTINGS, root=moved).computed == 0
    assert {name: each for name, each in content_of(out).items() if name != "manifest.json"} == {
        name: each for name, each in before.items() if name != "manifest.json"}
    # from now on it is known where the files are
    assert os.fspath(metalmom.open_features(out)["deep/broken.wav"]) == str(moved / "deep/broken.wav")
    assert metalmom.extract(None, out).computed == 0
    assert not [*verify(out)]
    shutil.copy(next(moved.glob("*.wav")), moved / "new.wav")
    assert metalmom.extract(moved, out, **SETTINGS).computed == 1
    assert "new.wav" in metalmom.open_features(out).files["path"]


def test_tables_with_and_without_a_root_are_different_runs(songs, tmp_path):
    metalmom.extract(songs, tmp_path / "out", **SETTINGS)
    with pytest.raises(ParameterError, match="paths='relative' is new"):
        metalmom.extract(songs, tmp_path / "out", **SETTINGS, root=songs)
    with pytest.raises(ParameterError, match="root=.* must be a folder that holds all files, and .* lies elsewhere"):
        (tmp_path / "other").mkdir()
        metalmom.extract(songs, tmp_path / "out2", **SETTINGS, root=tmp_path / "other")
    with pytest.raises(ParameterError, match="root=.* must be an existing folder"):
        metalmom.extract(songs, tmp_path / "out2", **SETTINGS, root=tmp_path / "nowhere")
    assert not list((tmp_path / "out2").rglob("*.npz"))


def test_bytes_of_runs_with_a_root_do_not_tell_where_it_was(songs, tmp_path):
    (songs / "broken.wav").write_bytes(b"no audio")
    summary = metalmom.extract(songs, tmp_path / "one", **SETTINGS, root=songs)
    assert [path for path, _ in summary.failures] == ["broken.wav"]
    assert summary.failures[0][1].startswith("broken.wav is damaged or ")
    shutil.copytree(songs, tmp_path / "copy", copy_function=shutil.copy2)
    metalmom.extract(tmp_path / "copy", tmp_path / "two", **SETTINGS, root=tmp_path / "copy")
    one, two = (content_of(tmp_path / each) for each in ("one", "two"))
    assert one.pop("manifest.json") != two.pop("manifest.json")
    assert one == two


def test_the_command_keeps_columns_and_a_root(songs, tmp_path):
    done = run("extract", songs / "labels.csv", "-o", tmp_path / "out", "--features", "rms", "--format", "npz",
               "--path-column", "file", "--keep-columns", "label,fold", "--root", songs)  # fmt: skip
    assert done.returncode == 0, done.stderr
    files = metalmom.open_features(tmp_path / "out").files
    assert files["fold"].tolist() == ["1", "2", "3"]
    assert not any(os.path.isabs(path) for path in files["path"])


def test_progress_may_be_a_function(songs, tmp_path):
    seen = []
    metalmom.extract(songs, tmp_path / "out", **SETTINGS, progress=seen.append)
    assert seen[-1]["files"] == seen[-1]["of"] == 4
    assert all(before["files"] <= after["files"] for before, after in zip(seen, seen[1:]))
    with pytest.raises(ParameterError, match="progress=5 must be"):
        metalmom.extract(songs, tmp_path / "out2", **SETTINGS, progress=5)


def test_an_error_of_the_function_ends_the_run_which_can_be_continued(songs, tmp_path):
    def fails(figures):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        metalmom.extract(songs, tmp_path / "out", **SETTINGS, progress=fails)
    assert metalmom.extract(songs, tmp_path / "out", **SETTINGS).files == 4
    assert not [*verify(tmp_path / "out")]


def test_tables_as_data_frames(songs, tmp_path):
    pandas = pytest.importorskip("pandas")
    metalmom.extract(songs, tmp_path / "out", **SETTINGS)
    features = metalmom.open_features(tmp_path / "out")
    files, frames = features.to_pandas(), features.to_pandas("rms")
    assert isinstance(files, pandas.DataFrame) and files["path"].tolist() == features.files["path"].tolist()
    assert frames.columns.tolist() == ["file_id", "frame", "rms"]
    np.testing.assert_array_equal(frames["rms"], features.frames("rms").ravel())
    with pytest.raises(ParameterError, match="must have frames"):
        features.to_pandas("tempo")


def test_tables_of_arrow(songs, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    metalmom.extract(songs, tmp_path / "out", **SETTINGS)
    features = metalmom.open_features(tmp_path / "out")
    frames = features.to_arrow("rms")
    assert isinstance(frames, pyarrow.Table) and frames.column_names == ["file_id", "frame", "rms"]
    np.testing.assert_array_equal(frames["rms"], features.frames("rms").ravel())
    assert features.to_arrow()["path"].to_pylist() == features.files["path"].tolist()


def test_data_frames_need_a_package(songs, tmp_path, monkeypatch):
    metalmom.extract(songs, tmp_path / "out", **SETTINGS)
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_pandas\(\) needs pandas, which is not installed"):
        metalmom.open_features(tmp_path / "out").to_pandas()
