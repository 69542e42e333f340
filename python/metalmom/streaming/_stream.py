"""What every stream has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, TypeVar

import numpy as np

from .. import _native
from .._engine import _args
from ..util._types import Array, Positive, PositiveInt, RealDtype
from ..util._checks import is_number, natural_int, number, positive_int
from ..util._keywords import function_named, parameters_of
from ..util._wording import did_you_mean, no_array, turned
from ..util.exceptions import DeviceError, ParameterError, Shown, shown, Unsaid
from ._report import Report

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

    A method that is one call of the engine does not need it: the engine refuses a second thread itself, and
    `_answer` makes the call.
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


class Signal:
    """What of a signal has come, where no part of the engine counts it.

    Who changes it, or what goes with it, says so to the turns before (`change`) and after (`done_block`): a call
    that ends in between leaves the stream stopped.
    """

    def __init__(self, turns: _native.Turns) -> None:
        self._turns = turns
        self.position, self.ended = 0, False

    def reset(self) -> None:
        """Begin another signal."""
        self._turns.change()
        self.position, self.ended = 0, False
        self._turns.done_anew()


class Stream:
    """The base class of all streams.

    `process` takes a block of a signal and returns the frames that are complete, `flush` ends the
    signal, and `reset` begins another one. After an exception a stream is as it was before the call. If
    that is not possible, because the call was stopped half way, all calls except `reset` are refused.

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
    _given: Mapping[str, Any] = {}  # arguments that its text shows

    def __init_subclass__(
        cls, of: str | None = None, but: Iterable[str] = (), more: Iterable[str] = (),
        unshown: Iterable[str] = (),
    ) -> None:
        """Give a class whose `process` takes a last block, but which has no `flush`, one with the same results.

        The constructor's ``**arguments`` are those `of` a function, by its full name, `but` some, and
        `more`: its signature shows them, and others are refused. What is `unshown` it refuses itself.
        """
        super().__init_subclass__()
        if of is not None:
            theirs = {**parameters_of(function_named(of)), **dict.fromkeys(more)}
            shown = {name: default for name, default in theirs.items() if name not in (*but, *unshown)}
            cls.__init__ = _init_of(cls, shown, unshown)  # type: ignore[method-assign]
        process = vars(cls).get("process")
        if process and "flush" not in vars(cls) and "last" in inspect.signature(process).parameters:
            cls.flush = _flush_of(process)

    def __init__(self, channels: PositiveInt, sample_dtype: RealDtype = np.float32) -> None:
        self._channels = size("channels", channels)
        self._lead = () if channels == 1 else (self._channels,)
        self._dtype = one_dtype("sample_dtype", sample_dtype, np.float32, np.float64)
        self._share(_native.Turns(type(self).__name__))

    def _share(self, turns: Any) -> None:
        """Be one stream with all that has these turns."""
        self._turns, self._turn = turns, turns.begin_and_end()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse to be copied or pickled."""
        raise TypeError(
            f"{type(self).__name__} streams cannot be copied or pickled, since each is in the middle of a signal: "
            "make another one with the same arguments"
        )

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self._given.items())
        return f"{type(self).__name__}(channels={self._channels}{given})"

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

    @property
    def rate(self) -> float | None:
        """Samples a second that come in, from which `report` knows how long a block lasts; of a spectrogram, frames.

        The `sr` of the constructor; None where a class has none. You may set it, which begins the report anew.
        """
        return self._turns.rate or None

    @rate.setter
    def rate(self, rate: Positive) -> None:
        if not 0 < number("rate", rate) < np.inf:
            raise ParameterError("rate", rate, "a positive number")
        self._turns.set_budget(float(rate), 0.0)

    def report(self) -> Report:
        """Tell how long the blocks took and how many were late. Any thread may ask, also during a block.

        Every block is counted, at a cost of some tens of nanoseconds. `reset` begins anew, so ask before.

        Returns
        -------
        Report
        """
        return Report(**self._turns.report())

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

    def _know_rate(self, *rates: Any) -> None:
        """Have the first of these rates that there is."""
        for rate in rates:
            if rate is not None:
                self.rate = rate
                return

    def _answer(self, ask: Callable[..., Any], *asked: Any) -> Any:
        """Return the engine's answer; if a signal handler raises before the caller has it, stop the stream."""
        try:
            answer = ask(*asked)
            return answer  # by its name: what follows the call must lie within `try`, too
        except BaseException:
            self._turns.lose()
            raise

    def _checked(self, y: Any) -> Any:
        """A block of samples, refused if it is not of the stream's type and channels."""
        _args.audio(y)
        refuse_on_device("y", y)
        if y.dtype != self._dtype:
            raise ParameterError("y.dtype", y.dtype, f"{self._dtype}, the stream's sample_dtype")
        if y.ndim != 1 + len(self._lead) or y.shape[:-1] != self._lead:
            channels = self._channels
            rule = "(n,)" if channels == 1 else f"({channels}, n)"
            hint = turned("y", y) if y.shape[-1:] == (channels,) else ""
            if channels == 1 and (turned_to := turned("y", y)):
                hint = f"{turned_to} to a stream with channels={y.shape[1]}, or metalmom.to_mono(y.T)"
            raise ParameterError("y.shape", y.shape, f"{rule} with channels={channels}", hint=hint)
        return y

    def _no_block(self) -> Array:
        return np.empty((*self._lead, 0), dtype=self._dtype)

    def _silence(self) -> Array:
        return np.zeros((*self._lead, SILENT_SAMPLES), dtype=self._dtype)


