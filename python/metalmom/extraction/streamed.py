"""Features of files too long for memory, block by block, with the results of the whole.

What `metalmom.streaming` has comes from there. Levels end `top_db` below the loudest of the file, which
a stream does not know; `FromLevels` finds it in a first pass over the samples.
"""

import inspect
from types import SimpleNamespace

import numpy as np

from .. import feature
from .._extractor import _recipe
from ..core import power_to_db
from ..streaming import Extractor as Stream
from ..util.exceptions import ParameterError

__all__ = ["streamed_of"]

_LEAST_SAMPLES = 1 << 13
# Functions of levels take the default.
_TOP_DB = inspect.signature(power_to_db).parameters["top_db"].default


class AsStreamed:
    """A feature that streams have.

    Attributes
    ----------
    request : dict
        What the stream is asked for.
    """

    first_pass = False

    def __init__(self, spec):
        self.request = spec

    def begin(self, loudest):
        """Begin a file."""

    def block(self, frames):
        """The feature's frames, of those that the stream was asked for."""
        return frames


class FromLevels:
    """A feature of levels of mel bands; in a first pass their loudest one is found.

    Attributes
    ----------
    request : dict
        What the stream is asked for.
    """

    first_pass = True

    def __init__(self, wanted):
        declared, arguments = wanted.function.declared.streams.levels, wanted.every_argument
        given = SimpleNamespace(**arguments)
        self._function, self._past, self._delay = wanted.function, declared.past(given), declared.delay(given)
        self._own = {name: arguments[name] for name in declared.own}
        if "center" in self._own:  # by a shift in the end
            self._own["center"] = False
        known = {*_recipe.parameters_of(feature.melspectrogram)} - {"y", "S", *declared.own}
        self.request = {"feature": "melspectrogram", **{key: arguments[key] for key in known if key in arguments}}
        if "mel_norm" in arguments:
            self.request["norm"] = arguments["mel_norm"]

    def begin(self, loudest):
        """Begin a file whose loudest band has that power."""
        levels = power_to_db(np.array([loudest]), top_db=None)
        self._least = levels[0] - levels.dtype.type(_TOP_DB)
        self._before = None
        self._held = np.zeros(self._delay, self._least.dtype)

    def block(self, bands):
        """The frames that come before those of the block by the function's shift."""
        levels = np.maximum(power_to_db(bands, top_db=None), self._least)
        before = levels[:, :0] if self._before is None else self._before
        joined = np.concatenate([before, levels], axis=1)
        values = self._function(S=joined, **self._own)[..., before.shape[1] :]
        self._before = joined[:, joined.shape[1] - self._past :]
        if not self._delay:
            return values
        shifted = np.concatenate([self._held, values])
        self._held = shifted[shifted.size - self._delay :]
        return shifted[: shifted.size - self._delay]


class Streamed:
    """Features that come block by block.

    Parameters
    ----------
    features : dict of str to AsStreamed or FromLevels
    """

    def __init__(self, features):
        self._features = features

    @property
    def names(self):
        """Names of the features."""
        return set(self._features)

    def only(self, names):
        """The same for some of the features."""
        return Streamed({name: self._features[name] for name in names})

    def __call__(self, y, step):
        """Yield frames of each feature by its name, for `step` samples at a time."""
        loudest = {name: 0.0 for name, each in self._features.items() if each.first_pass}
        if loudest:
            for bands in self._stream(y, step, loudest):
                for name, block in bands.items():
                    loudest[name] = block.dtype.type(max(loudest[name], block.max(initial=0.0)))
        for name, each in self._features.items():
            each.begin(loudest.get(name))
        for blocks in self._stream(y, step, self._features):
            yield {name: each.block(blocks[name]) for name, each in self._features.items()}

    def _stream(self, y, step, names):
        stream = Stream({name: self._features[name].request for name in names})
        step = max(step, _LEAST_SAMPLES)
        for start in range(0, y.size, step):
            block = np.asarray(y[start : start + step])
            yield stream.process(block, last=start + step >= y.size)


def streamed_of(recipe):
    """Those features of a `Recipe` that come block by block."""
    made = {each.name: _made(each) for each in recipe.features}
    return Streamed({name: each for name, each in made.items() if each is not None})


def _made(wanted):
    """A feature block by block; None where its function or its arguments need the whole."""
    streams = wanted.function.declared.streams
    if streams is None or wanted.of or any(wanted.arguments.get(name) is not None for name in streams.without):
        return None
    if streams.levels is None:
        made = AsStreamed({"feature": wanted.path, **wanted.arguments})
    elif streams.levels.needs_whole(SimpleNamespace(**wanted.every_argument)):
        return None
    else:
        made = FromLevels(wanted)
    try:
        Stream({wanted.name: made.request})
    except ParameterError:  # as declared of its arguments
        return None
    return made
