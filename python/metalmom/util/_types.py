"""What arguments and results are: the aliases of which every public signature is made.

An alias is a type, which type checkers read, and a rule (`util._rules`), which an error says when a value is
not of it: ``sr: Positive`` refuses -1 with "sr=-1 must be a number > 0". `_signatures` reads the rules of
a signature. What a single function takes may stand in its own signature, as
``Annotated[Array, array("2, n")]``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import numpy as np

from .._native import DeviceArray as DeviceArray
from ._rules import (
    Rule, array, array_like, dtype, either, integer, iterable, method, number, of_type, one_of, pair,
    sequence,
)  # fmt: skip

SparseArray = Annotated[Any, Rule("scipy.sparse array", lambda value: hasattr(value, "tocoo"))]

if TYPE_CHECKING:
    import typing_extensions
    from cycler import Cycler as Cycler
    from distributed import Client as Client
    from matplotlib.artist import Artist as Artist
    from matplotlib.axes import Axes as Axes
    from matplotlib.cm import ScalarMappable as ScalarMappable
    from matplotlib.collections import PatchCollection as PatchCollection, QuadMesh as QuadMesh
    from matplotlib.colorbar import Colorbar as Colorbar
    from matplotlib.colors import Colormap as Colormap
    from matplotlib.figure import Figure as Figure
    from matplotlib.legend import Legend as Legend
    from matplotlib.patheffects import AbstractPathEffect as AbstractPathEffect
    from numpy.typing import ArrayLike as ArrayLike, DTypeLike as DTypeLike
    from scipy.sparse import csc_array as csc_array, csr_array as csr_array
else:  # what takes long to import, or may be missing
    ArrayLike = Annotated[Any, array_like()]
    DTypeLike = Annotated[Any, dtype("dtype_like")]
    csc_array = csr_array = SparseArray
    AbstractPathEffect = Artist = Axes = Client = Colorbar = Colormap = Cycler = Figure = Any
    Legend = PatchCollection = QuadMesh = ScalarMappable = Any

Function = TypeVar("Function", bound=Callable[..., Any])
Scalar = TypeVar("Scalar", bound=np.generic)
"""The scalar type of an array whose results have the same."""


class Deprecated:
    """The default of a deprecated argument."""

    def __repr__(self) -> str:
        return "<DEPRECATED parameter>"


class Readable(Protocol):
    """A file object."""

    def read(self, size: int = ..., /) -> Any: ...


class Distribution(Protocol):
    """A frozen distribution of scipy.stats, or whatever has its `logpdf`."""

    def logpdf(self, x: Any, /) -> Any: ...


class DlpackArray(Protocol):
    """An array of another library, maybe on a device."""

    def __dlpack_device__(self) -> tuple[Any, Any]: ...


class CudaArray(Protocol):
    """An array that a CUDA library made."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


# Arrays, by the kind of their numbers.
NDArray = np.ndarray[Any, np.dtype[Scalar]]
Array = NDArray[Any]
RealArray = NDArray[np.floating[Any]]
ComplexArray = NDArray[np.complexfloating[Any, Any]]
InexactArray = NDArray[np.inexact[Any]]
IntArray = NDArray[np.integer[Any]]
BoolArray = NDArray[np.bool_]
StrArray = NDArray[np.str_]
ObjectArray = NDArray[np.object_]
Float64Array = NDArray[np.float64]
Numbers = NDArray[np.floating[Any] | np.integer[Any]]
Several = Sequence[Any] | Array
"""What an overload for several values takes, beside that for a number."""

# Numbers.
Real = float | np.floating[Any] | np.integer[Any]
Whole = int | np.integer[Any]
Int = Annotated[Whole, integer()]
PositiveInt = Annotated[Whole, integer(above=0)]
NonNegativeInt = Annotated[Whole, integer(least=0)]
Number = Annotated[Real, number()]
Positive = Annotated[Real, number(above=0)]
NonNegative = Annotated[Real, number(least=0)]
Fraction = Annotated[Real, number(least=0, most=1).called("number from 0 to 1")]
InsideUnit = Annotated[Real, number(above=0, below=1)]
BelowOne = Annotated[Real, number(least=0, below=1)]
Probability = Annotated[Real, number(least=0, most=1)]
Quantile = Annotated[Real, number(above=0, below=1).called("number between 0 and 1")]
Float = Annotated[Real, number("float")]
PositiveFloat = Annotated[Real, number("float", above=0)]
Norm = Annotated[Real | None, one_of(number(), np.inf, None)]
BasisNorm = Annotated[Real | None, one_of(number(least=0), np.inf, None)]
VectorNorm = Annotated[Real | None, one_of(np.inf, -np.inf, 0, number(above=0), None)]

