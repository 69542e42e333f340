"""What every stream has."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, TypeVar

import numpy as np

from .. import _native
from ..util._types import Array, PositiveInt, RealDtype
from ..util._checks import is_number, natural_int, positive_int
from ..util._keywords import function_named, parameters_of
from ..util._wording import did_you_mean
from ..util.exceptions import ParameterError, Shown, Unsaid

__all__ = ["Stream"]

_Self = TypeVar("_Self", bound="Stream")
_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

# How much silence warms a stream of samples up.
SILENT_SAMPLES = 1 << 15


def in_turn(
    method: Callable[Concatenate[_Self, _Parameters], _Result]
) -> Callable[Concatenate[_Self, _Parameters], _Result]:
    """A method of a stream that one thread at a time may be in, and that leaves it whole or stopped.

    A method that is one call of the engine does not need it: the engine refuses a second thread itself. They
    say `lose` where a signal's handler raises while they have its answer in hand.
    """

    @functools.wraps(method)
    def turned(self: _Self, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        begin, end = self._turn
        token = kwargs  # an object that is this call's alone
        try:
            begin(token)
            result = method(self, *args, **kwargs)
            end(token)
            return result
        except BaseException:
            self._turns.lose(token)
            raise

    return turned  # type: ignore[return-value]


class Stream:
    """What every stream has; each class here is one.

    It takes blocks of a signal by `process` and gives what is known so far; `flush` ends the signal, and
    `reset` begins another one. After an exception a stream is as it was before the call; where it
    cannot be, since the call was stopped half way, all calls but `reset` are refused.

    Examples
    --------
    >>> s = metalmom.streaming.RMS()
    >>> isinstance(s, metalmom.streaming.Stream), s.position, s.latency
    (True, 0, 1024)
    """

    # A class says what `process` does; `_native` is the part of the engine that counts and begins anew.

    _native: Any = None
    if TYPE_CHECKING:
        process: Callable[..., Any]
        flush: Callable[..., Any]
    _latency = 0

    def __init_subclass__(
        cls, of: str | None = None, but: Iterable[str] = (), more: Iterable[str] = (),
        unshown: Iterable[str] = (),
    ) -> None:
        """Give a class that says what `process` does a `flush` with the same results.

        The constructor's ``**arguments`` are those `of` a function, by its full name, `but` some, and
        `more`: its signature shows them, and others are refused. What is `unshown` it refuses itself.
        """
        super().__init_subclass__()
        if of is not None:
            hidden = {*but, *unshown}
            theirs = {**parameters_of(function_named(of)), **dict.fromkeys(more)}
            shown = {name: default for name, default in theirs.items() if name not in hidden}
            cls.__init__ = _init_of(cls, shown, unshown)  # type: ignore[method-assign]
        if "process" in vars(cls) and "flush" not in vars(cls):
            flush = _flush_of(cls.process)
            if flush is not None:
                cls.flush = flush

    def __init__(self, channels: PositiveInt, sample_dtype: RealDtype = np.float32) -> None:
        check_setting(channels, sample_dtype)
        self._channels = int(channels)
        self._lead = () if channels == 1 else (self._channels,)
        self._dtype = np.dtype(sample_dtype)
        self._share(_native.Turns(type(self).__name__))

    def _share(self, turns: Any) -> None:
        """Be one stream with all that has these turns."""
        self._turns, self._turn = turns, turns.begin_and_end()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse to be copied or pickled."""
        raise TypeError(
            f"a {type(self).__name__} of a stream cannot be copied or pickled, since it is in the "
            "midst of a signal: make another one with the same arguments"
        )

    @property
    def channels(self) -> int:
        """Channels of a block."""
        return self._channels

    @property
    def position(self) -> int:
        """Samples taken since the beginning of the signal; of a spectrogram, frames."""
        return self._native.position

    @property
    def latency(self) -> int:
        """Samples by which a result comes after its time."""
        return self._latency

    @in_turn
    def reset(self) -> None:
        """Begin another signal, with the same configuration."""
        self._native.reset()

    @in_turn
    def warmup(self) -> None:
        """Do the work once on silence, so that the first block costs what every block does."""
        if self.position or self._native.ended:
            raise ParameterError("warmup() must come before the first block, or after reset()")
        self.process(self._silence(), last=True)
        self.reset()

    def _no_block(self) -> Array:
        return np.empty((*self._lead, 0), dtype=self._dtype)

    def _silence(self) -> Array:
        return np.zeros((*self._lead, SILENT_SAMPLES), dtype=self._dtype)


