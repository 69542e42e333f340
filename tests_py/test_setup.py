"""scripts/setup with its output in a file: long steps say how far they are."""

import subprocess
import time

import pytest


def watched(root, command, tmp_path):
    """Run COMMAND under `watched`, which speaks every second."""
    script = f". scripts/watched.sh; tick=1; watched building {tmp_path}/log {command}"
    return subprocess.run(["sh", "-euc", script], cwd=root, text=True, capture_output=True,
                          timeout=60, check=False)


def test_long_work_says_how_far_it_is(root, tmp_path):
    done = watched(root, "sh -c 'echo begun; echo [7/99] compiling; sleep 3.5'", tmp_path)
    assert done.returncode == 0
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines  # three, where the machine is not busy
    assert lines == [f"setup: building for {i + 1} s: [7/99] compiling" for i in range(len(lines))]
    assert (tmp_path / "log").read_text() == "begun\n[7/99] compiling\n"


@pytest.mark.parametrize("status", [0, 3])
def test_short_work_says_nothing_and_keeps_its_status(root, tmp_path, status):
    start = time.monotonic()
    done = watched(root, f"sh -c 'exit {status}'", tmp_path)
    assert (done.returncode, done.stderr) == (status, "")
    assert time.monotonic() - start < 30  # nobody waits for the watcher


def test_a_script_keeps_its_own_status(root, tmp_path):
    """scripts/sanitize told of success when what it built later succeeded."""
    script = f". scripts/watched.sh; status=1; watched building {tmp_path}/log true; exit $status"
    assert subprocess.run(["sh", "-euc", script], cwd=root, check=False).returncode == 1


def test_the_watcher_ends_with_its_script(root, tmp_path):
    """Interrupted, the script leaves nothing that goes on speaking."""
    script = f". scripts/watched.sh; tick=1; watched building {tmp_path}/log sleep 20"
    told = tmp_path / "told"
    with open(told, "w") as err:
        running = subprocess.Popen(["sh", "-euc", script], cwd=root, stderr=err)
        end = time.monotonic() + 15
        while not told.read_text() and time.monotonic() < end:
            time.sleep(0.1)
        running.kill()
        running.wait()
    assert told.read_text().startswith("setup: building for 1 s")
    time.sleep(1.5)  # the second that had begun
    said = told.read_text()
    time.sleep(2.5)
    assert told.read_text() == said
