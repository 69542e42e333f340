# Written by scripts/make_stubs.py from the docstrings.

from typing import Any

class Summary:
    rows: list[dict[str, Any]]
    cpu: dict[str, Any]
    gpu: dict[str, Any] | None
    diagnosis: list[str]
    dropped: int
    duration: float
    def __init__(
        self,
        spans: Any,
        points: Any,
        duration: Any,
        dropped: Any = 0,
        peaks: Any = None,
    ) -> None: ...
