"""Shards on a Dask cluster: tasks that may run twice, or on a worker that dies, with receipts as results.

What a task returns is small; the tables lie on a file system, or in a store, that all workers see.
A worker computes in children of its own, as a single machine does, so that a broken file costs it a
child. Nothing here is imported by a run without a cluster.
"""

import collections
import functools
import json
import queue
import threading
import uuid

from .supervisor import RunError, Supervisor

__all__ = ["Cluster"]

# Facts of a worker that must equal the run's, so that numbers are the same.
_SAME = ("metalmom", "simd", "fft")
# How often a shard is tried if its workers die although each of its files survives alone.
_TRIES = 3
_TASKS_A_THREAD = 2


def identity():
    """What this process would compute with."""
    from .. import build_info

    build = build_info()
    return {"metalmom": build["version"], "simd": build["simd"], "fft": build["fft"]}


@functools.lru_cache(maxsize=1)
def _supervisor(job, patience):
    return Supervisor(json.loads(job), patience=patience)


_lock = threading.Lock()


def compute_shard(job, patience, manifest, shard, entries, bad):
    """The task of a shard: its receipt, and the events on the way."""
    differing = _differing(identity(), manifest)
    if differing:
        from distributed import get_worker

        return {"differs": differing, "worker": get_worker().address}
    with _lock:
        supervisor = _supervisor(json.dumps(job), patience)
    events = []
    receipt = supervisor.compute(shard, _entries(entries), bad=bad, heard=events.append)
    return {"receipt": receipt, "events": events}


def try_file(job, patience, entry):
    """The task of a file that is suspected of killing workers: whether it survives is the answer."""
    supervisor = Supervisor(job, patience=patience)
    try:
        supervisor.try_alone(_entries([entry])[0])
    finally:
        supervisor.end()


def _entries(rows):
    from .shard import entries_of

    return entries_of(rows)


def _differing(worker, manifest):
    return [f"{name} is {worker[name]!r} and must be {manifest[name]!r}"
            for name in _SAME if worker[name] != manifest[name]]  # fmt: skip


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
        import distributed
        from distributed.scheduler import KilledWorker

        self._killed = KilledWorker
        self._own = isinstance(scheduler, str)
        self.client = scheduler
        if self._own:
            try:
                self.client = distributed.Client(scheduler, timeout=5, set_as_default=False)
            except Exception as error:  # transports raise all kinds of errors for a bad address
                raise RunError(f"scheduler={scheduler!r} does not answer: {error}") from error
        self._job, self._patience, self._told = job, patience, told
        self._manifest = {name: manifest[name] for name in _SAME}
        self._unfit = {}
        self._ended = False
        self._run = uuid.uuid4().hex[:8]
        self._count = 0

    def __enter__(self):
        for address, worker in self.client.run(identity).items():
            self._look_at(address, _differing(worker, self._manifest))
        if not self._fit():
            self.__exit__()
            why = next(iter(self._unfit.values()), ["there are none"])
            raise RunError(f"no worker of the cluster can compute this: {'; '.join(why)}")
        return self

    def __exit__(self, *error):
        if self._own:
            self.client.close()

    def end(self):
        """End all work now."""
        self._ended = True

    def _look_at(self, address, differing):
        if differing and address not in self._unfit:
            self._unfit[address] = differing
            self._told(f"worker {address} is left out: {'; '.join(differing)}")

    def _fit(self):
        """Threads of the workers that may be used, by address."""
        workers = self.client.nthreads()
        return {address: n for address, n in workers.items() if address not in self._unfit}

    def _submit(self, function, *args):
        self._count += 1
        resources = {"GPU": 1} if str(self._job["backend"]).startswith("gpu") else None
        workers = list(self._fit()) if self._unfit else None
        return self.client.submit(
            function, self._job, self._patience, *args, pure=False, resources=resources, workers=workers,
            key=f"metalmom-{function.__name__}-{self._run}-{self._count}",
        )  # fmt: skip

    def results(self, shards, control, heard):
        """Yield (shard, receipt) as they are done; None now and then between; as `Local.results`."""
        waiting = collections.deque(shards)
        done = queue.SimpleQueue()
        futures, bad, deaths = {}, collections.defaultdict(dict), collections.Counter()

        def submit(shard):
            entries = [list(entry) for entry in shards[shard]]
            future = self._submit(compute_shard, self._manifest, shard, entries, bad[shard])
            futures[future.key] = future, shard
            future.add_done_callback(lambda future: done.put(future.key))

        try:
            while futures or (waiting and not control.stopping):
                if self._ended:
                    raise RunError("the run was ended")
                room = _TASKS_A_THREAD * sum(self._fit().values()) or 1
                while waiting and len(futures) < room and not control.stopping:
                    submit(waiting.popleft())
                try:
                    future, shard = futures.pop(done.get(timeout=0.2))
                except queue.Empty:
                    yield None
                    continue
                result = self._result(future)
                if result is None:
                    deaths[shard] += 1
                    found = self._survey(shards[shard], bad[shard])
                    bad[shard].update(found)
                    if not found and deaths[shard] >= _TRIES:
                        raise RunError(f"shard {shard} could not be computed: its workers died {_TRIES} times")
                    waiting.appendleft(shard)
                elif "differs" in result:
                    self._look_at(result["worker"], result["differs"])
                    waiting.appendleft(shard)
                else:
                    for event in result["events"]:
                        heard(shard, event)
                    yield shard, result["receipt"]
        finally:
            self.client.cancel([future for future, _ in futures.values()])

    def _result(self, future):
        """What a task came to; None where its workers died."""
        try:
            return future.result()
        except self._killed:
            return None

    def _survey(self, entries, known):
        """Which files of a shard kill workers also when they are alone in a task."""
        self._told(f"workers died at a shard of {len(entries)} files: each is tried alone")
        futures = {entry.file_id: self._submit(try_file, list(entry))
                   for entry in entries if entry.file_id not in known}  # fmt: skip
        found = {}
        for file_id, future in futures.items():
            try:
                future.result()
            except self._killed:
                found[file_id] = "its workers died"
            except Exception:  # the shard will fail in the same way and report it
                continue
        return found
