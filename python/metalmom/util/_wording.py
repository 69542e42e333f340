"""What was probably meant by an argument that an error is about, from type and shape alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from .._native import DeviceArray
from ._checks import is_number
from .exceptions import ParameterError, TypeOf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "as_array", "as_floating", "counted", "did_you_mean", "first_of", "may_be_turned", "names_in", "no_array", "turned",
]  # fmt: skip

# The most channels of a recording, and fewer samples than a signal has.
_MOST_CHANNELS, _FEW_SAMPLES = 16, 64

# What other packages call an argument.
_OTHER_NAMES = {"sample_rate": "sr", "samplerate": "sr", "sampling_rate": "sr", "fs": "sr"}


def as_array(name: str, value: object) -> str:
    """How to pass what is no array of NumPy."""
    if isinstance(value, (np.ndarray, DeviceArray)):
        return ""
    if hasattr(value, "__dlpack__"):
        return f": pass metalmom.to_device({name}), or {name}.numpy()"
    if isinstance(value, tuple) and len(value) == 2 and hasattr(value[0], "shape") and is_number(value[1]):
        return f": it is the pair that load gives, pass {name}[0]"
    if name == "y" and isinstance(value, (str, os.PathLike)):
        return ": pass metalmom.load(y)[0]"
    return f": pass np.asarray({name})" if isinstance(value, (list, tuple)) else ""


def no_array(name: str, value: object, rule: str = "a numpy.ndarray") -> ParameterError:
    """The error for a value that is not a NumPy array, or has the wrong dtype."""
    shown = value.dtype if isinstance(value, np.ndarray) else TypeOf(value)
    return ParameterError(name, shown, rule, hint=as_array(name, value))


def as_floating(name: str, dtype: np.dtype[Any]) -> str:
    """How to pass audio of integers. No recording has 64 bits: such a type does not say the full scale."""
    if dtype.kind != "i":
        return ""
    if dtype.itemsize == 8:
        return f": pass {name}.astype(np.float32) divided by its full scale, 32768 for 16 bits"
    scaled = f"{name}.astype(np.float32) / {1 << 8 * dtype.itemsize - 1}"
    return f": pass metalmom.util.buf_to_float({name}), or {scaled}" if dtype.itemsize == 2 else f": pass {scaled}"


def may_be_turned(lead: tuple[int, ...]) -> bool:
    """Tell whether audio with these axes before its last one may be (samples, channels), as others read it."""
    return len(lead) == 1 and lead[0] > _FEW_SAMPLES


def turned(name: str, y: object, way: str = "") -> str:
    """How to pass audio whose channels lie side by side."""
    shape: tuple[int, ...] = getattr(y, "shape", ())  # of NumPy, or on a device
    is_so = may_be_turned(shape[:-1]) and shape[1] <= _MOST_CHANNELS
    return f": is {name} (samples, channels)? pass {way or name + '.T'}" if is_so else ""


def names_in(text: str) -> list[str]:
    """The names of a text, in which commas stand between them."""
    return [name.strip() for name in text.split(",")]


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A clause for the end of an error: ``"; did you mean 'hann'?"``, or nothing."""
    if not isinstance(name, str):
        return ""
    import difflib  # a millisecond that an import of the package need not spend

    by_lower = {each.lower(): each for each in known}
    other = _OTHER_NAMES.get(name.lower(), "")
    found = [other] if other in by_lower else difflib.get_close_matches(name.lower(), by_lower, n=1)
    if not found:  # `hop`, where one name alone begins so
        longer = [each for each in by_lower if each.startswith(f"{name.lower()}_")]
        found = longer if len(longer) == 1 else []
    return f"; did you mean '{by_lower[found[0]]}'?" if found else ""


def counted(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def first_of(names: Sequence[str], most: int = 3) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
