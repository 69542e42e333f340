"""
Tempogram
=========

How strong each tempo is at each time, by autocorrelation and by a Fourier transform.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

# %%
# A pulse that gets faster
# ------------------------
# The clicks begin at 80 beats per minute and end at 160, 20 seconds later.

sr, seconds = 22050, 20
bpm = 80 * 2 ** (np.arange(0, seconds, 0.01) / seconds)
counted = np.cumsum(bpm) * 0.01 / 60
beats = np.interp(np.arange(1, counted[-1]), counted, np.arange(0, seconds, 0.01))
y = librosa.clicks(times=beats, sr=sr, length=seconds * sr)

# %%
# Two tempograms of one onset strength
# ------------------------------------
# Both look at windows of some seconds of the onset strength. Autocorrelation also shows fractions of the
# tempo, because every second beat is as regular as every beat. The Fourier transform also shows multiples of
# the tempo, its harmonics.

envelope = librosa.onset.onset_strength(y=y, sr=sr)
tempogram = librosa.feature.tempogram(onset_envelope=envelope, sr=sr)
fourier = np.abs(librosa.feature.fourier_tempogram(onset_envelope=envelope, sr=sr))
tempo = librosa.feature.tempo(tg=tempogram, sr=sr, aggregate=None)

fig, ax = plt.subplots(nrows=2, sharex=True, figsize=(8, 6), layout="constrained")
for each, name, values, axis in (
    (ax[0], "Tempogram (autocorrelation)", tempogram, "tempo"),
    (ax[1], "Fourier tempogram", fourier, "fourier_tempo"),
):
    image = librosa.display.specshow(values, sr=sr, x_axis="time", y_axis=axis, cmap="magma", ax=each)
    each.plot(beats[1:], 60 / np.diff(beats), color="C2", linestyle="--", label="tempo of the clicks")
    each.set(title=name, ylim=(30, 480))
    each.label_outer()
ax[0].plot(librosa.times_like(tempo, sr=sr), tempo, color="white", linewidth=1, label="feature.tempo")
ax[0].legend(loc="upper right")

plt.show()
