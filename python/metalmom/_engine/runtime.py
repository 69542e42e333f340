"""The process: what it keeps, and what was built."""

from __future__ import annotations

from typing import Any

from .. import _native
from ..util import _kept_results
from ..util._public import public

__all__ = ["build_info", "release_caches"]


@public
def release_caches() -> int:
    """Free the memory that the engine keeps for later calls.

    The engine keeps working memory between calls, so that loops do not allocate it again and again:
    at most 64 MiB on the host in all, and on a device as much as a loop on it needed, until it has been
    unused for some seconds. `set_config` bounds both. The engine also keeps plans of transforms and
    banks of filters (at most 64 MiB), and the arrays that they are made of (at most 64 MiB); in each
    case the entries that were unused for the longest time are dropped first. If the C library is glibc,
    its allocator also gives back memory of freed arrays; this is not counted. Code stays: the driver of
    a device that the setting `backend` looked for can take 50 MB.

    Returns
    -------
    int
        Bytes freed, on the host and on devices.

    Examples
    --------
    >>> S = metalmom.feature.melspectrogram(y=np.ones(22050, dtype=np.float32))
    >>> metalmom.release_caches() > 0
    True
    >>> metalmom.release_caches()
    0
    """
    return _native.release_caches() + _kept_results.release()


@public
def build_info() -> dict[str, Any]:
    """Return how the engine was built.

    Returns
    -------
    dict
        `version`, `revision` of the source, `compiler`, `build_type`, `fft` (the library behind
        the sizes that the own kernels do not cover), `simd` (the instruction set in use), and `probes`
        (whether bpftrace and perf find probes in it).

    Examples
    --------
    >>> "simd" in metalmom.build_info()
    True
    """
    return _native.build_info()
