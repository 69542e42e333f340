"""A flight recorder: the newest events of a process that runs, written when something happens."""

from __future__ import annotations

import contextlib
import datetime
import errno
import itertools
import math
import os
import re
import signal
import stat
import sys
import threading
from typing import TYPE_CHECKING, Any

from .. import _native
from ..util._checks import require, size_in_bytes
from ..util._output_files import tell
from ..util._public import public, strict
from ..util._types import Positive, PositiveInt
from ..util.exceptions import ParameterTypeError, TypeOf
from ..util.files import checked_path
from ._about import about_process, as_text
from ._ends import at_end, not_at_end

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

__all__ = ["Flight", "flight"]

_OURS = re.compile(r"flight-\d{8}T\d{6}-\d+-\d+-\w+\.json(\.part)?", re.ASCII)
# What a program does that continues after the first four is not defined; the others end or stop it.
_NOT_HANDLED = {
    getattr(signal, name, None)  # Windows lacks some
    for name in ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGSTOP")
}

_SIGNAL = "a signal that a program may handle"

_numbers = itertools.count(1)  # of the files of this process
_flying: Flight | None = None
_listens = 0  # the process whose thread reads the pipe
_is_told_of_forks = False


@public
@strict
def flight(
    path: str | os.PathLike[str], *, on: signal.Signals | int | None = signal.SIGUSR2,
    seconds: Positive = 10.0, files: PositiveInt = 16, size: str | int = "64M", detail: bool = False,
) -> Flight:
    """Record always, and write the last seconds to a file when something happens.

    A file is written when the process gets the signal `on`, when a block of a stream was late, when an
    exception ends a thread, when the process exits, and by `Flight.write`. Late blocks write at most one
    file in `seconds`. SIGTERM writes one, too, and then ends the process as it would have, if the program
    has no handler for it and calls this function in its main thread. A handler that `on` has is still
    called. Forked children have recorders of their own. ``METALMOM_FLIGHT=DIR`` does this for a whole
    process.

    Each thread keeps its newest 262,143 events in 16 MiB. `load` and ``metalmom report`` read the files.

    Parameters
    ----------
    path : str or os.PathLike
        The folder of the files, which is made if it does not exist. It must belong to this user, and nobody
        else may have write access to it.
    on : signal.Signals or None
        The signal that asks for a file.
    seconds : number > 0
        What a file goes back.
    files : int > 0
        How many files of flight recorders the folder keeps: the newest.
    size : int or str
        Bytes that a file may have, at least 64 KiB. A file that would have more goes back less far.
    detail : bool
        As of `record`.

    Returns
    -------
    Flight
        A context manager; its ``stop()`` ends the recording.

    Raises
    ------
    ParameterError
        For wrong values, and if others have write access to the folder.
    OSError
        If the folder cannot be made or opened.
    RuntimeError
        If a flight recorder runs already.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, metalmom.trace.flight(folder, on=None) as recorder:
    ...     S = metalmom.stft(np.zeros(22050, dtype=np.float32))
    ...     t = metalmom.trace.load(recorder.write())
    >>> "stft" in t.summary()
    True
    """
    global _flying
    require(seconds <= 1e6, "seconds", seconds, "at most 1e6")
    most = size_in_bytes("size", size, 1 << 16)
    place = checked_path("path", path)
    require(bool(place), "path", place, "the path of a folder")
    place = os.path.abspath(place)
    is_number = isinstance(on, int) and not isinstance(on, bool)
    require(on is None or (is_number and on in signal.valid_signals() - _NOT_HANDLED), "on", on, _SIGNAL)
    with _own_folder(place):
        pass
    if _flying is not None:
        raise RuntimeError(f"a flight recorder runs already, with the folder {_flying.path}")
    signals = [] if on is None else [int(on)]
    recorder = _flying = Flight(place, signals, float(seconds), int(files), most, detail)
    try:
        at_end(recorder._end)
        for number in signals:
            require(_native.listen_to_signal(number), "on", on, _SIGNAL)
        _listen_to_pipe()
        _native.tell_of_late_blocks_every(recorder.seconds)
        sys.excepthook, threading.excepthook = recorder._excepthook, recorder._thread_excepthook
    except BaseException:
        recorder.stop()
        raise
    return recorder


