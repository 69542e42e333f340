"""The folder or store of fsspec that a run writes into: whole files, in an order that survives a crash.

A file is written under a temporary name, synced, renamed, and its folder synced. What is there
under its own name is whole, and was there before whatever is written after it. The folder may be
anybody's: what is opened here is a regular file, and what is removed has a name that runs give. Opening a
named pipe waits for its other side, a device may have no end, and what is written through a link lands in
somebody else's folder. What is read may be a link to a regular file, as in a cache of downloaded data.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import io
import json
import os
import pathlib
import re
import socket
import stat
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from ..util.exceptions import LibrosaError, ParameterError
from ..util.files import absolute
from . import strict_json
from .fault_injection import step
from .inputs import filesystem_of, is_url

Store: TypeAlias = "LocalStore | RemoteStore"

MANIFEST, PLAN, QUARANTINE = "manifest.json", "plan.jsonl", "quarantine.csv"

# How the names of files begin that are not whole yet.
_TEMPORARY = ".writing-"
_TEMPORARY_NAME = re.escape(_TEMPORARY) + "([0-9a-f]{32})-(.+)"
_DIGITS_OF_DIGEST = 16

_OWN = {
    "": "|".join(map(re.escape, (MANIFEST, PLAN, QUARANTINE))),
    "receipts": r"\d{5,}\.json",
    "runs": r"\d{8}-\d{6}-.+-\d+\.json",
}
_TABLE_FOLDER = r"(frames|events)(-[^/\\\0]+)?"
_TABLE = r"part-\d{5,}\.(parquet|npz)"


def receipt_name(shard: int) -> str:
    """Where the receipt of a shard lies in OUT."""
    return f"receipts/{shard:05}.json"


def table_name(folder: str, shard: int, format: str) -> str:
    """Where the part of a table that a shard makes lies in OUT."""
    return f"{folder}/part-{shard:05}.{format}"


def is_table_folder(name: str) -> bool:
    """Whether a table of frames or events may lie in a folder of that name."""
    return re.fullmatch(_TABLE_FOLDER, name) is not None


def is_own(folder: str, name: str) -> bool:
    """Whether a file of one of these folders ("" is OUT itself) has a name that runs give."""
    return re.fullmatch(_OWN.get(folder, _TABLE), name) is not None


def temporary_prefix(digest: str = "") -> str:
    """How the name of a file begins that is not whole yet.

    It is unique, since two hosts of a cluster may run the same task with the same process number. With a
    digest of the file, `written_name` tells by it whether the file is whole.
    """
    known = digest[:_DIGITS_OF_DIGEST]
    return f"{_TEMPORARY}{known}{uuid.uuid4().hex[len(known):]}-"


def is_temporary(name: str) -> bool:
    """Whether `temporary_prefix` began a name."""
    return re.fullmatch(_TEMPORARY_NAME, name) is not None


def written_name(temporary: str, digest: str) -> str | None:
    """The name that a temporary file was to have, where it is whole: where its name began with this digest."""
    found = re.fullmatch(_TEMPORARY_NAME, temporary)
    return found[2] if found and digest.startswith(found[1][:_DIGITS_OF_DIGEST]) else None


FILE, FOLDER = "a regular file", "a folder"

_KINDS = {stat.S_IFREG: FILE, stat.S_IFDIR: FOLDER, stat.S_IFLNK: "a link", stat.S_IFIFO: "a named pipe",
          stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}  # fmt: skip

# A run that was just killed may leave children that hold its lock until they notice. A new run
# waits so long for them.
_PATIENCE_SECONDS = 5.0


def open_store(address: str | os.PathLike[str]) -> Store:
    """The store at an address: a folder, or a URL that fsspec knows."""
    text = os.fspath(address)
    return RemoteStore(text) if is_url(text) else LocalStore(text.removeprefix("file://"))


def is_full(error: BaseException) -> bool:
    """Whether an error says that the disk has no room: the run's matter, and no file's fault."""
    return getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)


def require(path: str | os.PathLike[str], kind: str = FILE, follow_links: bool = False) -> None:
    """Raise an error that names the path where something else is there.

    Raises
    ------
    FileNotFoundError
        Where nothing is there.
    ParameterError
    """
    found = _KINDS[stat.S_IFMT(os.lstat(path).st_mode)]
    if found == "a link" and follow_links:
        target = "nothing"
        with contextlib.suppress(OSError):
            target = _KINDS[stat.S_IFMT(os.stat(path).st_mode)]
        found = target if target == FILE else f"a link to {target}"
    if found != kind:
        raise ParameterError(f"{os.fspath(path)} is {found}, and must be {kind}", argument="out")


def open_file(path: str | os.PathLike[str], flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
    """A descriptor of a regular file; links are followed where it is only read. `mode` is that of a new one.

    Raises
    ------
    OSError
    ParameterError
        Where something else is there.
    """
    reads = flags == os.O_RDONLY
    try:
        require(path, follow_links=reads)
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    flags |= os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | (0 if reads else os.O_NOFOLLOW)
    descriptor = os.open(path, flags, mode)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ParameterError(f"{os.fspath(path)} was replaced while it was opened; it must be {FILE}", argument="out")
    return descriptor


@contextlib.contextmanager
def replacing(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Give a path beside that of a file, which becomes it when the block has ended well."""
    beside = path.with_name(temporary_prefix() + path.name)
    try:
        yield beside
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def _sync_folder(path: pathlib.Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class _Store:
    """What both kinds of stores have."""

    def writing(self, name: str) -> contextlib.AbstractContextManager[pathlib.Path]:
        """Give a path to write to, which becomes `name` when the block has ended well."""
        raise NotImplementedError

    def write(self, name: str, content: bytes) -> None:
        """Write bytes as the whole of `name`."""
        with self.writing(name) as path:
            path.write_bytes(content)

    def write_json(self, name: str, value: Any) -> None:
        """Write a value as the whole of `name`."""
        self.write(name, strict_json.dump(value, indent=1).encode())


class LocalStore(_Store):
    """A folder of the local (or a shared) file system; names inside it use slashes.

    Attributes
    ----------
    address : str
        What `open_store` opens, here or in another process.
    spool : str or None
        Where long files may be put while they are in work.
    """

    has_locks = True

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = pathlib.Path(root)
        if self.root.exists() and not self.root.is_dir():
            raise ParameterError("out", os.fspath(root), FOLDER)
        self.address = self.spool = absolute(self.root)

    def __str__(self) -> str:
        return os.fspath(self.root)

    def make(self, *folders: str) -> None:
        """Make the folder, what it lies in, and folders in it."""
        for path in (*reversed(self.root.absolute().parents), *(self.root / folder for folder in ("", *folders))):
            if not path.is_dir():
                path.mkdir(exist_ok=True)
                _sync_folder(path.parent)

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[pathlib.Path]:
        """Give a path to write to, which becomes `name` when the block has ended well."""
        path = self._own(name)
        with replacing(path) as beside:
            yield beside
            step("written", name)
            with open(beside, "rb") as file:
                os.fsync(file.fileno())
            step("synced", name)
        step("renamed", name)
        _sync_folder(path.parent)
        step("settled", name)

    def _own(self, name: str) -> pathlib.Path:
        """The path of a file that is to be written or removed: in a folder of ours, not of a link."""
        path = self.root / name
        if path.parent != self.root:
            require(path.parent, FOLDER)
        if path.is_dir() and not path.is_symlink():  # which may hold anything
            require(path, FILE)
        return path

    def read(self, name: str) -> bytes | None:
        """The bytes of `name`; None if there is no such file."""
        try:
            with open(open_file(self.root / name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def names(self) -> set[str]:
        """Names of what lies in it, files and folders."""
        try:
            return set(os.listdir(self.root))
        except FileNotFoundError:
            return set()

    def sizes(self, folder: str) -> dict[str, int | None]:
        """Sizes of the files of a folder, by their names inside it; temporary ones left out. None: no file."""
        sizes = {}
        with contextlib.suppress(FileNotFoundError), os.scandir(self.root / folder) as entries:
            for each in entries:
                with contextlib.suppress(FileNotFoundError):  # it was removed meanwhile
                    if not is_temporary(each.name):
                        sizes[each.name] = each.stat().st_size if each.is_file() else None
        return sizes

    def require_own(self, files: Iterable[str], folders: Iterable[str]) -> None:
        """Raise an error where one of these is something else than a regular file, or a folder, or a link."""
        for kind, names in ((FILE, files), (FOLDER, folders)):
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    require(self.root / name, kind)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there, for good."""
        with contextlib.suppress(FileNotFoundError):
            path = self._own(name)
            path.unlink()
            _sync_folder(path.parent)
            step("removed", name)

    @contextlib.contextmanager
    def local(self, name: str) -> Iterator[str]:
        """The path of a file for reading."""
        path = self.root / name
        require(path, follow_links=True)
        yield os.fspath(path)

    def sweep(self, folders: Iterable[str]) -> None:
        """Remove what killed runs left half written in the store and in these folders of it."""
        for path in (self.root, *self._real(folders)):
            _unlink_files(path, is_temporary)

    def clear(self, folders: Iterable[str]) -> None:
        """Remove what runs have written into these folders, and those that are empty then."""
        for path in self._real(folders):
            _unlink_files(path, functools.partial(is_own, path.name))
            _sync_folder(path)
            with contextlib.suppress(OSError):  # it holds what is not ours
                path.rmdir()

    def _real(self, folders: Iterable[str]) -> list[pathlib.Path]:
        """Paths of the folders that are there and are no links."""
        paths = [self.root / folder for folder in folders]
        return [path for path in paths if path.is_dir() and not path.is_symlink()]

    def hold(self) -> io.FileIO:
        """Take the folder for this run; an error where another has it, saying which.

        Returns
        -------
        file
            The lock, for a ``with``; children inherit its descriptor: the folder is free when the last
            process of the run has ended.
        """
        lock = self._lock_file(".lock")
        try:
            if not _locked(lock, lambda: _has_ended(_holder(lock))):
                holder = _holder(lock)
                raise LibrosaError(
                    f"{self.root} is in use by process {holder.get('pid', '?')} on "
                    f"{holder.get('host', 'an unknown host')}, since {holder.get('since', '?')}"
                )
            who = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}
            lock.truncate(0)
            os.pwrite(lock.fileno(), json.dumps(who).encode(), 0)
            return lock
        except BaseException:  # of an interrupt somebody may keep the frames, and they this
            lock.close()
            raise

    @contextlib.contextmanager
    def in_work(self) -> Iterator[None]:
        """While the block runs, no run begins anew here: whoever computes a shard is in one.

        A run whose process was killed may have workers on other hosts, which do not hold its lock.
        """
        import fcntl  # which Windows lacks

        with self._lock_file(".workers") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            yield

    @contextlib.contextmanager
    def at_rest(self) -> Iterator[None]:
        """While the block runs, nobody computes a shard; an error where somebody does for long."""
        with self._lock_file(".workers") as lock:
            if not _locked(lock):
                raise LibrosaError(f"{self.root} is in use by workers of an earlier run: they end when the shards "
                                   "that they work on are done")  # fmt: skip
            yield

    def _lock_file(self, name: str) -> io.FileIO:
        return io.FileIO(open_file(self.root / name, os.O_RDWR | os.O_CREAT), "r+")


def _locked(file: io.FileIO, is_worth_waiting: Callable[[], bool] = lambda: True) -> bool:
    """Lock a file for this process alone, and wait some seconds for others; False where they have it then."""
    import fcntl

    give_up = time.monotonic() + _PATIENCE_SECONDS
    while True:
        with contextlib.suppress(BlockingIOError, PermissionError):  # what systems say of a lock that others have
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if not is_worth_waiting() or time.monotonic() > give_up:
            return False
        time.sleep(0.02)


def _holder(lock: io.FileIO) -> dict[str, Any]:
    """What a run has noted of itself, as far as it can be read."""
    try:
        holder = json.loads(os.pread(lock.fileno(), 4096, 0))
    except (ValueError, RecursionError):
        return {}
    return holder if isinstance(holder, dict) else {}


def _has_ended(holder: dict[str, Any]) -> bool:
    """Whether a run has ended, as far as that can be seen here; its children may need a moment to do so."""
    if holder.get("host") != socket.gethostname():
        return False
    with contextlib.suppress(PermissionError):  # of somebody else's process
        try:
            os.kill(holder.get("pid"), 0)  # type: ignore[arg-type]  # anybody may have written it
        except (ProcessLookupError, TypeError, OverflowError):
            return True
    return False


def _unlink_files(folder: pathlib.Path, is_to_go: Callable[[str], bool]) -> None:
    """Remove what has such a name, whatever it is; folders of such names stay."""
    for name in filter(is_to_go, os.listdir(folder)):
        path = folder / name
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)


class RemoteStore(_Store):
    """As `LocalStore`, on a store that fsspec knows: an object store, another machine.

    Nothing is renamed there but what was uploaded whole under a temporary name, and the receipt of a
    shard comes last: what a receipt vouches for is whole here, too. Such stores have no locks: that only one
    run at a time writes into OUT is for the user to see to.

    Nor does every store replace a file in one step: some refuse to rename to a name that is taken, some
    rename by copying. So a file that is replaced may be missing, or half there, when its process is killed.
    No receipt vouches for what lies in OUT itself, the plan above all. Its upload bears a digest of its
    content in its temporary name: one that is whole is what the file is to be, and is read in its place; the
    next run renames it.
    """

    spool = None
    has_locks = False

    def __init__(self, url: str) -> None:
        self.address = url
        self.filesystem, self.root = filesystem_of(url)

    def __str__(self) -> str:
        return self.address

    def _at(self, name: str) -> str:
        return f"{self.root}/{name}".removesuffix("/")

    def make(self, *folders: str) -> None:
        """Make the folders, where the store has such."""
        for folder in ("", *folders):
            self.filesystem.makedirs(self._at(folder), exist_ok=True)

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[pathlib.Path]:
        """Give a local path to write to, which is uploaded as `name` when the block has ended well."""
        folder, _, last = name.rpartition("/")
        with tempfile.TemporaryDirectory(prefix="metalmom-") as scratch:
            path = pathlib.Path(scratch, last)
            yield path
            step("written", name)
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if not folder:
                self._settle(name)  # else an older upload might pass for what the file is to be
            beside = self._at(os.path.join(folder, temporary_prefix(digest) + last))
            self.filesystem.put_file(os.fspath(path), beside)
            step("synced", name)
            self._rename(beside, name)

    def _rename(self, beside: str, name: str) -> None:
        if self.filesystem.exists(self._at(name)):
            self.remove(name)
        self.filesystem.mv(beside, self._at(name))
        step("renamed", name)

    def _settle(self, name: str | None = None) -> None:
        """Rename what was uploaded whole into OUT itself, of one name or of all."""
        for each, (beside, _) in self._whole_uploads(self._listed("")).items():
            if name in (None, each):
                self._rename(beside, each)

    def read(self, name: str) -> bytes | None:
        """The bytes of `name`; None if there is no such file."""
        uploads = {} if "/" in name else self._whole_uploads(self._listed(""))
        if name in uploads:
            return uploads[name][1]
        try:
            return self.filesystem.cat_file(self._at(name))
        except FileNotFoundError:
            return None

    def _whole_uploads(self, listed: list[dict[str, Any]]) -> dict[str, tuple[str, bytes]]:
        """Paths and contents of what was uploaded whole into OUT itself and not renamed, by name."""
        uploads = {}
        for each in listed:
            last = each["name"].rpartition("/")[2]
            if is_temporary(last) and each["type"] == "file":
                with contextlib.suppress(FileNotFoundError):  # it has its name by now
                    content = self.filesystem.cat_file(each["name"])
                    name = written_name(last, hashlib.sha256(content).hexdigest())
                    if name is not None:
                        uploads[name] = each["name"], content
        return uploads

    def _listed(self, folder: str) -> list[dict[str, Any]]:
        try:
            self.filesystem.invalidate_cache()
            return self.filesystem.ls(self._at(folder), detail=True)
        except FileNotFoundError:
            return []

    def names(self) -> set[str]:
        """Names of what lies in it, files and folders."""
        listed = self._listed("")
        return {each["name"].rstrip("/").rpartition("/")[2] for each in listed} | self._whole_uploads(listed).keys()

    def sizes(self, folder: str) -> dict[str, int | None]:
        """Sizes of the files of a folder, by their names inside it; temporary ones left out."""
        found = {each["name"].rpartition("/")[2]: each["size"]
                 for each in self._listed(folder) if each["type"] == "file"}  # fmt: skip
        return {name: size for name, size in found.items() if not is_temporary(name)}

    def require_own(self, files: Iterable[str], folders: Iterable[str]) -> None:
        """Such stores have nothing but files and folders."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            self.filesystem.rm_file(self._at(name))
            step("removed", name)

    @contextlib.contextmanager
    def local(self, name: str) -> Iterator[str]:
        """The path of a copy of a file for reading."""
        with tempfile.TemporaryDirectory(prefix="metalmom-") as scratch:
            path = os.path.join(scratch, os.path.basename(name))
            self.filesystem.get_file(self._at(name), path)
            yield path

    def sweep(self, folders: Iterable[str]) -> None:
        """Remove what killed runs left half uploaded into the store and these folders of it."""
        self._settle()
        for folder in ("", *folders):
            for each in self._listed(folder):
                if is_temporary(each["name"].rpartition("/")[2]) and each["type"] == "file":
                    self.filesystem.rm_file(each["name"])

    def clear(self, folders: Iterable[str]) -> None:
        """Remove what runs have written into these folders."""
        for folder in folders:
            for name in self.sizes(folder):
                if is_own(folder, name):
                    self.remove(f"{folder}/{name}")

    @contextlib.contextmanager
    def in_work(self) -> Iterator[None]:
        """There is no lock to be had."""
        yield

    at_rest = in_work

    def hold(self) -> contextlib.nullcontext[None]:
        """There is no lock to be had."""
        return contextlib.nullcontext()
