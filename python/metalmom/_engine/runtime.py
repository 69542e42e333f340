"""The process: threads of the engine, and what was built."""

from .. import _native
from ..util import _kept_results
from ..util.exceptions import ParameterError
from ..util.utils import is_positive_int
from .scopes import ASK

__all__ = ["build_info", "release_caches", "threads"]


def threads(n=ASK):
    """Set the number of threads that the engine may use, or tell it.

    ``metalmom.threads(2)`` sets the default of the process. In a ``with`` statement, or as the
    decorator of a function, it holds inside and for the calling thread only: the default is then
    what it was before the call (another thread may meet the 2 in the moment between). So does an
    answer that was kept and is entered later. ``metalmom.threads()`` is the number that holds here,
    ``metalmom.threads.set_default(2)`` sets the default and answers nothing.

    The environment variable METALMOM_NUM_THREADS sets the default at start, or else
    OMP_NUM_THREADS; otherwise it is the number of cores this process may use. Results do not depend
    on it.

    Parameters
    ----------
    n : int > 0, optional
        Threads, at most 4096.

    Returns
    -------
    int or context manager
        Without `n`, the number that holds for calls from this thread.

    Raises
    ------
    ParameterError
        If `n` is not such a number, or the environment variable's value is not.

    Examples
    --------
    >>> with metalmom.threads(1):
    ...     D = metalmom.stft(np.zeros(2048, dtype=np.float32))
    ...     metalmom.threads()
    1
    """
    if n is ASK:
        return _native.thread_count()
    return _native.made_default(on_threads(n))


def on_threads(n):
    """A scope of so many threads, which was never the default of the process."""
    n = _count(n)
    return _native.Scope(f"metalmom.threads({n})", threads=n)


def _set_default_threads(n):
    """Set the default of the process; see `metalmom.threads`."""
    _native.made_default(on_threads(n))


threads.set_default = _set_default_threads


def _count(n):
    if not is_positive_int(n) or n > _native.max_threads:
        raise ParameterError(f"n={n!r} must be a positive integer, at most {_native.max_threads}")
    return int(n)


def release_caches():
    """Give back the memory that the engine only keeps for later calls.

    Calls work in memory that is kept between them, so that loops do not allocate it again and
    again: at most 64 MiB of the host in all, and of a device what a loop on it needed, until nobody
    has used it for some seconds; `limits` bounds both. Kept too are plans of transforms and banks of
    filters (at most 64 MiB), and the arrays that they are made of (at most 64 MiB); of each, what
    was used longest ago goes first. The allocator of the C library gives back what it kept of freed
    arrays, too, where that is glibc; this is not counted. What stays is code: the driver of a device
    that `backend` looked for can take 50 MB.

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


def build_info():
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
