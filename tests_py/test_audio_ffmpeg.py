"""What libsndfile cannot read: decoded by an ffmpeg process, or refused with advice."""

import io
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from audio_files import encode, ffmpeg_samples, needs_io, sines

import metalmom as mm

pytestmark = needs_io

RATE = 44100


@pytest.fixture(scope="module")
def song(tmp_path_factory):
    """Two seconds of stereo AAC in an .m4a whose index stands at the end."""
    path = tmp_path_factory.mktemp("aac") / "song.m4a"
    return encode(path, sines(2, 2, RATE), RATE, "-c:a", "aac")


def test_the_samples_are_those_that_ffmpeg_decodes(song):
    expected = ffmpeg_samples(song, 2)
    y, sr = mm.load(song, sr=None, mono=False)
    assert sr == RATE
    assert np.array_equal(y, expected.T)
    y, _ = mm.load(song, sr=None)
    assert np.array_equal(y, expected.mean(axis=1))
    y, _ = mm.load(song)
    mixed = np.ascontiguousarray(expected.mean(axis=1))
    assert np.array_equal(y, mm.resample(mixed, orig_sr=RATE, target_sr=22050))
    y, _ = mm.load(song, sr=16000, mono=False, dtype=np.float64)
    rows = mm.resample(expected.T.astype(np.float64), orig_sr=RATE, target_sr=16000)
    assert np.array_equal(y, rows)


def test_every_kind_of_input(song):
    expected = ffmpeg_samples(song, 2).T
    for source in (song.read_bytes(), io.BytesIO(song.read_bytes()), open(song, "rb"),
                   os.open(song, os.O_RDONLY)):  # fmt: skip
        assert np.array_equal(mm.load(source, sr=None, mono=False)[0], expected)


def test_excerpts_are_parts_of_the_whole(song):
    whole, _ = mm.load(song, sr=None)
    start = int(0.6543 * RATE)
    part, _ = mm.load(song, sr=None, offset=0.6543, duration=0.5)
    assert np.array_equal(part, whole[start : start + RATE // 2])
    end, _ = mm.load(song, sr=None, offset=-0.5)
    assert np.array_equal(end, whole[len(whole) - RATE // 2 :])
    for offset in (100, -100):
        with pytest.raises(mm.AudioError, match="offset"):
            mm.load(song, offset=offset)
    assert mm.get_samplerate(song) == RATE
    assert mm.get_duration(path=song) == len(whole) / RATE


def test_blocks(song):
    whole, _ = mm.load(song, sr=None)
    settings = {"block_length": 10, "frame_length": 512, "hop_length": 512}
    blocks = list(mm.stream(song, sr=None, **settings))
    assert np.array_equal(np.concatenate(blocks), whole)


@pytest.mark.parametrize(
    "name, options, channels",
    [
        ("song.webm", ("-c:a", "libopus"), 2),
        ("song.mka", ("-c:a", "aac"), 2),
        ("song.aac", (), 2),
        ("alac.m4a", ("-c:a", "alac"), 2),
        ("song.wma", (), 2),
        ("song.ac3", (), 2),
        ("mono.m4a", ("-ac", "1"), 1),
        ("adpcm.avi", (), 2),
    ],
)
def test_other_formats(tmp_path, name, options, channels):
    rate = 48000
    path = encode(tmp_path / name, sines(1, 2, rate), rate, *options)
    y, sr = mm.load(path, sr=None, mono=False)
    assert sr == rate
    assert np.array_equal(np.atleast_2d(y), ffmpeg_samples(path, channels).T)


def test_damage_is_an_error(song, tmp_path):
    content = bytearray(song.read_bytes())
    middle = len(content) // 3
    content[middle : middle + 400] = bytes(400)
    path = tmp_path / "damaged.m4a"
    path.write_bytes(content)
    with pytest.raises(mm.AudioError, match="damaged.m4a"):
        mm.load(path)


def test_a_film_without_sound_is_an_error(tmp_path, song):
    path = tmp_path / "silent.mkv"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=d=0.1:s=32x32", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    with pytest.raises(mm.AudioError, match="silent.mkv"):
        mm.load(path)


def test_names_that_look_like_options_or_protocols(song, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected, _ = mm.load(song)
    for name in ("-i", "http:song.m4a", "concat:a|b.m4a", "pipe:0", "$(touch broken).m4a", "%03d"):
        (tmp_path / name).write_bytes(song.read_bytes())
        assert np.array_equal(mm.load(name)[0], expected), name
    assert not (tmp_path / "broken").exists()


def test_without_ffmpeg_the_error_says_what_the_file_is(song, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(mm.AudioError, match="song.m4a .*MPEG-4.*install ffmpeg"):
        mm.load(song)
    path = tmp_path / "song.webm"
    path.write_bytes(b"\x1a\x45\xdf\xa3" + bytes(100))
    with pytest.raises(mm.AudioError, match="WebM.*install ffmpeg"):
        mm.load(path)


def test_no_process_is_left_behind(song):
    mm.load(song, duration=0.1)
    next(mm.stream(song, block_length=1, frame_length=64, hop_length=64, sr=None))
    mm.get_samplerate(song)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_process_that_ignores_its_children_still_gets_its_samples(song):
    code = (
        "import signal, sys, metalmom\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "print(metalmom.load(sys.argv[1])[0].shape)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(song)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("(44")
    assert signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN
