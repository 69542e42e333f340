"""Shards on this machine: threads that keep children busy, and what becomes of a shard whose child ends.

The files that were in hand when a child ended, or hung, are suspects. Each is tried alone, in a child of its
own: one that does not survive this gets its row with an error, and the shard is computed again without it.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import itertools
import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import trace
from ..util.exceptions import LibrosaError
from . import fork_server
from .inputs import shown
from .messages import (
    AGAIN, COMPUTE, COMPUTED, DECODE, DECODED, DONE, ERROR, MEMORY, WRITE, WRITTEN, Heard, Message, OutOfMemory,
    line_of,
)
from .options import devices_of
from .records import Entry, Receipt, Shards

Results = Iterator[tuple[int, Receipt] | None]

# How often a shard is tried if its process ends although each of its files survives alone.
TRIES = 3
_TOO_LARGE = "its tables need more than the memory that the run may take (see --memory)"
# Seconds per byte that decoding may take without a sign of life, beside what the run allows for
# each file.
_SECONDS_A_BYTE = 1e-5


class RunError(LibrosaError):
    """What ends a run: no file's fault."""

    def __init__(self, *parts: str, errno: int | None = None) -> None:
        super().__init__(*parts)
        self.errno = errno


class Control:
    """Whether the run is to stop: the first Ctrl-C lets shards in hand be finished, the second ends them.

    Signals set these and do nothing else: schedulers look at them.

    Attributes
    ----------
    stopping : bool
        No more shards are to be begun.
    at_once : bool
        Shards in hand are to be given up, too.
    why : str
        What asked for it; empty where nothing did.
    """

    def __init__(self) -> None:
        self.stopping = self.at_once = False
        self.why = ""

    def asked(self, number: int, frame: object) -> None:
        """Take a signal."""
        self.at_once = self.stopping or number == signal.SIGTERM
        self.stopping = True
        self.why = "interrupted" if number == signal.SIGINT else "terminated"


class ChildEnded(Exception):
    """A child ended, or was ended because it hung; the ids of the files that were in hand are `suspects`."""

    def __init__(self, why: str, suspects: list[int]) -> None:
        super().__init__(why)
        self.why, self.suspects = why, suspects


_children = itertools.count()


def _backend_of_next_child(name: str) -> str:
    """One device of a backend that names several: a child computes a file at a time, which is on one."""
    names = devices_of(name)
    return names[next(_children) % len(names)]


class Child:
    """A process that computes, and the channel to it.

    Parameters
    ----------
    server : ForkServer
        What it is forked from.
    inherit : sequence of int
        Descriptors that it keeps open: the lock of OUT.
    """

    def __init__(self, server: fork_server.ForkServer, inherit: Sequence[int] = ()) -> None:
        self._server = server
        self._channel, theirs = socket.socketpair()
        try:
            with theirs:
                self._number = server.fork([theirs.fileno(), *inherit])
        except OSError as error:
            self._channel.close()
            raise RunError("the process that begins the workers has ended") from error
        self._rest = b""
        self.has_job = False

    def give_job(self, job: Message) -> None:
        """Tell it, before anything is asked, what `worker.Worker` takes."""
        self._send(job)
        self.has_job = True

    def _send(self, message: Message) -> None:
        # the child's end is noticed when its answer is read
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._channel.settimeout(None)
            self._channel.sendall(line_of(message))

    def ask(self, command: Message, heard: Heard = lambda event: None, patience: float | None = None) -> Any:
        """Send a command and wait for its result; `heard` gets the events on the way.

        Raises
        ------
        ChildEnded
            With the entries that were in hand.
        RunError
            Where the child says that it cannot go on: a full disk.
        """
        sizes = {row[0]: row[2] for row in command["entries"]}
        self._send(command)
        doing, in_hand, limit = "writing", list[int](), None
        while True:
            try:
                event = self._next(limit)
            except TimeoutError:
                self.end()
                raise ChildEnded(f"{doing} took too long", in_hand) from None
            if event is None:
                raise ChildEnded(f"{doing} {_words_of(self.end())}", in_hand)
            kind = event["event"]
            if kind == DECODE:
                doing, in_hand = "decoding", [event["id"]]
                limit = patience and time.monotonic() + patience + _SECONDS_A_BYTE * sizes.get(event["id"], 0)
            elif kind == COMPUTE:
                doing, in_hand = "computing", event["ids"]
            elif kind in (DECODED, COMPUTED):
                doing, in_hand, limit = "writing", [], None
            elif kind == DONE:
                return event["result"]
            elif kind == MEMORY:
                raise OutOfMemory(event["ids"])
            elif kind == ERROR:
                raise RunError(event["text"], errno=event["errno"])
            heard(event)

    def _next(self, limit: float | None) -> Message | None:
        """The next event, until that time; None where there is none any more."""
        while b"\n" not in self._rest:
            self._channel.settimeout(None if limit is None else max(limit - time.monotonic(), 1e-3))
            try:
                more = self._channel.recv(1 << 16)
            except ConnectionResetError:  # it has not read all that it was told
                more = b""
            if not more:
                return None
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def end(self) -> int | None:
        """End the process, and what it has started, and let its channel go; its status, which is told once."""
        self._channel.close()
        return self._server.end(self._number)


