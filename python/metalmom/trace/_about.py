"""What a measurement was taken on: this process and its machine, for traces, reports and the command line."""

from __future__ import annotations

import contextlib
import datetime
import functools
import os
import platform
import shlex
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._program import command_line

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["about_process", "as_details", "as_text", "cpu_model", "labelled", "usable_cores"]


def as_text(value: object) -> str:
    """A value's text as a trace can hold it: what UTF-8 or C cannot write is escaped."""
    text = str(value).encode("utf-8", "backslashreplace").decode()
    return text.replace("\0", "\\0")


def as_details(args: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a span or a point as a trace can hold them."""
    return {as_text(name): value if isinstance(value, (int, float)) else as_text(value)
            for name, value in args.items()}


def about_process() -> dict[str, str]:
    """What runs, on what, and when.

    A device is named if the process has opened one: to look for devices takes time and memory.

    Returns
    -------
    dict of str
        `date`, `command`, `metalmom`, `revision`, `python`, `numpy`, `system`, `cpu`, `simd`, `cores`,
        `threads`; `gpu` and `driver` of the devices.
    """
    build = _native.build_info()
    first, *others = command_line()
    name = os.path.basename(first)
    command = shlex.join(["metalmom" if name == "__main__.py" else name, *others])
    about = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": as_text(command.strip()),
        "metalmom": build["version"], "revision": build["revision"],
        "python": platform.python_version(), "numpy": np.__version__, "system": _system(),
        "cpu": cpu_model(), "simd": build["simd"], "cores": _cores(), "threads": str(_native.thread_count()),
    }  # fmt: skip
    if _native.device_is_open():
        found = [device for device in _native.devices() if not device["unusable"]]
        about["gpu"] = "; ".join(device["name"] for device in found)
        about["driver"] = "; ".join(device["driver"] for device in found)
    return {key: str(value) for key, value in about.items() if value}


# What readers see of it, in this order.
_LABELS = {
    "date": "date", "command": "command", "reason": "written because of", "metalmom": "metalmom",
    "revision": "revision", "cpu": "CPU", "simd": "instruction set", "cores": "cores", "threads": "threads",
    "gpu": "GPU", "driver": "driver", "python": "Python", "numpy": "NumPy", "system": "system",
}  # fmt: skip


def labelled(about: Mapping[str, str]) -> list[tuple[str, str]]:
    """What something was taken on, as pairs of a title and a text."""
    return [(title, about[name]) for name, title in _LABELS.items() if about.get(name)]


@functools.cache
def cpu_model() -> str:
    """The processor as it calls itself."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return " ".join(line.split(":", 1)[1].split())
    return platform.processor() or platform.machine()


def usable_cores() -> int:
    """The cores that this process may use; all where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cores() -> str:
    usable, there = usable_cores(), os.cpu_count()
    return str(usable) if usable == there else f"{usable} of {there}"


@functools.cache
def _system() -> str:
    kernel = os.uname()
    name = ""
    with contextlib.suppress(OSError):
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    return ", ".join(filter(None, [f"{kernel.sysname} {kernel.release} {kernel.machine}", name]))
