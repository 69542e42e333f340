#!/usr/bin/env python3
"""Draw docs/layers.svg: the folders of cpp/, each above those that it may include."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from check_tree import LAYERS

OUT = pathlib.Path(__file__).parents[1] / "docs" / "layers.svg"
WIDTH, HEIGHT, ACROSS, DOWN, EDGE = 96, 30, 150, 74, 20


def height_of(layer):
    """How many layers lie below: the longest way down."""
    return 1 + max(map(height_of, LAYERS[layer]), default=-1)


def direct(layer):
    """What it may include, less what these may include anyway."""
    below = LAYERS[layer]
    return {each for each in below if not any(each in LAYERS[other] for other in below)}


def main():
    levels = {}
    for layer in sorted(LAYERS):
        levels.setdefault(height_of(layer), []).append(layer)
    top, widest = max(levels), max(map(len, levels.values()))
    whole = widest * ACROSS
    places = {}
    for level, layers in levels.items():
        for i, layer in enumerate(layers):
            left = EDGE + (i + 0.5) * whole / len(layers) - WIDTH / 2
            places[layer] = left, EDGE + (top - level) * DOWN
    lines, boxes = [], []
    for layer, (x, y) in places.items():
        for below in sorted(direct(layer)):
            to_x, to_y = places[below]
            lines.append(f'<path d="M{x + WIDTH / 2:g} {y + HEIGHT:g}L{to_x + WIDTH / 2:g} {to_y:g}"/>')
        boxes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="4"/>'
            f'<text x="{x + WIDTH / 2:g}" y="{y + 20:g}">{layer}</text>'
        )
    style = (
        "text{font:13px sans-serif;text-anchor:middle;fill:#222}"
        "rect{fill:#dbe7f5;stroke:#678}path{stroke:#9ab}"
    )
    width, height = whole + 2 * EDGE, top * DOWN + HEIGHT + 2 * EDGE
    OUT.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<style>{style}</style><rect width="100%" height="100%" style="fill:#fff;stroke:none"/>\n'
        + "\n".join(lines + boxes)
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    main()
