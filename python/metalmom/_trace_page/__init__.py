"""A trace as one self-contained page: the sources beside this file, inlined."""

import json
import os

_FOLDER = os.path.dirname(__file__)


def _source(name):
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _in_script(data):
    """JSON that cannot end the script element it stands in."""
    return data.replace(b"<", b"\\u003c")


def render(chrome_json, summary):
    """The page.

    Parameters
    ----------
    chrome_json : bytes
        The trace as Chrome trace events.
    summary : Summary

    Returns
    -------
    bytes
    """
    figures = {"rows": summary.rows, "cpu": summary.cpu, "text": str(summary),
               "diagnosis": summary.diagnosis, "dropped": summary.dropped}
    page = _source("page.html").encode()
    for mark, text in (
        (b"/* page.css */", _source("page.css").encode()),
        (b"/* page.js */", _source("page.js").encode()),
        (b"/* summary */", _in_script(json.dumps(figures).encode())),
        (b"/* trace */", _in_script(chrome_json)),
    ):
        page = page.replace(mark, text, 1)
    return page
