"""Which audio there is: files, folders, names from standard input, tables with a column of paths."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..util._packages import required
from ..util.exceptions import Argument, LibrosaError, ParameterError
from ..util.files import absolute

# Endings of what counts as audio in a folder. A file that is named itself may have any name.
_EXTENSIONS = frozenset(
    ".aac .ac3 .aif .aifc .aiff .amr .ape .au .avi .caf .flac .m4a .m4b .mka .mkv .mov .mp2 .mp3 "
    ".mp4 .mpc .mpga .oga .ogg .opus .rf64 .snd .spx .tta .w64 .wav .wave .webm .wma .wv".split()
)


_LOCAL = "file://"
_TABLES = (".csv", ".tsv", ".parquet")


class Found(NamedTuple):
    """A file of the input; size and mtime are -1 where it could not be looked at.

    In another store `mtime` is a number for the version of the file. `labels` are what the table that names
    the file has of it in the columns that are kept.
    """

    path: str
    size: int
    mtime: int
    labels: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether it could be looked at."""
        return self[1:3] != (-1, -1)


def is_url(name: str) -> bool:
    """Whether a name is for fsspec; ``file://`` is not."""
    return "://" in name and not name.startswith(_LOCAL)


_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")


def shown(path: str) -> str:
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


def path_of(text: str) -> str:
    """The path that `shown` gave this text for."""
    return os.fsdecode(_ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), text.encode()))


def is_below(folder: str, path: str) -> bool:
    """Whether a path, which is absolute, lies in a folder or its folders."""
    return path.startswith(os.path.join(folder, ""))


def stamp_of(path: str) -> tuple[int, int]:
    """Size and time of change, of a regular file; (-1, -1) of anything else."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return -1, -1
    if not stat.S_ISREG(status.st_mode):
        return -1, -1
    return status.st_size, status.st_mtime_ns


def is_gone(path: str) -> bool:
    """Whether nothing can be read by that name any more: no file, or a link that leads to none.

    What cannot be asked, in a folder that may not be searched or a store that does not answer, is not gone.
    """
    try:
        if is_url(path):
            filesystem, inside = filesystem_of(path)
            filesystem.info(inside)
        else:
            os.stat(path)
    except Exception as error:  # of what stores raise there is no list
        return isinstance(error, (FileNotFoundError, NotADirectoryError))
    return False


def find(
    inputs: Iterable[str], path_column: str | None = None, null: bool = False, keep_columns: Sequence[str] = ()
) -> list[Found]:
    """The files that inputs name, sorted by path, each once.

    Parameters
    ----------
    inputs : iterable of str
        Files, folders (looked through to the bottom), ``-`` for names from standard input, tables
        (.csv, .tsv, .parquet) of which `path_column` names the column, URLs.
    path_column : str, optional
        The column of such tables that holds paths.
    null : bool
        Names from standard input are not lines, even where none ends with a zero byte (``find -print0``).
    keep_columns : sequence of str
        Columns of the tables whose entries are the files' labels. Files that no table names have empty ones.

    Returns
    -------
    list of Found
    """
    inputs = [os.fsdecode(each).removeprefix(_LOCAL) for each in inputs]
    if null and "-" not in inputs:
        raise ParameterError("null", True, "with '-', names from standard input", verb="must go")
    tables = [each for each in inputs if each.lower().endswith(_TABLES) and not os.path.isdir(each)]
    if tables and path_column is None:
        raise ParameterError(f"{tables[0]} is a table: path_column (--path-column)", verb="must name",
                             rule="its column of paths", argument="path_column")  # fmt: skip
    for argument, given in (("path_column", path_column), ("keep_columns", ",".join(keep_columns))):
        if given and not tables:
            rule = "with tables: inputs that end in .csv, .tsv or .parquet"
            raise ParameterError(argument, given, rule, verb="must go")
    blank = ("",) * len(keep_columns)
    labels: dict[str, tuple[str, ...]] = {}
    for name in inputs:
        if name not in tables:
            labels |= {path: labels.get(path, blank) for path in _expanded(name, null)}
            continue
        assert path_column is not None  # as required above
        for path, *own in _rows(name, path_column, keep_columns):
            if labels.setdefault(path, (*own,)) not in (blank, (*own,)):
                rule = f"the same in all rows of a file, and {shown(path)} has {labels[path]} and {(*own,)}"
                raise ParameterError("keep_columns", ",".join(keep_columns), rule)
            labels[path] = (*own,)
    return [looked_at(path)._replace(labels=labels[path]) for path in sorted(labels, key=os.fsencode)]


def _expanded(name: str, null: bool) -> Iterator[str]:
    if name == "-":
        stdin: Any = sys.stdin
        yield from map(_absolute, _names(getattr(stdin, "buffer", stdin).read(), null))
    elif is_url(name):
        yield from _remote(name)
    elif os.path.isdir(name):
        yield from _walk(_absolute(name))
    elif os.path.lexists(name):
        yield _absolute(name)
    else:
        raise FileNotFoundError(2, os.strerror(2), name)


def _absolute(path: str, folder: str = "") -> str:
    """A path that is named in a folder, by default the one that the process is in; URLs as they are."""
    return path if is_url(path) else absolute(os.path.join(folder, path.removeprefix(_LOCAL)))


def _names(content: bytes, null: bool) -> list[str]:
    if null or b"\0" in content:
        parts = content.split(b"\0")
    else:
        parts = [part.removesuffix(b"\r") for part in content.split(b"\n")]
    return [os.fsdecode(part) for part in parts if part]


def _rows(path: str, path_column: str, keep_columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The path of each row of a table, and its entries in other columns; rows without a path are left out."""
    if is_url(path):
        raise ParameterError("inputs", path, "a table on this machine: copy it here first")
    read = _columns_of_parquet if path.lower().endswith(".parquet") else _columns_of_csv
    try:
        known, (names, *labels) = read(path, [path_column, *keep_columns])
    except (csv.Error, ValueError) as error:
        rule = f"a column of a table, but {path} is not one: {error}"
        raise ParameterError("path_column", path_column, rule) from error
    for argument, wanted in (("path_column", [path_column]), ("keep_columns", keep_columns)):
        for column in wanted:
            if column not in known:
                raise ParameterError(argument, column, f"a column of {path}, which has: {', '.join(known)}")
            if known.count(column) > 1:
                raise ParameterError(argument, column, f"a name that only one column of {path} has")
    if not all(isinstance(each, (str, type(None))) for each in names):
        raise ParameterError("path_column", path_column, f"a column of texts in {path}")
    for named, *own in zip(names, *labels, strict=True):
        if named and "\0" in named:
            raise ParameterError("path_column", path_column, f"paths in {path}, and one contains a zero byte")
        texts = ["" if each is None else shown(str(each)) for each in own]
        if any("\0" in text for text in texts):
            raise ParameterError("keep_columns", [*keep_columns], f"columns of texts in {path}, and one contains a zero byte")
        if named:
            yield _absolute(named, os.path.dirname(path)), *texts


