"""Files that lead to other files: playlists, links and scripts under the name of a song open nothing."""

import io
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile

import metalmom as mm
import numpy as np
import pytest
from audio_files import SR, needs_io, sines
from metalmom import cli

pytestmark = needs_io

SECRET = "secret.m4a"  # playlists refuse endings that they do not know
INTEGERS = (30000 * sines()).astype(np.int16)


def atom(name, *contents):
    """An atom of QuickTime: its size, its name, what it holds."""
    content = b"".join(contents)
    return struct.pack(">I4s", 8 + len(content), name) + content


QUICKTIME = atom(b"ftyp", b"qt  ", bytes(4), b"qt  ")


def movie(data_reference, offset, count, after=QUICKTIME):
    """A QuickTime movie of 16-bit samples of one channel, which lie at `offset` of what is referred to."""
    matrix = struct.pack(">9i", 1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30)
    mvhd = atom(b"mvhd", struct.pack(">5IiH10x", 0, 0, 0, SR, count, 1 << 16, 256), matrix, bytes(24), struct.pack(">I", 2))
    tkhd = atom(b"tkhd", struct.pack(">IIIIII8xhhHH", 7, 0, 0, 1, 0, count, 0, 0, 256, 0), matrix, bytes(8))
    mdhd = atom(b"mdhd", struct.pack(">5IHH", 0, 0, 0, SR, count, 0, 0))
    hdlr = atom(b"hdlr", struct.pack(">I4s4s12xB", 0, b"mhlr", b"soun", 0))
    sound = atom(b"sowt", struct.pack(">6xHHHIHHHHI", 1, 0, 0, 0, 1, 16, 0, 0, SR << 16))
    stbl = atom(b"stbl", atom(b"stsd", struct.pack(">II", 0, 1), sound),
                atom(b"stts", struct.pack(">4I", 0, 1, count, 1)), atom(b"stsc", struct.pack(">5I", 0, 1, 1, count, 1)),
                atom(b"stsz", struct.pack(">3I", 0, 2, count)), atom(b"stco", struct.pack(">3I", 0, 1, offset)))  # fmt: skip
    dinf = atom(b"dinf", atom(b"dref", struct.pack(">II", 0, 1), data_reference))
    minf = atom(b"minf", atom(b"smhd", bytes(8)), dinf, stbl)
    return after + atom(b"moov", mvhd, atom(b"trak", tkhd, atom(b"mdia", mdhd, hdlr, minf)))


WITHIN = atom(b"url ", struct.pack(">I", 1))  # the reference of samples that lie in the movie itself


def whole_movie():
    """A movie with its samples, whose index stands at the end."""
    samples = atom(b"mdat", INTEGERS.tobytes())
    return movie(WITHIN, len(QUICKTIME) + 8, len(INTEGERS), QUICKTIME + samples)


def alias(path):
    """A link as Macintosh files have them: the volume, the folder and the name, and the whole path.

    It is followed from /dev, where standard input is, by so many of the last names of the path.
    """
    names = os.path.relpath(path, "/dev").count("/") + 1
    path = os.fsencode(path) + b"\0" * (len(os.fsencode(path)) % 2)
    name = os.fsencode(os.path.basename(path))[:63]
    fixed = bytes(10) + bytes(28) + bytes(12) + bytes([len(name)]) + name.ljust(63, b"\0")
    fixed += bytes(16) + struct.pack(">HH", 1, names) + bytes(16)
    return atom(b"alis", bytes(4), fixed, struct.pack(">HH", 2, len(path)), path, struct.pack(">HH", 0xFFFF, 0))


def subtitles(content):
    """An AVI with one audio stream whose second stream holds a file of subtitles."""
    def chunk(name, body):
        return name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)

    def stream(kind, handler, scale, rate, form):
        head = kind + handler + struct.pack("<IHHIIIIIIIIHHHH", 0, 0, 0, 0, scale, rate, 0, 8000, 0, 0, 0, 0, 0, 0, 0)
        return chunk(b"LIST", b"strl" + chunk(b"strh", head) + chunk(b"strf", form))

    pcm = struct.pack("<HHIIHH", 1, 1, SR, 2 * SR, 2, 16)
    gab2 = b"GAB2\0" + struct.pack("<HI", 2, 2) + b"a\0" + struct.pack("<HI", 4, len(content)) + content
    streams = stream(b"auds", bytes(4), 1, SR, pcm) + stream(b"txts", bytes(4), 1, 1000, b"")
    head = chunk(b"LIST", b"hdrl" + chunk(b"avih", struct.pack("<14I", *([0] * 6), 2, *([0] * 7))) + streams)
    body = chunk(b"LIST", b"movi" + chunk(b"01tx", gab2) + chunk(b"00wb", INTEGERS.tobytes()))
    return chunk(b"RIFF", b"AVI " + head + body)


