"""Many features of a stream, whose frames are transformed once."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .._extractor import _recipe
from ..util._keywords import parameters_of
from ..util._types import Block, PositiveInt, RealDtype
from ..util.exceptions import ParameterError
from . import _features, _rhythm
from ._features import Framed
from ._requests import OF_LEVELS

__all__ = ["Extractor"]

# The class of each function that can be streamed.
_STREAMS: dict[Any, Any] = {
    vars(room)[name]._function: vars(room)[name]
    for room in (_features, _rhythm)
    for name in room.__all__
    if hasattr(vars(room)[name], "_function")
}


class Extractor(Framed):
    """Many features of a stream: `metalmom.Extractor` block by block.

    Features that read the same frames share their transforms. Each value is bitwise what the
    class of that feature alone gives.

    Parameters
    ----------
    features : list of str, or dict of str to dict
        As in `metalmom.Extractor`; features of audio that have a class in this module, such as `STFT`. A
        feature also takes arguments that only its class has, such as `peak`, or `update` of a tempo.
    channels : int > 0
        Channels of a block.
    sample_dtype : real dtype
        Data type of the blocks: float32 or float64.
    **defaults
        Arguments for every feature that has them: ``sr``, ``hop_length``, ``peak`` ...

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
    >>> s = metalmom.streaming.Extractor(["onset_detect", "beat_track"], sr=22050)
    >>> s.process(np.zeros(4096, dtype=np.float32))["onset_detect"]
    array([], dtype=int64)
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
        own = {name: _own_of_stream(name, spec) for name, spec in features.items()}
        levels = {name: defaults.pop(name) for name in OF_LEVELS if name in defaults}
        shorter = {name: _without(spec, own[name]) for name, spec in features.items()}
        parsed = {each.name: each for each in _recipe.parse(shorter, defaults)}
        if levels and not any(set(OF_LEVELS) <= names for names in own.values()):
            name, value = next(iter(levels.items()))
            raise ParameterError(name, value, "not a parameter of any feature: leave it out", verb="is")
        requests = []
        for name, spec in features.items():
            each: Any = parsed[name]
            if each.of:
                raise ParameterError(f"features.{name}: of", each.of, "given in a stream", verb="must not be")
            if each.function.declared.whole:
                path, reason = f"features.{name}: {each.path}", f"the whole signal: {each.function.declared.whole}"
                raise ParameterError(path, rule=reason, verb="needs")
            if each.function not in _STREAMS:
                known = ", ".join(sorted(function.__name__ for function in _STREAMS))
                raise ParameterError(f"features.{name}: {each.path}", rule=f"one of {known} in a stream")
            given = {**levels, **(spec or {})}
            arguments = {**each.arguments, **{key: given[key] for key in own[name] if key in given}}
            requests.append(_STREAMS[each.function]._request(arguments, self._lead, self._dtype))
        self._open(requests, features)
        self._filled = [name for name, each in zip(features, requests, strict=True) if each.follower is None]

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
            Arrays to fill, one for each feature, with as many frames as are ready or more. Onsets, tempo
            and beats have none.

        Returns
        -------
        dict of str to np.ndarray, TempoAt or BeatsAt
            What the class of each feature gives, in the order of the recipe.

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
            if not isinstance(out, dict) or out.keys() != {*self._filled}:
                raise ParameterError("out", rule=f"have an array for each of {self._filled}", verb="must")
            outs = [out.get(name) for name in self._names]
        return self._process(y, last, outs, [f"out[{name!r}]" for name in self._names])

    def flush(self, out: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """End the signal and return the rest. After that only `reset` is possible.

        Parameters
        ----------
        out : dict of str to np.ndarray, optional
            Arrays to fill, one for each feature, with as many frames as are ready or more. Onsets, tempo
            and beats have none.

        Returns
        -------
        dict of str to np.ndarray, TempoAt or BeatsAt
            What the class of each feature gives, in the order of the recipe.

        Raises
        ------
        ParameterError
            If the signal has ended already.
        """
        return Extractor.process(self, self._no_block(), True, out)


def _own_of_stream(name: str, spec: Any) -> set[str]:
    """The arguments of a feature of a recipe that its stream knows and its function does not."""
    path = spec.get("feature", name) if isinstance(spec, dict) else name
    function, _ = _recipe.find_function(path)
    if function not in _STREAMS:
        return set()
    shown = inspect.signature(_STREAMS[function]).parameters.keys()
    return {*shown} - {*parameters_of(function), "channels", "sample_dtype"}


def _without(spec: Any, names: Iterable[str]) -> Any:
    """The arguments of a feature without some."""
    return {key: value for key, value in spec.items() if key not in names} if isinstance(spec, dict) else spec
