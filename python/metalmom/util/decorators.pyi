# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Callable, Iterable
from typing import Any
import numpy.typing as npt

__all__ = [
    "deprecated",
    "moved",
    "vectorize",
]

def deprecated(*, version: str, version_removed: str) -> Callable[..., Any]: ...
def moved(*, moved_from: str, version: str, version_removed: str) -> Callable[..., Any]: ...
def vectorize(
    *,
    otypes: str | list[Any] | None = None,
    doc: str | None = None,
    excluded: Iterable[Any] | npt.NDArray[Any] | None = None,
    cache: bool = False,
    signature: str | None = None,
) -> Callable[..., Any]: ...
