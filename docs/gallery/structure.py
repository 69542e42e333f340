"""
Song structure
==============

Which moments of a song resemble each other, and where its parts begin.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

y, sr = librosa.demo.song(duration=8)
y = librosa.resample(librosa.to_mono(y), orig_sr=sr, target_sr=22050)
sr = 22050

# A song in the form A B A: in the middle the same chords, a minor third higher.
y = np.concatenate([y, librosa.effects.pitch_shift(y, sr=sr, n_steps=3), y])

hop_length = 2048
chroma = librosa.feature.chroma_cqt(y=y, sr=sr, hop_length=hop_length)
chroma = librosa.decompose.nn_filter(chroma, aggregate=np.median, metric="cosine")
recent = librosa.feature.stack_memory(chroma, n_steps=4, delay=1)

links = librosa.segment.recurrence_matrix(recent, width=5, mode="affinity", sym=True)
paths = librosa.segment.path_enhance(links, 15, window="hann", n_filters=7)
# Chroma of some seconds each: what a part has in common, rather than a chord.
smooth = librosa.feature.chroma_cens(y=y, sr=sr, hop_length=hop_length, win_len_smooth=81)
bounds = librosa.segment.agglomerative(smooth, 3)
at = librosa.frames_to_time(bounds, sr=sr, hop_length=hop_length)

fig, ax = plt.subplots(ncols=2, figsize=(8, 4), layout="constrained", sharex=True, sharey=True)
for axis, matrix, title in ((ax[0], links, "Affinity"), (ax[1], paths, "Diagonals enhanced")):
    librosa.display.specshow(
        matrix, x_axis="time", y_axis="time", sr=sr, hop_length=hop_length, cmap="magma_r", ax=axis
    )
    axis.set(title=title)
    axis.label_outer()
ax[1].vlines(at[1:], 0, 24, color="C0", linestyle="--", label="parts begin")
ax[1].legend(loc="upper left")

plt.show()
