"""Features of audio: spectral and rhythmic, differences of them, and back from them to audio."""

from . import inverse, rhythm, spectral, utils
from .rhythm import *  # noqa: F403
from .spectral import *  # noqa: F403
from .utils import *  # noqa: F403

__all__ = ["inverse", *rhythm.__all__, *spectral.__all__, *utils.__all__]
__dir__ = __all__.copy
