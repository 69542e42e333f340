# Written by scripts/make_stubs.py from the docstrings.

from typing import Any
import numpy as np
import numpy.typing as npt

__all__ = [
    "match_events",
    "match_intervals",
]

def match_events(
    events_from: npt.ArrayLike,
    events_to: npt.ArrayLike,
    left: bool = True,
    right: bool = True,
) -> npt.NDArray[np.int32]: ...
def match_intervals(
    intervals_from: npt.NDArray[Any],
    intervals_to: npt.NDArray[Any],
    strict: bool = True,
) -> npt.NDArray[np.uint32]: ...
