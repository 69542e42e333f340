"""Convolution of a stream."""

import numpy as np

from .. import _args, _native
from ..convolution import samples_of
from ..util._checks import is_one_of, is_positive_int, natural_int, positive_int
from ..util.exceptions import ParameterError
from ._requests import check_block
from ._stream import Stream, apart_from

__all__ = ["Convolver"]

# How many samples of a tail go by before the worker is waited for: a block of the smallest partitions
# that it works on, at most.
_SETTLED_SAMPLES = 128

# How many samples of a fade are mixed at a time.
_FADED_AT_ONCE = 1024

_METHODS = ("auto", "direct", "fft", "uniform", "partitioned")


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
        h,
        block_size=256,
        method="auto",
        latency=0,
        channels=1,
        max_block=None,
        sample_dtype=np.float32,
        workers=0,
    ):
        super().__init__(channels, sample_dtype)
        positive_int("block_size", block_size)
        natural_int("latency", latency)
        if max_block is not None and not is_positive_int(max_block):
            raise ParameterError(f"max_block={max_block} must be a positive integer or None")
        if not is_one_of(method, _METHODS):
            raise ParameterError(f"method={method!r} must be one of {', '.join(map(repr, _METHODS))}")
        if not is_one_of(workers, (0, 1)) or isinstance(workers, bool):
            raise ParameterError(f"workers={workers!r} must be 0 or 1")
        self._latency, self._max_block = int(latency), max_block
        self._block_size, self._method, self._workers = block_size, method, workers
        self._native = self._made(h)
        self._before = 0  # samples taken before the present response was set
        self._missed_before = 0  # of responses that have rung out
        # the response before it, the fade's length, and its tail
        self._old = None

    def _made(self, h):
        h = samples_of(_args.host(h), "h").astype(self._dtype)
        if h.ndim > 2 or (h.ndim == 2 and h.shape[0] != self._channels):
            raise ParameterError(
                f"h.shape={h.shape} must be (m,) or ({self._channels}, m) with "
                f"channels={self._channels}"
            )
        if not np.isfinite(h).all():
            raise ParameterError("h must be finite everywhere")
        self._taps = h.shape[-1]
        # The latency becomes zeros at the beginning of the response.
        delay = np.zeros((*h.shape[:-1], self._latency), dtype=self._dtype)
        h = np.ascontiguousarray(np.concatenate([delay, h], axis=-1))
        kind = getattr(_native, f"Convolver_{self._dtype}")
        return kind(
            h, self._latency, self._block_size, self._method, self._channels, bool(self._workers)
        )

    def __repr__(self):
        text, cost, direct, _ = self._native.plan
        return (
            f"Convolver({self._taps} taps: {text}, about {cost:.0f} ns a sample, "
            f"direct {direct:.0f}; channels={self._channels}, latency={self._latency})"
        )

    @property
    def position(self) -> int:
        """Samples taken since the beginning of the signal."""
        return self._before + self._native.position

    @property
    def missed_blocks(self) -> int:
        """Blocks of large partitions whose share of the result came too late, with ``workers=1``.

        For twice the partitions' size after each of them echoes by the taps that these hold are
        incomplete; the rest of the result is whole, and so is all that comes later.
        """
        old = 0 if self._old is None else self._old[0].missed_blocks
        return self._missed_before + old + self._native.missed_blocks

    @property
    def tail(self) -> int:
        """Samples of silence after which nothing of a signal is left, also of an earlier response."""
        own = self._taps - 1 + self._latency
        if self._old is None:
            return own
        _, length, tail = self._old
        taken = self._native.position
        return max(own, min(taken, length) + tail - taken)

    def process(self, y, last=False, out=None):
        """Take a block of samples; give as many.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also none, of the stream's dtype, finite everywhere.
        last : bool
            Has no effect: the tail comes by `flush`.
        out : np.ndarray, optional
            A C-contiguous array of the shape and type of `y` that is filled; it may be `y`.

        Returns
        -------
        np.ndarray
            Samples, as many as in `y`.

        Raises
        ------
        ParameterError
            For wrong samples or an `out` that does not fit, which leave the stream as it was.
        """
        y = check_block(y, self._channels, self._dtype)
        if self._max_block is not None and y.shape[-1] > self._max_block:
            raise ParameterError(f"y.shape={y.shape} must be at most max_block={self._max_block} long")
        if out is not None:
            if not isinstance(out, np.ndarray) or out.shape != y.shape or out.dtype != y.dtype:
                raise ParameterError(f"out must be a numpy.ndarray of {y.dtype} and shape {y.shape}")
            if not out.flags.carray:
                raise ParameterError("out must be writable and C-contiguous")
            if out is not y:
                y = apart_from(y, out)
        return self._convolved(y, out)

    def _convolved(self, y, out=None):
        return self._native.process(y, out) if self._old is None else self._fading(y, out)

    def flush(self):
        """The tail: what `tail` samples of silence give.

        With ``workers=1`` it waits for the thread, so that nothing of the tail is missed.

        Returns
        -------
        np.ndarray
            `tail` samples, also more than `max_block`.
        """
        silence = np.zeros((*self._lead, self.tail), dtype=self._dtype)
        if not self._workers:
            return self._convolved(silence)
        tail = np.empty_like(silence)
        for begin in range(0, self.tail, _SETTLED_SAMPLES):
            for native in (self._native, *([] if self._old is None else [self._old[0]])):
                native.settle()
            some = np.s_[..., begin : begin + _SETTLED_SAMPLES]
            tail[some] = self._convolved(np.ascontiguousarray(silence[some]))
        return tail

    def _silence(self):
        silence = super()._silence()
        return silence if self._max_block is None else silence[..., : self._max_block]

    def reset(self) -> None:
        """Begin another signal, with the same response. Waits until the thread has stopped."""
        self._native.reset()
        self._before, self._missed_before, self._old = 0, 0, None

    def set_response(self, h, crossfade=1024):
        """Take another response from now on.

        What comes in fades from the old response to the new one, and what the old one has heard rings
        on to its end: nothing clicks, and every sample is convolved whole.

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
        natural_int("crossfade", crossfade)
        if self._old is not None:
            raise ParameterError("set_response() must wait until the response before has rung out")
        position, tail, old = self.position, self.tail, self._native
        self._native = self._made(h)
        self._before, self._old = position, (old, int(crossfade), tail)
        self._fade = _Fade(self._channels, self._dtype)

    def _fading(self, y, out):
        if y.size and not (np.isfinite(y.min()) and np.isfinite(y.max())):
            raise ParameterError("y is not finite everywhere")
        old, length, tail = self._old
        result = np.empty_like(y) if out is None else out
        begin, n = 0, y.shape[-1]
        while begin < n:
            # The old one is left at the same sample however the signal is cut: what it still gives
            # then is rounding, which must not depend on that.
            heard = length + tail - self._native.position
            count = min(n - begin, _FADED_AT_ONCE, heard if heard > 0 else n)
            part = np.s_[..., begin : begin + count]
            if heard > 0:
                self._fade.mix(self._native, old, y[part], length, result[part])
            else:
                self._fade.pass_on(self._native, y[part], result[part])
            begin += count
        if self._native.position >= length + tail:
            self._missed_before += old.missed_blocks
            self._old = None
        return result


class _Fade:
    """From one convolver to another, in memory that is made once."""

    def __init__(self, channels, dtype):
        self._counted = np.arange(1.0, _FADED_AT_ONCE + 1)
        self._share = np.empty(_FADED_AT_ONCE)
        self._gain = np.empty(_FADED_AT_ONCE, dtype=dtype)
        self._work = np.empty((2, channels * _FADED_AT_ONCE), dtype=dtype)

    def pass_on(self, new, y, result):
        """What the new one makes of as many samples when the old one has rung out."""
        given = self._work[0][: y.size].reshape(y.shape)
        np.copyto(given, y)
        new.process(given, given)
        np.copyto(result, given)

    def mix(self, new, old, y, length, result):
        """What both make of their shares of at most _FADED_AT_ONCE samples, into `result`."""
        n = y.shape[-1]
        share, gain = self._share[:n], self._gain[:n]
        given, made = (each[: y.size].reshape(y.shape) for each in self._work)
        np.add(self._counted[:n], new.position, out=share)
        np.divide(share, length + 1, out=share)
        np.minimum(share, 1, out=share)
        gain[...] = share
        rest = np.subtract(1, gain, out=share.view(gain.dtype)[:n])
        np.multiply(y, rest, out=made)
        np.multiply(y, gain, out=given)
        new.process(given, given)
        old.process(made, made)
        np.add(given, made, out=result)
