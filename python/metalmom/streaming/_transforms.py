"""Streams that give samples: resampling, and the way back from spectra."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from .. import _native
from .._engine.backend import ON_CPU
from ..util._rules import array
from ..util._types import (
    Array, Block, ComplexDtype, NonNegativeInt, Positive, PositiveInt, RealDtype, WinLength,
    WindowSpec,
)
from ..core import _framing
from ..core.audio import resample
from ..util._memory import refuse_beyond_memory
from ..util._packages import needed_by
from ..util.exceptions import ParameterError
from ._requests import check_block
from ._stream import Stream, apart_from, count, flag, frame_latency, one_dtype, size

__all__ = ["ISTFT", "Resample"]


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
        Of the spectra: complex64 or complex128.

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
        self,
        *,
        n_fft: PositiveInt = 2048,
        hop_length: PositiveInt | None = None,
        win_length: WinLength | None = None,
        window: WindowSpec = "hann",
        center: bool = True,
        channels: PositiveInt = 1,
        dtype: ComplexDtype = np.complex64,
    ) -> None:
        super().__init__(channels)
        self._dtype = one_dtype("dtype", dtype, np.complex64, np.complex128)
        n_fft = size("n_fft", n_fft)
        win_length = n_fft if win_length is None else size("win_length", win_length)
        hop_length = (
            _framing.hop_of(win_length) if hop_length is None else size("hop_length", hop_length)
        )
        refuse_beyond_memory("n_fft", n_fft, 32 * n_fft)
        refuse_beyond_memory("hop_length", hop_length, 64 * hop_length)  # of a run of 16 frames
        center = flag("center", center)
        self._n_bins = 1 + n_fft // 2
        kind = "float32" if self._dtype == np.complex64 else "float64"
        with needed_by(f"{type(self).__name__}()"):
            samples = _framing.window(window, win_length)
        # Lets the offline function refuse wrong arguments, so that errors have its words.
        silence = np.zeros((self._n_bins, 2 + n_fft // hop_length), dtype=self._dtype)
        _native.istft(
            spectrum=silence.T,
            window=samples,
            n_fft=n_fft,
            hop_length=hop_length,
            center=center,
            length=0,
        )
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
            An array of the result's type, with as many samples or more, side by side, that is
            filled.

        Returns
        -------
        np.ndarray [shape=(..., n)]
            Samples, possibly none; with `out` the part of it that was filled.

        Raises
        ------
        ParameterError
            For wrong spectra, which leave the stream as it was, and after the end of the signal.
        """
        D = np.asarray(stft_matrix)
        if D.dtype != self._dtype:
            raise ParameterError("stft_matrix.dtype", D.dtype, f"{self._dtype}")
        if D.shape[:-1] != (*self._lead, self._n_bins):
            shape = ", ".join(map(str, (*self._lead, self._n_bins)))
            raise ParameterError("stft_matrix.shape", D.shape, f"({shape}, t)")
        if isinstance(out, np.ndarray):
            D = apart_from(D, out)
        D, last = D.swapaxes(-1, -2), flag("last", last)
        try:
            return self._native.process(D, last, out)
        except BaseException:
            self._turns.lose()
            raise

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
        Of the blocks: float32 or float64.

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
        self,
        *,
        orig_sr: Positive,
        target_sr: Positive,
        res_type: Literal["soxr_vhq", "soxr_hq", "soxr_mq", "soxr_lq", "soxr_qq"] = "soxr_hq",
        fix: bool = True,
        scale: bool = False,
        channels: PositiveInt = 1,
        sample_dtype: RealDtype = np.float32,
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
        self._ratio = float(target_sr) / orig_sr
        self._scale = bool(scale)
        self._native = getattr(_native, f"ResampleStream_{self._dtype}")(
            self._turns, float(orig_sr), float(target_sr), res_type, bool(fix), channels
        )
        self._latency = self._measured_latency()

    def __repr__(self) -> str:
        return f"Resample(ratio={self._ratio:g}, channels={self._channels})"

    def _measured_latency(self) -> int:
        """Samples of the input by which the result is behind, at most."""
        silence = self._silence()
        made = self._native.process(silence, False, None).shape[-1]
        self._native.reset()
        return max(silence.shape[-1] - int(made / self._ratio), 0)

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
        """Take a block of samples; give what is ready at the new rate.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also none, of the stream's dtype, finite everywhere.
        last : bool
            Whether the signal ends here.
        out : np.ndarray, optional
            An array of the result's type, with room for `most` samples, side by side, that is filled.

        Returns
        -------
        np.ndarray [shape=(..., m)]
            Samples at the new rate, possibly none; with `out` the part of it that was filled.

        Raises
        ------
        ParameterError
            For wrong samples, which leave the stream as it was, and after the end of the signal.
        """
        y = check_block(y, self._channels, self._dtype)
        if isinstance(out, np.ndarray):
            y = apart_from(y, out)
        last = flag("last", last)
        try:
            result: Array = self._native.process(y, last, out)
            if self._scale:
                result /= np.sqrt(self._ratio)
            return result
        except BaseException:
            self._turns.lose()
            raise
