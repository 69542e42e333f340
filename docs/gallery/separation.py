"""
Separation
==========

A mixture is separated by masks, segment by segment. The parts that it was made of are on the left.
"""

import matplotlib.pyplot as plt
import metalmom
import numpy as np

sr, n_fft, hop_length = 22050, 2048, 512
rng = np.random.default_rng(0)
length = 6 * sr

# A bass of one note a second, a melody that glides, and hits of noise.
notes = np.repeat([55.0, 65.4, 82.4, 73.4, 61.7, 55.0], sr)
bass = 0.4 * np.sin(2 * np.pi * np.cumsum(notes) / sr) * np.exp(-2 * (np.arange(length) % sr) / sr)
glide = 660 * 2 ** (np.sin(2 * np.pi * np.arange(length) / (3 * sr)) / 2)
phase = 2 * np.pi * np.cumsum(glide) / sr
melody = sum(0.25 / k * np.sin(k * phase) for k in range(1, 7))
hits = 0.6 * rng.standard_normal(length) * np.exp(-60 * (np.arange(length) % (sr // 2)) / sr)
parts = {"bass": bass, "melody": melody, "hits": hits}
mixture = sum(parts.values()).astype(np.float32)


# Median filters stand in for a network, which takes and returns the same arrays.
def masks(magnitudes):
    """(channels, bins, frames) in, (stems, channels, bins, frames) out; the masks of a bin sum to one."""
    low = (metalmom.fft_frequencies(sr=sr, n_fft=n_fft) < 250)[:, np.newaxis]
    lasting, sudden = metalmom.decompose.hpss(magnitudes, kernel_size=(9, 31), mask=True)
    return np.stack([low * lasting, ~low * lasting, sudden])


description = {
    "kind": "mask", "sr": sr, "channels": 1, "stems": [*parts], "segment": 2.0, "n_fft": n_fft,
    "hop_length": hop_length,
}  # fmt: skip
stems = metalmom.separate(mixture, (masks, description), sr=sr, overlap=0.5)

fig, ax = plt.subplots(nrows=4, ncols=2, sharex=True, sharey=True, figsize=(9, 8), layout="constrained")
shown = [(ax[0, 0], "Mixture", mixture), (ax[0, 1], "Sum of the stems", sum(stems.values()))]
for row, name in zip(ax[1:], parts):
    ratio = 20 * np.log10(np.linalg.norm(parts[name]) / np.linalg.norm(parts[name] - stems[name]))
    shown += [(row[0], f"{name.capitalize()}, as it was", parts[name])]
    shown += [(row[1], f"{name.capitalize()}, {ratio:.0f} dB above its error", stems[name])]
for each, title, y in shown:
    magnitudes = np.abs(metalmom.stft(y, n_fft=n_fft, hop_length=hop_length))
    decibels = metalmom.amplitude_to_db(magnitudes, ref=300, top_db=None)
    image = metalmom.display.specshow(
        decibels, vmin=-70, vmax=0, x_axis="time", y_axis="log", sr=sr, hop_length=hop_length,
        n_fft=n_fft, ax=each,
    )  # fmt: skip
    each.set(title=title)
    each.label_outer()
ax[0, 0].set(ylim=(30, sr / 2))
metalmom.display.colorbar_db(image, ax=ax)

plt.show()
