# Written by scripts/make_stubs.py from the docstrings.

import concurrent.futures._base
from collections.abc import Callable
from typing import Any

__all__ = [
    "submit",
]

def submit(
    function: Callable[..., Any],
    /,
    *args: object,
    **kwargs: object,
) -> concurrent.futures._base.Future: ...
