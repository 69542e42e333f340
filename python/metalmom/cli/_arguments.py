"""Arguments on the command line: their types, for argparse; and errors, in which options stand for arguments."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import signal
from collections.abc import Callable
from typing import Any

from ..util._output_files import tell
from ..util.exceptions import Argument, LibrosaError, ParameterError, shown
from .._engine.config import setting_of

# What a user can cause: told in one sentence, without a traceback.
EXPECTED = (LibrosaError, OSError, MemoryError)

SOME_SLOWER = 3  # the exit status where a comparison found something slower
STOPPED = 3  # that of a command which goes on where it was when it is given again


def stopped(why: str, as_json: bool = False) -> int:
    """Tell why a command has stopped; its status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # one more would end in the middle of what is left
    tell(json.dumps({"note": why}) if as_json else f"metalmom: {why}")
    return STOPPED


def sentence(error: BaseException, args: argparse.Namespace) -> str:
    """An error on one line, in terms of the options that a command was given; `args.options` has them by argument."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return printable(f"{os.fspath(error.filename)}: {error.strerror}")
    parts = error.parts if isinstance(error, LibrosaError) and error.parts else [str(error)]
    return printable(" ".join("".join(_as_option(part, args) for part in parts).split()))


def printable(text: str) -> str:
    """A text on one line, without what a terminal would obey: names of files may hold it."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def printable_lines(text: str) -> str:
    """A text of several lines, without what a terminal would obey beside their ends."""
    return "\n".join(map(printable, text.split("\n")))


def _as_option(part: str, args: argparse.Namespace) -> str:
    """An argument as its option, ``--jobs=0`` or ``--overwrite``; one that was not given is of a recipe, and stays."""
    if not isinstance(part, Argument) or part.name not in args.options:
        return part
    option: str = args.options[part.name]
    if part.value is True:
        return option
    given = getattr(args, part.name)
    return part if given is None or given is False or given == [] else f"{option}={shown(part.value)}"


def backend(text: str, read: Callable[[str], object] = setting_of) -> str:
    """A backend's name, which `read` takes."""
    try:
        read(text)
    except ParameterError as error:
        said = f"{shown(error.value)} {error.verb} {error.rule}{error.hint}"
        raise argparse.ArgumentTypeError(said) from None
    return text


def _number(kind: type, is_good: Callable[[Any], bool], rule: str) -> Callable[[str], Any]:
    """A type of numbers."""

    def read(text: str) -> Any:
        with contextlib.suppress(ValueError):
            value = kind(text)
            if is_good(value):
                return value
        raise argparse.ArgumentTypeError(f"{printable(text)} must be {rule}")

    return read


integer = _number(int, lambda value: True, "an int")
positive = _number(int, lambda value: value > 0, "an int > 0")
natural = _number(int, lambda value: value >= 0, "an int >= 0")
any_number = _number(float, lambda value: True, "a number")
positive_number = _number(float, lambda value: value > 0, "a number > 0")
finite_number = _number(float, lambda value: 0 < value < math.inf, "a finite number > 0")
