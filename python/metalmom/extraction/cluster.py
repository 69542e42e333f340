"""Shards on a Dask cluster: tasks that may run twice, or on a worker that dies, with receipts as results.

What a task returns is small; the tables lie on a file system, or in a store, that all workers see.
Nothing here is imported by a run without a cluster. `cluster_worker` is the other side.
"""

import collections
import concurrent.futures
import contextlib
import gc
import json
import logging
import queue
import time
import uuid
from typing import NamedTuple

from .._engine.config import setting_of
from ..util._packages import required
from ..util.exceptions import ParameterError
from .cluster_worker import compute_shard, end_run, look_at_worker, try_file
from .manifest import identity, unlike
from .supervisor import RunError, TRIES

__all__ = ["Cluster"]

# Of each thread of a worker one task computes, one writes, and one waits there to begin.
_TASKS_A_THREAD = 3
_SECONDS_FOR_WORKERS = 30.0


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
        What `shard.Worker` takes.
    manifest : dict
        What workers are checked against.
    patience : float
        As for `Supervisor`.
    told : callable
        Called with sentences for the user.
    """

    def __init__(self, scheduler, job, manifest, patience, told):
        distributed = required("distributed", "a scheduler")
        from distributed.scheduler import KilledWorker

        self._killed = KilledWorker
        self._own = isinstance(scheduler, str)
        self.client = scheduler
        if self._own:
            # Dask, and asyncio of its tasks, log the end of a connection with tracebacks, and what it
            # means is told here
            logged = [*logging.getLogger("distributed").handlers, logging.getLogger("asyncio")]
            self._levels = [(each, each.level) for each in logged]
            for each in logged:
                each.setLevel(logging.CRITICAL)
            try:
                self.client = distributed.Client(scheduler, timeout=5, set_as_default=False)
            except BaseException as error:
                self._give_levels_back()
                if not isinstance(error, Exception):
                    raise
                # transports raise all kinds of errors for a bad address
                raise RunError(f"scheduler={scheduler!r} does not answer: {error}") from error
        elif not isinstance(scheduler, distributed.Client) or scheduler.asynchronous:
            raise ParameterError(f"client={scheduler!r} must be a distributed.Client that is not asynchronous")
        self._run = uuid.uuid4().hex[:8]
        self._common = self._run, json.dumps(job), patience
        self._resource = "GPU" if setting_of(job["backend"]).side == "gpu" else None
        self._manifest = {name: manifest[name] for name in (*identity(), "numbers")}
        self._told = told
        self._known, self._unfit = {}, {}
        self._alone_since = None
        self._count = 0

    def __enter__(self):
        try:
            self._wait_for_workers()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error):
        # workers that do not answer, or not any more, have nothing that is to be ended
        with contextlib.suppress(Exception):
            self.client.run(end_run, self._run, on_error="ignore")
        if self._own:
            self.client.close()
            gc.collect()  # of tasks that failed asyncio tells when they are let go
            self._give_levels_back()

    def _give_levels_back(self):
        for logger, level in self._levels:
            logger.setLevel(level)

    def _wait_for_workers(self):
        if not self.client.nthreads():
            self._told("waiting for workers")
            with contextlib.suppress(TimeoutError):
                self.client.wait_for_workers(1, timeout=_SECONDS_FOR_WORKERS)
        if not self._places():
            raise self._none_fits()

    def _none_fits(self):
        reasons = next(iter(self._unfit.values()), ["there are none"])
        return RunError(f"no worker of the cluster can compute this: {'; '.join(reasons)}")

    def _room(self):
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

    def _places(self):
        """How many tasks each worker that may be used computes at a time, by address."""
        threads = self.client.nthreads()
        new = [each for each in threads if each not in self._known and each not in self._unfit]
        if new:
            for address, found in self.client.run(look_at_worker, self._common[1], workers=new, on_error="return").items():
                self._look_at(address, found, threads[address])
        return {each: self._known[each] for each in threads if each in self._known}

    def _look_at(self, address, found, threads):
        if isinstance(found, Exception):
            return self._leave_out(address, [str(found)])
        process, resources = found
        reasons = unlike(process, self._manifest)
        places = threads
        if self._resource:
            places = int(resources.get(self._resource, 0))
            if not places:
                reasons.append(f"it has no resource {self._resource} (dask worker --resources {self._resource}=1)")
        if reasons:
            return self._leave_out(address, reasons)
        self._known[address] = places

    def _leave_out(self, address, reasons):
        self._known.pop(address, None)
        if address not in self._unfit:
            self._unfit[address] = reasons
            self._told(f"worker {address} is left out: {'; '.join(reasons)}")

    def _submit(self, work, entries, bad):
        self._count += 1
        rows = [list(entry) for entry in entries if work.file_id in (None, entry.file_id)]
        if work.file_id is None:
            task = compute_shard, *self._common, self._manifest, work.shard, rows, bad
        else:
            task = try_file, *self._common, rows[0]
        return self.client.submit(
            *task, pure=False, resources=self._resource and {self._resource: 1},
            workers=list(self._places()) if self._unfit else None,
            key=f"metalmom-{task[0].__name__}-{self._run}-{self._count}",
        )  # fmt: skip

    def results(self, shards, control, heard):
        """Yield (shard, receipt) as they are done; None now and then between; as `Local.results`."""
        run = _Results(shards)
        done = queue.SimpleQueue()
        futures = {}

        def submit(work):
            future = self._submit(work, shards[work.shard], run.bad[work.shard])
            futures[future.key] = future, work
            future.add_done_callback(lambda future: done.put(future.key))

        try:
            while futures or (run.more and not control.stopping):
                if control.at_once:
                    raise RunError("the run was ended")
                room = self._room()
                while not control.stopping and (work := run.next(room, len(futures))):
                    submit(work)
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

    def _settle(self, run, work, future, heard):
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
            # the file did not end its worker: computing its shard will report this error
            run.survived(work)
            return None
        if work.file_id is not None:
            run.survived(work)
            return None
        if "unlike" in result:
            self._leave_out(result["worker"], result["unlike"])
            run.again(work)
            return None
        for event in result["events"]:
            heard(work.shard, event)
        return work.shard, result["receipt"]


class _Results:
    """What is still to be done of a run, and which files are suspected of killing workers.

    The files of a shard whose workers died are each tried alone, side by side. Those at which workers
    die again are tried once more with nothing else in work on the cluster: so no file is blamed for
    what another one did to the worker that both were on.
    """

    def __init__(self, shards):
        self._shards = shards
        self._waiting = collections.deque(map(_Work, shards))
        self._suspects = collections.deque()
        self._surveyed, self._known_before = {}, {}
        self._deaths = collections.Counter()
        self.bad = collections.defaultdict(dict)

    @property
    def more(self):
        """Whether anything waits to be submitted."""
        return bool(self._waiting or self._suspects)

    def next(self, room, in_work):
        """What is to be submitted next, where so many tasks are in work; None: nothing yet."""
        if self._suspects:
            return self._suspects.popleft() if not in_work and room else None
        return self._waiting.popleft() if self._waiting and in_work < room else None

    def again(self, work):
        """Do it again, first of all."""
        self._waiting.appendleft(work)

    def died(self, work):
        """Workers died at it; True where this begins a survey of a shard."""
        shard, file_id, _ = work
        if file_id is None:
            self._deaths[shard] += 1
            files = [e.file_id for e in self._shards[shard] if e.file_id not in self.bad[shard]]
            self._surveyed[shard] = set(files)
            self._known_before[shard] = len(self.bad[shard])
            self._waiting.extendleft(_Work(shard, file_id) for file_id in reversed(files))
            if not files:
                self._surveyed_all(shard)
            return True
        if work.alone:
            self.bad[shard][file_id] = "its workers died"
            self._tried(work)
        else:
            self._suspects.append(work._replace(alone=True))
        return False

    def survived(self, work):
        """A file was tried and is not to blame."""
        self._tried(work)

    def _tried(self, work):
        rest = self._surveyed[work.shard]
        rest.discard(work.file_id)
        if not rest:
            self._surveyed_all(work.shard)

    def _surveyed_all(self, shard):
        found = len(self.bad[shard]) > self._known_before[shard]
        if not found and self._deaths[shard] >= TRIES:
            raise RunError(f"shard {shard} could not be computed: its workers died {TRIES} times")
        self.again(_Work(shard))
