"""What ONNX Runtime's profiler says of a run."""

from __future__ import annotations

import dataclasses
from typing import Any

from .. import _native

__all__ = ["NodeTime", "Profile"]

_MOST_LINES = 20


@dataclasses.dataclass(frozen=True)
class NodeTime:
    """A node of a run. The runtime joins and moves the nodes of the model.

    Attributes
    ----------
    name, op : str
    begin, seconds : float
        Seconds from the beginning of the run, and duration.
    provider : str
        The execution provider that ran it.
    """

    name: str
    op: str
    begin: float
    seconds: float
    provider: str


@dataclasses.dataclass(frozen=True)
class Profile:
    """Times of a run and of its nodes. It prints as a table.

    Attributes
    ----------
    seconds : float
    nodes : tuple of NodeTime
        In the order in which they ran.
    arena : int or None
        Bytes that the runtime held; None if it does not report them.
    """

    seconds: float
    nodes: tuple[NodeTime, ...]
    arena: int | None
    _began: int = dataclasses.field(repr=False)  # in nanoseconds of the monotonic clock

    @classmethod
    def read(cls, events: list[dict[str, Any]], started: int) -> Profile:
        """The last run of a profile, as the runtime writes one: events with microseconds since it was `started`."""
        run = [each for each in events if each.get("name") == "model_run"][-1]
        nodes = [
            NodeTime(
                each["name"].removesuffix("_kernel_time"), each["args"].get("op_name", ""),
                (each["ts"] - run["ts"]) / 1e6, each["dur"] / 1e6, each["args"].get("provider", ""),
            )
            for each in events
            if each.get("cat") == "Node" and each["name"].endswith("_kernel_time")
            and 0 <= each["ts"] - run["ts"] <= run["dur"]
        ]  # fmt: skip
        held = [int(each["args"]["mem_arena_held"]) for each in events if "mem_arena_held" in each.get("args", {})]
        return cls(run["dur"] / 1e6, tuple(sorted(nodes, key=lambda node: node.begin)), max(held, default=None),
                   started + 1000 * run["ts"])  # fmt: skip

    def trace(self) -> None:
        """Put the nodes into a trace that records."""
        for node in self.nodes:
            start = self._began + node.begin * 1e9
            _native.trace_interval(
                "ONNX Runtime", f"{node.op} {node.name}", int(start), int(start + node.seconds * 1e9),
                {"provider": node.provider},
            )  # fmt: skip

    def __str__(self) -> str:
        slowest = sorted(self.nodes, key=lambda node: -node.seconds)
        lines = [f"{1e3 * self.seconds:9.3f} ms        {len(self.nodes)} nodes"]
        for node in slowest[:_MOST_LINES]:
            share = node.seconds / (self.seconds or 1)
            lines.append(f"{1e3 * node.seconds:9.3f} ms {share:5.0%}  {node.op} {node.name}")
        if rest := slowest[_MOST_LINES:]:
            lines.append(f"{1e3 * sum(node.seconds for node in rest):9.3f} ms        {len(rest)} others")
        return "\n".join(lines)

    __repr__ = __str__
