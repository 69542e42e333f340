"""What an offline function asks of the engine, asked for a stream.

A streamed feature declares nothing anew: the offline function answers with the expression of what it
makes of audio (`util/_expressions.py`), an op of the engine and views of its answer, and the stream does
that to frames as they come.
"""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

import numpy as np

from .. import _native
from ..util._explain import explained
from .._engine import _args
from ..util._keywords import parameters_of
from ..util._expressions import Audio, expression_of
from ..core import _framing
from ..util._memory import refuse_beyond_memory
from ..util._wording import turned
from ..util.exceptions import ParameterError
from ._stream import check_memory, flag, frame_latency, size

if TYPE_CHECKING:
    from ..util._types import Array, DTypeLike, Int

__all__ = ["Request", "check_block", "of_whole_signals"]

_FRAMING = ("n_fft", "hop_length", "center", "pad_mode")

# The inverse of each function that gives a view of the engine's array.
_INVERSES = {
    _args.one_row: _args.without_row,
    _args.without_row: _args.one_row,
    _args.swapped: _args.swapped,
}


def of_whole_signals(function: Any) -> tuple[str, ...]:
    """Parameters with a value for every frame of the whole signal, or used in place of it, and the signal itself."""
    return "y", *function.declared.streams.without


class Request:
    """One feature of a stream, as the engine and its reader want it.

    Attributes
    ----------
    op, arguments
        What the engine is asked, but for the samples.
    framing : dict
        `n_fft`, `hop_length`, `center` and `pad_mode` of the signal.
    engine_dtype
        In which the engine takes samples.
    dtype, lead
        Of the result: its type, and its shape without the frames.
    """

    def __init__(
        self, function: Any, arguments: dict[str, Any], *, channels: Int, sample_dtype: DTypeLike
    ) -> None:
        for name in of_whole_signals(function):
            if arguments.get(name) is not None:
                raise ParameterError(name, rule="None: a stream has no value for every frame")
        pad_mode = arguments.get("pad_mode", "constant")
        if flag("center", arguments.get("center", True)) and not _is_local(pad_mode):
            rule = "', '".join(sorted(_framing.ENGINE_PAD_MODES))
            raise ParameterError(
                "pad_mode", pad_mode, f"one of '{rule}' in a stream: others read the signal's far end"
            )
        self._channels = () if channels == 1 else (int(channels),)
        _check_lengths(function, arguments)
        audio = Audio(np.dtype(sample_dtype), self._channels)
        self._views, node = [], _expression(function, audio, arguments)
        while node.op is None:
            self._views.append((node.function, node.args[1:]))
            node = node.args[0]
        self._views.reverse()
        self.op, asked = node.op, dict(node.kwargs)
        is_double = asked.pop("y").dtype == np.float64
        self.engine_dtype = np.dtype(np.float64 if is_double else np.float32)
        self.framing = {name: asked[name] for name in _FRAMING}
        self.arguments = {**asked, "center": False, "pad_mode": "constant"}
        nothing = np.empty((*self._channels, 0), dtype=self.engine_dtype)
        (arrays,) = self.open([self], _native.Turns(self.op)).process(nothing, False, None)
        result = self.shown(arrays)
        self.dtype, self.lead = result.dtype, result.shape[:-1]
        if self.dtype == arrays[0].dtype:  # nothing is converted
            self._views = [view for view in self._views if view[0] is not _args.as_type]

    @property
    def is_view(self) -> bool:
        """Whether the result is a view of the engine's array, or made of it."""
        return all(function in _INVERSES for function, _ in self._views)

    @property
    def drops_row(self) -> bool:
        """Whether the result has no axis of rows: the engine's only one is left out."""
        return any(function is _args.without_row for function, _ in self._views)

    @property
    def key(self) -> tuple[Any, ...]:
        """Requests of equal keys read the same frames."""
        return (*self.framing.values(), self.engine_dtype)

    def open(self, requests: list[Request], turns: Any) -> _native.FrameStream:
        """A stream of the engine for requests of this key, a part of the stream whose `turns` these are."""
        framing = self.framing
        n_samples = _native.window_samples(framing["n_fft"], framing["hop_length"])
        samples = np.zeros((*self._channels, n_samples), dtype=self.engine_dtype)
        asked = [(each.op, {**each.arguments, "y": samples}) for each in requests]
        return _native.FrameStream(turns, asked, samples, *framing.values())

    @property
    def latency(self) -> int:
        """Samples from the middle of a result's frame (or its beginning) to when it is known."""
        n_fft, hop_length = self.framing["n_fft"], self.framing["hop_length"]
        latency = frame_latency(n_fft, self.framing["center"])
        # its frames are centred by a shift of the envelope, which shortens the wait
        if self.op == "onset_strength":
            shift = self.arguments["shift"] - self.arguments["lag"]
            latency = max(latency - shift * hop_length, 0)
        return latency

    def check_out(self, out: object, n_frames: int, name: str) -> None:
        """Refuse an array that so many frames do not fit into; `name` is what its giver calls it."""
        if not isinstance(out, np.ndarray) or out.dtype != self.dtype:
            raise ParameterError(name, rule=f"a numpy.ndarray of {self.dtype}")
        if out.ndim != len(self.lead) + 1 or out.shape[:-1] != self.lead or out.shape[-1] < n_frames:
            shape = ", ".join(map(str, (*self.lead, "t")))
            raise ParameterError(f"{name}.shape", out.shape, f"({shape}) with t={n_frames} frames or more")
        check_memory(out, name)

    def engine_arrays(self, out: Any) -> list[Array] | None:
        """The memory of a result as the engine's arrays; None where these are made into it."""
        if not self.is_view:
            return None
        for function, _ in reversed(self._views):
            out = _INVERSES[function](out)
        return [out]

    def shown(self, arrays: list[Array]) -> Any:
        """The engine's arrays as the offline function gives them."""
        result = arrays[0] if len(arrays) == 1 else arrays
        for function, args in self._views:
            result = function(result, *args)
        return result


