"""Long audio in overlapping segments, and results of segments put together."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, overload

import numpy as np

from .. import core
from .._engine import _args
from ..filters import get_window
from ..util._checks import natural_int, require
from ..util._memory import refuse_beyond_memory
from ..util._public import public, strict
from ..util._rules import array, either, iterable
from ..util._types import Array, BelowOne, NonNegativeInt, PositiveInt, Window
from ..util._wording import no_array
from ..util.exceptions import DeviceError, ParameterError
from ..util.files import checked_path

__all__ = ["Segment", "overlap_add", "segments"]

Overlap = BelowOne

# Samples that a file is read by.
_SAMPLES_AT_ONCE = 1 << 16


@dataclasses.dataclass(frozen=True, eq=False)
class Segment:
    """A part of long audio, as `metalmom.segments` returns it.

    Attributes
    ----------
    samples : np.ndarray [shape=(..., length + 2 * context)]
        The part with its context. Samples before the beginning and after the end of the audio are zeros.
    start, stop : int
        The place of the segment: its result belongs to ``y[..., start:stop]``.
    before : int
        The number of `samples` before `start`.
    padding : tuple of int
        The numbers of zeros before and after the audio in `samples`.
    weights : np.ndarray [shape=(stop - start,)]
        The weight of each sample in the blend of overlapping segments.
    finished : int
        When the result of this segment is known, samples before this place are final.
    is_last : bool
        Whether this is the last segment.

    Examples
    --------
    >>> first, last = metalmom.segments(np.arange(6.0), 4, overlap=0.0)
    >>> last.samples, (last.start, last.stop, last.before), last.padding
    (array([3., 4., 5., 0.]), (4, 6, 1), (0, 1))
    """

    samples: Array
    start: int
    stop: int
    before: int
    padding: tuple[int, int]
    weights: Array
    finished: int
    is_last: bool = False

    def __post_init__(self) -> None:
        places = {name: getattr(self, name) for name in ("start", "stop", "before", "finished")}
        for name, place in places.items():
            natural_int(name, place)
        require(self.start < self.stop, "stop", self.stop, f"above start={self.start}")
        require(self.start <= self.finished <= self.stop, "finished", self.finished, "from start to stop")
        samples, weights, size = self.samples, self.weights, self.stop - self.start
        is_array = isinstance(samples, np.ndarray) and samples.ndim > 0 and samples.dtype.kind in "biufc"
        require(is_array, "samples", samples, "an array of numbers (..., n)")
        room = samples.shape[-1] - size
        require(self.before <= room, "before", self.before, f"at most {room}, since {size} samples follow")
        require(_are_weights(weights, size), "weights", weights, f"{size} finite numbers of 0 or more")

    def with_samples(self, samples: Array) -> Segment:
        """Return a segment with the same place and other samples, the result of a function.

        Parameters
        ----------
        samples : np.ndarray [shape=(..., length + 2 * context)]
            As many samples as before. Other axes may differ.

        Returns
        -------
        Segment

        Raises
        ------
        ParameterError
            For another number of samples.
        """
        size = self.samples.shape[-1]
        try:
            samples = np.asarray(samples)
        except ValueError:  # lists of different lengths, or too deep
            raise no_array("samples", samples) from None
        if samples.ndim == 0 or samples.shape[-1] != size or samples.dtype.kind not in "biufc":
            raise ParameterError("samples", samples, f"numbers of shape (..., {size}), as many as were cut")
        return dataclasses.replace(self, samples=samples)


def step_of(length: int, overlap: float) -> int:
    """Samples from the begin of a segment to that of the next."""
    return max(int((1 - overlap) * length), 1)


class Cutter:
    """Cuts what comes block by block.

    Segment k begins at k times the step, and the last one ends where the audio does. A shorter one stands in
    the middle of its samples, with what lies around it: `_read` says where these begin.

    Parameters
    ----------
    weights : np.ndarray [shape=(length,)]
        One for each sample of a segment.
    overlap : float in [0, 1)
        The part of a segment that the next one covers.
    context : int
        Samples around a segment.
    waits : bool
        Whether a segment is given only when a sample after it has come, so that `end` gives the last one.
    """

    def __init__(self, weights: Array, overlap: float, context: int = 0, waits: bool = False) -> None:
        self._weights, self._context, self._waits = weights, context, waits
        self._length = len(weights)
        self.step = step_of(self._length, overlap)
        self._next = 0  # where the next segment begins
        self._first = self._stop = 0  # from here to there samples are kept
        self._kept: list[Array] = []  # blocks, joined when a segment is cut

    def begin_at(self, place: int) -> int:
        """Begin with the first segment that reaches beyond a place; give the first sample that it needs."""
        self._next = max(0, -(-(place - self._length + 1) // self.step)) * self.step
        return max(0, self._read(self._next, 1))

    def skip_to(self, place: int) -> None:
        """Let the first block begin there."""
        self._first = self._stop = place

    def _read(self, start: int, length: int) -> int:
        """Where the samples of a segment begin."""
        return start - self._context - (self._length - length) // 2

    def push(self, block: Array) -> Iterator[Segment]:
        """Take a block; yield the segments that are complete."""
        self._kept.append(block)
        self._stop += block.shape[-1]
        while self._next + self._length + self._context + self._waits <= self._stop:
            yield self._cut(self._next + self._length, self._next + self.step)
        if self._kept[-1] is block:  # whose owner may fill it again
            self._kept[-1] = block.copy()

    def end(self) -> Iterator[Segment]:
        """Yield the segments that reach the end."""
        while self._next < self._stop:
            stop, finished = self._next + self._length, self._next + self.step
            yield self._cut(min(stop, self._stop), min(finished, self._stop), finished >= self._stop)

    def _cut(self, stop: int, finished: int, is_last: bool = False) -> Segment:
        kept = self._kept[0] if len(self._kept) == 1 else np.concatenate(self._kept, axis=-1)
        start, size = self._next, self._length + 2 * self._context
        begin = self._read(start, stop - start)
        left, right = max(0, -begin), max(0, begin + size - self._stop)
        samples = np.zeros((*kept.shape[:-1], size), kept.dtype)
        first = begin + left - self._first
        samples[..., left : size - right] = kept[..., first : first + size - left - right]
        self._next += self.step
        drop = max(0, self._read(self._next, 1) - self._first)
        self._kept = [kept[..., drop:].copy()]
        self._first += drop
        weights = self._weights[: stop - start]
        return Segment(samples, start, stop, start - begin, (left, right), weights, finished, is_last)


class Joiner:
    """Puts results of segments together, in their order.

    Where segments overlap, the result is the mean with the segments' weights. It is kept as the mean so far,
    which a new value draws towards itself: so equal values stay what they are to the last bit.
    """

    def __init__(self) -> None:
        self._mean: Array | None = None
        self._weights: Array = np.empty(0)

    def push(self, segment: Segment) -> Array:
        """Take a segment's result; give the samples that no later one changes."""
        values = segment.samples[..., segment.before : segment.before + segment.stop - segment.start]
        if values.dtype.kind not in "fc":
            values = values.astype(np.float64)
        mean = values[..., :0] if self._mean is None else self._mean
        n, size = mean.shape[-1], values.shape[-1]
        total = self._weights + segment.weights[:n]
        share = np.divide(segment.weights[:n], total, out=np.zeros(n), where=total > 0)
        share = share.astype(values.real.dtype)
        new = values[..., :n]
        with np.errstate(invalid="ignore"):  # of infinities
            blended = np.where(mean == new, mean, mean + share * (new - mean))
        joined = np.concatenate([blended, values[..., n:]], axis=-1)
        ready = segment.finished - segment.start
        self._mean = joined[..., ready:].copy()
        self._weights = np.append(total, segment.weights[n:size])[ready:]
        return joined[..., :ready]


