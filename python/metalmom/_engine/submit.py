"""Calls that do not wait: `metalmom.submit`."""

from __future__ import annotations

import atexit
import contextlib
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np

from .. import _native
from ..util._callers import place
from ..util._public import public
from ..util.exceptions import Argument, ParameterError, PendingError, TypeOf
from .config import get_config

__all__ = ["submit"]


class _Future(Future[Any]):
    """A future whose lock no exception leaves taken, of a signal handler or for want of memory: a worker needs it."""

    def __init__(self) -> None:
        super().__init__()
        self._condition: Any = _native.Condition()


class _Call:
    """A function with its arguments, and the settings that held where it was submitted."""

    __slots__ = ("_args", "_function", "_kwargs", "_scope", "future")

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._function, self._args, self._kwargs = function, args, kwargs
        self._scope = _native.scope_of_here(place())
        self.future = _Future()

    def make(self, kept: type[BaseException] = BaseException) -> None:
        """Make the call, unless it was cancelled; errors that are `kept` are the future's."""
        future = self.future
        if not future.set_running_or_notify_cancel():
            return
        try:
            with self._scope:
                result = _native.call_given(self._function, *self._args, **self._kwargs)
        except kept as error:
            future.set_exception(error)
        else:
            future.set_result(result)
        finally:
            del self, future  # an error holds this frame, and it would hold the error


def _begin(worker: Any) -> None:
    """Begin a worker, in a thread that no signal reaches.

    What it does to make a thread that has a name takes locks that an exception of a signal handler
    would leave taken.
    """
    try:
        threading.Thread(target=_work, args=(worker,), name="metalmom-submit", daemon=True).start()
    except RuntimeError:  # no second one can be made
        _work(worker)


def _work(worker: Any) -> None:
    while True:
        try:
            call = worker.take()
        except MemoryError:  # no call is lost: there may be memory soon
            time.sleep(0.01)
            continue
        if call is None:
            return
        call.make()
        del call  # its arguments are not held while the worker waits


def _end() -> None:
    """Make the calls that are waiting; where Ctrl-C has ended the program, none that has not begun."""
    is_shell = hasattr(sys, "ps1")  # where the last error may be of long ago
    if not is_shell and getattr(sys, "last_type", None) is KeyboardInterrupt:
        for call in _native.waiting_calls():
            call.future.cancel()
    _native.finish_submissions()


# Threads of a program that outlive its main one end before `atexit`, and must not submit till then.
with contextlib.suppress(RuntimeError):  # imported while the program ends
    getattr(threading, "_register_atexit", atexit.register)(_end)


@public
def submit(function: Callable[..., Any], /, *args: object, wait: bool = True, **kwargs: object) -> Future[Any]:
    """Call a function without waiting for it.

    The calls that a thread submits run in order, beside those of other threads. So Python goes on while
    the engine works, on the CPU or on a GPU. Settings of `config_context` hold for the call, too. At most
    ``get_config()["pending"]`` calls wait or run; a further submission waits. A program that ends waits
    for its calls; one that Ctrl-C ends waits only for those that have begun. Warnings name the line that
    called `submit`.

    Parameters
    ----------
    function : callable
        For example, any function of this package.
    *args, **kwargs
        Its arguments, which are held until the call is done. Arrays are not copied: do not change them
        before. A function that has an argument `wait` itself gets it by `functools.partial`.
    wait : bool
        Whether to wait where ``pending`` calls wait or run already. A server that would rather refuse a
        request than let it wait passes False.

    Returns
    -------
    concurrent.futures.Future
        ``result()`` waits for the function and returns its result, or raises its exception.
        ``cancel()`` works until the call begins. In a coroutine, ``await asyncio.wrap_future(future)``.

    Raises
    ------
    ParameterError
        If `function` cannot be called, or `wait` is not a bool.
    PendingError
        If no further call may wait, with ``wait=False``. It is a `queue.Full`; its name is
        ``metalmom.util.exceptions.PendingError``.
    RuntimeError
        When the program's main thread has ended.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, duration=1.0)
    >>> mel = metalmom.submit(metalmom.feature.melspectrogram, y=y)
    >>> chroma = metalmom.submit(metalmom.feature.chroma_stft, y=y)
    >>> mel.result().shape, chroma.result().shape
    ((128, 44), (12, 44))
    """
    if not callable(function):
        raise ParameterError(
            "function", TypeOf(function), "callable: submit(f, y=y), not submit(f(y=y))"
        )
    if not isinstance(wait, (bool, np.bool_)):
        raise ParameterError("wait", wait, "a bool")
    call, held = _Call(function, args, kwargs), _native.Place()
    # A call that is cancelled gives its place back at once.
    call.future.add_done_callback(held.give_back)
    handed = _native.hand_over(call, held, _begin, wait)
    if handed == "no room":
        pending = get_config()["pending"]
        raise PendingError(Argument("pending", pending), " calls wait or run already, and wait=False")
    if handed == "no thread":
        call.make(kept=Exception)  # so it is made here
    return call.future
