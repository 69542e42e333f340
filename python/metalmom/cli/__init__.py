"""The command line: ``metalmom COMMAND ...``, also ``python -m metalmom COMMAND ...``.

What takes long to import is imported by the functions, since a program answers Ctrl-C before.
"""

from __future__ import annotations

import sys

from .. import _program


def main(argv: list[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : list of str, optional
        By default those of the process.

    Returns
    -------
    int
        The exit status: 0, or 1 for a failed job. Wrong usage leaves with status 2 (SystemExit).
    """
    from ._main import main

    return main(argv)


def program() -> int:
    """The process `metalmom`: `main`, with an answer to Ctrl-C at any moment."""
    _program.take_over()
    if _program.begins_run(sys.argv):
        from ..extraction import fork_server

        fork_server.start_early()  # before the imports below, during which it imports the same
    from ._main import main

    return _program.interruptible(main)
