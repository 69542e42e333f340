"""Public functions that answer with expressions, and the expressions that are kept of their calls."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import overload

import numpy as np

from .. import _native
from ..util._types import Function
from ..util._kept_results import NotKept, kept
from ..util._warnings import given
from .evaluate import Program, value_of
from .expressions import Audio, Node

__all__ = ["expression"]

# Arrays of the engine's own types have these very objects; foreign byte orders have others.
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
# Types of arguments that tell by their values which expression a call has.
_PLAIN = frozenset([bool, int, float, str, type, type(None)])


@overload
def expression(function: Function) -> Function: ...
@overload
def expression(*, audio: str | None) -> Callable[[Function], Function]: ...
def expression(function=None, *, audio="y"):
    """Decorate a public function that answers with a node: a call of it is the evaluation of that.

    The function itself stays at hand as ``function.expression``, whatever wraps it: other functions build
    theirs of it, and an Extractor or a stream gives it an `Audio`.

    Parameters
    ----------
    audio : str or None
        The argument that is audio; it comes first where it is not named. The expression of a call on audio
        is kept for calls with equal arguments. None: the function reads no audio.
    """
    if function is None:
        return functools.partial(expression, audio=audio)

    @functools.wraps(function)
    def call(*args, **kwargs):
        y = args[0] if args else kwargs.get(audio)
        program = _program_of(function, audio, y, args, kwargs) if audio else None
        if program is None:
            return value_of(function(*args, **kwargs))
        return program.value(y)

    # Traces and tracebacks show the function's own name instead of "call".
    call.__code__ = call.__code__.replace(co_name=function.__name__)
    call.expression = function
    return call


def _program_of(function, name, y, args, kwargs):
    """The program of a call on audio, if its other arguments tell which it is."""
    kind = type(y)
    if kind is not np.ndarray and kind is not _native.DeviceArray:
        return None
    if len(args) > 1 or (y.dtype is not _SINGLE and y.dtype is not _DOUBLE) or not y.ndim:
        return None
    if not args:
        kwargs = {each: value for each, value in kwargs.items() if each != name}
    values = (*kwargs.values(),)
    kinds = (*map(type, values),)
    # 0.0 equals -0.0, but is another argument
    if not _PLAIN.issuperset(kinds) or (float in kinds and 0.0 in values):
        return None
    audio = y.dtype, y.shape[:-1], kind is not np.ndarray
    return _kept_program(function, None if args else name, audio, (*kwargs,), values, kinds)


@kept(256)
def _kept_program(function, name, audio, names, values, kinds):
    """The program of a function of audio, which is given as `name`, or first."""
    audio, n_given, arguments = Audio(*audio), given(), dict(zip(names, values, strict=True))
    node = function(audio, **arguments) if name is None else function(**{name: audio}, **arguments)
    program = Program.of_node(node, audio) if isinstance(node, Node) else None
    if given() > n_given:  # so does each call
        raise NotKept(program)
    return program
