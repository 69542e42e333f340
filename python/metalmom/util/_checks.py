"""Checks of arguments that many functions share."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Container

    from ._types import Array, ArrayLike, DTypeLike, Int

FINITE = "finite everywhere"  # the engine's rule, too
POSITIVES = "numbers > 0"  # what `require_positive` says of one, of an array


def require(holds: object, name: str, value: Any, rule: str, *, verb: str = "must be") -> None:
    """Refuse a value of which a rule does not hold; the engine has the same."""
    if not holds:
        raise ParameterError(name, value, rule, verb=verb)


def is_count(value: Any) -> bool:
    """Whether a value is an integer (of Python or NumPy) of at least 1."""
    kinds: Any = (int, np.integer)
    return isinstance(value, kinds) and value > 0  # a NumPy integer's is NumPy's, as librosa's


def is_size(value: Any, most: int) -> bool:
    """Whether a value is a count up to `most`, and not True, which is a flag."""
    return is_count(value) and not isinstance(value, bool) and value <= most


def is_number(value: object) -> bool:
    """Whether a value is one real number: of Python, of NumPy, or an array without dimensions."""
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "biuf"
    return isinstance(value, (numbers.Real, np.bool_))


def is_one_of(value: object, choices: Container[object]) -> bool:
    """Whether a value is one of some words or numbers; an array is none.

    NumPy would compare an array with each of the words, element by element, and warn or fail.
    """
    return not isinstance(value, np.ndarray) and value in choices


def wide(given: ArrayLike) -> Array:
    """Numbers as an array; whole ones in 64 bits, since what is made of narrow ones could wrap around."""
    values: Array = np.asanyarray(given)
    return values.astype(np.int64, copy=False) if values.dtype.kind in "iu" else values


def size_in_bytes(name: str, size: Any, least: int = 1) -> int:
    """A number of bytes, given as one or as a text: ``"512M"``, ``"1.5 GiB"``."""
    if isinstance(size, str):
        known = _native.bytes_of_text(size.strip())
    else:
        whole = isinstance(size, numbers.Real) and not isinstance(size, bool) and size % 1 == 0
        known = int(size) if whole else None
    if known is None or known < least:
        raise ParameterError(name, size, "a size like '512M' or '2G', or a whole number of bytes")
    return known


# The largest size of anything: the engine counts samples in 64 bits, and larger sizes fit no
# memory.
_LARGEST = 2**47


def positive_int(name: str, value: Int) -> Int:
    """Check a size: an integer of at least 1 that memory can hold."""
    require_count(name, value)
    return natural_int(name, value)


def require_count(name: str, value: Any) -> None:
    """Refuse what is no integer of at least 1, of any size."""
    if not is_count(value):
        raise ParameterError(name, value, "a positive integer")


def require_positive(name: str, value: Any) -> None:
    """Refuse a number that is not above 0, NaN with it."""
    if not value > 0:
        raise ParameterError(name, value, "a number > 0")


def require_audio(y: object, instead: str) -> None:
    """Refuse a call without audio, and without the argument that could be given instead."""
    if y is None:
        raise ParameterError("y", None, f"audio if there is no {instead}")


def natural_int(name: str, value: Int) -> Int:
    """Check a count that may be zero: an integer of at least 0."""
    if not isinstance(value, (int, np.integer)) or value < 0:
        raise ParameterError(name, value, "a non-negative integer")
    if value >= _LARGEST:
        raise ParameterError(name, value, "small enough for memory to hold")
    return value


def number(name: str, value: Any, rule: str = "a number") -> float:
    """A real number as a float; texts are none, though `float` reads them."""
    if not is_number(value):
        raise ParameterError(name, value, rule)
    return float(value)


def require_inexact(name: str, dtype: DTypeLike) -> None:
    """Refuse a dtype of results that would cut samples to whole numbers, or is none of numbers."""
    if np.dtype(dtype).kind not in "fc":
        raise ParameterError(name, dtype, "a floating-point dtype")


def require_magnitudes(name: str, values: Array) -> None:
    """Refuse an array with NaN, infinity or numbers below 0."""
    require_finite(name, values)
    if np.any(values < 0):
        raise ParameterError(name, rule="non-negative everywhere")


def require_finite(name: str, values: object) -> None:
    """Refuse an array of numbers with NaN or infinity; one on a device its kernels check."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fc" and not np.isfinite(values).all():
        raise ParameterError(name, rule=FINITE)