def _words_of(status: int | None) -> str:
    """How a process ended."""
    if status is None:
        return "lost its process"
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"crashed ({signal.Signals(-status).name})"
    return f"ended its process (status {status})"


class Supervisor:
    """Computes shards in children, as many at a time as there are callers.

    Parameters
    ----------
    inherit : sequence of int
        Descriptors that children keep open.
    patience : float
        Seconds that the decoding of a file may take, beside what its size allows.
    job : dict
        What `worker.Worker` takes; it may be set later, before anything is computed.
    """

    def __init__(
        self, inherit: Sequence[int] = (), patience: float | None = None, job: Message | None = None
    ) -> None:
        self.inherit, self.patience, self.job = inherit, patience, job or {}
        self._lock = threading.Lock()
        self._server: fork_server.ForkServer | None = None
        self._idle: list[Child] = []
        self._ended = False

    def start(self, count: int) -> None:
        """Start so many children now, which import what they need before there is anything to do."""
        with contextlib.ExitStack() as started:
            for _ in range(count):
                started.callback(self._give_back, self._child())

    def _child(self) -> Child:
        with self._lock:
            if self._ended:
                raise RunError("the run was ended")
            if self._idle:
                return self._idle.pop()
            if self._server is None:
                self._server = fork_server.take()
            return Child(self._server, self.inherit)

    def _give_back(self, child: Child) -> None:
        with self._lock:
            if not self._ended:
                self._idle.append(child)
                return
        child.end()

    def end(self) -> None:
        """End all children, now."""
        with self._lock:
            self._ended = True
            idle, self._idle = self._idle, []
            server, self._server = self._server, None
        if server is not None:
            server.close()
        for child in idle:
            child.end()

    def _ask(
        self, shard: int | None, entries: list[Entry], bad: dict[int, str], heard: Heard = lambda event: None
    ) -> Any:
        child = self._child()
        try:
            if not child.has_job:
                child.give_job({**self.job, "backend": _backend_of_next_child(self.job["manifest"]["backend"])})
            result = child.ask({"shard": shard, "entries": entries, "bad": bad}, heard, self.patience)
        except ChildEnded:
            if self._ended:
                raise RunError("the run was ended") from None
            raise
        except OutOfMemory:
            self._give_back(child)
            raise
        except BaseException:
            child.end()  # what it says later would answer the next command
            raise
        self._give_back(child)
        return result

    def compute(
        self, shard: int, entries: list[Entry], bad: dict[int, str] | None = None,
        heard: Heard = lambda event: None,
    ) -> Receipt:
        """The receipt of a shard, whatever its files do.

        Parameters
        ----------
        shard : int
        entries : list of Entry
        bad : dict of int to str, optional
            Files that are known to end their process, with what is to be said of them.
        heard : callable
            Called with each event; with AGAIN when the shard begins anew.
        """
        bad = dict(bad or {})
        by_id = {entry.file_id: entry for entry in entries}
        times: dict[int, int] = {}
        tries = 0
        while tries < TRIES:
            try:
                return self._ask(shard, entries, bad, heard)
            except ChildEnded as ended:
                heard({"event": AGAIN})
                found = self._survey(ended, by_id, times)
            except OutOfMemory as error:
                heard({"event": AGAIN})
                found = {each: _TOO_LARGE for each in error.ids if each not in bad}
            bad.update(found)
            tries += not found
        in_hand = [shown(by_id[file_id].path) for file_id in times][:3]
        where = f", at {', '.join(in_hand)}" if in_hand else ""
        raise RunError(f"shard {shard} could not be computed: its process ended again and again{where}")

    def try_alone(self, entry: Entry) -> None:
        """Decode and compute a file and keep nothing.

        Raises
        ------
        ChildEnded
            Where its process does not survive it.
        """
        self._ask(None, [entry], {})

    def _survey(self, ended: ChildEnded, by_id: dict[int, Entry], times: dict[int, int]) -> dict[int, str]:
        """Which of the suspects end a process also when they are alone in it."""
        found = {}
        for file_id in ended.suspects:
            times[file_id] = times.get(file_id, 0) + 1
            try:
                self.try_alone(by_id[file_id])
            except ChildEnded as again:
                found[file_id] = f"{again.why}, twice"
            else:
                if times[file_id] >= TRIES:
                    found[file_id] = f"{ended.why}, {TRIES} times among other files"
        return found


