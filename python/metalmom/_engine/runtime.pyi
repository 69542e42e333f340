# Written by scripts/make_stubs.py from the docstrings.

from typing import Any

__all__ = [
    "build_info",
    "release_caches",
]

def build_info() -> dict[str, Any]: ...
def release_caches() -> int: ...
