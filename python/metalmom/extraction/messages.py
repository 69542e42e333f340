"""What a run and its children say to each other: lines of JSON.

A run tells a child first the job, which is what `worker.Worker` takes, and then asks for one thing after the
other: a shard ("shard", "entries", "bad": errors of files that are not to be tried), or that a file be
tried alone ("shard" is None). A child tells what it is about to do before it does it, and what came of
it, as events, each with its ``event``. Schedulers, the progress and the trace hear those that are marked so.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Message = dict[str, Any]
Heard = Callable[[Message], object]

# Events that are heard. A file: "id"; in the end "bytes", "audio" (seconds), "seconds", "failed".
DECODE, DECODED = "decode", "decoded"
# Files whose features are computed together: "ids"; in the end "seconds", and the "failed" ones of them.
COMPUTE, COMPUTED = "compute", "computed"
# The tables of a shard, of which no more will be computed; in the end "seconds".
WRITE, WRITTEN = "write", "written"
# The shard begins anew: what was told of it does not count. No child says this, but who keeps them.
AGAIN = "again"

# What ends a command: its "result"; the "ids" of files whose tables need more memory than there is; what
# keeps the child from going on, as "text" and "errno".
DONE, MEMORY, ERROR = "done", "memory", "error"


class OutOfMemory(MemoryError):
    """Tables need more than the run may take; `ids` are the files to leave out of them."""

    def __init__(self, ids: list[int]) -> None:
        super().__init__()
        self.ids = ids


def line_of(message: Message) -> bytes:
    """A message as it is sent."""
    return json.dumps(message).encode() + b"\n"
