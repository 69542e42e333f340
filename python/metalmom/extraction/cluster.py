"""Shards on a Dask cluster: tasks that may run twice, or on a worker that dies, with receipts as results.

What a task returns is small; the tables lie on a file system, or in a store, that all workers see. A worker
computes in children of its own, as a single machine does, so that a broken file costs it a child and not
its process. Nothing here is imported by a run without a cluster.
"""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import functools
import gc
import json
import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .._engine.config import config_context
from ..util._packages import required
from ..util.exceptions import Argument, ParameterError
from .fingerprint import fingerprint_of
from .messages import WRITE, Message
from .recipes import Recipe
from .records import Entry, Receipt, Shards, identity
from .schema import Schema
from .supervisor import TRIES, ChildEnded, Control, Results, RunError, Supervisor

# Of each thread of a worker one task computes, one writes, and one waits there to begin.
_TASKS_A_THREAD = 3
_SECONDS_FOR_WORKERS = 30.0
# Children of a run whose client was killed are ended when the worker has not needed them so long.
_SECONDS_KEPT = 600.0


class _Work(NamedTuple):
    """A shard; or one file of it, which is tried alone."""

    shard: int
    file_id: int | None = None
    alone: bool = False  # with nothing else in work on the cluster


class Cluster:
    """Computes shards on the workers of a Dask cluster.

    Parameters
    ----------
    scheduler : str or distributed.Client
        Its address, or a client of it.
    job : dict
        What `worker.Worker` takes; workers are checked against its manifest.
    patience : float
        As for `Supervisor`.
    told : callable
        Called with sentences for the user.
    """

    def __init__(self, scheduler: Any, job: Message, patience: float, told: Callable[[str], None]) -> None:
        self._scheduler, self._open = scheduler, contextlib.ExitStack()
        self._run = uuid.uuid4().hex[:8]
        self._common = self._run, json.dumps(job), patience
        self._resource = "GPU" if job["manifest"]["backend"].startswith("gpu") else None
        self._told = told
        self._known: dict[str, int] = {}
        self._unfit: dict[str, list[str]] = {}
        self._alone_since: float | None = None
        self._count = 0

    def __enter__(self) -> Cluster:
        with self._open:  # which ends it all where this fails
            self.client = self._open.enter_context(client_of(self._scheduler))
            from distributed.scheduler import KilledWorker

            self._killed = KilledWorker
            self._open.callback(self._end_run)
            self._wait_for_workers()
            self._open = self._open.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def _end_run(self) -> None:
        # workers that do not answer, or not any more, have nothing that is to be ended
        with contextlib.suppress(Exception):
            self.client.run(end_run, self._run, on_error="ignore")

    def _wait_for_workers(self) -> None:
        if not self.client.nthreads():
            self._told("waiting for workers")
            with contextlib.suppress(TimeoutError):
                self.client.wait_for_workers(1, timeout=_SECONDS_FOR_WORKERS)
        if not self._places():
            raise self._none_fits()

    def _none_fits(self) -> RunError:
        reasons = next(iter(self._unfit.values()), ["there are none"])
        return RunError(f"no worker of the cluster can compute this: {'; '.join(reasons)}")

    def _room(self) -> int:
        """How many tasks may be in work; an error where there was no worker for them for long."""
        room = _TASKS_A_THREAD * sum(self._places().values())
        if room:
            self._alone_since = None
        elif self._alone_since is None:
            self._told("waiting for workers")
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since >= _SECONDS_FOR_WORKERS:
            raise self._none_fits()
        return room

    def _places(self) -> dict[str, int]:
        """How many tasks each worker that may be used computes at a time, by address."""
        threads = self.client.nthreads()
        new = [each for each in threads if each not in self._known and each not in self._unfit]
        if new:
            answers = self.client.run(look_at_worker, self._common[1], workers=new, on_error="return")
            for address, found in answers.items():
                self._look_at(address, found, threads[address])
        return {each: self._known[each] for each in threads if each in self._known}

    def _look_at(self, address: str, found: Any, threads: int) -> None:
        if isinstance(found, Exception):
            return self._leave_out(address, [str(found)])
        reasons, resources = found
        places = int(resources.get(self._resource, 0)) if self._resource else threads
        if not places:
            reasons.append(f"it has no resource {self._resource} (dask worker --resources {self._resource}=1)")
        if reasons:
            return self._leave_out(address, reasons)
        self._known[address] = places

    def _leave_out(self, address: str, reasons: list[str]) -> None:
        self._known.pop(address, None)
        if address not in self._unfit:
            self._unfit[address] = reasons
            self._told(f"worker {address} is left out: {'; '.join(reasons)}")

    def _submit(self, work: _Work, entries: list[Entry], bad: dict[int, str]) -> Any:
        self._count += 1
        rows = [list(entry) for entry in entries if work.file_id in (None, entry.file_id)]
        if work.file_id is None:
            task: tuple[Any, ...] = compute_shard, *self._common, work.shard, rows, bad
        else:
            task = try_file, *self._common, rows[0]
        return self.client.submit(
            *task, pure=False, resources=self._resource and {self._resource: 1},
            workers=list(self._places()) if self._unfit else None,
            key=f"metalmom-{task[0].__name__}-{self._run}-{self._count}",
        )  # fmt: skip

    def results(self, shards: Shards, control: Control, heard: Callable[[int, Message], None]) -> Results:
        """Yield (shard, receipt) as they are done; None now and then between; as `Local.results`."""
        run = _Undone(shards)
        done: queue.SimpleQueue[str] = queue.SimpleQueue()
        futures: dict[str, tuple[Any, _Work]] = {}
        try:
            while futures or (run.more and not control.stopping):
                if control.at_once:
                    raise RunError("the run was ended")
                room = self._room()
                while not control.stopping and (work := run.next(room, len(futures))):
                    future = self._submit(work, shards[work.shard], run.bad[work.shard])
                    futures[future.key] = future, work
                    future.add_done_callback(lambda future: done.put(future.key))
                try:
                    future, work = futures.pop(done.get(timeout=0.2))
                except queue.Empty:
                    yield None
                    continue
                yield self._settle(run, work, future, heard)
        except RunError:
            raise
        except Exception as error:
            # once the connection has ended, what a client raises depends on how far it has got with closing
            if self.client.status == "running" and not isinstance(error, (OSError, concurrent.futures.CancelledError)):
                raise
            raise RunError(f"the scheduler has lost the run: {error}") from error
        finally:
            with contextlib.suppress(Exception):  # of tasks that nobody waits for any more
                self.client.cancel([future for future, _ in futures.values()])

    def _settle(
        self, run: _Undone, work: _Work, future: Any, heard: Callable[[int, Message], None]
    ) -> tuple[int, Receipt] | None:
        """Take what a task came to; (shard, receipt) where a shard is done."""
        try:
            result = future.result()
        except self._killed:
            if run.died(work):
                self._told(f"workers died at shard {work.shard}: its files are each tried alone")
            return None
        except Exception:
            if work.file_id is None:
                raise
            result = None  # the file did not end its worker: computing its shard will report this error
        if work.file_id is not None:
            run.tried(work)
            return None
        if "unlike" in result:
            self._leave_out(result["worker"], result["unlike"])
            run.again(work)
            return None
        for event in result["events"]:
            heard(work.shard, event)
        return work.shard, result["receipt"]