def triangle(length: int, power: float = 1.0) -> Array:
    """Weights of a segment that rise to its middle and fall from there, from above 0 to 1."""
    rising = np.minimum(np.arange(1, length + 1), np.arange(length, 0, -1))
    return (rising / rising.max()) ** power


def _are_weights(given: Any, size: int) -> bool:
    is_array = isinstance(given, np.ndarray) and given.shape == (size,) and given.dtype.kind in "biuf"
    return is_array and bool((given >= 0).all() and np.isfinite(given).all())


def _weights_of(window: Any, length: int) -> Array:
    if window is None:
        return triangle(length)
    weights = np.asarray(get_window(window, length, fftbins=False), dtype=np.float64)
    good = _are_weights(weights, length) and weights.sum() > 0
    require(good, "window", window, f"{length} finite weights, none of them negative and not all 0")
    return weights


def blocks_of_file(
    path: str | os.PathLike[str], sr: float | None = None, size: int = _SAMPLES_AT_ONCE
) -> Iterator[Array]:
    """The audio of a file, block by block."""
    return core.stream(path, block_length=1, frame_length=size, hop_length=size, sr=sr, mono=False)


def blocks_of_array(y: Array, size: int) -> Iterator[Array]:
    """Views of an array, one after the other."""
    return (y[..., i : i + size] for i in range(0, y.shape[-1], size))


