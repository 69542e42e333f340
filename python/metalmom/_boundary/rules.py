"""What the signature of a function says of its parameters, in words.

Inline annotations are the one declaration of what an argument may be: type checkers read their types,
and errors are explained by the words that stand beside them (`util._types`).
"""

import collections.abc
import functools
import inspect
import re
import types
import typing

import numpy as np

from ..util._keywords import function_named
from ..util.deprecation import Deprecated

__all__ = ["arrays", "rules", "words"]

# Types that an error calls otherwise than Python does.
_CALLED = {
    types.NoneType: "None",
    collections.abc.Callable: "callable",
    collections.abc.Iterable: "iterable",
    collections.abc.Mapping: "dict",
    collections.abc.Sequence: "sequence",
}

_OUTSIDE = re.compile(r"[(\[{].*[)\]}]")


@functools.lru_cache(maxsize=None)
def rules(function):
    """A dict from each parameter's name to what it may be, in words, as far as that is said.

    What `function` hands to another by ``**kwargs`` is in it as that one says it. Of a class these are
    the parameters of its constructor.
    """
    names, of, but = getattr(function, "takes", ((), None, ()))
    said = {}
    if of is not None:
        theirs = rules(function_named(of))
        said.update({name: rule for name, rule in theirs.items() if name not in but})
    hints = _hints(function.__init__ if inspect.isclass(function) else function)
    for name, parameter in inspect.signature(function).parameters.items():
        rule = words(hints.get(name, typing.Any), parameter.default)
        if parameter.kind is parameter.VAR_KEYWORD:
            said.update(dict.fromkeys(names, rule or "object"))
        elif rule is not None:
            said[name] = rule
    return said


@functools.lru_cache(maxsize=None)
def arrays(function):
    """The parameters that are declared to be arrays of NumPy, or may be; those of ``**kwargs``, too."""
    _, of, but = getattr(function, "takes", ((), None, ()))
    theirs = set() if of is None else arrays(function_named(of)) - set(but)
    return theirs | {name for name, hint in _hints(function).items() if _is_array(hint)}


def _is_array(hint):
    members = (hint.__origin__,) if typing.get_origin(hint) is typing.Annotated else _members(hint)
    return any(map(_is_array, members)) if members else typing.get_origin(hint) is np.ndarray


def _members(hint):
    """The types of a union, or of a type variable that stands for several."""
    if isinstance(hint, typing.TypeVar):
        return hint.__constraints__
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else ()


def _hints(function):
    """The annotations of the parameters; that of the result may name what is imported late, or missing."""
    function = inspect.unwrap(function)
    annotations = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    parameters = types.SimpleNamespace(__annotations__=annotations)
    return typing.get_type_hints(parameters, function.__globals__, include_extras=True)


def words(hint, default=inspect.Parameter.empty):
    """An annotation in words; None where it allows anything. That a default may be given goes without saying."""
    each = [word for word in _alternatives(hint) if not (word == "None" and default is None)]
    if not each or None in each:
        return None
    *first, last = each
    comma = "," if any("," in _OUTSIDE.sub("", word) for word in each) else ""
    return f"{', '.join(first)}{comma} or {last}" if first else last


def _alternatives(hint):
    """The words for each type of a union; None for one that allows anything."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if hint is typing.Any:
        return [None]
    if members := _members(hint):
        return [word for each in members if each is not Deprecated for word in _alternatives(each)]
    if origin is typing.Annotated:
        return [hint.__metadata__[-1]]  # the narrowest
    if origin is typing.Literal:
        text = ", ".join(f'"{each}"' if isinstance(each, str) else repr(each) for each in inside)
        return [f"{{{text}}}" if len(inside) > 1 else text]
    return [_of_items(_name(origin or hint), inside)]


def _name(kind):
    if kind in _CALLED:
        return _CALLED[kind]
    module = {"builtins": "", "numpy": "np.", "os": "os.", "numpy.random._generator": "np.random.",
              "numpy.random.mtrand": "np.random."}  # fmt: skip
    return module.get(kind.__module__, "") + kind.__name__


def _of_items(kind, inside):
    """A container with what is in it, where that is one thing."""
    items = inside[0] if inside and inside[1:] in ((), (...,)) else None
    is_named = kind in ("list", "tuple", "sequence", "iterable") and items not in (None, typing.Any)
    return f"{kind} of {words(items)}" if is_named else kind
