"""Files too long for memory: their samples lie on the disk, and so do rows that come block by block.

What can be streamed is, all features together. Of the others each (with those that are made of it)
is computed of the mapped samples alone, so that only one has its working memory at a time, and only
one such file is in work on a machine. All of it changes no bit: a value is what it is whatever else
is in the recipe.
"""

import contextlib
import fcntl
import functools
import math
import mmap
import os
import tempfile
import threading

from .._extractor import Extractor
from ..util.exceptions import AudioError
from .schema import FRAMES
from .spool import Spool
from .streamed import streamed_of

__all__ = ["LongFiles", "bytes_per_second", "groups_of"]

_SECONDS_BETWEEN = 0.01
_MIB = 1 << 20
# Blocks are cut so that the rows of one stay below this many bytes.
_BYTES_OF_A_BLOCK = 4 << 20


class LongFiles:
    """Computes features of mapped samples.

    Parameters
    ----------
    recipe : Recipe
    schema : Schema
    memory : int
        Bytes that the run may take: features of a file that are no streams may be half of it.
    folder : str or None
        Where samples lie; one file of it is in work at a time.
    """

    def __init__(self, recipe, schema, memory, folder):
        self._recipe, self._schema, self._memory = recipe, schema, memory
        self._own_folder = folder is not None
        self._folder = folder or tempfile.gettempdir()

    @functools.cached_property
    def _streams(self):
        streamed = streamed_of(self._recipe)
        features = self._recipe.spelled["features"]
        # what another feature is made of must be there as a whole
        names = streamed.names - {name for group in groups_of(features) if len(group) > 1 for name in group}
        parts = [part for part in self._schema.parts if part.feature in names and part.kind == FRAMES]
        return streamed.only(part.feature for part in parts), parts

    @functools.cached_property
    def _wholes(self):
        """Extractors of what is no stream, and its parts."""
        names = {part.feature for part in self._streams[1]}
        rest = {name: spec for name, spec in self._recipe.spelled["features"].items() if name not in names}
        parts = [part for part in self._schema.parts if part.feature in rest]
        return [Extractor(features) for features in groups_of(rest)], parts

    def __call__(self, y):
        """Rows of the parts, as `Schema.rows_of` gives them; those of streams as a `Spool`."""
        groups, parts = self._wholes
        self._require_room(y, parts)
        with _given_back(y):
            rows = self._streamed(y)
            if groups:
                with self._alone():
                    for group in groups:
                        rows.update(self._computed(group, y))
        return rows

    def _computed(self, group, y):
        try:
            return self._schema.rows_of(group(y))
        except MemoryError as error:
            raise AudioError(
                f"{', '.join(group.recipe['features'])}: a file of {y.size / self._recipe.sr:.0f} s needs more than "
                f"{self._memory / _MIB:.0f} MiB while it is computed: --retry-failed with a larger --memory tries again"
            ) from error

    def _streamed(self, y):
        streamed, parts = self._streams
        spools = {part.name: Spool(self._folder, len(part.columns), part.dtype) for part in parts}
        step = int(_BYTES_OF_A_BLOCK / max(bytes_per_second(parts), 1) * self._recipe.sr)
        for blocks in streamed(y, min(step, 1 << 18)) if parts else ():
            for part in parts:
                spools[part.name].append(part.rows(blocks[part.feature]))
        return spools

    def _require_room(self, y, parts):
        seconds = y.size / self._recipe.sr
        needed = seconds * bytes_per_second(parts)
        if needed > self._memory / 2:
            names = ", ".join(dict.fromkeys(part.feature for part in parts))
            raise AudioError(
                f"{names}: {needed / _MIB:.0f} MiB, more than half of the memory, {self._memory / _MIB:.0f} MiB: "
                f"--retry-failed --memory {math.ceil(2 * needed / _MIB)}M tries again"
            )

    @contextlib.contextmanager
    def _alone(self):
        descriptor = self._lock()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _lock(self):
        """A descriptor to lock: of the run's own folder, or, for all runs of a user, of a file."""
        if self._own_folder:
            return os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        path = os.path.join(self._folder, f"metalmom-{os.getuid()}.lock")
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def bytes_per_second(parts):
    """Bytes of the rows that a second of audio gives."""
    return sum(4 * len(part.columns) * part.per_second for part in parts)


def groups_of(features):
    """Recipes of features that do not feed each other, in order."""
    groups = []
    for name, spec in features.items():
        sources = set(_sources(spec))
        joined = {name: spec}
        apart = []
        for group in groups:
            if sources & set(group) or any(name in _sources(each) for each in group.values()):
                joined = {**group, **joined}
            else:
                apart.append(group)
        groups = [*apart, joined]
    return groups


def _sources(spec):
    of = spec.get("of", {})
    return of.values() if isinstance(of, dict) else [of]


@contextlib.contextmanager
def _given_back(y):
    """While the block runs, pages of the mapping of `y` that were read are let go again and again."""
    mapping = getattr(y, "_mmap", None)
    if mapping is None or not hasattr(mapping, "madvise"):
        yield
        return
    ended = threading.Event()

    def let_go():
        while not ended.wait(_SECONDS_BETWEEN):
            # the pages belong to a file and are read from it again when needed
            mapping.madvise(mmap.MADV_DONTNEED)

    thread = threading.Thread(target=let_go, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
