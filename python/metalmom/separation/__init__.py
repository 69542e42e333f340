"""Sources of audio, by models that run elsewhere, and long audio in overlapping segments.

`metalmom.separate` is the whole of it for audio in memory, `separate_file` for files, and `Stream` for audio
that comes block by block. A `Model` is a function of a segment, or an ONNX file, with its `Description`.
"""

from . import _files, _models, _segments, _separate, _stream
from ._files import *  # noqa: F403
from ._models import *  # noqa: F403
from ._segments import *  # noqa: F403
from ._separate import *  # noqa: F403
from ._stream import *  # noqa: F403

__all__ = [*_files.__all__, *_models.__all__, *_segments.__all__, *_separate.__all__, *_stream.__all__]
__dir__ = __all__.copy

for _name in __all__:
    globals()[_name].__module__ = __name__
