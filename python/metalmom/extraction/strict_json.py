"""JSON as RFC 8259 has it, which knows no infinity: files of OUT are read by other programs, too.

Recipes have such numbers (``norm=inf`` is the default of `chroma_stft`). Here they are the texts
"Infinity", "-Infinity" and "NaN", as in the JSON of Protocol Buffers, and a recipe takes these texts
as the numbers. What older versions wrote, the same words without quotes, is read as the texts.
"""

from __future__ import annotations

import json
from typing import Any


def dump(value: Any, **how: Any) -> str:
    """A value as text; one that is no value of JSON is a `ValueError`."""
    return json.dumps(value, allow_nan=False, **how)


def load(content: str | bytes) -> Any:
    """The value of a text."""
    return json.loads(content, parse_constant=str)


def plain(value: Any) -> Any:
    """A value of Python as one that `dump` takes."""
    return load(json.dumps(value))
