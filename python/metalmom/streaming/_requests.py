"""What an offline function asks of the engine, asked for a stream, and the arguments that a stream is refused.

A streamed feature declares nothing anew: the offline function answers with the expression of what it
makes of audio (`util/_expressions.py`), an op of the engine and views of its answer, and the stream does
that to frames as they come.
"""

from __future__ import annotations

import inspect
from typing import Any, TYPE_CHECKING

import numpy as np

from .. import _native, core
from ..util._explain import explained
from .._engine import _args
from ..util._checks import is_number, is_one_of
from ..util._declared import outputs_of
from ..util._expressions import Audio, expression_of, way_by_blocks
from ..util._keywords import parameters_of
from ..util._memory import refuse_beyond_memory
from ..util.exceptions import ParameterError, Unsaid
from ._by_blocks import Step, reset, step_of, taken
from ._stream import check_memory, flag, frame_latency, size

if TYPE_CHECKING:
    from ..util._types import Array

__all__ = ["OF_LEVELS", "Request", "of_whole_signals"]

# What streams know beside the arguments of a function that makes levels.
OF_LEVELS = ("top_db", "peak")

# How far the levels of `metalmom.power_to_db` reach below the loudest.
_TOP_DB = parameters_of(core.power_to_db)["top_db"]

_FRAMING = ("n_fft", "hop_length", "center", "pad_mode")

# The inverse of each function that gives a view of the engine's array.
_INVERSES = {
    _args.one_row: _args.without_row,
    _args.without_row: _args.one_row,
}


def of_whole_signals(function: Any) -> tuple[str, ...]:
    """The signal, and the parameters that replace it or have a value for every frame of it."""
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
    samples : list of Step
        What is done to samples first.
    dtype, shape, axis
        Of the result: its type, its shape without frames, and the axis that these have.
    follower : Step or None
        What makes answers of frames in the end; they are not frames themselves and have no `out`.
    rate : float or None
        Samples a second, where the function knows them.
    """

    def __init__(
        self, function: Any, arguments: dict[str, Any], channels: tuple[int, ...], sample_dtype: np.dtype[Any],
        follower: Step | None = None,
    ) -> None:
        arguments = dict(arguments)
        self.rate = arguments.get("sr", parameters_of(function).get("sr"))
        levels = {name: arguments.pop(name, None) for name in OF_LEVELS}
        _check_levels(**levels)
        _refuse_what_needs_the_whole(function, arguments)
        self._channels = channels
        _check_lengths(function, arguments)
        self._steps: list[Step] = []
        node = _expression(function, Audio(sample_dtype, channels), arguments)
        while node.op is None:
            self._steps.insert(0, step_of(node.function, node.args[1:]))
            node = node.args[0]
        self.op, asked = node.op, dict(node.kwargs)
        audio = asked.pop("y")
        self.engine_dtype = np.dtype(np.float64 if audio.dtype == np.float64 else np.float32)
        self.samples = _steps_of(audio)
        self.framing = {name: asked[name] for name in _FRAMING}
        self.framing["n_fft"] = asked.get("frame_length", asked["n_fft"])  # samples that a frame reads
        self.arguments = {**asked, "center": False, "pad_mode": "constant"}
        if function.declared.streams.levels:
            self.arguments["top_db"] = np.inf
        if levels["peak"] is not None:
            self.arguments["floor"] = _floor_of(self.engine_dtype, **levels)
        nothing = np.empty((*channels, 0), dtype=self.engine_dtype)
        (arrays,) = self.open([self], _native.Turns(self.op)).process(nothing, False, None)
        result = self.shown(arrays, False)
        self.reset()
        self.dtype, self.shape = result.dtype, result.shape
        _, (declared,) = outputs_of(function, "", {**parameters_of(function), **arguments})
        self.axis = declared.axis % len(self.shape)
        if self.dtype == arrays[0].dtype:  # nothing is converted
            self._steps = [step for step in self._steps if step.function is not _args.as_type]
        self.follower = follower
        if follower is not None:
            self._steps.append(follower)

    @property
    def is_view(self) -> bool:
        """Whether the result, or what its follower takes, is a view of the engine's array."""
        return all(step.function in _INVERSES for step in self._steps if step is not self.follower)

    @property
    def drops_row(self) -> bool:
        """Whether the result has no axis of rows: the engine's only one is left out."""
        return any(step.function is _args.without_row for step in self._steps)

    @property
    def key(self) -> tuple[Any, ...]:
        """Requests of equal keys read the same frames."""
        made = ((step.function, step.args) for step in self.samples)
        return (*self.framing.values(), self.engine_dtype, *made)

    def open(self, requests: list[Request], turns: Any) -> _native.FrameStream:
        """A stream of the engine for requests of this key, a part of the stream whose `turns` these are."""
        framing = self.framing
        n_samples = _native.window_samples(framing["n_fft"], framing["hop_length"])
        samples = np.zeros((*self._channels, n_samples), dtype=self.engine_dtype)
        asked = [(each.op, {**each.arguments, "y": samples}) for each in requests]
        for each in requests:
            for step in each._steps:
                step.join(turns)
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
        return latency + sum(step.delay for step in self._steps) * hop_length

    def reset(self) -> None:
        """Begin another signal."""
        reset(self._steps)

    def check_out(self, out: object, n_frames: int, name: str) -> None:
        """Refuse an array that what so many frames give does not fit into; `name` is what its giver calls it."""
        for step in self._steps:
            n_frames = step.count(n_frames)
        if not isinstance(out, np.ndarray) or out.dtype != self.dtype:
            raise ParameterError(name, rule=f"a numpy.ndarray of {self.dtype}")
        before, after = self.shape[: self.axis], self.shape[self.axis + 1 :]
        fits = out.ndim == len(self.shape) and out.shape[self.axis] >= n_frames
        if not fits or out.shape[: self.axis] != before or out.shape[self.axis + 1 :] != after:
            shape = ", ".join(map(str, (*before, "t", *after)))
            raise ParameterError(f"{name}.shape", out.shape, f"({shape}) with t={n_frames} frames or more")
        check_memory(out, name)

    def engine_arrays(self, out: Any) -> list[Array] | None:
        """The memory of a result as the engine's arrays; None where these are made into it."""
        if not self.is_view or self.follower is not None:
            return None
        for step in reversed(self._steps):
            out = _INVERSES[step.function](out)
        return [out]

    def shown(self, arrays: list[Array], last: bool) -> Any:
        """The engine's arrays as the offline function gives them."""
        result = arrays[0] if len(arrays) == 1 else arrays
        for step in self._steps:
            result, step.state = step.taken(result, last)
        return result

    def followed(self, result: Any) -> Any:
        """What the follower makes of a result that is not the last one."""
        follower: Any = self.follower
        result, follower.state = follower.taken(result, False)
        return result

    def into(self, out: Any, result: Any) -> Any:
        """The part of `out` that a result fills, filled."""
        part = out[(slice(None),) * self.axis + (slice(result.shape[self.axis]),)]
        if not np.may_share_memory(part, result):
            part[...] = result
        return part