@dataclasses.dataclass
class Local:
    """Computes shards side by side.

    While a child waits for the disk, another one computes: of a long run there is one child more
    than shards that are computed at a time.

    Attributes
    ----------
    supervisor : Supervisor
    jobs : int
        Shards that are computed at a time.
    """

    supervisor: Supervisor
    jobs: int

    def results(self, shards: Shards, control: Control, heard: Callable[[int, Message], None]) -> Results:
        """Yield (shard, receipt) as they are done; None every tenth of a second between.

        Parameters
        ----------
        shards : dict of int to list of Entry
        control : Control
            Once it is `stopping`, no more shards are begun; `at_once`, all are given up.
        heard : callable
            Called with (shard, event) from any thread.
        """
        turns = threading.Semaphore(self.jobs)

        def compute(shard: int, entries: list[Entry]) -> tuple[int, Receipt] | None:
            with contextlib.ExitStack() as turn:
                turn.enter_context(turns)
                if control.stopping:
                    return None
                with _spans(shard, entries) as traced:

                    def hear(event: Message) -> None:
                        traced(event)
                        if event["event"] in (WRITE, AGAIN):
                            turn.close()
                        if event["event"] == AGAIN:
                            turn.enter_context(turns)
                        heard(shard, event)

                    return shard, self.supervisor.compute(shard, entries, heard=hear)

        threads = min(self.jobs, len(shards))
        pool = concurrent.futures.ThreadPoolExecutor(threads + (len(shards) > 2 * threads))
        waiting = {pool.submit(compute, *shard) for shard in shards.items()}
        try:
            while waiting:
                done, waiting = concurrent.futures.wait(waiting, 0.1, concurrent.futures.FIRST_COMPLETED)
                if control.at_once:
                    raise RunError("the run was ended")
                yield from (future.result() for future in done)
                yield None
        finally:
            self.supervisor.end()
            pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _spans(shard: int, entries: list[Entry]) -> Iterator[Heard]:
    """Record what a child does for a shard as spans of this thread; gives what hears the child's events."""
    paths = {entry.file_id: shown(entry.path) for entry in entries}
    about: dict[str, Callable[[Message], dict[str, Any]]] = {
        DECODE: lambda event: {"path": paths[event["id"]]},
        COMPUTE: lambda event: {"files": len(event["ids"])},
        WRITE: lambda event: {},
    }

    def heard(event: Message) -> None:
        kind = event["event"]
        if kind in (*about, DECODED, COMPUTED, WRITTEN, AGAIN):
            inner.close()
        if kind in about:
            inner.enter_context(trace.span(kind, **about[kind](event)))

    with trace.span(f"shard {shard}", shard=shard), contextlib.ExitStack() as inner:
        yield heard
