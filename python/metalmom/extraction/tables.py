"""Tables as files: .npz, which NumPy alone reads, and Parquet."""

import json
import os
import tempfile
import zipfile

import numpy as np

from ..util.exceptions import LibrosaError

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
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        if asked is None:
            return "npz"
        raise LibrosaError(
            "format='parquet' needs pyarrow, which is not installed: pip install metalmom[extract]"
        ) from None
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
        self._texts = {name: [] for name, (dtype, _) in fields.items() if dtype == "str"}
        # numbers lie block after block, and in each of these column after column
        self._numbers = {name: np.dtype(dtype) for name, (dtype, _) in fields.items() if dtype != "str"}
        self._waiting = tempfile.SpooledTemporaryFile(_BYTES_IN_MEMORY, dir=os.path.dirname(path))
        self._blocks = []

    def append(self, columns):
        """Rows of one file: a sequence for each column."""
        lengths = {len(columns[name]) for name in self.fields}
        (count,) = lengths
        for name, texts in self._texts.items():
            texts.extend(columns[name])
        for start in range(0, count, _ROWS_OF_A_GROUP):
            rows = min(_ROWS_OF_A_GROUP, count - start)
            self._blocks.append(rows)
            for name, dtype in self._numbers.items():
                self._waiting.write(np.ascontiguousarray(columns[name][start : start + rows], dtype))
        self.rows += count

    def close(self):
        """Write the file."""
        with self._waiting, zipfile.ZipFile(self.path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for name in self.fields:
                with archive.open(_member(f"{name}.npy"), "w", force_zip64=True) as file:
                    if name in self._texts:
                        np.lib.format.write_array(file, _texts(self._texts[name]), allow_pickle=False)
                    else:
                        self._copy(name, file)
            archive.writestr(_member("metalmom.json"), json.dumps(self.note))

    def _copy(self, name, file):
        """Put a column of numbers together."""
        dtype = self._numbers[name]
        header = {"descr": dtype.str, "fortran_order": False, "shape": (self.rows,)}
        np.lib.format.write_array_header_1_0(file, header)
        names = list(self._numbers)
        before = sum(self._numbers[each].itemsize for each in names[: names.index(name)])
        row = sum(each.itemsize for each in self._numbers.values())
        begin = 0
        for rows in self._blocks:
            self._waiting.seek(begin + rows * before)
            file.write(self._waiting.read(rows * dtype.itemsize))
            begin += rows * row


def _member(name):
    """A member that bears no time: equal tables are equal files."""
    return zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))


def _texts(texts):
    return np.array(texts, dtype=np.str_) if texts else np.zeros(0, dtype="U1")


def _joined(blocks, dtype):
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
            metadata={"metalmom": json.dumps(note)},
        )  # fmt: skip
        floats = [name for name, (dtype, _) in fields.items() if dtype.startswith("float")]
        encodings = dict.fromkeys(floats, "BYTE_STREAM_SPLIT")
        encodings |= {name: "DELTA_BINARY_PACKED" for name in fields if name in ("frame", "event")}
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
    try:
        from pyarrow import parquet
    except ImportError:
        raise LibrosaError(
            f"{path} needs pyarrow, which is not installed: pip install metalmom[extract]"
        ) from None
    table = parquet.read_table(path, columns=columns, partitioning=None)
    return {name: table.column(name).to_numpy() for name in table.column_names}
