"""Settings of the engine: `metalmom.set_config`, `get_config` and `config_context`.

A setting has a default for the process, which a context overrides for one thread and for what that
thread submits. Who has set what is known to the engine (`cpp/bridge/scopes.hpp`), so that each step
is one call that a signal handler's exception cannot cut in two.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from .. import _native
from .._native import Scope
from ..util._checks import is_count, is_size, require_count, size_in_bytes
from ..util._public import public
from ..util._types import Int
from ..util._warnings import warn
from ..util._wording import did_you_mean
from ..util.exceptions import ParameterError, Shown

__all__ = ["config_context", "get_config", "set_config"]

_NO_LIMIT: int = 2 ** (8 * _native.pointer_bytes) - 1

# What other libraries call a GPU.
_GPUS_ELSEWHERE = ("cuda", "hip", "metal", "mps", "rocm", "vulkan", "xpu")


class _Kept:
    """The default argument of a setting: it stays as it is."""

    def __repr__(self) -> str:
        return "<as it is>"


_KEPT: Any = _Kept()


@public
def set_config(
    *,
    threads: Int = _KEPT,
    backend: str = _KEPT,
    min_frames: Mapping[str, int] = _KEPT,
    memory: Int | str | None = _KEPT,
    device_memory: Int | str | None = _KEPT,
    pending: Int = _KEPT,
) -> None:
    """Change the settings of the process, for all threads.

    Settings that are not given stay as they are. If one value is wrong, none is set. Inside
    `config_context` the settings of the context still hold, for its thread.

    Parameters
    ----------
    threads : int > 0, optional
        Threads that the engine may use, at most 4096. At the start METALMOM_NUM_THREADS, else
        OMP_NUM_THREADS, else the number of cores that this process may use. Results do not depend
        on it.
    backend : str, optional
        Where functions with a GPU kernel run; at the start METALMOM_BACKEND, else ``"auto"``.
        ``"auto"``: the side that is predicted to be faster from measurements of this machine; a trace
        shows both predictions, and software devices are never chosen. ``"cpu"``: the CPU. ``"gpu"`` or
        ``"gpu:N"`` (N is an index of `devices`): the GPU, or an error if it cannot compute the call.
        ``"auto:N"``: device N if it is predicted to be faster; if it fails, the CPU continues with one
        warning.
        Steps without a kernel (decoding, peaks, dynamic programs) always run on the CPU. A device
        that is missing is reported by the first call that needs it.
    min_frames : dict of str to int, optional
        For ``"auto"``: frames from which an engine's op (``"stft"``, ``"cepstrum"`` ..., as a trace
        names it) goes to the GPU, whatever is predicted. The error for a wrong name lists all names.
        The dict replaces the earlier one; ``{}`` leaves everything to prediction.
    memory : int >= 0, str or None, optional
        Working memory that the host keeps between calls: bytes, or a text like ``"512M"`` or
        ``"1.5 GiB"``; 64 MiB at the start. None: no bound. Plans, filters and the arrays behind them
        have bounds of their own. `release_caches` frees all of it.
    device_memory : int > 0, str or None, optional
        Memory that may be reserved on each device: for device arrays, for batches on their way
        through it (which are cut into smaller pieces), and for memory kept for later calls. At the
        start METALMOM_GPU_MEMORY, a size like this one, where a number alone counts MiB. A call that
        needs more raises a `DeviceError`. None: all of the memory.
    pending : int > 0, optional
        Calls of `submit` that may wait or run, of all threads together: 64 at the start. A further
        submission waits.

    Raises
    ------
    ParameterError
        For other values.

    Examples
    --------
    >>> metalmom.set_config(memory="64M", pending=64)
    >>> metalmom.get_config()["memory"]
    67108864
    """
    _native.made_default(_scope(locals()))


@public
def config_context(
    *,
    threads: Int = _KEPT,
    backend: str = _KEPT,
    min_frames: Mapping[str, int] = _KEPT,
    memory: Int | str | None = _KEPT,
    device_memory: Int | str | None = _KEPT,
    pending: Int = _KEPT,
) -> Scope:
    """Change settings inside ``with``, for the calling thread and for the calls that it submits.

    Settings that are not given are as outside. The context may be kept, entered again, nested in
    itself, entered by several threads, and left in another order than entered. It may decorate a
    function, too.

    Parameters
    ----------
    threads, backend, min_frames, memory, device_memory, pending : optional
        As for `set_config`.

    Returns
    -------
    context manager

    Raises
    ------
    ParameterError
        For other values.

    Examples
    --------
    >>> with metalmom.config_context(backend="cpu", threads=1):
    ...     with metalmom.config_context(device_memory="512M"):
    ...         config = metalmom.get_config()
    >>> config["backend"], config["threads"], config["device_memory"] // 2**20
    ('cpu', 1, 512)
    """
    return _scope(locals())


@public
def get_config() -> dict[str, Any]:
    """Return the settings that hold for calls from this thread.

    Returns
    -------
    dict
        The settings of `set_config` by name. Sizes are in bytes; None means no bound.

    Raises
    ------
    ParameterError
        If an environment variable that sets a default has a wrong value.

    Examples
    --------
    >>> sorted(metalmom.get_config())
    ['backend', 'device_memory', 'memory', 'min_frames', 'pending', 'threads']
    """
    memory, device_memory = (None if size == _NO_LIMIT else size for size in _native.memory_limits())
    return {
        "threads": _native.thread_count(),
        "backend": _native.backend_name(),
        "min_frames": _native.min_frames(),
        "memory": memory,
        "device_memory": device_memory,
        "pending": _native.pending_limit(),
    }


def setting_of(backend: str) -> _native.BackendSetting:
    """What a backend's name means to the engine: its `side` (``"gpu"`` of ``"gpu:1"``) and its `device` (-1: any)."""
    try:  # what is no text in UTF-8 the engine cannot be given
        text = backend.encode(errors="replace").decode() if isinstance(backend, str) else backend
        return _native.BackendSetting(text)
    except ParameterError as error:
        side, colon, which = str(backend).partition(":")
        nearest = "" if colon else did_you_mean(backend, _native.backends)
        if side in _GPUS_ELSEWHERE:
            nearest = f"; did you mean 'gpu{colon}{which}'?"
        raise error.but(value=backend, hint=nearest) from None


