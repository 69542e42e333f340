"""
Front-ends of neural models
===========================

What four neural models hear of the same sound.
"""

import matplotlib.pyplot as plt
import metalmom
import numpy as np

y, sr = metalmom.demo.song(duration=5)
y = metalmom.resample(metalmom.to_mono(y), orig_sr=sr, target_sr=16000)
sr = 16000

# %%
# `metalmom.frontend` computes the features that the code of each model computes, with its windows, mel scale,
# logarithm and order of axes. So the ranges of values differ, and two of these have time as the first axis.

frontend = metalmom.frontend
pictures = {
    "Whisper": frontend.whisper(y, sr=sr)[:, :500],  # the rest of its 30 s is silence
    "Kaldi (WeNet, icefall)": frontend.kaldi_fbank(y, sr=sr, scale=32768, num_bins=80).T,
    "NeMo (Conformer, Parakeet)": frontend.nemo(y, sr=sr),
    "YAMNet, patches side by side": np.concatenate(frontend.yamnet(y, sr=sr)[::2]).T,
}
for name, values in pictures.items():
    print(f"{name}: {values.shape}, from {values.min():.2f} to {values.max():.2f}")

fig, ax = plt.subplots(nrows=2, ncols=2, sharex=True, figsize=(9, 5), layout="constrained")
for each, (name, values) in zip(ax.flat, pictures.items()):
    extent = (0, values.shape[1] / 100, 0, len(values))  # all have 100 frames a second
    image = each.imshow(values, origin="lower", aspect="auto", cmap="magma", extent=extent)
    each.set(title=name, ylabel="band", xlim=(0, 5))
    fig.colorbar(image, ax=each)
for each in ax[1]:
    each.set(xlabel="Time (s)")

plt.show()
