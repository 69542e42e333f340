"""Features, transforms and rhythm of audio that comes block by block.

An object of a class here takes blocks of any length and gives what is known so far; joined, that is
bit for bit what the function of the same name gives for the whole signal. What a function can only
know at the end of a signal is refused when the object is made, with the way out.
"""

from . import _features, _model, _rhythm, _stream, _transforms
from ._features import *  # noqa: F403
from ._model import *  # noqa: F403
from ._rhythm import *  # noqa: F403
from ._stream import *  # noqa: F403
from ._transforms import *  # noqa: F403

__all__ = [*_features.__all__, *_model.__all__, *_rhythm.__all__, *_stream.__all__, *_transforms.__all__]
__dir__ = __all__.copy

for _name in __all__:
    globals()[_name].__module__ = __name__