def _thread_count(n: Any) -> int:
    if not is_size(n, _native.max_threads):
        raise ParameterError("threads", n, f"a positive integer, at most {_native.max_threads}")
    return int(n)


def _frames_by_op(min_frames: object) -> dict[str, int]:
    if not isinstance(min_frames, Mapping):
        raise ParameterError("min_frames", min_frames, "a dict of op names to frames")
    for op, frames in min_frames.items():
        if op not in _native.kernel_ops:
            from difflib import get_close_matches

            near = get_close_matches(str(op), _native.kernel_ops, n=1)
            hint = f" ({near[0]!r}?)" if near else f": {', '.join(_native.kernel_ops)}"
            raise ParameterError(f"min_frames[{op!r}]", rule="of an op with a GPU kernel", hint=hint)
        if not is_count(frames) and frames != 0:
            raise ParameterError(f"min_frames[{op!r}]", frames, "a number of frames")
    return {op: min(int(frames), 2**62) for op, frames in min_frames.items()}


def _bound(name: str, least: int) -> Callable[[Any], int]:
    return lambda size: _NO_LIMIT if size is None else min(size_in_bytes(name, size, least), _NO_LIMIT)


def _pending_count(n: Any) -> int:
    require_count("pending", n)
    return min(int(n), _NO_LIMIT >> 1)  # more than ever wait


_READ = {
    "threads": _thread_count,
    "backend": setting_of,
    "min_frames": _frames_by_op,
    "memory": _bound("memory", least=0),
    "device_memory": _bound("device_memory", least=1),
    "pending": _pending_count,
}


def _scope(settings: dict[str, Any]) -> Scope:
    given = {name: value for name, value in settings.items() if value is not _KEPT}
    text = ", ".join(f"{name}={value!r}" for name, value in given.items())
    read: dict[str, Any] = {name: _READ[name](value) for name, value in given.items()}
    return _native.Scope(f"metalmom.config_context({text})", **read)


def decorated(scope: Scope, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the scope entered around each call."""
    call = _native.call_of_scope(scope)
    if not callable(function):
        raise ParameterError("function", function, f"callable: {call} decorates it")
    for suspends in (inspect.isgeneratorfunction, inspect.iscoroutinefunction,
                     inspect.isasyncgenfunction):  # fmt: skip
        if suspends(function):
            raise ParameterError(
                "function", Shown(function.__qualname__),
                f"a generator or a coroutine: {call} would hold for whatever runs while it is "
                "suspended; write `with` around the calls inside",
                verb="must not be",
            )

    @functools.wraps(function)
    def scoped(*args: Any, **kwargs: Any) -> Any:
        with scope:
            return function(*args, **kwargs)

    return scoped


def _former(name: str, settings: Callable[..., dict[str, Any]], held: Callable[[dict[str, Any]], Any]) -> Any:
    """A function that was there before `set_config`: a call sets the default, until its answer is entered."""

    def former(*args: Any, **kwargs: Any) -> Any:
        text = f"metalmom.{name} is deprecated: call set_config, get_config or config_context"
        warn(text, DeprecationWarning)
        given = {key: value for key, value in settings(*args, **kwargs).items() if value is not _KEPT}
        return _native.made_default(config_context(**given)) if given else held(get_config())

    def set_default(*args: Any, **kwargs: Any) -> None:
        former(*args, **kwargs)

    former.__name__ = former.__qualname__ = name  # by which it is pickled
    made: Any = former
    made.set_default = set_default
    return made


threads = _former("threads", lambda n=_KEPT: {"threads": n}, lambda config: config["threads"])
backend = _former(
    "backend",
    lambda name=_KEPT, *, min_frames=None: {
        "backend": name, "min_frames": min_frames or (_KEPT if name is _KEPT else {})
    },
    lambda config: config["backend"],
)  # fmt: skip
limits = _former(
    "limits",
    lambda **bounds: bounds,
    lambda config: {name: config[name] for name in ("memory", "device_memory", "pending")},
)
