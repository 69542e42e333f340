"""Where a public function meets its caller: what goes wrong inside is told in the caller's terms.

`guard` puts every public function behind one wrapper. While nothing fails it costs a call of a
Python function. When something fails that does not name an argument of the function that was
called (a ZeroDivisionError far below, an error about an inner function's argument), `explain`
looks for the argument that breaks what the function's own signature says of it. An error that
no argument explains passes as it is: it is a fault of ours, or of a function that was passed in.
NumPy's warnings name the caller's line while a public function runs (`_warnings.divert`).
"""

import functools
import inspect
import sys

from ..util._warnings import divert, restore

__all__ = ["explained", "guard", "guarded"]

_PACKAGE = __name__.partition(".")[0]


def explained(*call_and_error):
    """What is to be told of an error of a call: `function, args, kwargs, error`."""
    from . import explain  # only when the first error has to be explained

    try:
        return explain.explained(*call_and_error)
    # looking at a value may run any code; its error must not hide the one that happened
    except Exception:
        return call_and_error[-1]


def _raise_explained(function, args, kwargs, error):
    """Raise, where `error` was caught, what is to be told of it."""
    told = explained(function, args, kwargs, error)
    try:
        if told is error:
            raise
        raise told from told.__cause__
    finally:
        del told, error  # which hold this frame, and it all arguments


def _tell_of_blocks(function, args, kwargs, blocks):
    """A generator whose errors, when a block is asked for, are told as those of the call."""
    try:
        yield from blocks
    except Exception as error:
        _raise_explained(function, args, kwargs, error)


def guarded(function):
    """The function behind the wrapper that explains its errors."""

    @functools.wraps(function)
    def _call(*args, **kwargs):
        diverted = divert()
        try:
            return function(*args, **kwargs)
        except Exception as error:
            _raise_explained(function, args, kwargs, error)
        finally:
            restore(diverted)

    @functools.wraps(function)
    def _generate(*args, **kwargs):
        return _tell_of_blocks(function, args, kwargs, _call(*args, **kwargs))

    return _generate if inspect.isgeneratorfunction(inspect.unwrap(function)) else _call


def _is_to_be_guarded(function):
    # Functions of private modules (threads, to_device) are not wrapped: they check all that they take.
    checks_itself = function.__module__.startswith(f"{_PACKAGE}._")
    return not checks_itself and function.__code__.co_filename != __file__


def guard():
    """Guard the public functions of the package, in every module that holds them.

    May be called again when modules were added: what is guarded stays as it is.
    """
    modules = [
        vars(module)
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == _PACKAGE and hasattr(module, "__all__")
    ]
    public = {}
    for names in modules:
        if "._" in names["__name__"]:
            continue
        for name in names["__all__"]:
            function = names.get(name)
            if inspect.isfunction(function) and _is_to_be_guarded(function):
                public[function] = None
    wrappers = {function: guarded(function) for function in public}
    for names in modules:
        for name, value in names.items():
            if inspect.isfunction(value) and value in wrappers:
                names[name] = wrappers[value]
