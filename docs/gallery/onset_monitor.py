"""
Onset monitor
=============

The callback of a sound card writes blocks into a ring. A thread reads them and finds onsets while the music plays.

Here a file takes the place of the sound card: it calls the callback in real time, with the arguments that
`sounddevice <https://python-sounddevice.readthedocs.io>`_ passes. With a microphone the last lines would be
``with sounddevice.InputStream(sr, block, channels=1, callback=callback): ...``.
"""

import threading
import time
from types import SimpleNamespace

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

sr, block = 22050, 512
y = librosa.demo.song(6)[0].mean(axis=0, dtype=np.float32)
y = librosa.resample(y, orig_sr=44100, target_sr=sr)

ring = librosa.streaming.Ring(seconds=2, channels=1, sr=sr)
ended = threading.Event()
began = []  # when the first sample was captured
found = []  # time of an onset, and by how much later it was known, in seconds


def callback(indata, frames, time, status):
    """Write a block, (frames, channels), and do nothing else: a callback must not wait."""
    if status:
        print(status)
    if not began:
        began.append(time.inputBufferAdcTime)
    ring.write(indata.T[0])


def watch():
    """Every 5 ms, read what the ring has and find onsets in it, until the sound has ended."""
    stream = librosa.streaming.OnsetDetect(sr=sr, hop_length=256, units="time")
    stream.warmup()
    while not ended.wait(0.005) or ring.waiting:
        for at in stream.process(ring.read(block)):
            found.append((at, time.monotonic() - (began[0] + at)))
            print(f"onset at {at:.3f} s, known {1000 * found[-1][1]:.0f} ms later")


def play(callback, y):
    """Call the callback when the clock says that a block is complete, as a sound card does."""
    first = time.monotonic()
    for start in range(0, len(y) - block + 1, block):
        captured = first + start / sr
        time.sleep(max(captured + block / sr - time.monotonic(), 0))
        times = SimpleNamespace(inputBufferAdcTime=captured, currentTime=time.monotonic(), outputBufferDacTime=0.0)
        callback(y[start : start + block, np.newaxis], block, times, None)


watcher = threading.Thread(target=watch)
watcher.start()
play(callback, y)
ended.set()
watcher.join()

# What the onsets of the whole file are, and how late the stream must be: it looks ahead.
offline = librosa.onset.onset_detect(y=y, sr=sr, hop_length=256, units="time")
needed = librosa.streaming.OnsetDetect(sr=sr, hop_length=256).latency / sr
at, late = np.array(found).T

fig, ax = plt.subplots(nrows=2, sharex=True, figsize=(8, 5), layout="constrained")
librosa.display.waveshow(y, sr=sr, ax=ax[0], color="0.6")
ax[0].vlines(at, -1, 1, color="C1", linewidth=1, label="found while it plays")
ax[0].plot(offline, np.full(len(offline), 1.1), "v", color="C0", markersize=4, label="of the whole file")
ax[0].set(title=f"{len(at)} onsets of the stream, {len(offline)} of the file", ylim=(-1, 1.2))
ax[0].legend(loc="lower right")
ax[0].label_outer()
ax[1].stem(at, 1000 * late, linefmt="C1-", markerfmt="C1.", basefmt=" ")
ax[1].axhspan(1000 * needed, 1000 * (needed + block / sr), color="C2", alpha=0.3, label="what the stream looks ahead, and a block")
ax[1].set(title="How much later they are known", ylabel="ms", xlabel="Time", xlim=(0, len(y) / sr), ylim=(0, None))
ax[1].legend(loc="lower right")

plt.show()
