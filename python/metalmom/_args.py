"""Argument rules that public functions share: each is written once, here.

A function of the public API resolves its arguments with these, makes one native call and returns.
"""

from typing import Any, NamedTuple

import numpy as np

from . import _native, filters
from ._boundary.meant import as_array, turned
from ._boundary.nearest import did_you_mean
from ._expressions import Audio, of_audio
from ._kept import kept
from ._warnings import warn
from .util._checks import positive_int
from .util._memory import refuse_beyond_memory
from .util.exceptions import DeviceError, ParameterError

# What the engine pads by itself; other modes and callables go through numpy.pad.
ENGINE_PAD_MODES = frozenset(_native.pad_modes)
# Modes whose padding depends on samples far away, which librosa refuses for transforms.
_REFUSED_PAD_MODES = frozenset(["wrap", "maximum", "mean", "median", "minimum"])


def one_row(values):
    """Results of one number a frame as librosa has them, (..., 1, frames), wherever they are."""
    return values.reshape(*values.shape[:-1], 1, values.shape[-1])


def without_row(values):
    """The inverse of `one_row`."""
    return values.reshape(*values.shape[:-2], values.shape[-1])


def swapped(values):
    """Results that the engine has frame after frame as librosa has them, (..., rows, frames)."""
    return values.swapaxes(-1, -2)


def is_engine_type(dtype):
    """Tell whether the engine computes in a dtype, and not in the one that it converts it to."""
    return dtype == np.float32 or dtype == np.float64


def as_type(values, dtype):
    """Values in another dtype, without a copy where they have it."""
    if type(values) is Audio:
        return of_audio(as_type, values, dtype, dtype=dtype) if values.dtype != dtype else values
    return values if values.dtype == dtype else values.astype(dtype)


def on_device(value):
    """Tell whether an argument is a DeviceArray, which kernels take as it is."""
    return isinstance(value, _native.DeviceArray) or (type(value) is Audio and value.on_device)


def host(value):
    """Bring to NumPy what a function has made on a device, for steps that run on the CPU by design.

    Not for arguments: what a caller keeps on a device goes to a kernel, or is refused. The array's own
    ``__array__`` refuses it wherever the package hands it to NumPy.
    """
    return value.numpy() if on_device(value) else value


def refuse_on_device(value):
    """Refuse a DeviceArray where no kernel takes what it holds; `_boundary` names the argument."""
    if on_device(value):
        raise TypeError("there is no kernel for this DeviceArray")


def refuse_argument(text, name, value):
    """Refuse an argument that no kernel has, if the array of that name is on a device."""
    if on_device(value):
        raise DeviceError(f"{text} has no kernel: pass {name}.numpy()")


def refuse_other_device(name, value, array):
    """Refuse a DeviceArray that a call brings to the host, but that lies on another device than `array`."""
    if on_device(value) and value.device != array.device:
        raise DeviceError(f"{name} is on gpu:{value.device}, other arrays of the call on "
                          f"gpu:{array.device}: they must be on one device")


def array(value):
    """`numpy.asarray`, but a DeviceArray stays where it is."""
    return value if on_device(value) else np.asarray(value)


def audio(y):
    """Check the type of audio; the engine checks that it is finite while it reads it."""
    if not isinstance(y, np.ndarray):
        if isinstance(y, (Audio, _native.DeviceArray)):
            return y
        raise ParameterError(f"y={type(y).__name__} must be a numpy.ndarray{as_array('y', y)}")
    if y.dtype.kind != "f":
        raise ParameterError(f"y.dtype={y.dtype} must be floating-point")
    if y.ndim == 0:
        raise ParameterError(f"y.shape={y.shape} must have at least one dimension")
    return y


@kept(64)
def _named_window(spec, win_length):
    window = np.array(filters.get_window(spec, win_length, fftbins=True), dtype=np.float64)
    window.setflags(write=False)
    return window


def window(spec, win_length):
    """Samples of an analysis window in float64; those of hashable specifications are kept."""
    positive_int("win_length", win_length)
    # the samples, and as much again while they are made
    refuse_beyond_memory("win_length", win_length, 16 * int(win_length))
    whole = spec if isinstance(spec, tuple) else (spec,)
    if all(isinstance(part, (str, float, int)) for part in whole):
        return _named_window(spec, int(win_length))
    samples = filters.get_window(spec, win_length, fftbins=True)
    if np.iscomplexobj(samples):
        raise ParameterError(f"window of dtype {samples.dtype} must be real")
    return np.ascontiguousarray(samples, dtype=np.float64)


