"""Features of frames, block by block: each class is the offline function of the same name, `Extractor` many."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import core, feature, frontend, onset
from .._extractor import _recipe
from ..util._keywords import parameters_of
from ..util._types import Array, Block, PositiveInt, RealDtype
from ..util._packages import needed_by
from ..util.exceptions import ParameterError
from ._by_blocks import reset, taken
from ._requests import OF_LEVELS, Request, of_whole_signals
from ._stream import Stream, apart_from, flag, in_turn

# Samples of silence that warm a stream of short frames up, at most.
_MOST_SILENCE = 1 << 20


class Framed(Stream):
    """What streams of frames have in common."""

    def _open(self, asked: Iterable[tuple[Any, dict[str, Any]]], names: Iterable[str] = ()) -> None:
        """Begin with these functions and their arguments, whose results have names if there are many."""
        asked = [*asked]
        requests = [Request(*each, self._lead, self._dtype) for each in asked]
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
        self._know_rate(*(arguments.get("sr", parameters_of(function).get("sr")) for function, arguments in asked))
        # of a frame's middle if it is centred, else of its beginning
        self._latency = max(request.latency for request in requests)
        # A block at its plainest, in one call; None if it is not.
        self._process_block = None
        as_they_are = all(request.is_view for request in requests)
        as_they_come = not requests[0].samples and requests[0].engine_dtype == self._dtype
        if len(groups) == 1 and as_they_are and as_they_come:
            drops_row = [request.drops_row for request in requests]
            self._process_block = self._native.block_function(self._names, drops_row)

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
    def _process(self, y: Any, last: Any, outs: Any, names: Any = ("out",)) -> Any:
        """A result for each request, by name where they have names; `names` are those of `outs`."""
        last, y = flag("last", last), self._checked(y)
        y = apart_from(y, *(outs or ()))
        made = [taken(steps, y, last) for _, _, steps in self._groups]
        if outs is not None or len(self._groups) > 1:
            self._check([block for block, _ in made], last, outs, names)
        results = [None] * len(self._requests)
        for (stream, members, steps), (block, states) in zip(self._groups, made, strict=True):
            given = None
            if outs is not None and all(self._requests[i].is_view for i in members):
                given = [self._requests[i].engine_arrays(outs[i]) for i in members]
            answered = stream.process(block, last, given)
            for step, state in zip(steps, states, strict=True):
                step.state = state
            for i, arrays in zip(members, answered, strict=True):
                results[i] = self._requests[i].shown(arrays, last)
        self._appended = made[0][0].shape[-1] - y.shape[-1]
        if outs is not None:
            results = [request.into(*each) for request, *each in zip(self._requests, outs, results, strict=True)]
        return dict(zip(self._names, results, strict=True)) if self._names else results

    def _check(self, blocks: Any, last: Any, outs: Any, names: Any) -> None:
        """Refuse what any group would refuse, before one of them takes its block."""
        for (stream, members, _), block in zip(self._groups, blocks, strict=True):
            for i, n_frames in zip(members, stream.ready(block, last), strict=True):
                if outs is not None:
                    self._requests[i].check_out(outs[i], n_frames, names[i])


class Feature(Framed):
    """One feature, block by block."""

    _function: Any = None

    def __init__(
        self, *, channels: PositiveInt = 1, sample_dtype: RealDtype = np.float32, **arguments: Any
    ) -> None:
        super().__init__(channels, sample_dtype)
        with needed_by(f"{type(self).__name__}()"):
            self._open([(self._function, arguments)])
        self._given = arguments

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


class Extractor(Framed):
    """Many features of a stream: `metalmom.Extractor` block by block.

    Features that read the same frames share their transforms. Each value is bitwise what the
    class of that feature alone gives.

    Parameters
    ----------
    features : list of str, or dict of str to dict
        As in `metalmom.Extractor`; features of audio that can be streamed, see `STFT` and the
        classes beside it.
    channels : int > 0
        Channels of a block.
    sample_dtype : real dtype
        Data type of the blocks: float32 or float64.
    **defaults
        Arguments for every feature that has them: ``sr``, ``hop_length``, ``top_db`` ...

    Raises
    ------
    ParameterError
        As `metalmom.Extractor`, and for features that need the whole signal.

    Examples
    --------
    >>> s = metalmom.streaming.Extractor({"mfcc": {"top_db": None}, "rms": {}}, sr=22050)
    >>> frames = s.process(np.zeros(4096, dtype=np.float32))
    >>> {name: value.shape for name, value in frames.items()}
    {'mfcc': (20, 7), 'rms': (1, 7)}
    """

    def __init__(
        self,
        features: list[str] | Mapping[str, dict[str, Any]],
        *,
        channels: PositiveInt = 1,
        sample_dtype: RealDtype = np.float32,
        **defaults: Any,
    ) -> None:
        super().__init__(channels, sample_dtype)
        features = _recipe.tables_of(features)
        levels = {name: defaults.pop(name) for name in OF_LEVELS if name in defaults}
        parsed = {each.name: each for each in _recipe.parse(_without_levels(features), defaults)}
        if levels and not any(map(_has_levels, parsed.values())):
            name, value = next(iter(levels.items()))
            raise ParameterError(name, value, "a parameter of none of the features: leave it out", verb="is")
        asked = []
        for name, spec in features.items():
            each: Any = parsed[name]
            if each.of:
                raise ParameterError(f"features.{name}: of", each.of, "given in a stream", verb="must not be")
            if each.function.declared.whole:
                path, reason = f"features.{name}: {each.path}", f"the whole signal: {each.function.declared.whole}"
                raise ParameterError(path, rule=reason, verb="needs")
            if each.function.declared.streams is None:
                streamed = (function for function in _recipe.features().values() if function.declared.streams)
                known = ", ".join(sorted(function.__name__ for function in streamed))
                raise ParameterError(f"features.{name}: {each.path}", rule=f"one of {known} in a stream")
            own = {key: value for key, value in (spec or {}).items() if key in OF_LEVELS}
            asked.append((each.function, {**each.arguments, **(levels if _has_levels(each) else {}), **own}))
        self._open(asked, features)

    def __repr__(self) -> str:
        return f"Extractor({self._names!r}, channels={self._channels})"

    def process(self, y: Block, last: bool = False, out: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Take a block of samples; give the frames of each feature that it completes.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also zero, of the stream's dtype, all of them finite.
        last : bool
            Whether the signal ends here.
        out : dict of str to np.ndarray, optional
            Arrays to fill, one for each feature, with as many frames as are ready or more.

        Returns
        -------
        dict of str to np.ndarray
            In the order of the recipe.

        Raises
        ------
        ParameterError
            For wrong samples (the stream stays as it was), and after the end of the signal.
        """
        if self._process_block is not None and out is None and last is False:
            results = self._answer(self._process_block, y)
            if results is not None:
                return results
        outs = None
        if out is not None:
            if not isinstance(out, dict) or out.keys() != set(self._names):
                raise ParameterError("out", rule=f"have an array for each of {self._names}", verb="must")
            outs = [out[name] for name in self._names]
        return self._process(y, last, outs, [f"out[{name!r}]" for name in self._names])

    def flush(self, out: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """End the signal and return the rest. After that only `reset` is possible.

        Parameters
        ----------
        out : dict of str to np.ndarray, optional
            Arrays to fill, one for each feature, with as many frames as are ready or more.

        Returns
        -------
        dict of str to np.ndarray
            In the order of the recipe.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return Extractor.process(self, self._no_block(), True, out)


def _has_levels(feature: Any) -> bool:
    streams = feature.function.declared.streams
    return streams is not None and streams.levels is not None


def _without_levels(features: Any) -> Any:
    """A recipe without the arguments that streams know and functions do not."""
    return {
        name: {key: value for key, value in spec.items() if key not in OF_LEVELS}
        if isinstance(spec, dict)
        else spec
        for name, spec in features.items()
    }


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
    for module in (core, feature, frontend, onset)
    for function in map(vars(module).__getitem__, module.__all__)
    if _recipe.is_feature(function) and function.declared.streams
}
globals().update(_CLASSES)
__all__ = ["Extractor"]
__all__ += sorted(_CLASSES)

if TYPE_CHECKING:  # the classes that are made above
    OnsetStrength: Any