def _blocks_of(given: Any, size: int) -> Iterator[Array]:
    y = given
    if _args.on_device(y):
        raise DeviceError("y", y, "an array of numbers", kind="array")
    if isinstance(y, np.ndarray):
        if y.ndim == 0 or not y.shape[-1]:
            raise ParameterError("y.shape", y.shape, "have at least one sample", verb="must")
        y = blocks_of_array(_args.warn_of_turned(y), size)
    elif isinstance(y, (str, os.PathLike)):
        y = blocks_of_file(checked_path("y", y))
    elif not isinstance(y, Iterable):
        raise ParameterError("y", y, "an array, blocks one after the other, or the path of a file")
    first = None
    for block in y:
        if not isinstance(block, np.ndarray):
            raise no_array("y", given)
        first = block if first is None else first
        if block.dtype.kind not in "biufc" or block.dtype != first.dtype:
            raise ParameterError("y.dtype", block.dtype, "numbers, of one type in all blocks")
        if block.ndim == 0 or block.shape[:-1] != first.shape[:-1]:
            rule = f"{first.shape} but for the last axis, as of the first block"
            raise ParameterError("y.shape", block.shape, rule)
        yield block


@public
@strict
def segments(
    y: Annotated[
        Array | str | os.PathLike[str] | Iterable[Array],
        either(array("..., n"), str, os.PathLike, iterable(array("..., n"))),
    ],
    length: PositiveInt,
    overlap: Overlap = 0.25,
    window: Window | None = None,
    *,
    context: NonNegativeInt = 0,
) -> Iterator[Segment]:
    """Cut long audio into overlapping segments.

    `metalmom.overlap_add` joins the results of a function of the segments. Of blocks or a file, only one
    segment and its context are in memory at a time.

    Segment k begins at sample ``k * int((1 - overlap) * length)``. All segments have the same number of
    samples. If the end of the audio makes the last segment shorter, it is placed in the middle of its
    samples, with the audio around it.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], iterable of such, str or os.PathLike
        Audio, or other data whose last axis is time; an iterable of blocks in order; or the path of a file.
    length : int > 0
        Length of a segment in samples.
    overlap : number >= 0 and below 1
        The part of a segment that the next one covers.
    window : str, tuple, number, callable or None
        The weights that blend overlapping results, as for `metalmom.filters.get_window`; by default a
        triangle. They need not sum to 1, because `overlap_add` divides by their sum.
    context : int >= 0
        The number of samples before and after a segment to add to it, for functions that need context.

    Yields
    ------
    Segment
        A copy of the samples, and their place.

    Raises
    ------
    ParameterError
        For audio without samples, blocks of different shapes, or negative weights.
    AudioError, FileNotFoundError
        As `metalmom.stream`, for a file.

    See Also
    --------
    metalmom.overlap_add : joins the results.

    Examples
    --------
    >>> y = np.arange(10.0)
    >>> [(each.start, each.stop) for each in metalmom.segments(y, 4, overlap=0.5)]
    [(0, 4), (2, 6), (4, 8), (6, 10), (8, 10)]
    >>> louder = (each.with_samples(2 * each.samples) for each in metalmom.segments(y, 4))
    >>> metalmom.overlap_add(louder)
    array([ 0.,  2.,  4.,  6.,  8., 10., 12., 14., 16., 18.])
    """
    length, context = int(length), int(context)
    large = ("context", context) if context > length else ("length", length)
    refuse_beyond_memory(*large, 8 * (length + 2 * context))
    cutter = Cutter(_weights_of(window, length), float(overlap), context, waits=True)
    for block in _blocks_of(y, cutter.step):
        yield from cutter.push(block)
    yield from cutter.end()


