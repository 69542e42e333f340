"""An error of the inside as an error about an argument of the function that was called."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any, TYPE_CHECKING

import numpy as np

from .._native import DeviceArray
from ._checks import FINITE, is_number
from ._keywords import parameters_of
from ._packages import told_by
from ._wording import as_array, did_you_mean, turned
from .exceptions import DeviceError, MissingPackageError, ParameterError, ParameterTypeError, Unsaid
from ._signatures import arrays, rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from ._types import Array

__all__ = ["explained"]

# The kinds of errors that a wrong argument causes. All others (of files, devices, warnings as
# errors) stay as they are.
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
_OP = re.compile(r"^\w+(?=: the GPU )")  # the engine's op with which a device's refusal begins
_REFUSED = re.compile(r"\b(is|are) on a device, where \w+\(\) has no kernel for ")


def explained(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> Exception:
    """The error to raise in place of `error`, in the words of the call; the same one where there is no better."""
    try:
        return _explained(function, args, kwargs, error)
    # Looking at a value may run any code; its error must not hide the one that happened.
    except Exception:
        return error


def _explained(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> Exception:
    told = _in_the_callers_words(function, args, kwargs, error)
    ours = told if isinstance(told, ParameterError) and told.rule is not None else None
    if not (ours or isinstance(told, MemoryError)) or _in_foreign_code(error):
        return told
    hint = _hint(told, _given(function, args, kwargs) or {})
    if not hint or ours and ours.hint:
        return told
    if ours:
        return _because(ours.but(hint=hint), told.__cause__)
    return _because(MemoryError(f"{told}{hint}"), told.__cause__)  # NumPy's own is made of other things


def _hint(error: Any, given: dict[str, Any]) -> str:
    """What an argument that an error is about was probably meant to be."""
    y = given.get("y")
    if isinstance(error, MemoryError):
        return turned("y", y) if hasattr(error, "shape") else ""  # NumPy's: of a size
    if isinstance(given.get(error.name), str) and error.choices:
        return did_you_mean(given[error.name], [each for each in error.choices if isinstance(each, str)])
    if error.name == "y.ndim":  # one channel is wanted
        return turned("y", y).replace("y.T", "metalmom.to_mono(y.T)")
    is_of_length = error.argument in _BOUNDED_BY_LENGTH or error.name.endswith(".shape[-1]")
    return turned("y", y) if is_of_length else ""


def _in_the_callers_words(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> Exception:
    if isinstance(error, DeviceError):
        return _of_a_device(function, _given(function, args, kwargs), error)
    if isinstance(error, MissingPackageError):
        return error if _in_foreign_code(error) else _missing(function, args, kwargs, error)
    if not isinstance(error, _EXPLAINED) or isinstance(error, Warning):
        return error
    if unexpected := _unexpected_keyword(function, kwargs, error) or _unnamed(function, args, error):
        return unexpected
    given = _given(function, args, kwargs)
    if given is None:
        return error
    is_ours = isinstance(error, ParameterError)
    if isinstance(error, ParameterError):
        if _is_of_type(error) and (refusal := _no_kernel(function, given, error)):
            return refusal
        if error.argument is None or error.argument in given:  # without one it says what its author meant
            return error
    elif _in_foreign_code(error):
        return error
    # An error that names the type comes from a DeviceArray among sound arguments; any other may come
    # from whichever argument is wrong, and only if none is, from the DeviceArray.
    on_host = _on_host(given)
    fault = _against_a_rule(function, on_host)
    if fault is None and "DeviceArray" not in str(error):
        fault = _suspect(function, on_host, error)
    if fault is None:
        refusal = None if is_ours else _no_kernel(function, given)
        return refusal or _renamed(function, error)
    kinds = {TypeError: ParameterTypeError, MemoryError: MemoryError}
    kind = next((kinds[base] for base in kinds if isinstance(error, base)), ParameterError)
    return _because(_as(kind, fault), None if is_ours or _is_dump(error) else error)


def _as(kind: type[Exception], fault: ParameterError) -> Exception:
    """A fault as an error of another kind."""
    if not issubclass(kind, ParameterError):
        return kind(str(fault))
    return kind(fault.name, fault.value, fault.rule, verb=fault.verb, hint=fault.hint)


def _because(error: Exception, cause: BaseException | None = None) -> Exception:
    error.__cause__ = cause
    return error


def _is_of_type(error: Any) -> bool:
    """Whether an error refuses an argument as a whole: neither a part of it, such as its shape, nor what is in it."""
    is_of_values = error.value is Unsaid and error.name == error.argument  # "S must be non-negative everywhere"
    return error.rule is not None and not set(".[") & set(error.name) and not is_of_values


def _of_a_device(function: Callable[..., Any], given: dict[str, Any] | None, error: DeviceError) -> Exception:
    """A device's error in the caller's words, or the fault of the argument that led to it."""
    text = str(error)
    if _in_foreign_code(error):
        return error
    # an array's own method, or what a function below has refused: unless another argument is wrong anyway
    if given and ("DeviceArray" in text or _REFUSED.search(text)):
        # of arrays the words are stricter than the function
        others = {name: value for name, value in given.items() if not hasattr(value, "__len__") or isinstance(value, str)}
        if fault := _against_a_rule(function, others) or _wrong_axis(_on_host(given)):
            return fault
        # A DeviceArray's astype, as a result or the audio is made the type that was asked for.
        if text.startswith("dtype=") and given.get("dtype") is not None and _on_device(given):
            return DeviceError(f"{function.__name__}: dtype={np.dtype(given['dtype'])} has no kernel: "
                               f"pass {_as_numpy(_on_device(given))}")  # fmt: skip
        return _no_kernel(function, given, error) or _no_kernel(function, given) or error
    # A number where an array is needed is no array that lies on the wrong side.
    fault = _against_a_rule(function, _on_host(given)) if given and "on the device too" in text else None
    if fault:
        return _as(ParameterTypeError, fault)
    text = _OP.sub(function.__name__, text)
    for name, public in getattr(function, "native_names", {}).items():
        text = re.sub(rf"^{name}(?= )|(?<=pass ){name}(?=\.numpy)|(?<=: ){name}(?= is no )", public, text)
    if (names := _on_device(given)) and "does not take this" in text and ".numpy()" not in text:
        text += f": pass {_as_numpy(names)}"
    if text.endswith("the input is float64"):
        text += _as_singles(given or {})
    return error if text == str(error) else DeviceError(text)


def _missing(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: MissingPackageError
) -> MissingPackageError:
    """A package is missing: whose call needs it, and for which of its arguments, if it has that."""
    if subject := re.match(r"(\w+)[=.]", error.argument):
        public: Any = getattr(function, "native_names", {}).get(subject[1], subject[1])
        is_known = public in (_given(function, args, kwargs) or {})
        error.argument = public + error.argument[subject.end(1) :] if is_known else ""
    return told_by(error, f"{function.__name__}()")


def _on_host(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments with arrays of NumPy, all zeros, for DeviceArrays: what they may be is the same."""
    def zeros(value: Any) -> Any:
        if isinstance(value, (list, tuple)) and any(isinstance(each, DeviceArray) for each in value):
            return type(value)(map(zeros, value))
        if isinstance(value, DeviceArray):
            return np.broadcast_to(value.dtype.type(0), value.shape)
        return value

    return {name: zeros(value) for name, value in given.items()}


