"""Sources of audio in memory: `separate`, and what it will take."""

from __future__ import annotations

import contextlib
import math
from typing import Any, Literal

import numpy as np

from .. import core
from .._engine import _args
from .._extractor.estimate import Estimate, peak_of, time_of
from ..util._checks import is_one_of, require, require_finite
from ..util._memory import refuse_beyond_memory
from ..util._progress import Progress, shown
from ..util._public import public, strict
from ..util._types import Array, Audio, NonNegativeInt, Positive, PositiveInt
from ..util._wording import turned
from ..util.exceptions import DeviceError, ParameterError
from ..util.utils import fix_length
from ._models import ModelLike, model_of
from ._passes import Channels, lead_of, Passes, Plan, statistics_of
from ._segments import blocks_of_array, Overlap, step_of

__all__ = ["estimate", "separate"]

Mode = Literal["full", "preview"]

# Samples by which the statistics of a signal are summed up, so that they do not depend on blocks.
SAMPLES_AT_ONCE = 1 << 16


def plan_of(model: Any, segment: Any, overlap: Any, shifts: Any, seed: Any, mode: Any) -> Plan:
    """The plan of a call, whose arguments are checked."""
    require(is_one_of(mode, ("full", "preview")), "mode", mode, "'full' or 'preview'")
    return Plan.of(model, segment, float(overlap), int(shifts), int(seed), mode)


@public(composed=True)
@strict
def separate(
    y: Audio,
    model: ModelLike,
    *,
    sr: Positive,
    segment: Positive | None = None,
    overlap: Overlap = 0.25,
    shifts: NonNegativeInt = 0,
    mode: Mode = "full",
    seed: NonNegativeInt = 0,
    progress: Progress = None,
) -> dict[str, Array]:
    """Separate audio into its sources with a model.

    The model reads overlapping segments. The results are weighted by triangles, to a power that the
    description of the model gives, added, and divided by the sum of the weights. With `shifts`, this is done
    several times, each time after up to half a second of silence, and the result is the mean. If a model
    returns its input and does not normalise, the result has the bits of the audio.

    The working memory does not grow with the audio. The stems are arrays.
    `metalmom.separation.separate_file` writes them to files instead, and `metalmom.separation.Stream` returns
    them block by block.

    Parameters
    ----------
    y : np.ndarray [shape=(n,) or (channels, n)], real floating-point
        Audio without NaN or infinity. Mono audio goes to all channels of the model, and the result is their
        mean. If the model has one channel, each channel of the audio is separated by itself.
    model : str, os.PathLike, metalmom.separation.Model, or tuple of a function or Session and its description
        The path of an ONNX file with its description beside it (``NAME.json`` beside ``NAME.onnx``), or what
        `metalmom.separation.Model` takes as a pair.
    sr : number > 0
        Sampling rate of `y`. If the model has another rate, `y` and the stems are resampled.
    segment : number > 0, optional
        Seconds of a segment; by default that of the description.
    overlap : number >= 0 and below 1
        The part of a segment that the next one covers.
    shifts : int >= 0
        How many times to shift and separate the audio; 0 separates it once, without a shift.
    mode : {"full", "preview"}
        A preview uses neither overlap nor shifts.
    seed : int >= 0
        Seed of the lengths of the shifts.
    progress : {"auto", "none"}, None or callable
        "auto" shows a progress bar in a notebook or on a terminal, if tqdm is installed. A function is called
        with the seconds that are done and all seconds.

    Returns
    -------
    dict of str to np.ndarray
        The stems by name, with the shape and type of `y`.

    Raises
    ------
    ParameterError
        For wrong arguments and descriptions, and if the output of the model has a wrong shape or is not
        finite.
    FileNotFoundError
        If the file of the model does not exist.

    See Also
    --------
    metalmom.separation.Model : models and their descriptions.
    metalmom.separation.estimate : memory and time of a call.

    References
    ----------
    A. Defossez et al., "Music Source Separation in the Waveform Domain", 2019 (arXiv:1911.13254), for the
    shifts; the documentation of Demucs's ``apply_model`` for segments, their weights, and context.

    Examples
    --------
    A model may be any function of a segment, here one that separates the middle and the sides:

    >>> def middle_and_sides(segment):
    ...     middle = np.broadcast_to(segment.mean(axis=0), segment.shape)
    ...     return np.stack([middle, segment - middle])
    >>> about = {"kind": "waveform", "sr": 8000, "channels": 2, "stems": ["middle", "sides"], "segment": 2.0}
    >>> y = np.random.default_rng(0).uniform(-1, 1, (2, 80000))
    >>> stems = metalmom.separate(y, (middle_and_sides, about), sr=8000)
    >>> stems["sides"].shape, bool(np.allclose(stems["middle"] + stems["sides"], y))
    ((2, 80000), True)
    """
    if _args.on_device(y):
        raise DeviceError("y", y, "an array of numbers", kind="array")
    y, model = _args.audio(y), model_of(model)
    require(y.shape[-1], "y.shape", y.shape, "have at least one sample", verb="must")
    require_finite("y", y)
    plan, about = plan_of(model, segment, overlap, shifts, seed, mode), model.description
    channels = Channels(y.shape[:-1], about.channels, turned("y", y))
    _args.warn_of_turned(y)  # which a model of one channel would take
    x = y if sr == about.sr else core.resample(y, orig_sr=sr, target_sr=about.sr)
    shape = (len(about.stems), *x.shape)
    refuse_beyond_memory("y.shape", y.shape, math.prod(shape) * y.itemsize)
    statistics = statistics_of(blocks_of_array(x, SAMPLES_AT_ONCE)) if about.normalize else None
    passes, stems, done = Passes(model, plan, channels, statistics), np.empty(shape, x.dtype), 0
    with shown(progress, x.shape[-1] / about.sr) as move:
        step = step_of(plan.length, plan.overlap)
        for blocks in (*map(passes.push, blocks_of_array(x, step)), passes.end()):
            for block in blocks:
                stems[..., done : done + block.shape[-1]] = block
                done += block.shape[-1]
                move(done / about.sr)
    if x is not y:
        back = (core.resample(each, orig_sr=about.sr, target_sr=sr) for each in stems)
        stems = np.stack([fix_length(each, size=y.shape[-1]) for each in back])
    return dict(zip(about.stems, stems, strict=True))


