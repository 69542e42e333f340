"""The options of `extract`: its signature declares them, and here is what they may be and come to."""

from __future__ import annotations

import inspect
import os
import re
import types
import typing
from collections.abc import Callable
from typing import Any

from .. import _native
from .._engine.config import setting_of
from ..util._checks import size_in_bytes
from ..util._memory import machine_memory
from ..util._signatures import hints_of
from ..util._wording import names_in
from ..util.exceptions import Argument, ParameterError
from ..util.files import absolute
from ..util.utils import is_positive_int
from .inputs import is_url

# What `aggregate` may name.
STATISTICS = ("mean", "std", "min", "max", "median")

# Seconds of patience: a shorter one would not end a decoder sooner than what a file's size allows,
# and a longer one the system cannot wait.
_SHORTEST, _LONGEST = 0.1, 1e6


class Option(typing.NamedTuple):
    """A keyword of a function: its default, and what its annotation allows beside other types.

    `choices` are the values that it lists; `takes_function` and `takes_none` say whether it may be a function, or None.
    """

    default: object
    choices: tuple[Any, ...]
    takes_function: bool
    takes_none: bool


def options_of(function: Callable[..., Any]) -> dict[str, Option]:
    """The options of a function by name."""
    hints = hints_of(function, include_extras=False)
    return {name: Option(parameter.default, _listed(hints[name]), _takes_function(hints[name]),
                         types.NoneType in typing.get_args(hints[name]))
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY}  # fmt: skip


def _listed(hint: Any) -> tuple[Any, ...]:
    if hint is bool:
        return False, True
    literals = (each for each in (hint, *typing.get_args(hint)) if typing.get_origin(each) is typing.Literal)
    return tuple(value for each in literals for value in typing.get_args(each))


def _takes_function(hint: Any) -> bool:
    return any(typing.get_origin(each) is Callable for each in (hint, *typing.get_args(hint)))


def path(name: str, value: Any) -> str:
    """A path as an argument."""
    text = os.fsdecode(value) if isinstance(value, (str, bytes, os.PathLike)) else ""
    if not text or "\0" in text:
        raise ParameterError(name, value, "a path")
    return text


def paths(inputs: Any) -> list[str]:
    """Inputs as a list: one path, or any number of them."""
    if isinstance(inputs, (str, bytes, os.PathLike)):
        return [path("inputs", inputs)]
    try:
        inputs = list(inputs)
    except TypeError:
        raise ParameterError("inputs", inputs, "a path, or paths") from None
    return [path(f"inputs[{place}]", each) for place, each in enumerate(inputs)]


