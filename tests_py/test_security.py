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
from test_audio_damaged import opus

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


def flac_claiming(samples, channels):
    facts = (44100 << 44 | (channels - 1) << 41 | 23 << 36 | samples).to_bytes(8, "big")
    return b"fLaC\x80\0\0\x22" + struct.pack(">HH6x", 4096, 4096) + facts + bytes(56)


def box(name, *parts):
    content = b"".join(parts)
    return struct.pack(">I4s", 8 + len(content), name) + content


def mpeg4_claiming(samples):
    entry = box(b"sowt", bytes(7), b"\1", bytes(8), struct.pack(">HHHHI", 1, 16, 0, 0, 8000 << 16))
    table = box(b"stbl", box(b"stsd", struct.pack(">II", 0, 1), entry), box(b"stts", struct.pack(">IIII", 0, 1, samples, 1)),
                box(b"stsc", struct.pack(">IIIII", 0, 1, 1, samples, 1)), box(b"stsz", struct.pack(">III", 0, 1000, samples)),
                box(b"stco", struct.pack(">III", 0, 1, 40)))  # fmt: skip
    times = struct.pack(">II", 8000, samples)
    media = box(b"mdia", box(b"mdhd", bytes(12), times, bytes(4)), box(b"hdlr", bytes(8), b"soun", bytes(13)),
                box(b"minf", box(b"smhd", bytes(8)), table))  # fmt: skip
    track = box(b"trak", box(b"tkhd", b"\0\0\0\1", bytes(8), b"\0\0\0\1", bytes(68)), media)
    return box(b"ftyp", b"M4A \0\0\0\0") + box(b"moov", box(b"mvhd", bytes(12), times, bytes(80)), track)


PCM = struct.pack("<HHIIHH", 1, 1, 8000, 16000, 2, 16)
W64 = b"\xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a"  # the ids of its chunks end so
CLAIMS = {
    "wav": wave_claiming(0xFFFFFFF0),
    "wav of 1 GB": wave_claiming(1 << 30),
    "wav of 1024 channels": wave_claiming(1 << 30, channels=1024),
    "rf64": b"RF64\xff\xff\xff\xffWAVEds64" + struct.pack("<IQQQI", 28, 1 << 40, 1 << 40, 1 << 39, 0)
            + b"fmt \x10\0\0\0" + PCM + b"data\xff\xff\xff\xff" + bytes(40),
    "w64": b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0" + struct.pack("<Q", 1 << 40) + b"wave" + W64
           + b"fmt " + W64 + struct.pack("<Q", 40) + PCM + b"data" + W64 + struct.pack("<Q", 1 << 40) + bytes(40),
    "au": struct.pack(">4sIIIII", b".snd", 24, 0xFFFFFFF0, 3, 8000, 1) + bytes(60),
    "aiff": b"FORM\xff\xff\xff\xf0AIFFCOMM" + struct.pack(">IhIh", 18, 1, 0x7FFFFFFF, 16)
            + b"\x40\x0b\xfa\0\0\0\0\0\0\0SSND" + struct.pack(">III", 0xFFFFFFE0, 0, 0) + bytes(60),
    "caf": b"caff\0\1\0\0desc" + struct.pack(">qd4sIIIII", 32, 8000, b"lpcm", 0, 2, 1, 1, 16)
           + b"data" + struct.pack(">qI", 1 << 40, 0) + bytes(40),
    "flac": flac_claiming((1 << 36) - 1, 8),
    "flac of what its bytes could be": flac_claiming(8192 * 98, 8),
    "mp3": (b"\xff\xfb\x90\x64" + bytes(32) + b"Xing" + struct.pack(">III", 3, 0x7FFFFFFF, 0x7FFFFFFF) + bytes(365)) * 2,
    "opus": opus(1 << 40, 1 << 41),
    "voc": b"Creative Voice File\x1a" + struct.pack("<HHH", 26, 0x10A, 0x1129) + b"\x01\xff\xff\xff" + bytes(60),
    "mat": struct.pack("<5I", 0, 1, 1, 0, 11) + b"samplerate\0" + struct.pack("<d5I", 8000, 30, 2, 0x7FFFFFF, 0, 9) + b"wavedata\0" + bytes(64),
    "m4a": mpeg4_claiming(0x7FFFFFFF),
}  # fmt: skip

MEASURED = """
import resource, sys, time
import metalmom
content = sys.stdin.buffer.read()
metalmom.load(open(sys.argv[1], "rb").read(), sr=8000)  # everything is loaded
before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
try:
    y, _ = metalmom.load(content, sr=None)
    assert y.size <= 64, y.size  # as many as there are
except metalmom.AudioError:
    pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, time.process_time() - begin)
"""


@needs_io
@pytest.mark.parametrize("name", CLAIMS)
def test_sizes_that_a_header_claims_take_no_memory_and_no_time(name, tmp_path):
    song = tmp_path / "song.wav"
    song.write_bytes(audio_files.wave_bytes(audio_files.sines(0.1)))
    assert len(CLAIMS[name]) < 900
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


def header_of(shape, dtype="<f4"):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": shape})
    return file.getvalue()


FALSE_COLUMNS = {
    # which Python makes by running what they say
    "pickled objects": (lambda: bytes_of(np.array([print], dtype=object), allow_pickle=True), zipfile.ZIP_STORED),
    "a bomb": (lambda: header_of((1 << 26,)) + bytes(1 << 28), zipfile.ZIP_DEFLATED),
    "64 GB in 200 bytes": (lambda: header_of((1 << 34,)) + bytes(100), zipfile.ZIP_STORED),
    "values without a size": (lambda: header_of((10**14,), "<U0"), zipfile.ZIP_STORED),
    "values that are arrays": (lambda: header_of((5,), ("<f4", (0,))), zipfile.ZIP_STORED),
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
    for inputs, root in ((".", None), (names, None), (names, ".")):
        metalmom.extract(inputs, "out", features=["rms"], format="npz", overwrite=True, root=root)
        with open("out/quarantine.csv", newline="") as file:
            rows = [*csv.reader(file)]
        assert len(rows) == 1 + len(names)
        assert not [cell for row in rows for cell in row if cell[0] in "=+-@\t\r"]


@pytest.mark.parametrize("content", [b"no audio", audio_files.wave_bytes(audio_files.sines(1.0))], ids=["no audio", "audio"])
def test_no_command_sends_a_name_to_the_terminal_as_it_is(tmp_path, content):
    """A terminal would obey: change its colours and its title, or clear the screen."""
    (tmp_path / "songs").mkdir()
    name = tmp_path / "songs" / "\x1b]0;title\x07\x1b[2J\n\x9b31m.wav"
    name.write_bytes(content)
    out = tmp_path / "out"
    for command in (
        ["profile", name, "--repeat", "1"], ["profile", name, name, "--repeat", "1"], ["verify", out], ["report", name],
        ["extract", name.parent, "-o", out, "--features", "rms", "--format", "npz"], ["verify", out],
    ):  # fmt: skip
        done = subprocess.run([sys.executable, "-m", "metalmom", *command], capture_output=True)
        said = (done.stdout + done.stderr).decode()
        assert said and not set(said) & set("\x1b\x07\x9b"), (command, said)


def test_the_page_of_a_trace_shows_names_as_text():
    name = "</script><img src=x onerror=alert(1)>"
    with metalmom.trace.record() as trace, metalmom.trace.span(name, note=name):
        metalmom.trace.event(name)
    page = trace.as_page()
    assert b"onerror" in page and name.encode() not in page and b"<img" not in page
