"""``METALMOM_TRACE`` and ``METALMOM_FLIGHT``: what a user asks for of a whole process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..util._output_files import require_writable, tell
from ..util.exceptions import ParameterError
from ._ends import at_end
from ._flight import Flight, flight
from ._recording import names_page, record

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["fly_process", "record_process"]


class ProcessTrace:
    """Records a whole process into a file that is written when it exits.

    A forked child has its own events and its own file, ``name-PID.suffix``, as has a process that
    inherits the environment: the file of the first process is not overwritten.
    """

    OWNER = "_METALMOM_TRACE_OWNER"

    def __init__(self, path: str, detail: bool) -> None:
        self.path = os.path.abspath(path)
        self.written: int | None = None
        self.trace = record(detail)
        self.trace.__enter__()
        os.environ.setdefault(self.OWNER, str(os.getpid()))
        at_end(self.write)

    def write(self, reason: str) -> None:
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
            tell(f"metalmom: the trace was not written: {error}")


def record_process(environment: Mapping[str, str] = os.environ) -> ProcessTrace | None:
    path = environment.get("METALMOM_TRACE")
    if not path:
        return None
    try:
        require_writable(path, "page" if names_page(path) else "json", name="METALMOM_TRACE")
    except (OSError, ParameterError) as error:
        tell(f"metalmom: nothing is traced: {error}")
        return None
    return ProcessTrace(path, environment.get("METALMOM_TRACE_DETAIL", "0") not in ("", "0"))


def fly_process(environment: Mapping[str, str] = os.environ) -> Flight | None:
    folder = environment.get("METALMOM_FLIGHT")
    if not folder:
        return None
    try:
        return flight(folder)
    except (OSError, ParameterError, RuntimeError) as error:
        tell(f"metalmom: there is no flight recorder: {error}")
        return None
