#!/usr/bin/env python3
"""Time several devices side by side, NumPy to NumPy: what a user waits for on one of them and on all.

    benchmarks/gpu_devices.py          needs two devices (METALMOM_VULKAN_COPIES=2 shows one twice)

Medians of 5 to 60 calls, clips of 30 s of 22,050 Hz. What runs on several devices is bitwise what one gives.
"""

import argparse
import sys

import metalmom
from gpu import FOUR, OURS, SR, noise, short_clips, wall_ms

SIZES = (2048, 256, 64, 16, 4, 1)


def row(name, call, repeats, backends=("gpu:0", "gpu:all")):
    times = []
    for backend in backends:
        with metalmom.config_context(backend=backend):
            times.append("{:9.2f} (best {:.2f})".format(*wall_ms(call, repeats)))
    print(f"{name:40}" + " ".join(f"{each:24}" for each in times), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--clips", type=int, default=max(SIZES), help="the largest batch")
    most = parser.parse_args().clips
    devices = metalmom.devices()
    if len(devices) < 2:
        sys.exit("gpu_devices: there are not two devices")
    print(", ".join(device.name for device in devices), f"{metalmom._native.thread_count()} threads", sep="; ")
    print(f"{'ms':40}{'gpu:0':24} gpu:all")
    for clips in SIZES:
        if clips <= most:
            y = noise(clips)
            row(f"mel, {clips} clips", lambda y=y: OURS["mel"](y), max(5, 60 // clips))
    y = noise(min(64, most))
    row(f"effects.hpss, {len(y)} clips", lambda: metalmom.effects.hpss(y), 5)
    clips, fx = short_clips(), metalmom.Extractor(FOUR, sr=SR)
    row("map of 1,000 clips of 0.5 to 3 s", lambda: fx.map(clips), 10)
    row("the same under cpu and auto:all", lambda: fx.map(clips), 10, ("cpu", "auto:all"))


if __name__ == "__main__":
    main()
