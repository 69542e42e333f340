# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable
from typing import Any, Literal
import numpy as np
import numpy.typing as npt
from ._types import Int, Number

__all__ = [
    "chroma",
    "cq_to_chroma",
    "diagonal_filter",
    "get_window",
    "mel",
    "mr_frequencies",
    "semitone_filterbank",
    "wavelet",
    "wavelet_lengths",
    "window_bandwidth",
    "window_sumsquare",
]

def chroma(
    *,
    sr: Number,
    n_fft: Int,
    n_chroma: Int = 12,
    tuning: Number = 0.0,
    ctroct: Number = 5.0,
    octwidth: Number | None = 2,
    norm: Number | None = 2,
    base_c: bool = True,
    dtype: npt.DTypeLike = ...,
) -> npt.NDArray[np.floating[Any]]: ...
def cq_to_chroma(
    n_input: Int,
    *,
    bins_per_octave: Int = 12,
    n_chroma: Int = 12,
    fmin: Number | None = None,
    window: npt.ArrayLike | None = None,
    base_c: bool = True,
    dtype: npt.DTypeLike = ...,
) -> npt.NDArray[np.floating[Any]]: ...
def diagonal_filter(
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.ArrayLike,
    n: Int,
    *,
    slope: Number = 1.0,
    angle: Number | None = None,
    zero_mean: bool = False,
) -> npt.NDArray[np.float64]: ...
def get_window(
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.ArrayLike,
    Nx: Int,
    *,
    fftbins: bool = True,
) -> npt.NDArray[np.float64]: ...
def mel(
    *,
    sr: Number,
    n_fft: Int,
    n_mels: Int = 128,
    fmin: Number = 0.0,
    fmax: Number | None = None,
    htk: bool = False,
    norm: Literal["slaney"] | Number | None = "slaney",
    dtype: npt.DTypeLike = ...,
) -> npt.NDArray[np.floating[Any]]: ...
def mr_frequencies(
    tuning: Number,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def semitone_filterbank(
    *,
    center_freqs: npt.ArrayLike | None = None,
    tuning: Number = 0.0,
    sample_rates: npt.ArrayLike | None = None,
    flayout: Literal["ba", "sos", "zpk"] = "ba",
    **kwargs: Any,
) -> tuple[list[Any], npt.NDArray[np.floating[Any]]]: ...
def wavelet(
    *,
    freqs: npt.ArrayLike,
    sr: Number = 22050,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] = "hann",
    filter_scale: Number = 1,
    pad_fft: bool = True,
    norm: Number | None = 1,
    dtype: npt.DTypeLike = ...,
    gamma: Number | None = 0,
    alpha: Number | npt.ArrayLike | None = None,
    **kwargs: Any,
) -> tuple[npt.NDArray[np.complexfloating[Any, Any]], npt.NDArray[np.floating[Any]]]: ...
def wavelet_lengths(
    *,
    freqs: npt.ArrayLike,
    sr: Number = 22050,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] = "hann",
    filter_scale: Number = 1,
    gamma: Number | None = 0,
    alpha: Number | npt.ArrayLike | None = None,
) -> tuple[npt.NDArray[np.floating[Any]], float]: ...
def window_bandwidth(
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.ArrayLike,
    n: Int = 1000,
) -> float: ...
def window_sumsquare(
    *,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.ArrayLike,
    n_frames: Int,
    hop_length: Int = 512,
    win_length: Int | None = None,
    n_fft: Int = 2048,
    dtype: npt.DTypeLike = ...,
    norm: Number | None = None,
) -> npt.NDArray[np.floating[Any]]: ...
