"""A service that is looked into while it runs, and what is kept of it when it ends."""

import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import threading
import time

import metalmom
import numpy as np
import pytest
from metalmom import _native, trace
from metalmom.trace import _flight
from processes import wait_until

SERVICE = """
import os, signal, sys, threading, time
import metalmom, numpy as np

def child():
    metalmom.feature.rms(y=np.zeros(2048, np.float32))

metalmom.feature.rms(y=np.zeros(2048, np.float32))
exec(sys.argv[1])
print("ready", flush=True)
while True:
    time.sleep(10)
"""


@pytest.fixture(autouse=True)
def nothing_flies_afterwards():
    yield
    assert _flight._flying is None
    assert sys.excepthook is sys.__excepthook__


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "flights"


def start(tmp_path, code="pass", **environment):
    """The process of a service that has computed something, and runs `code`."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    env.pop("_METALMOM_TRACE_OWNER", None)
    service = subprocess.Popen([sys.executable, "-c", SERVICE, code], cwd=tmp_path, env=env, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    service.stdout.readline()
    return service


def files(folder):
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def reasons(folder):
    return sorted(trace.load(os.path.join(folder, name)).about["reason"] for name in files(folder))


def await_files(folder, count=1):
    wait_until(lambda: len([name for name in files(folder) if name.endswith(".json")]) >= count, told=lambda: files(folder))


# How a service ends: what it does itself, or the signal that it gets, its status, and what is kept:
# METALMOM_TRACE's file, and the files of a flight recorder. docs/tuning.md has the same table.
ENDS = [
    ("SIGTERM", "pass", -signal.SIGTERM, True, ["SIGTERM"]),
    ("SIGINT", "pass", -signal.SIGINT, True, ["KeyboardInterrupt", "exit"]),
    ("exception", "1 / 0", 1, True, ["ZeroDivisionError", "exit"]),
    ("sys.exit", "sys.exit(3)", 3, True, ["exit"]),
    ("os._exit", "os._exit(4)", 4, False, []),
    ("SIGKILL", "pass", -signal.SIGKILL, False, []),
    ("SIGHUP", "pass", -signal.SIGHUP, False, []),
    ("SIGTERM with a handler", "signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))", 5, True, ["exit"]),
]


@pytest.mark.parametrize(("how", "code", "status", "has_trace", "flown"), ENDS, ids=[each[0] for each in ENDS])
def test_what_is_kept_of_a_service(how, code, status, has_trace, flown, tmp_path, folder):
    service = start(tmp_path, code, METALMOM_TRACE="out.json", METALMOM_FLIGHT=str(folder))
    if how.startswith("SIG"):
        service.send_signal(getattr(signal, how.split()[0]))
    _, said = service.communicate(timeout=60)
    assert service.returncode == status, said
    assert "metalmom:" not in said
    assert reasons(folder) == flown
    written = tmp_path / "out.json"
    assert written.exists() == has_trace
    for path in [*folder.glob("*"), *([written] if has_trace else [])]:
        assert "rms" in [span.name for span in trace.load(path).spans]


def test_what_was_written_before_stays_when_nothing_else_does(tmp_path, folder):
    service = start(tmp_path, METALMOM_FLIGHT=str(folder))
    service.send_signal(signal.SIGUSR2)
    await_files(folder)
    service.kill()
    service.communicate()
    assert reasons(folder) == ["SIGUSR2"]


def test_docs_have_the_table_of_ends():
    page = (pathlib.Path(__file__).parent.parent / "docs" / "tuning.md").read_text()
    for how, *_, has_trace, flown in ENDS:
        names = ", ".join(f"`{name}`" for name in flown if how != "exception") or "nothing"
        names = "the exception's name, `exit`" if how == "exception" else names
        row = f"| {'yes' if has_trace else 'no'} | {names} |"
        assert any(line.endswith(row) and how.split()[0] in line for line in page.splitlines()), row


def test_importing_sets_no_handler():
    code = "import signal, metalmom.trace; print(signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGUSR2))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Handlers.SIG_DFL", "Handlers.SIG_DFL"] or done.stdout.split() == ["0", "0"]


def test_a_child_that_is_forked_flies_itself(tmp_path, folder):
    code = "pid = os.fork(); child()"
    service = start(tmp_path, code, METALMOM_FLIGHT=str(folder))
    service.stdout.readline()  # of the child
    (children,) = [pathlib.Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text().split()]
    os.kill(int(children[0]), signal.SIGUSR2)
    await_files(folder)
    os.kill(int(children[0]), signal.SIGTERM)
    await_files(folder, 2)
    service.send_signal(signal.SIGTERM)
    service.communicate(timeout=60)
    pids = [name.split("-")[2] for name in files(folder)]
    assert sorted(pids) == sorted([children[0], children[0], str(service.pid)])


def test_a_signal_is_answered_while_the_program_computes(folder):
    called = []
    before = signal.signal(signal.SIGUSR1, lambda *_: called.append(1))
    try:
        with trace.flight(folder, on=signal.SIGUSR1):
            metalmom.feature.rms(y=np.zeros(2048, np.float32))
            os.kill(os.getpid(), signal.SIGUSR1)
            await_files(folder)
        assert called == [1]  # the handler that was there
        os.kill(os.getpid(), signal.SIGUSR1)
        assert called == [1, 1] and len(files(folder)) == 1
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert reasons(folder) == ["SIGUSR1"]


def test_a_signal_without_a_name(folder):
    with trace.flight(folder, on=signal.SIGRTMIN + 3):
        for count in (1, 2):
            os.kill(os.getpid(), signal.SIGRTMIN + 3)
            await_files(folder, count)
    assert reasons(folder) == [f"signal {signal.SIGRTMIN + 3}"] * 2


def test_one_recorder_after_the_other(folder):
    for count in (1, 2):
        with trace.flight(folder):
            os.kill(os.getpid(), signal.SIGUSR2)
            await_files(folder, count)
    assert [thread.name for thread in threading.enumerate()].count("flight recorder") == 1


def test_a_file_has_the_last_seconds(folder):
    with trace.flight(folder, on=None, seconds=0.2) as recorder:
        with trace.span("old"):
            pass
        with trace.span("long"):
            time.sleep(0.3)
            with trace.span("new"):
                pass
        found = trace.load(recorder.write())
    assert [span.name for span in found.spans] == ["long", "new"]
    assert found.spans[0].dur >= 300_000 and found.spans[1].depth == 1
    assert found.dropped == 0


def test_dropped_events_are_those_of_the_last_seconds():
    kept, written = (1 << 18) - 1, 280_000
    recording = _native.TraceRecording(False)
    begin = time.monotonic()
    for _ in range(written):
        _native.trace_event("tick", {})
    took = round((time.monotonic() - begin) * 1e9)
    assert recording.snapshot().dropped >= written - kept  # and what others wrote
    # The rate of the events that are there says how many the whole time had: within a factor of two on a busy machine.
    assert (written - kept) / 2 < recording.snapshot(10 * took).dropped <= written
    time.sleep(0.05)
    for _ in range(3):
        _native.trace_event("tock", {})
    last = recording.snapshot(40_000_000)
    assert last.dropped == 0 and [event[1] for event in last.events() if event[0] == "i"] == ["tock"] * 3
    newest = recording.snapshot(0, 2)
    assert newest.event_count == 2 and newest.duration_ns < last.duration_ns
    recording.close()


def test_late_blocks_of_a_stream_write_one_file_in_the_time_that_it_covers(folder, monkeypatch):
    """And wake the thread that writes it once: hundreds a second would take time from the stream."""
    heard = []
    whole = _flight.Flight._heard
    monkeypatch.setattr(_flight.Flight, "_heard", lambda self, numbers: (heard.append(numbers), whole(self, numbers)))
    stream = metalmom.streaming.RMS()
    stream.rate = 1e12  # at which every block is late
    stream.process(np.zeros(4096, np.float32))  # nobody flies
    with trace.flight(folder, on=None, seconds=60):
        for _ in range(3):
            stream.process(np.zeros(4096, np.float32))
        await_files(folder)
        stream.process(np.zeros(4096, np.float32))
        time.sleep(0.1)
    assert heard == [{_native.late_block}]
    (name,) = files(folder)
    found = trace.load(folder / name)
    assert found.about["reason"] == "late"
    assert any(span.args.get("late") for span in found.spans)
    assert any("of streams w" in sentence for sentence in found.summary().diagnosis)


def test_late_blocks_are_told_of_again_when_that_time_is_over_and_never_without_a_recorder(folder):
    stream = metalmom.streaming.RMS()
    stream.rate = 1e12
    with trace.flight(folder, on=None, seconds=0.05):
        stream.process(np.zeros(4096, np.float32))
        await_files(folder)
        time.sleep(0.06)
        stream.process(np.zeros(4096, np.float32))
        await_files(folder, 2)
    with trace.record():
        stream.process(np.zeros(4096, np.float32))
    time.sleep(0.1)
    assert len(files(folder)) == 2


def test_an_exception_of_a_thread_is_written_and_told(folder, monkeypatch):
    told = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    with trace.flight(folder, on=None):
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
    assert [args.exc_type for args in told] == [ZeroDivisionError]
    assert reasons(folder) == ["ZeroDivisionError"]


def test_the_oldest_files_go(folder):
    folder.mkdir(mode=0o700)
    (folder / "flight-mine.txt").write_text("stays")
    (folder / "flight-20000101T000000-1-1-old.json").write_text("goes")
    (folder / "flight-20000101T000000-1-2-old.json").symlink_to(folder / "flight-mine.txt")
    with trace.flight(folder, on=None, files=2) as recorder:
        written = [os.path.basename(recorder.write(f"no {number}")) for number in range(3)]
    assert files(folder) == sorted([*written[1:], "flight-20000101T000000-1-2-old.json", "flight-mine.txt"])
    assert written[0].endswith("-no_0.json")
    assert all(stat.S_IMODE(os.stat(folder / name).st_mode) == 0o600 for name in written[1:])


def test_a_file_that_would_be_too_large_goes_back_less_far(folder):
    with trace.flight(folder, on=None, size="64K") as recorder:
        for number in range(3000):
            with trace.span("span", number=number):
                pass
        path = recorder.write()
    assert os.path.getsize(path) <= 1 << 16
    numbers = [span.args["number"] for span in trace.load(path).spans]
    assert numbers and numbers == list(range(numbers[0], 3000))


def test_folders_of_others_are_left_alone(tmp_path):
    open_to_all = tmp_path / "all"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    with pytest.raises(metalmom.ParameterError, match="nobody else may write"):
        trace.flight(open_to_all)
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(OSError, match="link"):
        trace.flight(tmp_path / "link")
    with pytest.raises(OSError, match="nowhere"):
        trace.flight(tmp_path / "nowhere" / "inside")
    with trace.flight(tmp_path / "own", on=None) as recorder:
        (tmp_path / "own").chmod(0o777)
        with pytest.raises(metalmom.ParameterError):
            recorder.write()
    assert files(tmp_path / "own") == []


@pytest.mark.parametrize("arguments", [
    {"on": 9}, {"on": True}, {"on": 1.0}, {"on": -1}, {"on": 2**70}, {"on": signal.SIGSEGV}, {"on": 0}, {"on": 10**6}, {"seconds": 0}, {"seconds": np.nan}, {"seconds": np.inf},
    {"files": 0}, {"size": 100}, {"size": "much"},
], ids=str)  # fmt: skip
def test_wrong_arguments_are_refused(arguments, folder):
    with pytest.raises(metalmom.ParameterError, match=next(iter(arguments))):
        trace.flight(folder, **arguments)
    assert not folder.exists()


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_path_that_no_folder_has_is_refused(path):
    with pytest.raises(metalmom.ParameterError, match="path"):
        trace.flight(path)


def test_words_of_files(folder):
    with trace.flight(folder, on=None) as recorder:
        with pytest.raises(metalmom.ParameterError, match="reason"):
            recorder.write(5)
        assert recorder.write("a" * 300).endswith("-" + "a" * 64 + ".json")


def test_nothing_flies_if_the_start_fails(folder, monkeypatch):
    def fails():
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_flight, "_listen_to_pipe", fails)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(RuntimeError, match="thread"):
        trace.flight(folder)
    assert signal.getsignal(signal.SIGTERM) == before and not _native.trace_stamp()


def test_one_flies_at_a_time(folder):
    recorder = trace.flight(folder, on=None)
    with pytest.raises(RuntimeError, match="flights"):
        trace.flight(folder)
    recorder.stop()
    recorder.stop()
    with pytest.raises(RuntimeError, match="stopped"):
        recorder.write()
    assert not metalmom._native.trace_stamp()


def test_an_unusable_folder_of_the_environment_is_one_sentence(tmp_path):
    done = subprocess.run([sys.executable, "-c", "import metalmom"], cwd=tmp_path, text=True, capture_output=True,
                          env={**os.environ, "METALMOM_FLIGHT": "no/such/folder"}, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (0, 1)
    assert done.stderr.startswith("metalmom: there is no flight recorder: ")


def test_files_are_those_of_perfetto(folder):
    with trace.flight(folder, on=None) as recorder:
        metalmom.feature.rms(y=np.zeros(2048, np.float32))
        written = json.loads(pathlib.Path(recorder.write()).read_text())
    assert written["displayTimeUnit"] == "ns" and written["otherData"]["reason"] == "asked"
