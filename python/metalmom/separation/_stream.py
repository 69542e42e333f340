"""Sources of audio that comes block by block."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ..streaming import Stream as AnyStream
from ..streaming._stream import Signal, flag, in_turn, numpy_array
from ..util._checks import is_number, require, require_finite
from ..util._public import strict
from ..util._rules import number, pair
from ..util._types import Array, Block, Positive, PositiveInt, Real, RealDtype
from ..util.exceptions import ParameterError
from ._models import ModelLike, model_of
from ._passes import Channels, lead_of, Passes, Statistics
from ._segments import Overlap
from ._separate import plan_of

__all__ = ["Stream"]


def _are_statistics(given: Any) -> bool:
    are_numbers = pair("", number()).accepts(given) and all(abs(each) < np.inf for each in given)
    return are_numbers and given[1] >= 0


class _Signal(Signal):
    """The signal that a stream is in the midst of, on its way through the model."""

    def __init__(self, turns: Any, *made_of: Any) -> None:
        super().__init__(turns)
        self._made_of = made_of
        self.passes = Passes(*made_of)

    def reset(self) -> None:
        """Begin another signal."""
        super().reset()
        self.passes = Passes(*self._made_of)


class Stream(AnyStream):
    """Separate audio block by block: `metalmom.separate` without shifts.

    The stems of a sample are returned when all segments that contain it are known, at most `latency` samples
    later. Joined, they have the bits of `metalmom.separate`.

    Parameters
    ----------
    model : str, os.PathLike, metalmom.separation.Model, or tuple of a function or Session and its description
        As in `metalmom.separate`.
    sr : number > 0
        Sampling rate of the audio. It must be that of the model.
    segment, overlap
        As in `metalmom.separate`. Shorter segments reduce the latency.
    statistics : tuple of float, optional
        Mean and standard deviation of the signal mixed to mono, for a model that normalises. A stream cannot
        know them.
    channels : int > 0, optional
        Channels of a block; by default those of the model.
    sample_dtype : real dtype
        Data type of the blocks: float32 or float64.

    Raises
    ------
    ParameterError
        As `metalmom.separate`, and for a rate other than that of the model.

    Examples
    --------
    >>> about = {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["loud", "soft"], "segment": 0.5}
    >>> s = metalmom.separation.Stream((lambda segment: np.stack([segment, segment / 8]), about), sr=8000)
    >>> s.latency
    4000
    >>> y = metalmom.tone(440.0, sr=8000, length=20000).astype(np.float32)
    >>> parts = [s.process(y[i : i + 900]) for i in range(0, len(y), 900)] + [s.flush()]
    >>> bool((np.concatenate([each["loud"] for each in parts]) == y).all())
    True
    """

    @strict
    def __init__(
        self, model: ModelLike, *, sr: Positive, segment: Positive | None = None, overlap: Overlap = 0.25,
        statistics: Annotated[tuple[Real, Real], pair("(mean, deviation)", number())] | None = None,
        channels: PositiveInt | None = None, sample_dtype: RealDtype = np.float32,
    ) -> None:
        model = model_of(model)
        about = model.description
        super().__init__(about.channels if channels is None else channels, sample_dtype)
        lead_of(self._channels, about.channels)  # which refuses others
        rule = f"{about.sr}, the model's: metalmom.streaming.Resample changes it"
        require(sr == about.sr, "sr", sr, rule)
        self.rate = sr
        plan = plan_of(model, segment, overlap, 0, 0, "full")
        if not about.normalize:
            rule = "None: the model does not normalise by them"
            require(statistics is None, "statistics", statistics, rule)
        else:
            rule = "(mean, deviation) of the whole signal, two finite numbers, which a stream does not know"
            require(_are_statistics(statistics), "statistics", statistics, rule)
        self._stems = about.stems
        self._latency = plan.length + plan.context
        known = None if statistics is None else Statistics(float(statistics[0]), float(statistics[1]))
        self._native = _Signal(self._turns, model, plan, Channels(self._lead, about.channels), known)

    def __repr__(self) -> str:
        return f"Stream(stems={[*self._stems]}, channels={self._channels}, latency={self._latency})"

    @in_turn
    def process(self, y: Block, last: bool = False) -> dict[str, Array]:
        """Take a block of samples and return the stems that are known.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also zero, of the dtype of the stream, without NaN or infinity.
        last : bool
            Whether the signal ends here.

        Returns
        -------
        dict of str to np.ndarray [shape=(..., m)]
            The stems by name, possibly without samples.

        Raises
        ------
        ParameterError
            For wrong samples, and after the end of the signal; the stream stays as it was. For a wrong output
            of the model, which stops the stream.
        """
        y, last, signal = self._checked(numpy_array("y", y)), flag("last", last), self._native
        require_finite("y", y)
        self._turns.require_open(signal.ended)
        self._turns.change()
        blocks = [*signal.passes.push(y)]
        if last:
            blocks += signal.passes.end()
        signal.position += y.shape[-1]
        signal.ended = last
        self._turns.done_block(y.shape[-1], last)
        empty = np.empty((len(self._stems), *self._lead, 0), self._dtype)
        return dict(zip(self._stems, np.concatenate([empty, *blocks], axis=-1), strict=True))
