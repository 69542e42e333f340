"""What identifies the numbers that a recipe gives here: those of one sound, which is the same everywhere.

A version says too little: two builds of it, or NumPy or SciPy beneath them, may round differently.
Hashes of sources or of the module say too much: they change where no number does. So a run computes
its recipe for a few seconds of sound, resampled as files are, and keeps a hash of the rows.
"""

import hashlib
import warnings

import numpy as np

from .._engine.config import config_context
from .aggregates import aggregated
from .probe import probe_sound
from .schema import FRAMES

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
    """What identifies the numbers of a recipe's tables; devices are not looked at."""
    with config_context(backend="cpu"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = schema.rows_of(recipe.extractor(_resampled(recipe.sr)))
        arrays = [rows[part.name] for part in schema.parts]
        for part in schema.of_kind(FRAMES) if recipe.aggregate else ():
            arrays += aggregated(part, rows[part.name], recipe.aggregate).values()
    return _hashed(arrays)
