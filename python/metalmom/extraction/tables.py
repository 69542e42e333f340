"""Tables as files: .npz, which NumPy alone reads, and Parquet."""

import os
import tempfile
import zipfile

import numpy as np

from ..util._packages import required
from ..util.exceptions import MissingPackageError, MissingPackageOfArgument
from . import strict_json
from .schema import INDEX_COLUMNS

__all__ = ["FORMATS", "pick_format", "read_table", "writer_of"]

FORMATS = ("parquet", "npz")

# About how many rows a row group has. Readers load a group at a time and skip groups they do not
# need.
_ROWS_OF_A_GROUP = 122_880
# The most bytes of an .npz table that wait in memory.
_BYTES_IN_MEMORY = 8 << 20
# The most numbers of a row group, for tables of very many columns.
_NUMBERS_OF_A_GROUP = 16 << 20


def pick_format(asked):
    """The format of a run: what was asked for, or Parquet where it can be written."""
    if asked == "npz":
        return "npz"
    try:
        required("pyarrow.parquet", "format='parquet'", MissingPackageOfArgument)
    except MissingPackageError:
        if asked is None:
            return "npz"
        raise
    return "parquet"


def writer_of(format):
    """The class that writes tables of a format."""
    return {"parquet": ParquetTable, "npz": NumpyTable}[format]


