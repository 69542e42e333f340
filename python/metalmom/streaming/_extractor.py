"""Many features of a stream, transformed once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._extractor import _recipe
from ..util._types import Block, PositiveInt, RealDtype
from ..util.exceptions import ParameterError
from ._features import Framed
from ._rules import OF_LEVELS, request_of
from ._stream import check_setting

__all__ = ["Extractor"]


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
        Of the blocks: float32 or float64.
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
        check_setting(channels, sample_dtype)
        features = _recipe.tables_of(features)
        levels = {name: defaults.pop(name) for name in OF_LEVELS if name in defaults}
        parsed = {each.name: each for each in _recipe.parse(_without_levels(features), defaults)}
        names = list(features)
        if levels and not any(map(_has_levels, parsed.values())):
            name, value = next(iter(levels.items()))
            raise ParameterError(name, value, "a parameter of none of the features: leave it out", verb="is")
        requests = []
        for name in names:
            each: Any = parsed[name]
            if each.of:
                raise ParameterError(f"features.{name}: of", each.of, "given in a stream", verb="must not be")
            if each.function.declared.streams is None:
                streamed = (function for function in _recipe.features().values() if function.declared.streams)
                known = ", ".join(sorted(function.__name__ for function in streamed))
                raise ParameterError(f"features.{name}: {each.path}", rule=f"one of {known} in a stream")
            arguments = dict(each.arguments)
            if _has_levels(each):
                arguments |= levels
            spec = features[name] or {}
            arguments |= {key: spec[key] for key in OF_LEVELS if key in spec}
            requests.append(
                request_of(each.function, arguments, channels=channels, sample_dtype=sample_dtype)
            )
        super().__init__(requests, channels, sample_dtype, names)

    def __repr__(self) -> str:
        return f"Extractor({self._names!r}, channels={self._channels})"

    def process(
        self,
        y: Block,
        last: bool = False,
        out: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Take a block of samples; give the frames of each feature that it completes.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also none, of the stream's dtype, finite everywhere.
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
            For wrong samples, which leave the stream as it was, and after the end of the signal.
        """
        plain = self._process_block
        if plain is not None and out is None and last is False:
            try:
                results: dict[str, Any] | None = plain(y)
                if results is not None:
                    return results
            except BaseException:
                self._turns.lose()
                raise
        outs = None
        if out is not None:
            if not isinstance(out, dict) or out.keys() != set(self._names):
                raise ParameterError("out", rule=f"have an array for each of {self._names}", verb="must")
            outs = [out[name] for name in self._names]
        called = [f"out[{name!r}]" for name in self._names]
        return self._process(y, last, outs, called)


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
