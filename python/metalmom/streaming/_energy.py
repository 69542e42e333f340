"""Energy normalisation of a stream of spectra."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from .. import _native, core
from .._engine import _args
from .._engine.backend import ON_CPU
from ..util._rules import array
from ..util._types import Array, Float64Array, Numbers, PositiveInt
from ..core import spectrum
from ..util._keywords import parameters_of
from ..util.exceptions import ParameterError
from ._stream import Stream, apart_from, check_memory, flag, in_turn, size

__all__ = ["PCEN"]

_OF_WHOLE_SIGNALS = ("S", "ref", "axis", "return_zf", "zi")


class PCEN(Stream, of="core.pcen", but=_OF_WHOLE_SIGNALS):
    """Per-channel energy normalisation of a stream of spectra: `metalmom.pcen` block by block.

    Parameters
    ----------
    channels : int > 0
        Channels of a block.
    zi : np.ndarray, optional
        State of the smoothing filter before the first frame.
    n_bands : int > 0, optional
        Rows of a block. What is not said, the first block says, and memory is made then.
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

    def __init__(
        self,
        *,
        channels: PositiveInt = 1,
        zi: Array | None = None,
        n_bands: PositiveInt | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__(channels)
        if n_bands is not None:
            size("n_bands", n_bands)
        self._given = arguments
        asked = {
            name: arguments.get(name, default)
            for name, default in parameters_of(core.pcen).items()
            if name not in _OF_WHOLE_SIGNALS
        }
        bands_axis = 0 if channels == 1 else 1
        if asked.pop("max_axis") not in (None, bands_axis, -2):
            raise ParameterError("max_axis", arguments["max_axis"], f"{bands_axis} in a stream")
        over_time = {name: asked.pop(name) for name in ("sr", "hop_length", "time_constant")}
        # Lets the offline function refuse wrong arguments, so that errors have its words.
        with ON_CPU:
            core.pcen(np.ones((1, 1)), **over_time, b=asked["b"])
        self._asked = {**asked, "b": spectrum._coefficient(asked["b"], **over_time)}
        try:
            self._zi = None if zi is None else np.asarray(zi, dtype=float)
        except (TypeError, ValueError):
            raise ParameterError("zi", zi, "an array of numbers") from None
        # wrong arguments are refused when the stream is made
        self._native = self._made(1 if n_bands is None else int(n_bands), None if n_bands is None else zi)
        self._n_bands = self._made_for = n_bands
        self._says_bands = n_bands is not None

    def _made(self, n_bands: int, zi: Any) -> _native.PcenStream:
        state = spectrum._first_state(zi, self._asked["b"], -1, (*self._lead, n_bands, 1))
        return _native.PcenStream(
            self._turns, **self._asked, channels=self._channels, n_bands=n_bands, state=state
        )

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self._given.items())
        return f"PCEN(channels={self._channels}{given})"

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
        """Take frames of a spectrogram; give as many, normalised.

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
            For wrong values, which leave the stream as it was, and after the end of the signal.
        """
        last = flag("last", last)
        S = np.asarray(S)
        if S.dtype not in (np.float32, np.float64):
            S = _args.floating(spectrum._without_phase(S, "pcen", "np.abs(D)"))
        n_axes = 1 + len(self._lead) + 1
        if S.ndim != n_axes or S.shape[:-2] != self._lead:
            rule = "(d, t)" if n_axes == 2 else f"({self._channels}, d, t)"
            raise ParameterError("S.shape", S.shape, f"{rule} with channels={self._channels}")
        if out is not None and (
            not isinstance(out, np.ndarray)
            or out.dtype != np.float64
            or out.shape != S.shape
        ):
            raise ParameterError("out", rule=f"a numpy.ndarray of float64 and shape {S.shape}")
        if out is not None:
            check_memory(out)
            S = S if out is S else apart_from(S, out)
        if self._n_bands is None and S.size:
            return self._process_first(S, last, out)
        n_bands = S.shape[-2]
        if n_bands != self._n_bands and S.shape[-1]:
            raise ParameterError("S.shape[-2]", n_bands, f"{self._n_bands}, as in earlier blocks")
        spectrum._warn_of_zeros(S, self._asked["bias"], self._asked["power"])
        try:
            return self._native.process(S, last, out)
        except BaseException:
            self._turns.lose()
            raise

    def flush(
        self,
        out: Annotated[Float64Array, array(of="float64")] | None = None,
    ) -> Float64Array:
        """End the signal. Then only `reset` goes on.

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
        """Begin another signal, with the same configuration; what the first block says, it says anew."""
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
