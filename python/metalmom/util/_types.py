"""What arguments and results are: the aliases of which every public signature is made.

An alias is a type, which type checkers read, and a rule in words, which an error says when a value is
not of it: ``sr: Positive`` refuses -1 with "sr=-1 must be a number > 0". `_boundary.rules` reads the
words of a signature, `_boundary.phrases` checks values by them. What a single function takes may stand
in its own signature, as ``Annotated[Array, "np.ndarray [shape=(2, n)]"]``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeVar

import numpy as np

from .._native import DeviceArray as DeviceArray

if TYPE_CHECKING:
    import cycler
    import distributed
    import matplotlib.artist
    import matplotlib.axes
    import matplotlib.cm
    import matplotlib.colors
    import matplotlib.figure
    import numpy.typing as npt
    import typing_extensions

    ArrayLike = npt.ArrayLike
    DTypeLike = npt.DTypeLike
    Artist = matplotlib.artist.Artist
    Axes = matplotlib.axes.Axes
    Client = distributed.Client
    Colormap = matplotlib.colors.Colormap
    Cycler = cycler.Cycler
    Figure = matplotlib.figure.Figure
    ScalarMappable = matplotlib.cm.ScalarMappable
else:  # what takes long to import, or may be missing
    ArrayLike = Annotated[Any, "array_like"]
    DTypeLike = Annotated[Any, "dtype_like"]
    Artist = Axes = Client = Colormap = Cycler = Figure = ScalarMappable = Any

Function = TypeVar("Function", bound=Callable[..., Any])
Scalar = TypeVar("Scalar", bound=np.generic)
"""The scalar type of an array whose results have the same."""
SparseArray = Annotated[Any, "scipy.sparse array"]


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

# Numbers.
Int = Annotated[int | np.integer[Any], "int"]
PositiveInt = Annotated[int | np.integer[Any], "int > 0"]
NonNegativeInt = Annotated[int | np.integer[Any], "int >= 0"]
Number = Annotated[float | np.floating[Any] | np.integer[Any], "number"]
Positive = Annotated[float | np.floating[Any] | np.integer[Any], "number > 0"]
NonNegative = Annotated[float | np.floating[Any] | np.integer[Any], "number >= 0"]
Fraction = Annotated[float | np.floating[Any] | np.integer[Any], "number from 0 to 1"]
InsideUnit = Annotated[float | np.floating[Any] | np.integer[Any], "number in (0, 1)"]
BelowOne = Annotated[float | np.floating[Any] | np.integer[Any], "number in [0, 1)"]
Probability = Annotated[float | np.floating[Any] | np.integer[Any], "number in [0, 1]"]
Quantile = Annotated[float | np.floating[Any] | np.integer[Any], "number between 0 and 1"]
Float = Annotated[float | np.floating[Any] | np.integer[Any], "float"]
PositiveFloat = Annotated[float | np.floating[Any] | np.integer[Any], "float > 0"]
Norm = Annotated[float | np.floating[Any] | np.integer[Any] | None, "{number, inf, None}"]
BasisNorm = Annotated[float | np.floating[Any] | np.integer[Any] | None, "{number >= 0, inf, None}"]
VectorNorm = Annotated[
    float | np.floating[Any] | np.integer[Any] | None, "{inf, -inf, 0, number > 0, None}"
]

# Audio and what is made of it. The axes are those that the words say.
Audio = Annotated[RealArray, "np.ndarray [shape=(..., n)], real floating-point"]
DoubleOrSingle = Annotated[NDArray[np.float32 | np.float64], "np.ndarray [shape=(..., n)], float32 or float64"]
Signal = Annotated[Array, "np.ndarray [shape=(..., n)]"]
FewChannels = Annotated[RealArray, "np.ndarray [shape=(n,) or (2, n)], real floating-point"]
Block = Annotated[Array, "np.ndarray [shape=(n,), or (channels, n) with channels > 1]"]
Spectrogram = Annotated[Array, "np.ndarray [shape=(..., d, t)]"]
FrequencySpectrogram = Annotated[Array, "np.ndarray [shape=(..., 1 + n_fft // 2, t)]"]
MelSpectrogram = Annotated[Array, "np.ndarray [shape=(..., n_mels, t)], non-negative"]
Cepstra = Annotated[Numbers, "np.ndarray [shape=(..., n_mfcc, t)], real"]
Envelope = Annotated[Array, "np.ndarray [shape=(..., m)]"]
RealEnvelope = Annotated[RealArray, "np.ndarray [shape=(..., m)], real floating-point"]
Bands = Annotated[Array, "np.ndarray [shape=(..., d, m)]"]
Row = Annotated[Array, "np.ndarray [shape=(m,)]"]
Vector = Annotated[Array, "np.ndarray [shape=(n,)]"]
Frequencies = Annotated[Array, "np.ndarray [shape=(d,)]"]
FrequenciesLike = Annotated[ArrayLike, "array_like, shape (n,)"]
States = Annotated[Array, "np.ndarray [shape=(n_states,)]"]
Transitions = Annotated[Array, "np.ndarray [shape=(n_states, n_states)]"]
Indices = Annotated[ArrayLike, "array_like of int"]
PositionsOf = Annotated[Array, "np.ndarray [shape=(x.shape[axis],) or x.shape]"]
Harmonics = Annotated[Sequence[Number] | Numbers, "sequence of numbers >= 0"]

# What else arguments are.
AudioFile = Annotated[
    str | os.PathLike[str] | int | np.integer[Any] | Readable | bytes,
    "str, os.PathLike, int, file object, bytes or soundfile.SoundFile",
]
Color = Annotated[str | tuple[float, ...], "color"]
HarmonicPercussiveInt = Annotated[
    int | np.integer[Any] | tuple[int | np.integer[Any], int | np.integer[Any]],
    "int > 0, or (harmonic, percussive)",
]
HarmonicPercussive = Annotated[
    float | np.floating[Any] | np.integer[Any] | tuple[float | np.floating[Any], float | np.floating[Any]],
    "number >= 1, or (harmonic, percussive)",
]
WinLength = Annotated[int | np.integer[Any], "int in 1 .. n_fft"]
PadMode = str | Callable[..., Any]
Prior = Annotated[Distribution, "distribution with a method `logpdf`"]
RealDtype = Annotated[DTypeLike, "real dtype"]
ComplexDtype = Annotated[DTypeLike, "complex dtype"]
DataType = Annotated[DTypeLike, "data type"]
Seed = Annotated[
    int | np.integer[Any] | np.random.Generator | np.random.RandomState | None,
    "None, int >= 0, np.random.Generator or np.random.RandomState",
]
Window = str | tuple[Any, ...] | Number | Callable[..., Any]
WindowSpec = str | tuple[Any, ...] | Number | Callable[..., Any] | Array
WindowLike = str | tuple[Any, ...] | Number | Callable[..., Any] | ArrayLike
WindowOfLength = (
    str | tuple[Any, ...] | Number | Callable[..., Any]
    | Annotated[Array, "np.ndarray [shape=(win_length,)]"]
)  # fmt: skip

# Audio on the host, or on a device; the result is where it is. Its numbers may be others (a spectrum).
_OnHost = Annotated[Array, "np.ndarray [shape=(..., n)], real floating-point"]
if TYPE_CHECKING:
    Placed = typing_extensions.TypeVar("Placed", _OnHost, DeviceArray, default=_OnHost)
else:
    Placed = TypeVar("Placed", _OnHost, DeviceArray)
