"""Samples that the features are computed of: those of `metalmom.load`, to the last one."""

import numpy as np
import pytest
from test_extract import write_wav

import metalmom
from metalmom.extraction import fault_injection
from metalmom.extraction.inputs import find
from metalmom.extraction.records import Entry
from metalmom.extraction.samples import AudioCache, Decoder


@pytest.mark.parametrize("sr", [11025, 16000, 22050, 24000.5])
def test_they_are_those_that_load_gives(tmp_path, sr):
    for own in (8000, 22050, 44100, 48000):
        for k in range(4):  # lengths at another rate are no whole numbers: some are rounded up by a lot
            write_wav(tmp_path / f"{own}-{k}.wav", 0.1 + 0.0123 * k, seed=k, sr=own)
    rounded_up = 0
    for k, found in enumerate(find([tmp_path])):
        entry = Entry(k, *found, 0)
        y = metalmom.load(entry.path, sr=sr)[0]
        rounded_up += bool(y[-1] == 0)
        # in memory, and in parts, of which the last is whole, is one sample or none
        for most in (1 << 20, 1000, y.size - 1, y.size, y.size + 1):
            decoded = Decoder(sr, most, tmp_path)(entry)
            assert np.array_equal(decoded.y, y), (entry.path, most)
    assert rounded_up or sr == 22050


@pytest.mark.parametrize("content", [b"no audio", None])
def test_a_file_that_changes_while_it_is_decoded_gives_no_row_and_no_kept_samples(tmp_path, monkeypatch, content):
    song = tmp_path / "a.wav"
    write_wav(song, 0.5)
    entry = Entry(0, *find([song])[0], 0)
    if content:
        song.write_bytes(content)
        entry = Entry(0, *find([song])[0], 0)
    cache = AudioCache(tmp_path / "cache", 22050, 1 << 30)
    monkeypatch.setattr(fault_injection, "decoding", lambda path: write_wav(path, 0.25))
    with pytest.raises(metalmom.AudioError, match="changed since it was planned"):
        Decoder(22050, 1 << 20, cache=cache)(entry)
    assert not list((tmp_path / "cache").rglob("*.f32"))


def test_a_folder_that_cannot_be_looked_into_says_so(tmp_path, monkeypatch):
    def scandir(path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("os.scandir", scandir)
    with pytest.raises(PermissionError):
        Decoder(22050, 1 << 20)(Entry(0, str(tmp_path), -1, -1, 0))
