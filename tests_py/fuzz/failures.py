"""Memory, writes, syncs, renames, files and threads that the system refuses, at each point of a call.

The answer is a MemoryError, an AudioError, a DeviceError or an OSError, or the result; nothing is lost, no
memory of the host or of a device stays in use, a file holds what it held or all that is new, and the next
call is right. `failing.cpp` is compiled for that by c++; without it each try ends at once.
"""

import contextlib
import ctypes
import functools
import gc
import io
import json
import os
import pathlib
import shutil
import subprocess
import warnings

import audio_files
import metalmom
import numpy as np
from metalmom import _native, cli, feature, separation, streaming
from metalmom.util.exceptions import MissingPackageError
from test_extract import content_of, write_songs
from test_extractor import assert_same, song

from .draw import SANITIZED, Lasted, expect, in_a_child

LIMIT = 180.0
MOST_POINTS = 150
MOST_POINTS_OF_A_FILE = 8
KINDS = {"memory": 1, "write": 2, "fsync": 3, "rename": 4, "open": 5, "thread": 6}
SETTINGS = {"features": ["rms"], "jobs": 1}


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


def wav_path():
    path = pathlib.Path("a.wav")
    if not path.exists():
        path.write_bytes(wav())
    return path


def with_settings():
    """Settings of the thread and of the process, which end."""
    metalmom.set_config(min_frames={"stft": 7})
    try:
        with metalmom.config_context(min_frames={"stft": 9}, threads=1):
            result = feature.rms(y=y())
    finally:
        metalmom.set_config(min_frames={})
    return result


def traced():
    with metalmom.trace.record(detail=True) as recording:
        result = feature.rms(y=y())
    json.loads(recording.as_json())
    return result


CALLS = {
    "load": lambda: metalmom.load(wav(), sr=22050)[0],
    "load of a path": lambda: metalmom.load(wav_path(), sr=None)[0],
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
    "settings": with_settings,
    "trace": traced,
}

# On a device; of arrays of the host, and of arrays there.
DEVICE_CALLS = {
    "to_device": lambda: metalmom.to_device(y()),
    "stft on a device": lambda: metalmom.stft(y()),
    "melspectrogram on a device": lambda: feature.melspectrogram(y=y()),
    "istft of an array there": lambda: metalmom.istft(metalmom.stft(metalmom.to_device(y()))),
    "mfcc of an array there": lambda: feature.mfcc(y=metalmom.to_device(y())),
    "submit to a device": lambda: metalmom.submit(feature.rms, y=metalmom.to_device(y())).result(),
    "Extractor on a device": lambda: tuple(metalmom.Extractor(["mfcc", "rms"])(y()).values()),
    "map on a device": CALLS["map"],
    "trace of a device": traced,
}


def on_host(result):
    if isinstance(result, tuple):
        return tuple(map(on_host, result))
    return result.numpy() if isinstance(result, metalmom.DeviceArray) else result


def called(name):
    if name in CALLS:
        return CALLS[name]()
    with metalmom.config_context(backend="gpu"):
        return on_host(DEVICE_CALLS[name]())


@functools.cache
def library():
    if "failing.so" not in os.environ.get("LD_PRELOAD", ""):
        raise Lasted
    return ctypes.CDLL(None)


@functools.cache
def expected(name):
    return called(name)


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


def who():
    """The functions of the engine that were refused memory."""
    text = ctypes.create_string_buffer(2000)
    library().failing_where(text, ctypes.c_size_t(len(text)))
    return text.value.decode(errors="replace")


def in_use():
    """Blocks of memory of C++, and bytes on the device, when nothing is kept."""
    gc.collect()
    metalmom.release_caches()
    there = _native.device_memory()["live"] if _native.device_is_open() else 0
    return library().failing_live(), there


def attempt(draw):
    warnings.simplefilter("ignore")
    library()
    if draw.chance(0.15):
        of_a_file(draw, draw.one(sorted(FILES)), draw.one(["write", "fsync", "rename", "open", "thread"]))
        return
    names = sorted(CALLS) if not metalmom.devices() or draw.chance(0.6) else sorted(DEVICE_CALLS)
    # a fork has no device
    kinds = ["memory", "memory", "memory", "open", "thread" if names[0] in CALLS else "open"]
    name, kind = draw.one(names), draw.one(kinds)
    of_a_call(draw, name, kind, draw.chance(0.5), draw.chance(0.5))


