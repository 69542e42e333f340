"""The demo song: 30 s of drums, bass and chords at a known tempo, the same samples everywhere."""

from __future__ import annotations

import os
from typing import Annotated

import numpy as np
from . import _native
from .util._public import public
from .util._rules import number
from .util._types import Float, NDArray, Number
from .util import _output_files
from .util._checks import is_number, require

__all__ = ["TEMPO", "song", "write_wav"]

TEMPO = _native.demo_tempo
"""Beats per minute. The first beat is at 0 s, the bars have four."""


@public
def song(
    duration: Annotated[Number, number(least=0, most=3600).called("number from 0 to 3600")] = 30.0,
) -> tuple[NDArray[np.float32], int]:
    """Synthesise the demo song.

    Parameters
    ----------
    duration : number from 0 to 3600
        Seconds.

    Returns
    -------
    y : np.ndarray, shape (2, n), float32
        Stereo, within [-1, 1].
    sr : int
        44100

    Examples
    --------
    >>> import metalmom
    >>> y, sr = metalmom.demo.song(duration=5)
    >>> y.shape
    (2, 220500)
    """
    require(is_number(duration) and 0 <= duration <= 3600, "duration", duration, "a number from 0 to 3600")
    return _native.demo_song(float(duration)), _native.demo_rate


@public
def write_wav(path: str | os.PathLike[str], duration: Float = 30.0) -> None:
    """Write the demo song as a 16-bit WAV file.

    Parameters
    ----------
    path : str or os.PathLike
    duration : float
        Seconds.
    """
    _output_files.write_wav(path, *song(duration))
