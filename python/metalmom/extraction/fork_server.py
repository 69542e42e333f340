"""The process that children are forked from, so that metalmom is imported once for all of them.

It is a program of its own: it has one thread and has computed nothing, so forking it is safe whatever
the process of a run does with threads, locks and devices. `ForkServer` is the run's side, `serve` the
other one. They talk by packets, each the number that the run has given to a child: one with which descriptors
come begins it, and these it keeps open; the other ends it, and is answered by its status. When the run has
ended, in whatever way, so do all children.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable

__all__ = ["ForkServer", "serve", "start_early", "take"]

_MOST_BYTES, _MOST_DESCRIPTORS = 1 << 12, 16
# A child that was killed may still wait for a disk that does not answer.
_PATIENCE_SECONDS = 5.0

# One file after the other takes memory of like sizes: what a file has let go is kept for the next
# one, because pages that come anew from the system are a tenth of a run. (Dask's nanny asks for the
# opposite.) And no child calls what NumPy's linear algebra would start threads for.
_ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(64 << 20),
                "OPENBLAS_NUM_THREADS": "1"}  # fmt: skip


class ForkServer:
    """The process, as the run that has started it sees it; any thread may call."""

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        # The run decides what is done about an interrupt.
        start = ("import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
                 f"sys.path.insert(0, {here!r}); from metalmom import *; del sys.path[0]; "
                 "from metalmom.extraction import fork_server, worker; "
                 f"fork_server.serve({theirs.fileno()}, worker.serve)")  # fmt: skip
        environment = {**os.environ, **_ENVIRONMENT, "METALMOM_TEST_RUN": str(os.getpid())}
        # No module is looked for in the folder that the run was started in (-P). In a session of its own,
        # so that Ctrl-C reaches only the run, which lets its children finish.
        # What an import says here the run's own import of the same says, too.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", start], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, pass_fds=(theirs.fileno(),), start_new_session=True, env=environment,
        )  # fmt: skip
        theirs.close()
        self._lock = threading.Lock()
        self._forked = 0

    def fork(self, descriptors: list[int]) -> int:
        """Begin a child, which does `worker.serve` with the first of these and keeps the others open."""
        with self._lock:
            self._forked += 1
            socket.send_fds(self._channel, [b"%d" % self._forked], descriptors)
            return self._forked

    def end(self, number: int) -> int | None:
        """End a child and what it has started, now.

        Its status, negative where a signal ended it, be it before; None: not known, also the second time.
        """
        with self._lock, contextlib.suppress(OSError):  # without a server there are no children
            self._channel.send(b"%d" % number)
            return json.loads(self._channel.recv(_MOST_BYTES) or "null")
        return None

    def close(self) -> None:
        """End it and all children; when this returns, they have ended."""
        with self._lock, contextlib.suppress(OSError):  # it was closed, or the other side has ended
            self._channel.shutdown(socket.SHUT_RDWR)  # also where a fork of this process has it, too
            self._channel.close()
        if not self._forked:  # it may still import, and need not end that
            self._process.kill()
        self._process.wait()


_early = None


def start_early() -> None:
    """Start the one that `take` will give first: it imports metalmom while this process does."""
    global _early
    with contextlib.suppress(OSError):  # whoever needs it hears of it
        _early = ForkServer()
        atexit.register(_early.close)


def take() -> ForkServer:
    """A server for one run."""
    global _early
    server, _early = _early or ForkServer(), None
    return server


def serve(descriptor: int, child: Callable[[int], object]) -> None:
    """Fork children as a run asks for them; each does `child` with the first of its descriptors."""
    channel = socket.socket(fileno=descriptor)
    gc.freeze()  # what is there already is shared by all children, and never collected
    processes = {}  # of children that were not waited for, by their numbers
    try:
        while True:
            packet, descriptors, _, _ = socket.recv_fds(
                channel, _MOST_BYTES, _MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC)
            if not packet:
                break
            number = int(packet)
            if descriptors:
                with contextlib.suppress(OSError):  # no more processes, or memory: the run finds its channel closed
                    processes[number] = _forked(child, channel, descriptors)
                for each in descriptors:
                    os.close(each)
            else:
                status = _ended(processes.pop(number)) if number in processes else None
                with contextlib.suppress(BrokenPipeError):  # the run has ended, which the next packet says
                    channel.send(json.dumps(status).encode())
    finally:
        for process in processes.values():
            _ended(process)
    os._exit(0)


def _forked(child: Callable[[int], object], channel: socket.socket, descriptors: list[int]) -> int:
    process = os.fork()
    if process == 0:
        try:
            os.setsid()  # so that what it starts can be killed with it
            channel.close()
            child(descriptors[0])
        finally:
            os._exit(1)
    return process


def _ended(process: int) -> int | None:
    """The status of a child, which is killed with what it has started; None where it does not end."""
    with contextlib.suppress(PermissionError):
        try:
            os.killpg(process, signal.SIGKILL)
        except ProcessLookupError:  # it has not come to `setsid`
            os.kill(process, signal.SIGKILL)
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < give_up:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    return None
