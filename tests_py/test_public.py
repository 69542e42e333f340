"""The one wrapper of public functions: none is forgotten, and tracebacks are short."""

import inspect
import pathlib
import pkgutil
import traceback

import metalmom
import numpy as np
import pytest
from metalmom.util import _public
from metalmom.util._expressions import Node, then

PACKAGE = pathlib.Path(metalmom.__file__).parent
MODULES = ["metalmom"] + [
    f"metalmom.{name}" for name in (
        *(each.name for each in pkgutil.iter_modules([str(PACKAGE)]) if not each.name.startswith("_")),
        *("core." + each.name for each in pkgutil.iter_modules([str(PACKAGE / "core")])),
        *("feature." + each.name for each in pkgutil.iter_modules([str(PACKAGE / "feature")])),
        *("util." + each.name for each in pkgutil.iter_modules([str(PACKAGE / "util")])),
    ) if "._" not in name and name != "cli"
]  # fmt: skip


def is_public(function):
    """Whether the wrapper stands in what a call of a function goes through."""
    while function.__code__.co_filename != _public.__file__:
        if not hasattr(function, "__wrapped__"):
            return False
        function = function.__wrapped__
    return True


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_says_so(name):
    module = pkgutil.resolve_name(name)
    functions = {each: getattr(module, each) for each in getattr(module, "__all__", ())}
    assert [each for each, value in functions.items() if inspect.isfunction(value) and not is_public(value)] == []


def test_a_forgotten_function_is_found():
    assert not is_public(inspect.unwrap(metalmom.stft))
    assert not is_public(lambda: None)


@pytest.mark.parametrize("function", [
    metalmom.stft, metalmom.cqt, metalmom.feature.mfcc, metalmom.feature.chroma_cqt, metalmom.beat.beat_track,
])  # fmt: skip
def test_three_frames_at_most_lie_between_a_caller_and_the_engine(function):
    y = np.zeros(22050, dtype=np.float32)
    y[1000] = np.nan
    with pytest.raises(metalmom.ParameterError, match="y is not finite everywhere") as caught:
        function(y=y)
    frames = [each.name for each in traceback.extract_tb(caught.value.__traceback__)][1:]
    assert frames[0] == function.__name__ and len(frames) <= 3


def decided(y, depth):
    if depth:
        return Node(None, decided, (y, depth - 1), {})
    raise OSError


@_public.public(expression=True)
def deep(y: np.ndarray):
    return then(decided, y, 9)


def test_what_values_decide_takes_no_further_frames():
    with pytest.raises(OSError) as caught:
        deep(np.zeros(3, dtype=np.float32))
    assert [each.name for each in traceback.extract_tb(caught.value.__traceback__)][1:] == ["deep", "value", "decided"]
