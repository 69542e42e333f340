"""What is done when memory on the host becomes short, with files as the kernel writes them."""

import threading
import time

import metalmom
import numpy as np
import pytest
from metalmom import _native
from metalmom._engine import pressure


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """Writes a file of the process or of its control group, "a/b"."""
    monkeypatch.setattr(pressure, "_PROC", str(tmp_path / "proc"))
    monkeypatch.setattr(pressure, "_GROUPS", str(tmp_path / "groups"))
    monkeypatch.setattr(pressure, "_INTERVAL", 0.01)

    def write(path, text):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    write("proc/self/cgroup", "12:memory:/of/version/1\n0::/a/b\n")
    write("groups/a/b/memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n")
    write("groups/a/b/memory.current", "1000\n")
    write("groups/a/b/memory.high", "max\n")
    write("groups/a/b/memory.max", "2000\n")
    write("groups/a/b/memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=50.00 avg60=0.00\n")
    return write


def first_call(change=None):
    """What a callback is told after a change."""
    told, called = [], threading.Event()

    def callback(state):
        told.append(state)
        called.set()

    with metalmom.on_memory_pressure(callback):
        metalmom.feature.rms(y=np.zeros(22050, np.float32))  # so that something is kept, which ages
        if change:
            change()
        called.wait(10 if change else 0.2)
    return told[0] if told else None


@pytest.mark.parametrize(("path", "text", "reason"), [
    ("groups/a/b/memory.events", "low 0\nhigh 1\nmax 0\noom 0\noom_kill 0\n", "limit"),
    ("groups/a/b/memory.current", "1900\n", "limit"),
    ("groups/a/b/memory.high", "1050\n", "limit"),
    ("groups/a/b/memory.pressure", "some avg10=10.50 avg60=0.00 avg300=0.00 total=0\n", "stalls"),
])  # fmt: skip
def test_pressure_frees_what_is_kept_and_calls(kernel, path, text, reason):
    told = first_call(lambda: kernel(path, text))
    assert told.reason == reason and told.freed > 0
    assert metalmom.release_caches() == 0
    assert (told.used, told.limit) == ((1900, 2000) if "current" in path else (1000, 1050 if "high" in path else 2000))


def test_a_group_above_counts(kernel):
    kernel("groups/a/memory.current", "980\n")
    kernel("groups/a/memory.max", "1000\n")
    told = first_call(lambda: None)
    assert (told.reason, told.used, told.limit) == ("limit", 980, 1000)


def test_without_a_group_the_machine_counts(kernel):
    kernel("proc/self/cgroup", "4:memory:/a\n")
    kernel("proc/pressure/memory", "some avg10=20.00 avg60=0.00 avg300=0.00 total=0\n")
    told = first_call(lambda: None)
    assert (told.reason, told.used, told.limit) == ("stalls", None, None)


@pytest.mark.parametrize("text", ["", "nonsense", "some avg10=x", "high"])
def test_without_pressure_nobody_is_called(kernel, text):
    assert first_call() is None
    for name in ("memory.events", "memory.pressure", "memory.current"):
        kernel(f"groups/a/b/{name}", text)
    assert first_call() is None


@pytest.mark.parametrize("error", [KeyError, SystemExit])
@pytest.mark.parametrize("told_well", [True, False])
def test_the_error_of_a_callback_is_told_and_the_watch_goes_on(kernel, monkeypatch, error, told_well):
    monkeypatch.setattr(pressure, "_PAUSE", 0.01)
    kernel("groups/a/b/memory.current", "2000\n")
    errors, twice = [], threading.Event()

    def hook(args):
        errors.append(args.exc_type)
        if not told_well:
            raise ValueError("hook")

    monkeypatch.setattr(threading, "excepthook", hook)

    def callback(state):
        if errors:
            twice.set()
        raise error("lost")

    with metalmom.on_memory_pressure(callback):
        assert twice.wait(10)
    assert errors[0] is error


def test_what_cannot_be_called_is_refused():
    with pytest.raises(metalmom.ParameterError, match="callback"):
        metalmom.on_memory_pressure(3)


def test_without_a_callback_what_is_kept_is_freed(kernel):
    metalmom.feature.rms(y=np.zeros(22050, np.float32))
    assert _native.kept_bytes() > 0
    kernel("groups/a/b/memory.current", "2000\n")
    with metalmom.on_memory_pressure():
        until = time.monotonic() + 10
        while _native.kept_bytes() and time.monotonic() < until:
            time.sleep(0.01)
    assert _native.kept_bytes() == 0
