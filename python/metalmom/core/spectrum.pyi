# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable, Sequence
from typing import Any, Literal, overload
import numpy as np
import numpy.typing as npt
from .._native import DeviceArray
from .._types import Int, Number
from ..util.deprecation import Deprecated

__all__ = [
    "amplitude_to_db",
    "db_to_amplitude",
    "db_to_power",
    "fmt",
    "griffinlim",
    "iirt",
    "istft",
    "magphase",
    "pcen",
    "perceptual_weighting",
    "phase_vocoder",
    "power_to_db",
    "reassigned_spectrogram",
    "stft",
]

@overload
def amplitude_to_db(
    S: Number,
    *,
    ref: Number | Callable[..., Any] = 1.0,
    amin: Number = 1e-05,
    top_db: Number | None = 80.0,
    axes: Literal["auto"] | Int | tuple[int, ...] | None = "auto",
) -> np.floating[Any]: ...
@overload
def amplitude_to_db(
    S: Sequence[Any] | npt.NDArray[Any],
    *,
    ref: Number | Callable[..., Any] = 1.0,
    amin: Number = 1e-05,
    top_db: Number | None = 80.0,
    axes: Literal["auto"] | Int | tuple[int, ...] | None = "auto",
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def amplitude_to_db(
    S: DeviceArray,
    *,
    ref: Number | Callable[..., Any] = 1.0,
    amin: Number = 1e-05,
    top_db: Number | None = 80.0,
    axes: Literal["auto"] | Int | tuple[int, ...] | None = "auto",
) -> DeviceArray: ...
@overload
def db_to_amplitude(S_db: Number, *, ref: Number = 1.0) -> np.floating[Any]: ...
@overload
def db_to_amplitude(
    S_db: npt.NDArray[Any],
    *,
    ref: Number = 1.0,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def db_to_power(S_db: Number, *, ref: Number = 1.0) -> np.floating[Any]: ...
@overload
def db_to_power(
    S_db: npt.NDArray[Any],
    *,
    ref: Number = 1.0,
) -> npt.NDArray[np.floating[Any]]: ...
def fmt(
    y: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    t_min: Number = 0.5,
    n_fmt: Int | None = None,
    kind: str | Int = "cubic",
    beta: Number = 0.5,
    over_sample: Number = 1,
    axis: Int = -1,
) -> npt.NDArray[np.complex128]: ...
@overload
def griffinlim(
    S: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    n_iter: Int = 32,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    n_fft: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    dtype: npt.DTypeLike | None = None,
    length: Int | None = None,
    pad_mode: str | Callable[..., Any] = "constant",
    momentum: Number = 0.99,
    init: Literal["random"] | None = "random",
    rng: Int | np.random.Generator | np.random.RandomState | None = None,
    random_state: Int | np.random.Generator | np.random.RandomState | None | Deprecated = ...,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def griffinlim(
    S: DeviceArray,
    *,
    n_iter: Int = 32,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    n_fft: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    dtype: npt.DTypeLike | None = None,
    length: Int | None = None,
    pad_mode: str | Callable[..., Any] = "constant",
    momentum: Number = 0.99,
    init: Literal["random"] | None = "random",
    rng: Int | np.random.Generator | np.random.RandomState | None = None,
    random_state: Int | np.random.Generator | np.random.RandomState | None | Deprecated = ...,
) -> DeviceArray: ...
def iirt(
    y: npt.NDArray[np.float32 | np.float64],
    *,
    sr: Number = 22050,
    win_length: Int = 2048,
    hop_length: Int | None = None,
    center: bool = True,
    tuning: Number = 0.0,
    pad_mode: str | Callable[..., Any] = "constant",
    flayout: Literal["sos", "ba"] = "sos",
    res_type: str = "soxr_hq",
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def istft(
    stft_matrix: npt.NDArray[np.complexfloating[Any, Any]],
    *,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    n_fft: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    dtype: npt.DTypeLike | None = None,
    length: Int | None = None,
    out: npt.NDArray[Any] | None = None,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def istft(
    stft_matrix: DeviceArray,
    *,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    n_fft: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    dtype: npt.DTypeLike | None = None,
    length: Int | None = None,
    out: npt.NDArray[Any] | None = None,
) -> DeviceArray: ...
def magphase(
    D: npt.NDArray[np.complexfloating[Any, Any]],
    *,
    power: Number = 1,
) -> tuple[npt.NDArray[np.floating[Any]], npt.NDArray[np.complexfloating[Any, Any]]]: ...
@overload
def pcen(
    S: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | None = None,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: npt.NDArray[Any] | None = None,
    return_zf: Literal[False] = False,
) -> npt.NDArray[np.float64]: ...
@overload
def pcen(
    S: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | None = None,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: npt.NDArray[Any] | None = None,
    return_zf: Literal[True],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
@overload
def pcen(
    S: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | None = None,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: npt.NDArray[Any] | None = None,
    return_zf: bool = False,
) -> npt.NDArray[np.float64] | tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
@overload
def pcen(
    S: DeviceArray,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | DeviceArray | None = None,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: npt.NDArray[Any] | DeviceArray | None = None,
    return_zf: Literal[False] = False,
) -> DeviceArray: ...
@overload
def pcen(
    S: DeviceArray,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | DeviceArray | None = None,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: npt.NDArray[Any] | DeviceArray | None = None,
    return_zf: Literal[True],
) -> tuple[DeviceArray, DeviceArray]: ...
@overload
def pcen(
    S: DeviceArray,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | DeviceArray | None = None,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: npt.NDArray[Any] | DeviceArray | None = None,
    return_zf: bool = False,
) -> DeviceArray | tuple[DeviceArray, DeviceArray]: ...
@overload
def pcen(
    S: npt.NDArray[np.floating[Any] | np.integer[Any]] | DeviceArray,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: DeviceArray,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: npt.NDArray[Any] | DeviceArray | None = None,
    return_zf: Literal[False] = False,
) -> DeviceArray: ...
@overload
def pcen(
    S: npt.NDArray[np.floating[Any] | np.integer[Any]] | DeviceArray,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: DeviceArray,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: npt.NDArray[Any] | DeviceArray | None = None,
    return_zf: Literal[True],
) -> tuple[DeviceArray, DeviceArray]: ...
@overload
def pcen(
    S: npt.NDArray[np.floating[Any] | np.integer[Any]] | DeviceArray,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: DeviceArray,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: npt.NDArray[Any] | DeviceArray | None = None,
    return_zf: bool = False,
) -> DeviceArray | tuple[DeviceArray, DeviceArray]: ...
@overload
def pcen(
    S: npt.NDArray[np.floating[Any] | np.integer[Any]] | DeviceArray,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | DeviceArray | None = None,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: DeviceArray,
    return_zf: Literal[False] = False,
) -> DeviceArray: ...
@overload
def pcen(
    S: npt.NDArray[np.floating[Any] | np.integer[Any]] | DeviceArray,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | DeviceArray | None = None,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: DeviceArray,
    return_zf: Literal[True],
) -> tuple[DeviceArray, DeviceArray]: ...
@overload
def pcen(
    S: npt.NDArray[np.floating[Any] | np.integer[Any]] | DeviceArray,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    gain: Number = 0.98,
    bias: Number = 2,
    power: Number = 0.5,
    time_constant: Number = 0.4,
    eps: Number = 1e-06,
    b: Number | None = None,
    max_size: Int = 1,
    ref: npt.NDArray[Any] | DeviceArray | None = None,
    axis: Int = -1,
    max_axis: Int | None = None,
    zi: DeviceArray,
    return_zf: bool = False,
) -> DeviceArray | tuple[DeviceArray, DeviceArray]: ...
def perceptual_weighting(
    S: npt.ArrayLike,
    frequencies: npt.ArrayLike | Number,
    *,
    kind: str | None = "A",
    **kwargs: Any,
) -> npt.NDArray[np.float64]: ...
@overload
def phase_vocoder(
    D: npt.NDArray[np.complexfloating[Any, Any]],
    *,
    rate: Number | None = None,
    t_out: npt.ArrayLike | None = None,
    kind: str | Int = "linear",
    hop_length: Int | Deprecated = ...,
    n_fft: Int | Deprecated = ...,
) -> npt.NDArray[np.complexfloating[Any, Any]]: ...
@overload
def phase_vocoder(
    D: DeviceArray,
    *,
    rate: Number | None = None,
    t_out: npt.ArrayLike | None = None,
    kind: str | Int = "linear",
    hop_length: Int | Deprecated = ...,
    n_fft: Int | Deprecated = ...,
) -> DeviceArray: ...
@overload
def power_to_db(
    S: Number,
    *,
    ref: Number | Callable[..., Any] = 1.0,
    amin: Number = 1e-10,
    top_db: Number | None = 80.0,
    axes: Literal["auto"] | Int | tuple[int, ...] | None = "auto",
) -> np.floating[Any]: ...
@overload
def power_to_db(
    S: Sequence[Any] | npt.NDArray[Any],
    *,
    ref: Number | Callable[..., Any] = 1.0,
    amin: Number = 1e-10,
    top_db: Number | None = 80.0,
    axes: Literal["auto"] | Int | tuple[int, ...] | None = "auto",
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def power_to_db(
    S: DeviceArray,
    *,
    ref: Number | Callable[..., Any] = 1.0,
    amin: Number = 1e-10,
    top_db: Number | None = 80.0,
    axes: Literal["auto"] | Int | tuple[int, ...] | None = "auto",
) -> DeviceArray: ...
def reassigned_spectrogram(
    y: npt.NDArray[np.floating[Any]],
    *,
    sr: Number = 22050,
    S: npt.NDArray[np.complexfloating[Any, Any]] | None = None,
    n_fft: Int = 2048,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    reassign_frequencies: bool = True,
    reassign_times: bool = True,
    ref_power: Number | Callable[..., Any] = 1e-06,
    fill_nan: bool = False,
    clip: bool = True,
    dtype: npt.DTypeLike | None = None,
    pad_mode: str | Callable[..., Any] = "constant",
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.floating[Any]]]: ...
@overload
def stft(
    y: npt.NDArray[np.floating[Any]],
    *,
    n_fft: Int = 2048,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    dtype: npt.DTypeLike | None = None,
    pad_mode: str | Callable[..., Any] = "constant",
    out: npt.NDArray[Any] | None = None,
) -> npt.NDArray[np.complexfloating[Any, Any]]: ...
@overload
def stft(
    y: DeviceArray,
    *,
    n_fft: Int = 2048,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    dtype: npt.DTypeLike | None = None,
    pad_mode: str | Callable[..., Any] = "constant",
    out: npt.NDArray[Any] | None = None,
) -> DeviceArray: ...
