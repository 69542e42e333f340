"""Children that compute shards, and what becomes of a shard whose child ends or hangs.

The files that were in hand are suspects. Each is tried alone, in a child of its own: one that does
not survive this gets its row with an error, and the shard is computed again without it.
"""

import contextlib
import itertools
import json
import os
import select
import signal
import threading
import time

from .._engine.config import setting_of
from ..util.exceptions import LibrosaError
from . import fork_server
from .inputs import shown
from .messages import (
    AGAIN,
    COMPUTE,
    COMPUTED,
    DECODE,
    DECODED,
    DONE,
    ERROR,
    MEMORY,
    RUN,
    TRY,
    event_of,
    line_of,
)

__all__ = ["TRIES", "Child", "ChildEnded", "RunError", "Supervisor"]

# How often a shard is tried if its process ends although each of its files survives alone.
TRIES = 3
_TOO_LARGE = "its tables need more than the memory that the run may take (see --memory)"
# Seconds per byte that decoding may take without a sign of life, beside what the run allows for
# each file.
_SECONDS_A_BYTE = 1e-5
# What `poll` is asked to wait at a time: it counts milliseconds in 32 bits.
_MOST_SECONDS = 3600.0


class RunError(LibrosaError):
    """What ends a run: no file's fault."""

    def __init__(self, text, errno=None):
        super().__init__(text)
        self.errno = errno


class ChildEnded(Exception):
    """A child ended, or was ended because it hung."""

    def __init__(self, why, suspects):
        super().__init__(why)
        self.why, self.suspects = why, suspects


class _NeedsMemory(Exception):
    """Files whose tables need more memory than there is."""

    def __init__(self, ids):
        super().__init__()
        self.ids = ids


_children = itertools.count()


def _backend_of_next_child(name):
    """One device of a backend that names several: a child computes a file at a time, which is on one."""
    setting = setting_of(name)
    if setting.side != "gpu" or len(setting.devices) == 1:
        return name
    return f"gpu:{setting.devices[next(_children) % len(setting.devices)]}"


class Child:
    """A process that computes, and the pipes to it.

    Parameters
    ----------
    server : ForkServer
        What it is forked from.
    inherit : sequence of int
        Descriptors that it keeps open: the lock of OUT.
    """

    def __init__(self, server, inherit=()):
        theirs_in, self._commands = os.pipe()
        try:
            self._events, theirs_out = os.pipe()
        except OSError:
            os.close(theirs_in)
            os.close(self._commands)
            raise
        self._server = server
        try:
            self._number = server.fork([theirs_in, theirs_out, *inherit])
        except OSError as error:
            os.close(self._commands)
            os.close(self._events)
            raise RunError("the process that begins the workers has ended") from error
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._status = None
        self._poll = select.poll()  # `select` takes no descriptors from 1024 on
        self._poll.register(self._events, select.POLLIN)
        self._rest = b""
        self.has_job = False

    def give_job(self, job):
        """Tell it, before anything is asked, what `shard.Worker` takes."""
        self._send(job)
        self.has_job = True

    def _send(self, message):
        data = line_of(message)
        # the child's end is noticed when its answer is read
        with contextlib.suppress(BrokenPipeError):
            while data:
                data = data[os.write(self._commands, data) :]

    def ask(self, command, heard=lambda event: None, patience=None):
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
        decoding, computing = {}, []
        while True:
            limit = None
            if patience is not None and decoding:
                limit = min(since + patience + _SECONDS_A_BYTE * sizes.get(each, 0)
                            for each, since in decoding.items())  # fmt: skip
            event = self._next(limit)
            if event is None:
                hung = limit is not None and time.monotonic() >= limit
                suspects = [*decoding, *computing]
                what = "decoding" if decoding else "computing" if computing else "writing"
                why = f"{what} took too long" if hung else f"{what} {self._ending()}"
                self.end()
                raise ChildEnded(why, suspects)
            kind = event["event"]
            if kind == DECODE:
                decoding[event["id"]] = time.monotonic()
            elif kind == DECODED:
                decoding.pop(event["id"], None)
            elif kind == COMPUTE:
                computing = event["ids"]
            elif kind == COMPUTED:
                computing = []
            elif kind == DONE:
                return event["result"]
            elif kind == MEMORY:
                raise _NeedsMemory(event["ids"])
            elif kind == ERROR:
                raise RunError(event["text"], event["errno"])
            heard(event)

    def _next(self, limit):
        """The next event; None where there is none any more, or none in time."""
        while b"\n" not in self._rest:
            left = _MOST_SECONDS if limit is None else limit - time.monotonic()
            if not self._poll.poll(1000 * min(max(left, 0.0), _MOST_SECONDS)):
                if limit is not None and time.monotonic() >= limit:
                    return None
                continue
            more = os.read(self._events, 1 << 16)
            if not more:
                return None
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def _ending(self):
        """How the process ended, in words."""
        status = self._status = self._server.status(self._number)
        if status is None:
            return "lost its process"
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"crashed ({signal.Signals(-status).name})"
        return f"ended its process (status {status})"

    def end(self):
        """End the process, and what it has started, and let its pipes go."""
        if self._status is None:  # the server tells it once, and then knows the process no more
            self._server.kill(self._number)
            self._server.status(self._number)
        os.close(self._commands)
        os.close(self._events)


