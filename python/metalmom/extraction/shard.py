"""One shard: its files decoded, their features computed, its tables written, its receipt last."""

import contextlib
import hashlib
import time
import warnings

import numpy as np

from ..util.exceptions import AudioError, LibrosaError
from . import strict_json
from .aggregates import aggregated
from .audio_cache import AudioCache
from .decoding import Decoder, sentence
from .inputs import shown
from .layout import PLAN, receipt_name, table_name
from .local_store import is_full
from .long_files import LongFiles, bytes_per_second
from .manifest import read_manifest
from .messages import COMPUTE, COMPUTED, DECODE, DECODED, WRITE, WRITTEN
from .plan import Entry, Plan
from .recipes import Recipe
from .schema import FILE_FIELDS, FRAMES, VALUE, Schema
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
                "failed": [[row["file_id"], row["error"]] for row in rows if row["status"] != "ok"],
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
        blank = {name: _BLANK[dtype] for name, (dtype, _) in self._file_fields().items()}
        rows = []
        for entry, duration, rate, result in self._computed(entries, bad):
            row = {**blank, "file_id": entry.file_id, "path": shown(entry.path), "status": "ok",
                   "duration": duration, "sr": rate}  # fmt: skip
            try:
                if isinstance(result, Exception):
                    raise result
                tables = self._tables_of(result, row)
            except Exception as error:
                if is_full(error):
                    raise
                row.update(blank, file_id=row["file_id"], path=row["path"], status="failed",
                           error=sentence(error), duration=duration, sr=rate)  # fmt: skip
            else:
                try:
                    for table, columns in tables.items():
                        writers[table].append({**columns, "file_id": _constant(entry.file_id, columns)})
                except MemoryError as error:
                    raise OutOfMemory([entry.file_id]) from error
            rows.append(row)
        return rows

    def _tables_of(self, rows, row):
        """Columns of a file by table; what is one row a file goes into `row`."""
        for part in self.schema.of_kind(VALUE):
            row.update(zip(part.columns, rows[part.name][:, 0], strict=True))
        tables = {}
        for table, parts in self.schema.tables.items():
            columns = tables[table] = {}
            count = rows[parts[0].name].shape[1]
            for part in parts:
                if rows[part.name].shape[1] != count:
                    raise ValueError(
                        f"{part.name} has {rows[part.name].shape[1]} frames where {parts[0].name} has {count}"
                    )
                columns.update(zip(part.columns, rows[part.name], strict=True))
            columns[parts[0].index_column] = np.arange(count, dtype=np.int32)
        for part in self.schema.of_kind(FRAMES) if self.recipe.aggregate else ():
            row.update(aggregated(part, rows[part.name], self.recipe.aggregate))
        return tables

    def _computed(self, entries, bad):
        """(entry, seconds, own rate, rows by part or error) of each file, in order."""
        for some in _portions((entry, self._decoded(entry, bad)) for entry in entries):
            good = [(entry.file_id, decoded.y) for entry, decoded in some if not isinstance(decoded, Exception)]
            results = iter(self._extracted(*zip(*good)) if good else ())
            for entry, decoded in some:
                if isinstance(decoded, Exception):
                    yield entry, 0.0, 0.0, decoded
                else:
                    yield entry, decoded.y.size / self.recipe.sr, decoded.rate, next(results)

    def _extracted(self, ids, clips):
        started = time.perf_counter()
        self.report(COMPUTE, ids=ids)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # every short clip would warn
            if any(clip.size >= self.most_samples for clip in clips):
                results = [self._alone(clip) for clip in clips]
            else:
                results = self._together(clips)
        self.report(COMPUTED, ids=ids, seconds=time.perf_counter() - started,
                    failed=[i for i, r in zip(ids, results) if isinstance(r, Exception)])  # fmt: skip
        return results

    def _together(self, clips):
        try:
            return [values if isinstance(values, Exception) else self.schema.rows_of(values)
                    for values in self.recipe.extractor.map(clips, errors="return")]  # fmt: skip
        except Exception:  # one clip's rows, or memory: each is tried alone
            return [self._alone(clip) for clip in clips]

    def _alone(self, clip):
        try:
            if clip.size >= self.most_samples:
                return self.long_files(clip)
            return self.schema.rows_of(self.recipe.extractor(clip))
        except Exception as error:
            return error

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


_BLANK = {"str": "", "float32": np.float32(np.nan), "float64": 0.0, "int32": 0, "uint8": 0}


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
