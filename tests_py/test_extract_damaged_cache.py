"""An audio cache whose files are damaged is made anew; what is said of a damaged file is always the same."""

import numpy as np
import pytest

import metalmom
from metalmom.extraction.audio_cache import AudioCache
from test_extract import content_of, write_wav


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




def test_what_is_said_of_a_damaged_file_does_not_depend_on_threads_of_its_decoder():
    from metalmom.extraction.decoding import sentence

    words = "a.wv (WavPack) is damaged or is no audio file"
    for last in ("Invalid block header.", "k 35589214 is too large", "Last message repeated 2 times"):
        assert sentence(metalmom.AudioError(f"{words}: ffmpeg says: {last}")) == words
    assert sentence(metalmom.AudioError(f"{words}: no known audio format")) == f"{words}: no known audio format"


def test_a_cache_that_cannot_be_written_is_read(tmp_path, monkeypatch):
    song = tmp_path / "a.wav"
    write_wav(song, 0.5)
    cache = AudioCache(tmp_path / "cache", 22050, 1 << 30)
    key, nothing = cache.find(song, 1, 1, song)
    assert nothing is None
    y = np.arange(8, dtype=np.float32)
    cache.keep(key, song, 1, 1, y, 22050)

    def refused(*args):
        raise PermissionError

    monkeypatch.setattr("os.utime", refused)
    monkeypatch.setattr("os.replace", refused)
    np.testing.assert_array_equal(cache.find(song, 1, 2, song)[1][0], y)  # its key would be written anew
    cache.keep("0" * 64, song, 1, 3, y, 22050)
    assert len([path for path in cache.root.rglob("*") if path.is_file()]) == 2
