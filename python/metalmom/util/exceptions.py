"""The exceptions that metalmom raises; the engine's are translated into these."""

from __future__ import annotations

__all__ = ["AudioError", "DeviceError", "LibrosaError", "ParameterError"]


class LibrosaError(Exception):
    """Root of every error raised on purpose, named as in librosa."""


class ParameterError(LibrosaError, ValueError):
    """An argument that cannot be used; the text reads ``name=value must be rule``."""


class ParameterTypeError(ParameterError, TypeError):
    """An argument of a wrong type, also for those who catch a TypeError, as librosa raises one."""


class ParameterKeyError(ParameterError, KeyError):
    """A name that no table has, also for those who catch a KeyError, as librosa raises one."""

    __str__ = Exception.__str__  # a KeyError shows its text in quotes


class AudioError(LibrosaError, RuntimeError):
    """A file or stream that cannot be decoded or resampled; the text names it."""


class MissingPackageError(LibrosaError, ModuleNotFoundError):
    """A package is not installed that only some functions need; the text says how to install it."""

    def __init__(self, text: str, *, name: str | None = None, argument: str = "") -> None:
        super().__init__(text, name=name)
        self.argument = argument  # the one whose value needs the package, as it was written


class MissingPackageOfArgument(MissingPackageError, ParameterError):
    """An argument needs a package that is not installed, also for those who catch a ParameterError."""


class DeviceError(LibrosaError, RuntimeError):
    """A GPU that was asked for is missing, failed, or declines the work."""
