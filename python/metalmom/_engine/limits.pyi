# Written by scripts/make_stubs.py from the docstrings.

from typing import Any, overload
from .._native import Scope
from .._types import Int

__all__ = [
    "limits",
]

class _Limits:
    @overload
    def __call__(self) -> dict[str, Any]: ...
    @overload
    def __call__(self, 
        *,
        memory: Int | None,
        device_memory: Int | None = ...,
        pending: Int = ...,
    ) -> Scope: ...
    @overload
    def __call__(self, *, device_memory: Int | None, pending: Int = ...) -> Scope: ...
    @overload
    def __call__(self, *, pending: Int) -> Scope: ...
    def set_default(self, *,
        memory: Int | None,
        device_memory: Int | None = ...,
        pending: Int = ...) -> None: ...

limits: _Limits
