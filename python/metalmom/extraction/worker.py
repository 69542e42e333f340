"""The process that decodes and computes, shard by shard: what a broken file can take with it is this alone.

A shard's files are decoded, their features computed, its tables written, its receipt last. `serve` is what a
child does, which is forked from `fork_server`: what it is about to do it says before it does it, so that
whoever reads that knows which files were in hand when it ended. It ends when its input does.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import pathlib
import queue
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from .. import _native
from .._engine.config import set_config
from ..util._types import Array
from ..util.exceptions import AudioError, DeviceError, LibrosaError
from .inputs import shown
from .long_files import LongFiles, bytes_per_second
from .messages import (
    COMPUTE, COMPUTED, DECODE, DECODED, DONE, ERROR, MEMORY, WRITE, WRITTEN, Message, OutOfMemory, line_of,
)  # fmt: skip
from .recipes import Recipe
from .records import Entry, Manifest, Plan, Receipt, below, kept_columns, read_manifest, root_of
from .samples import AudioCache, Decoded, Decoder
from .schema import BLANK, OK, Outcome, Schema
from .store import PLAN, is_full, open_store, receipt_name, table_name
from .tables import FORMATS, Table

# The most clips, and samples, that the Extractor gets together: enough to keep it busy.
_CLIPS_TOGETHER, _SAMPLES_TOGETHER = 64, 1 << 18

# Samples and rows are in memory as they come, and again as the engine or a table wants them.
_TIMES_IN_MEMORY = 2

# The least limit of a process, however small the memory of the run: to write tables takes this much.
_LEAST_MEMORY = 256 << 20


class DeviceWasLost(Exception):
    """No file's fault: a process has to do it that opens the device anew."""


