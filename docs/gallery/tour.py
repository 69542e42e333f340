"""
Ten-minute tour
===============

This page goes from an audio file to features, pictures, beats, streams and tables. It is one program: every
block below uses the names of the blocks before it. metalmom synthesises the song, so nothing needs to be
downloaded.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

scratch = tempfile.TemporaryDirectory()
folder = Path(scratch.name)
(folder / "songs").mkdir()
librosa.demo.write_wav(folder / "songs" / "song.wav", duration=12)

# %%
# Load a file
# -----------
# `metalmom.load` decodes a file, mixes its channels to one and resamples the result to 22,050 Hz. Pass
# ``sr=None`` to keep the rate of the file and ``mono=False`` to keep its channels. ``y`` is a NumPy array
# of float32 samples.

y, sr = librosa.load(folder / "songs" / "song.wav")
print(f"{y.shape[-1]} samples at {sr} Hz: {librosa.get_duration(y=y, sr=sr):.1f} s")

# %%
# See it
# ------
# A spectrogram divides the signal into frames of ``n_fft`` samples. A new frame begins every ``hop_length``
# samples. A mel spectrogram sums the power of neighbouring frequencies into bands that follow the pitch
# that people hear. The last axis of every feature is time, in frames.

mel = librosa.feature.melspectrogram(y=y, sr=sr, n_mels=64, hop_length=512)
decibels = librosa.power_to_db(mel, ref=np.max)
print(mel.shape, mel.dtype)

fig, ax = plt.subplots(nrows=2, sharex=True, figsize=(8, 5), layout="constrained")
librosa.display.waveshow(y, sr=sr, ax=ax[0])
ax[0].set(title="The waveform", xlabel="")
picture = librosa.display.specshow(decibels, sr=sr, hop_length=512, x_axis="time", y_axis="mel", ax=ax[1])
ax[1].set(title="Its mel spectrogram")
fig.colorbar(picture, ax=ax[1], format="%+2.0f dB")
plt.show()

# %%
# Find its beats
# --------------
# The onset strength rises where the spectrum grows. The beat tracker looks for a steady pulse in it.

strength = librosa.onset.onset_strength(y=y, sr=sr)
tempo, beats = librosa.beat.beat_track(onset_envelope=strength, sr=sr)
first = librosa.frames_to_time(beats[:3], sr=sr)
print(f"{tempo[0]:.1f} beats per minute, the first beats at {first.round(2)} s")

times = librosa.times_like(strength, sr=sr)
fig, ax = plt.subplots(figsize=(8, 2.5), layout="constrained")
ax.plot(times, strength, label="onset strength")
ax.vlines(times[beats], 0, strength.max(), color="C1", linestyle="--", label="beats")
ax.set(xlabel="Time (s)", xlim=(0, 6))
ax.legend(loc="upper right")
plt.show()

# %%
# Compute many features at once
# -----------------------------
# A `metalmom.Extractor` transforms the signal once for all of its features. Each value has the bits of the
# single call.

fx = librosa.Extractor(["mfcc", "chroma_stft", "onset_strength", "beat_track"], sr=sr)
values = fx(y)
print({name: np.shape(value) for name, value in values.items() if name != "beat_track"})
assert np.array_equal(values["mfcc"], librosa.feature.mfcc(y=y, sr=sr))

# %%
# Stream it
# ---------
# A stream takes blocks of any length. Its frames, joined, have the bits of the offline call.

stream = librosa.streaming.MelSpectrogram(sr=sr, n_mels=64)
parts = [stream.process(y[i : i + 1000]) for i in range(0, len(y), 1000)]
streamed = np.concatenate([*parts, stream.flush()], axis=-1)
assert np.array_equal(streamed, mel)

# %%
# Ask where the time goes
# -----------------------
# A trace has a span for each call and for each step inside the engine. ``trace.save("page.html")`` writes a
# timeline.

with librosa.trace.record() as trace:
    fx(y)
print(trace.summary())

# %%
# Turn a folder into tables
# -------------------------
# `metalmom.extract` reads every audio file of a folder and writes tables. If the run is interrupted, the
# same call continues it.

librosa.extract(folder / "songs", folder / "tables", features=["mfcc", "rms"])
table = librosa.open_features(folder / "tables")
for file in table:
    print(Path(file.path).name, file.status, file["mfcc"].shape)

fig, ax = plt.subplots(figsize=(8, 3), layout="constrained")
librosa.display.specshow(table.frames("mfcc")[1:], x_axis="time", ax=ax)
ax.set(title="MFCCs 1 to 19, read from the table")
plt.show()

# %%
# Go on
# -----
# The user guide explains each of these steps, the other pages of the gallery show more of them, and the API
# reference has every function.
