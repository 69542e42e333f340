"""Convolution of whole signals."""

from __future__ import annotations

from typing import Annotated, Any, Literal, overload

import numpy as np

from . import _native
from ._engine import _args
from ._engine.backend import to_device
from ._engine.config import config_context
from ._native import DeviceArray
from .util._public import public
from .util._rules import array_like
from .util._types import Array, ArrayLike, Several
from .util._checks import require, require_finite
from .util._declared import has_kernels
from .util.exceptions import DeviceError, ParameterError

__all__ = ["convolve"]

_Mode = Literal["full", "same", "valid"]
_Method = Literal["auto", "direct", "fft", "overlap_save", "partitioned"]


def samples_of(values: ArrayLike | DeviceArray, name: str) -> Any:
    """Values as float32, or as float64 where that holds them; a DeviceArray stays where it is."""
    array = _args.array(values)
    require(array.dtype.kind in "biuf", f"{name}.dtype", array.dtype, "a type of real numbers")
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ParameterError(f"{name}.shape", array.shape, "have at least one sample", verb="must")
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _beside(array: Any, name: str, other: Any) -> Any:
    """An array where another one is: on its device, if that is on one."""
    if _args.on_device(array) or not _args.on_device(other):
        return array
    if array.dtype != np.float32:
        raise DeviceError(
            f"the GPU computes in float32, and {name} is {array.dtype}", kind="precision", op="convolve",
            hint=f": pass {name}.astype(np.float32)",
        )  # fmt: skip
    with config_context(backend=f"gpu:{other.device}"):
        return to_device(array)


@overload
def convolve(x: Several, h: Several, *, mode: _Mode = ..., method: _Method = ...) -> Array: ...
@overload
def convolve(
    x: DeviceArray, h: ArrayLike | DeviceArray, *, mode: _Mode = ..., method: _Method = ...
) -> DeviceArray: ...
@overload
def convolve(
    x: ArrayLike | DeviceArray, h: DeviceArray, *, mode: _Mode = ..., method: _Method = ...
) -> DeviceArray: ...
@has_kernels(
    'by partitions (`method="auto"` or `"partitioned"`); signal and response together of fewer than 2^30 '
    "samples",
    lambda of: {"x": of.y, "h": of.y, "mode": "same"},
)
@public
def convolve(
    x: Annotated[ArrayLike, array_like("..., n", values="real")] | DeviceArray,
    h: Annotated[ArrayLike, array_like("m", "..., m", values="real")] | DeviceArray,
    *,
    mode: _Mode = "full",
    method: _Method = "auto",
) -> Array | DeviceArray:
    """Convolve signals with impulse responses along the last axis.

    The result is not normalised; `mode` decides its length. float32 is transformed in float32: the result
    agrees with the exact one to about 1e-6 of its maximum, on a device to 1.1e-6 (in noise to 6e-7).

    On a device the kernel works by partitions, on float32. If `x` or `h` is a DeviceArray, so is the
    result, and the other one is uploaded.

    Parameters
    ----------
    x : array_like [shape=(..., n)], real, or DeviceArray
        Signals, finite everywhere.
    h : array_like [shape=(m,) or (..., m)], real, or DeviceArray
        One response for all signals, or one for each.
    mode : {"full", "same", "valid"}
        "full": all n + m - 1 samples. "same": the middle ones, as many as `x` has. "valid": those for
        which no sample is missing.
    method : {"auto", "direct", "fft", "overlap_save", "partitioned"}
        "direct": sums of products. "fft": one transform as long as the result. "overlap_save": blocks
        of transforms at least as long as the response. "partitioned": blocks with the response in
        partitions. "auto": the method that is expected to be fastest.

    Returns
    -------
    np.ndarray [shape=(..., k)], or DeviceArray
        float32 if both are, else float64.

    Raises
    ------
    ParameterError
        For values that are not real or not finite, and shapes that do not fit.
    DeviceError
        If a device is asked for and the method is not "partitioned", or the values are
        float64.

    References
    ----------
    T. G. Stockham, "High-speed convolution and correlation", AFIPS 1966. W. G. Gardner, "Efficient
    convolution without input-output delay", JAES 43(3), 1995.

    Examples
    --------
    >>> metalmom.convolve(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.5]))
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    signals, responses = samples_of(x, "x"), samples_of(h, "h")
    if responses.ndim > 1 and signals.shape[:-1] != responses.shape[:-1]:
        raise ParameterError("h.shape", responses.shape, f"(m,), or begin with the axes of x.shape={signals.shape}")
    signals, responses = _beside(signals, "x", responses), _beside(responses, "h", signals)
    try:
        return _native.convolve(x=signals, h=responses, mode=mode, method=method)
    except ParameterError:
        # the engine looks while it reads, and calls all audio y
        require_finite("x", signals)
        require_finite("h", responses)
        raise
