"""The commands of the command line.

A command is a module here. It has ``HELP`` (one line), ``USAGE`` (what comes after its name, on one line),
``add_arguments(parser)`` and ``run(args)``, which returns the exit status; what it raises of
``EXPECTED`` ends in one sentence and status 1.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Iterable

from .._program import INTERRUPTED
from ..util._output_files import forget_unread, tell
from ..version import version
from ..util._wording import did_you_mean
from ..util.exceptions import shown
from ._arguments import EXPECTED, sentence
from ._shell import SHELLS, Printed, completion, man

COMMANDS = ("profile", "report", "soak", "extract", "separate", "verify", "doctor")


def build_parser(names: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="metalmom", description="librosa's audio features from a C++ and Vulkan engine.")
    parser.add_argument("--version", action="version", version=f"metalmom {version}")
    parser.add_argument("--completion", action=Printed, text=completion, choices=[*SHELLS],
                        help="print a completion script for bash or zsh")
    parser.add_argument("--man", action=Printed, text=man, nargs=0, help="print the man page")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in names:
        command = importlib.import_module(f".{name}", __package__)
        subparser = subparsers.add_parser(
            name, help=command.HELP, description=command.HELP, usage=f"%(prog)s {command.USAGE}")
        command.add_arguments(subparser)
        options = {each.dest: max(each.option_strings, key=len) for each in subparser._actions if each.option_strings}
        subparser.set_defaults(run=command.run, refuse=subparser.error, options=options)
    return parser


def main(argv: list[str] | None = None) -> int:
    """What `metalmom.cli.main` says."""
    args = argparse.Namespace(options={})
    argv = sys.argv[1:] if argv is None else argv
    try:
        try:
            # what another command imports takes longer than many a command
            parser = build_parser([name for name in COMMANDS if [name] == argv[:1]] or COMMANDS)
            if argv and not argv[0].startswith("-") and argv[0] not in COMMANDS:
                rule = f"must be one of {', '.join(COMMANDS)}{did_you_mean(argv[0], COMMANDS)}"
                parser.error(f"COMMAND={shown(argv[0])} {rule}")
            args, unknown = parser.parse_known_args(argv)
            if unknown:  # told with the usage of the command that was given them
                hint = args.hint_at(args, unknown[0]) if "hint_at" in args else ""
                args.refuse(f"unrecognized arguments: {' '.join(unknown)}{hint}")
            return args.run(args)
        finally:
            sys.stdout.flush()  # what the interpreter flushes at its end, nobody catches
    except BrokenPipeError:
        # The program that read standard output has ended; without this the interpreter would fail
        # to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except EXPECTED as error:
        tell(f"metalmom: {sentence(error, args)}")
        return 1
    finally:
        forget_unread()
