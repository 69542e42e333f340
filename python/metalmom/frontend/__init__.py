"""Front-ends of neural models: features as the models' own code computes them."""

from . import config, kaldi, sounds, speech
from .config import *
from .kaldi import *  # noqa: F403
from .sounds import *  # noqa: F403
from .speech import *  # noqa: F403

__all__ = [*config.__all__, *kaldi.__all__, *sounds.__all__, *speech.__all__]
__dir__ = __all__.copy
