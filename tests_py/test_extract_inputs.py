"""Strange things in folders of audio: each gets a row or is passed over, and nothing stops a run."""

import itertools
import os
import struct

import numpy as np
import pytest
from test_extract import content_of, write_wav

import metalmom
from metalmom.extraction.inputs import find, path_of, shown

pytestmark = pytest.mark.usefixtures("one_server")


@pytest.fixture
def folder(tmp_path):
    """A folder of everything, and the errors that its files have."""
    folder = tmp_path / "in"
    (folder / "song.wav").mkdir(parents=True)
    write_wav(folder / "song.wav" / "inner.wav", 0.5)
    write_wav(folder / "fine.wav", 0.5)
    write_wav(folder / "new\nline.wav", 0.5)
    write_wav(os.path.join(os.fsencode(folder), b"latin\xe9.wav").decode("utf-8", "surrogateescape"), 0.5)
    whole = (folder / "fine.wav").read_bytes()
    (folder / "empty.wav").write_bytes(b"")
    (folder / "zeros.wav").write_bytes(bytes(5000))
    (folder / "text.mp3").write_text("I am no song")
    (folder / "truncated.wav").write_bytes(whole[:3000])
    (folder / "lying.wav").write_bytes(whole[:40] + struct.pack("<I", 0x00100000) + whole[44:])
    (folder / "silent.wav").write_bytes(whole[:40] + struct.pack("<I", 0))
    os.mkfifo(folder / "pipe.wav")
    os.symlink("nowhere", folder / "gone.ogg")
    os.symlink(".", folder / "loop")
    os.symlink("..", folder / "song.wav" / "up")
    (folder / ".hidden.wav").write_bytes(whole)
    return folder


BROKEN = ("empty.wav", "gone.ogg", "lying.wav", "pipe.wav", "silent.wav", "text.mp3",
          "truncated.wav", "zeros.wav")  # fmt: skip


def test_everything_strange_has_a_row(folder, tmp_path):
    out = tmp_path / "out"
    summary = metalmom.extract(folder, out, features=["rms"], format="npz", jobs=2)
    files = metalmom.open_features(out).files
    names = [os.path.relpath(path, folder) for path in files["path"]]
    assert names == sorted([*BROKEN, "fine.wav", "latin\\xe9.wav", "new\nline.wav", "song.wav/inner.wav"])
    status = dict(zip(names, files["status"]))
    assert {name for name, each in status.items() if each == "failed"} == set(BROKEN)
    assert summary.failed == len(BROKEN)
    errors = dict(zip(names, files["error"]))
    assert errors["gone.ogg"] == "No such file or directory"
    assert errors["pipe.wav"] == "it is not a regular file"
    assert all(errors[name] and "\n" not in errors[name] for name in BROKEN)
    for column in ("duration", "sr"):  # of failed files they are not known, and no mean may count them
        np.testing.assert_array_equal(np.isnan(files[column]), files["status"] == "failed")


def test_names_that_are_no_utf8_lie_in_the_quarantine_as_they_are(tmp_path):
    name = os.fsencode(tmp_path) + b"/bad\xe9.wav"
    with open(name, "wb") as file:
        file.write(b"no audio at all")
    metalmom.extract([name], tmp_path / "out", features=["rms"], format="npz")
    assert b"/bad\xe9.wav," in (tmp_path / "out" / "quarantine.csv").read_bytes()


@pytest.mark.parametrize("name", [
    b"a.wav", "grün.wav".encode(), b"a\xff.wav", rb"a\xff.wav", rb"a\\xff.wav", b"a\\\xff.wav", rb"a\x5cxff.wav",
    rb"folder\song.wav", rb"\x.wav", b"\xe4\\xFF.wav", b"new\nline.wav", rb"a\xFF.wav", b"\xed\xb3\xbf.wav",
])  # fmt: skip
def test_text_of_a_path_is_its_own_and_leads_back(name):
    text = shown(os.fsdecode(name))
    assert text.encode().decode() == text and "\0" not in text
    assert os.fsencode(path_of(text)) == name


def test_texts_of_different_paths_are_different():
    pieces = [b"\\", b"x", b"f", b"\xff", b"5", b"c", b"\xc3\xa4"]
    names = {b"".join(each) for n in range(1, 6) for each in itertools.product(pieces, repeat=n)}
    assert len({shown(os.fsdecode(name)) for name in names}) == len(names)


