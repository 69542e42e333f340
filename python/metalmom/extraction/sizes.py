"""How sizes of memory are written."""

import re

from ..util.exceptions import ParameterError

__all__ = ["bytes_of"]

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def bytes_of(name, size):
    """A number of bytes from ``512M``, ``2GiB`` or a number."""
    if isinstance(size, (int, float)) and not isinstance(size, bool) and size > 0:
        return int(size)
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(size).strip(), re.IGNORECASE)
    if not match or not float(match[1]) > 0:
        raise ParameterError(f"{name}={size!r} must be a size like '512M' or '2G'")
    return int(float(match[1]) * _UNITS[match[2].upper()])