class Flight:
    """A flight recorder that runs, made by `flight`; a context manager, whose end stops it.

    Attributes
    ----------
    path : str
        The folder of its files.
    seconds : float
    """

    def __init__(
        self, path: str, signals: list[int], seconds: float, files: int, size: int, detail: bool
    ) -> None:
        self.path = path
        self.seconds = seconds
        self._signals = signals
        self._most_files = files
        self._most_bytes = size
        self._lock = threading.RLock()  # a handler of signals may write, too
        self._hooks: tuple[Any, Any] = (sys.excepthook, threading.excepthook)
        self._recording: _native.TraceRecording | None = _native.TraceRecording(detail)

    def __enter__(self) -> Flight:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop recording; the files stay. Later calls do nothing."""
        global _flying
        with self._lock:
            if self._recording is None:
                return
            _native.tell_of_late_blocks_every(math.inf)
            _flying = self._recording = None
        for number in self._signals:
            _native.stop_listening_to_signal(number)
        not_at_end(self._end)
        if sys.excepthook == self._excepthook:
            sys.excepthook = self._hooks[0]
        if threading.excepthook == self._thread_excepthook:
            threading.excepthook = self._hooks[1]

    def write(self, reason: str = "asked") -> str:
        """Write the last seconds now.

        Parameters
        ----------
        reason : str
            A word, whose first 64 characters the name of the file has.

        Returns
        -------
        str
            The path of the file.

        Raises
        ------
        RuntimeError
            If it was stopped.
        OSError
            If the file cannot be written.
        ParameterError
            If `reason` is no text, or others may write in the folder by now.
        """
        if not isinstance(reason, str):
            raise ParameterTypeError("reason", TypeOf(reason), "a str")
        with self._lock:
            if self._recording is None:
                raise RuntimeError("this flight recorder was stopped")
            about = about_process() | {"reason": as_text(reason)}
            _native.trace_event("flight", {"reason": about["reason"]})
            word = re.sub(r"\W+", "_", reason, flags=re.ASCII)[:64] or "_"
            now = datetime.datetime.now(datetime.timezone.utc)
            name = f"flight-{now:%Y%m%dT%H%M%S}-{os.getpid()}-{next(_numbers)}-{word}.json"
            with _own_folder(self.path) as folder:
                with _new_file(folder, name) as file:
                    self._write_to(self._recording, file, about)
                _keep_newest(folder, self._most_files)
            return os.path.join(self.path, name)

    def _write_to(self, recording: _native.TraceRecording, file: int, about: dict[str, str]) -> None:
        place: Any = f"/proc/self/fd/{file}".encode()  # which the stub of the extension calls a str
        last_ns = round(1e9 * self.seconds)
        snapshot = recording.snapshot(last_ns)
        snapshot.write_chrome(place, about)
        while (written := os.fstat(file).st_size) > self._most_bytes:
            if not snapshot.event_count:
                raise OSError(errno.EFBIG, "the names of threads alone are larger than a file may be")
            most = int(0.9 * snapshot.event_count * self._most_bytes / written)
            snapshot = recording.snapshot(last_ns, most)
            snapshot.write_chrome(place, about)

    def _try_to_write(self, reason: str) -> None:
        """Whatever goes wrong, the program goes on."""
        try:
            if self._recording is not None:
                self.write(reason)
        except Exception as error:
            tell(f"metalmom: the flight recorder did not write: {error}")

    def _heard(self, numbers: set[int]) -> None:
        for number in numbers.intersection(self._signals):
            named = {each.value: each.name for each in signal.Signals}
            self._try_to_write(named.get(number, f"signal {number}"))
        if _native.late_block in numbers:
            self._try_to_write("late")

    def _excepthook(
        self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        self._try_to_write(kind.__name__)
        self._hooks[0](kind, error, traceback)

    def _thread_excepthook(self, args: Any) -> None:
        if args.exc_type is not SystemExit:
            self._try_to_write(args.exc_type.__name__)
        self._hooks[1](args)

    def _end(self, reason: str) -> None:
        self._try_to_write(reason)

    def _begin_in_child(self) -> None:
        self._lock = threading.RLock()  # another thread of the parent may have had it


def _listen_to_pipe() -> None:
    """Start the thread that reads the pipe of signals, if this process has none."""
    global _listens, _is_told_of_forks
    if not _is_told_of_forks:
        _is_told_of_forks = True
        os.register_at_fork(after_in_child=_begin_in_child)
    if _listens != os.getpid():
        pipe = _native.signal_pipe()
        threading.Thread(target=_listen, args=(pipe,), name="flight recorder", daemon=True).start()
        _listens = os.getpid()


def _listen(pipe: int) -> None:
    while True:
        numbers = set(os.read(pipe, 512))
        if recorder := _flying:
            recorder._heard(numbers)


def _begin_in_child() -> None:
    if _flying is not None:
        _flying._begin_in_child()
        with contextlib.suppress(RuntimeError):  # a process that ends starts no thread
            _listen_to_pipe()


@contextlib.contextmanager
def _new_file(folder: int, name: str) -> Iterator[int]:
    """The descriptor of a new file, which has its name once the block has ended; it replaces nothing."""
    part = name + ".part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(part, flags, 0o600, dir_fd=folder)
    made = [part]
    try:
        yield file
        os.close(os.open(name, flags, 0o600, dir_fd=folder))  # so the name is ours
        made.append(name)
        os.rename(part, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        for each in made:
            os.unlink(each, dir_fd=folder)
        raise
    finally:
        os.close(file)


@contextlib.contextmanager
def _own_folder(path: str) -> Iterator[int]:
    """The descriptor of a folder that this user alone may write to; it is made if nothing is there."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(folder)
        own = found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        require(own, "path", path, "a folder that belongs to this user, in which nobody else may write")
        yield folder
    finally:
        os.close(folder)


def _keep_newest(folder: int, most: int) -> None:
    """Remove the oldest files of flight recorders, whose names have their times and numbers."""
    def age(name: str) -> tuple[str, int]:
        _, when, _, number, *_ = name.split("-")
        return when, int(number)

    for name in sorted(filter(_OURS.fullmatch, os.listdir(folder)), key=age)[:-most]:
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.lstat(name, dir_fd=folder).st_mode):
                os.unlink(name, dir_fd=folder)
