"""Errors: the exceptions of metalmom, into which those of the engine are translated."""

from __future__ import annotations

import queue
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["AudioError", "DeviceError", "LibrosaError", "ModelError", "ParameterError", "PendingError"]


class Shown(str):
    """What stands for a value in an error: the name of its type, or what the engine read."""

    __slots__ = ()
    __repr__ = str.__str__


class TypeOf:
    """A value that an error shows by its type alone."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        return type(self.value).__name__


class Unsaid:
    """The value of an argument that an error does not show: ``S must be finite everywhere``."""


def shown(value: object) -> str:
    """A value on one line: an array by its type and shape, a number or dtype of NumPy as it prints."""
    if isinstance(value, np.ndarray) and value.size > 4:
        return f"<{value.dtype} array of shape {value.shape}>"
    if isinstance(value, Shown):
        return str(value)
    is_numpys = isinstance(value, (np.number, np.bool_, np.dtype))
    try:
        text = " ".join((str(value) if is_numpys else repr(value)).split())
    except (RecursionError, ValueError):  # of lists too deep, and integers too long
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:60] + " ... " + text[-12:]


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _portable(value: Any) -> Any:
    """A value, or what stands for one that cannot cross processes, or is large."""
    plain = (bool, int, float, str, type(None))
    return value if type(value) in plain or value is Unsaid else Shown(shown(value))


class Argument(str):
    """An argument with its value, as an error names it: ``overwrite=True``."""

    name: str
    value: Any

    def __new__(cls, name: str, value: Any) -> Argument:
        made = super().__new__(cls, f"{name}={shown(value)}")
        made.name, made.value = name, value
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Argument, (self.name, _portable(self.value))


class LibrosaError(Exception):
    """Root of every error raised on purpose, named as in librosa.

    Parameters
    ----------
    *parts : str
        The text, in one part or in several. An `Argument` among them is one that a command has as an option.

    Attributes
    ----------
    parts : tuple of str
    """

    parts: tuple[str, ...] = ()

    def __init__(self, *parts: str) -> None:
        super().__init__("".join(parts))
        self.parts = parts


class _InParts(LibrosaError):
    """An error that keeps what its text is made of."""

    rule: str | None = None  # MissingPackageOfArgument does not run this __init__
    _kept: tuple[str, ...] = ("name", "value", "rule", "verb", "hint", "choices")

    def __init__(
        self, name: str = "", value: Any = Unsaid, rule: str | None = None, *, verb: str = "must be",
        hint: str = "", choices: Sequence[Any] = (), argument: str | None = None, lead: str = "",
        parts: Sequence[str] = (),
    ) -> None:
        if choices and rule is None:
            *first, last = map(repr, choices)
            rule = f"{', '.join(first)} or {last}"
        said = name if value is Unsaid else Argument(name, value)
        text = [name] if rule is None else [said, f" {verb} {rule}"]
        super().__init__(*(parts or filter(None, [lead, *text, hint])))
        self.name, self.value, self.rule, self.verb, self.hint = name, value, rule, verb, hint
        self.choices = choices
        self.argument = name.partition(".")[0].partition("[")[0] if argument is None and rule else argument

    def but(self, **changes: Any) -> Any:
        """The same error with other parts; its argument stays, unless the name is another one."""
        kept = {each: getattr(self, each) for each in self._kept}
        if "name" not in changes:
            kept["argument"] = self.argument
        return type(self)(**{**kept, **changes})

    def __reduce__(self) -> tuple[Any, ...]:
        reduced: Any = super().__reduce__()
        *call, said = reduced
        return (*call, {**said, "value": _portable(self.value)} if self.rule is not None else said)


class ParameterError(_InParts, ValueError):
    """An argument that cannot be used; the text reads ``name=value must be rule``.

    Parameters
    ----------
    name : str
        The argument, or a part of it: ``"y.shape[-1]"``. Without a rule this is the whole text.
    value : object, optional
        The value given. Without it the text reads ``name must be rule``.
    rule : str, optional
        What the value must be; by default one of the choices.
    verb : str
        The words between the value and the rule.
    hint : str
        The end of the text: a suggestion of what was probably meant.
    choices : sequence
        The values that the rule lists.
    argument : str, optional
        The argument that a whole text is about.
    parts : sequence of str
        A whole text that names other arguments, too.

    Attributes
    ----------
    name, value, rule, verb, hint, choices
        As they were given; of a whole text `rule` is None.
    argument : str or None
        The argument that `name` is, or is a part of.
    """


class ParameterTypeError(ParameterError, TypeError):
    """An argument of a wrong type. It is a TypeError, too, as in librosa."""


class ParameterKeyError(ParameterError, KeyError):
    """An unknown name. It is a KeyError, too, as in librosa."""

    __str__ = Exception.__str__  # a KeyError shows its text in quotes


class PendingError(LibrosaError, queue.Full):
    """As many calls of `metalmom.submit` wait or run as the setting ``pending`` allows."""


class _FaultOfFile(LibrosaError, RuntimeError):
    """A file whose content cannot be used; the text names it."""

    def __init__(self, fault: str = "", last_words: str = "") -> None:
        super().__init__(fault, last_words)
        self.fault = fault


class AudioError(_FaultOfFile):
    """A file or stream that cannot be decoded or resampled; the text names it.

    Parameters
    ----------
    fault : str
        What is wrong.
    last_words : str
        The end of the text: what the decoder said last, which may differ from run to run.

    Attributes
    ----------
    fault : str
    """


class ModelError(_FaultOfFile):
    """A model that cannot be opened, or that fails while it runs; the text names its file.

    Parameters
    ----------
    fault : str
        What is wrong.
    last_words : str
        The end of the text: what ONNX Runtime said, which may differ from version to version.

    Attributes
    ----------
    fault : str
    """


class MissingPackageError(LibrosaError, ModuleNotFoundError):
    """A package is not installed that only some functions need; the text says how to install it."""

    def __init__(self, *parts: str, name: str | None = None, argument: str = "") -> None:
        ModuleNotFoundError.__init__(self, "".join(parts), name=name)
        self.parts = parts
        self.argument = argument  # the one whose value needs the package, an `Argument`; or words


class MissingPackageOfArgument(MissingPackageError, ParameterError):
    """An argument needs a package that is not installed, also for those who catch a ParameterError."""

    name: Any  # the package, as an ImportError has it
    argument: str


class DeviceError(_InParts, RuntimeError):
    """The requested GPU is missing, has failed, or does not take the work.

    Parameters
    ----------
    name, value, rule, verb
        As of `ParameterError`: what a device declines is mostly an argument.
    hint : str
        The way out, the end of the text.
    kind : str
        What is declined: ``"array"``, which no kernel reads, or ``"order"``, in which it lies in memory;
        ``"plan"``, the sizes of a call; ``"precision"``, for float64; ``"side"`` and ``"device"``, where
        other arrays of the call are; ``"argument"``, which no kernel has. Else ``"fault"``: the device is
        missing, or failed.
    op : str
        The op of the engine, or the function, that a kernel declines: the text begins with it.
    lead : str
        What the engine says of any plan that it declines.
    arrays : sequence of str
        The arguments that are taken as arrays of NumPy: the way out.

    Attributes
    ----------
    name, value, rule, verb, hint, argument, kind, op, lead, arrays
        As they were given, or as of `ParameterError`.
    """

    _kept = ("name", "value", "rule", "verb", "hint", "kind", "op", "lead", "arrays")

    def __init__(
        self, name: str = "", value: Any = Unsaid, rule: str | None = None, *, kind: str = "fault",
        op: str = "", lead: str = "", arrays: Sequence[str] = (), hint: str = "", **parts: Any,
    ) -> None:
        if kind == "order":
            arrays = (name,)
        if arrays:
            hint = f": pass {listed([f'{each}.numpy()' for each in arrays])}"
        super().__init__(name, value, rule, hint=hint, lead=f"{op}: {lead}" if op else lead, **parts)
        self.kind, self.op, self.lead, self.arrays = kind, op, lead, arrays


class _OfUse(DeviceError):
    """A DeviceArray is used as no kernel uses it."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text, kind="array")


class DeviceTypeError(_OfUse, TypeError):
    """A DeviceArray has no such operator, also for those who catch Python's own error."""


class DeviceAttributeError(_OfUse, AttributeError):
    """A DeviceArray has no such attribute, also for those who catch Python's own error."""

    name: Any
