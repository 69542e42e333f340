"""One shard: its files decoded, their features computed, its tables written, its receipt last."""

import contextlib
import hashlib
import time
import warnings
from collections import Counter

import numpy as np

from ..util.exceptions import AudioError, LibrosaError
from . import strict_json
from .aggregates import aggregated
from .audio_cache import AudioCache
from .decoding import Decoder
from .inputs import shown
from .layout import PLAN, receipt_name, table_name
from .local_store import is_full
from .long_files import LongFiles, bytes_per_second
from .manifest import read_manifest
from .messages import COMPUTE, COMPUTED, DECODE, DECODED, WRITE, WRITTEN
from .outcome import OK, Outcome
from .plan import Entry, Plan
from .recipes import Recipe
from .schema import BLANK, FILE_FIELDS, FRAMES, Schema, VALUE
from .store import open_store
from .tables import writer_of

__all__ = ["OutOfMemory", "Worker", "entries_of"]

# The most clips, and samples, that the Extractor gets together: enough to keep it busy.
_CLIPS_TOGETHER, _SAMPLES_TOGETHER = 64, 1 << 18

# Samples and rows are in memory as they come, and again as the engine or a table wants them.
_TIMES_IN_MEMORY = 2

class OutOfMemory(MemoryError):
    """Tables need more than the run may take; `ids` are the files to leave out of them."""

    def __init__(self, ids):
        super().__init__()
        self.ids = ids


