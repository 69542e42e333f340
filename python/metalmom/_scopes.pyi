# Written by scripts/make_stubs.py from the docstrings.

from typing import Any
from ._types import Function

__all__ = [
    "Scope",
]

class Scope:
    def __init__(self, setting: Any, text: Any, value: Any, *, is_default: Any = False) -> None: ...
    def __enter__(self) -> Scope: ...
    def __exit__(self, *_: object) -> None: ...
    def __call__(self, function: Function) -> Function: ...
