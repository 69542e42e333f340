"""What a stream can know of an offline function's arguments, and what it is refused."""

import inspect

import numpy as np

from .. import core
from .._extractor import _recipe
from ..util._checks import is_number
from ..util._wording import did_you_mean
from ..util.exceptions import ParameterError
from ._requests import Request
from ._stream import flag

__all__ = ["OF_LEVELS", "WITH_LEVELS", "request_of"]

# What streams know beside the arguments of a function that makes levels.
OF_LEVELS = ("top_db", "peak")

# The least power of `metalmom.power_to_db`.
_AMIN = inspect.signature(core.power_to_db).parameters["amin"].default


def request_of(function, arguments, *, channels, sample_dtype):
    """The request of an offline function's arguments, refused where a stream cannot know it."""
    known = _recipe.parameters_of(function)
    for name in arguments:
        if name not in known and not (name in OF_LEVELS and function.__name__ in WITH_LEVELS):
            raise ParameterError(
                f"{name}={arguments[name]!r} is no parameter of {function.__name__}"
                + did_you_mean(name, known)
            )
    rule = _RULES.get(function.__name__)
    arguments = dict(arguments)
    levels = {name: arguments.pop(name, None) for name in OF_LEVELS}
    if rule is not None:
        rule(arguments)
    least = _least_power(**levels)
    request = Request(function, arguments, channels=channels, sample_dtype=sample_dtype)
    if function.__name__ in WITH_LEVELS:
        request.arguments["top_db"] = np.inf
    if least is not None:
        request.arguments["amin"] = max(least, _AMIN)
    return request


def _least_power(top_db, peak):
    """The power that smaller ones are raised to, so that no level is `top_db` below `peak`; or None."""
    for name, value in (("top_db", top_db), ("peak", peak)):
        if value is not None and not (is_number(value) and np.isfinite(value)):
            raise ParameterError(f"{name}={value!r} must be a number or None")
    if top_db is None:
        if peak is not None:
            raise ParameterError(f"peak={peak} must come with top_db=, how far levels reach below it")
        return None
    if peak is None:
        raise ParameterError(
            f"top_db={top_db} must be None in a stream, which does not know the signal's loudest "
            "level: pass top_db=None, or peak=, that level in dB"
        )
    if top_db < 0:
        raise ParameterError(f"top_db={top_db} must be non-negative")
    return 10.0 ** ((peak - top_db) / 10)


def _onset_rules(arguments):
    if arguments.get("detrend"):
        raise ParameterError("detrend=True must be False in a stream")
    for name in ("feature", "aggregate"):
        value = arguments.get(name)
        if not any(value is each for each in (None, np.mean, np.median)):
            raise ParameterError(f"{name}={value!r} must be None in a stream: functions see all frames")


def _chroma_rules(arguments):
    if arguments.get("tuning") is None:
        raise ParameterError(
            "tuning=None must be a number in a stream, because it is estimated from the whole "
            "signal: pass tuning=0.0, or what metalmom.estimate_tuning says of a part"
        )


def _crossing_rules(arguments):
    if callable(arguments.get("ref_magnitude")):
        raise ParameterError(
            "ref_magnitude must be a number in a stream: a function of it sees all samples"
        )


def _shape_rules(arguments):
    if np.ndim(arguments.get("freq")) > 1:
        raise ParameterError("freq.ndim must be 1 in a stream: it is the same for all frames")


def _contrast_rules(arguments):
    if not flag("linear", arguments.get("linear", False)):
        raise ParameterError(
            "linear=False must be True in a stream: the levels of spectral_contrast end 80 dB below "
            "the loudest of the whole signal"
        )


_RULES = {
    "chroma_stft": _chroma_rules,
    "onset_strength": _onset_rules,
    "spectral_bandwidth": _shape_rules,
    "spectral_centroid": _shape_rules,
    "spectral_contrast": _contrast_rules,
    "spectral_rolloff": _shape_rules,
    "zero_crossing_rate": _crossing_rules,
}
WITH_LEVELS = ("mfcc", "onset_strength")
