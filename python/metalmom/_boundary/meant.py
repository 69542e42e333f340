"""What an argument was probably meant to be, told from its type and shape alone: the end of an error."""

import numpy as np

from .._native import DeviceArray
from ..util._checks import is_number

__all__ = ["as_array", "turned"]

# More channels than a recording has, and fewer samples than a signal.
_BETWEEN = 64


def as_array(name, value):
    """How to pass what is no array of NumPy."""
    if isinstance(value, (np.ndarray, DeviceArray)):
        return ""
    if hasattr(value, "__dlpack__"):
        return f": pass metalmom.to_device({name}), or {name}.numpy()"
    if isinstance(value, tuple) and len(value) == 2 and hasattr(value[0], "shape") and is_number(value[1]):
        return f": it is the pair that load gives, pass {name}[0]"
    return f": pass np.asarray({name})" if isinstance(value, (list, tuple)) else ""


def turned(name, y):
    """How to pass audio whose channels lie side by side, as other libraries read it."""
    is_turned = isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] < _BETWEEN < y.shape[0]
    return f": is {name} (samples, channels)? pass {name}.T" if is_turned else ""
