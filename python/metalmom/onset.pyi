# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable, Sequence
from typing import Any, Literal, overload
import numpy as np
import numpy.typing as npt
from ._native import DeviceArray
from ._types import Int, Number

__all__ = [
    "onset_backtrack",
    "onset_detect",
    "onset_strength",
    "onset_strength_multi",
]

def onset_backtrack(
    events: npt.ArrayLike,
    energy: npt.NDArray[Any],
) -> npt.NDArray[np.integer[Any]]: ...
@overload
def onset_detect(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    backtrack: bool = False,
    energy: npt.NDArray[Any] | None = None,
    units: Literal["frames", "samples", "time"] = "frames",
    normalize: bool = True,
    sparse: Literal[True] = True,
    **kwargs: Any,
) -> npt.NDArray[np.integer[Any] | np.floating[Any]]: ...
@overload
def onset_detect(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    backtrack: bool = False,
    energy: npt.NDArray[Any] | None = None,
    units: Literal["frames", "samples", "time"] = "frames",
    normalize: bool = True,
    sparse: Literal[False],
    **kwargs: Any,
) -> npt.NDArray[np.bool_]: ...
@overload
def onset_detect(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    onset_envelope: npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    backtrack: bool = False,
    energy: npt.NDArray[Any] | None = None,
    units: Literal["frames", "samples", "time"] = "frames",
    normalize: bool = True,
    sparse: bool = True,
    **kwargs: Any,
) -> npt.NDArray[np.integer[Any] | np.floating[Any]] | npt.NDArray[np.bool_]: ...
@overload
def onset_strength(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    lag: Int = 1,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | None = None,
    detrend: bool = False,
    center: bool = True,
    feature: Callable[..., Any] | None = None,
    aggregate: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def onset_strength(
    *,
    y: DeviceArray,
    sr: Number = 22050,
    S: npt.NDArray[Any] | DeviceArray | None = None,
    lag: Int = 1,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | DeviceArray | None = None,
    detrend: bool = False,
    center: bool = True,
    feature: Callable[..., Any] | None = None,
    aggregate: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> DeviceArray: ...
@overload
def onset_strength(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    S: DeviceArray,
    lag: Int = 1,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | DeviceArray | None = None,
    detrend: bool = False,
    center: bool = True,
    feature: Callable[..., Any] | None = None,
    aggregate: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> DeviceArray: ...
@overload
def onset_strength(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | DeviceArray | None = None,
    lag: Int = 1,
    max_size: Int = 1,
    ref: DeviceArray,
    detrend: bool = False,
    center: bool = True,
    feature: Callable[..., Any] | None = None,
    aggregate: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> DeviceArray: ...
@overload
def onset_strength_multi(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    lag: Int = 1,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | None = None,
    detrend: bool = False,
    center: bool = True,
    feature: Callable[..., Any] | None = None,
    aggregate: Callable[..., Any] | Literal[False] | None = None,
    channels: Sequence[Int] | npt.NDArray[np.integer[Any]] | Sequence[slice] | None = None,
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def onset_strength_multi(
    *,
    y: DeviceArray,
    sr: Number = 22050,
    S: npt.NDArray[Any] | DeviceArray | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    lag: Int = 1,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | DeviceArray | None = None,
    detrend: bool = False,
    center: bool = True,
    feature: Callable[..., Any] | None = None,
    aggregate: Callable[..., Any] | Literal[False] | None = None,
    channels: Sequence[Int] | npt.NDArray[np.integer[Any]] | Sequence[slice] | None = None,
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]] | DeviceArray: ...
@overload
def onset_strength_multi(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    S: DeviceArray,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    lag: Int = 1,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | DeviceArray | None = None,
    detrend: bool = False,
    center: bool = True,
    feature: Callable[..., Any] | None = None,
    aggregate: Callable[..., Any] | Literal[False] | None = None,
    channels: Sequence[Int] | npt.NDArray[np.integer[Any]] | Sequence[slice] | None = None,
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]] | DeviceArray: ...
@overload
def onset_strength_multi(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | DeviceArray | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    lag: Int = 1,
    max_size: Int = 1,
    ref: DeviceArray,
    detrend: bool = False,
    center: bool = True,
    feature: Callable[..., Any] | None = None,
    aggregate: Callable[..., Any] | Literal[False] | None = None,
    channels: Sequence[Int] | npt.NDArray[np.integer[Any]] | Sequence[slice] | None = None,
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]] | DeviceArray: ...
