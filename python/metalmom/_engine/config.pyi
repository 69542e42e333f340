# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Mapping
from typing import Any
from .._native import Scope
from .._types import Int

__all__ = [
    "config_context",
    "get_config",
    "set_config",
]

def config_context(
    *,
    threads: Int = ...,
    backend: str = ...,
    min_frames: Mapping[str, int] = ...,
    memory: Int | str | None = ...,
    device_memory: Int | str | None = ...,
    pending: Int = ...,
) -> Scope: ...
def get_config() -> dict[str, Any]: ...
def set_config(
    *,
    threads: Int = ...,
    backend: str = ...,
    min_frames: Mapping[str, int] = ...,
    memory: Int | str | None = ...,
    device_memory: Int | str | None = ...,
    pending: Int = ...,
) -> None: ...
