"""Processes that a process starts, in each way that Python has, before and after it has used everything.

A child gives the bits that its parent gives, whatever the parent had open: streams half way, queued calls, a
device, worker threads, a recording, a flight recorder.
"""

import json
import os
import subprocess
import sys

import metalmom
import pytest

PROGRAM = '''
import contextlib, hashlib, json, multiprocessing, os, sys, threading, time, warnings
import numpy as np
import metalmom
from metalmom import feature, streaming, trace

warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
Y = np.random.default_rng(0).uniform(-1, 1, 22050).astype(np.float32)
FX = metalmom.Extractor(["mfcc", "rms", "onset_strength"])

def streamed(stream):
    return [stream.process(Y[:9000]), stream.process(Y[9000:]), stream.flush()]

def on_device():
    with metalmom.config_context(backend="gpu"):
        return [metalmom.stft(Y), feature.rms(y=metalmom.to_device(Y)).numpy()]

def convolved():
    convolver, parts = streaming.Convolver(Y[:9000], block_size=64, workers=1), []
    for begin in range(0, 9000, 64):
        convolver._native.settle()  # the worker is in time, so that the bits are those without one
        parts.append(convolver.process(Y[begin : begin + 64]))
    return parts

def recorded():
    with trace.record() as t:
        values = [feature.mfcc(y=Y)]
    assert "mfcc" in [span.name for span in t.spans]
    return values

USES = {
    "calls": lambda: [feature.mfcc(y=Y), metalmom.effects.hpss(Y), metalmom.stft(Y, n_fft=600), metalmom.beat.beat_track(y=Y)[1]],
    "map": lambda: [each[name] for each in FX.map([Y, Y[:9000]] * 3) for name in each],
    "submit": lambda: [each.result(60) for each in [metalmom.submit(feature.rms, y=Y[k:]) for k in range(8)]],
    "stream": lambda: streamed(streaming.MelSpectrogram(n_mels=20)),
    "convolver": convolved,
    "recorded": recorded,
}
if metalmom.devices():
    USES["device"] = on_device

def results():
    """Of each use the digest of its bits; threads=3, so that there is a pool also on one core."""
    with metalmom.config_context(threads=3):
        made = {name: use() for name, use in USES.items()}
    return {name: hashlib.sha256(b"".join(np.asarray(each).tobytes() for part in parts
                                          for each in (part if isinstance(part, tuple) else (part,)))).hexdigest()
            for name, parts in made.items()}

def child(path, open_stream=None):
    found = results()
    if open_stream is not None:  # of a fork, which has its parent's objects
        found["open stream"] = hashlib.sha256(open_stream.process(Y).tobytes()).hexdigest()
    with open(path, "w") as file:
        json.dump(found, file)

def waited(process):
    end = time.monotonic() + 100
    while not (ended := os.waitpid(process, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(process, 9)
            return "hangs"
        time.sleep(0.01)
    return os.waitstatus_to_exitcode(ended[1])

def forked(*args):
    process = os.fork()
    if not process:
        status = 1
        try:
            child(*args)
            status = 0
        finally:
            os._exit(status)
    return waited(process)

def from_a_thread(*args):
    answers = []
    thread = threading.Thread(target=lambda: answers.append(forked(*args)))
    thread.start()
    thread.join()
    return answers[0]

def started(way, path, open_stream):
    if way in ("os.fork", "os.fork from a thread"):
        return (forked if way == "os.fork" else from_a_thread)(path, open_stream)
    process = multiprocessing.get_context(way).Process(target=child, args=(path,))
    process.start()
    process.join(100)
    status = process.exitcode
    process.kill()
    return "hangs" if status is None else status

if __name__ == "__main__":
    way, folder = sys.argv[1:]
    found = {}

    def start(when, open_stream=None):
        path = os.path.join(folder, when)
        status = started(way, path, open_stream)
        assert status == 0, (when, status)
        with open(path) as file:
            found[when] = json.load(file)

    start("before")
    found["own"] = results()
    with contextlib.ExitStack() as on:
        on.enter_context(trace.flight(folder))
        on.enter_context(trace.record())
        kept = metalmom.to_device(Y) if "device" in USES else None
        open_stream = streaming.MelSpectrogram(n_mels=20)
        open_stream.process(Y[:5000])
        convolver = streaming.Convolver(Y[:9000], workers=1)
        convolver.process(Y)
        gate = threading.Event()
        queued = [metalmom.submit(gate.wait, 100), *(metalmom.submit(feature.rms, y=Y) for _ in range(8))]
        start("after", open_stream)
        gate.set()
        for each in queued:
            each.result(60)
        found["own after"] = results()
        found["own after"]["open stream"] = hashlib.sha256(open_stream.process(Y).tobytes()).hexdigest()
    print(json.dumps(found))
    if "device" in USES:
        sys.stdout.flush()
        os._exit(0)  # a driver may hang in the end of a process that has forked
'''


@pytest.mark.parametrize("way", ["os.fork", "os.fork from a thread", "fork", "spawn", "forkserver"])
def test_a_child_computes_as_its_parent(way, tmp_path):
    if "fork" in way and not hasattr(os, "fork"):
        pytest.skip("no fork here")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run([sys.executable, tmp_path / "program.py", way, tmp_path], capture_output=True, text=True,
                          timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert ("device" in found["own"]) == bool(metalmom.devices())
    open_stream = found["own after"].pop("open stream")
    assert found["after"].pop("open stream", open_stream) == open_stream
    assert found["before"] == found["own"] == found["after"] == found["own after"]
