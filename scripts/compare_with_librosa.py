#!/usr/bin/env python3
"""Run the main job on recordings through librosa and metalmom, and say how far they are apart.

    scripts/compare_with_librosa.py AUDIO [AUDIO ...]

Needs a Python with librosa. For each file: the tempo, the share of beats on the same frame, and
per feature the largest difference over the largest value. What libsndfile cannot read (AAC), and
so librosa cannot load, is loaded by metalmom for both. Exit status 1 if a file does not agree.
"""

import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "benchmarks")]

import librosa  # noqa: E402
import metalmom  # noqa: E402
from adapters.librosa_like import solve  # noqa: E402
from problems import PROBLEMS, arrays_of  # noqa: E402

FEATURES = ("stft", "melspectrogram", "mfcc", "chroma_stft", "onset_strength", "tempogram", "rms",
            "spectral_centroid", "zero_crossing_rate")  # fmt: skip
# Decisions per frame: a value that lies on the threshold to the last bit may fall to either side.
DECISIONS = ("spectral_rolloff",)
FRAMES = 0.999
BEATS = 0.99


def load_both(path):
    """(librosa's samples, metalmom's)."""
    ours, _ = metalmom.load(path)
    try:
        theirs, _ = librosa.load(path)
    except Exception as error:
        print(f"  librosa cannot load it ({type(error).__name__}): both take metalmom's samples")
        theirs = ours
    return theirs, ours


def distance(ours, theirs):
    if ours.shape != theirs.shape:
        return np.inf
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def compare(path):
    """Print a file's figures; whether all of them hold."""
    print(path)
    y, ours = load_both(path)
    good = True
    error = distance(ours, y)
    print(f"  {'samples':20} {error:.1e}")
    good &= error <= 1e-5
    theirs, mine = solve(librosa), solve(metalmom)
    for name in FEATURES:
        pairs = zip(arrays_of(mine[name](y)), arrays_of(theirs[name](y)))
        error = max(distance(a, b) for a, b in pairs)
        good &= error <= PROBLEMS[name].tolerance
        print(f"  {name:20} {error:.1e}")
    for name in DECISIONS:
        same = np.mean(mine[name](y) == theirs[name](y))
        good &= same >= FRAMES
        print(f"  {name:20} {same:.2%} of frames equal")
    (tempo, beats), (their_tempo, their_beats) = mine["beat_track"](y), theirs["beat_track"](y)
    same = np.intersect1d(beats, their_beats).size / max(beats.size, their_beats.size, 1)
    print(f"  tempo {tempo.item():.1f} and {their_tempo.item():.1f}, "
          f"{same:.1%} of {their_beats.size} beats on the same frame")  # fmt: skip
    return good and np.array_equal(tempo, their_tempo) and same >= BEATS


def main(paths):
    if not paths:
        sys.exit(__doc__)
    return 0 if all([compare(path) for path in paths]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
