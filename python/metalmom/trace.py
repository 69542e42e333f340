"""See where the time goes: one trace shows Python, bridge, engine and GPU on one clock.

::

    with metalmom.trace.record() as t:
        metalmom.feature.mfcc(y=y)
    print(t.summary())
    t.save("mfcc.html")         # one page with a timeline, or "mfcc.json" for Perfetto

``METALMOM_TRACE=FILE`` records a whole process, ``METALMOM_TRACE_DETAIL=1`` with detail. While
nobody records, a span costs about a nanosecond.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from . import _native
from ._program import command_line
from .util._output_files import require_writable, written_beside
from .util._public import public
from .util.exceptions import ParameterError

if TYPE_CHECKING:
    from ._trace.summary import Summary
    from .util._types import Function
    from collections.abc import Mapping

__all__ = ["record", "span", "event", "Trace", "Span", "Point", "Sample"]
__dir__ = __all__.copy

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
        holds, had no memory for a ring, or had more than 64 spans open.
    """

    def __init__(self, detail: bool = False) -> None:
        self._detail = bool(detail)
        self._recording: _native.TraceRecording | None = None
        self._running = False
        self._kept: _Decoded | None = None
        self._peaks: dict[str, float] | None = None
        self._thread_names: dict[int, str] = {}

    def __getstate__(self) -> dict[str, Any]:
        """A finished trace pickles, with all that it shows; whoever loads it needs no device."""
        if self._running:
            raise TypeError("a trace cannot be pickled while it is being recorded")
        state = {**vars(self), "_recording": None}
        if not self._is_empty():
            taken = self._snapshot()
            self._device_peaks()
            stored = _Decoded.__new__(_Decoded)
            vars(stored).update(vars(taken), native=_Stored(taken.native, self._write_chrome()))
            state.update(_kept=stored, _peaks=self._peaks)
        return state

    def _is_empty(self) -> bool:
        return self._recording is None and self._kept is None

    def __enter__(self) -> "Trace":
        if self._running:
            raise RuntimeError("this trace is being recorded already")
        self._kept = self._peaks = None
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
            self._remember_threads()

    def _remember_threads(self) -> None:
        import threading

        self._thread_names.update(
            {thread.native_id: _text(thread.name) for thread in threading.enumerate() if thread.native_id})

    def _snapshot(self) -> _Decoded:
        if self._recording is None:
            if self._kept is None:
                raise RuntimeError("nothing has been recorded yet: use `with metalmom.trace.record()`")
            return self._kept
        if self._running:
            _native.finish_device_work()
            self._remember_threads()
            return _Decoded(self._recording.snapshot(), self._thread_names)
        if self._kept is None:
            self._kept = _Decoded(self._recording.snapshot(), self._thread_names)
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
        from ._trace.summary import total_counts

        return total_counts(self.spans)

    @property
    def duration(self) -> float:
        return self._snapshot().native.duration_ns / 1e3

    @property
    def dropped(self) -> int:
        return self._snapshot().native.dropped

    def summary(self) -> Summary:
        """Sum up the trace: the time of each span name, the use of CPU and GPU, and a diagnosis.

        Returns
        -------
        Summary
            A text, with the figures as attributes ``rows``, ``cpu``, ``gpu``, ``diagnosis``.
        """
        from ._trace.summary import Summary

        taken = self._snapshot()
        return Summary(taken.spans, taken.events, taken.native.duration_ns / 1e3,
                       taken.native.dropped, self._device_peaks())

    def _device_peaks(self) -> dict[str, float] | None:
        """What the device that worked here can do, where one did."""
        if self._peaks is None and any(
            span.cat == "gpu" and not span.thread for span in self._snapshot().spans
        ):
            self._peaks = _native.device_rates()
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
        as_page = _names_page(path)
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
        from ._trace.page import render

        return render(self._write_chrome(), self.summary())

    def _write_chrome(self, path: str = "") -> Any:
        taken = self._snapshot()
        to: Any = os.fsencode(path)  # which the stub of the extension calls a str
        return taken.native.write_chrome(to, self._thread_names, _about())

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


def _text(value: object) -> str:
    """A value's text as a trace can hold it: what UTF-8 or C cannot write is escaped."""
    text = str(value).encode("utf-8", "backslashreplace").decode()
    return text.replace("\0", "\\0")