def settings_of(function: Callable[..., Any], arguments: dict[str, Any]) -> types.SimpleNamespace:
    """How a run goes: options as attributes, each as it is to be used.

    Parameters
    ----------
    function : callable
        `metalmom.extract`.
    arguments : dict
        Its arguments, as far as they are given.

    Raises
    ------
    ParameterError
        For the first that cannot be right.
    """
    options = options_of(function)
    given = types.SimpleNamespace(**{name: arguments.get(name, each.default) for name, each in options.items()})

    def require(name: str, holds: Callable[[Any], Any], rule: str) -> None:
        value = getattr(given, name)
        if value is not None and not holds(value):
            raise ParameterError(name, value, rule)

    for name, (_, known, takes_function, takes_none) in options.items():
        value = getattr(given, name)
        is_known = any(value is each or (isinstance(value, str) and value == each) for each in known)
        if known and not is_known and not (takes_function and callable(value)) and not (takes_none and value is None):
            words = ", ".join(map(repr, known))
            raise ParameterError(name, value, f"one of {words}{', or a function' if takes_function else ''}")
    for name in ("retry_failed", "repair", "drop_missing"):
        if given.overwrite and getattr(given, name):
            raise ParameterError(parts=(Argument(name, True), " must not be given with ", Argument("overwrite", True),
                                        ", which computes all files"))  # fmt: skip
    require("jobs", lambda jobs: is_positive_int(jobs) and jobs is not True, "a positive integer or None")
    require("root", lambda root: not is_url(path("root", root)) and os.path.isdir(root), "an existing folder")
    given.root = given.root and absolute(path("root", given.root))
    given.keep_columns = names_of_columns(given.keep_columns)
    for name in ("path_column", "scheduler", "backend"):
        require(name, lambda text: isinstance(text, str), "a text or None")
    require("client", lambda client: not isinstance(client, str), "a distributed.Client; scheduler= takes an address")
    require("scheduler", lambda address: re.fullmatch(r"\w+://.+:\d+/?", address), "like 'tcp://host:8786'")
    require("timeout", _is_patience, f"seconds from {_SHORTEST:g} to {_LONGEST:g}, or None")
    if given.client is not None:
        given.scheduler = given.client
    given.jobs = given.jobs or _native.thread_count()
    given.memory = size_in_bytes("memory", machine_memory() // 4 if given.memory is None else given.memory)
    given.cache_size = size_in_bytes("cache_size", given.cache_size)
    given.cache_audio = None if given.cache_audio is None else absolute(path("cache_audio", given.cache_audio))
    given.allows = _limit_of(given.max_failures)
    return given


def names_of_columns(given: Any) -> list[str]:
    """`keep_columns` as a list, given as one or as names with commas between them."""
    if given is None:
        return []
    names = names_in(given) if isinstance(given, str) else given
    if not isinstance(names, (list, tuple)) or not all(isinstance(each, str) for each in names):
        raise ParameterError("keep_columns", given, "a name, or a list of names")
    names = [*names]
    if not all(names) or len({*names}) < len(names):
        raise ParameterError("keep_columns", given, "names, each of them once")
    return names


def _is_patience(timeout: Any) -> bool:
    is_number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    return is_number and _SHORTEST <= timeout <= _LONGEST


def _limit_of(max_failures: Any) -> Callable[[int, int], bool]:
    """Whether so many failures of so many files are allowed, as a function of both numbers."""
    if max_failures is None:
        return lambda failed, files: True
    text = str(max_failures).strip()
    is_part = text.endswith("%")
    try:
        value = float(text.removesuffix("%"))
        if not (0 <= value <= 100 if is_part else value >= 0 and value.is_integer()):
            raise ValueError
    except ValueError:
        raise ParameterError("max_failures", max_failures, "a number of files, or like '1%'") from None
    return lambda failed, files: failed <= (files * value / 100 if is_part else value)


def devices_of(backend: str) -> list[str]:
    """The backends that the processes of a run take in turns: ``"gpu:0,1"`` and ``"gpu:all"`` name several devices."""
    from .._engine.backend import devices

    side, _, which = backend.partition(":")
    if which == "all":
        named = [f"{side}:0"]  # as long as nobody has looked for them
    elif "," in which:
        named = [f"{side}:{number}" for number in which.split(",")]
    else:
        named = [backend]
    try:
        numbers = {setting_of(each).device for each in named}
    except ParameterError as error:
        raise ParameterError("backend", backend, f"{error.rule}, ':N,M' or ':all'", hint=error.hint) from None
    if len(numbers) < len(named):
        raise ParameterError("backend", backend, "a list that names each device once")
    if which == "all":
        usable = [each for each in devices() if not each.unusable]
        chosen = [each for each in usable if each.type != "cpu"] or usable
        return [f"{side}:{each.index}" for each in chosen] or [side]
    return named


def resolved_backend(name: str | None, here: bool = True) -> str:
    """The backend of a run: one that is the same for every file, whatever its length.

    Decoding bounds a run, so the CPU is what is taken without a word; "auto" is the GPU where there
    is one that is no software, and always decided by this machine. Other devices are looked for
    where they are `here`.
    """
    from .._engine.backend import devices

    if name is None:
        return "cpu"
    settings = [setting_of(each) for each in devices_of(name)]
    side = settings[0].side
    if here and side != "cpu":
        known = [each.index for each in devices()]
        missing = [each for each in settings if each.device >= 0 and each.device not in known]
        if missing or (side == "gpu" and not known):
            has = f"has {', '.join(f'gpu:{number}' for number in known)}" if known else "has none"
            raise ParameterError("backend", name, f"of devices that are there: this machine {has}")
    if side != "auto":
        return name
    has_gpu = any(each.type != "cpu" for each in devices())
    return name.replace("auto", "gpu") if has_gpu else "cpu"
