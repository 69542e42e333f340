"""The folder that a run writes into: whole files or none, in an order that a crash cannot upset.

A file is written under a temporary name, synced, renamed, and its folder synced. What is there
under its own name is whole, and was there before whatever is written after it. The folder may be
anybody's: what is opened here is a regular file. Opening a named pipe waits for its other side, a
device may have no end, and what is written through a link lands in somebody else's folder. What is
read may be a link to a regular file, as in a cache of downloaded data.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import json
import os
import pathlib
import socket
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from ..util.exceptions import LibrosaError, ParameterError
from .fault_injection import step
from .file_names import is_own, is_temporary, temporary_prefix
from .inputs import is_url
from .remote_store import RemoteStore

if TYPE_CHECKING:
    import io

    Store: TypeAlias = "LocalStore | RemoteStore"

__all__ = ["FILE", "FOLDER", "LocalStore", "is_full", "open_file", "open_store", "replacing", "require"]

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


def _kind_of(path: str | os.PathLike[str], follow_links: bool) -> str:
    kind = _KINDS[stat.S_IFMT(os.lstat(path).st_mode)]
    if kind != "a link" or not follow_links:
        return kind
    try:
        target = _KINDS[stat.S_IFMT(os.stat(path).st_mode)]
    except OSError:
        return "a link to nothing"
    return target if target == FILE else f"a link to {target}"


def require(path: str | os.PathLike[str], kind: str = FILE, follow_links: bool = False) -> None:
    """Raise an error that names the path where something else is there.

    Raises
    ------
    FileNotFoundError
        Where nothing is there.
    ParameterError
    """
    found = _kind_of(path, follow_links)
    if found != kind:
        raise ParameterError(f"{os.fspath(path)} is {found}, and must be {kind}")


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
        raise ParameterError(f"{os.fspath(path)} was replaced while it was opened; it must be {FILE}")
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


class LocalStore:
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
            raise ParameterError(f"out={os.fspath(root)!r} must be a folder")
        self.address = self.spool = os.path.abspath(self.root)

    def __str__(self) -> str:
        return os.fspath(self.root)

    def make(self, *folders: str) -> None:
        """Make the folder and folders in it."""
        for folder in ("", *folders):
            path = self.root / folder
            if not path.is_dir():
                path.mkdir(parents=True, exist_ok=True)
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

    def write(self, name: str, content: bytes) -> None:
        """Write bytes as the whole of `name`."""
        with self.writing(name) as beside:
            beside.write_bytes(content)

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
        lock = open(self._open_own(".lock"), "r+b", buffering=0)
        try:
            self._take(lock.fileno())
            return lock
        except BaseException:  # of an interrupt somebody may keep the frames, and they this
            lock.close()
            raise

    def _take(self, lock: int) -> None:
        give_up = time.monotonic() + _PATIENCE_SECONDS
        while not _locked(lock):
            holder = _holder(lock)
            gone = holder.get("host") == socket.gethostname() and not _is_alive(holder.get("pid"))
            if not gone or time.monotonic() > give_up:
                raise LibrosaError(
                    f"{self.root} is in use by process {holder.get('pid', '?')} on "
                    f"{holder.get('host', 'an unknown host')}, since {holder.get('since', '?')}"
                )
            time.sleep(0.02)
        who = {"pid": os.getpid(), "host": socket.gethostname(),
               "since": time.strftime("%Y-%m-%d %H:%M:%S")}  # fmt: skip
        os.ftruncate(lock, 0)
        os.pwrite(lock, json.dumps(who).encode(), 0)

    @contextlib.contextmanager
    def in_work(self) -> Iterator[None]:
        """While the block runs, no run begins anew here: whoever computes a shard is in one.

        A run whose process was killed may have workers on other hosts, which do not hold its lock.
        """
        descriptor = self._open_own(".workers")
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            yield
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def at_rest(self) -> Iterator[None]:
        """While the block runs, nobody computes a shard; an error where somebody does for long."""
        descriptor = self._open_own(".workers")
        try:
            if not _locked(descriptor, time.monotonic() + _PATIENCE_SECONDS):
                raise LibrosaError(f"{self.root} is in use by workers of an earlier run: they end when the shards "
                                   "that they have in hand are done")  # fmt: skip
            yield
        finally:
            os.close(descriptor)

    def _open_own(self, name: str) -> int:
        return open_file(self.root / name, os.O_RDWR | os.O_CREAT)


def _locked(descriptor: int, give_up: float = 0.0) -> bool:
    """Lock a file for this process alone, trying until that time; False where others have it."""
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
        if time.monotonic() > give_up:
            return False
        time.sleep(0.02)


def _holder(lock: int) -> dict[str, Any]:
    """What a run has noted of itself, as far as it can be read."""
    try:
        holder = json.loads(os.pread(lock, 4096, 0))
    except (ValueError, RecursionError):
        return {}
    return holder if isinstance(holder, dict) else {}


def _is_alive(pid: Any) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, TypeError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _unlink_files(folder: pathlib.Path, is_to_go: Callable[[str], bool]) -> None:
    """Remove what has such a name, whatever it is; folders of such names stay."""
    for name in filter(is_to_go, os.listdir(folder)):
        path = folder / name
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
