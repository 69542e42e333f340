"""What the workers of a Dask cluster do for a run: tasks, and the children that compute in them.

A worker computes in children of its own, as a single machine does, so that a broken file costs it a
child and not its process.
"""

import json
import threading
import time

from .manifest import identity, unlike
from .supervisor import Supervisor

__all__ = ["compute_shard", "end_run", "look_at_worker", "try_file"]

# Children of a run whose client was killed are ended when the worker has not needed them so long.
_SECONDS_KEPT = 600.0


class _Runs:
    """The children of each run that this worker computes for: several may share a cluster."""

    def __init__(self):
        self._lock = threading.Lock()
        self._supervisors, self._used = {}, {}

    def of(self, run, job, patience):
        """The supervisor of a run."""
        now = time.monotonic()
        with self._lock:
            if run not in self._supervisors:
                self._supervisors[run] = supervised(job, patience)
            self._used[run] = now
            idle = [each for each, used in self._used.items() if now - used > _SECONDS_KEPT]
        for each in idle:
            self.end(each)
        return self._supervisors[run]

    def end(self, run):
        """End what is left of a run."""
        with self._lock:
            supervisor = self._supervisors.pop(run, None)
            self._used.pop(run, None)
        if supervisor is not None:
            supervisor.end()


_runs = _Runs()


def supervised(job, patience):
    """A supervisor of children for a job."""
    supervisor = Supervisor(patience=patience)
    supervisor.job = job
    return supervisor


def look_at_worker(dask_worker):
    """What this process would compute with, and the resources that it offers.

    `Client.run` fills the argument in by its name.
    """
    return identity(), dict(dask_worker.state.total_resources)


def compute_shard(run, job, patience, manifest, shard, entries, bad):
    """The task of a shard: its receipt, and the events on the way."""
    from distributed import get_worker, secede

    from .shard import entries_of

    found = unlike(identity(), manifest)
    if found:
        return {"unlike": found, "worker": get_worker().address}
    events = []
    in_place = True

    def heard(event):
        nonlocal in_place
        events.append(event)
        if event["event"] == "write" and in_place:
            secede()  # while this task waits for the disk, the worker begins the next one
            in_place = False

    supervisor = _runs.of(run, json.loads(job), patience)
    receipt = supervisor.compute(shard, entries_of(entries), bad=bad, heard=heard)
    return {"receipt": receipt, "events": events}


def try_file(run, job, patience, entry):
    """The task of a file that is suspected of killing workers: whether it survives is the answer."""
    from .shard import entries_of

    supervisor = supervised(json.loads(job), patience)
    try:
        supervisor.try_alone(entries_of([entry])[0])
    finally:
        supervisor.end()


def end_run(run):
    """End the children of a run, which its client does not need any more."""
    _runs.end(run)
