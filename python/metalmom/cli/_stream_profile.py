"""``metalmom profile --stream``: what blocks of a live source cost."""

from __future__ import annotations

import time
from typing import Any, TYPE_CHECKING

import numpy as np

from ._job import N_MFCC

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ..util._types import Array

__all__ = ["lines", "measured"]

BLOCK_SECONDS = 0.05
_FIGURES = ("mean_us", "p50_us", "p99_us", "max_us")


def streams(sr: float) -> dict[str, Any]:
    """A stream of each feature, by name."""
    from .. import streaming

    classes: Any = streaming  # some of which are made when it is imported
    return {
        "mel": classes.MelSpectrogram(sr=sr),
        "mfcc": classes.MFCC(sr=sr, n_mfcc=N_MFCC, top_db=None),
        "chroma": classes.ChromaSTFT(sr=sr, tuning=0.0),
        "onset": classes.OnsetStrength(sr=sr, top_db=None),
        "rms": classes.RMS(),
        "beat": classes.BeatTrack(sr=sr),
        "all but beat": classes.Extractor(
            {"melspectrogram": {}, "mfcc": {"n_mfcc": N_MFCC}, "chroma_stft": {"tuning": 0.0},
             "onset_strength": {}, "rms": {}}, sr=sr),
    }  # fmt: skip


def blocks(path: str, sr: float) -> Iterator[Array]:
    """The file, mono, as it would come from a live source: at its own rate, 50 ms at a time."""
    from .. import core, streaming

    rate = core.get_samplerate(path)
    n = max(round(rate * BLOCK_SECONDS), 1)
    resample = streaming.Resample(orig_sr=rate, target_sr=sr)
    for y in core.stream(path, block_length=1, frame_length=n, hop_length=n, sr=None):
        yield resample.process(y)
    yield resample.flush()


def measured(path: str, sr: float) -> list[dict[str, Any]]:
    """Read a file in blocks of 50 ms; what each feature's part of a block took.

    Parameters
    ----------
    path : str
        The file.
    sr : int
        Rate of the features.

    Returns
    -------
    list of dict
        As ``--json`` writes it: microseconds a block, and the samples by which results come later.
    """
    in_work: dict[str, tuple[Any, list[float]]] = {name: (stream, []) for name, stream in streams(sr).items()}
    for stream, _ in in_work.values():
        stream.warmup()
    for y in blocks(path, sr):
        for stream, times in in_work.values():
            before = time.perf_counter()
            stream.process(y)
            times.append(time.perf_counter() - before)
    found = []
    for name, (stream, times) in in_work.items():
        stream.flush()
        us = np.array(times) * 1e6
        figures = (us.mean(), np.median(us), np.percentile(us, 99), us.max())
        told = dict(zip(_FIGURES, map(float, figures), strict=True))
        found.append({"name": name, **told, "latency": stream.latency})
    return found


def lines(found: list[dict[str, Any]]) -> list[str]:
    """The table of what was measured."""
    head = f"blocks of {round(1000 * BLOCK_SECONDS)} ms (us)"
    titles = "".join(f"{name.removesuffix('_us'):>9}" for name in _FIGURES)
    table = [f"{head:22}{titles}  latency (samples)"]
    for each in found:
        cells = "".join(f"{each[name]:9.1f}" for name in _FIGURES)
        table.append(f"{each['name']:22}{cells}  {each['latency']}")
    return table
