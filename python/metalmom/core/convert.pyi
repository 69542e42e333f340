# Written by scripts/make_stubs.py from the docstrings.

from collections.abc import Iterable, Sequence
from typing import Any, overload
import numpy as np
import numpy.typing as npt
from .._native import DeviceArray
from .._types import Int, Number

__all__ = [
    "A4_to_tuning",
    "A_weighting",
    "B_weighting",
    "C_weighting",
    "D_weighting",
    "Z_weighting",
    "blocks_to_frames",
    "blocks_to_samples",
    "blocks_to_time",
    "cqt_frequencies",
    "fft_frequencies",
    "fourier_tempo_frequencies",
    "frames_to_samples",
    "frames_to_time",
    "frequency_weighting",
    "hz_to_fjs",
    "hz_to_mel",
    "hz_to_midi",
    "hz_to_note",
    "hz_to_octs",
    "hz_to_svara_c",
    "hz_to_svara_h",
    "mel_frequencies",
    "mel_to_hz",
    "midi_to_hz",
    "midi_to_note",
    "midi_to_svara_c",
    "midi_to_svara_h",
    "multi_frequency_weighting",
    "note_to_hz",
    "note_to_midi",
    "note_to_svara_c",
    "note_to_svara_h",
    "octs_to_hz",
    "samples_like",
    "samples_to_frames",
    "samples_to_time",
    "tempo_frequencies",
    "time_to_frames",
    "time_to_samples",
    "times_like",
    "tuning_to_A4",
]

