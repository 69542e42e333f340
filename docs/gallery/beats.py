"""
Beat tracking
=============

Onset strength, the beats found in it, and a pulse that follows a changing tempo.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

y, sr = librosa.demo.song(duration=15)
y = librosa.resample(librosa.to_mono(y), orig_sr=sr, target_sr=22050)
sr = 22050

envelope = librosa.onset.onset_strength(y=y, sr=sr, aggregate=np.median)
tempo, beats = librosa.beat.beat_track(onset_envelope=envelope, sr=sr)
pulse = librosa.beat.plp(onset_envelope=envelope, sr=sr, tempo_max=200)
times = librosa.times_like(envelope, sr=sr)

fig, ax = plt.subplots(nrows=2, sharex=True, figsize=(8, 4), layout="constrained")
ax[0].plot(times, librosa.util.normalize(envelope), label="onset strength")
ax[0].vlines(times[beats], 0, 1, color="C1", linestyle="--", label="beats")
ax[0].set(title=f"beat_track: {tempo[0]:.1f} beats per minute", xlim=(3, 10))
ax[0].legend(loc="upper right")
ax[1].plot(times, pulse, color="C2", label="predominant local pulse")
ax[1].xaxis.set_major_formatter(librosa.display.TimeFormatter())
ax[1].set(xlabel="Time")
ax[1].legend(loc="upper right")

plt.show()
