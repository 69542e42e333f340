"""A trace as one self-contained page: the sources beside this file, inlined."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from .._about import labelled
from .._roofline import roofline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..summary import Summary

_FOLDER = os.path.dirname(__file__)
_SCRIPTS = ("model.js", "timeline.js", "panel.js", "page.js")


def source(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _in_script(data: bytes) -> bytes:
    """JSON that cannot end the script element it stands in."""
    return data.replace(b"<", b"\\u003c")


def render(chrome_json: bytes, summary: Summary, about: Mapping[str, str]) -> bytes:
    """The page.

    Parameters
    ----------
    chrome_json : bytes
        The trace as Chrome trace events.
    summary : Summary
    about : dict of str
        What it was taken on.

    Returns
    -------
    bytes
    """
    figures = {"rows": summary.rows, "cpu": summary.cpu, "gpu": summary.gpu,
               "diagnosis": summary.diagnosis, "dropped": summary.dropped,
               "about": labelled(about),
               "roofline": roofline(summary.gpu["by_kernel"], summary.gpu["peaks"]) if summary.gpu else ""}
    page = source("page.html").encode()
    for mark, text in (
        (b"/* page.css */", source("page.css").encode()),
        (b"/* scripts */", "\n".join(map(source, _SCRIPTS)).encode()),
        (b"/* summary */", _in_script(json.dumps(figures).encode())),
        (b"/* trace */", _in_script(chrome_json)),
    ):
        page = page.replace(mark, text, 1)
    return page
