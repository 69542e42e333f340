"""The process that children of a run are forked from, and what is left of them."""

import os
import signal
import subprocess
import sys
import time

import pytest
from test_extract import run, write_songs

from metalmom import _program
from metalmom.extraction import fork_server, supervisor


@pytest.fixture
def server():
    server = fork_server.take()
    yield server
    server.close()


class Child:
    """Pipes of a child; it serves commands as those of runs do, and here it is never given one."""

    def __init__(self, server):
        theirs_in, self.commands = os.pipe()
        self.events, theirs_out = os.pipe()
        self.number = server.fork([theirs_in, theirs_out])
        os.close(theirs_in)
        os.close(theirs_out)

    def has_ended(self):
        return os.read(self.events, 1) == b""


def test_statuses(server):
    first, second = Child(server), Child(server)
    assert server.status(first.number, 0.0) is None  # it lives
    server.kill(first.number)
    assert server.status(first.number) == -signal.SIGKILL
    assert server.status(first.number, 0.0) is None  # told once
    os.close(second.commands)  # its input ends
    assert server.status(second.number) == 0
    assert first.has_ended() and second.has_ended()


def test_children_end_with_it():
    server = fork_server.take()
    children = [Child(server) for _ in range(3)]
    process = os.fork()  # which has all that a run has open, and lives longer
    if process == 0:
        time.sleep(60)
        os._exit(0)
    try:
        server.close()
        assert all(child.has_ended() for child in children)
        server.kill(children[0].number)
        assert server.status(children[0].number) is None
        with pytest.raises(OSError):
            Child(server)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def test_children_end_with_a_run_that_is_killed():
    """Also those that hang, and read no commands."""
    script = """
import os, signal, sys
from metalmom.extraction import fork_server
from metalmom.extraction.messages import line_of
server = fork_server.take()
theirs_in, commands = os.pipe()
server.fork([theirs_in, 1])
os.write(commands, line_of({}))  # no job: the child says so, and waits
os.read(0, 1)
os.kill(os.getpid(), signal.SIGKILL)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert b'"error"' in process.stdout.readline()
        process.stdin.close()
        assert process.stdout.read() == b""  # the child has let go of it
        assert process.wait() == -signal.SIGKILL


def test_a_run_whose_server_ended_says_so(tmp_path):
    children = supervisor.Supervisor()
    children.start(1)
    children._server._process.kill()
    children._server._process.wait()
    with pytest.raises(supervisor.RunError, match="has ended"):
        children.start(2)
    children.end()


@pytest.mark.parametrize(("words", "expected"), [
    ("extract songs -o out", True), ("extract --out=out songs", True), ("extract -oout songs", True),
    ("extract songs", False), ("extract -o out songs --dry-run", False),
    ("extract songs -o out --scheduler tcp://host:1", False), ("profile song -o out", False)])  # fmt: skip
def test_when_it_is_started_early(words, expected):
    assert _program.begins_run(["/usr/bin/metalmom", *words.split()]) is expected


def test_an_early_one_ends_where_no_run_begins(tmp_path):
    write_songs(tmp_path, 1, 0.1)
    done = run("extract", tmp_path, "-o", tmp_path / "out", "--features", "nothing")
    assert done.returncode == 2 and "nothing" in done.stderr


def test_the_status_of_a_child_is_asked_for_once():
    """The server tells it once: who asks again waits in vain."""
    asked = []

    class Server:
        def fork(self, descriptors):
            return 7

        def kill(self, number):
            asked.append("kill")

        def status(self, number):
            asked.append("status")
            return -signal.SIGSEGV

    child = supervisor.Child(Server())  # its pipes are closed from the beginning
    with pytest.raises(supervisor.ChildEnded, match="writing crashed .SIGSEGV"):
        child.ask({"do": "run", "entries": []})
    assert asked == ["status"]


def test_modules_in_the_folder_where_a_run_was_started_are_not_taken(tmp_path, monkeypatch):
    for name in ("json", "queue", "socket"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    server = fork_server.ForkServer()
    child = Child(server)
    os.close(child.commands)
    assert server.status(child.number, 60.0) == 0
    server.close()
