"""How a run goes; what it computes is in its recipe."""

import dataclasses
import os

from .._engine.config import setting_of
from ..util.exceptions import ParameterError

__all__ = ["Settings", "failure_limit", "resolved_backend"]


@dataclasses.dataclass
class Settings:
    """What `metalmom.extract` takes beside inputs, folder and recipe; it says what each is, and its default."""

    format: str | None
    jobs: int | None
    backend: str | None
    memory: int | str | None
    cache_audio: str | None
    cache_size: int | str
    overwrite: bool
    retry_failed: bool
    repair: bool
    drop_missing: bool
    changed: str
    max_failures: str | int | None
    timeout: float | None
    progress: str
    scheduler: object

    @classmethod
    def of(cls, arguments):
        """Those among the arguments of `metalmom.extract`, by their names."""
        settings = cls(**{field.name: arguments[field.name] for field in dataclasses.fields(cls)})
        settings.cache_audio = settings.cache_audio and os.fspath(settings.cache_audio)
        if arguments.get("client") is not None:
            settings.scheduler = arguments["client"]
        return settings


def resolved_backend(name, here=True):
    """The backend of a run: one that is the same for every file, whatever its length.

    Decoding bounds a run, so the CPU is what is taken without a word; "auto" is the GPU where there
    is one that is no software, and always decided by this machine. Other devices are looked for
    where they are `here`.
    """
    from .._engine.backend import devices

    if name is None:
        return "cpu"
    setting = setting_of(name)
    if here and setting.side != "cpu":
        known = [each.index for each in devices()]
        missing = [number for number in setting.devices if number >= 0 and number not in known]
        if missing or (setting.side == "gpu" and not known):
            has = f"has {', '.join(f'gpu:{number}' for number in known)}" if known else "has none"
            raise ParameterError(f"backend={name!r} must be of devices that are there: this machine {has}")
    if setting.side != "auto":
        return name
    has_gpu = any(each.type != "cpu" for each in devices())
    return name.replace("auto", "gpu") if has_gpu else "cpu"


def failure_limit(limit):
    """How many of a number of files may fail, as a function of that number; None: any."""
    if limit is None:
        return None
    text = str(limit).strip()
    try:
        value = float(text.removesuffix("%"))
        if not (0 <= value <= 100 if text.endswith("%") else value >= 0 and value.is_integer()):
            raise ValueError
    except ValueError:
        raise ParameterError(f"max_failures={limit!r} must be a number of files, or like '1%'") from None
    if text.endswith("%"):
        return lambda files: files * value / 100
    return lambda files: value
