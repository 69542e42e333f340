"""Decoders with mutated files of all formats: as paths, bytes, file objects and streams.

What may come out is audio, or an AudioError; of arguments a ParameterError.
"""

import functools
import io
import itertools
import pathlib
import warnings

import audio_files
import metalmom
import numpy as np

from .draw import expect, lasting_at_most, limit_memory
from .mutations import mutated

SECONDS = 20.0
ENCODED = ("flac", "ogg", "mp3", "opus", "aiff", "au", "w64", "caf")
BY_FFMPEG = ("m4a", "aac", "mkv")  # in a process each, which takes long


@functools.cache
def files():
    """Small files, by the ends of their names."""
    limit_memory()
    samples = audio_files.sines(0.12, 2)
    integers = samples * 32767
    made = {"wav": audio_files.pcm_wave_bytes(integers), "f.wav": audio_files.wave_bytes(samples)}
    for end in ENCODED + BY_FFMPEG:
        path = pathlib.Path(f"made.{end}")
        try:
            audio_files.encode(path, samples)
        except Exception:  # noqa: BLE001  # an encoder that this ffmpeg lacks
            continue
        made[end] = path.read_bytes()
    return made


def attempt(draw):
    made = files()
    end = draw.one(sorted(made) if draw.chance(0.1) else sorted(made.keys() - {*BY_FFMPEG}))
    content = mutated(draw, made[end], [*made.values()])
    shown_as = end if draw.chance(0.9) else draw.one(sorted(made))
    path = pathlib.Path(f"given.{shown_as.rpartition('.')[2]}")
    path.write_bytes(content)
    how = draw.below(5)
    options = {
        "sr": draw.one([None, 22050, 8000, 44100]),
        "mono": draw.chance(0.5),
        "offset": draw.one([0.0, 0.0, 0.01, 5.0]),
        "duration": draw.one([None, None, 0.05, 0.0, 100.0]),
        "dtype": draw.one([np.float32, np.float64]),
    }
    draw.say(f"{len(content)} bytes of {end} in {path.name}, way {how}, {options}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            lasting_at_most(SECONDS, lambda: decoded(how, path, content, options))
        except (metalmom.AudioError, MemoryError):
            pass
        except metalmom.ParameterError as error:
            # of arguments, of which a rate may not fit the file's own; and of samples that are floats
            told = ("offset", "duration", "sr", "is not finite everywhere")
            expect(any(each in str(error) for each in told), f"{error}")


def decoded(how, path, content, options):
    if how < 3:
        encoded = content if b"\0" in content else memoryview(content)  # bytes without a zero are a path
        y, sr = metalmom.load((path, encoded, io.BytesIO(content))[how], **options)
        expect(
            y.dtype == options["dtype"] and y.ndim == (1 if options["mono"] else y.ndim),
            f"{y.dtype} {y.shape}",
        )
        expect(sr > 0, f"sr={sr}")
    elif how == 3:
        expect(metalmom.get_duration(path=path) >= 0, "a negative duration")
        expect(metalmom.get_samplerate(path) > 0, "a rate that is not positive")
    else:
        blocks = metalmom.stream(path, block_length=4, frame_length=64, hop_length=64)
        for block in itertools.islice(blocks, 1000):
            expect(0 < block.shape[-1] <= 256, f"a block of shape {block.shape}")
