"""An audio cache whose files are damaged is made anew."""

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


