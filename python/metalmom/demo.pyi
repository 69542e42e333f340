# Written by scripts/make_stubs.py from the docstrings.

import os
import numpy as np
import numpy.typing as npt
from ._types import Number

__all__ = [
    "TEMPO",
    "song",
    "write_wav",
]

TEMPO: float
def song(duration: Number = 30.0) -> tuple[npt.NDArray[np.float32], int]: ...
def write_wav(path: str | os.PathLike[str], duration: Number = 30.0) -> None: ...
