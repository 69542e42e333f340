"""Warnings that name the line of whoever called metalmom."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np

from ._callers import place

_here = threading.local()


def given() -> int:
    """How many warnings this thread has given."""
    return getattr(_here, "given", 0)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """`warnings.warn`, however many functions, decorators and generators lie in between.

    All warnings of the package and of its engine go through here. A fixed ``stacklevel`` would be
    right for one way into a function only: most are called by users and by other functions. Of what
    runs in `submit` it is the line that submitted.
    """
    _here.given = given() + 1
    where = place()
    if where is None:
        warnings.warn(message, category, stacklevel=2)
        return
    filename, line, module, registry = where
    warnings.warn_explicit(message, category, filename, line, module, registry)


# NumPy's arithmetic warns with the line that computes, which is ours. So while a public function
# runs, NumPy writes such warnings ("divide by zero encountered in log2") to a log, which warns with
# the caller's line. Errors that the user has set to be ignored or raised (np.errstate) are left
# alone.


class _Log:
    @staticmethod
    def write(text: str) -> None:
        warn(text.removeprefix("Warning: ").rstrip("\n"), RuntimeWarning)


_LOG = _Log()

if hasattr(np, "geterrobj"):  # NumPy 1: its np.errstate takes ten times as long as this
    # NumPy's codes for what to do about a kind of error, three bits each
    _WARN, _CALL, _WRITE = 1, 3, 5
    _LOGGED: dict[int, int | None] = {}  # a combination of codes -> the same with the log in place of warnings

    def _logged(mask: int) -> int | None:
        modes = [mask >> shift & 7 for shift in (0, 3, 6, 9)]
        if _CALL in modes or _WRITE in modes:
            return None  # the user has set a function or a log
        return sum((_WRITE if mode == _WARN else mode) << 3 * i for i, mode in enumerate(modes))

    def divert() -> Any:
        """Let NumPy's warnings name the caller's line, up to `restore` of what this answers."""
        was = np.geterrobj()
        size, mask, to = was
        if to is _LOG:
            return None
        if mask not in _LOGGED:
            _LOGGED[mask] = _logged(mask)
        if _LOGGED[mask] is None:
            return None
        np.seterrobj([size, _LOGGED[mask], _LOG])
        return was

    def restore(was: Any) -> None:
        if was is not None:
            np.seterrobj(was)

else:

    def _logged_modes() -> dict[str, Any] | None:
        modes = np.geterr()
        if np.geterrcall() is _LOG or not {"call", "log"}.isdisjoint(modes.values()):
            return None
        return {"call": _LOG} | {kind: "log" for kind, mode in modes.items() if mode == "warn"}

    try:  # what np.errstate does inside; np.errstate itself takes twenty times as long
        from numpy._core.umath import _extobj_contextvar as _STATE
        from numpy._core.umath import _make_extobj
    except ImportError:

        def divert() -> Any:
            """Let NumPy's warnings name the caller's line, up to `restore` of what this answers."""
            modes = _logged_modes()
            if modes is None:
                return None
            state = np.errstate(**modes)
            state.__enter__()
            return state

        def restore(was: Any) -> None:
            if was is not None:
                was.__exit__(None, None, None)

    else:
        # The state that was met last, and the same with the log in place of warnings (None: leave
        # it alone).
        _known: tuple[Any, Any] = (None, None)

        def divert() -> Any:
            """Let NumPy's warnings name the caller's line, up to `restore` of what this answers."""
            global _known
            was, logged = _known
            now = _STATE.get()
            if now is logged:
                return None
            if now is not was:
                modes = _logged_modes()
                logged = None if modes is None else _make_extobj(**modes)
                _known = (now, logged)
            return None if logged is None else _STATE.set(logged)

        def restore(was: Any) -> None:
            if was is not None:
                _STATE.reset(was)
