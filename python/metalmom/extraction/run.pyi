# Written by scripts/make_stubs.py from the docstrings.

from typing import Any
import numpy.typing as npt

__all__ = [
    "Summary",
]

class Summary:
    out: str
    slowest: list[npt.NDArray[Any]]
    def open(self) -> Any: ...
    def __init__(
        self,
        out: str,
        files: int = 0,
        failed: int = 0,
        computed: int = 0,
        seconds: float = 0.0,
        audio_hours: float = 0.0,
        bound_by: str | None = None,
        slowest: list = ...,
    ) -> None: ...
