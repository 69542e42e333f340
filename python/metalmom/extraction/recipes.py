"""What is to be computed, from options, dicts and files, as one dict that spells everything out."""

from __future__ import annotations

import ast
import contextlib
import json
import math
import os
import re
from collections.abc import Iterable
from typing import Any

from .. import _native
from .._extractor import _recipe
from .._extractor.extractor import Extractor
from ..util._keywords import parameters_of
from ..util._wording import names_in
from ..util.exceptions import ParameterError
from . import strict_json
from .options import STATISTICS

_DEFAULT_RATE = int(_native.defaults["sr"])


class Recipe:
    """A recipe of tables.

    Parameters
    ----------
    source : dict, str or os.PathLike
        A recipe as `Extractor.from_recipe` takes it, or a file that holds one. It may be anybody's:
        it names features alone, and holds numbers, words and arrays.

    Attributes
    ----------
    sr : number
        The rate to which audio is resampled; where the source says none, that of the functions' own defaults.
    extractor : Extractor
    aggregate : list of str
        Statistics over the frames of a file; empty for tables of frames.
    """

    def __init__(self, source: dict[str, Any] | str | os.PathLike[str]) -> None:
        recipe = _recipe.read(source)
        is_said = "sr" in {**recipe, **recipe.get("defaults", {})}
        self.sr: float = recipe.pop("sr", recipe.get("defaults", {}).get("sr", _DEFAULT_RATE))
        if isinstance(self.sr, bool) or not isinstance(self.sr, (int, float)) or not 0 < self.sr < math.inf:
            raise ParameterError("sr", self.sr, "a positive number")
        aggregate = recipe.pop("aggregate", None) or []
        if isinstance(aggregate, dict):
            aggregate = aggregate.get("stats", [])
        self.aggregate = checked_statistics(aggregate)
        recipe["defaults"] = dict(recipe.get("defaults", {}))
        recipe["defaults"].pop("sr", None)
        for key in ("y", "S"):
            if key in recipe["defaults"]:
                raise ParameterError(key, recipe["defaults"][key], "given: it comes from the files",
                                     verb="must not be", argument="recipe")  # fmt: skip
        parsed = Extractor.from_recipe(recipe)
        if not is_said:
            self.sr = _usual_rate(parsed._features)
        if any("sr" in parameters_of(each.function) for each in parsed._features):
            recipe["defaults"]["sr"] = self.sr
            parsed = Extractor.from_recipe(recipe)
        self.extractor = parsed
        _require_names(self.extractor.recipe["features"])
        for name, spec in self.extractor.recipe["features"].items():
            if spec.get("sr", self.sr) != self.sr:
                rule = f"the recipe's rate, {self.sr}, to which all audio is resampled"
                raise ParameterError(f"features.{name}: sr", spec["sr"], rule)

    @property
    def features(self) -> list[_recipe.Feature]:
        """The features, each after what it is made of."""
        return self.extractor._features

    @property
    def spelled(self) -> dict[str, Any]:
        """The recipe with every parameter, in values that strict JSON has."""
        spelled = {"sr": self.sr, **self.extractor.recipe}
        if self.aggregate:
            spelled["aggregate"] = {"stats": list(self.aggregate)}
        return strict_json.plain(spelled)


def _require_names(names: Iterable[str]) -> None:
    """Names of features become names of folders and columns: no paths, and different everywhere."""
    folded: dict[str, str] = {}
    for name in names:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]{0,99}", name):
            rule = "a name of at most 100 letters, digits, '_', '-' and '.', the first one a letter"
            raise ParameterError(f"features.{name!r}", rule=rule)
        other = folded.setdefault(name.lower(), name)
        if other != name:
            raise ParameterError(f"features.{name}", verb="must differ", rule=f"from {other} in more than case")


def _usual_rate(features: Iterable[_recipe.Feature]) -> float:
    """The rate of audio where nobody says one: that of the features' defaults, as front-ends have, if they agree."""
    known = (parameters_of(each.function) for each in features if not each.of)
    rates: set[float] = {parameters["sr"] for parameters in known if "sr" in parameters}
    return rates.pop() if len(rates) == 1 else _DEFAULT_RATE


def checked_statistics(names: Any) -> list[str]:
    """Statistics by name, in the order given, each known and there once."""
    if isinstance(names, str):
        names = names_in(names)
    rule = f"one of {', '.join(STATISTICS)}"
    if not isinstance(names, Iterable):
        raise ParameterError("aggregate", names, f"{rule}, or several")
    chosen = list(names)
    for name in chosen:
        if name not in STATISTICS:
            raise ParameterError("aggregate", name, rule)
    if len(set(chosen)) < len(chosen):
        raise ParameterError("aggregate", chosen, verb="must not name", rule="a statistic twice")
    return chosen


def merge(
    source: dict[str, Any] | str | os.PathLike[str] | None, features: Any, sr: Any, aggregate: Any,
    defaults: dict[str, Any],
) -> dict[str, Any] | None:
    """One recipe of a file or dict, of features that are named beside it, and of settings; None of nothing."""
    if source is None and features is None:
        if sr is None and aggregate is None and not defaults:
            return None
        raise ParameterError("features, or recipe,", verb="must say", rule="what to compute", argument="features")
    recipe = _recipe.read(source) if source is not None else {}
    tables = [_recipe.tables_of(some) for some in (recipe.get("features"), features) if some]
    recipe["features"] = _recipe.tables_of({name: table for some in tables for name, table in some.items()})
    if sr is not None:
        recipe["sr"] = sr
    if aggregate is not None:
        recipe["aggregate"] = {"stats": checked_statistics(aggregate)}
    if defaults:
        recipe["defaults"] = {**recipe.get("defaults", {}), **defaults}
    return recipe


# What spaces end, but not those between quotation marks; a mark that has no other one is a letter.
_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|\S)+""")

# What is written between the parentheses of a call.
_WITH_COMMAS = re.compile(r"""[^"']*=[^"']*,\s*[A-Za-z_]\w*=""")


def feature_of_text(text: str) -> tuple[str, dict[str, Any]]:
    """``"mfcc40: mfcc n_mfcc=40"`` as a name and its table of arguments."""
    name, colon, rest = text.partition(":")
    if not colon:
        name, _, rest = text.strip().partition(" ")
        rest = f"{name} {rest}"
    if _WITH_COMMAS.match(rest):
        raise ParameterError(f"-f {text!r}", verb="must have", rule="spaces, not commas, between arguments")
    words = _WORD.findall(rest)
    name = name.strip()
    if not name or not words or "=" in words[0]:
        raise ParameterError(f"-f {text!r}", rule="like 'mfcc40: mfcc n_mfcc=40'")
    return name, {"feature": words[0], **dict(map(setting_of_text, words[1:]))}


def setting_of_text(text: str, option: str = "-f") -> tuple[str, Any]:
    """``"n_mfcc=40"`` as a name and a value, of JSON or of Python, as --describe shows it; else a text."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ParameterError(f"{option} {text!r}", rule="like n_mfcc=40")
    for read in (json.loads, float, ast.literal_eval):
        with contextlib.suppress(ValueError, SyntaxError):
            return key, read(value)
    return key, value
