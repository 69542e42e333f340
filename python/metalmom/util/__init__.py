"""Utilities on arrays: framing, padding, normalising, peaks, matching, validation; files."""

from . import decorators, deprecation, exceptions, files, matching, utils
from ._nnls import nnls
from .deprecation import *  # noqa: F403
from .files import *  # noqa: F403
from .matching import *  # noqa: F403
from .utils import *  # noqa: F403

__all__ = [
    "decorators",
    "exceptions",
    "nnls",
    *deprecation.__all__,
    *files.__all__,
    *matching.__all__,
    *utils.__all__,
]
__dir__ = __all__.copy
