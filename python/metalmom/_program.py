"""The program `metalmom` as a process: what Ctrl-C does to it, and its standard streams.

From its first moment to its last, Ctrl-C is no traceback: the program calls `take_over` before it imports
anything else of the package, since importing takes longest of all that it does before its work.
"""

from __future__ import annotations

import _signal as signal  # what `signal` is built on: its enumerations take longer to import than all else here
import os
import sys

TYPE_CHECKING = False  # that of `typing`, which takes long to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

__all__ = ["INTERRUPTED", "begins_run", "command_line", "interruptible", "take_over"]

INTERRUPTED = 130  # the exit status of a process that SIGINT has ended, as shells tell it

# Whether an interrupt may still become an exception: before there is something that takes it, and once
# there was one, the process is ended at once. What it had in hand bears that, as it does a power cut.
_raises = False


def command_line() -> list[str]:
    """The words of `sys.argv`, of which a program that has Python inside may have left none."""
    return [str(word) for word in getattr(sys, "argv", ())] or [""]


def begins_run(argv: list[str]) -> bool:
    """Whether the program is likely to begin a run of ``extract`` on this machine: a wrong guess costs time alone."""
    def has(*beginnings: str) -> bool:
        return any(word.startswith(beginnings) for word in argv[2:])

    return argv[1:2] == ["extract"] and has("-o", "--out") and not has("--scheduler", "--dry-run")


def _interrupted(number: int, frame: FrameType | None) -> None:
    global _raises
    if not _raises:
        os._exit(INTERRUPTED)
    _raises = False
    raise KeyboardInterrupt


def _unraisable(lost: Any) -> None:
    """End the process where an interrupt fell into what cannot raise it, such as a destructor.

    After one there is nothing to tell of destructors: what it left half made cannot be taken apart.
    """
    if lost.exc_type is KeyboardInterrupt:
        os._exit(INTERRUPTED)
    if _raises:
        sys.__unraisablehook__(lost)


def interruptible(main: Callable[[], int]) -> int:
    """The exit status of `main`, or INTERRUPTED; Ctrl-C becomes an exception in it, once."""
    global _raises
    try:
        _raises = True
        status = main()
        _raises = False
    except KeyboardInterrupt:
        status = INTERRUPTED
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is done in a moment
    return status


def _open_streams() -> None:
    """Give standard streams that were closed to the null device: a table must not get their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8"))
    # names of files need not be text
    stdout: Any = sys.stdout
    stdout.reconfigure(errors="backslashreplace")


def take_over() -> None:
    """Make this process the program's: interrupts end it in silence, and it has standard streams."""
    # A shell starts what it puts into the background with interrupts ignored, and so they stay.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
        sys.unraisablehook = _unraisable
    _open_streams()
