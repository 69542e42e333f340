"""What notebooks show in place of a text."""

from __future__ import annotations

import html
from collections.abc import Iterable

__all__ = ["table_of"]


def table_of(rows: Iterable[tuple[str, object]]) -> str:
    """A table of names and what they are, in HTML; both may be other people's texts."""
    cells = (f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>" for name, value in rows)
    return f"<table>{''.join(cells)}</table>"
