# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple
import numpy as np
import numpy.typing as npt
from .._types import Int, Number

__all__ = [
    "Convolver",
    "PCEN",
    "Extractor",
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
    "BeatTrack",
    "BeatsAt",
    "OnsetDetect",
    "Tempo",
    "TempoAt",
    "ISTFT",
    "Resample",
    "Stream",
]

class Convolver(Stream):
    def __init__(
        self,
        h: npt.NDArray[np.floating[Any] | np.integer[Any]],
        block_size: Int = 256,
        method: Literal["auto", "direct", "fft", "uniform", "partitioned"] = "auto",
        latency: Int = 0,
        channels: Int = 1,
        max_block: Int | None = None,
        sample_dtype: npt.DTypeLike = ...,
        workers: Literal[0, 1] = 0,
    ) -> None: ...
    @property
    def missed_blocks(self) -> int: ...
    @property
    def tail(self) -> int: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
    def warmup(self) -> None: ...
    def reset(self) -> None: ...
    def set_response(
        self,
        h: npt.NDArray[np.floating[Any] | np.integer[Any]],
        crossfade: Int = 1024,
    ) -> None: ...
class PCEN(Stream):
    def __init__(
        self,
        *,
        channels: Int = 1,
        zi: npt.NDArray[Any] | None = None,
        n_bands: Int | None = None,
        **arguments: Any,
    ) -> None: ...
    def process(
        self,
        S: npt.NDArray[np.floating[Any] | np.integer[Any]],
        last: bool = False,
        out: npt.NDArray[np.float64] | None = None,
    ) -> npt.NDArray[np.float64]: ...
    def flush(self, out: npt.NDArray[np.float64] | None = None) -> npt.NDArray[np.float64]: ...
    def reset(self) -> None: ...
class Extractor(Stream):
    def __init__(
        self,
        features: list[str] | Mapping[str, dict[str, Any]],
        *,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
        **defaults: Any,
    ) -> None: ...
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]: ...
    def flush(self, out: Mapping[str, Any] | None = None) -> dict[str, Any]: ...
class ChromaSTFT(Stream):
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
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class MFCC(Stream):
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
        peak: Any = None,
    ) -> None: ...
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class MelSpectrogram(Stream):
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
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class OnsetStrength(Stream):
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
        peak: Any = None,
    ) -> None: ...
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class RMS(Stream):
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
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class STFT(Stream):
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
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class SpectralBandwidth(Stream):
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
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class SpectralCentroid(Stream):
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
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class SpectralContrast(Stream):
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
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class SpectralFlatness(Stream):
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
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class SpectralRolloff(Stream):
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
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class ZeroCrossingRate(Stream):
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
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class BeatTrack(Stream):
    def __init__(
        self,
        *,
        sr: Number = 22050,
        hop_length: Int = 512,
        units: Literal["frames", "samples", "time"] = "frames",
        update: Number = 1.0,
        window: Number = 12.0,
        sample_dtype: npt.DTypeLike = ...,
        **arguments: Any,
    ) -> None: ...
    def warmup(self) -> None: ...
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
    ) -> BeatsAt | tuple[Any, ...] | None: ...
    def flush(
        self,
    ) -> tuple[float | npt.NDArray[np.float64], npt.NDArray[np.integer[Any] | np.floating[Any]]]: ...
class BeatsAt(NamedTuple):
    time: float
    tempo: float | npt.NDArray[np.float64]
    beats: npt.NDArray[np.integer[Any] | np.floating[Any]]
class OnsetDetect(Stream):
    def __init__(
        self,
        *,
        sr: Number = 22050,
        hop_length: Int = 512,
        normalize: bool = True,
        delta: Number = 0.07,
        units: Literal["frames", "samples", "time"] = "frames",
        sample_dtype: npt.DTypeLike = ...,
        **kwargs: Any,
    ) -> None: ...
    def warmup(self) -> None: ...
    def reset(self) -> None: ...
    def process(self, y: npt.NDArray[Any], last: bool = False) -> npt.NDArray[Any]: ...
    def flush(self) -> npt.NDArray[Any]: ...
class Tempo(Stream):
    def __init__(
        self,
        *,
        sr: Number = 22050,
        hop_length: Int = 512,
        update: Number = 1.0,
        window: Number = 12.0,
        sample_dtype: npt.DTypeLike = ...,
        **arguments: Any,
    ) -> None: ...
    def warmup(self) -> None: ...
    def reset(self) -> None: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
    ) -> TempoAt | npt.NDArray[np.float64] | None: ...
    def flush(self) -> npt.NDArray[np.float64]: ...
class TempoAt(NamedTuple):
    time: float
    tempo: npt.NDArray[np.float64]
class ISTFT(Stream):
    def __init__(
        self,
        *,
        n_fft: Int = 2048,
        hop_length: Int | None = None,
        win_length: Int | None = None,
        window: str | tuple[Any, ...] | Number | Callable[..., Any] | npt.NDArray[Any] = "hann",
        center: bool = True,
        channels: Int = 1,
        dtype: npt.DTypeLike = ...,
    ) -> None: ...
    def process(
        self,
        stft_matrix: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class Resample(Stream):
    def __init__(
        self,
        *,
        orig_sr: Number,
        target_sr: Number,
        res_type: Literal["soxr_vhq", "soxr_hq", "soxr_mq", "soxr_lq", "soxr_qq"] = "soxr_hq",
        fix: bool = True,
        scale: bool = False,
        channels: Int = 1,
        sample_dtype: npt.DTypeLike = ...,
    ) -> None: ...
    def most(self, n_samples: Int) -> int: ...
    def process(
        self,
        y: npt.NDArray[Any],
        last: bool = False,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]: ...
    def flush(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]: ...
class Stream:
    def __init__(self, channels: Int, sample_dtype: npt.DTypeLike = ...) -> None: ...
    @property
    def channels(self) -> int: ...
    @property
    def position(self) -> int: ...
    @property
    def latency(self) -> int: ...
    def reset(self) -> None: ...
    def warmup(self) -> None: ...
