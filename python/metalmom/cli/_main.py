"""The commands of the command line.

A command is a module here. It has ``HELP`` (one line), ``USAGE`` (what comes after its name, on one line),
``add_arguments(parser)`` and ``run(args)``, which returns the exit status; what it raises of
``_failures.EXPECTED`` ends in one sentence and status 1.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from typing import TYPE_CHECKING

from .._program import INTERRUPTED
from ..util._output_files import forget_unread, tell
from ..util.exceptions import ParameterError
from ..version import version
from ._arguments import options_of, with_options
from ._failures import EXPECTED, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

COMMANDS = ("profile", "extract", "verify", "doctor")


def build_parser(names: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="metalmom", description="librosa's audio features from a C++ and Vulkan engine.")
    parser.add_argument("--version", action="version", version=f"metalmom {version}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in names:
        command = importlib.import_module(f".{name}", __package__)
        subparser = subparsers.add_parser(
            name, help=command.HELP, description=command.HELP, usage=f"%(prog)s {command.USAGE}")
        command.add_arguments(subparser)
        subparser.set_defaults(
            run=command.run, refuse=subparser.error, options=options_of(subparser))
    return parser


def run(argv: list[str] | None) -> int:
    """Parse, run, and write all of it: what the interpreter flushes at its end, nobody catches."""
    try:
        args, unknown = build_parser().parse_known_args(argv)
        if unknown:  # told with the usage of the command that was given them
            hint = args.hint_at(args, unknown[0]) if "hint_at" in args else ""
            args.refuse(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        try:
            return args.run(args)
        except ParameterError as error:
            raise ParameterError(with_options(str(error), args)) from error
    finally:
        sys.stdout.flush()


def main(argv: list[str] | None = None) -> int:
    """What `metalmom.cli.main` says."""
    try:
        return run(argv)
    except BrokenPipeError:
        # The program that read standard output has ended; without this the interpreter would fail
        # to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except EXPECTED as error:
        tell(f"metalmom: {sentence(error)}")
        return 1
    finally:
        forget_unread()