class Worker:
    """What computes shards of one run.

    Parameters
    ----------
    job : dict
        The run, in values that JSON has: ``out``, ``recipe``, ``schema``, ``format``, ``note``,
        ``memory``, ``memory_of_all``, ``spool``, ``cache``, ``cache_limit``.
    report : callable
        Called with the name of a stage and keywords as the work goes on.
    """

    def __init__(self, job, report=lambda stage, **about: None):
        self.store = open_store(job["out"])
        self.recipe = Recipe(job["recipe"])
        self.schema = Schema.load(job["schema"])
        self.job = job
        self.report = report
        cache = job["cache"] and AudioCache(job["cache"], self.recipe.sr, job["cache_limit"])
        self.most_samples = self._samples_in_memory(job["memory"])
        self.decoder = Decoder(self.recipe.sr, self.most_samples, job["spool"], cache)
        self.long_files = LongFiles(self.recipe, self.schema, job["memory_of_all"], job["spool"])

    def _samples_in_memory(self, memory):
        """How long a file may be that is in memory: a quarter is for its samples and rows."""
        a_second = _TIMES_IN_MEMORY * (4 * self.recipe.sr + bytes_per_second(self.schema.parts))
        return max(int(memory / 4 / a_second * self.recipe.sr), _SAMPLES_TOGETHER)

    def run(self, shard, entries, bad):
        """Compute a shard and write it; `bad` has the errors of files that are not to be tried.

        Raises
        ------
        OutOfMemory
            Where its tables cannot be written.
        """
        try:
            with self.store.in_work():
                self._require_own_run(entries)
                return self._run(shard, entries, bad)
        except OutOfMemory:
            raise
        except MemoryError as error:
            raise OutOfMemory([entry.file_id for entry in entries]) from error

    def _require_own_run(self, entries):
        """Refuse to write for a run in whose place another one has begun anew."""
        manifest = read_manifest(self.store)
        own = manifest is not None and manifest["fingerprint"] == self.job["note"]["fingerprint"]
        if own and self.store.has_locks:  # elsewhere a plan of megabytes would be fetched for each shard
            own = Plan(entries).dump() in (self.store.read(PLAN) or b"")
        if not own:
            raise LibrosaError(f"{self.store} is another run's by now")

    def _run(self, shard, entries, bad):
        extension = self.job["format"]
        make = writer_of(extension)
        frame_tables = {
            name: _fields_of(name, parts) for name, parts in self.schema.tables.items()
        }
        with contextlib.ExitStack() as stack:
            writers, paths = {}, {}
            for table, fields in {"files": self._file_fields(), **frame_tables}.items():
                name = table_name(table, shard, extension)
                paths[table] = name, stack.enter_context(self.store.writing(name))
                writers[table] = make(paths[table][1], fields, self.job["note"])
            rows = self._rows(entries, bad, writers)
            started = time.perf_counter()
            self.report(WRITE)
            writers["files"].append({name: [row[name] for row in rows] for name in self._file_fields()})
            for writer in writers.values():
                writer.close()
            receipt = {
                "shard": shard,
                "files": len(rows),
                "failed": [[row["file_id"], row["error"]] for row in rows if row["status"] != OK],
                "tables": {
                    name: {"rows": writers[table].rows, **_hashed(path)}
                    for table, (name, path) in sorted(paths.items())
                },
            }
        self.store.write(receipt_name(shard), strict_json.dump(receipt, indent=1).encode())
        self.report(WRITTEN, seconds=time.perf_counter() - started)
        return receipt

    def try_alone(self, entry):
        """Decode and compute one file, and keep nothing: whoever asks sees whether it survives."""
        for _ in self._computed([entry], {}):
            pass

    def _file_fields(self):
        fields = dict(FILE_FIELDS)
        for part in self.schema.of_kind(VALUE):
            fields |= dict.fromkeys(part.columns, (part.dtype, part.unit))
        for part in self.schema.parts:
            fields |= dict.fromkeys(part.aggregates(self.recipe.aggregate), ("float32", part.unit))
        return fields

    def _rows(self, entries, bad, writers):
        """Rows of the table of files, in their order; frames go to their writers meanwhile."""
        blank = {name: BLANK[dtype] for name, (dtype, _) in self._file_fields().items()}
        rows = []
        for entry, duration, rate, outcome in self._computed(entries, bad):
            self._require_one_grid(outcome)
            cells = self._cells_of(outcome)
            rows.append({**blank, "file_id": entry.file_id, "path": shown(entry.path), "duration": duration, "sr": rate,
                         "status": outcome.status, "error": outcome.told, **cells})  # fmt: skip
            try:
                for table, parts in self.schema.tables.items():
                    columns = _columns_of(outcome, parts)
                    if columns:
                        writers[table].append({**columns, "file_id": _constant(entry.file_id, columns)})
            except MemoryError as error:
                raise OutOfMemory([entry.file_id]) from error
        return rows

    def _require_one_grid(self, outcome):
        """What has other frames than most features of its table has an error in their place.

        Where as many have one count as have another, the first of them is right.
        """
        for parts in self.schema.tables.values():
            counts = {}  # of frames, by feature
            for part in parts:
                if outcome.rows(part) is not None:
                    counts.setdefault(part.feature, set()).add(outcome.rows(part).shape[1])
            usual = Counter(count for count, *others in counts.values() if not others).most_common(1)
            for feature, own in counts.items():
                text = f"it has {' and '.join(map(str, sorted(own)))} frames"
                if len(own) > 1:
                    outcome.fail(feature, LibrosaError(text))
                elif own != {usual[0][0]}:
                    outcome.fail(feature, LibrosaError(f"{text} where the others have {usual[0][0]}"))

    def _cells_of(self, outcome):
        """Cells of the table of files: values, and statistics."""
        cells = {}
        for feature, parts in self.schema.features.items():
            if feature in outcome.errors:
                continue
            own = {}
            try:
                for part in parts:
                    if part.kind == VALUE:
                        own.update(zip(part.columns, outcome.rows(part)[:, 0], strict=True))
                    elif part.kind == FRAMES and self.recipe.aggregate:
                        own.update(aggregated(part, outcome.rows(part), self.recipe.aggregate))
            except Exception as error:
                outcome.fail(feature, error)
            else:
                cells |= own
        return cells

    def _computed(self, entries, bad):
        """(entry, seconds, own rate, `Outcome`) of each file, in order."""
        for some in _portions((entry, self._decoded(entry, bad)) for entry in entries):
            good = [(entry.file_id, decoded.y) for entry, decoded in some if not isinstance(decoded, Exception)]
            outcomes = iter(self._extracted(*zip(*good)) if good else ())
            for entry, decoded in some:
                if isinstance(decoded, Exception):
                    yield entry, 0.0, 0.0, Outcome.failed(self.schema, decoded)
                else:
                    yield entry, decoded.y.size / self.recipe.sr, decoded.rate, next(outcomes)

    def _extracted(self, ids, clips):
        started = time.perf_counter()
        self.report(COMPUTE, ids=ids)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # every short clip would warn
            if any(clip.size >= self.most_samples for clip in clips):
                outcomes = [self._alone(clip) for clip in clips]
            else:
                outcomes = self._together(clips)
        self.report(COMPUTED, ids=ids, seconds=time.perf_counter() - started,
                    failed=[i for i, outcome in zip(ids, outcomes) if outcome.errors])  # fmt: skip
        return outcomes

    def _together(self, clips):
        try:
            return [Outcome(self.schema, values) for values in self.recipe.extractor._outcomes(clips)]
        except Exception:  # of all of them, as want of memory is: each is tried alone
            return [self._alone(clip) for clip in clips]

    def _alone(self, clip):
        if clip.size < self.most_samples:
            with contextlib.suppress(Exception):  # of all features: they are tried one after the other
                (values,) = self.recipe.extractor._outcomes([clip])
                return Outcome(self.schema, values)
        try:
            return self.long_files(clip)
        except Exception as error:
            return Outcome.failed(self.schema, error)

    def _decoded(self, entry, bad):
        """Samples of a file, or the error."""
        if entry.file_id in bad:
            self.report(DECODED, id=entry.file_id, bytes=entry.size, failed=True)
            return AudioError(bad[entry.file_id])
        started = time.perf_counter()
        self.report(DECODE, id=entry.file_id)
        try:
            decoded = self.decoder(entry)
            audio = decoded.y.size / self.recipe.sr
        except Exception as error:
            if is_full(error):
                raise
            decoded, audio = error, 0.0
        self.report(DECODED, id=entry.file_id, bytes=entry.size, audio=audio,
                    seconds=time.perf_counter() - started,
                    failed=isinstance(decoded, Exception))  # fmt: skip
        return decoded