@contextlib.contextmanager
def client_of(scheduler: Any) -> Iterator[Any]:
    """The client that is given, or one of our own where it is the address of a scheduler.

    Dask, and asyncio of its tasks, log the end of a connection with tracebacks; we tell what it means.
    """
    distributed = required("distributed", "a scheduler")
    if isinstance(scheduler, distributed.Client) and not scheduler.asynchronous:
        yield scheduler
        return
    if not isinstance(scheduler, str):
        raise ParameterError("client", scheduler, "a distributed.Client that is not asynchronous")
    logged: list[Any] = [*logging.getLogger("distributed").handlers, logging.getLogger("asyncio")]
    with contextlib.ExitStack() as stack:
        for each in logged:
            stack.callback(each.setLevel, each.level)
            each.setLevel(logging.CRITICAL)
        stack.callback(gc.collect)  # of tasks that failed asyncio tells when they are let go
        try:
            client = distributed.Client(scheduler, timeout=5, set_as_default=False)
        except Exception as error:  # transports raise all kinds of errors for a bad address
            raise RunError(Argument("scheduler", scheduler), f" does not answer: {error}") from error
        stack.callback(client.close)
        yield client


class _Undone:
    """What is still to be done of a run, and which files are suspected of killing workers.

    The files of a shard whose workers died are each tried alone, side by side. Those at which workers
    die again are tried once more with nothing else in work on the cluster: so no file is blamed for
    what another one did to the worker that both were on.
    """

    def __init__(self, shards: Shards) -> None:
        self._shards = shards
        self._waiting = collections.deque(map(_Work, shards))
        self._suspects: collections.deque[_Work] = collections.deque()
        self._surveyed: dict[int, set[int | None]] = {}
        self._deaths: collections.Counter[int] = collections.Counter()  # since a file was last blamed
        self.bad: collections.defaultdict[int, dict[int, str]] = collections.defaultdict(dict)

    @property
    def more(self) -> bool:
        """Whether anything waits to be submitted."""
        return bool(self._waiting or self._suspects)

    def next(self, room: int, in_work: int) -> _Work | None:
        """What is to be submitted next, where so many tasks are in work; None: nothing yet."""
        if self._suspects:
            return self._suspects.popleft() if not in_work and room else None
        return self._waiting.popleft() if self._waiting and in_work < room else None

    def again(self, work: _Work) -> None:
        """Do it again, first of all."""
        self._waiting.appendleft(work)

    def died(self, work: _Work) -> bool:
        """Workers died at it; True where this begins a survey of a shard."""
        shard, file_id, _ = work
        if file_id is None:
            self._deaths[shard] += 1
            files = [e.file_id for e in self._shards[shard] if e.file_id not in self.bad[shard]]
            self._surveyed[shard] = set(files)
            self._waiting.extendleft(_Work(shard, file_id) for file_id in reversed(files))
            self._end_survey(shard)
            return True
        if work.alone:
            self.bad[shard][file_id] = "its workers died"
            self._deaths[shard] = 0
            self.tried(work)
        else:
            self._suspects.append(work._replace(alone=True))
        return False

    def tried(self, work: _Work) -> None:
        """What a file does alone is known."""
        self._surveyed[work.shard].discard(work.file_id)
        self._end_survey(work.shard)

    def _end_survey(self, shard: int) -> None:
        if self._surveyed[shard]:
            return
        if self._deaths[shard] >= TRIES:
            raise RunError(f"shard {shard} could not be computed: its workers died {TRIES} times")
        self.again(_Work(shard))


