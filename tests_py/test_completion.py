"""`dir` and completion show what is for users, and import nothing heavy for it."""

import json
import subprocess
import sys

import metalmom
import pytest

# Prints what came into sys.modules by each step, in a process of its own.
STEPS = """
import json, rlcompleter, sys
import numpy
before = set(sys.modules)
import metalmom
news = {"import": sorted(set(sys.modules) - before)}

def completed(text):
    completer, found = rlcompleter.Completer({"metalmom": metalmom}), []
    while (each := completer.complete(text, len(found))) is not None:
        found.append(each)
    return found

for place in sys.argv[1:]:
    before = set(sys.modules)
    found = dir(eval(place)) + completed(place + ".s")
    news[place] = sorted(set(sys.modules) - before)
print(json.dumps(news))
"""
PLACES = ["metalmom"] + [f"metalmom.{name}" for name in (
    "beat", "core", "decompose", "display", "effects", "feature", "feature.inverse", "filters",
    "nn", "onset", "segment", "sequence", "streaming", "trace", "util")]  # fmt: skip
# Of many times NumPy's weight; they are imported by the functions that need them.
HEAVY = ("IPython", "asyncio", "fsspec", "joblib", "matplotlib", "multiprocessing", "onnx", "onnxruntime", "pandas", "pooch",
         "pyarrow", "scipy", "sklearn", "soundfile")  # fmt: skip


@pytest.fixture(scope="module")
def news():
    ran = subprocess.run([sys.executable, "-c", STEPS, *PLACES], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_import_brings_itself_alone(news):
    assert [name for name in news["import"] if name.partition(".")[0] != "metalmom"] == []
    assert len(news["import"]) == 1


@pytest.mark.parametrize("place", PLACES)
def test_dir_and_completion_bring_numpy_and_itself_alone(news, place):
    tops = {name.partition(".")[0] for name in news[place]} - {"numpy", "metalmom"}
    assert not tops & set(HEAVY)
    assert tops <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("place", PLACES)
def test_dir_shows_what_is_for_users(place):
    module = sys.modules[place]
    shown = [name for name in dir(module) if not name.startswith("__")]
    assert set(module.__all__) - {"__version__"} <= set(shown)
    assert not [name for name in shown if name.startswith("_")]
    extra = set(shown) - set(module.__all__)
    assert all(f"{place}.{name}" in sys.modules for name in extra), extra


def test_what_dir_does_not_show_is_there_all_the_same():
    assert metalmom.beat.np is not None
    assert "np" not in dir(metalmom.beat)


UNDISTURBED = """
import os, signal, sys, threading
handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
hooks = sys.excepthook, sys.unraisablehook, threading.excepthook
sys.argv[:] = ["metalmom", "extract", "songs", "-o", "out"]  # as the program is called
import metalmom
assert handlers == {number: signal.getsignal(number) for number in signal.valid_signals()}
assert hooks == (sys.excepthook, sys.unraisablehook, threading.excepthook)
assert threading.active_count() == 1 and len(os.listdir("/proc/self/task")) == 1
assert not open("/proc/self/task/%d/children" % os.getpid()).read()
assert not {"numpy", "scipy", "matplotlib"} & set(sys.modules)
metalmom.stft
assert handlers == {number: signal.getsignal(number) for number in signal.valid_signals()}
assert not open("/proc/self/task/%d/children" % os.getpid()).read()
assert not {"scipy", "matplotlib"} & set(sys.modules)
assert "stft" in vars(metalmom)
"""


def test_import_has_no_side_effects():
    ran = subprocess.run([sys.executable, "-c", UNDISTURBED], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
