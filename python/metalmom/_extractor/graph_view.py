"""What an Extractor computes, as text and as a picture: which features share which values."""

from __future__ import annotations

import html
import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._engine.watch import Watch
    from ..trace import Trace
    from .._engine.watch import Taken
    from ._recipe import Feature

__all__ = ["Graph"]

# Pixels of the picture: the height of a feature's row, how much room times take beside frames, and where each
# value of the chain begins.
_ROW, _BOX, _MARGIN, _LETTER, _TIME_WIDTH = 30, 22, 16, 6.6, 130
_LEFT = {"frames": 16, "power": 320, "bands": 560, "levels": 680, "feature": 780, "host": 780}
# What a function of the host took of a call to be worth a line, and the sign for "as above".
_LEAST_SHARE, _DITTO = 0.005, '"'
_COLOURS = {
    "frames": "#dbe7f5",
    "power": "#d5eee6",
    "bands": "#f7ecc9",
    "levels": "#f5dccb",
    "feature": "#ffffff",
    "host": "#eeeeee",
}


class _Value:
    """A value of the chain, with the values and features that read it.

    Attributes
    ----------
    group : Any
        What is equal for values that ran together, which have one time; None where nothing is known.
    ms, share : float
        That time.
    critical : bool
        Whether it lies on the critical path.
    part : float or None
        Milliseconds of all threads that a trace has of it alone.
    """

    def __init__(self, kind: str, text: str) -> None:
        self.kind, self.text = kind, text
        self.readers: dict[object, _Value] = {}
        self.group: Any = None
        self.ms, self.share, self.critical = 0.0, 0.0, False
        self.part: float | None = None

    def child(self, key: object, kind: str, text: str) -> _Value:
        return self.readers.setdefault(key, _Value(kind, text))

    def rows(self) -> int:
        return sum(reader.rows() for reader in self.readers.values()) or 1


