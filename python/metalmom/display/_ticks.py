"""What ticks say and where they lie: times, frequencies, notes, svara, pitch classes; part of `display`.

Imported by way of `metalmom.display`, when something is drawn or one of the classes is asked for.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.ticker import EngFormatter, Formatter, LogLocator

from .. import core
from ..util._types import Int, Number, OctaveIntervals, Positive, PositiveInt
from ..util.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ..util._types import Array

# The arguments of a class are its fields; like matplotlib's formatters, equal ones are not the same.
_of_fields = dataclasses.dataclass(eq=False, repr=False)


@_of_fields
class TimeFormatter(Formatter):
    """Times as milliseconds, seconds, minutes or hours.

    Parameters
    ----------
    lag : bool
        Whether times past the middle of the data count backwards from its end.
    unit : {None, "h", "m", "s", "ms"}
        ``H:MM:SS``, ``M:SS``, seconds or milliseconds; None decides by what is in view.

    Raises
    ------
    ParameterError
        For other units.

    Examples
    --------
    >>> metalmom.display.TimeFormatter(unit="m")(61.5)
    '1:01'
    """

    lag: bool = False
    unit: Literal["h", "m", "s", "ms"] | None = None

    def __post_init__(self) -> None:
        if self.unit not in (None, "h", "m", "s", "ms"):
            raise ParameterError("unit", self.unit, choices=("h", "m", "s", "ms", None))

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of time `x` in seconds."""
        sign, value = "", x
        if self.lag:
            end = self.axis.get_data_interval()[1]
            if x > end:
                return ""  # beyond the last lag there is no tempo
            if x >= 0.5 * end:
                sign, value = "-", abs(x - end)
        if self.unit in ("s", "ms"):
            return f"{sign}{value * (1000 if self.unit == 'ms' else 1):.3g}"
        return sign + self._clock(value)

    def _clock(self, value: float) -> str:
        low, high = self.axis.get_view_interval() if self.unit is None else (0, 0)
        span = high - low
        seconds, minutes = int(np.mod(value, 60)), int(np.mod(value / 60, 60))
        if self.unit == "h" or span > 3600:
            return f"{int(value / 3600)}:{minutes:02d}:{seconds:02d}"
        if self.unit == "m" or span > 60:
            return f"{int(value / 60)}:{seconds:02d}"
        return f"{value:.2g}" if span >= 1 else f"{value:.3f}"


