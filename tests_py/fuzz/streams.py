"""Streams cut, reset, pickled, ended by signals and given wrong blocks, against the same signal at once.

After each of these a stream is as it was before, and its frames are bitwise those of the whole signal; or it says
that it was stopped, and begins anew after `reset`.
"""

import copy
import functools
import pickle
import warnings

import numpy as np
from metalmom import streaming
from metalmom.util.exceptions import ParameterError
from test_streaming_frontend import FRONTENDS
from test_streaming_realtime import EVERY

from .draw import STORM, cut_after, expect

N = 12000
# A worker's results depend on how fast it is.
MADE = [(name, arguments, block) for name, arguments, block in EVERY if not arguments.get("workers")]
# What these answer depends on how a signal is cut: what is known since the last block.
OF_BLOCKS = {"Tempo", "BeatTrack", "OnsetDetect", "Extractor"}
AXES = {name: axis for name, _, _, axis in FRONTENDS}  # of frames; of others it is the last one


def joined(name, parts):
    """The parts of a stream's answers put together."""
    return np.concatenate(parts, axis=AXES.get(name, -1))


def bits(value):
    return value.dtype, value.shape, value.tobytes()


def shortened(block):
    return np.asfortranarray(block[..., : N if block.ndim == 1 else 90])


@functools.cache
def whole(i):
    """What a stream makes of all at once."""
    name, arguments, block = MADE[i]
    stream = getattr(streaming, name)(**arguments)
    block = shortened(block)
    return [stream.process(block), stream.flush()]


def attempt(draw):
    i = draw.below(len(MADE))
    name, arguments, block = MADE[i]
    block = shortened(block)
    stream = getattr(streaming, name)(**arguments)
    n, at, parts, sizes = block.shape[-1], 0, [], []
    draw.say(f"{name}({sorted(arguments)})")
    signals = STORM if draw.chance(0.2) else 0
    while at < n:
        what = 3 if signals > 0 else draw.below(12)
        most = 4 if signals > 0 else 8
        size = min(n - at, draw.one([0, 1, 3, 64, 127, 512, 1021, 4096][:most] if block.ndim == 1 else [0, 1, 2, 7, 30][:most]))
        piece = block[..., at : at + size]
        if what == 0:
            draw.say(f"reset at {at}")
            stream.reset()
            at, parts, sizes = 0, [], []
            continue
        if what == 1:
            draw.say(f"a wrong block at {at}")
            refuse(draw, stream, piece)
            continue
        if what == 2:
            draw.say(f"a copy at {at}")
            stream = copied(draw, stream)
            continue
        if what == 3:
            draw.say(f"a signal at {at} in {size}")
            answers = ended(draw, stream, piece)
            signals -= 1
            if answers is None:
                at, parts, sizes = 0, [], []
                continue
        else:
            answers = [(stream.process(piece), size)]
        for answer, taken in answers:
            parts.append(answer)
            sizes.append(taken)
            at += taken
    parts.append(stream.flush())
    if name in OF_BLOCKS:
        is_whole = [*map(pickle.dumps, parts)] == [*map(pickle.dumps, again(name, arguments, block, sizes))]
    else:
        is_whole = bits(joined(name, parts)) == bits(joined(name, whole(i)))
    expect(is_whole, f"{name} in blocks of {sizes} is not the whole")


def again(name, arguments, block, sizes):
    """The answers of another stream to the same blocks."""
    stream, at, parts = getattr(streaming, name)(**arguments), 0, []
    for size in sizes:
        parts.append(stream.process(block[..., at : at + size]))
        at += size
    return [*parts, stream.flush()]


def refuse(draw, stream, piece):
    """Give a block that the stream cannot take."""
    wrong = draw.one([None, [1.0], piece[np.newaxis, np.newaxis], "x", np.zeros(3, "M8[s]"), 1.0])
    try:
        stream.process(wrong)
    except (ParameterError, TypeError, ValueError):
        return
    expect(False, f"{wrong!r} is taken")


def copied(draw, stream):
    """A copy of the stream, where it can be copied; it goes on where this one is."""
    try:
        return draw.one([copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])(stream)
    except (TypeError, ParameterError):
        return stream


def ended(draw, stream, piece):
    """Answers to a block while a signal comes, with the samples taken for each; None where the stream was stopped.

    An answer to no samples shows whether it was: a first call may give frames of silence before the signal.
    """
    before = stream.position
    value, is_cut = cut_after(draw, float(10 ** draw.random.uniform(-6, -3.5)), lambda: stream.process(piece))
    if not is_cut:
        return [(value, piece.shape[-1])]
    position = stream.position
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            more = stream.process(piece[..., :0])
    except ParameterError as error:
        expect("was stopped" in str(error), str(error))
        stream.reset()
        return None
    if value is not None and position == before + piece.shape[-1]:
        return [(value, piece.shape[-1]), (more, 0)]
    expect(position == before, f"position is {position} after a block that was ended at {before}")
    return [(more, 0)]
