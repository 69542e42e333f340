# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable
from typing import Any, Literal
import numpy as np
import numpy.typing as npt
from .._types import Int, Number

__all__ = [
    "mel_to_audio",
    "mel_to_stft",
    "mfcc_to_audio",
    "mfcc_to_mel",
]

def mel_to_audio(
    M: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    sr: Number = 22050,
    n_fft: Int = 2048,
    hop_length: Int | None = None,
    win_length: Int | None = None,
    window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
    center: bool = True,
    pad_mode: str | Callable[..., Any] = "constant",
    power: Number = 2.0,
    n_iter: Int = 32,
    length: Int | None = None,
    dtype: npt.DTypeLike = ...,
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
def mel_to_stft(
    M: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    sr: Number = 22050,
    n_fft: Int = 2048,
    power: Number = 2.0,
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
def mfcc_to_audio(
    mfcc: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    n_mels: Int = 128,
    dct_type: Literal[1, 2, 3, 4] = 2,
    norm: Literal["ortho"] | None = "ortho",
    ref: Number = 1.0,
    lifter: Number = 0,
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
def mfcc_to_mel(
    mfcc: npt.NDArray[np.floating[Any] | np.integer[Any]],
    *,
    n_mels: Int = 128,
    dct_type: Literal[1, 2, 3, 4] = 2,
    norm: Literal["ortho"] | None = "ortho",
    ref: Number = 1.0,
    lifter: Number = 0,
) -> npt.NDArray[np.floating[Any]]: ...
