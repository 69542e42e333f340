"""Rules: what the value of an argument may be, in the words of errors and as a check.

An annotation carries one, ``Annotated[Array, array("..., n", values="real")]``; `util._types` names those
that many functions share, and `_signatures` reads the rules of a signature.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import operator
import os
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .._native import DeviceArray
from ._checks import is_number

__all__ = [
    "ANYTHING", "Rule", "array", "array_like", "dtype", "either", "integer", "iterable", "method", "number",
    "of_type", "one_of", "pair", "sequence",
]  # fmt: skip

_LARGEST = 2**63  # the largest integer that the engine counts with


def _anything(value: Any) -> bool:
    return True


@dataclasses.dataclass(frozen=True, eq=False)
class Rule:
    """What a value may be; without a check that is only told.

    `article` stands before the words in a sentence, `plural` names several such values, `has_commas` says
    that the words are a list themselves, `counts` that the value is a number, which True is not,
    `is_array` that the type it stands beside has arrays of NumPy, and `converts` that NumPy makes one of it.
    """

    words: str
    accepts: Callable[[Any], bool] = _anything
    article: str = ""
    plural: str = ""
    has_commas: bool = False
    counts: bool = False
    is_array: bool = False
    converts: bool = False

    def __str__(self) -> str:
        return self.words

    def called(self, words: str, *, has_commas: bool = False) -> Rule:
        """The same rule in other words."""
        return dataclasses.replace(self, words=words, has_commas=has_commas)

    def also(self, holds: Callable[[Any], bool], words: str) -> Rule:
        """The rule with a further condition."""
        both = lambda value: self.accepts(value) and holds(value)  # noqa: E731
        return dataclasses.replace(self, words=f"{self}, {words}", accepts=both, has_commas=True)


ANYTHING = Rule("object")


def either(*alternatives: Rule | type) -> Rule:
    """Any of some rules, or types."""
    first, *others = rules = [each if isinstance(each, Rule) else of_type(each) for each in alternatives]
    if not others:
        return first
    comma = "," if any(each.has_commas for each in rules) else ""
    return dataclasses.replace(
        first,
        words=f"{', '.join(map(str, rules[:-1]))}{comma} or {rules[-1]}",
        accepts=lambda value: any(each.accepts(value) for each in rules),
        has_commas=bool(comma) or len(rules) > 2,
        is_array=any(each.is_array for each in rules),
        converts=any(each.converts for each in rules),
    )


def one_of(*choices: Any) -> Rule:
    """Some words or other values, among which may be rules."""

    def accepts(value: Any) -> bool:
        return any(
            each.accepts(value) if isinstance(each, Rule) else _is_equal(value, each) for each in choices
        )

    each = [f'"{each}"' if isinstance(each, str) else str(each) for each in choices]
    return Rule(f"{{{', '.join(each)}}}" if len(each) > 1 else each[0], accepts)


def _is_equal(value: Any, wanted: Any) -> bool:
    if is_number(wanted) and not isinstance(wanted, bool):
        return is_number(value) and bool(value == wanted)
    return type(value) is type(wanted) and value == wanted


def number(
    kind: str = "number", *, above: float | None = None, least: float | None = None,
    below: float | None = None, most: float | None = None,
) -> Rule:
    """A real number within limits; `kind` is how it is called."""
    return _limited(kind, is_number, above, least, below, most)


def integer(
    *, above: int | None = None, least: int | None = None, most: int | str | None = None
) -> Rule:
    """An integer within limits; one that depends on other arguments is given in words, and only told."""
    return _limited("int", _is_integer, above, least, None, most)


def _is_integer(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and abs(int(value)) < _LARGEST


def _limited(
    kind: str, is_kind: Callable[[Any], bool], above: float | None, least: float | None,
    below: float | None, most: float | str | None,
) -> Rule:
    low, high = least if above is None else above, most if below is None else below
    limit = ""
    if high is not None and kind == "int":
        limit = f" in {low} .. {high}"
    elif high is not None:
        limit = f" in {'(' if least is None else '['}{low}, {high}{')' if most is None else ']'}"
    elif low is not None:
        limit = f" > {low}" if least is None else f" >= {low}"
    limits: list[tuple[Callable[[Any, Any], bool], float | str | None]]
    limits = [(operator.gt, above), (operator.ge, least), (operator.lt, below), (operator.le, most)]
    known = [(holds, end) for holds, end in limits if isinstance(end, (int, float))]

    def accepts(value: Any) -> bool:
        return is_kind(value) and all(holds(value, end) for holds, end in known)

    plural = f"numbers{limit}" if kind == "number" else ""
    return Rule(f"{kind}{limit}", accepts, "an" if kind == "int" else "a", plural, counts=kind != "float")


# The kinds of dtypes, as NumPy abbreviates them, of what the values of arrays are called.
_KINDS = {
    **dict.fromkeys(("", "real or complex"), "biufc"),
    **dict.fromkeys(("real", "non-negative", "real and non-negative"), "biuf"),
    **dict.fromkeys(("in [0, 1]", "numbers from 1 to 2"), "biuf"),
    **dict.fromkeys(("real floating-point", "float32 or float64", "float64"), "f"),
    **dict.fromkeys(("floating-point or complex", "float32 or complex64"), "fc"),
    **{"complex": "c", "int": "biu", "bool": "b"},
}


def array(*shapes: str, values: str = "", of: str = "", kind: str = "np.ndarray") -> Rule:
    """An array of NumPy.

    Parameters
    ----------
    *shapes : str
        The sizes of its axes, one of these: ``"n"``, ``"2, n"``, ``"..., n"``. Sizes that are numbers are
        checked, but not beside `...`, where only the count of axes is.
    values, of : str, optional
        What its values are: `values` is told after the shape, `of` before it. With `of`, the array must have
        an axis.
    kind : str
        How it is called.
    """
    all_sizes = [shape.split(", ") for shape in shapes]
    each = [f"({shape}{',' if len(sizes) == 1 and shape != '...' else ''})"
            for shape, sizes in zip(shapes, all_sizes, strict=True)]  # fmt: skip
    words = f"{kind} of {of}" if of else kind
    if shapes:
        *first, last = each
        words += f" [shape={', '.join(first)} or {last}]" if first else f" [shape={last}]"
    kinds = _KINDS[values or of]

    def accepts(value: Any) -> bool:
        held = getattr(getattr(value, "dtype", None), "kind", None)
        if held is None or (held not in kinds and 0 not in value.shape):
            return False
        has_shape = not shapes or any(_has_sizes(value.shape, sizes) for sizes in all_sizes)
        return has_shape and (value.ndim > 0 or not of)

    return Rule(f"{words}, {values}" if values else words, accepts, has_commas=bool(values))


def _has_sizes(shape: tuple[int, ...], sizes: list[str]) -> bool:
    if "..." in sizes:
        return len(shape) >= len(sizes) - sizes.count("...")
    wanted = zip(shape, sizes, strict=False)
    return len(shape) == len(sizes) and all(not size.isdigit() or int(size) == n for n, size in wanted)


def array_like(*shapes: str, values: str = "", of: str = "") -> Rule:
    """What NumPy makes an array of."""
    rule = array(*shapes, values=values, of=of, kind="array_like")

    def accepts(value: Any) -> bool:
        try:
            return rule.accepts(np.asarray(value))
        except Exception:  # what NumPy runs of a value may raise anything
            return False

    return dataclasses.replace(rule, accepts=accepts, converts=True)


def sequence(of: Rule | None = None) -> Rule:
    """Several values in order, each of them of a rule."""
    is_sequence = lambda value: _is_iterable(value) and hasattr(value, "__getitem__")  # noqa: E731
    return dataclasses.replace(_container("sequence", is_sequence, of), article="a")


def iterable(of: Rule | None = None) -> Rule:
    """Several values one after the other, each of them of a rule."""
    return _container("iterable", _is_iterable, of)


def _is_iterable(value: object) -> bool:
    is_one = isinstance(value, bytes) or getattr(value, "ndim", 1) == 0
    return isinstance(value, collections.abc.Iterable) and not is_one


def _container(kind: str, is_kind: Callable[[Any], bool], of: Rule | None) -> Rule:
    def accepts(value: Any) -> bool:
        # a generator is not run
        return is_kind(value) and (of is None or not hasattr(value, "__len__") or all(map(of.accepts, value)))

    words = f"{kind} of {of.plural or of}" if of else kind
    return Rule(words, accepts, has_commas=of is not None and of.has_commas)


def pair(words: str, of: Rule) -> Rule:
    """A value for each of two things."""

    def accepts(value: Any) -> bool:
        return isinstance(value, (tuple, list)) and len(value) == 2 and all(map(of.accepts, value))

    return Rule(words, accepts)


def method(name: str, words: str) -> Rule:
    """Whatever has a method."""
    return Rule(words, lambda value: callable(getattr(value, name, None)))


def dtype(words: str, kinds: str = "biufc", article: str = "") -> Rule:
    """What NumPy reads as a dtype of some kinds."""

    def accepts(value: Any) -> bool:
        try:
            return np.dtype(value).kind in kinds
        except Exception:  # what NumPy runs of a value may raise anything
            return False

    return Rule(words, accepts, article)


def _has_truth(value: Any) -> bool:
    return not hasattr(value, "__len__") or isinstance(value, str) or getattr(value, "ndim", 1) == 0


# What is made of types of which an annotation says no more.
_OF_TYPES: dict[Any, Rule] = {
    types.NoneType: Rule("None", lambda value: value is None),
    object: ANYTHING,
    bool: Rule("bool", _has_truth, "a"),
    int: integer(),
    float: number("float"),
    str: Rule("str", lambda value: isinstance(value, str)),
    bytes: Rule("bytes", lambda value: isinstance(value, (bytes, bytearray, memoryview))),
    np.ndarray: dataclasses.replace(array(), is_array=True),
    os.PathLike: method("__fspath__", "os.PathLike"),
    np.random.Generator: method("integers", "np.random.Generator"),
    np.random.RandomState: method("randint", "np.random.RandomState"),
    DeviceArray: Rule("DeviceArray", lambda value: isinstance(value, DeviceArray)),
    collections.abc.Callable: Rule("callable", callable, "a"),
    collections.abc.Mapping: Rule("dict"),
}
_OF_CONTAINERS: dict[Any, Callable[[Rule | None], Rule]] = {
    list: lambda items: _container("list", lambda value: isinstance(value, list), items),
    tuple: lambda items: _container("tuple", lambda value: isinstance(value, tuple), items),
    collections.abc.Sequence: sequence,
    collections.abc.Iterable: iterable,
}


def of_type(kind: Any, items: Rule | None = None) -> Rule:
    """The rule of a bare type; `items` is that of what a container holds."""
    if kind in _OF_CONTAINERS:
        return _OF_CONTAINERS[kind](items)
    module = {"builtins": "", "numpy": "np."}.get(kind.__module__, "")
    return _OF_TYPES.get(kind) or Rule(module + kind.__name__)
