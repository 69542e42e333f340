"""What recipes can name: ``metalmom extract --list-features`` and ``--describe``."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any, TYPE_CHECKING

from ..util._signatures import rules
from .._extractor import _recipe

if TYPE_CHECKING:
    from ..extraction.schema import Schema
    from collections.abc import Callable, Iterator, Sequence
from ..util._keywords import parameters_of

__all__ = ["columns", "describe", "groups", "list_features", "required_of"]

_OF_ANOTHER = "of another feature, as in -f 'change: delta of=mfcc'"

# What comes from the files, from the recipe as a whole, or makes no difference in tables.
_NOT_SHOWN = ("y", "S", "sr", "out")
_INDENT, _WIDTH = 26, 100


def groups() -> dict[str, list[str]]:
    """Names of the features that are listed, by what is said above them."""
    listed = {path: "y" in parameters_of(function)  # whether it is of audio
              for path, function in sorted(_recipe.features().items()) if function.declared.listed}  # fmt: skip
    modules = {path.rpartition(".")[0] for path, of_audio in listed.items() if of_audio}
    ordered = sorted(modules, key=_recipe.MODULES.index)
    found: dict[str, list[str]] = {_title(module): [] for module in ordered}
    found[_OF_ANOTHER] = []
    for path, of_audio in listed.items():
        module, _, name = path.rpartition(".")
        found[_title(module) if of_audio else _OF_ANOTHER].append(name if module in modules else path)
    return found


def _title(module: str) -> str:
    return f"metalmom.{module}" if module else "metalmom, transforms and pitch"


def list_features() -> int:
    """Print every feature that a recipe can name, by module: what it is, and its parameters."""
    for title, names in groups().items():
        print(f"{title}\n")
        for name in names:
            function, _ = _recipe.find_function(name)
            what, *more = textwrap.wrap(_purpose(function), _WIDTH - _INDENT) or [""]
            print(f"  {name:{_INDENT - 3}} {what}".rstrip())
            for line in [*more, *textwrap.wrap(", ".join(_parameters(function)), _WIDTH - _INDENT)]:
                print(" " * _INDENT + line)
        print()
    return 0


def _purpose(function: Callable[..., Any]) -> str:
    """What a function is, in a sentence; nothing where Python was told to keep no docstrings."""
    return " ".join((function.__doc__ or "").partition("\n\n")[0].split())


def _parameters(function: Callable[..., Any]) -> Iterator[str]:
    """Parameters of a recipe as texts: those that must be given (``fmin=...``), the function's, what it hands on."""
    for name in required_of(function):
        yield f"{name}=..."
    known = parameters_of(function)
    own_first = dict.fromkeys([*inspect.signature(function).parameters, *known])
    for name, default in ((name, known[name]) for name in own_first if name in known):
        if name not in _NOT_SHOWN and name not in _recipe._INPUTS and default is not inspect.Parameter.empty:
            yield f"{name}={getattr(default, '__name__', None) or repr(default)}"


def required_of(function: Callable[..., Any]) -> list[str]:
    """Parameters without which a feature cannot be computed."""
    parameters = inspect.signature(function).parameters.values()
    return [each.name for each in parameters
            if each.default is each.empty and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
            and each.name not in _NOT_SHOWN and each.name not in _recipe._INPUTS]  # fmt: skip


def describe(text: str) -> int:
    """Print the parameters and columns of a feature, which is given as ``-f`` takes it."""
    from ..extraction.fingerprint import fingerprint_of
    from ..extraction.recipes import Recipe, feature_of_text
    from ..extraction.schema import Schema

    name, spec = feature_of_text(text)
    function, path = _recipe.find_function(spec["feature"])
    print(": ".join(filter(None, [path, _purpose(function)])))
    parameters, said = list(_parameters(function)), rules(function)
    width = max(map(len, parameters), default=0)
    for parameter in parameters:
        print(f"  {parameter:{width}}  {said.get(parameter.partition('=')[0], '')}".rstrip())
    print()
    missing = [each for each in required_of(function) if each not in spec]
    if missing:
        given = " ".join(f"{each}=..." for each in missing)
        print(f"  its columns: --describe '{text} {given}'")
    elif "y" not in parameters_of(function) and "of" not in spec:
        print(f"  its columns depend on what it is of: --describe '{text} of=mfcc'")
    else:
        source = spec.get("of")
        features: dict[str, Any] = {source: {}} if isinstance(source, str) else {}
        recipe = Recipe({"features": {**features, name.rpartition(".")[2]: spec}})
        schema = Schema.of(recipe)
        fingerprint_of(recipe, schema)  # which refuses arguments that cannot be computed
        columns(schema)
    return 0


def columns(schema: Schema, statistics: Sequence[str] = ()) -> None:
    """Print the columns of a schema, by part; of frames those of their statistics, where there are such."""
    for part in schema.parts:
        names = part.aggregates(statistics) or part.columns
        span = names[0] if len(names) == 1 else f"{names[0]} ... {names[-1]}"
        unit = f", {part.unit}" if part.unit else ""
        print(f"  {part.table or 'files'}: {span} ({part.dtype}{unit})")
