# Written by scripts/make_stubs.py from the docstrings.

from typing import Any

class Summary(str):
    rows: list[dict[str, Any]]
    cpu: dict[str, Any]
    gpu: dict[str, Any] | None
    diagnosis: list[str]
    dropped: int
