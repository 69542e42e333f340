"""What tests ask of a run, by environment variables.

METALMOM_TEST_KILL names a step of writing, ``renamed:receipts/00002.json``: the process that reaches
it kills the run's first process and itself, as a power cut would. METALMOM_TEST_CRASH,
METALMOM_TEST_HANG, METALMOM_TEST_SLOW and METALMOM_TEST_MURDER name files, by the end of their paths,
whose decoding kills its process, never ends, takes a second, or kills the process that started its
process. METALMOM_TEST_LOSE names a file that the first process to decode anything removes, which then loses its
device. METALMOM_TEST_SHARD is the number of files of a shard. METALMOM_TEST_RUN is set by a run for
its children: the number of its own process.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

from .. import _native


def _asked(name: str) -> str | None:
    return os.environ.get(f"METALMOM_TEST_{name}")


def step(name: str, what: str) -> None:
    """Pass a step of writing; the last thing the process does where a test names it."""
    if _asked("KILL") == f"{name}:{what}":
        first = int(_asked("RUN") or os.getpid())
        os.kill(first, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)


def decoding(path: str) -> None:
    """Pass the beginning of a file's decoding."""
    def named(name: str) -> bool:
        return path.endswith(_asked(name) or "\0")

    if lose := _asked("LOSE"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(lose)
            _native.lose_device()
    if named("CRASH"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if named("MURDER"):
        os.kill(int(os.environ["METALMOM_TEST_RUN"]), signal.SIGKILL)
    while named("HANG"):
        time.sleep(1)
    if named("SLOW"):
        time.sleep(1)


def files_of_a_shard(most: int) -> int:
    """The most files that a shard has."""
    return int(_asked("SHARD") or most)
