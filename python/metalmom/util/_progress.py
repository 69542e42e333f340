"""What work on so many seconds of audio shows while it goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

from ._checks import require
from ._notebook import bar_of
from ._output_files import unread
from ._rules import Rule

__all__ = ["Progress", "require_progress", "shown"]


_RULE = Rule(
    "'auto', 'none', None or a function of seconds done and seconds in all",
    lambda value: value is None or callable(value) or (isinstance(value, str) and value in ("auto", "none")),
)
Progress = Annotated[Literal["auto", "none"] | Callable[[float, float], object] | None, _RULE]


def require_progress(progress: Any) -> None:
    """Refuse what shows no progress."""
    require(_RULE.accepts(progress), "progress", progress, str(_RULE))


@contextlib.contextmanager
def shown(progress: Any, total: float, what: str = "") -> Iterator[Callable[[float], object]]:
    """Give a function of the seconds that are done, out of `total`: it moves a bar, or calls `progress`."""
    require_progress(progress)
    if callable(progress):
        yield lambda done: progress(min(done, total), total)
        return
    bar = None
    if progress == "auto":
        bar = bar_of(total=round(total, 1), unit="s", desc=what or None, leave=False)
    if bar is None:
        yield lambda done: None
        return

    def move(done: float) -> None:
        with contextlib.suppress(*unread):
            bar.update(min(done, total) - bar.n)

    try:
        yield move
    finally:
        with contextlib.suppress(*unread):
            bar.close()
