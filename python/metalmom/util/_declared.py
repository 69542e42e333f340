"""What a public function is, declared beside it: what it gives of audio, and how streams have it.

Recipes and their tables, the classes of `metalmom.streaming`, long files, ``--list-features`` and
``--describe`` read these declarations; nothing is run to find out what it gives. What runs on a device is
declared here, too: warm-up, ``metalmom doctor``, the table of docs/gpu.md and tests read that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .. import _native
from ._types import Function, Int, Number

__all__ = [
    "AUDIO", "EVENTS", "FRAMES", "VALUE", "Array", "Events", "Fitted", "Frames", "Like", "Refusal",
    "Samples", "Step", "Streamed", "Value", "Windows", "as_feature", "bins", "centred", "has_kernels", "hops",
    "outputs_of", "typed", "windows",
]  # fmt: skip

FRAMES, VALUE, EVENTS = "frames", "value", "events"


def as_feature(
    returns: Any = None, *, streams: Streamed | None = None, listed: bool = True, whole: str = ""
) -> Callable[[Function], Function]:
    """Declare a function a feature: recipes, which may be other people's data, can name it.

    It computes arrays from arrays and numbers, and neither opens nor changes anything else.

    Parameters
    ----------
    returns : Output, tuple of Output, or callable, optional
        What it gives; a callable says it of the arguments, which are its argument's attributes. Without
        it no array has a row a frame or a row a file, and tables cannot have the feature.
    streams : Streamed, optional
        How it comes block by block; without it the whole signal is needed.
    whole : str
        Why that is needed, for those who ask for a stream.
    listed : bool
        Whether ``metalmom extract --list-features`` shows it. What gives audio, a row a sample or other
        units is no column that one asks for by itself.
    """

    def declare(function: Function) -> Function:
        function.declared = Declaration(returns, streams, listed, whole)  # type: ignore[attr-defined]
        return function

    return declare


class Declaration(NamedTuple):
    """What `as_feature` was told."""

    returns: Any
    streams: "Streamed | None"
    listed: bool
    whole: str


def has_kernels(
    takes: str, *examples: Callable[..., Any], tolerance: float = 1e-5
) -> Callable[[Function], Function]:
    """Declare that a function runs on a device.

    Parameters
    ----------
    takes : str
        What it takes there, for the table of docs/gpu.md.
    *examples : callable
        Each gives arguments of a call that a kernel serves, made of an `Example` (`_warmup.py`); of audio
        where there are none.
    tolerance : float
        How far its results may be from those of the CPU, as a share of the largest: by default what kernels in
        float32 promise.
    """

    def declare(function: Function) -> Function:
        made: Any = function
        made.kernels = Kernels(takes, examples or (lambda of: {"y": of.y},), tolerance)
        return function

    return declare


class Kernels(NamedTuple):
    """What `has_kernels` was told."""

    takes: str
    examples: tuple[Callable[..., Any], ...]
    tolerance: float


class Array(NamedTuple):
    """What is known of an array before it is computed.

    `numbers` is float, complex, int or bool, and `frames` says from step to step how many there are of a
    number of samples: arrays of equal `frames` have equally many. They are the last axis, or the one of
    `axis`.
    """

    kind: str
    rows: tuple[int, ...]
    numbers: type
    frames: tuple[Step, ...]
    axis: int = -1

    def count(self, n_samples: int) -> int:
        """How many frames so many samples of audio have."""
        for step in self.frames:
            n_samples = step.count(n_samples)
        return n_samples


_NUMBERS = {"f": float, "c": complex, "i": int, "u": int, "b": bool}

# Parameters that are one-dimensional for one signal; of others the last axis before time is rows.
_SIGNALS = ("y", "onset_envelope")

# A signal, as files have it: a frame a sample.
AUDIO = Array(FRAMES, (), float, ())


class Windows(NamedTuple):
    """Windows of `size` entries, one every `hop`; of centred ones one more fits in as that many are padded."""

    size: int
    hop: int

    def count(self, n: int) -> int:
        return max(1 + (n - self.size) // self.hop, 0)


class Fitted(NamedTuple):
    """Zeros after what is shorter than `least`, and of what is longer `most`."""

    least: int
    most: int | None = None

    def count(self, n: int) -> int:
        return max(n if self.most is None else min(n, self.most), self.least)


class Owned(NamedTuple):
    """As many entries as only the feature `owner` knows, about `times` those before."""

    owner: str
    times: Number

    def count(self, n: int) -> int:
        return int(n * self.times)


Step = Windows | Fitted | Owned


def windows(size: Int, hop: Int, center: object) -> tuple[Step, ...]:
    """The step from entries to windows of them; none where it changes no number."""
    if hop < 1:
        raise ValueError("no windows follow each other")
    step = Windows(int(size % 2 if center else size), int(hop))
    return () if step == (1, 1) else (step,)


def spans(given: SimpleNamespace) -> tuple[Step, ...]:
    """Frames of audio by the arguments of a function that cuts it: `n_fft` (or `frame_length`) and others."""
    size = given.n_fft if hasattr(given, "n_fft") else given.frame_length
    return windows(size, _hop_length(given, size), given.center)


def _hop_length(given: SimpleNamespace, size: Int) -> Int:
    hop_length = given.hop_length
    return (getattr(given, "win_length", None) or size) // 4 if hop_length is None else hop_length


def centred(given: SimpleNamespace) -> tuple[Step, ...]:
    """Frames of audio that are centred at every `hop_length` samples, however long they are."""
    return windows(0, given.hop_length, True)


@dataclasses.dataclass(frozen=True)
class Output:
    """One array that a feature gives.

    Attributes
    ----------
    rows : int, str, tuple or callable
        The shape of a frame or of the value: numbers, the parameter that says it, or what says it of the
        arguments.
    unit : str
    name : str
        What tells it from the others of its function; by default its position.
    numbers : type or callable
        float, complex, int or bool, or what says it of the arguments.
    """

    rows: Any = ()
    _: dataclasses.KW_ONLY
    unit: str = ""
    name: str = ""
    numbers: type | Callable[[SimpleNamespace], type] = float
    kind: ClassVar[str]

    def array(self, given: SimpleNamespace) -> Array:
        """What is known of it, by the arguments `given` and their `source`, what the feature is made of."""
        rows = (*given.lead, *_shape(self.rows, given))
        return Array(self.kind, rows, self._numbers(given), self._frames(given))

    def _numbers(self, given: SimpleNamespace) -> type:
        return self.numbers if isinstance(self.numbers, type) else self.numbers(given)

    def _frames(self, given: SimpleNamespace) -> tuple[Step, ...]:
        return ()


def _shape(rows: Any, given: SimpleNamespace) -> tuple[int, ...]:
    said = rows(given) if callable(rows) else getattr(given, rows) if isinstance(rows, str) else rows
    return tuple(map(int, said)) if isinstance(said, tuple) else (int(said),)


@dataclasses.dataclass(frozen=True)
class Frames(Output):
    """An entry a frame: `at` gives the frames of audio, `then` those made of any source's frames, on `axis`."""

    _: dataclasses.KW_ONLY
    at: Callable[[SimpleNamespace], tuple[Step, ...]] = spans
    then: Callable[[SimpleNamespace], tuple[Step, ...]] = lambda given: ()
    axis: int = -1
    kind = FRAMES

    def array(self, given: SimpleNamespace) -> Array:
        return super().array(given)._replace(axis=self.axis)

    def _frames(self, given: SimpleNamespace) -> tuple[Step, ...]:
        frames = self.at(given) if given.source is AUDIO else given.source.frames
        return (*frames, *self.then(given))


