"""Files too long for memory: their samples stay on the disk, and features come one after the other.

The samples are mapped, so that the system can take back what has been read; this process gives it
back as it goes. Each feature (with those that are made of it) is computed alone, so that only one
has its working memory at a time, and only one such file is in work on a machine. All of it changes
no bit: a value is what it is whatever else is in the recipe.
"""

import contextlib
import fcntl
import mmap
import os
import tempfile
import threading

from .._extractor import Extractor
from ..util.exceptions import AudioError

__all__ = ["LongFiles"]

_SECONDS_BETWEEN = 0.01
_MIB = 1 << 20


class LongFiles:
    """Computes features of mapped samples.

    Parameters
    ----------
    recipe : Recipe
    schema : Schema
    memory : int
        Bytes that the run may take: the features of a file may be half of it.
    folder : str or None
        Where samples lie; one file of it is in work at a time.
    """

    def __init__(self, recipe, schema, memory, folder):
        self._recipe, self._schema, self._memory = recipe, schema, memory
        self._folder = folder or tempfile.gettempdir()
        self._groups = [Extractor(features) for features in groups_of(recipe.spelled["features"])]

    def __call__(self, y):
        """Features as an Extractor gives them."""
        self._require_room(y)
        values = {}
        with self._alone(), _given_back(y):
            for group in self._groups:
                values.update(group(y))
        return values

    def _require_room(self, y):
        seconds = y.size / self._recipe.sr
        needed = sum(4 * len(part.columns) * part.per_second * seconds for part in self._schema.parts)
        if needed > self._memory / 2:
            raise AudioError(
                f"its features are {needed / _MIB:.0f} MiB: more than half of the memory, "
                f"{self._memory / _MIB:.0f} MiB (see --memory)"
            )

    @contextlib.contextmanager
    def _alone(self):
        descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


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
