# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Mapping
from typing import Any, overload
import numpy as np
import numpy.typing as npt
from .._native import DeviceArray, Scope
from .._types import CudaArray, DlpackArray

__all__ = [
    "backend",
    "devices",
    "to_device",
]

class _Backend:
    @overload
    def __call__(self) -> str: ...
    @overload
    def __call__(self, name: str, *, min_frames: Mapping[str, int] | None = None) -> Scope: ...
    @overload
    def __call__(self, *, min_frames: Mapping[str, int]) -> Scope: ...
    def set_default(self, name: str, *, min_frames: Mapping[str, int] | None = None) -> None: ...

backend: _Backend
def devices() -> list[dict[str, Any]]: ...
def to_device(
    y: npt.NDArray[np.float32 | np.complex64] | DeviceArray | DlpackArray | CudaArray,
) -> DeviceArray: ...
