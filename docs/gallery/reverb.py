"""
Convolution reverb
==================

Audio in a room: a convolution with the response of the room, at once or block by block.
"""

import matplotlib.pyplot as plt
import metalmom
import numpy as np

y, sr = metalmom.demo.song(duration=4)
y = metalmom.to_mono(y)

# The response of a hall: the direct sound, some echoes, and noise that decays by 60 dB in two seconds.
rng = np.random.default_rng(0)
time = np.arange(2 * sr) / sr
hall = 0.03 * rng.standard_normal(time.size) * 10 ** (-3 * time / 2)
hall[: int(0.03 * sr)] = 0
hall[[0, *(np.array([0.011, 0.017, 0.023]) * sr).astype(int)]] = 1, 0.5, 0.4, 0.3
hall = hall.astype(np.float32)

# %%
# `metalmom.convolve` takes whole signals. `metalmom.streaming.Convolver` takes blocks and has no latency, for
# live audio.

wet = metalmom.convolve(y, hall)

convolver = metalmom.streaming.Convolver(hall, block_size=256)
print(convolver)
blocks = [convolver.process(y[i : i + 256]) for i in range(0, y.size, 256)]
live = np.concatenate([*blocks, convolver.flush()])
print(f"the largest difference is {np.abs(live - wet).max() / np.abs(wet).max():.0e} of the peak")

fig, ax = plt.subplots(nrows=3, figsize=(8, 6), layout="constrained")
ax[0].plot(time, hall, linewidth=0.5, color="C3")
ax[0].set(title="Response of the hall", xlim=(0, 2))
for each, name, sound in ((ax[1], "Dry", y), (ax[2], "In the hall", wet)):
    image = metalmom.display.specshow(
        metalmom.stft(sound), vscale="dB", top_db=70, sr=sr, x_axis="time", y_axis="log", ax=each
    )
    each.set(title=name, xlim=(0, 6), ylim=(60, sr / 2))
metalmom.display.colorbar_db(image, ax=ax[1:])
ax[1].label_outer()

plt.show()
