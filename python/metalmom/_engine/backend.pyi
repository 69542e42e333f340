# Written by scripts/make_stubs.py from the docstrings.

import numpy as np
import numpy.typing as npt
from .._native import DeviceArray
from .._types import CudaArray, DlpackArray

__all__ = [
    "Device",
    "devices",
    "to_device",
]

class Device:
    index: int
    name: str
    vendor: str
    type: str
    driver: str
    api_version: str
    memory: int
    memory_used: int
    units: int | None
    memory_kept: int
    uuid: str
    max_storage_buffer: int
    shared_memory: int
    timeline_semaphores: bool
    unusable: str
    def __init__(
        self,
        index: int,
        name: str,
        vendor: str,
        type: str,
        driver: str,
        api_version: str,
        memory: int,
        memory_used: int,
        units: int | None,
        memory_kept: int,
        uuid: str,
        max_storage_buffer: int,
        shared_memory: int,
        timeline_semaphores: bool,
        unusable: str,
    ) -> None: ...
def devices() -> list[Device]: ...
def to_device(
    y: npt.NDArray[np.float32 | np.complex64] | DeviceArray | DlpackArray | CudaArray,
    *,
    device: int | str | Device | None = None,
) -> DeviceArray: ...
