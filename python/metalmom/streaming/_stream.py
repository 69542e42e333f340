"""What every stream has."""

import inspect
import re

import numpy as np

from ..util._checks import positive_int
from ..util.exceptions import ParameterError

__all__ = ["Stream"]


class Stream:
    """What every stream has; each class here is one.

    It takes blocks of a signal by `process` and gives what is known so far; `flush` ends the signal, and
    `reset` begins another one.

    Examples
    --------
    >>> s = metalmom.streaming.RMS()
    >>> isinstance(s, metalmom.streaming.Stream), s.position, s.latency
    (True, 0, 1024)
    """

    # A class says what `process` does; `_native` is the part of the engine that counts and begins anew.

    _native = None
    _latency = 0

    def __init_subclass__(cls):
        """Give a class that says what `process` does a `flush` with the same results."""
        super().__init_subclass__()
        if "process" in vars(cls) and "flush" not in vars(cls):
            cls.flush = _flush_of(cls.process)

    def __init__(self, channels, sample_dtype=np.float32):
        check_setting(channels, sample_dtype)
        self._channels = channels
        self._lead = () if channels == 1 else (channels,)
        self._dtype = np.dtype(sample_dtype)

    @property
    def channels(self) -> int:
        """Channels of a block."""
        return self._channels

    @property
    def position(self) -> int:
        """Samples taken since the beginning of the signal; of a spectrogram, frames."""
        return self._native.position

    @property
    def latency(self) -> int:
        """Samples by which a result comes after its time."""
        return self._latency

    def reset(self) -> None:
        """Begin another signal, with the same configuration."""
        self._native.reset()

    def warmup(self) -> None:
        """Do the work once on silence, so that the first block costs what every block does."""
        if self.position or self._native.ended:
            raise ParameterError("warmup() must come before the first block, or after reset()")
        self.process(self._silence(), True)
        self.reset()

    def _no_block(self):
        return np.empty((*self._lead, 0), dtype=self._dtype)

    def _silence(self):
        return np.zeros((*self._lead, 1 << 15), dtype=self._dtype)


def _flush_of(process):
    """`flush` of a class whose `process` this is: of no more samples, and the last."""
    if "out" in inspect.signature(process).parameters:

        def flush(self, out=None):
            return self.process(self._no_block(), True, out)

    else:

        def flush(self):
            return self.process(self._no_block(), True)

    doc = inspect.getdoc(process)
    if doc is None:  # of a Python that has left docstrings out
        return flush
    out = re.search(r"^out : .*\n(?:    .*\n)+", doc, re.MULTILINE)
    parts = ["End the signal: give what is left. Then only `reset` goes on."]
    if out:
        parts.append("Parameters\n----------\n" + out[0].rstrip())
    parts.append(re.search(r"Returns\n-------\n.*?(?=\n\n)", doc, re.DOTALL)[0])
    parts.append("Raises\n------\nParameterError\n    If the signal has ended already.")
    flush.__doc__ = "\n\n".join(parts)
    return flush


def check_setting(channels, sample_dtype=np.float32):
    """Check the number of channels and the type of samples."""
    positive_int("channels", channels)
    if np.dtype(sample_dtype) not in (np.float32, np.float64):
        raise ParameterError(f"sample_dtype={sample_dtype} must be float32 or float64")


def check_memory(out, name="out"):
    """Refuse an array that the engine cannot write to; `name` is what its giver calls it."""
    if not out.flags.writeable:
        raise ParameterError(f"{name} must be writable")
    # those of a field of a packed record need not be
    if not out.flags.aligned or any(stride % out.itemsize for stride in out.strides):
        raise ParameterError(
            f"{name}.strides={out.strides} must be multiples of {out.itemsize}, the size of an element"
        )


def apart_from(y, *outs):
    """A block, or its copy where a result that is written would change samples not yet read."""
    return y.copy() if any(np.may_share_memory(y, out) for out in outs) else y
