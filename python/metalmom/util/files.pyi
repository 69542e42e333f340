# Written by scripts/make_stubs.py from the docstrings.

import os
from .._types import Int

__all__ = [
    "cite",
    "ex",
    "example",
    "example_info",
    "find_files",
    "list_examples",
]

def cite(version: str | None = None, *, bib: bool = False) -> str: ...
def ex(key: str, *, hq: bool = False, url: bool = False) -> str: ...
def example(key: str, *, hq: bool = False, url: bool = False) -> str: ...
def example_info(key: str, *, html: bool = False) -> str | None: ...
def find_files(
    directory: str | os.PathLike[str],
    *,
    ext: str | list[str] | None = None,
    recurse: bool = True,
    case_sensitive: bool = False,
    limit: Int | None = None,
    offset: Int = 0,
) -> list[str]: ...
def list_examples() -> None: ...
