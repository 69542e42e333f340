"""Interpolation of the kinds that SciPy has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..util._packages import required
from ..util.exceptions import ParameterError

if TYPE_CHECKING:
    from ..util._types import Array


def interpolation(
    positions: Array, values: Array, what: str, needed_by: str, *, kind: Any, **others: Any
) -> Any:
    """The curve of `scipy.interpolate.interp1d` through values; `what` names those in an error."""
    interp1d = required("scipy.interpolate", needed_by).interp1d
    try:
        return interp1d(positions, values, kind=kind, **others)
    except (NotImplementedError, ValueError) as error:
        rule = f"a kind of scipy.interpolate.interp1d that {len(positions)} {what} suffice for: {error}"
        raise ParameterError("kind", kind, rule) from error