def _steps_of(audio: Audio) -> list[Step]:
    """What is done to samples, but for checks and for what the engine converts."""
    steps: list[Step] = []
    while audio.function is not None:
        source, *args = audio.args
        if way_by_blocks(audio.function) is not None:
            steps = [step_of(_args.as_type, (source.dtype,)), step_of(audio.function, (*args,)), *steps]
        audio = source
    return steps


def _expression(function: Any, audio: Audio, arguments: dict[str, Any]) -> Any:
    try:
        return expression_of(function)(y=audio, **arguments)
    except Exception as error:
        told = explained(function, (), arguments, error)
        raise told from told.__cause__


def _refuse_what_needs_the_whole(function: Any, arguments: dict[str, Any]) -> None:
    """Refuse the arguments that a stream cannot know, as it is declared, and frames that read the far end."""
    known = parameters_of(function)
    for each in function.declared.streams.refuses:
        default = known[each.parameter]
        value = arguments.get(each.parameter, default)
        if isinstance(default, bool):
            value = flag(each.parameter, value)
        if value is not inspect.Parameter.empty and each.when(value):
            raise ParameterError(each.parameter + each.part, value if each.is_shown else Unsaid, each.rule)
    for name in of_whole_signals(function):
        if arguments.get(name) is not None:
            raise ParameterError(name, rule="None: a stream has no value for every frame")
    pad_mode, modes = arguments.get("pad_mode", "constant"), function.declared.streams.pad_modes
    if flag("center", arguments.get("center", True)) and not is_one_of(pad_mode, modes):
        rule = "', '".join(modes)
        raise ParameterError(
            "pad_mode", pad_mode, f"one of '{rule}' in a stream: others read the signal's far end"
        )


def _check_lengths(function: Any, arguments: dict[str, Any]) -> None:
    """Check the samples of frames and windows, in the names that the user wrote."""
    known = parameters_of(function)
    for name in ("n_fft", "frame_length", "win_length", "hop_length"):
        value: Any = arguments.get(name)
        if name not in arguments or (value is None and known[name] is None):
            continue
        size(name, value)
        refuse_beyond_memory(name, value, 64 * int(value))  # of a run of 16 frames


def _check_levels(top_db: Any, peak: Any) -> None:
    """Refuse levels that end below the loudest, which is not known, and what is no level."""
    for name, value in (("top_db", top_db), ("peak", peak)):
        if value is not None and not (is_number(value) and np.isfinite(value)):
            raise ParameterError(name, value, "a number or None")
    if top_db is None:
        return
    if peak is None:
        raise ParameterError(
            "top_db", top_db,
            "None in a stream, where that is the default instead of 80: the signal's loudest level is not "
            "known. Pass top_db=None, or peak=, that level in dB",
        )
    if top_db < 0:
        raise ParameterError("top_db", top_db, "non-negative")


def _floor_of(dtype: np.dtype[Any], top_db: Any, peak: Any) -> float:
    """The level to which lower ones are raised, in the arithmetic of the offline function."""
    floor = float(dtype.type(peak) - dtype.type(_TOP_DB if top_db is None else top_db))
    if floor > 10 * np.log10(np.finfo(dtype).max):
        raise ParameterError("peak", peak, f"the level of a power that {dtype} holds")
    return floor