def hls(target, end="#EXT-X-ENDLIST\n"):
    return f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:{target}\n{end}".encode()


def hls_of_playlists(target):
    """A list of lists, the second of which lies beside the target."""
    inner = pathlib.Path(target).with_name("inner.m3u8")
    inner.write_bytes(hls(target))
    return f"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nfile:{inner}\n".encode()


def dash(target):
    return f"""<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"
 profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" minBufferTime="PT1S"><Period>
<AdaptationSet contentType="audio" mimeType="audio/mp4"><Representation id="1" bandwidth="9">
<BaseURL>file:{target}</BaseURL></Representation></AdaptationSet></Period></MPD>""".encode()


def concat(target):
    """A list of names; they are relative, which ffmpeg asks of those that it does not trust."""
    return f"ffconcat version 1.0\nfile '{os.path.relpath(target, '/dev')}'\n".encode()


def id3(content):
    """A tag as it stands before an MP3, and then other data."""
    return b"ID3\4\0\0" + bytes([0, 0, 0, 20]) + b"TIT2" + bytes([0, 0, 0, 10, 0, 0]) + b"\0a song   " + content


SDP = b"v=0\no=- 0 0 IN IP4 127.0.0.1\ns=a\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n"
IMF = b"""<?xml version="1.0" encoding="UTF-8"?>
<CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><ContentTitle>a</ContentTitle>
</CompositionPlaylist>"""
PICTURE = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII5B", 13, b"IHDR", 1, 1, 8, 0, 0, 0, 0)
SCRIPT = b"a: 200+8/30\nNOW a\n"  # ffmpeg plays it for ever

# What a file holds that leads to another one, by what it is called.
LINKS = {
    "hls": hls,
    "endless hls": lambda target: hls(target, end=""),
    "hls of playlists": hls_of_playlists,
    "hls behind a tag": lambda target: id3(hls(target)),
    "dash": dash,
    "ffconcat": concat,
    "ffconcat behind a tag": lambda target: id3(concat(target)),
    "dref": lambda target: movie(alias(target), len(QUICKTIME) + 8, len(INTEGERS)),
}  # fmt: skip

# What leads to no file that is here: ffmpeg has an ear for it, and it has no samples, or no end.
OTHERS = {"sdp": SDP, "imf": IMF, "picture": PICTURE, "endless script": SCRIPT, "ffmetadata": b";FFMETADATA1\ntitle=a\n"}


@pytest.fixture
def secret():
    """A file of sound elsewhere: where the system allows, in a folder of /dev, which the lists of names may lead to."""
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=shared, prefix="a") as folder:
        path = pathlib.Path(folder, SECRET)
        path.write_bytes(whole_movie())
        yield path


