"""Recipes of features: which functions, with which arguments, fed by what."""

import importlib
import inspect
import json
import math
import os
import pathlib
from collections.abc import Iterable

import numpy as np

from ._boundary import guarded_steps
from ._boundary.nearest import did_you_mean
from .util._checks import is_number
from .util.exceptions import ParameterError

__all__ = ["Feature", "parse", "read", "tables_of"]

# Where functions are searched by name, in this order; "" is the top level.
_MODULES = ("feature", "onset", "beat", "", "effects", "decompose")

# Functions that pass **kwargs on, and to which function: its parameters are parameters of both.
_FORWARDS = {
    "chroma_stft": "filters.chroma",
    "estimate_tuning": "piptrack",
    "melspectrogram": "filters.mel",
    "mfcc": "feature.melspectrogram",
    "onset_detect": "util.peak_pick",
    "onset_strength": "onset.onset_strength_multi",
    "onset_strength_multi": "feature.melspectrogram",
}
# Parameters of those functions that the first one sets itself.
_SET_INSIDE = {"onset_detect": ("axis",)}
# Keywords that functions with **kwargs read themselves.
_OWN_KEYWORDS = {"zero_crossing_rate": ("threshold", "ref_magnitude", "zero_pos", "pad")}

# The argument that a feature `of` another feature passes the other's result to: the first that the
# function has.
_FED = ("onset_envelope", "S", "data", "M", "x")

# The names that recipes have for functions as arguments.
_FUNCTIONS = {name: getattr(np, name) for name in ("max", "mean", "median", "min", "std", "sum")}

