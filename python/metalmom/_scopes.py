"""Settings with a default for the process, which ``with`` overrides for one thread.

`metalmom.threads` and `metalmom.backend` are such settings. The default is set by a call that is a
statement of its own; where the answer of the call is used (``with``, a variable, a decorator),
it is a `Scope`, and nothing is changed by making one.
"""

import functools
import inspect
import sys
import threading
from typing import TYPE_CHECKING

from ._callers import caller, drops_value
from .util.exceptions import ParameterError

if TYPE_CHECKING:
    from ._types import Function

__all__ = ["ASK", "Scope", "Setting"]


class _Ask:
    """The default argument of a setting: such a call asks for the value that holds now."""

    def __repr__(self):
        return "<what holds>"


ASK = _Ask()


class Setting(threading.local):
    """One setting: what each thread has entered, the innermost last.

    Parameters
    ----------
    override : callable
        Makes a value hold for calls from this thread.
    nothing : object
        Given to `override`, it lets the process's default hold again.
    set_default : callable
        Makes a value the default of the process.
    """

    def __init__(self, override, nothing, set_default):
        self.entered = []
        self._override, self._nothing, self.set_default = override, nothing, set_default

    def choose(self, text, value):
        """What a call with a value does: a `Scope`, or the default where nobody takes the answer."""
        # Finds the code that called the setting's own function. If that is the package itself,
        # using a setting for a while, the value is not dropped and no default is set.
        frame = sys._getframe(2)
        while frame.f_globals.get("__name__", "").startswith(f"{__package__}._boundary"):
            frame = frame.f_back
        is_default = frame is caller() and drops_value(frame)
        if is_default:
            self.set_default(value)
        return Scope(self, text, value, is_default=is_default)

    def enter(self, scope):
        self.entered.append(scope)
        self._override(scope.value)

    def leave(self, scope):
        # Blocks of generators may be left in another order than they were entered: the innermost
        # that is still entered holds.
        for i in reversed(range(len(self.entered))):
            if self.entered[i] is scope:
                del self.entered[i]
                break
        self._override(self.entered[-1].value if self.entered else self._nothing)


class Scope:
    """A value that holds inside ``with``, or in a decorated function, for the calling thread only.

    It may be kept, entered again, nested in itself and entered by several threads at once: what is
    entered is remembered by the thread, not by the object.
    """

    def __init__(self, setting, text, value, *, is_default=False):
        self._setting, self._text, self.value, self._is_default = setting, text, value, is_default

    def __enter__(self) -> "Scope":
        self._setting.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._setting.leave(self)

    def __call__(self, function: "Function") -> "Function":
        """Decorate a function: the value holds while it runs."""
        if not callable(function):
            raise ParameterError(f"function={function!r} must be callable: {self._text} decorates it")
        for suspends in (inspect.isgeneratorfunction, inspect.iscoroutinefunction,
                         inspect.isasyncgenfunction):  # fmt: skip
            if suspends(function):
                raise ParameterError(
                    f"function={function.__qualname__} must not be a generator or a coroutine: "
                    f"{self._text} would hold for whatever runs while it is suspended; "
                    "write `with` around the calls inside"
                )

        @functools.wraps(function)
        def scoped(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return scoped

    def __repr__(self):
        entered = self._setting.entered
        if entered and entered[-1] is self:
            state = "holds in this thread"
        elif self in entered:
            state = f"entered in this thread, where {entered[-1]._text} holds now"
        elif self._is_default:
            state = "made the default of the process"
        else:
            state = "holds inside `with`"
        return f"<{self._text}: {state}>"
