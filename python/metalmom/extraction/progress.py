"""What a run shows while it goes on: a bar, plain lines, or lines of JSON."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from ..util._notebook import bar_of, in_notebook
from ..util._output_files import tell, unread
from . import strict_json
from .inputs import shown
from .messages import AGAIN, COMPUTED, DECODED, WRITTEN, Message
from .records import Entry, Receipt, Shards, weight_of

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_CALLS = 0.1
_SLOWEST = 5
_COLUMNS_OF_A_BAR = 20


class Progress:
    """Figures of a run, from the events of its shards.

    Parameters
    ----------
    shards : dict of int to list of Entry
        What is to be computed.
    done_before : int
        Files whose shards were done when the run began.
    """

    def __init__(self, shards: Shards, done_before: int) -> None:
        self.started = time.monotonic()
        self.total = sum(map(len, shards.values()))
        self.done_before = done_before
        self._entries = {entry.file_id: entry for some in shards.values() for entry in some}
        self._weight = sum(map(weight_of, self._entries.values())) or 1
        self._lock = threading.Lock()
        # Sums of files, failed, audio and weight: of shards that are done, and of the others by shard.
        # (To its type a Counter has integers only.)
        self._settled: Any = Counter()
        self._of_shards: dict[int, Any] = {}
        self.slowest: list[tuple[float, str]] = []
        self.stages: Any = Counter()

    def heard(self, shard: int, event: Message) -> None:
        """Take an event of a shard, from any thread."""
        with self._lock:
            sums = self._of_shards.setdefault(shard, Counter())
            if event["event"] == AGAIN:
                sums.clear()  # what was counted for it will be counted again
            elif event["event"] == DECODED:
                entry = self._entries[event["id"]]
                seconds = event.get("seconds", 0.0)
                sums.update(files=1, audio=event.get("audio", 0.0), failed=int(event["failed"]),
                            weight=weight_of(entry))  # fmt: skip
                self.stages["decoding"] += seconds
                self.slowest = sorted([*self.slowest, (round(seconds, 3), shown(entry.path))])[-_SLOWEST:]
            elif event["event"] == COMPUTED:
                sums["failed"] += len(event["failed"])
                self.stages["computing"] += event["seconds"]
            elif event["event"] == WRITTEN:
                self.stages["writing"] += event["seconds"]

    def settle(self, shard: int, receipt: Receipt, entries: list[Entry]) -> None:
        """Take the receipt of a shard: what its events said is replaced by what it says."""
        with self._lock:
            sums = self._of_shards.pop(shard, Counter())
            self._settled.update(files=receipt["files"], audio=sums["audio"], failed=len(receipt["failed"]),
                                 weight=sum(map(weight_of, entries)))  # fmt: skip

    def figures(self) -> dict[str, Any]:
        """Where the run is, in values that JSON has."""
        with self._lock:
            sums = sum(self._of_shards.values(), self._settled)
            seconds = max(time.monotonic() - self.started, 1e-9)
            share = min(1.0, sums["weight"] / self._weight)
            left = seconds * (1 - share) / share if share > 0.002 else None
            return {
                "files": sums["files"], "of": self.total, "done_before": self.done_before,
                "failed": sums["failed"], "audio_hours": round(sums["audio"] / 3600, 4),
                "files_per_second": round(sums["files"] / seconds, 2),
                "times_real_time": round(sums["audio"] / seconds, 1),
                "seconds": round(seconds, 1), "seconds_left": left and round(left, 1),
                "bound_by": self._bound_by(),
            }  # fmt: skip

    def _bound_by(self) -> str | None:
        """The stage that takes most of the workers' time, and its share."""
        total = sum(self.stages.values())
        if not total:
            return None
        stage, seconds = self.stages.most_common(1)[0]
        return f"{stage} ({100 * seconds / total:.0f} %)"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "?"
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def audio_text(hours: float) -> str:
    """How much audio: hours, or minutes where they are few."""
    return f"{hours:.2f} h" if hours >= 1 else f"{60 * hours:.1f} min"


def text_of(figures: dict[str, Any], is_narrow: bool = False) -> str:
    """Figures as one line, what matters most first; one for narrow terminals does without some words."""

    def word(text: str) -> str:
        return "" if is_narrow else text

    parts = [
        f"{figures['files']}/{figures['of']}{word(' files')}",
        f"{_time(figures['seconds_left'])} left",
        f"{figures['failed']} failed" if figures["failed"] else "",
        f"{audio_text(figures['audio_hours'])}{word(' of audio')}",
        f"{figures['files_per_second']:.1f}{word(' files')}/s",
        f"{figures['times_real_time']:.0f}x{word(' real time')}",
        f"{word('bound by ')}{figures['bound_by']}" if figures["bound_by"] else "",
    ]
    return ", ".join(filter(None, parts))


class Show:
    """What shows nothing: `update` shows where the run is, if it is time to, and `say` a sentence."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress

    def update(self) -> None: ...

    def say(self, text: str) -> None: ...

    def close(self) -> None: ...


class _Plain(Show):
    seconds_between = _SECONDS_BETWEEN_LINES

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self._next = time.monotonic() + self.seconds_between

    def update(self) -> None:
        if time.monotonic() >= self._next:
            self._next += self.seconds_between
            self.show()

    def show(self) -> None:
        self.say(text_of(self.progress.figures()))

    def say(self, text: str) -> None:
        tell(f"metalmom: {text}")


class _Json(_Plain):
    seconds_between = 1.0

    def show(self) -> None:
        tell(strict_json.dump(self.progress.figures()))

    def say(self, text: str) -> None:
        tell(strict_json.dump({"note": text}))

    close = show


class _Bar(Show):
    def __init__(self, progress: Progress, bar: Any) -> None:
        super().__init__(progress)
        self._bar = bar

    def update(self) -> None:
        figures = self.progress.figures()
        self._bar.n, self._bar.ncols = figures["files"], _columns()
        line = text_of(figures)
        if len(line) + _COLUMNS_OF_A_BAR > self._bar.ncols:
            line = text_of(figures, is_narrow=True)
        with contextlib.suppress(*unread):
            self._bar.set_description_str(line)

    def say(self, text: str) -> None:
        with contextlib.suppress(*unread):
            self._bar.write(f"metalmom: {text}", file=sys.stderr)

    def close(self) -> None:
        with contextlib.suppress(*unread):
            self._bar.close()


def _columns() -> int:
    """The width of the terminal, which may have changed; some say that they have none."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


class _Call(Show):
    """What hands the figures to a function of the caller's, ten times a second at most, and in the end."""

    def __init__(self, progress: Progress, function: Callable[[dict[str, Any]], object]) -> None:
        super().__init__(progress)
        self._function, self._next = function, 0.0

    def update(self) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _SECONDS_BETWEEN_CALLS
            self._function(self.progress.figures())

    def close(self) -> None:
        self._function(self.progress.figures())


def show_of(mode: str | Callable[[dict[str, Any]], object] | None, progress: Progress) -> Show:
    """What shows the progress: a bar in a notebook or on a terminal, if tqdm is installed, else lines; a function."""
    if callable(mode):
        return _Call(progress, mode)
    if mode == "auto":
        width = None if in_notebook() else _columns()
        form = "{percentage:3.0f}%|{bar}| {desc}"
        bar = bar_of(total=progress.total, unit="file", ncols=width, leave=False, bar_format=form)
        if bar is not None:
            return _Bar(progress, bar)
    return {None: Show, "none": Show, "json": _Json}.get(mode, _Plain)(progress)
