"""Where the work runs: the devices there are, arrays that stay on one."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Annotated, Any

import numpy as np

from .. import _native
from ..util._public import public
from ..util._rules import array
from ..util._types import Array, CudaArray, DlpackArray, NDArray
from .config import config_context, setting_of
from ..util._wording import as_array
from ..util.exceptions import ParameterError, TypeOf
from . import foreign_arrays
from .device_array import DeviceArray

__all__ = ["Device", "DeviceArray", "devices", "to_device"]


def is_for_host(array: object) -> bool:
    """Tell whether a function without a kernel of its own works on the CPU, where the GPU is asked for.

    What its steps ask of others has sizes that nobody chose, so that a kernel may decline them. Under
    ``"auto"`` such a step is the CPU's anyway, and a DeviceArray goes to a kernel or is refused.
    """
    return _native.gpu_is_asked_for() and not isinstance(array, DeviceArray)


def by_the_way(array: object) -> contextlib.AbstractContextManager[Any]:
    """A scope for steps in sizes that nobody chose: the CPU where `is_for_host`, else what holds already."""
    return ON_CPU if is_for_host(array) else contextlib.nullcontext()


# Around steps of a function that run on the CPU by design, also where the GPU is asked for.
ON_CPU = config_context(backend="cpu")


@dataclasses.dataclass(frozen=True)
class Device:
    """A device that Vulkan sees; `devices` lists them.

    Attributes
    ----------
    index : int
        As `to_device` and the setting `backend` (``"gpu:1"``) take it.
    name : str
    vendor : str
        ``"NVIDIA"``, ``"AMD"`` ...; of one that is not known, its number.
    type : str
        ``"discrete"``, ``"integrated"``, ``"virtual"``, ``"cpu"`` or ``"other"``.
    driver : str
        With its version.
    api_version : str
        Of Vulkan.
    memory : int
        Bytes that it has.
    memory_used : int
        Bytes that arrays, filters and calls of this process use.
    units : int or None
        Units that compute at the same time, as the vendor counts them (SMs, CUs, cores); None if the driver
        does not say.
    memory_kept : int
        Bytes that this process has reserved beside `memory_used`, for later calls.
    uuid : str
        By which other libraries know it.
    max_storage_buffer : int
        Bytes of memory that a kernel can see by one binding.
    shared_memory : int
        Bytes that the threads of a group share.
    timeline_semaphores : bool
        Without them transfers and kernels share a queue.
    unusable : str
        Why it cannot be used; empty when it can.
    """

    index: int
    name: str
    vendor: str
    type: str
    driver: str
    api_version: str
    memory: int
    memory_used: int
    units: int | None
    memory_kept: int = dataclasses.field(repr=False)
    uuid: str = dataclasses.field(repr=False)
    max_storage_buffer: int = dataclasses.field(repr=False)
    shared_memory: int = dataclasses.field(repr=False)
    timeline_semaphores: bool = dataclasses.field(repr=False)
    unusable: str = dataclasses.field(repr=False)


@public
def devices() -> list[Device]:
    """List the devices that Vulkan finds.

    Returns
    -------
    list of Device
        Empty if there is no driver, which is not an error.

    Examples
    --------
    >>> [device.name for device in metalmom.devices() if device.type == "discrete"]  # doctest: +SKIP
    ['NVIDIA H100 80GB HBM3']
    """
    return [Device(**device) for device in _native.devices()]


def _backend_of(device: object) -> str:
    """The name of a backend that is one device."""
    if isinstance(device, Device):
        device = device.index
    if isinstance(device, str):
        if setting_of(device).side == "gpu":
            return device
    elif isinstance(device, (int, np.integer)) and not isinstance(device, bool) and device >= 0:
        return f"gpu:{device}"
    raise ParameterError("device", device, "an index of metalmom.devices(), one of them, or like 'gpu:1'")


@public
def to_device(
    y: Annotated[
        NDArray[np.float32 | np.complex64],
        array(values="float32 or complex64").called("np.ndarray [float32 or complex64]"),
    ] | DeviceArray | DlpackArray | CudaArray,
    *,
    device: int | str | Device | None = None,
) -> DeviceArray:
    """Upload an array once, for functions that have a GPU kernel.

    These functions take the result and return another such array, so that a chain of calls stays on the
    device. This is `device`, or the one that the setting `backend` names, or else the first of `devices`.
    Arrays of another library in that device's memory, such as CUDA tensors of torch, are copied there in
    the order of their stream, without a copy on the host.

    Parameters
    ----------
    y : np.ndarray [float32 or complex64], DeviceArray or array on the device
        Audio or spectra. An array on the device belongs to another library and has ``__dlpack__`` or
        ``__cuda_array_interface__``; a tensor of torch may be in the host's memory as well. A
        DeviceArray is returned as it is.
    device : int, str or Device, optional
        An index of `devices`, one of them, or its name as a backend: ``"gpu:1"``.

    Returns
    -------
    DeviceArray
        ``numpy()`` copies it back to the host. Its memory is free again when nothing refers to it.
        If CUDA sees the device, too, ``torch.from_dlpack`` gives a tensor of the same memory, for reading.

    Raises
    ------
    BufferError
        For an array in CUDA's memory that is not on this device.
    DeviceError
        Without a device, or without enough memory on it.
    ParameterError
        For other dtypes, and for a DeviceArray on another device.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050).astype(np.float32)
    >>> if metalmom.devices():
    ...     M = metalmom.feature.melspectrogram(y=metalmom.to_device(y)).numpy()
    """
    if device is not None:
        with config_context(backend=_backend_of(device)):
            array = to_device(y)
            if array.device != _native.open_device()["index"]:
                raise ParameterError(
                    "y", rule=f"on gpu:{array.device}, and device={device!r}: pass y.numpy()", verb="is"
                )
            return array
    if isinstance(y, DeviceArray):
        return y
    if not isinstance(y, np.ndarray):
        if (copied := foreign_arrays.copied(y)) is not None:
            return copied
        y = foreign_arrays.on_host(y)
    if isinstance(y, (list, tuple)) and any(isinstance(each, DeviceArray) for each in y):
        kind = type(y).__name__
        raise ParameterError(f"y={kind} must be one array, not a {kind} of DeviceArrays", argument="y")
    given, y = y, np.require(y, requirements="A")
    if y.dtype == object:
        raise ParameterError(
            "y", TypeOf(given), "an array of float32 or complex64", hint=as_array("y", given)
        )
    if y.dtype not in (np.float32, np.complex64):
        single = "np.complex64" if y.dtype.kind == "c" else "np.float32"
        way = f"y.astype({single})" if hasattr(given, "astype") else f"np.array(y, {single})"
        hint = f": pass {way}" if y.dtype.kind in "biufc" else ""
        raise ParameterError("y.dtype", y.dtype, "float32 or complex64", hint=hint)
    # Spectra lie as `stft` leaves them.
    if y.ndim > 1 and not y.flags.c_contiguous and y.swapaxes(-1, -2).flags.c_contiguous:
        return _native.to_device(y.swapaxes(-1, -2)).swapaxes(-1, -2)
    return _native.to_device(np.require(y, requirements="C"))  # which leaves an array without axes one


def uploaded(lying: Array, swapped: bool) -> DeviceArray:
    """What a pickled DeviceArray becomes again: its samples as they lay in memory."""
    array = _native.to_device(lying)
    return array.swapaxes(-1, -2) if swapped else array
