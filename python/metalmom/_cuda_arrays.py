"""Arrays of other libraries in CUDA's memory, or HIP's, as `to_device` takes them: copied on the device, in stream order."""

import operator
import sys

from . import _native
from .util.exceptions import ParameterError

# DLPack's kinds of devices whose memory is CUDA's, managed by it, or HIP's.
_KINDS = (2, 13, 10)


def copied(y):
    """Copy an array from CUDA's memory to a DeviceArray; None if it is not in CUDA's memory.

    The copy is made by the stream that the array's library works on, where that can be known, and
    nobody waits for it; else it is waited for.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(y, torch.Tensor):
        return _copied_tensor(torch, y.detach()) if y.is_cuda else None
    interface = getattr(y, "__cuda_array_interface__", None)
    if interface is not None:
        return _native.from_cuda_array(*_described(interface))
    if hasattr(y, "__dlpack_device__"):
        device = y.__dlpack_device__()
        if isinstance(device, tuple) and device and device[0] in _KINDS:
            return _native.from_dlpack(y.__dlpack__(stream=_native.copying_stream()), None)
    return None


def _described(interface):
    """Address, shape, strides, type and stream of a CUDA array interface."""
    try:
        address, shape, strides, typestr, stream = (
            operator.index(interface["data"][0]), interface["shape"], interface.get("strides"),
            interface["typestr"], interface.get("stream"),
        )  # fmt: skip
        shape = [operator.index(size) for size in shape]
        strides = None if strides is None else [operator.index(stride) for stride in strides]
        stream = None if stream is None else operator.index(stream)
    except (AttributeError, LookupError, TypeError):
        raise ParameterError(
            f"y.__cuda_array_interface__={interface!r} must be a dict with data, shape and typestr"
        ) from None
    return address, shape, strides, str(typestr), stream


def _copied_tensor(torch, y):
    stream = torch.cuda.current_stream(y.device)
    # The default stream is 0 in PyTorch; DLPack calls CUDA's 1, and HIP's 0.
    handle = stream.cuda_stream or (0 if torch.version.hip else 1)
    result = _native.from_dlpack(y.__dlpack__(stream=handle), handle)
    y.record_stream(stream)  # whatever stream its memory belongs to
    return result
