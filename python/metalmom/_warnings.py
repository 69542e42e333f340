"""Warnings that name the line of whoever called metalmom."""

import warnings

from ._callers import caller


def warn(message, category=UserWarning):
    """`warnings.warn`, however many functions, decorators and generators lie in between.

    All warnings of the package and of its engine go through here. A fixed ``stacklevel`` would be
    right for one way into a function only: most are called by users and by other functions.
    """
    frame = caller()
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
