"""
Silence
=======

Cut silence off the ends of a recording, or split it where it is silent.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

# Four words in a quiet room.
sr = 22050
rng = np.random.default_rng(0)
y = 0.002 * rng.standard_normal(8 * sr).astype(np.float32)
for start, seconds in ((1.0, 0.8), (2.6, 0.5), (3.4, 1.2), (6.0, 0.7)):
    word = librosa.chirp(fmin=150, fmax=600, sr=sr, duration=seconds)
    y[int(start * sr) :][: word.size] += 0.5 * word * np.hanning(word.size).astype(np.float32)

# %%
# Frames more than ``top_db`` below the loudest one are silent. `metalmom.effects.trim` removes silence from
# both ends. `metalmom.effects.split` returns the intervals between silences, in samples.

trimmed, (first, last) = librosa.effects.trim(y, top_db=40)
words = librosa.effects.split(y, top_db=40)
print(f"{y.size / sr:.1f} s, trimmed {trimmed.size / sr:.1f} s; words at {(words / sr).round(2).tolist()} s")

level = librosa.amplitude_to_db(librosa.feature.rms(y=y)[0], ref=np.max)
fig, ax = plt.subplots(nrows=2, sharex=True, figsize=(8, 4), layout="constrained")
librosa.display.waveshow(y, sr=sr, ax=ax[0])
ax[0].axvspan(first / sr, last / sr, color="C1", alpha=0.2, label="trim")
for number, (start, stop) in enumerate(words / sr):
    ax[0].axvspan(start, stop, color="C2", alpha=0.4, label="split" if number == 0 else None)
ax[0].set(xlabel="")
ax[0].legend(loc="upper right")
ax[1].plot(librosa.times_like(level, sr=sr), level, color="C3", label="level")
ax[1].axhline(-40, color="black", linestyle=":", label="top_db")
ax[1].set(ylabel="dB", xlabel="Time (s)", xlim=(0, 8))
ax[1].legend(loc="upper right")

plt.show()
