"""The examples of the docstrings run and print what they say."""

import doctest
import importlib
import pkgutil

import metalmom
import numpy as np
import pytest

MODULES = [
    found.name
    for found in pkgutil.walk_packages(metalmom.__path__, "metalmom.")
    if not found.name.endswith(("_native", "__main__"))
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    said = []
    with np.printoptions(legacy=False):
        for test in finder.find(
            importlib.import_module(name), extraglobs={"metalmom": metalmom, "np": np}
        ):
            runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
