"""Memory, writes, syncs, renames, files and threads that the system refuses, at each point of a call.

The answer is a MemoryError, an AudioError, a DeviceError or an OSError, or the result; nothing is lost, and the
next call is right. `failing.cpp` is compiled for that by c++; without it each try ends at once.
"""

import ctypes
import functools
import os
import pathlib
import shutil
import subprocess
import warnings

import audio_files
import metalmom
from metalmom import feature, streaming
from test_extract import content_of, write_songs
from test_extractor import assert_same, song

from .draw import SANITIZED, Lasted, expect

LIMIT = 180.0
MOST_POINTS = 150
KINDS = {"memory": 1, "write": 2, "fsync": 3, "rename": 4, "open": 5, "thread": 6}
SETTINGS = {"features": ["rms"], "format": "npz", "jobs": 1}


def environment(folder):
    """What the process of the tries has in its environment: the library that fails."""
    compiler = shutil.which("c++")
    library = folder / "failing.so"
    if compiler is None or SANITIZED:
        return {}
    source = pathlib.Path(__file__).with_name("failing.cpp")
    subprocess.run(
        [compiler, "-O1", "-std=c++20", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=True
    )
    return {"LD_PRELOAD": str(library)}


@functools.cache
def y():
    return song(0.4, seed=4)


@functools.cache
def wav():
    return audio_files.wave_bytes(audio_files.sines(0.2, 2))


@functools.cache
def songs():
    folder = pathlib.Path("songs")
    folder.mkdir()
    return write_songs(folder, 2, 0.05)


def streamed():
    stream = streaming.MFCC(n_mfcc=5, top_db=None)
    return stream.process(y()[:5000]), stream.flush()


def loaded_from_path():
    path = pathlib.Path("a.wav")
    if not path.exists():
        path.write_bytes(wav())
    return metalmom.load(path, sr=None)[0]


CALLS = {
    "load": lambda: metalmom.load(wav(), sr=22050)[0],
    "load of a path": loaded_from_path,
    "melspectrogram": lambda: feature.melspectrogram(y=y(), n_mels=30),
    "stft": lambda: metalmom.stft(y(), n_fft=600),
    "chroma_cqt": lambda: feature.chroma_cqt(y=y(), n_octaves=2),
    "beat_track": lambda: metalmom.beat.beat_track(y=y()),
    "hpss": lambda: metalmom.effects.hpss(y(), n_fft=512),
    "Extractor": lambda: tuple(metalmom.Extractor(["mfcc", "rms", "zero_crossing_rate"])(y()).values()),
    "map": lambda: tuple(each["rms"] for each in metalmom.Extractor(["rms"]).map([y(), y()[:5000]])),
    "stream": streamed,
    "pyin": lambda: metalmom.pyin(y()[:3000], fmin=100, fmax=1000),
    "submit": lambda: metalmom.submit(feature.rms, y=y()).result(),
}


@functools.cache
def library():
    if "failing.so" not in os.environ.get("LD_PRELOAD", ""):
        raise Lasted
    return ctypes.CDLL(None)


@functools.cache
def expected(name):
    return CALLS[name]()


def failing(kind, number, and_all_after, call):
    """The result of a call while the system refuses something, its error, and how often it was asked."""
    library().failing_arm(KINDS[kind], ctypes.c_long(number), int(and_all_after))
    result = error = None
    try:
        result = call()
    except (MemoryError, OSError, metalmom.AudioError, metalmom.DeviceError) as refused:
        error = refused
    except RuntimeError as refused:
        if kind != "thread" or "start new thread" not in str(refused):  # Python's own
            raise
        error = refused
    finally:
        points = library().failing_disarm()
    return result, error, points


def attempt(draw):
    warnings.simplefilter("ignore")
    library()
    if draw.chance(0.1):
        of_a_run(draw)
        return
    name, kind = draw.one(sorted(CALLS)), draw.one(["memory", "memory", "memory", "thread", "open"])
    cold, sticky = draw.chance(0.5), draw.chance(0.5)
    want = expected(name)

    def call():
        return CALLS[name]()

    def prepare():
        if cold:
            metalmom.release_caches()

    prepare()
    _, _, points = failing(kind, 0, False, call)
    numbers = (
        range(1, points + 1)
        if points <= MOST_POINTS
        else sorted(1 + draw.random.permutation(points)[:MOST_POINTS])
    )
    for number in map(int, numbers):
        draw.say(
            f"{name}{', nothing kept' if cold else ''}: {kind} {number} of {points}"
            f"{' and all after it' if sticky else ''}"
        )
        prepare()
        result, error, _ = failing(kind, number, sticky, call)
        if error is None:
            assert_same(result, want, name)
        assert_same(call(), want, f"{name} after {error!r}")
    draw.count(len(numbers))


def of_a_run(draw):
    """A run of `extract`, and the next one, which ends as if nothing had been."""
    kind = draw.one(["write", "fsync", "rename", "open"])
    whole, out = pathlib.Path("whole"), pathlib.Path("out")
    if not whole.exists():
        metalmom.extract(songs(), whole, **SETTINGS)
    shutil.rmtree(out, ignore_errors=True)
    _, _, points = failing(kind, 0, False, lambda: metalmom.extract(songs(), out, **SETTINGS))
    for number in sorted(1 + draw.random.permutation(points)[:8]):
        draw.say(f"extract: {kind} {number} of {points}")
        shutil.rmtree(out, ignore_errors=True)
        try:
            failing(kind, int(number), draw.chance(0.5), lambda: metalmom.extract(songs(), out, **SETTINGS))
        except metalmom.LibrosaError as error:
            draw.say(f"it says: {error}")
        metalmom.extract(songs(), out, retry_failed=True, **SETTINGS)
        expect(content_of(out) == content_of(whole), "the next run ends with other bytes")
    draw.count(min(points, 8))
