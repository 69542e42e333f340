"""Utilities on arrays: framing, padding, normalising, peaks, matching, validation."""

from . import exceptions, matching, utils
from .matching import *  # noqa: F403
from .utils import *  # noqa: F403

__all__ = ["exceptions", *matching.__all__, *utils.__all__]
