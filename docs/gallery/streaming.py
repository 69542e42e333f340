"""
Streaming
=========

A file is read block by block, in memory that does not grow with the length of the file.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "song.wav"
    librosa.demo.write_wav(path, duration=12)
    sr = librosa.get_samplerate(path)

    # Blocks of librosa's generator hold whole frames: features take them with center=False.
    frame_length, hop_length = 2048, 1024
    blocks = librosa.stream(
        path, sr=None, block_length=64, frame_length=frame_length, hop_length=hop_length, mono=True
    )
    mels, starts, n_frames = [], [], 0
    for block in blocks:
        S = librosa.feature.melspectrogram(
            y=block, sr=sr, n_fft=frame_length, hop_length=hop_length, center=False, n_mels=64
        )
        starts.append(n_frames)
        n_frames += S.shape[-1]
        mels.append(S)

    # metalmom's own streams take blocks of any length, and give what the whole file would give.
    y, _ = librosa.load(path, sr=None)

stream = librosa.streaming.OnsetStrength(sr=sr, hop_length=hop_length, top_db=None)
rng = np.random.default_rng(0)
cuts = np.sort(rng.choice(len(y), size=40, replace=False))
parts = [stream.process(part) for part in np.split(y, cuts)]
strength = np.concatenate([*parts, stream.flush()])

fig, ax = plt.subplots(nrows=2, sharex=True, figsize=(8, 5), layout="constrained")
librosa.display.specshow(
    librosa.power_to_db(np.hstack(mels), ref=np.max), x_axis="time", y_axis="mel", sr=sr,
    hop_length=hop_length, ax=ax[0],
)  # fmt: skip
at = librosa.frames_to_time(starts, sr=sr, hop_length=hop_length)
ax[0].vlines(at, 0, sr / 2, color="white", linestyle=":")
ax[0].set(title=f"{len(mels)} blocks of librosa's generator")
ax[0].label_outer()
ax[1].plot(librosa.times_like(strength, sr=sr, hop_length=hop_length), strength, linewidth=1)
ax[1].vlines(cuts / sr, 0, strength.max(), color="C1", linewidth=0.5)
ax[1].set(title="Onset strength of 41 blocks of any length", xlabel="Time", xlim=(0, len(y) / sr))
ax[1].xaxis.set_major_formatter(librosa.display.TimeFormatter())

plt.show()
