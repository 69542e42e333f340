# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Sequence
from typing import Any, overload
import numpy as np
import numpy.typing as npt
from .._types import Int, Number

__all__ = [
    "fifths_to_note",
    "interval_to_fjs",
    "key_to_degrees",
    "key_to_notes",
    "list_mela",
    "list_thaat",
    "mela_to_degrees",
    "mela_to_svara",
    "thaat_to_degrees",
]

def fifths_to_note(*, unison: str, fifths: Int, unicode: bool = True) -> str: ...
@overload
def interval_to_fjs(
    interval: Number,
    *,
    unison: str = "C",
    tolerance: Number = 1.0317460317460319,
    unicode: bool = True,
) -> str: ...
@overload
def interval_to_fjs(
    interval: Sequence[Any] | npt.NDArray[Any],
    *,
    unison: str = "C",
    tolerance: Number = 1.0317460317460319,
    unicode: bool = True,
) -> npt.NDArray[np.str_]: ...
def key_to_degrees(key: str) -> npt.NDArray[np.integer[Any]]: ...
def key_to_notes(key: str, *, unicode: bool = True, natural: bool = False) -> list[str]: ...
def list_mela() -> dict[str, Any]: ...
def list_thaat() -> list[str]: ...
def mela_to_degrees(mela: str | Int) -> npt.NDArray[np.integer[Any]]: ...
def mela_to_svara(mela: str | Int, *, abbr: bool = True, unicode: bool = True) -> list[str]: ...
def thaat_to_degrees(thaat: str) -> npt.NDArray[np.integer[Any]]: ...
