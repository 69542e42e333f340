"""The process that decodes and computes: what a broken file can take with it is this alone.

It is forked from `fork_server` with two pipes, in which `messages` come and go: what it is about to do
it says before it does it, so that whoever reads that knows which file was in hand when it ended. It ends
when its input does.
"""

import json
import os
import queue
import threading

from . import shard
from .messages import COMPUTED, DECODED, DONE, ERROR, MEMORY, TRY, event_of, line_of

__all__ = ["main"]

# The least limit of a process, however small the memory of the run: to write tables takes this much.
_LEAST_MEMORY = 256 << 20


def main(commands, events):
    """Serve the commands that come from one descriptor; tell the other what happens."""
    lines = queue.SimpleQueue()
    threading.Thread(target=_read, args=(commands, lines), daemon=True).start()

    report = _Report(events)

    worker = None

    def obey(message):
        nonlocal worker
        if worker is None:
            worker = _prepared(message, report)
        else:
            report(DONE, result=_obey(worker, message))

    while True:
        try:
            obey(json.loads(lines.get()))
        except OSError as error:
            report(ERROR, text=_told(error), errno=error.errno)
        except shard.OutOfMemory as error:
            report(MEMORY, ids=error.ids)
        except MemoryError:
            report(ERROR, text="a process needs more memory (see --memory)", errno=None)
        except Exception as error:
            report(ERROR, text=f"{type(error).__name__}: {error}", errno=None)


class _Report:
    """Writes events for the run to read.

    What ends a stage waits for the event after it, so that the run wakes once for both.
    """

    _ENDS = (DECODED, COMPUTED)

    def __init__(self, descriptor):
        self._descriptor, self._waiting = descriptor, b""

    def __call__(self, event, **about):
        self._waiting += line_of(event_of(event, **about))
        while self._waiting and event not in self._ENDS:
            try:
                written = os.write(self._descriptor, self._waiting)
            except BrokenPipeError:
                os._exit(0)  # the run does not read any more
            self._waiting = self._waiting[written:]


def _read(descriptor, lines):
    with open(descriptor, "rb") as file:
        for line in file:
            lines.put(line)
    os._exit(0)  # the run has ended, in whatever way


def _told(error):
    where = f"{os.fspath(error.filename)}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def _prepared(job, report):
    from .._engine.config import set_config

    from .sizes import bound_memory

    if job["backend"] == "cpu":  # drivers of devices map what they will
        bound_memory(max(job["memory_of_all"], _LEAST_MEMORY))
    set_config(threads=1, backend=job["backend"])
    return shard.Worker(job, report)


def _obey(worker, command):
    entries = shard.entries_of(command["entries"])
    if command["do"] == TRY:
        return worker.try_alone(entries[0])
    bad = {int(key): text for key, text in command["bad"].items()}
    return worker.run(command["shard"], entries, bad)