class _FrequencyFormatter(Formatter):
    """Labels of positive frequencies; minor ticks have one in views of two octaves at most."""

    major: bool

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of frequency `x` in Hz."""
        if x <= 0:
            return ""
        low, high = self.axis.get_view_interval()
        if not self.major and high > 4 * max(1, low):
            return ""
        return self._label(x, high <= 2 * max(1, low))

    def _label(self, x: float, near: bool) -> str:
        raise NotImplementedError


@_of_fields
class NoteFormatter(_FrequencyFormatter):
    """Frequencies as note names, with cents in views of an octave at most.

    Parameters
    ----------
    octave : bool
        Whether to show octave numbers.
    major : bool
        Whether ticks always have a label; otherwise in views of two octaves at most.
    key : str
        The key that spells notes, as in `metalmom.midi_to_note`.
    unicode : bool
        Whether accidentals are symbols of music or ASCII.

    Examples
    --------
    >>> metalmom.display.NoteFormatter().major
    True
    """

    octave: bool = True
    major: bool = True
    key: str = "C:maj"
    unicode: bool = True

    def _label(self, x: float, near: bool) -> str:
        return core.hz_to_note(x, octave=self.octave, cents=near, key=self.key, unicode=self.unicode)


@_of_fields
class SvaraFormatter(_FrequencyFormatter):
    """Frequencies as svara, Hindustani or (with `mela`) Carnatic.

    Parameters
    ----------
    Sa : number > 0
        Frequency of Sa in Hz.
    octave, major, unicode : bool
        As in `NoteFormatter`.
    abbr : bool
        Whether to shorten names.
    mela : str or int, optional
        The melakarta raga.

    Raises
    ------
    ParameterError
        If there is no `Sa`.

    Examples
    --------
    >>> metalmom.display.SvaraFormatter(Sa=220.0).Sa
    220.0
    """

    Sa: Number | None
    octave: bool = True
    major: bool = True
    abbr: bool = False
    mela: str | Int | None = None
    unicode: bool = True

    def __post_init__(self) -> None:
        if self.Sa is None:
            raise ParameterError("Sa", None, "the frequency of Sa for labels of svara")

    def _label(self, x: float, near: bool) -> str:
        style: dict[str, Any] = {"Sa": self.Sa, "octave": self.octave, "abbr": self.abbr, "unicode": self.unicode}
        if self.mela is None:
            return core.hz_to_svara_h(x, **style)
        return core.hz_to_svara_c(x, mela=self.mela, **style)


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class FJSFormatter(_FrequencyFormatter):
    """Frequencies as note names of the functional just system: those of the nearest bin.

    Parameters
    ----------
    fmin : number > 0
        Frequency of the unison.
    n_bins : int > 0
        Bins of the axis.
    bins_per_octave : int > 0
        Bins of an octave.
    intervals : str or array_like of numbers from 1 to 2
        As in `metalmom.interval_frequencies`.
    major, unicode : bool
        As in `NoteFormatter`.
    unison : str, optional
        Name of the unison, by default the note of `fmin`.

    Examples
    --------
    >>> axis = {"fmin": 55.0, "n_bins": 24, "bins_per_octave": 12, "intervals": "ji5"}
    >>> metalmom.display.FJSFormatter(**axis).bins_per_octave
    12
    """

    fmin: Positive
    n_bins: PositiveInt
    bins_per_octave: PositiveInt
    intervals: str | OctaveIntervals
    major: bool = True
    unison: str | None = None
    unicode: bool = True

    def __post_init__(self) -> None:
        self.frequencies = core.interval_frequencies(
            self.n_bins, fmin=self.fmin, intervals=self.intervals, bins_per_octave=self.bins_per_octave
        )

    def _label(self, x: float, near: bool) -> str:
        nearest = self.frequencies[np.argmin(np.abs(self.frequencies - x))]
        return core.hz_to_fjs(nearest, fmin=self.fmin, unison=self.unison, unicode=self.unicode)


@_of_fields
class LogHzFormatter(_FrequencyFormatter):
    """Frequencies in Hz.

    Parameters
    ----------
    major : bool
        As in `NoteFormatter`.

    Examples
    --------
    >>> metalmom.display.LogHzFormatter(major=False).major
    False
    """

    major: bool = True

    def _label(self, x: float, near: bool) -> str:
        return f"{x:g}"


class SIHzFormatter(LogHzFormatter):
    """Frequencies with prefixes: 1.6 kHz."""

    def _label(self, x: float, near: bool) -> str:
        return EngFormatter(unit="Hz")(x)


@_of_fields
class ChromaFormatter(Formatter):
    """Pitch classes as note names.

    Parameters
    ----------
    key, unicode
        As in `NoteFormatter`.

    Examples
    --------
    >>> metalmom.display.ChromaFormatter(key="F:maj", unicode=False)(10)
    'Bb'
    """

    key: str = "C:maj"
    unicode: bool = True

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of pitch class `x`."""
        return core.midi_to_note(int(x), octave=False, cents=False, key=self.key, unicode=self.unicode)


