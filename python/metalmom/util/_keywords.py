"""The keywords that public functions take, those of their ``**kwargs`` included.

Recipes and streams are given a function's arguments by name, and must know which there are. What
``**kwargs`` are no signature says, so each function declares it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ._types import Function

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["function_named", "made_of", "module_of", "native_names", "parameters_of", "taken", "takes"]


def takes(
    *names: str, of: str | None = None, but: Sequence[str] = ()
) -> Callable[[Function], Function]:
    """Declare beside a function what its ``**kwargs`` are.

    Keywords of its own, and the parameters `of` another function, by its full name
    (``"filters.mel"``), `but` those that it sets itself.
    """

    def declare(function: Function) -> Function:
        function.takes = names, of, but  # type: ignore[attr-defined]
        return function

    return declare


def native_names(**public: str) -> Callable[[Function], Function]:
    """Declare beside a function which of its arguments another name in an error means.

    ``@native_names(n_fft="frame_length")``: where the engine, or a function called inside, speaks
    of `n_fft`, the caller reads `frame_length`.
    """

    def declare(function: Function) -> Function:
        function.native_names = public  # type: ignore[attr-defined]
        return function

    return declare


def made_of(**sources: str) -> Callable[[Function], Function]:
    """Declare beside a function which argument each of these is made of where it is not given.

    ``@made_of(onset_envelope="y")``: what is wrong with an envelope that the caller did not give is told of
    `y`.
    """

    def declare(function: Function) -> Function:
        function.made_of = sources  # type: ignore[attr-defined]
        return function

    return declare


def taken(function: Any) -> tuple[Sequence[str], Callable[..., Any] | None, Sequence[str]]:
    """What `takes` declares: keywords, the function whose parameters are taken too, and those that are not."""
    names, of, but = getattr(function, "takes", ((), None, ()))
    return names, of and function_named(of), but


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Every keyword that a function takes, with its default: those it hands on included."""
    known = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    }
    names, of, but = taken(function)
    handed_on = {name: default for name, default in (parameters_of(of) if of else {}).items() if name not in but}
    return {**handed_on, **known, **dict.fromkeys(names, inspect.Parameter.empty)}


def module_of(name: str) -> ModuleType:
    """A module of the package by its name in there (``"feature"``); "" is the package itself."""
    return importlib.import_module(f"metalmom.{name}".rstrip("."))


def function_named(full_name: str) -> Callable[..., Any]:
    """The public function of a full name, as `takes` is given it."""
    module, _, name = full_name.rpartition(".")
    return getattr(module_of(module), name)