# The names that recipes have for numbers that JSON does not have.
_NUMBERS = {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": math.nan}


def _package(module):
    return importlib.import_module(f"metalmom.{module}".rstrip("."))


def _known_functions():
    return {
        name
        for module in _MODULES
        for name in _package(module).__all__
        if _starting_parameter(getattr(_package(module), name, None))
    }


def _starting_parameter(function):
    """The parameter by which a function gets audio; None if it has none."""
    if not inspect.isfunction(function):
        return None
    parameters = inspect.signature(function).parameters
    return "y" if "y" in parameters else None


def find_function(spec):
    """The function that a recipe names (``mfcc`` or ``feature.mfcc``), and its full name."""
    if not isinstance(spec, str):
        raise ParameterError(f"feature={spec!r} must be the name of a function")
    module, _, name = spec.rpartition(".")
    modules = (module,) if module else _MODULES
    for each in modules:
        try:
            function = getattr(_package(each), name)
        except (ImportError, AttributeError):
            continue
        if inspect.isfunction(function):
            return function, f"{each}.{name}".lstrip(".")
    raise ParameterError(
        f"feature={spec!r} must be a function of metalmom{did_you_mean(name, _known_functions())}"
    )


def parameters_of(function):
    """Every keyword that a function takes, with its default: those it hands on included."""
    known = {}
    open_ended = False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            open_ended = True
        else:
            known[name] = parameter.default
    name = function.__name__
    if open_ended and name in _FORWARDS:
        target, _ = find_function(_FORWARDS[name])
        given = {k: v for k, v in parameters_of(target).items() if k not in _SET_INSIDE.get(name, ())}
        known = {**given, **known}
    for own in _OWN_KEYWORDS.get(name, ()):
        known.setdefault(own, inspect.Parameter.empty)
    return known


class Feature:
    """One feature of a recipe, resolved.

    Attributes
    ----------
    name : str
        Its name in the recipe and in results.
    function, path
        What computes it, and that function's full name.
    arguments : dict
        Keywords that differ from the function's defaults.
    of : dict of str to str
        Parameters that are other features' results, by their names; empty for features of audio.
    """

    def __init__(self, name, spec, defaults):
        spec = dict(spec or {})
        self.name = name
        self.function, self.path = find_function(spec.pop("feature", name))
        known = parameters_of(self.function)
        self.of = self._sources(spec.pop("of", None), known)
        self.arguments = {key: value for key, value in defaults.items() if key in known}
        for key, value in spec.items():
            if key not in known:
                raise ParameterError(
                    f"features.{name}: {key}={value!r} is no parameter of {self.path}"
                    + did_you_mean(key, known)
                )
            if key in self.of or (key == "y" and not self.of):
                raise ParameterError(f"features.{name}: {key} is what the Extractor is called with")
            self.arguments[key] = value
        window = self.arguments.get("window")
        if isinstance(window, list) and window and isinstance(window[0], str):
            self.arguments["window"] = tuple(window)  # ("kaiser", 4.0), which files have as a list
        self.arguments = {key: _number_of_word(value) for key, value in self.arguments.items()}
        self._name_functions(known)

    def _sources(self, of, known):
        if of is None:
            if "y" not in known:
                raise ParameterError(
                    f"features.{self.name}: {self.path} does not start from audio: say of which "
                    "feature it is, with of='NAME'"
                )
            return {}
        if isinstance(of, dict):
            return dict(of)
        parameters = [p for p in _FED if p in known] or list(known)
        return {parameters[0]: of}

    def _name_functions(self, known):
        """Functions may be written by their names where the default is a function or None."""
        for key, value in self.arguments.items():
            if isinstance(value, str) and key in ("aggregate", "ref"):
                if value not in _FUNCTIONS:
                    raise ParameterError(
                        f"features.{self.name}: {key}={value!r} must be one of "
                        f"{', '.join(_FUNCTIONS)}"
                    )
                self.arguments[key] = _FUNCTIONS[value]

    def start(self, **values):
        """The steps of a call on audio, or on what it is made of."""
        return guarded_steps(self.function, **values, **self.arguments)

    def spelled_out(self):
        """The feature as a recipe with every parameter, in values that JSON and TOML have."""
        spelled = {"feature": self.path}
        if self.of:
            spelled["of"] = dict(self.of)
        known = parameters_of(self.function)
        fed = {"y", *self.of}
        for key, default in {**known, **self.arguments}.items():
            value = self.arguments.get(key, default)
            if key in fed or value is inspect.Parameter.empty:
                continue
            if value is None and known[key] is None:
                continue
            spelled[key] = _plain(value)
        return spelled


def _number_of_word(value):
    """A value of a recipe, where numbers that JSON does not have are words."""
    if isinstance(value, list):
        return [_number_of_word(each) for each in value]
    return _NUMBERS.get(value, value) if isinstance(value, str) else value


def has_name(function):
    """Whether recipes have a name for a function."""
    return any(known is function for known in _FUNCTIONS.values())


def _plain(value):
    if callable(value):
        names = (name for name, function in _FUNCTIONS.items() if function is value)
        return next(names, None) or getattr(value, "__name__", repr(value))
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def tables_of(features):
    """Name -> its table of arguments, of features given in any of the ways."""
    if isinstance(features, str):
        features = [features]
    if not isinstance(features, (dict, Iterable)):
        raise ParameterError(f"features={features!r} must be names of features, or a table of them")
    names = list(features)
    for name in names:
        if not isinstance(name, str):
            raise ParameterError(f"features={name!r} must be names of features")
    if len(set(names)) < len(names):
        raise ParameterError(f"features={names} must not name a feature twice")
    if not names:
        raise ParameterError("features={} must name at least one feature")
    return features if isinstance(features, dict) else dict.fromkeys(names)


def parse(features, defaults):
    """Features in an order in which each comes after what it is made of."""
    sr = defaults.get("sr", 1)
    if not is_number(sr) or not 0 < sr < math.inf:
        raise ParameterError(f"sr={sr!r} must be a positive number")
    parsed = {}
    for name, spec in tables_of(features).items():
        if not (spec is None or isinstance(spec, dict)):
            raise ParameterError(f"features.{name}={spec!r} must be a table of arguments")
        parsed[name] = Feature(name, spec, defaults)
    known = set().union(*(parameters_of(each.function) for each in parsed.values()))
    for key, value in defaults.items():
        if key not in known:
            raise ParameterError(
                f"{key}={value!r} is a parameter of none of the features"
                + (did_you_mean(key, known - {"S", "y"}) or ": leave it out")
            )
    return _ordered(parsed)


def _ordered(parsed):
    done = {}
    waiting = dict(parsed)
    while waiting:
        ready = [n for n, each in waiting.items() if all(s in done for s in each.of.values())]
        for name, each in waiting.items():
            for source in each.of.values():
                if source not in parsed:
                    raise ParameterError(
                        f"features.{name}: of={source!r} must be a feature of the recipe"
                        + did_you_mean(source, parsed)
                    )
        if not ready:
            raise ParameterError(f"features.{next(iter(waiting))}: of must not lead back to itself")
        for name in ready:
            done[name] = waiting.pop(name)
    return list(done.values())


def read(source):
    """A recipe as a dict of the caller's own, from a dict, or from a .toml or .json file."""
    recipe = source if isinstance(source, dict) else _read_file(source)
    if not isinstance(recipe, dict):
        raise ParameterError(f"recipe={recipe!r} must be a table")
    defaults = recipe.get("defaults", {})
    if not isinstance(defaults, dict):
        raise ParameterError(f"recipe: defaults={defaults!r} must be a table")
    return dict(recipe)


def _read_file(source):
    if not isinstance(source, (str, os.PathLike)):
        raise ParameterError(f"recipe={source!r} must be a table, or a .toml or .json file")
    path = pathlib.Path(source)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ParameterError(f"recipe={str(path)!r} must be a file: {error.strerror}") from error
    try:
        text = content.decode()
        if path.suffix == ".json":
            return json.loads(text)
        import tomllib

        return tomllib.loads(text)
    except ValueError as error:
        raise ParameterError(f"recipe={str(path)!r} must be a .toml or .json file: {error}") from error
