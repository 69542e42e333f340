"""Probes for bpftrace and perf: notes in the binary, read by readelf."""

import re
import shutil
import signal
import subprocess
import sys

import metalmom
import pytest
from metalmom import _native

pytestmark = [
    pytest.mark.skipif(
        not metalmom.build_info()["probes"], reason="this build has no probes (METALMOM_USDT)"
    ),
    pytest.mark.skipif(not shutil.which("readelf"), reason="needs readelf, of binutils"),
]

ARGUMENTS = {"call__begin": 2, "call__end": 2, "submission__begin": 2, "submission__end": 2, "block": 3}


def probes():
    """Name -> arguments of each probe, one a place, as readelf shows them."""
    done = subprocess.run(["readelf", "-n", _native.__file__], capture_output=True, text=True, check=True)
    found = re.findall(r"Provider: metalmom\n +Name: (\w+)\n.*\n +Arguments: (.*)\n", done.stdout)
    return [(name, arguments.split()) for name, arguments in found]


def test_the_binary_has_each_probe_once_with_its_arguments():
    assert {name: len(arguments) for name, arguments in probes()} == ARGUMENTS
    assert len(probes()) == len(ARGUMENTS)


def test_names_numbers_and_times_have_eight_bytes():
    assert all(re.match("-?8@", each) for _, arguments in probes() for each in arguments)


def test_bpftrace_sees_begin_and_end_of_calls_and_each_block(tmp_path):
    if not shutil.which("bpftrace") or subprocess.run(
            ["bpftrace", "-e", "BEGIN { exit(); }"], capture_output=True).returncode:
        pytest.skip("needs bpftrace, and the right to use it")
    program = tmp_path / "program.py"
    program.write_text("""
import metalmom, numpy as np
y = np.zeros(4096, np.float32)
stream = metalmom.streaming.RMS()
stream.rate = 1e12  # at which every block is late
print("ready", flush=True)
input()
metalmom.feature.rms(y=y)
metalmom.feature.tempogram(y=y)
for _ in range(3):
    stream.process(y)
""")
    pipes = {"stdout": subprocess.PIPE, "text": True}
    watched = subprocess.Popen([sys.executable, program], stdin=subprocess.PIPE, **pipes)
    at = f"usdt:{_native.__file__}:metalmom:"
    script = "interval:ms:500 { printf(\"attached\\n\"); } " + "".join(
        f'{at}{name} /pid == {watched.pid}/ {{ printf("{name} %s %d %d\\n", str(arg0), arg1, {last}); }} '
        for name, last in (("call__begin", 0), ("call__end", 0), ("block", "arg2"))
    )
    assert watched.stdout.readline() == "ready\n"
    watch = subprocess.Popen(["bpftrace", "-e", script], stderr=subprocess.PIPE, **pipes)
    try:
        for line in watch.stdout:
            if line == "attached\n":
                break
        watched.communicate("go\n", timeout=60)
    finally:
        watched.kill()
        watch.send_signal(signal.SIGINT)
        said, errors = watch.communicate(timeout=60)
    assert watched.returncode == 0, errors
    seen = [line.split() for line in said.splitlines() if line.count(" ") == 3]
    calls = [(what, name, number) for what, name, number, _ in seen if what != "block"]
    assert calls[0][:2] == ("call__begin", "rms") and calls[1] == ("call__end", *calls[0][1:])
    assert calls[-1] == ("call__end", *calls[2][1:]) and calls[2][1] == "tempogram"
    blocks = [each for what, *each in seen if what == "block"]
    assert [(name, late) for name, _, late in blocks] == [("RMS", str(n)) for n in (1, 2, 3)]
    assert all(int(ns) > 0 for _, ns, _ in blocks)
