"""Progress that nobody reads: a closed terminal or pipe ends no run, and changes no exit status."""

import os
import subprocess
import sys

import pytest
from test_extract import write_songs

import metalmom


@pytest.mark.parametrize("progress", ["auto", "plain", "json"])
def test_a_run_goes_on_when_nobody_reads_its_progress(tmp_path, progress):
    songs = write_songs(tmp_path, 6, longer=0.1)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "metalmom", "extract", songs, "-o", out, "--features", "rms", "--format", "npz",
               "--progress", progress]  # fmt: skip
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as nobody:
        assert subprocess.run(command, stderr=nobody, timeout=120).returncode == 0
    assert len(metalmom.open_features(out).files["path"]) == 6
    (out / "quarantine.csv").read_bytes()
    command[command.index("rms")] = "mfcc"  # a refusal that nobody reads has its status, too
    with open("/dev/full", "wb") as full:
        assert subprocess.run(command, stderr=full, timeout=120).returncode == 1


def test_a_run_without_standard_error_says_nothing_on_standard_output(tmp_path):
    songs = write_songs(tmp_path, 2, longer=0.1)
    command = [sys.executable, "-m", "metalmom", "extract", os.fspath(songs), "-o", os.fspath(tmp_path / "out"),
               "--features", "rms", "--format", "npz"]  # fmt: skip
    done = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", *command], stdout=subprocess.PIPE, timeout=120)
    assert (done.returncode, done.stdout) == (0, b"")
