"""Receipts: what vouches for the tables of a shard, written when they stand; and what failed by them."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .file_names import QUARANTINE, is_own, receipt_name

if TYPE_CHECKING:
    from .plan import Plan
    from .store import Store

    Receipt = dict[str, Any]
    Receipts = dict[int, Receipt]

__all__ = ["Fault", "quarantine_of", "repair_of", "standing_receipts", "tables_that_differ", "write_quarantine"]

_STRANGE = "is no regular file"


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
    sizes = {}
    for name, size in sorted(store.sizes("receipts").items()):
        if not is_own("receipts", name):
            continue
        if size is None:
            faults.append(Fault(f"receipts/{name}", _STRANGE))
            continue
        receipt = _checked(store.read(f"receipts/{name}"), name)
        if receipt is None:
            faults.append(Fault(f"receipts/{name}", "is damaged"))
            continue
        before = len(faults)
        for table, facts in receipt["tables"].items():
            folder, _, file = table.rpartition("/")
            if folder not in sizes:
                sizes[folder] = store.sizes(folder)
            size = sizes[folder].get(file)
            if size is None:
                faults.append(Fault(table, _STRANGE if file in sizes[folder] else "is missing"))
            elif size != facts["bytes"]:
                faults.append(Fault(table, f"has {size} bytes, and {facts['bytes']} by its receipt"))
        if len(faults) == before:
            standing[receipt["shard"]] = receipt
    return standing, faults


def repair_of(store: Store) -> str:
    """What is to be done about damage."""
    return f"metalmom extract -o {shlex.quote(str(store))} --repair computes it again"


def tables_that_differ(store: Store, receipts: Receipts) -> Iterator[tuple[int, str]]:
    """Yield (shard, name of the table) where a table has other bytes than its receipt says."""
    for shard, receipt in receipts.items():
        for name, facts in receipt["tables"].items():
            with store.local(name) as path, open(path, "rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != facts["sha256"]:
                    yield shard, name


def _checked(content: bytes | None, name: str) -> Receipt | None:
    """The receipt of that name; None where it is not what a run writes."""
    try:
        receipt = json.loads(content or "")
        whole = (
            receipt_name(receipt["shard"]) == f"receipts/{name}"
            and type(receipt["files"]) is int
            and all(type(file_id) is int and isinstance(error, str) for file_id, error in receipt["failed"])
            and len(receipt["tables"]) > 0
            and all(type(facts["bytes"]) is int and isinstance(facts["sha256"], str)
                    and is_own(*table.split("/")) for table, facts in receipt["tables"].items())
        )  # fmt: skip
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return receipt if whole else None


def quarantine_of(receipts: Receipts, plan: Plan) -> bytes:
    """What OUT/quarantine.csv holds: path, as the bytes that it is, and error."""
    paths = {entry.file_id: entry.path for entry in plan.entries}
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["path", "error"])
    for shard in sorted(receipts):
        for file_id, error in receipts[shard]["failed"]:
            rows.writerow([paths[file_id], error])
    return os.fsencode(text.getvalue())


def write_quarantine(store: Store, receipts: Receipts, plan: Plan) -> None:
    """Write OUT/quarantine.csv if its content changed."""
    content = quarantine_of(receipts, plan)
    if store.read(QUARANTINE) != content:
        store.write(QUARANTINE, content)
