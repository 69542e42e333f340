"""What users import: the names of `metalmom` and where they are from. `metalmom/__init__.py` shows them."""

from . import (
    beat, core, decompose, demo, display, effects, feature, filters, frontend, nn, onset, segment, separation,
    sequence, streaming, trace, util,
)
from ._cache import cache
from ._engine.backend import Device, DeviceArray, devices, to_device
from ._engine.pressure import on_memory_pressure
from ._engine.runtime import build_info, release_caches
from ._engine.submit import submit
from ._extractor.extractor import Extractor
from ._extractor.sides import explain
from ._self_test import self_test
from ._warmup import gpu_warmup
from .as_librosa import install_as_librosa
from ._engine.config import backend, config_context, get_config, limits, set_config, threads  # noqa: F401
from .convolution import convolve
from .core import *  # noqa: F403
from .extraction import extract, open_features
from .separation import overlap_add, segments, separate
from .util.exceptions import AudioError, DeviceError, LibrosaError, ParameterError
from .util.files import cite, ex, example
from .version import show_versions
from .version import version as __version__

__all__ = [
    "AudioError", "Device", "DeviceArray", "DeviceError", "Extractor", "LibrosaError",
    "ParameterError", "__version__", "beat", "build_info", "cache", "cite", "config_context", "convolve",
    "core", "decompose", "demo", "devices", "display", "effects", "ex", "example", "explain", "extract",
    "feature", "filters", "frontend", "get_config", "gpu_warmup", "install_as_librosa", "nn",
    "on_memory_pressure", "onset", "open_features", "overlap_add", "release_caches", "segment", "segments", "self_test", "separate",
    "separation", "sequence", "set_config", "show_versions", "streaming", "submit", "to_device", "trace", "util",
    *dir(core),
]  # fmt: skip
