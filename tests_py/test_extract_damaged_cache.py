"""An audio cache whose files are damaged is made anew; what is said of a damaged file is always the same."""

import os
import pickle

import numpy as np
import pytest

import metalmom
from metalmom.extraction.records import Entry
from metalmom.extraction.samples import AudioCache, Decoded
from test_extract import content_of, write_wav
from test_extract_own_files import in_time

pytestmark = pytest.mark.usefixtures("one_server")


@pytest.mark.parametrize("damage", [b"", b"\0" * 64, b"\xff\xfe\x80", b"../" * 30, b"0" * 63, b"g" * 64])
def test_a_damaged_key_is_made_anew(tmp_path, damage):
    song, cache = tmp_path / "a.wav", tmp_path / "cache"
    write_wav(song, 1.0)

    def extract(out):
        summary = metalmom.extract(song, tmp_path / out, features="rms", format="npz", cache_audio=cache)
        assert summary.failed == 0
        return content_of(tmp_path / out)

    first = extract("first")
    (key,) = cache.rglob("*.key")
    whole = key.read_bytes()
    key.write_bytes(damage)
    assert extract("second") == first
    assert key.read_bytes() == whole


@pytest.mark.parametrize("ending", ["key", "f32"])
def test_a_pipe_in_the_place_of_a_file_is_waited_for_by_nobody(tmp_path, ending):
    song = tmp_path / "a.wav"
    write_wav(song, 0.5)
    cache = AudioCache(tmp_path / "cache", 22050, 1 << 30)
    y = np.arange(8, dtype=np.float32)
    cache.keep(cache.find(Entry(0, song, 1, 1, 0), song)[0], Entry(0, song, 1, 1, 0), Decoded(y, 22050))
    (path,) = cache.root.rglob(f"*.{ending}")
    path.unlink()
    os.mkfifo(path)
    with in_time():
        key, kept = cache.find(Entry(0, song, 1, 1, 0), song)
        assert kept is None or np.array_equal(kept[0], y)
        assert cache.find_unread(Entry(0, song, 1, 1, 0)) is None or ending == "key"
        cache.keep(key, Entry(0, song, 1, 1, 0), Decoded(y, 22050))  # which replaces it
    np.testing.assert_array_equal(cache.find_unread(Entry(0, song, 1, 1, 0))[0], y)


def test_nothing_is_removed_that_the_cache_has_not_written(tmp_path):
    """Its folder may hold anything, and links to anything."""
    root = tmp_path / "home"
    foreign = ["music/album/song.flac", "a-b-0123456789abcdef/00/thesis.txt", f"a-b-0123456789abcdef/mine/{'0' * 62}.f32",
               f"notes/00/{'0' * 62}.f32"]  # fmt: skip
    for name in foreign:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(bytes(1000))
        os.utime(root / name, (1, 1))  # longer ago than anything else
    elsewhere = tmp_path / "elsewhere" / "00"
    elsewhere.mkdir(parents=True)
    (elsewhere / f"{'0' * 62}.f32").write_bytes(bytes(1000))
    (root / "c-d-0123456789abcdef").symlink_to(elsewhere.parent)
    old = root / "a-b-0123456789abcdef" / "00" / f"{'1' * 62}.f32"  # of another version
    old.write_bytes(bytes(1000))
    os.utime(old, (1, 1))
    cache = AudioCache(root, 22050, 3000)
    for k in range(4):
        cache.keep(f"{k:064x}", Entry(0, f"{k}.wav", 1, 1, 0), Decoded(np.zeros(200, np.float32), 22050))
    assert not old.exists() and len(list(cache.folder.rglob("*.f32"))) in (2, 3)
    assert all((root / name).exists() for name in foreign) and len(list(elsewhere.iterdir())) == 1


def test_samples_are_not_written_through_links(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    cache = AudioCache(tmp_path / "cache", 22050, 1 << 30)
    (cache.folder / "00").symlink_to(tmp_path / "elsewhere")
    cache.keep("0" * 64, Entry(0, "a.wav", 1, 0, 0), Decoded(np.zeros(200, np.float32), 22050))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_is_said_of_a_damaged_file_does_not_depend_on_threads_of_its_decoder():
    from metalmom.extraction.schema import sentence

    words = "a.wv (WavPack) is damaged or is no audio file"
    for last in ("Invalid block header.", "k 35589214 is too large", "Last message repeated 2 times"):
        error = metalmom.AudioError(words, f": ffmpeg says: {last}")
        assert str(error) == f"{words}: ffmpeg says: {last}"
        assert sentence(error) == sentence(pickle.loads(pickle.dumps(error))) == words
    assert sentence(metalmom.AudioError(f"{words}: no known audio format")) == f"{words}: no known audio format"


def test_a_cache_that_cannot_be_written_is_read(tmp_path, monkeypatch):
    song = tmp_path / "a.wav"
    write_wav(song, 0.5)
    cache = AudioCache(tmp_path / "cache", 22050, 1 << 30)
    key, nothing = cache.find(Entry(0, song, 1, 1, 0), song)
    assert nothing is None
    y = np.arange(8, dtype=np.float32)
    cache.keep(key, Entry(0, song, 1, 1, 0), Decoded(y, 22050))

    def refused(*args):
        raise PermissionError

    monkeypatch.setattr("os.utime", refused)
    monkeypatch.setattr("os.replace", refused)
    np.testing.assert_array_equal(cache.find(Entry(0, song, 1, 2, 0), song)[1][0], y)  # its key would be written anew
    cache.keep("0" * 64, Entry(0, song, 1, 3, 0), Decoded(y, 22050))
    assert len([path for path in cache.root.rglob("*") if path.is_file()]) == 2
