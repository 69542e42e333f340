"""The scale of twelve equal semitones, with A4 = 440 Hz at MIDI number 69."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._types import ArrayLike


def hz_of_midi(notes: ArrayLike) -> Any:
    """Frequencies of MIDI numbers, which need not be whole."""
    return 440.0 * 2.0 ** ((np.asanyarray(notes)[()] - 69.0) / 12.0)


def midi_of_hz(frequencies: ArrayLike) -> Any:
    """MIDI numbers, with fractions, of frequencies."""
    octaves = np.log2(np.asanyarray(frequencies)) - np.log2(440.0)
    return (12 * octaves + 69)[()]
