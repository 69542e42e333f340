"""Results kept on disk: `metalmom.cache`, with librosa's call forms."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .util._types import Function

__all__ = ["CacheManager", "cache"]


class CacheManager:
    """Decorates functions so that their results are kept on disk, if a folder is set.

    ``@metalmom.cache(level=10)`` gives the function back as it is unless the environment variable
    LIBROSA_CACHE_DIR named a folder when metalmom was imported; then joblib keeps its results, if
    `level` is not above LIBROSA_CACHE_LEVEL (10). metalmom's own functions are not kept: the
    engine is faster than reading what it computed.

    Examples
    --------
    >>> @metalmom.cache(level=20)
    ... def total(y):
    ...     return y.sum()
    >>> total(np.arange(4))
    6
    """

    def __init__(self, location: str | None = None, *, level: int = 10, **options: Any) -> None:
        self.location = location
        self.level = level
        self._options = options

    @functools.cached_property
    def memory(self) -> Any:
        """joblib's store, which is imported when it is first needed."""
        from joblib import Memory

        return Memory(self.location, **self._options)

    def __call__(self, level: int) -> Callable[[Function], Function]:
        """A decorator of functions whose results are kept from this level of the cache on."""

        def decorate(function: Function) -> Function:
            if self.location is None or level > self.level:
                return function
            return cast("Function", functools.wraps(function)(self.memory.cache(function)))

        return decorate

    def clear(self, *args: Any, **kwargs: Any) -> None:
        """Forget all results."""
        if self.location is not None:
            self.memory.clear(*args, **kwargs)

    def eval(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function, its result being kept."""
        if self.location is None:
            return function(*args, **kwargs)
        return self.memory.eval(function, *args, **kwargs)

    def format(self, *args: Any, **kwargs: Any) -> str:
        """An object as the text that joblib logs."""
        return self.memory.format(*args, **kwargs)

    def reduce_size(self, *args: Any, **kwargs: Any) -> None:
        """Remove results until the store is as small as joblib is told."""
        if self.location is not None:
            self.memory.reduce_size(*args, **kwargs)

    def warn(self, *args: Any, **kwargs: Any) -> None:
        """Log a message as joblib does."""
        self.memory.warn(*args, **kwargs)


def _from_environment() -> CacheManager:
    get = os.environ.get
    mmap = get("LIBROSA_CACHE_MMAP")
    return CacheManager(
        get("LIBROSA_CACHE_DIR") or None,
        level=int(get("LIBROSA_CACHE_LEVEL", 10)),
        mmap_mode=None if mmap in (None, "None") else mmap,
        compress=get("LIBROSA_CACHE_COMPRESS", "False") not in ("False", "0", ""),
        verbose=int(get("LIBROSA_CACHE_VERBOSE", 0)),
    )


cache = _from_environment()
