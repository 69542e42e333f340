"""Streams of one object of the engine: inverse transforms, resampling, normalised energy, and convolution."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from .. import _native, core
from .._engine import _args
from .._engine.backend import ON_CPU
from ..convolution import samples_of
from ..core import _framing, spectrum
from ..core.audio import resample
from ..util._checks import is_one_of
from ..util._keywords import parameters_of
from ..util._memory import refuse_beyond_memory
from ..util._packages import needed_by
from ..util._rules import array
from ..util._types import (
    Array, Block, ComplexDtype, Float64Array, NonNegativeInt, Numbers, Positive, PositiveInt, RealDtype,
    WinLength, WindowSpec,
)
from ..util.exceptions import ParameterError
from ._stream import (
    SILENT_SAMPLES, Stream, apart_from, check_memory, count, flag, frame_latency, in_turn, numpy_array, one_dtype, size,
)

__all__ = ["Convolver", "ISTFT", "PCEN", "Resample"]


class ISTFT(Stream):
    """Inverse transform of a stream of spectra: `metalmom.istft` block by block.

    A sample is given as soon as every frame that reaches it has come.

    Parameters
    ----------
    n_fft : int > 0
        Length of the transform.
    hop_length, win_length, window, center
        As in `metalmom.istft`.
    channels : int > 0
        Channels of a block.
    dtype : complex dtype
        Data type of the spectra: complex64 or complex128.

    Raises
    ------
    ParameterError
        As `metalmom.istft` does.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> D = metalmom.stft(y)
    >>> s = metalmom.streaming.ISTFT(n_fft=2048, dtype=D.dtype)
    >>> parts = [s.process(D[:, t : t + 5]) for t in range(0, D.shape[1], 5)] + [s.flush()]
    >>> bool((np.concatenate(parts) == metalmom.istft(D)).all())
    True
    """

    def __init__(
        self, *, n_fft: PositiveInt = 2048, hop_length: PositiveInt | None = None,
        win_length: WinLength | None = None, window: WindowSpec = "hann", center: bool = True,
        channels: PositiveInt = 1, dtype: ComplexDtype = np.complex64,
    ) -> None:
        super().__init__(channels)
        self._dtype = one_dtype("dtype", dtype, np.complex64, np.complex128)
        n_fft = size("n_fft", n_fft)
        win_length = n_fft if win_length is None else size("win_length", win_length)
        hop_length = _framing.hop_of(win_length) if hop_length is None else size("hop_length", hop_length)
        refuse_beyond_memory("n_fft", n_fft, 32 * n_fft)
        refuse_beyond_memory("hop_length", hop_length, 64 * hop_length)  # of a run of 16 frames
        center = flag("center", center)
        self._n_bins = 1 + n_fft // 2
        with needed_by(f"{type(self).__name__}()"):
            samples = _framing.window(window, win_length)
        # Lets the offline function refuse wrong arguments, so that errors have its words.
        silence = np.zeros((self._n_bins, 2 + n_fft // hop_length), dtype=self._dtype)
        _native.istft(
            spectrum=silence, window=samples, n_fft=n_fft, hop_length=hop_length, center=center, length=0
        )
        kind = "float32" if self._dtype == np.complex64 else "float64"
        self._native = getattr(_native, f"InverseStream_{kind}")(
            self._turns, n_fft, hop_length, center, samples, channels
        )
        self._latency = frame_latency(n_fft, center)

    def __repr__(self) -> str:
        return f"ISTFT(n_bins={self._n_bins}, channels={self._channels})"

    def process(
        self,
        stft_matrix: Annotated[
            Array,
            array("n_bins, t", "channels, n_bins, t").called(
                "np.ndarray [shape=(n_bins, t), or (channels, n_bins, t) with channels > 1]"
            ),
        ],
        last: bool = False,
        out: Array | None = None,
    ) -> Array:
        """Take spectra; give the samples that no later frame changes.

        Parameters
        ----------
        stft_matrix : np.ndarray [shape=(n_bins, t), or (channels, n_bins, t) with channels > 1]
            Any number of frames, also none.
        last : bool
            Whether the signal ends here.
        out : np.ndarray, optional
            An array of the result's type, with as many samples or more, contiguous, that is
            filled.

        Returns
        -------
        np.ndarray [shape=(..., n)]
            Samples, possibly none; with `out` the part of it that was filled.

        Raises
        ------
        ParameterError
            For wrong spectra (the stream stays as it was), and after the end of the signal.
        """
        D = numpy_array("stft_matrix", stft_matrix)
        if D.dtype != self._dtype:
            raise ParameterError("stft_matrix.dtype", D.dtype, f"{self._dtype}")
        if D.shape[:-1] != (*self._lead, self._n_bins):
            shape = ", ".join(map(str, (*self._lead, self._n_bins)))
            raise ParameterError("stft_matrix.shape", D.shape, f"({shape}, t)")
        frames = apart_from(D, out).swapaxes(-1, -2)
        return self._answer(self._native.process, frames, flag("last", last), out)

    def flush(self, out: Array | None = None) -> Array:
        """End the signal and return the rest. After that only `reset` is possible.

        Parameters
        ----------
        out : np.ndarray, optional
            An array of the result's type, with as many samples or more, contiguous, that is
            filled.

        Returns
        -------
        np.ndarray [shape=(..., n)]
            Samples, possibly none; with `out` the part of it that was filled.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return ISTFT.process(self, self._no_block(), True, out)

    def _no_block(self) -> Array:
        return np.empty((*self._lead, self._n_bins, 0), dtype=self._dtype)

    def _silence(self) -> Array:
        return np.zeros((*self._lead, self._n_bins, 32), dtype=self._dtype)


