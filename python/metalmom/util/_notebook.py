"""What notebooks show: tables in place of texts, and bars of progress."""

from __future__ import annotations

import contextlib
import html
import sys
from collections.abc import Iterable
from typing import Any

__all__ = ["bar_of", "in_notebook", "table_of"]


def table_of(rows: Iterable[tuple[str, object]]) -> str:
    """A table of names and what they are, in HTML; both may be texts of other people."""
    cells = (f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>" for name, value in rows)
    return f"<table>{''.join(cells)}</table>"


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook: IPython has a kernel there, and none on a terminal."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def bar_of(**options: Any) -> Any | None:
    """A progress bar of tqdm: a widget in a notebook, a line on a terminal; None elsewhere, and without tqdm.

    An empty bar is False, as in tqdm: compare with None.
    """
    with contextlib.suppress(ImportError):
        if in_notebook():
            from tqdm.auto import tqdm

            return tqdm(**options)
        if sys.stderr is not None and sys.stderr.isatty():
            from tqdm import tqdm

            return tqdm(file=sys.stderr, **options)
    return None
