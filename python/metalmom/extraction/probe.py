"""The sound that a recipe is tried with before a run: the same on every machine."""

import numpy as np

__all__ = ["SECONDS", "probe_sound"]

SECONDS = 4


def probe_sound(rate, seconds=SECONDS):
    """A chord of sawtooths, clicks, and noise, in arithmetic of integers alone.

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