def _expression(function: Any, audio: Audio, arguments: dict[str, Any]) -> Any:
    try:
        return expression_of(function)(y=audio, **arguments)
    except Exception as error:
        told = explained(function, (), arguments, error)
        raise told from told.__cause__


def _check_lengths(function: Any, arguments: dict[str, Any]) -> None:
    """Check the samples of frames and windows, in the names that the user wrote."""
    known = parameters_of(function)
    for name in ("n_fft", "frame_length", "win_length", "hop_length"):
        value: Any = arguments.get(name)
        if name not in arguments or (value is None and known[name] is None):
            continue
        size(name, value)
        refuse_beyond_memory(name, value, 64 * int(value))  # of a run of 16 frames


def _is_local(pad_mode: object) -> bool:
    return isinstance(pad_mode, str) and pad_mode in _framing.ENGINE_PAD_MODES


def check_block(y: Any, channels: Int, dtype: np.dtype[Any]) -> Any:
    """Check the type and shape of a block of samples."""
    _args.audio(y)
    if y.dtype != dtype:
        raise ParameterError("y.dtype", y.dtype, f"{dtype}, the stream's sample_dtype")
    if y.ndim != (1 if channels == 1 else 2) or (channels > 1 and y.shape[0] != channels):
        rule = "(n,)" if channels == 1 else f"({channels}, n)"
        hint = turned("y", y) if y.shape[-1:] == (channels,) else ""
        if channels == 1 and (turned_to := turned("y", y)):
            hint = f"{turned_to} to a stream with channels={y.shape[1]}, or metalmom.to_mono(y.T)"
        raise ParameterError("y.shape", y.shape, f"{rule} with channels={channels}", hint=hint)
    return y
