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

from .._extractor.extractor import Extractor
from ..util.exceptions import AudioError
from .local_store import is_full
from .outcome import Outcome
from .own_files import open_file
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
        """What comes block by block, and the features that do."""
        streamed = streamed_of(self._recipe)
        features = self._recipe.spelled["features"]
        # what another feature is made of must be there as a whole
        names = streamed.names - {name for group in groups_of(features) if len(group) > 1 for name in group}
        return streamed, [name for name, parts in self._schema.features.items()
                          if name in names and all(part.kind == FRAMES for part in parts)]  # fmt: skip

    @functools.cached_property
    def _wholes(self):
        """Extractors of what is no stream."""
        _, names = self._streams
        rest = {name: spec for name, spec in self._recipe.spelled["features"].items() if name not in names}
        return [Extractor(features) for features in groups_of(rest)]

    def __call__(self, y):
        """The `Outcome` of a file; rows of streams are a `Spool`."""
        streamed, names = self._streams
        with _given_back(y):
            outcome = self._streamed(y, streamed, names)
            groups = self._with_room(y, outcome)
            if groups:
                with self._alone():
                    for group in groups:
                        outcome.update(self._computed(group, y))
        return outcome

    def _computed(self, group, y):
        """The outcome of features that feed each other."""
        try:
            (values,) = group._outcomes([y])
        except Exception as error:
            values = dict.fromkeys(group.recipe["features"], error)
        outcome = Outcome(self._schema, values)
        for name, error in outcome.errors.items():
            if isinstance(error, MemoryError):
                text = (
                    f"a file of {self._seconds(y):.0f} s needs more than {self._memory / _MIB:.0f} MiB while it is "
                    "computed: --retry-failed with a larger --memory tries again"
                )
                outcome.fail(name, AudioError(text))
        return outcome

    def _streamed(self, y, streamed, names):
        """The outcome of features that come block by block, all together; where one fails, each alone."""
        try:
            return Outcome.of_rows(self._schema, self._spooled(y, streamed.only(names), names))
        except Exception as error:
            if len(names) == 1:
                return Outcome(self._schema, {names[0]: error})
            if is_full(error):
                raise
        outcome = Outcome(self._schema, {})
        for name in names:
            outcome.update(self._streamed(y, streamed, [name]))
        return outcome

    def _spooled(self, y, streamed, names):
        parts = [part for name in names for part in self._schema.features[name]]
        spools = {part.name: Spool(self._folder, len(part.columns), part.dtype) for part in parts}
        step = int(_BYTES_OF_A_BLOCK / max(bytes_per_second(parts), 1) * self._recipe.sr)
        for blocks in streamed(y, min(step, 1 << 18)) if parts else ():
            for part in parts:
                spools[part.name].append(part.rows(blocks[part.feature]))
        return spools

    def _with_room(self, y, outcome):
        """Groups whose rows may all be in memory; what there is no room for has its error in `outcome`."""
        room = self._memory / 2
        groups, left_out, needed = [], [], 0.0
        for group in self._wholes:
            size = self._bytes_of(group, y)
            if size <= room:
                room -= size
                groups.append(group)
            else:
                needed += size
                left_out += group.recipe["features"]
        taken = self._memory / 2 - room
        beside = f" beside {taken / _MIB:.0f} MiB of others" if taken > _MIB else ""
        error = AudioError(
            f"{needed / _MIB:.0f} MiB{beside}, more than half of the memory, {self._memory / _MIB:.0f} MiB: "
            f"--retry-failed --memory {math.ceil(2 * (needed + taken) / _MIB)}M tries again"
        )
        for name in left_out:
            outcome.fail(name, error)
        return groups

    def _bytes_of(self, group, y):
        parts = [part for name in group.recipe["features"] for part in self._schema.features[name]]
        return self._seconds(y) * bytes_per_second(parts)

    def _seconds(self, y):
        return y.size / self._recipe.sr

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
        return open_file(path, os.O_RDWR | os.O_CREAT, 0o600)


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
