"""Streams that give samples: resampling, and the way back from spectra."""

import numpy as np

from .. import _args, _native
from .._backend import ON_CPU
from ..core.audio import resample
from ..util.exceptions import ParameterError
from ._requests import check_block
from ._setting import check_setting

__all__ = ["ISTFT", "Resample"]


class ISTFT:
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
        n_fft=2048,
        hop_length=None,
        win_length=None,
        window="hann",
        center=True,
        channels=1,
        dtype=np.complex64,
    ):
        check_setting(channels)
        self._dtype = np.dtype(dtype)
        if self._dtype not in (np.complex64, np.complex128):
            raise ParameterError(f"dtype={dtype} must be complex64 or complex128")
        if not isinstance(n_fft, (int, np.integer)) or n_fft < 1:
            raise ParameterError(f"n_fft={n_fft} must be a positive integer")
        win_length = n_fft if win_length is None else win_length
        hop_length = _args.hop_of(win_length) if hop_length is None else hop_length
        self._lead = () if channels == 1 else (channels,)
        self._n_bins = 1 + n_fft // 2
        self._channels = channels
        kind = "float32" if self._dtype == np.complex64 else "float64"
        # Lets the offline function refuse wrong arguments, so that errors have its words.
        silence = np.zeros((self._n_bins, 2 + n_fft // hop_length), dtype=self._dtype)
        _native.istft(
            spectrum=silence.T,
            window=_args.window(window, win_length),
            n_fft=n_fft,
            hop_length=hop_length,
            center=bool(center),
            length=0,
        )
        self._stream = getattr(_native, f"InverseStream_{kind}")(
            n_fft, hop_length, bool(center), _args.window(window, win_length), channels
        )
        self._latency = n_fft - (n_fft // 2 if center else 0)

    def __repr__(self):
        return f"ISTFT(n_bins={self._n_bins}, channels={self._channels})"

    @property
    def channels(self) -> int:
        """Channels of a block."""
        return self._channels

    @property
    def position(self) -> int:
        """Frames taken since the beginning of the signal."""
        return self._stream.position

    @property
    def latency(self) -> int:
        """Samples by which a frame's middle (its beginning, if not centred) is behind its end."""
        return self._latency

    def process(self, stft_matrix, last=False, out=None):
        """Take spectra; give the samples that no later frame changes.

        Parameters
        ----------
        stft_matrix : np.ndarray [shape=(n_bins, t), or (channels, n_bins, t) with channels > 1]
            Any number of frames, also none.
        last : bool
            Whether the signal ends here.
        out : np.ndarray, optional
            An array of the result's type, with as many samples or more, that is filled.

        Returns
        -------
        np.ndarray [shape=(..., n)]
            Samples, possibly none.

        Raises
        ------
        ParameterError
            For wrong spectra, and after the end of the signal.
        """
        D = np.asarray(stft_matrix)
        if D.dtype != self._dtype:
            raise ParameterError(f"stft_matrix.dtype={D.dtype} must be {self._dtype}")
        if D.shape[:-1] != (*self._lead, self._n_bins):
            shape = ", ".join(map(str, (*self._lead, self._n_bins)))
            raise ParameterError(f"stft_matrix.shape={D.shape} must be ({shape}, t)")
        _check_out(out, np.float32 if self._dtype == np.complex64 else np.float64, self._lead)
        return _into(out, self._stream.process(D.swapaxes(-1, -2), bool(last)))

    def flush(self, out=None):
        """End the signal: give the samples that are left. Then only `reset` goes on.

        Parameters
        ----------
        out : np.ndarray, optional
            As in `process`.

        Returns
        -------
        np.ndarray

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return self.process(np.empty((*self._lead, self._n_bins, 0), dtype=self._dtype), True, out)

    def reset(self) -> None:
        """Begin another signal, with the same configuration."""
        self._stream.reset()

    def warmup(self) -> None:
        """Do the work once on silence, so that the first block costs what every block does."""
        if self.position or self._stream.ended:
            raise ParameterError("warmup() must come before the first block, or after reset()")
        self.process(np.zeros((*self._lead, self._n_bins, 32), dtype=self._dtype), True)
        self.reset()


class Resample:
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
        orig_sr,
        target_sr,
        res_type="soxr_hq",
        fix=True,
        scale=False,
        channels=1,
        sample_dtype=np.float32,
    ):
        check_setting(channels, sample_dtype)
        self._dtype = np.dtype(sample_dtype)
        self._channels = channels
        if not str(res_type).startswith("soxr"):
            raise ParameterError(
                f"res_type={res_type!r} must be one of 'soxr_vhq', 'soxr_hq', 'soxr_mq', 'soxr_lq', "
                "'soxr_qq' in a stream: others need the whole signal"
            )
        # Lets the offline function refuse wrong arguments, so that errors have its words.
        with ON_CPU:  # as the stream will
            resample(np.zeros(2, self._dtype), orig_sr=orig_sr, target_sr=target_sr, res_type=res_type)
        self._ratio = float(target_sr) / orig_sr
        self._scale = bool(scale)
        self._stream = None
        # counted here for a stream that changes nothing and so has no resampler
        self._passed, self._ended = 0, False
        if orig_sr != target_sr:
            self._stream = getattr(_native, f"ResampleStream_{self._dtype}")(
                float(orig_sr), float(target_sr), res_type, bool(fix), channels
            )
        self._latency = 0 if self._stream is None else self._measured_latency()

    def __repr__(self):
        return f"Resample(ratio={self._ratio:g}, channels={self._channels})"

    def _measured_latency(self):
        lead = () if self._channels == 1 else (self._channels,)
        silence = np.zeros((*lead, 1 << 15), dtype=self._dtype)
        made = self._stream.process(silence, False).shape[-1]
        self._stream.reset()
        return max(silence.shape[-1] - int(made / self._ratio), 0)

    @property
    def channels(self) -> int:
        """Channels of a block."""
        return self._channels

    @property
    def position(self) -> int:
        """Samples taken since the beginning of the signal."""
        return self._passed if self._stream is None else self._stream.position

    @property
    def latency(self) -> int:
        """Samples of the input by which the result is behind, at most."""
        return self._latency

    def process(self, y, last=False, out=None):
        """Take a block of samples; give what is ready at the new rate.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also none, of the stream's dtype, finite everywhere.
        last : bool
            Whether the signal ends here.
        out : np.ndarray, optional
            An array of the result's type, with as many samples or more, that is filled.

        Returns
        -------
        np.ndarray [shape=(..., m)]
            Samples at the new rate, possibly none.

        Raises
        ------
        ParameterError
            For wrong samples, which leave the stream as it was, and after the end of the signal.
        """
        y = check_block(y, self._channels, self._dtype)
        _check_out(out, self._dtype, y.shape[:-1])
        if self._stream is None:
            if self._ended:
                raise ParameterError("the signal has ended: reset() begins another one")
            self._passed, self._ended = self._passed + y.shape[-1], bool(last)
            return _into(out, y.copy())
        result = self._stream.process(y, bool(last))
        if self._scale:
            result /= np.sqrt(self._ratio)
        return _into(out, result)

    def flush(self, out=None):
        """End the signal: give the samples that are left. Then only `reset` goes on.

        Parameters
        ----------
        out : np.ndarray, optional
            As in `process`.

        Returns
        -------
        np.ndarray

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        lead = () if self._channels == 1 else (self._channels,)
        return self.process(np.empty((*lead, 0), dtype=self._dtype), True, out)

    def reset(self) -> None:
        """Begin another signal, with the same configuration."""
        self._passed, self._ended = 0, False
        if self._stream is not None:
            self._stream.reset()

    def warmup(self) -> None:
        """Do the work once on silence, so that the first block costs what every block does."""
        if self.position:
            raise ParameterError("warmup() must come before the first block, or after reset()")
        if self._stream is not None:
            self._measured_latency()


def _check_out(out, dtype, lead):
    """Refuse an array that no result fits into, before the stream takes anything."""
    if out is None:
        return
    if not isinstance(out, np.ndarray) or out.dtype != dtype:
        raise ParameterError(f"out must be a numpy.ndarray of {np.dtype(dtype)}")
    if out.shape[:-1] != lead or out.ndim == len(lead):
        shape = "".join(f"{length}, " for length in lead)
        raise ParameterError(f"out.shape={out.shape} must be ({shape}n)")


def _into(out, result):
    if out is None:
        return result
    if out.shape[-1] < result.shape[-1]:
        raise ParameterError(f"out.shape={out.shape} must be {result.shape}, or longer")
    out[..., : result.shape[-1]] = result
    return out[..., : result.shape[-1]]
