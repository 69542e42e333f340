"""Which audio there is: files, folders, names from standard input, tables with a column of paths."""

import csv
import hashlib
import io
import os
import re
import stat
from typing import NamedTuple

from ..util._packages import required
from ..util.exceptions import LibrosaError, ParameterError

__all__ = ["Found", "filesystem_of", "find", "is_gone", "is_table", "is_url", "looked_at", "path_of",
           "remote_stamp_of", "shown", "stamp_of"]  # fmt: skip

# Endings of what counts as audio in a folder. A file that is named itself may have any name.
EXTENSIONS = frozenset(
    ".aac .ac3 .aif .aifc .aiff .amr .ape .au .avi .caf .flac .m4a .m4b .mka .mkv .mov .mp2 .mp3 "
    ".mp4 .mpc .mpga .oga .ogg .opus .rf64 .snd .spx .tta .w64 .wav .wave .webm .wma .wv".split()
)


_LOCAL = "file://"


class Found(NamedTuple):
    """A file of the input; size and mtime are -1 where it could not be looked at.

    In another store `mtime` is a number for the version of the file.
    """

    path: str
    size: int
    mtime: int

    @property
    def is_known(self):
        """Whether it could be looked at."""
        return self[1:] != (-1, -1)


def is_url(name):
    """Whether a name is for fsspec; ``file://`` is not."""
    return "://" in name and not name.startswith(_LOCAL)


def is_table(name):
    """Whether a name is that of a table, of which a column may hold paths."""
    return name.lower().endswith((".csv", ".tsv", ".parquet"))


_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")


def shown(path):
    """A path as text that any file can hold, another one for each path; `path_of` has the path of a text.

    Bytes that are no UTF-8 are ``\\xff``. In such a path, and in one that looks as if it had such bytes, a
    backslash is ``\\x5c``; all other paths are their own text.
    """
    name = os.fsencode(path)
    try:
        if not _ESCAPE.search(name):
            return name.decode()
    except UnicodeDecodeError:
        pass
    return name.replace(b"\\", rb"\x5c").decode("utf-8", "backslashreplace")


def path_of(text):
    """The path that `shown` gave this text for."""
    return os.fsdecode(_ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), text.encode()))


def stamp_of(path):
    """Size and time of change, of a regular file; (-1, -1) of anything else."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return -1, -1
    if not stat.S_ISREG(status.st_mode):
        return -1, -1
    return status.st_size, status.st_mtime_ns


def is_gone(path):
    """Whether nothing can be read by that name any more: no file, or a link that leads to none.

    What cannot be asked, in a folder that may not be searched or a store that does not answer, is not gone.
    """
    if not is_url(path):
        try:
            os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return False
    filesystem, inside = filesystem_of(path)
    try:
        filesystem.info(inside)
        return False
    except FileNotFoundError:
        return True
    except Exception:  # of what stores raise there is no list
        return False


def find(inputs, *, path_column=None, standard_input=None, null=False):
    """The files that inputs name, sorted by path, each once.

    Parameters
    ----------
    inputs : iterable of str
        Files, folders (looked through to the bottom), ``-`` for names from standard input, tables
        (.csv, .tsv, .parquet) of which `path_column` names the column, URLs.
    path_column : str, optional
        The column of such tables that holds paths.
    standard_input : binary file, optional
        What ``-`` reads: names, one a line, or each ended by a zero byte (``find -print0``).
    null : bool
        They are not lines, even where there is no zero byte.

    Returns
    -------
    list of Found
    """
    found = {}
    for name in inputs:
        for path in _expanded(name, path_column, standard_input, null):
            if path not in found:
                found[path] = looked_at(path)
    return [found[path] for path in sorted(found, key=os.fsencode)]


def _expanded(name, path_column, standard_input, null):
    name = os.fsdecode(name).removeprefix(_LOCAL)
    if name == "-":
        yield from map(_absolute, _names(standard_input.read(), null))
    elif is_url(name):
        yield from _remote(name)
    elif path_column is not None and is_table(name):
        beside = os.path.dirname(os.path.abspath(name))
        for path in _column(name, path_column):
            path = path.removeprefix(_LOCAL)
            yield path if is_url(path) else os.path.normpath(os.path.join(beside, path))
    elif os.path.isdir(name):
        yield from _walk(_absolute(name))
    elif os.path.lexists(name):
        yield _absolute(name)
    else:
        raise FileNotFoundError(2, os.strerror(2), name)


def _absolute(path):
    return path if is_url(path) else os.path.abspath(path.removeprefix(_LOCAL))


def _names(content, null):
    if null or b"\0" in content:
        parts = content.split(b"\0")
    else:
        parts = content.split(b"\n")
        parts = [part.removesuffix(b"\r") for part in parts]
    return [os.fsdecode(part) for part in parts if part]


def _column(path, column):
    """Paths of a table's column; cells that are empty are left out."""
    read = _column_of_parquet if path.lower().endswith(".parquet") else _column_of_csv
    try:
        known, names = read(path, column)
    except (csv.Error, ValueError) as error:  # what pyarrow raises for damaged files is a ValueError
        raise ParameterError(f"path_column={column!r} must be of a table, and {path} is none: {error}") from error
    if column not in known:
        raise ParameterError(
            f"path_column={column!r} must be a column of {path}, which has: {', '.join(known)}"
        )
    if not all(isinstance(name, (str, type(None))) for name in names):
        raise ParameterError(f"path_column={column!r} must be a column of texts in {path}")
    return filter(None, names)


