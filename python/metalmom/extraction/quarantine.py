"""Files that failed, as a table that people open."""

import csv
import io
import os

from .layout import QUARANTINE

__all__ = ["write_quarantine"]


def write_quarantine(store, receipts, plan):
    """Write OUT/quarantine.csv: path, as the bytes that it is, and error."""
    paths = {entry.file_id: entry.path for entry in plan.entries}
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["path", "error"])
    for shard in sorted(receipts):
        for file_id, error in receipts[shard]["failed"]:
            rows.writerow([paths[file_id], error])
    content = os.fsencode(text.getvalue())
    if store.read(QUARANTINE) != content:
        store.write(QUARANTINE, content)
