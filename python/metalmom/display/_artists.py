"""Waves that change their detail with the zoom, and waves bent along a pitch; part of `display`.

Imported by way of `metalmom.display`, when one of the classes is asked for.
"""

from __future__ import annotations

import dataclasses
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.transforms import Transform

from ..core import frames_to_time
from ..util._types import Number, Positive, PositiveInt, Row, Vector

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.collections
    import matplotlib.lines
    import numpy.typing as npt


class AdaptiveWaveplot:
    """A waveform, drawn as samples if few are in view and as an envelope otherwise.

    `metalmom.display.waveshow` makes these.

    Parameters
    ----------
    times : np.ndarray [shape=(n,)]
        Time of each sample in seconds.
    y : np.ndarray [shape=(n,)]
        Samples.
    steps : matplotlib.lines.Line2D
        The artist that shows samples.
    envelope : matplotlib.collections.PolyCollection
        The artist that shows the envelope.
    sr : number > 0
        Sampling rate in Hz.
    max_samples : int > 0
        The largest number of samples in view for which samples are shown.
    transpose : bool
        Whether time is the vertical axis.
    label : str, optional
        For a legend.

    Examples
    --------
    >>> y = metalmom.tone(440.0, sr=22050, length=22050)
    >>> plot = metalmom.display.waveshow(y, sr=22050)
    >>> plot.steps.get_visible(), plot.envelope.get_visible()
    (False, True)
    """

    def __init__(
        self, times: Vector, y: Vector, steps: matplotlib.lines.Line2D,
        envelope: matplotlib.collections.PolyCollection, sr: Positive = 22050,
        max_samples: PositiveInt = 11025, transpose: bool = False, label: str | None = None,
    ) -> None:
        self.times, self.samples, self.sr = times, y, sr
        self.max_samples, self.transpose, self.cid = max_samples, transpose, None
        # The axes own what is drawn and also hold a callback to this object, so this object holds
        # only weak references to it.
        self._steps = weakref.ref(steps)
        self._envelope = weakref.ref(envelope)
        self._ax: weakref.ref[matplotlib.axes.Axes] | None = None
        if label:
            envelope.set_label(label)

    @property
    def steps(self) -> matplotlib.lines.Line2D | None:
        """The artist that draws samples; None once it was removed."""
        return self._steps()

    @property
    def envelope(self) -> matplotlib.collections.PolyCollection | None:
        """The artist that draws the envelope; None once it was removed."""
        return self._envelope()

    @property
    def ax(self) -> matplotlib.axes.Axes | None:
        """The axes that this follows."""
        return None if self._ax is None else self._ax()

    def connect(self, ax: matplotlib.axes.Axes, *, signal: str = "xlim_changed") -> None:
        """Follow the limits of axes."""
        self.disconnect()
        self._ax = weakref.ref(ax)
        # Callbacks hold bound methods weakly. This function keeps the plot alive as long as the
        # axes.
        self.cid = ax.callbacks.connect(signal, lambda changed, plot=self: plot.update(changed))

    def disconnect(self, *, strict: bool = False) -> None:
        """Stop following; with `strict` also forget the axes."""
        if self.ax is not None and self.cid is not None:
            self.ax.callbacks.disconnect(self.cid)
        self.cid = None
        if strict:
            self._ax = None

    def update(self, ax: matplotlib.axes.Axes) -> None:
        """Show what suits the limits of `ax`."""
        steps, envelope = self.steps, self.envelope
        if steps is None or envelope is None:
            return
        low, high = sorted(ax.get_ylim() if self.transpose else ax.get_xlim())
        first, last = self.times[0], self.times[-1]
        in_view = min(high, last) - max(low, first)
        near = in_view * self.sr <= self.max_samples
        envelope.set_visible(not near)
        steps.set_visible(near)
        if near:
            self._move_steps(steps, low, high)

    def _move_steps(self, steps: Any, low: float, high: float) -> None:
        shown = np.asarray(steps.get_ydata() if self.transpose else steps.get_xdata())
        if shown.size and shown[0] <= max(low, self.times[0]) and (
            shown[-1] >= min(high, self.times[-1])
        ):
            return
        start = int(np.searchsorted(self.times, 0.5 * (low + high) - 0.5 * self.max_samples / self.sr))
        start = min(start, max(self.times.size - self.max_samples, 0))
        part = slice(start, start + self.max_samples)
        data = self.times[part], self.samples[part]
        steps.set_data(*(data[::-1] if self.transpose else data))


@dataclasses.dataclass(eq=False, repr=False)
class Transformf0(Transform):
    """Bends a wave along a pitch: amplitudes become intervals around the pitch of their time.

    Amplitude `norm` is a step of ``1 / bins_per_octave`` octaves.

    Parameters
    ----------
    f0 : np.ndarray [shape=(m,)]
        Pitch of each frame in Hz, NaN where there is none.
    sr : number > 0
        Sampling rate in Hz.
    hop_length : int > 0
        Samples from a frame to the next.
    bins_per_octave : int > 0
        Steps of an octave.
    norm : number > 0
        Amplitude of one step.
    offset : number
        Time of the first frame in seconds.
    transpose : bool
        Whether time is the second coordinate.
    is_inverted : bool
        Whether pitches become amplitudes instead.

    Examples
    --------
    >>> bend = metalmom.display.Transformf0(np.array([440.0, 440.0]))
    >>> bend.transform([[0.0, 0.0], [0.0, 12.0]])[:, 1]
    array([440., 880.])
    """

    input_dims = output_dims = 2
    is_separable = False
    has_inverse = True

    f0: Row
    _: dataclasses.KW_ONLY
    sr: Positive = 22050
    hop_length: PositiveInt = 512
    bins_per_octave: PositiveInt = 12
    norm: Positive = 1
    offset: Number = 0
    transpose: bool = False
    is_inverted: bool = False

    def __post_init__(self) -> None:
        super().__init__()
        self.f0 = np.asarray(self.f0, dtype=float)
        frames = np.arange(self.f0.size)
        self._starts = self.offset + frames_to_time(frames, sr=self.sr, hop_length=self.hop_length)

    def transform_non_affine(self, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Times and amplitudes to times and frequencies; NaN where there is no pitch."""
        values = np.asarray(values, dtype=float)
        time, other = (values[:, 1], values[:, 0]) if self.transpose else values.T
        frame = np.searchsorted(self._starts, time, side="right") - 1
        known = (frame >= 0) & (time <= self._starts[-1])
        pitch = np.where(known, self.f0[np.clip(frame, 0, None)], np.nan)
        step = self.norm * self.bins_per_octave
        with np.errstate(invalid="ignore", divide="ignore"):
            moved = step * np.log2(other / pitch) if self.is_inverted else (
                pitch * 2 ** (other / step)
            )
        return np.column_stack([moved, time] if self.transpose else [time, moved])

    def inverted(self) -> Transformf0:
        """The transform back."""
        return dataclasses.replace(self, is_inverted=not self.is_inverted)
