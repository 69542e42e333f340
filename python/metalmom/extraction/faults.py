"""What tests ask of a run, by environment variables.

METALMOM_TEST_KILL names a step of writing, ``renamed:receipts/00002.json``: the process that reaches
it kills the run's first process and itself, as a power cut would. METALMOM_TEST_CRASH,
METALMOM_TEST_HANG and METALMOM_TEST_SLOW name files, by the end of their paths, whose decoding kills
its process, never ends, or takes a second. METALMOM_TEST_SHARD is the number of files of a shard.
"""

import os
import signal
import time

__all__ = ["decoding", "files_of_a_shard", "step"]

_KILL, _CRASH, _HANG, _SLOW, _SHARD = (
    os.environ.get(f"METALMOM_TEST_{name}") for name in ("KILL", "CRASH", "HANG", "SLOW", "SHARD")
)


def step(name, what):
    """Pass a step of writing; the last thing the process does where a test names it."""
    if _KILL == f"{name}:{what}":
        first = int(os.environ.get("METALMOM_TEST_RUN", os.getpid()))
        os.kill(first, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)


def decoding(path):
    """Pass the beginning of a file's decoding."""
    if _CRASH and path.endswith(_CRASH):
        os.kill(os.getpid(), signal.SIGSEGV)
    while _HANG and path.endswith(_HANG):
        time.sleep(1)
    if _SLOW and path.endswith(_SLOW):
        time.sleep(1)


def files_of_a_shard(most):
    """The most files that a shard has."""
    return int(_SHARD or most)
