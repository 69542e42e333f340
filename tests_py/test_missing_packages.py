"""Where a package is not installed: who needs it, and how to get it, is said in one sentence."""

import inspect
import json
import operator
import os
import pathlib
import pickle
import re
import subprocess
import sys

import hostile_calls
import metalmom
import pytest
from metalmom.util.exceptions import MissingPackageError

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def told():
    """[name of what was called, kind of error, its text] of all calls that needed a missing package."""
    done = subprocess.run([sys.executable, HERE / "calls_without_packages.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# What is sure to be among the functions that need SciPy, for some arguments at least.
OF_SCIPY = set(
    """autocorrelate cqt fmt iirt interp_harmonics load pcen phase_vocoder resample stft
    feature.mfcc feature.tempogram_ratio filters.cq_to_chroma filters.diagonal_filter filters.get_window
    filters.semitone_filterbank segment.cross_similarity segment.path_enhance
    segment.recurrence_matrix sequence.dtw util.interp_broadcast util.nnls util.sparsify_rows""".split()
)


# Packages as they are called -> what installs them.
SOURCES = {"SciPy": "scipy (or metalmom[scipy])", "matplotlib": "matplotlib (or metalmom[display])", "samplerate": "samplerate",
           "resampy": "resampy", "ONNX Runtime": "onnxruntime (or metalmom[onnx])"}  # fmt: skip


def test_each_function_says_who_needs_what_and_how_to_get_it(told):
    assert OF_SCIPY - {name for name, _, text in told if "SciPy" in text} == set()
    for name, kind, text in told:
        said = re.fullmatch(
            rf"(clips\[0\]: )?{name.rpartition('.')[2]}\(\)( with [^,]+)? needs ([\w ]+), which is not installed: "
            r"pip install (.+)", text)  # fmt: skip
        assert said and SOURCES[said[3]] == said[4], text
        assert kind == "MissingPackageError"


def test_the_argument_that_needs_a_package_is_named_as_the_caller_wrote_it(told):
    assert {(name, text.partition(" needs ")[0]) for name, _, text in told} >= {
        ("stft", "stft() with window='taylor'"),
        ("feature.mfcc", "mfcc() with window='taylor'"),
        ("sequence.dtw", "dtw() with metric='canberra'"),
        ("segment.recurrence_matrix", "recurrence_matrix() with sparse=True"),
        ("filters.diagonal_filter", "diagonal_filter() with slope=0.5"),
        ("segment.path_enhance", "path_enhance()"),  # which has no slope
        ("iirt", "iirt()"),
        ("resample", "resample() with res_type='linear'"),
        ("resample", "resample() with res_type='kaiser_fast'"),
        ("check", "check() with probe=..."),
    }


def says(function, word, seen=()):
    """Whether the docstring of a function, or of a function that it quotes, has a word."""
    doc = function.__doc__ or ""
    quoted = (quoted_function(name, function) for name in re.findall(r"`([A-Za-z_][\w.]*)`", doc))
    return word in doc or any(
        says(other, word, (*seen, function)) for other in quoted if other and other not in seen
    )


def quoted_function(name, function):
    """The function that a docstring quotes: by its full name, or as a neighbour."""
    start = metalmom if name.startswith("metalmom.") else sys.modules[function.__module__]
    for part in name.removeprefix("metalmom.").split("."):
        start = getattr(start, part, None)
    return start if inspect.isfunction(start) else None


def test_docstrings_say_what_needs_scipy(told):
    functions = {name for name, _, text in told if "SciPy" in text} & dict(hostile_calls.functions()).keys()
    silent = [name for name in functions if not says(operator.attrgetter(name)(metalmom), "SciPy")]
    assert functions >= OF_SCIPY and silent == []


def test_the_page_lists_what_needs_scipy(told):
    page = (HERE.parent / "docs" / "from-librosa.md").read_text()
    table = page.partition("| function | SciPy is needed |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    listed = {name: when for names, when in rows for name in re.findall(r"`([\w.]+)`", names) if name != "window"}
    public, needs = dict(hostile_calls.functions()), {}
    for name, _, text in told:
        argument = text.partition(" needs ")[0].partition("() with ")[2]
        if name in public and "SciPy" in text and not argument.startswith("window="):
            needs.setdefault(name, set()).add(argument)
    assert needs.pop("stft") == {""}  # of a streaming.Extractor, which has the window
    assert listed.keys() ^ needs.keys() == set()
    assert {name for name, when in listed.items() if when == "always"} == {n for n, with_ in needs.items() if "" in with_}


def test_each_function_of_display_says_that_matplotlib_is_not_installed(told):
    functions = {name for name in metalmom.display.__all__ if name[0].islower()}
    assert {name for name, _, text in told if "needs matplotlib" in text} == functions


def test_a_model_says_that_onnx_runtime_is_not_installed(told):
    rest = "needs ONNX Runtime, which is not installed: pip install onnxruntime (or metalmom[onnx])"
    assert ["Session", "MissingPackageError", f"Session() {rest}"] in told


def test_the_error_is_one_of_imports_and_pickles():
    error = MissingPackageError("iirt() needs SciPy", name="scipy", argument="window='taylor'")
    assert isinstance(error, ImportError) and isinstance(error, metalmom.LibrosaError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.name, again.argument) == (str(error), error.name, error.argument)


def test_the_argument_is_data(monkeypatch):
    """Also where its value has an equals sign, or is of another name in the call."""
    monkeypatch.setitem(sys.modules, "scipy.signal", None)
    window = ("taylor", "a=b")
    with pytest.raises(MissingPackageError) as told:
        metalmom.stft(metalmom.tone(440.0, length=8192), window=window)
    argument = told.value.argument
    assert (argument.name, argument.value, str(argument)) == ("window", window, f"window={window!r}")
    assert str(told.value).startswith(f"stft() with {argument} needs SciPy")
    again = pickle.loads(pickle.dumps(told.value)).argument
    assert (again.name, str(again)) == ("window", argument)


def test_a_package_that_is_there_but_broken_says_so_itself(tmp_path):
    (tmp_path / "scipy").mkdir()
    (tmp_path / "scipy" / "__init__.py").write_text("import no_such_library")
    code = "import metalmom; metalmom.filters.get_window('taylor', 8)"
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path})  # fmt: skip
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'no_such_library'"


def test_an_error_of_a_function_that_was_passed_in_stays_as_it_is():
    def aggregate(values, axis):
        raise MissingPackageError("mine", name="scipy")

    with pytest.raises(MissingPackageError, match="^mine$"):
        metalmom.util.sync(metalmom.stft(metalmom.tone(440.0, length=8192)), [2, 4], aggregate=aggregate)


def test_the_command_says_it_in_a_sentence(tmp_path):
    metalmom.demo.write_wav(tmp_path / "song.wav", duration=1)
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "scipy.py").write_text("raise ModuleNotFoundError('no scipy', name='scipy')")
    path = os.pathsep.join([str(tmp_path / "hidden"), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "metalmom", "extract", tmp_path / "song.wav", "-o", tmp_path / "out",
         "-f", "iirt"],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 2
    assert "iirt() needs SciPy, which is not installed: pip install scipy (or metalmom[scipy])" in done.stderr
    assert "Traceback" not in done.stderr
