# Written by scripts/make_stubs.py from the docstrings.

import os
from collections.abc import Iterator
from typing import Any
import numpy.typing as npt
from .._types import Int

__all__ = [
    "Features",
    "FileFeatures",
]

class Features:
    recipe: dict[str, Any]
    sr: float
    names: list[str]
    def __init__(self, out: str | os.PathLike[str], without: list[Int] | None = None) -> None: ...
    @property
    def planned(self) -> Any: ...
    @property
    def files(self) -> Any: ...
    def __len__(self) -> Any: ...
    def frames(self, name: str) -> npt.NDArray[Any]: ...
    def index(self, name: Any) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
class FileFeatures:
    row: dict[str, Any]
    path: str
    status: str
    error: str
    duration: float
    def __init__(self, row: Any, parts: Any, tables: Any) -> None: ...
    def keys(self) -> Any: ...
    def __getitem__(self, name: Any) -> Any: ...
