"""Where memory is short, calls say so, and go on when there is some again."""

import subprocess
import sys

import pytest

# A call in a process with ROOM MiB of addresses more than it has, and then with as many as it wants.
TIGHT = """
import pathlib, resource, sys
import numpy as np
import metalmom as mm

y = np.random.default_rng(0).standard_normal(1 << 21).astype(np.float32)
expected = mm.feature.mfcc(y=y[: 1 << 16])
mm.stft  # and with it all modules
call = eval(sys.argv[1])
used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * 4096
limit = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (int(sys.argv[2]) << 20), limit[1]))
try:
    call()
    print("enough")
except MemoryError as error:
    print(str(error) or "no more")  # Python's own says nothing
resource.setrlimit(resource.RLIMIT_AS, limit)
assert np.array_equal(mm.feature.mfcc(y=y[: 1 << 16]), expected)
call()
"""

NO_ROOM = "the system has no memory for what this call works in"


def said(call, room):
    command = [sys.executable, "-c", TIGHT, f"lambda: {call}", str(room)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    if "AddressSanitizer" in done.stderr:
        pytest.skip("AddressSanitizer reserves addresses of its own")
    assert done.returncode == 0, done.stderr[-1500:]
    return done.stdout.strip()


@pytest.mark.parametrize("call", ["mm.demo.song(600)", "mm.stft(y, hop_length=64)"])
def test_no_room_for_a_result_is_told_with_its_size(call):
    assert said(call, 100).startswith("Unable to allocate ")


@pytest.mark.parametrize(
    "call, room",
    [
        ("mm.autocorrelate(y)", 30),
        ("mm.lpc(y, order=2)", 4),
        ("mm.filters.mel(sr=22050, n_fft=1 << 18, n_mels=256)", 30),
    ],
)
def test_no_room_for_what_a_call_works_in_is_told(call, room):
    assert said(call, room) == NO_ROOM


@pytest.mark.parametrize(
    "call",
    [
        "mm.feature.mfcc(y=y)",
        "mm.beat.beat_track(y=y)",
        "mm.effects.hpss(y[: 1 << 18])",
        "mm.pyin(y[: 1 << 17], fmin=65, fmax=2093)",
        "mm.resample(y, orig_sr=22050, target_sr=16000)",
    ],
)
def test_nothing_aborts_where_memory_is_tight(call):
    """Nor do threads that cannot be made, or what is first used by a thread: a MemoryError says so each time."""
    told = [said(call, room) for room in (0, 1, 4, 16)]
    assert told[0] != "enough"
    for each in told:
        assert each in ("enough", "no more", NO_ROOM) or each.startswith("Unable to allocate "), told
