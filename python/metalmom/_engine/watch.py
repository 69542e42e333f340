"""What the steps of a run were, and when they ran: what a graph shows of a call."""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any, NamedTuple

__all__ = ["Taken", "Watch"]

# Arguments that tell which frames, bands and levels an op reads. A call's arrays are not kept.
_TOLD = ("n_fft", "frame_length", "hop_length", "basis", "amin")


class Taken(NamedTuple):
    """A step of a run.

    Attributes
    ----------
    wave : int
        The wave that asked for it. For a function of the host, the wave before it.
    names : list of str
        The roots that it is a part of.
    op : str or None
        None for a function of the host.
    arguments : dict
    sources : set of int
        The steps that it waited for, by their places.
    node : tuple
        What an op was in the engine: pipeline, side, the values that it read there, and of a pipeline on the
        CPU the ticks that all threads spent on its transform, power, bands, levels, and on the op itself. Of
        a value that several ops read, one of them has the time.
    begin, end : int
        Nanoseconds. All ops of one pass over frames share those of the pass. 0 where nobody waited for the
        device.
    """

    wave: int
    names: list[str]
    op: str | None
    arguments: dict[str, Any]
    sources: set[int]
    node: tuple[Any, ...]
    begin: int
    end: int


class Watch:
    """Notes of a run: `wave`, which one it is at, `begin` and `end` in nanoseconds, and what steps it took.

    A note is cheap, as calls are watched that nobody asks about; and it holds no values.
    """

    def __init__(self) -> None:
        self._notes: list[tuple[Any, ...]] = []
        self.wave = -1
        self.begin, self.end = perf_counter_ns(), 0

    def note(self, run: Any, index: int, begin: int, end: int, node: tuple[Any, ...] = ()) -> None:
        step, notes = run.program.steps[index], self._notes
        run.places[index] = len(notes)
        told = step.told or _told(step)
        notes.append((self.wave, run.names(index), step.op, told, run.places, run.decided_by, node, begin, end))

    @property
    def taken(self) -> list[Taken]:
        """The steps, in their order."""
        return [
            Taken(wave, names, op, told, {places[each] for each in sources if each in places} or decided_by, *times)
            for wave, names, op, (told, sources), places, decided_by, *times in self._notes
        ]


def _told(step: Any) -> tuple[dict[str, Any], list[int]]:
    """The arguments of a step that tell what it reads, and the numbers of the steps that it reads."""
    arguments = {**step.kwargs, **dict(step.from_kwargs)} if step.op else {}
    sources = [source for _, source in (*step.from_args, *step.from_kwargs)]
    told = step.told = {name: arguments[name] for name in _TOLD if name in arguments}, sources
    return told
