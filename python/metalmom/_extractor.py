"""Many features of a signal, which is transformed once for all of them."""

import warnings
from collections.abc import Iterable

import numpy as np

from . import _args, _native, _recipe
from ._repeats import Repeats
from ._spans import composed
from ._together import Job, run_jobs
from ._warnings import divert, restore
from .util.exceptions import LibrosaError, ParameterError

__all__ = ["Extractor"]

# How many clips `map` has in work together: enough to keep all threads busy, but few enough that
# what a second pass reads again (the powers in which chroma's tuning was estimated) stays in the
# processor's caches.
_CLIPS_AT_ONCE = 256
_SAMPLES_OF_A_THREAD = 1 << 17

# Seconds of the song that `graph` watches: long enough to have a tempo.
_GRAPH_SECONDS = 4


class Extractor:
    """Compute many features of a signal together.

    Features that read the same frames share their transforms, and those that read the same bands
    or levels share these; a block of frames is in cache while all of them read it. Each value is
    bitwise what the single call gives on the same backend, whatever else is in the recipe.

    Parameters
    ----------
    features : list of str, or dict of str to dict
        Names of functions (``"mfcc"``, ``"feature.mfcc"``, ``"onset.onset_strength"``, ``"stft"``
        ...). In a dict, each name has the arguments of its function, and further keys: ``feature``,
        the function, where the name is another; ``of``, the name of the feature that it is made of
        in place of audio (or a dict of parameters to such names).
    **defaults
        Arguments for every feature that has them: ``sr``, ``hop_length`` ...

    Raises
    ------
    ParameterError
        For unknown features and parameters, with the nearest known one.

    Examples
    --------
    >>> y = metalmom.chirp(fmin=110, fmax=8000, sr=22050, duration=1.0)
    >>> fx = metalmom.Extractor(["mfcc", "chroma_stft", "onset_strength"], sr=22050)
    >>> {name: value.shape for name, value in fx(y).items()}
    {'mfcc': (20, 44), 'chroma_stft': (12, 44), 'onset_strength': (44,)}
    >>> fx = metalmom.Extractor({"mel": {"feature": "melspectrogram", "n_mels": 40},
    ...                          "level": {"feature": "power_to_db", "of": "mel"}})
    >>> fx(y)["level"].shape
    (40, 44)
    """

    def __init__(self, features, **defaults):
        tables = _recipe.tables_of(features)
        self._features = _recipe.parse(tables, defaults)
        self._defaults = defaults
        self._names = list(tables)
        self._keep_repeats()
        self._readers = {each.name: [] for each in self._features}
        for each in self._features:
            for source in set(each.of.values()):
                self._readers[source].append(each)

    def _keep_repeats(self):
        # Arguments that can change between calls (arrays, functions) must be read in each call.
        plain = all(_is_plain(v) for each in self._features for v in each.arguments.values())
        self._repeats = Repeats() if plain else None

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key != "_repeats"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._keep_repeats()

    @classmethod
    def from_recipe(cls, source):
        """Make an Extractor from a recipe.

        Parameters
        ----------
        source : dict, str or os.PathLike
            A recipe, or a .toml or .json file that holds one: ``sr``, tables ``defaults`` and
            ``features``.

        Returns
        -------
        Extractor

        Raises
        ------
        ParameterError
            For a file that is no recipe, and as the class does.

        Examples
        --------
        >>> fx = metalmom.Extractor.from_recipe({"sr": 16000, "features": {"mfcc": {"n_mfcc": 13}}})
        >>> fx.recipe["features"]["mfcc"]["n_mfcc"]
        13
        """
        recipe = _recipe.read(source)
        features = recipe.pop("features", {})
        defaults = dict(recipe.pop("defaults", {}))
        recipe.pop("aggregate", None)  # meant for tables; an Extractor does not need it
        if "sr" in recipe:
            defaults["sr"] = recipe.pop("sr")
        if recipe:
            raise ParameterError(
                f"recipe: {next(iter(recipe))!r} must be one of 'sr', 'defaults', 'features', "
                "'aggregate'"
            )
        return cls(features, **defaults)

    @property
    def recipe(self) -> dict:
        """The recipe with every parameter spelled out: `from_recipe` makes an equal one of it."""
        spelled = {each.name: each.spelled_out() for each in self._features}
        return {"features": {name: spelled[name] for name in self._names}}

    @composed
    def graph(self):
        """What is computed for these features, and what they share.

        It is what the engine does with a few seconds of music on the present backend; values of a
        wave decide what the next one asks for.

        Returns
        -------
        Graph
            Text by `str`, a picture by its method `svg`, which notebooks show.

        Raises
        ------
        ParameterError
            As the single calls do.

        Examples
        --------
        >>> print(metalmom.Extractor(["melspectrogram", "mfcc"]).graph())
        wave 1
          frames of 2048 samples, one every 512
            power
              128 bands
                melspectrogram (filterbank_spectrogram)
                levels
                  mfcc (cepstrum)
        """
        from . import _graph_view, demo

        watched = _graph_view.Watched()
        y = demo.song(_GRAPH_SECONDS)[0].mean(axis=0, dtype=np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about frames longer than this signal
            (values,) = self._run([y], watched.add)
        if isinstance(values, Exception):
            raise values
        return _graph_view.Graph(watched, self._features)

    def __repr__(self):
        defaults = "".join(f", {key}={value!r}" for key, value in self._defaults.items())
        return f"Extractor({self._names!r}{defaults})"

    @composed
    def __call__(self, y):
        """Compute the features of a signal, or of a batch of equally long ones.

        Parameters
        ----------
        y : np.ndarray or DeviceArray [shape=(..., n)], real floating-point
            Audio, finite everywhere.

        Returns
        -------
        dict of str to np.ndarray
            In the order of the recipe. A feature whose function returns several things has a
            tuple; on a DeviceArray, what the GPU computed is a DeviceArray.

        Raises
        ------
        ParameterError
            As the single calls do.
        """
        (values,) = self._run([y], repeats=self._repeats)
        if isinstance(values, Exception):
            try:
                raise values
            finally:
                del values  # its traceback has this frame, and that all audio
        return values

    @composed
    def map(self, clips, *, lengths=None, errors="raise"):
        """Compute the features of many clips, whatever their lengths.

        Blocks of different clips lie side by side in the same work, so that short clips keep all
        threads busy. A clip's features are bitwise what they are alone. Of a generator, a bounded
        number of clips is held at a time.

        Parameters
        ----------
        clips : iterable of np.ndarray [shape=(..., n)], or one np.ndarray [shape=(clips, n)]
            Audio. Clips may be DeviceArrays; a batch of them is for the Extractor itself: ``fx(batch)``.
        lengths : sequence of int, optional
            With one padded array: the samples of each clip.
        errors : {"raise", "return"}
            What becomes of a clip that cannot be analysed: an error that names it, or the exception
            in its place.

        Returns
        -------
        list of dict
            In the order of the clips.

        Raises
        ------
        ParameterError
            For a clip that a single call would refuse, with the clip's index.

        Examples
        --------
        >>> fx = metalmom.Extractor(["rms"], frame_length=1024)
        >>> clips = [np.ones(n, dtype=np.float32) for n in (3000, 22050, 1200)]
        >>> [values["rms"].shape[-1] for values in fx.map(clips)]
        [6, 44, 3]
        """
        if errors not in ("raise", "return"):
            raise ParameterError(f"errors={errors!r} must be 'raise' or 'return'")
        results, repeats = [], self._repeats or Repeats()
        for some in _portions(_cut(clips, lengths)):
            for values in self._run(some, repeats=repeats):
                if isinstance(values, Exception) and errors == "raise":
                    raise _of_clip(values, len(results))
                results.append(values)
            some.clear()  # so that these clips can be freed before the next ones are made
        return results

    def _run(self, clips, watch=None, repeats=None):
        """Values, or the error, of each clip; `repeats`: what is known from clips before."""
        jobs, states = [], []
        for clip in clips:
            state = _State(self, clip, repeats)
            states.append(state)
            jobs.extend(state.start())
        diverted = divert()
        try:
            run_jobs(jobs, _take, watch)
        finally:
            restore(diverted)
        return [state.outcome(self._names) for state in states]


class _State:
    """The features of one clip, as far as they are known."""

    def __init__(self, extractor, y, repeats):
        self.readers = extractor._readers
        self.features = extractor._features
        self.y = y
        self.repeats = repeats
        self.kind = None  # what `Repeats` knows of audio of this kind
        self.values = {}
        self.errors = {}

    def start(self):
        try:
            y = _args.audio(self.y)
            if not _args.on_device(y) and y.dtype.char in "fd" and y.dtype.isnative:
                y = np.ascontiguousarray(y)  # one array for all features, so that they share work
                y = y if y.flags.aligned else y.copy()
                if self.repeats is not None:
                    self.kind = self.repeats.kind_of(y)
            self.y = y
        except LibrosaError as error:
            self.errors[None] = error
            return []
        return [self.job(each) for each in self.features if not each.of]

    def job(self, feature):
        key = self, feature
        if feature.of:
            sources = {name: self.values[source] for name, source in feature.of.items()}
            return Job(key, feature.start(**sources))
        if self.kind is not None:
            return self.kind.job(key, feature, self.y)
        return Job(key, feature.start(y=self.y))

    def outcome(self, names):
        if self.errors:
            return self.errors.pop(next(name for name in (None, *names) if name in self.errors))
        return {name: self.values[name] for name in names}


def _take(job):
    """Keep what a job gave; answers with the jobs that waited for it."""
    state, feature = job.key
    if job.error is not None:
        state.errors[feature.name], job.error = job.error, None
        return ()
    state.values[feature.name] = job.result
    readers = state.readers[feature.name]
    return readers and [
        state.job(reader)
        for reader in readers
        if all(source in state.values for source in reader.of.values())
    ]


def _is_plain(value):
    return value is None or isinstance(value, (bool, int, float, str))


def _of_clip(error, index):
    """The same error, saying which clip it is of."""
    if isinstance(error, LibrosaError):
        named = type(error)(f"clips[{index}]: {error}")
        named.__cause__ = error
        return named
    error.add_note(f"in clips[{index}]")
    return error


def _cut(clips, lengths):
    """The clips of a padded array, each cut to its own length."""
    if isinstance(clips, str):
        raise ParameterError(f"clips={clips!r} must be arrays of audio, not a name")
    if _args.on_device(clips) or not isinstance(clips, Iterable):
        hint = ": call the Extractor itself with a batch that is on a device" if _args.on_device(clips) else ""
        raise ParameterError(f"clips={type(clips).__name__} must be arrays of audio{hint}")
    if lengths is None:
        return clips
    if not isinstance(clips, np.ndarray):
        raise ParameterError(f"clips={type(clips).__name__} must be one padded array where lengths are given")
    if len(lengths) != len(clips):
        raise ParameterError(
            f"lengths must be one for each clip of a padded array, not {len(lengths)}"
        )
    for index, length in enumerate(lengths):
        if not 0 <= length <= clips.shape[-1]:
            raise ParameterError(
                f"lengths[{index}]={length} must be between 0 and {clips.shape[-1]}"
            )
    return (clip[..., :length] for clip, length in zip(clips, lengths, strict=True))


def _portions(clips):
    """Lists of clips that are in work together."""
    most_samples = _SAMPLES_OF_A_THREAD * _native.thread_count()
    portion, samples = [], 0
    for clip in clips:
        portion.append(clip)
        size = getattr(clip, "size", 0)
        samples += size if isinstance(size, int) else 0  # what is no array is refused with its index
        if len(portion) >= _CLIPS_AT_ONCE or samples >= most_samples:
            yield portion
            portion, samples = [], 0
    if portion:
        yield portion
