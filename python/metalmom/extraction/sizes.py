"""How sizes of memory are written, and that a process keeps to one."""

import contextlib
import re

from ..util.exceptions import ParameterError

__all__ = ["bound_memory", "bytes_of"]

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def bytes_of(name, size):
    """A number of bytes from ``512M``, ``2GiB`` or a number."""
    if isinstance(size, (int, float)) and not isinstance(size, bool) and size > 0:
        return int(size)
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(size).strip(), re.IGNORECASE)
    if not match or not float(match[1]) > 0:
        raise ParameterError(f"{name}={size!r} must be a size like '512M' or '2G'")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def bound_memory(size):
    """Let this process take so many bytes beside what it has; more is a MemoryError.

    Where the system knows no such bound there is none.
    """
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):
        with open("/proc/self/status") as file:
            (taken,) = (int(line.split()[1]) << 10 for line in file if line.startswith("VmData:"))
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        bound = taken + size
        resource.setrlimit(resource.RLIMIT_DATA, (bound if hard < 0 else min(bound, hard), hard))
