"""Traces: what is recorded, what can be read of it, and the files that it is written to."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .. import _native
from ..util._output_files import written_beside
from ..util._public import public
from ..util.exceptions import DeviceError, ParameterError
from ._about import about_process, as_details, as_text

if TYPE_CHECKING:
    from ._summary import Summary
    from ..util._types import Function

__all__ = ["record", "span", "event", "Trace", "Span", "Point", "Sample"]

# Rates of the device, as `_native.device_rates` names them, that say how well kernels and copies did.
PEAKS = ("copy_gb_per_s", "gpu_gflops", "upload_bus_gb_per_s", "download_bus_gb_per_s")


# Times are in microseconds since the start of the recording, as in the trace file.
class Span(NamedTuple):
    """One span of a trace.

    Attributes
    ----------
    name, cat : str
        The name of the span, and its category: ``bridge``, ``engine``, ``gpu`` or ``user``.
    ts, dur : float
        Begin and duration in microseconds.
    tid, track : int, str
        The row of the timeline, and its name.
    thread : bool
        Whether that row is a thread (else a GPU queue).
    depth : int
        How many spans of the row enclose it.
    flow : int
        If not 0: the `Point` or span of that number caused this span.
    args : dict
    """

    name: str
    cat: str
    ts: float
    dur: float
    tid: int
    track: str
    thread: bool
    depth: int
    flow: int
    args: dict[str, Any]


class Point(NamedTuple):
    """A moment of a trace: a submit, or a mark of `event`."""

    name: str
    cat: str
    ts: float
    tid: int
    track: str
    flow: int
    args: dict[str, Any]


class Sample(NamedTuple):
    """A new value of a counter track, such as device memory in use."""

    name: str
    ts: float
    value: float


class Trace:
    """A recording, made by `record`. It is a context manager, and can be read while it runs.

    Attributes
    ----------
    spans : list of Span
        Row by row, enclosing spans before those they enclose.
    events : list of Point
    samples : list of Sample
    counters : dict
        Totals over all calls: ``copied_bytes``, ``output_bytes``, ``allocations``,
        ``cache_hits``, ``cache_misses``, ``plan_builds``, ``submits`` and others, if they occurred.
    duration : float
        Microseconds from the first to the last moment of the recording.
    dropped : int
        Events that were lost because their thread had no room for them: it wrote more than its ring
        holds, had no memory for a ring, or had more than 64 spans open. In a file of a flight recorder,
        an estimate.
    about : dict of str
        What it was taken on: `date`, `command`, `metalmom` and its `revision`, `python`, `numpy`, `system`,
        `cpu`, `simd` (the instruction set), `cores` and `threads`; `gpu` and `driver` if a device was open.
    """

    def __init__(self, detail: bool = False) -> None:
        self._detail = bool(detail)
        self._about: dict[str, str] = {}
        self._recording: _native.TraceRecording | None = None
        self._running = False
        self._kept: Decoded | None = None
        self._peaks: dict[str, float] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A finished trace pickles, with all that it shows; whoever loads it needs no device."""
        if self._running:
            raise TypeError("a trace cannot be pickled while it is being recorded")
        state = {**vars(self), "_recording": None}
        if not self._is_empty():
            chrome = self._write_chrome()
            taken = self._snapshot()
            stored = Stored(taken.native.duration_ns, taken.native.dropped, chrome)
            decoded = Decoded(stored, spans=taken.spans, events=taken.events, samples=taken.samples)
            state.update(_kept=decoded, _peaks=self._peaks)
        return state

    def _is_empty(self) -> bool:
        return self._recording is None and self._kept is None

    def __enter__(self) -> "Trace":
        if self._running:
            raise RuntimeError("this trace is being recorded already")
        self._kept = self._peaks = None
        self._about = {}
        self._recording = _native.TraceRecording(self._detail)
        self._running = True
        return self

    def __exit__(self, *exc_info: object) -> None:
        try:
            # the intervals of kernels are known only when the device has finished
            _native.finish_device_work()
        finally:
            assert self._recording is not None
            self._recording.close()
            self._running = False
            self._about = about_process()

    def _snapshot(self) -> Decoded:
        if self._recording is None:
            if self._kept is None:
                raise RuntimeError("nothing has been recorded yet: use `with metalmom.trace.record()`")
            return self._kept
        if self._running:
            _native.finish_device_work()
            return _decoded(self._recording.snapshot())
        if self._kept is None:
            self._kept = _decoded(self._recording.snapshot())
        return self._kept

    @property
    def spans(self) -> list[Span]:
        return self._snapshot().spans

    @property
    def events(self) -> list[Point]:
        return self._snapshot().events

    @property
    def samples(self) -> list[Sample]:
        return self._snapshot().samples

    @property
    def counters(self) -> dict[str, int]:
        from ._summary import total_counts

        return total_counts(self.spans)

    @property
    def duration(self) -> float:
        return self._snapshot().native.duration_ns / 1e3

    @property
    def dropped(self) -> int:
        return self._snapshot().native.dropped

    @property
    def about(self) -> dict[str, str]:
        self._snapshot()  # raises if nothing was recorded
        return dict(self._about) or about_process()

    def summary(self) -> Summary:
        """Sum up the trace: the time of each span name, the use of CPU and GPU, and a diagnosis.

        Returns
        -------
        Summary
            A text, with the figures as attributes ``rows``, ``cpu``, ``gpu``, ``diagnosis``.
        """
        from ._summary import Summary

        taken = self._snapshot()
        return Summary(taken.spans, taken.events, taken.native.duration_ns / 1e3,
                       taken.native.dropped, self._device_peaks(taken))

    def _device_peaks(self, taken: Decoded) -> dict[str, float] | None:
        """What the device that worked here can do, where one did."""
        if self._peaks is None and any(span.cat == "gpu" and not span.thread for span in taken.spans):
            with contextlib.suppress(DeviceError):  # it was lost
                rates = _native.device_rates()
                self._peaks = {name: rates[name] for name in PEAKS}
        return self._peaks

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trace to a file.

        Parameters
        ----------
        path : str or os.PathLike
            ``*.html`` gives one self-contained page; any other name the JSON of Chrome trace
            events, which ui.perfetto.dev and chrome://tracing open. A file of the same kind is
            replaced when the new one is whole.

        Raises
        ------
        RuntimeError
            If nothing has been recorded.
        ParameterError
            If `path` has the suffix of an audio file, or already holds something else.
        OSError
            If it cannot be written.
        """
        as_page = names_page(path)
        self._snapshot()  # raises if nothing was recorded, before a file is touched
        with written_beside(path, "page" if as_page else "json") as beside:
            if as_page:
                with open(beside, "wb") as file:
                    file.write(self.as_page())
            else:
                self._write_chrome(beside)

    def as_json(self) -> bytes:
        """Return the JSON that `save` writes.

        Returns
        -------
        bytes
        """
        return self._write_chrome()

    def as_page(self) -> bytes:
        """Return the page that `save` writes.

        Returns
        -------
        bytes
        """
        from ._page import render

        return render(self._write_chrome(), self.summary(), self.about)

    def _write_chrome(self, path: str = "") -> Any:
        taken = self._snapshot()
        to: Any = os.fsencode(path)  # which the stub of the extension calls a str
        rates = {name: str(rate) for name, rate in (self._device_peaks(taken) or {}).items()}
        return taken.native.write_chrome(to, self.about | rates)

    def _repr_html_(self) -> str | None:
        """In a notebook a trace shows itself: the page in a frame."""
        if self._is_empty():
            return None
        import html

        page = html.escape(self.as_page().decode(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0"></iframe>'

    def __repr__(self) -> str:
        if self._is_empty():
            return "<metalmom.trace.Trace, nothing recorded yet>"
        state = "recording" if self._running else f"{self.duration / 1e3:.3f} ms"
        return f"<metalmom.trace.Trace, {len(self.spans)} spans, {state}>"


@public
def record(detail: bool = False) -> Trace:
    """Record what the engine does inside a ``with`` block, in all threads.

    Blocks may nest and overlap. Each records everything that begins while it runs.

    Parameters
    ----------
    detail : bool
        Also show the stages inside each op (gather, window+FFT, bands, store) and the part of each
        worker thread.

    Returns
    -------
    Trace

    Examples
    --------
    >>> import numpy as np
    >>> import metalmom
    >>> with metalmom.trace.record() as t:
    ...     S = metalmom.stft(np.zeros(22050, dtype=np.float32))
    >>> "stft" in t.summary()
    True
    """
    return Trace(detail)


class span:
    """Mark your own work: a context manager, and a decorator of functions and coroutines.

    Parameters
    ----------
    name : str
    **args
        Details shown on click: numbers or texts.

    Examples
    --------
    >>> with metalmom.trace.span("normalise", clips=3):
    ...     pass
    """

    __slots__ = ("_name", "_args", "_stamp")

    def __init__(self, name: str, /, **args: Any) -> None:
        self._name = name
        self._args = args
        self._stamp = 0

    def __enter__(self) -> "span":
        self._stamp = _native.trace_stamp()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: object) -> None:
        if self._stamp:
            args = self._args if kind is None else {**self._args, "error": kind.__name__}
            _native.trace_end(as_text(self._name), self._stamp, as_details(args))

    def __call__(self, function: "Function") -> "Function":
        import functools
        import inspect

        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def timed(*args: Any, **kwargs: Any) -> Any:
                with span(self._name, **self._args):
                    return await function(*args, **kwargs)
        else:
            @functools.wraps(function)
            def timed(*args: Any, **kwargs: Any) -> Any:
                with span(self._name, **self._args):
                    return function(*args, **kwargs)
        return cast("Function", timed)


@public
def event(name: str, /, **args: Any) -> None:
    """Mark a moment.

    Parameters
    ----------
    name : str
    **args
        Details shown on click: numbers or texts.
    """
    _native.trace_event(as_text(name), as_details(args))


def names_page(path: str | os.PathLike[str]) -> bool:
    return os.fsdecode(path).lower().endswith((".html", ".htm"))


class Decoded:
    """A snapshot of the engine, or of a file, with its records as lists."""

    def __init__(self, native: _native.TraceSnapshot | Stored, *, spans: list[Span], events: list[Point],
                 samples: list[Sample]) -> None:
        self.native = native
        self.spans = spans
        self.events = events
        self.samples = samples


def _decoded(native: _native.TraceSnapshot) -> Decoded:
    rows = native.rows()
    decoded = Decoded(native, spans=[], events=[], samples=[])
    for phase, name, cat, begin, duration, row, depth, flow, args in native.events():
        tid, track, is_thread = rows[row]
        if phase == "X":
            decoded.spans.append(Span(name, cat, begin / 1e3, duration / 1e3, tid, track,
                                      is_thread, depth, max(flow, 0), args))
        elif phase == "i":
            decoded.events.append(Point(name, cat, begin / 1e3, tid, track, -flow, args))
        else:
            decoded.samples.append(Sample(name, begin / 1e3, args["value"]))
    decoded.events.sort(key=lambda point: point.ts)
    decoded.samples.sort(key=lambda sample: sample.ts)
    return decoded


class Stored(NamedTuple):
    """What a trace that was pickled, or read from a file, has in place of the engine's snapshot."""

    duration_ns: int
    dropped: int
    chrome: bytes

    def write_chrome(self, path: bytes, about: dict[str, str]) -> bytes | None:
        if not path:
            return self.chrome
        with open(path, "wb") as file:
            file.write(self.chrome)
        return None
