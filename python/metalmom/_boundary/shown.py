"""A value as an error shows it."""

import numpy as np

__all__ = ["shown"]


def shown(value):
    """A value on one line, an array by its type and shape."""
    if isinstance(value, np.ndarray) and value.size > 4:
        return f"<{value.dtype} array of shape {value.shape}>"
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:60] + " ... " + text[-12:]
