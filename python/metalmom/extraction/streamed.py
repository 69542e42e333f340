"""Features of files too long for memory, block by block, with the results of the whole.

What `metalmom.streaming` has comes from there. Levels end `top_db` below the loudest of the file, which
a stream does not know; `FromLevels` finds it in a first pass over the samples. Whether a feature, with
its arguments, comes out bit for bit as from the whole is not assumed but tried.
"""

import inspect

import numpy as np

from .. import feature, onset
from .._extractor import _recipe
from .._extractor.extractor import Extractor
from ..core import power_to_db
from ..streaming import Extractor as Stream
from .probe import probe_sound

__all__ = ["streamed_of"]

_MEL = "melspectrogram"
_LEAST_SAMPLES = 1 << 13
# mfcc and onset_strength take the default.
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
    function : callable
        What computes it from levels.
    of_levels : tuple of str
        Its parameters that are not of the mel spectrogram.
    arguments : dict
        Those of them that are given.
    request : dict
        What the stream is asked for.
    """

    first_pass = True
    function = None
    of_levels = ()

    def __init__(self, spec):
        known = _recipe.parameters_of(feature.melspectrogram)
        own = _recipe.parameters_of(self.function)
        self.arguments = {key: spec[key] for key in self.of_levels if key in spec}
        self.request = {"feature": _MEL} | {
            key: value for key, value in spec.items()
            if key in known and key not in self.of_levels
        }  # fmt: skip
        if "mel_norm" in own:
            self.request.pop("norm", None)
            if "mel_norm" in spec:
                self.request["norm"] = spec["mel_norm"]

    def begin(self, loudest):
        """Begin a file whose loudest band has that power."""
        levels = power_to_db(np.array([loudest]), top_db=None)
        self._least = levels[0] - levels.dtype.type(_TOP_DB)

    def levels(self, bands):
        """Levels of a block as those of the whole."""
        return np.maximum(power_to_db(bands, top_db=None), self._least)


class Cepstra(FromLevels):
    """`mfcc`."""

    function = staticmethod(feature.mfcc)
    of_levels = ("n_mfcc", "dct_type", "norm", "lifter")

    def block(self, bands):
        """Cepstra of a block."""
        return feature.mfcc(S=self.levels(bands), **self.arguments)


class Onsets(FromLevels):
    """`onset_strength`: what a frame is compared with may lie in the block before."""

    function = staticmethod(onset.onset_strength)
    of_levels = ("lag", "max_size", "aggregate", "center", "detrend")

    def __init__(self, spec):
        super().__init__(spec)
        self.arguments = _recipe.parse({"onset_strength": self.arguments}, {})[0].arguments
        self._lag = spec["lag"]
        # frames are centred by a shift in the end
        self._delay = spec["n_fft"] // (2 * spec["hop_length"]) if spec["center"] else 0
        self.arguments["center"] = False

    def begin(self, loudest):
        """Begin a file whose loudest band has that power."""
        super().begin(loudest)
        self._before = None
        self._held = np.zeros(self._delay, self._least.dtype)

    def block(self, bands):
        """Strengths of the frames that come before those of the block by the function's shift."""
        if not bands.shape[1]:
            return self._held[:0]
        levels = self.levels(bands)
        before = levels[:, :0] if self._before is None else self._before
        joined = np.concatenate([before, levels], axis=1)
        strength = onset.onset_strength(S=joined, **self.arguments)
        self._before = joined[:, -self._lag :]
        shifted = np.concatenate([self._held, strength[before.shape[1] :]])
        self._held = shifted[shifted.size - self._delay :]
        return shifted[: shifted.size - self._delay]


_KINDS = {each.function.__name__: each for each in (Cepstra, Onsets)}


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
    features = {}
    sound = _trying_sound(recipe.sr)
    for name, spec in recipe.extractor.recipe["features"].items():
        made = None if spec.get("of") else _tried(name, spec, sound)
        if made is not None:
            features[name] = made
    return Streamed(features)


def _trying_sound(sr):
    """Notes and clicks, then near silence, so that levels end at their least."""
    y = probe_sound(sr, 3)
    return np.concatenate([y, np.float32(1e-4) * y[: y.size // 2], np.zeros(int(sr), np.float32)])


def _tried(name, spec, y):
    """The feature block by block, if it is bitwise that of the whole."""
    function, _ = _recipe.find_function(spec["feature"])
    try:
        made = _KINDS.get(function.__name__, AsStreamed)(spec)
        whole = Extractor({name: spec})(y)[name]
        blocks = [each[name] for each in Streamed({name: made})(y, 20_000)]
        parts = np.concatenate(blocks, axis=-1)
    except Exception:  # whatever keeps it from being streamed: it is computed as a whole then
        return None
    same = isinstance(whole, np.ndarray) and whole.dtype == parts.dtype
    return made if same and np.array_equal(whole, parts) else None
