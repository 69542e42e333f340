# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable
from typing import Any, overload
import numpy as np
import numpy.typing as npt
from .._native import DeviceArray
from .._types import Int, Number

__all__ = [
    "estimate_tuning",
    "piptrack",
    "pitch_tuning",
    "pyin",
    "yin",
]

def estimate_tuning(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int | None = 2048,
    resolution: Number = 0.01,
    bins_per_octave: Int = 12,
    **kwargs: Any,
) -> float: ...
def piptrack(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int | None = None,
    fmin: Number = 150.0,
    fmax: Number = 4000.0,
    threshold: Number = 0.1,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    ref: Number | Callable[..., Any] | None = None,
) -> tuple[npt.NDArray[np.floating[Any]], npt.NDArray[np.floating[Any]]]: ...
def pitch_tuning(
    frequencies: npt.ArrayLike,
    *,
    resolution: Number = 0.01,
    bins_per_octave: Int = 12,
) -> float: ...
def pyin(
    y: npt.NDArray[np.floating[Any]],
    *,
    fmin: Number,
    fmax: Number,
    sr: Number = 22050,
    frame_length: Int = 2048,
    hop_length: Int | None = None,
    n_thresholds: Int = 100,
    beta_parameters: tuple[Number, Number] = (2, 18),
    boltzmann_parameter: Number = 2,
    resolution: Number = 0.1,
    max_transition_rate: Number = 35.92,
    switch_prob: Number = 0.01,
    no_trough_prob: Number = 0.01,
    fill_na: Number | None = ...,
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    transition_min_prob: Number = 0.0001,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.float64]]: ...
@overload
def yin(
    y: npt.NDArray[np.floating[Any]],
    *,
    fmin: Number,
    fmax: Number,
    sr: Number = 22050,
    frame_length: Int = 2048,
    hop_length: Int | None = None,
    trough_threshold: Number = 0.1,
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
) -> npt.NDArray[np.float64]: ...
@overload
def yin(
    y: DeviceArray,
    *,
    fmin: Number,
    fmax: Number,
    sr: Number = 22050,
    frame_length: Int = 2048,
    hop_length: Int | None = None,
    trough_threshold: Number = 0.1,
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
) -> DeviceArray: ...
