"""
Alignment by dynamic time warping
=================================

The same song at two tempos: dynamic time warping finds which moments correspond.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

y, sr = librosa.demo.song(duration=12)
y = librosa.resample(librosa.to_mono(y), orig_sr=sr, target_sr=22050)
sr = 22050

# The second half is played more slowly than the first.
half = len(y) // 2
played = np.concatenate([y[:half], librosa.effects.time_stretch(y[half:], rate=0.75)])

hop_length = 1024
chroma = [
    librosa.feature.chroma_stft(y=each, sr=sr, hop_length=hop_length, tuning=0)
    for each in (y, played)
]
D, path = librosa.sequence.dtw(chroma[0], chroma[1], metric="cosine")
at = librosa.frames_to_time(path, sr=sr, hop_length=hop_length)

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
image = librosa.display.specshow(
    D, x_axis="time", y_axis="time", sr=sr, hop_length=hop_length, cmap="gray_r", ax=ax
)
ax.plot(at[:, 1], at[:, 0], color="C1", linewidth=2, label="best path")
ax.set(title="Accumulated cost", xlabel="Played", ylabel="Song")
ax.legend(loc="lower right")
fig.colorbar(image, ax=ax)

plt.show()
