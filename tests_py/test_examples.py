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
    # From NumPy 2 on a scalar prints with its type, np.float32(1.0); the examples print the number.
    scalars = "1.25" if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else False
    with np.printoptions(legacy=scalars):
        for test in finder.find(
            importlib.import_module(name), extraglobs={"metalmom": metalmom, "np": np}
        ):
            runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
