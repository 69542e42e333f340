"""What this machine has of memory, and the refusal of what would need more."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from .exceptions import ParameterError

if TYPE_CHECKING:
    from ._types import Number

__all__ = ["machine_memory", "refuse_beyond_memory"]


@functools.lru_cache(maxsize=1)
def machine_memory() -> int:
    """Bytes of memory that this process may have: the machine's, or what its control group allows."""
    sizes = [2**47]  # more than any machine has, for systems that do not tell
    try:
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        pass
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path) as file:
                sizes.append(int(file.read()))
        except (OSError, ValueError):
            continue
    return min(sizes)


def refuse_beyond_memory(name: str, value: object, n_bytes: Number, rule: str = "smaller") -> None:
    """Refuse an argument by which a call needs more bytes than there are, before it takes any.

    What an operating system promises and then cannot give ends the process: no error tells of it.
    """
    there = machine_memory()
    if n_bytes > there:
        needed = n_bytes / 2**30
        told = f"{needed:.0f}" if needed < 1e9 else f"{needed:.1e}"
        raise ParameterError(
            name, value,
            f"{rule}: {told} GiB would be needed, this machine has "
            f"{there / 2 ** 30:.0f}",
        )
