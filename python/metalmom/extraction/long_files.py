"""Files too long for memory: their samples lie on the disk, and so do rows that come block by block.

What can be streamed is, all features together. Of the others each (with those that are made of it)
is computed of the mapped samples alone, so that only one has its working memory at a time, and only
one such file is in work on a machine. All of it changes no bit: a value is what it is whatever else
is in the recipe.

What `metalmom.streaming` has comes from there. Levels end `top_db` below the loudest of the file, which
a stream does not know: a first pass over the samples finds it.
"""

from __future__ import annotations

import contextlib
import functools
import math
import mmap
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import feature
from .._extractor import _recipe
from .._extractor.extractor import Extractor
from ..core import power_to_db
from ..streaming import Extractor as Stream
from ..util._declared import FRAMES
from ..util._keywords import parameters_of
from ..util._types import Array
from ..util.exceptions import AudioError, ParameterError
from .recipes import Recipe
from .schema import Outcome, Part, Schema
from .store import is_full, open_file
from .tables import Spool

_SECONDS_BETWEEN = 0.01
_MIB = 1 << 20
# Blocks are cut so that the rows of one stay below this many bytes.
_BYTES_OF_A_BLOCK = 4 << 20
_LEAST_SAMPLES = 1 << 13


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

    def __init__(self, recipe: Recipe, schema: Schema, memory: int, folder: str | None) -> None:
        self._recipe, self._schema, self._memory = recipe, schema, memory
        self._own_folder = folder is not None
        self._folder = folder or tempfile.gettempdir()

    @functools.cached_property
    def _streams(self) -> dict[str, Streamed]:
        """What comes block by block, by feature."""
        streamed = streamed_of(self._recipe)
        # what another feature is made of must be there as a whole
        joined = {name for group in groups_of(self._recipe.spelled["features"]) if len(group) > 1 for name in group}
        return {name: streamed[name] for name, parts in self._schema.features.items()
                if name in streamed.keys() - joined and all(part.kind == FRAMES for part in parts)}  # fmt: skip

    @functools.cached_property
    def _wholes(self) -> list[Extractor]:
        """Extractors of what is no stream."""
        features = self._recipe.spelled["features"].items()
        rest = {name: spec for name, spec in features if name not in self._streams}
        return [Extractor(each) for each in groups_of(rest)]

    def __call__(self, y: Array) -> Outcome:
        """The `Outcome` of a file; rows of streams are a `Spool`."""
        with _given_back(y):
            outcome = self._streamed(y, self._streams)
            groups = self._with_room(y, outcome)
            if groups:
                with self._alone():
                    for group in groups:
                        outcome.update(self._computed(group, y))
        return outcome

    def _computed(self, group: Extractor, y: Array) -> Outcome:
        """The outcome of features that feed each other."""
        try:
            (values,) = group._outcomes([y])
        except Exception as error:
            values = dict.fromkeys(group.recipe["features"], error)
        outcome = Outcome(self._schema, values)
        for name, its_error in outcome.errors.items():
            if isinstance(its_error, MemoryError):
                text = (
                    f"a file of {self._seconds(y):.0f} s needs more than {self._memory / _MIB:.0f} MiB while it is "
                    "computed: --retry-failed with a larger --memory tries again"
                )
                outcome.fail(name, AudioError(text))
        return outcome

    def _streamed(self, y: Array, streamed: dict[str, Streamed]) -> Outcome:
        """The outcome of features that come block by block, all together; where one fails, each alone."""
        try:
            return Outcome.of_rows(self._schema, self._spooled(y, streamed))
        except Exception as error:
            if len(streamed) == 1:
                return Outcome(self._schema, dict.fromkeys(streamed, error))
            if is_full(error):
                raise
        outcome = Outcome(self._schema, {})
        for name, each in streamed.items():
            outcome.update(self._streamed(y, {name: each}))
        return outcome

    def _spooled(self, y: Array, streamed: dict[str, Streamed]) -> dict[str, Spool]:
        parts = [part for name in streamed for part in self._schema.features[name]]
        spools = {part.name: Spool(self._folder, len(part.columns), part.dtype) for part in parts}
        step = int(_BYTES_OF_A_BLOCK / max(bytes_per_second(parts), 1) * self._recipe.sr)
        for blocks in blocks_of(streamed, y, min(step, 1 << 18)) if parts else ():
            for part in parts:
                spools[part.name].append(part.rows(blocks[part.feature]))
        return spools

    def _with_room(self, y: Array, outcome: Outcome) -> list[Extractor]:
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

    def _bytes_of(self, group: Extractor, y: Array) -> float:
        parts = [part for name in group.recipe["features"] for part in self._schema.features[name]]
        return self._seconds(y) * bytes_per_second(parts)

    def _seconds(self, y: Array) -> float:
        return y.size / self._recipe.sr

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        import fcntl  # which Windows lacks

        descriptor = self._lock()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _lock(self) -> int:
        """A descriptor to lock: of the run's own folder, or, for all runs of a user, of a file."""
        if self._own_folder:
            return os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        path = os.path.join(self._folder, f"metalmom-{os.getuid()}.lock")
        return open_file(path, os.O_RDWR | os.O_CREAT, 0o600)


