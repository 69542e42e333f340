# Written by scripts/make_stubs.py from the docstrings.

__all__ = [
    "short_version",
    "show_versions",
    "version",
]

short_version: str
def show_versions() -> None: ...
version: str
