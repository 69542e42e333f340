"""Features, transforms and rhythm of audio that comes block by block.

An object of these classes takes blocks of any length and returns the frames that are complete. Joined,
they are bit for bit the result of the function of the same name for the whole signal. Arguments that
need the end of the signal are refused when the object is made; the error says what to do instead.
"""

from . import _extractor, _features, _model, _report, _rhythm, _ring, _stream, _transforms
from ._extractor import *  # noqa: F403
from ._features import *  # noqa: F403
from ._model import *  # noqa: F403
from ._report import *  # noqa: F403
from ._rhythm import *  # noqa: F403
from ._ring import *  # noqa: F403
from ._stream import *  # noqa: F403
from ._transforms import *  # noqa: F403

__all__ = [
    *_extractor.__all__, *_features.__all__, *_model.__all__, *_report.__all__, *_rhythm.__all__, *_ring.__all__,
    *_stream.__all__, *_transforms.__all__,
]
__dir__ = __all__.copy

for _name in __all__:
    globals()[_name].__module__ = __name__