class Worker:
    """What computes shards of one run.

    Parameters
    ----------
    job : dict
        The run, in values that JSON has: ``out``, ``manifest``, ``memory``, ``memory_of_all``, ``spool``,
        ``cache``, ``cache_limit``.
    report : callable
        Called with the name of a stage and keywords as the work goes on.
    """

    def __init__(self, job: Message, report: Callable[..., object] = lambda stage, **about: None) -> None:
        self.store = open_store(job["out"])
        self.manifest: Manifest = job["manifest"]
        self.recipe = Recipe(self.manifest["recipe"])
        self.schema = Schema.load(self.manifest["schema"])
        self.keep_columns, self.root = kept_columns(self.manifest), root_of(self.manifest)
        self.fields = self.schema.fields(self.recipe.aggregate, self.keep_columns)
        self.report = report
        cache = job["cache"] and AudioCache(job["cache"], self.recipe.sr, job["cache_limit"])
        # a quarter is for the samples and rows of a file that is in memory
        a_second = _TIMES_IN_MEMORY * (4 * self.recipe.sr + bytes_per_second(self.schema.parts))
        self.most_samples = max(int(job["memory"] / 4 / a_second * self.recipe.sr), _SAMPLES_TOGETHER)
        self.decoder = Decoder(self.recipe.sr, self.most_samples, job["spool"], cache, self.root)
        self.long_files = LongFiles(self.recipe, self.schema, job["memory_of_all"], job["spool"])

    def run(self, shard: int, entries: list[Entry], bad: dict[int, str]) -> Receipt:
        """Compute a shard and write it; `bad` has the errors of files that are not to be tried.

        Raises
        ------
        OutOfMemory
            Where its tables cannot be written.
        DeviceWasLost
        """
        try:
            with self.store.in_work():
                self._require_own_run(entries)
                return self._written(shard, entries, bad)
        except OutOfMemory:
            raise
        except MemoryError as error:
            raise OutOfMemory([entry.file_id for entry in entries]) from error

    def try_alone(self, entry: Entry) -> None:
        """Decode and compute one file, and keep nothing: whoever asks sees whether it survives."""
        for _ in self._computed([entry], {}):
            pass

    def _require_own_run(self, entries: list[Entry]) -> None:
        """Refuse to write for a run in whose place another one has begun anew."""
        manifest = read_manifest(self.store)
        own = manifest is not None and manifest["fingerprint"] == self.manifest["fingerprint"]
        if own and self.store.has_locks:  # elsewhere a plan of megabytes would be fetched for each shard
            own = Plan(entries, self.root).dump() in (self.store.read(PLAN) or b"")
        if not own:
            raise LibrosaError(f"{self.store} belongs to another run now")

    def _written(self, shard: int, entries: list[Entry], bad: dict[int, str]) -> Receipt:
        """The receipt of a shard, which is computed and written."""
        note = {name: self.manifest[name] for name in ("recipe", "fingerprint")}
        with contextlib.ExitStack() as stack:
            make = FORMATS[self.manifest["format"]]
            paths: dict[str, pathlib.Path] = {}
            writers: dict[str, Table] = {}
            for table, fields in self.fields.items():
                paths[table] = stack.enter_context(self.store.writing(self._name(table, shard)))
                writers[table] = make(os.fspath(paths[table]), fields, note)
            rows = self._rows(entries, bad, writers)
            started = time.perf_counter()
            self.report(WRITE)
            writers["files"].append({name: [row[name] for row in rows] for name in self.fields["files"]})
            for writer in writers.values():
                writer.close()
            receipt = {
                "shard": shard,
                "files": len(rows),
                "failed": [[row["file_id"], row["error"]] for row in rows if row["status"] != OK],
                "tables": {self._name(table, shard): {"rows": writers[table].rows, **_hashed(paths[table])}
                           for table in sorted(paths)},
            }  # fmt: skip
        self.store.write_json(receipt_name(shard), receipt)
        self.report(WRITTEN, seconds=time.perf_counter() - started)
        return receipt

    def _name(self, table: str, shard: int) -> str:
        return table_name(table, shard, self.manifest["format"])

    def _rows(
        self, entries: list[Entry], bad: dict[int, str], writers: Mapping[str, Table]
    ) -> list[dict[str, Any]]:
        """Rows of the table of files, in their order; frames go to their writers meanwhile."""
        blank = {name: BLANK[dtype] for name, (dtype, _) in self.fields["files"].items()}
        rows = []
        for entry, duration, rate, outcome in self._computed(entries, bad):
            outcome.require_one_grid()
            cells = outcome.cells(self.recipe.aggregate)
            rows.append({**blank, "file_id": entry.file_id, "path": shown(below(self.root, entry.path)),
                         **dict(zip(self.keep_columns, entry.labels, strict=True)), "duration": duration,
                         "sr": rate, "status": outcome.status, "error": outcome.told, **cells})  # fmt: skip
            try:
                for table, parts in self.schema.tables.items():
                    columns = outcome.columns(parts)
                    if columns:
                        count = len(columns[parts[0].index_column])
                        columns["file_id"] = np.full(count, entry.file_id, np.int32)
                        writers[table].append(columns)
            except MemoryError as error:
                raise OutOfMemory([entry.file_id]) from error
        return rows

    def _computed(
        self, entries: list[Entry], bad: dict[int, str]
    ) -> Iterator[tuple[Entry, float, float, Outcome]]:
        """(entry, seconds, own rate, `Outcome`) of each file, in order."""
        for some in _portions((entry, self._decoded(entry, bad)) for entry in entries):
            good = [(entry.file_id, decoded.y) for entry, decoded in some if not isinstance(decoded, Exception)]
            outcomes = iter(self._extracted(*zip(*good)) if good else ())
            for entry, decoded in some:
                if isinstance(decoded, Exception):
                    yield entry, math.nan, math.nan, Outcome.failed(self.schema, decoded)
                else:
                    yield entry, decoded.y.size / self.recipe.sr, decoded.rate, next(outcomes)

    def _extracted(self, ids: Sequence[int], clips: Sequence[Array]) -> list[Outcome]:
        started = time.perf_counter()
        self.report(COMPUTE, ids=ids)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # every short clip would warn
            outcomes = self._outcomes(clips)
        if any(outcome.errors for outcome in outcomes) and _has_lost_its_device():
            raise DeviceWasLost
        self.report(COMPUTED, ids=ids, seconds=time.perf_counter() - started,
                    failed=[i for i, outcome in zip(ids, outcomes) if outcome.errors])  # fmt: skip
        return outcomes

    def _outcomes(self, clips: Sequence[Array]) -> list[Outcome]:
        """The outcomes of clips: of all together; where that fails of each alone, then feature by feature."""
        if all(clip.size < self.most_samples for clip in clips):
            with contextlib.suppress(Exception):
                return [Outcome(self.schema, values) for values in self.recipe.extractor._outcomes(clips)]
        if len(clips) > 1:
            return [outcome for clip in clips for outcome in self._outcomes([clip])]
        try:
            return [self.long_files(clips[0])]
        except Exception as error:
            return [Outcome.failed(self.schema, error)]

    def _decoded(self, entry: Entry, bad: dict[int, str]) -> Decoded | Exception:
        """Samples of a file, or the error."""
        if entry.file_id in bad:
            self.report(DECODED, id=entry.file_id, bytes=entry.size, failed=True)
            return AudioError(bad[entry.file_id])
        started = time.perf_counter()
        self.report(DECODE, id=entry.file_id)
        decoded: Decoded | Exception
        try:
            decoded = self.decoder(entry)
            audio = decoded.y.size / self.recipe.sr
        except Exception as error:
            if is_full(error):
                raise
            decoded, audio = error, 0.0
        self.report(DECODED, id=entry.file_id, bytes=entry.size, audio=audio,
                    seconds=time.perf_counter() - started,
                    failed=isinstance(decoded, Exception))  # fmt: skip
        return decoded


