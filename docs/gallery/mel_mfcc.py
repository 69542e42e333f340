"""
Mel spectrogram and MFCC
========================

How a mel spectrogram and mel-frequency cepstral coefficients (MFCCs) describe vowels.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

# %%
# Three vowels
# ------------
# A voice is a series of harmonics. The resonances of the mouth, the formants, make some of them louder. Here
# the pitch falls all the time, and the formants (Peterson and Barney, 1952) change once a second.

sr = 16000
FORMANTS = {"a": (730, 1090, 2440), "i": (270, 2290, 3010), "u": (300, 870, 2240)}
time = np.arange(3 * sr) / sr
f0 = 160 * 2 ** (-time / 6)
phase = 2 * np.pi * np.cumsum(f0) / sr
rng = np.random.default_rng(0)
y = 1e-4 * rng.standard_normal(time.size)
vowel = (time // 1).astype(int)
for k in range(1, 48):
    for number, formants in enumerate(FORMANTS.values()):
        loudness = sum(0.5**place / (1 + ((k * f0 - f) / 60) ** 2) for place, f in enumerate(formants))
        y += 0.3 * (vowel == number) * loudness * np.sin(k * phase)
y = y.astype(np.float32)

# %%
# From spectrum to MFCC
# ---------------------
# A mel band sums the power of neighbouring bins. Bands are narrow below 1 kHz, where people hear small
# differences of pitch, and wider above. The MFCCs of a frame are the cosine transform of its bands in
# decibels. The first coefficients describe the broad shape of the spectrum, which is the vowel. They leave
# out the harmonics, which are the pitch.

filters = librosa.filters.mel(sr=sr, n_fft=512, n_mels=24)
mel = librosa.feature.melspectrogram(y=y, sr=sr, n_fft=512, hop_length=160, n_mels=64)
mfcc = librosa.feature.mfcc(y=y, sr=sr, n_fft=512, hop_length=160, n_mels=64, n_mfcc=13)
print(mel.shape, mfcc.shape)

show = {"sr": sr, "hop_length": 160, "x_axis": "time"}
fig, ax = plt.subplots(nrows=3, figsize=(8, 7), layout="constrained")
ax[0].plot(librosa.fft_frequencies(sr=sr, n_fft=512), filters.T, linewidth=1)
ax[0].set(title="24 mel filters", xlabel="Hz", xlim=(0, sr / 2))
decibels = librosa.power_to_db(mel, ref=np.max)
image = librosa.display.specshow(decibels, y_axis="mel", fmax=sr / 2, ax=ax[1], **show)
librosa.display.colorbar_db(image)
ax[1].set(title=f"Mel spectrogram of {', '.join(FORMANTS)}")
ax[1].label_outer()
image = librosa.display.specshow(mfcc[1:], y_coords=np.arange(1, 14), ax=ax[2], **show)
fig.colorbar(image, ax=ax[2])
ax[2].set(title="MFCCs 1 to 12", ylabel="coefficient", yticks=(3, 6, 9, 12))

plt.show()

# %%
# The MFCCs of a vowel change little while the pitch falls. So a vowel is recognised by the nearest mean.

means = np.stack([mfcc[1:, 100 * k + 10 : 100 * k + 90].mean(axis=1) for k in range(3)])
nearest = np.linalg.norm(mfcc[1:, np.newaxis] - means.T[:, :, np.newaxis], axis=0).argmin(axis=0)
print(f"{100 * np.mean(nearest[:300] == np.arange(300) // 100):.0f} % of the frames are recognised")