def bytes_per_second(parts: Iterable[Part]) -> float:
    """Bytes of the rows that a second of audio gives."""
    return sum(4 * len(part.columns) * part.per_second for part in parts)


def groups_of(features: dict[str, Any]) -> list[dict[str, Any]]:
    """Recipes of features that do not feed each other, in order."""
    groups: list[dict[str, Any]] = []
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


def _sources(spec: dict[str, Any]) -> Iterable[Any]:
    of = spec.get("of", {})
    return of.values() if isinstance(of, dict) else [of]


@contextlib.contextmanager
def _given_back(y: Array) -> Iterator[None]:
    """While the block runs, pages of the mapping of `y` that were read are let go again and again."""
    mapping = getattr(y, "_mmap", None)
    if mapping is None or not hasattr(mapping, "madvise"):
        yield
        return
    ended = threading.Event()

    def let_go() -> None:
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


class Streamed(NamedTuple):
    """A feature that streams have: what they are asked for.

    Attributes
    ----------
    request : dict
        The feature.
    bands : dict or None
        For levels, the mel spectrogram that they are of.
    """

    request: dict[str, Any]
    bands: dict[str, Any] | None


def blocks_of(features: dict[str, Streamed], y: Array, step: int) -> Iterator[dict[str, Any]]:
    """Yield frames of each feature by its name, for `step` samples at a time."""
    requests = {name: each.request for name, each in features.items()}
    bands = {name: each.bands for name, each in features.items() if each.bands}
    loudest = dict.fromkeys(bands, np.float32(0))
    for blocks in _stream(bands, y, step) if bands else ():
        for name, block in blocks.items():
            loudest[name] = max(loudest[name], block.max(initial=0))
    for name, power in loudest.items():
        requests[name] = {**requests[name], "peak": float(power_to_db(np.array([power]), top_db=None)[0])}
    return _stream(requests, y, step)


def _stream(requests: dict[str, dict[str, Any]], y: Array, step: int) -> Iterator[dict[str, Any]]:
    stream = Stream(requests)
    step = max(step, _LEAST_SAMPLES)
    for start in range(0, y.size, step):
        block = np.asarray(y[start : start + step])
        yield stream.process(block, last=start + step >= y.size)


def streamed_of(recipe: Recipe) -> dict[str, Streamed]:
    """Those features of a `Recipe` that come block by block: neither function nor arguments need the whole."""
    streamed: dict[str, Streamed] = {}
    for wanted in recipe.features:
        streams = wanted.function.declared.streams
        if streams is None or wanted.of or any(wanted.arguments.get(name) is not None for name in streams.without):
            continue
        request = {"feature": wanted.path, **wanted.arguments}
        with contextlib.suppress(ParameterError):  # as declared of its arguments
            Stream({wanted.name: request})
            streamed[wanted.name] = Streamed(request, _bands_of(wanted, streams.levels) if streams.levels else None)
    return streamed


def _bands_of(levels: _recipe.Feature, own: Iterable[str]) -> dict[str, Any]:
    """The mel spectrogram of a feature of levels, which has some parameters of its own."""
    known = parameters_of(feature.melspectrogram).keys() - {"y", "S", *own}
    arguments = levels.every_argument
    bands = {name: value for name, value in arguments.items() if name in known}
    if "mel_norm" in arguments:
        bands["norm"] = arguments["mel_norm"]
    return {"feature": "melspectrogram", **bands}
