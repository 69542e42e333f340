"""
Traces
======

A trace shows where a job spends its time inside the engine.
"""

import matplotlib.pyplot as plt
import metalmom

y, sr = metalmom.demo.song(duration=30)
y = metalmom.resample(metalmom.to_mono(y), orig_sr=sr, target_sr=22050)


def job():
    metalmom.feature.mfcc(y=y)
    metalmom.feature.chroma_stft(y=y)
    metalmom.beat.beat_track(y=y)
    metalmom.effects.hpss(y)


job()  # the first call makes plans and tables
with metalmom.trace.record() as trace:
    job()

spans = [span for span in trace.spans if span.cat in ("bridge", "engine") and span.thread]
start = min(span.ts for span in spans)
fig, ax = plt.subplots(figsize=(8, 3), layout="constrained")
for span in spans:
    row, left = {"bridge": 1, "engine": 0}[span.cat], (span.ts - start) / 1e3
    ax.barh(row, span.dur / 1e3, left=left, color=f"C{row}", alpha=0.5)
    if span.depth == 0:
        ax.text(left, 1.45, span.name, rotation=45, fontsize=8)
ax.set(yticks=[0, 1], yticklabels=["engine", "bridge"], xlabel="ms", ylim=(-0.5, 2.6))

plt.show()
