"""What every stream is made with."""

import numpy as np

from ..util import is_positive_int
from ..util.exceptions import ParameterError

__all__ = ["check_setting"]


def check_setting(channels, sample_dtype=np.float32):
    """Check the number of channels and the type of samples."""
    if not is_positive_int(channels):
        raise ParameterError(f"channels={channels} must be a positive integer")
    if np.dtype(sample_dtype) not in (np.float32, np.float64):
        raise ParameterError(f"sample_dtype={sample_dtype} must be float32 or float64")
