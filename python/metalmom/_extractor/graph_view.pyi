# Written by scripts/make_stubs.py from the docstrings.

from typing import Any

__all__ = [
    "Graph",
]

class Graph:
    waves: list[Any]
    nodes: list[dict[str, Any]]
    def __init__(self, requests: Any, features: Any) -> None: ...
    def svg(self) -> str: ...