def _init_of(cls: type[Stream], arguments: dict[str, Any], unshown: Iterable[str]) -> Callable[..., None]:
    """The constructor of a class whose ``**arguments`` are these, with their defaults."""
    inner: Any = cls.__init__
    own = inspect.signature(inner).parameters
    shown = {name: each for name, each in own.items() if each.kind is not each.VAR_KEYWORD}
    for name, default in arguments.items():
        shown.setdefault(name, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
    known = shown.keys() - {"self"}

    def __init__(self: Any, **arguments: Any) -> None:
        for name, value in arguments.items():
            if name not in known and name not in unshown:
                said = Unsaid if isinstance(value, np.ndarray) else value
                raise ParameterError(
                    name, said, f"not a parameter of {cls.__name__}", verb="is", hint=did_you_mean(name, known)
                )
        inner(self, **arguments)

    made: Any = __init__
    made.__signature__ = inspect.Signature([*shown.values()])
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


def _flush_of(process: Callable[..., Any]) -> Callable[..., Any]:
    """`flush` of a user's class whose `process` this is: of no more samples, and the last.

    Of a `process` that knows no last block there is none: then the `flush` of the class above holds, which
    calls the `process` beside it.
    """

    def flush(self: Any, *out: Any, **named: Any) -> Any:
        """End the signal and return the rest. After that only `reset` is possible."""
        return process(self, self._no_block(), True, *out, **named)

    return flush


def refuse_on_device(name: str, value: Any) -> None:
    """Refuse a DeviceArray: streams are the CPU's."""
    if _args.on_device(value):
        raise DeviceError(name, value, "an array of numbers", kind="array")


def numpy_array(name: str, value: Any) -> Array:
    """The value as an array of NumPy; a DeviceArray is refused."""
    refuse_on_device(name, value)
    try:
        return np.asarray(value)
    except ValueError:  # lists of different lengths, or too deep
        raise no_array(name, value) from None


def size(
    name: str, value: Any, check: Callable[[str, Any], Any] = positive_int, rule: str = "a positive integer"
) -> int:
    """Check a number of samples or of channels: an integer of at least 1; True is none."""
    if isinstance(value, (bool, np.bool_)):
        raise ParameterError(name, value, rule)
    return int(check(name, value))


def count(name: str, value: Any) -> int:
    """Check a number of samples of which there may be none."""
    return size(name, value, natural_int, "a non-negative integer")


def frame_latency(n_fft: int, center: bool) -> int:
    """Samples from a frame's middle if it is centred, else from its beginning, to its end."""
    return n_fft - n_fft // 2 if center else n_fft


def flag(name: str, value: Any) -> bool:
    """Check a truth value."""
    if value is True or value is False:
        return value
    if not is_number(value) or value not in (0, 1):  # a rate after the block, as other functions take it, is no end
        raise ParameterError(name, value, "True or False")
    return bool(value)


def one_dtype(name: str, value: Any, first: type[Any], second: type[Any]) -> np.dtype[Any]:
    """Check a dtype: one of two."""
    try:
        dtype = None if value is None else np.dtype(value)
    except (TypeError, ValueError):
        dtype = None
    if dtype is None or dtype not in (first, second):
        said = value if isinstance(value, np.dtype) else getattr(value, "__name__", shown(value))
        raise ParameterError(name, Shown(said), f"{first.__name__} or {second.__name__}")
    return dtype


def check_memory(out: Array, name: str = "out") -> None:
    """Refuse an array that the engine cannot write to; `name` is what its giver calls it."""
    if not out.flags.writeable:
        raise ParameterError(name, rule="writable")
    # those of a field of a packed record need not be
    if not out.flags.aligned or any(stride % out.itemsize for stride in out.strides):
        raise ParameterError(
            f"{name}.strides", out.strides, f"multiples of {out.itemsize}, the size of an element"
        )


def apart_from(y: Array, *outs: Any) -> Array:
    """A block, or its copy where a result that is written would change samples not yet read."""
    shared = (isinstance(out, np.ndarray) and np.may_share_memory(y, out) for out in outs)
    return y.copy() if any(shared) else y