def _resident_peak_of(call: Any) -> int:
    """Bytes of the process beyond those before a call at most; 0 where Linux does not tell."""
    before = None
    with contextlib.suppress(OSError, StopIteration):
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")  # the peak begins anew (man 5 proc)
        before = _status("VmRSS")
    call()
    return 0 if before is None else _status("VmHWM") - before


def _status(name: str) -> int:
    with open("/proc/self/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith(name))
    return 1024 * int(line.split()[1])


# Segments that are separated to find out what all will take: the first and the last are like no other.
_TRIED = 3


@public(composed=True)
@strict
def estimate(
    seconds: Positive,
    model: ModelLike,
    *,
    channels: PositiveInt | None = None,
    segment: Positive | None = None,
    overlap: Overlap = 0.25,
    shifts: NonNegativeInt = 0,
    mode: Mode = "full",
) -> Estimate:
    """Predict the memory and time of `metalmom.separate` for float32 audio at the rate of the model.

    This runs the model on a few segments of noise.

    Parameters
    ----------
    seconds : number > 0
        Length of the audio.
    model, segment, overlap, shifts, mode
        As in `metalmom.separate`.
    channels : int > 0, optional
        Channels of the audio; by default those of the model.

    Returns
    -------
    Estimate
        ``.memory`` is the number of bytes beyond the audio, mostly for the stems. ``.seconds`` is the time.

    Raises
    ------
    ParameterError
        As `metalmom.separate`.

    Examples
    --------
    >>> about = {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["all"], "segment": 1.0}
    >>> found = metalmom.separation.estimate(3600, (lambda segment: segment[np.newaxis], about))
    >>> 3600 * 8000 * 4 < found.memory < 1.1 * 3600 * 8000 * 4
    True
    """
    model = model_of(model)
    plan, about = plan_of(model, segment, overlap, shifts, 0, mode), model.description
    channels = about.channels if channels is None else channels
    n = max(round(seconds * about.sr), 1)
    step = step_of(plan.length, plan.overlap)
    tried = min(n, plan.length + (_TRIED - 1) * step)
    lead = lead_of(channels, about.channels)
    y = np.random.default_rng(0).uniform(-1, 1, (*lead, tried)).astype(np.float32)

    def run() -> dict[str, Array]:
        return separate(y, model, sr=about.sr, segment=segment, overlap=overlap, shifts=shifts, mode=mode)

    resident = _resident_peak_of(run)  # and it makes plans and filters
    took = min(time_of(run) for _ in range(2))
    of_stems = len(about.stems) * y.nbytes
    known = sum(peak_of(run))
    working = (max(known, resident) if model.files else known) - of_stems
    return Estimate(round(of_stems * n / tried + working), took * -(-n // step) / -(-tried // step))
