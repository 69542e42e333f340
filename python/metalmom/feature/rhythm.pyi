# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable, Sequence
from typing import Any, overload
import numpy as np
import numpy.typing as npt
from .._native import DeviceArray
from .._types import Distribution, Int, Number

__all__ = [
    "fourier_tempogram",
    "hybrid_tempogram",
    "metrogram",
    "tempo",
    "tempogram",
    "tempogram_ratio",
]

@overload
def fourier_tempogram(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[np.floating[Any]] | None = None,
    hop_length: Int = 512,
    win_length: Int = 384,
    center: bool = True,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
) -> npt.NDArray[np.complexfloating[Any, Any]]: ...
@overload
def fourier_tempogram(
    *,
    y: DeviceArray,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    hop_length: Int = 512,
    win_length: Int = 384,
    center: bool = True,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
) -> DeviceArray: ...
@overload
def fourier_tempogram(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: DeviceArray,
    hop_length: Int = 512,
    win_length: Int = 384,
    center: bool = True,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
) -> DeviceArray: ...
def hybrid_tempogram(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    hop_length: Int = 512,
    win_length: Int = 384,
    center: bool = True,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    **kwargs: Any,
) -> npt.NDArray[np.float32 | np.float64]: ...
def metrogram(
    *,
    tg: npt.NDArray[np.inexact[Any]],
    freqs: npt.NDArray[Any],
    factors: Sequence[Number] | npt.NDArray[np.floating[Any] | np.integer[Any]] | None = None,
    aggregate: Callable[..., Any] | None = ...,
    kind: str = "linear",
    fill_value: Number = 0,
) -> npt.NDArray[np.floating[Any]]: ...
def tempo(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[Any] | None = None,
    tg: npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    start_bpm: Number = 120,
    std_bpm: Number = 1.0,
    ac_size: Number = 8.0,
    max_tempo: Number | None = 320.0,
    aggregate: Callable[..., Any] | None = ...,
    prior: Distribution | None = None,
) -> npt.NDArray[np.float64]: ...
@overload
def tempogram(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    win_length: Int = 384,
    center: bool = True,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    norm: Number | None = ...,
) -> npt.NDArray[np.float64]: ...
@overload
def tempogram(
    *,
    y: DeviceArray,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[Any] | DeviceArray | None = None,
    hop_length: Int = 512,
    win_length: Int = 384,
    center: bool = True,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    norm: Number | None = ...,
) -> DeviceArray: ...
@overload
def tempogram(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: DeviceArray,
    hop_length: Int = 512,
    win_length: Int = 384,
    center: bool = True,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    norm: Number | None = ...,
) -> DeviceArray: ...
def tempogram_ratio(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[Any] | DeviceArray | None = None,
    tg: npt.NDArray[Any] | None = None,
    bpm: Number | npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    win_length: Int = 384,
    start_bpm: Number = 120,
    std_bpm: Number = 1.0,
    max_tempo: Number | None = 320.0,
    freqs: npt.NDArray[Any] | None = None,
    factors: Sequence[Number] | npt.NDArray[np.floating[Any] | np.integer[Any]] | None = None,
    aggregate: Callable[..., Any] | None = None,
    prior: Distribution | None = None,
    center: bool = True,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    kind: str = "linear",
    fill_value: Number = 0,
    norm: Number | None = ...,
) -> npt.NDArray[np.floating[Any]]: ...
