"""Who called the package."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from .. import _native

if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    Place = tuple[str, int, str, dict[Any, int]]

__all__ = ["caller", "place"]

# Code that a caller did not write: this package, and what may stand between a caller and one of its
# functions, such as numpy.vectorize or a context manager made from a generator.
_NOT_CALLERS = frozenset(
    [__name__.partition(".")[0], "numpy", "scipy", "functools", "contextlib", "concurrent"]
)

def _name(frame: FrameType) -> str:
    """The module that a frame's code is of; as Python itself has it where `exec` was given no name."""
    name = frame.f_globals.get("__name__")
    return name if isinstance(name, str) else "<string>"


def caller() -> FrameType | None:
    """The innermost frame that is the caller's own; None where only C called."""
    frame: FrameType | None = sys._getframe(1)
    while frame and _name(frame).partition(".")[0] in _NOT_CALLERS:
        frame = frame.f_back
    return frame


def place() -> Place | None:
    """The caller's file, line, module and registry of warnings; None where only C called.

    Of a submitted call that is where it was submitted: below it are none but the frames of a thread.
    """
    frame = caller()
    if frame is None or _name(frame) == threading.__name__:
        submitted: Place | None = _native.held_place()
        if frame is None or submitted is not None:
            return submitted
    return (
        frame.f_code.co_filename,
        frame.f_lineno,
        _name(frame),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )
