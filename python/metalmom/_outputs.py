"""Files that metalmom writes: refused before the work, and never seen half written."""

import contextlib
import os

from . import _native

__all__ = ["require_writable", "written_beside"]


def require_writable(path, kind, name="path"):
    """Raise for a place where a file of `kind` cannot be written, or would replace something else.

    `kind` is ``"json"`` or ``"page"``: these are not written to what is named as audio is, nor over
    a file of another kind. ``"any"`` replaces any file. `name` is the argument, for the error.
    """
    _native.OutputFile(os.fsencode(path), kind, name).discard()


@contextlib.contextmanager
def written_beside(path, kind, name="path"):
    """Give the path of a file in the same folder, which becomes `path` when the block has ended."""
    output = _native.OutputFile(os.fsencode(path), kind, name)
    beside = os.fsdecode(output.beside)
    try:
        yield beside
        output.keep()
    except OSError as error:
        if error.filename in (beside, os.fsencode(beside)):
            error.filename = os.fspath(path)  # which the user knows
        raise
    finally:
        output.discard()
