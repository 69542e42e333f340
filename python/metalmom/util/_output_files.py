"""Files that metalmom writes: refused before the work, and never seen half written."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from .. import _native

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ._types import Array

__all__ = ["forget_unread", "require_writable", "tell", "unread", "write_wav", "written_beside"]

# What writing raises where the terminal or the reader of a pipe has gone, or the stream is closed.
unread = OSError, ValueError


def tell(line: str) -> None:
    """Write a line to standard error, if somebody still reads that: the work is not for those lines."""
    if sys.stderr is not None:  # or print takes standard output
        with contextlib.suppress(*unread):
            print(line, file=sys.stderr, flush=True)


def forget_unread() -> None:
    """Forget what standard error did not take: when the interpreter ends it would try again, and fail."""
    if sys.stderr is not None:
        with contextlib.suppress(*unread):
            try:
                sys.stderr.flush()
            except OSError:
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def require_writable(path: str | os.PathLike[str], kind: str, name: str = "path") -> None:
    """Raise for a place where a file of `kind` cannot be written, or would replace something else.

    `kind` is ``"json"`` or ``"page"``: these are not written to what is named as audio is, nor over
    a file of another kind. ``"any"`` replaces any file. `name` is the argument, for the error.
    """
    _native.OutputFile(os.fsencode(path), kind, name).discard()  # type: ignore[arg-type]


@contextlib.contextmanager
def written_beside(path: str | os.PathLike[str], kind: str, name: str = "path") -> Iterator[str]:
    """Give the path of a file in the same folder, which becomes `path` when the block has ended.

    The block writes that file and no other: what the system refuses there is said of `path`.
    """
    output = _native.OutputFile(os.fsencode(path), kind, name)  # type: ignore[arg-type]
    beside = os.fsdecode(output.beside)
    try:
        yield beside
        output.keep()
    except OSError as error:
        if error.errno is not None and error.filename in (None, beside, os.fsencode(beside)):
            error.filename = os.fspath(path)  # which the user knows
        raise
    finally:
        output.discard()


def write_wav(path: str | os.PathLike[str], y: Array, sr: int) -> None:
    """Write stereo within [-1, 1] as a 16-bit WAV file."""
    import wave

    with written_beside(path, "any") as beside, wave.open(beside, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(sr)
        file.writeframes((y.T * 32767).astype("<i2").tobytes())
