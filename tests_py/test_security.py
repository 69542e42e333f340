"""What docs/security.md promises and no other test holds; and that the tests which it names are there."""

import pathlib
import re
import struct
import subprocess
import sys
import zipfile

import audio_files
import numpy as np
import pytest
from audio_files import needs_io

import metalmom

ROOT = pathlib.Path(__file__).resolve().parent.parent


def test_every_line_of_the_page_names_tests_that_there_are():
    page = (ROOT / "docs/security.md").read_text()
    lines = [
        line for line in page.splitlines() if line.startswith("| ") and "tests" in line and "|---" not in line
    ]
    named = re.findall(r"`(tests_(?:py|cpp)/\w+\.(?:py|cpp))(?:::(\w+))?`", "\n".join(lines))
    assert len(named) >= len(lines) - 1 > 10  # the first line is the table's head
    for file, name in named:
        assert re.search(rf"\b(def|TEST(_F)?\(\w+,) ?{name}\b", (ROOT / file).read_text()), f"{file}::{name}"


def wave_claiming(n_bytes, channels=1):
    fmt = struct.pack("<HHIIHH", 1, channels, 8000, 16000, 2, 16)
    return b"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0" + fmt + b"data" + struct.pack("<I", n_bytes) + bytes(60)


CLAIMS = {
    "wav": wave_claiming(0xFFFFFFF0),
    "wav of 1 GB": wave_claiming(1 << 30),
    "au": struct.pack(">4sIIIII", b".snd", 24, 0xFFFFFFF0, 3, 8000, 1) + bytes(60),
    "aiff": b"FORM\xff\xff\xff\xf0AIFFCOMM" + struct.pack(">IhIh", 18, 1, 0x7FFFFFFF, 16)
            + b"\x40\x0b\xfa\0\0\0\0\0\0\0SSND" + struct.pack(">III", 0xFFFFFFE0, 0, 0) + bytes(60),
}  # fmt: skip

MEASURED = """
import resource, sys, time
import metalmom
content = sys.stdin.buffer.read()
metalmom.load(open(sys.argv[1], "rb").read(), sr=8000)  # everything is loaded
before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
try:
    y, _ = metalmom.load(content, sr=None)
    assert y.size <= 60, y.size
except metalmom.AudioError:
    pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, time.process_time() - begin)
"""


@needs_io
@pytest.mark.parametrize("name", CLAIMS)
def test_sizes_that_a_header_claims_take_no_memory_and_no_time(name, tmp_path):
    song = tmp_path / "song.wav"
    song.write_bytes(audio_files.wave_bytes(audio_files.sines(0.1)))
    assert len(CLAIMS[name]) < 200
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, song], input=CLAIMS[name], capture_output=True, check=True
    )
    kilobytes, seconds = map(float, done.stdout.split())
    assert kilobytes < 10_000 and seconds < 0.1  # it takes less than a millisecond; machines may be busy


def test_names_are_no_commands(tmp_path, monkeypatch):
    """Of a format that a process decodes, and that a table lists."""
    monkeypatch.chdir(tmp_path)
    for name in ("$(touch made).m4a", "`touch made`.m4a", "; touch made;.m4a", "| touch made.wav", "-i.m4a"):
        pathlib.Path(name).write_bytes(b"\0\0\0\x20ftypM4A " + bytes(100))
        with pytest.raises(metalmom.AudioError):
            metalmom.load(name)
    assert metalmom.extract(".", "out", features=["rms"], format="npz").failed == 5
    assert not pathlib.Path("made").exists()
    rows = pathlib.Path("out/quarantine.csv").read_text().splitlines()
    assert len(rows) == 6 and any("touch made;.m4a" in row for row in rows)


def test_a_table_of_pickles_is_refused(tmp_path):
    """A table in NumPy's format may hold objects, which Python makes by running what they say."""
    metalmom.demo.write_wav(tmp_path / "a.wav", 0.5)
    metalmom.extract(tmp_path / "a.wav", tmp_path / "out", features=["rms"], format="npz")
    (table,) = (tmp_path / "out/frames").iterdir()
    size = table.stat().st_size
    with zipfile.ZipFile(table) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(table, "w") as archive:
        for name, content in members.items():
            with archive.open(name, "w") as member:
                if name == "rms.npy":
                    np.lib.format.write_array(member, np.array([print], dtype=object), allow_pickle=True)
                else:
                    member.write(content)
    receipt = tmp_path / "out/receipts/00000.json"  # which a stranger has written, too
    receipt.write_text(receipt.read_text().replace(f'"bytes": {size}', f'"bytes": {table.stat().st_size}'))
    with pytest.raises(metalmom.LibrosaError, match="is damaged"):
        metalmom.open_features(tmp_path / "out").frames("rms")


def test_the_page_of_a_trace_shows_names_as_text():
    name = "</script><img src=x onerror=alert(1)>"
    with metalmom.trace.record() as trace, metalmom.trace.span(name, note=name):
        metalmom.trace.event(name)
    page = trace.as_page()
    assert b"onerror" in page and name.encode() not in page and b"<img" not in page