@_of_fields
class ChromaSvaraFormatter(Formatter):
    """Pitch classes as svara, Hindustani or (with `mela`) Carnatic.

    Parameters
    ----------
    Sa : number, optional
        Pitch class of Sa, by default 0 (C).
    mela, abbr, unicode
        As in `SvaraFormatter`.

    Examples
    --------
    >>> metalmom.display.ChromaSvaraFormatter()(7)
    'P'
    """

    Sa: Number | None = None
    mela: str | Int | None = None
    abbr: bool = True
    unicode: bool = True

    def __post_init__(self) -> None:
        self.Sa = 0 if self.Sa is None else self.Sa

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of pitch class `x`."""
        style: dict[str, Any] = {"Sa": self.Sa, "octave": False, "abbr": self.abbr, "unicode": self.unicode}
        if self.mela is None:
            return core.midi_to_svara_h(int(x), **style)
        return core.midi_to_svara_c(int(x), mela=self.mela, **style)


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class ChromaFJSFormatter(Formatter):
    """Pitch classes as note names of the functional just system.

    Parameters
    ----------
    intervals : str or array_like of numbers from 1 to 2
        As in `metalmom.interval_frequencies`.
    unison : str
        Name of the unison.
    unicode : bool
        As in `NoteFormatter`.
    bins_per_octave : int > 0, optional
        Intervals of an octave; needed where `intervals` is a name.

    Raises
    ------
    ParameterError
        For a name without `bins_per_octave`.

    Examples
    --------
    >>> metalmom.display.ChromaFJSFormatter(intervals=[1, 5 / 4, 3 / 2], unicode=False)(1)
    'E^5'
    """

    intervals: str | OctaveIntervals
    unison: str = "C"
    unicode: bool = True
    bins_per_octave: PositiveInt | None = None

    def __post_init__(self) -> None:
        n, intervals = self.bins_per_octave, self.intervals
        if isinstance(intervals, str):
            if not isinstance(n, (int, np.integer)):
                raise ParameterError("bins_per_octave", n, "an integer")
            self.ratios = core.interval_frequencies(n, fmin=1, intervals=intervals, bins_per_octave=n)
        else:
            try:
                self.ratios = np.asarray(intervals, dtype=float)
            except (TypeError, ValueError):
                raise ParameterError("intervals", intervals, "a name or ratios") from None
        self.bins_per_octave = len(self.ratios)

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of pitch class `x`."""
        ratio = self.ratios[int(x) % len(self.ratios)]
        return core.interval_to_fjs(ratio, unison=self.unison, unicode=self.unicode)


class TonnetzFormatter(Formatter):
    """The six coordinates of `metalmom.feature.tonnetz`: fifths, minor and major thirds.

    Examples
    --------
    >>> metalmom.display.TonnetzFormatter()(0)
    '5$_y$'
    """

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of coordinate `x`."""
        circle = ("5", "m3", "M3")[int(x) // 2]
        return circle + ("$_y$", "$_x$")[int(x) % 2]


class NoteLocator(LogLocator):
    """Ticks at frequencies in fixed ratios to powers of two, from 1 Hz where an axis begins below.

    matplotlib refuses to draw axes that show 0 Hz, unless it has seen data that are positive.
    """

    def __init__(self, ratios: Sequence[float] | Array) -> None:
        super().__init__(base=2.0, subs=ratios)

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float] | Array:
        """The ticks between two frequencies."""
        if vmax <= 0:
            return []
        return super().tick_values(vmin if vmin > 0 else min(1.0, 0.5 * vmax), vmax)


class OctaveLocator(NoteLocator):
    """A tick an octave, or every few octaves where there is no room for more.

    Older matplotlibs (3.6) leave such an axis without ticks if its ticks are no powers of two.
    """

    def __init__(self, ratio: float) -> None:
        super().__init__((ratio,))
        self._ratio = ratio

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float] | Array:
        """The ticks between two frequencies."""
        ticks = super().tick_values(vmin, vmax)
        if len(ticks) or vmax <= 0:
            return ticks
        all_of_them = LogLocator(base=2.0, subs=(self._ratio,), numticks=1000)
        every: Array = all_of_them.tick_values(vmin if vmin > 0 else min(1.0, 0.5 * vmax), vmax)
        room = max(self.axis.get_tick_space(), 2)
        return every[:: -(-len(every) // room)]
