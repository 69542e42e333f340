"""
Features on a GPU
=================

Features of many clips that are uploaded once. Without a GPU, the picture shows only the times of the CPU.
"""

import time

import matplotlib.pyplot as plt
import metalmom
import numpy as np

CLIPS, SECONDS = 8, 10
y, sr = metalmom.demo.song(duration=SECONDS)
y = metalmom.resample(metalmom.to_mono(y), orig_sr=sr, target_sr=22050)
batch = np.stack([np.roll(y, shift) for shift in range(CLIPS)])

FEATURES = ("melspectrogram", "mfcc")
real = [device for device in metalmom.devices() if device.type != "cpu"]


def milliseconds(call):
    """The best of five calls, after one that warms up."""
    call()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return min(times)


measured = {}
with metalmom.config_context(backend="cpu"):
    measured["CPU"] = [
        milliseconds(lambda f=f: getattr(metalmom.feature, f)(y=batch)) for f in FEATURES
    ]
if real:
    with metalmom.config_context(backend="gpu"):
        there = metalmom.to_device(batch)
        measured[real[0].name] = [
            milliseconds(lambda f=f: getattr(metalmom.feature, f)(y=there).numpy())
            for f in FEATURES
        ]

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
for i, (name, values) in enumerate(measured.items()):
    ax.bar(np.arange(len(FEATURES)) + 0.4 * i, values, width=0.35, label=name)
ax.set(
    xticks=np.arange(len(FEATURES)), xticklabels=FEATURES, ylabel="ms",
    title=f"{CLIPS} clips of {SECONDS} s",
)  # fmt: skip
ax.legend()

plt.show()