@overload
def overlap_add(segments: Iterable[Segment], *, blocks: Literal[False] = ...) -> Array: ...
@overload
def overlap_add(segments: Iterable[Segment], *, blocks: Literal[True]) -> Iterator[Array]: ...
@public
def overlap_add(segments: Iterable[Segment], *, blocks: bool = False) -> Array | Iterator[Array]:
    """Join the results of segments.

    Overlapping segments are averaged with their weights. Equal values keep all of their bits, so unchanged
    segments give exactly the audio from which they were cut.

    Parameters
    ----------
    segments : iterable of Segment
        All segments of `metalmom.segments`, in their order, each with the result of a function: as many
        samples, with any other axes. If the first or the last segment is missing, they are refused, because
        the result would be shorter than the audio.
    blocks : bool
        Whether to yield the result block by block, as soon as no later segment changes it, instead of
        returning one array.

    Returns
    -------
    np.ndarray [shape=(..., n)], or iterator of such
        Floating-point or complex, like the samples; float64 for integers.

    Raises
    ------
    ParameterError
        If a segment is missing, or samples have a wrong shape.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=8000, length=30000)
    >>> parts = metalmom.segments(y, 8000, overlap=0.5)
    >>> bool((metalmom.overlap_add(parts) == y).all())
    True

    A function of audio, one second at a time:

    >>> parts = metalmom.segments(y, 8000, context=100)
    >>> smooth = (each.with_samples(np.convolve(each.samples, np.ones(9) / 9, "same")) for each in parts)
    >>> metalmom.overlap_add(smooth).shape
    (30000,)
    """
    require(np.iterable(segments), "segments", segments, "an iterable of Segment")
    joined = _joined(segments)
    if blocks:
        return joined
    parts = [*joined]
    if not parts:
        raise ParameterError("segments", rule="at least one segment")
    return np.concatenate(parts, axis=-1)


def _joined(segments: Any) -> Iterator[Array]:
    joiner, lead, start, is_last = Joiner(), None, 0, True
    for place, segment in enumerate(segments):
        name = f"segments[{place}]"
        if not isinstance(segment, Segment):
            raise ParameterError(name, segment, "a Segment of metalmom.segments")
        lead = segment.samples.shape[:-1] if lead is None else lead
        if segment.samples.shape[:-1] != lead:
            shape, rule = segment.samples.shape, f"begin with {lead}, as the first"
            raise ParameterError(f"{name}.samples.shape", shape, rule, verb="must")
        rule = f"{start}: all segments, in their order"
        require(segment.start == start, f"{name}.start", segment.start, rule)
        start, is_last = segment.finished, segment.is_last
        yield joiner.push(segment)
    if not is_last:
        rule = f"have all segments: those from {start} on are missing"
        raise ParameterError("segments", rule=rule, verb="must")
