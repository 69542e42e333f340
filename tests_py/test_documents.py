"""The programs on the pages for newcomers run as they stand there, one after the other."""

import pathlib
import re
import sys

import metalmom
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("page", ["README.md", "docs/from-librosa.md"])
def test_programs_of_the_page_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    metalmom.demo.write_wav("song.ogg", duration=6)  # a decoder looks at what is in it
    monkeypatch.setattr(sys, "modules", dict(sys.modules))  # one of them names modules anew
    programs = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert programs
    names = {}
    for program in programs:
        exec(compile(program, page, "exec"), names)
