"""Settings with a default for the process, which ``with`` overrides for one thread.

`metalmom.threads`, `backend` and `limits` are such settings. A call with a value sets the default of
the process, whatever becomes of its answer. The answer is a `_native.Scope`: to enter it, or to
decorate with it, takes that default back, and the value holds for a while. What the package itself
needs for a while is a scope that was never the default.

Who has set what is known to the engine (`cpp/bridge/scopes.hpp`), so that each step is one call that
a signal handler's exception cannot cut in two.
"""

import functools
import inspect

from .. import _native
from ..util.exceptions import ParameterError

__all__ = ["ASK", "decorated"]


class _Ask:
    """The default argument of a setting: such a call asks for the value that holds now."""

    def __repr__(self):
        return "<what holds>"


ASK = _Ask()


def decorated(scope, function):
    """The function, while which runs the scope is entered."""
    call = _native.call_of_scope(scope)
    if not callable(function):
        raise ParameterError(f"function={function!r} must be callable: {call} decorates it")
    for suspends in (inspect.isgeneratorfunction, inspect.iscoroutinefunction,
                     inspect.isasyncgenfunction):  # fmt: skip
        if suspends(function):
            raise ParameterError(
                f"function={function.__qualname__} must not be a generator or a coroutine: "
                f"{call} would hold for whatever runs while it is suspended; "
                "write `with` around the calls inside"
            )

    @functools.wraps(function)
    def scoped(*args, **kwargs):
        with scope:
            return function(*args, **kwargs)

    return scoped
