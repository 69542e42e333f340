"""Rhythm: tempograms and tempo."""

from .._homes import adopt
from . import _fourier_tempo, _tempo, _tempo_ratios
from ._fourier_tempo import *  # noqa: F403
from ._tempo import *  # noqa: F403
from ._tempo_ratios import *  # noqa: F403

_PARTS = (_fourier_tempo, _tempo, _tempo_ratios)

__all__ = [name for part in _PARTS for name in part.__all__]

adopt(__name__, *_PARTS)
