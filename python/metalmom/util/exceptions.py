"""The exceptions that metalmom raises; the engine's are translated into these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["AudioError", "DeviceError", "LibrosaError", "ParameterError"]


class Shown(str):
    """What stands for a value in an error: the name of its type, or what the engine read."""

    __slots__ = ()
    __repr__ = str.__str__


class Unsaid:
    """The value of an argument that an error does not show: ``S must be finite everywhere``."""


def shown(value: object) -> str:
    """A value on one line: an array by its type and shape, a number or dtype of NumPy as it prints."""
    if isinstance(value, np.ndarray) and value.size > 4:
        return f"<{value.dtype} array of shape {value.shape}>"
    if isinstance(value, Shown):
        return str(value)
    is_numpys = isinstance(value, (np.number, np.bool_, np.dtype))
    text = " ".join((str(value) if is_numpys else repr(value)).split())
    return text if len(text) <= 80 else text[:60] + " ... " + text[-12:]


class LibrosaError(Exception):
    """Root of every error raised on purpose, named as in librosa."""


class ParameterError(LibrosaError, ValueError):
    """An argument that cannot be used; the text reads ``name=value must be rule``.

    Parameters
    ----------
    name : str
        The argument, or a part of it: ``"y.shape[-1]"``. Without a rule this is the whole text.
    value : object, optional
        What was given. Without it the text reads ``name must be rule``.
    rule : str, optional
        What the value must be; by default one of the choices.
    verb : str
        What stands before the rule.
    hint : str
        What was probably meant, the end of the text.
    choices : sequence
        What the rule lists.
    argument : str, optional
        The argument that a whole text is about.

    Attributes
    ----------
    name, value, rule, verb, hint, choices
        As they were given; of a whole text `rule` is None.
    argument : str or None
        The argument that `name` is, or is a part of.
    """

    rule = None  # of a class of errors that is made otherwise

    def __init__(
        self, name: str = "", value: Any = Unsaid, rule: str | None = None, *, verb: str = "must be",
        hint: str = "", choices: Sequence[Any] = (), argument: str | None = None,
    ) -> None:
        if choices and rule is None:
            *first, last = map(repr, choices)
            rule = f"{', '.join(first)} or {last}"
        said = name if value is Unsaid else f"{name}={shown(value)}"
        super().__init__(name if rule is None else f"{said} {verb} {rule}{hint}")
        self.name, self.value, self.rule, self.verb, self.hint = name, value, rule, verb, hint
        self.choices = choices
        self.argument = name.partition(".")[0].partition("[")[0] if argument is None and rule else argument

    def but(self, **changes: Any) -> ParameterError:
        """The same error with another name or hint."""
        said = {each: getattr(self, each) for each in ("name", "value", "rule", "verb", "hint", "choices")}
        return type(self)(**{**said, **changes})

    def __reduce__(self) -> tuple[Any, ...]:
        reduced: Any = super().__reduce__()
        *call, said = reduced
        plain = (bool, int, float, str, type(None))
        if self.rule is not None and not (type(self.value) in plain or self.value is Unsaid):
            said = {**said, "value": Shown(shown(self.value))}  # what cannot cross processes, or is large
        return (*call, said)


class ParameterTypeError(ParameterError, TypeError):
    """An argument of a wrong type, also for those who catch a TypeError, as librosa raises one."""


class ParameterKeyError(ParameterError, KeyError):
    """A name that no table has, also for those who catch a KeyError, as librosa raises one."""

    __str__ = Exception.__str__  # a KeyError shows its text in quotes


class AudioError(LibrosaError, RuntimeError):
    """A file or stream that cannot be decoded or resampled; the text names it."""


class MissingPackageError(LibrosaError, ModuleNotFoundError):
    """A package is not installed that only some functions need; the text says how to install it."""

    def __init__(self, text: str, *, name: str | None = None, argument: str = "") -> None:
        ModuleNotFoundError.__init__(self, text, name=name)
        self.argument = argument  # the one whose value needs the package, as it was written


class MissingPackageOfArgument(MissingPackageError, ParameterError):
    """An argument needs a package that is not installed, also for those who catch a ParameterError."""

    name: Any  # the package, as an ImportError has it
    argument: str


class DeviceError(LibrosaError, RuntimeError):
    """A GPU that was asked for is missing, failed, or declines the work."""
