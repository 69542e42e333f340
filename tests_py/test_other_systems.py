"""What only Linux has is needed where it is used alone; interpreters that cannot be served are refused with a sentence."""

import re
import shutil
import subprocess
import sys

import pytest

# A process that lacks what Windows lacks, and macOS in parts.
ELSEWHERE = """
import os, signal, socket, sys
for name in ("fcntl", "resource", "termios", "pwd", "grp"):
    sys.modules[name] = None  # importing it fails
for module, names in {
    os: "fork register_at_fork sched_getaffinity memfd_create killpg setsid getuid O_NOFOLLOW O_DIRECTORY "
        "O_NONBLOCK O_NOCTTY O_CLOEXEC",
    signal: "SIGKILL SIGALRM SIGCHLD setitimer pthread_sigmask pthread_kill",
    socket: "AF_UNIX socketpair send_fds recv_fds SOCK_SEQPACKET",
}.items():
    for name in names.split():
        vars(module).pop(name, None)
"""

COMPUTE = """
import metalmom, numpy as np
assert "extract" in metalmom.__all__  # all modules are imported
y = metalmom.tone(440.0, sr=22050, duration=1.0).astype("float32")
mel = metalmom.feature.melspectrogram(y=y)
assert mel.shape == (128, 44) and 0 < mel.max() < np.inf
assert abs(float(metalmom.yin(y, fmin=200, fmax=900)[20]) - 440) < 1
values = metalmom.Extractor(["mfcc", "rms"])(y)
assert values["mfcc"].shape == (20, 44)
stream = metalmom.streaming.RMS()
assert np.array_equal(np.hstack([stream.process(y), stream.flush()]), values["rms"])
import metalmom.cli
assert metalmom.cli.main(["extract", "--describe", "mfcc"]) == 0
"""


def test_without_what_windows_lacks_all_modules_import_and_the_core_computes():
    done = subprocess.run([sys.executable, "-c", ELSEWHERE + COMPUTE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# Headers that neither C++ nor Windows has.
OF_THE_SYSTEM = re.compile(
    r"#include <(cxxabi|sys/\w+|linux/\w+|dlfcn|fcntl|malloc|poll|pthread|sched|signal|spawn|unistd)\.h>"
)


def test_the_page_of_other_systems_names_each_file_that_needs_this_one(root):
    page = (root / "docs" / "install.md").read_text()
    files = [path for path in (root / "cpp").rglob("*.[ch]pp") if OF_THE_SYSTEM.search(path.read_text())]
    assert len(files) > 20
    assert [name for path in files if (name := str(path.relative_to(root))) not in page] == []


def test_a_free_threaded_interpreter_is_refused_by_the_import():
    code = "import sys; sys.abiflags = 't'; import metalmom"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: metalmom does not support free-threaded CPython")


# Of CPython, which has no other; before NumPy 2 NumPy warns there.
SUB_INTERPRETER = """
try:
    import _interpreters
    made = _interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as _interpreters
    made = _interpreters.create(isolated=False)
{before}
for _ in range(2):
    _interpreters.run_string(made, {code!r})
{after}
"""
REFUSED = """
try:
    import {name}
except ImportError as error:
    print(error, flush=True)
"""
COMPUTED = "import metalmom, numpy as np; assert metalmom.feature.rms(y=np.ones(4096, np.float32)).shape == (1, 9)"


@pytest.mark.parametrize("name, before, after", [
    ("metalmom._native", "", COMPUTED),
    ("metalmom.feature", "", ""),  # which imports NumPy first: NumPy 1 works in one interpreter alone, then in that one
    ("metalmom._native", COMPUTED, COMPUTED),  # of modules that the first interpreter has Python would copy the content
])  # fmt: skip
def test_a_sub_interpreter_is_refused(name, before, after):
    code = SUB_INTERPRETER.format(before=before, code=REFUSED.format(name=name), after=after)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    sentence = "metalmom works in the main interpreter of a process, and this is a sub-interpreter: "
    assert [line.startswith(sentence) for line in done.stdout.splitlines()] == [True, True], done.stdout


CMAKE = shutil.which("cmake")


@pytest.mark.skipif(not CMAKE, reason="needs CMake")
@pytest.mark.parametrize("soabi, refused", [
    ("cpython-313t-x86_64-linux-gnu", True), ("cpython-314td-x86_64-linux-gnu", True),
    ("cpython-313-x86_64-linux-gnu", False), ("cpython-314d-aarch64-linux-gnu", False),
])  # fmt: skip
def test_a_free_threaded_interpreter_is_refused_by_the_build(root, soabi, refused):
    script = root / "cmake" / "RefuseFreeThreaded.cmake"
    done = subprocess.run([CMAKE, f"-DPython_SOABI={soabi}", "-P", script], capture_output=True, text=True)
    said = " ".join(done.stderr.split())
    assert (done.returncode != 0, "does not support free-threaded CPython" in said) == (refused, refused)
