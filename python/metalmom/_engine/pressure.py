"""Memory pressure on the host: what the kernel says of this process's control group, or of the machine."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..util._public import public
from ..util.exceptions import ParameterError, TypeOf
from .runtime import release_caches

__all__ = ["MemoryPressure", "MemoryWatch", "on_memory_pressure"]

# Where the kernel tells: files of processes, and of control groups (version 2).
_PROC, _GROUPS = "/proc", "/sys/fs/cgroup"

_INTERVAL = 1.0  # seconds between two looks
_PAUSE = 10.0  # seconds without a look after a call, in which memory may be freed
_NEAR_LIMIT = 0.95  # of memory.high or memory.max
_STALLED = 10.0  # percent of ten seconds in which some task waited for memory
_EVENTS = ("high", "max", "oom")  # counts of memory.events that grow when a limit was met


class MemoryPressure(NamedTuple):
    """What a callback of `on_memory_pressure` is told.

    Attributes
    ----------
    reason : str
        ``"limit"``: a limit of the control group was met, or is near; ``"stalls"``: tasks wait for memory.
    used, limit : int or None
        Bytes of the control group that is nearest to its limit; None if none has a limit.
    freed : int
        Bytes that `release_caches` has given back before the call.
    """

    reason: str
    used: int | None
    limit: int | None
    freed: int


class MemoryWatch:
    """A watch that runs, made by `on_memory_pressure`; a context manager, whose end stops it."""

    def __init__(self, callback: Callable[[MemoryPressure], object] | None) -> None:
        self._callback = callback
        self._ended = threading.Event()
        self._events = _count_of_events()
        threading.Thread(target=self._run, name="metalmom memory watch", daemon=True).start()

    def __enter__(self) -> MemoryWatch:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop watching: no call begins after this. Later calls do nothing."""
        self._ended.set()

    def _run(self) -> None:
        pause = 0.0
        while not self._ended.wait(pause or _INTERVAL):
            pressure = self._look()
            pause = _PAUSE if pressure else 0.0
            if pressure and self._callback and not self._ended.is_set():
                try:
                    self._callback(pressure)
                except BaseException:  # told as of any thread, and the watch goes on
                    told = [*sys.exc_info(), threading.current_thread()]
                    with contextlib.suppress(BaseException):
                        threading.excepthook(threading.ExceptHookArgs(told))

    def _look(self) -> MemoryPressure | None:
        """The pressure, if there is some; kept memory has gone by then."""
        events, self._events = self._events, _count_of_events()
        used, limit = _nearest_limit()
        if self._events > events or (used is not None and limit is not None and used >= _NEAR_LIMIT * limit):
            reason = "limit"
        elif _stalled() >= _STALLED:
            reason = "stalls"
        else:
            return None
        return MemoryPressure(reason, used, limit, release_caches())


@public
def on_memory_pressure(callback: Callable[[MemoryPressure], object] | None = None) -> MemoryWatch:
    """Free what the engine keeps, and call a function, when memory on the host becomes short.

    A thread looks once a second at the limits and counts of the process's control group (``memory.high``,
    ``memory.max``, ``memory.events`` of version 2), at those above it, and at the kernel's pressure stall
    information (of the group, else of the machine). If a limit was met or 95 % of it are in use, or if tasks
    waited for memory in 10 % of the last ten seconds, it first frees what the engine keeps
    (`release_caches`) and then calls `callback`, at most once in ten seconds. If the kernel has none of these
    files, there are no calls. A forked child has no watch.

    Parameters
    ----------
    callback : callable, or None
        Gets a `MemoryPressure`, in the thread that watches. Let it drop what the program can do without,
        or refuse new work. None: only what the engine keeps is freed.

    Returns
    -------
    MemoryWatch
        A context manager; its ``stop()`` ends the watch.

    Raises
    ------
    ParameterError
        If `callback` cannot be called.

    Examples
    --------
    >>> tables = {}
    >>> with metalmom.on_memory_pressure(lambda pressure: tables.clear()):
    ...     S = metalmom.stft(np.zeros(22050, dtype=np.float32))
    """
    if callback is not None and not callable(callback):
        raise ParameterError("callback", TypeOf(callback), "callable")
    return MemoryWatch(callback)


def _read(*path: str) -> str:
    with contextlib.suppress(OSError), open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()
    return ""


def _groups() -> Iterator[str]:
    """The folder of this process's control group, and of those above it."""
    for line in _read(_PROC, "self", "cgroup").splitlines():
        if line.startswith("0::/"):
            path = line[len("0::/"):]
            while True:
                yield os.path.join(_GROUPS, path)
                if not path:
                    return
                path = os.path.dirname(path)


def _count_of_events() -> int:
    words = _read(next(_groups(), ""), "memory.events").split()
    counts = zip(words[::2], words[1::2])
    return sum(int(count) for name, count in counts if name in _EVENTS and count.isdecimal())


def _nearest_limit() -> tuple[int | None, int | None]:
    """Bytes in use and the limit, of the group that uses the largest part of its limit."""
    found: list[tuple[float, int, int]] = []
    for folder in _groups():
        used = _read(folder, "memory.current").strip()
        limits = [_read(folder, name).strip() for name in ("memory.high", "memory.max")]
        known = [int(limit) for limit in limits if limit.isdecimal()]  # else "max"
        if used.isdecimal() and known:
            found.append((int(used) / max(min(known), 1), int(used), min(known)))
    _, *nearest = max(found, default=(0.0, None, None))
    return nearest[0], nearest[1]


def _stalled() -> float:
    """Percent of the last ten seconds in which some task waited for memory."""
    text = _read(next(_groups(), ""), "memory.pressure") or _read(_PROC, "pressure", "memory")
    for word in text.partition("\n")[0].split():
        if word.startswith("avg10="):
            with contextlib.suppress(ValueError):
                return float(word[len("avg10="):])
    return 0.0
