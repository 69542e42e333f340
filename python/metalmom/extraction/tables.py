"""Tables as files: .npz, which NumPy alone reads, and Parquet; and rows that wait for them on the disk."""

from __future__ import annotations

import bisect
import itertools
import os
import tempfile
import zipfile
from collections.abc import Iterator
from typing import IO, Any, TypeAlias

import numpy as np

from ..util._packages import required
from ..util._types import Array, DTypeLike
from ..util.exceptions import Argument, MissingPackageError, MissingPackageOfArgument
from . import strict_json
from .schema import INDEX_COLUMNS, Fields

Rows: TypeAlias = "Array | Spool"

# About how many rows a row group has. Readers load a group at a time and skip groups they do not
# need.
_ROWS_OF_A_GROUP = 122_880
# The most numbers of a row group, for tables of very many columns.
_NUMBERS_OF_A_GROUP = 16 << 20
# The most bytes of an .npz table that wait in memory.
_BYTES_IN_MEMORY = 8 << 20


def pick_format(asked: str | None) -> str:
    """The format of a run: what was asked for, or Parquet where it can be written."""
    if asked == "npz":
        return "npz"
    try:
        required("pyarrow.parquet", Argument("format", "parquet"), MissingPackageOfArgument)
    except MissingPackageError:
        if asked is None:
            return "npz"
        raise
    return "parquet"


def write_all(file: IO[bytes], array: Array) -> None:
    """Write an array to an unbuffered file, whose `write` may take a part of it."""
    data = array.data.cast("B") if array.size else b""
    while data:
        data = data[file.write(data) :]


class Spool:
    """Rows [columns, entries] in a file without a name: it is gone when this is.

    Parameters
    ----------
    folder : str
        Where the file is.
    columns : int
    dtype : str
    """

    def __init__(self, folder: str, columns: int, dtype: DTypeLike) -> None:
        # Blocks of rows lie one after the other, each of them column after column.
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)
        self._columns, self._dtype = columns, np.dtype(dtype)
        self._starts = [0]

    @property
    def shape(self) -> tuple[int, int]:
        """Columns and entries, as arrays have it."""
        return self._columns, self._starts[-1]

    def append(self, rows: Array) -> None:
        """Add entries: an array [columns, entries]."""
        write_all(self._file, np.ascontiguousarray(rows, self._dtype))
        self._starts.append(self._starts[-1] + rows.shape[1])

    def __len__(self) -> int:
        return self._columns

    def __iter__(self) -> Iterator[_Column]:
        return (_Column(self, column) for column in range(self._columns))

    def read(self, column: int, start: int, stop: int) -> Array:
        """Entries of a column as an array."""
        found = np.empty(max(stop - start, 0), self._dtype)
        at = start
        block = bisect.bisect_right(self._starts, start) - 1
        while at < stop:
            first, end = self._starts[block], self._starts[block + 1]
            part = found[at - start : min(end, stop) - start]
            place = first * self._columns + column * (end - first) + at - first
            os.preadv(self._file.fileno(), [part.data], place * self._dtype.itemsize)
            at += part.size
            block += 1
        return found


class _Column:
    """A column of a spool; slices of it are arrays."""

    def __init__(self, spool: Spool, column: int) -> None:
        self._spool, self._column = spool, column

    def __len__(self) -> int:
        return self._spool.shape[1]

    def __getitem__(self, entries: slice) -> Array:
        start, stop, _ = entries.indices(len(self))
        return self._spool.read(self._column, start, stop)


class Table:
    """Columns that wait in memory until there are so many rows that they are put away.

    A file that has more rows than that is cut at multiples of it: so blocks depend on the rows alone, and a
    long file is never in memory as a whole.

    Parameters
    ----------
    path : str
        Where to write.
    fields : dict of str to (str, str)
        Data type (``"str"`` for texts) and unit of each column.
    note : dict
        What is kept beside the columns, in values that JSON has.
    """

    def __init__(self, path: str, fields: Fields, note: dict[str, Any], most_rows: int) -> None:
        self.path, self.fields, self.note = path, fields, strict_json.dump(note)
        self.rows = self._waiting = 0
        self._most_rows = most_rows
        self._blocks: dict[str, list[Any]] = {name: [] for name in fields}

    def append(self, columns: dict[str, Any]) -> None:
        """Rows of one file: a sequence for each column."""
        count = len(next(iter(columns.values())))
        self.rows += count
        for start in range(0, max(count, 1), self._most_rows):
            rows = min(self._most_rows, count - start)
            for name in self.fields:
                self._blocks[name].append(columns[name][start : start + rows])
            self._waiting += rows
            if self._waiting >= self._most_rows:
                self._put_away()

    def _put_away(self) -> None:
        """Write the columns that wait."""
        raise NotImplementedError

    def close(self) -> None:
        """Write the rest, and the file's end."""
        raise NotImplementedError

    def _taken(self) -> dict[str, list[str] | Array]:
        """The columns that wait, by name, which do so no more."""
        blocks, self._blocks = self._blocks, {name: [] for name in self.fields}
        self._waiting = 0
        return {name: _joined(blocks.pop(name), dtype) for name, (dtype, _) in self.fields.items()}


def _joined(blocks: list[Any], dtype: str) -> list[str] | Array:
    if dtype == "str":
        return [*itertools.chain.from_iterable(blocks)]
    return np.concatenate([np.zeros(0, dtype), *blocks], dtype=dtype, casting="unsafe")