class Resample(Stream):
    """Change the sampling rate of a stream: `metalmom.resample` block by block.

    Parameters
    ----------
    orig_sr, target_sr : number > 0
        The rate it has and the rate wanted.
    res_type : {"soxr_vhq", "soxr_hq", "soxr_mq", "soxr_lq", "soxr_qq"}
        As in `metalmom.resample`; other methods need the whole signal.
    fix, scale : bool
        As in `metalmom.resample`.
    channels : int > 0
        Channels of a block.
    sample_dtype : real dtype
        Data type of the blocks: float32 or float64.

    Raises
    ------
    ParameterError
        As `metalmom.resample` does.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> s = metalmom.streaming.Resample(orig_sr=22050, target_sr=16000, sample_dtype=y.dtype)
    >>> parts = [s.process(y[i : i + 700]) for i in range(0, len(y), 700)] + [s.flush()]
    >>> bool((np.concatenate(parts) == metalmom.resample(y, orig_sr=22050, target_sr=16000)).all())
    True
    """

    def __init__(
        self, *, orig_sr: Positive, target_sr: Positive,
        res_type: Literal["soxr_vhq", "soxr_hq", "soxr_mq", "soxr_lq", "soxr_qq"] = "soxr_hq",
        fix: bool = True, scale: bool = False, channels: PositiveInt = 1, sample_dtype: RealDtype = np.float32,
    ) -> None:
        super().__init__(channels, sample_dtype)
        if not str(res_type).startswith("soxr"):
            raise ParameterError(
                "res_type", res_type,
                "one of 'soxr_vhq', 'soxr_hq', 'soxr_mq', 'soxr_lq', 'soxr_qq' in a stream: others "
                "need the whole signal",
            )
        # Lets the offline function refuse wrong arguments, so that errors have its words.
        with ON_CPU:  # as the stream will
            resample(np.zeros(2, self._dtype), orig_sr=orig_sr, target_sr=target_sr, res_type=res_type)
        # libsoxr ends the process where it gets no memory: it takes 64 KiB of a channel, or more.
        refuse_beyond_memory("channels", channels, self._channels << 16)
        self._ratio, self._scale = float(target_sr) / orig_sr, bool(scale)
        self.rate = orig_sr
        self._native = getattr(_native, f"ResampleStream_{self._dtype}")(
            self._turns, float(orig_sr), float(target_sr), res_type, bool(fix), channels
        )
        # By how many samples of the input the result is behind, at most.
        made = self._native.process(self._silence(), False, None).shape[-1]
        self._native.reset()
        self._latency = max(SILENT_SAMPLES - int(made / self._ratio), 0)

    def __repr__(self) -> str:
        return f"Resample(ratio={self._ratio:g}, channels={self._channels})"

    def most(self, n_samples: NonNegativeInt) -> int:
        """The most samples that a block gives: what `out` has room for.

        Parameters
        ----------
        n_samples : int >= 0
            Length of the block.

        Returns
        -------
        int

        Raises
        ------
        ParameterError
            For another length, and after the end of the signal.
        """
        return self._native.most(count("n_samples", n_samples), False)

    def process(self, y: Block, last: bool = False, out: Array | None = None) -> Array:
        """Take a block of samples and return the samples that are ready at the new rate.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also zero, of the stream's dtype, all of them finite.
        last : bool
            Whether the signal ends here.
        out : np.ndarray, optional
            An array of the result's type, with room for `most` samples, contiguous, that is filled.

        Returns
        -------
        np.ndarray [shape=(..., m)]
            Samples at the new rate, possibly none; with `out` the part of it that was filled.

        Raises
        ------
        ParameterError
            For wrong samples (the stream stays as it was), and after the end of the signal.
        """
        y = apart_from(self._checked(y), out)
        return self._answer(self._resampled, y, flag("last", last), out)

    def _resampled(self, y: Array, last: bool, out: Array | None) -> Array:
        result: Array = self._native.process(y, last, out)
        if self._scale:
            result /= np.sqrt(self._ratio)
        return result

    def flush(self, out: Array | None = None) -> Array:
        """End the signal and return the rest. After that only `reset` is possible.

        Parameters
        ----------
        out : np.ndarray, optional
            An array of the result's type, with room for `most` samples, contiguous, that is filled.

        Returns
        -------
        np.ndarray [shape=(..., m)]
            Samples at the new rate, possibly none; with `out` the part of it that was filled.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return Resample.process(self, self._no_block(), True, out)


_PCEN_OF_WHOLE_SIGNALS = ("S", "ref", "axis", "return_zf", "zi")


class PCEN(Stream, of="core.pcen", but=_PCEN_OF_WHOLE_SIGNALS):
    """Per-channel energy normalisation of a stream of spectra: `metalmom.pcen` block by block.

    Parameters
    ----------
    channels : int > 0
        Channels of a block.
    zi : np.ndarray, optional
        State of the smoothing filter before the first frame.
    n_bands : int > 0, optional
        Rows of a block. Without it the first block decides, and memory is allocated then.
    **arguments
        The arguments of `metalmom.pcen` except `ref`, `axis` and `return_zf`: frames come last.

    Raises
    ------
    ParameterError
        As `metalmom.pcen` does.

    Examples
    --------
    >>> S = np.ones((2, 100))
    >>> s = metalmom.streaming.PCEN(sr=22050)
    >>> parts = [s.process(S[:, :30]), s.process(S[:, 30:])]
    >>> bool((np.concatenate(parts, axis=-1) == metalmom.pcen(S, sr=22050)).all())
    True
    """

    def __init__(
        self, *, channels: PositiveInt = 1, zi: Array | None = None, n_bands: PositiveInt | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__(channels)
        n_bands = None if n_bands is None else size("n_bands", n_bands)
        self._given = arguments
        asked = {
            name: arguments.get(name, default) for name, default in parameters_of(core.pcen).items()
            if name not in _PCEN_OF_WHOLE_SIGNALS
        }  # fmt: skip
        bands_axis = 0 if channels == 1 else 1
        if asked.pop("max_axis") not in (None, bands_axis, -2):
            raise ParameterError("max_axis", arguments["max_axis"], f"{bands_axis} in a stream")
        over_time = {name: asked.pop(name) for name in ("sr", "hop_length", "time_constant")}
        # Lets the offline function refuse wrong arguments, so that errors have its words.
        with ON_CPU:
            core.pcen(np.ones((1, 1)), **over_time, b=asked["b"])
        self.rate = over_time["sr"] / over_time["hop_length"]
        self._asked = {**asked, "b": spectrum._coefficient(asked["b"], **over_time)}
        try:
            self._zi = None if zi is None else np.asarray(numpy_array("zi", zi), dtype=float)
        except (TypeError, ValueError):
            raise ParameterError("zi", zi, "an array of numbers") from None
        # wrong arguments are refused when the stream is made
        self._native = self._made(1, None) if n_bands is None else self._made(n_bands, zi)
        self._n_bands = self._made_for = n_bands
        self._says_bands = n_bands is not None

    def _made(self, n_bands: int, zi: Any) -> _native.PcenStream:
        state = spectrum._first_state(zi, self._asked["b"], -1, (*self._lead, n_bands, 1))
        return _native.PcenStream(
            self._turns, **self._asked, channels=self._channels, n_bands=n_bands, state=state
        )

    def process(
        self,
        S: Annotated[
            Numbers,
            array("d, t", "channels, d, t", values="real").called(
                "np.ndarray [shape=(d, t), or (channels, d, t) with channels > 1], real", has_commas=True
            ),
        ],
        last: bool = False,
        out: Annotated[Float64Array, array(of="float64")] | None = None,
    ) -> Float64Array:
        """Take frames of a spectrogram and return as many normalised ones.

        Parameters
        ----------
        S : np.ndarray [shape=(d, t), or (channels, d, t) with channels > 1], real
            Any number of frames, also none.
        last : bool
            Whether the signal ends here.
        out : np.ndarray of float64, optional
            An array of the shape of `S`, that is filled.

        Returns
        -------
        np.ndarray of float64, shape of `S`

        Raises
        ------
        ParameterError
            For wrong values (the stream stays as it was), and after the end of the signal.
        """
        last = flag("last", last)
        S = numpy_array("S", S)
        if S.dtype not in (np.float32, np.float64):
            S = _args.floating(spectrum._without_phase(S, "pcen", "np.abs(D)"))
        if S.ndim != len(self._lead) + 2 or S.shape[:-2] != self._lead:
            rule = f"({self._channels}, d, t)" if self._lead else "(d, t)"
            raise ParameterError("S.shape", S.shape, f"{rule} with channels={self._channels}")
        if out is not None:
            if not isinstance(out, np.ndarray) or out.dtype != np.float64 or out.shape != S.shape:
                raise ParameterError("out", rule=f"a numpy.ndarray of float64 and shape {S.shape}")
            check_memory(out)
            S = S if out is S else apart_from(S, out)
        if self._n_bands is None and S.size:
            return self._process_first(S, last, out)
        n_bands = S.shape[-2]
        if n_bands != self._n_bands and S.shape[-1]:
            raise ParameterError("S.shape[-2]", n_bands, f"{self._n_bands}, as in earlier blocks")
        spectrum._warn_of_zeros(S, self._asked["bias"], self._asked["power"])
        return self._answer(self._native.process, S, last, out)

    def flush(self, out: Annotated[Float64Array, array(of="float64")] | None = None) -> Float64Array:
        """End the signal. After that only `reset` is possible.

        Parameters
        ----------
        out : np.ndarray of float64, optional
            An array of that shape, as `process` takes it.

        Returns
        -------
        np.ndarray [shape=(..., d, 0)], float64
            No frames: each was given when it came.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return PCEN.process(self, self._no_block(), True, out)

    @in_turn
    def reset(self) -> None:
        """Begin another signal with the same configuration, and another number of bands if none was given."""
        self._native.reset()
        if not self._says_bands:
            self._n_bands = None

    @in_turn
    def _process_first(self, S: Array, last: bool, out: Float64Array | None) -> Float64Array:
        """Take a block that says how many bands there are."""
        if self._n_bands is not None:  # another thread's has said it meanwhile
            return PCEN.process(self, S, last, out)
        n_bands = S.shape[-2]
        if n_bands != self._made_for and not self._native.ended:
            self._native, self._made_for = self._made(n_bands, self._zi), n_bands
        spectrum._warn_of_zeros(S, self._asked["bias"], self._asked["power"])
        result: Float64Array = self._native.process(S, last, out)
        self._n_bands = n_bands
        return result

    def _no_block(self) -> Array:
        return np.empty((*self._lead, self._n_bands or 0, 0))

    def _silence(self) -> Array:
        return np.ones((*self._lead, self._n_bands or 0, 32 if self._n_bands else 0))