@dataclasses.dataclass(frozen=True)
class Value(Output):
    """One value a signal."""

    kind = VALUE


@dataclasses.dataclass(frozen=True)
class Events(Output):
    """As many numbers as there are events."""

    kind = EVENTS

    def array(self, given: SimpleNamespace) -> Array:
        return Array(EVENTS, (), self._numbers(given), ())


@dataclasses.dataclass(frozen=True)
class Like(Output):
    """An array of the kind and frames of what it is made of; and of its rows and numbers, unless these are said.

    `times` makes it longer or shorter by about as much.
    """

    rows: Any = None
    _: dataclasses.KW_ONLY
    numbers: type | Callable[[SimpleNamespace], type] = lambda given: given.source.numbers
    times: Callable[[SimpleNamespace], Number] | None = None

    def array(self, given: SimpleNamespace) -> Array:
        source = given.source
        rows = source.rows if self.rows is None else _shape(self.rows, given)
        return Array(source.kind, rows, self._numbers(given), self._frames(given))

    def _frames(self, given: SimpleNamespace) -> tuple[Step, ...]:
        longer = () if self.times is None else (Owned(given.name, self.times(given)),)
        return (*given.source.frames, *longer)


@dataclasses.dataclass(frozen=True)
class Samples(Like):
    """Audio of a length of its own, about `times` that of what it is made of."""

    rows: Any = ()
    _: dataclasses.KW_ONLY
    numbers: type | Callable[[SimpleNamespace], type] = float
    times: Callable[[SimpleNamespace], Number] = lambda given: 1.0

    def array(self, given: SimpleNamespace) -> Array:
        return super().array(given)._replace(kind=FRAMES)


