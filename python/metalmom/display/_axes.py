"""The kinds of axes: where rows lie, scales, ticks and labels; part of `display`.

`KINDS` says of each kind what it is. Imported by way of `metalmom.display`, when something is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib import ticker
from matplotlib.ticker import FixedLocator, ScalarFormatter, SymmetricalLogLocator

from .. import core
from ..util._warnings import warn
from ..util.exceptions import ParameterError
from . import _ticks

if TYPE_CHECKING:
    from types import SimpleNamespace
    from ..util._types import Array, ArrayLike

    Ticks = Callable[[Any, SimpleNamespace], tuple[Any, ...]]


class Kind(NamedTuple):
    """What an axis of a kind is; parameters `p` are those of specshow, and `n_bins` of this axis.

    Attributes
    ----------
    centres : callable
        Where `n` rows or columns lie, of `n` and the parameters.
    ticks : callable
        Locator and formatter of ticks, then those of minor ones, of the axis and the parameters; None, or
        fewer, where matplotlib's own suit.
    label : str
    scale : tuple of str and dict, optional
        Arguments of matplotlib's `set_xscale`, where the axis need not be linear.
    is_just : bool
        Whether `intervals` say where rows lie.
    """

    centres: Callable[[int, SimpleNamespace], Array]
    ticks: Ticks
    label: str
    scale: tuple[str, dict[str, Any]] | None = None
    is_just: bool = False


# Where rows lie.

def _numbers(n: int, p: SimpleNamespace) -> Array:
    return np.arange(n)


def _pitch_classes(n: int, p: SimpleNamespace) -> Array:
    return np.arange(n) * 12.0 / p.bins_per_octave


def _times(n: int, p: SimpleNamespace) -> Array:
    return core.frames_to_time(np.arange(n), sr=p.sr, hop_length=p.hop_length)


def _tempi_of_lags(n: int, p: SimpleNamespace) -> Array:
    """Lag 0 is an infinite tempo, which has no place on the axis."""
    return core.tempo_frequencies(n + 1, sr=p.sr, hop_length=p.hop_length)[1:]


def _tempi(n: int, p: SimpleNamespace) -> Array:
    win_length = 2 * (n - 1) if p.win_length is None else p.win_length
    return core.fourier_tempo_frequencies(sr=p.sr, hop_length=p.hop_length, win_length=win_length)


def _fft(n: int, p: SimpleNamespace) -> Array:
    return core.fft_frequencies(sr=p.sr, n_fft=2 * (n - 1) if p.n_fft is None else p.n_fft)


def _mel(n: int, p: SimpleNamespace) -> Array:
    fmin = 0.0 if p.fmin is None else p.fmin
    fmax = 0.5 * p.sr if p.fmax is None else p.fmax
    return core.mel_frequencies(n, fmin=fmin, fmax=fmax, htk=p.htk)


def _cqt(n: int, p: SimpleNamespace) -> Array:
    return _below_nyquist(
        core.cqt_frequencies(n, fmin=_lowest(p), bins_per_octave=p.bins_per_octave, tuning=p.tuning), p
    )


def _vqt(n: int, p: SimpleNamespace) -> Array:
    return _below_nyquist(_intervals(n, _lowest(p), p), p)


def _lowest(p: SimpleNamespace) -> Any:
    return core.note_to_hz("C1") if p.fmin is None else p.fmin


def _intervals(n: int, fmin: Any, p: SimpleNamespace) -> Array:
    return core.interval_frequencies(n, fmin=fmin, intervals=p.intervals, bins_per_octave=p.bins_per_octave)


def _below_nyquist(frequencies: Array, p: SimpleNamespace) -> Array:
    if np.any(frequencies > 0.5 * p.sr):
        warn(
            f"The highest bin lies at {frequencies.max():.0f} Hz, above half of sr={p.sr}: are sr, "
            "fmin and bins_per_octave those of the transform?"
        )
    return frequencies


# Ticks of times, tempi, and frequencies in Hz.

# Nominal centres of third-octave bands (IEC 61260-1), from 31.5 Hz; every third is that of an
# octave.
_DECADE = (1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8)
_THIRD_OCTAVES = [m * 10.0**e for e in range(1, 6) for m in _DECADE][5:]


def _powers(axis: Any, p: SimpleNamespace) -> tuple[Any, ...]:
    return SymmetricalLogLocator(axis.get_transform()), ScalarFormatter()


def _third_octaves(first: int) -> Ticks:
    return lambda axis, p: (
        FixedLocator(_THIRD_OCTAVES[first::3]), _ticks.SIHzFormatter(),
        FixedLocator(_THIRD_OCTAVES), _ticks.SIHzFormatter(major=False),
    )  # fmt: skip


def _clock(lag: bool, unit: Any) -> Ticks:
    return lambda axis, p: (
        ticker.MaxNLocator(prune=None, steps=[1, 1.5, 5, 6, 10]), _ticks.TimeFormatter(lag=lag, unit=unit)
    )


def _bpm(axis: Any, p: SimpleNamespace) -> tuple[Any, ...]:
    getattr(axis.axes, f"set_{axis.axis_name}lim")(p.tempo_min, p.tempo_max)
    return ticker.LogLocator(base=2.0), ScalarFormatter()


# Ticks of notes and svara: those of octaves, and minor ones of the steps of an octave.

_SEMITONES = 2.0 ** (np.arange(1, 12) / 12)


def _hz(p: SimpleNamespace, major: bool) -> Any:
    return _ticks.LogHzFormatter(major=major)


def _notes(p: SimpleNamespace, major: bool) -> Any:
    return _ticks.NoteFormatter(key=p.key, major=major, unicode=p.unicode)


def _svara(p: SimpleNamespace, major: bool) -> Any:
    return _ticks.SvaraFormatter(p.Sa, mela=p.mela, major=major, unicode=p.unicode)


def _just_notes(p: SimpleNamespace, major: bool) -> Any:
    return _ticks.FJSFormatter(
        fmin=_lowest(p), n_bins=p.n_bins, bins_per_octave=p.bins_per_octave, intervals=p.intervals,
        major=major, unison=p.unison, unicode=p.unicode,
    )  # fmt: skip


def _octaves(
    says: Callable[[SimpleNamespace, bool], Any],
    start: Callable[[SimpleNamespace], Any],
    major: Callable[[Any, float], Any] = lambda axis, first: _ticks.OctaveLocator(first),
    minor: Callable[[float, SimpleNamespace], Any] = lambda first, p: _ticks.NoteLocator(first * _SEMITONES),
) -> Ticks:
    """Ticks that `says` labels, an octave apart: `major` and `minor` locate them above a power of two."""

    def ticks(axis: Any, p: SimpleNamespace) -> tuple[Any, ...]:
        formatters = says(p, True), says(p, False)
        first = float(2.0 ** np.mod(np.log2(start(p)), 1.0))
        return major(axis, first), formatters[0], minor(first, p), formatters[1]

    return ticks


def _from_c(p: SimpleNamespace) -> Any:
    return core.note_to_hz("C1")


def _near_zero(axis: Any, first: float) -> Any:
    return SymmetricalLogLocator(axis.get_transform(), subs=[first])


def _just_steps(first: float, p: SimpleNamespace) -> Any:
    return _ticks.NoteLocator(first * _intervals(p.bins_per_octave, 1, p))


def _just_bins(first: float, p: SimpleNamespace) -> Any:
    return FixedLocator(_intervals(p.n_bins, _lowest(p), p))


# Ticks of pitch classes.

def _notes_of_key(axis: Any, p: SimpleNamespace) -> tuple[Any, ...]:
    return _every_octave(core.key_to_degrees(p.key)), _ticks.ChromaFormatter(key=p.key, unicode=p.unicode)


def _hindustani(axis: Any, p: SimpleNamespace) -> tuple[Any, ...]:
    return _svara_classes(np.arange(12) if p.thaat is None else core.thaat_to_degrees(p.thaat), None, p)


def _carnatic(axis: Any, p: SimpleNamespace) -> tuple[Any, ...]:
    return _svara_classes(core.mela_to_degrees(p.mela), p.mela, p)


def _svara_classes(degrees: Array, mela: Any, p: SimpleNamespace) -> tuple[Any, ...]:
    formatter = _ticks.ChromaSvaraFormatter(Sa=p.Sa, mela=mela, unicode=p.unicode)
    return _every_octave(np.mod(degrees + formatter.Sa, 12)), formatter


def _every_octave(degrees: Array) -> Any:
    return FixedLocator(np.add.outer(12 * np.arange(10), degrees).ravel())


def _just_classes(axis: Any, p: SimpleNamespace) -> tuple[Any, ...]:
    """The intervals to name: all, or of more than seven of a named kind the seven simplest."""
    named = isinstance(p.intervals, str)
    n = p.bins_per_octave if named else len(p.intervals)
    degrees = np.arange(n)
    if n > 7 and named:
        simplest_first = core.interval_frequencies(
            n, fmin=1, intervals=p.intervals, bins_per_octave=n, sort=False
        )
        degrees = np.argsort(np.argsort(simplest_first))[:7]
    return FixedLocator(degrees), _ticks.ChromaFJSFormatter(
        intervals=p.intervals, unison="C" if p.unison is None else p.unison, unicode=p.unicode,
        bins_per_octave=p.bins_per_octave,
    )  # fmt: skip


# The table. Fourier bins are linear below C2, since 0 Hz has no logarithm.
_LOG = "symlog", {"base": 2, "linthresh": core.note_to_hz("C2"), "linscale": 0.5}
_MEL = "symlog", {"base": 2, "linthresh": 1000.0}
_OCTAVES = "log", {"base": 2}
_UNITS = {None: "", "h": " (hours)", "m": " (minutes)", "s": " (seconds)", "ms": " (milliseconds)"}

_NO_TICKS = Kind(_numbers, lambda axis, p: (FixedLocator([]),), "")
HIDDEN: dict[str | None, Kind] = dict.fromkeys((None, "none", "off"), _NO_TICKS)
TIMES: dict[str | None, Kind] = {
    unit or "time": Kind(_times, _clock(False, unit), f"Time{said}") for unit, said in _UNITS.items()
}
LAGS: dict[str | None, Kind] = {
    f"lag_{unit}" if unit else "lag": Kind(_times, _clock(True, unit), f"Lag{said}")
    for unit, said in _UNITS.items()
}
CQT: dict[str | None, Kind] = {
    "cqt_hz": Kind(_cqt, _octaves(_hz, _from_c, lambda axis, _: _ticks.OctaveLocator(1.0)), "Hz", _OCTAVES),
    "cqt_oct3": Kind(_cqt, _third_octaves(0), "Frequency", _OCTAVES),
    "cqt_note": Kind(_cqt, _octaves(_notes, _from_c), "Note", _OCTAVES),
    "cqt_svara": Kind(_cqt, _octaves(_svara, lambda p: p.Sa), "Svara", _OCTAVES),
}
KINDS: dict[str | None, Kind] = {
    **dict.fromkeys(("linear", "fft", "hz"), Kind(_fft, lambda axis, p: (None, ScalarFormatter()), "Hz")),
    "oct3": Kind(_fft, _third_octaves(0), "Frequency"),
    "log": Kind(_fft, _powers, "Hz", _LOG),
    "log_oct3": Kind(_fft, _third_octaves(0), "Frequency", _LOG),
    "fft_note": Kind(_fft, _octaves(_notes, lambda p: 1.0, _near_zero), "Note", _LOG),
    "fft_svara": Kind(_fft, _octaves(_svara, lambda p: p.Sa, _near_zero), "Svara", _LOG),
    "mel": Kind(_mel, _powers, "Hz", _MEL),
    "mel_oct3": Kind(_mel, _third_octaves(5), "Frequency", _MEL),
    **CQT,
    "vqt_hz": Kind(_vqt, _octaves(_hz, _lowest, minor=_just_steps), "Hz", _OCTAVES, True),
    "vqt_oct3": Kind(_vqt, _third_octaves(0), "Frequency", _OCTAVES, True),
    "vqt_fjs": Kind(_vqt, _octaves(_just_notes, _lowest, minor=_just_bins), "Note", _OCTAVES, True),
    "vqt_note": Kind(_vqt, _octaves(_notes, _lowest, minor=_just_steps), "Note", _OCTAVES, True),
    "chroma": Kind(_pitch_classes, _notes_of_key, "Pitch class"),
    "chroma_h": Kind(_pitch_classes, _hindustani, "Svara"),
    "chroma_c": Kind(_pitch_classes, _carnatic, "Svara"),
    "chroma_fjs": Kind(_numbers, _just_classes, "Pitch class", None, True),
    "tonnetz": Kind(_numbers, lambda axis, p: (FixedLocator(np.arange(6)), _ticks.TonnetzFormatter()), "Tonnetz"),
    "frames": Kind(_numbers, lambda axis, p: (), "Frames"),
    **TIMES,
    **LAGS,
    "tempo": Kind(_tempi_of_lags, _bpm, "BPM", _OCTAVES),
    "fourier_tempo": Kind(_tempi, _bpm, "BPM", _OCTAVES),
}


def kind_of(name: str, kind: str | None, p: SimpleNamespace) -> Kind:
    """The kind of an axis, the argument `name` of specshow; refused where there is none, or it lacks intervals."""
    if kind not in [*HIDDEN, *KINDS]:
        known = ", ".join(map(repr, KINDS))
        raise ParameterError(name, kind, f"None or one of {known}", choices=tuple(KINDS))
    found = {**HIDDEN, **KINDS}[kind]
    if found.is_just and p.intervals is None:
        raise ParameterError("intervals", None, f"given for an axis {kind!r}")
    return found


def are_alike(x_axis: str | None, y_axis: str | None) -> bool:
    """Whether a step means the same on both axes."""
    if x_axis in HIDDEN or y_axis in HIDDEN:
        return False
    return x_axis == y_axis or any(x_axis in kinds and y_axis in kinds for kinds in (TIMES, LAGS))


def checked(given: ArrayLike, n: int, name: str) -> Array:
    """Coordinates that a user gave: centres of all rows, or the edges between them."""
    given = np.asarray(given)
    if given.ndim != 1 or given.size not in (n, n + 1):
        raise ParameterError(f"{name}.shape", given.shape, f"({n},) or ({n + 1},)")
    return given


def decorate(axis: Any, kind: Kind, p: SimpleNamespace) -> None:
    """Set locators, formatters and the label of an axis."""
    parts = ("major_locator", "major_formatter", "minor_locator", "minor_formatter")
    for part, chosen in zip(parts, kind.ticks(axis, p)):
        if chosen is not None:
            getattr(axis, f"set_{part}")(chosen)
    axis.set_label_text(kind.label)


def scale_and_decorate(axis: Any, kind: Kind, p: SimpleNamespace) -> None:
    """Make an axis linear or logarithmic, as its kind needs, and decorate it."""
    if kind.scale:
        name, how = kind.scale
        getattr(axis.axes, f"set_{axis.axis_name}scale")(name, **how)
    decorate(axis, kind, p)
