# Written by scripts/make_stubs.py from the docstrings.

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal
import numpy as np
import numpy.typing as npt
from .graph_view import Graph
from .._native import DeviceArray
from .._types import Int

__all__ = [
    "Extractor",
]

class Extractor:
    def __init__(
        self,
        features: list[str] | Mapping[str, dict[str, Any]],
        **defaults: Any,
    ) -> None: ...
    @classmethod
    def from_recipe(cls, source: dict[str, Any] | str | os.PathLike[str]) -> Extractor: ...
    @property
    def recipe(self) -> dict[str, Any]: ...
    def graph(self) -> Graph: ...
    def __call__(self, y: npt.NDArray[np.floating[Any]] | DeviceArray) -> dict[str, Any]: ...
    def map(
        self,
        clips: Iterable[npt.NDArray[np.floating[Any]]] | npt.NDArray[np.floating[Any]],
        *,
        lengths: Sequence[Int] | npt.NDArray[np.integer[Any]] | None = None,
        errors: Literal["raise", "return"] = "raise",
    ) -> list[dict[str, Any]]: ...
