"""Argument rules that public functions share: each is written once, here.

A function of the public API resolves its arguments with these, makes one native call and returns.
"""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

import numpy as np

from .. import _native
from ..util._warnings import warn
from ..util._wording import as_floating, may_be_turned, no_array, turned
from ..util.exceptions import DeviceError, ParameterError, Unsaid
from ..util._expressions import Audio, of_audio

if TYPE_CHECKING:
    from ..util._types import Array, ArrayLike, DTypeLike, DeviceArray


def one_row(values: Any) -> Any:
    """Results of one number a frame as librosa has them, (..., 1, frames), wherever they are."""
    return values.reshape(*values.shape[:-1], 1, values.shape[-1])


def without_row(values: Any) -> Any:
    """The inverse of `one_row`."""
    return values.reshape(*values.shape[:-2], values.shape[-1])


def is_engine_type(dtype: DTypeLike) -> bool:
    """Tell whether the engine computes in a dtype, and not in the one that it converts it to."""
    return dtype == np.float32 or dtype == np.float64


def as_type(values: Any, dtype: DTypeLike) -> Any:
    """Values in another dtype, without a copy where they have it."""
    if type(values) is Audio:
        return of_audio(as_type, values, dtype, dtype=dtype) if values.dtype != dtype else values
    return values if values.dtype == dtype else values.astype(dtype)


def on_device(value: object) -> bool:
    """Tell whether an argument is a DeviceArray, which kernels take as it is."""
    return isinstance(value, _native.DeviceArray) or (type(value) is Audio and value.on_device)


def host(value: Any) -> Any:
    """Bring to NumPy what a function has made on a device, for steps that run on the CPU by design.

    Not for arguments: what a caller keeps on a device goes to a kernel, or is refused. The array's own
    ``__array__`` refuses it wherever the package hands it to NumPy.
    """
    return value.numpy() if on_device(value) else value


def refuse_on_device(value: object) -> None:
    """Refuse a DeviceArray where no kernel takes what it holds; `util._explain` names the argument."""
    if on_device(value):
        raise DeviceError("there is no kernel for this DeviceArray", kind="array")


def refuse_argument(of: str, array: object, name: str, value: object = Unsaid) -> None:
    """Refuse an argument that no kernel has, if the array that is the argument `of` is on a device."""
    if on_device(array):
        raise DeviceError(name, value, "no kernel", verb="has", kind="argument", arrays=(of,))


def refuse_other_device(name: str, value: Any, array: DeviceArray) -> None:
    """Refuse a DeviceArray that a call brings to the host, but that lies on another device than `array`."""
    if on_device(value) and value.device != array.device:
        raise DeviceError(
            name, rule=f"on gpu:{value.device}, other arrays of the call on gpu:{array.device}", verb="is",
            hint=": they must be on one device", kind="device",
        )  # fmt: skip


def array(value: Any) -> Any:
    """`numpy.asarray`, but a DeviceArray stays where it is."""
    return value if on_device(value) else np.asarray(value)


def audio(y: Any, name: str = "y") -> Any:
    """Check the type of audio; the engine checks that it is finite while it reads it."""
    if not isinstance(y, np.ndarray):
        if isinstance(y, (Audio, _native.DeviceArray)):
            return y
        raise no_array(name, y)
    if y.dtype.kind != "f":
        raise ParameterError(f"{name}.dtype", y.dtype, "floating-point", hint=as_floating(name, y.dtype))
    if y.ndim == 0:
        raise ParameterError(f"{name}.shape", y.shape, "have at least one dimension", verb="must")
    return y


def signal(y: Any) -> Any:
    """Check audio as `audio` does, and warn where its channels seem to lie side by side.

    Functions that transform frames need it not: their frames are longer than such audio.
    """
    y = audio(y)
    lead = y.lead if type(y) is Audio else y.shape[:-1]
    return of_audio(warn_of_turned, y) if may_be_turned(lead) else y


def warn_of_turned(y: Any) -> Any:
    """Warn of audio whose channels seem to lie side by side; it is given back."""
    if hint := turned("y", y):
        warn(f"y.shape={y.shape} is {y.shape[0]} channels of {y.shape[1]} samples{hint}")
    return y


def planes(S: Any) -> tuple[Any, bool]:
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


def one_signal(envelope: ArrayLike, sparse: bool, source: str) -> Array:
    """An onset envelope, of the argument `source`, as a NumPy array; of one signal if positions are asked for."""
    envelope = np.asarray(envelope)
    if sparse and envelope.ndim != 1:
        raise ParameterError(f"{source}.ndim", envelope.ndim, "1 with sparse=True (the default)")
    return envelope


def precision_of(dtype: DTypeLike) -> type[np.float32 | np.float64]:
    """The type in which the engine computes with real numbers of a type, whatever their byte order."""
    dtype = np.dtype(dtype)
    return np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64


def floating(S: Any, name: str = "S") -> Any:
    """Turn anything array-like that is real into float32 or float64, without a copy where it is."""
    if type(S) is Audio:
        return as_type(S, precision_of(S.dtype))
    S = array(S)
    if S.dtype == np.float32 or S.dtype == np.float64:
        return S
    if S.dtype.kind == "c":
        raise ParameterError(f"{name}.dtype", S.dtype, f"real: take np.abs({name})")
    if S.dtype.kind not in "biuf":
        raise ParameterError(f"{name}.dtype", S.dtype, "a type of numbers")
    return S.astype(precision_of(S.dtype))


def factor(S: Any, basis_dtype: DTypeLike = np.float32) -> Any:
    """A stored spectrogram in the precision of its product with bands of a type.

    Small integers are exact in float32, and so is librosa's product with float32 bands.
    """
    given = array(S).dtype
    S = floating(S)
    return S.astype(precision_of(np.result_type(given, basis_dtype, np.float32)), copy=False)


def as_precise_as(given: DTypeLike, result: Array) -> Array:
    """Results in half precision where that is the type of what was given: see `floating`."""
    return result.astype(np.float16) if given == np.float16 else result
