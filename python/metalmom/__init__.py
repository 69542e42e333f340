"""librosa's audio features from a C++ engine, on the CPU and on any GPU.

``import metalmom as librosa`` is all that changes: names, signatures, defaults, shapes, dtypes and
numbers are those of librosa 1.0.0.
"""

import sys

from . import _program  # first of all: from here on Ctrl-C ends the program in silence

if _program.begins_run(_program.command_line(), sys.orig_argv):
    from .extraction import fork_server

    fork_server.start_early()  # before the imports below, during which it imports the same

from . import (
    _boundary,
    beat,
    core,
    decompose,
    demo,
    display,
    effects,
    feature,
    filters,
    onset,
    segment,
    sequence,
    streaming,
    trace,
    util,
)
from ._boundary.librosa_names import show_public_names, tell_of_missing_names
from ._cache import cache
from ._engine.backend import Device, DeviceArray, devices, to_device
from ._engine.runtime import build_info, release_caches
from ._engine.submit import submit
from ._extractor.extractor import Extractor
from ._extractor.sides import explain
from ._warmup import gpu_warmup
from ._engine.config import backend, config_context, get_config, limits, set_config, threads  # noqa: F401
from .convolution import convolve
from .core import *  # noqa: F403
from .extraction import extract, open_features
from .util.exceptions import AudioError, DeviceError, LibrosaError, ParameterError
from .util.files import cite, ex, example
from .version import show_versions
from .version import version as __version__

__all__ = [
    "AudioError",
    "Device",
    "DeviceArray",
    "DeviceError",
    "Extractor",
    "LibrosaError",
    "ParameterError",
    "__version__",
    "beat",
    "build_info",
    "cache",
    "cite",
    "config_context",
    "convolve",
    "core",
    "decompose",
    "demo",
    "devices",
    "display",
    "effects",
    "ex",
    "example",
    "explain",
    "extract",
    "feature",
    "filters",
    "get_config",
    "gpu_warmup",
    "onset",
    "open_features",
    "release_caches",
    "segment",
    "sequence",
    "set_config",
    "show_versions",
    "streaming",
    "submit",
    "to_device",
    "trace",
    "util",
    *core.__all__,
]

_boundary.guard()
tell_of_missing_names(__name__)
show_public_names(__name__)
