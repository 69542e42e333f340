"""Where a public function meets its caller: what goes wrong inside is told in the caller's terms.

`guard` puts every public function behind one wrapper. While nothing fails it costs a call of a
Python function. When something fails that does not name an argument of the function that was
called (a ZeroDivisionError far below, an error about an inner function's argument), `explain`
looks for the argument that breaks what the function's own documentation says of it. An error that
no argument explains passes as it is: it is a fault of ours, or of a function that was passed in.
NumPy's warnings name the caller's line while a public function runs (`_warnings.divert`).
"""

import functools
import inspect
import sys

from .._steps import steps_of
from .._warnings import divert, restore

__all__ = ["guard", "guarded", "guarded_steps", "native_names"]

_PACKAGE = __name__.partition(".")[0]


def native_names(**public):
    """Declare beside a function which of its arguments another name in an error means.

    ``@native_names(n_fft="frame_length")``: where the engine, or a function called inside, speaks
    of `n_fft`, the caller reads `frame_length`.
    """

    def declare(function):
        function.native_names = public
        return function

    return declare


def _explained(*call_and_error):
    from .explain import explained  # imported only when the first error has to be explained

    try:
        return explained(*call_and_error)
    # looking at a value may run any code; its error must not hide the one that happened
    except Exception:
        return call_and_error[-1]


def _raise_explained(function, args, kwargs, error):
    """Raise, where `error` was caught, what is to be told of it."""
    told = _explained(function, args, kwargs, error)
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

    yields = inspect.isgeneratorfunction(inspect.unwrap(function)) and not hasattr(function, "steps")
    return _generate if yields else _call


def guarded_steps(function, **arguments):
    """A call as a generator of steps (`_steps.steps_of`), whose errors are told as those of the call."""
    try:
        return (yield from steps_of(function, **arguments))
    except Exception as error:
        _raise_explained(function, (), arguments, error)


def _is_to_be_guarded(function):
    # Functions of private modules (threads, backend) are not wrapped: they look at their caller's
    # frame.
    looks_back = function.__module__.startswith(f"{_PACKAGE}._")
    return not looks_back and function.__code__.co_filename != __file__


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
