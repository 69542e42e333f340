"""A `Ring` between a thread that writes and one that reads and that signals end; and arrays in every order.

What is read is what the ring has taken, in order and without a gap but for what a signal has ended.
"""

import threading
import warnings

import numpy as np
from metalmom import streaming

from .draw import cut_after, expect

BLOCKS = 300


def attempt(draw):
    channels, dtype = draw.one([1, 1, 2, 3]), draw.one([np.float32, np.float64])
    ring = streaming.Ring(draw.one([0.001, 0.05, 1.0]), channels, draw.one([1000, 16000]), sample_dtype=dtype)
    sizes = [draw.one([0, 1, 7, 64, 480, 3000]) for _ in range(BLOCKS)]
    orders = [draw.below(3) for _ in range(BLOCKS)]
    with_signals = draw.chance(0.5)
    draw.say(f"{ring!r}, {np.dtype(dtype)}, signals: {with_signals}")
    taken, failed = [], []

    def write():
        try:
            at = 0
            for size, order in zip(sizes, orders, strict=True):
                block = laid(np.arange(at, at + size) + np.zeros((channels, 1)), order, dtype)
                taken.append((at, ring.write(block[0] if channels == 1 else block)))
                at += size
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    chunks = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while writer.is_alive() or ring.waiting:
            n = draw.one([0, 1, 33, 512, 5000])
            chunk = ended(draw, lambda n=n: ring.read(n)) if with_signals else ring.read(n)
            if chunk is not None:
                chunks.append(chunk)
    writer.join()
    expect(not failed, f"write() fails: {failed}")
    held = np.concatenate([np.arange(at, at + count) for at, count in taken])
    expect(ring.overrun == sum(sizes) - held.size, f"{ring.overrun} samples are lost of {sum(sizes)} and {held.size}")
    place = 0
    for chunk in chunks:
        expect(chunk.dtype == dtype, f"{chunk.dtype}")
        rows = np.atleast_2d(chunk)
        expect(len(rows) == channels and (rows == rows[:1]).all(), f"channels differ in {chunk.shape}")
        if rows.size:
            begin = int(np.searchsorted(held, rows[0, 0]))
            expect(begin == place or (with_signals and begin > place), f"samples from {begin} on follow those before {place}")
            place = begin + rows.shape[1]
            expect(np.array_equal(rows[0], held[begin:place]), f"other samples than the {rows.shape[1]} from {begin} on")
    expect(with_signals or place == held.size, f"{place} of {held.size} samples were read")


def laid(block, order, dtype):
    """A block that lies in memory so."""
    if order == 1:
        return np.asfortranarray(block.astype(dtype))
    if order == 2:
        return np.repeat(block.astype(dtype), 2, axis=1)[:, ::2]
    return block.astype(dtype)


def ended(draw, call):
    """What a call gives while a signal comes; None where the signal has ended it."""
    return cut_after(draw, float(draw.random.uniform(1e-6, 1e-4)), call)[0]