def of_a_call(draw, name, kind, cold, sticky):
    """Refuse at each point of a call, on which all fail if `sticky`; nothing is kept where it is `cold`."""
    want, settings = expected(name), metalmom.get_config()

    def call():
        return called(name)

    def prepare():
        if cold:
            metalmom.release_caches()

    def refuse(number):
        prepare()
        result, error, _ = failing(kind, number, sticky, call)
        why = f"{name} after {error!r}: {who()}"
        if error is None:
            assert_same(result, want, why)
        if kind == "memory" and error is not None:
            expect(isinstance(error, MemoryError), f"it is no MemoryError: {why}")
        assert_same(call(), want, why)
        expect(metalmom.get_config() == settings, f"settings that ended hold: {why}")
        return why

    if kind == "thread":
        of_threads(draw, name, refuse, lambda: failing(kind, 0, False, call)[2])
        return
    prepare()
    _, _, points = failing(kind, 0, False, call)
    if kind == "memory" and not points:  # a library without its table of symbols
        raise Lasted
    numbers = (
        range(1, points + 1)
        if points <= MOST_POINTS
        else sorted(1 + draw.random.permutation(points)[:MOST_POINTS])
    )
    used = in_use()
    for number in map(int, numbers):
        draw.say(
            f"{name}{', nothing kept' if cold else ''}: {kind} {number} of {points}"
            f"{' and all after it' if sticky else ''}"
        )
        why = refuse(number)
        if not cold or draw.chance(0.7):  # to find out takes long
            continue
        before, used = used, in_use()
        if any(now > then for now, then in zip(used, before, strict=True)):  # it may be the first of its kind
            for _ in range(2):
                refuse(number)
                before, used = used, in_use()
            leaks = [now - then for now, then in zip(used, before, strict=True)]
            expect(max(leaks) <= 0, f"{leaks[0]} blocks and {leaks[1]} bytes of a device stay in use: {why}")
    draw.count(len(numbers))


def of_threads(draw, name, refuse, count):
    """Refuse threads in forks, which have none of those that the engine has made and keeps."""
    told = pathlib.Path("points")
    fault = in_a_child(lambda: told.write_text(str(count())), LIMIT / 4)
    points = int(told.read_text()) if fault is None else 0
    for number in range(1, points + 1):
        draw.say(f"{name}: thread {number} of {points}")
        fault = fault or in_a_child(lambda number=number: refuse(number), LIMIT / 4)
    expect(fault is None, f"{name} in a fork {fault}")
    draw.count(points)


# --- files -----------------------------------------------------------------------------------------


def write_trace(path):
    with metalmom.trace.record() as recording:
        feature.rms(y=y())
    recording.save(path)


def write_flight(path):
    with metalmom.trace.flight(path, on=None) as recorder:
        feature.rms(y=y())
        recorder.write()


def write_soak(path):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as words:
        cli.main(["soak", "--streams", "1", "--block", "512", "-f", "rms", "--hours", "0.00002",
                  "--progress", "none", "--json", str(path)])  # fmt: skip
    if words.getvalue():
        raise OSError(words.getvalue())


def write_stems(path):
    about = {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["one"], "segment": 0.05}
    separation.separate_file(wav_path(), (lambda segment: segment[np.newaxis], about), path)


def write_table(form):
    return lambda path: metalmom.extract(songs(), path, retry_failed=True, format=form, **SETTINGS)


def write_caches(path):
    path.mkdir(exist_ok=True)
    os.environ["METALMOM_CACHE_DIR"] = str(path)
    _native.device_rates(True)


def is_json(path):
    return path.suffix == ".json" and isinstance(json.loads(path.read_bytes()), dict)


def is_page(path):
    return path.suffix == ".html" and path.read_bytes().rstrip().endswith(b"</html>")


def is_flight(path):
    return all(map(is_json, path.iterdir()))


def are_caches(path):
    files = [each.read_bytes() for each in path.iterdir()]
    return all(len(each) == 24 + int.from_bytes(each[8:16], "little") for each in files)


def is_stems(path):
    return metalmom.load(path / "one.wav", sr=None)[0].size == metalmom.get_duration(path=wav_path()) * 8000


# What writes a file or a folder; what tells that it is whole; and whether a call that was refused leaves only
# whole ones: a run that is continued leaves its parts.
FILES = {
    "trace.json": (write_trace, is_json, True),
    "trace.html": (write_trace, is_page, True),
    "flights": (write_flight, is_flight, True),
    "soak.json": (write_soak, is_json, True),
    **({"caches": (write_caches, are_caches, True)} if metalmom.devices() else {}),
    "stems": (write_stems, is_stems, False),
    "npz": (write_table("npz"), None, False),
    "parquet": (write_table("parquet"), None, False),
}


def of_a_file(draw, name, kind):
    """What writes a file, and the next one, which ends as if nothing had been."""
    write, is_whole, at_once = FILES[name]
    folder = pathlib.Path("files")
    path = folder / name

    def begin():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()

    begin()
    with contextlib.suppress(MissingPackageError):
        write(path)
    if not path.exists():
        raise Lasted
    whole = content_of(path) if is_whole is None else None
    begin()
    _, _, points = failing(kind, 0, False, lambda: write(path))
    numbers = sorted(1 + draw.random.permutation(points)[:MOST_POINTS_OF_A_FILE])
    for number in map(int, numbers):
        draw.say(f"{name}: {kind} {number} of {points}")
        begin()
        if replaces := draw.chance(0.3):
            write(path)
        error = None
        try:
            _, error, _ = failing(kind, number, draw.chance(0.5), lambda: write(path))
        except metalmom.LibrosaError as refused:
            error = refused
        draw.say(f"it says: {error}")
        if at_once:
            left = list(folder.iterdir())
            is_left = left == [path] or (not left and error and not replaces)
            expect(is_left, f"it leaves {left} after {error!r}")
            expect(not left or is_whole(path), f"{path} is not whole after {error!r}")
        write(path)
        if whole is None:
            expect(is_whole(path), f"{path} is not whole in the end")
        else:
            expect(content_of(path) == whole, "the next run ends with other bytes")
    draw.count(len(numbers))
