# Written by scripts/make_stubs.py from the docstrings.

from typing import Any, Literal, overload
import numpy as np
import numpy.typing as npt
from ._native import DeviceArray
from ._types import Distribution, Int, Number

__all__ = [
    "beat_track",
    "plp",
]

@overload
def beat_track(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    start_bpm: Number = 120.0,
    tightness: Number = 100,
    trim: bool = True,
    bpm: Number | npt.NDArray[Any] | None = None,
    prior: Distribution | None = None,
    units: Literal["frames", "samples", "time"] = "frames",
    sparse: Literal[True] = True,
) -> tuple[float | npt.NDArray[np.float64], npt.NDArray[np.integer[Any] | np.floating[Any]]]: ...
@overload
def beat_track(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    start_bpm: Number = 120.0,
    tightness: Number = 100,
    trim: bool = True,
    bpm: Number | npt.NDArray[Any] | None = None,
    prior: Distribution | None = None,
    units: Literal["frames", "samples", "time"] = "frames",
    sparse: Literal[False],
) -> tuple[float | npt.NDArray[np.float64], npt.NDArray[np.bool_]]: ...
@overload
def beat_track(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    start_bpm: Number = 120.0,
    tightness: Number = 100,
    trim: bool = True,
    bpm: Number | npt.NDArray[Any] | None = None,
    prior: Distribution | None = None,
    units: Literal["frames", "samples", "time"] = "frames",
    sparse: bool = True,
) -> tuple[float | npt.NDArray[np.float64], npt.NDArray[np.integer[Any] | np.floating[Any]]] | tuple[float | npt.NDArray[np.float64], npt.NDArray[np.bool_]]: ...
def plp(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[np.floating[Any]] | None = None,
    hop_length: Int = 512,
    win_length: Int = 384,
    tempo_min: Number | None = 30,
    tempo_max: Number | None = 300,
    prior: Distribution | None = None,
) -> npt.NDArray[np.floating[Any]]: ...