def bins(given: SimpleNamespace) -> int:
    """How many bins a transform of `n_fft` samples has, or a spectrogram in its place."""
    return int(1 + given.n_fft // 2 if given.source is AUDIO else given.source.rows[-1])


def typed(default: type) -> Callable[[SimpleNamespace], type]:
    """Numbers by an argument `dtype`; `default` without it."""
    return lambda given: _NUMBERS[np.dtype(given.dtype).kind] if given.dtype else default


def hops(given: SimpleNamespace) -> Int:
    """How many samples a frame of a spectrogram stands for."""
    return _hop_length(given, getattr(given, "n_fft", None) or 2 * (given.source.rows[-1] - 1))


def outputs_of(
    function: Any, name: str, arguments: dict[str, Any], keyword: str = "y", source: Array = AUDIO
) -> tuple[Any, list[Array]]:
    """What a function gives: an Output, a tuple of them, or None; and of each what is known of its array.

    Parameters
    ----------
    function : callable
        A feature.
    name : str
        What a recipe calls it.
    arguments : dict
        All of them, with defaults.
    keyword, source : str, Array
        What the feature is made of.

    Returns
    -------
    returns : Output, tuple of Output, or None
    arrays : list of Array
    """
    given = SimpleNamespace(**arguments)
    given.source, given.name = source, name
    given.lead = source.rows if keyword in _SIGNALS else source.rows[:-1]
    returns = function.declared.returns
    if callable(returns):
        returns = returns(given)
    outputs = returns if isinstance(returns, tuple) else (returns,)
    return returns, [each.array(given) for each in outputs if each is not None]


class Refusal(NamedTuple):
    """An argument that a stream is refused, because it does not know the whole signal.

    Attributes
    ----------
    parameter : str
    when : callable
        Whether a value of it is refused.
    rule : str
        What it must be instead, and why.
    part : str
        That of the argument which the error names: ``".ndim"``.
    is_shown : bool
        Whether the error shows the value.
    """

    parameter: str
    when: Callable[[Any], bool]
    rule: str
    part: str = ""
    is_shown: bool = True


class Streamed(NamedTuple):
    """The class of `metalmom.streaming` that gives a feature block by block.

    Attributes
    ----------
    name : str
        Of the class.
    title : str
        What it gives, of a stream.
    example : str
        Arguments.
    shape : tuple[Any, ...]
        What 4096 samples then give.
    without : tuple of str
        Parameters that have a value for every frame of the signal, or stand in its place.
    refuses : tuple of Refusal
    levels : tuple of str
        For levels of mel bands, which end below the loudest of the whole signal: its parameters that are not of
        the mel spectrogram.
    pad_modes : tuple of str
        Values of `pad_mode` that read no far end of the signal.
    note : str
        What else is to be said.
    """

    name: str
    title: str
    example: str
    shape: tuple[int, ...]
    without: tuple[str, ...] = ("S",)
    refuses: tuple[Refusal, ...] = ()
    levels: tuple[str, ...] = ()
    pad_modes: tuple[str, ...] = tuple(sorted(_native.pad_modes))
    note: str = ""