def _on_device(given: dict[str, Any] | None) -> list[str]:
    """Names of arguments that are DeviceArrays, or lists of them."""
    names = []
    given = given or {}
    for name, value in given.items():
        if isinstance(value, DeviceArray):
            names.append(name)
        elif isinstance(value, (list, tuple)) and f"{name}[0]" not in given:
            names += [f"{name}[{i}]" for i, each in enumerate(value) if isinstance(each, DeviceArray)]
    return names


def _no_kernel(
    function: Callable[..., Any], given: dict[str, Any], error: Exception | None = None
) -> DeviceError | None:
    """The refusal of a DeviceArray, where there is one and the error, if any, is about it.

    An inner function may have another name for it; then its type is in what is said.
    """
    names = _on_device(given)
    about = str(error or "")
    named = [name for name in names if re.match(rf"{re.escape(name)}\b", about)]
    if named or (about and "DeviceArray" not in about):
        names = named
    if not names:
        return None
    are, them = ("is", "it") if len(names) == 1 else ("are", "both" if len(names) == 2 else "all of them")
    return DeviceError(f"{_listed(names)} {are} on a device, where {function.__name__}() has "
                       f"no kernel for {them}: pass {_as_numpy(names)}")  # fmt: skip


def _as_singles(given: dict[str, Any]) -> str:
    """The way to float32 for arrays in float64, of which the engine's error does not know the names."""
    singles = {"d": "np.float32", "D": "np.complex64"}
    ways = [
        f"{name}.astype({singles[value.dtype.char]})"
        for name, value in given.items() if isinstance(value, np.ndarray) and value.dtype.char in singles
    ]  # fmt: skip
    return f": pass {_listed(ways)}" if ways else ""


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _as_numpy(names: list[str]) -> str:
    """The arrays on the host, as a caller passes them: which of them a kernel would take is not known here."""
    return _listed([f"{name}.numpy()" for name in names])


