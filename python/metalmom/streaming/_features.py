"""Features of frames, block by block: each class is the offline function of the same name."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import core, feature, onset
from .._extractor import _recipe
from ..util._types import Array, Block, PositiveInt, RealDtype
from ..util._packages import needed_by
from ._requests import check_block, of_whole_signals
from ._rules import OF_LEVELS, request_of
from ._stream import Stream, apart_from, check_setting, flag, in_turn

# Samples of silence that warm a stream of short frames up, at most.
_MOST_SILENCE = 1 << 20


class Framed(Stream):
    """What streams of frames have in common."""

    def __init__(
        self,
        requests: Any,
        channels: PositiveInt,
        sample_dtype: RealDtype,
        names: Any = (),
    ) -> None:
        super().__init__(channels, sample_dtype)
        groups: dict[Any, list[int]] = {}
        for i, request in enumerate(requests):
            groups.setdefault(request.key, []).append(i)
        self._requests, self._names = requests, list(names)
        self._groups = [
            (requests[members[0]].open([requests[i] for i in members], self._turns), members)
            for members in groups.values()
        ]
        self._native = self._groups[0][0]
        # of a frame's middle if it is centred, else of its beginning
        self._latency = max(request.latency for request in requests)
        as_they_are = all(request.is_view for request in requests)
        # A block at its plainest, in one call; None if it is not.
        self._process_block = None
        if len(groups) == 1 and as_they_are and requests[0].engine_dtype == self._dtype:
            drops_row = [request.drops_row for request in requests]
            self._process_block = self._native.block_function(self._names, drops_row)

    @in_turn
    def reset(self) -> None:
        """Begin another signal, with the same configuration. Allocates nothing."""
        for stream, _ in self._groups:
            stream.reset()

    def _silence(self) -> Array:
        """Two runs of frames; where they are far apart, the first frame."""
        n_samples = max(
            min(n_fft + 32 * hop_length, max(2 * n_fft, _MOST_SILENCE))
            for n_fft, hop_length in (
                (request.framing["n_fft"], request.framing["hop_length"]) for request in self._requests
            )
        )
        return np.zeros((*self._lead, n_samples), dtype=self._dtype)

    @in_turn
    def _process(self, y: Any, last: Any, outs: Any, names: Any = ("out",)) -> Any:
        """A result for each request, by name where they have names; `names` are those of `outs`."""
        last = flag("last", last)
        y = check_block(y, self._channels, self._dtype)
        if outs is not None or len(self._groups) > 1:
            self._check(y, last, outs, names)
        if outs is not None:
            y = apart_from(y, *outs)
        results = [None] * len(self._requests)
        for stream, members in self._groups:
            given = None
            if outs is not None:
                given = [self._requests[i].engine_arrays(outs[i]) for i in members]
                if any(arrays is None for arrays in given):
                    given = None
            for i, arrays in zip(members, stream.process(y, last, given), strict=True):
                results[i] = self._requests[i].shown(arrays)
        if outs is not None:
            results = [_into(out, result) for out, result in zip(outs, results, strict=True)]
        return dict(zip(self._names, results, strict=True)) if self._names else results

    def _check(self, y: Any, last: Any, outs: Any, names: Any) -> None:
        """Refuse what any group would refuse, before one of them takes the block."""
        for stream, members in self._groups:
            for i, n_frames in zip(members, stream.ready(y, last), strict=True):
                if outs is not None:
                    self._requests[i].check_out(outs[i], n_frames, names[i])


def _into(out: Any, result: Any) -> Any:
    """The part of `out` that a result fills, filled."""
    part = out[..., : result.shape[-1]]
    if not np.may_share_memory(part, result):
        part[...] = result
    return part


class Feature(Framed):
    """One feature, block by block."""

    _function: Any = None

    def __init__(
        self,
        *,
        channels: PositiveInt = 1,
        sample_dtype: RealDtype = np.float32,
        **arguments: Any,
    ) -> None:
        check_setting(channels, sample_dtype)
        with needed_by(f"{type(self).__name__}()"):
            request = request_of(
                self._function, arguments, channels=channels, sample_dtype=sample_dtype
            )
        super().__init__([request], channels, sample_dtype)
        self._given = arguments

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self._given.items())
        return f"{type(self).__name__}(channels={self._channels}{given})"

    def process(self, y: Block, last: bool = False, out: Array | None = None) -> Array:
        """Take a block of samples; give the frames that it completes.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also none, of the stream's dtype, finite everywhere.
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
            For wrong samples, which leave the stream as it was, and after the end of the signal.
        """
        plain = self._process_block
        if plain is not None and out is None and last is False:
            try:
                result: Array | None = plain(y)
                if result is not None:
                    return result
            except BaseException:
                self._turns.lose()
                raise
        outs = None
        if out is not None:
            outs = [out]
        return self._process(y, last, outs)[0]


_DOCUMENTATION = """{title} of a stream: `{path}` block by block.
{note}
Parameters
----------
channels : int > 0
    Channels of a block.
sample_dtype : real dtype
    Of the blocks: float32 or float64.
**arguments
    Those of `{path}`{but}.

Raises
------
ParameterError
    As `{path}` does, and for what only a whole signal tells.

Examples
--------
>>> s = metalmom.streaming.{name}({example})
>>> s.process(np.zeros(4096, dtype=np.float32)).shape
{shape}
"""


def _class_of(function: Any, module: str) -> type[Stream]:
    """The class that gives a feature block by block."""
    said = function.declared.streams
    but = " but " + " and ".join(f"`{name}`" for name in said.without) if said.without else ""
    path = f"metalmom.{module}.{function.__name__}".replace("metalmom.core.", "metalmom.")
    note = f"\n{inspect.cleandoc(said.note)}\n" if said.note else ""
    documentation = _DOCUMENTATION.format(path=path, but=but, **{**said._asdict(), "note": note})
    body = {"__doc__": documentation, "_function": staticmethod(function)}
    of, more = f"{module}.{function.__name__}", OF_LEVELS if said.levels else ()
    return type(said.name, (Feature,), body, of=of, more=more, unshown=of_whole_signals(function))


_CLASSES = {
    function.declared.streams.name: _class_of(function, module.__name__.rpartition(".")[2])
    for module in (core, feature, onset)
    for function in map(vars(module).__getitem__, module.__all__)
    if _recipe.is_feature(function) and function.declared.streams
}
globals().update(_CLASSES)
__all__ = sorted(_CLASSES)

if TYPE_CHECKING:  # the classes that are made above
    OnsetStrength: Any
