"""Calls that do not wait: `metalmom.submit`."""

import contextlib
import os
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor

from . import _backend, _limits, _runtime
from ._callers import on_behalf_of, place
from .util.exceptions import ParameterError

__all__ = ["submit"]

# Settings of the submitting thread that hold for the call when it runs.
_SETTINGS = (_backend._backends, _limits._limits, _runtime._threads)


class _Pending:
    """How many calls wait or run, of all threads together."""

    def __init__(self):
        self.count = 0
        self.futures = set()
        self.changed = threading.Condition()

    def take(self, most):
        with self.changed:
            while self.count >= most:
                self.changed.wait()
            self.count += 1

    def add(self, future):
        with self.changed:
            self.futures.add(future)
        future.add_done_callback(self.give_back)

    def give_back(self, future):
        with self.changed:
            self.futures.discard(future)
            self.count -= 1
            self.changed.notify_all()


class _Queue(threading.local):
    """What a thread submitted, in order: a worker of its own, which ends after the thread has."""

    def __init__(self):
        self.executor = None
        self.is_worker = False

    def submit(self, call):
        if self.executor is None:
            self.executor = ThreadPoolExecutor(1, "metalmom-submit", initializer=_begin_worker)
        try:
            return self.executor.submit(call)
        except RuntimeError as error:
            if "start new thread" not in str(error):
                raise RuntimeError(
                    "submit() takes no more calls: the program's main thread has ended"
                ) from error
        # No thread can be made, so the call is made here. The executor has queued it, but is
        # dropped and never runs it.
        self.executor = None
        return _called(call)


_pending = _Pending()
_queue = _Queue()


def _begin_worker():
    _queue.is_worker = True


def _called(call):
    future = Future()
    future.set_running_or_notify_cancel()
    try:
        future.set_result(call())
    except Exception as error:
        future.set_exception(error)
    return future


def _cancel_if_interrupted():
    """Where Ctrl-C has ended the program, what has not begun never does."""
    is_shell = hasattr(sys, "ps1")  # where the last error may be of long ago
    if not is_shell and getattr(sys, "last_type", None) is KeyboardInterrupt:
        with _pending.changed:
            futures = list(_pending.futures)
        for future in futures:
            future.cancel()


# Called before the executors' workers are waited for, which the interpreter does before anything else;
# a Python without this runs what is pending to its end.
if hasattr(threading, "_register_atexit"):
    with contextlib.suppress(RuntimeError):  # imported while the program ends
        threading._register_atexit(_cancel_if_interrupted)


def _after_fork():
    # A forked child has no worker threads, and nothing that was submitted is pending in it.
    global _pending, _queue
    _pending, _queue = _Pending(), _Queue()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def submit(function, /, *args: object, **kwargs: object) -> Future:
    """Call a function without waiting for it.

    What a thread submits runs in order, beside what other threads submit; so Python goes on while the
    engine works, on the CPU or on a GPU. What `metalmom.threads` and `metalmom.backend` say inside
    `with` holds for the call as well. At most ``limits()["pending"]`` calls wait or run: a submission
    beyond waits itself. A program that ends waits for its calls; one that Ctrl-C ends only for those that
    have begun. Warnings name the line that called `submit`.

    Parameters
    ----------
    function : callable
        Such as any function of this package.
    *args, **kwargs
        Its arguments, which are held until it is done; arrays are not copied, and must not be
        changed before.

    Returns
    -------
    concurrent.futures.Future
        ``result()`` waits for what the function returns, or raises what it raised. ``cancel()`` works
        until the call begins; ``await asyncio.wrap_future(future)`` in a coroutine.

    Raises
    ------
    ParameterError
        If `function` cannot be called.
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
        raise ParameterError(f"function={function!r} must be callable")
    scopes = [setting.entered[-1] for setting in _SETTINGS if setting.entered]
    here = place()

    def call():
        with contextlib.ExitStack() as held:
            held.enter_context(on_behalf_of(here))
            for scope in scopes:
                held.enter_context(scope)
            return function(*args, **kwargs)

    # A worker is not made to wait for room: the room would be made by itself.
    _pending.take(float("inf") if _queue.is_worker else _limits._pending())
    try:
        future = _queue.submit(call)
    except BaseException:
        _pending.give_back(None)
        raise
    _pending.add(future)
    return future

