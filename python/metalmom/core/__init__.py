"""The names of librosa.core."""

from . import audio, constantq, convert, harmonic, intervals, notation, pitch, spectrum
from .audio import *  # noqa: F403
from .constantq import *  # noqa: F403
from .convert import *  # noqa: F403
from .harmonic import *  # noqa: F403
from .intervals import *  # noqa: F403
from .notation import *  # noqa: F403
from .pitch import *  # noqa: F403
from .spectrum import *  # noqa: F403

__all__ = [
    *audio.__all__,
    *constantq.__all__,
    *convert.__all__,
    *harmonic.__all__,
    *intervals.__all__,
    *notation.__all__,
    *pitch.__all__,
    *spectrum.__all__,
]
__dir__ = __all__.copy
