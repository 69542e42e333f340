"""Arrays that functions compute once and keep: windows, filters, weights.

All of them together are at most `MOST_BYTES`. A function under `@kept(n)` keeps the results of the
n arguments used last; where a new result would pass the bound, all that is kept is forgotten, and a
result larger than the bound is never kept.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .. import _native

if TYPE_CHECKING:
    from collections.abc import Callable
    from ._types import Function

MOST_BYTES = 64 << 20

_lock = threading.RLock()  # a signal handler or a destructor may call the package from within


def _forked() -> None:
    """Let a child begin with a lock of its own: the thread that holds the parent's is not in it."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_forked)

_functions: list[functools._lru_cache_wrapper[Any]] = []
_bytes = 0


class NotKept(Exception):
    """Carries a result that must not be kept past `kept`, which keeps whatever is returned."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


def size_of(value: Any) -> int:
    """Bytes of arrays and of the engine's banks, also inside tuples and lists."""
    if isinstance(value, (tuple, list)):
        return sys.getsizeof(value) + sum(map(size_of, value))
    if isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base  # a view keeps the whole array alive
    nbytes = 0 if isinstance(value, type) else getattr(value, "nbytes", 0)  # np.float32 has it for its values
    return max(sys.getsizeof(value), nbytes)


def _count(args: tuple[Any, ...], result: object) -> None:
    """Make room for a result, or tell that there is none."""
    global _bytes
    size = size_of(args) + size_of(result)
    if size > MOST_BYTES:
        raise NotKept(result)
    with _lock:
        if _bytes + size > MOST_BYTES:
            _forget()
        _bytes += size


def _forget() -> None:
    global _bytes
    _bytes = 0  # before anything is dropped: what is kept meanwhile counts
    for function in _functions:
        function.cache_clear()


def kept(most: int, what: str = "") -> Callable[[Function], Function]:
    """Keep the results of the `most` arguments used last, as long as they are small.

    A trace shows as "build `what`" when a result is computed; without `what` it does not.
    """

    def decorate(function: Function) -> Function:
        @functools.lru_cache(maxsize=most)
        def compute(*args: Any) -> Any:
            stamp = _native.trace_stamp() if what else 0
            result = function(*args)
            _native.trace_end_making(f"build {what}", stamp)
            _count(args, result)
            return result

        _functions.append(compute)

        @functools.wraps(function)
        def get(*args: Any) -> Any:
            try:
                return compute(*args)
            except NotKept as single:
                return single.result

        return cast("Function", get)

    return decorate


def kept_bytes() -> int:
    """What all functions keep, at most: what one of them has dropped may still count."""
    return _bytes


def release() -> int:
    """Forget everything; returns `kept_bytes()` of before."""
    with _lock:
        before = _bytes
        _forget()
        return before