def _columns_of_parquet(path: str, columns: Sequence[str]) -> tuple[Sequence[str], list[list[Any]]]:
    """Names of all columns, and the entries of some."""
    parquet = required("pyarrow.parquet", Argument("inputs", path))
    try:
        known = parquet.read_schema(path).names
        table = parquet.read_table(path, columns=[each for each in known if each in columns], partitioning=None)
        return known, [table.column(each).to_pylist() if each in known else [] for each in columns]
    except (LookupError, NotImplementedError, OSError, TypeError) as error:
        # Of a damaged file pyarrow raises any of these, but no errno.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(str(error)) from error


def _columns_of_csv(path: str, columns: Sequence[str]) -> tuple[Sequence[str], list[list[Any]]]:
    """Names of all columns, and the entries of some."""
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t" if path.lower().endswith(".tsv") else ",")
        some = [*rows]
        names = [shown(name) for name in rows.fieldnames or []]
        given = dict(zip(names, rows.fieldnames or [], strict=True))
        return names, [[row.get(given.get(each)) for row in some] for each in columns]


def _walk(folder: str) -> Iterator[str]:
    """Audio under a folder; links are followed, but into no folder that lies above them."""
    unread: list[str] = []  # folders, which get rows that say why they could not be read
    for path, folders, files in os.walk(folder, onerror=lambda error: unread.append(error.filename), followlinks=True):
        folders[:] = [name for name in folders if not name.startswith(".") and not _leads_up(path, name, folder)]
        yield from (os.path.join(path, name) for name in files if not name.startswith(".") and _is_audio(name))
    yield from unread


def _leads_up(path: str, name: str, top: str) -> bool:
    """Whether a folder is a link to one that was entered on the way to it."""
    target = os.path.join(path, name)
    if not os.path.islink(target):
        return False
    way = os.path.relpath(path, top).split(os.sep)
    return any(os.path.samefile(target, os.path.join(top, *way[:depth])) for depth in range(len(way) + 1))


def _is_audio(name: str) -> bool:
    return os.path.splitext(name)[1].lower() in _EXTENSIONS


def filesystem_of(url: str) -> tuple[Any, str]:
    """The fsspec file system of a URL, and the path in it."""
    fsspec = required("fsspec", url)
    if url.startswith("memory:"):
        raise ParameterError(url, rule="where other processes see it, too", argument="inputs")
    try:
        return fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:  # the protocol needs another package, or does not exist
        raise LibrosaError(f"{url}: {error}") from error


def _remote(url: str) -> Iterator[str]:
    filesystem, path = filesystem_of(url)
    if not filesystem.isdir(path):
        yield url
    else:
        yield from (filesystem.unstrip_protocol(each) for each in filesystem.find(path) if _is_audio(each))


# What stores tell of a file that is another when its content is.
_VERSIONS = ("ETag", "etag", "LastModified", "last_modified", "generation", "md5Hash", "mtime", "updated")


def remote_stamp_of(url: str) -> tuple[int, int]:
    """Size of a file in another store, and a number for its version there, 0 where the store tells none.

    (-1, -1) where it could not be looked at.
    """
    filesystem, inside = filesystem_of(url)
    try:
        information = filesystem.info(inside)
    except Exception:  # of what stores raise there is no list
        return -1, -1
    version = [f"{name}={information[name]}" for name in _VERSIONS if information.get(name)]
    size = information.get("size")
    size = -1 if size is None else int(size)
    if not version:
        return size, 0
    return size, 1 + int.from_bytes(hashlib.sha256("\n".join(version).encode()).digest()[:6], "big")


def looked_at(path: str) -> Found:
    """A file as it is now."""
    return Found(path, *(remote_stamp_of if is_url(path) else stamp_of)(path))
