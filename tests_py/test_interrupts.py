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
    command = [sys.executable, "-c", EXITS, str(n_threads), "20"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["0"] * 20, done.stderr[-2000:]
    assert done.stderr == ""


def noise(seconds):
    return np.random.default_rng(1).standard_normal(int(seconds * 22050)).astype(np.float32)


class Rung(Exception):
    pass


def ring(_signal, _frame):
    raise Rung


def seconds_to_stop(call, after=0.1):
    """How long CALL goes on when a signal comes AFTER so many seconds, whose handler raises."""
    previous = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        start = time.monotonic()
        with pytest.raises(Rung):
            call()
        return time.monotonic() - start - after
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


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
    with mm.threads(threads):
        assert seconds_to_stop(call) < 0.5
        np.testing.assert_array_equal(mm.feature.mfcc(y=y), before)


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