@overload
def A4_to_tuning(A4: Number, *, bins_per_octave: Int = 12) -> float: ...
@overload
def A4_to_tuning(
    A4: Sequence[Any] | npt.NDArray[Any],
    *,
    bins_per_octave: Int = 12,
) -> npt.NDArray[np.float64]: ...
@overload
def A_weighting(frequencies: Number, *, min_db: Number | None = -80.0) -> float: ...
@overload
def A_weighting(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    min_db: Number | None = -80.0,
) -> npt.NDArray[np.float64]: ...
@overload
def B_weighting(frequencies: Number, *, min_db: Number | None = -80.0) -> float: ...
@overload
def B_weighting(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    min_db: Number | None = -80.0,
) -> npt.NDArray[np.float64]: ...
@overload
def C_weighting(frequencies: Number, *, min_db: Number | None = -80.0) -> float: ...
@overload
def C_weighting(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    min_db: Number | None = -80.0,
) -> npt.NDArray[np.float64]: ...
@overload
def D_weighting(frequencies: Number, *, min_db: Number | None = -80.0) -> float: ...
@overload
def D_weighting(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    min_db: Number | None = -80.0,
) -> npt.NDArray[np.float64]: ...
def Z_weighting(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    min_db: Number | None = None,
) -> npt.NDArray[np.float64]: ...
@overload
def blocks_to_frames(blocks: Number, *, block_length: Int) -> np.integer[Any]: ...
@overload
def blocks_to_frames(
    blocks: Sequence[Any] | npt.NDArray[Any],
    *,
    block_length: Int,
) -> npt.NDArray[np.integer[Any]]: ...
@overload
def blocks_to_samples(
    blocks: Number,
    *,
    block_length: Int,
    hop_length: Int,
) -> np.integer[Any]: ...
@overload
def blocks_to_samples(
    blocks: Sequence[Any] | npt.NDArray[Any],
    *,
    block_length: Int,
    hop_length: Int,
) -> npt.NDArray[np.integer[Any]]: ...
@overload
def blocks_to_time(
    blocks: Number,
    *,
    block_length: Int,
    hop_length: Int,
    sr: Number,
) -> float: ...
@overload
def blocks_to_time(
    blocks: Sequence[Any] | npt.NDArray[Any],
    *,
    block_length: Int,
    hop_length: Int,
    sr: Number,
) -> npt.NDArray[np.float64]: ...
def cqt_frequencies(
    n_bins: Int,
    *,
    fmin: Number,
    bins_per_octave: Int = 12,
    tuning: Number = 0.0,
) -> npt.NDArray[np.float64]: ...
def fft_frequencies(*, sr: Number = 22050, n_fft: Int = 2048) -> npt.NDArray[np.float64]: ...
def fourier_tempo_frequencies(
    *,
    sr: Number = 22050,
    win_length: Int = 384,
    hop_length: Int = 512,
) -> npt.NDArray[np.float64]: ...
@overload
def frames_to_samples(
    frames: Number,
    *,
    hop_length: Int = 512,
    n_fft: Int | None = None,
) -> np.integer[Any]: ...
@overload
def frames_to_samples(
    frames: Sequence[Any] | npt.NDArray[Any],
    *,
    hop_length: Int = 512,
    n_fft: Int | None = None,
) -> npt.NDArray[np.integer[Any]]: ...
@overload
def frames_to_time(
    frames: Number,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    n_fft: Int | None = None,
) -> float: ...
@overload
def frames_to_time(
    frames: Sequence[Any] | npt.NDArray[Any],
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    n_fft: Int | None = None,
) -> npt.NDArray[np.float64]: ...
@overload
def frequency_weighting(
    frequencies: Number,
    *,
    kind: str | None = "A",
    **kwargs: Any,
) -> float: ...
@overload
def frequency_weighting(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    kind: str | None = "A",
    **kwargs: Any,
) -> npt.NDArray[np.float64]: ...
@overload
def hz_to_fjs(
    frequencies: Number,
    *,
    fmin: Number | None = None,
    unison: str | None = None,
    unicode: bool = False,
) -> str: ...
@overload
def hz_to_fjs(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    fmin: Number | None = None,
    unison: str | None = None,
    unicode: bool = False,
) -> npt.NDArray[np.str_]: ...
@overload
def hz_to_mel(frequencies: Number, *, htk: bool = False) -> float: ...
@overload
def hz_to_mel(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    htk: bool = False,
) -> npt.NDArray[np.float64]: ...
@overload
def hz_to_midi(frequencies: Number) -> float: ...
@overload
def hz_to_midi(frequencies: Sequence[Any] | npt.NDArray[Any]) -> npt.NDArray[np.float64]: ...
@overload
def hz_to_note(frequencies: Number, **kwargs: Any) -> str: ...
@overload
def hz_to_note(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    **kwargs: Any,
) -> npt.NDArray[np.str_]: ...
@overload
def hz_to_octs(
    frequencies: Number,
    *,
    tuning: Number = 0.0,
    bins_per_octave: Int = 12,
) -> float: ...
@overload
def hz_to_octs(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    tuning: Number = 0.0,
    bins_per_octave: Int = 12,
) -> npt.NDArray[np.float64]: ...
@overload
def hz_to_svara_c(
    frequencies: Number,
    *,
    Sa: Number,
    mela: str | Int,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str: ...
@overload
def hz_to_svara_c(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    Sa: Number,
    mela: str | Int,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> npt.NDArray[np.str_]: ...
@overload
def hz_to_svara_h(
    frequencies: Number,
    *,
    Sa: Number,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str: ...
@overload
def hz_to_svara_h(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    Sa: Number,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> npt.NDArray[np.str_]: ...
def mel_frequencies(
    n_mels: Int = 128,
    *,
    fmin: Number = 0.0,
    fmax: Number = 11025.0,
    htk: bool = False,
) -> npt.NDArray[np.float64]: ...
@overload
def mel_to_hz(mels: Number, *, htk: bool = False) -> float: ...
@overload
def mel_to_hz(
    mels: Sequence[Any] | npt.NDArray[Any],
    *,
    htk: bool = False,
) -> npt.NDArray[np.float64]: ...
@overload
def midi_to_hz(notes: Number) -> float: ...
@overload
def midi_to_hz(notes: Sequence[Any] | npt.NDArray[Any]) -> npt.NDArray[np.float64]: ...
@overload
def midi_to_note(
    midi: Number,
    *,
    octave: bool = True,
    cents: bool = False,
    key: str = "C:maj",
    unicode: bool = True,
) -> str: ...
@overload
def midi_to_note(
    midi: Sequence[Any] | npt.NDArray[Any],
    *,
    octave: bool = True,
    cents: bool = False,
    key: str = "C:maj",
    unicode: bool = True,
) -> npt.NDArray[np.str_]: ...
@overload
def midi_to_svara_c(
    midi: Number,
    *,
    Sa: Number,
    mela: str | Int,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str: ...
@overload
def midi_to_svara_c(
    midi: Sequence[Any] | npt.NDArray[Any],
    *,
    Sa: Number,
    mela: str | Int,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> npt.NDArray[np.str_]: ...
@overload
def midi_to_svara_h(
    midi: Number,
    *,
    Sa: Number,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str: ...
@overload
def midi_to_svara_h(
    midi: Sequence[Any] | npt.NDArray[Any],
    *,
    Sa: Number,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> npt.NDArray[np.str_]: ...
def multi_frequency_weighting(
    frequencies: Sequence[Any] | npt.NDArray[Any],
    *,
    kinds: Iterable[str] = "ZAC",
    **kwargs: Any,
) -> npt.NDArray[np.floating[Any]]: ...
@overload
def note_to_hz(note: str, *, round_midi: bool = False) -> float: ...
@overload
def note_to_hz(
    note: list[str] | tuple[str, ...] | npt.NDArray[np.str_],
    *,
    round_midi: bool = False,
) -> npt.NDArray[np.float64]: ...
@overload
def note_to_midi(note: str, *, round_midi: bool = True) -> float: ...
@overload
def note_to_midi(
    note: list[str] | tuple[str, ...] | npt.NDArray[np.str_],
    *,
    round_midi: bool = True,
) -> npt.NDArray[Any]: ...
@overload
def note_to_svara_c(
    notes: str,
    *,
    Sa: str,
    mela: str | Int,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str: ...
@overload
def note_to_svara_c(
    notes: list[str] | tuple[str, ...] | npt.NDArray[np.str_],
    *,
    Sa: str,
    mela: str | Int,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> npt.NDArray[np.str_]: ...
@overload
def note_to_svara_h(
    notes: str,
    *,
    Sa: str,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> str: ...
@overload
def note_to_svara_h(
    notes: list[str] | tuple[str, ...] | npt.NDArray[np.str_],
    *,
    Sa: str,
    abbr: bool = True,
    octave: bool = True,
    unicode: bool = True,
) -> npt.NDArray[np.str_]: ...
@overload
def octs_to_hz(octs: Number, *, tuning: Number = 0.0, bins_per_octave: Int = 12) -> float: ...
@overload
def octs_to_hz(
    octs: Sequence[Any] | npt.NDArray[Any],
    *,
    tuning: Number = 0.0,
    bins_per_octave: Int = 12,
) -> npt.NDArray[np.float64]: ...
def samples_like(
    X: npt.NDArray[Any] | DeviceArray | Int,
    *,
    hop_length: Int = 512,
    n_fft: Int | None = None,
    axis: Int = -1,
) -> npt.NDArray[np.integer[Any]]: ...
@overload
def samples_to_frames(
    samples: Number,
    *,
    hop_length: Int = 512,
    n_fft: Int | None = None,
) -> np.integer[Any]: ...
@overload
def samples_to_frames(
    samples: Sequence[Any] | npt.NDArray[Any],
    *,
    hop_length: Int = 512,
    n_fft: Int | None = None,
) -> npt.NDArray[np.integer[Any]]: ...
@overload
def samples_to_time(samples: Number, *, sr: Number = 22050) -> float: ...
@overload
def samples_to_time(
    samples: Sequence[Any] | npt.NDArray[Any],
    *,
    sr: Number = 22050,
) -> npt.NDArray[np.float64]: ...
def tempo_frequencies(
    n_bins: Int,
    *,
    hop_length: Int = 512,
    sr: Number = 22050,
) -> npt.NDArray[np.float64]: ...
@overload
def time_to_frames(
    times: Number,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    n_fft: Int | None = None,
) -> np.integer[Any]: ...
@overload
def time_to_frames(
    times: Sequence[Any] | npt.NDArray[Any],
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    n_fft: Int | None = None,
) -> npt.NDArray[np.integer[Any]]: ...
@overload
def time_to_samples(times: Number, *, sr: Number = 22050) -> np.integer[Any]: ...
@overload
def time_to_samples(
    times: Sequence[Any] | npt.NDArray[Any],
    *,
    sr: Number = 22050,
) -> npt.NDArray[np.integer[Any]]: ...
def times_like(
    X: npt.NDArray[Any] | DeviceArray | Int,
    *,
    sr: Number = 22050,
    hop_length: Int = 512,
    n_fft: Int | None = None,
    axis: Int = -1,
) -> npt.NDArray[np.float64]: ...
@overload
def tuning_to_A4(tuning: Number, *, bins_per_octave: Int = 12) -> float: ...
@overload
def tuning_to_A4(
    tuning: Sequence[Any] | npt.NDArray[Any],
    *,
    bins_per_octave: Int = 12,
) -> npt.NDArray[np.float64]: ...
