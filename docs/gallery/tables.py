"""
A folder of sounds as a table
=============================

Compute features of a folder of sounds, keep their labels, and find sounds that resemble each other.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import metalmom
import numpy as np
from scipy.io import wavfile

# %%
# A small data set
# ----------------
# Eight drums, eight plucked strings and eight birds, with a table of labels.

sr = 22050
rng = np.random.default_rng(0)
time = np.arange(sr) / sr


def drum():
    return rng.standard_normal(sr) * np.exp(-time * rng.uniform(15, 30))


def string():
    f0 = rng.uniform(110, 330)
    return sum(np.sin(2 * np.pi * k * f0 * time) / k * np.exp(-2 * k * time) for k in range(1, 12))


def bird():
    low, high = rng.uniform(2000, 3000), rng.uniform(4000, 6000)
    return metalmom.chirp(fmin=low, fmax=high, sr=sr, duration=1) * np.hanning(sr)


scratch = tempfile.TemporaryDirectory()
folder = Path(scratch.name) / "sounds"
folder.mkdir()
rows = ["file,label"]
for make in (drum, string, bird):
    for number in range(8):
        name = f"{make.__name__}{number}.wav"
        y = 0.3 * make() + 1e-3 * rng.standard_normal(sr)
        wavfile.write(folder / name, sr, y.astype(np.float32))
        rows.append(f"{name},{make.__name__}")
(folder / "labels.csv").write_text("\n".join(rows) + "\n")

# %%
# One call
# --------
# `metalmom.extract` computes the features of every file. ``aggregate`` keeps the mean and the deviation of
# the frames of a file, and ``keep_columns`` copies the labels. The same call continues a run that was
# interrupted.

metalmom.extract(
    folder / "labels.csv", Path(scratch.name) / "tables", features=["mfcc", "spectral_centroid", "rms"],
    aggregate=["mean", "std"], path_column="file", keep_columns="label", root=folder,
)  # fmt: skip
features = metalmom.open_features(Path(scratch.name) / "tables")
files = features.files
print(files["path"][:3], files["label"][:3])

# %%
# Which sounds are alike
# ----------------------
# Each file is a row of numbers. The program scales the columns and finds the nearest other row.
# ``features.to_pandas()`` returns the same table as a data frame.

names = [name for name in files if name.endswith(("_mean", "_std"))]
table = np.stack([files[name] for name in names], axis=1)
table = (table - table.mean(axis=0)) / table.std(axis=0)
distances = np.linalg.norm(table[:, np.newaxis] - table, axis=-1)
np.fill_diagonal(distances, np.inf)
labels = files["label"]
right = np.mean(labels[distances.argmin(axis=1)] == labels)
print(f"for {100 * right:.0f} % of the files, the nearest one has the same label")

fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for label in dict.fromkeys(labels):
    of = labels == label
    ax.scatter(files["spectral_centroid_mean"][of], files["mfcc_01_mean"][of], label=label)
ax.set(xlabel="spectral centroid (Hz), mean", ylabel="MFCC 1, mean")
ax.legend()

plt.show()
