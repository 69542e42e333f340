"""Shards on this machine: threads that each keep one child busy."""

import queue
import threading

__all__ = ["Local"]


class Local:
    """Computes shards side by side.

    Parameters
    ----------
    supervisor : Supervisor
    jobs : int
        Shards in work at a time.
    """

    def __init__(self, supervisor, jobs):
        self.supervisor, self.jobs = supervisor, jobs

    def end(self):
        """End all work now."""
        self.supervisor.end()

    def results(self, shards, control, heard):
        """Yield (shard, receipt) as they are done; None every tenth of a second between.

        Parameters
        ----------
        shards : dict of int to list of Entry
        control : Control
            Once it is `stopping`, no more shards are begun.
        heard : callable
            Called with (shard, event) from any thread.
        """
        waiting = queue.SimpleQueue()
        for item in shards.items():
            waiting.put(item)
        done = queue.SimpleQueue()

        def work():
            try:
                while not control.stopping:
                    shard, entries = waiting.get_nowait()
                    receipt = self.supervisor.compute(
                        shard, entries, heard=lambda event, shard=shard: heard(shard, event)
                    )
                    done.put((shard, receipt))
            except queue.Empty:
                pass
            except BaseException as error:
                control.stopping = True
                done.put(error)
            finally:
                done.put(None)

        jobs = min(self.jobs, len(shards))
        threads = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        try:
            while jobs:
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
            self.end()
