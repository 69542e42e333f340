"""What is kept between calls is bounded by bytes, by the engine and by Python."""

import subprocess
import sys

import metalmom as mm
import numpy as np
import pytest
from metalmom import _native
from metalmom.util import _kept_results
from processes import run_python

MIB = 1 << 20
BOUND = 64 * MIB  # each of: working memory, the engine's caches, Python's


def test_a_child_that_is_forked_while_another_thread_keeps_a_result_has_its_own_lock():
    code = """
import os, threading
import metalmom as mm
from metalmom.util import _kept_results

held, done = threading.Event(), threading.Event()

def hold():
    with _kept_results._lock:
        held.set()
        done.wait()

threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if not child:
    mm.filters.mel(sr=22050, n_fft=512)
    mm.release_caches()
    os._exit(7)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
done.set()
print(status)
"""
    assert run_python(code) == "7"


@pytest.fixture
def nothing_kept():
    mm.release_caches()
    yield
    mm.release_caches()


def test_many_lengths_keep_no_more_than_the_bounds():
    """Windows, plans and filters of 76 lengths are half a gigabyte. FFTW plans lengths without large factors soonest."""
    code = f"""
import os, pathlib
import numpy as np
import metalmom as mm
from metalmom import _native
from metalmom.util import _kept_results

def resident():
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        return 0  # AddressSanitizer keeps what is freed
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

y = np.ones(420_000, dtype=np.float32)
mm.stft(y[:8192])
before, kept = resident(), []
for n_fft in sorted(2**i * 3**j * 5**k for i in range(1, 18) for j in range(11) for k in range(8)):
    if not 150_000 <= n_fft <= y.size:
        continue
    mm.stft(y, n_fft=n_fft, hop_length=n_fft)
    mm.feature.melspectrogram(y=y, n_fft=n_fft, hop_length=n_fft, n_mels=4)
    assert _native.kept_bytes() <= 2 * {BOUND}
    kept.append(_kept_results.kept_bytes())
assert {BOUND} // 2 < max(kept) <= {BOUND}  # it does count
grown = resident() - before
assert grown < 3 * {BOUND} + {40 * MIB}, grown
assert mm.release_caches() > 0
assert _native.kept_bytes() == _kept_results.kept_bytes() == mm.release_caches() == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=200)


def test_the_heap_goes_back_to_the_system():
    """glibc keeps what was freed, up to twice the largest block that it saw freed."""
    code = f"""
import os, pathlib
import numpy as np
import metalmom as mm

def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

if "libasan" in os.environ.get("LD_PRELOAD", ""):
    raise SystemExit
np.ones(3 << 20)  # what is freed next up to this size stays in the heap
y = np.ones(22050 * 600, dtype=np.float32)
with mm.config_context(backend="cpu", threads=1):
    mm.onset.onset_strength(y=y[:22050])
    mm.release_caches()
    before = resident()
    for _ in range(6):
        mm.onset.onset_strength(y=y)
    mm.release_caches()
grown = resident() - before
assert grown < {4 * MIB}, grown
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)


def test_a_function_keeps_what_it_was_asked_last(nothing_kept):
    made = []

    @_kept_results.kept(2)
    def ones(n):
        made.append(n)
        return np.ones(n)

    first = ones(1)
    assert ones(1) is first
    ones(2)
    ones(3)
    assert made == [1, 2, 3]
    assert ones(1) is not first
    assert _kept_results.kept_bytes() >= 4 * 8


def test_all_is_forgotten_where_more_would_pass_the_bound(nothing_kept):
    made = []

    @_kept_results.kept(100)
    def zeros(mebibytes):
        made.append(mebibytes)
        return (np.zeros(mebibytes * MIB, dtype=np.uint8),)

    for _ in range(2):
        zeros(31)
    zeros(32)
    assert made == [31, 32]
    assert 63 * MIB <= _kept_results.kept_bytes() <= BOUND
    zeros(33)
    assert 33 * MIB <= _kept_results.kept_bytes() < 34 * MIB
    zeros(32)
    assert made == [31, 32, 33, 32]


def test_what_is_larger_than_the_bound_is_not_kept(nothing_kept):
    made = []

    @_kept_results.kept(100)
    def zeros(mebibytes):
        made.append(mebibytes)
        return [np.zeros((2, mebibytes * MIB), dtype=np.uint8)[1]]  # half of what it keeps alive

    zeros(1)
    for _ in range(2):
        assert zeros(40)[0].nbytes == 40 * MIB
    zeros(1)
    assert made == [1, 40, 40]
    assert _kept_results.kept_bytes() < 3 * MIB


def test_banks_of_the_engine_count(nothing_kept):
    @_kept_results.kept(2)
    def bank(n):
        return _native.basis_from_dense(np.ones((n, 1000)))

    bank(100)
    assert _kept_results.kept_bytes() > 100 * 1000 * 8


def test_what_is_dropped_may_call_what_keeps():
    """As a signal handler may in the midst of it: nothing waits for itself."""
    code = """
import metalmom
from metalmom.util import _kept_results

@_kept_results.kept(4)
def number(n):
    return n

class Last:
    def __del__(self):
        number(3)

@_kept_results.kept(1)
def last():
    return Last()

last()
metalmom.release_caches()
print(_kept_results.kept_bytes() > 0)
"""
    assert run_python(code) == "True"
