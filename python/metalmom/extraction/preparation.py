"""What a run computes, and what of it an earlier run in OUT has done: looked at once OUT is held."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..util.exceptions import ParameterError
from . import manifest as manifests, strict_json
from .inputs import looked_at
from .file_names import MANIFEST, PLAN, QUARANTINE, folders_of, receipt_name, table_name
from .fingerprint import fingerprint_of
from .plan import Plan
from .receipts import standing_receipts, tables_that_differ
from .recipes import Recipe
from .schema import Schema
from .options import resolved_backend
from .tables import pick_format

if TYPE_CHECKING:
    from types import SimpleNamespace

    from .inputs import Found
    from .manifest import Manifest
    from .plan import Entry
    from .receipts import Receipts
    from .store import Store

__all__ = ["Preparation"]


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
    format, backend : str
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
        self.backend = self._resolved(settings.backend)
        if (found is None or recipe is None) and (settings.overwrite or MANIFEST not in store.names()):
            what = "inputs" if found is None else "features, or recipe,"
            raise ParameterError(f"{what} must be given: {store} holds no run that could be continued")

    def _resolved(self, backend: str | None) -> str:
        return resolved_backend(backend, here=self.settings.scheduler is None)

    def _meet(self, old: Manifest | None) -> None:
        """Settle what an earlier run decides; `old` is its manifest, or None where this one begins anew."""
        if self._recipe is None:
            assert old is not None  # as required in the beginning
            self._recipe = manifests.recipe_of(self.store, old)
            if self.settings.backend is None:
                self.backend = self._resolved(old["backend"])
        self.recipe = self._recipe
        # the earlier run may have had other libraries
        self.format = pick_format(self.settings.format or (old["format"] if old else None))
        self.manifest = manifests.manifest_of(self.recipe.spelled, self.format, self.backend)

    def _planned(self, before: Plan) -> Plan:
        """The files as they are now, and the plan of them."""
        if self._found is None:
            self._found = [looked_at(entry.path) for entry in before.entries]
        gone = before.gone(self._found)
        paths = {entry.path for entry in gone}
        self._found = [each for each in self._found if each.path not in paths]
        if not self.settings.drop_missing:
            self.gone = gone
            return before.updated(self._found)
        self.dropped = gone
        plan = before.without(gone).updated(self._found)
        if gone and not plan.entries:
            raise ParameterError(f"drop_missing=True must leave files: all {len(gone)} that are planned are gone")
        return plan

    def look(self) -> None:
        """Settle everything but `receipts` and `lost` without a lock, and without anything written."""
        old = None if self.settings.overwrite else manifests.read_manifest(self.store)
        self._meet(old)
        self.plan = self._planned(Plan() if old is None else Plan.read(self.store))
        self.schema = Schema.of(self.recipe)
        fingerprint_of(self.recipe, self.schema)  # which refuses arguments that cannot be computed

    def refuse_before_anything_is_made(self) -> None:
        """Raise an error where OUT holds something else, by names alone, or where there is nothing to compute."""
        if self.settings.overwrite or MANIFEST not in self.store.names():
            self._require_inputs()
        names = {name for name in self.store.names() if not name.startswith(".")}
        if MANIFEST in names:
            if PLAN not in names:  # runs write it first
                manifests.read_manifest(self.store)
        elif names == {PLAN}:
            Plan.read(self.store)  # of a run that ended before its manifest was written
        elif names:
            raise ParameterError(
                f"out={str(self.store)!r} must be a new folder, an empty one, or one of an earlier run: "
                f"it holds {sorted(names)[0]!r}"
            )

    def write(self, begin: Callable[[int], object]) -> None:
        """Make OUT, which is held, say what is to be done.

        Parameters
        ----------
        begin : callable
            Called with the number of shards as soon as it is known that all are to be computed.
        """
        old = manifests.read_manifest(self.store)
        self.store.require_own((MANIFEST, PLAN, QUARANTINE), ())
        folders = folders_of(Schema.load(old["schema"])) if old else []
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
            raise ParameterError("inputs must hold at least one file of audio")

    def _write_anew(self, folders: list[str], begin: Callable[[int], object]) -> None:
        """The plan first, the manifest when the plan stands."""
        self._require_inputs()
        self.plan = self._planned(Plan())
        self.receipts: Receipts = {}
        begin(len(self.plan.shards))
        self.schema = Schema.of(self.recipe)
        self.manifest["schema"] = self.schema.dump()
        self.manifest["numbers"] = fingerprint_of(self.recipe, self.schema)
        self.store.require_own((), {*folders, *folders_of(self.schema)})
        with self.store.at_rest():
            # Receipts go first, so that nothing vouches for what is removed or replaced after them.
            self.store.clear(folders)
            self.store.remove(QUARANTINE)
            self.store.write(PLAN, self.plan.dump())
            self.store.write(MANIFEST, strict_json.dump(self.manifest, indent=1).encode())
        self._make_folders()  # only now that the manifest shows whose folder OUT is

    def _write_on(self, old: Manifest) -> None:
        manifests.refuse_difference(self.store, old, self.manifest)
        self.manifest = old
        self.schema = Schema.load(old["schema"])
        before = Plan.read(self.store)
        self.plan = self._planned(before)
        assert self._found is not None  # the plan is of them
        if self.settings.changed == "error":
            before.require_unchanged(self._found)
        changed = before.changed(self._found)
        self.receipts, faults = standing_receipts(self.store)
        before.require(self.receipts, self.store)
        # perhaps of shards that the plan does not have
        damaged = [fault.name for fault in faults if fault.name.startswith("receipts/")]
        shards = self.plan.shards
        again = {entry.shard for entry in changed + self.dropped} | self._asked_again()
        emptied = again - shards.keys()
        undone = shards.keys() - (self.receipts.keys() - again)
        # before anything is removed
        if undone or damaged or emptied:
            self.store.require_own((), folders_of(self.schema))
        if undone and self.settings.scheduler is None:  # whose workers are looked at one by one
            manifests.refuse_other_numbers(self.store, self.manifest, fingerprint_of(self.recipe, self.schema))
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
                    self.store.remove(table_name(table, shard, self.format))
            if self.plan.entries != before.entries:
                self.store.write(PLAN, self.plan.dump())
        self._make_folders()

    def _asked_again(self) -> set[int]:
        """Shards that are done and are to be done again."""
        again = set()
        if self.settings.retry_failed:
            again |= {shard for shard, receipt in self.receipts.items() if receipt["failed"]}
        if self.settings.repair:
            again |= {shard for shard, _ in tables_that_differ(self.store, self.receipts)}
        return again

    def _make_folders(self) -> None:
        self.store.make(*folders_of(self.schema))
