"""The process: threads of the engine, and what was built."""

from . import _native
from .util._checks import is_positive_int
from .util.exceptions import ParameterError

__all__ = ["build_info", "threads"]


class threads:  # noqa: N801 - a function to its callers, a context manager after `with`
    """Set the number of threads that the engine may use.

    Called, it sets the default of the process; in a ``with`` statement it holds inside the block
    and for the calling thread only. The environment variable METALMOM_NUM_THREADS sets the default
    at start; otherwise it is the number of cores this process may use. Results do not depend on it.

    Parameters
    ----------
    n : int > 0
        Threads.

    Raises
    ------
    ParameterError
        If `n` is not a positive integer.

    Examples
    --------
    >>> with metalmom.threads(1):
    ...     D = metalmom.stft(np.zeros(2048, dtype=np.float32))
    """

    def __init__(self, n):
        if not is_positive_int(n):
            raise ParameterError(f"n={n} must be a positive integer")
        self._count = n
        self._before = _native.set_default_threads(n)

    def __enter__(self):
        _native.set_default_threads(self._before)
        self._outer = _native.set_scoped_threads(self._count)
        return self

    def __exit__(self, *_):
        _native.set_scoped_threads(self._outer)


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
