"""The process that children of a run are forked from, and what is left of them."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from test_extract import run, write_songs

from metalmom import _program
from metalmom.extraction import fork_server, supervisor
from metalmom.extraction.messages import line_of


@pytest.fixture
def server():
    server = fork_server.take()
    yield server
    server.close()


class Child:
    """A channel to a child; it serves commands as those of runs do, and here it is never given one."""

    def __init__(self, server):
        self.channel, theirs = socket.socketpair()
        with theirs:
            self.number = server.fork([theirs.fileno()])

    def has_ended(self):
        return self.channel.recv(1) == b""


def test_statuses(server):
    first, second = Child(server), Child(server)
    assert server.end(first.number) == -signal.SIGKILL
    assert server.end(first.number) is None  # told once
    second.channel.shutdown(socket.SHUT_WR)  # its input ends
    assert second.has_ended() and server.end(second.number) == 0
    assert first.has_ended()


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
        assert server.end(children[0].number) is None
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
server = fork_server.take()
server.fork([int(sys.argv[1])])
os.read(0, 1)
os.kill(os.getpid(), signal.SIGKILL)
"""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-c", script, str(theirs.fileno())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[theirs.fileno()]) as process, ours:
        theirs.close()
        ours.sendall(line_of({}))  # no job: the child says so, and waits
        assert b'"error"' in ours.recv(1 << 12)
        process.stdin.close()
        assert ours.recv(1) == b""  # the child has let go of it
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

        def end(self, number):
            asked.append(number)
            return -signal.SIGSEGV

    child = supervisor.Child(Server())  # its channel is closed from the beginning
    with pytest.raises(supervisor.ChildEnded, match="writing crashed .SIGSEGV"):
        child.ask({"shard": 0, "entries": []})
    assert asked == [7]


def test_modules_in_the_folder_where_a_run_was_started_are_not_taken(tmp_path, monkeypatch):
    for name in ("json", "queue", "socket"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    server = fork_server.ForkServer()
    child = Child(server)
    child.channel.shutdown(socket.SHUT_WR)
    assert child.has_ended() and server.end(child.number) == 0
    server.close()
