# Written by scripts/make_stubs.py from the docstrings.

from typing import Any

__all__ = [
    "Graph",
]

class Graph:
    waves: list[Any]
    def __init__(self, watched: Any, features: Any) -> None: ...
    def svg(self) -> str: ...
