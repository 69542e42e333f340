"""
Time stretch and pitch shift
============================

Make a melody slower, or higher, or slower and lower as a tape does.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

sr = 22050
melody = [librosa.tone(librosa.note_to_hz(note), sr=sr, duration=0.5) for note in ("A4", "C5", "E5", "A5")]
fade = np.minimum(1, np.minimum(np.arange(melody[0].size), np.arange(melody[0].size)[::-1]) / 500)
y = 0.5 * np.concatenate([fade * note for note in melody]).astype(np.float32)

# %%
# `metalmom.effects.time_stretch` changes the length and keeps the pitch. `metalmom.effects.pitch_shift`
# changes the pitch and keeps the length. Resampling changes both, like a tape that runs too slowly.

versions = {
    "The melody": y,
    "time_stretch, rate=0.75": librosa.effects.time_stretch(y, rate=0.75),
    "pitch_shift, 7 semitones": librosa.effects.pitch_shift(y, sr=sr, n_steps=7),
    "Resampled: a tape at 3/4 of its speed": librosa.resample(y, orig_sr=0.75 * sr, target_sr=sr),
}
for name, each in versions.items():
    print(f"{name}: {librosa.get_duration(y=each, sr=sr):.2f} s")

fig, ax = plt.subplots(nrows=4, sharex=True, sharey=True, figsize=(7, 8), layout="constrained")
for axis, (name, each) in zip(ax, versions.items()):
    image = librosa.display.specshow(
        librosa.stft(each), vscale="dBFS", top_db=60, sr=sr, x_axis="time", y_axis="fft_note", ax=axis
    )
    axis.set(title=name, ylim=(220, 1760), xlim=(0, 2.7))
    axis.label_outer()
librosa.display.colorbar_db(image, ax=ax)

plt.show()
