"""Features of frames, block by block: each class is the offline function of the same name."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import core, feature, frontend, onset
from .._extractor import _recipe
from ..util._types import Array, Block, PositiveInt, RealDtype
from ..util._packages import needed_by
from ._by_blocks import reset, taken
from ._requests import OF_LEVELS, Request, of_whole_signals
from ._stream import Stream, apart_from, flag, in_turn

# Samples of silence that warm a stream of short frames up, at most.
_MOST_SILENCE = 1 << 20


class Framed(Stream):
    """What streams of frames have in common."""

    def _open(self, requests: list[Request], names: Iterable[str] = ()) -> None:
        """Begin with these requests, whose results have names if there are many."""
        groups: dict[Any, list[int]] = {}
        for i, request in enumerate(requests):
            groups.setdefault(request.key, []).append(i)
        self._requests, self._names = requests, list(names)
        self._groups = [
            (requests[members[0]].open([requests[i] for i in members], self._turns), members, requests[members[0]].samples)
            for members in groups.values()
        ]
        self._native = self._groups[0][0]
        self._appended = 0
        self._know_rate(*(request.rate for request in requests))
        # of a frame's middle if it is centred, else of its beginning
        self._latency = max(request.latency for request in requests)
        # A block at its plainest, in one call; None if it is not.
        self._process_block = None
        as_they_are = all(request.is_view for request in requests)
        as_they_come = not requests[0].samples and requests[0].engine_dtype == self._dtype
        if len(groups) == 1 and as_they_are and as_they_come:
            drops_row = [request.drops_row for request in requests]
            self._process_block = self._native.block_function(self._names, drops_row)
            if any(request.follower is not None for request in requests):
                self._block_before = self._process_block
                self._process_block = self._followed

    @in_turn
    def reset(self) -> None:
        """Begin another signal, with the same configuration. Allocates nothing."""
        for stream, _, steps in self._groups:
            stream.reset()
            reset(steps)
        for request in self._requests:
            request.reset()
        self._appended = 0

    @property
    def position(self) -> int:
        """Samples taken since the beginning of the signal."""
        return self._native.position - self._appended

    def _silence(self) -> Array:
        """Two runs of frames; where they are far apart, the first frame."""
        framings = [request.framing for request in self._requests]
        n_samples = max(
            min(each["n_fft"] + 32 * each["hop_length"], max(2 * each["n_fft"], _MOST_SILENCE)) for each in framings
        )
        return np.zeros((*self._lead, n_samples), dtype=self._dtype)

    @in_turn
    def _followed(self, y: Any) -> Any:
        """What followers make of a block at its plainest; None if it is not."""
        results = self._block_before(y)
        if results is None:
            return None
        if not self._names:
            return self._requests[0].followed(results)
        for name, request in zip(self._names, self._requests, strict=True):
            if request.follower is not None:
                results[name] = request.followed(results[name])
        return results

    @in_turn
    def _process(self, y: Any, last: Any, outs: Any, names: Any = ("out",)) -> Any:
        """A result for each request, by name where they have names; `names` are those of `outs`."""
        last, y = flag("last", last), self._checked(y)
        y = apart_from(y, *(outs or ()))
        made = [taken(steps, y, last) for _, _, steps in self._groups]
        if outs is not None or len(self._groups) > 1:
            self._check([block for block, _ in made], last, outs, names)
        results = [None] * len(self._requests)
        for (stream, members, steps), (block, states) in zip(self._groups, made, strict=True):
            given = None if outs is None else [self._requests[i].engine_arrays(outs[i]) for i in members]
            answered = stream.process(block, last, None if given is None or None in given else given)
            for step, state in zip(steps, states, strict=True):
                step.state = state
            for i, arrays in zip(members, answered, strict=True):
                results[i] = self._requests[i].shown(arrays, last)
        self._appended = made[0][0].shape[-1] - y.shape[-1]
        if outs is not None:
            results = [
                request.into(out, result) if request.follower is None else result
                for request, out, result in zip(self._requests, outs, results, strict=True)
            ]
        return dict(zip(self._names, results, strict=True)) if self._names else results

    def _check(self, blocks: Any, last: Any, outs: Any, names: Any) -> None:
        """Refuse what any group would refuse, before one of them takes its block."""
        for (stream, members, _), block in zip(self._groups, blocks, strict=True):
            for i, n_frames in zip(members, stream.ready(block, last), strict=True):
                if outs is not None and self._requests[i].follower is None:
                    self._requests[i].check_out(outs[i], n_frames, names[i])


class Feature(Framed):
    """One feature, block by block."""

    _function: Any = None

    def __init__(
        self, *, channels: PositiveInt = 1, sample_dtype: RealDtype = np.float32, **arguments: Any
    ) -> None:
        super().__init__(channels, sample_dtype)
        with needed_by(f"{type(self).__name__}()"):
            self._open([self._request(arguments, self._lead, self._dtype)])
        self._given = arguments

    @classmethod
    def _request(cls, arguments: dict[str, Any], lead: tuple[int, ...], sample_dtype: np.dtype[Any]) -> Request:
        """What it asks of the engine, alone or in an `Extractor`."""
        return Request(cls._function, arguments, lead, sample_dtype)

    def process(self, y: Block, last: bool = False, out: Array | None = None) -> Array:
        """Take a block of samples and return the frames that it completes.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also zero, of the stream's dtype, all of them finite.
        last : bool
            Whether the signal ends here.
        out : np.ndarray, optional
            An array of the result's type and shape, with as many frames or more, that is filled
            instead of a new one.

        Returns
        -------
        np.ndarray [shape=(..., t)]
            Frames, possibly none; with `out` the part of it that was filled.

        Raises
        ------
        ParameterError
            For wrong samples (the stream stays as it was), and after the end of the signal.
        """
        if self._process_block is not None and out is None and last is False:
            result = self._answer(self._process_block, y)
            if result is not None:
                return result
        return self._process(y, last, None if out is None else [out])[0]

    def flush(self, out: Array | None = None) -> Array:
        """End the signal and return the rest. After that only `reset` is possible.

        Parameters
        ----------
        out : np.ndarray, optional
            An array of the result's type and shape, with as many frames or more, that is filled
            instead of a new one.

        Returns
        -------
        np.ndarray [shape=(..., t)]
            Frames, possibly none; with `out` the part of it that was filled.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return Feature.process(self, self._no_block(), True, out)


