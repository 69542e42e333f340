# Written by scripts/make_stubs.py.

from . import beat as beat
from . import core as core
from . import decompose as decompose
from . import demo as demo
from . import display as display
from . import effects as effects
from . import feature as feature
from . import filters as filters
from . import frontend as frontend
from . import nn as nn
from . import onset as onset
from . import segment as segment
from . import separation as separation
from . import sequence as sequence
from . import streaming as streaming
from . import trace as trace
from . import util as util
from ._cache import cache as cache
from ._engine.backend import Device as Device
from ._engine.backend import DeviceArray as DeviceArray
from ._engine.backend import devices as devices
from ._engine.backend import to_device as to_device
from ._engine.pressure import on_memory_pressure as on_memory_pressure
from ._engine.runtime import build_info as build_info
from ._engine.runtime import release_caches as release_caches
from ._engine.submit import submit as submit
from ._extractor.extractor import Extractor as Extractor
from ._extractor.sides import explain as explain
from ._self_test import self_test as self_test
from ._warmup import gpu_warmup as gpu_warmup
from .as_librosa import install_as_librosa as install_as_librosa
from ._engine.config import backend as backend
from ._engine.config import config_context as config_context
from ._engine.config import get_config as get_config
from ._engine.config import limits as limits
from ._engine.config import set_config as set_config
from ._engine.config import threads as threads
from .convolution import convolve as convolve
from .core import *
from .extraction import extract as extract
from .extraction import open_features as open_features
from .separation import overlap_add as overlap_add
from .separation import segments as segments
from .separation import separate as separate
from .util.exceptions import AudioError as AudioError
from .util.exceptions import DeviceError as DeviceError
from .util.exceptions import LibrosaError as LibrosaError
from .util.exceptions import ParameterError as ParameterError
from .util.files import cite as cite
from .util.files import ex as ex
from .util.files import example as example
from .version import show_versions as show_versions
from .version import version
__version__ = version
