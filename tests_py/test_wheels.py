"""The parts of scripts/wheels that do not compile metalmom: names, times and licences of what a wheel has."""

import base64
import csv
import hashlib
import importlib.machinery
import importlib.util
import io
import json
import platform
import re
import shutil
import stat
import subprocess
import sys
import zipfile

import pytest


@pytest.fixture(scope="module")
def wheels(root):
    loader = importlib.machinery.SourceFileLoader("wheels", str(root / "scripts" / "wheels"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("wheels", loader))
    loader.exec_module(module)
    return module


TAG = "cp311-cp311-manylinux_2_28_x86_64"
INFORMATION = "metalmom-0.1.0.dist-info"
FILES = {
    "metalmom/__init__.py": b"import this\n",
    "metalmom/_native.so": b"\x7fELF",
    "metalmom.libs/libsoxr.so.0": b"\x7fELF, too",
    f"{INFORMATION}/METADATA": b"Metadata-Version: 2.4\n",
}


def test_a_wheel_has_the_same_bytes_in_any_order_and_folder(wheels, tmp_path):
    one = wheels.pack(tmp_path, TAG, FILES, 1_700_000_000)
    assert one.name == f"metalmom-0.1.0-{TAG}.whl"
    bytes_of_one = one.read_bytes()
    again = wheels.pack(tmp_path, TAG, dict(reversed(FILES.items())), 1_700_000_000).read_bytes()
    assert again == bytes_of_one
    assert wheels.pack(tmp_path, TAG, FILES, 1_600_000_000).read_bytes() != bytes_of_one


def test_a_wheel_says_what_it_has(wheels, tmp_path):
    with zipfile.ZipFile(wheels.pack(tmp_path, TAG, FILES, 0)) as packed:  # before 1980, where zip begins
        names, entries = packed.namelist(), {each.filename: each for each in packed.infolist()}
        content = {name: packed.read(name) for name in names}
    assert names[:-1] == sorted(names[:-1]) and names[-1] == f"{INFORMATION}/RECORD"
    assert f"Tag: {TAG}\n".encode() in content[f"{INFORMATION}/WHEEL"]
    rows = list(csv.reader(io.StringIO(content[names[-1]].decode())))
    assert [row[0] for row in rows] == names and rows[-1][1:] == ["", ""]
    for name, digest, size in rows[:-1]:
        expected = base64.urlsafe_b64encode(hashlib.sha256(content[name]).digest()).decode().rstrip("=")
        assert (digest, int(size)) == (f"sha256={expected}", len(content[name]))
    modes = {name: stat.S_IMODE(entry.external_attr >> 16) for name, entry in entries.items()}
    programs = {name for name, mode in modes.items() if mode == 0o755}
    assert programs == {"metalmom/_native.so", "metalmom.libs/libsoxr.so.0"}
    assert {entry.date_time for entry in entries.values()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_licence_of_a_wheel_is_that_of_all_it_has(wheels):
    head, page = "Metadata-Version: 2.4\nName: metalmom\n", "\n\n# Page\n\nText\n"
    information = f"{head}License-Expression: MIT\nLicense-File: LICENSE{page}"
    made = wheels.metadata(information, {"LICENSE": b"", "libsoxr/LICENCE": b""})
    assert made.startswith(head) and made.endswith(page)
    assert re.findall("^License-.*$", made, re.M) == [
        f"License-Expression: {wheels.LICENCE}", "License-File: LICENSE", "License-File: libsoxr/LICENCE"]
    each = set(wheels.LICENCE.split(" AND "))
    assert {"MIT", "BSD-3-Clause", "LGPL-2.1-or-later", "LGPL-2.0-or-later"} <= each


def test_the_notice_names_each_library_with_its_version(wheels, root):
    page = (root / "cmake" / "wheels" / "LIBRARIES.md").read_text()
    assert set(re.findall(r"@(\w+)@", page)) == wheels.VERSIONS_INSIDE.keys()
    shown = wheels.notice(page)
    assert f"libsndfile {wheels.SNDFILE} |" in shown and f"soxr {wheels.SOXR}," in shown and "@" not in shown


def test_headers_are_found_by_their_version_and_serve_any_processor(wheels, tmp_path, monkeypatch):
    monkeypatch.setattr(wheels, "WORK", tmp_path / "work")
    include = tmp_path / "include" / "python3.11"
    include.mkdir(parents=True)
    assert wheels.include_of("3.11", [tmp_path]) != include  # no Python.h yet
    (include / "Python.h").write_text("all")
    (include / "pyconfig.h").write_text("includes that of the processor")
    assert wheels.include_of("3.11", [tmp_path]) == include
    assert wheels.include_of("3.1", [tmp_path]) is None
    assert (wheels.headers("3.11", include) / "pyconfig.h").read_text() == "includes that of the processor"
    own = tmp_path / "include" / f"{platform.machine()}-linux-gnu" / "python3.11"
    own.mkdir(parents=True)
    (own / "pyconfig.h").write_text("of this processor")
    shutil.rmtree(wheels.headers("3.11", include))
    made = wheels.headers("3.11", include)
    assert (made / "Python.h").read_text() == "all" and (made / "pyconfig.h").read_text() == "of this processor"


def test_a_folder_is_made_once_and_anew_where_it_is_not_whole_or_of_other_things(wheels, tmp_path, monkeypatch):
    monkeypatch.setattr(wheels, "WORK", tmp_path)
    made = []

    @wheels.kept
    def parts(folder, arch, other):
        assert list(folder.iterdir()) == []
        (folder / "part").write_text("half")
        made.append((arch, other))
        if other == "fails":
            raise SystemExit
        (folder / "part").write_text(other)

    for arch in ("x86_64", "aarch64", "x86_64"):
        assert (parts(arch, "one") / "part").read_text() == "one"
    assert made == [("x86_64", "one"), ("aarch64", "one")]
    assert {each.name for each in tmp_path.iterdir()} == {"parts-x86_64-one", "parts-aarch64-one"}
    monkeypatch.setattr(wheels, "TOOLS", {**wheels.TOOLS, "ziglang": "0"})
    parts("x86_64", "one")
    assert made[2:] == [("x86_64", "one")]
    for _ in range(2):
        with pytest.raises(SystemExit):
            parts("x86_64", "fails")
    assert made[3:] == [("x86_64", "fails")] * 2

    @wheels.kept
    def parts(folder, arch, other):
        (folder / "part").write_text("of other code")

    assert (parts("x86_64", "one") / "part").read_text() == "of other code"


WAIT = r"""
#include <errno.h>
#define pthread_cond_clockwait tested_clockwait
#define gettid tested_gettid
#define arc4random tested_arc4random
#include "glibc_2_28.c"
#undef gettid

int main(void) {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (long wait = 30000000; wait <= 930000000; wait += 900000000) {  /* the second one carries a second */
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    struct timespec deadline = {begin.tv_sec, begin.tv_nsec + wait};
    if (deadline.tv_nsec >= 1000000000) deadline.tv_nsec -= 1000000000, ++deadline.tv_sec;
    pthread_mutex_lock(&mutex);
    if (tested_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &deadline) != ETIMEDOUT) return 1;
    pthread_mutex_unlock(&mutex);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double took = (end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec);
    if (took < wait - 1e6 || took > wait + 5e9) return 2;  /* a busy machine wakes late */
  }
  if (tested_gettid() != gettid()) return 3;
  return tested_arc4random() == tested_arc4random() && tested_arc4random() == tested_arc4random() ? 4 : 0;
}
"""


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs GCC")
def test_what_an_older_glibc_lacks_does_the_same(root, tmp_path):
    (tmp_path / "wait.c").write_text(WAIT)
    include = root / "cmake" / "wheels"
    command = ["gcc", "-w", "-D_GNU_SOURCE", "-I", include, "wait.c", "-o", "wait", "-pthread"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "wait"]).returncode == 0


def test_the_bill_of_materials_says_what_the_files_say(wheels, tmp_path, root):
    files = {
        "metalmom.libs/libsndfile-metalmom.so.1": b"\0libsndfile-1.2.2, \0reference libFLAC 1.4.3 2023\0libopus 1.4\0LAME3.100",
        "metalmom.libs/libsoxr-metalmom.so.0": b"\0libsoxr-0.1.3\0",
        "metalmom/_native.so": b"\0GCC: (Debian 12.2.0-14) 12.2.0\0",
    }
    made = wheels.shipped.bill("0.1.0", wheels.LICENCE, files, {"pybind11": "3.1.0"})
    assert made == wheels.shipped.bill("0.1.0", wheels.LICENCE, dict(reversed(files.items())), {"pybind11": "3.1.0"})
    parts = {each["name"]: each for each in json.loads(made)["components"]}
    versions = {"libsndfile": "1.2.2", "flac": "1.4.3", "opus": "1.4", "lame": "3.100", "libsoxr": "0.1.3",
                "libstdc++": "12.2.0", "pybind11": "3.1.0", "mpg123": None, "ogg": None, "vorbis": None}  # fmt: skip
    assert {name: each.get("version") for name, each in parts.items()} == versions
    # The licence of a wheel is that of all parts.
    licences = {each["licenses"][0]["expression"] for each in parts.values()}
    assert {"MIT", *licences} == set(wheels.LICENCE.split(" AND "))
    wheel = wheels.pack(tmp_path, TAG, {**FILES, f"{INFORMATION}/{wheels.shipped.PLACE}": made}, 1_700_000_000)
    said = subprocess.run([sys.executable, root / "scripts/shipped.py", wheel], capture_output=True, check=True, text=True)
    assert "flac 1.4.3  BSD-3-Clause  in metalmom.libs/libsndfile-metalmom.so.1\n" in said.stdout
