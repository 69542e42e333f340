"""What goes wrong in a command through no fault of ours, and how it is told."""

from __future__ import annotations

import os

from ..util.exceptions import LibrosaError

# What a user can cause: told in one sentence, without a traceback.
EXPECTED = (LibrosaError, OSError, MemoryError)


def sentence(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{os.fspath(error.filename)}: {error.strerror}"
    return " ".join(str(error).split())
