"""Many processes at once where nothing can be kept: a home that cannot be written, none, another's, a full disk.

`pytest tests_py/test_places.py --processes 32` starts so many at a time.
"""

import os
import shutil
import subprocess
import sys

import pytest

NOBODY = 65534

# Prints a digest of the results, and what was warned of; a driver may hang in the end of a process.
COMPUTE = """
import hashlib, warnings
import numpy as np, metalmom
y = np.random.default_rng(0).uniform(-1, 1, 22050).astype(np.float32)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    values = [metalmom.feature.melspectrogram(y=y), metalmom.feature.mfcc(y=y), metalmom.cqt(y, n_bins=24)]
    if metalmom.devices():
        with metalmom.config_context(backend="gpu"):
            values.append(metalmom.feature.rms(y=y))
print(hashlib.sha256(b"".join(each.tobytes() for each in values)).hexdigest(), *[each.message for each in seen])
"""

# Of a shell in mounts of its own: a disk without a free byte is the folder $1.
FULL = 'mount -t tmpfs -o size=64k tmpfs "$1" && cd "$1" && ! head -c 100000 /dev/zero >fill 2>/dev/null && shift && exec "$@"'


def said(done):
    """What a process printed to standard error, but the line of a driver that finds no place for its own cache."""
    return [line for line in done.splitlines() if not line.startswith("Failed to create ")]


@pytest.fixture
def as_nobody():
    """Arguments of `Popen` for a process that is not root, whom no permission stops."""
    if not hasattr(os, "geteuid"):
        pytest.skip("no users here")
    if os.geteuid():
        return {}
    given = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    try:
        subprocess.run([sys.executable, "-c", "import metalmom"], cwd="/", capture_output=True, check=True, **given)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("another user cannot read this installation")
    return given


@pytest.fixture(scope="module")
def expected():
    return subprocess.run([sys.executable, "-c", COMPUTE], capture_output=True, text=True, check=True).stdout


def run_at_once(count, environment, expected, before=(), **given):
    """Start so many processes that compute, and await them; all print what is expected and nothing else."""
    kept = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME", "TMPDIR")}
    processes = [
        subprocess.Popen([*before, sys.executable, "-c", COMPUTE], cwd="/", env={**kept, **environment}, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, **given)
        for _ in range(count)
    ]  # fmt: skip
    try:
        told = [each.communicate(timeout=60 + 20 * count) for each in processes]
    finally:
        for each in processes:
            each.kill()
    assert [each.returncode for each in processes] == [0] * count, told
    assert [out for out, _ in told] == [expected] * count
    assert [said(err) for _, err in told] == [[]] * count


@pytest.mark.parametrize("whose", ["one's own, for reading alone", "another's", "nobody's"])
def test_a_home_that_cannot_be_written(whose, as_nobody, expected, tmp_path, request):
    home = tmp_path / "home"
    home.mkdir(mode=0o700 if whose == "another's" else 0o555)
    if whose.startswith("one's own") and as_nobody:
        os.chown(home, NOBODY, NOBODY)
    for folder in tmp_path.parents[:2] if as_nobody else ():  # pytest's own folders are for their owner alone
        folder.chmod(0o711)
    tmp_path.chmod(0o711)
    places = {} if whose == "nobody's" else {"HOME": str(home), "XDG_CACHE_HOME": str(home / "x"), "TMPDIR": str(home)}
    run_at_once(request.config.getoption("--processes"), places, expected, **as_nobody)
    if not as_nobody or whose != "another's":
        assert list(home.iterdir()) == []


def test_a_full_disk(expected, tmp_path, request):
    before = ["unshare", "--mount", "sh", "-c", FULL, "sh", str(tmp_path)]
    if not shutil.which("unshare") or subprocess.run([*before, "true"], capture_output=True).returncode:
        pytest.skip("this user may not mount a disk")
    places = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "x"), "TMPDIR": str(tmp_path),
              "MESA_SHADER_CACHE_DISABLE": "true"}  # Mesa's own ends the process by SIGBUS there
    run_at_once(request.config.getoption("--processes"), places, expected, before)
