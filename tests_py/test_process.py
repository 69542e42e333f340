"""The library as a guest in a process: imports, disk, the interpreter lock, threads, forks."""

import os
import signal
import subprocess
import sys
import threading
import time

import metalmom as mm
import numpy as np
import pytest
from processes import run_python

USE_EVERYTHING = """
import numpy as np, metalmom as mm
y = np.sin(np.arange(22050) * 0.1).astype(np.float32)
mm.feature.mfcc(y=y); mm.feature.chroma_stft(y=y); mm.beat.beat_track(y=y)
mm.istft(mm.stft(y)); mm.resample(y, orig_sr=22050, target_sr=16000)
"""


def test_import_brings_numpy_and_nothing_else():
    code = """
import sys, numpy
before = set(sys.modules)
import metalmom
new = {name.split(".")[0] for name in set(sys.modules) - before}
print(*sorted(new - set(sys.stdlib_module_names)))
"""
    assert run_python(code).split() == ["metalmom"]


@pytest.mark.parametrize("left", ["sys.argv = []", "sys.argv = [None, b'x', 3]", "del sys.argv"])
def test_a_program_that_has_python_inside_may_leave_no_command_line(left):
    code = f"""
import sys
{left}
import metalmom
with metalmom.trace.record() as t:
    metalmom.tone(440.0, length=100)
print(t.as_json()[:1])
"""
    assert run_python(code) == "b'{'"


def test_the_main_job_needs_no_scipy():
    code = USE_EVERYTHING + "import sys; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = set(run_python(code).split())
    assert not loaded & {"scipy", "matplotlib", "numba", "librosa", "torch", "soxr", "soundfile"}


def test_shapes_of_spectra_do_not_wait_for_an_import():
    """NumPy imports its subpackages when they are first used: milliseconds of somebody's call."""
    code = """
import sys, numpy as np, metalmom as mm
mm.stft, mm.feature  # the package imports all of itself when a name is first asked for
before = set(sys.modules)
y = np.sin(np.arange(22050) * 0.1).astype(np.float32)
mm.feature.spectral_centroid(y=y); mm.feature.spectral_contrast(y=y); mm.beat.beat_track(y=y)
mm.feature.chroma_stft(y=y); mm.effects.hpss(y); mm.feature.tempogram(y=y)
print(*sorted(set(sys.modules) - before))
"""
    assert run_python(code).split() == []


def test_nothing_is_written_to_disk(tmp_path):
    """Neither by Python (an audit hook sees every open) nor by the engine (the folders stay empty)."""
    code = """
import os, sys
def hook(event, args):
    if event == "open" and args[2] and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        print(args[0])
sys.addaudithook(hook)
"""
    folders = {name: str(tmp_path) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    written = run_python(f"import os; os.chdir({str(tmp_path)!r})\n" + code + USE_EVERYTHING, **folders)
    assert written == ""
    assert list(tmp_path.iterdir()) == []


def ticks_during(call):
    """How often another thread ran while CALL held or released the interpreter lock.

    With so long a switch interval the other thread runs only if the lock is released to it.
    """
    ticks, stop, started = [0], threading.Event(), threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            started.set()
            time.sleep(0)

    thread = threading.Thread(target=tick)
    interval = sys.getswitchinterval()
    thread.start()
    started.wait()
    try:
        sys.setswitchinterval(1000)
        before = ticks[0]
        call()
        return ticks[0] - before
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()


def test_the_lock_is_released_while_the_engine_works(rng):
    y = rng.standard_normal((4, 22050 * 60)).astype(np.float32)
    mm.feature.melspectrogram(y=y[:, :4096])
    # The other thread may have asked for the lock before the interval became long.
    assert any(ticks_during(lambda: sum(range(300_000))) == 0 for _ in range(20)), "the measure itself"
    assert any(ticks_during(lambda: mm.feature.melspectrogram(y=y)) > 0 for _ in range(20))


def jobs(y):
    return [
        lambda: mm.stft(y, n_fft=512),
        lambda: mm.stft(y, n_fft=777),
        lambda: mm.feature.melspectrogram(y=y, n_mels=40),
        lambda: mm.feature.mfcc(y=y.astype(np.float64), n_mfcc=13),
        lambda: mm.feature.chroma_stft(y=y),
        lambda: mm.beat.beat_track(y=y)[1],
        lambda: mm.istft(mm.stft(y)),
        lambda: mm.feature.tempogram(y=y, win_length=50),
    ]


def test_many_threads_at_once(music):
    """Different calls from eight threads, the first of each kind included, answer as one by one."""
    calls = jobs(music)
    wrong, barrier = [], threading.Barrier(len(calls))

    def hammer(start):
        barrier.wait()
        for i in range(3 * len(calls)):
            which = (start + i) % len(calls)
            results[start].append((which, calls[which]()))

    results = [[] for _ in calls]
    threads = [threading.Thread(target=hammer, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [call() for call in calls]
    for answers in results:
        assert len(answers) == 3 * len(calls)
        wrong += [which for which, got in answers if not np.array_equal(got, expected[which])]
    assert wrong == []


def in_child(check):
    """Run CHECK in a forked child; its exit status. A child that hangs is ended by an alarm."""
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            os._exit(0 if check() else 1)
        except BaseException:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_computes(rng):
    """After the pool and every cache were used; the parent goes on as well."""
    y = (0.3 * rng.standard_normal((2, 200_000))).astype(np.float32)
    with mm.config_context(threads=3):
        expected = [call() for call in jobs(y[0])] + [mm.feature.melspectrogram(y=y)]

        def check():
            got = [call() for call in jobs(y[0])] + [mm.feature.melspectrogram(y=y)]
            return all(map(np.array_equal, got, expected))

        assert in_child(check) == 0
        assert in_child(lambda: in_child(check) == 0) == 0
        assert check()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_while_another_thread_computes(music):
    """The child must not inherit a lock that a thread of the parent held."""
    stop = threading.Event()

    def work():
        n = 256
        while not stop.is_set():
            n = 256 + (n + 31) % 700  # a new plan each time: the planner's lock is taken
            mm.stft(music, n_fft=n)

    thread = threading.Thread(target=work)
    thread.start()
    expected = mm.feature.mfcc(y=music)
    try:
        for _ in range(10):
            status = in_child(
                lambda: np.array_equal(mm.feature.mfcc(y=music), expected)
                and mm.stft(music, n_fft=701).shape[0] == 351
            )
            assert status == 0
    finally:
        stop.set()
        thread.join()


def test_what_calls_keep_is_bounded_and_given_back():
    code = """
import numpy as np, metalmom
from metalmom import _native
from metalmom.util import _kept_results
y = np.zeros(20_000_000, dtype=np.float32)  # 80 MB
metalmom.feature.zero_crossing_rate(y)
assert _native.kept_bytes() < 2_000_000, _native.kept_bytes()
fx = metalmom.Extractor(["mfcc", "onset_strength", "chroma_stft"])
fx.map([y[: 22050 * 60]] * 8)
kept, arrays = _native.kept_bytes(), _kept_results.kept_bytes()
assert 0 < kept <= 128 << 20, kept  # working memory, and caches
assert metalmom.release_caches() == kept + arrays
assert _native.kept_bytes() == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
