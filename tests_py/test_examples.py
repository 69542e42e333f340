"""The examples of the docstrings run and print what they say."""

import doctest
import importlib
import pkgutil
import wave

import metalmom
import numpy as np
import pytest

MODULES = [
    found.name
    for found in pkgutil.walk_packages(metalmom.__path__, "metalmom.")
    if not found.name.endswith(("_native", "__main__"))
]


def write_song(path):
    """Twenty seconds of a stereo tone: the file that examples open."""
    tone = np.sin(2 * np.pi * 440 * np.arange(20 * 44100) / 44100)
    with wave.open(str(path), "wb") as out:
        out.setparams((2, 2, 44100, 0, "NONE", None))
        out.writeframes((8000 * np.repeat(tone, 2)).astype("<i2").tobytes())


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    write_song(tmp_path / "song.ogg")  # a decoder looks at what is in it, not at its name
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    said = []
    with np.printoptions(legacy=False):
        for test in finder.find(
            importlib.import_module(name), extraglobs={"metalmom": metalmom, "np": np}
        ):
            runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