class Graph:
    """A graph of an Extractor: `str` is its text, `svg` its picture, `json` its data.

    A graph of a call has its times. Ops that share frames run in one go, beside those of other frames
    of the same wave: the time of all of them is known, and the part of each is not. The critical path is
    the chain of steps, each waiting for the one before, that took longest: more threads for other
    steps make no call shorter.

    Attributes
    ----------
    waves : list
        What is asked of the engine together. A feature whose result decides a further step (chroma
        on an estimated tuning, beats on a tempo) appears in several.
    nodes : list of dict
        What the features ask for, one after the other, as JSON has it: the wave, the feature, the op, its
        frames and what it reads of them, the side it ran on (None: by itself, where the dispatcher chose).
        Of a call also ``ms``, ``share`` of the call, ``together`` (nodes with the same number share
        their time; None: its own) and ``critical``. ``ms`` is None where a device was not waited for. With a
        trace, ``part_ms`` of nodes that share a time: what all threads together took for each alone, beside the
        transforms, bands and levels that they share.
    host : list of dict
        Of a call the functions of the host, after the wave that they waited for, likewise.
    ms, critical_ms : float or None
        Of a call, and of its critical path.
    """

    def __init__(self, watch: Watch, features: Any, trace: Trace | None = None, *, timed: bool = True) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.host: list[dict[str, Any]] = []
        taken = watch.taken
        self.ms = (watch.end - watch.begin) / 1e6 if timed else None
        self._critical = _critical_path(taken) if timed else set()
        self.critical_ms = sum(_ms(taken[place]) for place in self._critical) if timed else None
        self._groups: dict[tuple[int, int], int] = {}
        waves: dict[int, _Value] = {}
        self._parts: defaultdict[str, float] = defaultdict(float)
        for span in trace.spans if trace is not None else ():
            self._parts[span.name] += span.dur / 1e3
        labels = {feature.name: _named(feature) for feature in features}
        asked = {name for each in taken if each.op for name in each.names}
        whole = _Value("wave", "calls of their own")
        for place, each in enumerate(taken):
            told = self._told(place, each)
            if each.op is None:
                names = each.names if timed else ()
                self.host += [{"wave": each.wave + 1, "stage": labels[name], **told} for name in names]
            else:
                self.nodes += [_node(each, labels[name], told) for name in each.names]
            if each.op is None and not (timed and asked.issuperset(each.names)):
                at = [whole.child(name, "feature", labels[name]) for name in each.names if name not in asked]
            else:
                heading = f"wave {each.wave + 1}" if each.wave >= 0 else "before"
                wave = waves.setdefault(each.wave, _Value("wave", heading))
                at = _placed(wave, [labels[name] for name in each.names], each)
            if timed:
                self._time(at, place, each)
        self.waves = [waves[wave] for wave in sorted(waves) if _in_order(waves[wave])]
        if whole.readers:
            self.waves.append(whole)

    def _told(self, place: int, taken: Taken) -> dict[str, Any]:
        """Of a call what is known of a step's time."""
        if self.ms is None:
            return {}
        group = None
        if _shares(taken):
            group = self._groups.setdefault((taken.begin, taken.end), len(self._groups))
        ms = _ms(taken) if taken.begin else None
        part = {} if group is None or not self._parts else {"part_ms": self._parts[_in_traces(taken)]}
        return {**part, "ms": ms, "share": ms and ms / self.ms, "together": group, "critical": place in self._critical}

    def _time(self, values: list[_Value], place: int, taken: Taken) -> None:
        """Give its time to what a step is shown as: to the frames that it shares, or to itself."""
        for value in values:
            value.critical |= place in self._critical
        if self._parts and _shares(taken):
            values[-1].part = self._parts[_in_traces(taken)]
        at = values[0] if values else None
        if at is not None and taken.begin:
            if _shares(taken):
                at.group, at.ms = (taken.begin, taken.end), _ms(taken)
            else:
                at.group, at.ms = place, at.ms + _ms(taken)
            at.share = at.ms / (self.ms or 1.0)

    def __str__(self) -> str:
        lines: list[str] = []
        shown: set[Any] = set()

        def write(value: _Value, depth: int) -> None:
            lines.append(self._time_text(value, shown) + "  " * depth + value.text)
            for reader in _in_order(value):
                write(reader, depth + 1)

        if self.ms is not None:
            lines.append("       ms  share")
        for wave in self.waves:
            write(wave, 0)
        if self.ms is not None:
            lines.append(f"{self.ms:9.3f} {1:6.1%}   the call; *: the critical path, {self.critical_ms:.3f} ms")
        return "\n".join(lines)

    def _time_text(self, value: _Value, shown: set[Any]) -> str:
        """The columns before a line: time, share, and whether it is on the critical path."""
        if self.ms is None:
            return ""
        mark = "*" if value.critical else " "
        if value.part is not None:
            return f"{f'({value.part:.3f})':>9} {'':6} {mark} "
        if value.group is None:
            return f"{'':16} {mark} "
        if value.group in shown:
            return f"{_DITTO:>9} {_DITTO:>6} {mark} "  # it ran together with a line above
        shown.add(value.group)
        return f"{value.ms:9.3f} {value.share:6.1%} {mark} "

    def __repr__(self) -> str:
        features = sum(wave.rows() for wave in self.waves)
        took = "" if self.ms is None else f", {self.ms:.3f} ms"
        return f"<Graph of {len(self.waves)} waves, {features} nodes{took}: print it, or see its svg()>"

    def json(self) -> str:
        """Tell the graph as data.

        Returns
        -------
        str
            JSON: ``nodes`` as the attribute has them; of a call also ``host``, ``ms`` and ``critical_ms``.
        """
        told: dict[str, Any] = {"nodes": self.nodes}
        if self.ms is not None:
            told |= {"host": self.host, "ms": self.ms, "critical_ms": self.critical_ms}
        return json.dumps(told, indent=1)

    def svg(self) -> str:
        """Draw the graph.

        Returns
        -------
        str
            SVG: from left to right frames, powers, bands, levels and features; waves one below the
            other. Of a call with times, and the critical path in red.
        """
        legend = "" if self.ms is None else f"{self.ms:.3f} ms; red: the critical path, {self.critical_ms:.3f} ms"
        return _Picture(self.waves, legend).text()

    def _repr_svg_(self) -> str:
        return self.svg()


def _ms(taken: Taken) -> float:
    return (taken.end - taken.begin) / 1e6


def _shares(taken: Taken) -> bool:
    """Whether a step ran in one go with others."""
    return taken.op is not None and taken.node[0] >= 0


def _critical_path(steps: list[Taken]) -> set[int]:
    """The places of the steps on the chain that took longest."""
    longest: list[float] = []
    before: list[int | None] = []
    for each in steps:
        source = max(each.sources, key=longest.__getitem__, default=None)
        before.append(source)
        longest.append(_ms(each) + (0 if source is None else longest[source]))
    path: set[int] = set()
    at = max(range(len(steps)), key=longest.__getitem__, default=None)
    while at is not None:
        path.add(at)
        at = before[at]
    return path


def _in_traces(taken: Taken) -> str:
    """What the spans of an op that shares frames are called in a trace with detail."""
    name = taken.names[0]
    return name if name == taken.op else f"{name} ({taken.op})"


def _node(taken: Taken, label: str, told: dict[str, Any]) -> dict[str, Any]:
    pipeline, side, reads = taken.node
    frames = _frames(taken.arguments) if pipeline >= 0 else ""
    asked = {"wave": taken.wave + 1, "stage": label, "op": taken.op, "frames": frames, "reads": reads}
    return {**asked, "side": side or None, **told}


def _named(feature: Feature) -> str:
    """A feature's name, and of which other feature it is made."""
    of = ", ".join(feature.of.values())
    return f"{feature.name} of {of}" if of else feature.name


