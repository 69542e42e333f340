"""Deprecation: arguments with a new name."""

from __future__ import annotations

from ._callers import caller
from ._public import public
from ._types import Deprecated as Deprecated
from ._warnings import warn

__all__ = ["Deprecated", "rename_kw"]


@public
def rename_kw(
    *,
    old_name: str,
    old_value: object,
    new_name: str,
    new_value: object,
    version_deprecated: str,
    version_removed: str,
) -> object:
    """The value of an argument that was renamed, with a warning if the old name is used.

    Parameters
    ----------
    old_name, new_name : str
        The argument's names.
    old_value, new_value : object
        What was given under each; `old_value` is a `Deprecated` if nothing was.
    version_deprecated, version_removed : str
        Since when there is the new name, and until when the old one.

    Returns
    -------
    object
        `old_value` if it was given, otherwise `new_value`.

    Warns
    -----
    FutureWarning
        If the old name was used.

    Examples
    --------
    >>> metalmom.util.rename_kw(old_name="n", old_value=metalmom.util.Deprecated(), new_name="size",
    ...                         new_value=3, version_deprecated="1.0", version_removed="2.0")
    3
    """
    if isinstance(old_value, Deprecated):
        return new_value
    frame = caller()
    function = frame.f_code.co_name if frame else "a function"
    warn(
        f"{function}() has its argument {old_name!r} renamed to {new_name!r} since version "
        f"{version_deprecated}; the old name will be removed in version {version_removed}.",
        FutureWarning,
    )
    return old_value