def _init_of(cls: type[Stream], arguments: dict[str, Any], unshown: Iterable[str]) -> Callable[..., None]:
    """The constructor of a class whose ``**arguments`` are these, with their defaults."""
    inner: Any = cls.__init__
    own = [each for each in inspect.signature(inner).parameters.values() if each.kind is not each.VAR_KEYWORD]
    names = {each.name for each in own}
    known = names.union(arguments) - {"self"}
    handed_on = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in arguments.items()
        if name not in names
    ]

    def __init__(self: Any, **arguments: Any) -> None:
        for name, value in arguments.items():
            if name not in known and name not in unshown:
                said = Unsaid if isinstance(value, np.ndarray) else value
                raise ParameterError(
                    name, said, f"no parameter of {cls.__name__}", verb="is", hint=did_you_mean(name, known)
                )
        inner(self, **arguments)

    made: Any = __init__
    made.__signature__ = inspect.Signature(own + handed_on)
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


def _flush_of(process: Callable[..., Any]) -> Callable[..., Any] | None:
    """`flush` of a class whose `process` this is: of no more samples, and the last.

    None of a `process` that knows no last block, as a user's own may be: then the `flush` of the class
    above holds, which calls the `process` beside it.
    """
    known = inspect.signature(process).parameters
    if "last" not in known:
        return None
    if "out" in known:

        def flush(self: Any, out: Any = None) -> Any:
            return process(self, self._no_block(), last=True, out=out)

    else:

        def flush(self: Any) -> Any:  # type: ignore[misc]
            return process(self, self._no_block(), last=True)

    said = process.__annotations__
    flush.__annotations__ = {each: said[each] for each in ("out", "return") if each in said}
    flush.__doc__ = _doc_of_flush(inspect.getdoc(process) or "")
    return flush


def _doc_of_flush(doc: str) -> str:
    """What `flush` says where `process` says this; a user's own may say less than ours."""
    parts = ["End the signal: give what is left. Then only `reset` goes on."]
    out = re.search(r"^out : .*\n(?:    .*\n)+", doc, re.MULTILINE)
    if out:
        parts.append("Parameters\n----------\n" + out[0].rstrip())
    returns = re.search(r"Returns\n-------\n.*?(?=\n\n|\Z)", doc, re.DOTALL)
    if returns:
        parts.append(returns[0])
    parts.append("Raises\n------\nParameterError\n    If the signal has ended already.")
    return "\n\n".join(parts)


def size(name: str, value: Any) -> int:
    """Check a number of samples or of channels: an integer of at least 1; True is none."""
    _refuse_bool(name, value, "a positive integer")
    return int(positive_int(name, value))


def count(name: str, value: Any) -> int:
    """Check a number of samples of which there may be none."""
    _refuse_bool(name, value, "a non-negative integer")
    return int(natural_int(name, value))


def _refuse_bool(name: str, value: object, rule: str) -> None:
    if isinstance(value, (bool, np.bool_)):
        raise ParameterError(name, value, rule)


def frame_latency(n_fft: int, center: bool) -> int:
    """Samples from a frame's middle if it is centred, else from its beginning, to its end."""
    return n_fft - n_fft // 2 if center else n_fft


def flag(name: str, value: Any) -> bool:
    """Check a truth value."""
    if value is True or value is False:
        return value
    if not is_number(value):
        raise ParameterError(name, value, "True or False")
    return bool(value)


def one_dtype(name: str, value: Any, first: type[Any], second: type[Any]) -> np.dtype[Any]:
    """Check a dtype: one of two."""
    try:
        dtype = None if value is None else np.dtype(value)
    except (TypeError, ValueError):
        dtype = None
    if dtype is None or dtype not in (first, second):
        said = value if isinstance(value, np.dtype) else getattr(value, "__name__", repr(value))
        raise ParameterError(name, Shown(said), f"{first.__name__} or {second.__name__}")
    return dtype


def check_setting(channels: Any, sample_dtype: Any = np.float32) -> None:
    """Check the number of channels and the type of samples."""
    size("channels", channels)
    one_dtype("sample_dtype", sample_dtype, np.float32, np.float64)


def check_memory(out: Array, name: str = "out") -> None:
    """Refuse an array that the engine cannot write to; `name` is what its giver calls it."""
    if not out.flags.writeable:
        raise ParameterError(name, rule="writable")
    # those of a field of a packed record need not be
    if not out.flags.aligned or any(stride % out.itemsize for stride in out.strides):
        raise ParameterError(
            f"{name}.strides", out.strides, f"multiples of {out.itemsize}, the size of an element"
        )


def apart_from(y: Array, *outs: Array) -> Array:
    """A block, or its copy where a result that is written would change samples not yet read."""
    return y.copy() if any(np.may_share_memory(y, out) for out in outs) else y
