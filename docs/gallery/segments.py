"""
Your own function on long audio
===============================

Cut audio into overlapping segments, change each by a function of your own, and put the results together.
"""

import matplotlib.pyplot as plt
import metalmom
import numpy as np

y, sr = metalmom.demo.song(duration=8)
y = metalmom.resample(metalmom.to_mono(y), orig_sr=sr, target_sr=22050)
sr = 22050
rng = np.random.default_rng(0)
noisy = y + 0.02 * rng.standard_normal(y.size).astype(np.float32)


# %%
# The function takes and returns samples. This one takes the median of a spectrum for the noise, and keeps
# bins that are much louder. A network that takes a second at a time can stand in its place.


def denoised(samples):
    D = metalmom.stft(samples, n_fft=1024)
    magnitudes = np.abs(D)
    noise = np.full_like(magnitudes, 2 * np.median(magnitudes))
    mask = metalmom.util.softmask(magnitudes, noise, power=2)
    return metalmom.istft(D * mask, length=samples.shape[-1])


# %%
# `metalmom.segments` cuts, and `metalmom.overlap_add` blends each segment into the next. Without a change,
# the blend is the signal bit for bit. ``metalmom.segments("long.wav", ...)`` reads a file that need not fit
# into memory.

cut = metalmom.segments(noisy, sr, overlap=0.25)
cleaned = metalmom.overlap_add(each.with_samples(denoised(each.samples)) for each in cut)
unchanged = metalmom.overlap_add(metalmom.segments(noisy, sr, overlap=0.25))
assert np.array_equal(unchanged, noisy)

fig, ax = plt.subplots(nrows=3, sharex=True, figsize=(8, 7), layout="constrained")
for each, (name, sound) in zip(ax, {"Song": y, "With noise": noisy, "Cleaned": cleaned}.items()):
    error = 20 * np.log10(np.linalg.norm(y) / max(np.linalg.norm(sound - y), 1e-9))
    decibels = metalmom.amplitude_to_db(np.abs(metalmom.stft(sound)), ref=200, top_db=None)
    image = metalmom.display.specshow(
        decibels, vmin=-70, vmax=0, sr=sr, x_axis="time", y_axis="log", ax=each
    )
    title = name if sound is y else f"{name}: the song is {error:.1f} dB above the error"
    each.set(title=title, ylim=(60, sr / 2))
    each.label_outer()
metalmom.display.colorbar_db(image, ax=ax)

plt.show()
