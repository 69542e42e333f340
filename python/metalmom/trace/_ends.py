"""What a process does at its end, if it ends in a way that Python sees."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

__all__ = ["at_end", "not_at_end"]

_acts: list[Callable[[str], None]] = []
_registered = False


def at_end(act: Callable[[str], None]) -> None:
    """Call `act` when this process or a child that it forks exits, with ``"exit"``, or ends by SIGTERM.

    SIGTERM gets a handler if it has none and this is the main thread. A program that sets one later, or
    had one, ends as it likes.
    """
    global _registered
    from multiprocessing import util

    if not _registered:
        _registered = True
        atexit.register(_exited)
        # Children of multiprocessing end without atexit, and do not run finalizers that were
        # registered before the fork.
        util.register_after_fork(_exited, lambda exited: util.Finalize(None, exited, exitpriority=-100))
    _acts.append(act)
    if _is_handler(signal.SIG_DFL):
        signal.signal(signal.SIGTERM, _terminated)


def not_at_end(act: Callable[[str], None]) -> None:
    """Take back what `at_end` was told."""
    _acts.remove(act)
    if not _acts and _is_handler(_terminated):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _is_handler(handler: object) -> bool:
    """Whether that is what SIGTERM does now, and this thread may change it."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGTERM) is handler


def _exited() -> None:
    for act in [*_acts]:
        act("exit")


def _terminated(number: int, frame: FrameType | None) -> None:
    """Do what is to be done, and let the signal end the process, as it would have."""
    signal.signal(number, signal.SIG_DFL)
    try:
        for act in [*_acts]:
            act("SIGTERM")
    finally:
        os.kill(os.getpid(), number)
