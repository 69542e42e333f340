"""What an Extractor computes, as text and as a picture: which features share which values."""

from __future__ import annotations

import html
from typing import Any

__all__ = ["Graph"]

# Pixels of the picture: the height of a feature's row, and where each value of the chain begins.
_ROW, _BOX, _MARGIN, _LETTER = 30, 22, 16, 6.6
_LEFT = {"frames": 16, "power": 320, "bands": 560, "levels": 680, "feature": 780}
_COLOURS = {
    "frames": "#dbe7f5",
    "power": "#d5eee6",
    "bands": "#f7ecc9",
    "levels": "#f5dccb",
    "feature": "#ffffff",
}


class _Value:
    """A value of the chain, with the values and features that read it."""

    def __init__(self, kind, text):
        self.kind = kind
        self.text = text
        self.readers = {}

    def child(self, key, kind, text):
        return self.readers.setdefault(key, _Value(kind, text))

    def rows(self):
        return sum(reader.rows() for reader in self.readers.values()) or 1


class Graph:
    """A graph of an Extractor: `str` is its text, `svg` its picture.

    Attributes
    ----------
    waves : list
        What is asked of the engine together. A feature whose result decides a further step (chroma
        on an estimated tuning, beats on a tempo) appears in several.
    nodes : list of dict
        What the features ask for, one after the other, as JSON has it: the wave, the feature, the op, its
        frames and what it reads of them, the side it ran on (None: by itself, where the dispatcher chose).
    """

    def __init__(self, requests: Any, features: Any) -> None:
        self.waves, self.nodes = [], []
        asked, labels = set(), {feature.name: _named(feature) for feature in features}
        for wave, names, op, arguments, node in requests:
            self.nodes += [_node(wave, labels[name], op, arguments, node) for name in names]
            while len(self.waves) <= wave:
                self.waves.append(_Value("wave", f"wave {len(self.waves) + 1}"))
            _place(self.waves[wave], [labels[name] for name in names], op, arguments, node)
            asked.update(names)
        whole = [each for each in features if each.name not in asked]
        if whole:
            self.waves.append(_Value("wave", "calls of their own"))
            for each in whole:
                self.waves[-1].child(each.name, "feature", _named(each))

    def __str__(self):
        lines = []

        def write(value, depth):
            lines.append("  " * depth + value.text)
            for reader in _in_order(value):
                write(reader, depth + 1)

        for wave in self.waves:
            write(wave, 0)
        return "\n".join(lines)

    def __repr__(self):
        features = sum(wave.rows() for wave in self.waves)
        return f"<Graph of {len(self.waves)} waves, {features} nodes: print it, or see its svg()>"

    def svg(self) -> str:
        """Draw the graph.

        Returns
        -------
        str
            SVG: from left to right frames, powers, bands, levels and features; waves one below the
            other.
        """
        return _Picture(self.waves).text()

    def _repr_svg_(self):
        return self.svg()


def _node(wave, label, op, arguments, node):
    pipeline, side, reads = node
    frames = _frames(arguments) if pipeline >= 0 else ""
    told = {"wave": wave + 1, "stage": label, "op": op, "frames": frames, "reads": reads}
    return {**told, "side": side or None}


def _named(feature):
    """A feature's name, and of which other feature it is made."""
    of = ", ".join(feature.of.values())
    return f"{feature.name} of {of}" if of else feature.name


def _place(wave, labels, op, arguments, node):
    """Put what features asked for under the value that it reads."""
    pipeline, side, reads = node
    at = wave
    if pipeline >= 0:
        at = at.child(pipeline, "frames", _frames(arguments))
        chain, _, precision = reads.partition(", ")
        links = [link for link in reversed(chain.split(" of ")) if link != "samples"]
        # Two features have the same bands only if they share the basis, and the same levels only if
        # they share the floor (amin), too.
        told_apart = ((), (id(arguments.get("basis")),), (arguments.get("amin"),))
        for kind, link, by in zip(("power", "bands", "levels"), links, told_apart):
            text = f"{link}, {precision}" if precision and kind == "power" else link
            at = at.child((kind, text, *by), kind, text)
    names = ", ".join(labels)
    where = f"{op}, GPU" if side == "GPU" else op
    at.child(object(), "feature", names if names == where else f"{names} ({where})")


def _frames(arguments):
    length = arguments.get("n_fft", arguments.get("frame_length"))
    return f"frames of {length} samples, one every {arguments['hop_length']}"


def _in_order(value):
    """Features first, then values: in text, what is read stands near its readers."""
    return sorted(value.readers.values(), key=lambda reader: reader.kind != "feature")


class _Picture:
    """Rows of boxes, a tree for each wave."""

    def __init__(self, waves):
        self.parts = []
        self.row = 0.0
        self.right = 0
        for wave in waves:
            self.heading(wave.text)
            for reader in _in_order(wave):
                self.draw(reader)

    def y(self, row):
        return _MARGIN + row * _ROW

    def heading(self, text):
        y = self.y(self.row) + _BOX / 2
        self.parts.append(f'<text x="{_MARGIN}" y="{y:g}" class="wave">{html.escape(text)}</text>')
        self.row += 1

    def draw(self, value):
        """Draw a value and whatever reads it; answers with where its box is: left, right, middle."""
        readers = [self.draw(reader) for reader in _in_order(value)]
        if readers:
            middle = (readers[0][2] + readers[-1][2]) / 2
        else:
            middle = self.y(self.row) + _BOX / 2
            self.row += 1
        left = _LEFT[value.kind]
        width = len(value.text) * _LETTER + 14
        self.right = max(self.right, left + width)
        for to, _, its_middle in readers:
            bend = (left + width + to) / 2
            self.parts.insert(
                0,
                f'<path d="M{left + width:g} {middle:g} C{bend:g} {middle:g} {bend:g} '
                f'{its_middle:g} {to:g} {its_middle:g}"/>',
            )
        self.parts.append(
            f'<rect x="{left:g}" y="{middle - _BOX / 2:g}" width="{width:g}" height="{_BOX}" '
            f'rx="4" fill="{_COLOURS[value.kind]}"/>'
            f'<text x="{left + 7:g}" y="{middle + 4:g}">{html.escape(value.text)}</text>'
        )
        return left, left + width, middle

    def text(self):
        width, height = self.right + _MARGIN, self.y(self.row) + _MARGIN
        style = (
            "text{font:11px sans-serif;fill:#222}.wave{font-weight:bold}"
            "rect{stroke:#678}path{fill:none;stroke:#9ab}"
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}"><style>{style}</style>'
            f'<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>'
            + "".join(self.parts)
            + "</svg>"
        )
