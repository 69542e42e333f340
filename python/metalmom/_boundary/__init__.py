"""Where a public function meets its caller: what goes wrong inside is told in the caller's terms.

`explain` looks for the argument of a call that breaks what the function's own signature says of it; the
wrapper of public functions (`util._public`), Extractors, streams and tables ask for that.
"""

from __future__ import annotations

from typing import Any

__all__ = ["explained"]


def explained(*call_and_error: Any) -> Any:
    """What is to be told of an error of a call: `function, args, kwargs, error`."""
    from . import explain  # only when the first error has to be explained

    try:
        return explain.explained(*call_and_error)
    # looking at a value may run any code; its error must not hide the one that happened
    except Exception:
        return call_and_error[-1]
