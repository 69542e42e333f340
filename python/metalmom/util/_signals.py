"""Ctrl-C and SIGTERM, where work is to stop at a moment of its own."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["handled"]


@contextlib.contextmanager
def handled(handler: Callable[[int, object], object], once: bool = False) -> Iterator[None]:
    """Have a function called at SIGINT and SIGTERM while the block runs, if this is the thread that gets them.

    With `once` a second signal of a kind does what it did before. A handler of a program around Python stays:
    Python could not set it again.
    """
    before: dict[int, Any] = {}

    def called(number: int, frame: object) -> None:
        if once:
            signal.signal(number, before[number])
        handler(number, frame)

    with contextlib.ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                before[number] = signal.getsignal(number)
                if before[number] is not None:
                    stack.callback(signal.signal, number, before[number])
                    signal.signal(number, called)
        yield