_DOCUMENTATION = """{title}, block by block: a stream of `{path}`.
{note}
Parameters
----------
channels : int > 0
    Channels of a block.
sample_dtype : real dtype
    Data type of the blocks: float32 or float64.
**arguments
{arguments}

Raises
------
ParameterError
    As `{path}` does, and for arguments that need the whole signal.

Examples
--------
>>> s = metalmom.streaming.{name}({example})
>>> s.process(np.zeros(4096, dtype=np.float32)).shape
{shape}
"""


def _class_of(function: Any, module: str) -> type[Stream]:
    """The class that gives a feature block by block."""
    said = function.declared.streams
    but = ", except " + " and ".join(f"`{name}`" for name in said.without) if said.without else ""
    path = f"metalmom.{module}.{function.__name__}".replace("metalmom.core.", "metalmom.")
    note = f"\n{inspect.cleandoc(said.note)}\n" if said.note else ""
    refused = (f"`{each.parameter}{each.part}` must be {each.rule}." for each in said.refuses)
    arguments = textwrap.fill(
        " ".join([f"The arguments of `{path}`{but}.", *refused]), 100, initial_indent="    ",
        subsequent_indent="    ", break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    texts = {"note": note, "arguments": arguments, "path": path}
    documentation = _DOCUMENTATION.format(**{**said._asdict(), **texts})
    body = {"__doc__": documentation, "_function": staticmethod(function)}
    of, more = f"{module}.{function.__name__}", OF_LEVELS if said.levels else ()
    return type(said.name, (Feature,), body, of=of, more=more, unshown=of_whole_signals(function))


_CLASSES = {
    function.declared.streams.name: _class_of(function, module.__name__.rpartition(".")[2])
    for module in (core, feature, frontend, onset)
    for function in map(vars(module).__getitem__, module.__all__)
    if _recipe.is_feature(function) and function.declared.streams
}
globals().update(_CLASSES)
__all__ = sorted(_CLASSES)
