"""Scales, ticks and labels of axes; part of `display`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import core
from . import _coordinates as kinds

if TYPE_CHECKING:
    from types import SimpleNamespace
    from ..util._types import Array

# Nominal centres of third-octave bands (IEC 61260-1), from 31.5 Hz; every third is that of an
# octave.
_DECADE = (1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8)
_THIRD_OCTAVES = [m * 10.0**e for e in range(1, 6) for m in _DECADE][5:]
_SEMITONES = 2.0 ** (np.arange(1, 12) / 12)


def scale(axis: Any, kind: str | None, p: SimpleNamespace) -> None:
    """Make an axis linear or logarithmic, as its kind needs; tempi also have limits."""
    ax = axis.axes
    set_scale, set_limits = (
        (ax.set_xscale, ax.set_xlim) if axis.axis_name == "x" else (ax.set_yscale, ax.set_ylim)
    )
    if kind in kinds.LOGARITHMIC:
        # Linear below C2, since 0 Hz has no logarithm.
        set_scale("symlog", base=2, linthresh=core.note_to_hz("C2"), linscale=0.5)
    elif kind in kinds.MEL:
        set_scale("symlog", base=2, linthresh=1000.0)
    elif kind in kinds.CQT + kinds.VQT:
        set_scale("log", base=2)
    elif kind in kinds.TEMPI:
        set_scale("log", base=2)
        set_limits(p.tempo_min, p.tempo_max)


def decorate(axis: Any, kind: str | None, p: SimpleNamespace) -> None:
    """Set locators, formatters and the label of an axis."""
    if kind in kinds.HIDDEN:
        axis.set_ticks([])
        axis.set_label_text("")
    elif kind in kinds.TIMES + kinds.LAGS:
        _decorate_time(axis, kind)
    elif kind in kinds.TEMPI:
        _ticks(axis, _locators().LogLocator(base=2.0), _locators().ScalarFormatter(), "BPM")
    elif kind in kinds.CHROMA + kinds.COUNTED:
        _decorate_classes(axis, kind, p)
    elif kind.endswith("oct3"):
        _decorate_third_octaves(axis, kind)
    else:
        _decorate_frequency(axis, kind, p)


def _locators() -> Any:
    from matplotlib import ticker

    return ticker


def _formatters() -> Any:
    from . import _formatters

    return _formatters


def _ticks(
    axis: Any, locator: Any, formatter: Any, label: str, minor: Any = None, minor_formatter: Any = None
) -> None:
    if locator is not None:
        axis.set_major_locator(locator)
    axis.set_major_formatter(formatter)
    if minor is not None:
        axis.set_minor_locator(minor)
        axis.set_minor_formatter(minor_formatter)
    axis.set_label_text(label)


def _decorate_time(axis: Any, kind: str) -> None:
    unit = kind.removeprefix("lag").removeprefix("_").removeprefix("time") or None
    name = "Lag" if kind in kinds.LAGS else "Time"
    words = {"h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"}
    _ticks(
        axis,
        _locators().MaxNLocator(prune=None, steps=[1, 1.5, 5, 6, 10]),
        _formatters().TimeFormatter(lag=kind in kinds.LAGS, unit=unit),
        name if unit is None else f"{name} ({words[unit]})",
    )


def _decorate_classes(axis: Any, kind: str, p: SimpleNamespace) -> None:
    if kind == "frames":
        axis.set_label_text("Frames")
        return
    f = _formatters()
    if kind == "tonnetz":
        degrees, formatter, label = np.arange(6), f.TonnetzFormatter(), "Tonnetz"
    elif kind == "chroma_fjs":
        degrees, label = _just_degrees(p), "Pitch class"
        formatter = f.ChromaFJSFormatter(
            intervals=p.intervals,
            unison="C" if p.unison is None else p.unison,
            unicode=p.unicode,
            bins_per_octave=p.bins_per_octave,
        )
    elif kind == "chroma":
        degrees, label = _octaves(core.key_to_degrees(p.key)), "Pitch class"
        formatter = f.ChromaFormatter(key=p.key, unicode=p.unicode)
    else:
        Sa = 0 if p.Sa is None else p.Sa
        mela = None
        if kind == "chroma_c":
            mela = p.mela
            scale_degrees = core.mela_to_degrees(p.mela)
        else:
            scale_degrees = np.arange(12) if p.thaat is None else core.thaat_to_degrees(p.thaat)
        degrees, label = _octaves(np.mod(scale_degrees + Sa, 12)), "Svara"
        formatter = f.ChromaSvaraFormatter(Sa=Sa, mela=mela, unicode=p.unicode)
    _ticks(axis, _locators().FixedLocator(degrees), formatter, label)


def _octaves(degrees: Array) -> Array:
    return np.add.outer(12 * np.arange(10), degrees).ravel()


def _just_degrees(p: SimpleNamespace) -> Array:
    """The intervals to name: all, or of more than seven of a named kind the seven simplest."""
    named = isinstance(p.intervals, str)
    n = p.bins_per_octave if named else len(p.intervals)
    if n <= 7 or not named:
        return np.arange(n)
    simplest_first = core.interval_frequencies(
        n, fmin=1, intervals=p.intervals, bins_per_octave=n, sort=False
    )
    return np.argsort(np.argsort(simplest_first))[:7]


def _decorate_third_octaves(axis: Any, kind: str) -> None:
    f, first = _formatters(), 5 if kind == "mel_oct3" else 0
    _ticks(
        axis,
        _locators().FixedLocator(_THIRD_OCTAVES[first::3]),
        f.SIHzFormatter(),
        "Frequency",
        _locators().FixedLocator(_THIRD_OCTAVES),
        f.SIHzFormatter(major=False),
    )


def _above_octave(frequency: Any) -> float:
    """How far a frequency lies above a power of two, as a ratio."""
    return float(2.0 ** np.mod(np.log2(frequency), 1.0))


def _decorate_frequency(axis: Any, kind: str, p: SimpleNamespace) -> None:
    t = _locators()
    if kind in kinds.LINEAR:
        _ticks(axis, None, t.ScalarFormatter(), "Hz")
        return
    if kind in ("log", "mel"):
        _ticks(axis, t.SymmetricalLogLocator(axis.get_transform()), t.ScalarFormatter(), "Hz")
        return
    style = kind.split("_")[1]
    label = {"hz": "Hz", "svara": "Svara"}.get(style, "Note")
    major, minor = (_formatter(style, p, axis, flag) for flag in (True, False))
    if style == "svara":
        start = _above_octave(p.Sa)
    elif kind in kinds.VQT:
        start = _above_octave(core.note_to_hz("C1") if p.fmin is None else p.fmin)
    else:
        start = _above_octave(core.note_to_hz("C1"))
    if kind == "fft_svara":
        locator = t.SymmetricalLogLocator(axis.get_transform(), subs=[start])
    elif kind == "fft_note":
        locator, start = t.SymmetricalLogLocator(axis.get_transform()), 1.0
    else:
        from ._locators import OctaveLocator

        locator = OctaveLocator(1.0 if kind == "cqt_hz" else start)
    _ticks(axis, locator, major, label, _minor_locator(kind, start, p), minor)


def _minor_locator(kind: str, start: float, p: SimpleNamespace) -> Any:
    t = _locators()
    if kind == "vqt_fjs":
        fmin = core.note_to_hz("C1") if p.fmin is None else p.fmin
        return t.FixedLocator(
            core.interval_frequencies(
                p.n_bins, fmin=fmin, intervals=p.intervals, bins_per_octave=p.bins_per_octave
            )
        )
    steps = _SEMITONES
    if kind in kinds.VQT:
        n = p.bins_per_octave
        steps = core.interval_frequencies(n, fmin=1, intervals=p.intervals, bins_per_octave=n)
    from ._locators import NoteLocator

    return NoteLocator(start * steps)


def _formatter(style: str, p: SimpleNamespace, axis: Any, major: bool) -> Any:
    f = _formatters()
    if style == "hz":
        return f.LogHzFormatter(major=major)
    if style == "svara":
        return f.SvaraFormatter(p.Sa, mela=p.mela, major=major, unicode=p.unicode)
    if style == "fjs":
        return f.FJSFormatter(
            fmin=core.note_to_hz("C1") if p.fmin is None else p.fmin,
            n_bins=p.n_bins,
            bins_per_octave=p.bins_per_octave,
            intervals=p.intervals,
            major=major,
            unison=p.unison,
            unicode=p.unicode,
        )
    return f.NoteFormatter(key=p.key, major=major, unicode=p.unicode)
