"""What lies under the names of our files: a regular file, and nothing that somebody else has put in its place.

Who opens a named pipe waits for its other side, a device may have no end, and what is written through a link
lands in somebody else's folder. What is read may be a link to a regular file, as in a cache of downloaded data.
"""

import os
import stat

from ..util.exceptions import ParameterError

__all__ = ["FILE", "FOLDER", "open_file", "require"]

FILE, FOLDER = "a regular file", "a folder"

_KINDS = {stat.S_IFREG: FILE, stat.S_IFDIR: FOLDER, stat.S_IFLNK: "a link", stat.S_IFIFO: "a named pipe",
          stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}  # fmt: skip


def _kind_of(path, follow_links):
    kind = _KINDS[stat.S_IFMT(os.lstat(path).st_mode)]
    if kind != "a link" or not follow_links:
        return kind
    try:
        target = _KINDS[stat.S_IFMT(os.stat(path).st_mode)]
    except OSError:
        return "a link to nothing"
    return target if target == FILE else f"a link to {target}"


def require(path, kind=FILE, follow_links=False):
    """Raise an error that names the path where something else is there.

    Raises
    ------
    FileNotFoundError
        Where nothing is there.
    ParameterError
    """
    found = _kind_of(path, follow_links)
    if found != kind:
        raise ParameterError(f"{os.fspath(path)} is {found}, and must be {kind}")


def open_file(path, flags=os.O_RDONLY, mode=0o666):
    """A descriptor of a regular file; links are followed where it is only read. `mode` is that of a new one.

    Raises
    ------
    OSError
    ParameterError
        Where something else is there.
    """
    reads = flags == os.O_RDONLY
    try:
        require(path, follow_links=reads)
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    flags |= os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | (0 if reads else os.O_NOFOLLOW)
    descriptor = os.open(path, flags, mode)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ParameterError(f"{os.fspath(path)} was replaced while it was opened; it must be {FILE}")
    return descriptor
