"""What identifies the numbers that a recipe gives here: those of one sound, which is the same everywhere.

A version says too little: two builds of it, or NumPy or SciPy beneath them, may round differently.
Hashes of sources or of the module say too much: they change where no number does. So a run computes
its recipe for a few seconds of sound, resampled as files are, and keeps a hash of the rows.
"""

import hashlib
import warnings

import numpy as np

from .._engine.config import config_context
from ..util.exceptions import LibrosaError
from .aggregates import aggregated
from .probe import SECONDS, probe_sound
from .schema import FRAMES, Unusable

__all__ = ["numbers_of", "resampling_of"]

# Two common rates: the sound has the one that the recipe has not, so that it is resampled.
_RATES = (44100, 48000)


def _resampled(sr):
    from .. import core

    (rate, *_) = (each for each in _RATES if each != sr)
    with config_context(backend="cpu"):
        return core.resample(probe_sound(rate), orig_sr=rate, target_sr=sr, res_type="soxr_hq")


def _hashed(arrays):
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def resampling_of(sr):
    """What identifies the samples that resampling to a rate gives here."""
    return _hashed([_resampled(sr)])


def numbers_of(recipe, schema):
    """What identifies the numbers of a recipe's tables; devices are not looked at.

    Raises
    ------
    Unusable
        For arguments with which the recipe cannot be computed.
    """
    with config_context(backend="cpu"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sound = _resampled(recipe.sr)
        try:
            values = recipe.extractor(sound)
        except (LibrosaError, MemoryError, TypeError, ValueError) as error:
            raise Unusable(f"recipe: {error} (tried on {SECONDS} s of sound)") from error
        rows = schema.rows_of(values)
        arrays = [rows[part.name] for part in schema.parts]
        for part in schema.of_kind(FRAMES) if recipe.aggregate else ():
            arrays += aggregated(part, rows[part.name], recipe.aggregate).values()
    return _hashed(arrays)
