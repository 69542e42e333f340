"""Features of audio: spectral and rhythmic."""

from . import spectral
from .spectral import *  # noqa: F403

__all__ = [*spectral.__all__]
