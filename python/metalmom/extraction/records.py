"""What OUT says of a run: what it computes (the manifest), which file is which row and which shard computes
it (the plan, fixed before the first file is read), and what vouches for the tables of a shard that is done
(receipts).
"""

from __future__ import annotations

import contextlib
import csv
import functools
import hashlib
import io
import itertools
import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .._engine.runtime import build_info
from ..util._checks import is_number
from ..util._wording import counted, first_of
from ..util.exceptions import Argument, LibrosaError, ParameterError
from . import strict_json
from .fault_injection import files_of_a_shard
from .inputs import Found, is_gone, shown
from .recipes import Recipe
from .schema import Schema
from .store import MANIFEST, PLAN, QUARANTINE, Store, is_own, is_table_folder, receipt_name
from .tables import FORMATS

Manifest = dict[str, Any]
Receipt = dict[str, Any]
Receipts = dict[int, Receipt]
Shards = dict[int, list["Entry"]]

LAYOUT = 1

# Entries of a manifest that describe the results but do not decide them, and the numbers, which are
# compared where there are any to be computed. `root` is where the files were the last time: it may change.
_DESCRIBING = ("schema", "fingerprint", "numbers", "root")


def identity() -> dict[str, Any]:
    """What numbers depend on of this process."""
    build = build_info()
    return {"metalmom": build["version"], "simd": build["simd"], "fft": build["fft"]}


def manifest_of(recipe: dict[str, Any], format: str, backend: str, keep_columns: Sequence[str], root: str) -> Manifest:
    """The manifest of a run, without its schema."""
    manifest = {"layout": LAYOUT, "recipe": recipe, "format": format, "backend": backend, **identity()}
    if keep_columns:
        manifest["keep_columns"] = [*keep_columns]
    if root:
        manifest["paths"] = "relative"
    content = strict_json.dump(manifest, sort_keys=True).encode()
    return {**manifest, "fingerprint": hashlib.sha256(content).hexdigest(), **({"root": root} if root else {})}


def kept_columns(manifest: Manifest) -> list[str]:
    """Columns of the input's tables that the table of files has, too."""
    names: list[str] = manifest.get("keep_columns", [])
    return names


def root_of(manifest: Manifest) -> str:
    """The folder that paths of the run are relative to; empty where they are absolute."""
    root: str = manifest.get("root", "")
    return root


def present_root(manifest: Manifest) -> str:
    """That folder, which must be there: else all files would be gone."""
    root = root_of(manifest)
    if root and not os.path.isdir(root):
        raise ParameterError("root", root, "an existing folder; if it was moved, give its new place")
    return root


def below(root: str, path: str) -> str:
    """A path as a run writes it: relative to its root, if it has one."""
    return os.path.relpath(path, root) if root and path else path


