"""Files that are damaged so that libsndfile crashes, never ends, or says nothing of it.

`scripts/fuzz --only readers` has found them; these are the smallest that do the same.
"""

import io
import struct
import subprocess
import sys

import metalmom as mm
import numpy as np
import pytest
from audio_files import encode, needs_io, sines

pytestmark = needs_io


def page(number, flags, granule, *packets):
    """A page of an Ogg file (RFC 3533, section 6)."""
    lacing = b"".join(b"\xff" * (len(packet) // 255) + bytes([len(packet) % 255]) for packet in packets)
    head = struct.pack("<4sBBQII", b"OggS", 0, flags, granule, 7, number)
    rest = bytes([len(lacing)]) + lacing + b"".join(packets)
    checksum = 0
    for byte in head + bytes(4) + rest:
        checksum ^= byte << 24
        for _ in range(8):
            checksum = (checksum << 1 ^ (0x04C11DB7 if checksum >> 31 else 0)) & 0xFFFFFFFF
    return head + struct.pack("<I", checksum) + rest


def packed(*fields):
    """Numbers of so many bits, as Vorbis packs them: the lowest first."""
    value = place = 0
    for number, width in fields:
        value |= number << place
        place += width
    return value.to_bytes((place + 7) // 8, "little")


def vorbis(words):
    """A Vorbis stream with one book of so many words of one bit each (Vorbis I, section 4.2)."""
    book = [(0x564342, 24), (1, 16), (words, 24), (0, 2), *[(0, 5)] * words, (0, 4)]
    floor = [(1, 16), (0, 5), (0, 2), (4, 4)]
    residue = [(0, 16), (0, 24), (0, 24), (0, 24), (0, 6), (0, 8), (0, 4)]
    mapping, mode = [(0, 16), (0, 4), (0, 24)], [(0, 1), (0, 16), (0, 16), (0, 8)]
    setup = packed((0, 8), *book, (0, 6), (0, 16), (0, 6), *floor, (0, 6), *residue, (0, 6), *mapping, (0, 6), *mode, (1, 1))  # fmt: skip
    identification = b"\x01vorbis" + struct.pack("<IBIIIIBB", 0, 1, 8000, 0, 0, 0, 0x88, 1)
    comment = b"\x03vorbis" + struct.pack("<IIB", 0, 0, 1)
    return (page(0, 2, 0, identification) + page(1, 0, 0, comment, b"\x05vorbis" + setup)
            + page(2, 4, 8000, bytes(20), bytes(20), bytes(20)))  # fmt: skip


def opus(*granules):
    """An Opus stream of pages of silence that say to end at these samples, the last one with the flag of the end."""
    content = page(0, 2, 0, b"OpusHead" + struct.pack("<BBHIhB", 1, 1, 312, 48000, 0, 0))
    content += page(1, 0, 0, b"OpusTags" + struct.pack("<II", 0, 0))
    for i, granule in enumerate(granules):
        content += page(2 + i, 4 if i == len(granules) - 1 else 0, granule, *[b"\xf8\xff\xfe"] * 5)
    return content


@pytest.mark.parametrize("offset", [0.0, 0.01, -0.01])
def test_a_vorbis_stream_of_tables_that_cannot_be_built(offset):
    """To seek in it, libsndfile 1.2.0 reads through a null pointer."""
    whole, _ = mm.load(vorbis(2), sr=None)  # a book may have two words of one bit
    part, _ = mm.load(vorbis(2), sr=None, offset=offset)
    assert np.array_equal(part, whole[int(offset * 8000) :])
    if not offset:
        assert mm.load(vorbis(3), sr=None)[0].size == 0
        return
    with pytest.raises(mm.AudioError):
        mm.load(vorbis(3), sr=None, offset=offset)


def test_an_opus_stream_in_which_libsndfile_seeks_without_end():
    """Nothing can interrupt it there."""
    program = """
import sys, metalmom
try:
    metalmom.load(sys.stdin.buffer.read(), sr=None, offset=-0.001)
except metalmom.AudioError:
    print("refused")
"""
    content = opus(2**31 + 5112, 960) + b"OggS"  # its end is missing, so that its samples must be counted
    done = subprocess.run([sys.executable, "-c", program], input=content, capture_output=True, check=True, timeout=30)
    assert done.stdout.split() == [b"refused"]


@pytest.mark.parametrize("threads", [1, 4])
def test_damage_at_the_beginning_is_told_for_any_number_of_threads(tmp_path, rng, threads):
    """Threads that decode parts of a file seek, and libFLAC says nothing of damage that it meets while it seeks."""
    path = encode(tmp_path / "long.flac", rng.standard_normal((700_000, 1)).astype(np.float32) / 8, 44100)
    content = bytearray(path.read_bytes())
    at = content.index(b"\xff\xf8") + 100
    content[at : at + 100] = bytes(100)
    with mm.config_context(threads=threads), pytest.raises(mm.AudioError, match=r"after 0\.00 s"):
        mm.load(bytes(content), sr=None)


@pytest.mark.parametrize("name, options", [
    ("song.wav", ["-rf64", "always"]), ("song.w64", []), ("song.mka", []), ("song.caf", []), ("song.aiff", []), ("song.au", []),
])  # fmt: skip
def test_a_file_without_its_end_is_an_error(tmp_path, name, options):
    """libsndfile and ffmpeg decode some of these to wherever they end, and say nothing."""
    path = encode(tmp_path / name, sines(1.0), 8000, *options)
    content = path.read_bytes()
    assert mm.load(content, sr=None)[0].size >= 8000
    for lacking in (400, len(content) // 10, len(content) // 2):
        with pytest.raises(mm.AudioError):
            mm.load(content[:-lacking], sr=None)


class Shortened(io.BytesIO):
    """A file that another program makes shorter while it is read."""

    left = 2

    def read(self, size=-1):
        self.left -= 1
        return super().read(size)[:5] if self.left < 0 else super().read(size)


@pytest.mark.parametrize("suffix", ["wav", "aiff", "au", "flac", "ogg", "mp3"])
def test_a_file_that_becomes_shorter_while_it_is_read(tmp_path, rng, suffix):
    path = encode(tmp_path / f"song.{suffix}", rng.standard_normal((200_000, 1)).astype(np.float32) / 8, 44100)
    for left in range(6):
        file = Shortened(path.read_bytes())
        file.left = left
        try:
            y, _ = mm.load(file, sr=None)
        except mm.AudioError:
            continue
        assert y.size >= 199_000  # a header that says less than the file holds