def _column_of_parquet(path, column):
    """Names of all columns, and the entries of one."""
    parquet = required("pyarrow.parquet", f"inputs={path!r}")
    known = parquet.read_schema(path).names
    if column not in known:
        return known, []
    return known, parquet.read_table(path, columns=[column], partitioning=None).column(0).to_pylist()


def _column_of_csv(path, column):
    """Names of all columns, and the entries of one."""
    with open(path, "rb") as file:
        text = io.StringIO(file.read().decode("utf-8-sig", "surrogateescape"), newline="")
    rows = csv.reader(text, delimiter="\t" if path.lower().endswith(".tsv") else ",")
    known = next(rows, [])
    if column not in known:
        return known, []
    place = known.index(column)
    return known, [row[place] for row in rows if len(row) > place]


def _walk(folder):
    """Audio under a folder; links are followed, but into no folder that lies above them."""
    above = []
    pending = [(folder, 0)]
    while pending:
        path, depth = pending.pop()
        del above[depth:]
        try:
            status = os.stat(path)
            with os.scandir(path) as entries:
                entries = sorted(entries, key=lambda entry: os.fsencode(entry.name))
        except OSError:
            yield path  # so that the folder gets a row that says why it could not be read
            continue
        if (status.st_dev, status.st_ino) in above:
            continue
        above.append((status.st_dev, status.st_ino))
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if _is_folder(entry):
                pending.append((entry.path, depth + 1))
            elif os.path.splitext(entry.name)[1].lower() in EXTENSIONS:
                yield entry.path


def _is_folder(entry):
    try:
        return entry.is_dir()
    except OSError:
        return False


def filesystem_of(url):
    """The fsspec file system of a URL, and the path in it."""
    fsspec = required("fsspec", url)
    if url.startswith("memory:"):
        raise ParameterError(f"{url} must be where other processes see it, too")
    try:
        return fsspec.core.url_to_fs(url)
    # the protocol needs another package, or does not exist
    except (ImportError, ValueError) as error:
        raise LibrosaError(f"{url}: {error}") from error


def _remote(url):
    filesystem, path = filesystem_of(url)
    if not filesystem.isdir(path):
        yield url
        return
    for each in filesystem.find(path):
        if os.path.splitext(each)[1].lower() in EXTENSIONS:
            yield filesystem.unstrip_protocol(each)


# What stores tell of a file that is another when its content is.
_VERSIONS = ("ETag", "etag", "LastModified", "last_modified", "generation", "md5Hash", "mtime", "updated")


def remote_stamp_of(url):
    """Size of a file in another store, and a number for its version there, 0 where the store tells none.

    (-1, -1) where it could not be looked at.
    """
    filesystem, inside = filesystem_of(url)
    try:
        information = filesystem.info(inside)
    except (OSError, ValueError):
        return -1, -1
    version = [f"{name}={information[name]}" for name in _VERSIONS if information.get(name)]
    size = information.get("size")
    size = -1 if size is None else int(size)
    if not version:
        return size, 0
    return size, 1 + int.from_bytes(hashlib.sha256("\n".join(version).encode()).digest()[:6], "big")


def looked_at(path):
    """A file as it is now."""
    return Found(path, *(remote_stamp_of if is_url(path) else stamp_of)(path))
