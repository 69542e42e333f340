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

# Pixels of the picture: the height of a feature's row, how long the line is that shows a share of 1, and
# where each value of the chain begins without times and with them.
_ROW, _BOX, _MARGIN, _LETTER, _WHOLE = 30, 24, 16, 6.6, 100
_LEFT = {
    "frames": (16, 16), "power": (320, 450), "bands": (560, 820), "levels": (680, 1070), "feature": (780, 1300),
    "host": (780, 1300),
}  # fmt: skip
# The values of the chain in the order in which the engine tells the times of a pass.
_CHAIN = ("frames", "power", "bands", "levels", "feature")
# What a function of the host took of a call to be worth a line.
_LEAST_SHARE = 0.005
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
    ms, share : float or None, float
        What it took without what it reads, and which share of the call that is; None where it is not known.
    critical : bool
        Whether it lies on the critical path.
    """

    def __init__(self, kind: str, text: str) -> None:
        self.kind, self.text = kind, text
        self.readers: dict[object, _Value] = {}
        self.ms: float | None = None
        self.share, self.critical = 0.0, False

    def child(self, key: object, kind: str, text: str) -> _Value:
        return self.readers.setdefault(key, _Value(kind, text))

    def take(self, ms: float, of: float) -> None:
        self.ms = (self.ms or 0.0) + ms
        self.share = self.ms / of

    def rows(self) -> int:
        return sum(reader.rows() for reader in self.readers.values()) or 1


class Graph:
    """A graph of an Extractor: `str` is its text, `svg` its picture, `json` its data.

    A graph of a call has its times. On the CPU, the ops of a wave that read frames run in one pass: block
    by block, each transform, power, bands and levels are computed once for all ops that read them. The
    time of a pass is that of the wall clock. It is divided among its ops and the values that they share: a
    value on which all threads spent a tenth of their time has a tenth of the time of the pass. (Threads
    that wait for a core spend time, too.) The time of a transform is on the line of its frames, that of a
    transform in double on the line of its power. A device runs a pass as a whole: the pass has one time,
    and its nodes have none.

    The critical path is the chain of steps, each waiting for the one before, that took longest: more threads
    for other steps make no call shorter. A step in a pass is an op with the values that it reads.

    Attributes
    ----------
    waves : list
        The requests to the engine that run together. A feature whose result decides a further step
        (chroma on an estimated tuning, beats on a tempo) appears in several waves.
    nodes : list of dict
        The requests of the features, one after the other, as in the JSON: the wave, the feature, the op, its
        frames and the value that it reads of them, and its side (None: it ran by itself, where the
        dispatcher chose). In the graph of a call also ``ms``, without the values that it reads; the ``share``
        of the call; ``together``, the index in `passes` (None: by itself); and ``critical``. An op that
        several features need is one node of each. ``ms`` is None in a pass on a device, and if a device was
        not waited for. With a trace, nodes of a pass have ``part_ms``, the time of all threads for this node.
    passes : list of dict
        In the graph of a call: the ``wave``, ``side``, ``ms`` and ``share`` of each pass, and ``shared_ms``,
        the time of its transforms, powers, bands and levels; the rest is that of its ops (None on a device).
    host : list of dict
        In the graph of a call: the same for the functions of the host, after the wave that they waited for.
    ms, critical_ms : float or None
        The times of the call and of its critical path.
    """

    def __init__(self, watch: Watch, features: Any, trace: Trace | None = None, *, timed: bool = True) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.host: list[dict[str, Any]] = []
        self.passes: list[dict[str, Any]] = []
        self.ms = (watch.end - watch.begin) / 1e6 if timed else None
        self.critical_ms: float | None = None
        self._numbers: dict[tuple[int, str], int] = {}  # of passes, by their waves and sides
        taken = watch.taken
        labels = {feature.name: _named(feature) for feature in features}
        asked = {name for each in taken if each.op for name in each.names}
        waves: dict[int, _Value] = {}
        whole = _Value("wave", "calls of their own")
        shown: list[list[_Value]] = []  # the values that each step is
        for each in taken:
            if each.op is None and not (timed and asked.issuperset(each.names)):
                shown.append([whole.child(name, "feature", labels[name]) for name in each.names if name not in asked])
            else:
                heading = f"wave {each.wave + 1}" if each.wave >= 0 else "before"
                wave = waves.setdefault(each.wave, _Value("wave", heading))
                shown.append(_placed(wave, [labels[name] for name in each.names], each))
        if self.ms is not None:
            self._time(taken, shown, waves, self.ms)
        self._tell(taken, shown, labels, trace)
        self.waves = [waves[wave] for wave in sorted(waves) if _in_order(waves[wave])]
        if whole.readers:
            self.waves.append(whole)

    def _time(self, taken: list[Taken], shown: list[list[_Value]], waves: dict[int, _Value], ms: float) -> None:
        """Give values their times, and find the critical path."""
        spent: defaultdict[tuple[int, str], int] = defaultdict(int)
        for each in filter(_in_pass, taken):
            spent[_pass_of(each)] += sum(each.node[3])
        for each, values in zip(taken, shown, strict=True):
            took = _ms(each)
            if not _in_pass(each):
                if values and each.begin:
                    values[0].take(took, ms)
                continue
            which = _pass_of(each)
            if which not in self._numbers:
                self._add_pass(each, waves[each.wave], ms, is_whole=not spent[which])
            if spent[which]:
                for value in values:
                    part = each.node[3][_CHAIN.index(value.kind)]
                    if part or value is values[-1]:  # a value that comes with the one before has no time
                        value.take(took * part / spent[which], ms)
                self.passes[self._numbers[which]]["shared_ms"] -= values[-1].ms
            else:
                values.insert(0, waves[each.wave])
        lengths = [
            sum(value.ms or 0.0 for value in values) if _in_pass(each) else _ms(each)
            for each, values in zip(taken, shown, strict=True)
        ]
        path = _critical_path(taken, lengths)
        self.critical_ms = sum(lengths[place] for place in path)
        for place in path:
            for value in shown[place]:
                value.critical = True

    def _add_pass(self, taken: Taken, wave: _Value, ms: float, *, is_whole: bool) -> None:
        """Add the pass of a step, and tell its time on the line of its wave."""
        took, side = _ms(taken), taken.node[1]
        shared_ms = None if is_whole else took
        self._numbers[_pass_of(taken)] = len(self.passes)
        self.passes.append(
            {"wave": taken.wave + 1, "side": side, "ms": took, "share": took / ms, "shared_ms": shared_ms}
        )
        if is_whole:
            wave.text += f": one pass, {side}"
            wave.take(took, ms)
        else:
            wave.text += f": one pass over frames, {took:.3f} ms"

    def _tell(
        self, taken: list[Taken], shown: list[list[_Value]], labels: dict[str, str], trace: Trace | None
    ) -> None:
        """Tell nodes and functions of the host as data."""
        parts: defaultdict[str, float] = defaultdict(float)
        for span in trace.spans if trace is not None else ():
            parts[span.name] += span.dur / 1e3
        for each, values in zip(taken, shown, strict=True):
            told: dict[str, Any] = {}
            if self.ms is not None:
                together = self._numbers[_pass_of(each)] if _in_pass(each) else None
                ms = values[-1].ms if _in_pass(each) else _ms(each) if each.begin else None
                told = {"ms": ms, "share": ms and ms / self.ms, "together": together, "critical": values[-1].critical}
            if parts and _in_pass(each):
                told["part_ms"] = parts[_in_traces(each)]
                values[-1].text += f", {told['part_ms']:.3f} ms of all threads"
            if each.op is not None:
                self.nodes += [_node(each, labels[name], told) for name in each.names]
            elif self.ms is not None:
                self.host += [{"wave": each.wave + 1, "stage": labels[name], **told} for name in each.names]

    def __str__(self) -> str:
        lines: list[str] = []

        def write(value: _Value, depth: int) -> None:
            lines.append(self._time_text(value) + "  " * depth + value.text)
            for reader in _in_order(value):
                write(reader, depth + 1)

        if self.ms is not None:
            lines.append("       ms  share")
        for wave in self.waves:
            write(wave, 0)
        if self.ms is not None:
            lines.append(f"{self.ms:9.3f} {1:6.1%}   the call; *: the critical path, {self.critical_ms:.3f} ms")
        return "\n".join(lines)

    def _time_text(self, value: _Value) -> str:
        """The columns before a line: time, share, and whether it is on the critical path."""
        if self.ms is None:
            return ""
        took = f"{'':16}" if value.ms is None else f"{value.ms:9.3f} {value.share:6.1%}"
        return f"{took} {'*' if value.critical else ' '} "

    def __repr__(self) -> str:
        features = sum(wave.rows() for wave in self.waves)
        took = "" if self.ms is None else f", {self.ms:.3f} ms"
        return f"<Graph of {len(self.waves)} waves, {features} nodes{took}: print it, or see its svg()>"

    def json(self) -> str:
        """Return the graph as data.

        Returns
        -------
        str
            JSON: ``nodes`` like the attribute; for a call also ``passes``, ``host``, ``ms`` and
            ``critical_ms``.
        """
        told: dict[str, Any] = {"nodes": self.nodes}
        if self.ms is not None:
            told |= {"passes": self.passes, "host": self.host, "ms": self.ms, "critical_ms": self.critical_ms}
        return json.dumps(told, indent=1)

    def svg(self) -> str:
        """Draw the graph.

        Returns
        -------
        str
            SVG: from left to right frames, powers, bands, levels and features; waves one below the
            other. If the call has times, lines show the shares, and the critical path is red.
        """
        legend = ""
        if self.ms is not None:
            path = f"red: the critical path, {self.critical_ms:.3f} ms"
            legend = f"{self.ms:.3f} ms; lines: shares of it; {path}"
        return _Picture(self.waves, legend).text()

    def _repr_svg_(self) -> str:
        return self.svg()


def _ms(taken: Taken) -> float:
    return (taken.end - taken.begin) / 1e6


def _in_pass(taken: Taken) -> bool:
    """Whether a step ran in one pass with others."""
    return taken.op is not None and taken.node[0] >= 0


def _pass_of(taken: Taken) -> tuple[int, str]:
    """The key of a pass: a wave has one on each side."""
    return taken.wave, taken.node[1]


def _critical_path(steps: list[Taken], lengths: list[float]) -> set[int]:
    """The places of the steps on the chain that took longest."""
    longest: list[float] = []
    before: list[int | None] = []
    for each, length in zip(steps, lengths, strict=True):
        source = max(each.sources, key=longest.__getitem__, default=None)
        before.append(source)
        longest.append(length + (0 if source is None else longest[source]))
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
    pipeline, side, values = taken.node[:3]
    frames = _frames(taken.arguments) if pipeline >= 0 else ""
    reads = " of ".join(reversed(values)) or ("samples" if pipeline >= 0 else "")
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
    pipeline, side, links = taken.node[:3]
    at, values = wave, []
    if pipeline >= 0:
        at = at.child(pipeline, "frames", _frames(taken.arguments))
        values.append(at)
        # Two features have the same bands only if they share the basis, and the same levels only if
        # they share the floor (amin), too.
        basis = taken.arguments.get("basis")
        told_apart = ((), (basis if isinstance(basis, int) else id(basis),), (taken.arguments.get("amin"),))
        for kind, link, by in zip(("power", "bands", "levels"), links, told_apart):
            at = at.child((kind, link, *by), kind, link)
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


def _as_xml(text: str) -> str:
    """A text for XML, which allows no control characters: those are escaped as in Python."""
    return html.escape("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text))


class _Picture:
    """Rows of boxes, a tree for each wave, and a legend where there are times."""

    def __init__(self, waves: list[_Value], legend: str) -> None:
        self.parts: list[str] = []
        self.legend = legend
        self.row = 0.0
        self.right = 0.0
        for wave in waves:
            self.heading(wave.text + self.time_text(wave))
            for reader in _in_order(wave):
                self.draw(reader)
        if legend:
            self.heading(legend)

    def y(self, row: float) -> float:
        return _MARGIN + row * _ROW

    def heading(self, text: str) -> None:
        y = self.y(self.row) + _BOX / 2
        self.parts.append(f'<text x="{_MARGIN}" y="{y:g}" class="wave">{_as_xml(text)}</text>')
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
        left = _LEFT[value.kind][bool(self.legend)]
        width = len(text) * _LETTER + 14
        self.right, bottom = max(self.right, left + width), middle + _BOX / 2 - 2
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
            f'<text x="{left + 7:g}" y="{middle + 4:g}">{_as_xml(text)}</text>'
        )
        if value.share:
            end = left + value.share * _WHOLE
            self.parts.append(f'<line x1="{left:g}" y1="{bottom:g}" x2="{end:g}" y2="{bottom:g}"/>')
        return left, left + width, middle

    def time_text(self, value: _Value) -> str:
        return "" if value.ms is None else f": {value.ms:.3f} ms, {value.share:.1%}"

    def text(self) -> str:
        width, height = self.right + _MARGIN, self.y(self.row) + _MARGIN
        style = (
            "text{font:11px sans-serif;fill:#222}.wave{font-weight:bold}"
            "rect{stroke:#678}path{fill:none;stroke:#9ab}line{stroke:#357;stroke-width:3}"
            ".critical{stroke:#c22;stroke-width:2}"
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}"><style>{style}</style>'
            f'<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>'
            + "".join(self.parts)
            + "</svg>"
        )
