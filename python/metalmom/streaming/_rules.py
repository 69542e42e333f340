"""What a stream can know of an offline function's arguments, and what it is refused."""

from __future__ import annotations

import inspect
from typing import Any, TYPE_CHECKING

import numpy as np

from .. import core
from ..util._keywords import parameters_of
from ..util._checks import is_number
from ..util.exceptions import ParameterError, Unsaid
from ._requests import Request
from ._stream import flag

if TYPE_CHECKING:
    from ..util._types import DTypeLike, Int

__all__ = ["OF_LEVELS", "request_of"]

# What streams know beside the arguments of a function that makes levels.
OF_LEVELS = ("top_db", "peak")

# The least power of `metalmom.power_to_db`.
_AMIN = inspect.signature(core.power_to_db).parameters["amin"].default


def request_of(
    function: Any, arguments: dict[str, Any], *, channels: Int, sample_dtype: DTypeLike
) -> Request:
    """The request of an offline function's arguments, refused where a stream cannot know it."""
    known, streams = parameters_of(function), function.declared.streams
    arguments = dict(arguments)
    levels = {name: arguments.pop(name, None) for name in OF_LEVELS}
    for each in streams.refuses:
        default = known[each.parameter]
        value = arguments.get(each.parameter, default)
        if isinstance(default, bool):
            value = flag(each.parameter, value)
        if value is not inspect.Parameter.empty and each.when(value):
            shown = value if each.is_shown else Unsaid
            raise ParameterError(each.parameter + each.part, shown, each.rule)
    least = _least_power(**levels)
    request = Request(function, arguments, channels=channels, sample_dtype=sample_dtype)
    if streams.levels:
        request.arguments["top_db"] = np.inf
    if least is not None:
        request.arguments["amin"] = max(least, _AMIN)
    return request


def _least_power(top_db: Any, peak: Any) -> float | None:
    """The power that smaller ones are raised to, so that no level is `top_db` below `peak`; or None."""
    for name, value in (("top_db", top_db), ("peak", peak)):
        if value is not None and not (is_number(value) and np.isfinite(value)):
            raise ParameterError(name, value, "a number or None")
    if top_db is None:
        if peak is not None:
            raise ParameterError(
                "peak", peak, "come with top_db=, how far levels reach below it", verb="must"
            )
        return None
    if peak is None:
        raise ParameterError(
            "top_db", top_db,
            "None in a stream, which does not know the signal's loudest level: pass top_db=None, or "
            "peak=, that level in dB",
        )
    if top_db < 0:
        raise ParameterError("top_db", top_db, "non-negative")
    return 10.0 ** ((peak - top_db) / 10)
