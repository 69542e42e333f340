"""The roofline of a device, and where its kernels lie: Williams, Waterman and Patterson (2009).

A kernel that does few operations for each byte cannot be faster than the memory, one that does many not
faster than the arithmetic: the roof. Both rates are those that calibration measured on this device.
"""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["roofline"]

_WIDTH, _HEIGHT = 460, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 34


def roofline(kernels: Mapping[str, Mapping[str, Any]], peaks: Mapping[str, float] | None) -> str:
    """An SVG, or "" where a rate of the device or of all kernels is not known.

    Parameters
    ----------
    kernels : mapping
        Name -> figures with ``bytes``, ``flops`` and ``time`` (microseconds).
    peaks : mapping, optional
        ``copy_gb_per_s`` and ``gpu_gflops``.

    Returns
    -------
    str
    """
    memory, rate = (peaks or {}).get("copy_gb_per_s"), (peaks or {}).get("gpu_gflops")
    points = [(name, of["flops"] / of["bytes"], of["flops"] / of["time"] / 1e3)
              for name, of in kernels.items() if of["bytes"] and of["flops"] and of["time"]]
    if not memory or not rate or not points:
        return ""
    ridge = rate / memory
    x_ends = _decades([ridge, *(x for _, x, _ in points)])
    y_ends = _decades([rate, memory * x_ends[0], *(y for _, _, y in points)])

    def place(x: float, y: float) -> tuple[float, float]:
        right = (math.log10(x) - x_ends[2]) / (x_ends[3] - x_ends[2])
        up = (math.log10(y) - y_ends[2]) / (y_ends[3] - y_ends[2])
        return _LEFT + right * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)

    parts = []
    for power in range(x_ends[2], x_ends[3] + 1):
        x, bottom = place(10.0**power, y_ends[0])
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom:.1f}"/>'
                     f'<text x="{x:.1f}" y="{bottom + 13:.1f}" text-anchor="middle">{10.0**power:g}</text>')
    for power in range(y_ends[2], y_ends[3] + 1):
        x, y = place(x_ends[0], 10.0**power)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text x="{x - 5:.1f}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    roof = [place(x, min(rate, memory * x)) for x in (x_ends[0], ridge, x_ends[1])]
    parts.append('<polyline class="roof" points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in roof) + '"/>')
    for name, x, y in points:
        told = html.escape(f"{name}: {x:.3g} FLOP/byte, {y:.3g} GFLOP/s")
        left, top = place(x, y)
        parts.append(f'<circle cx="{left:.1f}" cy="{top:.1f}" r="4"><title>{told}</title></circle>')
    parts.append(f'<text x="{(_WIDTH + _LEFT) / 2}" y="{_HEIGHT - 4}" text-anchor="middle">FLOP/byte</text>'
                 f'<text x="{_LEFT + 6}" y="{_TOP + 10}">GFLOP/s; the roof: {memory:,.1f} GB/s, '
                 f"{rate:,.1f} GFLOP/s</text>")
    return (f'<svg class="roofline" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
            f'aria-label="Roofline of the kernels">{"".join(parts)}</svg>')


def _decades(values: list[float]) -> tuple[float, float, int, int]:
    """The powers of ten around some values, and their exponents."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    return 10.0**low, 10.0**high, low, high
