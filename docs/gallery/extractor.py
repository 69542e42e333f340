"""
Many features with an Extractor
===============================

An Extractor computes many features of a signal and transforms the signal once for all of them.
"""

import matplotlib.pyplot as plt
import metalmom

y, sr = metalmom.demo.song(duration=10)
y = metalmom.resample(metalmom.to_mono(y), orig_sr=sr, target_sr=22050)

fx = metalmom.Extractor(
    {
        "mel": {"feature": "melspectrogram", "n_mels": 80},
        "level": {"feature": "power_to_db", "of": "mel"},
        "mfcc": {"n_mfcc": 13},
        "movement": {"feature": "delta", "of": "mfcc"},
        "chroma_stft": {"n_fft": 4096},
        "onset_strength": {},
        "beat_track": {"units": "time"},
    },
    sr=22050,
)
values = fx(y)
print(fx.graph())  # what is computed, and what is shared

times = metalmom.times_like(values["onset_strength"], sr=22050)
fig, ax = plt.subplots(nrows=4, sharex=True, figsize=(8, 7), layout="constrained")
show = {"sr": 22050, "x_axis": "time"}
metalmom.display.specshow(values["level"], y_axis="mel", cmap="magma", ax=ax[0], **show)
metalmom.display.specshow(values["movement"], ax=ax[1], **show)
metalmom.display.specshow(values["chroma_stft"], y_axis="chroma", ax=ax[2], **show)
ax[3].plot(times, values["onset_strength"], linewidth=1)
ax[3].vlines(values["beat_track"][1], *ax[3].get_ylim(), color="C1", linestyle="--")
ax[3].set(xlabel="Time")
for axis, name in zip(ax, ("level", "movement of MFCC", "chroma", "onsets and beats"), strict=True):
    axis.set(title=name)
    axis.label_outer()

plt.show()
