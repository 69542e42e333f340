"""Many features of a signal, which is transformed once for all of them."""

from __future__ import annotations

import functools
import inspect
import math
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, NoReturn, ParamSpec, TYPE_CHECKING, TypeVar

import numpy as np

from .. import _native
from ..util._explain import explained
from .._engine import _args
from .._engine.watch import Watch
from ..util._checks import is_count, is_number
from ..util._evaluate import Program, Run, evaluate
from ..util._expressions import Audio
from ..util._notebook import table_of
from .._native import DeviceArray
from ..util._rules import array, iterable
from ..util._types import Audio as AudioArray, Function, Ints, Positive, PositiveInt, RealArray
from ..util._warnings import divert, given, restore
from ..util.exceptions import DeviceError, LibrosaError, ParameterError, TypeOf
from . import _recipe

if TYPE_CHECKING:
    from ..trace import Trace
    from .estimate import Estimate
    from .graph_view import Graph

__all__ = ["Extractor"]

# How many clips `map` has in work together: enough to keep all threads busy, but few enough that
# what a second pass reads again (the powers in which chroma's tuning was estimated) stays in the
# processor's caches.
_CLIPS_AT_ONCE = 256
_SAMPLES_OF_A_THREAD = 1 << 17

# For how many kinds of audio the expressions are kept.
_MOST_KINDS = 64

# Seconds of the song that `graph` watches: long enough to have a tempo.
_GRAPH_SECONDS = 4

# The most channels that an estimate is asked for: some seconds of as many are measured.
_MOST_CHANNELS = 1024


