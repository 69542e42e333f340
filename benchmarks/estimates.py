#!/usr/bin/env python3
"""What `Extractor.estimate` says beside what a call then takes: ratios that are to lie within 1.5.

    benchmarks/estimates.py [--runs N]

The time of a call is the least of N; memory is compared by tests_py/test_estimate.py.
"""

import argparse
import time
import warnings

import metalmom
import numpy as np

RECIPES = {
    "stft": ["stft"],
    "mfcc": ["mfcc"],
    "chroma": ["chroma_stft"],
    "rhythm": ["onset_strength", "tempo"],
    "constant-Q": ["cqt", "chroma_cqt"],
    "hpss": ["effects.hpss"],
    "pitch": {"yin": {"fmin": 65.0, "fmax": 2093.0}},
    "many": ["mfcc", "spectral_contrast", "rms", "zero_crossing_rate", "tonnetz", "tempogram"],
}
LENGTHS, CHANNELS, SR = (10.0, 60.0, 300.0), (1, 2), 22050


def taken(fx, y, runs):
    def once():
        begin = time.perf_counter()
        fx(y)
        return time.perf_counter() - begin

    return min(once() for _ in range(runs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, metavar="N")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    song, worst = metalmom.demo.song(60.0)[0], 1.0
    print(f"{'recipe':12} {'s':>4} {'channels':>8} {'said ms':>10} {'taken ms':>10} {'ratio':>6}")
    for name, recipe in RECIPES.items():
        fx = metalmom.Extractor(recipe)
        for channels in CHANNELS:
            for seconds in LENGTHS:
                n = int(seconds * SR)
                y = np.resize(song[0], n) if channels == 1 else np.stack([np.resize(each, n) for each in song])
                said, took = fx.estimate(seconds, channels).seconds, taken(fx, y, args.runs)
                worst = max(worst, said / took, took / said)
                print(f"{name:12} {seconds:4.0f} {channels:8} {said * 1e3:10.2f} {took * 1e3:10.2f} {said / took:6.2f}")
    print(f"furthest off: {worst:.2f}")


if __name__ == "__main__":
    main()
