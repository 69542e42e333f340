"""Arguments on the command line: their types, for argparse, and what they are called in errors."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from .._engine.config import setting_of
from ..util.exceptions import ParameterError, shown

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

__all__ = ["backend", "natural", "options_of", "positive", "with_options"]


def options_of(parser: ArgumentParser) -> dict[str, str]:
    """The option of each argument that has one, ``{"max_failures": "--max-failures"}``."""
    return {action.dest: max(action.option_strings, key=len)
            for action in parser._actions if action.option_strings}  # fmt: skip


def with_options(text: str, args: Namespace) -> str:
    """A sentence about a function's arguments as one about the options that its command was given.

    ``jobs=0`` is ``--jobs=0`` then, and ``overwrite=True`` is ``--overwrite``. What was not given stays:
    it is of a recipe. `args.options` has the options.
    """

    def option(found: re.Match[str]) -> str:
        name, true = found.groups()
        if true:
            return str(args.options[name])
        given = getattr(args, name)
        return found[0] if given is None or given is False or given == [] else f"{args.options[name]}="

    names = "|".join(args.options)
    return re.sub(rf"(?<![\w.-])({names})=(True\b)?", option, text)


def backend(text: str) -> str:
    """A backend's name."""
    try:
        setting_of(text)
    except ParameterError as error:
        said = f"{shown(error.value)} {error.verb} {error.rule}{error.hint}"
        raise argparse.ArgumentTypeError(said) from None
    return text


def positive(text: str) -> int:
    """A positive integer."""
    value = int(text)
    if value < 1:
        raise ValueError
    return value


positive.__name__ = "positive integer"  # argparse names it in its error


def natural(text: str) -> int:
    """An integer that is not negative."""
    value = int(text)
    if value < 0:
        raise ValueError
    return value


natural.__name__ = "number, 0 or more,"
