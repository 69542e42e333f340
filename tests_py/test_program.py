"""Ctrl-C and the program: no traceback from its first moment to its last, and runs that go on."""

import json
import os
import pty
import random
import select
import signal
import subprocess
import sys
import time

import pytest
from test_extract import content_of, run, write_songs, write_wav

import metalmom
from metalmom import _program

COMMAND = ["--features", "mfcc", "--format", "npz"]

# The program as its script starts it, which says when it has begun: it is what answers from then on.
READY = """
import sys
sys.argv[0] = "metalmom"
from metalmom import _program
_program.take_over()
print("ready", flush=True)
from metalmom.cli import program
sys.exit(program())
"""


def typed(command, awaited, moments, **environment):
    """Status and output of a command on a terminal where Ctrl-C is pressed at these moments.

    Once the command has written what is awaited, these are the seconds before each.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(command[0], command, {**os.environ, **environment})
    told = b""

    def listen(seconds, awaited=None):
        """Whether the command still writes, after these seconds or once it wrote what is awaited."""
        nonlocal told
        end = time.monotonic() + seconds
        while awaited is None or awaited not in told:
            if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
                return True
            try:
                more = os.read(terminal, 1 << 16)
            except OSError:  # the last process that had the terminal has ended
                return False
            told += more
        return True

    try:
        assert listen(60, awaited), told
        for moment in moments:
            if not listen(moment):
                break
            os.write(terminal, b"\x03")
        assert not listen(60), told
    finally:
        os.kill(pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(terminal)
    return status, told.decode()


@pytest.fixture(scope="module")
def songs(tmp_path_factory):
    return write_songs(tmp_path_factory.mktemp("songs"), 6, 0.2)


@pytest.fixture(scope="module")
def undisturbed(songs, tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert run("extract", songs, "-o", out, *COMMAND, METALMOM_TEST_SHARD="2").returncode == 0
    return content_of(out)


@pytest.mark.parametrize("start", ["module", "script"])
def test_interrupted_while_it_is_imported(tmp_path, start):
    """Interrupts that come while NumPy is imported: what comes before is Python's own start."""
    # Of the program alone: the process that children are forked from has "-c" for a name.
    (tmp_path / "numpy.py").write_text(
        "import os, signal, sys, time\n"
        "if sys.argv == ['-c']:\n    os._exit(0)\n"
        "os.kill(os.getpid(), signal.SIGINT)\ntime.sleep(30)\n")
    script = tmp_path / "metalmom"  # as package installers write it
    script.write_text("import sys\nfrom metalmom.cli import program\nsys.exit(program())\n")
    started = {"module": ["-m", "metalmom"], "script": [script]}[start]
    sources = os.path.dirname(os.path.dirname(_program.__file__))
    done = subprocess.run(
        [sys.executable, *started, "extract", "songs", "-o", tmp_path / "out", *COMMAND],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{sources}"}, capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (_program.INTERRUPTED, "", "")


def test_what_an_interrupt_left_half_made_is_not_told_of():
    """A progress bar, say, whose constructor was interrupted and whose destructor fails for that."""
    script = READY.partition("from metalmom.cli")[0] + """
import os, signal
from metalmom._program import interruptible

class Half:
    def __init__(self):
        os.kill(os.getpid(), signal.SIGINT)
        self.whole = True
    def __del__(self):
        self.whole

sys.exit(interruptible(Half))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (_program.INTERRUPTED, "")


@pytest.mark.usefixtures("terminals")
def test_interrupted_five_times(songs, undisturbed, tmp_path):
    """Five Ctrl-C on a terminal, the first one at any moment of a run that is continued each time."""
    chance = random.Random(3)
    out = tmp_path / "out"
    args = ["extract", os.fspath(songs), "-o", os.fspath(out), *COMMAND]
    statuses = set()
    for attempt in range(12):
        gaps = [chance.choice([0, 0.001, 0.01, 0.05]) for _ in range(4)]
        status, told = typed([sys.executable, "-c", READY, *args],
                             b"ready", [chance.uniform(0, 0.5), *gaps], METALMOM_TEST_SHARD="2")  # fmt: skip
        assert "Traceback" not in told and "ignored" not in told, told
        statuses.add(status)
    assert statuses <= {0, 3, _program.INTERRUPTED}
    assert run(*args, METALMOM_TEST_SHARD="2").returncode == 0
    assert content_of(out) == undisturbed


def test_standard_streams_that_are_closed(songs, tmp_path):
    """No file of a run gets the number of a stream, and nothing is told to nobody."""
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        out = tmp_path / closed.replace(" ", "")
        words = f'exec "$0" -m metalmom "$@" {closed}'
        command = ["sh", "-c", words, sys.executable, "extract", songs, "-o", out, "--progress", "plain", *COMMAND]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (closed, done.stderr)
        assert "Traceback" not in done.stderr
        assert len(metalmom.open_features(out)) == 6
    shown = ["sh", "-c", 'exec "$0" -m metalmom "$@" >&-', sys.executable, "extract", "--list-features"]
    done = subprocess.run(shown, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_names_that_are_no_text_are_printed(tmp_path):
    song = tmp_path / "\udcff.wav"
    write_wav(song, 1.0)
    done = run("profile", song, "--json", "-", PYTHONIOENCODING="utf-8")
    assert done.returncode == 0 and json.loads(done.stdout)["file"] == str(song)
    done = run("profile", song, PYTHONIOENCODING="utf-8")
    assert done.returncode == 0 and r"\udcff.wav" in done.stdout, done.stderr
