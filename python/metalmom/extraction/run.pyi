# Written by scripts/make_stubs.py from the docstrings.

from typing import Any

__all__ = [
    "Summary",
]

class Summary:
    out: str
    files: int
    failed: int
    computed: int
    seconds: float
    audio_hours: float
    bound_by: str | None
    slowest: list[Any]
    failures: list[Any]
    gone: list[Any]
    dropped: list[Any]
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
        slowest: list[Any] = ...,
        failures: list[Any] = ...,
        gone: list[Any] = ...,
        dropped: list[Any] = ...,
    ) -> None: ...