def read_manifest(store: Store) -> Manifest | None:
    """The manifest of a store; None where there is none.

    Raises
    ------
    LibrosaError
        Where a file of that name is there, and is not whole or somebody else's.
    """
    content = store.read(MANIFEST)
    if content is None:
        return None
    layout: Any = LAYOUT
    try:
        manifest: Manifest = {"numbers": "", **strict_json.load(content)}  # older versions wrote no numbers
        layout = manifest["layout"]
        recipe, schema = manifest["recipe"], Schema.load(manifest["schema"])
        is_ours = (
            layout == LAYOUT
            and all(map(is_table_folder, schema.tables))
            and isinstance(recipe["features"], dict)
            and is_number(recipe["sr"])
            and manifest["format"] in FORMATS
            and all(isinstance(manifest[name], str) for name in ("backend", "fingerprint", "numbers", *identity()))
            and isinstance(root_of(manifest), str)
            and all(isinstance(name, str) for name in kept_columns(manifest))
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        is_ours = False
    if layout != LAYOUT:
        raise LibrosaError(f"{store}/{MANIFEST}: layout={layout!r} must be {LAYOUT}, the one that this version reads")
    if not is_ours:
        raise LibrosaError(f"{store}/{MANIFEST} is damaged, or not written by metalmom.extract: take another folder")
    return manifest


def recipe_of(store: Store, manifest: Manifest) -> Recipe:
    """The recipe of a store's manifest, which is looked at as what anybody may have written."""
    try:
        recipe = Recipe(manifest["recipe"])
    except ParameterError as error:
        raise LibrosaError(f"{store}/{MANIFEST}: {error}") from error
    if Schema.load(manifest["schema"]).features.keys() != manifest["recipe"]["features"].keys():
        told = "its schema and its recipe have different features"
        raise LibrosaError(f"{store}/{MANIFEST} is damaged: {told}")
    return recipe


def require_manifest(store: Store) -> Manifest:
    """The manifest of a store that is to be read."""
    manifest = read_manifest(store)
    if manifest is None:
        raise ParameterError("out", str(store), "a folder that metalmom.extract has written")
    return manifest


def differences(old: Manifest, new: Manifest) -> Iterator[str]:
    """Sentences on what differs in what numbers depend on."""
    deciding = [{key: value for key, value in each.items() if key not in _DESCRIBING} for each in (old, new)]
    return _unequal("", *deciding)


def _unequal(place: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys([*old, *new]):
        name = place + key
        if key not in old or key not in new:
            value = (old if key in old else new)[key]
            shown = name if isinstance(value, dict) else f"{name}={value!r}"
            yield f"{shown} is {'gone' if key in old else 'new'}"
        elif isinstance(old[key], dict) and isinstance(new[key], dict):
            yield from _unequal(f"{name}.", old[key], new[key])
        elif old[key] != new[key]:
            yield f"{name} was {old[key]!r} and is {new[key]!r}"


def refuse_other_numbers(out: Store, old: Manifest, numbers: str) -> None:
    """Raise `ParameterError` where this process computes other numbers than what a run has computed."""
    if numbers != old["numbers"]:
        raise _of_others(out, f"another build of metalmom {old['metalmom']}, or of other libraries "
                              "beneath it, which give other numbers for the recipe")  # fmt: skip


def refuse_difference(out: Store, old: Manifest, new: Manifest) -> None:
    """Raise `ParameterError` where a run cannot continue another."""
    found = list(differences(old, new))
    if found:
        more = f"; and {len(found) - 6} more" if len(found) > 6 else ""
        raise _of_others(out, f"another run: {'; '.join(found[:6])}{more}")


def _of_others(out: Store, whose: str) -> ParameterError:
    anew = Argument("overwrite", True)
    return ParameterError(parts=(f"{out} holds the results of {whose}. Take another folder, or start anew with ", anew))


# A shard is this part of what is left to be cut, so that the last ones are small and all workers
# end at about the same time. No shard is so large that repeating it after a crash hurts, or so small
# that syncing it to the disk takes as long as computing it.
_PART = 1 / 24
_LEAST_WEIGHT, _MOST_WEIGHT = 3 << 20, 64 << 20
_MOST_FILES = 1024

# The time to decode a byte of a format, relative to Vorbis and MP3.
_COST = {".wav": 0.12, ".wave": 0.12, ".aif": 0.12, ".aiff": 0.12, ".w64": 0.12, ".au": 0.12, ".flac": 0.25}

# What is left where nothing says any more which file is which.
_ANEW = "metalmom extract with --overwrite, or another folder, starts anew"


class Entry(NamedTuple):
    """A file of the plan; `labels` are what the input's table has of it in the columns that the run keeps."""

    file_id: int
    path: str
    size: int
    mtime: int
    shard: int
    labels: Sequence[str] = ()

    @property
    def found(self) -> Found:
        """The file as it was when it was planned."""
        return Found(self.path, self.size, self.mtime, (*self.labels,))


def weight_of(entry: Entry) -> float:
    """The work that a file is expected to be."""
    cost = _COST.get(os.path.splitext(entry.path)[1].lower(), 1.0)
    return max(entry.size, 0) * cost + 20_000


class Plan:
    """Entries in the order of their ids.

    Paths below `root`, if there is one, are written relative to it.
    """

    def __init__(self, entries: Iterable[Entry] = (), root: str = "") -> None:
        self.entries, self.root = list(entries), root

    @classmethod
    def load(cls, content: bytes, root: str = "") -> Plan:
        """The plan that `dump` wrote."""
        entries = (Entry(**json.loads(line)) for line in content.splitlines())
        return cls((entry._replace(path=os.path.join(root, entry.path)) for entry in entries), root)

    @classmethod
    def read(cls, store: Store, root: str = "") -> Plan:
        """The plan of a store; a `LibrosaError` where it is missing or damaged."""
        content = store.read(PLAN)
        if not content:
            raise LibrosaError(f"{store}/{PLAN} is {'missing' if content is None else 'empty'}: {_ANEW}")
        with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
            plan = cls.load(content, root)
            if plan._is_whole() and content.endswith(b"\n"):
                return plan
        raise LibrosaError(f"{store}/{PLAN} is damaged, or not written by metalmom.extract: {_ANEW}")

    def _is_whole(self) -> bool:
        """Whether ids go up, and shards with them; those of files that were dropped are left out."""
        are_typed = all(
            [*map(type, entry[:5])] == [int, str, int, int, int] and b"\0" not in os.fsencode(entry.path)
            and all(isinstance(each, str) for each in entry.labels)
            for entry in self.entries
        )
        return are_typed and all(
            before.file_id < entry.file_id and before.shard <= entry.shard
            for before, entry in itertools.pairwise([Entry(-1, "", 0, 0, 0), *self.entries])
        )

    def require(self, receipts: Receipts, store: Store) -> None:
        """Raise `LibrosaError` where a receipt has other files than its shard in the plan."""
        shards = self.shards
        for shard, receipt in receipts.items():
            ids = {entry.file_id for entry in shards.get(shard, ())}
            if len(ids) != receipt["files"] or not ids.issuperset(file_id for file_id, _ in receipt["failed"]):
                had = f"shard {shard} had {counted(receipt['files'], 'file')}"
                raise LibrosaError(f"{store}/{PLAN} is damaged: {had}: {_ANEW}")

    def dump(self) -> bytes:
        """The plan as bytes, one line of JSON a file."""
        rows = (entry._replace(path=below(self.root, entry.path))._asdict() for entry in self.entries)
        kept = ({name: value for name, value in row.items() if name != "labels" or value} for row in rows)
        return "".join(strict_json.dump(row) + "\n" for row in kept).encode()

    @property
    def shards(self) -> Shards:
        """Entries by shard."""
        shards: Shards = {}
        for entry in self.entries:
            shards.setdefault(entry.shard, []).append(entry)
        return shards

    def changed(self, found: Iterable[Found]) -> list[Entry]:
        """Entries of files that are there and have another size, time or label now.

        What cannot be looked at now, as a store that does not answer, has not changed.
        """
        now = {each.path: each for each in found if each.is_known}
        return [entry for entry in self.entries if now.get(entry.path, entry.found) != entry.found]

    def require_unchanged(self, found: Iterable[Found]) -> None:
        """Raise `ParameterError` where files or their labels are not what they were when they were planned."""
        now = {each.path: each for each in found}
        changed = {entry.path: now[entry.path][:3] != entry.found[:3] for entry in self.changed(now.values())}
        told = []
        for of_files, what in ((True, "changed"), (False, "got other labels")):
            paths = [shown(path) for path, is_of_file in changed.items() if is_of_file is of_files]
            if paths:
                have, were = ("has", "it was") if len(paths) == 1 else ("have", "they were")
                told.append(f"{counted(len(paths), 'file')} {have} {what} since {were} planned: {first_of(paths)}; ")
        if told:
            them = "it" if len(changed) == 1 else "them"
            raise ParameterError(parts=("".join(told), Argument("changed", "recompute"), f" computes {them} again"))

    def gone(self, found: Iterable[Found]) -> list[Entry]:
        """Entries of files that are not there any more."""
        known = {each.path for each in found if each.is_known}
        return [entry for entry in self.entries if entry.path not in known and is_gone(entry.path)]

    def without(self, entries: Iterable[Entry]) -> Plan:
        """The plan without some of its entries; all others keep their ids and shards."""
        ids = {entry.file_id for entry in entries}
        return Plan((entry for entry in self.entries if entry.file_id not in ids), self.root)

    def updated(self, found: Iterable[Found]) -> Plan:
        """The plan with the files as they are, and new ones in shards of their own."""
        now = {each.path: each for each in found if each.is_known}
        kept = [entry._replace(**now[entry.path]._asdict()) if entry.path in now else entry
                for entry in self.entries]  # fmt: skip
        known = {entry.path for entry in kept}
        new = [each for each in found if each.path not in known]
        first_id = kept[-1].file_id + 1 if kept else 0
        first_shard = kept[-1].shard + 1 if kept else 0
        return Plan([*kept, *_cut(new, first_id, first_shard)], self.root)


def _cut(found: list[Found], file_id: int, shard: int) -> Iterator[Entry]:
    """New files as entries: shards of about equal work, whatever computes them."""
    entries = [Entry(file_id + i, shard=0, **each._asdict()) for i, each in enumerate(found)]
    left = sum(map(weight_of, entries))
    most = files_of_a_shard(_MOST_FILES)
    weight, files = 0.0, 0
    for entry in entries:
        own = weight_of(entry)
        aim = min(max(left * _PART, _LEAST_WEIGHT), _MOST_WEIGHT)
        if files and (weight + own / 2 > aim or files >= most):
            left -= weight
            shard, weight, files = shard + 1, 0, 0
        weight, files = weight + own, files + 1
        yield entry._replace(shard=shard)


def told_of_gone(paths: Sequence[str], what: str = "gone") -> str:
    """Words on planned files that are not there any more."""
    return f"{counted(len(paths), 'planned file')} {'is' if len(paths) == 1 else 'are'} {what}: {first_of(paths)}"


_STRANGE = "is not a regular file"


class Fault(NamedTuple):
    """A file of OUT that is not as it was written."""

    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.name} {self.what}"


def standing_receipts(store: Store) -> tuple[Receipts, list[Fault]]:
    """Receipts of shards whose tables are there, by shard, and the faults of others.

    What is compared are sizes; `tables_that_differ` compares all bytes.
    """
    standing, faults = {}, []
    sizes_of = functools.cache(store.sizes)
    for name, size in sorted(store.sizes("receipts").items()):
        if not is_own("receipts", name):
            continue
        receipt = None if size is None else _checked(store.read(f"receipts/{name}"), name)
        if receipt is None:
            faults.append(Fault(f"receipts/{name}", _STRANGE if size is None else "is damaged"))
            continue
        found = [*_faults_of(receipt, sizes_of)]
        faults += found
        if not found:
            standing[receipt["shard"]] = receipt
    return standing, faults


def _faults_of(receipt: Receipt, sizes_of: Callable[[str], dict[str, int | None]]) -> Iterator[Fault]:
    """Yield what is wrong with the tables of a receipt, by their sizes."""
    for table, facts in receipt["tables"].items():
        folder, file = os.path.split(table)
        size = sizes_of(folder).get(file)
        if size is None:
            yield Fault(table, _STRANGE if file in sizes_of(folder) else "is missing")
        elif size != facts["bytes"]:
            yield Fault(table, f"has {size} bytes, and {facts['bytes']} by its receipt")


def repair_of(store: Store) -> str:
    """What is to be done about damage."""
    return f"metalmom extract -o {shlex.quote(str(store))} --repair computes it again"


def tables_that_differ(store: Store, receipts: Receipts) -> Iterator[tuple[int, str]]:
    """Yield (shard, name of the table) where a table has other bytes than its receipt says."""
    for shard, receipt in receipts.items():
        for name, facts in receipt["tables"].items():
            with store.local(name) as path, open(path, "rb") as file:
                if not has_digest(file, facts):
                    yield shard, name


def has_digest(table: Any, facts: dict[str, Any]) -> bool:
    """Whether an open table has the bytes that its receipt says."""
    return hashlib.file_digest(table, "sha256").hexdigest() == facts["sha256"]


def _checked(content: bytes | None, name: str) -> Receipt | None:
    """The receipt of that name; None where it is not what a run writes."""
    try:
        receipt = json.loads(content or "")
        whole = (
            receipt_name(receipt["shard"]) == f"receipts/{name}"
            and type(receipt["files"]) is int
            and all(type(file_id) is int and os.fsencode(error) for file_id, error in receipt["failed"])
            and len(receipt["tables"]) > 0
            and all(type(facts["bytes"]) is int and isinstance(facts["sha256"], str)
                    and is_own(*table.split("/")) for table, facts in receipt["tables"].items())
        )  # fmt: skip
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return receipt if whole else None


def quarantine_of(receipts: Receipts, plan: Plan) -> bytes:
    """What OUT/quarantine.csv holds: path, as the bytes that it is, and error."""
    paths = {entry.file_id: below(plan.root, entry.path) for entry in plan.entries}
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    # Before 3.13 csv leaves a carriage return unquoted, after which readers see a new row: a formula, perhaps.
    quoted = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    rows.writerow(["path", "error"])
    for shard in sorted(receipts):
        for file_id, error in receipts[shard]["failed"]:
            # Of a file below a root, whose path an error begins with: a spreadsheet would take it for a formula.
            row = [f"./{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
                   for cell in (paths[file_id], error)]  # fmt: skip
            (quoted if "\r" in "".join(row) else rows).writerow(row)
    return os.fsencode(text.getvalue())


def write_quarantine(store: Store, receipts: Receipts, plan: Plan) -> None:
    """Write OUT/quarantine.csv if its content changed."""
    content = quarantine_of(receipts, plan)
    if store.read(QUARANTINE) != content:
        store.write(QUARANTINE, content)
