"""What ticks say: times, frequencies, notes, svara, pitch classes; part of `display`.

Imported by way of `metalmom.display`, when one of the classes is asked for.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.ticker import EngFormatter, Formatter

from .. import core
from ..util._types import Int, Number, OctaveIntervals, Positive, PositiveInt
from ..util.exceptions import ParameterError


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

    def __init__(self, lag: bool = False, unit: Literal["h", "m", "s", "ms"] | None = None) -> None:
        if unit not in (None, "h", "m", "s", "ms"):
            raise ParameterError("unit", unit, choices=("h", "m", "s", "ms", None))
        self.unit = unit
        self.lag = lag

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of time `x` in seconds."""
        sign, value = "", x
        if self.lag:
            end = self.axis.get_data_interval()[1]
            if x > end:
                return ""  # beyond the last lag there is no tempo
            if x >= 0.5 * end:
                sign, value = "-", abs(x - end)
        if self.unit == "ms":
            text = f"{value * 1000:.3g}"
        elif self.unit == "s":
            text = f"{value:.3g}"
        else:
            text = self._clock(value)
        return sign + text

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

    def __init__(self, major: Any) -> None:
        self.major = major

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of frequency `x` in Hz."""
        if x <= 0:
            return ""
        low, high = self.axis.get_view_interval()
        if not self.major and high > 4 * max(1, low):
            return ""
        return self._label(x, high <= 2 * max(1, low))


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

    def __init__(
        self,
        octave: bool = True,
        major: bool = True,
        key: str = "C:maj",
        unicode: bool = True,
    ) -> None:
        super().__init__(major)
        self.octave = octave
        self.key = key
        self.unicode = unicode

    def _label(self, x: float, near: bool) -> str:
        return core.hz_to_note(
            x, octave=self.octave, cents=near, key=self.key, unicode=self.unicode
        )


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

    def __init__(
        self, Sa: Number | None, octave: bool = True, major: bool = True, abbr: bool = False,
        mela: str | Int | None = None, unicode: bool = True,
    ) -> None:
        if Sa is None:
            raise ParameterError("Sa", None, "the frequency of Sa for labels of svara")
        super().__init__(major)
        self.Sa = Sa
        self.octave = octave
        self.abbr = abbr
        self.mela = mela
        self.unicode = unicode

    def _label(self, x: float, near: bool) -> str:
        style: dict[str, Any] = {
            "Sa": self.Sa, "octave": self.octave, "abbr": self.abbr, "unicode": self.unicode,
        }  # fmt: skip
        if self.mela is None:
            return core.hz_to_svara_h(x, **style)
        return core.hz_to_svara_c(x, mela=self.mela, **style)


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

    def __init__(
        self,
        *,
        fmin: Positive,
        n_bins: PositiveInt,
        bins_per_octave: PositiveInt,
        intervals: str | OctaveIntervals,
        major: bool = True,
        unison: str | None = None,
        unicode: bool = True,
    ) -> None:
        super().__init__(major)
        self.fmin = fmin
        self.unison = unison
        self.unicode = unicode
        self.intervals = intervals
        self.n_bins = n_bins
        self.bins_per_octave = bins_per_octave
        self.frequencies = core.interval_frequencies(
            n_bins, fmin=fmin, intervals=intervals, bins_per_octave=bins_per_octave
        )

    def _label(self, x: float, near: bool) -> str:
        nearest = self.frequencies[np.argmin(np.abs(self.frequencies - x))]
        return core.hz_to_fjs(nearest, fmin=self.fmin, unison=self.unison, unicode=self.unicode)


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

    def __init__(self, major: bool = True) -> None:
        super().__init__(major)

    def _label(self, x: float, near: bool) -> str:
        return f"{x:g}"


class SIHzFormatter(_FrequencyFormatter):
    """Frequencies with prefixes: 1.6 kHz."""

    def __init__(self, major: bool = True) -> None:
        super().__init__(major)
        self._with_prefix = EngFormatter(unit="Hz")

    def _label(self, x: float, near: bool) -> str:
        return self._with_prefix(x)


class ChromaFormatter(Formatter):
    """Pitch classes as note names.

    Parameters
    ----------
    key : str
        The key that spells notes, as in `metalmom.midi_to_note`.
    unicode : bool
        Whether accidentals are symbols of music or ASCII.

    Examples
    --------
    >>> metalmom.display.ChromaFormatter(key="F:maj", unicode=False)(10)
    'Bb'
    """

    def __init__(self, key: str = "C:maj", unicode: bool = True) -> None:
        self.key = key
        self.unicode = unicode

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of pitch class `x`."""
        return core.midi_to_note(
            int(x), octave=False, cents=False, key=self.key, unicode=self.unicode
        )


class ChromaSvaraFormatter(Formatter):
    """Pitch classes as svara, Hindustani or (with `mela`) Carnatic.

    Parameters
    ----------
    Sa : number, optional
        Pitch class of Sa, by default 0 (C).
    mela : str or int, optional
        The melakarta raga.
    abbr, unicode : bool
        Whether to shorten names; whether to use symbols that are not ASCII.

    Examples
    --------
    >>> metalmom.display.ChromaSvaraFormatter()(7)
    'P'
    """

    def __init__(
        self,
        Sa: Number | None = None,
        mela: str | Int | None = None,
        abbr: bool = True,
        unicode: bool = True,
    ) -> None:
        self.Sa = 0 if Sa is None else Sa
        self.mela = mela
        self.abbr = abbr
        self.unicode = unicode

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of pitch class `x`."""
        style: dict[str, Any] = {"Sa": self.Sa, "octave": False, "abbr": self.abbr, "unicode": self.unicode}
        if self.mela is None:
            return core.midi_to_svara_h(int(x), **style)
        return core.midi_to_svara_c(int(x), mela=self.mela, **style)


class ChromaFJSFormatter(Formatter):
    """Pitch classes as note names of the functional just system.

    Parameters
    ----------
    intervals : str or array_like of numbers from 1 to 2
        As in `metalmom.interval_frequencies`.
    unison : str
        Name of the unison.
    unicode : bool
        Whether accidentals are symbols of music or ASCII.
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

    def __init__(
        self,
        *,
        intervals: str | OctaveIntervals,
        unison: str = "C",
        unicode: bool = True,
        bins_per_octave: PositiveInt | None = None,
    ) -> None:
        self.unison = unison
        self.unicode = unicode
        self.intervals = intervals
        if isinstance(intervals, str):
            if not isinstance(bins_per_octave, (int, np.integer)):
                raise ParameterError("bins_per_octave", bins_per_octave, "an integer")
            self.ratios = core.interval_frequencies(
                bins_per_octave, fmin=1, intervals=intervals, bins_per_octave=bins_per_octave
            )
        else:
            try:
                self.ratios = np.asarray(intervals, dtype=float)
            except (TypeError, ValueError):
                raise ParameterError("intervals", intervals, "a name or ratios") from None
        self.bins_per_octave = len(self.ratios)

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of pitch class `x`."""
        ratio = self.ratios[int(x) % self.bins_per_octave]
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