def hop_of(win_length):
    """The default of `hop_length`: a quarter of the window."""
    if positive_int("win_length", win_length) < 4:
        raise ParameterError(f"win_length={win_length} must be at least 4 without a hop_length")
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
    def taken_from(cls, keywords):
        """Take the keywords of frames out of those that a function hands on."""
        return cls(**{name: keywords.pop(name) for name in cls._fields if name in keywords})


def frames(y, framing):
    """Resolve everything an op needs to cut audio into windowed frames.

    Returns the audio and a dict of native arguments (`window`, `n_fft`, `hop_length`, `center`,
    `pad_mode`).
    """
    n_fft, hop_length, win_length, window_spec, center, pad_mode = framing
    audio(y)
    positive_int("n_fft", n_fft)
    if win_length is None:
        win_length = n_fft
    hop_length = hop_of(win_length) if hop_length is None else positive_int("hop_length", hop_length)
    samples = window(window_spec, win_length)
    if win_length > n_fft:
        raise ParameterError(f"win_length={win_length} must be at most n_fft={n_fft}")
    if center:
        if isinstance(pad_mode, str) and pad_mode in _REFUSED_PAD_MODES:
            raise ParameterError(f"pad_mode='{pad_mode}' must not depend on distant samples")
        y = of_audio(_warn_of_short, y, n_fft)
        if not isinstance(pad_mode, str) or pad_mode not in ENGINE_PAD_MODES:
            y = of_audio(pad, y, n_fft // 2, pad_mode)
            center, pad_mode = False, "constant"
    else:
        pad_mode = "constant"
    return y, {
        "window": samples,
        "n_fft": n_fft,
        "hop_length": hop_length,
        "center": bool(center),
        "pad_mode": pad_mode,
    }


def _warn_of_short(y, n_fft):
    if n_fft > y.shape[-1]:
        warn(f"n_fft={n_fft} is too large for input signal of length={y.shape[-1]}{turned('y', y)}")
    return y


def pad(y, width, mode):
    """Pad the last axis on both sides by numpy.pad."""
    refuse_argument(f"pad_mode={mode!r}", "y", y)
    try:
        return np.pad(y, [(0, 0)] * (y.ndim - 1) + [(width, width)], mode=mode)
    except ValueError as error:
        nearest = did_you_mean(mode, (*ENGINE_PAD_MODES, *_REFUSED_PAD_MODES))
        rule = f"a mode of numpy.pad{nearest or f': {error}'}"
        raise ParameterError(f"pad_mode={mode!r} must be {rule}") from error


def planes(S):
    """Give the engine a spectrogram (..., bins, frames) as it lies in memory.

    Returns a C-contiguous view where there is one, and whether its last two axes are swapped
    (frames, bins), as `stft` leaves them.
    """
    swapped = S.swapaxes(-1, -2)
    if on_device(S):
        return (swapped, True) if S.swapped else (S, False)
    if swapped.flags.c_contiguous and not S.flags.c_contiguous:
        return swapped, True
    return S, False


def one_signal(envelope, sparse, source):
    """An onset envelope, of the argument `source`, as an array of NumPy, of one signal where positions are asked for."""
    envelope = np.asarray(envelope)
    if sparse and envelope.ndim != 1:
        raise ParameterError(f"{source}.ndim={envelope.ndim} must be 1 with sparse=True (the default)")
    return envelope


def n_fft_of(S, name="S"):
    """Samples of the transforms whose bins a spectrogram has."""
    if S.shape[-2] < 2:
        raise ParameterError(f"{name}.shape[-2]={S.shape[-2]} must be at least 2, bins of a transform")
    return 2 * (S.shape[-2] - 1)


def precision_of(dtype):
    """The type in which the engine computes with real numbers of a type, whatever their byte order."""
    dtype = np.dtype(dtype)
    return np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64


def floating(S, name="S"):
    """Turn anything array-like that is real into float32 or float64, without a copy where it is."""
    if type(S) is Audio:
        return as_type(S, precision_of(S.dtype))
    S = array(S)
    if S.dtype == np.float32 or S.dtype == np.float64:
        return S
    if S.dtype.kind == "c":
        raise ParameterError(f"{name}.dtype={S.dtype} must be real: take np.abs({name})")
    if S.dtype.kind not in "biuf":
        raise ParameterError(f"{name}.dtype={S.dtype} must be a type of numbers")
    return S.astype(precision_of(S.dtype))


def factor(S, basis_dtype=np.float32):
    """A stored spectrogram in the precision of its product with bands of a type.

    Small integers are exact in float32, and so is librosa's product with float32 bands.
    """
    given = array(S).dtype
    S = floating(S)
    return S.astype(precision_of(np.result_type(given, basis_dtype, np.float32)), copy=False)


def as_precise_as(given, result):
    """Results in half precision where that is the type of what was given: see `floating`."""
    return result.astype(np.float16) if given == np.float16 else result