class Supervisor:
    """Computes shards in children, as many at a time as there are callers.

    Parameters
    ----------
    inherit : sequence of int
        Descriptors that children keep open.
    patience : float
        Seconds that the decoding of a file may take, beside what its size allows.

    Attributes
    ----------
    job : dict
        What `shard.Worker` takes; to be set before anything is computed.
    """

    def __init__(self, inherit=(), patience=None):
        self.job, self.inherit, self.patience = None, inherit, patience
        self._lock = threading.Lock()
        self._server, self._idle = None, []
        self._ended = False

    def start(self, count):
        """Start so many children now, which import what they need before there is anything to do."""
        children = []
        try:
            for _ in range(count):
                children.append(self._child())
        finally:
            for child in children:
                self._give_back(child)

    def _child(self):
        with self._lock:
            if self._ended:
                raise RunError("the run was ended")
            if self._idle:
                return self._idle.pop()
            if self._server is None:
                self._server = fork_server.take()
            return Child(self._server, self.inherit)

    def _give_back(self, child):
        with self._lock:
            if not self._ended:
                self._idle.append(child)
                return
        child.end()

    def end(self):
        """End all children, now."""
        with self._lock:
            self._ended = True
            idle, self._idle = self._idle, []
            server, self._server = self._server, None
        if server is not None:
            server.close()
        for child in idle:
            child.end()

    def _ask(self, command, heard=lambda event: None):
        child = self._child()
        try:
            if not child.has_job:
                child.give_job({**self.job, "backend": _backend_of_next_child(self.job["backend"])})
            result = child.ask(command, heard, self.patience)
        except ChildEnded:
            if self._ended:
                raise RunError("the run was ended") from None
            raise
        except _NeedsMemory:
            self._give_back(child)
            raise
        except BaseException:
            child.end()  # what it says later would answer the next command
            raise
        self._give_back(child)
        return result

    def compute(self, shard, entries, bad=None, heard=lambda event: None):
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
        times = {}
        tries = 0
        while True:
            command = {"do": RUN, "shard": shard, "entries": entries,
                       "bad": {str(key): text for key, text in bad.items()}}  # fmt: skip
            try:
                return self._ask(command, heard)
            except ChildEnded as ended:
                heard(event_of(AGAIN))
                found = self._survey(ended, by_id, times)
            except _NeedsMemory as error:
                heard(event_of(AGAIN))
                found = {each: _TOO_LARGE for each in error.ids if each not in bad}
            bad.update(found)
            if not found:
                tries += 1
                if tries >= TRIES:
                    raise RunError(f"shard {shard} could not be computed: {_words(times, by_id)}")

    def try_alone(self, entry):
        """Decode and compute a file and keep nothing.

        Raises
        ------
        ChildEnded
            Where its process does not survive it.
        """
        self._ask({"do": TRY, "entries": [entry]})

    def _survey(self, ended, by_id, times):
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


def _words(times, by_id):
    """The files that were in hand when children ended."""
    names = [shown(by_id[file_id].path) for file_id in times]
    return "its process ended again and again" + (f", at {', '.join(names[:3])}" if names else "")
