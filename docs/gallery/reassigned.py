"""
Reassigned spectrogram
======================

Reassignment moves each bin to the time and the frequency that its phase indicates, so lines become thin.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

# A tone that rises, a click, and a tone with vibrato.
sr = 4000
time = np.arange(2 * sr) / sr
vibrato = np.cumsum(1300 + 60 * np.sin(2 * np.pi * 4 * time))
y = librosa.chirp(fmin=200, fmax=900, sr=sr, duration=2, linear=True) + np.sin(2 * np.pi * vibrato / sr)
y[sr] += 20
y = (y + 1e-4 * np.random.default_rng(0).standard_normal(y.size)).astype(np.float32)

# %%
# `metalmom.reassigned_spectrogram` returns a frequency, a time and a magnitude for each bin of each frame.
# They are not on a grid, so the picture has points.

freqs, times, magnitudes = librosa.reassigned_spectrogram(y, sr=sr, n_fft=256, hop_length=32, fill_nan=True)
decibels = librosa.amplitude_to_db(magnitudes, ref=np.max)
loud = decibels > -40

fig, ax = plt.subplots(ncols=2, sharex=True, sharey=True, figsize=(9, 4), layout="constrained")
librosa.display.specshow(
    decibels, vmin=-40, sr=sr, n_fft=256, hop_length=32, x_axis="time", y_axis="hz", cmap="gray_r", ax=ax[0]
)
ax[0].set(title="Spectrogram")
ax[1].scatter(times[loud], freqs[loud], c=decibels[loud], s=2, cmap="gray_r", vmin=-40, vmax=0)
ax[1].set(title="Reassigned", xlabel="Time", xlim=(0.5, 1.5), ylim=(0, sr / 2))
ax[1].label_outer()

plt.show()
