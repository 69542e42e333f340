"""What `failures` of scripts/fuzz found, at all points of the calls that it found it in."""

import errno
import os
import subprocess
import sys

import metalmom
import pytest
from fuzz import failures

PROGRAM = """
from fuzz import failures
from fuzz.draw import Draw, Lasted

def say(kind, text):
    if kind == "points":
        print("points:", text)

try:
    failures.{0}(Draw("failures", 1, say), *{1!r})
except Lasted:
    print("not here")
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    added = failures.environment(tmp_path_factory.mktemp("failing"))
    if not added:
        pytest.skip("needs c++")
    return {**os.environ, **added, "PYTHONPATH": os.pathsep.join(sys.path)}


def run(environment, folder, function, *arguments):
    command = [sys.executable, "-X", "faulthandler", "-c", PROGRAM.format(function, arguments)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
                          check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    if done.stdout.startswith("not here"):
        pytest.skip("needs a library with its table of symbols")
    return int(done.stdout.split()[-1])


@pytest.mark.parametrize("name, cold, sticky", [
    ("stream", False, True),  # the process ended, as the error of a block was made
    ("submit", False, False),  # a worker ended with its call, and the future never
    ("submit", False, True),
    ("settings", True, False),  # settings that had ended held on, or their end ended the process
    ("settings", False, True),
    ("trace", True, False),  # the thread that samples memory ended the process; JSON without its end
])  # fmt: skip
def test_every_allocation_of_a_call_may_fail(name, cold, sticky, environment, tmp_path):
    assert run(environment, tmp_path, "of_a_call", name, "memory", cold, sticky) > 10


@pytest.mark.parametrize("name", ["mfcc of an array there", "submit to a device"])
def test_every_allocation_of_a_call_on_a_device_may_fail(name, environment, tmp_path):
    if not metalmom.devices():
        pytest.skip("needs a Vulkan device")
    assert run(environment, tmp_path, "of_a_call", name, "memory", False, False) > 10


@pytest.mark.parametrize("name, kind", [("flights", "rename"), ("trace.json", "write")])
def test_every_step_of_a_file_may_fail(name, kind, environment, tmp_path):
    assert run(environment, tmp_path, "of_a_file", name, kind) > 0


def test_a_full_disk_is_said():
    with metalmom.trace.record() as recording:
        metalmom.stft(failures.y())
    with pytest.raises(OSError) as told:
        recording.save("/dev/full")
    assert told.value.errno == errno.ENOSPC