# From here on what the workers of the cluster do.


class _Children:
    """The children of each run that this worker computes for: several may share a cluster."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._supervisors: dict[str, Supervisor] = {}
        self._tasks: collections.Counter[str] = collections.Counter()  # in work, by run
        self._ends: dict[str, threading.Timer] = {}

    @contextlib.contextmanager
    def of_task(self, run: str, job: str, patience: float) -> Iterator[Supervisor]:
        """Give the supervisor of a run for one of its tasks."""
        with self._lock:
            if run not in self._supervisors:
                self._supervisors[run] = Supervisor(patience=patience, job=json.loads(job))
            supervisor = self._supervisors[run]
            self._tasks[run] += 1
            if run in self._ends:
                self._ends.pop(run).cancel()
        try:
            yield supervisor
        finally:
            with self._lock:
                self._tasks[run] -= 1
                if not self._tasks[run] and run in self._supervisors:
                    self._ends[run] = threading.Timer(_SECONDS_KEPT, self.end, [run, False])
                    self._ends[run].daemon = True
                    self._ends[run].start()

    def end(self, run: str, also_in_work: bool = True) -> None:
        """End what is left of a run."""
        with self._lock:
            if self._tasks[run] and not also_in_work:  # a task has begun just now
                return
            supervisor = self._supervisors.pop(run, None)
            if run in self._ends:
                self._ends.pop(run).cancel()
        if supervisor is not None:
            supervisor.end()


_children = _Children()


@functools.lru_cache(8)
def unfit_for(job: str) -> list[str]:
    """Sentences on what keeps this process from computing for a job: it would give other numbers."""
    manifest = json.loads(job)["manifest"]
    with config_context(threads=1):
        numbers = fingerprint_of(Recipe(manifest["recipe"]), Schema.load(manifest["schema"]))
    return [f"{name} is {value!r} and must be {manifest[name]!r}"
            for name, value in {**identity(), "numbers": numbers}.items() if value != manifest[name]]  # fmt: skip


def look_at_worker(job: str, dask_worker: Any) -> tuple[list[str], dict[str, Any]]:
    """What keeps this process from computing, and the resources that it offers.

    `Client.run` fills the last argument in by its name.
    """
    return [*unfit_for(job)], dict(dask_worker.state.total_resources)


def compute_shard(
    run: str, job: str, patience: float, shard: int, entries: list[list[Any]], bad: dict[int, str]
) -> dict[str, Any]:
    """The task of a shard: its receipt, and the events on the way."""
    from distributed import get_worker, secede

    found = unfit_for(job)
    if found:
        return {"unlike": found, "worker": get_worker().address}
    events = []
    in_place = True

    def heard(event: Message) -> None:
        nonlocal in_place
        events.append(event)
        if event["event"] == WRITE and in_place:
            secede()  # while this task waits for the disk, the worker begins the next one
            in_place = False

    with _children.of_task(run, job, patience) as supervisor:
        receipt = supervisor.compute(shard, [Entry(*row) for row in entries], bad=bad, heard=heard)
    return {"receipt": receipt, "events": events}


def try_file(run: str, job: str, patience: float, entry: list[Any]) -> None:
    """The task of a file that is suspected of killing workers: it ends if its worker survives it."""
    with _children.of_task(run, job, patience) as supervisor:
        with contextlib.suppress(ChildEnded):  # a child that ends takes no worker with it
            supervisor.try_alone(Entry(*entry))


def end_run(run: str) -> None:
    """End the children of a run, which its client does not need any more."""
    _children.end(run)
