"""Decorators for functions that moved or will be removed, and for functions of single values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Annotated, Any, cast

import numpy as np
from ._public import public
from ._types import Array, Function
from ._rules import iterable

from ._warnings import warn

__all__ = ["deprecated", "moved", "vectorize"]


def _warning(text: Callable[[str], str]) -> Callable[..., Any]:
    """A decorator that warns, when the function is called, with a text made from its name."""

    def decorate(function: Function) -> Function:
        message = text(f"{function.__module__}.{function.__qualname__}")

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            warn(message, FutureWarning)
            return function(*args, **kwargs)

        return cast("Function", wrapper)

    return decorate


@public
def moved(*, moved_from: str, version: str, version_removed: str) -> Callable[..., Any]:
    """Mark the old name of a function that moved: calls of it warn.

    Parameters
    ----------
    moved_from : str
        The old name.
    version, version_removed : str
        Since when it has moved, and until when the old name stays.

    Returns
    -------
    callable
        A decorator.

    Examples
    --------
    >>> old = metalmom.util.decorators.moved(
    ...     moved_from="mine.tiny", version="1.0", version_removed="2.0")(metalmom.util.tiny)
    >>> old.__name__
    'tiny'
    """
    return _warning(
        lambda name: f"{moved_from} was moved to {name} in version {version}; "
        f"the old name will be removed in version {version_removed}."
    )


@public
def deprecated(*, version: str, version_removed: str) -> Callable[..., Any]:
    """Mark a function that will be removed: calls of it warn.

    Parameters
    ----------
    version, version_removed : str
        Since when nobody should use it, and when it goes.

    Returns
    -------
    callable
        A decorator.

    Examples
    --------
    >>> @metalmom.util.decorators.deprecated(version="1.0", version_removed="2.0")
    ... def half(x):
    ...     return x / 2
    """
    return _warning(
        lambda name: f"Deprecated: {name} is deprecated since version {version} and will be removed in "
        f"version {version_removed}."
    )


@public
def vectorize(
    *,
    otypes: str | list[Any] | None = None,
    doc: str | None = None,
    excluded: Annotated[Iterable[Any] | Array, iterable()] | None = None,
    cache: bool = False,
    signature: str | None = None,
) -> Callable[..., Any]:
    """Turn a function of single values into one of arrays, by `numpy.vectorize`; scalars stay scalars.

    Parameters
    ----------
    otypes : str or list, optional
        As in `numpy.vectorize`, as are the others.
    doc, signature : str, optional
    excluded : iterable, optional
    cache : bool

    Returns
    -------
    callable
        A decorator.

    Examples
    --------
    >>> @metalmom.util.decorators.vectorize()
    ... def clipped(x):
    ...     return min(x, 2)
    >>> clipped(3), clipped([1, 2, 3])
    (2, array([1, 2, 2]))
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        over_arrays = np.vectorize(
            function, otypes=otypes, doc=doc, excluded=excluded, cache=cache, signature=signature
        )

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            values = over_arrays(*args, **kwargs)
            return values.item() if np.isscalar(args[0]) else values

        return wrapper

    return decorate
