# Written by scripts/make_stubs.py from the docstrings.

from typing import Any, overload
from .._native import Scope
from .._types import Int

__all__ = [
    "build_info",
    "release_caches",
    "threads",
]

def build_info() -> dict[str, Any]: ...
def release_caches() -> int: ...
class _Threads:
    @overload
    def __call__(self) -> int: ...
    @overload
    def __call__(self, n: Int) -> Scope: ...
    def set_default(self, n: Int) -> None: ...

threads: _Threads
