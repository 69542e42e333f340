# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeVar, overload
import numpy as np
import numpy.typing as npt
from ._native import DeviceArray
from ._types import Int, Number

_Scalar = TypeVar("_Scalar", bound=np.generic)

__all__ = [
    "deemphasis",
    "harmonic",
    "hpss",
    "percussive",
    "pitch_shift",
    "preemphasis",
    "remix",
    "split",
    "time_stretch",
    "trim",
]

@overload
def deemphasis(
    y: npt.NDArray[_Scalar],
    *,
    coef: Number = 0.97,
    zi: Number | npt.NDArray[Any] | None = None,
    return_zf: Literal[False] = False,
) -> npt.NDArray[_Scalar]: ...
@overload
def deemphasis(
    y: npt.NDArray[_Scalar],
    *,
    coef: Number = 0.97,
    zi: Number | npt.NDArray[Any] | None = None,
    return_zf: Literal[True],
) -> tuple[npt.NDArray[_Scalar], npt.NDArray[_Scalar]]: ...
@overload
def deemphasis(
    y: npt.NDArray[_Scalar],
    *,
    coef: Number = 0.97,
    zi: Number | npt.NDArray[Any] | None = None,
    return_zf: bool = False,
) -> npt.NDArray[_Scalar] | tuple[npt.NDArray[_Scalar], npt.NDArray[_Scalar]]: ...
@overload
def harmonic(
    y: npt.NDArray[np.floating[Any]],
    *,
    kernel_size: Int | tuple[Int, Int] = 31,
    power: Number = 2.0,
    mask: bool = False,
    margin: Number | tuple[Number, Number] = 1.0,
    n_fft: Int = 2048,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def harmonic(
    y: DeviceArray,
    *,
    kernel_size: Int | tuple[Int, Int] = 31,
    power: Number = 2.0,
    mask: bool = False,
    margin: Number | tuple[Number, Number] = 1.0,
    n_fft: Int = 2048,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
) -> DeviceArray: ...
@overload
def hpss(
    y: npt.NDArray[np.floating[Any]],
    *,
    kernel_size: Int | tuple[Int, Int] = 31,
    power: Number = 2.0,
    mask: bool = False,
    margin: Number | tuple[Number, Number] = 1.0,
    n_fft: Int = 2048,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
) -> tuple[npt.NDArray[np.floating[Any]], npt.NDArray[np.floating[Any]]]: ...
@overload
def hpss(
    y: DeviceArray,
    *,
    kernel_size: Int | tuple[Int, Int] = 31,
    power: Number = 2.0,
    mask: bool = False,
    margin: Number | tuple[Number, Number] = 1.0,
    n_fft: Int = 2048,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
) -> tuple[DeviceArray, DeviceArray]: ...
@overload
def percussive(
    y: npt.NDArray[np.floating[Any]],
    *,
    kernel_size: Int | tuple[Int, Int] = 31,
    power: Number = 2.0,
    mask: bool = False,
    margin: Number | tuple[Number, Number] = 1.0,
    n_fft: Int = 2048,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def percussive(
    y: DeviceArray,
    *,
    kernel_size: Int | tuple[Int, Int] = 31,
    power: Number = 2.0,
    mask: bool = False,
    margin: Number | tuple[Number, Number] = 1.0,
    n_fft: Int = 2048,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
) -> DeviceArray: ...
def pitch_shift(
    y: npt.NDArray[_Scalar] | DeviceArray,
    *,
    sr: Number,
    n_steps: Number,
    bins_per_octave: Int = 12,
    res_type: str = "soxr_hq",
    scale: bool = False,
    **kwargs: Any,
) -> npt.NDArray[_Scalar]: ...
@overload
def preemphasis(
    y: npt.NDArray[_Scalar],
    *,
    coef: Number = 0.97,
    zi: Number | npt.NDArray[Any] | None = None,
    return_zf: Literal[False] = False,
) -> npt.NDArray[_Scalar]: ...
@overload
def preemphasis(
    y: npt.NDArray[_Scalar],
    *,
    coef: Number = 0.97,
    zi: Number | npt.NDArray[Any] | None = None,
    return_zf: Literal[True],
) -> tuple[npt.NDArray[_Scalar], npt.NDArray[_Scalar]]: ...
@overload
def preemphasis(
    y: npt.NDArray[_Scalar],
    *,
    coef: Number = 0.97,
    zi: Number | npt.NDArray[Any] | None = None,
    return_zf: bool = False,
) -> npt.NDArray[_Scalar] | tuple[npt.NDArray[_Scalar], npt.NDArray[_Scalar]]: ...
def remix(
    y: npt.NDArray[_Scalar],
    intervals: Iterable[Sequence[Number]] | npt.NDArray[np.integer[Any]],
    *,
    align_zeros: bool = True,
) -> npt.NDArray[_Scalar]: ...
def split(
    y: npt.NDArray[np.floating[Any]] | DeviceArray,
    *,
    top_db: Number = 60,
    ref: Number | Callable[..., Any] = ...,
    frame_length: Int = 2048,
    hop_length: Int = 512,
    aggregate: Callable[..., Any] = ...,
) -> npt.NDArray[np.integer[Any]]: ...
@overload
def time_stretch(
    y: npt.NDArray[_Scalar],
    *,
    rate: Number,
    **kwargs: Any,
) -> npt.NDArray[_Scalar]: ...
@overload
def time_stretch(y: DeviceArray, *, rate: Number, **kwargs: Any) -> DeviceArray: ...
def trim(
    y: npt.NDArray[_Scalar],
    *,
    top_db: Number = 60,
    ref: Number | Callable[..., Any] = ...,
    frame_length: Int = 2048,
    hop_length: Int = 512,
    aggregate: Callable[..., Any] = ...,
) -> tuple[npt.NDArray[_Scalar], npt.NDArray[np.integer[Any]]]: ...
