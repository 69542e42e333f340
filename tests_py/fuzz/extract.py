"""Runs of `metalmom extract` over small folders, killed and interrupted at random instants.

The run after them ends with the bytes of an undisturbed one, and what can be read meanwhile is right.
"""

import functools
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import metalmom
from test_extract import content_of, write_songs

from .draw import expect

COMMAND = ["--features", "rms,zero_crossing_rate", "--format", "npz", "--progress", "plain"]
LIMIT = 120.0
ENVIRONMENT = {**os.environ, "METALMOM_TEST_SHARD": "2"}


def started(songs, out, *options):
    command = [sys.executable, "-m", "metalmom", "extract", songs, "-o", out, *COMMAND, *options]
    return subprocess.Popen(
        command, env=ENVIRONMENT, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


@functools.cache
def undisturbed(count):
    """A folder of songs, one of which is none, and what a run makes of it."""
    songs = pathlib.Path(f"songs{count}")
    songs.mkdir()
    write_songs(songs, count, 0.05)
    (songs / "none.wav").write_bytes(b"no audio")
    process = started(songs, f"whole{count}")
    words = process.communicate()[1]
    expect(process.returncode == 4, words)  # a file has failed
    return songs, content_of(pathlib.Path(f"whole{count}"))


def attempt(draw):
    count = draw.one([1, 5])
    songs, whole = undisturbed(count)
    out = pathlib.Path("out")
    shutil.rmtree(out, ignore_errors=True)
    for _ in range(1 + draw.below(3)):
        number = draw.one([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        seconds, jobs = float(draw.random.uniform(0.05, 0.9)), str(1 + draw.below(3))
        draw.say(f"{count} songs, jobs={jobs}, signal {number} after {seconds:.3f} s")
        process = started(songs, out, "-j", jobs)
        time.sleep(seconds)
        process.send_signal(number)
        draw.count(1)
        while number == signal.SIGINT and draw.chance(0.9) and process.poll() is None:
            time.sleep(float(draw.random.uniform(0, 0.02)))
            process.send_signal(number)
            draw.count(1)
        words = process.communicate(timeout=60)[1]
        expect(
            process.returncode in (-signal.SIGKILL, 3, 4, 130, 143, -signal.SIGTERM, -signal.SIGINT),
            f"{process.returncode}: {words}",
        )
        expect("Traceback" not in words, words)
        if (out / "manifest.json").exists():
            for file in metalmom.open_features(out):
                expect(file.row["status"] in ("ok", "failed"), f"{file.row}")
    process = started(songs, out, "-j", "2")
    words = process.communicate(timeout=60)[1]
    expect(process.returncode == 4, f"{process.returncode}: {words}")
    now = content_of(out)
    expect(
        now == whole, f"other files, or other bytes: {sorted(now.keys() ^ whole.keys()) or 'the same names'}"
    )
