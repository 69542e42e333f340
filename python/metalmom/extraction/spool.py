"""Rows of a file too long for memory, on the disk until they are written into tables."""

import bisect
import os
import tempfile

import numpy as np

from .decoding import write_all

__all__ = ["Spool"]


class Spool:
    """Rows [columns, entries] in a file without a name: it is gone when this is.

    Parameters
    ----------
    folder : str
        Where the file is.
    columns : int
    dtype : str
    """

    def __init__(self, folder, columns, dtype):
        # Blocks of rows lie one after the other, each of them column after column.
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)
        self._columns, self._dtype = columns, np.dtype(dtype)
        self._starts = [0]

    @property
    def shape(self):
        """Columns and entries, as arrays have it."""
        return self._columns, self._starts[-1]

    def append(self, rows):
        """Add entries: an array [columns, entries]."""
        write_all(self._file, np.ascontiguousarray(rows, self._dtype))
        self._starts.append(self._starts[-1] + rows.shape[1])

    def __len__(self):
        return self._columns

    def __iter__(self):
        return (_Column(self, place) for place in range(self._columns))

    def read(self, column, start, stop):
        """Entries of a column as an array."""
        found = np.empty(max(stop - start, 0), self._dtype)
        at = start
        block = bisect.bisect_right(self._starts, start) - 1
        while at < stop:
            first, end = self._starts[block], self._starts[block + 1]
            part = found[at - start : min(end, stop) - start]
            place = first * self._columns + column * (end - first) + at - first
            os.preadv(self._file.fileno(), [part], place * self._dtype.itemsize)
            at += part.size
            block += 1
        return found


class _Column:
    """A column of a spool; slices of it are arrays."""

    def __init__(self, spool, place):
        self._spool, self._place = spool, place

    def __len__(self):
        return self._spool.shape[1]

    def __getitem__(self, entries):
        start, stop, _ = entries.indices(len(self))
        return self._spool.read(self._place, start, stop)
