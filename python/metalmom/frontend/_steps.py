"""What front-ends have in common: rates, lengths, filters on the mel axis, patches."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from .._engine import _args
from ..util._checks import is_one_of, require
from ..util._expressions import Audio, Cut, ask, by_blocks, of_audio
from ..util._kept_results import kept
from ..util._types import Array, DeviceArray, Float64Array, Number
from ..util._wording import may_be_turned, turned
from ..util.exceptions import DeviceError, ParameterError, Unsaid

# Of speech at 16 kHz: frames of 25 ms every 10 ms, in transforms of the next power of two.
RATE, WINDOW, HOP, N_FFT = 16000, 400, 160, 512


def audio(y: Any, sr: Number, rate: int, on_host: str = "") -> Any:
    """Audio of the model's rate, in its own precision; results are rounded to float32.

    `on_host`: why the front-end takes none on a device.
    """
    instead = f"resample the audio (metalmom.resample), or extract with sr={rate} (--sr {rate})"
    require(sr == rate, "sr", sr, f"{rate}, the rate of the model: {instead}")
    return floating_audio(y, on_host)


def floating_audio(y: Any, on_host: str = "") -> Any:
    """Audio as float32 or float64, or on a device."""
    y = _args.audio(y)
    if may_be_turned(y.lead if type(y) is Audio else y.shape[:-1]):
        y = of_audio(_require_time_last, y)
    if not _args.on_device(y):
        return _args.as_type(y, _args.precision_of(y.dtype))
    if on_host:
        raise DeviceError("y", rule=f"an array of NumPy, as {on_host}", kind="argument", arrays=("y",))
    return y


def _require_time_last(y: Any) -> Any:
    """Refuse audio of shape (samples, channels), as other libraries read files.

    A model would take each sample for a clip.
    """
    way = "y.swapaxes(0, 1)" if _args.on_device(y) else "y.mean(axis=1), or y.T"
    if hint := turned("y", y, f"{way} for a result of each channel"):
        raise ParameterError("y.shape", y.shape, "(..., n)", hint=hint)
    return y


def fitting(y: DeviceArray, least: int, most: int) -> DeviceArray:
    """Audio on a device, refused if it has another length: nothing is cut off or added there."""
    n = y.shape[-1]
    if not least <= n <= most:
        rule = f"{most} on a device" if least == most else f"at most {most} on a device"
        raise DeviceError("y.shape[-1]", n, rule, kind="argument", arrays=("y",))
    return y


def require_one_of(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Refuse a value that is not one of `choices`."""
    require(is_one_of(value, choices), name, value, f"one of {', '.join(map(repr, choices))}")


def require_band(low_name: str, low: Number, high_name: str, high: Number) -> None:
    """Refuse a band that ends before it begins."""
    require(low < high, high_name, high, f"above {low_name}={low:g}")


def single(values: Any) -> Any:
    """Results as models take them, in float32 and side by side; on a device they are so."""
    if _args.on_device(values):
        return values
    with np.errstate(over="ignore"):
        return finite(np.ascontiguousarray(values, np.float32))


def finite(values: Array) -> Array:
    """Results, refused where the audio was so large that some overflowed, and so became infinite or NaN."""
    require(np.isfinite(values.max(initial=0)), "y", Unsaid, "small enough for its features to be finite")
    return values


def levels(
    y: Any, basis: Any, window: Float64Array, hop: int, *, op: str = "log_bands_by_frame", pad_mode: str = "",
    **steps: Any,
) -> Any:  # fmt: skip
    """Logarithms of bands (n, t), ``scale * log(max(x, amin) + offset) + shift``.

    Transforms are in double precision whatever the audio is. Frames are centred where there is a mode to pad
    by; bands or frames are side by side in memory. Further arguments are those of the op: ``range`` says how
    far below the largest value others may lie, ``drop_last`` leaves the last frame out. ``patch`` makes whole
    patches alone, and ``n_rows`` so many frames: those that lack are ``shift``.
    """
    return ask(
        op, y=y, basis=basis, window=window, n_fft=len(window), hop_length=hop,
        center=bool(pad_mode), pad_mode=pad_mode or "constant", **steps,
    )  # fmt: skip


def ended(y: Array, n: int) -> Array:
    """Audio with zeros after it, of `n` samples at least."""
    if y.shape[-1] >= n:
        return y
    longer = np.zeros((*y.shape[:-1], n), y.dtype)
    longer[..., : y.shape[-1]] = y
    return longer


def whole_patches(y: Any, size: int, hop: int, filled: bool = False) -> dict[str, Any]:
    """Arguments of `levels` for audio on a device, where the op makes the patches.

    `filled`: silence follows the audio until the last patch is whole.
    """
    return {"patch": size, "patch_hop": hop, "whole_patches": filled} if _args.on_device(y) else {}


@by_blocks(Cut(lambda size, hop: (size, hop)))
def patches(frames: Any, size: int, hop: int) -> Any:
    """Patches of `size` frames, one every `hop`, of bands (..., n, t): (..., patches, size, n)."""
    if _args.on_device(frames):
        *lead, n, t = frames.shape  # of whole patches
        return frames.swapaxes(-1, -2).reshape(*lead, t // size, size, n)
    if frames.shape[-1] < size:
        return np.empty((*frames.shape[:-2], 0, size, frames.shape[-2]), np.float32)
    cut = np.lib.stride_tricks.sliding_window_view(frames, size, axis=-1)[..., ::hop, :]
    return single(np.moveaxis(cut, -3, -1))


@kept(16, "mel filters")
def mel_triangles(sr: float, n_fft: int, n_bands: int, low: float, high: float) -> Any:
    """Filters that are triangles on the mel axis, as a basis: HTK's mels, no norm.

    Those of `metalmom.filters.mel` are triangles over Hz, which differ.
    """
    edges = np.linspace(_mels(low), _mels(high), n_bands + 2)[:, np.newaxis]
    at = _mels(np.arange(n_fft // 2 + 1) * (sr / n_fft))
    rising = (at - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - at) / (edges[2:] - edges[1:-1])
    return _native.basis_from_dense(np.maximum(np.minimum(rising, falling), 0).astype(np.float32))


def _mels(hz: Any) -> Any:
    return 1127.0 * np.log1p(np.asarray(hz) / 700.0)
