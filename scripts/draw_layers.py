#!/usr/bin/env python3
"""Draw docs/layers.svg: the folders of cpp/, each above those that it may include.

A line that passes a level without ending there has a place of its own among its boxes.
"""

import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from check_tree import LAYERS

OUT = pathlib.Path(__file__).parents[1] / "docs" / "layers.svg"
WIDTH, HEIGHT, GAP, DOWN, EDGE = 96, 30, 44, 74, 20


def height_of(layer):
    """How many layers lie below: the longest way down."""
    return 1 + max(map(height_of, LAYERS[layer]), default=-1)


def direct(layer):
    """What it may include, less what these may include anyway."""
    below = LAYERS[layer]
    return {each for each in below if not any(each in LAYERS[other] for other in below)}


def ways():
    """Each line as the places that it passes: (layer, ..., layer), tuples where it only passes."""
    for layer in sorted(LAYERS):
        for below in sorted(direct(layer)):
            levels = range(height_of(layer) - 1, height_of(below), -1)
            yield (layer, *((layer, below, level) for level in levels), below)


def levels_of(lines):
    """Level -> what lies there, from left to right: near what it hangs on."""
    levels = {}
    for layer in sorted(LAYERS):
        levels.setdefault(height_of(layer), []).append(layer)
    for way in lines:
        for passed in way[1:-1]:
            levels[passed[2]].append(passed)
    above = {}
    for way in lines:
        for over, under in itertools.pairwise(way):
            above.setdefault(under, []).append(over)
    for level in sorted(levels, reverse=True)[1:]:
        at = {
            place: (i + 0.5) / len(row) for row in levels.values() for i, place in enumerate(row)
        }
        levels[level].sort(key=lambda p: sum(at[a] for a in above[p]) / len(above[p]))
    return levels


def middles(levels):
    """Place -> (x of its middle, y of its top), and the width of the whole."""

    def width_of(place):
        return (WIDTH if isinstance(place, str) else 0) + GAP

    whole = max(sum(map(width_of, row)) for row in levels.values())
    result = {}
    for level, row in levels.items():
        spare = (whole - sum(map(width_of, row))) / len(row)
        x = EDGE
        for place in row:
            x += (width_of(place) + spare) / 2
            result[place] = x, EDGE + (max(levels) - level) * DOWN
            x += (width_of(place) + spare) / 2
    return result, whole


def main():
    lines = list(ways())
    levels = levels_of(lines)
    places, whole = middles(levels)
    parts = []
    for way in lines:
        (x, y), *others = (places[place] for place in way)
        path = f"M{x:g} {y + HEIGHT:g}"
        for at, (to_x, to_y) in zip(way[1:], others):
            path += f"L{to_x:g} {to_y:g}" + ("" if isinstance(at, str) else f"v{HEIGHT}")
        parts.append(f'<path d="{path}"/>')
    for layer in LAYERS:
        x, y = places[layer]
        parts.append(
            f'<rect x="{x - WIDTH / 2:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="4"/>'
            f'<text x="{x:g}" y="{y + 20:g}">{layer}</text>'
        )
    style = (
        "text{font:13px sans-serif;text-anchor:middle;fill:#222}"
        "rect{fill:#dbe7f5;stroke:#678}path{stroke:#9ab;fill:none}"
    )
    width, height = whole + 2 * EDGE, max(levels) * DOWN + HEIGHT + 2 * EDGE
    OUT.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height}">'
        f'<style>{style}</style><rect width="100%" height="100%" style="fill:#fff;stroke:none"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    main()
