"""Files that failed, as a table that people open."""

import csv
import io
import os

from .layout import QUARANTINE

__all__ = ["quarantine_of", "write_quarantine"]


def quarantine_of(receipts, plan):
    """What OUT/quarantine.csv holds: path, as the bytes that it is, and error."""
    paths = {entry.file_id: entry.path for entry in plan.entries}
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["path", "error"])
    for shard in sorted(receipts):
        for file_id, error in receipts[shard]["failed"]:
            rows.writerow([paths[file_id], error])
    return os.fsencode(text.getvalue())


def write_quarantine(store, receipts, plan):
    """Write OUT/quarantine.csv if its content changed."""
    content = quarantine_of(receipts, plan)
    if store.read(QUARANTINE) != content:
        store.write(QUARANTINE, content)
