"""
Harmonic and percussive parts
=============================

Median filters separate sounds that sustain from sounds that strike.
"""

import matplotlib.pyplot as plt
import metalmom as librosa

y, sr = librosa.demo.song(duration=8)
y = librosa.resample(librosa.to_mono(y), orig_sr=sr, target_sr=22050)
sr = 22050

D = librosa.stft(y)
harmonic, percussive = librosa.decompose.hpss(D, margin=2)
rest = D - harmonic - percussive

fig, ax = plt.subplots(nrows=4, sharex=True, figsize=(7, 6), layout="constrained")
parts = {"Song": D, "Harmonic": harmonic, "Percussive": percussive, "Rest": rest}
for each, (name, spectrum) in zip(ax, parts.items()):
    image = librosa.display.specshow(
        spectrum, vscale="dB", top_db=70, x_axis="time", y_axis="log", sr=sr, ax=each
    )
    each.set(title=name)
    each.label_outer()
librosa.display.colorbar_db(image, ax=ax)

plt.show()
