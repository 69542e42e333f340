"""Shards on this machine: threads that each keep one child busy."""

import contextlib
import queue
import threading

from .messages import AGAIN, WRITE
from .supervisor import RunError
from .tracing import Spans

__all__ = ["Local"]


class Local:
    """Computes shards side by side.

    While a child waits for the disk, another one computes: of a long run there is one child more
    than shards that are computed at a time.

    Parameters
    ----------
    supervisor : Supervisor
    jobs : int
        Shards that are computed at a time.
    """

    def __init__(self, supervisor, jobs):
        self.supervisor, self.jobs = supervisor, jobs

    def results(self, shards, control, heard):
        """Yield (shard, receipt) as they are done; None every tenth of a second between.

        Parameters
        ----------
        shards : dict of int to list of Entry
        control : Control
            Once it is `stopping`, no more shards are begun; `at_once`, all are given up.
        heard : callable
            Called with (shard, event) from any thread.
        """
        waiting = queue.SimpleQueue()
        for item in shards.items():
            waiting.put(item)
        done = queue.SimpleQueue()

        turns = threading.Semaphore(self.jobs)

        def work():
            try:
                while True:
                    with _Turn(turns) as turn:
                        if control.stopping:
                            break
                        shard, entries = waiting.get_nowait()

                        spans = Spans(shard, entries)

                        def hear(event, shard=shard, turn=turn, spans=spans):
                            spans.heard(event)
                            if event["event"] == WRITE:
                                turn.end()
                            elif event["event"] == AGAIN:
                                turn.begin()
                            heard(shard, event)

                        with contextlib.closing(spans):
                            receipt = self.supervisor.compute(shard, entries, heard=hear)
                        done.put((shard, receipt))
            except queue.Empty:
                pass
            except BaseException as error:
                control.stopping = True
                done.put(error)
            finally:
                done.put(None)

        jobs = min(self.jobs, len(shards))
        jobs += len(shards) > 2 * jobs
        threads = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        try:
            while jobs:
                if control.at_once:
                    raise RunError("the run was ended")
                try:
                    result = done.get(timeout=0.1)
                except queue.Empty:
                    yield None
                    continue
                if result is None:
                    jobs -= 1
                elif isinstance(result, BaseException):
                    raise result
                else:
                    yield result
        finally:
            self.supervisor.end()


class _Turn:
    """A place among those that compute, which is given up early and may be taken again."""

    def __init__(self, turns):
        self._turns, self._has = turns, False

    def begin(self):
        if not self._has:
            self._turns.acquire()
            self._has = True

    def end(self):
        if self._has:
            self._turns.release()
            self._has = False

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *error):
        self.end()
