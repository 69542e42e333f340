"""What docs/security.md promises and no other test holds; and that the tests which it names are there."""

import csv
import io
import pathlib
import re
import struct
import subprocess
import sys
import tracemalloc
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


def bytes_of(array, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **options)
    return file.getvalue()


def header_of(shape):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return file.getvalue()


FALSE_COLUMNS = {
    # which Python makes by running what they say
    "pickled objects": (lambda: bytes_of(np.array([print], dtype=object), allow_pickle=True), zipfile.ZIP_STORED),
    "a bomb": (lambda: header_of((1 << 26,)) + bytes(1 << 28), zipfile.ZIP_DEFLATED),
    "64 GB in 200 bytes": (lambda: header_of((1 << 34,)) + bytes(100), zipfile.ZIP_STORED),
    "a negative size": (lambda: header_of((-1,)), zipfile.ZIP_STORED),
    "too few bytes": (lambda: header_of((5,)) + bytes(19), zipfile.ZIP_STORED),
    "too many bytes": (lambda: header_of((5,)) + bytes(21), zipfile.ZIP_STORED),
    "other rows than the table": (lambda: bytes_of(np.zeros(1, np.float32)), zipfile.ZIP_STORED),
}


@pytest.mark.parametrize("what", FALSE_COLUMNS)
def test_a_table_that_no_run_writes_is_refused(what, tmp_path):
    metalmom.demo.write_wav(tmp_path / "a.wav", 0.5)
    metalmom.extract(tmp_path / "a.wav", tmp_path / "out", features=["rms"], format="npz")
    (table,) = (tmp_path / "out/frames").iterdir()
    size = table.stat().st_size
    with zipfile.ZipFile(table) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    make, compression = FALSE_COLUMNS[what]
    members["rms.npy"] = make()
    with zipfile.ZipFile(table, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    receipt = tmp_path / "out/receipts/00000.json"  # which a stranger has written, too
    receipt.write_text(receipt.read_text().replace(f'"bytes": {size}', f'"bytes": {table.stat().st_size}'))
    features = metalmom.open_features(tmp_path / "out")
    tracemalloc.start()
    with pytest.raises(metalmom.LibrosaError, match="is damaged"):
        [*features]
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_no_cell_of_the_list_of_failures_is_a_formula(tmp_path, monkeypatch):
    """A spreadsheet takes one for a formula that begins so, and runs it."""
    names = [first + "cmd|' -C calc'!A0.wav" for first in [*"=+-@\t\r", "a\r=", "a\n="]]
    for name in names:
        (tmp_path / name).write_bytes(b"no audio")
    monkeypatch.chdir(tmp_path)
    for inputs in (".", names):
        metalmom.extract(inputs, "out", features=["rms"], format="npz", overwrite=True)
        with open("out/quarantine.csv", newline="") as file:
            rows = [*csv.reader(file)]
        assert len(rows) == 1 + len(names)
        assert not [cell for row in rows for cell in row if cell[0] in "=+-@\t\r"]


def test_the_page_of_a_trace_shows_names_as_text():
    name = "</script><img src=x onerror=alert(1)>"
    with metalmom.trace.record() as trace, metalmom.trace.span(name, note=name):
        metalmom.trace.event(name)
    page = trace.as_page()
    assert b"onerror" in page and name.encode() not in page and b"<img" not in page
