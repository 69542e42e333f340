"""Whether the tables of a run are what their receipts say, and what computing gives again."""

import numpy as np

from ..util._checks import is_positive_int
from ..util.exceptions import ParameterError
from .decoding import Decoder
from .inputs import shown
from .manifest import require_manifest
from .plan import Plan
from .reader import Features
from .recipes import Recipe
from .receipts import standing_receipts, tables_that_differ
from .schema import VALUE, Schema
from .shard import aggregated
from .store import open_store

__all__ = ["verify"]


def verify(out, sample=20, told=lambda text: None):
    """Yield a sentence for each thing that is not as it should be.

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
        raise ParameterError(f"sample={sample!r} must be a number of files, 0 or more")
    store = open_store(out)
    manifest = require_manifest(store)
    plan = Plan.read(store)
    receipts, damaged = standing_receipts(store)
    plan.require(receipts, store)
    for name in damaged:
        yield f"{name} is damaged: metalmom extract again computes its shard"
    missing = sorted(set(plan.shards) - set(receipts))
    if missing:
        yield f"{len(missing)} of {len(plan.shards)} shards are not done, or their tables are not whole"
    different = set()
    for shard, name in tables_that_differ(store, receipts):
        different.add(shard)
        yield f"{name} has other bytes than its receipt says: the command that wrote it, with --repair, computes it again"
    told(f"{len(receipts)} shards looked at")
    yield from _recomputed(Features(out, without=sorted(different)), manifest, plan, sample, told)


def _recomputed(features, manifest, plan, sample, told):
    recipe = Recipe(manifest["recipe"])
    schema = Schema.load(manifest["schema"])
    decoder = Decoder(recipe.sr, 1 << 25)
    good = np.flatnonzero(features.files["status"] == "ok") if len(features) else np.zeros(0, int)
    places = good[np.unique(np.linspace(0, max(len(good) - 1, 0), min(sample, len(good))).astype(int))]
    wanted = set(features.files["file_id"][places].tolist()) if len(good) else set()
    entries = {entry.file_id: entry for entry in plan.entries}
    looked_at = 0
    for file in features:
        file_id = int(file.row["file_id"])
        if file_id not in wanted:
            continue
        entry = entries[file_id]
        try:
            values = recipe.extractor(decoder(entry).y)
        except Exception as error:
            yield f"{shown(entry.path)} cannot be computed again: {error}"
            continue
        looked_at += 1
        rows = schema.rows_of(values)
        for part in schema.parts:
            if not _same(part, rows[part.name], file, recipe):
                yield f"{part.name} of {shown(entry.path)}"
    told(f"{looked_at} files computed again")


def _same(part, rows, file, recipe):
    if part.table or part.kind == VALUE:
        return np.array_equal(part.rows(file[part.name]), rows, equal_nan=True)
    expected = aggregated(part, rows, recipe.aggregate)
    return all(np.array_equal(file.row[key], value, equal_nan=True) for key, value in expected.items())
