"""
From features back to sound
===========================

How much of a sound is left in a mel spectrogram, and in MFCCs.
"""

import matplotlib.pyplot as plt
import metalmom as librosa
import numpy as np

y, sr = librosa.demo.song(duration=4)
y = librosa.resample(librosa.to_mono(y), orig_sr=sr, target_sr=22050)
sr = 22050

# %%
# `metalmom.feature.inverse.mel_to_stft` finds a spectrum whose mel bands are the given ones, and
# `metalmom.griffinlim` finds phases that fit it. MFCCs keep only the broad shape of a spectrum: the rhythm
# remains, the notes are lost.

mel = librosa.feature.melspectrogram(y=y, sr=sr, n_mels=128)
mfcc = librosa.feature.mfcc(S=librosa.power_to_db(mel), n_mfcc=20)


def sound_of(mel):
    return librosa.griffinlim(librosa.feature.inverse.mel_to_stft(mel, sr=sr), n_iter=16, rng=0)


sounds = {
    "The song": y,
    "From 128 mel bands": sound_of(mel),
    "From 20 MFCCs": sound_of(librosa.feature.inverse.mfcc_to_mel(mfcc)),
}

fig, ax = plt.subplots(nrows=3, sharex=True, figsize=(7, 7), layout="constrained")
for each, (name, sound) in zip(ax, sounds.items()):
    image = librosa.display.specshow(
        librosa.stft(sound), vscale="dB", top_db=70, sr=sr, x_axis="time", y_axis="log", ax=each
    )
    each.set(title=name, ylim=(60, sr / 2))
    each.label_outer()
librosa.display.colorbar_db(image, ax=ax)

plt.show()
