"""What a run shows: a bar on a terminal, lines in a pipe, JSON; of one file, of none, of files that all fail."""

import fcntl
import importlib.util
import json
import os
import pty
import struct
import subprocess
import sys
import termios

import pytest

import metalmom
from metalmom.extraction.progress import text_of
from test_extract import run, write_songs, write_wav

pytestmark = pytest.mark.usefixtures("one_server")

COMMAND = ["--features", "rms", "--format", "npz"]


@pytest.fixture
def song(tmp_path):
    write_wav(tmp_path / "a.wav", 1.0)
    return tmp_path / "a.wav"


@pytest.fixture
def broken(tmp_path):
    folder = tmp_path / "broken"
    folder.mkdir()
    for k in range(5):
        (folder / f"{k}.wav").write_text("no audio")
    return folder


def on_a_terminal(columns, *args):
    """Status of a command, and what a terminal so wide gets of it."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen([sys.executable, "-m", "metalmom", *map(os.fspath, args)], stdin=theirs, stdout=theirs,
                               stderr=theirs)  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            more = os.read(ours, 1 << 16)
        except OSError:  # the terminal's other side is closed
            break
        if not more:
            break
        shown += more
    os.close(ours)
    return process.wait(), shown.decode()


@pytest.mark.usefixtures("terminals")
@pytest.mark.parametrize("columns", [80, 50, 0])  # some terminals tell no width
def test_a_terminal_has_the_report_alone_in_the_end(song, tmp_path, columns):
    for again in (False, True):
        status, shown = on_a_terminal(columns, "extract", song, "-o", tmp_path / "out", *COMMAND)
        *bars, first = shown.split("\r\n")[0].split("\r")
        now = "0 computed now (all were done before)" if again else "1 computed now in "
        assert status == 0 and first.startswith(f"metalmom: 1 file in {tmp_path / 'out'}: {now}")
        assert first.endswith(", 0 failed") and "slowest" not in shown
        if again or importlib.util.find_spec("tqdm") is None:
            assert bars == []
            continue
        assert bars[-1].strip() == ""  # the bar is wiped
        assert all(len(bar) <= (columns or 80) for bar in bars) and "100%|" in bars[-2] and "1/1" in bars[-2]


def test_a_pipe_has_lines(song, tmp_path):
    done = run("extract", song, "-o", tmp_path / "out", *COMMAND)
    assert done.returncode == 0 and not done.stdout and "\r" not in done.stderr
    lines = done.stderr.splitlines()
    assert lines[0].startswith("metalmom: 1 file in ") and "0.0 min of audio), 0 failed" in lines[0]
    assert lines[1].startswith("metalmom: bound by ") and len(lines) == 2


def test_json_is_json_to_the_end(song, broken, tmp_path):
    for again in (False, True):
        done = run("extract", song, broken, "-o", tmp_path / "out", *COMMAND, "--progress", "json")
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        assert done.returncode == 4 and (len(lines) == 1 if again else len(lines) >= 2)
        assert lines[-1]["summary"]["failed"] == 5 and lines[-1]["summary"]["computed"] == (0 if again else 6)
        assert again or (lines[-2]["files"], lines[-2]["of"], lines[-2]["failed"]) == (6, 6, 5)


def test_files_that_all_fail_say_why(broken, tmp_path):
    done = run("extract", broken, "-o", tmp_path / "out", *COMMAND)
    lines = done.stderr.splitlines()
    assert done.returncode == 4 and lines[0].endswith(", 5 failed") and "of audio" not in lines[0]
    assert "bound by" not in done.stderr  # decoding what is no audio bounds nothing
    assert lines[-5] == (f"metalmom: failed, as {tmp_path / 'out'}/quarantine.csv lists; --retry-failed tries again:")
    for k, line in enumerate(lines[-4:-1]):
        assert line.startswith(f"metalmom:   {broken}/{k}.wav") and line.count(".wav") == 1 and "no audio" in line
    assert lines[-1] == "metalmom:   and 2 more"


def test_no_files_at_all(tmp_path):
    (tmp_path / "empty").mkdir()
    done = run("extract", tmp_path / "empty", "-o", tmp_path / "out", *COMMAND)
    assert (done.returncode, done.stderr) == (1, "metalmom: inputs must contain at least one audio file\n")
    assert not (tmp_path / "out").exists()
    songs = write_songs(tmp_path / "empty", 2, 0.1)
    metalmom.extract(songs, tmp_path / "out", features=["rms"])
    for path in songs.iterdir():
        path.unlink()
    assert metalmom.extract(songs, tmp_path / "out", features=["rms"]).files == 2  # which have rows already


def test_lines_of_progress_are_one_for_wide_and_narrow_terminals():
    figures = {"files": 3, "of": 40, "failed": 1, "audio_hours": 1.25, "files_per_second": 2.5,
               "times_real_time": 310.4, "seconds_left": 61.0, "bound_by": "decoding (70 %)"}  # fmt: skip
    assert text_of(figures) == ("3/40 files, 1:01 left, 1 failed, 1.25 h of audio, 2.5 files/s, "
                                "310x real time, bound by decoding (70 %)")  # fmt: skip
    assert text_of(figures, is_narrow=True) == "3/40, 1:01 left, 1 failed, 1.25 h, 2.5/s, 310x, decoding (70 %)"
    few = {**figures, "failed": 0, "bound_by": None, "audio_hours": 0.25}
    assert text_of(few, True) == "3/40, 1:01 left, 15.0 min, 2.5/s, 310x"
