"""An audio cache whose files are damaged is made anew; what is said of a damaged file is always the same."""

import pytest

import metalmom
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
