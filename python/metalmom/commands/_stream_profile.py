"""``metalmom profile --stream``: what blocks of a live source cost."""

import time

import numpy as np

from ._job import N_MFCC

__all__ = ["lines"]

BLOCK_SECONDS = 0.05


def streams(sr):
    """A stream of each feature, by name."""
    from metalmom import streaming

    return {
        "mel": streaming.MelSpectrogram(sr=sr),
        "mfcc": streaming.MFCC(sr=sr, n_mfcc=N_MFCC, top_db=None),
        "chroma": streaming.ChromaSTFT(sr=sr, tuning=0.0),
        "onset": streaming.OnsetStrength(sr=sr, top_db=None),
        "rms": streaming.RMS(),
        "beat": streaming.BeatTrack(sr=sr),
        "all but beat": streaming.Extractor(
            {"melspectrogram": {}, "mfcc": {"n_mfcc": N_MFCC}, "chroma_stft": {"tuning": 0.0},
             "onset_strength": {}, "rms": {}}, sr=sr),
    }  # fmt: skip


def blocks(path, sr):
    """The file, mono, as it would come from a live source: at its own rate, 50 ms at a time."""
    import metalmom

    rate = metalmom.get_samplerate(path)
    n = max(round(rate * BLOCK_SECONDS), 1)
    resample = metalmom.streaming.Resample(orig_sr=rate, target_sr=sr)
    for y in metalmom.stream(path, block_length=1, frame_length=n, hop_length=n, sr=None):
        yield resample.process(y)
    yield resample.flush()


def lines(path, sr):
    """Read a file in blocks of 50 ms; the table of what each feature made of them.

    Parameters
    ----------
    path : str
        The file.
    sr : int
        Rate of the features.

    Returns
    -------
    list of str
    """
    measured = {name: (stream, []) for name, stream in streams(sr).items()}
    for stream, _ in measured.values():
        stream.warmup()
    for y in blocks(path, sr):
        for stream, times in measured.values():
            before = time.perf_counter()
            stream.process(y)
            times.append(time.perf_counter() - before)
    head = "blocks of 50 ms (us)"
    table = [f"{head:22}{'mean':>9}{'p50':>9}{'p99':>9}{'max':>9}  latency (samples)"]
    for name, (stream, times) in measured.items():
        stream.flush()
        us = np.array(times) * 1e6
        figures = (us.mean(), np.median(us), np.percentile(us, 99), us.max())
        cells = "".join(f"{value:9.1f}" for value in figures)
        table.append(f"{name:22}{cells}  {stream.latency}")
    return table