# Audio and what is made of it. The axes are those that the words say.
Audio = Annotated[RealArray, array("..., n", values="real floating-point")]
DoubleOrSingle = Annotated[NDArray[np.float32 | np.float64], array("..., n", values="float32 or float64")]
Signal = Annotated[Array, array("..., n")]
FewChannels = Annotated[RealArray, array("n", "2, n", values="real floating-point")]
Block = Annotated[
    Array, array("n", "channels, n").called("np.ndarray [shape=(n,), or (channels, n) with channels > 1]")
]
Spectrogram = Annotated[Array, array("..., d, t")]
FrequencySpectrogram = Annotated[Array, array("..., 1 + n_fft // 2, t")]
MelSpectrogram = Annotated[Array, array("..., n_mels, t", values="non-negative")]
Cepstra = Annotated[Numbers, array("..., n_mfcc, t", values="real")]
Envelope = Annotated[Array, array("..., m")]
RealEnvelope = Annotated[RealArray, array("..., m", values="real floating-point")]
Bands = Annotated[Array, array("..., d, m")]
Row = Annotated[Array, array("m")]
Vector = Annotated[Array, array("n")]
Frequencies = Annotated[Array, array("d")]
FrequenciesLike = Annotated[ArrayLike, array_like("n")]
States = Annotated[Array, array("n_states")]
Transitions = Annotated[Array, array("n_states, n_states")]
Indices = Annotated[ArrayLike, array_like(of="int")]
PositionsOf = Annotated[Array, array().called("np.ndarray [shape=(x.shape[axis],) or x.shape]")]
Harmonics = Annotated[Sequence[Number] | Numbers, sequence(number(least=0))]

# What several functions take alike.
Reals = Annotated[Sequence[Number] | Numbers, sequence(number())]
Times = Annotated[Sequence[Number] | Numbers, sequence(number("float"))]
_REAL = either(array(values="real"), number())
RealValues = Annotated[Numbers | Number, _REAL.called("np.ndarray or number, real", has_commas=True)]
UnitValues = Annotated[Numbers | Number, _REAL.called("np.ndarray or number, real in [-1, 1]", has_commas=True)]
Ints = Annotated[Sequence[Int] | IntArray, sequence(integer())]
Slices = Annotated[Sequence[slice], sequence(of_type(slice))]
Strings = Annotated[Iterable[str], iterable(of_type(str))]
Labels = Annotated[Sequence[str], sequence(of_type(str))]
Observations = Annotated[Array, array("..., d, n")]
StepSizes = Annotated[ArrayLike, array_like("n, 2")]
StateProbabilities = Annotated[Numbers, array("..., n_states, n_steps", values="in [0, 1]")]
StateLikelihoods = Annotated[Numbers, array("..., n_states, n_steps", values="non-negative")]
BinaryProbabilities = Annotated[Numbers, array("..., n_states, n_steps", "n_steps", values="in [0, 1]")]
ProbabilityOfStates = Annotated[Numbers, array("n_states", values="in [0, 1]")]
BinaryTransitions = Annotated[Array, array("2, 2", "n_states, 2, 2")]
FilterState = Annotated[Array, array("1", "..., 1")]
Tempi = Annotated[Array, array("...", "..., 1", "..., m")]
Similarities = Annotated[Numbers, array("n, m", values="non-negative")]
Sequences = Annotated[Array, array("..., K, N")]
OtherSequences = Annotated[Array, array("..., K, M")]
Costs = Annotated[Array, array("N, M")]
OctaveIntervals = Annotated[ArrayLike, array_like(of="numbers from 1 to 2")]
NonNegativeArray = Annotated[Numbers, array(values="non-negative")]
RealNumbers = Annotated[Numbers, array(values="real")]

# What else arguments are.
AudioFile = Annotated[
    str | os.PathLike[str] | Whole | Readable | bytes,
    either(
        str, os.PathLike, int, method("read", "file object"), bytes, method("read", "soundfile.SoundFile")
    ),
]
Color = Annotated[str | tuple[float, ...], Rule("color")]
_PAIR = "(harmonic, percussive)"
HarmonicPercussiveInt = Annotated[
    Whole | tuple[Whole, Whole],
    either(integer(above=0), pair(_PAIR, integer(above=0))).called("int > 0, or (harmonic, percussive)", has_commas=True),
]
HarmonicPercussive = Annotated[
    Real | tuple[float | np.floating[Any], float | np.floating[Any]],
    either(number(least=1), pair(_PAIR, number(least=1))).called("number >= 1, or (harmonic, percussive)", has_commas=True),
]
WinLength = Annotated[Whole, integer(least=1, most="n_fft")]
PadMode = str | Callable[..., Any]
Prior = Annotated[Distribution, method("logpdf", "distribution with a method `logpdf`")]
RealDtype = Annotated[DTypeLike, dtype("real dtype", "biuf", article="a")]
ComplexDtype = Annotated[DTypeLike, dtype("complex dtype", "c", article="a")]
DataType = Annotated[DTypeLike, dtype("data type")]
Seed = Annotated[
    Whole | np.random.Generator | np.random.RandomState | None,
    either(NoneType, integer(least=0), np.random.Generator, np.random.RandomState),
]
Window = str | tuple[Any, ...] | Number | Callable[..., Any]
WindowSpec = Window | Array
WindowLike = Window | ArrayLike
WindowOfLength = Window | Annotated[Array, array("win_length")]

# Audio on the host, or on a device; the result is where it is. Its numbers may be others (a spectrum).
_OnHost = Annotated[Array, array("..., n", values="real floating-point")]
if TYPE_CHECKING:
    Placed = typing_extensions.TypeVar("Placed", _OnHost, DeviceArray, default=_OnHost)
else:
    Placed = TypeVar("Placed", _OnHost, DeviceArray)
