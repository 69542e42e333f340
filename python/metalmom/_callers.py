"""Who called the package, and what becomes of what a call answers."""

import contextlib
import sys
import threading

__all__ = ["caller", "drops_value", "on_behalf_of", "place"]

# Code that a caller did not write: this package, and what may stand between a caller and one of its
# functions, such as numpy.vectorize or a context manager made from a generator.
_NOT_CALLERS = frozenset(
    [__package__, "numpy", "scipy", "functools", "contextlib", "concurrent"]
)

# The place on whose behalf a thread works.
_submitted = threading.local()


def _name(frame):
    """The module that a frame's code is of; as Python itself has it where `exec` was given no name."""
    name = frame.f_globals.get("__name__")
    return name if isinstance(name, str) else "<string>"


def caller():
    """The innermost frame that is the caller's own; None where only C called."""
    frame = sys._getframe(1)
    while frame and _name(frame).partition(".")[0] in _NOT_CALLERS:
        frame = frame.f_back
    return frame


def place():
    """The caller's file, line, module and registry of warnings; None where only C called.

    Of a submitted call that is where it was submitted: below it are none but the frames of a thread.
    """
    frame = caller()
    if frame is None or _name(frame) == threading.__name__:
        submitted = getattr(_submitted, "place", None)
        if frame is None or submitted is not None:
            return submitted
    return (
        frame.f_code.co_filename,
        frame.f_lineno,
        _name(frame),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )


@contextlib.contextmanager
def on_behalf_of(where):
    """Work for who called at `where`, an answer of `place` in another thread."""
    before = getattr(_submitted, "place", None)
    _submitted.place = where
    try:
        yield
    finally:
        _submitted.place = before


def drops_value(frame):
    """Tell whether the call that `frame` is making is a statement, whose value nobody takes.

    That is what the instruction after the call says. At a prompt the value is shown, and dropped;
    what a function returns is dropped where its own call is a statement.
    """
    from opcode import opmap

    while frame:
        code = frame.f_code.co_code
        after = frame.f_lasti + 2
        while code[after] == opmap["CACHE"]:  # room that the interpreter keeps behind a call
            after += 2
        instruction, argument = code[after], code[after + 1]
        if instruction == opmap["RETURN_VALUE"]:
            frame = frame.f_back
            continue
        shown = (
            instruction == opmap["PRINT_EXPR"]  # until Python 3.11
            if "PRINT_EXPR" in opmap
            else instruction == opmap["CALL_INTRINSIC_1"] and argument == 1
        )
        return shown or instruction == opmap["POP_TOP"]
    return False
