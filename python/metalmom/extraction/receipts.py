"""Receipts: what vouches for the tables of a shard, written when they stand."""

import json

__all__ = ["receipt_name", "standing_receipts"]


def receipt_name(shard):
    """Where the receipt of a shard lies in OUT."""
    return f"receipts/{shard:05}.json"


def standing_receipts(store):
    """Receipts of shards whose tables are there, by shard."""
    standing = {}
    sizes = {}
    for name in sorted(store.sizes("receipts")):
        try:
            receipt = json.loads(store.read(f"receipts/{name}"))
        except ValueError:
            continue
        for table, facts in receipt["tables"].items():
            folder, _, file = table.rpartition("/")
            if folder not in sizes:
                sizes[folder] = store.sizes(folder)
            if sizes[folder].get(file) != facts["bytes"]:
                break
        else:
            standing[receipt["shard"]] = receipt
    return standing
