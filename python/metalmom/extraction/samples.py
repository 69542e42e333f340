"""Samples of files at one rate: decoded into memory or into a file that is mapped, or kept by another run."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import re
import stat
import struct
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .. import _native
from ..util._types import Array
from ..util.exceptions import AudioError, ParameterError
from ..version import version
from . import fault_injection
from .fingerprint import resampling_of
from .inputs import filesystem_of, is_url, remote_stamp_of, stamp_of
from .records import Entry, below
from .store import FOLDER, is_temporary, open_file, replacing, require, temporary_prefix
from .tables import write_all

_QUALITY = "soxr_hq"


class Decoded(NamedTuple):
    """Samples of a file, and the rate that it had."""

    y: Array
    rate: float


class Decoder:
    """Decode, mix to mono and resample files.

    Parameters
    ----------
    sr : number
        The rate of the samples.
    most_samples : int
        Longer files are put into a file of samples in `folder` and mapped.
    folder : str or None
        Where such files lie, without a name: they are gone when they are let go.
    cache : AudioCache or None
        Where samples are kept.
    root : str
        The folder that paths in errors are relative to, if it is not empty.
    """

    def __init__(
        self, sr: float, most_samples: int, folder: str | None = None, cache: AudioCache | None = None,
        root: str = "",
    ) -> None:
        self.sr, self.most_samples, self.folder, self.cache = float(sr), most_samples, folder, cache
        self.root = root

    def __call__(self, entry: Entry) -> Decoded:
        """Samples of an entry of the plan.

        Raises
        ------
        AudioError, OSError, MemoryError
            Where there are none.
        """
        if is_url(entry.path):
            return self._fetched(entry)
        _require_unchanged(entry)
        return self._found(entry, entry.path)

    def _fetched(self, entry: Entry) -> Decoded:
        """Samples of what lies in another store, of which a copy is made where they are not kept."""
        size, mtime = remote_stamp_of(entry.path)
        if size >= 0 and (size, mtime) != (entry.size, entry.mtime):
            raise AudioError("it has changed since it was planned")
        if self.cache and (kept := self.cache.find_unread(entry)):
            return kept
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix=temporary_prefix()) as file:
            filesystem, path = filesystem_of(entry.path)
            filesystem.get_file(path, file.name)
            return self._found(entry, file.name)

    def _found(self, entry: Entry, place: str) -> Decoded:
        """Samples of a file whose bytes lie in `place`: kept ones, or decoded and kept."""
        if self.cache is None:
            return self._decoded(entry, place)
        key, kept = self.cache.find(entry, place)
        if kept is not None:
            return kept
        decoded = self._decoded(entry, place)
        self.cache.keep(key, entry, decoded)
        return decoded

    def _decoded(self, entry: Entry, place: str) -> Decoded:
        fault_injection.decoding(entry.path)
        try:
            stream = _native.AudioStream(
                place, sr=self.sr, mono=True, offset=0.0, duration=None, dtype="float32",
                quality=_QUALITY, whole=True,
                name=os.fsencode(below(self.root, entry.path)))  # errors must say the same in every run
            y = stream.read(self.most_samples)
            if y.size == self.most_samples:
                y = self._mapped(y, stream)
            if not y.size:
                raise AudioError("the file holds no audio")
        finally:
            if place == entry.path:  # else half of them could be another file's
                _require_unchanged(entry)
        return Decoded(y, stream.rate)

    def _mapped(self, y: Array, stream: _native.AudioStream) -> Array:
        """All samples of a stream, of which `y` are the first, in a file that the disk can take back."""
        with tempfile.TemporaryFile(dir=self.folder, buffering=0) as file:
            while y.size:
                write_all(file, y)
                y = stream.read(self.most_samples)
            return np.memmap(file, np.float32, "r")


def _require_unchanged(entry: Entry) -> None:
    stamp = stamp_of(entry.path)
    if stamp[0] < 0:
        # says why the file cannot be found or read, if that is the reason
        if stat.S_ISDIR(os.stat(entry.path).st_mode):
            os.scandir(entry.path).close()
        raise AudioError("it is not a regular file")
    if stamp != (entry.size, entry.mtime):
        raise AudioError("it has changed since it was planned")


# Of kept samples: magic, the file's own rate, the number of samples, their sum as 64-bit words.
_HEADER = struct.Struct("<8sdQQ32x")
_MAGIC = b"mmaudio2"
# The names that these have: "22050-0.1.0-" and a hash, the beginning of a key, the rest of it.
_OWN_FOLDER, _OWN_INNER_FOLDER, _OWN_FILE = r".+-.+-[0-9a-f]{16}", "[0-9a-f]{2}", r"[0-9a-f]{62}\.(f32|key)"
# A process counts all files again when it has added this fraction of the limit.
_PART = 16


def _sum_of(y: Array) -> int:
    """A sum that pages lost in a power cut change; it runs as fast as memory is read."""
    even = y.size // 2 * 2
    return int(np.add.reduce(y[:even].view(np.uint64), dtype=np.uint64)) + int(y[even:].sum() != 0)


class AudioCache:
    """Samples by the content of their file and the rate; several runs may share a folder.

    Entries are written whole and renamed, and a reader maps them: one that another run removes
    meanwhile stays readable. What was used longest ago is removed first. Where the cache cannot be read or
    written, as one of somebody else, samples are decoded, and are not kept.

    Parameters
    ----------
    folder : str
        Where it is.
    sr : number
        The rate of the samples.
    limit : int
        Bytes that it may hold, about.
    """

    def __init__(self, folder: str, sr: float, limit: int) -> None:
        # Another version may decode to other bits, and another build resample to other ones.
        self.root = pathlib.Path(folder)
        self.folder = self.root / f"{sr:g}-{version}-{resampling_of(sr)}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.limit = limit
        self._room = 0

    def find_unread(self, entry: Entry) -> Decoded | None:
        """What is kept of a file of that name, size and time of change; None where nothing is."""
        key = self._key(entry)
        return self._read(key) if key else None

    def find(self, entry: Entry, place: str) -> tuple[str, Decoded | None]:
        """The key of a file, whose bytes lie in `place`, and what is kept of it, or None."""
        key = self._key(entry)
        if key is None:
            with open(place, "rb") as file:
                key = hashlib.file_digest(file, "sha256").hexdigest()
            if self._place(key, "f32").exists():
                self._put_key(entry, key)
        return key, self._read(key)

    def keep(self, key: str, entry: Entry, decoded: Decoded) -> None:
        """Keep samples.

        The key is that of `find` before they were decoded: whoever finds the file unchanged afterwards
        knows that they are of that content.
        """
        y = decoded.y
        header = _HEADER.pack(_MAGIC, decoded.rate, y.size, _sum_of(y))
        with contextlib.suppress(OSError, ParameterError):
            self._make_room(_HEADER.size + y.nbytes)
            self._put(self._place(key, "f32"), header, y.data)
            self._put_key(entry, key)

    def _place(self, key: str, ending: str) -> pathlib.Path:
        return self.folder / key[:2] / f"{key[2:]}.{ending}"

    def _stamp(self, entry: Entry) -> pathlib.Path:
        """Where the key of a file is kept that has this name, size and time."""
        words = f"{entry.size}\0{entry.mtime}\0".encode() + os.fsencode(entry.path)
        return self._place(hashlib.sha256(words).hexdigest(), "key")

    def _key(self, entry: Entry) -> str | None:
        """The key of a file as it was found before; None where it was not, or the note is damaged."""
        if entry.mtime <= 0:  # of a store that tells no times
            return None
        try:
            with open(open_file(self._stamp(entry)), "rb") as file:
                key = file.read(65).decode("ascii", "replace")
        except (OSError, ParameterError):
            return None
        return key if re.fullmatch("[0-9a-f]{64}", key) else None

    def _put_key(self, entry: Entry, key: str) -> None:
        if entry.mtime > 0:
            with contextlib.suppress(OSError, ParameterError):
                self._put(self._stamp(entry), key.encode())

    def _read(self, key: str) -> Decoded | None:
        place = self._place(key, "f32")
        try:
            with open(open_file(place), "rb") as file:
                magic, rate, samples, total = _HEADER.unpack(file.read(_HEADER.size))
                whole = os.fstat(file.fileno()).st_size == _HEADER.size + 4 * samples
                if magic != _MAGIC or not whole:
                    return None
                y = np.memmap(file, np.float32, "r", _HEADER.size) if samples else np.zeros(0, np.float32)
        except (OSError, ParameterError, struct.error):
            return None
        with contextlib.suppress(OSError):
            os.utime(place)
        return Decoded(y, rate) if _sum_of(y) == total else None

    def _put(self, place: pathlib.Path, *contents: bytes | memoryview) -> None:
        place.parent.mkdir(exist_ok=True)
        for folder in (self.folder, place.parent):
            require(folder, FOLDER)
        with replacing(place) as beside, open(beside, "wb") as file:
            for content in contents:
                file.write(content)

    def _make_room(self, size: int) -> None:
        """Have room for an entry; what others add meanwhile is counted the next time."""
        if size > self.limit:
            raise OSError("larger than all there is room for")
        self._room -= size
        if self._room >= 0:
            return
        entries = sorted(self._entries())
        total = sum(size for _, size, _ in entries)
        part = max(self.limit // _PART, size)
        for _, freed, place in entries:
            if total + part <= self.limit:
                break
            with contextlib.suppress(FileNotFoundError):
                os.unlink(place)
            total -= freed
        self._room = part - size

    def _entries(self) -> Iterator[tuple[float, int, str]]:
        """(time of use, size, path) of what caches have written here, of whatever version: nothing else is removed."""
        for folder in _folders(self.root, _OWN_FOLDER):
            for inner in _folders(folder, _OWN_INNER_FOLDER):
                for each in os.scandir(inner):
                    is_own = is_temporary(each.name) or re.fullmatch(_OWN_FILE, each.name)
                    if is_own and each.is_file(follow_symlinks=False):
                        with contextlib.suppress(FileNotFoundError):  # another run has removed it
                            status = each.stat()
                            yield status.st_mtime, status.st_size, each.path


def _folders(parent: str | pathlib.Path, pattern: str) -> list[str]:
    return [each.path for each in os.scandir(parent)
            if re.fullmatch(pattern, each.name) and each.is_dir(follow_symlinks=False)]  # fmt: skip
