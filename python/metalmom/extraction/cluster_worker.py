"""What the workers of a Dask cluster do for a run: tasks, and the children that compute in them.

A worker computes in children of its own, as a single machine does, so that a broken file costs it a
child and not its process.
"""

import collections
import contextlib
import functools
import json
import threading
import time

from .._engine.config import config_context
from .manifest import identity, unlike
from .messages import WRITE
from .numbers import numbers_of
from .recipes import Recipe
from .schema import Schema
from .supervisor import ChildEnded, Supervisor

__all__ = ["compute_shard", "end_run", "look_at_worker", "try_file"]

# Children of a run whose client was killed are ended when the worker has not needed them so long.
_SECONDS_KEPT = 600.0


class _Runs:
    """The children of each run that this worker computes for: several may share a cluster."""

    def __init__(self):
        self._lock = threading.Lock()
        self._supervisors, self._used = {}, {}
        self._in_work = collections.Counter()  # tasks of each run

    @contextlib.contextmanager
    def task(self, run, job, patience):
        """Give the supervisor of a run for one of its tasks."""
        with self._lock:
            if run not in self._supervisors:
                self._supervisors[run] = supervised(job, patience)
            supervisor = self._supervisors[run]
            self._in_work[run] += 1
            now = time.monotonic()
            unused = [each for each, used in self._used.items()
                      if not self._in_work[each] and now - used > _SECONDS_KEPT]  # fmt: skip
            ended = [self._taken(each) for each in unused]
        try:
            for each in filter(None, ended):
                each.end()
            yield supervisor
        finally:
            with self._lock:
                self._in_work[run] -= 1
                self._used[run] = time.monotonic()

    def end(self, run):
        """End what is left of a run."""
        with self._lock:
            supervisor = self._taken(run)
        if supervisor is not None:
            supervisor.end()

    def _taken(self, run):
        """The supervisor of a run, which is forgotten; the lock is held."""
        self._used.pop(run, None)
        if not self._in_work[run]:
            del self._in_work[run]
        return self._supervisors.pop(run, None)


_runs = _Runs()


def supervised(job, patience):
    """A supervisor of children for a job."""
    supervisor = Supervisor(patience=patience)
    supervisor.job = job
    return supervisor


@functools.lru_cache(8)
def identity_for(job):
    """What the numbers of a job depend on here, and what they are."""
    about = json.loads(job)
    with config_context(threads=1):
        return {**identity(), "numbers": numbers_of(Recipe(about["recipe"]), Schema.load(about["schema"]))}


def look_at_worker(job, dask_worker):
    """What this process would compute with, and the resources that it offers.

    `Client.run` fills the last argument in by its name.
    """
    return identity_for(job), dict(dask_worker.state.total_resources)


def compute_shard(run, job, patience, manifest, shard, entries, bad):
    """The task of a shard: its receipt, and the events on the way."""
    from distributed import get_worker, secede

    from .shard import entries_of

    found = unlike(identity_for(job), manifest)
    if found:
        return {"unlike": found, "worker": get_worker().address}
    events = []
    in_place = True

    def heard(event):
        nonlocal in_place
        events.append(event)
        if event["event"] == WRITE and in_place:
            secede()  # while this task waits for the disk, the worker begins the next one
            in_place = False

    with _runs.task(run, json.loads(job), patience) as supervisor:
        receipt = supervisor.compute(shard, entries_of(entries), bad=bad, heard=heard)
    return {"receipt": receipt, "events": events}


def try_file(run, job, patience, entry):
    """The task of a file that is suspected of killing workers: it ends if its worker survives it."""
    from .shard import entries_of

    supervisor = supervised(json.loads(job), patience)
    try:
        with contextlib.suppress(ChildEnded):  # a child that ends takes no worker with it
            supervisor.try_alone(entries_of([entry])[0])
    finally:
        supervisor.end()


def end_run(run):
    """End the children of a run, which its client does not need any more."""
    _runs.end(run)
