"""What `extract` is called with, looked at before anything is done."""

import os

from ..util._checks import size_in_bytes
from ..util.exceptions import ParameterError
from ..util.utils import is_positive_int
from .progress import MODES
from .tables import FORMATS

__all__ = ["check", "path", "paths"]

_ONE_OF = {
    "format": (None, *FORMATS),
    "progress": MODES,
    "changed": ("error", "recompute"),
    "overwrite": (False, True),
    "retry_failed": (False, True),
    "repair": (False, True),
    "drop_missing": (False, True),
}

# Seconds of patience: a shorter one would not end a decoder sooner than what a file's size allows,
# and a longer one the system cannot wait.
_SHORTEST, _LONGEST = 0.1, 1e6


def path(name, value):
    """A path as an argument."""
    text = os.fsdecode(value) if isinstance(value, (str, bytes, os.PathLike)) else ""
    if not text or "\0" in text:
        raise ParameterError(f"{name}={value!r} must be a path")
    return text


def paths(inputs):
    """Inputs as a list: one path, or any number of them."""
    if isinstance(inputs, (str, bytes, os.PathLike)):
        return [path("inputs", inputs)]
    try:
        inputs = list(inputs)
    except TypeError:
        raise ParameterError(f"inputs={inputs!r} must be a path, or paths") from None
    return [path(f"inputs[{place}]", each) for place, each in enumerate(inputs)]


def check(arguments):
    """Raise `ParameterError` for the first argument of `extract` that cannot be right."""
    for name, known in _ONE_OF.items():
        value = arguments[name]
        if not any(value is each or (isinstance(value, str) and value == each) for each in known):
            words = ", ".join(repr(each) for each in known if each is not None)
            raise ParameterError(f"{name}={value!r} must be one of {words}")
    for name in ("retry_failed", "repair", "drop_missing"):
        if arguments["overwrite"] and arguments[name]:
            raise ParameterError(f"{name}=True must not be given with overwrite=True, which computes all files")
    jobs = arguments["jobs"]
    if jobs is not None and (isinstance(jobs, bool) or not is_positive_int(jobs)):
        raise ParameterError(f"jobs={jobs!r} must be a positive integer or None")
    path("out", arguments["out"])
    for name in ("path_column", "scheduler", "backend"):
        if not isinstance(arguments[name], (str, type(None))):
            raise ParameterError(f"{name}={arguments[name]!r} must be a text or None")
    if isinstance(arguments.get("client"), str):
        raise ParameterError(f"client={arguments['client']!r} must be a distributed.Client; scheduler= takes an address")
    if arguments["cache_audio"] is not None:
        path("cache_audio", arguments["cache_audio"])
    if arguments["memory"] is not None:
        size_in_bytes("memory", arguments["memory"])
    size_in_bytes("cache_size", arguments["cache_size"])
    timeout = arguments["timeout"]
    number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if timeout is not None and not (number and _SHORTEST <= timeout <= _LONGEST):
        raise ParameterError(
            f"timeout={timeout!r} must be seconds from {_SHORTEST:g} to {_LONGEST:g}, or None"
        )