def _placed(wave: _Value, labels: list[str], taken: Taken) -> list[_Value]:
    """Put a step under the value that it reads; answers with the values that it is, from its frames on."""
    names = ", ".join(labels)
    if taken.op is None:
        return [wave.child((names, "host"), "host", f"{names}, on the host")]
    pipeline, side, reads = taken.node
    at, values = wave, []
    if pipeline >= 0:
        at = at.child(pipeline, "frames", _frames(taken.arguments))
        values.append(at)
        chain, _, precision = reads.partition(", ")
        links = [link for link in reversed(chain.split(" of ")) if link != "samples"]
        # Two features have the same bands only if they share the basis, and the same levels only if
        # they share the floor (amin), too.
        basis = taken.arguments.get("basis")
        told_apart = ((), (basis if isinstance(basis, int) else id(basis),), (taken.arguments.get("amin"),))
        for kind, link, by in zip(("power", "bands", "levels"), links, told_apart):
            text = f"{link}, {precision}" if precision and kind == "power" else link
            at = at.child((kind, text, *by), kind, text)
            values.append(at)
    where = f"{taken.op}, GPU" if side == "GPU" else taken.op
    return [*values, at.child(object(), "feature", names if names == where else f"{names} ({where})")]


def _frames(arguments: dict[str, Any]) -> str:
    length = arguments.get("n_fft", arguments.get("frame_length"))
    return f"frames of {length} samples, one every {arguments['hop_length']}"


def _in_order(value: _Value) -> list[_Value]:
    """Features first, then values: in text, what is read stands near its readers.

    What took next to nothing on the host is left out.
    """
    worth = [each for each in value.readers.values() if each.kind != "host" or each.share >= _LEAST_SHARE]
    return sorted(worth, key=lambda reader: reader.kind not in ("feature", "host"))


def _class(value: _Value) -> str:
    return ' class="critical"' if value.critical else ""


class _Picture:
    """Rows of boxes, a tree for each wave, and a legend where there are times."""

    def __init__(self, waves: list[_Value], legend: str) -> None:
        self.parts: list[str] = []
        self.shown: set[Any] = set()
        self.legend = legend
        self.row = 0.0
        self.right = 0.0
        for wave in waves:
            self.heading(wave.text)
            for reader in _in_order(wave):
                self.draw(reader)
        if legend:
            self.heading(legend)

    def y(self, row: float) -> float:
        return _MARGIN + row * _ROW

    def heading(self, text: str) -> None:
        y = self.y(self.row) + _BOX / 2
        self.parts.append(f'<text x="{_MARGIN}" y="{y:g}" class="wave">{html.escape(text)}</text>')
        self.row += 1

    def draw(self, value: _Value) -> tuple[float, float, float]:
        """Draw a value and whatever reads it; answers with where its box is: left, right, middle."""
        readers = [self.draw(reader) for reader in _in_order(value)]
        if readers:
            middle = (readers[0][2] + readers[-1][2]) / 2
        else:
            middle = self.y(self.row) + _BOX / 2
            self.row += 1
        text = value.text + self.time_text(value)
        left = _LEFT[value.kind] + (_TIME_WIDTH if self.legend and value.kind != "frames" else 0)
        width = len(text) * _LETTER + 14
        self.right = max(self.right, left + width)
        for (to, _, its_middle), reader in zip(readers, _in_order(value), strict=True):
            bend = (left + width + to) / 2
            self.parts.insert(
                0,
                f'<path{_class(reader)} d="M{left + width:g} {middle:g} C{bend:g} {middle:g} {bend:g} '
                f'{its_middle:g} {to:g} {its_middle:g}"/>',
            )
        self.parts.append(
            f'<rect x="{left:g}" y="{middle - _BOX / 2:g}" width="{width:g}" height="{_BOX}" '
            f'rx="4" fill="{_COLOURS[value.kind]}"{_class(value)}/>'
            f'<text x="{left + 7:g}" y="{middle + 4:g}">{html.escape(text)}</text>'
        )
        return left, left + width, middle

    def time_text(self, value: _Value) -> str:
        if value.part is not None:
            return f": {value.part:.3f} ms of all threads"
        if value.group is None:
            return ""
        if value.group in self.shown:
            return ": in the same time"
        self.shown.add(value.group)
        return f": {value.ms:.3f} ms, {value.share:.1%}"

    def text(self) -> str:
        width, height = self.right + _MARGIN, self.y(self.row) + _MARGIN
        style = (
            "text{font:11px sans-serif;fill:#222}.wave{font-weight:bold}"
            "rect{stroke:#678}path{fill:none;stroke:#9ab}.critical{stroke:#c22;stroke-width:2}"
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}"><style>{style}</style>'
            f'<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>'
            + "".join(self.parts)
            + "</svg>"
        )
