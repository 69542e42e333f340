"""The rules of a function's parameters, as its signature says them.

Inline annotations are the one declaration of what an argument may be: type checkers read their types,
and errors are explained by the rules that stand beside them (`_rules`).
"""

import dataclasses
import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._keywords import taken
from ._rules import ANYTHING, Rule, either, of_type, one_of
from ._types import Deprecated

__all__ = ["hints_of", "rule_of", "rules"]


@functools.lru_cache(maxsize=None)
def rules(function: Any) -> dict[str, Rule]:
    """A dict from each parameter's name to the rule of what it may be, as far as that is said.

    What `function` hands to another by ``**kwargs`` is in it as that one says it. Of a class these are
    the parameters of its constructor.
    """
    names, of, but = taken(function)
    said = {name: rule for name, rule in (rules(of) if of else {}).items() if name not in but}
    hints = hints_of(function.__init__ if inspect.isclass(function) else function)
    for name, parameter in inspect.signature(function).parameters.items():
        rule = rule_of(hints.get(name, Any), parameter.default)
        if parameter.kind is parameter.VAR_KEYWORD:
            said.update(dict.fromkeys(names, rule or ANYTHING))
        elif rule is not None:
            said[name] = rule
    return said


def _has_arrays(hint: Any) -> bool:
    """Whether a type is NumPy's array, or may be."""
    members = (hint.__origin__,) if typing.get_origin(hint) is typing.Annotated else _members(hint)
    return any(map(_has_arrays, members)) if members else typing.get_origin(hint) is np.ndarray


def _members(hint: Any) -> tuple[Any, ...]:
    """The types of a union, or of a type variable that stands for several."""
    if isinstance(hint, typing.TypeVar):
        return hint.__constraints__
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else ()


def hints_of(function: Callable[..., Any], include_extras: bool = True) -> dict[str, Any]:
    """The annotations of the parameters; that of the result may name what is imported late, or missing."""
    function = inspect.unwrap(function)
    annotations = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    parameters = types.SimpleNamespace(__annotations__=annotations)
    return typing.get_type_hints(parameters, function.__globals__, include_extras=include_extras)


def rule_of(hint: Any, default: Any = inspect.Parameter.empty) -> Rule | None:
    """The rule of an annotation; None where it allows anything. That a default may be given goes without saying."""
    members = list(_flat(hint))
    if default is None:
        members = [each for each in members if each is not types.NoneType]
    if not members or Any in members:
        return None
    return either(*map(_of_one, members))


def _flat(hint: Any) -> Iterator[Any]:
    """The types of a union, and of unions in it."""
    if members := _members(hint):
        for each in members:
            if each is not Deprecated:
                yield from _flat(each)
    else:
        yield hint


def _of_one(hint: Any) -> Rule:
    """The rule of a type that is not a union."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return dataclasses.replace(hint.__metadata__[-1], is_array=_has_arrays(hint))
    if origin is typing.Literal:
        return one_of(*inside)
    items = inside[0] if inside and inside[1:] in ((), (...,)) else Any
    return of_type(origin or hint, rule_of(items))
