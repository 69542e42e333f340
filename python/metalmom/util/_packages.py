"""Packages that only some functions need: they are imported here, or it is said how to get them."""

from __future__ import annotations

import contextlib
import importlib
from typing import TYPE_CHECKING

from .exceptions import MissingPackageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

__all__ = ["needed_by", "required", "told_by"]

# What a package is called, what installs it, and the extra of metalmom that does so, too.
_PACKAGES = {
    "distributed": ("Dask", "distributed", "dask"),
    "fsspec": ("fsspec", "fsspec", "extract"),
    "matplotlib": ("matplotlib", "matplotlib", "display"),
    "onnx": ("onnx", "onnx", "onnx"),
    "onnxruntime": ("ONNX Runtime", "onnxruntime", "onnx"),
    "pandas": ("pandas", "pandas", ""),
    "pyarrow": ("pyarrow", "pyarrow", "extract"),
    "resampy": ("resampy", "resampy", ""),
    "samplerate": ("samplerate", "samplerate", ""),
    "sklearn": ("scikit-learn", "scikit-learn", ""),
    "soundfile": ("soundfile", "soundfile", "separation"),
    "scipy": ("SciPy", "scipy", "scipy"),
}


def required(
    module: str, argument: str = "", kind: type[MissingPackageError] = MissingPackageError
) -> ModuleType:
    """Import a module of a package that need not be installed, when a function needs it.

    `argument` is the caller's, an `Argument`, where other values do without the package; or words. Whoever
    is called by a user (`_explain`, a class, a command) puts its own name into the error, which is of a
    `kind` of `MissingPackageError`.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise  # the package is there, and lacks something itself
        raise told_by(kind("", name=package, argument=argument), "") from None


def told_by(error: MissingPackageError, who: str) -> MissingPackageError:
    """The error of `required` in the name of `who` needs the package."""
    whose = [who, " with ", error.argument] if who and error.argument else [who or error.argument or "metalmom"]
    package, source, extra = _PACKAGES[str(error.name)]
    needs = f" needs {package}, which is not installed: pip install {source}"
    if extra:
        needs += f" (or metalmom[{extra}])"
    return type(error)(*whose, needs, name=error.name, argument=error.argument)


@contextlib.contextmanager
def needed_by(who: str) -> Iterator[None]:
    """Let errors of `required` in the block name `who` needs the package."""
    try:
        yield
    except MissingPackageError as error:
        raise told_by(error, who) from None
