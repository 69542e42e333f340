"""Where tests end a run: at a named step of writing, as a power cut would.

The environment variable METALMOM_TEST_KILL names the step, ``renamed:receipts/00002.json``; the
process that reaches it kills the run's first process and itself. METALMOM_TEST_CRASH names files
(by the end of their path) whose decoding kills the process that decodes, and METALMOM_TEST_HANG
files whose decoding never ends.
"""

import os
import signal
import time

__all__ = ["decoding", "step"]

_KILL = os.environ.get("METALMOM_TEST_KILL")
_CRASH = os.environ.get("METALMOM_TEST_CRASH")
_HANG = os.environ.get("METALMOM_TEST_HANG")


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
