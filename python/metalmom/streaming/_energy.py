"""Energy normalisation of a stream of spectra."""

import inspect

import numpy as np

from .._backend import ON_CPU
from ..core import pcen
from ..util.exceptions import ParameterError
from ._setting import check_setting

__all__ = ["PCEN"]


class PCEN:
    """Per-channel energy normalisation of a stream of spectra: `metalmom.pcen` block by block.

    Parameters
    ----------
    channels : int > 0
        Channels of a block.
    zi : np.ndarray, optional
        State of the smoothing filter before the first frame.
    **arguments
        Those of `metalmom.pcen` but `ref`, `axis` and `return_zf`: frames come last.

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

    def __init__(self, *, channels=1, zi=None, **arguments):
        check_setting(channels)
        known = inspect.signature(pcen).parameters
        for name, value in arguments.items():
            if name not in known or name in ("S", "ref", "axis", "return_zf"):
                raise ParameterError(f"{name}={value!r} is no parameter of a stream of pcen")
        if channels > 1 and arguments.get("max_size", 1) != 1:
            arguments.setdefault("max_axis", 1)
        lead = (4,) if channels == 1 else (channels, 4)
        with ON_CPU:
            # wrong arguments are refused when the stream is made
            pcen(np.ones((*lead, 1)), **arguments)
        self._arguments = arguments
        self._channels = channels
        self._first = self._state = zi
        self.reset()

    def __repr__(self):
        given = "".join(f", {name}={value!r}" for name, value in self._arguments.items())
        return f"PCEN(channels={self._channels}{given})"

    @property
    def channels(self) -> int:
        """Channels of a block."""
        return self._channels

    @property
    def position(self) -> int:
        """Frames taken since the beginning of the signal."""
        return self._position

    @property
    def latency(self) -> int:
        """Samples that a frame waits: none."""
        return 0

    def process(self, S, last=False, out=None):
        """Take frames of a spectrogram; give as many, normalised.

        Parameters
        ----------
        S : np.ndarray [shape=(d, t), or (channels, d, t) with channels > 1]
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
            For wrong values, which leave the stream as it was, and after the end of the signal.
        """
        S = np.asarray(S)
        if self._ended:
            raise ParameterError("the signal has ended: reset() begins another one")
        n_axes = 2 if self._channels == 1 else 3
        if S.ndim != n_axes or (n_axes == 3 and S.shape[0] != self._channels):
            rule = "(d, t)" if n_axes == 2 else f"({self._channels}, d, t)"
            raise ParameterError(f"S.shape={S.shape} must be {rule} with channels={self._channels}")
        if out is not None and (
            not isinstance(out, np.ndarray) or out.dtype != np.float64 or out.shape != S.shape
        ):
            raise ParameterError(f"out must be a numpy.ndarray of float64 and shape {S.shape}")
        if S.shape[-1]:
            with ON_CPU:  # streams run on the CPU
                result, self._state = pcen(S, zi=self._state, return_zf=True, **self._arguments)
        else:
            result = np.empty(S.shape)
        self._position += S.shape[-1]
        self._ended = bool(last)
        if out is None:
            return result
        out[...] = result
        return out

    def flush(self):
        """End the signal: nothing is left, since every frame is given at once.

        Returns
        -------
        np.ndarray

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        shape = (0, 0) if self._channels == 1 else (self._channels, 0, 0)
        return self.process(np.empty(shape), last=True)

    def reset(self) -> None:
        """Begin another signal, with the same configuration."""
        self._state = self._first
        self._position, self._ended = 0, False

    def warmup(self) -> None:
        """Nothing to do: it has no memory to make ready."""
