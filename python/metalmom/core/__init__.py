"""librosa.core under its own name: what the modules of this folder export."""

from . import convert
from .convert import *  # noqa: F403

__all__ = [*convert.__all__]