def _given(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """The arguments by name, with their defaults; None where Python itself refuses the call."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    given = {}
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            given.update(value)
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            given.update({f"{name}[{i}]": each for i, each in enumerate(value)}, **{name: value})
        else:
            given[name] = value
    return given


def _in_foreign_code(error: BaseException) -> bool:
    trace = first = error.__traceback__
    while trace and first:
        module = trace.tb_frame.f_globals.get("__name__") or ""
        if module.partition(".")[0] not in _OURS:
            return trace.tb_frame.f_globals is not first.tb_frame.f_globals
        trace = trace.tb_next
    return False


def _is_dump(error: Exception) -> bool:
    return "arguments. The following argument types are supported" in str(error)


def _unexpected_keyword(
    function: Callable[..., Any], kwargs: dict[str, Any], error: Exception
) -> TypeError | None:
    """The TypeError of a keyword that nobody takes, in the name of the function that was called."""
    parameters = inspect.signature(function).parameters.values()
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters) and not hasattr(function, "takes")
    if not isinstance(error, TypeError) or takes_any:
        return None
    known = parameters_of(function)
    unexpected = next((name for name in kwargs if name not in known), None)
    if unexpected is None:
        return None
    nearest = did_you_mean(unexpected, sorted(known.keys() - kwargs.keys()))
    return TypeError(f"{function.__name__}() got an unexpected keyword argument {unexpected!r}{nearest}")


def _unnamed(function: Callable[..., Any], args: tuple[Any, ...], error: Exception) -> TypeError | None:
    """The TypeError of arguments that must be given by name, with the call that has their names."""
    parameters = inspect.signature(function).parameters.values()
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    first = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    missing = len(args) - len(first)
    if not isinstance(error, TypeError) or takes_any or not 0 < missing <= len(named):
        return None
    call = ", ".join([*first, *(f"{name}=..." for name in named[:missing])])
    name = function.__name__
    takes = f"{len(first)} positional argument{'' if len(first) == 1 else 's'}"
    given = f"{len(args)} {'was' if len(args) == 1 else 'were'} given"
    rest = "the others are" if missing > 1 else "the last is"
    return TypeError(f"{name}() takes {takes} but {given}; {rest} given by name: {name}({call})")


def _against_a_rule(function: Callable[..., Any], given: dict[str, Any]) -> ParameterError | None:
    """What is wrong with the first argument that is not what the signature says."""
    said = rules(function)
    defaults = inspect.signature(function).parameters
    for name, value in given.items():
        rule = said.get(name.partition("[")[0])
        if rule is None or (name in defaults and value is defaults[name].default):
            continue
        if name in defaults and defaults[name].kind is inspect.Parameter.VAR_POSITIONAL:
            continue
        if not rule.accepts(value):
            hint = as_array(name, value) if name in arrays(function) else ""
            return ParameterError(name, value, f"{rule.article} {rule}".lstrip(), hint=hint)
    return None


def _suspect(function: Callable[..., Any], given: dict[str, Any], error: Exception) -> ParameterError | None:
    """What may be wrong with an argument that is of the right kind; numbers by default are not."""
    defaults = inspect.signature(function).parameters
    arrays = _arrays(given)
    if fault := _wrong_axis(given):
        return fault
    said = rules(function)
    for name, value in given.items():
        is_default = name in defaults and value is defaults[name].default
        counts = name in said and said[name].counts
        if isinstance(value, (bool, np.bool_)) and not is_default and counts:
            return ParameterError(name, value, "a number")  # to NumPy True is no 1
        if is_number(value) and not isinstance(value, (bool, np.bool_)) and not is_default:
            if value == 0 and isinstance(error, ZeroDivisionError):
                return ParameterError(name, value, "0", verb="must not be")
            if not abs(value) < _BEYOND:
                return ParameterError(name, value, "a finite number below 2**47")
    for name, array in arrays.items():
        if array.ndim == 0 or array.size == 0:
            return ParameterError(f"{name}.shape", array.shape, "empty", verb="must not be")
    for name, value in given.items():
        if isinstance(value, (str, bytes, list, tuple, dict, set)) and len(value) == 0:
            return ParameterError(name, value, "empty", verb="must not be")
        if isinstance(value, np.ndarray) and value.dtype.kind not in "biufc":
            return ParameterError(f"{name}.dtype", value.dtype, "a type of numbers")
        is_complex = isinstance(value, complex) or (name in arrays and np.iscomplexobj(arrays[name]))
        if isinstance(error, TypeError) and is_complex:
            return ParameterError(name, value, "real")
    for name, array in arrays.items():
        if array.dtype.kind in "fc" and not np.isfinite(array).all():
            return ParameterError(name, rule=FINITE)
    return None


def _wrong_axis(given: dict[str, Any]) -> ParameterError | None:
    """What is wrong with an axis that the first array does not have."""
    of, array = next(iter(_arrays(given).items()), ("", np.empty(0)))
    for name, value in given.items():
        if name.endswith("axis") and isinstance(value, (int, np.integer)) and of:
            if not -array.ndim <= value < array.ndim:
                return ParameterError(name, value, f"an axis of {of}, which has {array.ndim}")
    return None


def _arrays(given: dict[str, Any]) -> dict[str, Array]:
    return {name: np.asarray(value) for name, value in given.items() if _is_array(value)}


def _is_array(value: object) -> bool:
    """Whether a value is an array of numbers, or a list of them."""
    try:
        return isinstance(value, (np.ndarray, list)) and np.asarray(value).dtype.kind in "biufc"
    except ValueError:
        return False


def _renamed(function: Callable[..., Any], error: Exception) -> Exception:
    """The error with the name of an inner argument replaced by the caller's."""
    public: dict[str, str] = getattr(function, "native_names", {})
    if not isinstance(error, ParameterError) or error.rule is None or error.argument not in public:
        return error
    return error.but(name=public[error.argument] + error.name[len(error.argument) :])
