"""A run from what is to be done to its report: who does it, and what stops it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import strict_json
from .file_names import QUARANTINE
from .inputs import shown
from .options import path
from .plan import told_of_gone
from .preparation import Preparation
from .progress import Progress, show_of
from .receipts import write_quarantine
from .store import is_full, open_store
from .supervisor import Local, RunError, Supervisor

if TYPE_CHECKING:
    from types import SimpleNamespace

    from .cluster import Cluster
    from .inputs import Found
    from .plan import Shards
    from .progress import _Silent
    from .receipts import Receipts

__all__ = ["Control", "Run", "RunError", "Stopped", "Summary"]


class Stopped(RunError):
    """The run was stopped, and can be continued."""


@dataclasses.dataclass
class Summary:
    """What a run came to.

    Attributes
    ----------
    out : str
        Where the tables are.
    files, failed : int
        Files of the plan, and those of them that have a row with an error.
    computed : int
        Files that this run computed; the others were done before.
    seconds, audio_hours : float
        Of this run.
    bound_by : str or None
        The stage that took most of the workers' time.
    slowest : list of (float, str)
        Seconds of decoding, and path, of the slowest files.
    failures : list of (str, str)
        Path and error of the files that failed.
    gone, dropped : list of str
        Paths of planned files that are not there any more, and of those that `drop_missing` has dropped.
    """

    out: str
    files: int = 0
    failed: int = 0
    computed: int = 0
    seconds: float = 0.0
    audio_hours: float = 0.0
    bound_by: str | None = None
    slowest: list[tuple[float, str]] = dataclasses.field(default_factory=list)
    failures: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    gone: list[str] = dataclasses.field(default_factory=list)
    dropped: list[str] = dataclasses.field(default_factory=list)

    def open(self) -> Any:
        """The tables, as `metalmom.open_features` opens them."""
        from .reader import Features

        return Features(self.out)


class Control:
    """Whether the run is to stop: the first Ctrl-C lets shards in hand be finished, the second ends them.

    Signals set these and do nothing else: schedulers look at them.

    Attributes
    ----------
    stopping : bool
        No more shards are to be begun.
    at_once : bool
        Shards in hand are to be given up, too.
    why : str
        What asked for it; empty where nothing did.
    """

    def __init__(self) -> None:
        self.stopping = self.at_once = False
        self.why = ""

    @contextlib.contextmanager
    def of_signals(self) -> Iterator[None]:
        """Have SIGINT and SIGTERM while the block runs, where this is the thread that gets them."""
        before = {}
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                before[number] = signal.signal(number, self._asked)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _asked(self, number: int, frame: object) -> None:
        self.at_once = self.stopping or number == signal.SIGTERM
        self.stopping = True
        self.why = "interrupted" if number == signal.SIGINT else "terminated"


class Run:
    """A run, step by step; `whole` does all of it.

    Parameters
    ----------
    inputs : iterable of Found, or None
    out : str or os.PathLike
    recipe : dict or None
        Without inputs, or a recipe, it continues with those of the earlier run in `out`.
    settings : types.SimpleNamespace
        What `options.settings_of` gives.

    Attributes
    ----------
    work : Preparation
        What it computes.
    """

    def __init__(
        self, inputs: Iterable[Found] | None, out: str | os.PathLike[str], recipe: dict[str, Any] | None,
        settings: SimpleNamespace,
    ) -> None:
        self.settings = settings
        self.store = open_store(path("out", out))
        self.work = Preparation(self.store, inputs, recipe, settings)
        self.jobs = settings.jobs

    def whole(self) -> Summary:
        """Do it, and tell what came of it.

        Raises
        ------
        Stopped
            When it was interrupted, or the disk is full.
        RunError, LibrosaError, OSError
            When it cannot go on.
        """
        self.work.refuse_before_anything_is_made()
        if self.settings.cache_audio and self.settings.scheduler is None:
            os.makedirs(self.settings.cache_audio, exist_ok=True)
        self.store.make()
        with self.store.hold() as lock:
            self.children = Supervisor(() if lock is None else (lock.fileno(),), self.settings.timeout)
            try:
                self.work.write(self._begin)
                return self._compute()
            except OSError as error:
                if is_full(error):
                    raise self._stopped("the disk is full") from error
                raise
            finally:
                self.children.end()

    def _begin(self, shards: int) -> None:
        """Start children, which import what they need while the rest is found out."""
        if self.settings.scheduler is None:
            self.children.start(min(self.jobs, shards))

    def _compute(self) -> Summary:
        receipts = self.work.receipts
        self._check_failures(receipts)
        shards = {k: some for k, some in self.work.plan.shards.items() if k not in receipts}
        progress = Progress(shards, sum(r["files"] for r in receipts.values()))
        if not shards:
            write_quarantine(self.store, receipts, self.work.plan)
            return self._summary(receipts, progress)
        show = show_of(self.settings.progress, progress)
        if self.work.lost:
            lost = told_of_gone([shown(entry.path) for entry in self.work.lost])
            show.say(f"{lost}: their shards are computed again, and the rows say so from now on")
        started = time.time()
        try:
            self._go(shards, receipts, progress, show)
        finally:
            self._conclude(receipts, progress, show, started)
        return self._summary(receipts, progress)

    def _go(self, shards: Shards, receipts: Receipts, progress: Progress, show: _Silent) -> None:
        control = Control()
        told = False
        with self._scheduler(show) as scheduler, control.of_signals():
            try:
                for result in scheduler.results(shards, control, progress.heard):
                    show.update()
                    if control.stopping and not (told or control.at_once):
                        show.say("finishing what is in hand; Ctrl-C again stops at once")
                        told = True
                    if result is not None:
                        shard, receipt = result
                        receipts[shard] = receipt
                        progress.settle(shard, receipt, shards[shard])
                        self._check_failures(receipts)
            except (RunError, OSError) as error:
                if control.why:
                    raise self._stopped(control.why) from error
                if is_full(error):
                    raise self._stopped("the disk is full") from error
                raise
        if control.why and any(shard not in receipts for shard in shards):
            raise self._stopped(control.why)

    def _stopped(self, why: str) -> Stopped:
        return Stopped(f"{why}: what is done stays; the same command continues in {self.store}")

    def _scheduler(self, show: _Silent) -> contextlib.AbstractContextManager[Cluster | Local]:
        work = self.work
        job = {
            "out": self.store.address,
            "recipe": work.recipe.spelled,
            "schema": work.schema.dump(),
            "format": work.format,
            "note": {"recipe": work.recipe.spelled, "fingerprint": work.manifest["fingerprint"]},
            "backend": work.backend,
            "memory": max(self.settings.memory // max(self.jobs, 1) - (100 << 20), 64 << 20),
            "memory_of_all": self.settings.memory,
            "spool": self.store.spool,
            "cache": self.settings.cache_audio,
            "cache_limit": self.settings.cache_size,
        }
        if self.settings.scheduler is not None:
            from .cluster import Cluster

            return Cluster(self.settings.scheduler, job, work.manifest, self.settings.timeout, show.say)
        self.children.job = job
        return contextlib.nullcontext(Local(self.children, self.jobs))

    def _check_failures(self, receipts: Receipts) -> None:
        failed = sum(len(receipt["failed"]) for receipt in receipts.values())
        if not self.settings.allows(failed, len(self.work.plan.entries)):
            raise RunError(
                f"{failed} files failed, more than max_failures={self.settings.max_failures} allows; "
                f"see {self.store}/{QUARANTINE}"
            )

    def _conclude(self, receipts: Receipts, progress: Progress, show: _Silent, started: float) -> None:
        show.close()
        note = {
            "host": socket.gethostname(), "pid": os.getpid(), "started": started,
            "ended": time.time(), "jobs": self.jobs, "python": sys.version.split()[0],
            **progress.figures(), "slowest": progress.slowest,
        }  # fmt: skip
        # on a full disk, which was reported already, these files are left out
        with contextlib.suppress(OSError):
            write_quarantine(self.store, receipts, self.work.plan)
            stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(started))
            name = f"runs/{stamp}-{socket.gethostname()}-{os.getpid()}.json"
            self.store.write(name, strict_json.dump(note, indent=1).encode())

    def _summary(self, receipts: Receipts, progress: Progress) -> Summary:
        figures = progress.figures()
        paths = {entry.file_id: shown(entry.path) for entry in self.work.plan.entries}
        failures = [(paths[file_id], error) for shard in sorted(receipts) for file_id, error in receipts[shard]["failed"]]
        return Summary(
            out=str(self.store), files=len(paths), failed=len(failures), failures=failures,
            computed=figures["files"], seconds=figures["seconds"],
            audio_hours=figures["audio_hours"], bound_by=figures["bound_by"],
            slowest=list(reversed(progress.slowest)),
            gone=[shown(entry.path) for entry in self.work.gone],
            dropped=[shown(entry.path) for entry in self.work.dropped],
        )  # fmt: skip