def _details(args: dict[str, Any]) -> dict[str, Any]:
    return {_text(name): value if isinstance(value, (int, float)) else _text(value)
            for name, value in args.items()}


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
            _native.trace_end(_text(self._name), self._stamp, _details(args))

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
    _native.trace_event(_text(name), _details(args))


def _names_page(path: str | os.PathLike[str]) -> bool:
    return os.fsdecode(path).lower().endswith((".html", ".htm"))


class _Decoded:
    """A snapshot of the engine as lists of records."""

    def __init__(self, native: _native.TraceSnapshot, thread_names: dict[int, str]) -> None:
        self.native: _native.TraceSnapshot | _Stored = native
        rows = [(tid, thread_names.get(tid, name), is_thread)
                for tid, name, is_thread in native.rows()]
        self.spans: list[Span] = []
        self.events: list[Point] = []
        self.samples: list[Sample] = []
        for phase, name, cat, begin, duration, row, depth, flow, args in native.events():
            tid, track, is_thread = rows[row]
            if phase == "X":
                self.spans.append(Span(name, cat, begin / 1e3, duration / 1e3, tid, track,
                                       is_thread, depth, max(flow, 0), args))
            elif phase == "i":
                self.events.append(Point(name, cat, begin / 1e3, tid, track, -flow, args))
            else:
                self.samples.append(Sample(name, begin / 1e3, args["value"]))
        self.events.sort(key=lambda point: point.ts)
        self.samples.sort(key=lambda sample: sample.ts)


class _Stored:
    """What a pickled trace keeps of the engine's snapshot."""

    def __init__(self, native: _native.TraceSnapshot | _Stored, chrome: bytes) -> None:
        self.duration_ns: int = native.duration_ns
        self.dropped: int = native.dropped
        self._chrome = chrome

    def write_chrome(self, path: bytes, thread_names: dict[int, str], about: dict[str, str]) -> bytes | None:
        if not path:
            return self._chrome
        with open(path, "wb") as file:
            file.write(self._chrome)
        return None


def _about() -> dict[str, str]:
    info = _native.build_info()
    first, *others = command_line()
    name = os.path.basename(first)
    command = ["metalmom" if name == "__main__.py" else name, *others]
    return {"metalmom": str(info.get("version", "")), "command": _text(" ".join(command).strip())}


class _ProcessTrace:
    """Records a whole process into a file that is written when it exits.

    A forked child has its own events and its own file, ``name-PID.suffix``, as has a process that
    inherits the environment: the file of the first process is not overwritten.
    """

    OWNER = "_METALMOM_TRACE_OWNER"

    def __init__(self, path: str, detail: bool) -> None:
        import atexit
        from multiprocessing import util

        self.path = os.path.abspath(path)
        self.written: int | None = None
        self.trace = record(detail)
        self.trace.__enter__()
        os.environ.setdefault(self.OWNER, str(os.getpid()))
        atexit.register(self.write)
        # Children of multiprocessing end without atexit, and do not run finalizers that were
        # registered before the fork.
        util.register_after_fork(self, lambda me: util.Finalize(None, me.write, exitpriority=-100))

    def write(self) -> None:
        pid = os.getpid()
        if self.written == pid:
            return
        self.written = pid
        path = self.path
        if os.environ.get(self.OWNER) != str(pid):
            if not self.trace.spans:
                return
            stem, suffix = os.path.splitext(path)
            path = f"{stem}-{pid}{suffix}"
        self.trace.__exit__(None, None, None)
        try:
            self.trace.save(path)
        except (OSError, ParameterError) as error:
            print(f"metalmom: the trace was not written: {error}", file=sys.stderr)


def _record_process(environment: Mapping[str, str] = os.environ) -> _ProcessTrace | None:
    path = environment.get("METALMOM_TRACE")
    if not path:
        return None
    try:
        require_writable(path, "page" if _names_page(path) else "json", name="METALMOM_TRACE")
    except (OSError, ParameterError) as error:
        print(f"metalmom: nothing is traced: {error}", file=sys.stderr)
        return None
    return _ProcessTrace(path, environment.get("METALMOM_TRACE_DETAIL", "0") not in ("", "0"))


_process_trace = _record_process()