_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def _in_one_span(method: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Decorate a method: in a trace, one bridge span stands around all that it does.

    Its errors name features and clips, so it is not `public`.
    """
    name = "Extractor" if method.__name__ == "__call__" else method.__name__

    @functools.wraps(method)
    def call(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        span = _native.trace_open_call(name)
        try:
            return method(*args, **kwargs)
        finally:
            del span

    return call


def _shown_without(*names: str) -> Callable[[Function], Function]:
    """Decorate a method that refuses arguments of these names: its signature has the others alone."""

    def decorate(method: Function) -> Function:
        whole = inspect.signature(method)
        kept = [each for each in whole.parameters.values() if each.name not in names]
        made: Any = method
        made.__signature__ = whole.replace(parameters=kept)
        return method

    return decorate


class Extractor:
    """Compute many features of a signal together.

    Features that read the same frames share their transforms, and features that read the same bands
    or levels share these. A block of frames is in the cache while all of them read it. Each value has
    the bits of the single call on the same backend, whatever else is in the recipe.

    Parameters
    ----------
    features : list of str, or dict of str to dict
        Names of features (``"mfcc"``, ``"feature.mfcc"``, ``"onset.onset_strength"``, ``"stft"``
        ...): functions that compute arrays from audio, or from the result of another feature. In a
        dict, each name has the arguments of its function and two further keys: ``feature``, the function
        if the name is a different one; ``of``, the name of the feature that it reads instead of audio
        (or a dict of parameters to such names).
    **defaults
        Arguments for every feature that has them: ``sr``, ``hop_length`` ...

    Raises
    ------
    ParameterError
        For unknown features and parameters, with the nearest known one; for arguments that are not
        settings (`y`, `S` and other inputs, and `out`); for missing arguments. If a function refuses a
        value, the error comes when the Extractor is called, and begins with the name of the feature:
        ``"mfcc40: n_mfcc=..."``.

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

    @_shown_without("others")
    def __init__(self, features: list[str] | Mapping[str, dict[str, Any]], *others: NoReturn, **defaults: Any) -> None:
        if others:
            names: list[Any] = [features, *others]
            if not all(isinstance(each, str) for each in names):
                names = ["mfcc", "rms"]
            raise TypeError(f"Extractor() takes one list of names: Extractor({names!r})")
        tables = _recipe.tables_of(features)
        self._features = _recipe.parse(tables, defaults)
        self._defaults = defaults
        self._names = list(tables)
        self._is_plain = all(_is_plain(v) for each in self._features for v in each.arguments.values())
        self._programs: dict[Any, Program] = {}
        self._last: Watch | None = None
        self._measured: dict[Any, Any] = {}

    def _kept_programs(self) -> dict[Any, Program]:
        # Arguments that can change between calls (arrays, functions) are read in each call.
        return self._programs if self._is_plain else {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_programs": {}, "_last": None, "_measured": {}}

    @classmethod
    def from_recipe(cls, source: dict[str, Any] | str | os.PathLike[str]) -> Extractor:
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
            For a file that is no recipe, for what a recipe cannot hold (functions but for NumPy's
            ``max``, ``mean``, ``median``, ``min``, ``std`` and ``sum``), and as the class does.

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
    def recipe(self) -> dict[str, Any]:
        """The recipe with every parameter spelled out. `from_recipe` makes an equal Extractor from it."""
        spelled = {each.name: each.spelled_out() for each in self._features}
        return {"features": {name: spelled[name] for name in self._names}}

    @_in_one_span
    def graph(self, trace: Trace | None = None) -> Graph:
        """Show what is computed for these features, what they share, and how long each step took.

        After a call, ``fx(y)``, this is the graph of the last call, with the time of each node, its
        share of the call, and the critical path. Before the first call it shows, without times, how the
        engine computes a few seconds of music on the present backend. `map` computes many clips side by
        side and has no graph.

        Parameters
        ----------
        trace : Trace, optional
            A trace of the last call, recorded with ``detail=True``. It has the part of each of the nodes
            that the engine ran in one go.

        Returns
        -------
        Graph
            Text by `str`, a picture by its method `svg`, which notebooks show, data by `json`.

        Raises
        ------
        ParameterError
            As the single calls do.

        Examples
        --------
        >>> fx = metalmom.Extractor(["melspectrogram", "mfcc"])
        >>> print(fx.graph())
        wave 1
          frames of 2048 samples, one every 512
            power
              128 bands
                melspectrogram (filterbank_spectrogram)
                levels
                  mfcc (cepstrum)
        >>> y = metalmom.chirp(fmin=110, fmax=8000, sr=22050, duration=1.0)
        >>> _ = fx(y)
        >>> [node["ms"] > 0 for node in fx.graph().nodes]
        [True, True]
        """
        from . import graph_view

        last = self._last
        return graph_view.Graph(last or self._watched_song(), self._features, trace, timed=last is not None)

    def _watched_song(self) -> Watch:
        """What the engine does with some music."""
        from .. import demo

        y = demo.song(_GRAPH_SECONDS)[0].mean(axis=0, dtype=np.float32)
        watch = Watch()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about frames longer than this signal
            (outcomes,) = self._run([y], {}, watch)
        error = _first_error(outcomes)
        if error is not None:
            raise error
        return watch

    def estimate(self, seconds: Positive, channels: PositiveInt = 1) -> Estimate:
        """Estimate the memory and the time of a call, without its audio.

        The first estimate for a number of channels, a backend and a number of threads times the
        features on up to a minute of music, which takes a second or a few. Further estimates are computed
        from these figures. They describe this machine at that moment, with music: a call takes about the
        estimated time if the load of the machine is the same.

        Parameters
        ----------
        seconds : number > 0
            Length of the audio, at the `sr` of the first feature that has one.
        channels : int > 0
            Signals of that length in one call, that is, in one array ``(channels, n)``.

        Returns
        -------
        Estimate
            ``memory``, the bytes on the host that the call needs in addition, its results included;
            ``seconds``, its time. `str` gives a readable text.

        Raises
        ------
        ParameterError
            For wrong lengths and channels, and as the single calls do.

        Examples
        --------
        >>> fx = metalmom.Extractor(["stft"])
        >>> estimate = fx.estimate(60.0)
        >>> 20e6 < estimate.memory < 40e6
        True
        """
        from . import estimate

        if not is_number(seconds) or not 0 < seconds < math.inf:
            raise ParameterError("seconds", seconds, "a positive number")
        if not is_count(channels) or channels > _MOST_CHANNELS:
            raise ParameterError("channels", channels, f"a whole number from 1 to {_MOST_CHANNELS}")
        kind = channels, _native.backend_name(), _native.thread_count()
        known = self._measured.get(kind)
        if known is None:
            rates = [each.every_argument["sr"] for each in self._features if "sr" in each.every_argument]
            sr = rates[0] if rates else 22050
            known = self._measured[kind] = estimate.Measurements(self._compute, sr, int(channels))
        return known.estimate(float(seconds))

    def __repr__(self) -> str:
        defaults = "".join(f", {key}={value!r}" for key, value in self._defaults.items())
        return f"Extractor({self._names!r}{defaults})"

    def _repr_html_(self) -> str:
        """In a notebook an Extractor shows a row for each feature: its function, arguments and source."""
        features = {each.name: each for each in self._features}
        return table_of((name, features[name]) for name in self._names)

    @_in_one_span
    @_shown_without("others", "settings")
    def __call__(self, y: AudioArray | DeviceArray, *others: NoReturn, **settings: NoReturn) -> dict[str, Any]:
        """Compute the features of a signal, or of a batch of equally long ones.

        Parameters
        ----------
        y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray
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
        if others or settings:
            name = next(iter(settings), "sr")
            raise TypeError(f"an Extractor is called with audio alone, and {name} belongs to it: "
                            f"Extractor([...], {name}={name})")  # fmt: skip
        watch = Watch()
        outcomes = self._compute(y, watch)
        self._last = watch
        return outcomes

    def _compute(self, y: Any, watch: Watch | None = None) -> dict[str, Any]:
        """The values of a signal's features; raises the first error."""
        (outcomes,) = self._run([y], self._kept_programs(), watch)
        error = _first_error(outcomes)
        if error is not None:
            try:
                raise error
            finally:
                del error, outcomes  # its traceback has this frame, and that all audio
        return outcomes

    @_in_one_span
    def map(
        self,
        clips: Annotated[Iterable[RealArray], iterable(array("..., n"))] | RealArray,
        *,
        lengths: Ints | None = None,
        errors: Literal["raise", "return"] = "raise",
    ) -> list[dict[str, Any]]:
        """Compute the features of many clips, whatever their lengths.

        Blocks of different clips are computed side by side, so that short clips keep all threads busy.
        The features of a clip have the bits that they have alone. A generator is read a bounded number
        of clips at a time. It may fill one array again and again: clips that come neither from a list,
        nor a tuple, nor an array are copied, unless nothing else holds their memory.

        Parameters
        ----------
        clips : iterable of np.ndarray [shape=(..., n)], or one np.ndarray [shape=(clips, n)]
            Audio. Clips may be DeviceArrays; a batch of them is for the Extractor itself: ``fx(batch)``.
        lengths : sequence of int, optional
            With one padded array: the samples of each clip.
        errors : {"raise", "return"}
            For a clip that cannot be analysed: raise an error that names it, or return the exception
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
            raise ParameterError("errors", errors, choices=("raise", "return"))
        results: list[Any] = []
        programs = self._kept_programs()
        for some in _portions(_cut(clips, lengths)):
            for outcomes in self._run(some, programs):
                error = _first_error(outcomes)
                if error is not None and errors == "raise":
                    raise _of(f"clips[{len(results)}]", error)
                results.append(outcomes if error is None else error)
                del error, outcomes
            some.clear()  # so that these clips can be freed before the next ones are made
        return results

    def _outcomes(self, clips: Iterable[Any]) -> Iterator[dict[str, Any]]:
        """Of each clip the value of each feature, by name, or the exception in its place."""
        programs = self._kept_programs()
        for some in _portions(clips):
            yield from self._run(some, programs)

    def _run(
        self, clips: list[Any], programs: dict[Any, Program], watch: Watch | None = None
    ) -> list[dict[str, Any]]:
        """Of each clip the value of each feature, by name, or the exception in its place."""
        signals = [_signal(clip) for clip in clips]
        diverted = divert()
        try:
            runs = [
                None if isinstance(y, Exception) else Run(self._program_of(y, programs), watch=watch) for y in signals
            ]
            evaluate([(run, y) for run, y in zip(runs, signals, strict=True) if run], watch)
            return [
                dict.fromkeys(self._names, y) if run is None else self._outcomes_of(run, y)
                for run, y in zip(runs, signals, strict=True)
            ]
        finally:
            restore(diverted)

    def _program_of(self, y: Any, programs: dict[Any, Program]) -> Program:
        """The expressions of the features for audio of the kind of `y`."""
        kind = y.dtype.str, y.shape[:-1], _args.on_device(y)
        program = programs.get(kind)
        if program is None:
            before = given()
            program = Program.of_roots(self._features, Audio(y.dtype, *kind[1:]))
            if len(programs) >= _MOST_KINDS:
                programs.clear()
            if not program.errors and given() == before:  # errors and warnings are for each clip
                programs[kind] = program
        return program

    def _outcomes_of(self, run: Run, y: Any) -> dict[str, Any]:
        owners: set[int] = set()
        at, errors = run.program.at, run.program.errors
        if not run.errors and not errors:
            return {name: _apart(run.values[at[name]], owners) for name in self._names}
        outcomes: dict[str, Any] = {}
        for each in self._features:  # each comes after what it is made of
            failed = [outcomes[of] for of in each.of.values() if isinstance(outcomes[of], Exception)]
            error = errors.get(each.name) or run.errors.get(at.get(each.name, -1))
            if failed:
                outcomes[each.name] = failed[0]
            elif error is not None:
                outcomes[each.name] = self._told(each, run, y, error)
            else:
                outcomes[each.name] = run.values[at[each.name]]
        return {name: _apart(outcomes[name], owners) for name in self._names}

    def _told(self, feature: _recipe.Feature, run: Run, y: Any, error: Exception) -> BaseException:
        """An error as the single call tells it."""
        inputs = {"y": y}
        if feature.of:
            inputs = {keyword: run.values[run.program.at[of]] for keyword, of in feature.of.items()}
        told = explained(feature.function, (), {**feature.arguments, **inputs}, error)
        if isinstance(told, DeviceError) and not feature.of.keys().isdisjoint(told.arrays):
            # the result of another feature, for which the user can pass the audio alone
            told = told.but(name=feature.of.get(told.name, told.name), arrays=("y",))
        return _without_frames(told) if isinstance(told, LibrosaError) else told


def _first_error(outcomes: dict[str, Any]) -> Exception | None:
    """The first exception, in the order of the recipe, and whose it is; None where all features have values."""
    name, error = next(((name, each) for name, each in outcomes.items() if isinstance(each, Exception)), ("", None))
    # Audio is refused for all features; errors of devices and packages name the function.
    return _of(name, error) if isinstance(error, ParameterError) and error.argument != "y" else error


def _signal(y: Any) -> Any:
    """A clip as all its features read it, or what is wrong with it."""
    try:
        y = _args.audio(y)
    except LibrosaError as error:
        return _without_frames(error)
    if not _args.on_device(y) and y.dtype.char in "fd" and y.dtype.isnative:
        y = np.ascontiguousarray(y)  # one array for all features, so that they share work
        y = y if y.flags.aligned else y.copy()
    return y


def _without_frames(error: LibrosaError) -> LibrosaError:
    """An error that says what is wrong, without the frames it came through: they hold what other calls have."""
    each: BaseException | None = error
    while each is not None:
        each.__traceback__ = None
        each = each.__context__
    return error


def _apart(value: Any, owners: set[int]) -> Any:
    """A result that shares no memory with those before it: each may be changed."""
    if isinstance(value, (tuple, list)):
        return type(value)(_apart(each, owners) for each in value)
    if isinstance(value, np.ndarray):
        owner = value
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if id(owner) in owners:
            return value.copy(order="K")
        owners.add(id(owner))
    return value


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))


def _of(whose: str, error: Exception) -> Exception:
    """The same error, saying whose it is: a feature's, or a clip's."""
    if isinstance(error, LibrosaError):
        named = type(error)(f"{whose}: {error}")
        vars(named).update(vars(error))
        named.__cause__ = error
        return named
    error.add_note(f"in {whose}")
    return error


def _cut(clips: Any, lengths: Any) -> Iterable[Any]:
    """The clips of a padded array, each cut to its own length."""
    if isinstance(clips, str):
        raise ParameterError("clips", clips, "arrays of audio, not a name")
    if _args.on_device(clips) or not isinstance(clips, Iterable):
        hint = ": call the Extractor itself with a batch that is on a device" if _args.on_device(clips) else ""
        raise ParameterError("clips", TypeOf(clips), "arrays of audio", hint=hint)
    if isinstance(clips, Mapping):
        raise ParameterError("clips", TypeOf(clips), "arrays of audio: pass list(clips.values())")
    if isinstance(clips, np.ndarray) and clips.ndim == 1:
        raise ParameterError(
            "clips.shape", clips.shape, "(clips, n), or clips a list of arrays: fx(y) takes one clip"
        )
    if lengths is None:
        return clips
    if not isinstance(clips, np.ndarray):
        raise ParameterError("clips", TypeOf(clips), "one padded array where lengths are given")
    counts = np.array(lengths, dtype=object) if isinstance(lengths, (list, tuple)) else np.asarray(lengths)
    is_whole = all(isinstance(each, (int, np.integer)) for each in counts.flat)
    if counts.shape != (len(clips),) or not is_whole:
        rule = f"{len(clips)} integers, one for each clip of a padded array"
        raise ParameterError("lengths", lengths, rule)
    for index, length in enumerate(lengths):
        if not 0 <= length <= clips.shape[-1]:
            raise ParameterError(f"lengths[{index}]", length, f"between 0 and {clips.shape[-1]}")
    return [clip[..., :length] for clip, length in zip(clips, lengths, strict=True)]


def _own(clip: Any) -> Any:
    """A copy of an array, which nobody else can write to."""
    return clip.copy() if isinstance(clip, np.ndarray) else clip


def _portions(clips: Iterable[Any]) -> Iterator[list[Any]]:
    """Lists of clips that are in work together, and stay as they are when the next are asked for."""
    are_all_there = type(clips) in (list, tuple, np.ndarray, np.memmap)  # a subclass may make its clips as it likes
    most_samples = _SAMPLES_OF_A_THREAD * _native.thread_count()
    portion, samples = [], 0
    iterator, end = iter(clips), object()
    while (clip := _native.call_given(next, iterator, end)) is not end:
        portion.append(clip)
        del clip  # so that the list may be all that holds it
        if not (are_all_there or _native.holds_last_alone(portion)):
            portion[-1] = _own(portion[-1])
        size = getattr(portion[-1], "size", 0)
        samples += size if isinstance(size, int) else 0  # what is no array is refused with its index
        if len(portion) >= _CLIPS_AT_ONCE or samples >= most_samples:
            yield portion
            portion, samples = [], 0
    if portion:
        yield portion
