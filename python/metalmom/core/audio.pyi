# Written by scripts/make_stubs.py from the docstrings.

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload
import numpy as np
import numpy.typing as npt
from .._native import DeviceArray
from .._types import Int, Number, Readable

_Scalar = TypeVar("_Scalar", bound=np.generic)

__all__ = [
    "autocorrelate",
    "chirp",
    "clicks",
    "get_duration",
    "get_samplerate",
    "load",
    "loadx",
    "lpc",
    "mu_compress",
    "mu_expand",
    "resample",
    "stream",
    "to_mono",
    "to_multi",
    "to_stereo",
    "tone",
    "zero_crossings",
]

def autocorrelate(
    y: npt.NDArray[Any],
    *,
    max_size: Int | None = None,
    axis: Int = -1,
) -> npt.NDArray[np.inexact[Any]]: ...
def chirp(
    *,
    fmin: Number,
    fmax: Number,
    sr: Number = 22050,
    length: Int | None = None,
    duration: Number | None = None,
    linear: bool = False,
    phi: Number | None = None,
) -> npt.NDArray[np.float64]: ...
def clicks(
    *,
    times: Sequence[Number] | npt.NDArray[np.floating[Any] | np.integer[Any]] | None = None,
    frames: Sequence[Int] | npt.NDArray[np.integer[Any]] | None = None,
    sr: Number = 22050,
    hop_length: Int = 512,
    click_freq: Number = 1000.0,
    click_duration: Number = 0.1,
    click: npt.NDArray[Any] | None = None,
    length: Int | None = None,
) -> npt.NDArray[np.float32]: ...
def get_duration(
    *,
    y: npt.NDArray[Any] | DeviceArray | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | DeviceArray | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    center: bool = True,
    path: str | os.PathLike[str] | Int | Readable | bytes | None = None,
) -> float: ...
def get_samplerate(path: str | os.PathLike[str] | Int | Readable | bytes) -> int: ...
def load(
    path: str | os.PathLike[str] | Int | Readable | bytes,
    *,
    sr: Number | None = 22050,
    mono: bool = True,
    offset: Number = 0.0,
    duration: Number | None = None,
    dtype: npt.DTypeLike = ...,
    res_type: str = "soxr_hq",
) -> tuple[npt.NDArray[np.floating[Any]], float]: ...
def loadx(
    key: str,
    *,
    hq: bool | None = None,
    **kwargs: Any,
) -> tuple[npt.NDArray[np.floating[Any]], float]: ...
def lpc(
    y: npt.NDArray[np.floating[Any]],
    *,
    order: Int,
    axis: Int = -1,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def mu_compress(x: Number, *, mu: Number = 255, quantize: bool = True) -> float: ...
@overload
def mu_compress(
    x: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    mu: Number = 255,
    quantize: bool = True,
) -> npt.NDArray[np.integer[Any] | np.floating[Any]]: ...
@overload
def mu_expand(x: Number, *, mu: Number = 255.0, quantize: bool = True) -> float: ...
@overload
def mu_expand(
    x: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    mu: Number = 255.0,
    quantize: bool = True,
) -> npt.NDArray[Any]: ...
@overload
def resample(
    y: npt.NDArray[_Scalar],
    *,
    orig_sr: Number,
    target_sr: Number,
    res_type: str = "soxr_hq",
    fix: bool = True,
    scale: bool = False,
    axis: Int = -1,
    **kwargs: Any,
) -> npt.NDArray[_Scalar]: ...
@overload
def resample(
    y: DeviceArray,
    *,
    orig_sr: Number,
    target_sr: Number,
    res_type: str = "soxr_hq",
    fix: bool = True,
    scale: bool = False,
    axis: Int = -1,
    **kwargs: Any,
) -> DeviceArray: ...
def stream(
    path: str | os.PathLike[str] | Int | Readable | bytes,
    *,
    block_length: Int,
    frame_length: Int,
    hop_length: Int,
    sr: Number | None = None,
    mono: bool = True,
    offset: Number = 0.0,
    duration: Number | None = None,
    fill_value: Number | None = None,
    res_type: str = "soxr_hq",
    dtype: npt.DTypeLike = ...,
) -> Iterator[npt.NDArray[np.floating[Any]]]: ...
def to_mono(
    *signals: npt.NDArray[Any],
    pad: bool = True,
    norm: bool = True,
    out: npt.NDArray[Any] | None = None,
) -> npt.NDArray[np.floating[Any]]: ...
def to_multi(
    *signals: npt.NDArray[Any],
    downmix: bool = True,
    pad: bool = True,
    norm: bool = True,
    out: npt.NDArray[Any] | None = None,
) -> npt.NDArray[np.floating[Any]]: ...
def to_stereo(
    *,
    left: npt.NDArray[Any] | None,
    right: npt.NDArray[Any] | None,
    downmix: bool = True,
    pad: bool = True,
    norm: bool = True,
    out: npt.NDArray[Any] | None = None,
) -> npt.NDArray[np.floating[Any]]: ...
def tone(
    frequency: Number,
    *,
    sr: Number = 22050,
    length: Int | None = None,
    duration: Number | None = None,
    phi: Number | None = None,
) -> npt.NDArray[np.float64]: ...
def zero_crossings(
    y: npt.NDArray[Any],
    *,
    threshold: Number = 1e-10,
    ref_magnitude: Number | Callable[..., Any] | None = None,
    pad: bool = True,
    zero_pos: bool = True,
    axis: Int = -1,
) -> npt.NDArray[np.bool_]: ...
