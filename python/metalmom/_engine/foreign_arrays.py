"""Arrays of other libraries for `to_device`: in memory of CUDA or HIP, copied on the device in stream order."""

from __future__ import annotations

import operator
import sys
from typing import Any

from .. import _native
from ..util.exceptions import ParameterError, Shown

# DLPack's kinds of devices whose memory is CUDA's, managed by it, or HIP's.
_KINDS = (2, 13, 10)


def copied(y: Any) -> _native.DeviceArray | None:
    """Copy an array from CUDA's memory to a DeviceArray; None if it is not in CUDA's memory.

    The copy is made by the stream that the array's library works on, where that can be known, and
    nobody waits for it; else it is waited for.
    """
    torch = _torch_of(y)
    if torch is not None:
        return _copied_tensor(torch, _plain(torch, y)) if y.is_cuda else None
    interface = getattr(y, "__cuda_array_interface__", None)
    if interface is not None:
        return _native.from_cuda_array(*_described(interface))
    if hasattr(y, "__dlpack_device__"):
        device = y.__dlpack_device__()
        if isinstance(device, tuple) and device and device[0] in _KINDS:
            return _native.from_dlpack(y.__dlpack__(stream=_native.copying_stream()), None)
    return None


def on_host(y: Any) -> Any:
    """A tensor of torch as an array of NumPy; what is none as it is."""
    torch = _torch_of(y)
    if torch is None:
        return y
    if y.device.type != "cpu":
        raise ParameterError("y.device", Shown(y.device), "the CPU, or a GPU of CUDA or ROCm")
    return _plain(torch, y).numpy()


def _torch_of(y: object) -> Any:
    """The module torch, if `y` is a tensor of it; it need not be imported to find that out."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(y, torch.Tensor) else None


def _plain(torch: Any, y: Any) -> Any:
    """A tensor's values, without its gradient and without signs and conjugations that torch has put off."""
    if y.layout != torch.strided:
        raise ParameterError("y.layout", y.layout, "torch.strided: pass y.to_dense()")
    if y.dtype not in (torch.float32, torch.complex64):
        single = torch.complex64 if y.is_complex() else torch.float32
        raise ParameterError("y.dtype", y.dtype, f"float32 or complex64: pass y.to({single})")
    return y.detach().resolve_conj().resolve_neg()


def _described(interface: dict[str, Any]) -> tuple[int, list[int], list[int] | None, str, int | None]:
    """Address, shape, strides, type and stream of a CUDA array interface."""
    try:
        address, shape, strides, typestr, stream, mask = (
            _word(interface["data"][0]), interface["shape"], interface.get("strides"),
            interface["typestr"], interface.get("stream"), interface.get("mask"),
        )  # fmt: skip
        shape = [_signed(size) for size in shape]
        strides = None if strides is None else [_signed(stride) for stride in strides]
        stream = None if stream is None else _word(stream)
    except (AttributeError, LookupError, OverflowError, TypeError):
        raise ParameterError(
            "y.__cuda_array_interface__", interface, "a dict with data, shape and typestr"
        ) from None
    if mask is not None:
        raise ParameterError(
            "y.__cuda_array_interface__", rule="have no mask, which would be lost", verb="must"
        )
    return address, shape, strides, str(typestr), stream


def _word(value: Any) -> int:
    """An address, or a handle: a whole number of as many bits as the engine has for it."""
    return _fitting(value, 0, 2 ** (8 * _native.pointer_bytes) - 1)


def _signed(value: Any) -> int:
    """A size or a stride."""
    half = 2 ** (8 * _native.pointer_bytes - 1)
    return _fitting(value, -half, half - 1)


def _fitting(value: Any, least: int, most: int) -> int:
    number = operator.index(value)
    if not least <= number <= most:
        raise OverflowError
    return number


def _copied_tensor(torch: Any, y: Any) -> _native.DeviceArray:
    stream = torch.cuda.current_stream(y.device)
    # The default stream is 0 in PyTorch; DLPack calls CUDA's 1, and HIP's 0.
    handle = stream.cuda_stream or (0 if torch.version.hip else 1)
    result = _native.from_dlpack(y.__dlpack__(stream=handle), handle)
    y.record_stream(stream)  # whatever stream its memory belongs to
    return result
