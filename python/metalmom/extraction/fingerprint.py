"""What identifies the numbers that a recipe gives here: those of one sound, which is the same everywhere.

A version says too little: two builds of it, or NumPy or SciPy beneath them, may round differently.
Hashes of sources or of the module say too much: they change where no number does. So a run computes
its recipe for a few seconds of sound, resampled as files are, and keeps a hash of the rows.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import core
from .._engine.config import config_context
from ..util._types import Array
from ..util.exceptions import LibrosaError
from .recipes import Recipe
from .schema import Schema, Unusable

_SECONDS = 4

# Two common rates: the sound has the one that the recipe has not, so that it is resampled.
_RATES = (44100, 48000)


def probe_sound(rate: float, seconds: float = _SECONDS) -> Array:
    """The sound that a recipe is tried with: sawtooths, clicks and noise, in arithmetic of integers alone.

    Parameters
    ----------
    rate : number > 0
    seconds : number

    Returns
    -------
    np.ndarray [shape=(n,)], float32
    """
    rate = max(int(rate), 9)
    n = np.arange(int(seconds * rate), dtype=np.int64)
    y = sum(n * pitch * 65536 // rate % 65536 - 32768 for pitch in (131, 220, 330)) // 8
    y += np.where(n % (rate // 3) < 64, 8192, 0)
    y += (n * 1103515245 + 12345) * 2654435761 % 2**32 // 2**21 - 1024  # wraps where it is too large
    return y.astype(np.float32) / np.float32(32768)


def _resampled(sr: float) -> Array:
    (rate, *_) = (each for each in _RATES if each != sr)
    with config_context(backend="cpu"):
        return core.resample(probe_sound(rate), orig_sr=rate, target_sr=sr, res_type="soxr_hq")


def _hashed(arrays: Iterable[Any]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def resampling_of(sr: float) -> str:
    """What identifies the samples that resampling to a rate gives here."""
    return _hashed([_resampled(sr)])


def fingerprint_of(recipe: Recipe, schema: Schema) -> str:
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
            rows = schema.rows_of(recipe.extractor(sound))
        except (LibrosaError, LookupError, MemoryError, TypeError, ValueError) as error:
            raise Unusable(f"recipe: {error} (tried on {_SECONDS} s of sound)", argument="recipe") from error
        arrays: list[Any] = [rows[part.name] for part in schema.parts]
        for part in schema.parts:
            arrays += part.aggregated(rows[part.name], recipe.aggregate).values()
    return _hashed(arrays)
