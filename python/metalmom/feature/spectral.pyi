# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable
from typing import Any, Literal, overload
import numpy as np
import numpy.typing as npt
from .._native import DeviceArray
from .._types import Int, Number

__all__ = [
    "chroma_cens",
    "chroma_cqt",
    "chroma_stft",
    "chroma_vqt",
    "melspectrogram",
    "mfcc",
    "poly_features",
    "rms",
    "spectral_bandwidth",
    "spectral_centroid",
    "spectral_contrast",
    "spectral_flatness",
    "spectral_rolloff",
    "tonnetz",
    "zero_crossing_rate",
]

def chroma_cens(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    C: npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    fmin: Number | None = None,
    tuning: Number | None = None,
    n_chroma: Int = 12,
    n_octaves: Int = 7,
    bins_per_octave: Int | None = 36,
    cqt_mode: Literal["full", "hybrid"] = "full",
    window: npt.NDArray[Any] | None = None,
    norm: Number | None = 2,
    win_len_smooth: Int | None = 41,
    smoothing_window: str | Number | tuple[Any, ...] = "hann",
) -> npt.NDArray[np.floating[Any]]: ...
def chroma_cqt(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    C: npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    fmin: Number | None = None,
    norm: Number | None = ...,
    threshold: Number | None = 0.0,
    tuning: Number | None = None,
    n_chroma: Int = 12,
    n_octaves: Int = 7,
    window: npt.NDArray[Any] | None = None,
    bins_per_octave: Int | None = 36,
    cqt_mode: Literal["full", "hybrid"] = "full",
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def chroma_stft(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    norm: Number | None = ...,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    tuning: Number | None = None,
    n_chroma: Int = 12,
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def chroma_stft(
    *,
    y: DeviceArray,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    norm: Number | None = ...,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    tuning: Number | None = None,
    n_chroma: Int = 12,
    **kwargs: Any,
) -> DeviceArray: ...
def chroma_vqt(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    V: npt.NDArray[Any] | None = None,
    hop_length: Int = 512,
    fmin: Number | None = None,
    intervals: str | npt.ArrayLike,
    norm: Number | None = ...,
    threshold: Number | None = 0.0,
    n_octaves: Int = 7,
    bins_per_octave: Int = 12,
    gamma: Number | None = 0,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def melspectrogram(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    power: Number = 2.0,
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def melspectrogram(
    *,
    y: DeviceArray,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    power: Number = 2.0,
    **kwargs: Any,
) -> DeviceArray: ...
@overload
def mfcc(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_mfcc: Int = 20,
    dct_type: Literal[1, 2, 3, 4] = 2,
    norm: Literal["ortho"] | None = "ortho",
    lifter: Number = 0,
    mel_norm: Literal["slaney"] | Number | None = "slaney",
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def mfcc(
    *,
    y: DeviceArray,
    sr: Number = 22050,
    S: npt.NDArray[Any] | DeviceArray | None = None,
    n_mfcc: Int = 20,
    dct_type: Literal[1, 2, 3, 4] = 2,
    norm: Literal["ortho"] | None = "ortho",
    lifter: Number = 0,
    mel_norm: Literal["slaney"] | Number | None = "slaney",
    **kwargs: Any,
) -> DeviceArray: ...
@overload
def mfcc(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    S: DeviceArray,
    n_mfcc: Int = 20,
    dct_type: Literal[1, 2, 3, 4] = 2,
    norm: Literal["ortho"] | None = "ortho",
    lifter: Number = 0,
    mel_norm: Literal["slaney"] | Number | None = "slaney",
    **kwargs: Any,
) -> DeviceArray: ...
def poly_features(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    order: Int = 1,
    freq: npt.NDArray[Any] | None = None,
) -> npt.NDArray[np.float64]: ...
@overload
def rms(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    S: npt.NDArray[Any] | None = None,
    frame_length: Int = 2048,
    hop_length: Int = 512,
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    dtype: npt.DTypeLike = ...,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def rms(
    *,
    y: DeviceArray,
    S: npt.NDArray[Any] | None = None,
    frame_length: Int = 2048,
    hop_length: Int = 512,
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    dtype: npt.DTypeLike = ...,
) -> DeviceArray: ...
@overload
def spectral_bandwidth(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    freq: npt.NDArray[Any] | None = None,
    centroid: npt.NDArray[Any] | None = None,
    norm: bool = True,
    p: Number = 2,
) -> npt.NDArray[np.float64]: ...
@overload
def spectral_bandwidth(
    *,
    y: DeviceArray,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    freq: npt.NDArray[Any] | None = None,
    centroid: npt.NDArray[Any] | None = None,
    norm: bool = True,
    p: Number = 2,
) -> DeviceArray: ...
@overload
def spectral_centroid(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    freq: npt.NDArray[Any] | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
) -> npt.NDArray[np.float64]: ...
@overload
def spectral_centroid(
    *,
    y: DeviceArray,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    freq: npt.NDArray[Any] | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
) -> DeviceArray: ...
def spectral_contrast(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    freq: npt.NDArray[Any] | None = None,
    fmin: Number = 200.0,
    n_bands: Int = 6,
    quantile: Number = 0.02,
    linear: bool = False,
) -> npt.NDArray[np.float32 | np.float64]: ...
@overload
def spectral_flatness(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    amin: Number = 1e-10,
    power: Number = 2.0,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def spectral_flatness(
    *,
    y: DeviceArray,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    amin: Number = 1e-10,
    power: Number = 2.0,
) -> DeviceArray: ...
@overload
def spectral_rolloff(
    *,
    y: npt.NDArray[np.floating[Any]] | None = None,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    freq: npt.NDArray[Any] | None = None,
    roll_percent: Number = 0.85,
) -> npt.NDArray[np.float64]: ...
@overload
def spectral_rolloff(
    *,
    y: DeviceArray,
    sr: Number = 22050,
    S: npt.NDArray[Any] | None = None,
    n_fft: Int = 2048,
    hop_length: Int = 512,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    freq: npt.NDArray[Any] | None = None,
    roll_percent: Number = 0.85,
) -> DeviceArray: ...
def tonnetz(
    *,
    y: npt.NDArray[np.floating[Any]] | DeviceArray | None = None,
    sr: Number = 22050,
    chroma: npt.NDArray[Any] | None = None,
    **kwargs: Any,
) -> npt.NDArray[np.float64]: ...
@overload
def zero_crossing_rate(
    y: npt.NDArray[np.floating[Any]],
    *,
    frame_length: Int = 2048,
    hop_length: Int = 512,
    center: bool = True,
    **kwargs: Any,
) -> npt.NDArray[np.float64]: ...
@overload
def zero_crossing_rate(
    y: DeviceArray,
    *,
    frame_length: Int = 2048,
    hop_length: Int = 512,
    center: bool = True,
    **kwargs: Any,
) -> DeviceArray: ...
