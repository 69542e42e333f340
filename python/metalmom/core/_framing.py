"""How audio is cut into windowed frames: the arguments that transforms have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _native, filters
from .._engine import _args
from ..util._expressions import of_audio
from ..util._checks import positive_int, require, require_audio
from ..util._kept_results import kept
from ..util._memory import refuse_beyond_memory
from ..util._warnings import warn
from ..util._wording import did_you_mean, turned
from ..util.exceptions import ParameterError

if TYPE_CHECKING:
    from ..util._types import Array, Audio, DeviceArray, DTypeLike, Float64Array, Int, Number, WindowSpec

# What the engine pads by itself; other modes and callables go through numpy.pad.
ENGINE_PAD_MODES = frozenset(_native.pad_modes)
# Modes whose padding depends on samples far away, which librosa refuses for transforms.
_REFUSED_PAD_MODES = frozenset(["wrap", "maximum", "mean", "median", "minimum"])


@kept(64, "window")
def _named_window(spec: WindowSpec, win_length: int) -> Float64Array:
    window = np.array(filters.get_window(spec, win_length, fftbins=True), dtype=np.float64)
    window.setflags(write=False)
    return window


def window(spec: WindowSpec, win_length: Int) -> Float64Array:
    """Samples of an analysis window in float64; those of hashable specifications are kept."""
    positive_int("win_length", win_length)
    # the samples, and as much again while they are made
    refuse_beyond_memory("win_length", win_length, 16 * int(win_length))
    whole = spec if isinstance(spec, tuple) else (spec,)
    if all(isinstance(part, (str, float, int)) for part in whole):
        return _named_window(spec, int(win_length))
    samples = filters.get_window(spec, win_length, fftbins=True)
    if np.iscomplexobj(samples):
        raise ParameterError(f"window of dtype {samples.dtype} must be real", argument="window")
    return np.ascontiguousarray(samples, dtype=np.float64)


def hop_of(win_length: Int) -> int:
    """The default of `hop_length`: a quarter of the window."""
    if positive_int("win_length", win_length) < 4:
        raise ParameterError("win_length", win_length, "at least 4 without a hop_length")
    return int(win_length // 4)


class Framing(NamedTuple):
    """How audio is cut into windowed frames, in the order of librosa's signatures: see `stft`."""

    n_fft: Any = _native.defaults["n_fft"]
    hop_length: Any = _native.defaults["hop_length"]
    win_length: Any = None
    window: Any = "hann"
    center: Any = True
    pad_mode: Any = "constant"

    @classmethod
    def taken_from(cls, keywords: dict[str, Any]) -> Framing:
        """Take the keywords of frames out of those that a function hands on."""
        return cls(**{name: keywords.pop(name) for name in cls._fields if name in keywords})


def frames(y: Audio | DeviceArray, framing: Framing) -> tuple[Any, dict[str, Any]]:
    """Resolve everything an op needs to cut audio into windowed frames.

    Returns the audio and a dict of native arguments (`window`, `n_fft`, `hop_length`, `center`,
    `pad_mode`).
    """
    n_fft, hop_length, win_length, window_spec, center, pad_mode = framing
    _args.audio(y)
    positive_int("n_fft", n_fft)
    if win_length is None:
        win_length = n_fft
    hop_length = hop_of(win_length) if hop_length is None else positive_int("hop_length", hop_length)
    samples = window(window_spec, win_length)
    if win_length > n_fft:
        raise ParameterError("win_length", win_length, f"at most n_fft={n_fft}")
    if center:
        if isinstance(pad_mode, str) and pad_mode in _REFUSED_PAD_MODES:
            raise ParameterError("pad_mode", pad_mode, "depend on distant samples", verb="must not")
        y = of_audio(_warn_of_short, y, n_fft)
        if not isinstance(pad_mode, str) or pad_mode not in ENGINE_PAD_MODES:
            y = of_audio(pad, y, n_fft // 2, pad_mode)
            center, pad_mode = False, "constant"
    else:
        pad_mode = "constant"
    return y, {
        "window": samples, "n_fft": n_fft, "hop_length": hop_length, "center": bool(center),
        "pad_mode": pad_mode,
    }  # fmt: skip


def frames_and_basis(y: Any, basis: Any, framing: Framing, dtype: DTypeLike = np.float32) -> dict[str, Any]:
    """Resolve audio, frames and a filter bank for an op that goes from audio to bands."""
    require_audio(y, "S")
    if framing.n_fft is None:
        raise ParameterError("n_fft", None, "a positive integer to make a spectrogram")
    y, arguments = frames(y, framing)
    if np.dtype(dtype).newbyteorder("=") == np.float64 and _args.precision_of(y.dtype) is np.float32:
        y = _args.as_type(y, np.float64)  # with filters in double the bands are double too
    return {"y": y, "basis": basis, **arguments}


def mel_bands(y: Any, sr: Number, *, power: Number = 2.0, **kwargs: Any) -> dict[str, Any]:
    """Resolve what `feature.melspectrogram` makes of audio, by its keywords, for an op that begins so."""
    framing = Framing.taken_from(kwargs)
    basis = filters._mel_basis(sr=sr, n_fft=framing.n_fft, **kwargs)
    return {"power": power, **frames_and_basis(y, basis, framing, kwargs.get("dtype", np.float32))}


def _warn_of_short(y: Array, n_fft: Int) -> Array:
    if n_fft > y.shape[-1]:
        warn(f"n_fft={n_fft} is too large for input signal of length={y.shape[-1]}{turned('y', y)}")
    return y


def pad(y: Array, width: int, mode: Any) -> Array:
    """Pad the last axis on both sides by numpy.pad."""
    _args.refuse_argument("y", y, "pad_mode", mode)
    try:
        return np.pad(y, [(0, 0)] * (y.ndim - 1) + [(width, width)], mode=mode)
    except (TypeError, ValueError) as error:
        nearest = did_you_mean(mode, (*ENGINE_PAD_MODES, *_REFUSED_PAD_MODES)) if isinstance(mode, str) else ""
        rule = f"a mode of numpy.pad{nearest or f': {error}'}"
        raise ParameterError("pad_mode", mode, rule) from error


def sizes_of(
    S: Array | DeviceArray, n_fft: Any, win_length: Any, hop_length: Any, name: str = "S"
) -> tuple[Any, Any, Any]:
    """The sizes of the frames that a spectrogram is made of, where they are not given by its bins."""
    n_fft = n_fft_of(S, name) if n_fft is None else n_fft
    win_length = n_fft if win_length is None else win_length
    return n_fft, win_length, hop_of(win_length) if hop_length is None else hop_length


def n_fft_of(S: Array | DeviceArray, name: str = "S") -> int:
    """Samples of the transforms whose bins a spectrogram has."""
    require_bins(S, name)
    return 2 * (S.shape[-2] - 1)


def require_bins(S: Array | DeviceArray, name: str = "S") -> None:
    """Refuse a spectrogram with too few bins for any transform."""
    require(S.shape[-2] >= 2, f"{name}.shape[-2]", S.shape[-2], "at least 2, bins of a transform")
