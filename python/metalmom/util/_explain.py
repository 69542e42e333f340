"""An error of the inside as an error about an argument of the function that was called.

`explained` looks for the argument of a call that breaks what the function's own signature says of it. The
wrapper of public functions (`_public`), Extractors, streams and tables ask for that.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any, TYPE_CHECKING

import numpy as np

from .._native import DeviceArray
from ._checks import FINITE, is_number
from ._keywords import parameters_of
from ._packages import told_by
from ._signatures import rules
from ._wording import as_array, counted, did_you_mean, turned
from .exceptions import (
    Argument, DeviceError, MissingPackageError, ParameterError, ParameterTypeError, TypeOf, listed,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable
    from ._types import Array

__all__ = ["explained", "require_numbers"]

# The kinds of errors that a wrong argument causes. All others (of files, warnings as errors) stay as
# they are.
_EXPLAINED = (
    *(TypeError, ValueError, LookupError, AttributeError, ZeroDivisionError, OverflowError),
    *(MemoryError, NotImplementedError, np.linalg.LinAlgError),
)
# Modules whose code may stand between a call and the error; any other is the user's.
_OURS = {__name__.partition(".")[0], "numpy", "scipy"} | set(sys.stdlib_module_names) - {"__main__"}

# Numbers beyond this are wrong because of their size: no memory holds so many values.
_BEYOND = 2**47

# Arguments that the length of a signal bounds: where one is refused, the signal may lie the other way.
_BOUNDED_BY_LENGTH = {"n_fft", "frame_length", "win_length", "order"}

_SINGLES = {"d": "np.float32", "D": "np.complex64"}


def explained(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Exception:
    """The error to raise in place of `error` of a call; the same one where there is no better."""
    try:
        if isinstance(error, Warning) or _in_foreign_code(error):
            return error
        return _Call(function, args, kwargs).told(error)
    # looking at a value may run any code; its error must not hide the one that happened
    except Exception:
        return error


def require_numbers(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse numbers that are not what a signature says of them; True, NaN and infinity are none."""
    if fault := _Call(function, args, kwargs).wrong_number():
        raise fault


