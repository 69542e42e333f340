"""Ways out of a call that lasts: signals, and the end of the interpreter."""

import os
import signal
import subprocess
import sys
import threading
import time

import metalmom as mm
import numpy as np
import pytest
from audio_files import needs_io
from devices import on_device
from processes import run_python

# Children of one process, which has imported everything, each end with daemon threads in calls.
EXITS = """
import io, os, sys, threading, time, wave
import numpy as np, metalmom as mm

y = np.random.default_rng(0).standard_normal(44100).astype(np.float32)
encoded = io.BytesIO()
with wave.open(encoded, "wb") as file:
    file.setparams((1, 2, 22050, 0, "NONE", ""))
    file.writeframes((y * 3000).astype(np.int16).tobytes())
S = np.abs(mm.stft(y))
calls = [
    lambda: mm.stft(y),
    lambda: mm.feature.mfcc(y=y.astype(np.float64)),
    lambda: mm.feature.melspectrogram(y=np.repeat(y, 2)[::2]),
    lambda: mm.load(io.BytesIO(encoded.getvalue()), sr=16000),
    lambda: mm.griffinlim(S, n_iter=2),
    lambda: mm.beat.beat_track(y=y),
    lambda: mm.effects.hpss(y),
    lambda: mm.resample(y, orig_sr=22050, target_sr=16000),
]
n_threads, n_exits = map(int, sys.argv[1:])
started = threading.Semaphore(0)

def call_for_ever(i):
    while True:
        calls[i % len(calls)]()
        started.release()
        i += 1

for child in range(n_exits):
    pid = os.fork()
    if pid == 0:
        for i in range(n_threads):
            threading.Thread(target=call_for_ever, args=(child + i,), daemon=True).start()
        for i in range(n_threads):
            started.acquire()
        time.sleep(0.002 * child)
        sys.exit(0)
    # At once: the next child would print what is left here a second time.
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


@pytest.mark.parametrize("n_threads", [1, 8])
def test_daemon_threads_in_calls_bear_the_end_of_the_interpreter(n_threads):
    # that this process has threads when it forks is what Python 3.12 warns of
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", EXITS, str(n_threads), "20"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["0"] * 20, done.stderr[-2000:]
    assert done.stderr == ""


def noise(seconds):
    return np.random.default_rng(1).standard_normal(int(seconds * 22050)).astype(np.float32)


class Rung(Exception):
    pass


def ring(_signal, _frame):
    raise Rung


ALARMS = {
    time.monotonic: (signal.ITIMER_REAL, signal.SIGALRM),
    time.process_time: (signal.ITIMER_PROF, signal.SIGPROF),
}


def seconds_to_stop(call, after=0.1, clock=time.monotonic):
    """How long CALL goes on when a signal comes AFTER so many seconds, whose handler raises."""
    timer, number = ALARMS[clock]
    previous = signal.signal(number, ring)
    try:
        signal.setitimer(timer, after)
        start = clock()
        with pytest.raises(Rung):
            call()
        return clock() - start - after
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, previous)


def long_call(name):
    """A call that lasts for many seconds where nothing stops it; its input is made before."""
    if name == "griffinlim":
        S = np.abs(mm.stft(noise(5)))
        return lambda: mm.griffinlim(S, n_iter=100_000)
    if name == "melspectrogram":
        y = noise(300)
        return lambda: mm.feature.melspectrogram(y=y, hop_length=4, n_mels=8)
    y = noise(1200)
    if name == "hpss":
        return lambda: mm.effects.hpss(y)
    return lambda: mm.resample(y, orig_sr=22050, target_sr=96000.5, res_type="soxr_vhq")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["griffinlim", "melspectrogram", "hpss", "resample"])
def test_a_signal_ends_a_call(name, threads):
    """Within a tenth of a second; a machine with other work gets some more."""
    y, call = noise(2), long_call(name)
    before = mm.feature.mfcc(y=y)
    with mm.config_context(threads=threads):
        assert seconds_to_stop(call) < 0.5
        np.testing.assert_array_equal(mm.feature.mfcc(y=y), before)


@on_device
def test_a_signal_ends_a_call_that_is_recorded_for_a_device():
    S = np.abs(mm.stft(noise(0.5)))
    with mm.config_context(backend="gpu"):
        before = mm.griffinlim(S, n_iter=2, rng=0)
        assert seconds_to_stop(lambda: mm.griffinlim(S, n_iter=2**31 - 1)) < 1
        np.testing.assert_array_equal(mm.griffinlim(S, n_iter=2, rng=0), before)


# Calls of a size, of one thread: at the small size quick, at the large one of seconds between whose
# beginning and end nothing but looking for signals helps.
def matrix(*shape):
    return np.random.default_rng(3).random(shape)


def agglomerated(n):
    X = matrix(12, n)
    return lambda: mm.segment.agglomerative(X, 4)


def backtracked(n):
    X = matrix(20, n)
    return lambda: mm.sequence.dtw(X, X[::-1])[1]


def chirped(n):
    return lambda: mm.chirp(fmin=30.0, fmax=8000.0, length=n)


def chroma_filters(n):
    return lambda: mm.filters.chroma(sr=22050, n_fft=n, n_chroma=120)


def decoded(n):
    prob, transition = matrix(800, n), matrix(800, 800)
    prob /= prob.sum(axis=0)
    transition /= transition.sum(axis=1, keepdims=True)
    return lambda: mm.sequence.viterbi(prob, transition)


def enhanced(n):
    R = matrix(n, n).astype(np.float32)
    return lambda: mm.segment.path_enhance(R, n=51)


def extracted(n):
    extractor = mm.Extractor(["mfcc", "spectral_contrast", "tempogram"])
    y = noise(n)
    return lambda: extractor(y)["tempogram"]


def extracted_side_by_side(n):
    extractor = mm.Extractor(["mfcc", "spectral_contrast", "tempogram"])
    clips = [noise(1)] * n
    return lambda: [values["tempogram"] for values in extractor.map(clips)][-1]


def filtered_by_neighbors(n):
    S = matrix(1025, n)
    return lambda: mm.decompose.nn_filter(S, aggregate=np.median, k=40)


def picked(n):
    x = matrix(n)
    rule = {"pre_max": 300, "post_max": 300, "pre_avg": 30, "post_avg": 30, "delta": 0, "wait": 0}
    return lambda: mm.util.peak_pick(x, **rule)


def predicted(n):
    y = noise(n)
    return lambda: mm.lpc(y, order=1000)


def slow_beats(n):
    envelope = matrix(n)
    return lambda: mm.beat.beat_track(onset_envelope=envelope, bpm=1.0, sr=22050)[1]


def sung(seconds):
    return lambda: mm.demo.song(seconds)[0]


def summed_windows(n):
    return lambda: mm.filters.window_sumsquare(window="hann", n_frames=n, hop_length=1)


def tuned(n):
    frequencies = 1000 * matrix(n) + 1
    return lambda: mm.pitch_tuning(frequencies)


def windowed(n):
    return lambda: mm.filters.get_window(("kaiser", 8.0), n)


LASTING = {
    agglomerated: (300, 800_000),
    backtracked: (50, 8000),
    chirped: (1000, 200_000_000),
    chroma_filters: (512, 1 << 19),
    decoded: (5, 8000),
    enhanced: (100, 4000),
    extracted: (4, 1800),
    extracted_side_by_side: (4, 2000),
    filtered_by_neighbors: (100, 3000),
    picked: (1000, 5_000_000),
    predicted: (1, 300),
    slow_beats: (500, 400_000),
    summed_windows: (100, 10_000_000),
    sung: (0.1, 3000),
    tuned: (100, 50_000_000),
    windowed: (100, 100_000_000),
}


@pytest.mark.parametrize("make", LASTING, ids=lambda make: make.__name__)
def test_every_call_that_lasts_sees_signals_and_leaves_all_as_it_was(make):
    """Within 0.3 s of processor time, whatever else the machine does."""
    small, large = LASTING[make]
    quick, long = make(small), make(large)
    with mm.config_context(threads=1):
        before = quick()
        assert seconds_to_stop(long, clock=time.process_time) < 0.3
        np.testing.assert_array_equal(quick(), before)


@needs_io
@pytest.mark.parametrize("by_name", [False, True])
def test_a_signal_ends_the_reading_of_a_pipe_that_gives_nothing(by_name, tmp_path):
    """Nothing else ends it: that it ends is the proof."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with open(os.open(fifo, os.O_RDWR), "wb"):
        seconds_to_stop(lambda: mm.load(fifo if by_name else os.open(fifo, os.O_RDONLY)))


