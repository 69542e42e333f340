"""Names of files that are no text: every error has the name, shown as any terminal can, and the reason."""

import os
import shutil

import pytest
from audio_files import needs_io, pcm_wave_bytes, sines

import metalmom as mm

pytestmark = needs_io

WAVE = pcm_wave_bytes(sines())


@pytest.fixture
def place(tmp_path):
    """A path whose last part is Latin-1, as bytes, and how errors show it."""
    name = b"caf\xe9 \xff.mp3"
    try:
        open(os.fsencode(tmp_path) + b"/" + name, "wb").close()
    except OSError:
        pytest.skip("the file system takes text alone")
    return os.fsencode(tmp_path) + b"/" + name, r"caf\xe9 \xff.mp3"


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("content, reason", [
    (b"", "is empty"),
    (b"no audio" * 100, "no audio file"),
    (b"RIFF\xff\xff\xff\x7fWAVEjunk" + bytes(99), "is damaged" if shutil.which("ffmpeg") else "install ffmpeg"),
    (b"fLaC" + bytes(2000), "is damaged"),
], ids=["empty", "no audio", "RIFF", "FLAC"])  # fmt: skip
def test_what_is_wrong_with_a_file_whose_name_is_no_text(place, content, reason, as_text):
    path, shown = place
    with open(path, "wb") as file:
        file.write(content)
    given = os.fsdecode(path) if as_text else path
    blocks = {"block_length": 4, "frame_length": 512, "hop_length": 512, "sr": None}
    for call in (mm.load, mm.get_samplerate, lambda each: mm.get_duration(path=each),
                 lambda each: list(mm.stream(each, **blocks))):  # fmt: skip
        with pytest.raises(mm.AudioError) as raised:
            call(given)
        assert shown in str(raised.value) and reason in str(raised.value)
        str(raised.value).encode()  # any file, and any terminal, takes it


def test_where_a_file_ends_whose_name_is_no_text(place):
    path, shown = place
    with open(path, "wb") as file:
        file.write(WAVE)
    with pytest.raises(mm.AudioError) as raised:
        mm.load(path, offset=1e6)
    assert str(raised.value).startswith("offset=") and shown in str(raised.value)
    assert mm.load(path)[0].size


def test_an_open_file_is_named_as_it_was_opened(place):
    path, shown = place
    with open(path, "rb") as file, pytest.raises(mm.AudioError) as raised:
        mm.load(file)
    assert repr(path) in str(raised.value) and "is empty" in str(raised.value)


def test_a_file_that_is_not_there_and_a_folder(place):
    path, _ = place
    with pytest.raises(FileNotFoundError) as raised:
        mm.load(path + b".ogg")
    assert os.fsencode(raised.value.filename) == path + b".ogg"
    os.unlink(path)
    os.mkdir(path)
    with pytest.raises(IsADirectoryError) as raised:
        mm.load(path)
    assert os.fsencode(raised.value.filename) == path