class _Call:
    """A call that failed, or may fail, and its arguments by name, with their defaults.

    Where Python itself refuses the call, there are none.
    """

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._function, self._args, self._kwargs = function, args, kwargs
        self._name = function.__name__
        signature = inspect.signature(function)
        self._parameters = signature.parameters
        self._given: dict[str, Any] = {}
        self._on_host: dict[str, Any] = {}
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            self._is_bound = False
            return
        self._is_bound = True
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            kind = self._parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                self._given.update(value)
            elif kind is inspect.Parameter.VAR_POSITIONAL:
                self._given.update({f"{name}[{i}]": each for i, each in enumerate(value)}, **{name: value})
            else:
                self._given[name] = value
        self._on_host = {name: _zeros(value) for name, value in self._given.items()}

    def told(self, error: Exception) -> Exception:
        """The error in the caller's words, with what was probably meant."""
        told = self._in_the_callers_words(error)
        is_ours = isinstance(told, ParameterError) and told.rule is not None and not told.hint
        if (is_ours or isinstance(told, MemoryError)) and (hint := self._hint(told)):
            cause = told.__cause__
            # NumPy's own MemoryError is made of other things
            told = told.but(hint=hint) if isinstance(told, ParameterError) else MemoryError(f"{told}{hint}")
            told.__cause__ = cause
        return told

    def _in_the_callers_words(self, error: Exception) -> Exception:
        if isinstance(error, MissingPackageError):
            return self._missing(error)
        if isinstance(error, DeviceError):
            return error if error.kind == "fault" else self._declined(error)
        if not isinstance(error, _EXPLAINED):
            return error
        if unexpected := isinstance(error, TypeError) and (self._unexpected_keyword() or self._unnamed()):
            return unexpected
        if not self._is_bound:
            return error
        if isinstance(error, ParameterError):
            value = error.value.value if isinstance(error.value, TypeOf) else error.value
            if isinstance(value, DeviceArray) and (refusal := self._no_kernel(error)):
                return refusal
            # without an argument it says what its author meant
            if error.argument is None:
                return error
            if error.argument in self._given:
                return self._of_source(error, error.argument) or error
        fault = self._against_a_rule() or self._suspect(error)
        if fault is None:
            if isinstance(error, ParameterError):
                return self._renamed(error)
            return (not isinstance(error, MemoryError) and self._no_kernel()) or error
        if isinstance(error, MemoryError):
            told: Exception = MemoryError(str(fault))
        else:
            told = _of_type(fault) if isinstance(error, TypeError) else fault
        told.__cause__ = None if isinstance(error, ParameterError) else error
        return told

    def _public(self, name: str) -> str:
        """The caller's name of an argument of a function inside, or of a part of it."""
        public: dict[str, str] = getattr(self._function, "native_names", {})
        argument = name.partition(".")[0].partition("[")[0]
        return public.get(argument, argument) + name[len(argument) :]

    def _of_source(self, error: ParameterError, name: str) -> ParameterError | None:
        """The error of an argument that this one, which was not given, was made of."""
        source = getattr(self._function, "made_of", {}).get(name)
        if source and self._given[name] is None and error.verb == "must be":
            return ParameterError(source, rule=f"audio whose {error.name} is {error.rule}")
        return None

    def _renamed(self, error: ParameterError) -> ParameterError:
        name = self._public(error.name)
        if name == error.name or error.rule is None:
            return error
        given = self._given.get(name, parameters_of(self._function).get(name))
        if is_number(given) and is_number(error.value) and given != error.value:  # which was made of it
            return ParameterError(parts=(Argument(name, given), f": {error}"), argument=name)
        return error.but(name=name)

    def _declined(self, error: DeviceError) -> Exception:
        """What a device declines, or the fault of the argument that led to it."""
        names = _on_device(self._given)
        if error.kind == "array":
            if fault := self._against_a_rule(but_arrays=True) or self._wrong_axis():
                return fault
            # a DeviceArray's astype, as a result or the audio is made the type that was asked for
            if error.argument == "dtype" and names and (dtype := self._given.get("dtype")) is not None:
                return DeviceError("dtype", np.dtype(dtype), "no kernel", verb="has", kind="argument",
                                   op=self._name, arrays=names)  # fmt: skip
            return self._no_kernel(error) or error
        # A number where an array is needed is no array that lies on the wrong side.
        if error.kind == "side" and (fault := self._against_a_rule()):
            return _of_type(fault)
        arrays = [each for each in map(self._public, error.arrays) if each in self._given]
        return error.but(
            name=error.name if error.rule is None else self._public(error.name),
            op=error.op and self._name,
            arrays=arrays or names if error.kind in ("plan", "argument") else (),
            hint=error.hint or (self._as_singles() if error.kind == "precision" else ""),
        )

    def _no_kernel(self, error: Any = None) -> DeviceError | None:
        """The refusal of the DeviceArrays that an error is about, or of all, where it does not say that."""
        about = getattr(error, "arrays", ()) or (getattr(error, "argument", None) or "",)
        about = {*about, *map(self._public, about)}
        given = _on_device(self._given)
        names = [name for name in given if not about.isdisjoint((name, name.partition("[")[0]))] or given
        if not names:
            return None
        them = "it" if len(names) == 1 else "both" if len(names) == 2 else "all of them"
        return DeviceError(
            listed(names), rule=f"on a device, where {self._name}() has no kernel for {them}",
            verb="is" if len(names) == 1 else "are", kind="array", arrays=names,
        )  # fmt: skip

    def _as_singles(self) -> str:
        """The way to float32 for arrays in float64."""
        ways = [
            f"{name}.astype({_SINGLES[value.dtype.char]})"
            for name, value in self._given.items()
            if isinstance(value, np.ndarray) and value.dtype.char in _SINGLES
        ]
        return f": pass {listed(ways)}" if ways else ""

    def _missing(self, error: MissingPackageError) -> MissingPackageError:
        """A package is missing: whose call needs it, and for which of its arguments, if it has that."""
        if isinstance(error.argument, Argument):
            public = self._public(error.argument.name)
            is_given = public.partition(".")[0] in self._given
            error.argument = Argument(public, error.argument.value) if is_given else ""
        return told_by(error, f"{self._name}()")

    def _hint(self, error: Any) -> str:
        """What an argument that an error is about was probably meant to be."""
        y = self._given.get("y")
        if isinstance(error, MemoryError):
            return turned("y", y) if hasattr(error, "shape") else ""  # NumPy's: of a size
        given = self._given.get(error.name)
        if isinstance(given, str) and error.choices:
            return did_you_mean(given, [each for each in error.choices if isinstance(each, str)])
        if error.name == "y.ndim":  # one channel is wanted
            return turned("y", y, "metalmom.to_mono(y.T)")
        is_of_length = error.argument in _BOUNDED_BY_LENGTH or error.name.endswith(".shape[-1]")
        return turned("y", y) if is_of_length else ""

    def _unexpected_keyword(self) -> TypeError | None:
        """The error of a keyword that nobody takes, in the name of the function that was called."""
        kinds = [each.kind for each in self._parameters.values()]
        if inspect.Parameter.VAR_KEYWORD in kinds and not hasattr(self._function, "takes"):
            return None
        known = parameters_of(self._function)
        unexpected = next((name for name in self._kwargs if name not in known), None)
        if unexpected is None:
            return None
        nearest = did_you_mean(unexpected, sorted(known.keys() - self._kwargs.keys()))
        return TypeError(f"{self._name}() got an unexpected keyword argument {unexpected!r}{nearest}")

    def _unnamed(self) -> TypeError | None:
        """The error of arguments that must be given by name, with the call that has their names."""
        of_kind: dict[Any, list[str]] = {}
        for each in self._parameters.values():
            of_kind.setdefault(each.kind, []).append(each.name)
        named = of_kind.get(inspect.Parameter.KEYWORD_ONLY, [])
        first = [
            *of_kind.get(inspect.Parameter.POSITIONAL_ONLY, []),
            *of_kind.get(inspect.Parameter.POSITIONAL_OR_KEYWORD, []),
        ]
        missing = len(self._args) - len(first)
        if inspect.Parameter.VAR_POSITIONAL in of_kind or not 0 < missing <= len(named):
            return None
        names: list[str] = []
        for value in self._args[len(first) :]:
            names.append(self._name_of(value, [name for name in named if name not in names]))
        call = ", ".join([*first, *(f"{name}=..." for name in names)])
        given = f"{len(self._args)} {'was' if len(self._args) == 1 else 'were'} given"
        rest = "the others are" if missing > 1 else "the last is"
        return TypeError(
            f"{self._name}() takes {counted(len(first), 'positional argument')} but {given}; "
            f"{rest} given by name: {self._name}({call})"
        )

    def _name_of(self, value: Any, names: list[str]) -> str:
        """Which of these arguments a value is: the first, unless it takes no such value and another input does."""
        said = rules(self._function)
        if names[0] not in said or said[names[0]].accepts(value):
            return names[0]
        inputs = (name for name in names if self._parameters[name].default is None)
        return next((name for name in inputs if name in said and said[name].accepts(value)), names[0])

    def _against_a_rule(self, but_arrays: bool = False) -> ParameterError | None:
        """What is wrong with the first argument that is not what the signature says.

        Of arrays the words are stricter than some functions: they may be left out.
        """
        said = rules(self._function)
        for name, value in self._on_host.items():
            rule, parameter = said.get(name.partition("[")[0]), self._parameters.get(name)
            if rule is None or self._is_default(name, value) or rule.accepts(value):
                continue
            has_items = hasattr(value, "__len__") and not isinstance(value, str)
            if but_arrays and has_items and (rule.is_array or rule.converts):
                continue
            if parameter is None or parameter.kind is not parameter.VAR_POSITIONAL:
                hint = as_array(name, value) if rule.is_array else ""
                return ParameterError(name, value, f"{rule.article} {rule}".lstrip(), hint=hint)
        return None

    def wrong_number(self) -> ParameterError | None:
        """What is wrong with the first argument that is to be a number."""
        said = rules(self._function)
        for name, value in self._given.items():
            rule = said.get(name)
            if rule is None or not rule.counts or self._is_default(name, value):
                continue
            if not rule.accepts(value):
                kind = ParameterError if is_number(value) else ParameterTypeError
                return kind(name, value, f"{rule.article} {rule}".lstrip())
            if is_number(value) and (fault := _beyond_numbers(name, value, True)):
                return fault
        return None

    def _is_default(self, name: str, value: object) -> bool:
        return name in self._parameters and value is self._parameters[name].default

    def _suspect(self, error: Exception) -> ParameterError | None:
        """What may be wrong with an argument that is of the right kind; numbers by default are not."""
        if fault := self._wrong_axis():
            return fault
        said, of_numbers = rules(self._function), _of_numbers(self._on_host)
        for name, value in self._on_host.items():
            if not is_number(value) or self._is_default(name, value):
                continue
            if value == 0 and isinstance(error, ZeroDivisionError) and not _is_truth(value):
                return ParameterError(name, value, "0", verb="must not be")
            if fault := _beyond_numbers(name, value, name in said and said[name].counts):
                return fault
        if isinstance(error, OverflowError) and (fault := self._largest_number()):
            return fault
        for name, array in of_numbers.items():
            if array.size == 0 or (array.ndim == 0 and not isinstance(error, MemoryError)):
                return ParameterError(f"{name}.shape", array.shape, "empty", verb="must not be")
        if isinstance(error, MemoryError):  # of the system, or of sizes that are above
            return None
        for name, value in self._on_host.items():
            if isinstance(value, (str, bytes, list, tuple, dict, set)) and len(value) == 0:
                return ParameterError(name, value, "empty", verb="must not be")
            if isinstance(value, np.ndarray) and value.dtype.kind not in "biufc":
                return ParameterError(f"{name}.dtype", value.dtype, "a type of numbers")
            of_array = name in of_numbers and of_numbers[name].dtype.kind == "c"
            is_complex = isinstance(value, complex) or of_array
            if isinstance(error, TypeError) and is_complex:
                return ParameterError(name, value, "real")
        for name, array in of_numbers.items():
            if array.dtype.kind in "fc" and not np.isfinite(array).all():
                return ParameterError(name, rule=FINITE)
        return None

    def _largest_number(self) -> ParameterError | None:
        """What is wrong with the number of which an exponent or a product was too large."""
        given = {name: abs(value) for name, value in self._on_host.items()
                 if is_number(value) and not self._is_default(name, value)}  # fmt: skip
        largest = max(given, key=lambda name: given[name], default=None)
        return ParameterError(largest, self._given[largest], "closer to 0") if largest else None

    def _wrong_axis(self) -> ParameterError | None:
        """What is wrong with an axis that the first array does not have."""
        arrays = {name: np.asarray(value) for name, value in [*self._on_host.items()][:1] if is_number(value)}
        for of, array in (arrays or _of_numbers(self._on_host)).items():
            for name, value in self._given.items():
                if not name.endswith(("axis", "axes")):
                    continue
                for axis in value if isinstance(value, (tuple, list)) else [value]:
                    if isinstance(axis, (int, np.integer)) and not -array.ndim <= axis < array.ndim:
                        rule = "an axis" if axis is value else "axes"
                        return ParameterError(name, value, f"{rule} of {of}, which has {array.ndim}")
            break
        return None


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or getattr(value, "dtype", None) == np.bool_