class NumpyTable(Table):
    """A file as `numpy.savez` makes it, with the note as one member more.

    A member is a column, and its beginning says how long it is: so numbers are put away into files without
    a name beside the table, one for each data type.
    """

    def __init__(self, path: str, fields: Fields, note: dict[str, Any]) -> None:
        size = sum(np.dtype(dtype).itemsize for dtype, _ in fields.values() if dtype != "str")
        super().__init__(path, fields, note, max(1, _BYTES_IN_MEMORY // size))
        self._texts: dict[str, list[str]] = {}
        self._spools: dict[np.dtype[Any], Spool] = {}

    def _put_away(self) -> None:
        numbers: dict[np.dtype[Any], list[Array]] = {}
        for name, column in self._taken().items():
            if isinstance(column, list):
                self._texts.setdefault(name, []).extend(column)
            else:
                numbers.setdefault(column.dtype, []).append(column)
        for dtype, columns in numbers.items():
            if dtype not in self._spools:
                self._spools[dtype] = Spool(os.path.dirname(self.path), len(columns), dtype)
            self._spools[dtype].append(np.stack(columns))

    def _columns(self) -> Iterator[list[str] | Array]:
        """Yield each column whole, in the order of the fields."""
        if self._spools:
            self._put_away()
            put_away = {dtype: iter(spool) for dtype, spool in self._spools.items()}
            for name, (dtype, _) in self.fields.items():
                yield self._texts[name] if dtype == "str" else next(put_away[np.dtype(dtype)])[:]
        else:
            yield from self._taken().values()

    def close(self) -> None:
        """Write the file; its members bear no time, so that equal tables are equal files."""
        with zipfile.ZipFile(self.path, "w") as archive:
            for name, column in zip(self.fields, self._columns(), strict=True):
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    array = np.array(column, np.str_) if isinstance(column, list) else column
                    write_array: Any = np.lib.format.write_array  # whose annotations NumPy lacks
                    write_array(member, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo("metalmom.json"), self.note)


class ParquetTable(Table):
    """Columns written in row groups that end where files end."""

    def __init__(self, path: str, fields: Fields, note: dict[str, Any]) -> None:
        import pyarrow
        from pyarrow import parquet

        super().__init__(path, fields, note, max(1024, min(_ROWS_OF_A_GROUP, _NUMBERS_OF_A_GROUP // len(fields))))
        self.arrow = pyarrow
        self._schema = pyarrow.schema(
            [pyarrow.field(name, pyarrow.string() if dtype == "str" else pyarrow.from_numpy_dtype(np.dtype(dtype)),
                           metadata={"unit": unit} if unit else None) for name, (dtype, unit) in fields.items()],
            metadata={"metalmom": self.note},
        )
        floats = [name for name, (dtype, _) in fields.items() if dtype.startswith("float")]
        encodings = dict.fromkeys(floats, "BYTE_STREAM_SPLIT")
        encodings |= {name: "DELTA_BINARY_PACKED" for name in fields if name in INDEX_COLUMNS.values()}
        self._writer = parquet.ParquetWriter(
            path, self._schema, compression="zstd", compression_level=1, column_encoding=encodings,
            use_dictionary=[name for name in fields if name not in encodings],
            write_statistics=[name for name in fields if name not in floats],
        )  # fmt: skip

    def _put_away(self) -> None:
        columns = self._taken()
        arrays = [self._array(columns.pop(field.name), field.type) for field in self._schema]
        table = self.arrow.Table.from_arrays(arrays, schema=self._schema)
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))

    def _array(self, column: list[str] | Array, kind: Any) -> Any:
        if isinstance(column, list):
            return self.arrow.array(column, kind)
        # From memory as it is: `pyarrow.array` would import pandas where that is installed.
        return self.arrow.Array.from_buffers(kind, len(column), [None, self.arrow.py_buffer(column)])

    def close(self) -> None:
        if self._waiting:
            self._put_away()
        self._writer.close()


FORMATS: dict[str, type[NumpyTable] | type[ParquetTable]] = {"parquet": ParquetTable, "npz": NumpyTable}


def _column(archive: zipfile.ZipFile, name: str, most: int) -> Array:
    """A column of at most so many bytes: what a stranger says of its size takes no memory."""
    if archive.getinfo(f"{name}.npy").compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{name} is compressed, unlike tables of extract")
    formats: Any = np.lib.format  # whose annotations NumPy lacks
    with archive.open(f"{name}.npy") as member:
        if formats.read_magic(member) != (1, 0):
            raise ValueError(f"{name} is in another version of NumPy's format")
        shape, _, dtype = formats.read_array_header_1_0(member)
        is_column = len(shape) == 1 and type(shape[0]) is int and not dtype.hasobject and dtype.subdtype is None
        if not is_column or not dtype.itemsize or not 0 <= shape[0] * dtype.itemsize <= most:
            raise ValueError(f"{name} says to have shape={shape} and dtype={dtype}")
        column = np.empty(shape, dtype)
        rest = column.view(np.uint8)
        while part := member.read(1 << 20):
            rest[: len(part)] = np.frombuffer(part, np.uint8)
            rest = rest[len(part) :]
    if rest.size:
        raise ValueError(f"{name} ends early")
    return column


def read_table(file: IO[bytes], format: str, columns: list[str] | None = None) -> dict[str, Array]:
    """Columns of a table by their names, as NumPy arrays.

    Parameters
    ----------
    file : binary file
    format : {"npz", "parquet"}
    columns : list of str, optional
        Those to read; all if not given.
    """
    if format == "npz":
        size = file.seek(0, os.SEEK_END)
        with zipfile.ZipFile(file) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]
            table = {name: _column(archive, name, size) for name in names if columns is None or name in columns}
        if len(set(map(len, table.values()))) > 1:
            raise ValueError("columns of several lengths")
        return table
    table = required("pyarrow.parquet", file.name).read_table(file, columns=columns, partitioning=None)
    return {name: table.column(name).to_numpy() for name in table.column_names}
