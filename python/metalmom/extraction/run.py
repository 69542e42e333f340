"""A run from its inputs to its report: what is planned, what is still to do, who does it."""

import contextlib
import dataclasses
import os
import re
import socket
import sys
import time

from .. import _native
from ..util._memory import machine_memory
from ..util._packages import not_installed
from ..util.exceptions import LibrosaError, ParameterError
from . import manifest as manifests
from . import plan as plans
from . import strict_json
from .control import Control
from .inputs import find, is_gone, is_table
from .layout import MANIFEST, PLAN, QUARANTINE, folders_of, receipt_name
from .local import Local
from .local_store import is_full
from .numbers import numbers_of
from .plan import Plan
from .progress import Progress, show_of
from .quarantine import write_quarantine
from .recipes import Recipe
from .schema import Schema
from .settings import failure_limit, resolved_backend
from .sizes import bytes_of
from .receipts import standing_receipts, tables_that_differ
from .store import open_store
from .supervisor import RunError, Supervisor
from .tables import pick_format

__all__ = ["Run", "Stopped", "Summary", "look_for"]

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
    """

    out: str
    files: int = 0
    failed: int = 0
    computed: int = 0
    seconds: float = 0.0
    audio_hours: float = 0.0
    bound_by: str | None = None
    slowest: list = dataclasses.field(default_factory=list)

    def open(self):
        """The tables, as `metalmom.open_features` opens them."""
        from .reader import Features

        return Features(self.out)


class Run:
    """A run, step by step; `whole` does all of it.

    Parameters
    ----------
    inputs : iterable of Found
    out : str or os.PathLike
    recipe : dict
    settings : Settings
    """

    def __init__(self, inputs, out, recipe, settings):
        self.found, self.settings = list(inputs), settings
        self.store = open_store(out)
        self.recipe = Recipe(Recipe(recipe).spelled)  # computes what the manifest spells out
        self.format = pick_format(settings.format or self._format_in_out())
        self.jobs = settings.jobs or _native.thread_count()
        self.memory = bytes_of("memory", settings.memory or machine_memory() // 4)
        scheduler = settings.scheduler
        if isinstance(scheduler, str) and not re.fullmatch(r"\w+://.+:\d+/?", scheduler):
            raise ParameterError(f"scheduler={scheduler!r} must be like 'tcp://host:8786'")
        self.limit = failure_limit(settings.max_failures)
        self.backend = resolved_backend(settings.backend, here=scheduler is None)
        self.manifest = manifests.manifest_of(self.recipe.spelled, self.format, self.backend)

    def _format_in_out(self):
        """The format of an earlier run that this one continues: it may have had other libraries."""
        try:
            old = self._continued()
        except LibrosaError:  # which is told where OUT is looked at
            return None
        return old and old["format"]

    def _continued(self):
        """The manifest of an earlier run that this one continues; None where it begins anew."""
        return None if self.settings.overwrite else manifests.read_manifest(self.store)

    def planned(self):
        """The plan as it would be, without anything written."""
        return (Plan() if self._continued() is None else Plan.read(self.store)).updated(self.found)

    def whole(self):
        """Do it, and tell what came of it.

        Raises
        ------
        Stopped
            When it was interrupted, or the disk is full.
        RunError, LibrosaError, OSError
            When it cannot go on.
        """
        self._require_own_folder()
        if self.settings.cache_audio and self.settings.scheduler is None:
            os.makedirs(self.settings.cache_audio, exist_ok=True)
        self.store.make()
        lock = self.store.hold()
        self.children = Supervisor(() if lock is None else (lock,), self.settings.timeout)
        try:
            self._prepare()
            return self._compute()
        except OSError as error:
            if is_full(error):
                raise self._stopped("the disk is full") from error
            raise
        finally:
            self.children.end()
            self.store.release()

    def _require_own_folder(self):
        old = manifests.read_manifest(self.store)  # which refuses one that is not ours
        if old is not None:
            links = self.store.links(folders_of(Schema.load(old["schema"])))
            if self.settings.overwrite and links:
                raise ParameterError(
                    f"{self.store}/{links[0]} is a link, through which nothing is removed: remove the link"
                )
            return
        names = {name for name in self.store.names() if not name.startswith(".")}
        if names == {PLAN}:
            Plan.read(self.store)  # of a run that ended before its manifest was written
        elif names:
            raise ParameterError(
                f"out={str(self.store)!r} must be a new folder, an empty one, or one of an earlier run: "
                f"it holds {sorted(names)[0]!r}"
            )

    def _prepare(self):
        """Make OUT say what is to be done: the plan first, the manifest when the plan stands."""
        old = manifests.read_manifest(self.store)
        folders = folders_of(Schema.load(old["schema"])) if old else []
        self.store.sweep(folders)
        if old is None or self.settings.overwrite:
            if not self.found:
                raise ParameterError("inputs must hold at least one file of audio")
            self.plan, self.receipts, self.gone = Plan().updated(self.found), {}, []
            if self.settings.scheduler is None:
                self.children.start(min(self.jobs, len(self.plan.shards)))
            self.schema = Schema.of(self.recipe)
            self.manifest["schema"] = self.schema.dump()
            self.manifest["numbers"] = numbers_of(self.recipe, self.schema)
            with self.store.at_rest():
                # Receipts go first, so that nothing vouches for what is removed or replaced after them.
                self.store.clear(folders)
                self.store.remove(QUARANTINE)
                self.store.write(PLAN, self.plan.dump())
                self.store.write(MANIFEST, strict_json.dump(self.manifest, indent=1).encode())
            self._make_folders()  # only now that the manifest shows whose folder OUT is
            return
        manifests.refuse_difference(self.store, old, self.manifest)
        self.manifest = old
        self.schema = Schema.load(old["schema"])
        self._make_folders()
        before = Plan.read(self.store)
        changed = before.changed(self.found)
        if changed and self.settings.changed != "recompute":
            raise plans.tell_of_changes(changed)
        self.plan = before.updated(self.found)
        self.receipts, _ = standing_receipts(self.store)
        self.plan.require(self.receipts, self.store)
        again = {entry.shard for entry in changed} | self._asked_again()
        self._require_same_numbers(again)
        self.gone = [entry for shard in again for entry in self.plan.shards[shard] if is_gone(entry.path)]
        with self.store.at_rest() if again else contextlib.nullcontext():
            for shard in again:
                # first of all, because the receipt is not true any more
                self.store.remove(receipt_name(shard))
                self.receipts.pop(shard, None)
            if self.plan.entries != before.entries:
                self.store.write(PLAN, self.plan.dump())

    def _asked_again(self):
        """Shards that are done and are to be done again."""
        again = set()
        if self.settings.retry_failed:
            again |= {shard for shard, receipt in self.receipts.items() if receipt["failed"]}
        if self.settings.repair:
            again |= {shard for shard, _ in tables_that_differ(self.store, self.receipts)}
        return again

    def _require_same_numbers(self, again):
        """Refuse what would compute other numbers than those that stand, before anything is removed."""
        if self.settings.scheduler is not None:  # its workers are looked at one by one
            return
        if again or not self.receipts.keys() >= self.plan.shards.keys():
            manifests.refuse_other_numbers(self.store, self.manifest, numbers_of(self.recipe, self.schema))

    def _make_folders(self):
        self.store.make(*folders_of(self.schema))

    def _compute(self):
        receipts = self.receipts
        self._check_failures(receipts)
        shards = {k: some for k, some in self.plan.shards.items() if k not in receipts}
        progress = Progress(shards, sum(r["files"] for r in receipts.values()))
        show = show_of(self.settings.progress, progress)
        if self.gone:
            show.say(plans.told_of_gone(self.gone))
        started = time.time()
        if shards:
            try:
                self._go(shards, receipts, progress, show)
            finally:
                self._conclude(receipts, progress, show, started)
        elif self.store.read(QUARANTINE) is None:
            write_quarantine(self.store, receipts, self.plan)
        return self._summary(receipts, progress)

    def _go(self, shards, receipts, progress, show):
        control = Control()
        with contextlib.ExitStack() as stack:
            scheduler = self._scheduler(stack, show)
            control.guard()
            stack.callback(control.release)
            told = False
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

    def _stopped(self, why):
        return Stopped(f"{why}: what is done stays; the same command continues in {self.store}")

    def _scheduler(self, stack, show):
        job = {
            "out": self.store.address,
            "recipe": self.recipe.spelled,
            "schema": self.schema.dump(),
            "format": self.format,
            "note": {"recipe": self.recipe.spelled, "fingerprint": self.manifest["fingerprint"]},
            "backend": self.backend,
            "memory": max(self.memory // max(self.jobs, 1) - (100 << 20), 64 << 20),
            "memory_of_all": self.memory,
            "spool": self.store.spool,
            "cache": self.settings.cache_audio and os.path.abspath(self.settings.cache_audio),
            "cache_limit": bytes_of("cache_size", self.settings.cache_size),
        }
        if self.settings.scheduler is not None:
            from .cluster import Cluster

            try:
                cluster = Cluster(
                    self.settings.scheduler, job, self.manifest, self.settings.timeout, show.say
                )
            except ImportError as error:
                raise LibrosaError(not_installed("a cluster", f"Dask ({error})", "dask")) from None
            return stack.enter_context(cluster)
        self.children.job = job
        return Local(self.children, self.jobs)

    def _check_failures(self, receipts):
        if self.limit is None:
            return
        failed = sum(len(receipt["failed"]) for receipt in receipts.values())
        allowed = self.limit(len(self.plan.entries))
        if failed > allowed:
            raise RunError(
                f"{failed} files failed, more than max_failures={self.settings.max_failures} allows; "
                f"see {self.store}/{QUARANTINE}"
            )

    def _conclude(self, receipts, progress, show, started):
        show.close()
        figures = progress.figures()
        note = {
            "host": socket.gethostname(), "pid": os.getpid(), "started": started,
            "ended": time.time(), "jobs": self.jobs, "python": sys.version.split()[0],
            **figures, "slowest": progress.slowest,
        }  # fmt: skip
        # on a full disk, which was reported already, these files are left out
        with contextlib.suppress(OSError):
            write_quarantine(self.store, receipts, self.plan)
            stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(started))
            name = f"runs/{stamp}-{socket.gethostname()}-{os.getpid()}.json"
            self.store.write(name, strict_json.dump(note, indent=1).encode())

    def _summary(self, receipts, progress):
        figures = progress.figures()
        return Summary(
            out=str(self.store), files=len(self.plan.entries),
            failed=sum(len(receipt["failed"]) for receipt in receipts.values()),
            computed=figures["files"], seconds=figures["seconds"],
            audio_hours=figures["audio_hours"], bound_by=figures["bound_by"],
            slowest=list(reversed(progress.slowest)),
        )  # fmt: skip


def look_for(inputs, path_column=None, null=False):
    """What inputs name; see `find`."""
    if isinstance(inputs, (str, os.PathLike)):
        inputs = [inputs]
    inputs = [os.fsdecode(each) for each in inputs]
    if null and "-" not in inputs:
        raise ParameterError("null=True must go with '-', names from standard input")
    tables = [each for each in inputs if is_table(each)]
    if tables and path_column is None:
        raise ParameterError(f"{tables[0]} is a table: path_column (--path-column) must name its column of paths")
    if path_column is not None and not tables:
        raise ParameterError(f"path_column={path_column!r} must go with tables: inputs that end in .csv, .tsv or .parquet")
    standard_input = getattr(sys.stdin, "buffer", sys.stdin)
    return find(inputs, path_column=path_column, standard_input=standard_input, null=null)
