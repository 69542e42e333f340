"""The version, and a report about the installation for bug reports."""

from __future__ import annotations

import importlib
import sys

from .util._public import public

__all__ = ["short_version", "show_versions", "version"]

short_version = "0.1"
version = "0.1.0"

# Packages other than NumPy that some functions use if they are installed.
_PACKAGES = ("numpy", "scipy", "matplotlib", "samplerate", "resampy", "soundfile", "sklearn", "pyarrow",
             "fsspec", "tqdm", "distributed", "joblib", "pytest")  # fmt: skip


def _version_of(package: str) -> str | None:
    try:
        module = importlib.import_module(package)
    except ImportError:
        return None
    return getattr(module, "__version__", "installed, no version number available")


@public
def show_versions() -> None:
    """Print the versions of Python, metalmom, its engine and the packages it can use.

    Examples
    --------
    >>> metalmom.show_versions()  # doctest: +ELLIPSIS
    INSTALLED VERSIONS
    ------------------
    python: 3...
    """
    from ._engine.runtime import build_info

    print("INSTALLED VERSIONS")
    print("------------------")
    print(f"python: {sys.version}\n")
    print(f"metalmom: {version}")
    for name, value in build_info().items():
        print(f"  {name}: {value}")
    print()
    for package in _PACKAGES:
        print(f"{package}: {_version_of(package)}")