def _beyond_numbers(name: str, value: Any, counts: bool) -> ParameterError | None:
    """What is wrong with a number of any kind; one that counts may not be True, which to NumPy is no 1."""
    if _is_truth(value):
        return ParameterError(name, value, "a number") if counts else None
    return None if abs(value) < _BEYOND else ParameterError(name, value, "a finite number below 2**47")


def _in_foreign_code(error: BaseException) -> bool:
    """Whether an error is of the user's code, such as a function that was passed in."""
    trace = first = error.__traceback__
    while trace and first:
        module = trace.tb_frame.f_globals.get("__name__") or ""
        if module.partition(".")[0] not in _OURS:
            return trace.tb_frame.f_globals is not first.tb_frame.f_globals
        trace = trace.tb_next
    return False


def _zeros(value: Any) -> Any:
    """A value with arrays of NumPy, all zeros, for DeviceArrays: what they may be is the same."""
    if isinstance(value, (list, tuple)) and any(isinstance(each, DeviceArray) for each in value):
        return type(value)(map(_zeros, value))
    return np.broadcast_to(value.dtype.type(0), value.shape) if isinstance(value, DeviceArray) else value


def _on_device(given: dict[str, Any]) -> list[str]:
    """Names of arguments that are DeviceArrays, or lists of them."""
    names = []
    for name, value in given.items():
        if isinstance(value, DeviceArray):
            names.append(name)
        elif isinstance(value, (list, tuple)) and f"{name}[0]" not in given:
            names += [f"{name}[{i}]" for i, each in enumerate(value) if isinstance(each, DeviceArray)]
    return names


def _of_numbers(given: dict[str, Any]) -> dict[str, Array]:
    """The arguments that are arrays of numbers, or lists of them."""
    found: dict[str, Array] = {}
    for name, value in given.items():
        if isinstance(value, (np.ndarray, np.number, list)):
            try:
                array = np.asarray(value)
            except ValueError:
                continue
            if array.dtype.kind in "biufc":
                found[name] = array
    return found


def _of_type(fault: ParameterError) -> ParameterTypeError:
    """A fault as an error of types, too."""
    return ParameterTypeError(
        fault.name, fault.value, fault.rule, verb=fault.verb, hint=fault.hint, argument=fault.argument
    )
