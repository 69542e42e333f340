"""Extractors of random recipes, `map` and one call for all, against single calls, bit for bit.

Clips are of mixed types, lengths, channels and layouts; some are the same array, or lie in the same memory.
"""

import functools
import pickle
import warnings

import metalmom
import numpy as np
from test_extractor import assert_same, random_recipe, single, song

from .draw import expect, lasting_at_most, storm
from .functions import laid_otherwise

SECONDS = 30.0


@functools.cache
def long_song():
    return song(3.0, seed=5)


def clip(draw, clips, channels):
    """A clip, which may lie in the memory of one before."""
    n = draw.one([8820, 9000, 11025, 16384, 22050, 22051, 40000])
    if clips and draw.chance(0.25):
        return draw.one(clips)
    if clips and draw.chance(0.25):
        of = draw.one(clips)
        return of[..., draw.below(100) :]
    y = long_song()[draw.below(1000) :][:n]
    if channels:
        y = np.stack([np.roll(y, 700 * c) for c in range(channels)])
    y = y.astype(draw.one(["f4", "f4", "f4", "f8", ">f4", ">f8", "f2"]))
    if draw.chance(0.1):
        y = y * 0
    return laid_otherwise(draw, y) if draw.chance(0.5) else y


def attempt(draw):
    channels = draw.one([None, None, 2])
    recipe = random_recipe(draw.random, channels is None)
    clips = []
    for _ in range(1 + draw.below(5)):
        clips.append(clip(draw, clips, channels))
    threads, how = 1 + draw.below(4), draw.below(3)
    kinds = [f"{type(y).__name__} {y.dtype.str} {y.shape} {y.strides}" for y in clips]
    draw.say(f"Extractor({recipe!r}) with threads={threads} of {kinds}")
    extractor = metalmom.Extractor(recipe)
    if draw.chance(0.2):
        extractor = pickle.loads(pickle.dumps(extractor))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if draw.chance(0.1):
            draw.say("a storm of them")
            storm(draw, lambda: together(how, extractor, clips, threads))
        lasting_at_most(SECONDS, lambda: compared(how, extractor, recipe, clips, threads))


def together(how, extractor, clips, threads):
    with metalmom.config_context(threads=threads):
        if how == 0:
            return extractor.map(clips)
        if how == 1:
            return extractor.map(iter(clips), errors="return")
        return [extractor(y) for y in clips]


def compared(how, extractor, recipe, clips, threads):
    results = together(how, extractor, clips, threads)
    expect(len(results) == len(clips), f"{len(results)} results of {len(clips)} clips")
    with metalmom.config_context(threads=1):
        for i, (y, values) in enumerate(zip(clips, results, strict=True)):
            expect(not isinstance(values, Exception), f"clip {i}: {values!r}")
            for name, spec in recipe.items():
                assert_same(values[name], single(name, spec, y), f"clip {i}: {name} {spec}")
