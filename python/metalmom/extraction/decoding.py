"""Files as samples at one rate: in memory, or, where they are long, in a file that is mapped."""

import os
import stat
import tempfile
from typing import NamedTuple

import numpy as np

from .. import _native
from ..util.exceptions import AudioError, LibrosaError
from . import faults
from .inputs import filesystem_of, is_url, remote_stamp_of, stamp_of
from .layout import temporary_prefix

__all__ = ["Decoded", "Decoder", "sentence"]

_QUALITY = "soxr_hq"


class Decoded(NamedTuple):
    """Samples of a file, and the rate that it had."""

    y: np.ndarray
    rate: float


def sentence(error):
    """What went wrong with a file, in words that are the same for every run."""
    if isinstance(error, MemoryError):
        return "it needs more than the memory that the run may take: --retry-failed with a larger --memory tries again"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    # of ffmpeg's threads another one has the last word each time
    text = " ".join(str(error).partition(": ffmpeg says: ")[0].split())[:500]
    known = isinstance(error, LibrosaError)
    return text if known and text else f"{type(error).__name__}: {text}"


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
    """

    def __init__(self, sr, most_samples, folder=None, cache=None):
        self.sr, self.most_samples, self.folder, self.cache = float(sr), most_samples, folder, cache

    def __call__(self, entry):
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

    def _fetched(self, entry):
        """Samples of what lies in another store, of which a copy is made where they are not kept."""
        size, mtime = remote_stamp_of(entry.path)
        if size >= 0 and (size, mtime) != (entry.size, entry.mtime):
            raise AudioError("it has changed since it was planned")
        kept = self.cache and self.cache.find_unread(entry.path, entry.size, entry.mtime)
        if kept:
            return Decoded(*kept)
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix=temporary_prefix()) as file:
            filesystem, path = filesystem_of(entry.path)
            filesystem.get_file(path, file.name)
            try:
                return self._found(entry, file.name)
            except AudioError as error:  # which must say the same in every run
                raise AudioError(str(error).replace(file.name, entry.path)) from None

    def _found(self, entry, place):
        """Samples of a file whose bytes lie in `place`: kept ones, or decoded and kept."""
        if self.cache is None:
            return self._decode(entry, place)
        key, kept = self.cache.find(entry.path, entry.size, entry.mtime, place)
        if kept is not None:
            return Decoded(*kept)
        decoded = self._decode(entry, place)
        self.cache.keep(key, entry.path, entry.size, entry.mtime, *decoded)
        return decoded

    def _decode(self, entry, path):
        try:
            decoded = self._decoded(entry, path)
        except AudioError:
            if path == entry.path:
                _require_unchanged(entry)
            raise
        if path == entry.path:
            _require_unchanged(entry)  # else half of them could be another file's
        return decoded

    def _decoded(self, entry, path):
        faults.decoding(entry.path)
        stream = _native.AudioStream(
            path, sr=self.sr, mono=True, offset=0.0, duration=None, dtype="float32",
            quality=_QUALITY, whole=True)  # fmt: skip
        y = stream.read(self.most_samples)
        if y.size == self.most_samples:
            y = self._mapped(y, stream)
        return self._checked(y, stream.rate)

    def _mapped(self, y, stream):
        """All samples of a stream, of which `y` are the first, in a file that the disk can take back."""
        with tempfile.TemporaryFile(dir=self.folder, buffering=0) as file:
            while y.size:
                write_all(file, y)
                y = stream.read(self.most_samples)
            return np.memmap(file, np.float32, "r")

    def _checked(self, y, rate):
        if not y.size:
            raise AudioError("it holds no samples")
        return Decoded(y, rate)


def _require_unchanged(entry):
    stamp = stamp_of(entry.path)
    if stamp[0] < 0:
        # says why the file cannot be found or read, if that is the reason
        if stat.S_ISDIR(os.stat(entry.path).st_mode):
            os.scandir(entry.path).close()
        raise AudioError("it is no regular file")
    if stamp != (entry.size, entry.mtime):
        raise AudioError("it has changed since it was planned")


def write_all(file, array):
    """Write an array to an unbuffered file, whose `write` may take a part of it."""
    data = memoryview(array).cast("B") if array.size else b""
    while data:
        data = data[file.write(data) :]
