"""Calls that do not wait: in order for each thread, bounded, cancelled, and gone at exit."""

import _thread
import asyncio
import concurrent.futures
import os
import pathlib
import queue
import subprocess
import sys
import threading
import time

import metalmom
import numpy as np
import pytest
from cuts import cut_everywhere
from devices import on_device
from metalmom import _native
from metalmom.util.exceptions import ParameterError, PendingError
from processes import run_python


@pytest.fixture
def y():
    return np.random.default_rng(0).standard_normal(30000).astype(np.float32)


def test_results_are_the_plain_calls(y):
    futures = [
        metalmom.submit(metalmom.stft, y, n_fft=1024),
        metalmom.submit(metalmom.feature.mfcc, y=y, sr=22050),
        metalmom.submit(metalmom.feature.tempo, y=y),
    ]
    np.testing.assert_array_equal(futures[0].result(), metalmom.stft(y, n_fft=1024))
    np.testing.assert_array_equal(futures[1].result(), metalmom.feature.mfcc(y=y, sr=22050))
    np.testing.assert_array_equal(futures[2].result(), metalmom.feature.tempo(y=y))


def test_each_thread_has_its_order():
    seen = {name: [] for name in "ab"}
    together = threading.Barrier(2, timeout=20)

    def work(name):
        # Both threads' calls meet: so they run beside each other.
        futures = [metalmom.submit(together.wait)]
        futures += [metalmom.submit(seen[name].append, i) for i in range(50)]
        for future in futures:
            future.result()

    threads = [threading.Thread(target=work, args=name) for name in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {name: list(range(50)) for name in "ab"}


def test_errors_come_out_of_result():
    future = metalmom.submit(metalmom.stft, np.zeros(100), n_fft=0)
    with pytest.raises(ParameterError, match="n_fft=0"):
        future.result()
    with pytest.raises(ParameterError, match="must be callable"):
        metalmom.submit(3)


def test_warnings_name_the_line_that_submitted():
    def mine():
        return metalmom.power_to_db(np.ones(3, complex))

    with pytest.warns(UserWarning) as told:
        future = metalmom.submit(metalmom.power_to_db, np.ones(3, complex))
        line = sys._getframe().f_lineno - 1
        future.result()
        metalmom.submit(mine).result()
    # A function of the caller's own has its own line, in any thread.
    assert [each.filename for each in told] == [__file__] * 2
    assert [each.lineno for each in told] == [line, mine.__code__.co_firstlineno + 1]


def test_cancelled_before_it_starts():
    gate = threading.Event()
    first = metalmom.submit(gate.wait, 20)
    second = metalmom.submit(pytest.fail, "cancelled, and yet it ran")
    assert second.cancel() and second.cancelled()
    gate.set()
    assert first.result() is True
    assert metalmom.submit(int, 5).result() == 5


def test_settings_of_the_submitting_thread_hold():
    with metalmom.config_context(threads=1, backend="cpu"):
        inside = metalmom.submit(metalmom.get_config)
    assert (inside.result()["threads"], inside.result()["backend"]) == (1, "cpu")


def test_all_scopes_of_the_submitting_thread_hold():
    """Each says something else: the innermost one of a kind is not all that holds."""
    before = metalmom.get_config()
    gate = threading.Event()
    memory, device_memory = (metalmom.config_context(memory=5), metalmom.config_context(device_memory="7M"))
    with memory, metalmom.config_context(threads=3, min_frames={"stft": 7}), device_memory:
        with metalmom.config_context(threads=1, pending=9):
            metalmom.submit(gate.wait, 20)  # what comes behind it is made when nothing holds here
            inside = metalmom.submit(metalmom.get_config)
            # the settings hold in the thread that works, too, and so for what it submits
            within = metalmom.submit(lambda: metalmom.submit(metalmom.get_config)).result
    gate.set()
    held = {"memory": 5, "device_memory": 7 << 20, "pending": 9, "threads": 1, "min_frames": {"stft": 7}}
    assert inside.result() == {**before, **held}
    assert within().result() == {**before, **held}
    assert metalmom.submit(metalmom.get_config).result() == metalmom.get_config() == before


@on_device
def test_frames_from_which_the_gpu_computes_hold_in_a_submitted_call(y):
    def reason():
        with metalmom.trace.record() as trace:
            metalmom.stft(y)
        (span,) = (span for span in trace.spans if span.name == "stft" and "reason" in span.args)
        return span.args["reason"]

    with metalmom.config_context(backend="auto", min_frames={"stft": 10**9}, threads=1):
        here, there = reason(), metalmom.submit(reason).result()
    assert here == there != reason()


@pytest.mark.parametrize("wait", ["no", 0, None])
def test_wait_is_a_bool(wait):
    with pytest.raises(metalmom.ParameterError, match=f"^wait={wait!r} must be a bool"):
        metalmom.submit(int, wait=wait)


def test_a_full_queue_waits():
    gate = threading.Event()
    metalmom.set_config(pending=3)
    try:
        futures = [metalmom.submit(gate.wait, 20) for _ in range(3)]
        waiting = threading.Thread(target=lambda: futures.append(metalmom.submit(int)))
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive() and len(futures) == 3
        gate.set()
        waiting.join(20)
        assert [future.result() for future in futures] == [True] * 3 + [0]
    finally:
        gate.set()
        metalmom.set_config(pending=64)
    with metalmom.config_context(pending=2):
        assert metalmom.get_config()["pending"] == 2
    assert metalmom.get_config()["pending"] == 64
    with pytest.raises(ParameterError, match="pending=0 must be"):
        metalmom.set_config(pending=0)


def test_a_full_queue_refuses_who_does_not_wait():
    go = threading.Event()
    with metalmom.config_context(pending=2):
        futures = [metalmom.submit(go.wait, wait=False), metalmom.submit(int, "7", wait=False)]
        with pytest.raises(PendingError, match="^pending=2 calls wait or run already") as caught:
            metalmom.submit(int, wait=False)
        assert isinstance(caught.value, queue.Full) and isinstance(caught.value, metalmom.LibrosaError)
        go.set()
        assert futures[1].result() == 7
        deadline = time.monotonic() + 20
        while True:  # the place is free a moment after the result is there
            try:
                assert metalmom.submit(int, "8", wait=False).result() == 8
                break
            except queue.Full:
                assert time.monotonic() < deadline


def test_a_call_that_is_cancelled_gives_its_place_back():
    gate = threading.Event()
    begun = metalmom.submit(gate.wait, 20)
    with metalmom.config_context(pending=3):
        for _ in range(10):
            assert metalmom.submit(int).cancel()
    gate.set()
    assert begun.result()


def test_a_call_may_submit_another():
    def outer():
        return metalmom.submit(int, 7).result()

    with metalmom.config_context(pending=1):
        assert metalmom.submit(outer).result(timeout=20) == 7


def test_in_a_coroutine(y):
    async def both():
        return await asyncio.gather(
            *(asyncio.wrap_future(metalmom.submit(metalmom.feature.rms, y=y)) for _ in range(2))
        )

    one, other = asyncio.run(both())
    np.testing.assert_array_equal(one, metalmom.feature.rms(y=y))
    np.testing.assert_array_equal(one, other)


def test_arguments_are_let_go():
    import weakref

    class Held:
        pass

    held = Held()
    alive = weakref.ref(held)
    metalmom.submit(id, held).result()
    del held
    metalmom.submit(int).result()
    for _ in range(100):
        if alive() is None:
            break
        time.sleep(0.01)
    assert alive() is None


def test_exit_with_work_pending():
    code = (
        "import metalmom, numpy as np\n"
        "y = np.zeros(100000, dtype=np.float32)\n"
        "for _ in range(20): metalmom.submit(metalmom.feature.mfcc, y=y)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_exit_with_an_error_that_is_kept():
    """Its traceback holds the frames of the worker's thread."""
    code = (
        "import metalmom, numpy as np\n"
        "error = metalmom.submit(metalmom.stft, np.zeros(100), n_fft=0).exception()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_where_no_thread_can_be_made_the_call_is_made_here(y, monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    def submit_two():
        with monkeypatch.context() as patch:
            patch.setattr(_thread, "start_new_thread", refuse)
            sent.append(metalmom.submit(metalmom.stft, y))
            sent.append(metalmom.submit(metalmom.stft, y, n_fft=0))
        sent.append(metalmom.submit(threading.current_thread))

    sent = []
    thread = threading.Thread(target=submit_two)  # a thread that has submitted nothing yet
    thread.start()
    thread.join()
    np.testing.assert_array_equal(sent[0].result(), metalmom.stft(y))
    with pytest.raises(ParameterError, match="^n_fft=0"):
        sent[1].result()
    assert sent[2].result() is not thread


def test_an_argument_may_be_called_function():
    assert metalmom.submit(dict, function=3).result() == {"function": 3}


def ended(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def test_after_the_main_thread_no_more_calls_are_taken():
    code = (
        "import metalmom, threading, time\n"
        "def late():\n"
        "    threading.main_thread().join(); time.sleep(0.1)\n"
        "    try: metalmom.submit(int)\n"
        "    except RuntimeError as error: print(error)\n"
        "def again():\n"
        "    while threading.main_thread().is_alive() and time.time() < end:\n"
        "        time.sleep(0.01)\n"
        "        try: metalmom.submit(int)\n"
        "        except RuntimeError as error: print(error); return\n"
        "end = time.time() + 20\n"
        "threading.Thread(target=late).start(); metalmom.submit(again)\n"
    )
    done = ended(code)
    said = "submit() takes no more calls: the program's main thread has ended"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [said, said]


def test_a_thread_that_outlives_the_main_one_may_be_the_first_to_call():
    code = (
        "import metalmom, threading\n"
        "def late():\n"
        "    threading.main_thread().join()\n"
        "    print(metalmom.tone(440.0, length=8).shape)\n"
        "threading.Thread(target=late).start()\n"
    )
    done = ended(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "(8,)\n", "")


def test_a_program_that_control_c_ends_cancels_what_has_not_begun():
    code = (
        "import metalmom, signal, threading, time\n"
        "begun = threading.Event()\n"
        "def call(i): print(i, flush=True); begun.set(); time.sleep(0.3)\n"
        "futures = [metalmom.submit(call, i) for i in range(20)]\n"
        "begun.wait(); signal.raise_signal(signal.SIGINT)\n"
    )
    done = ended(code)
    assert done.returncode != 0 and "KeyboardInterrupt" in done.stderr
    assert len(done.stdout.split()) <= 3


def test_an_exception_anywhere_takes_no_place():
    sent = []
    for places in cut_everywhere(lambda: sent.append(metalmom.submit(int, len(sent))), "metalmom"):
        assert len(sent) < 2, places
    assert places > 50
    with metalmom.config_context(pending=1):
        assert [metalmom.submit(int, n).result(20) for n in range(3)] == [0, 1, 2]


# Signals without end, in a loop that submits, waits and cancels.
TIGHT = """
import metalmom
from cuts import cut_by_signals

sent, taken, cancelled = [], [], 0

def submit_and_wait():
    global cancelled
    number = len(sent)
    sent.append(None)  # first: the call may be handed over, and its future lost
    future = sent[number] = metalmom.submit(taken.append, number)
    if number % 3 == 0:
        future.result()
    elif number % 5 == 0:
        cancelled += future.cancel()
    elif number % 7 == 0:
        future.result(timeout=20)

with metalmom.config_context(pending=8):
    cut_by_signals(submit_and_wait, 1000)
known = [number for number, future in enumerate(sent) if future is not None and not future.cancelled()]
assert all(sent[number].result(20) is None for number in known)
metalmom.submit(int).result(20)  # behind all others
assert taken == sorted(set(taken)) and set(known) <= set(taken)
with metalmom.config_context(pending=1):
    assert [metalmom.submit(int, n).result(20) for n in range(50)] == list(range(50))
print(len(taken) > 0 and not metalmom._native.waiting_calls())
"""


def test_signals_in_a_loop_of_submissions_lose_nothing():
    tests = str(pathlib.Path(__file__).parent)
    path = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
    assert run_python(TIGHT, PYTHONPATH=path) == "True"


def test_a_handler_may_submit_while_a_submission_waits():
    code = """
import metalmom, signal, threading
gate, inner = threading.Event(), []

def ring(*_):
    metalmom.set_config(pending=9)
    inner.append(metalmom.submit(int, 7))
    gate.set()

signal.signal(signal.SIGALRM, ring)
metalmom.set_config(pending=1)
metalmom.submit(gate.wait, 20)
signal.setitimer(signal.ITIMER_REAL, 0.1)
print(metalmom.submit(int, 5).result(), inner[0].result())
"""
    assert run_python(code) == "5 7"


def test_futures_are_those_of_the_standard_library():
    gate = threading.Event()
    futures = [metalmom.submit(gate.wait, 20), metalmom.submit(int, 3)]
    assert concurrent.futures.wait(futures, timeout=0).not_done == set(futures)
    with pytest.raises(concurrent.futures.TimeoutError):
        futures[1].result(timeout=0.01)
    gate.set()
    done = list(concurrent.futures.as_completed(futures, timeout=20))
    assert done == futures
    assert futures[1].result(timeout=-1) == 3


def test_a_fork_of_a_worker_begins_anew():
    """In the child there is no other thread: what waited in the parent is the parent's."""
    code = """
import metalmom, os, threading
gate = threading.Event()

def fork():
    gate.wait(20)
    child = os.fork()
    if child == 0:
        assert not metalmom._native.waiting_calls()
        with metalmom.config_context(pending=1):
            assert [metalmom.submit(int, n).result(20) for n in range(3)] == [0, 1, 2]
        os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

metalmom.set_config(pending=4)
forked = metalmom.submit(fork)
behind = [metalmom.submit(int, n) for n in range(3)]
gate.set()
print(forked.result(), [future.result() for future in behind])
"""
    assert run_python(code) == "7 [0, 1, 2]"


def test_a_lock_of_futures_is_its_threads():
    lock = _native.Condition()
    with lock, lock:
        assert lock.acquire() and not lock.wait(0)
        lock.release()
        taken = []
        thread = threading.Thread(target=lambda: taken.append(lock.acquire(False)))
        thread.start()
        thread.join()
        assert taken == [False]
    for use in (lock.release, lock.wait, lock.notify_all):
        with pytest.raises(RuntimeError, match="a lock that this thread does not hold"):
            use()
