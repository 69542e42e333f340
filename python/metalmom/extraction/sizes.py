"""That a process keeps to a size of memory."""

import contextlib

__all__ = ["bound_memory"]


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
