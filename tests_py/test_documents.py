"""The programs on the pages for newcomers run as they stand there, one after the other."""

import contextlib
import itertools
import pathlib
import re
import sys
import types
from importlib.util import find_spec

import metalmom
import numpy as np
import pytest
from devices import on_device

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Heard(Exception):
    """Enough of a microphone was heard: programs listen until they are stopped."""


class Microphone:
    """The part of `sounddevice` that the pages use."""

    def __init__(self, samplerate, blocksize, channels, callback=None):
        self._blocks = itertools.repeat(np.full((blocksize, channels), 0.1, dtype=np.float32), 9)
        for block in self._blocks if callback else ():
            played = np.full_like(block, np.nan)
            callback(block, played, blocksize, None)
            assert np.isfinite(played).all()

    def read(self, frames):
        block = next(self._blocks, None)
        if block is None:
            raise Heard
        assert len(block) == frames
        return block, False

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


@pytest.fixture
def settings():
    """What a page sets for the process holds for that page."""
    kept = metalmom.get_config()
    yield
    metalmom.set_config(**kept)


def forget_librosa():
    for name in [name for name in sys.modules if name.partition(".")[0] == "librosa"]:
        del sys.modules[name]


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("page", [
    "README.md", "docs/index.md", "docs/features.md", "docs/many-features.md", "docs/from-librosa.md", "docs/streaming.md",
    "docs/extract.md", "docs/tuning.md",
    pytest.param("docs/notebooks.md", marks=pytest.mark.skipif(find_spec("matplotlib") is None, reason="needs matplotlib")),
    pytest.param("docs/gpu.md", marks=on_device),
])  # fmt: skip
def test_programs_of_the_page_run(page, tmp_path, monkeypatch, capsys, request):
    monkeypatch.chdir(tmp_path)
    metalmom.demo.write_wav("song.ogg", duration=6)  # a decoder looks at what is in it
    metalmom.demo.write_wav("hall.wav", duration=1)
    pathlib.Path("songs").mkdir()
    metalmom.demo.write_wav("songs/a.wav", duration=3)
    request.addfinalizer(forget_librosa)  # one of them installs a stand-in
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setattr(sys, "path", [*sys.path])
    microphone = types.SimpleNamespace(InputStream=Microphone, Stream=Microphone)
    monkeypatch.setitem(sys.modules, "sounddevice", microphone)
    monkeypatch.setattr("builtins.input", lambda prompt: "")
    programs = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert programs
    names = {}
    for program in programs:
        if "parquet" in program or "torch" in program:  # run by test_extract_parquet.py and test_cuda.py
            continue
        with contextlib.suppress(Heard):
            exec(compile(program, page, "exec"), names)
