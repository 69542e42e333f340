"""
Pitch
=====

pYIN follows a melody with vibrato. The result is drawn over the spectrogram and along the waveform.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

sr = 22050
notes = [("C4", 0.5), ("E4", 0.5), ("G4", 0.5), (None, 0.3), ("C5", 1.2)]
pitch = np.concatenate([
    np.full(int(seconds * sr), np.nan if note is None else librosa.note_to_hz(note))
    for note, seconds in notes
])  # fmt: skip
time = np.arange(pitch.size) / sr
pitch *= 2 ** (0.3 / 12 * np.sin(2 * np.pi * 5.5 * time))
phase = 2 * np.pi * np.cumsum(np.nan_to_num(pitch)) / sr
y = sum(np.sin(k * phase) / k for k in (1, 2, 3, 4)) * np.isfinite(pitch) * 0.3
y = (y + 0.001 * np.random.default_rng(0).standard_normal(y.size)).astype(np.float32)

f0, voiced, probability = librosa.pyin(y, sr=sr, fmin=110, fmax=1000)

fig, ax = plt.subplots(nrows=2, sharex=True, figsize=(8, 6), layout="constrained")
image = librosa.display.specshow(
    librosa.stft(y), vscale="dBFS", x_axis="time", y_axis="fft_note", sr=sr, ax=ax[0]
)
(line,) = ax[0].plot(librosa.times_like(f0, sr=sr), f0, color="C9", label="f0")
librosa.display.highlight(artist=line)
ax[0].set(ylim=(110, 4200), title="pYIN over the spectrogram")
ax[0].legend(loc="upper right")
ax[0].label_outer()
librosa.display.wavef0(y, f0=f0, sr=sr, ax=ax[1])
ax[1].set(title="The wave along its pitch")

plt.show()
