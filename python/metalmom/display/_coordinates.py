"""Where rows and columns of a picture lie, for each kind of axis; part of `display`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import core
from ..util._warnings import warn
from ..util.exceptions import ParameterError

if TYPE_CHECKING:
    from types import SimpleNamespace
    from ..util._types import Array, ArrayLike

HIDDEN = (None, "none", "off")
# The kinds of axes, by what their coordinates are.
LINEAR = ("linear", "fft", "hz", "oct3")
LOGARITHMIC = ("log", "log_oct3", "fft_note", "fft_svara")
MEL = ("mel", "mel_oct3")
CQT = ("cqt_hz", "cqt_oct3", "cqt_note", "cqt_svara")
VQT = ("vqt_hz", "vqt_oct3", "vqt_fjs", "vqt_note")
CHROMA = ("chroma", "chroma_h", "chroma_c")
COUNTED = ("chroma_fjs", "tonnetz", "frames")
TIMES = ("time", "h", "m", "s", "ms")
LAGS = ("lag", "lag_h", "lag_m", "lag_s", "lag_ms")
TEMPI = ("tempo", "fourier_tempo")
KINDS = (
    *LINEAR, *LOGARITHMIC, *MEL, *CQT, *VQT, *CHROMA, *COUNTED, *TIMES, *LAGS, *TEMPI,
)  # fmt: skip


def check_kind(name: str, kind: str | None) -> None:
    """Refuse an axis, the argument `name` of specshow, of a kind that there is not."""
    if kind not in HIDDEN and kind not in KINDS:
        known = ", ".join(map(repr, KINDS))
        raise ParameterError(name, kind, f"None or one of {known}", choices=KINDS)


def coordinates(kind: str | None, n: int, p: SimpleNamespace) -> Array:
    """Centres of `n` rows or columns of an axis of this kind; `p` holds specshow's parameters."""
    if kind in HIDDEN or kind in COUNTED:
        return np.arange(n)
    if kind in CHROMA:
        return np.arange(n) * 12.0 / p.bins_per_octave
    if kind in TIMES or kind in LAGS:
        return core.frames_to_time(np.arange(n), sr=p.sr, hop_length=p.hop_length)
    if kind in TEMPI:
        return _tempi(kind, n, p)
    frequencies = _frequencies(kind, n, p)
    if kind in CQT + VQT and np.any(frequencies > 0.5 * p.sr):
        warn(
            f"The highest bin lies at {frequencies.max():.0f} Hz, above half of sr={p.sr}: are sr, "
            "fmin and bins_per_octave those of the transform?"
        )
    return frequencies


def _tempi(kind: str, n: int, p: SimpleNamespace) -> Array:
    if kind == "tempo":  # lag 0 is an infinite tempo, which has no place on the axis
        return core.tempo_frequencies(n + 1, sr=p.sr, hop_length=p.hop_length)[1:]
    win_length = 2 * (n - 1) if p.win_length is None else p.win_length
    return core.fourier_tempo_frequencies(
        sr=p.sr, hop_length=p.hop_length, win_length=win_length
    )


def _frequencies(kind: str, n: int, p: SimpleNamespace) -> Array:
    if kind in LINEAR + LOGARITHMIC:
        n_fft = 2 * (n - 1) if p.n_fft is None else p.n_fft
        return core.fft_frequencies(sr=p.sr, n_fft=n_fft)
    if kind in MEL:
        fmin = 0.0 if p.fmin is None else p.fmin
        fmax = 0.5 * p.sr if p.fmax is None else p.fmax
        return core.mel_frequencies(n, fmin=fmin, fmax=fmax, htk=p.htk)
    fmin = core.note_to_hz("C1") if p.fmin is None else p.fmin
    if kind in CQT:
        return core.cqt_frequencies(
            n, fmin=fmin, bins_per_octave=p.bins_per_octave, tuning=p.tuning
        )
    if p.intervals is None:
        raise ParameterError("intervals", None, f"given for an axis {kind!r}")
    return core.interval_frequencies(
        n, fmin=fmin, intervals=p.intervals, bins_per_octave=p.bins_per_octave
    )


def checked(given: ArrayLike, n: int, name: str) -> Array:
    """Coordinates that a user gave: centres of all rows, or the edges between them."""
    given = np.asarray(given)
    if given.ndim != 1 or given.size not in (n, n + 1):
        raise ParameterError(f"{name}.shape", given.shape, f"({n},) or ({n + 1},)")
    return given
