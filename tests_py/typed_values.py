"""Whether values are what an annotation says."""

import collections.abc
import contextlib
import functools
import importlib
import inspect
import types
import typing

import numpy as np
from metalmom.util import _types
from metalmom._extractor.graph_view import Graph
from metalmom.trace._summary import Summary
from metalmom.extraction.reader import Features

__all__ = ["accepted", "fits", "signatures"]

# What modules import for type checkers alone.
_LATE = {"Graph": Graph, "Summary": Summary, "Features": Features}
for _name in ("matplotlib", "scipy"):
    with contextlib.suppress(ImportError):
        _LATE[_name] = importlib.import_module(_name)
for _name in ("matplotlib.collections", "matplotlib.colorbar", "matplotlib.legend", "matplotlib.patheffects",
              "scipy.sparse"):  # fmt: skip
    with contextlib.suppress(ImportError):
        importlib.import_module(_name)

# Types that hold more than their instances: to type checkers an int is a float, and a float a complex.
_MORE = {bool: (bool, np.bool_), float: (int, float), complex: (int, float, complex)}
_METHODS = {_types.Readable: "read", _types.Distribution: "logpdf", _types.DlpackArray: "__dlpack_device__",
            _types.CudaArray: "__cuda_array_interface__"}  # fmt: skip


class Signature(typing.NamedTuple):
    """A definition of a function, or one of its overloads."""

    hints: dict
    returns: object
    required: set


@functools.lru_cache(maxsize=None)
def signatures(function):
    """What type checkers know of a function: its overloads or else itself, for each place of its arrays."""
    function = inspect.unwrap(function)
    found = []
    for definition in typing.get_overloads(function) or [function]:
        hints = typing.get_type_hints(definition, localns=_LATE, include_extras=True)
        parameters = inspect.signature(definition).parameters.values()
        required = {p.name for p in parameters if p.default is p.empty and p.kind is p.KEYWORD_ONLY}
        for name, hint in list(hints.items()):
            if typing.get_origin(hint) is typing.Unpack:  # keywords that several overloads have
                (keywords,) = typing.get_args(hints.pop(name))
                hints |= typing.get_type_hints(keywords, include_extras=True)
                required |= keywords.__required_keys__
        for place in _types.Placed.__constraints__ if _has_places(hints.values()) else [None]:
            placed = {name: _placed(hint, place) for name, hint in hints.items()}
            found.append(Signature(placed, placed.pop("return"), required))
    return found


def _has_places(hints):
    return any(hint is _types.Placed or _has_places(typing.get_args(hint)) for hint in hints)


def _placed(hint, place):
    """A hint with the arrays of its type variable in one place."""
    if hint is _types.Placed:
        return place
    if typing.get_origin(hint) is typing.Annotated:
        return _placed(typing.get_args(hint)[0], place)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return typing.Union[tuple(_placed(each, place) for each in typing.get_args(hint))]
    if typing.get_origin(hint) is tuple:
        return typing.get_origin(hint)[tuple(_placed(each, place) for each in typing.get_args(hint))]
    return hint


def _scalar_types(hint):
    """The NumPy scalar types that the inside of ``np.dtype[...]`` names."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(kind for each in typing.get_args(hint) for kind in _scalar_types(each))
    if hint is typing.Any or isinstance(hint, typing.TypeVar):
        return (np.generic,)
    return (typing.get_origin(hint) or hint,)


def fits(value, hint):
    """Whether a value is of the type that an annotation names."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if hint in (typing.Any, object):
        return True
    if origin is typing.Annotated:
        return hasattr(value, "toarray") if hint == _types.SparseArray else fits(value, inside[0])
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, each) for each in inside)
    if origin is typing.Literal:
        return any(value == each and type(value) is type(each) for each in inside)
    if origin is np.ndarray:
        (scalar,) = typing.get_args(inside[1])
        return isinstance(value, np.ndarray) and issubclass(value.dtype.type, _scalar_types(scalar))
    if origin is tuple and inside[-1] is not ...:
        return isinstance(value, tuple) and len(value) == len(inside) and all(map(fits, value, inside))
    if origin is collections.abc.Sequence:
        return isinstance(value, (list, tuple, range)) and all(fits(each, inside[0]) for each in value)
    if origin in (tuple, list):
        return isinstance(value, origin) and all(fits(each, inside[0]) for each in value)
    if hint in _METHODS:
        return hasattr(value, _METHODS[hint])
    kind = origin or hint
    return isinstance(value, _MORE.get(kind, kind))


def accepted(function, args, kwargs):
    """The first signature that takes these arguments of a function, or None."""
    parameters = inspect.signature(function).parameters
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    for each in signatures(function):
        taken = all(_takes(each.hints, name, value, parameters[name].kind) for name, value in given.items())
        if taken and each.required <= set(given):
            return each
    return None


def _takes(hints, name, value, kind):
    if name not in hints:
        return False
    if kind is inspect.Parameter.VAR_KEYWORD:
        return all(fits(each, hints[name]) for each in value.values())
    if kind is inspect.Parameter.VAR_POSITIONAL:
        return all(fits(each, hints[name]) for each in value)
    return fits(value, hints[name])
