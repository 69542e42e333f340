"""Samples from the thread of a sound card to the thread that analyses them."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from .. import _native
from ..util._checks import number
from ..util._memory import refuse_beyond_memory
from ..util._types import Array, Block, NonNegativeInt, Positive, PositiveInt, RealDtype
from ..util._warnings import warn
from ..util.exceptions import ParameterError
from ._stream import check_memory, count, numpy_array, one_dtype, size

__all__ = ["Ring"]


class Ring:
    """A buffer of samples between two threads: one writes, the other reads, and neither waits for the other.

    A callback of a sound card must not wait. It calls `write`, which copies the samples and takes no lock,
    and another thread calls `read` and does the work. One thread may write at a time, and one may read.

    If the ring is full, samples are lost: `write` returns how many it took, `overrun` counts the others, and
    the next `read` warns. So a reader that is late misses the newest samples, and what it gets has one gap.

    Parameters
    ----------
    seconds : number > 0
        How much the ring holds: how late the reader may be.
    channels : int > 0
        Channels of a block.
    sr : number > 0
        Samples a second.
    sample_dtype : real dtype
        Data type of the samples: float32 or float64.

    Raises
    ------
    ParameterError
        For wrong values.

    References
    ----------
    L. Lamport, "Proving the correctness of multiprocess programs", IEEE Transactions on Software Engineering
    SE-3(2), 1977.

    Examples
    --------
    >>> ring = metalmom.streaming.Ring(seconds=1, channels=2, sr=1000)
    >>> ring.write(np.ones((2, 600), dtype=np.float32))
    600
    >>> ring.read(512).shape, ring.read(512).shape
    ((2, 512), (2, 88))
    >>> ring.write(np.ones((2, 1200), dtype=np.float32)), ring.overrun
    (1000, 200)
    """

    def __init__(
        self, seconds: Positive, channels: PositiveInt, sr: Positive, *, sample_dtype: RealDtype = np.float32
    ) -> None:
        for name, value in (("seconds", seconds), ("sr", sr)):
            if isinstance(value, (bool, np.bool_)) or not 0 < number(name, value) < math.inf:
                raise ParameterError(name, value, "a positive number")
        self._channels = size("channels", channels)
        self._lead = () if channels == 1 else (self._channels,)
        self._dtype = one_dtype("sample_dtype", sample_dtype, np.float32, np.float64)
        self._sr = sr
        refuse_beyond_memory("seconds", seconds, seconds * sr * self._channels * self._dtype.itemsize)
        frames = math.ceil(seconds * sr)
        if not frames:
            raise ParameterError("seconds", seconds, f"at least one sample at sr={sr}")
        self._native = getattr(_native, f"Ring_{self._dtype}")(frames, self._channels)
        self._told = 0  # of the samples that were lost

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse to be copied or pickled."""
        raise TypeError(
            "a Ring cannot be copied or pickled, since two threads share its memory: make another one with the "
            "same arguments"
        )

    def __repr__(self) -> str:
        held = f"{self.waiting} of {self._native.frames} samples wait, {self.overrun} were lost"
        return f"Ring(channels={self._channels}, sr={self._sr}: {held})"

    @property
    def channels(self) -> int:
        """Channels of a block."""
        return self._channels

    @property
    def sr(self) -> Positive:
        """Samples a second."""
        return self._sr

    @property
    def waiting(self) -> int:
        """Samples of each channel that wait to be read."""
        return self._native.waiting

    @property
    def overrun(self) -> int:
        """Samples of each channel that found no room, since the ring was made."""
        return self._native.lost

    def write(self, y: Block) -> int:
        """Take a block of samples, as many as there is room for.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples of the ring's dtype. They may lie in memory in any order: of blocks that have
            frames first, pass ``y.T``.

        Returns
        -------
        int
            How many samples of each channel were taken. The others are lost, and `overrun` counts them.

        Raises
        ------
        ParameterError
            For a block of another type or shape; then nothing is taken.
        """
        return self._native.write(self._of_ring("y", y))

    def read(self, n: NonNegativeInt, out: Array | None = None) -> Array:
        """Give the oldest samples: as many as there are, at most `n`. It does not wait for more.

        Parameters
        ----------
        n : int >= 0
            Samples of each channel that are wanted.
        out : np.ndarray, optional
            An array of the ring's type and channels, with room for `n` samples, that is filled instead of a
            new one.

        Returns
        -------
        np.ndarray [shape=(m,), or (channels, m) with channels > 1]
            The samples, possibly none; with `out` the part of it that was filled.

        Raises
        ------
        ParameterError
            For wrong values; then nothing is given.
        """
        n = count("n", n)
        if out is None:
            out = np.empty((*self._lead, min(n, self._native.readable(n))), dtype=self._dtype)
        else:
            if not isinstance(out, np.ndarray):
                raise ParameterError("out", rule=f"a numpy.ndarray of {self._dtype}")
            self._of_ring("out", out)
            check_memory(out)
            if out.shape[-1] < n:
                raise ParameterError("out.shape", out.shape, f"room for n={n} samples", verb="must have")
            out = out[..., :n]
        lost = self.overrun
        if lost > self._told:  # before samples are taken, which a warning that is an error would lose
            more, self._told = lost - self._told, lost
            text = f"{more} samples were lost, because a Ring was full: read sooner, or make it longer"
            warn(text, RuntimeWarning)
        return out[..., : self._native.read(out)]

    def _of_ring(self, name: str, block: Any) -> Array:
        """A block, refused if it is not of the ring's type and channels."""
        block = numpy_array(name, block)
        if block.dtype != self._dtype:
            raise ParameterError(f"{name}.dtype", block.dtype, f"{self._dtype}, the ring's sample_dtype")
        if block.ndim != 1 + len(self._lead) or block.shape[:-1] != self._lead:
            rule = f"({self._channels}, n)" if self._lead else "(n,)"
            raise ParameterError(f"{name}.shape", block.shape, f"{rule} with channels={self._channels}")
        if not block.flags.aligned or any(stride % block.itemsize for stride in block.strides):
            return block.copy()
        return block
