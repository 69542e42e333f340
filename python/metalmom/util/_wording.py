"""What errors say of an argument: its value on a line, and what was probably meant, from type and shape alone."""

import numpy as np

from .._native import DeviceArray
from ._checks import is_number

__all__ = ["as_array", "did_you_mean", "shown", "turned"]

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


def did_you_mean(name, known):
    """A clause for the end of an error: ``"; did you mean 'hann'?"``, or nothing."""
    if not isinstance(name, str):
        return ""
    import difflib  # a millisecond that an import of the package need not spend

    known = {each.lower(): each for each in known}
    found = difflib.get_close_matches(name.lower(), known, n=1)
    if not found:  # `hop`, where one name alone begins so
        longer = [each for each in known if each.startswith(f"{name.lower()}_")]
        found = longer if len(longer) == 1 else []
    return f"; did you mean '{known[found[0]]}'?" if found else ""


def shown(value):
    """A value on one line, an array by its type and shape."""
    if isinstance(value, np.ndarray) and value.size > 4:
        return f"<{value.dtype} array of shape {value.shape}>"
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:60] + " ... " + text[-12:]
