"""Features of audio: spectral and rhythmic."""

from . import rhythm, spectral
from .rhythm import *  # noqa: F403
from .spectral import *  # noqa: F403

__all__ = [*rhythm.__all__, *spectral.__all__]
