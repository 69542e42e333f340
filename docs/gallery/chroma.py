"""
Chroma and key
==============

The energy of each pitch class, and the key whose profile fits it best.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

y, sr = librosa.demo.song(duration=15)
y = librosa.resample(librosa.to_mono(y), orig_sr=sr, target_sr=22050)
sr = 22050

chroma = librosa.feature.chroma_stft(y=librosa.effects.harmonic(y, margin=4), sr=sr, n_fft=4096)

# Key profiles of Krumhansl and Kessler (1982), turned to each of the twelve tonics.
MAJOR = [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88]
MINOR = [6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17]
heard = chroma.mean(axis=1)
fits = {
    f"{librosa.midi_to_note(tonic, octave=False, unicode=False)}:{mode}":
        np.corrcoef(np.roll(profile, tonic), heard)[0, 1]
    for mode, profile in (("maj", MAJOR), ("min", MINOR))
    for tonic in range(12)
}  # fmt: skip
key = max(fits, key=fits.get)

fig, ax = plt.subplots(nrows=2, figsize=(8, 5), layout="constrained")
image = librosa.display.specshow(chroma, x_axis="time", y_axis="chroma", key=key, sr=sr, ax=ax[0])
ax[0].set(title=f"Chroma; the key is {key}")
fig.colorbar(image, ax=ax[0])
ax[1].bar(list(fits), list(fits.values()), color=["C1" if k == key else "C0" for k in fits])
ax[1].set(ylabel="correlation")
ax[1].tick_params(axis="x", rotation=90)

plt.show()
