"""What children say they do, as spans of the trace that the run's own process records."""

import contextlib

from .. import trace
from .inputs import shown
from .messages import AGAIN, COMPUTE, COMPUTED, DECODE, DECODED, WRITE, WRITTEN

__all__ = ["Spans", "recorded"]


class Spans:
    """Spans of one thread, which hears the events of one child at a time.

    Parameters
    ----------
    shard : int
    entries : list of Entry
    """

    def __init__(self, shard, entries):
        self._paths = {entry.file_id: shown(entry.path) for entry in entries}
        self._open = contextlib.ExitStack()
        self._shard = self._open.enter_context(trace.span(f"shard {shard}"))
        self._inner = None

    def heard(self, event):
        """Begin and end spans by an event."""
        kind = event["event"]
        if kind in (DECODE, COMPUTE, WRITE, AGAIN):
            self._end()
        if kind == DECODE:
            self._begin(kind, path=self._paths[event["id"]])
        elif kind == COMPUTE:
            self._begin(kind, files=len(event["ids"]))
        elif kind == WRITE:
            self._begin(kind)
        elif kind in (DECODED, COMPUTED, WRITTEN):
            self._end()

    def _begin(self, name, **about):
        self._inner = trace.span(name, **about)
        self._inner.__enter__()

    def _end(self):
        if self._inner is not None:
            self._inner.__exit__(None, None, None)
            self._inner = None

    def close(self):
        """End what is open."""
        self._end()
        self._open.close()


@contextlib.contextmanager
def recorded(path):
    """Record the block and save it at `path`; None: do not."""
    if path is None:
        yield
        return
    recording = trace.record()
    try:
        with recording:
            yield
    finally:
        recording.save(path)
