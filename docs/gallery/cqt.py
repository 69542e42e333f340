"""
The constant-Q transform
========================

Frequency bins that are spaced like notes, and the chroma folded from them.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

y, sr = librosa.demo.song(duration=10)
y = librosa.resample(librosa.to_mono(y), orig_sr=sr, target_sr=22050)
sr = 22050

C = np.abs(librosa.cqt(y, sr=sr, n_bins=84 * 3, bins_per_octave=36))
chroma = librosa.feature.chroma_cqt(C=C, bins_per_octave=36)
cens = librosa.feature.chroma_cens(C=C, bins_per_octave=36)

fig, ax = plt.subplots(nrows=3, sharex=True, figsize=(8, 7), layout="constrained")
image = librosa.display.specshow(
    C, vscale="dBFS", x_axis="time", y_axis="cqt_note", bins_per_octave=36, sr=sr, ax=ax[0]
)
librosa.display.colorbar_db(image)
ax[0].set(title="Constant-Q power")
for each, name, values in ((ax[1], "Chroma", chroma), (ax[2], "CENS", cens)):
    image = librosa.display.specshow(values, x_axis="time", y_axis="chroma", sr=sr, ax=each)
    fig.colorbar(image, ax=each)
    each.set(title=name)
for each in ax[:2]:
    each.label_outer()

plt.show()
