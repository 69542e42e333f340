"""Recipes of features: which functions, with which arguments, fed by what."""

from __future__ import annotations

import inspect
import json
import math
import numbers
import os
import pathlib
import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..util._evaluate import Root
from ..util._checks import is_number
from ..util._keywords import module_of, parameters_of
from ..util._wording import did_you_mean
from ..util.exceptions import ParameterError, Shown, shown

__all__ = ["Feature", "parse", "read", "tables_of"]

# Where features are searched by name, in this order; "" is the top level.
MODULES = ("feature", "onset", "beat", "", "effects", "decompose", "frontend")

# What a recipe may hold, which is somebody else's perhaps: all else is refused before it is looked at.
_MOST_VALUES = 1 << 20
_MOST_LISTS = 8  # one within another
_MOST_LETTERS = 1000
_LARGEST = 1 << 53  # to which every integer is a floating-point number, too

# What functions are made of beside audio. A feature `of` another feature passes the other's result to
# the first of these that its function has, else to the function's first argument.
_INPUTS = ("onset_envelope", "S", "C", "V", "chroma", "tg", "data", "M", "x")

# The names that recipes have for functions as arguments.
_FUNCTIONS = {name: getattr(np, name) for name in ("max", "mean", "median", "min", "std", "sum")}

# The names that recipes have for numbers that JSON does not have.
_NUMBERS = {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": math.nan}


def _public(path: str) -> Any:
    """What a path of public names leads to; None where one of them is not public."""
    found: Any = module_of("")
    for name in path.split(".") if path else ():
        if name not in getattr(found, "__all__", ()):
            return None
        found = vars(found).get(name)
    return found


def is_feature(function: object) -> bool:
    """Whether a function is declared a feature (`as_feature`)."""
    return inspect.isfunction(function) and hasattr(function, "declared")


def public_functions() -> dict[str, Any]:
    """Every public function by its full name, the shortest there is."""
    found: dict[Any, str] = {}
    modules = [""]
    for module in modules:  # which grows
        for name in _public(module).__all__:
            path = f"{module}.{name}" if module else name
            value = _public(path)
            if inspect.ismodule(value):
                modules.append(path)
            elif inspect.isfunction(value):
                found.setdefault(value, path)
    return {path: function for function, path in found.items()}


def features() -> dict[str, Any]:
    """Every feature by its full name."""
    return {path: function for path, function in public_functions().items() if is_feature(function)}


def find_function(spec: Any) -> tuple[Any, str]:
    """The feature that a recipe names (``mfcc`` or ``feature.mfcc``): its function, and its full name."""
    if not isinstance(spec, str):
        raise ParameterError("feature", spec, "the name of a feature")
    for module in MODULES if "." not in spec else ("",):
        path = f"{module}.{spec}" if module else spec
        function = _public(path)
        if is_feature(function):
            return function, path
    known = {path.rpartition(".")[2] for path in features()}
    name, *words = spec.split() or [""]
    if name in known and words and all("=" in word for word in words):
        arguments = ", ".join('"{}": {}'.format(*word.split("=", 1)) for word in words)
        raise ParameterError(
            "feature", spec, f'a name; arguments are given so: {{"{name}": {{{arguments}}}}}'
        )
    near = did_you_mean(spec.rpartition(".")[2], known)
    raise ParameterError("feature", spec, "a feature of metalmom", hint=near)


class Feature(Root):
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

    def __init__(self, name: str, spec: dict[str, Any] | None, defaults: dict[str, Any]) -> None:
        spec = dict(spec or {})
        function, self.path = find_function(spec.pop("feature", name))
        super().__init__(name, function)
        known = parameters_of(self.function)
        self.of = self._sources(spec.pop("of", None), known)
        self.arguments = {key: value for key, value in defaults.items() if key in known}
        for key, value in spec.items():
            if key not in known:
                raise ParameterError(
                    f"features.{name}: {key}", value, f"not a parameter of {self.path}",
                    verb="is", hint=did_you_mean(key, known),
                )
            _refuse_made(f"features.{name}: ", key, value, self.of)
            self.arguments[key] = value
        window = self.arguments.get("window")
        if isinstance(window, list) and window and isinstance(window[0], str):
            self.arguments["window"] = tuple(window)  # ("kaiser", 4.0), which files have as a list
        self.arguments = {key: _number_of_word(value) for key, value in self.arguments.items()}
        for key, parameter in inspect.signature(self.function).parameters.items():
            is_open = parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
            if is_open and key not in {*self.arguments, *(self.of or ("y",))}:
                raise ParameterError(f"features.{name}: {key}", rule=f"given: {self.path} has no default for it")
        self._name_functions(known)

    def __str__(self) -> str:
        """The call that computes it, without audio."""
        given = [*self.of.items(), *((key, reprlib.repr(value)) for key, value in self.arguments.items())]
        return f"{self.path}({', '.join(f'{key}={value}' for key, value in given)})"

    def _sources(self, of: Any, known: dict[str, Any]) -> dict[str, str]:
        if of is None:
            if "y" not in known:
                raise ParameterError(
                    f"features.{self.name}: {self.path} does not start from audio: say of which "
                    "feature it is, with of='NAME'"
                )
            return {}
        own = inspect.signature(self.function).parameters
        first = next((name for name in _INPUTS if name in own), next(iter(own)))
        sources = of if isinstance(of, dict) else {first: of}
        if not sources:
            raise ParameterError(f"features.{self.name}: of", of, "name a feature", verb="must")
        for key, source in sources.items():
            if key not in known:
                raise ParameterError(
                    f"features.{self.name}: of={shown(of)}: {key}",
                    rule=f"not a parameter of {self.path}", verb="is", hint=did_you_mean(key, known),
                )
            if not isinstance(source, str):
                raise ParameterError(f"features.{self.name}: of", source, "a feature of the recipe")
        return dict(sources)

    def _name_functions(self, known: dict[str, Any]) -> None:
        """Functions may be written by their names where the default is a function or None."""
        for key, value in self.arguments.items():
            if isinstance(value, str) and key in ("aggregate", "ref"):
                if value not in _FUNCTIONS:
                    raise ParameterError(
                        f"features.{self.name}: {key}", value, f"one of {', '.join(_FUNCTIONS)}"
                    )
                self.arguments[key] = _FUNCTIONS[value]

    def spelled_out(self) -> dict[str, Any]:
        """The feature as a recipe with every parameter, in values that JSON and TOML have."""
        spelled: dict[str, Any] = {"feature": self.path}
        if self.of:
            spelled["of"] = dict(self.of)
        known = parameters_of(self.function)
        said = {"y", *self.of, *spelled}
        for key, value in self.every_argument.items():
            if key not in said and not (value is None and known[key] is None):
                spelled[key] = _plain(value)
        return spelled

    @property
    def every_argument(self) -> dict[str, Any]:
        """Its arguments with those that are left to their defaults."""
        every = {**parameters_of(self.function), **self.arguments}
        return {key: value for key, value in every.items() if value is not inspect.Parameter.empty}


def _refuse_made(place: str, key: str, value: object, of: Iterable[str] = ()) -> None:
    """Refuse what is no setting: inputs, and arrays that all calls would write their results into."""
    if value is None:
        return
    if key == "out":
        raise ParameterError(
            f"{place}out", rule="given: each call has results of its own", verb="must not be"
        )
    if key in ("y", *_INPUTS, *of):
        raise ParameterError(
            f"{place}{key}",
            rule="given: it is what the Extractor is called with, or another feature, by of='NAME'",
            verb="must not be",
        )


def _number_of_word(value: Any) -> Any:
    """A value of a recipe, where numbers that JSON does not have are words."""
    if isinstance(value, list):
        return [_number_of_word(each) for each in value]
    return _NUMBERS.get(value, value) if isinstance(value, str) else value


def _has_name(function: object) -> bool:
    """Whether recipes have a name for a function."""
    return any(known is function for known in _FUNCTIONS.values())


def _is_value(value: object) -> bool:
    """Whether recipes may hold something that is no list: numbers, words, arrays and types of numbers."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufc"
    if isinstance(value, type):
        return issubclass(value, (np.number, np.bool_, bool, int, float, complex))
    return value is None or isinstance(value, (numbers.Number, np.bool_, str, np.dtype)) or _has_name(value)


def _require_value(place: str, value: Any) -> int:
    """Refuse a value that no recipe can hold; answers how many it is, with those within it."""
    waiting, count = [(value, 0)], 0
    while waiting:
        each, depth = waiting.pop()
        count += each.size if isinstance(each, np.ndarray) else 1
        if isinstance(each, (list, tuple)):
            if depth == _MOST_LISTS:
                raise ParameterError(place, Shown("[[...]]"), f"lists within at most {_MOST_LISTS} others")
            waiting += [(one, depth + 1) for one in each]
        elif not _is_value(each):
            no = "a recipe holds no functions" if callable(each) else "a number, a word, an array, or a list of them"
            raise ParameterError(place, each, f"a value: {no}")
        elif isinstance(each, str) and len(each) > _MOST_LETTERS:
            raise ParameterError(place, each, f"at most {_MOST_LETTERS} letters")
        elif isinstance(each, int) and abs(each) > _LARGEST:
            raise ParameterError(place, each, "between -2**53 and 2**53")
        if count + len(waiting) > _MOST_VALUES:
            break
    return count + len(waiting)


def _require_data(recipe: dict[str, Any]) -> None:
    """Refuse what no recipe can hold: it may be somebody else's, and come from anywhere."""
    given = recipe.get("features")
    tables = given if isinstance(given, dict) else {}
    count = len(given) if isinstance(given, (dict, list, tuple)) else 0
    places = {"defaults": recipe.get("defaults", {}), **{f"features.{name}": tables[name] for name in tables}}
    for place, table in places.items():
        for key, value in table.items() if isinstance(table, dict) else ():
            of_several = key == "of" and isinstance(value, dict)
            count += _require_value(f"{place}: {key}", list(value.values()) if of_several else value)
        if count > _MOST_VALUES:
            break
    if count > _MOST_VALUES:
        raise ParameterError("recipe", rule=f"hold at most {_MOST_VALUES} values", verb="must")


def _plain(value: Any) -> Any:
    if callable(value):
        names = (name for name, function in _FUNCTIONS.items() if function is value)
        return next(names, None) or getattr(value, "__name__", repr(value))
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def tables_of(features: Any) -> dict[str, Any]:
    """Name -> its table of arguments, of features given in any of the ways."""
    if isinstance(features, str):
        features = [features]
    if not isinstance(features, (dict, Iterable)):
        raise ParameterError("features", features, "names of features, or a table of them")
    names = list(features)
    for name in names:
        if not isinstance(name, str):
            raise ParameterError("features", name, "names of features")
    if len(set(names)) < len(names):
        raise ParameterError("features", names, "not name a feature twice", verb="must")
    if not names:
        raise ParameterError("features", features, "name at least one feature", verb="must")
    return features if isinstance(features, dict) else dict.fromkeys(names)


def parse(features: Any, defaults: dict[str, Any]) -> list[Feature]:
    """Features in an order in which each comes after what it is made of."""
    sr = defaults.get("sr", 1)
    if not is_number(sr) or not 0 < sr < math.inf:
        raise ParameterError("sr", sr, "a positive number")
    parsed = {}
    for name, spec in tables_of(features).items():
        if not (spec is None or isinstance(spec, dict)):
            raise ParameterError(f"features.{name}", spec, "a table (dict) of arguments")
        parsed[name] = Feature(name, spec, defaults)
    known = set().union(*(parameters_of(each.function) for each in parsed.values()))
    for key, value in defaults.items():
        if key not in known:
            raise ParameterError(
                key, value,
                "not a parameter of any feature",
                verb="is", hint=did_you_mean(key, known - {"y", *_INPUTS}) or ": leave it out",
            )
        _refuse_made("", key, value)
    return _ordered(parsed)


def _ordered(parsed: dict[str, Feature]) -> list[Feature]:
    done = {}
    waiting = dict(parsed)
    for name, each in parsed.items():
        given = [parsed[source].function.declared.returns for source in each.of.values() if source in parsed]
        if any(getattr(returns, "axis", -1) != -1 for returns in given):
            raise ParameterError(f"features.{name}: of", each.of, "a feature whose last axis is frames")
    while waiting:
        ready = [n for n, each in waiting.items() if all(s in done for s in each.of.values())]
        for name, each in waiting.items():
            for source in each.of.values():
                if source not in parsed:
                    raise ParameterError(
                        f"features.{name}: of", source, "a feature of the recipe",
                        hint=did_you_mean(source, parsed),
                    )
        if not ready:
            raise ParameterError(f"features.{next(iter(waiting))}: of must not lead back to itself")
        for name in ready:
            done[name] = waiting.pop(name)
    return list(done.values())


def read(source: Any) -> dict[str, Any]:
    """A recipe as a dict of the caller's own, from a dict, or from a .toml or .json file."""
    recipe = source if isinstance(source, dict) else _read_file(source)
    if not isinstance(recipe, dict):
        raise ParameterError("recipe", recipe, "a table")
    defaults = recipe.get("defaults", {})
    if not isinstance(defaults, dict):
        raise ParameterError("recipe: defaults", defaults, "a table")
    _require_data(recipe)
    return dict(recipe)


def _read_file(source: Any) -> Any:
    if not isinstance(source, (str, os.PathLike)):
        raise ParameterError("recipe", source, "a table, or a .toml or .json file")
    path = pathlib.Path(source)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ParameterError("recipe", str(path), f"a file: {error.strerror}") from error
    try:
        text = content.decode()
        if path.suffix == ".json":
            return json.loads(text)
        import tomllib

        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParameterError("recipe", str(path), f"a .toml or .json file: {error}") from error
