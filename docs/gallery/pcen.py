"""
PCEN
====

Per-channel energy normalization raises quiet sounds and suppresses steady noise.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

sr = 22050
noise = 0.05 * np.random.default_rng(0).standard_normal(6 * sr)
noise *= np.linspace(0.3, 1, noise.size)  # a street that gets louder
y = noise.astype(np.float32)
for start, loudness in ((1.0, 0.5), (2.5, 0.1), (4.0, 0.05)):  # the same bird, farther and farther
    song = loudness * librosa.chirp(fmin=2000, fmax=5000, sr=sr, duration=0.4)
    y[int(start * sr) :][: song.size] += song * np.hanning(song.size)

S = librosa.feature.melspectrogram(y=y, sr=sr, power=1)
decibels = librosa.amplitude_to_db(S, ref=np.max)
normalised = librosa.pcen(S * 2**31, sr=sr)

fig, ax = plt.subplots(nrows=2, sharex=True, figsize=(8, 5), layout="constrained")
image = librosa.display.specshow(decibels, x_axis="time", y_axis="mel", sr=sr, ax=ax[0])
librosa.display.colorbar_db(image)
ax[0].set(title="Decibels")
ax[0].label_outer()
image = librosa.display.specshow(normalised, x_axis="time", y_axis="mel", sr=sr, ax=ax[1])
fig.colorbar(image, ax=ax[1])
ax[1].set(title="PCEN")

plt.show()
