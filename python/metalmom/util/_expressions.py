"""Features as expressions: what a function makes of audio, as nodes that read other nodes.

A public function says what it wants with `ask` (an op of the engine) and `then` (a function of the host), and
answers with a node: the expression of all that it does. A plain call evaluates it (`_public.py`). An
Extractor gives the function an `Audio`, which stands for any audio of one kind, and evaluates the expressions
of many features together (`_evaluate.py`); a stream evaluates its expression block by block. A function
decides by types and axes what it asks for; what depends on samples or on lengths stands in a function that is
given to `then`, which may answer with a further node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._types import DTypeLike, Function

__all__ = ["Audio", "Cut", "Ending", "Node", "Past", "ask", "by_blocks", "expression_of", "of_audio", "of_lengths",
           "reads_lengths", "then", "way_by_blocks"]  # fmt: skip


class Node:
    """A value that an op of the engine, or a function of the host, makes of its arguments.

    Attributes
    ----------
    op : str or None
        The op; None for a function of the host.
    function : callable or None
        The function of the host. It is pure: it changes no argument, and equal arguments give equal values.
    args, kwargs
        The arguments, of which some may be nodes. Of an op all are in `kwargs`.
    """

    __slots__ = ("op", "function", "args", "kwargs")

    def __init__(
        self, op: str | None, function: Callable[..., Any] | None, args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        self.op, self.function, self.args, self.kwargs = op, function, args, kwargs


class Audio(Node):
    """Audio of one kind, of any length: a signal that an expression reads, or one made of it.

    Attributes
    ----------
    dtype : np.dtype
    lead : tuple of int
        The axes before time.
    on_device : bool
    """

    __slots__ = ("dtype", "lead", "on_device")

    def __init__(
        self, dtype: np.dtype[Any], lead: tuple[int, ...], on_device: bool = False,
        function: Callable[..., Any] | None = None, args: tuple[Any, ...] = (),
    ) -> None:
        super().__init__(None, function, args, {})
        self.dtype, self.lead, self.on_device = dtype, lead, on_device

    @property
    def ndim(self) -> int:
        return len(self.lead) + 1


def ask(op: str, **arguments: Any) -> Any:
    """The answer of the engine's `op`."""
    return Node(op, None, (), arguments)


def then(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a pure function of the host makes of its arguments; it is called at once if none is a node."""
    kinds = (*map(type, args), *map(type, kwargs.values())) if kwargs else (*map(type, args),)
    if Node in kinds or Audio in kinds:
        return Node(None, function, args, kwargs)
    return function(*args, **kwargs)


def of_lengths(function: Function) -> Function:
    """Declare a function that is given to `then`: it looks at types and lengths of audio, never at samples."""
    function.reads_lengths = True  # type: ignore[attr-defined]
    return function


def reads_lengths(function: Any) -> bool:
    """Whether a function is declared `of_lengths`."""
    return getattr(function, "reads_lengths", False)


class Past(NamedTuple):
    """It reads `size` entries before each that it gives, as far as the signal has them."""

    size: int


class Ending(NamedTuple):
    """It changes what it is given at the end of a signal alone, whose number of entries `before` that it must know."""


class Cut(NamedTuple):
    """It makes one result of some entries; `sizes` says of its further arguments how many, and from one to the next."""

    sizes: Callable[..., tuple[int, int]]


def by_blocks(way: Past | Ending | Cut) -> Callable[[Function], Function]:
    """Declare a function that is given to `then` or `of_audio`: how a stream evaluates it block by block.

    Of others it takes those of `then` to make each frame of one frame, and those of `of_audio` to change no
    sample.
    """

    def declare(function: Function) -> Function:
        function.by_blocks = way  # type: ignore[attr-defined]
        return function

    return declare


def way_by_blocks(function: Any) -> Past | Ending | Cut | None:
    """What `by_blocks` was told of a function."""
    return getattr(function, "by_blocks", None)


def expression_of(function: Any) -> Any:
    """The function of nodes that a public one evaluates, if that is declared to answer with them."""
    return function.expression


def of_audio(function: Callable[..., Any], y: Any, *args: Any, dtype: DTypeLike = None) -> Any:
    """Audio that a pure function of the host makes of audio, with the same axes before time."""
    if type(y) is not Audio:
        return function(y, *args)
    return Audio(np.dtype(dtype or y.dtype), y.lead, y.on_device, function, (y, *args))
