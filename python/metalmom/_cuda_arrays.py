"""Arrays of other libraries in CUDA's memory, as `to_device` takes them: copied on the device, in stream order."""

import sys

from . import _native

# DLPack's kinds of devices whose memory is CUDA's, or managed by it.
_KINDS = (2, 13)
_LEGACY_STREAM = 1


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
        return _native.from_cuda_array(
            interface["data"][0], interface["shape"], interface.get("strides"),
            interface["typestr"], interface.get("stream"),
        )  # fmt: skip
    if hasattr(y, "__dlpack_device__") and y.__dlpack_device__()[0] in _KINDS:
        return _native.from_dlpack(y.__dlpack__(stream=_native.copying_stream()), None)
    return None


def _copied_tensor(torch, y):
    stream = torch.cuda.current_stream(y.device)
    handle = stream.cuda_stream or _LEGACY_STREAM
    result = _native.from_dlpack(y.__dlpack__(stream=handle), handle)
    y.record_stream(stream)  # whatever stream its memory belongs to
    return result
