"""The process: what it keeps, and what was built."""

from __future__ import annotations

from typing import Any

from .. import _native
from ..util import _kept_results
from ..util._public import public

__all__ = ["build_info", "release_caches"]


@public
def release_caches() -> int:
    """Give back the memory that the engine only keeps for later calls.

    Calls work in memory that is kept between them, so that loops do not allocate it again and
    again: at most 64 MiB of the host in all, and of a device what a loop on it needed, until nobody
    has used it for some seconds; `set_config` bounds both. Kept too are plans of transforms and banks of
    filters (at most 64 MiB), and the arrays that they are made of (at most 64 MiB); of each, what
    was used longest ago goes first. The allocator of the C library gives back what it kept of freed
    arrays, too, where that is glibc; this is not counted. What stays is code: the driver of a device
    that the setting `backend` looked for can take 50 MB.

    Returns
    -------
    int
        Bytes given back, of the host and of devices.

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
    """Tell what the engine was built from.

    Returns
    -------
    dict
        `version`, `revision` of the source, `compiler`, `build_type`, `fft` (the library behind
        the sizes that the own kernels do not cover), `simd` (the instruction set in use), and what
        was built in.

    Examples
    --------
    >>> "simd" in metalmom.build_info()
    True
    """
    return _native.build_info()