class NumpyTable:
    """Columns as members of an uncompressed zip file.

    Rows wait in memory while they are few, then in a file without a name beside the table: a member
    is a column, and its beginning says how long it is.

    Parameters
    ----------
    path : str
        Where to write.
    fields : dict of str to (str, str)
        Data type (``"str"`` for texts) and unit of each column.
    note : dict
        What is kept beside the columns, in values that JSON has.
    """

    def __init__(self, path, fields, note):
        self.path, self.fields, self.note = path, fields, note
        self.rows = 0
        self._blocks = {name: [] for name in fields}
        self._row = sum(np.dtype(dtype).itemsize for dtype, _ in fields.values() if dtype != "str")
        self._waiting = 0
        # Of what was put away: where it begins in the file, and how many rows it has.
        self._file, self._away = None, []

    def append(self, columns):
        """Rows of one file: a sequence for each column."""
        lengths = {len(columns[name]) for name in self.fields}
        (count,) = lengths
        for start in range(0, max(count, 1), _ROWS_OF_A_GROUP):
            rows = min(_ROWS_OF_A_GROUP, count - start)
            for name in self.fields:
                self._blocks[name].append(columns[name][start : start + rows])
            self._waiting += rows
            if self._waiting * self._row > _BYTES_IN_MEMORY:
                self._put_away()
        self.rows += count

    def _put_away(self):
        """Move numbers from memory to the disk, column after column."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=os.path.dirname(self.path))
        self._away.append((self._file.tell(), self._waiting))
        for name, (dtype, _) in self.fields.items():
            if dtype != "str":
                self._file.write(np.ascontiguousarray(_joined(self._blocks[name], dtype)))
                self._blocks[name] = []
        self._waiting = 0

    def close(self):
        """Write the file."""
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            before = 0
            for name, (dtype, _) in self.fields.items():
                with archive.open(_member(f"{name}.npy"), "w", force_zip64=True) as file:
                    last = _joined(self._blocks.pop(name), dtype)
                    if dtype == "str" or not self._away:
                        np.lib.format.write_array(file, last, allow_pickle=False)
                    else:
                        self._copy(before, last, file)
                if dtype != "str":
                    before += last.itemsize
            archive.writestr(_member("metalmom.json"), strict_json.dump(self.note))
        if self._file is not None:
            self._file.close()

    def _copy(self, before, last, file):
        """Put a column of numbers together, which has so many bytes of each row before it."""
        header = {"descr": last.dtype.str, "fortran_order": False, "shape": (self.rows,)}
        np.lib.format.write_array_header_1_0(file, header)
        for begin, rows in self._away:
            self._file.seek(begin + rows * before)
            file.write(self._file.read(rows * last.itemsize))
        file.write(np.ascontiguousarray(last))


def _member(name):
    """A member that bears no time: equal tables are equal files."""
    return zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))


def _joined(blocks, dtype):
    if dtype == "str":
        texts = [text for block in blocks for text in block]
        return np.array(texts, dtype=np.str_) if texts else np.zeros(0, dtype="U1")
    if not blocks:
        return np.zeros(0, dtype=dtype)
    return np.concatenate(blocks).astype(dtype, copy=False)


class ParquetTable:
    """Columns written in row groups that end where files end, as `NumpyTable` otherwise.

    A file that has more rows than a group is cut at multiples of a group's size. So the groups
    depend on the rows alone, and a long file is never in memory as a whole.
    """

    def __init__(self, path, fields, note):
        import pyarrow
        from pyarrow import parquet

        self.arrow = pyarrow
        self.fields, self.rows = fields, 0
        schema = pyarrow.schema(
            [pyarrow.field(name, _arrow_type(pyarrow, dtype), metadata={"unit": unit} if unit else None)
             for name, (dtype, unit) in fields.items()],
            metadata={"metalmom": strict_json.dump(note)},
        )  # fmt: skip
        floats = [name for name, (dtype, _) in fields.items() if dtype.startswith("float")]
        encodings = dict.fromkeys(floats, "BYTE_STREAM_SPLIT")
        encodings |= {name: "DELTA_BINARY_PACKED" for name in fields if name in INDEX_COLUMNS.values()}
        self._limit = max(1024, min(_ROWS_OF_A_GROUP, _NUMBERS_OF_A_GROUP // len(fields)))
        self._writer = parquet.ParquetWriter(
            path, schema, compression="zstd", compression_level=1, column_encoding=encodings,
            use_dictionary=[name for name in fields if name not in encodings],
            write_statistics=[name for name in fields if name not in floats],
        )  # fmt: skip
        self._schema = schema
        self._clear()

    def _clear(self):
        self._blocks = {name: [] for name in self.fields}
        self._waiting = 0

    def append(self, columns):
        """Rows of one file: a sequence for each column."""
        count = len(next(iter(columns.values())))
        self.rows += count
        for start in range(0, max(count, 1), self._limit):
            rows = min(self._limit, count - start)
            for name in self.fields:
                self._blocks[name].append(columns[name][start : start + rows])
            self._waiting += rows
            if self._waiting >= self._limit:
                self._flush()

    def _flush(self):
        arrays = [
            self._array(self._blocks.pop(name), dtype) for name, (dtype, _) in self.fields.items()
        ]
        table = self.arrow.Table.from_arrays(arrays, schema=self._schema)
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self._clear()

    def _array(self, blocks, dtype):
        kind = _arrow_type(self.arrow, dtype)
        if dtype == "str":
            return self.arrow.array([text for block in blocks for text in block], kind)
        # From memory as it is: `pyarrow.array` would import pandas where that is installed.
        column = np.ascontiguousarray(_joined(blocks, dtype))
        return self.arrow.Array.from_buffers(kind, len(column), [None, self.arrow.py_buffer(column)])

    def close(self):
        """Write the rest, and the file's end."""
        if self._waiting:
            self._flush()
        self._writer.close()


def _arrow_type(arrow, dtype):
    return arrow.string() if dtype == "str" else arrow.from_numpy_dtype(np.dtype(dtype))


def read_table(path, columns=None):
    """Columns of a table by their names, as NumPy arrays.

    Parameters
    ----------
    path : str
        An .npz or .parquet file.
    columns : list of str, optional
        Those to read; all if not given.
    """
    if path.endswith(".npz"):
        with np.load(path, allow_pickle=False) as archive:
            names = [name for name in archive.files if name != "metalmom.json"]
            return {name: archive[name] for name in names if columns is None or name in columns}
    parquet = required("pyarrow.parquet", path)
    table = parquet.read_table(path, columns=columns, partitioning=None)
    return {name: table.column(name).to_numpy() for name in table.column_names}
