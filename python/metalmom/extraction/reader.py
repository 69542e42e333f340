"""Tables of features, read back as arrays of librosa's shapes."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..util._declared import VALUE
from ..util._notebook import table_of
from ..util._packages import required
from ..util._types import Array, Int
from ..util._wording import did_you_mean
from ..util.exceptions import LibrosaError, ParameterError, ParameterKeyError
from .inputs import path_of
from .records import Plan, Receipts, has_digest, repair_of, require_manifest, root_of, standing_receipts
from .schema import Part, Schema
from .store import open_store, receipt_name, table_name
from .tables import read_table


class Features:
    """The tables of a run; shards that are not done are left out.

    Iterated, it gives file by file; ``features["songs/a.wav"]`` is the file of that path.

    Parameters
    ----------
    out : str or os.PathLike
        The folder of the run.
    without : list of int, optional
        Shards to leave out, too. Where it is given, damaged shards are left out as well, and are no error.

    Attributes
    ----------
    recipe : dict
        Every parameter of every feature.
    sr : number
        The rate at which features were computed.
    names : list of str
        What `frames` and the items of a file have.
    root : str
        The folder that paths are relative to; empty where they are absolute.
    """

    def __init__(self, out: str | os.PathLike[str], without: list[Int] | None = None) -> None:
        self._store = open_store(out)
        manifest = require_manifest(self._store)
        self.recipe, self.sr = manifest["recipe"], manifest["recipe"]["sr"]
        self.aggregate = self.recipe.get("aggregate", {}).get("stats", [])
        self._format, self.root = manifest["format"], root_of(manifest)
        self._parts = {part.name: part for part in Schema.load(manifest["schema"]).parts}
        self.names = list(self._parts)
        standing, faults = standing_receipts(self._store)
        if faults and without is None:
            raise LibrosaError(f"{self._store}/{faults[0]}: {repair_of(self._store)}")
        self._shards = sorted(set(standing) - set(without or ()))

    def __repr__(self) -> str:
        missing = f" of {self.planned}" if self.planned > len(self) else ""
        return f"<Features of {len(self)}{missing} files: {', '.join(self.names)}>"

    def _repr_html_(self) -> str:
        """In a notebook the tables show how many files they have, and what each feature is."""
        rows = [("files", f"{len(self)} of {self.planned}"), ("sr", self.sr), ("root", self.root)]
        parts = [(part.name, self._told(part)) for part in self._parts.values()]
        return table_of(row for row in rows + parts if row[1])

    def _told(self, part: Part) -> str:
        what = part.kind if part.table or part.kind == VALUE else f"{', '.join(self.aggregate)} of {part.kind}"
        return f"{what}, shape {part.shape}, {part.dtype}{part.unit and ', '}{part.unit}"

    @functools.cached_property
    def planned(self) -> int:
        """How many files the run is of: more than are here where it has not ended."""
        return len(Plan.read(self._store, self.root).entries)

    def _read(
        self, table: str, shard: int, columns: list[str] | None = None, receipts: Receipts | None = None
    ) -> dict[str, Array]:
        name = table_name(table, shard, self._format)
        with self._store.local(name) as path, open(path, "rb") as file:
            if receipts:  # of this open file, even if another one takes its place meanwhile
                facts = receipts[shard]["tables"].get(name)
                if facts is None:
                    raise LibrosaError(f"{self._store}/{receipt_name(shard)} is damaged: {repair_of(self._store)}")
                if not has_digest(file, facts):
                    raise LibrosaError(f"{self._store}/{name} was replaced meanwhile: a run writes there")
                file.seek(0)
            try:
                return read_table(file, self._format, columns)
            except (LibrosaError, MemoryError):
                raise
            except Exception as error:  # what readers of zip files and of Parquet raise has no common base
                raise LibrosaError(f"{self._store}/{name} is damaged ({error}): {repair_of(self._store)}") from error

    def _part(self, name: str) -> Part:
        if name not in self._parts:
            raise ParameterError("name", name, f"one of {', '.join(self.names)}")
        return self._parts[name]

    @functools.cached_property
    def files(self) -> dict[str, Array]:
        """Columns of the table of files by name, one entry a file; failed ones included."""
        return _joined([self._read("files", shard) for shard in self._shards])

    def __len__(self) -> int:
        return len(self.files["file_id"]) if self._shards else 0

    def frames(self, name: str) -> Array:
        """A feature of all files, one after the other.

        Parameters
        ----------
        name : str
            A feature that has frames (or events, like beats).

        Returns
        -------
        np.ndarray [shape=(..., frames)]
            Its values, shaped as the function's (of front-ends whose frames come first: (frames, ...));
            `index` says which file and frame each is of.
        """
        part = self._framed(name)
        parts = [self._read(part.table, shard, part.columns) for shard in self._shards]
        return _shaped(part, _joined(parts))

    def index(self, name: Any) -> Any:
        """File ids and frame numbers of what `frames` gives."""
        part = self._framed(name)
        count = part.index_column
        columns = _joined([self._read(part.table, k, ["file_id", count]) for k in self._shards])
        return tuple(columns.get(name, np.zeros(0, np.int32)) for name in ("file_id", count))

    def to_pandas(self, name: str | None = None) -> Any:
        """Convert the table of files, or the frames of a feature, to a pandas table.

        Parameters
        ----------
        name : str, optional
            A feature with frames. Each row is then a frame, and ``file_id`` tells its file. By default, each
            row is a file.

        Returns
        -------
        pandas.DataFrame
        """
        return required("pandas", "to_pandas()").DataFrame(self._table(name))

    def to_arrow(self, name: str | None = None) -> Any:
        """Convert a table to an Arrow table, as `to_pandas` does to one of pandas.

        Parameters
        ----------
        name : str, optional
            As in `to_pandas`.

        Returns
        -------
        pyarrow.Table
        """
        return required("pyarrow", "to_arrow()").table(self._table(name))

    def _table(self, name: str | None) -> dict[str, Array]:
        if name is None:
            return self.files
        part = self._framed(name)
        columns = ["file_id", part.index_column, *part.columns]
        read = _joined([self._read(part.table, shard, columns) for shard in self._shards])
        return {column: read[column] for column in columns} if read else {}

    def _framed(self, name: str) -> Part:
        part = self._part(name)
        if part.table:
            return part
        how = "aggregated" if part.kind != VALUE else "one value a file"
        raise ParameterError("name", name, f"frames, and it is {how}: see .files", verb="must have")

    def __iter__(self) -> Iterator[FileFeatures]:
        """File by file, those that failed included."""
        for shard in self._shards:
            yield from self._of_shard(shard)

    def __getitem__(self, path: str) -> FileFeatures:
        """The file of a path, as its row has it."""
        if path not in self._shard_of:
            if path in self._parts:
                rule = f"that of a file: .frames({path!r}) gives a feature of all files"
                raise ParameterKeyError("path", path, rule)
            hint = did_you_mean(path, self._shard_of)
            raise ParameterKeyError("path", path, f"that of a file of {self._store}", hint=hint)
        return next(file for file in self._of_shard(self._shard_of[path]) if file.path == path)

    def __contains__(self, path: object) -> bool:
        return path in self._shard_of

    @functools.cached_property
    def _shard_of(self) -> dict[str, int]:
        return {str(path): shard for shard in self._shards for path in self._read("files", shard, ["path"])["path"]}

    def sample(self, ids: dict[int, list[int]], receipts: Receipts) -> Iterator[FileFeatures]:
        """The files of these ids, by shards, with their rows alone; tables must be those of the receipts."""
        for shard in sorted(ids.keys() & self._shards):
            yield from self._of_shard(shard, ids[shard], receipts)

    def _of_shard(
        self, shard: int, ids: list[int] | None = None, receipts: Receipts | None = None
    ) -> Iterator[FileFeatures]:
        def read(table: str) -> dict[str, Array]:
            columns = self._read(table, shard, receipts=receipts)
            wanted = slice(None) if ids is None else np.isin(columns["file_id"], ids)
            return {name: column[wanted] for name, column in columns.items()}

        files = read("files")
        framed = [part for part in self._parts.values() if part.table]
        tables = {table: read(table) for table in {part.table for part in framed}}
        for part in framed:
            if not tables[part.table].keys() >= {"file_id", *part.columns}:
                name = table_name(part.table, shard, self._format)
                raise LibrosaError(f"{self._store}/{name} has other columns than the manifest: {repair_of(self._store)}")
        for place in range(len(files["file_id"])):
            row = {name: column[place] for name, column in files.items()}
            yield FileFeatures(row, self._parts, tables, self.root)


class FileFeatures:
    """One file: ``file.path``, ``file["mfcc"]`` as the function's own shape, ``file.row``.

    It is an `os.PathLike`: ``metalmom.load(file)`` opens it.

    Attributes
    ----------
    row : dict
        Its row in the table of files.
    path, error : str
        `path` is relative to `Features.root`, if there is one; ``os.fspath(file)`` is not.
    status : str
        ``"ok"``; ``"partial"`` where `error` names features that have no values; ``"failed"``.
    duration : float
        Seconds.
    """

    def __init__(self, row: Any, parts: Any, tables: Any, root: str) -> None:
        self.row, self._parts, self._tables, self._root = row, parts, tables, root
        self.path, self.status, self.error = (str(row[k]) for k in ("path", "status", "error"))
        self.duration = float(row["duration"])

    def __repr__(self) -> str:
        return f"<{self.path}: {self.status}>"

    def _repr_html_(self) -> str:
        """In a notebook a file shows its row."""
        return table_of(self.row.items())

    def __fspath__(self) -> str:
        """The path as functions that open files take it, also where its name is no text."""
        return os.path.join(self._root, path_of(self.path))

    def keys(self) -> Any:
        """Names of its features, without those of which the row has statistics alone."""
        row = self.row.keys()
        return {name: part for name, part in self._parts.items() if part.table or row >= {*part.columns}}.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __len__(self) -> int:
        return len(self.keys())

    def __getitem__(self, name: str) -> Array:
        part = self._parts[name]
        if not part.table:
            columns = {column: np.array([self.row[column]]) for column in part.columns if column in self.row}
            if len(columns) < len(part.columns):
                raise ParameterError("name", name, "frames, and it is aggregated: see .row", verb="must have")
            return _shaped(part, columns)[..., 0]
        table = self._tables[part.table]
        # The rows of tables are in the order of file_id.
        first, last = np.searchsorted(table["file_id"], [self.row["file_id"], self.row["file_id"] + 1])
        return _shaped(part, {column: table[column][first:last] for column in part.columns})


def _joined(parts: list[dict[str, Array]]) -> dict[str, Array]:
    if not parts:
        return {}
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _shaped(part: Part, columns: dict[str, Array]) -> Array:
    """Columns as one array, with entries where the function has them."""
    rows = np.stack([columns[name] for name in part.columns]) if columns else np.zeros(
        (len(part.columns), 0), dtype=part.dtype)  # fmt: skip
    if part.is_complex:
        real, imag = rows[0::2], rows[1::2]
        rows = np.empty(real.shape, dtype=np.result_type(rows, np.complex64))
        rows.real, rows.imag = real, imag  # a sum with 1j * imag makes NaN of infinity
    return np.moveaxis(rows.reshape(*part.shape, rows.shape[-1]), -1, part.axis)
