"""What is said where a package is not installed that only some functions need."""

__all__ = ["not_installed"]


def not_installed(what, package, extra):
    """The sentence; `extra` is the one of metalmom that brings the package."""
    return f"{what} needs {package}, which is not installed: pip install metalmom[{extra}]"