def decoded_by_ffmpeg(path, *options):
    """The samples of a tenth of a second that ffmpeg gives where nothing is forbidden, fed as `load` feeds it."""
    with open(path, "rb") as file, subprocess.Popen(
        ["ffmpeg", "-v", "error", *options, "-i", "file:/dev/stdin", "-map", "0:a:0", "-f", "s16le", "-flush_packets", "1", "-"],
        stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # fmt: skip
        try:
            return np.frombuffer(process.stdout.read(2 * (SR // 10)), np.int16)
        finally:
            process.kill()


FOREIGN = "is damaged or is no audio file: it is a playlist, or of another format that holds no audio itself"
UNKNOWN = "is damaged or is no audio file: ffmpeg says: Invalid data found when processing input"
ELSEWHERE = "is damaged or is no audio file: its sound lies in another file, which is not opened"


def refusal(path):
    with pytest.raises(mm.AudioError) as raised:
        mm.load(path, sr=None, duration=1)
    return str(raised.value)


@pytest.mark.parametrize("link", LINKS)
def test_a_song_that_leads_to_another_file_is_refused(link, secret, tmp_path):
    path = tmp_path / "song.m4a"
    path.write_bytes(LINKS[link](secret))
    if shutil.which("ffmpeg"):  # which does open the other file, where it may
        options = ["-enable_drefs", "1", "-use_absolute_path", "1"] if link == "dref" else []
        np.testing.assert_array_equal(decoded_by_ffmpeg(path, *options), INTEGERS[: SR // 10, 0])
    told = refusal(path)
    assert "song.m4a" in told and str(secret.parent) not in told
    assert told.endswith(ELSEWHERE if link == "dref" else FOREIGN)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_song_is_refused(name, tmp_path):
    path = tmp_path / "song.m4a"
    path.write_bytes(OTHERS[name])
    # "imf" is unknown to some builds of ffmpeg, which then find nothing that they know
    assert refusal(path).endswith((FOREIGN, UNKNOWN) if name == "imf" else FOREIGN)


BLOCKS = {"block_length": 1, "frame_length": 512, "hop_length": 512, "sr": None}
CALLS = {
    "memory": lambda path: mm.load(memoryview(path.read_bytes()), sr=None),
    "an open file": lambda path: mm.load(io.BytesIO(path.read_bytes()), sr=None),
    "a descriptor": lambda path: mm.load(os.open(path, os.O_RDONLY), sr=None),
    "numbers": lambda path: mm.load(path, sr=None, mono=False, dtype=np.int16),
    "stream": lambda path: next(mm.stream(path, **BLOCKS)),
    "get_samplerate": mm.get_samplerate,
    "get_duration": lambda path: mm.get_duration(path=path),
}


@pytest.mark.parametrize("link", ["hls", "ffconcat", "dref"])
@pytest.mark.parametrize("call", CALLS)
def test_every_way_of_reading_refuses_it(call, link, secret, tmp_path):
    path = tmp_path / "song.mp3"
    path.write_bytes(LINKS[link](secret))
    with pytest.raises(mm.AudioError, match="is no audio file"):
        CALLS[call](path)


def test_extract_quarantines_it_and_keeps_no_samples(secret, tmp_path):
    songs, kept = tmp_path / "songs", tmp_path / "kept"
    songs.mkdir()
    for link in ("hls", "dref"):
        (songs / f"{link}.m4a").write_bytes(LINKS[link](secret))
    (songs / "own.m4a").write_bytes(whole_movie())
    out = tmp_path / "out"
    mm.extract(songs, out, features=["rms"], sr=SR, format="npz", cache_audio=kept, progress="none")
    errors = dict(zip("dref hls own".split(), mm.open_features(out).files["error"], strict=True))
    assert "is no audio file" in errors["dref"] and "is no audio file" in errors["hls"] and errors["own"] == ""
    assert len(list(kept.rglob("*.f32"))) == 1


def test_profile_refuses_it(secret, tmp_path, capsys):
    path = tmp_path / "song.m4a"
    path.write_bytes(hls(secret))
    assert cli.main(["profile", str(path)]) == 1
    assert "song.m4a is damaged or is no audio file" in capsys.readouterr().err


FAKE = """#!/bin/sh
printf '%s\\n' "$@" > "$0.arguments"
exec {ffmpeg} "$@"
"""


def test_ffmpeg_may_find_formats_of_audio_alone(secret, tmp_path, monkeypatch):
    """None of those that open other files, find devices, or run and generate what a text says."""
    real = shutil.which("ffmpeg")
    if real is None:
        pytest.skip("no ffmpeg")
    fake = tmp_path / "ffmpeg"
    fake.write_text(FAKE.format(ffmpeg=real))
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert mm.load(secret, sr=None)[0].size == len(INTEGERS)
    arguments = (tmp_path / "ffmpeg.arguments").read_text().splitlines()
    options = dict(zip(arguments, arguments[1:]))
    assert (options["-protocol_whitelist"], options["-i"]) in {("fd", "fd:"), ("file", "file:/dev/stdin")}
    allowed = set(options["-format_whitelist"].split(","))
    assert {"mov", "matroska", "mp3", "wav", "ogg", "asf", "aac", "avi", "mpegts"} <= allowed
    assert not allowed & {
        "hls", "applehttp", "dash", "concat", "sdp", "rtsp", "rtp", "sap", "imf", "image2", "image2pipe", "vobsub", "mlv",
        "webm_dash_manifest", "avisynth", "vapoursynth", "lavfi", "sbg", "ffmetadata", "libgme", "libcdio", "bluray",
        "dvdvideo", "alsa", "pulse", "jack", "v4l2", "x11grab", "fbdev", "tty", "rawvideo", "data", "s16le",
    }  # fmt: skip


def test_a_movie_with_its_own_samples_and_its_index_at_the_end(secret):
    y, sr = mm.load(secret, sr=None)
    assert sr == SR and np.array_equal(y, (INTEGERS[:, 0] / 32768).astype(np.float32))


def test_subtitles_within_a_film_open_nothing(secret, tmp_path):
    """The samples are the film's own, or there are none."""
    path = tmp_path / "song.avi"
    path.write_bytes(subtitles(hls(secret)))
    y, _ = mm.load(path, sr=None)
    assert np.array_equal(y, (INTEGERS[:, 0] / 32768).astype(np.float32))
