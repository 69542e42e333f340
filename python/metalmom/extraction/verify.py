"""Whether the files of a run are what its receipts say, and what computing gives again."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Callable, Iterator

import numpy as np

from .._engine.config import config_context
from ..util._declared import VALUE
from ..util._memory import machine_memory
from ..util._types import Array
from ..util._wording import counted, first_of
from ..util.exceptions import LibrosaError, ParameterError
from ..util.utils import is_positive_int
from .fingerprint import fingerprint_of
from .inputs import is_gone, is_url, looked_at, shown
from .long_files import LongFiles
from .options import devices_of, resolved_backend
from .reader import Features, FileFeatures
from .recipes import Recipe
from .records import (
    Entry, Manifest, Plan, Receipts, present_root, quarantine_of, recipe_of, repair_of, require_manifest, root_of,
    standing_receipts, tables_that_differ, told_of_gone,
)
from .samples import Decoder
from .schema import BLANK, FAILED, PARTIAL, Outcome, Part, Schema, sentence
from .store import QUARANTINE, Store, open_store, receipt_name, table_name
from .tables import Rows

# Longer files are computed block by block.
_MOST_SAMPLES = 1 << 25


def verify(
    out: str | os.PathLike[str], sample: int = 20, told: Callable[[str], object] = lambda text: None
) -> Iterator[str]:
    """Yield a sentence for each thing that is not as it should be: the file, and what to do about it.

    Parameters
    ----------
    out : str or os.PathLike
        The folder of a run.
    sample : int
        How many files to compute again; they lie evenly in the plan.
    told : callable
        Called with sentences on what was looked at.
    """
    if sample != 0 and not is_positive_int(sample):
        raise ParameterError("sample", sample, "a number of files, 0 or more")
    store = open_store(out)
    manifest = require_manifest(store)
    plan = Plan.read(store, root_of(manifest))
    try:
        present_root(manifest)
    except ParameterError as error:
        yield f"{error}: {_continued(store)} --root FOLDER"
        sample = 0
    receipts, faults = standing_receipts(store)
    plan.require(receipts, store)
    for fault in faults:
        yield f"{fault}: {repair_of(store)}"
    written = store.sizes("receipts")
    undone = [name for name in map(receipt_name, plan.shards) if name.rpartition("/")[2] not in written]
    if undone:
        are = "is missing, its shard is" if len(undone) == 1 else "are missing, their shards are"
        yield f"{first_of(undone)} {are} not done: {_continued(store)} goes on"
    different = set()
    for shard, name in tables_that_differ(store, receipts):
        different.add(shard)
        yield f"{name} has other bytes than its receipt says: {repair_of(store)}"
    told(f"{counted(len(receipts), 'shard')} of {len(plan.shards)} looked at")
    if not faults and not undone and store.read(QUARANTINE) != quarantine_of(receipts, plan):
        yield f"{QUARANTINE} is missing, or not what the receipts say: {_continued(store)} writes it"
    # stores are asked for files of the sample alone
    gone = [entry for entry in plan.entries
            if entry.found.is_known and not is_url(entry.path) and is_gone(entry.path)] if sample else []  # fmt: skip
    if gone:
        yield _told_of_gone(gone, store)
    if sample:
        yield from _Recomputed(store, manifest, plan, told, gone).differences(
            Features(out, without=sorted(different)), receipts, sample)


def _continued(store: Store) -> str:
    return f"metalmom extract -o {shlex.quote(str(store))}"


def _told_of_gone(gone: list[Entry], store: Store) -> str:
    told = told_of_gone([shown(entry.path) for entry in gone])
    return f"{told}: rows of such files stay; {_continued(store)} --drop-missing drops them"


class _Recomputed:
    """Files computed again, and compared with their rows."""

    def __init__(
        self, store: Store, manifest: Manifest, plan: Plan, told: Callable[[str], object], gone: list[Entry]
    ) -> None:
        self._store, self._manifest, self._told = store, manifest, told
        self._gone = [entry.file_id for entry in gone]
        self._entries = {entry.file_id: entry for entry in plan.entries}
        self._recipe, self._schema = recipe_of(store, manifest), Schema.load(manifest["schema"])

    def differences(self, features: Features, receipts: Receipts, sample: int) -> Iterator[str]:
        """Yield sentences on a sample of the files."""
        try:
            if fingerprint_of(self._recipe, self._schema) != self._manifest["numbers"]:
                raise LibrosaError("this build gives other numbers for the recipe than the one that wrote the tables")
            resolved_backend(self._manifest["backend"])
        except LibrosaError as error:
            yield f"{error}: no file is computed again, --sample=0 looks at hashes alone"
            return
        decoder = Decoder(self._recipe.sr, _MOST_SAMPLES)
        wanted: dict[int, list[int]] = {}
        for file_id in _sample(features, sample, self._gone):
            wanted.setdefault(self._entries[file_id].shard, []).append(file_id)
        looked_at = 0
        for file in features.sample(wanted, receipts):
            entry = self._entries[int(file.row["file_id"])]
            if stale := self._stale(entry):
                yield stale
                continue
            try:
                outcome = self._outcome(decoder(entry).y)
            except Exception as error:
                yield f"{shown(entry.path)} cannot be computed again: {error}"
                continue
            looked_at += 1
            yield from self._unlike(file, entry, outcome)
        self._told(f"{counted(looked_at, 'file')} computed again")

    def _unlike(self, file: FileFeatures, entry: Entry, outcome: Outcome) -> Iterator[str]:
        """Yield sentences on features that are not what is computed now.

        Cells of what failed are blank, and stay so where it can be computed now: with more memory, say.
        """
        failed = set()
        for part in self._schema.parts:
            rows = outcome.rows(part)
            if (rows is not None and _same(part, rows, file, self._recipe)) or (
                    file.status == PARTIAL and _is_blank(part, file, self._recipe)):  # fmt: skip
                continue
            if rows is None:
                failed.add(part.feature)
                continue
            name = table_name(part.table or "files", entry.shard, self._manifest["format"])
            yield (f"{name} has other values of {part.name} of {shown(entry.path)} than are computed now: "
                   f"remove {receipt_name(entry.shard)}, and {_continued(self._store)} computes it again")
        for feature in sorted(failed):
            yield f"{feature} of {shown(entry.path)} cannot be computed again: {sentence(outcome.errors[feature])}"

    def _outcome(self, y: Array) -> Outcome:
        """What comes of a file, of a long one block by block: all of it need not fit into memory."""
        with config_context(backend=devices_of(self._manifest["backend"])[0]), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as in the run
            if y.size < _MOST_SAMPLES:
                (values,) = self._recipe.extractor._outcomes([y])
                return Outcome(self._schema, values)
            return LongFiles(self._recipe, self._schema, machine_memory(), None)(y)

    def _stale(self, entry: Entry) -> str | None:
        """A sentence on a file that is not what was computed."""
        if is_gone(entry.path):
            return _told_of_gone([entry], self._store)
        now = looked_at(entry.path)
        if now[1:3] == (entry.size, entry.mtime):
            return None
        if not now.is_known:
            return f"{shown(entry.path)} cannot be looked at now: its rows stay"
        return (f"{shown(entry.path)} has changed since it was computed: "
                f"{_continued(self._store)} --changed recompute computes it again")  # fmt: skip


def _sample(features: Features, sample: int, gone: list[int]) -> list[int]:
    """Ids of files that were computed and are there, so many, evenly among them."""
    good = np.zeros(0, int)
    if len(features):
        good = np.flatnonzero((features.files["status"] != FAILED) & ~np.isin(features.files["file_id"], gone))
    if not good.size:
        return []
    places = good[np.unique(np.linspace(0, good.size - 1, min(sample, good.size)).astype(int))]
    found: list[int] = features.files["file_id"][places].tolist()
    return found


def _same(part: Part, rows: Rows, file: FileFeatures, recipe: Recipe) -> bool:
    if part.table or part.kind == VALUE:
        columns = zip(part.rows(file[part.name]), rows, strict=True)  # of which one at a time is in memory
        return all(np.array_equal(old, new[:], equal_nan=True) for old, new in columns)
    expected = part.aggregated(rows, recipe.aggregate)
    return all(np.array_equal(file.row[key], value, equal_nan=True) for key, value in expected.items())


def _is_blank(part: Part, file: FileFeatures, recipe: Recipe) -> bool:
    """Whether a part's cells hold what those of a feature that failed do."""
    if part.table or part.kind == VALUE:
        cells, blank = part.rows(file[part.name]), BLANK[part.dtype]
    else:
        cells, blank = np.asarray([file.row[name] for name in part.aggregates(recipe.aggregate)]), np.nan
    return np.array_equal(cells, np.full_like(cells, blank), equal_nan=True)
