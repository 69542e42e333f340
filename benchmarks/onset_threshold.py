#!/usr/bin/env python3
"""How near the onsets of streaming.OnsetDetect come to those of the whole file, by the threshold `delta`.

    benchmarks/onset_threshold.py FILE... [--within SECONDS]

Prints the F-measure of each file for each threshold in dB: a stream does not know the strongest onset, by which the
offline function normalises. The default of the class comes from this.
"""

import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

import metalmom  # noqa: E402
from metalmom import onset, streaming  # noqa: E402

THRESHOLDS = (0.07, 0.3, 0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0)


def f_measure(found, wanted, within):
    """Twice the pairs that lie so near, each onset in one of them at most, over all onsets."""
    i = j = pairs = 0
    while i < len(found) and j < len(wanted):
        apart = found[i] - wanted[j]
        near = abs(apart) <= within
        pairs += near
        i += near or apart < 0
        j += near or apart > 0
    return 2 * pairs / max(len(found) + len(wanted), 1)


def streamed(y, sr, delta):
    stream = streaming.OnsetDetect(sr=sr, delta=delta, units="time")
    return stream.process(y, last=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--within", type=float, default=0.05, metavar="SECONDS")
    args = parser.parse_args()
    rows = []
    for file in args.files:
        y, sr = metalmom.load(file)
        wanted = onset.onset_detect(y=y, sr=sr, units="time")
        rows.append([f_measure(streamed(y, sr, delta), wanted, args.within) for delta in THRESHOLDS])
    print("delta   mean  least  " + "  ".join(pathlib.Path(file).stem for file in args.files))
    for delta, column in zip(THRESHOLDS, np.transpose(rows), strict=True):
        print(f"{delta:5}  {column.mean():5.2f}  {column.min():5.2f}  " + "  ".join(f"{each:.2f}" for each in column))


if __name__ == "__main__":
    main()