def _columns_of(outcome, parts):
    """Columns of a file in a table; those of features that failed are blank, and none is there where all have."""
    first = next((part for part in parts if outcome.rows(part) is not None), None)
    if first is None:
        return {}
    count = outcome.rows(first).shape[1]
    columns = {first.index_column: np.arange(count, dtype=np.int32)}
    for part in parts:
        rows = outcome.rows(part)
        blank = np.broadcast_to(np.array(BLANK[part.dtype], part.dtype), (count,))
        columns.update(zip(part.columns, [blank] * len(part.columns) if rows is None else rows, strict=True))
    return columns


def entries_of(rows):
    """Entries of a plan as they come out of JSON."""
    return [Entry(*row) for row in rows]


def _fields_of(table, parts):
    fields = {"file_id": ("int32", ""), parts[0].index_column: ("int32", "")}
    for part in parts:
        fields |= dict.fromkeys(part.columns, (part.dtype, part.unit))
    return fields


def _constant(value, columns):
    return np.full(len(next(iter(columns.values()))), value, dtype=np.int32)


def _portions(decoded):
    portion, samples = [], 0
    for entry, each in decoded:
        portion.append((entry, each))
        samples += getattr(each, "y", np.empty(0)).size
        if len(portion) >= _CLIPS_TOGETHER or samples >= _SAMPLES_TOGETHER:
            yield portion
            portion, samples = [], 0
    if portion:
        yield portion


def _hashed(path):
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"bytes": file.tell(), "sha256": digest}
