"""Convolution of a stream."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from .. import _native
from ..util._rules import array
from ..util._types import Array, Block, NonNegativeInt, Numbers, PositiveInt, RealDtype
from ..convolution import samples_of
from ..util._checks import is_one_of
from ..util.exceptions import ParameterError
from ._requests import check_block
from ._stream import SILENT_SAMPLES, Stream, apart_from, count, flag, in_turn, size

__all__ = ["Convolver"]


class Convolver(Stream):
    """Convolution of a stream with an impulse response: as many samples come out as go in.

    The bytes that come out do not depend on how the input is cut. Nothing is normalised.

    Parameters
    ----------
    h : np.ndarray [shape=(m,), or (channels, m)], real
        One response for all channels, or one for each.
    block_size : int > 0
        How many samples a call usually brings: what partitions are chosen for.
    method : {"auto", "direct", "fft", "uniform", "partitioned"}
        Sums of products; transforms of one partition, beside sums of products for the first half of
        the response, which has to answer at once; partitions of one size; partitions that grow. By
        default what is expected to be cheapest: `repr` and a trace tell.
    latency : int >= 0
        Samples by which the result may come late, which saves work from 64 on.
    channels : int > 0
        Channels of a block.
    max_block : int > 0, optional
        Longer blocks are refused; a tail that `flush` gives may be longer.
    sample_dtype : real dtype
        Of the blocks and the result: float32 or float64.
    workers : {0, 1}
        1: a thread does the work of the large partitions while the next blocks come. `process` never
        waits for it: what it has not done in time is not heard, and counted in `missed_blocks`. For
        live sources, whose blocks come at their own pace; where blocks come as fast as they are
        taken, the thread has no time.

    Raises
    ------
    ParameterError
        For wrong values.

    References
    ----------
    W. G. Gardner, "Efficient convolution without input-output delay", JAES 43(3), 1995.

    Examples
    --------
    >>> c = metalmom.streaming.Convolver(np.array([0.0, 1.0, 0.5], dtype=np.float32))
    >>> c.process(np.array([1.0, 2.0], dtype=np.float32))
    array([0., 1.], dtype=float32)
    >>> c.process(np.array([3.0], dtype=np.float32))
    array([2.5], dtype=float32)
    >>> c.tail
    2
    """

    def __init__(
        self,
        h: Annotated[Numbers, array("m", "channels, m", values="real")],
        block_size: PositiveInt = 256,
        method: Literal["auto", "direct", "fft", "uniform", "partitioned"] = "auto",
        latency: NonNegativeInt = 0,
        channels: PositiveInt = 1,
        max_block: PositiveInt | None = None,
        sample_dtype: RealDtype = np.float32,
        workers: Literal[0, 1] = 0,
    ) -> None:
        super().__init__(channels, sample_dtype)
        block_size, latency = size("block_size", block_size), count("latency", latency)
        if max_block is not None:
            size("max_block", max_block)
        if not is_one_of(workers, (0, 1)) or isinstance(workers, bool):
            raise ParameterError("workers", workers, "0 or 1")
        self._latency, self._max_block = latency, max_block
        kind = getattr(_native, f"Convolver_{self._dtype}")
        self._native = kind(
            self._turns,
            self._response(h),
            self._latency,
            block_size,
            method,
            self._channels,
            bool(workers),
        )

    def _response(self, h: Any) -> Array:
        """A response as the engine wants it: the latency becomes zeros at its beginning."""
        h = samples_of(h, "h")
        if h.ndim > 2 or (h.ndim == 2 and h.shape[0] != self._channels):
            raise ParameterError(
                "h.shape", h.shape, f"(m,) or ({self._channels}, m) with channels={self._channels}"
            )
        with np.errstate(over="ignore"):
            h = h.astype(self._dtype)
        if not np.isfinite(h).all():
            raise ParameterError("h", rule=f"finite everywhere, as {self._dtype}")
        delay = np.zeros((*h.shape[:-1], self._latency), dtype=self._dtype)
        return np.ascontiguousarray(np.concatenate([delay, h], axis=-1))

    def __repr__(self) -> str:
        text, cost, direct, n_taps = self._native.plan
        return (
            f"Convolver({n_taps - self._latency} taps: {text}, about {cost:.0f} ns a sample, "
            f"direct {direct:.0f}; channels={self._channels}, latency={self._latency})"
        )

    @property
    def missed_blocks(self) -> int:
        """Blocks of large partitions whose share of the result came too late, with ``workers=1``.

        For twice the partitions' size after each of them echoes by the taps that these hold are
        incomplete; the rest of the result is whole, and so is all that comes later.
        """
        return self._native.missed_blocks

    @property
    def tail(self) -> int:
        """Samples of silence after which nothing of a signal is left, also of an earlier response."""
        return self._native.tail(0)

    def process(self, y: Block, last: bool = False, out: Array | None = None) -> Array:
        """Take a block of samples; give as many, and with `last` the tail after them.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also none, of the stream's dtype, finite everywhere.
        last : bool
            Whether the signal ends here.
        out : np.ndarray, optional
            A C-contiguous array of the result's shape and type that is filled; it may be `y`.

        Returns
        -------
        np.ndarray [shape=(..., n)]
            Samples, as many as in `y`; with `last` as many as `tail` says more, also beyond
            `max_block`.

        Raises
        ------
        ParameterError
            For wrong samples or an `out` that does not fit, which leave the stream as it was, and
            after the end of the signal.
        """
        y = check_block(y, self._channels, self._dtype)
        if self._max_block is not None and y.shape[-1] > self._max_block:
            raise ParameterError("y.shape", y.shape, f"at most max_block={self._max_block} long")
        last = flag("last", last)
        if out is not None:
            y = self._beside(y, last, out)
        try:
            return self._native.process(y, last, out)
        except BaseException:
            self._turns.lose()
            raise

    def flush(self, out: Array | None = None) -> Array:
        """End the signal: give its tail, what `tail` samples of silence give. Then only `reset` goes on.

        With ``workers=1`` it waits for the thread, so that nothing of the tail is missed.

        Parameters
        ----------
        out : np.ndarray, optional
            A C-contiguous array of the result's shape and type that is filled.

        Returns
        -------
        np.ndarray [shape=(..., n)]
            `tail` samples, also more than `max_block`.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return Convolver.process(self, self._no_block(), True, out)

    def _beside(self, y: Array, last: bool, out: Any) -> Array:
        """A block that `out`, once it is seen to fit, may be written beside."""
        shape = y.shape
        if last:
            shape = (*shape[:-1], shape[-1] + self._native.tail(shape[-1]))
        if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != y.dtype:
            raise ParameterError("out", rule=f"a numpy.ndarray of {y.dtype} and shape {shape}")
        if not out.flags.carray:
            raise ParameterError("out", rule="writable and C-contiguous")
        return y if out is y else apart_from(y, out)

    @in_turn
    def warmup(self) -> None:
        """Do the work once on silence, so that the first block costs what every block does."""
        self._native.warm_up(SILENT_SAMPLES)

    @in_turn
    def reset(self) -> None:
        """Begin another signal, with the response set last. Waits until the thread has stopped."""
        self._native.reset()

    def set_response(
        self,
        h: Annotated[Numbers, array("m", "channels, m", values="real")],
        crossfade: NonNegativeInt = 1024,
    ) -> None:
        """Take another response from now on.

        What comes in fades from the old response to the new one, and what the old one has heard rings
        on to its end: nothing clicks, and every sample is convolved whole. The old one is kept until
        the next response: to free it takes time that a block has not.

        Parameters
        ----------
        h : np.ndarray [shape=(m,), or (channels, m)], real
            The response.
        crossfade : int >= 0
            Samples of the fade.

        Raises
        ------
        ParameterError
            For wrong values, and while an earlier response still rings.
        """
        crossfade, response = count("crossfade", crossfade), self._response(h)
        try:
            self._native.set_response(response, crossfade)
        except BaseException:
            self._turns.lose()
            raise
