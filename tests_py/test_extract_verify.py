"""`metalmom verify` names every file that is damaged, and a command that mends it."""

import json
import os
import shlex
import shutil

import numpy as np
import pytest

import metalmom
from metalmom import cli
from metalmom.extraction.reader import FileFeatures
from metalmom.extraction.tables import read_table
from metalmom.extraction.verify import verify
from test_extract import content_of, write_songs, write_wav

pytestmark = pytest.mark.usefixtures("one_server")


@pytest.fixture(scope="module")
def songs(tmp_path_factory):
    return write_songs(tmp_path_factory.mktemp("songs"), 4, 0.1)


@pytest.fixture(scope="module")
def whole(songs, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "out"
    os.environ["METALMOM_TEST_SHARD"] = "2"
    try:
        metalmom.extract(songs, out, features=["mfcc", "beat_track"], format="npz", aggregate=None)
    finally:
        del os.environ["METALMOM_TEST_SHARD"]
    assert len(list((out / "receipts").iterdir())) == 2
    return out


@pytest.fixture
def out(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "the tables")


def told(out, capsys, status):
    assert cli.main(["verify", str(out)]) == status
    return capsys.readouterr().out


def cut(path):
    path.write_bytes(path.read_bytes()[:-7])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.filterwarnings("error:n_fft")
def test_files_shorter_than_a_frame_are_no_reason_to_warn(tmp_path):
    write_wav(tmp_path / "short.wav", 0.02)
    metalmom.extract(tmp_path / "short.wav", tmp_path / "tables", features=["mfcc"], format="npz")
    seen = []
    assert list(verify(tmp_path / "tables", told=seen.append)) == [] and seen[-1] == "1 file computed again"


@pytest.mark.parametrize("damage, words", [
    (os.remove, "is missing"), (cut, "bytes, and"), (flip, "has other bytes than its receipt says"),
])  # fmt: skip
@pytest.mark.parametrize("name", ["frames/part-00001.npz", "files/part-00000.npz", "events-beat_track_beats/part-00001.npz"])
def test_tables(out, whole, capsys, name, damage, words):
    damage(out / name)
    shown = told(out, capsys, 1)
    (line,) = (line for line in shown.splitlines() if line.startswith(name))
    assert words in line and line.endswith(f"metalmom extract -o '{out}' --repair computes it again")
    assert "1 fault found" in shown
    if damage is not flip:  # of other bytes nobody knows before they are read
        with pytest.raises(metalmom.LibrosaError, match=f"{name} .*--repair"):
            metalmom.open_features(out)
    command = line.partition(": metalmom ")[2].removesuffix(" computes it again")
    assert cli.main([*shlex.split(command), "--progress", "none"]) == 0
    assert content_of(out) == content_of(whole)
    assert "no fault found" in told(out, capsys, 0)


def test_receipts_and_quarantine(out, whole, capsys):
    (out / "receipts/00001.json").unlink()
    assert "receipts/00001.json is missing, its shard is not done: metalmom extract -o" in told(out, capsys, 1)
    (out / "receipts/00000.json").write_text("{}")
    shown = told(out, capsys, 1)
    assert "receipts/00000.json is damaged: metalmom extract -o" in shown and "2 faults found" in shown
    assert cli.main(["extract", "-o", str(out), "--progress", "none"]) == 0
    assert content_of(out) == content_of(whole)
    (out / "quarantine.csv").write_text("path,error\nx,y\n")
    assert "quarantine.csv is missing, or not what the receipts say" in told(out, capsys, 1)
    assert cli.main(["extract", "-o", str(out), "--progress", "none"]) == 0
    assert content_of(out) == content_of(whole)


def test_files_that_are_others_now(tmp_path, capsys):
    songs, out = write_songs(tmp_path, 2, 0.1), tmp_path / "out"
    metalmom.extract(songs, out, features=["rms"], format="npz")
    write_wav(songs / "0.wav", 0.7, seed=9)
    (songs / "1.wav").unlink()
    shown = told(out, capsys, 1)
    assert "0.wav has changed since it was computed: metalmom extract -o" in shown and "--changed recompute" in shown
    assert f"1 planned file is gone: {songs}/1.wav: rows of such files stay; metalmom extract -o {out} --drop-missing" in shown


def test_values_that_are_not_what_is_computed(out, capsys, monkeypatch):
    compute = metalmom.Extractor._outcomes

    def off(self, clips):
        for values in compute(self, clips):
            values["mfcc"][3, 7] += np.float32(1)
            yield values

    monkeypatch.setattr("metalmom.Extractor._outcomes", off)
    shown = told(out, capsys, 1)
    assert "frames/part-00000.npz has other values of mfcc of " in shown
    assert "remove receipts/00000.json, and metalmom extract -o" in shown


def test_a_build_that_gives_other_numbers_blames_no_file_and_finds_none_good(out, capsys, monkeypatch):
    monkeypatch.setattr("metalmom.extraction.verify.fingerprint_of", lambda recipe, schema: "other")
    shown = told(out, capsys, 1)
    assert "this build gives other numbers" in shown and "no file is computed again, --sample=0" in shown
    assert ".wav" not in shown and "no fault found" not in shown
    assert cli.main(["verify", str(out), "--sample=0"]) == 0
    assert "no fault found" in capsys.readouterr().out


def test_an_earlier_run_is_continued_without_being_told_what_it_was(songs, out, whole, tmp_path):
    (out / "receipts/00001.json").unlink()
    assert metalmom.extract(None, out).computed == 2
    assert content_of(out) == content_of(whole)
    assert metalmom.extract(songs, out, repair=True).computed == 0
    with pytest.raises(metalmom.ParameterError, match="^features, or recipe, must be given: .*no run"):
        metalmom.extract(songs, tmp_path / "new")
    with pytest.raises(metalmom.ParameterError, match="^inputs must be given"):
        metalmom.extract(None, tmp_path / "new", features="rms")
    with pytest.raises(metalmom.ParameterError, match="^features, or recipe, must be given"):
        metalmom.extract(songs, out, overwrite=True)
    with pytest.raises(metalmom.ParameterError, match="^features, or recipe, must say"):
        metalmom.extract(songs, out, sr=16000)
    assert not (tmp_path / "new").exists()


def test_its_manifest_is_read_once(songs, tmp_path, monkeypatch):
    from metalmom.extraction.store import LocalStore

    out = tmp_path / "out"
    metalmom.extract(songs, out, features=["rms"])
    steps = []
    read, hold = LocalStore.read, LocalStore.hold
    monkeypatch.setattr(LocalStore, "read", lambda self, name: steps.append(name) or read(self, name))
    monkeypatch.setattr(LocalStore, "hold", lambda self: steps.append("held") or hold(self))
    assert metalmom.extract(songs, out, features=["rms"]).computed == 0
    assert steps.count("manifest.json") == 1 and steps.index("held") < steps.index("manifest.json")


def test_files_are_computed_again_on_the_backend_of_the_run(out, monkeypatch):
    compute, used = metalmom.Extractor._outcomes, []

    def noted(self, clips):
        used.append(metalmom.get_config()["backend"])
        return compute(self, clips)

    monkeypatch.setattr("metalmom.Extractor._outcomes", noted)
    with metalmom.config_context(backend="auto"):
        assert list(verify(out)) == []
    assert len(used) == 4 and set(used) == {"cpu"}
    manifest = json.loads((out / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps({**manifest, "backend": "gpu:99"}))
    (sentence,) = verify(out)
    assert "gpu:99" in sentence and "no file is computed again" in sentence


def test_only_rows_of_the_sample_are_read(out, monkeypatch):
    read, kept = [], []

    def counted(file, format, columns=None):
        read.append(os.path.relpath(file.name, out))
        return read_table(file, format, columns)

    class Seen(FileFeatures):
        def __init__(self, row, parts, tables, root):
            super().__init__(row, parts, tables, root)
            kept.append({id for table in tables.values() for id in table["file_id"].tolist()})

    monkeypatch.setattr("metalmom.extraction.reader.read_table", counted)
    monkeypatch.setattr("metalmom.extraction.reader.FileFeatures", Seen)
    assert list(verify(out, sample=1)) == []
    tables = sorted(name for name in read if not name.startswith("files/"))
    assert tables == ["events-beat_track_beats/part-00000.npz", "frames/part-00000.npz"]
    assert kept == [{0}]


def test_rows_are_of_the_tables_that_were_looked_at(out, tmp_path, monkeypatch):
    """A run that begins anew meanwhile replaces tables, by others of the same size perhaps."""
    monkeypatch.setenv("METALMOM_TEST_SHARD", "2")
    others, songs = tmp_path / "others", tmp_path / "songs"
    songs.mkdir()
    for k in range(4):
        write_wav(songs / f"{k}.wav", 0.5 + 0.1 * k, seed=9 + k)
    metalmom.extract(songs, others, features=["mfcc", "beat_track"], format="npz", aggregate=None)
    name = "frames/part-00000.npz"
    assert (others / name).stat().st_size == (out / name).stat().st_size
    differ = verify.__globals__["tables_that_differ"]

    def replaced(store, receipts):
        yield from differ(store, receipts)
        shutil.copy(others / name, out / name)

    monkeypatch.setattr("metalmom.extraction.verify.tables_that_differ", replaced)
    with pytest.raises(metalmom.LibrosaError, match=f"{name} was replaced meanwhile"):
        list(verify(out))
