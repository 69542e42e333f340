"""The picture of ``metalmom profile --plot``: what the job found, on one time axis."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from ..util._packages import needed_by, required

if TYPE_CHECKING:
    from ..util._types import Array

__all__ = ["picture", "require_matplotlib"]


def require_matplotlib() -> None:
    """Raise, in one sentence, where the picture cannot be drawn."""
    with needed_by("--plot"):
        required("matplotlib")


def picture(y: Array, sr: float, hop_length: int, beats: Array, title: str) -> bytes:
    """PNG: waveform, mel spectrogram, chroma, and onset strength with the beats (seconds)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from .. import core, display, feature, onset

    mel = core.power_to_db(
        feature.melspectrogram(y=y, sr=sr, hop_length=hop_length), ref=np.max
    )
    chroma = feature.chroma_stft(y=y, sr=sr, hop_length=hop_length)
    envelope = onset.onset_strength(y=y, sr=sr, hop_length=hop_length)

    figure = Figure(figsize=(12, 9), layout="constrained")
    FigureCanvasAgg(figure)
    wave, bands, notes, strength = figure.subplots(4, sharex=True)
    framing: dict[str, Any] = {"sr": sr, "hop_length": hop_length, "x_axis": "time"}
    display.waveshow(y, sr=sr, ax=wave)
    display.specshow(mel, y_axis="mel", ax=bands, **framing)
    display.specshow(chroma, y_axis="chroma", ax=notes, **framing)
    times = core.times_like(envelope, sr=sr, hop_length=hop_length)
    strength.plot(times, envelope, linewidth=0.8)
    strength.vlines(beats, 0, float(envelope.max()), color="C1", linewidth=0.6, label="beats")
    strength.legend(loc="upper right")
    for axes, label in zip((wave, bands, notes, strength),
                           ("waveform", "mel, Hz", "chroma", "onset strength")):  # fmt: skip
        axes.set_ylabel(label)
        axes.label_outer()
    strength.set_xlim(0, y.size / sr)
    strength.set_xlabel("time, s")
    wave.set_title(title)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=100)
    return out.getvalue()
