# Written by scripts/make_stubs.py from the docstrings.

import os
from typing import Any, NamedTuple
from ._trace.summary import Summary
from ._types import Function

__all__ = [
    "record",
    "span",
    "event",
    "Trace",
    "Span",
    "Point",
    "Sample",
]

def record(detail: bool = False) -> Trace: ...
class span:
    def __init__(self, name: str, /, **args: Any) -> None: ...
    def __enter__(self) -> span: ...
    def __exit__(self, kind: object, error: object, traceback: object) -> None: ...
    def __call__(self, function: Function) -> Function: ...
def event(name: str, /, **args: Any) -> None: ...
class Trace:
    def __init__(self, detail: bool = False) -> None: ...
    def __enter__(self) -> Trace: ...
    def __exit__(self, *exc_info: object) -> None: ...
    @property
    def spans(self) -> list[Span]: ...
    @property
    def events(self) -> list[Point]: ...
    @property
    def samples(self) -> list[Sample]: ...
    @property
    def counters(self) -> dict[str, Any]: ...
    @property
    def duration(self) -> float: ...
    @property
    def dropped(self) -> int: ...
    def summary(self) -> Summary: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def as_json(self) -> bytes: ...
    def as_page(self) -> bytes: ...
class Span(NamedTuple):
    name: str
    cat: str
    ts: float
    dur: float
    tid: int
    track: str
    thread: bool
    depth: int
    flow: int
    args: dict[str, Any]
class Point(NamedTuple):
    name: str
    cat: str
    ts: float
    tid: int
    track: str
    flow: int
    args: dict[str, Any]
class Sample(NamedTuple):
    name: str
    ts: float
    value: float
