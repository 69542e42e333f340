"""A run: what it is to do, and what of it an earlier run in OUT has done; who does it, and what stops it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import socket
import sys
import time
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ..util._notebook import table_of
from ..util._signals import handled
from ..util._wording import counted
from ..util.exceptions import Argument, ParameterError, Shown
from . import records
from .fingerprint import fingerprint_of
from .inputs import Found, is_below, looked_at, shown
from .options import path, resolved_backend
from .progress import Progress, Show, show_of
from .recipes import Recipe
from .records import Entry, Manifest, Plan, Receipts, Shards
from .schema import Schema
from .store import MANIFEST, PLAN, QUARANTINE, Store, is_full, open_store, receipt_name, table_name
from .supervisor import Control, Local, RunError, Supervisor
from .tables import pick_format

if TYPE_CHECKING:
    from .cluster import Cluster


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
        Path and error of the files that failed, as their rows have them.
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

    def _repr_html_(self) -> str:
        """In a notebook a summary shows what there is to tell."""
        return table_of((name, value) for name, value in vars(self).items() if value)

    def open(self) -> Any:
        """The tables, as `metalmom.open_features` opens them."""
        from .reader import Features

        return Features(self.out)


class Preparation:
    """What is asked for, and what is to be done for it.

    Parameters
    ----------
    store : LocalStore or RemoteStore
    found : iterable of Found, or None
        None: the files of the earlier run.
    recipe : dict or None
        None: that of the earlier run, and its backend where no other is given.
    settings : types.SimpleNamespace
        What `options.settings_of` gives.

    Attributes
    ----------
    recipe : Recipe
    manifest : dict
    schema : Schema
    plan : Plan
    receipts : dict of int to dict
        Of the shards that are done.
    gone, dropped : list of Entry
        Planned files that are not there any more: those that stay, and those that are left out from now on.
    lost : list of Entry
        Those of `gone` whose shards are computed again.
    """

    def __init__(
        self, store: Store, found: Iterable[Found] | None, recipe: dict[str, Any] | None,
        settings: SimpleNamespace,
    ) -> None:
        self.store, self.settings = store, settings
        self._found = None if found is None else list(found)
        self.gone: list[Entry] = []
        self.dropped: list[Entry] = []
        self.lost: list[Entry] = []
        # twice, so that it is made of the values that a run which continues this one will read
        self._recipe = None if recipe is None else Recipe(Recipe(recipe).spelled)
        if settings.format is not None:
            pick_format(settings.format)  # which refuses what is not installed
        self._backend = resolved_backend(settings.backend, settings.scheduler is None)
        if (found is None or recipe is None) and self.begins_anew:
            argument, more = ("inputs", "") if found is None else ("features", ", or recipe,")
            raise ParameterError(argument + more, rule=f"given: {store} holds no run that could be continued",
                                 argument=argument)  # fmt: skip

    @property
    def begins_anew(self) -> bool:
        """Whether nothing of an earlier run in OUT is continued."""
        return self.settings.overwrite or MANIFEST not in self.store.names()

    def _meet(self, old: Manifest | None) -> None:
        """Settle what an earlier run decides; `old` is its manifest, or None where this one begins anew."""
        recipe, backend = self._recipe, self._backend
        keep_columns, root = self.settings.keep_columns, self.settings.root or ""
        if recipe is None:
            assert old is not None  # as required in the beginning
            recipe = records.recipe_of(self.store, old)
            if self.settings.backend is None:
                backend = resolved_backend(old["backend"], self.settings.scheduler is None)
        if old is not None:
            root = root or records.present_root(old)
            if self._found is None:
                keep_columns = keep_columns or records.kept_columns(old)
        self.recipe = recipe
        # the earlier run may have had other libraries
        format = pick_format(self.settings.format or (old["format"] if old else None))
        self.manifest = records.manifest_of(recipe.spelled, format, backend, keep_columns, root)

    @property
    def _root(self) -> str:
        return records.root_of(self.manifest)

    def _columns(self) -> dict[str, Any]:
        """Settle the columns; what the manifest says of them, and of the numbers that they get here."""
        self.schema = Schema.of(self.recipe)
        self.schema.require_other_names(records.kept_columns(self.manifest), self.recipe.aggregate)
        # which refuses arguments that cannot be computed
        return {"schema": self.schema.dump(), "numbers": fingerprint_of(self.recipe, self.schema)}

    def _planned(self, before: Plan) -> Plan:
        """The files as they are now, and the plan of them."""
        if self._found is None:
            self._found = [looked_at(entry.path)._replace(labels=entry.found.labels) for entry in before.entries]
        root = self._root
        outside = [each.path for each in self._found if root and not is_below(root, each.path)]
        if outside:
            rule = f"a folder that holds all files, and {shown(outside[0])} lies elsewhere"
            raise ParameterError("root", root, rule)
        gone = before.gone(self._found)
        paths = {entry.path for entry in gone}
        self._found = [each for each in self._found if each.path not in paths]
        if not self.settings.drop_missing:
            self.gone = [entry for entry in gone if entry.found.is_known]  # others never were there
            return before.updated(self._found)
        self.dropped = gone
        plan = before.without(gone).updated(self._found)
        if gone and not plan.entries:
            rule = f"files: all {len(gone)} that are planned are gone"
            raise ParameterError("drop_missing", True, rule, verb="must leave")
        return plan

    def look(self) -> None:
        """Settle everything but `receipts` and `lost` without a lock, and without anything written."""
        old = None if self.settings.overwrite else records.read_manifest(self.store)
        self._meet(old)
        self.plan = self._planned(Plan(root=self._root) if old is None else Plan.read(self.store, self._root))
        self._columns()

    def refuse_before_anything_is_made(self) -> None:
        """Raise an error where OUT holds something else, by names alone, or where there is nothing to compute."""
        if self.begins_anew:
            self._require_inputs()
        names = {name for name in self.store.names() if not name.startswith(".")}
        if MANIFEST in names:
            if PLAN not in names:  # runs write it first
                records.read_manifest(self.store)
        elif names == {PLAN}:
            Plan.read(self.store)  # of a run that ended before its manifest was written
        elif names:
            rule = f"a new folder, an empty one, or one of an earlier run: it holds {min(names)!r}"
            raise ParameterError("out", str(self.store), rule)

    def write(self, begin: Callable[[int], object] | None) -> None:
        """Make OUT, which is held, say what is to be done.

        Parameters
        ----------
        begin : callable or None
            Called with the number of files in work at a time as soon as it is known that all are to be
            computed.
        """
        old = records.read_manifest(self.store)
        self.store.require_own((MANIFEST, PLAN, QUARANTINE), ())
        folders = Schema.load(old["schema"]).folders if old else []
        if self.settings.overwrite:
            old = None
        self._meet(old)
        self.store.sweep(folders)
        if old is None:
            self._write_anew(folders, begin)
        else:
            self._write_on(old)

    def _require_inputs(self) -> None:
        if not self._found:
            raise ParameterError("inputs", rule="at least one audio file", verb="must contain")

    def _write_anew(self, folders: list[str], begin: Callable[[int], object] | None) -> None:
        """The plan first, the manifest when the plan stands."""
        self._require_inputs()
        self.plan = self._planned(Plan(root=self._root))
        self.receipts: Receipts = {}
        if begin is not None:
            begin(min(self.settings.jobs, len(self.plan.shards)))
        self.manifest |= self._columns()
        self.store.require_own((), {*folders, *self.schema.folders})
        with self.store.at_rest():
            # Receipts go first, so that nothing vouches for what is removed or replaced after them.
            self.store.clear(folders)
            self.store.remove(QUARANTINE)
            self.store.write(PLAN, self.plan.dump())
            self.store.write_json(MANIFEST, self.manifest)
        self.store.make(*self.schema.folders)  # only now that the manifest shows whose folder OUT is

    def _write_on(self, old: Manifest) -> None:
        records.refuse_difference(self.store, old, self.manifest)
        self.manifest = {**old, "root": self._root} if self._root else old
        self.schema = Schema.load(old["schema"])
        before = Plan.read(self.store, self._root)
        self.plan = self._planned(before)
        assert self._found is not None  # the plan is of them
        if self.settings.changed == "error":
            before.require_unchanged(self._found)
        changed = before.changed(self._found)
        self.receipts, faults = records.standing_receipts(self.store)
        before.require(self.receipts, self.store)
        # perhaps of shards that the plan does not have
        damaged = [fault.name for fault in faults if fault.name.startswith("receipts/")]
        shards = self.plan.shards
        again = {entry.shard for entry in changed + self.dropped} | self._asked_again()
        emptied = again - shards.keys()
        undone = shards.keys() - (self.receipts.keys() - again)
        # before anything is removed
        if undone or damaged or emptied:
            self.store.require_own((), self.schema.folders)
        if undone and self.settings.scheduler is None:  # whose workers are looked at one by one
            records.refuse_other_numbers(self.store, self.manifest, fingerprint_of(self.recipe, self.schema))
        self.lost = [entry for entry in self.gone if entry.shard in again]
        with self.store.at_rest() if again or damaged else contextlib.nullcontext():
            for name in damaged:
                self.store.remove(name)
            for shard in sorted(again):
                # first of all, because the receipt is not true any more
                self.store.remove(receipt_name(shard))
                self.receipts.pop(shard, None)
            for shard in sorted(emptied):
                for table in ("files", *self.schema.tables):
                    self.store.remove(table_name(table, shard, self.manifest["format"]))
            if self.plan.entries != before.entries:
                self.store.write(PLAN, self.plan.dump())
        if self.manifest != old:
            self.store.write_json(MANIFEST, self.manifest)
        self.store.make(*self.schema.folders)

    def _asked_again(self) -> set[int]:
        """Shards that are done and are to be done again."""
        again = set()
        if self.settings.retry_failed:
            again |= {shard for shard, receipt in self.receipts.items() if receipt["failed"]}
        if self.settings.repair:
            again |= {shard for shard, _ in records.tables_that_differ(self.store, self.receipts)}
        return again


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
        if self.settings.scheduler is None:
            if self.settings.cache_audio:
                os.makedirs(self.settings.cache_audio, exist_ok=True)
        elif self.work.begins_anew:
            from .cluster import client_of

            with client_of(self.settings.scheduler):
                pass  # refuses a scheduler that does not answer, before anything is made
        self.store.make()
        with self.store.hold() as lock:
            self.children = Supervisor(() if lock is None else (lock.fileno(),), self.settings.timeout)
            try:
                # children import what they need while the rest is found out
                self.work.write(self.children.start if self.settings.scheduler is None else None)
                return self._compute()
            except (RunError, OSError) as error:
                if is_full(error):
                    raise self._stopped("the disk is full") from error
                raise
            finally:
                self.children.end()

    def _compute(self) -> Summary:
        receipts = self.work.receipts
        self._check_failures(receipts)
        shards = {k: some for k, some in self.work.plan.shards.items() if k not in receipts}
        progress = Progress(shards, sum(r["files"] for r in receipts.values()))
        if not shards:
            records.write_quarantine(self.store, receipts, self.work.plan)
            return self._summary(receipts, progress)
        show = show_of(self.settings.progress, progress)
        if self.work.lost:
            lost = records.told_of_gone([shown(entry.path) for entry in self.work.lost])
            show.say(f"{lost}: their shards are computed again, and the rows say so from now on")
        started = time.time()
        try:
            self._go(shards, receipts, progress, show)
        finally:
            self._conclude(receipts, progress, show, started)
        return self._summary(receipts, progress)

    def _go(self, shards: Shards, receipts: Receipts, progress: Progress, show: Show) -> None:
        control = Control()
        told = False
        with self._scheduler(show) as scheduler, handled(control.asked):
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
                raise
        if control.why and any(shard not in receipts for shard in shards):
            raise self._stopped(control.why)

    def _stopped(self, why: str) -> Stopped:
        return Stopped(f"{why}: what is done stays; the same command continues in {self.store}")

    def _scheduler(self, show: Show) -> contextlib.AbstractContextManager[Cluster | Local]:
        job = {
            "out": self.store.address,
            "manifest": self.work.manifest,
            "memory": max(self.settings.memory // self.settings.jobs - (100 << 20), 64 << 20),
            "memory_of_all": self.settings.memory,
            "spool": self.store.spool,
            "cache": self.settings.cache_audio,
            "cache_limit": self.settings.cache_size,
        }
        if self.settings.scheduler is not None:
            from .cluster import Cluster

            return Cluster(self.settings.scheduler, job, self.settings.timeout, show.say)
        self.children.job = job
        return contextlib.nullcontext(Local(self.children, self.settings.jobs))

    def _check_failures(self, receipts: Receipts) -> None:
        failed = sum(len(receipt["failed"]) for receipt in receipts.values())
        if not self.settings.allows(failed, len(self.work.plan.entries)):
            most = Argument("max_failures", Shown(self.settings.max_failures))
            where = f" allows; see {self.store}/{QUARANTINE}"
            raise RunError(f"{counted(failed, 'file')} failed, more than ", most, where)

    def _conclude(self, receipts: Receipts, progress: Progress, show: Show, started: float) -> None:
        show.close()
        note = {
            "host": socket.gethostname(), "pid": os.getpid(), "started": started,
            "ended": time.time(), "jobs": self.settings.jobs, "python": sys.version.split()[0],
            **progress.figures(), "slowest": progress.slowest,
        }  # fmt: skip
        # on a full disk, which was reported already, these files are left out
        with contextlib.suppress(OSError):
            records.write_quarantine(self.store, receipts, self.work.plan)
            stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(started))
            name = f"runs/{stamp}-{socket.gethostname()}-{os.getpid()}.json"
            self.store.write_json(name, note)

    def _summary(self, receipts: Receipts, progress: Progress) -> Summary:
        figures = progress.figures()
        paths = {entry.file_id: entry.path for entry in self.work.plan.entries}
        failed = (each for shard in sorted(receipts) for each in receipts[shard]["failed"])
        root = self.work.plan.root
        failures = [(shown(records.below(root, paths[file_id])), error) for file_id, error in failed]
        return Summary(
            out=str(self.store), files=len(paths), failed=len(failures), failures=failures,
            computed=figures["files"], seconds=figures["seconds"],
            audio_hours=figures["audio_hours"], bound_by=figures["bound_by"],
            slowest=list(reversed(progress.slowest)),
            gone=[shown(entry.path) for entry in self.work.gone],
            dropped=[shown(entry.path) for entry in self.work.dropped],
        )  # fmt: skip
