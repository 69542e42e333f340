"""What this machine has: memory, and how sizes are written."""

import os
import re

from ..util.exceptions import ParameterError

__all__ = ["bytes_of", "machine_memory"]

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def bytes_of(name, size):
    """A number of bytes from ``512M``, ``2GiB`` or a number."""
    if isinstance(size, (int, float)) and not isinstance(size, bool) and size > 0:
        return int(size)
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(size).strip(), re.IGNORECASE)
    if not match or not float(match[1]) > 0:
        raise ParameterError(f"{name}={size!r} must be a size like '512M' or '2G'")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def machine_memory():
    """Bytes of memory that this process may have: the machine's, or what its control group allows."""
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path) as file:
                sizes.append(int(file.read()))
        except (OSError, ValueError):
            continue
    return min(sizes)
