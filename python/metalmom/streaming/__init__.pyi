# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable, Mapping
from typing import Any, Literal
import numpy.typing as npt
from .._types import Int, Number

__all__ = [
    "ChromaSTFT",
    "MFCC",
    "MelSpectrogram",
    "OnsetStrength",
    "RMS",
    "STFT",
    "SpectralBandwidth",
    "SpectralCentroid",
    "SpectralContrast",
    "SpectralFlatness",
    "SpectralRolloff",
    "ZeroCrossingRate",
    "Extractor",
]

class ChromaSTFT:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        sr: Number = 22050,
        n_fft: Int = 2048,
        n_chroma: Int = 12,
        tuning: Number | None = None,
        ctroct: Number = 5.0,
        octwidth: Number | None = 2,
        norm: Number | None = ...,
        base_c: bool = True,
        dtype: npt.DTypeLike = ...,
        hop_length: Int = 512,
        win_length: Int | None = None,
        window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
        center: bool = True,
        pad_mode: str | Callable[..., Any] = "constant",
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class MFCC:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        sr: Number = 22050,
        n_fft: Int = 2048,
        n_mels: Int = 128,
        fmin: Number = 0.0,
        fmax: Number | None = None,
        htk: bool = False,
        norm: Literal["ortho"] | None = "ortho",
        dtype: npt.DTypeLike = ...,
        hop_length: Int = 512,
        win_length: Int | None = None,
        window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
        center: bool = True,
        pad_mode: str | Callable[..., Any] = "constant",
        power: Number = 2.0,
        n_mfcc: Int = 20,
        dct_type: Literal[1, 2, 3, 4] = 2,
        lifter: Number = 0,
        mel_norm: Literal["slaney"] | Number | None = "slaney",
        top_db: Any = None,
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class MelSpectrogram:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        sr: Number = 22050,
        n_fft: Int = 2048,
        n_mels: Int = 128,
        fmin: Number = 0.0,
        fmax: Number | None = None,
        htk: bool = False,
        norm: Literal["slaney"] | Number | None = "slaney",
        dtype: npt.DTypeLike = ...,
        hop_length: Int = 512,
        win_length: Int | None = None,
        window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
        center: bool = True,
        pad_mode: str | Callable[..., Any] = "constant",
        power: Number = 2.0,
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class OnsetStrength:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        sr: Number = 22050,
        n_fft: object = 2048,
        n_mels: Any = 128,
        fmin: Number = 0.0,
        fmax: Number | None = None,
        htk: bool = False,
        norm: Any = "slaney",
        dtype: Any = ...,
        hop_length: object = 512,
        win_length: Int | None = None,
        window: Any = "hann",
        center: bool = True,
        pad_mode: Any = "constant",
        power: Any = 2.0,
        lag: Int = 1,
        max_size: Int = 1,
        detrend: bool = False,
        feature: Callable[..., Any] | None = None,
        aggregate: Callable[..., Any] | None = None,
        top_db: Any = None,
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class RMS:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        frame_length: Int = 2048,
        hop_length: Int = 512,
        center: bool = True,
        pad_mode: str | Callable[..., Any] = "constant",
        dtype: npt.DTypeLike = ...,
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class STFT:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        n_fft: Int = 2048,
        hop_length: Int | None = None,
        win_length: Int | None = None,
        window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
        center: bool = True,
        dtype: npt.DTypeLike | None = None,
        pad_mode: str | Callable[..., Any] = "constant",
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class SpectralBandwidth:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        sr: Number = 22050,
        n_fft: Int = 2048,
        hop_length: Int = 512,
        win_length: Int | None = None,
        window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
        center: bool = True,
        pad_mode: str | Callable[..., Any] = "constant",
        freq: npt.NDArray[Any] | None = None,
        norm: bool = True,
        p: Number = 2,
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class SpectralCentroid:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        sr: Number = 22050,
        n_fft: Int = 2048,
        hop_length: Int = 512,
        freq: npt.NDArray[Any] | None = None,
        win_length: Int | None = None,
        window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
        center: bool = True,
        pad_mode: str | Callable[..., Any] = "constant",
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class SpectralContrast:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        sr: Number = 22050,
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
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class SpectralFlatness:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        n_fft: Int = 2048,
        hop_length: Int = 512,
        win_length: Int | None = None,
        window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
        center: bool = True,
        pad_mode: str | Callable[..., Any] = "constant",
        amin: Number = 1e-10,
        power: Number = 2.0,
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class SpectralRolloff:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        sr: Number = 22050,
        n_fft: Int = 2048,
        hop_length: Int = 512,
        win_length: Int | None = None,
        window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
        center: bool = True,
        pad_mode: str | Callable[..., Any] = "constant",
        freq: npt.NDArray[Any] | None = None,
        roll_percent: Number = 0.85,
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class ZeroCrossingRate:
    def __init__(
        self,
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        frame_length: Int = 2048,
        hop_length: Int = 512,
        center: bool = True,
        threshold: Number,
        ref_magnitude: Number | Callable[..., Any],
        zero_pos: bool,
        pad: bool,
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: Any = None) -> Any: ...
class Extractor:
    def __init__(
        self,
        features: list[str] | Mapping[str, dict[str, Any]],
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        **defaults: Any,
    ) -> None: ...
    @property
    def channels(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def latency(self) -> Any: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]: ...
    def flush(self, out: Any = None) -> Any: ...
