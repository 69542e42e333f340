"""Warnings that name the line of whoever called metalmom."""

import sys
import warnings

# Code that a caller did not write: this package, and what may stand between a caller and one of its
# functions, such as numpy.vectorize or a context manager made from a generator.
_NOT_CALLERS = frozenset([__package__, "numpy", "scipy", "functools", "contextlib"])


def _caller():
    """The innermost frame that is the caller's own; None where only C called."""
    frame = sys._getframe(2)
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_CALLERS:
        frame = frame.f_back
    return frame


def warn(message, category=UserWarning):
    """`warnings.warn`, however many functions, decorators and generators lie in between.

    All warnings of the package and of its engine go through here. A fixed ``stacklevel`` would be
    right for one way into a function only: most are called by users and by other functions.
    """
    frame = _caller()
    if frame is None:
        warnings.warn(message, category, stacklevel=2)
        return
    warnings.warn_explicit(
        message,
        category,
        filename=frame.f_code.co_filename,
        lineno=frame.f_lineno,
        module=frame.f_globals.get("__name__"),
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )
