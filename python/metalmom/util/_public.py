"""What stands between users and every public function: one wrapper, `public`.

A call of it takes one frame. While nothing fails it costs half a microsecond:

- When something fails that names no argument of the function that was called (a ZeroDivisionError far below,
  an error about an inner function's argument), `_explain` looks for the argument that breaks what the
  signature says of it. An error that no argument explains passes as it is: it is a fault of ours, or of a
  function that was passed in.
- NumPy's warnings name the caller's line (`_warnings.divert`).
- The engine knows that the package's code runs, where NumPy asks for a DeviceArray's values; a trace has one
  span for the call, under the function's name.
- Where the function answers with an expression, that is evaluated, and kept for calls with equal arguments.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, overload

import numpy as np

from .. import _native
from .._native import trace_name_call, trace_open_call
from ._declared import Like, as_feature
from ._evaluate import Program
from ._explain import explained, require_numbers
from ._expressions import Audio, Node
from ._kept_results import NotKept, kept
from ._types import Function
from ._warnings import divert, given, restore

__all__ = ["elementwise", "public", "strict"]

# Arrays of the engine's own types have these very objects; foreign byte orders have others.
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
# Types of arguments that tell by their values which expression a call has.
_PLAIN = frozenset([bool, int, float, str, type, type(None)])


@overload
def public(function: Function) -> Function: ...
@overload
def public(*, expression: bool = ..., composed: bool = ...) -> Callable[[Function], Function]: ...
def public(function: Any = None, *, expression: bool = False, composed: bool = False) -> Any:
    """Decorate a public function; what else is declared of it stands above.

    Parameters
    ----------
    expression : bool
        Whether it answers with a node, or a value where there is nothing to ask for: a call of it is the
        evaluation of that. The function itself stays at hand as ``function.expression``: other functions
        build theirs of it, and an Extractor or a stream gives it an `Audio`.
    composed : bool
        Whether it makes several native calls: one span then stands around all that it does. That of a
        single native call has the function's name.
    """
    if function is None:
        return functools.partial(public, expression=expression, composed=composed)
    name, say = function.__name__, trace_open_call if composed else trace_name_call
    reads_audio = expression and "y" in function.__annotations__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        span, diverted = None, divert()
        try:
            span = say(name)
            if reads_audio:
                y = args[0] if args else kwargs.get("y")
                program = _program_of(function, y, args, kwargs)
                if program is not None:
                    return program.value(y)
            value = function(*args, **kwargs)
            return Program.of_node(value).value() if expression and isinstance(value, Node) else value
        except Exception as error:
            _tell(call, args, kwargs, error)
            raise
        finally:
            del span
            restore(diverted)

    @functools.wraps(function)
    def blocks(*args: Any, **kwargs: Any) -> Iterator[Any]:
        try:
            yield from function(*args, **kwargs)
        except Exception as error:
            _tell(blocks, args, kwargs, error)
            raise

    made: Any = blocks if inspect.isgeneratorfunction(inspect.unwrap(function)) else call
    # Tracebacks show the function's own name instead of "call".
    made.__code__ = made.__code__.replace(co_name=name)
    if expression:
        made.expression = function
    return made


def strict(function: Function) -> Function:
    """Decorate a function or a constructor: numbers that are not what its signature says are refused first."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        require_numbers(function, args, kwargs)
        return function(*args, **kwargs)

    made: Any = call
    made.__code__ = made.__code__.replace(co_name=function.__name__)
    return made


def elementwise(numbers: type) -> Callable[[Function], Function]:
    """Decorate a public function that makes of each number one of another kind: a feature of any feature."""
    return lambda function: as_feature(Like(numbers=numbers), listed=False)(public(function))


def _tell(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> None:
    """Raise the explained error instead, if there is one."""
    told = explained(function, args, kwargs, error)
    try:
        if told is not error:
            raise told from told.__cause__
    finally:
        del told, error  # which hold this frame, and it all arguments


def _program_of(
    function: Callable[..., Any], y: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Program | None:
    """The program of a call on audio, if its other arguments tell which it is."""
    kind = type(y)
    if kind is not np.ndarray and kind is not _native.DeviceArray:
        return None
    if len(args) > 1 or (y.dtype is not _SINGLE and y.dtype is not _DOUBLE) or not y.ndim:
        return None
    if not args:
        kwargs = {name: value for name, value in kwargs.items() if name != "y"}
    values = (*kwargs.values(),)
    kinds = (*map(type, values),)
    # 0.0 equals -0.0, but is another argument
    if not _PLAIN.issuperset(kinds) or (float in kinds and 0.0 in values):
        return None
    audio = y.dtype, y.shape[:-1], kind is not np.ndarray
    return _kept_program(function, bool(args), audio, (*kwargs,), values, kinds)


@kept(256)
def _kept_program(
    function: Callable[..., Any], comes_first: bool, audio: Any, names: tuple[str, ...],
    values: tuple[Any, ...], kinds: tuple[type, ...],
) -> Program | None:
    """The program of a function of audio, which is given by name or comes first."""
    audio, n_given, arguments = Audio(*audio), given(), dict(zip(names, values, strict=True))
    node = function(audio, **arguments) if comes_first else function(y=audio, **arguments)
    program = Program.of_node(node, audio) if isinstance(node, Node) else None
    if given() > n_given:  # so does each call
        raise NotKept(program)
    return program