@needs_io
def test_a_signal_ends_an_ffmpeg_that_gives_nothing(tmp_path, monkeypatch):
    """It would go on for longer than any test may."""
    fake, song = tmp_path / "ffmpeg", tmp_path / "song.m4a"
    fake.write_text(f"#!/bin/sh\necho $$ >>{tmp_path}/started\nexec sleep 1000\n")
    fake.chmod(0o755)
    song.write_bytes(b"\0\0\0\x14ftypM4A " + bytes(100))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    seconds_to_stop(lambda: mm.load(song))
    started = (tmp_path / "started").read_text().split()
    assert started and not any(os.path.exists(f"/proc/{pid}") for pid in started)


def test_a_signal_ends_a_call_of_a_child_that_a_thread_has_forked():
    """There the thread that forked is the main one, which Python runs handlers on."""
    code = """
import os, resource, signal, threading
import numpy as np, metalmom as mm

S = np.abs(mm.stft(np.random.default_rng(1).standard_normal(110250).astype(np.float32)))

def ring(*_):
    raise KeyError

def fork():
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))  # its end where no signal is
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        try:
            mm.griffinlim(S, n_iter=1_000_000)
        except KeyError:
            os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

thread = threading.Thread(target=fork)
thread.start()
thread.join()
"""
    assert run_python(code) == "7"


def test_a_handler_that_returns_ends_nothing():
    S = np.abs(mm.stft(noise(2)))
    expected = mm.griffinlim(S, n_iter=100, rng=0)
    seen = []
    previous = signal.signal(signal.SIGALRM, lambda *_: seen.append(mm.feature.rms(y=noise(1)).size))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.05)
        while not seen:
            result = mm.griffinlim(S, n_iter=100, rng=0)
            np.testing.assert_array_equal(result, expected)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
