"""Receipts: what vouches for the tables of a shard, written when they stand."""

import hashlib
import json

from .layout import is_own, receipt_name

__all__ = ["standing_receipts", "tables_that_differ"]


def standing_receipts(store):
    """Receipts of shards whose tables are there, by shard, and names of receipts that are damaged."""
    standing, damaged = {}, []
    sizes = {}
    for name in sorted(name for name in store.sizes("receipts") if is_own("receipts", name)):
        receipt = _checked(store.read(f"receipts/{name}"), name)
        if receipt is None:
            damaged.append(f"receipts/{name}")
            continue
        for table, facts in receipt["tables"].items():
            folder, _, file = table.rpartition("/")
            if folder not in sizes:
                sizes[folder] = store.sizes(folder)
            if sizes[folder].get(file) != facts["bytes"]:
                break
        else:
            standing[receipt["shard"]] = receipt
    return standing, damaged


def tables_that_differ(store, receipts):
    """Yield (shard, name of the table) where a table has other bytes than its receipt says."""
    for shard, receipt in receipts.items():
        for name, facts in receipt["tables"].items():
            with store.local(name) as path, open(path, "rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != facts["sha256"]:
                    yield shard, name


def _checked(content, name):
    """The receipt of that name; None where it is not what a run writes."""
    try:
        receipt = json.loads(content)
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