class Convolver(Stream):
    """Convolution of a stream with an impulse response: as many samples come out as go in.

    The bytes that come out do not depend on how the input is cut. Nothing is normalised.

    Parameters
    ----------
    h : np.ndarray [shape=(m,), or (channels, m)], real
        One response for all channels, or one for each.
    block_size : int > 0
        The usual number of samples in a call, for which the partitions are chosen.
    method : {"auto", "direct", "fft", "uniform", "partitioned"}
        "direct": sums of products. "fft": transforms of one partition, and sums of products for the
        first half of the response, which must answer at once. "uniform": partitions of one size.
        "partitioned": partitions that grow. "auto": the method that is expected to be cheapest, which
        `repr` and a trace show.
    latency : int >= 0
        Samples by which the result may be late. From 64 on this saves work.
    channels : int > 0
        Channels of a block.
    max_block : int > 0, optional
        Longer blocks are refused; the tail that `flush` returns may be longer.
    sample_dtype : real dtype
        Data type of the blocks and the result: float32 or float64.
    workers : {0, 1}
        1: a thread does the work of the large partitions while the next blocks come. `process` never
        waits for it: work that is not done in time is left out and counted in `missed_blocks`. Use it
        for live sources, whose blocks come at their own pace. If blocks come as fast as they are taken,
        the thread has no time.

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
        self, h: Annotated[Numbers, array("m", "channels, m", values="real")], block_size: PositiveInt = 256,
        method: Literal["auto", "direct", "fft", "uniform", "partitioned"] = "auto", latency: NonNegativeInt = 0,
        channels: PositiveInt = 1, max_block: PositiveInt | None = None, sample_dtype: RealDtype = np.float32,
        workers: Literal[0, 1] = 0,
    ) -> None:
        super().__init__(channels, sample_dtype)
        block_size, self._latency = size("block_size", block_size), count("latency", latency)
        # Of a response that begins with the latency: its copies here, and its transforms.
        refuse_beyond_memory("latency", latency, 6 * self._latency * self._dtype.itemsize)
        self._max_block = None if max_block is None else size("max_block", max_block)
        if not is_one_of(workers, (0, 1)) or isinstance(workers, bool):
            raise ParameterError("workers", workers, "0 or 1")
        self._native = getattr(_native, f"Convolver_{self._dtype}")(
            self._turns, self._response(h), self._latency, block_size, method, self._channels, bool(workers)
        )

    def _response(self, h: Any) -> Array:
        """A response as the engine wants it: the latency becomes zeros at its beginning."""
        h = samples_of(h, "h")
        if h.ndim > 2 or (h.ndim == 2 and h.shape[0] != self._channels):
            n = self._channels
            raise ParameterError("h.shape", h.shape, f"(m,) or ({n}, m) with channels={n}")
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

        After each of them, for twice the size of the partitions, the echoes by the taps of these
        partitions are incomplete. The rest of the result is whole, and so is everything later.
        """
        return self._native.missed_blocks

    @property
    def tail(self) -> int:
        """Samples of silence until a signal has ended, also in an earlier response."""
        return self._native.tail(0)

    def process(self, y: Block, last: bool = False, out: Array | None = None) -> Array:
        """Take a block of samples and return as many; with `last`, also the tail after them.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also zero, of the stream's dtype, all of them finite.
        last : bool
            Whether the signal ends here.
        out : np.ndarray, optional
            A C-contiguous array of the result's shape and type that is filled; it may be `y`.

        Returns
        -------
        np.ndarray [shape=(..., n)]
            As many samples as in `y`; with `last` also the samples of the `tail`, even beyond
            `max_block`.

        Raises
        ------
        ParameterError
            For wrong samples or an `out` that does not fit (the stream stays as it was), and after
            the end of the signal.
        """
        y = self._checked(y)
        if self._max_block is not None and y.shape[-1] > self._max_block:
            raise ParameterError("y.shape", y.shape, f"at most max_block={self._max_block} long")
        last = flag("last", last)
        if out is not None:
            y = self._beside(y, last, out)
        return self._answer(self._native.process, y, last, out)

    def flush(self, out: Array | None = None) -> Array:
        """End the signal and return its tail, the result of `tail` samples of silence.

        After that only `reset` is possible.

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
        self, h: Annotated[Numbers, array("m", "channels, m", values="real")], crossfade: NonNegativeInt = 1024
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
        self._answer(self._native.set_response, response, crossfade)