def _has_lost_its_device() -> bool:
    """Whether this process has opened a device, which it cannot use any more."""
    if not _native.device_is_open():
        return False
    try:
        _native.open_device()
    except DeviceError:
        return True
    return False


def _portions(
    decoded: Iterable[tuple[Entry, Decoded | Exception]]
) -> Iterator[list[tuple[Entry, Decoded | Exception]]]:
    portion, samples = [], 0
    for entry, each in decoded:
        portion.append((entry, each))
        samples += getattr(each, "y", np.empty(0)).size
        if len(portion) >= _CLIPS_TOGETHER or samples >= _SAMPLES_TOGETHER:
            yield portion
            portion, samples = [], 0
    if portion:
        yield portion


def _hashed(path: pathlib.Path) -> dict[str, Any]:
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"bytes": file.tell(), "sha256": digest}


def serve(descriptor: int) -> NoReturn:
    """Serve the commands that come by a socket, and tell there what happens."""
    channel = socket.socket(fileno=descriptor)
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(channel, lines), daemon=True).start()
    report = _Report(channel)
    worker = None
    while True:
        try:
            message = json.loads(lines.get())
            if worker is None:
                worker = _prepared(message, report)
            else:
                result = _obey(worker, message)
                _native.save_pipelines()  # a worker's process may be ended at any time from here on
                report(DONE, result=result)
        except OSError as error:
            where = f"{os.fspath(error.filename)}: " if error.filename else ""
            report(ERROR, text=f"{where}{error.strerror or error}", errno=error.errno)
        except DeviceWasLost:
            os._exit(1)  # the run begins the shard again in another process
        except OutOfMemory as error:
            report(MEMORY, ids=error.ids)
        except MemoryError:
            report(ERROR, text="a process needs more memory (see --memory)", errno=None)
        except Exception as error:
            report(ERROR, text=f"{type(error).__name__}: {error}", errno=None)


class _Report:
    """Sends events to the run.

    What ends a stage waits for the event after it, so that the run wakes once for both.
    """

    _ENDS = (DECODED, COMPUTED)

    def __init__(self, channel: socket.socket) -> None:
        self._channel, self._waiting = channel, b""

    def __call__(self, event: str, **about: Any) -> None:
        self._waiting += line_of({**about, "event": event})
        if event not in self._ENDS:
            try:
                self._channel.sendall(self._waiting)
            except (BrokenPipeError, ConnectionResetError):
                os._exit(0)  # the run does not read any more
            self._waiting = b""


def _read(channel: socket.socket, lines: queue.SimpleQueue[bytes]) -> NoReturn:
    with contextlib.suppress(ConnectionResetError), channel.makefile("rb") as file:
        for line in file:
            lines.put(line)
    os._exit(0)  # the run has ended, in whatever way


def _prepared(job: Message, report: _Report) -> Worker:
    if job["backend"] == "cpu":  # drivers of devices map what they will
        _bound_memory(max(job["memory_of_all"], _LEAST_MEMORY))
    set_config(threads=1, backend=job["backend"])
    return Worker(job, report)


def _bound_memory(size: int) -> None:
    """Let this process take so many bytes beside what it has; more is a MemoryError.

    Where the system knows no such bound there is none.
    """
    import resource

    with contextlib.suppress(OSError, OverflowError, ValueError):  # a size that no integer of C holds is no bound
        with open("/proc/self/status") as file:
            (taken,) = (int(line.split()[1]) << 10 for line in file if line.startswith("VmData:"))
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        bound = taken + size
        resource.setrlimit(resource.RLIMIT_DATA, (bound if hard < 0 else min(bound, hard), hard))


def _obey(worker: Worker, command: Message) -> Receipt | None:
    entries = [Entry(*row) for row in command["entries"]]
    if command["shard"] is None:
        worker.try_alone(entries[0])
        return None
    bad = {int(key): text for key, text in command["bad"].items()}
    return worker.run(command["shard"], entries, bad)
