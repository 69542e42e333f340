"""Audio files to load: stereo at 44.1 kHz, made of a signal at 22,050 Hz."""

import functools
import itertools
import pathlib
import subprocess
import tempfile
import wave

import numpy as np


def write_wav(path, channels, sr):
    """A 16-bit WAV file of (channels, samples)."""
    with wave.open(str(path), "wb") as out:
        out.setnchannels(len(channels))
        out.setsampwidth(2)
        out.setframerate(sr)
        out.writeframes(np.round(channels.T * 32000).astype("<i2").tobytes())


def wav(stem, y):
    path = pathlib.Path(f"{stem}.wav")
    left = np.repeat(y, 2)
    write_wav(path, np.stack([left, 0.7 * left + 0.3 * left[::-1]]), 44100)
    return path


def ogg(stem, y):
    """An .ogg where ffmpeg is installed, else a .wav."""
    source = wav(stem, y)
    path = source.with_suffix(".ogg")
    command = ["ffmpeg", "-v", "error", "-y", "-i", str(source), "-q:a", "5", str(path)]
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError):
        return source
    return path


@functools.cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="metalmom-benchmarks-")


_numbers = itertools.count()


def new_stem():
    """A name for another file, in a folder that is gone when the process is."""
    return pathlib.Path(_folder().name) / str(next(_numbers))