def test_files_whose_names_look_alike_are_told_apart_and_opened(tmp_path):
    names = [b"a\xff.wav", rb"a\xff.wav", rb"folder\a.wav"]
    for k, name in enumerate(names):
        write_wav(tmp_path / os.fsdecode(name), 1.0 + k, seed=k)
    metalmom.extract(tmp_path, tmp_path / "out", features=["rms"], format="npz")
    seen = {}
    for file in metalmom.open_features(tmp_path / "out"):
        y, sr = metalmom.load(file)
        assert file.duration == y.size / sr
        seen[os.path.basename(os.fsencode(file))] = file.path
    assert sorted(seen) == sorted(names) and len(set(seen.values())) == 3
    assert seen[names[2]].endswith(r"folder\a.wav")  # names of text are themselves


def test_find_is_sorted_and_has_each_file_once(folder):
    found = find([folder, folder / "fine.wav"])
    paths = [each.path for each in found]
    assert paths == sorted(set(paths), key=os.fsencode) and len(paths) == 12
    (fine,) = (each for each in found if each.path.endswith("/fine.wav"))
    status = os.stat(fine.path)
    assert (fine.size, fine.mtime) == (status.st_size, status.st_mtime_ns)


def test_names_that_are_given_may_be_called_anything(folder, tmp_path):
    other = tmp_path / "recording.001"
    other.write_bytes((folder / "fine.wav").read_bytes())
    assert metalmom.extract(other, tmp_path / "out", features=["rms"], format="npz").failed == 0
    with pytest.raises(FileNotFoundError):
        metalmom.extract(tmp_path / "nowhere", tmp_path / "out2", features=["rms"])


def test_file_that_changes_between_plan_and_decoding_is_no_row_of_numbers(tmp_path):
    from metalmom.extraction.samples import Decoder
    from metalmom.extraction.records import Entry

    write_wav(tmp_path / "a.wav", 0.5)
    status = os.stat(tmp_path / "a.wav")
    entry = Entry(0, str(tmp_path / "a.wav"), status.st_size, status.st_mtime_ns, 0)
    assert Decoder(22050, 1 << 20)(entry).y.size == 11025
    with pytest.raises(metalmom.AudioError, match="changed since it was planned"):
        Decoder(22050, 1 << 20)(entry._replace(mtime=entry.mtime - 1))


def test_cached_audio_gives_the_same_bytes_and_is_bounded(tmp_path, monkeypatch):
    songs, cache = tmp_path / "songs", tmp_path / "cache"
    songs.mkdir()
    for k in range(4):
        write_wav(songs / f"{k}.wav", 1, seed=k, sr=16000)
    settings = {"features": ["mfcc"], "format": "npz", "jobs": 1}
    metalmom.extract(songs, tmp_path / "plain", **settings)
    metalmom.extract(songs, tmp_path / "first", cache_audio=cache, **settings)
    assert len(list(cache.rglob("*.f32"))) == 4
    monkeypatch.setenv("METALMOM_TEST_CRASH", ".wav")  # nothing is decoded any more
    second = metalmom.extract(songs, tmp_path / "second", cache_audio=cache, **settings)
    assert second.failed == 0
    monkeypatch.delenv("METALMOM_TEST_CRASH")
    whole = content_of(tmp_path / "plain")
    assert content_of(tmp_path / "first") == whole and content_of(tmp_path / "second") == whole
    for entry in cache.rglob("*.f32"):  # damaged entries are not believed
        content = bytearray(entry.read_bytes())
        content[5000] ^= 1
        entry.write_bytes(content)
    metalmom.extract(songs, tmp_path / "third", cache_audio=cache, **settings)
    assert content_of(tmp_path / "third") == whole
    small = tmp_path / "small"
    metalmom.extract(songs, tmp_path / "fourth", cache_audio=small, cache_size=200_000, **settings)
    assert content_of(tmp_path / "fourth") == whole
    assert sum(path.stat().st_size for path in small.rglob("*") if path.is_file()) <= 200_000


def test_stores_that_only_one_process_sees_are_refused(folder, tmp_path):
    pytest.importorskip("fsspec")
    for inputs, out in ((folder, "memory://out"), ("memory://in", tmp_path / "out")):
        with pytest.raises(metalmom.ParameterError, match="memory://.* must be where other processes see it"):
            metalmom.extract(inputs, out, features=["rms"])


def test_file_urls_are_paths(folder, tmp_path):
    metalmom.extract(f"file://{folder}/fine.wav", f"file://{tmp_path}/out", features=["rms"], format="npz")
    assert metalmom.open_features(tmp_path / "out").files["path"].tolist() == [f"{folder}/fine.wav"]


def test_cache_that_is_no_folder(folder, tmp_path):
    with pytest.raises(FileExistsError):
        metalmom.extract(folder, tmp_path / "out", features=["rms"], cache_audio=folder / "fine.wav")
    assert not (tmp_path / "out").exists()
