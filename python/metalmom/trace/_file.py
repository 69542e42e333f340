"""Traces read back from the files that `Trace.save` writes."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from ..util._public import public
from ..util.exceptions import ParameterError
from ._recording import PEAKS, Decoded, Point, Sample, Span, Stored, Trace, names_page
from ._summary import COUNTS

__all__ = ["load"]

# The trace in a page; there "<" is an escape in its texts.
_IN_PAGE = re.compile(rb'<script id="trace-data" type="application/json">([^<]*)</script>')
# What the engine writes beside what a trace was taken on.
_OF_ENGINE = ("clock", "start_ns", "duration_ns", "dropped_events")


@public
def load(path: str | os.PathLike[str]) -> Trace:
    """Read a trace that `Trace.save`, ``METALMOM_TRACE`` or a flight recorder wrote.

    Parameters
    ----------
    path : str or os.PathLike
        A page (``*.html``) or a file of JSON.

    Returns
    -------
    Trace
        With everything that the recorded one had; its flows have new numbers.

    Raises
    ------
    ParameterError
        If it is no trace of metalmom's.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> with metalmom.trace.record() as t:
    ...     S = metalmom.stft(np.zeros(22050, dtype=np.float32))
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".json") as file:
    ...     t.save(file.name)
    ...     metalmom.trace.load(file.name).spans == t.spans
    True
    """
    with open(path, "rb") as file:
        content = file.read()
    if names_page(path):
        found = _IN_PAGE.search(content)
        content = found[1] if found else b""
    try:
        return _trace_of(content)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError):
        raise ParameterError("path", os.fspath(path), "a trace that metalmom wrote") from None


def _trace_of(content: bytes) -> Trace:
    data = json.loads(content)
    other: dict[str, str] = data["otherData"]
    for value in other.values():
        _text(value)
    stored = Stored(_positive(int(other["duration_ns"])), _positive(int(other["dropped_events"])), content)
    trace = Trace()
    trace._kept = _decoded(stored, data["traceEvents"])
    trace._about = {name: other[name] for name in other if name not in (*PEAKS, *_OF_ENGINE)}
    trace._peaks = {name: _positive(float(other[name])) for name in PEAKS if name in other} or None
    return trace


def _decoded(stored: Stored, events: list[dict[str, Any]]) -> Decoded:
    """The records of a file, in whose order enclosing spans come first."""
    rows: dict[int, tuple[str, bool]] = {}
    sources: dict[int, tuple[int, float]] = {}  # id of an arrow -> where it begins
    flows: dict[tuple[int, float], int] = {}  # where an arrow begins, or ends -> its flow
    n_sources = 0
    for event in events:
        if event["ph"] == "M" and event["name"] == "thread_name":
            rows[event["tid"]] = _text(event["args"]["name"]), bool(event["args"]["is_thread"])
        elif event["ph"] == "s":
            sources[event["id"]] = place = event["tid"], event["ts"]
            n_sources += place not in flows
            flows.setdefault(place, n_sources)
        elif event["ph"] == "f":
            flows[event["tid"], event["ts"]] = flows[sources[event["id"]]]
    decoded = Decoded(stored, spans=[], events=[], samples=[])
    open_spans: dict[int, list[int]] = {}  # of each row: when they end, in nanoseconds, which are exact
    for event in events:
        name, tid, ts = _text(event["name"]), event["tid"], _number(event.get("ts", 0.0))
        if event["ph"] == "X":
            track, is_thread = rows[tid]
            begin, duration = round(1e3 * ts), round(1e3 * _positive(event["dur"]))
            ends, end = open_spans.setdefault(tid, []), begin + duration
            while ends and ends[-1] <= begin and ends[-1] < end:
                ends.pop()
            flow = 0 if is_thread else flows.get((tid, ts), 0)
            decoded.spans.append(Span(name, _text(event["cat"]), ts, event["dur"], tid, track, is_thread,
                                      len(ends), flow, _details(event)))
            ends.append(end)
        elif event["ph"] == "i":
            decoded.events.append(
                Point(name, _text(event["cat"]), ts, tid, rows[tid][0], flows.get((tid, ts), 0),
                      _details(event)))
        elif event["ph"] == "C":
            decoded.samples.append(Sample(name, ts, _number(event["args"]["value"])))
    decoded.events.sort(key=lambda point: point.ts)
    decoded.samples.sort(key=lambda sample: sample.ts)
    return decoded


# What the records must have: else a ValueError or TypeError.

def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()
    return value


def _number(value: Any) -> Any:
    if not isinstance(value, (int, float)) or not abs(value) < 2.0**64:
        raise ValueError
    return value


def _positive(value: Any) -> Any:
    if _number(value) < 0:
        raise ValueError
    return value


def _details(event: dict[str, Any]) -> dict[str, Any]:
    args: dict[str, Any] = event["args"]
    for name, value in args.items():
        if (name in COUNTS or name in ("bytes", "flops")) and event["cat"] != "user":
            _number(value)
        elif not isinstance(value, (int, float)):
            _text(value)
    return args
