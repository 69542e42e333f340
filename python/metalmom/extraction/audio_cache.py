"""Decoded samples kept on disk, so that another recipe over the same files decodes nothing."""

import contextlib
import hashlib
import os
import pathlib
import re
import struct

import numpy as np

from ..util.exceptions import ParameterError
from ..version import version
from .layout import is_temporary, temporary_prefix
from .numbers import resampling_of
from .own_files import FOLDER, open_file, require

__all__ = ["AudioCache"]

# Magic, the file's own rate, the number of samples, their sum as 64-bit words.
_HEADER = struct.Struct("<8sdQQ32x")
_MAGIC = b"mmaudio2"
# The names that these have: "22050-0.1.0-" and a hash, the beginning of a key, the rest of it.
_OWN_FOLDER, _OWN_INNER_FOLDER, _OWN_FILE = r".+-.+-[0-9a-f]{16}", "[0-9a-f]{2}", r"[0-9a-f]{62}\.(f32|key)"
# A process counts all files again when it has added this fraction of the limit.
_PART = 16


def _digest_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sum_of(y):
    """A sum that pages lost in a power cut change; it runs as fast as memory is read."""
    even = y.size // 2 * 2
    return int(np.add.reduce(y[:even].view(np.uint64), dtype=np.uint64)) + int(y[even:].sum() != 0)


class AudioCache:
    """Samples by the content of their file and the rate; several runs may share a folder.

    Entries are written whole and renamed, and a reader maps them: one that another run removes
    meanwhile stays readable. What was used longest ago is removed first.

    Parameters
    ----------
    folder : str
        Where it is.
    sr : number
        The rate of the samples.
    limit : int
        Bytes that it may hold, about.
    """

    def __init__(self, folder, sr, limit):
        # Another version may decode to other bits, and another build resample to other ones.
        self.root = pathlib.Path(folder)
        self.folder = self.root / f"{sr:g}-{version}-{resampling_of(sr)}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.limit = limit
        self._room = 0

    def _place(self, key, ending):
        return self.folder / key[:2] / f"{key[2:]}{ending}"

    def _stamp(self, path, size, mtime):
        """Where the digest of a file is kept that has this name, size and time."""
        words = f"{size}\0{mtime}\0".encode() + os.fsencode(path)
        return self._place(hashlib.sha256(words).hexdigest(), ".key")

    def find_unread(self, path, size, mtime):
        """Samples and own rate of a file of that name, size and time of change; None where there are none."""
        key = self._key(path, size, mtime)
        return self._read(self._place(key, ".f32")) if key else None

    def find(self, path, size, mtime, place):
        """The key of a file, whose bytes lie in `place`; samples and own rate, None where they are not kept."""
        key = self._key(path, size, mtime)
        if key is None:
            key = _digest_of(place)
            if self._place(key, ".f32").exists():
                self._put_key(path, size, mtime, key)
        return key, self._read(self._place(key, ".f32"))

    def _key(self, path, size, mtime):
        """The digest of a file as it was read before; None where it was not, or the note is damaged."""
        if mtime <= 0:  # of a store that tells no times
            return None
        try:
            with open(open_file(self._stamp(path, size, mtime)), "rb") as file:
                key = file.read(65).decode("ascii", "replace")
        except (OSError, ParameterError):
            return None
        return key if re.fullmatch("[0-9a-f]{64}", key) else None

    def _put_key(self, path, size, mtime, key):
        if mtime > 0:
            with contextlib.suppress(OSError, ParameterError):  # the cache may be somebody else's, or its disk full
                self._put(self._stamp(path, size, mtime), key.encode())

    def _read(self, place):
        try:
            with open(open_file(place), "rb") as file:
                magic, rate, samples, total = _HEADER.unpack(file.read(_HEADER.size))
                whole = os.fstat(file.fileno()).st_size == _HEADER.size + 4 * samples
                if magic != _MAGIC or not whole:
                    return None
                if not samples:
                    return np.zeros(0, np.float32), rate
                y = np.memmap(file, np.float32, "r", _HEADER.size)
        except (OSError, ParameterError, struct.error):
            return None
        with contextlib.suppress(OSError):  # it may be somebody else's
            os.utime(place)
        return (y, rate) if _sum_of(y) == total else None

    def keep(self, key, path, size, mtime, y, rate):
        """Keep samples; where the disk has no room for them they are not kept.

        The key is that of `find` before they were decoded: whoever finds the file unchanged afterwards
        knows that they are of that content.
        """
        header = _HEADER.pack(_MAGIC, rate, y.size, _sum_of(y))
        with contextlib.suppress(OSError, ParameterError):
            self._make_room(_HEADER.size + y.nbytes)
            self._put(self._place(key, ".f32"), header, y)
            self._put_key(path, size, mtime, key)

    def _put(self, place, *contents):
        place.parent.mkdir(exist_ok=True)
        for folder in (self.folder, place.parent):
            require(folder, FOLDER)
        beside = place.with_name(temporary_prefix() + place.name)
        try:
            with open(beside, "wb") as file:
                for content in contents:
                    file.write(content)
            os.replace(beside, place)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise

    def _make_room(self, size):
        """Have room for an entry; what others add meanwhile is counted the next time."""
        if size > self.limit:
            raise OSError("larger than all there is room for")
        self._room -= size
        if self._room >= 0:
            return
        entries = list(self._entries())
        total = sum(size for _, size, _ in entries)
        entries.sort(key=lambda entry: entry[0])
        part = max(self.limit // _PART, size)
        for _, freed, place in entries:
            if total + part <= self.limit:
                break
            with contextlib.suppress(FileNotFoundError):
                os.unlink(place)
            total -= freed
        self._room = part - size

    def _entries(self):
        """(time of use, size, path) of what caches have written here, of whatever version: nothing else is removed."""
        for folder in _folders(self.root, _OWN_FOLDER):
            for inner in _folders(folder, _OWN_INNER_FOLDER):
                for each in os.scandir(inner):
                    if each.is_file(follow_symlinks=False) and (is_temporary(each.name) or re.fullmatch(_OWN_FILE, each.name)):
                        with contextlib.suppress(FileNotFoundError):  # another run has removed it
                            status = each.stat()
                            yield status.st_mtime, status.st_size, each.path


def _folders(parent, pattern):
    return [each.path for each in os.scandir(parent)
            if re.fullmatch(pattern, each.name) and each.is_dir(follow_symlinks=False)]  # fmt: skip
